"""The header of a table: which line it is, what separates its cells, and the names in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from riskcard.data.cells.written_numbers import read_number
from riskcard.data.files.csv_text import DELIMITERS, delimiter_of
from riskcard.data.reading_notes import ReadingNote, Topic
from riskcard.errors import FormatError

#: The header is searched for in this many lines.
_FIRST_LINES = 20
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|$)")
#: What Excel writes above the header to name the delimiter.
_NAMED_DELIMITER = re.compile(rf"sep=([{re.escape(DELIMITERS)}])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Header:
    """Where the header of a CSV file is.

    Attributes
    ----------
    start
        The byte with which it begins.
    delimiter
        Between two cells.
    n_lines_above
        The number of lines above it.
    note
        That there are such lines, if there are any with text.
    """

    start: int
    delimiter: str
    n_lines_above: int
    note: ReadingNote | None


def find_header(path: str, text: bytes) -> Header:
    """Find the header of a CSV file: the first line with text, unless that is a title."""
    lines = _first_lines(text)
    if not lines:
        raise FormatError(f"{path!r} is empty. Give a CSV file with a header line and rows.")
    named = _NAMED_DELIMITER.fullmatch(lines[0][2].strip())
    if named and len(lines) > 1:
        start, number, _ = lines[1]
        return Header(start, named[1], number, None)
    place = next(filter(lambda i: _is_header(lines, i), range(len(lines) - 1)), 0)
    start, number, line = lines[place]
    return Header(start, delimiter_of(line), number, note_on_title(number) if place else None)


def _is_header(lines: Sequence[tuple[int, int, str]], place: int) -> bool:
    """Whether a line has several cells, as many as the next, and all lines above it are titles."""
    if any(line.count('"') % 2 for _, _, line in lines[: place + 1]):
        return False  # a cell of more than one line
    delimiter = delimiter_of(lines[place][2])
    rows = [_cells(line, delimiter) for _, _, line in lines]
    return header_place(rows) == place and 1 < len(rows[place]) == len(rows[place + 1])


def header_place(rows: Sequence[Sequence[str]]) -> int:
    """The index of the header among the first rows: the first that is not a title.

    A title is a row that has a text in its first cell only, or none at all, above one with at
    least two texts and no numbers.
    """
    if max(map(len, rows)) < 2 or not _is_title(rows[0]):
        return 0
    place = next((i for i, row in enumerate(rows) if not _is_title(row)), 0)
    filled = [cell for cell in rows[place] if cell.strip()]
    return 0 if any(map(read_number, filled)) else place


def _is_title(row: Sequence[str]) -> bool:
    return not any(cell.strip() for cell in row[1:])


def note_on_title(n_lines: int) -> ReadingNote:
    """What is said about lines above the header."""
    which = "line 1, which is" if n_lines == 1 else f"lines 1 to {n_lines}, which are"
    return ReadingNote(Topic.FILE, f"Left out: {which} above the header.", count=n_lines)


def names_of_columns(path: str, header: Sequence[str]) -> tuple[list[str], frozenset[str]]:
    """The names of the columns, none twice; and those that are named only by their position."""
    names = [name.strip() for name in header]
    unnamed = {place: f"column {place + 1}" for place, name in enumerate(names) if not name}
    names = [unnamed.get(place, name) for place, name in enumerate(names)]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise FormatError(f"{path!r}: two columns are named {name!r}. Rename one of them.")
    if len(unnamed) == len(names):
        raise FormatError(f"{path!r} has no names in its header. Name the columns there.")
    return names, frozenset(unnamed.values())


def _first_lines(text: bytes) -> list[tuple[int, int, str]]:
    """Of the first lines that are not blank: their first byte, the lines above, their text."""
    found: list[tuple[int, int, str]] = []
    start, number = 0, 0
    while len(found) < _FIRST_LINES and start < len(text):
        match = _LINE.match(text, start)
        end = match.end() if match else len(text)
        line = text[start:end].decode("utf-8", errors="replace").strip("\r\n")
        if line.strip():
            found.append((start, number, line))
        start, number = end, number + 1
    return found


def _cells(line: str, delimiter: str) -> list[str]:
    """The cells of a line, roughly: what is in quotes is not divided."""
    parts = line.split('"')
    parts[1::2] = [part.replace(delimiter, " ") for part in parts[1::2]]
    return '"'.join(parts).split(delimiter)
