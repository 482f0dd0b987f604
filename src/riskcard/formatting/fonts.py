"""Figures of matplotlib in letters of many scripts, with one sentence where a font is missing."""

import importlib
import io
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from riskcard.errors import RiskcardWarning
from riskcard.formatting.templates import asset

#: Tried in this order for every letter; the first one comes with matplotlib.
_FAMILIES = tuple(asset("formatting/fonts.txt").splitlines())
_SENTENCE = (
    "Some letters are drawn as boxes, since no font of this machine has them. Install one that does, "
    "such as a Noto font for their script."
)


@cache
def font_families() -> tuple[str, ...]:
    """The families that this machine has, for ``font.family`` of matplotlib."""
    known = set(importlib.import_module("matplotlib.font_manager").get_font_names())
    return tuple(name for name in _FAMILIES if name in known) or _FAMILIES[:1]


@contextmanager
def letters_explained() -> Iterator[None]:
    """Give every warning of a drawing once, and one sentence of our own on missing letters."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    said: dict[tuple[str, type[Warning]], None] = {}
    for one in caught:
        text, kind = str(one.message), one.category
        is_glyph = text.startswith("Glyph ") and " missing from " in text
        said[(_SENTENCE, RiskcardWarning) if is_glyph else (text, kind)] = None
    for text, kind in said:
        warnings.warn(text, kind, stacklevel=3)


def figure_as_bytes(
    draw: Callable[[Any], Any],
    figure: Mapping[str, Any],
    settings: Mapping[str, Any],
    **options: Any,
) -> bytes:
    """A figure as the content of a file; no window is needed and none is opened.

    Parameters
    ----------
    draw
        Is given the figure, which is empty.
    figure
        Options of the figure.
    settings
        Settings of matplotlib, in addition to the fonts.
    **options
        Those of ``savefig``.
    """
    file = io.BytesIO()
    with _fonts(settings):
        _figure(draw, figure).savefig(file, **options)
    return file.getvalue()


def figures_as_pdf(
    draws: Sequence[Callable[[Any], Any]],
    figure: Mapping[str, Any],
    settings: Mapping[str, Any],
    metadata: Mapping[str, Any],
) -> bytes:
    """Several figures as the pages of one PDF; parameters as for ``figure_as_bytes``."""
    pages = importlib.import_module("matplotlib.backends.backend_pdf").PdfPages
    file = io.BytesIO()
    with _fonts(settings), pages(file, metadata=dict(metadata)) as book:
        for draw in draws:
            _figure(draw, figure).savefig(book, format="pdf")
    return file.getvalue()


@contextmanager
def _fonts(settings: Mapping[str, Any]) -> Iterator[None]:
    matplotlib = importlib.import_module("matplotlib")
    families = {"font.family": list(font_families())}
    with letters_explained(), matplotlib.rc_context({**settings, **families}):
        yield


def _figure(draw: Callable[[Any], Any], options: Mapping[str, Any]) -> Any:
    empty = importlib.import_module("matplotlib.figure").Figure(**options)
    draw(empty)
    return empty
