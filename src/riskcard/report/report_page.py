"""The page of a report: one file with its style and its pictures, nothing fetched.

There is no script on it but the checker of a proof, where one goes with the card.

The words and the markup are in ``templates/``, one file per section.
"""

from riskcard.card.card_html import render_html
from riskcard.card.sentences import scale_words
from riskcard.formatting.fonts import letters_explained
from riskcard.formatting.pages.stacked_tables import stack_tables
from riskcard.formatting.speech import counted, say, translated
from riskcard.formatting.templates import render
from riskcard.report import figure_sentences as words
from riskcard.report import judgement, proof_on_page, shown_figures
from riskcard.report.facts import ReportFacts
from riskcard.report.guidelines import guidelines
from riskcard.stability.html import feature_table
from riskcard.stability.text import feature_sentences

SECTIONS = (
    "card", "proof", "data", "discrimination", "calibration", "decisions", "price", "stability", "done",
    "guidelines", "origin",
)  # fmt: skip
#: Where the rows contradict the card, it is not judged.
_WITHOUT_VERDICT = ("card", "proof", "data", "origin")


def render_report(facts: ReportFacts) -> str:
    """Draw a report as one page."""
    with letters_explained():
        return stack_tables(_render("report", facts))


def render_section(name: str, facts: ReportFacts) -> str:
    """Draw one section of a report."""
    return _render(f"sections/{name}", facts)


def _render(template: str, facts: ReportFacts) -> str:
    """Fill in a template, which asks two modules for the texts of figures and for pictures."""
    with facts.card.labels.spoken():
        return _filled_in(template, facts)


def _filled_in(template: str, facts: ReportFacts) -> str:
    return render(
        f"report/templates/{template}.html.j2",
        facts=facts,
        sections=_sections(facts),
        say=say,
        counted=counted,
        translated=translated,
        words=words,
        judgement=judgement,
        shown=shown_figures,
        render_card=render_html,
        scale_words=scale_words,
        feature_table=feature_table,
        feature_sentences=feature_sentences,
        guidelines=guidelines,
        checking=proof_on_page,
    )


def _sections(facts: ReportFacts) -> list[tuple[str, str]]:
    """What there is something to say about, with its headings."""
    left_out = set()
    if facts.mode.failures:
        left_out = set(SECTIONS) - set(_WITHOUT_VERDICT)
    if facts.validation is None:
        left_out.add("price")
    if facts.stability is None:
        left_out.add("stability")
    return [(name, say(f"section_{name}")) for name in SECTIONS if name not in left_out]
