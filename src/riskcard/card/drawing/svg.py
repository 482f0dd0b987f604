"""A card as an SVG picture: written from its sheet, without other files or fonts."""

import re

from riskcard.card.drawing.sheet import WIDTH, lay_out
from riskcard.formatting.templates import render
from riskcard.model.card import RiskCard

#: White space around the sheet, in points.
MARGIN = 18.0
#: Fonts as wide as the one that the sheet was laid out for, or narrower.
_FONTS = "'DejaVu Sans', Verdana, Geneva, Arial, sans-serif"
#: Characters that XML does not allow at all.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_svg(card: RiskCard) -> str:
    """Draw a card as an SVG picture."""
    sheet = lay_out(card)
    return render(
        "card/templates/card.svg.j2",
        width=WIDTH + 2 * MARGIN,
        height=sheet.height + 2 * MARGIN,
        margin=MARGIN,
        fonts=_FONTS,
        title=_allowed(sheet.title),
        marks=[(type(mark).__name__, mark) for mark in sheet.marks],
        allowed=_allowed,
    )


def _allowed(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
