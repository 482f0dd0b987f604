"""A card as PNG, or as the front and the back of a page of PDF, drawn by matplotlib."""

import importlib
from functools import partial
from pathlib import Path
from typing import Any

from riskcard.card.drawing.sheet import (
    WIDTH,
    Dot,
    Mark,
    Rectangle,
    Rule,
    Sheet,
    Words,
    lay_out,
    lay_out_back,
    lay_out_front,
)
from riskcard.card.drawing.svg import MARGIN, render_svg
from riskcard.errors import ParameterError
from riskcard.extras import import_extra
from riskcard.formatting.fonts import figure_as_bytes, figures_as_pdf
from riskcard.model.card import RiskCard

#: Formats that a picture of a card can have, by the ending of its file.
FORMATS = ("pdf", "png", "svg")
#: A sheet of A4, in points; its margins are equal on all sides.
_PAGE = (595.28, 841.89)
_DOTS = 150
_SIDES = {"start": "left", "middle": "center", "end": "right"}


def picture_for(card: RiskCard, path: str | Path) -> bytes:
    """The content of the file for a picture of a card.

    Parameters
    ----------
    card
        The card.
    path
        A name that ends in ``.pdf``, ``.png`` or ``.svg``.
    """
    form = Path(path).suffix.lower().removeprefix(".")
    if form not in FORMATS:
        endings = ", ".join(f".{form}" for form in FORMATS)
        raise ParameterError(f"A picture is {str(path)!r}. Use a name that ends in {endings}.")
    return card_picture(card, form)


def card_picture(card: RiskCard, form: str) -> bytes:
    """A picture of a card as the content of a file.

    Parameters
    ----------
    card
        The card.
    form
        "pdf": two pages of A4, front and back. "png" or "svg": as high as the card needs.
    """
    if form == "svg":
        return render_svg(card).encode("utf-8")
    import_extra("matplotlib", "A card as PNG or PDF", "plots", "; SVG needs nothing.")
    if form == "pdf":
        return _as_pdf([lay_out_front(card), lay_out_back(card)])
    sheet = lay_out(card)
    size = (WIDTH + 2 * MARGIN, sheet.height + 2 * MARGIN)
    draw = partial(_draw_sheet, sheet=sheet, size=size, scale=1.0)
    return figure_as_bytes(draw, _inches(size), {}, format="png", dpi=_DOTS)


def _as_pdf(sheets: list[Sheet]) -> bytes:
    """One page per sheet: front and back. A long one is made smaller."""
    room = _PAGE[1] - (_PAGE[0] - WIDTH)
    draws = [
        partial(_draw_sheet, sheet=one, size=_PAGE, scale=min(1.0, room / one.height))
        for one in sheets
    ]
    facts = {"Title": sheets[0].title, "CreationDate": None}
    return figures_as_pdf(draws, _inches(_PAGE), {"pdf.fonttype": 42}, facts)


def _inches(size: tuple[float, float]) -> dict[str, Any]:
    return {"figsize": (size[0] / 72, size[1] / 72)}


def _draw_sheet(figure: Any, sheet: Sheet, size: tuple[float, float], scale: float) -> None:
    """The sheet on a page: centred from left to right, below a margin of the usual width."""
    ax = figure.add_axes((0, 0, 1, 1))
    left, top = (WIDTH - size[0] / scale) / 2, (WIDTH - size[0]) / 2 / scale
    ax.set(xlim=(left, left + size[0] / scale), ylim=(top + size[1] / scale, top))
    ax.set_axis_off()
    for mark in sheet.marks:
        _draw(ax, mark, scale)


def _draw(ax: Any, mark: Mark, scale: float) -> None:
    patches, lines = (
        importlib.import_module(f"matplotlib.{name}") for name in ("patches", "lines")
    )
    if isinstance(mark, Words):
        ax.text(
            mark.x, mark.y, mark.text, fontsize=mark.size * scale, color=mark.colour,
            fontweight="bold" if mark.is_bold else "normal", ha=_SIDES[mark.anchor],
            va="baseline", parse_math=False,
        )  # fmt: skip
    elif isinstance(mark, Rule):
        ends = [mark.x1, mark.x2], [mark.y1, mark.y2]
        width = mark.width * scale
        ax.add_artist(
            lines.Line2D(*ends, color=mark.colour, linewidth=width, solid_capstyle="butt")
        )
    elif isinstance(mark, Dot):
        ax.add_artist(patches.Circle((mark.x, mark.y), mark.radius, color="black", linewidth=0))
    elif isinstance(mark, Rectangle):
        ax.add_artist(
            patches.Rectangle(
                (mark.x, mark.y), mark.width, mark.height, facecolor=mark.fill or "none",
                edgecolor="black" if mark.line else "none", linewidth=mark.line * scale,
            )
        )  # fmt: skip
