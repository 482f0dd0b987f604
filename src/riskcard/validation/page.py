"""The page of a validation: one file with its style and its pictures, no scripts, nothing fetched.

The words and the markup are in ``templates/``, one file per section.
"""

from riskcard.card.card_html import render_html
from riskcard.formatting import figures as words
from riskcard.formatting.fonts import letters_explained
from riskcard.formatting.pages.stacked_tables import stack_tables
from riskcard.formatting.speech import counted, say
from riskcard.formatting.templates import render
from riskcard.plots.drawing import require_matplotlib
from riskcard.validation import pictures, sentences, shown, update_words
from riskcard.validation.facts import ValidationFacts

#: The sections of a page; those about nothing are left out. Some have the heading of a report's section.
_SECTIONS = (
    "rows", "figures", "calibration", "decisions", "thresholds", "groups", "subgroups", "fairness", "sites",
    "rivals", "drift", "card", "done",
)  # fmt: skip
_AS_IN_REPORTS = ("calibration", "decisions", "card", "done")


def render_page(facts: ValidationFacts) -> str:
    """Draw a validation as one page, in the language of the card's labels."""
    require_matplotlib()
    has = {
        "groups": facts.risk_groups,
        "thresholds": facts.thresholds,
        "subgroups": facts.subgroups,
        "fairness": facts.fairness,
        "sites": facts.sites,
        "rivals": facts.rivals,
    }
    with letters_explained(), facts.card.labels.spoken():
        page = render(
            "validation/templates/validation.html.j2",
            facts=facts,
            sections=[(name, _heading(name)) for name in _SECTIONS if has.get(name, True)],
            say=say,
            counted=counted,
            words=words,
            sentences=sentences,
            update=update_words,
            shown=shown,
            drawn=pictures,
            render_card=render_html,
        )
    return stack_tables(page.replace(" %", "\u00a0%"))  # a line never begins with the sign


def _heading(name: str) -> str:
    return say(f"{'' if name in _AS_IN_REPORTS else 'validation_'}section_{name}")
