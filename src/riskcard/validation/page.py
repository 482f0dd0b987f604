"""The page of a validation: one file with its style and its pictures, no scripts, nothing fetched.

The words and the markup are in ``templates/``, one file per section.
"""

from riskcard.card.card_html import render_html
from riskcard.formatting import figures as words
from riskcard.formatting.fonts import letters_explained
from riskcard.formatting.percent import percent
from riskcard.formatting.stacked_tables import stack_tables
from riskcard.formatting.templates import render
from riskcard.plots.drawing import require_matplotlib
from riskcard.validation import pictures, sentences, shown, update_words
from riskcard.validation.facts import ValidationFacts

#: The sections of a page, each with its heading; those about nothing are left out.
_SECTIONS = (
    ("rows", "Which rows"),
    ("figures", "All figures"),
    ("calibration", "Are the risks right?"),
    ("decisions", "Is it worth acting on?"),
    ("thresholds", "Acting from a total on"),
    ("groups", "Risk groups"),
    ("subgroups", "Does it hold in every group?"),
    ("fairness", "Errors in each group"),
    ("sites", "Does it hold at every site?"),
    ("rivals", "Against other scores"),
    ("drift", "Inputs and drift"),
    ("card", "The card"),
    ("done", "What was done"),
)


def render_page(facts: ValidationFacts) -> str:
    """Draw a validation as one page."""
    require_matplotlib()
    has = {
        "groups": facts.risk_groups,
        "thresholds": facts.thresholds,
        "subgroups": facts.subgroups,
        "fairness": facts.fairness,
        "sites": facts.sites,
        "rivals": facts.rivals,
    }
    sections = [one for one in _SECTIONS if has.get(one[0], True)]
    with letters_explained():
        page = render(
            "validation/templates/validation.html.j2",
            facts=facts,
            sections=sections,
            words=words,
            sentences=sentences,
            update=update_words,
            shown=shown,
            drawn=pictures,
            percent=percent,
            render_card=render_html,
        )
    return stack_tables(page.replace(" %", "\u00a0%"))  # a line never begins with the sign
