"""Tables for phones: those that are too wide and have few rows are marked, so that a style stacks their cells.

On a narrow screen each row of such a table becomes a small list: its first cell as a heading, and every other cell
next to the heading of its column, which is written into the cell as ``data-label``. Long tables of numbers are
not stacked, because people compare their rows; they scroll inside a box, and their first column stays.
"""

from __future__ import annotations

import re
from html import unescape

#: This many letters fit side by side on a phone of 360 pixels, in the small type of its tables. A column
#: needs those of its longest word, and one for the space between columns.
_MOST_LETTERS = 43
#: A stacked table of numbers with more rows would be too long to compare them.
_MOST_ROWS = 12
_NUMBERS = 'class="number'


def _element(tag: str, before: str = "") -> re.Pattern[str]:
    """An element with what is in it; our own tables have no element within one of the same name."""
    return re.compile(rf"{before}<{tag}\b[^>]*>(.*?)</{tag}>", re.DOTALL)


_TABLE = _element("table", before='<div class="wide">')
_HEADER, _ROW, _HEADING, _CONTENT = map(_element, ("thead", "tr", "th", "t[dh]"))
_CELL = re.compile(r"<t[dh]\b")
#: Where a line may break; a number and its sign of per cent stay together.
_BREAK = re.compile(r"[ \t\n]+")
_TAG = re.compile(r"<[^>]*>")


def stack_tables(page: str) -> str:
    """Mark the tables of a page that are to be stacked on a phone.

    Parameters
    ----------
    page
        HTML in which tables stand in ``<div class="wide">``; those with cells that span others stay as they are.
    """
    return _TABLE.sub(_stacked, page)


def _stacked(table: re.Match[str]) -> str:
    header = _HEADER.search(table[0])
    if header is None or "span=" in table[0]:
        return table[0]
    names = [_words_of(one) for one in _HEADING.findall(header[1])]
    body = table[0][header.end() :]
    cells = [list(map(_words_of, _CONTENT.findall(row))) for row in _ROW.findall(body)]
    has_numbers = _NUMBERS in table[0]
    if (has_numbers and len(cells) > _MOST_ROWS) or any(len(row) != len(names) for row in cells):
        return table[0]
    columns = zip(names, *cells, strict=True)
    if sum(max(map(_longest_word, column)) + 1 for column in columns) <= _MOST_LETTERS:
        return table[0]
    kind = "wide stacks" if has_numbers else "wide stacks words"
    above = table[0][: header.end()].replace('"wide"', f'"{kind}"', 1)
    return above + _ROW.sub(lambda row: _with_labels(row[0], names), body)


def _words_of(cell: str) -> str:
    """The text of a cell; a break of the line is a space."""
    return _BREAK.sub(" ", _TAG.sub(" ", cell)).strip(" ")


def _longest_word(text: str) -> int:
    return max(len(word) for word in unescape(text).split(" "))


def _with_labels(row: str, names: list[str]) -> str:
    """The cells of a row, each with the heading of its column but for the first, which is the row's."""
    waiting = iter(names)

    def label(cell: re.Match[str]) -> str:
        name = next(waiting)
        return cell[0] if name is names[0] else f'{cell[0]} data-label="{name}"'

    return _CELL.sub(label, row)
