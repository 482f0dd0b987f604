"""The page of a report: one file with its style and its pictures, no scripts, nothing fetched."""

from __future__ import annotations

from html import escape

from riskcard.formatting.fonts import letters_explained
from riskcard.report.facts import ReportFacts
from riskcard.report.sections_card import (
    card_section,
    certificate_section,
    data_section,
    glance_section,
)
from riskcard.report.sections_figures import (
    calibration_section,
    decision_section,
    discrimination_section,
    price_section,
    stability_section,
)
from riskcard.report.sections_method import done_section, origin_section
from riskcard.report.style import STYLE

_SECTIONS = (
    ("card", "The card", card_section),
    ("proof", "What is proven", certificate_section),
    ("data", "The data", data_section),
    ("discrimination", "How well it predicts", discrimination_section),
    ("calibration", "Are the risks right?", calibration_section),
    ("decisions", "Is it worth acting on?", decision_section),
    ("price", "What a card costs", price_section),
    ("stability", "Would other rows give another card?", stability_section),
    ("done", "What was done", done_section),
    ("origin", "Files, options and versions", origin_section),
)


def render_report(facts: ReportFacts) -> str:
    """Draw a report as one page."""
    title = escape(facts.card.title)
    with letters_explained():
        sections = "".join(
            f'<section id="{name}"><h2>{heading}</h2>{draw(facts)}</section>'
            for name, heading, draw in _SECTIONS
        )
    links = "".join(f'<li><a href="#{name}">{heading}</a></li>' for name, heading, _ in _SECTIONS)
    versions = dict(facts.origin.versions)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}: report on a card</title>\n<style>{STYLE}</style>\n</head>\n"
        f'<body class="report">\n<header><h1>{title}</h1>'
        f'<p class="lead">Report on a card of points, {escape(facts.origin.made)}</p></header>\n'
        f"<main>\n{glance_section(facts)}\n"
        f'<nav aria-label="Contents"><ul>{links}</ul></nav>\n{sections}\n</main>\n'
        f"<footer><p>Made by riskcard {escape(versions.get('riskcard', ''))} in "
        f"{facts.origin.seconds:,.0f} s. A card is not a medical device; whether one may be used on people is "
        "for others to decide.</p></footer>\n</body>\n</html>\n"
    )
