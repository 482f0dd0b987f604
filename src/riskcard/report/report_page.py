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
from riskcard.formatting.templates import templates_of
from riskcard.report import figure_sentences, shown_figures
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


def render_report(facts: ReportFacts) -> str:
    """Draw a report as one page."""
    parts: dict[str, Any] = {"facts": facts, "sections": SECTIONS}
    with letters_explained():
        for gather in _PARTS.values():
            parts |= gather(facts)
        return str(_templates().get_template("report.html.j2").render(parts))


def render_section(name: str, facts: ReportFacts) -> str:
    """Draw one section of a report."""
    parts: dict[str, Any] = {"facts": facts}
    if name in _PARTS:
        parts |= _PARTS[name](facts)
    return str(_templates().get_template(f"sections/{name}.html.j2").render(parts))


def _templates() -> Any:
    """The templates with what they may call."""
    templates = templates_of("riskcard.report")
    if "plain" not in templates.filters:
        words = figure_sentences
        templates.filters |= {"plain": words.plain, "share": words.share, "percent": percent}
        templates.tests["number_cell"] = lambda text: isinstance(text, Number)
        templates.globals |= {
            name: getattr(words, name)
            for name in [
                "area_sentence",
                "bound_sentence",
                "calibration_sentence",
                "certificate_facts",
                "count",
                "counted_rows",
                "decision_sentence",
                "gain_sentence",
                "training_words",
            ]
        }
        templates.globals |= {
            "evaluations": shown_figures.evaluations,
            "most_honest": shown_figures.most_honest,
            "places": shown_figures.PLACES,
            "scale_words": scale_words,
            "feature_table": feature_table,
            "feature_sentences": feature_sentences,
        }
    return templates


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
