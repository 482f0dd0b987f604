"""Tables from files: the columns asked for, as numbers or as text, with errors that say where.

A CSV file is UTF-8 text with a header line. The delimiter is the one of comma, semicolon and tab
that stands most often in the header line outside quotes (the first of these where they tie).
Fields may be quoted with ``"``. Blank lines are skipped.
"""

from __future__ import annotations

import csv
import math
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from riskcard.cli.columns import Selection
from riskcard.errors import DataError, FormatError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Columns", "read_columns"]

_DELIMITERS = ",;\t"
_ROWS_A_CHUNK = 4096
_KNOWN_STARTS = {
    b"PK\x03\x04": "a spreadsheet or a zip archive. Save the sheet as CSV",
    b"\x1f\x8b": "compressed with gzip. Unpack it first",
    b"\xff\xfe": "encoded as UTF-16. Save it as UTF-8",
    b"\xfe\xff": "encoded as UTF-16. Save it as UTF-8",
}


@dataclass(slots=True)
class Columns:
    """Columns of one file.

    Attributes
    ----------
    numbers
        From name to a column of finite floats.
    texts
        From name to a column of texts, none empty.
    n_rows
        Number of rows.
    """

    numbers: dict[str, NDArray[Any]] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    n_rows: int = 0


@dataclass(frozen=True, slots=True)
class _Cells:
    """Some cells of one column, and where they stand."""

    path: str
    name: str
    advice: str
    lines: tuple[int, ...]
    cells: tuple[str, ...]


def read_columns(path: str, select: Callable[[list[str]], Selection]) -> Columns:
    """Read the columns that ``select`` chooses from the names in the header.

    Parameters
    ----------
    path
        A CSV or Parquet file, told apart by its first bytes.
    select
        Is given the names of all columns and says which are wanted as numbers and which as text.
        It may refuse, before the rows are read.
    """
    start = _first_bytes(path)
    if start.startswith(b"PAR1"):
        from riskcard.cli.parquet import read_parquet

        return Columns(*read_parquet(path, select))
    for magic, what in _KNOWN_STARTS.items():
        if start.startswith(magic):
            raise FormatError(f"{path!r} is not a table: it is {what}.")
    if b"\0" in start or Path(path).suffix.lower() in (".parquet", ".pq"):
        raise FormatError(f"{path!r} is not a table. Give a CSV or Parquet file.")
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            return _read_csv(path, file, select)
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise FormatError(
            f"{path!r} is not UTF-8 text (byte 0x{byte:02x} cannot be read). Save it as UTF-8."
        ) from None


def _first_bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            start = file.read(65536)
    except FileNotFoundError:
        raise FormatError(f"There is no file {path!r}. Check the name and the folder.") from None
    except OSError as error:
        raise FormatError(
            f"{path!r} cannot be read: {error.strerror}. Give a CSV or Parquet file."
        ) from None
    if not start.strip():
        raise FormatError(f"{path!r} is empty. Give a CSV file with a header line and rows.")
    return start


def _read_csv(path: str, file: TextIO, select: Callable[[list[str]], Selection]) -> Columns:
    delimiter = _delimiter_of(file.readline())
    file.seek(0)
    reader = csv.reader(file, delimiter=delimiter, strict=True)
    rows = _checked_rows(path, reader)
    _, header = next(rows)
    names = _checked_names(path, header)
    wanted = select(names)
    place = {name: position for position, name in enumerate(names)}
    numbers = {name: array("d") for name in wanted.numbers}
    columns = Columns(texts={name: [] for name in wanted.texts})
    while chunk := list(islice(rows, _ROWS_A_CHUNK)):
        columns.n_rows += len(chunk)
        lines, cells = zip(*chunk, strict=True)
        by_column = list(zip(*cells, strict=True))
        for name in wanted.numbers:
            here = _Cells(path, name, wanted.advice(name), lines, by_column[place[name]])
            numbers[name].extend(_as_numbers(here))
        for name in wanted.texts:
            here = _Cells(path, name, wanted.advice(name), lines, by_column[place[name]])
            columns.texts[name] += _as_texts(here)
    if columns.n_rows == 0:
        raise FormatError(f"{path!r} has a header but no rows. Add the data below the header.")

    import numpy as np

    columns.numbers = {name: np.frombuffer(column) for name, column in numbers.items()}
    return columns


def _delimiter_of(header: str) -> str:
    outside_quotes = "".join(header.split('"')[::2])
    return max(_DELIMITERS, key=outside_quotes.count)


def _checked_rows(path: str, reader: Any) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every line that is not blank; all as long as the header."""
    width = 0
    try:
        for row in reader:
            if not row:
                continue
            width = width or len(row)
            if len(row) != width:
                raise FormatError(
                    f"{path!r}, line {reader.line_num}: {len(row)} cells, but the header has "
                    f"{width}. Correct the line, or quote cells that contain the delimiter."
                )
            yield reader.line_num, row
    except csv.Error as error:
        raise FormatError(
            f"{path!r}, line {reader.line_num}: not valid CSV ({error}). Correct the line."
        ) from None


def _checked_names(path: str, header: list[str]) -> list[str]:
    names = [name.strip() for name in header]
    for position, name in enumerate(names):
        if not name:
            raise FormatError(
                f"{path!r}: column {position + 1} has no name. Name it in the header line."
            )
        if name in names[:position]:
            raise FormatError(f"{path!r}: two columns are named {name!r}. Rename one of them.")
    return names


def _as_numbers(here: _Cells) -> list[float]:
    try:
        numbers = list(map(float, here.cells))
    except ValueError:
        _refuse_first_bad(here)
        raise
    # a sum is finite only if every number is; an overflow of large ones is sorted out slowly
    if "_" in "".join(here.cells) or not math.isfinite(sum(numbers)):
        _refuse_first_bad(here)
    return numbers


def _refuse_first_bad(here: _Cells) -> None:
    """Say what is wrong with the first cell that is not a finite number, if there is one."""
    for line, cell in zip(here.lines, map(str.strip, here.cells), strict=True):
        where = f"{here.path!r}, line {line}, column {here.name!r}"
        try:
            number = float("text" if "_" in cell else cell or "nan")
        except ValueError:
            hint = " (write decimals with a point)" if _is_decimal_comma(cell) else ""
            raise DataError(
                f"{where}: {cell!r} is not a number{hint}. Correct it, {here.advice}"
            ) from None
        if math.isnan(number):
            raise DataError(f"{where}: the value is missing. Fill it in, {here.advice}")
        if math.isinf(number):
            raise DataError(
                f"{where}: {cell!r} is infinite. Replace it by a large finite value, {here.advice}"
            )


def _is_decimal_comma(cell: str) -> bool:
    try:
        float(cell.replace(",", ".", 1))
    except ValueError:
        return False
    return True


def _as_texts(here: _Cells) -> list[str]:
    texts = [cell.strip() for cell in here.cells]
    if "" in texts:
        line = here.lines[texts.index("")]
        raise DataError(
            f"{here.path!r}, line {line}, column {here.name!r}: the value is missing. "
            f"Fill it in, {here.advice}"
        )
    return texts
