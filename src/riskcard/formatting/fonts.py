"""Fonts of pictures: letters of many scripts where the machine has them, one sentence where not."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from riskcard.errors import RiskcardWarning

#: Looked at in this order for every letter; the first one comes with matplotlib.
_FAMILIES = (
    "DejaVu Sans",
    "Noto Sans",
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Noto Sans CJK KR",
    "Hiragino Sans",
    "Yu Gothic",
    "Microsoft YaHei",
    "Malgun Gothic",
    "WenQuanYi Zen Hei",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Nirmala UI",
    "Leelawadee UI",
    "Arial Unicode MS",
    "Droid Sans Fallback",
    "Unifont",
)
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
    """Say every warning of a drawing once, and that letters are missing in a sentence of our own."""
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
