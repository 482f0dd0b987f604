"""Plain text for terminals: names that cannot act on them, and columns that are aligned."""

import re
import unicodedata
from collections.abc import Sequence

#: Control characters, separators of lines, halves of pairs, and marks that reverse the text.
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_GAP = "   "


def visible(text: str) -> str:
    """A text whose control characters are written out, so that a terminal does not obey them.

    Examples
    --------
    >>> print(visible("age\\x1b[2J"))
    age\\x1b[2J
    """
    return _HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def visible_lines(text: str) -> str:
    """A text of several lines, visible but for its line breaks and tabs."""
    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in text.split("\n"))


def one_line(text: str) -> str:
    """A visible text on one line: line breaks and tabs become spaces."""
    if any(mark in text for mark in "\n\r\t\v\f"):
        text = " ".join(text.split()) or text
    return visible(text)


def columns_of(text: str) -> int:
    """The columns that a text takes where all letters are equally wide: two for Chinese ones.

    Examples
    --------
    >>> columns_of("abc"), columns_of("日本")
    (3, 4)
    """
    return sum(0 if unicodedata.combining(one) else 2 if is_wide(one) else 1 for one in text)


def is_wide(character: str) -> bool:
    """A character that takes two columns, as in Chinese."""
    return unicodedata.east_asian_width(character) in "WF"


def text_table(
    header: Sequence[str], *groups: Sequence[Sequence[str | int]], n_left: int = 1
) -> list[str]:
    """The lines of a table, with a rule below the header and below each group of rows.

    Parameters
    ----------
    header
        One text per column.
    groups
        Rows with one cell per column; a group without rows is left out.
    n_left
        The first ``n_left`` columns are aligned to the left, the others to the right.

    Examples
    --------
    >>> print("\\n".join(text_table(("Name", "Size"), [("a", 10), ("bcd", 5)])))
    Name   Size
    -----------
    a        10
    bcd       5
    -----------
    """
    table = [list(map(str, row)) for row in [header, *(row for group in groups for row in group)]]
    widths = [max(map(columns_of, column)) for column in zip(*table, strict=True)]

    def draw(row: Sequence[str | int]) -> str:
        cells = []
        for place, (cell, width) in enumerate(zip(map(str, row), widths, strict=True)):
            room = " " * (width - columns_of(cell))
            cells.append(cell + room if place < n_left else room + cell)
        return _GAP.join(cells).rstrip()

    rule = "-" * (sum(widths) + len(_GAP) * (len(widths) - 1))
    lines = [draw(header), rule]
    for group in groups:
        lines += [*map(draw, group), rule] if group else []
    return lines
