"""The stability of a card as a piece of HTML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from riskcard.formatting.numbers import minus
from riskcard.formatting.pages.html import Number, boxed, html_table, paragraphs
from riskcard.stability.text import (
    PERFORMANCE_HEADER,
    feature_header,
    feature_lines,
    feature_sentences,
    performance_lines,
    performance_sentence,
)

if TYPE_CHECKING:
    from riskcard.stability.result import CardStability


def stability_as_html(stability: CardStability) -> str:
    """Draw all figures for a notebook."""
    return boxed(
        stability.title,
        feature_table(stability),
        paragraphs(feature_sentences(stability)),
        _table(PERFORMANCE_HEADER, performance_lines(stability)),
        paragraphs([performance_sentence(stability)]),
    )


def feature_table(stability: CardStability) -> str:
    """One line for each feature that some card uses."""
    return _table(feature_header(stability.card.kind), feature_lines(stability))


def _table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """The first column holds names, which may be indented; the others are aligned to the right."""
    rows = [
        [first.replace("  ", "\u2003"), *(Number(minus(text)) for text in others)]
        for first, *others in lines
    ]
    return html_table([header[0], *map(Number, header[1:])], rows)
