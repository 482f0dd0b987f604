"""A document of sections: the same sentences and tables as plain text, as a page and for a notebook."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from riskcard.formatting.numbers import minus
from riskcard.formatting.pages.html import Number, boxed, html_table, paragraphs
from riskcard.formatting.pages.stacked_tables import stack_tables
from riskcard.formatting.plain_text import one_line, text_table
from riskcard.formatting.speech import say, spoken_language
from riskcard.formatting.templates import render
from riskcard.version import __version__

_WIDTH = 79


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table in words.

    Attributes
    ----------
    header
        One text per column.
    rows
        Cells in words.
    n_left
        The first columns are aligned to the left; the others are numbers.
    caption
        Says what the table shows.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    n_left: int = 1
    caption: str = ""

    def to_lines(self) -> list[str]:
        """Plain text; ASCII except for the user's own words."""
        lines = text_table(
            self.header,
            [[_plain(cell) for cell in row] for row in self.rows],
            n_left=self.n_left,
        )
        return [self.caption, *lines] if self.caption else lines

    def to_html(self) -> str:
        """A piece of HTML."""
        header = [*self.header[: self.n_left], *map(Number, self.header[self.n_left :])]
        rows = (
            [*row[: self.n_left], *(Number(minus(cell)) for cell in row[self.n_left :])]
            for row in self.rows
        )
        return html_table(header, rows, self.caption)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document: sentences, then tables, then pictures.

    Attributes
    ----------
    heading
        Its title.
    sentences
        One per paragraph.
    tables
        In order.
    notes
        Sentences below the tables.
    pictures
        As ``riskcard.plots.embedded`` draws them; text has none.
    """

    heading: str
    sentences: Sequence[str] = ()
    tables: Sequence[ShownTable] = ()
    notes: Sequence[str] = ()
    pictures: Sequence[Any] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A whole document.

    Attributes
    ----------
    title, lead
        The heading, and the line below it.
    sections
        In order.
    """

    title: str
    lead: str
    sections: Sequence[Section]

    def to_text(self) -> str:
        """Plain text of at most 79 columns, but for wide tables."""
        parts = [[one_line(self.title)], _wrapped(self.lead)]
        for section in self.sections:
            if section.heading:
                parts.append([section.heading, "=" * len(section.heading)])
            parts += [_wrapped(sentence) for sentence in section.sentences]
            parts += [table.to_lines() for table in section.tables]
            parts += [_wrapped(sentence) for sentence in section.notes]
        return "\n\n".join("\n".join(lines) for lines in parts if lines)

    def to_page(self) -> str:
        """One file of HTML with its style and its pictures; nothing is fetched."""
        page = render(
            "formatting/pages/document.html.j2",
            document=self,
            language=spoken_language(),
            footer=say("document_footer", version=__version__),
        )
        return stack_tables(page.replace(" %", "\u00a0%"))  # a line never begins with the sign

    def to_box(self) -> str:
        """A piece of HTML for a notebook."""
        pieces = [paragraphs([self.lead])]
        for section in self.sections:
            pieces += [paragraphs(section.sentences), *(one.to_html() for one in section.tables)]
            pieces.append(paragraphs(section.notes))
        return boxed(one_line(self.title), *pieces)


def _wrapped(sentence: str) -> list[str]:
    """The lines of a paragraph; a number and its sign of per cent stay together."""
    held = re.sub(r"(\d) %", "\\1\u00a0%", one_line(sentence))
    return [_plain(line) for line in textwrap.wrap(held, _WIDTH)]


def _plain(text: str) -> str:
    for sign, letters in (("≤", "<="), ("≥", ">="), ("\u2212", "-"), ("\u00a0", " ")):
        text = text.replace(sign, letters)
    return one_line(text)
