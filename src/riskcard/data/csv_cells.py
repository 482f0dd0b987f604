"""The cells of a CSV file, line by line: numbers as long as a column has nothing else."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TextIO

import numpy as np

from riskcard.data.column_kinds import Cells, check_numbers, feature_from_cells
from riskcard.data.columns import LARGEST_EXACT, FeatureValues
from riskcard.data.csv_text import checked_rows
from riskcard.data.wanted_columns import Kind, Selection
from riskcard.errors import FormatError

_ROWS_A_CHUNK = 4096


class _Numbers:
    """A column that has had numbers and missing values only."""

    def __init__(self, missing: frozenset[str]) -> None:
        self.values = array("d")
        self.missing = dict.fromkeys(missing, float("nan"))

    def add(self, cells: Sequence[str]) -> bool:
        """Add cells; False, and nothing is added, if any of them is something else."""
        if "_" in "".join(cells):  # which Python takes for a part of a number
            return False
        try:
            self.values.extend(list(map(float, cells)))
            return True
        except ValueError:
            pass
        missing = self.missing
        try:
            self.values.extend(
                [
                    missing[cell] if cell in missing else float(cell)
                    for cell in map(str.strip, cells)
                ]
            )
        except ValueError:
            return False
        return True

    def is_beyond_floats(self) -> bool:
        """Some whole numbers may be different as texts and equal here."""
        return bool(np.nanmax(np.abs(self.values), initial=0.0) >= LARGEST_EXACT)


class _Texts:
    """A column of texts, each kept once."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self.codes = array("q")

    def add(self, cells: Sequence[str]) -> bool:
        places = self.places
        self.codes.extend([places.setdefault(cell, len(places)) for cell in cells])
        return True

    def is_beyond_floats(self) -> bool:
        return False


def read_cells(
    path: str, file: TextIO, names: Sequence[str], delimiter: str, wanted: Selection
) -> tuple[dict[str, FeatureValues], int]:
    """Read the wanted columns, and count the rows.

    A column is taken for numbers until it turns out to be something else; when that happens late,
    or numbers are so large that their digits matter, the file is read once more.

    Parameters
    ----------
    path
        The file, for error messages.
    file
        The same file, opened.
    names
        The names in the header.
    delimiter
        What stands between two cells.
    wanted
        Which columns, and as what.
    """
    is_text = {name: kind in (Kind.TEXT, Kind.CATEGORY) for name, kind in wanted.kinds.items()}
    columns, lines = _read(path, _rows(path, file, delimiter), names, is_text, wanted)
    late = [name for name, column in columns.items() if column is None or column.is_beyond_floats()]
    if late:
        again, _ = _read(
            path, _rows(path, file, delimiter), names, dict.fromkeys(late, True), wanted
        )
        columns |= again

    def where(row: int, name: str) -> str:
        return f"{path!r}, line {lines[row]}, column {name!r}"

    features = {}
    for name in wanted.kinds:
        column = columns.pop(name)
        if isinstance(column, _Numbers):
            features[name] = check_numbers(np.array(column.values), name, wanted, where)
        elif column is not None:
            codes = np.array(column.codes)
            cells = Cells(name, list(column.places), codes, where)
            features[name] = feature_from_cells(cells, wanted)
    return features, len(lines)


def _rows(path: str, file: TextIO, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of the rows below the header."""
    file.seek(0)
    rows = checked_rows(path, csv.reader(file, delimiter=delimiter, strict=True))
    next(rows)
    return rows


def _read(
    path: str,
    rows: Iterator[tuple[int, list[str]]],
    names: Sequence[str],
    is_text: dict[str, bool],
    wanted: Selection,
) -> tuple[dict[str, _Numbers | _Texts | None], array[int]]:
    """The columns asked for, None where texts came late; and the line of each row."""
    place = {name: position for position, name in enumerate(names)}
    missing = wanted.missing.among_numbers
    columns: dict[str, _Numbers | _Texts | None] = {
        name: _Texts() if is_one else _Numbers(missing) for name, is_one in is_text.items()
    }
    lines = array("q")
    while chunk := list(islice(rows, _ROWS_A_CHUNK)):
        is_first = not lines
        numbers, rows_of_cells = zip(*chunk, strict=True)
        lines.extend(numbers)
        by_column = list(zip(*rows_of_cells, strict=True))
        for name, column in columns.items():
            if column is None or column.add(by_column[place[name]]):
                continue
            columns[name] = None
            if is_first:
                columns[name] = texts = _Texts()
                texts.add(by_column[place[name]])
    if not lines:
        raise FormatError(f"{path!r} has a header but no rows. Add the data below the header.")
    return columns, lines
