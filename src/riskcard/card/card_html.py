"""A card as HTML: for notebooks a piece, for files a page; no scripts, nothing from elsewhere."""

from riskcard.card.kind_card import kind_card_of, kind_html
from riskcard.card.scorecard import rendered
from riskcard.formatting.templates import render
from riskcard.model.card import RiskCard

#: Totals without counts are set in tables of at most this many rows, side by side.
_MOST_ROWS = 12


def render_html(card: RiskCard, is_page: bool = False) -> str:
    """Draw a card as a piece of HTML with its own style."""
    if card.kind is not None:
        return _kind_page(card) if is_page else kind_html(card)
    n_totals = len(card.reachable_totals())
    n_tables = -(-n_totals // _MOST_ROWS)
    return rendered(
        card,
        f"card/templates/{'page' if is_page else 'card'}.html.j2",
        rows_per_table=-(-n_totals // n_tables),
        is_page=is_page,
    )


def _kind_page(card: RiskCard) -> str:
    """The piece of a card of hazards or rates as a page."""
    title = kind_card_of(card).title
    return render("card/templates/kind_page.html.j2", title=title, piece=kind_html(card))


def render_page(card: RiskCard) -> str:
    """Draw a card as a page of its own, for the screen and for paper."""
    return render_html(card, is_page=True)
