"""A card as HTML: for notebooks a piece, for files a page; no scripts, nothing from elsewhere."""

from __future__ import annotations

from typing import Any

from riskcard.card.scorecard import score_card_of
from riskcard.card.sentences import BASE, BLANK
from riskcard.formatting.templates import render
from riskcard.model.card import RiskCard

#: Totals without counts are set in tables of at most this many rows, side by side.
_MOST_ROWS = 12


def render_html(card: RiskCard) -> str:
    """Draw a card as a piece of HTML with its own style."""
    return render("card/templates/card.html.j2", **_values(card))


def render_page(card: RiskCard) -> str:
    """Draw a card as a page of its own, for the screen and for paper."""
    return render("card/templates/page.html.j2", **_values(card))


def _values(card: RiskCard) -> dict[str, Any]:
    shown = score_card_of(card)
    n_tables = -(-len(shown.totals) // _MOST_ROWS)
    rows_per_table = -(-len(shown.totals) // n_tables)
    return {"shown": shown, "rows_per_table": rows_per_table, "base": BASE, "blank": BLANK}
