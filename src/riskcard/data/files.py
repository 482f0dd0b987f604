"""Tables from files: the columns asked for, as numbers or as categories.

A CSV file is UTF-8 text with a header line. The delimiter is the one of comma, semicolon and tab
that stands most often in the header line outside quotes (the first of these where they tie).
Fields may be quoted with ``"``. Blank lines are skipped.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from riskcard.data.csv_text import checked_names, checked_rows, delimiter_of, not_utf8
from riskcard.data.wanted_columns import Selection
from riskcard.errors import FormatError

if TYPE_CHECKING:
    from riskcard.data.columns import FeatureValues

#: From this size on it pays to load pyarrow, when it is there.
LARGE_FILE = 2_000_000

_KNOWN_STARTS = {
    b"PK\x03\x04": "a spreadsheet or a zip archive. Save the sheet as CSV",
    b"\x1f\x8b": "compressed with gzip. Unpack it first",
    b"\xff\xfe": "encoded as UTF-16. Save it as UTF-8",
    b"\xfe\xff": "encoded as UTF-16. Save it as UTF-8",
}


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of one file.

    Attributes
    ----------
    features
        From the name of each wanted column to its values, and its levels if it has any.
    n_rows
        Number of rows.
    """

    features: dict[str, FeatureValues]
    n_rows: int


def read_columns(path: str, select: Callable[[list[str]], Selection]) -> Columns:
    """Read the columns that ``select`` chooses from the names in the header.

    Parameters
    ----------
    path
        A CSV or Parquet file, told apart by its first bytes.
    select
        Is given the names of all columns and says which are wanted, and as what. It may refuse,
        before the rows are read.
    """
    start = _first_bytes(path)
    if start.startswith(b"PAR1"):
        from riskcard.data.parquet import read_parquet

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
        raise not_utf8(repr(path), error) from None


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
        raise _empty(path)
    return start


def _empty(path: str) -> FormatError:
    return FormatError(f"{path!r} is empty. Give a CSV file with a header line and rows.")


def _read_csv(path: str, file: TextIO, select: Callable[[list[str]], Selection]) -> Columns:
    delimiter = delimiter_of(next((line for line in file if line.strip()), ""))
    file.seek(0)
    first = next(checked_rows(path, csv.reader(file, delimiter=delimiter, strict=True)), None)
    if first is None:
        raise _empty(path)
    names = checked_names(path, first[1])
    wanted = select(names)

    if os.path.getsize(path) >= LARGE_FILE:
        from riskcard.data.csv_arrow import read_plain_csv

        found = read_plain_csv(path, names, delimiter, wanted)
        if found is not None:
            return Columns(*found)
    from riskcard.data.csv_cells import read_cells

    return Columns(*read_cells(path, file, names, delimiter, wanted))
