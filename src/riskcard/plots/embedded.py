"""Pictures inside a page: vector graphics as part of the text, so that nothing is fetched."""

import base64
from collections.abc import Callable
from typing import Any, NamedTuple

from riskcard.plots.drawing import picture_of


class Picture(NamedTuple):
    """A picture as a page embeds it: its bytes in base 64, and what is written about it."""

    data: str
    alternative: str  # what it shows, for those who cannot see it
    caption: str
    width: int
    height: int


def drawn(
    draw: Callable[[Any], Any],
    alternative: str,
    caption: str = "",
    size: tuple[float, float] = (5.6, 3.6),
) -> Picture:
    """Draw a picture; ``draw`` gets the axes, ``size`` is in inches."""
    content = picture_of(lambda empty: draw(empty.subplots()), "svg", size)
    width, height = (round(96 * inches) for inches in size)
    return Picture(base64.b64encode(content).decode("ascii"), alternative, caption, width, height)
