"""Pictures inside a page: vector graphics as part of the text, so that nothing is fetched."""

import base64
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from riskcard.plots.drawing import picture_of


class Picture(NamedTuple):
    """A picture as a page embeds it: its bytes in base 64, and what is written about it."""

    data: str
    alternative: str  # what it shows, for those who cannot see it
    caption: str
    width: int
    height: int
    kind: str = "svg+xml"


_form: ContextVar[str] = ContextVar("_form", default="svg")


@contextmanager
def pictures_as_png() -> Iterator[None]:
    """Pictures are drawn as dots meanwhile, for programs that do not take vector graphics."""
    token = _form.set("png")
    try:
        yield
    finally:
        _form.reset(token)


def drawn(
    draw: Callable[[Any], Any],
    alternative: str,
    caption: str = "",
    size: tuple[float, float] = (5.6, 3.6),
) -> Picture:
    """Draw a picture; ``draw`` gets the axes, ``size`` is in inches."""
    return drawn_on_figure(lambda empty: draw(empty.subplots()), alternative, caption, size)


def drawn_on_figure(
    draw: Callable[[Any], Any], alternative: str, caption: str, size: tuple[float, float]
) -> Picture:
    """Draw a picture with axes of its own making; ``draw`` gets the empty figure."""
    form = _form.get()
    content = picture_of(draw, form, size)
    width, height = (round(96 * inches) for inches in size)
    data, kind = base64.b64encode(content).decode("ascii"), "svg+xml" if form == "svg" else form
    return Picture(data, alternative, caption, width, height, kind)
