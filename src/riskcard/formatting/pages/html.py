"""Pieces of HTML that several rooms draw with: tables, paragraphs and boxes for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from riskcard.formatting.templates import render


class Number(str):
    """The text of a cell that is aligned to the right, as numbers are."""


class Verdict(str):
    """The text of a cell that asks for attention: "in order", "watch", "act", each with a sign."""

    _light: str

    def __new__(cls, light: str, words: str | None = None) -> Verdict:
        """The verdict, and how it is called in the language of the page."""
        made = super().__new__(cls, light if words is None else words)
        made._light = light
        return made

    @property
    def kind(self) -> str:
        """The classes of the cell."""
        return f"verdict-{self._light.replace(' ', '-')}"


def html_table(header: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table; texts are escaped, and a cell that is a ``Number`` is aligned to the right.

    Parameters
    ----------
    header
        One text per column; a ``Number`` for a column of numbers. Empty for no header.
    rows
        One text per column.
    caption
        Says what the table shows.

    Examples
    --------
    >>> html_table(["Name", Number("Size")], [["a < b", Number("3")]]).count("&lt;")
    1
    """
    return render(
        "formatting/pages/table.html.j2",
        header=header,
        rows=rows,
        caption=caption,
        kind_of=_kind_of,
    )


def _kind_of(cell: str) -> str:
    """The class of a cell; empty where it has none."""
    if isinstance(cell, Verdict):
        return cell.kind
    return "number" if isinstance(cell, Number) else ""


def paragraphs(sentences: Iterable[str]) -> str:
    """One paragraph per sentence, escaped."""
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)


def boxed(title: str, *pieces: str) -> str:
    """Pieces of HTML under a title, with their own style: what a notebook shows."""
    return render("formatting/pages/box.html.j2", title=title, pieces=pieces)
