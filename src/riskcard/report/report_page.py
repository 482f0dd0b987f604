"""The page of a report: one file with its style and its pictures, no scripts, nothing fetched.

The words and the markup are in ``templates/``, one file per section.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from riskcard.card.card_html import render_html
from riskcard.card.sentences import scale_words
from riskcard.formatting.fonts import letters_explained
from riskcard.formatting.html import Number
from riskcard.formatting.percent import percent
from riskcard.formatting.templates import render
from riskcard.report import figure_sentences as words
from riskcard.report import shown_figures
from riskcard.report.facts import ReportFacts
from riskcard.stability.html import feature_table
from riskcard.stability.text import feature_sentences

SECTIONS = (
    ("card", "The card"),
    ("proof", "What is proven"),
    ("data", "The data"),
    ("discrimination", "How well it predicts"),
    ("calibration", "Are the risks right?"),
    ("decisions", "Is it worth acting on?"),
    ("price", "What a card costs"),
    ("stability", "Would other rows give another card?"),
    ("done", "What was done"),
    ("origin", "Files, options and versions"),
)
#: Parameters that put rules into a certificate.
_RULING = {"rules", "min_bin_rows", "min_bin_events", "min_gain", "shortlist"}


#: What every template may call.
_WORDS: dict[str, Any] = {
    **{
        one.__name__: one
        for one in (
            words.area_sentence,
            words.bound_sentence,
            words.calibration_sentence,
            words.certificate_facts,
            words.count,
            words.counted_rows,
            words.decision_sentence,
            words.gain_sentence,
            words.plain,
            words.share,
            words.training_words,
            shown_figures.evaluations,
            shown_figures.most_honest,
            feature_sentences,
            feature_table,
            percent,
            scale_words,
        )
    },
    "places": shown_figures.PLACES,
    "is_number": lambda text: isinstance(text, Number),
}


def render_report(facts: ReportFacts) -> str:
    """Draw a report as one page."""
    parts: dict[str, Any] = {"facts": facts, "sections": SECTIONS}
    with letters_explained():
        for gather in _PARTS.values():
            parts |= gather(facts)
        return render("report/templates/report.html.j2", **_WORDS, **parts)


def render_section(name: str, facts: ReportFacts) -> str:
    """Draw one section of a report."""
    parts: dict[str, Any] = {"facts": facts}
    if name in _PARTS:
        parts |= _PARTS[name](facts)
    return render(f"report/templates/sections/{name}.html.j2", **_WORDS, **parts)


def _card_parts(facts: ReportFacts) -> dict[str, Any]:
    from markupsafe import Markup

    return {
        "card_html": Markup(render_html(facts.card)),
        "points": shown_figures.points_pictures(facts),
        "has_special": any(slot.is_special for one in facts.distributions for slot in one.slots),
    }


def _done_parts(facts: ReportFacts) -> dict[str, Any]:
    certificate = facts.card.certificate
    known = {name for name, _ in facts.origin.refit}
    return {
        "n_cuts": sum(len(feature.points) - 1 for feature in facts.card.features),
        "has_lost_rules": certificate is not None and certificate.rules and not known & _RULING,
    }


def _price_parts(facts: ReportFacts) -> dict[str, Any]:
    return {} if facts.validation is None else {"price": shown_figures.price_of(facts.validation)}


#: What each section needs in addition to the facts.
_PARTS: dict[str, Callable[[ReportFacts], dict[str, Any]]] = {
    "glance": lambda facts: {"glance": shown_figures.glance_of(facts)},
    "card": _card_parts,
    "data": lambda facts: {"columns": shown_figures.columns_table(facts)},
    "discrimination": lambda facts: {
        "figures": shown_figures.figures_table(facts),
        "roc": shown_figures.roc_picture(facts),
    },
    "calibration": lambda facts: {
        "calibrations": shown_figures.calibration_pictures(facts),
        "risks": shown_figures.risk_pictures(facts),
    },
    "decisions": lambda facts: {"decision": shown_figures.decision_picture(facts)},
    "price": _price_parts,
    "done": _done_parts,
}
