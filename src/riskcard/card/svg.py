"""A card as an SVG picture: written from its sheet, without other files or fonts."""

from __future__ import annotations

import re
from html import escape

from riskcard.card.layout import WIDTH, Dot, Mark, Rectangle, Rule, Words, lay_out
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
    width, height = WIDTH + 2 * MARGIN, sheet.height + 2 * MARGIN
    title = _text(sheet.title)
    marks = "\n".join(map(_drawn, sheet.marks))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_number(width)}pt" '
        f'height="{_number(height)}pt" viewBox="0 0 {_number(width)} {_number(height)}" '
        f'role="img" aria-label="{title}" font-family="{_FONTS}">\n'
        f"<title>{title}</title>\n"
        f'<rect width="100%" height="100%" fill="#ffffff"/>\n'
        f'<g transform="translate({_number(MARGIN)} {_number(MARGIN)})">\n{marks}\n</g>\n</svg>\n'
    )


def _drawn(mark: Mark) -> str:
    if isinstance(mark, Words):
        return _words(mark)
    if isinstance(mark, Rule):
        x1, y1, x2, y2 = map(_number, (mark.x1, mark.y1, mark.x2, mark.y2))
        ends = f'x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"'
        return f'<line {ends} stroke="{mark.colour}" stroke-width="{_number(mark.width)}"/>'
    if isinstance(mark, Dot):
        return f'<circle cx="{_number(mark.x)}" cy="{_number(mark.y)}" r="{_number(mark.radius)}"/>'
    return _rectangle(mark)


def _rectangle(mark: Rectangle) -> str:
    place = f'x="{_number(mark.x)}" y="{_number(mark.y)}"'
    size = f'width="{_number(mark.width)}" height="{_number(mark.height)}"'
    line = f' stroke="#000000" stroke-width="{_number(mark.line)}"' if mark.line else ""
    return f'<rect {place} {size} fill="{mark.fill or "none"}"{line}/>'


def _words(mark: Words) -> str:
    style = ' font-weight="bold"' if mark.is_bold else ""
    style += f' text-anchor="{mark.anchor}"' if mark.anchor != "start" else ""
    style += f' fill="{mark.colour}"' if mark.colour != "#000000" else ""
    place = f'x="{_number(mark.x)}" y="{_number(mark.y)}" font-size="{_number(mark.size)}"'
    return f"<text {place}{style}>{_text(mark.text)}</text>"


def _text(text: str) -> str:
    return escape(_FORBIDDEN.sub("\ufffd", text))


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
