"""A CSV file in memory: its header, and the cells of its columns as they are written.

Large plain files go through pyarrow if it is installed. A plain file has no quotes and ordinary
line ends, so that a line is simply its cells with delimiters in between, and two readers cannot
disagree about it. All other files, including those with errors, go through Python's csv module.
"""

from __future__ import annotations

import csv
import io
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.files.column_kinds import TextColumn, feature_from_text
from riskcard.data.files.csv_text import checked_names, checked_rows, delimiter_of, not_utf8
from riskcard.data.files.feature_table import FeatureTable
from riskcard.data.files.wanted_columns import Selection
from riskcard.errors import FormatError

#: Bytes from which it pays to load pyarrow.
LARGE_FILE = 2_000_000

_ROWS_PER_CHUNK = 4096
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A CSV file of UTF-8 text with a header line; blank lines are skipped.

    The delimiter is the one of comma, semicolon and tab that is most frequent in the header line
    outside quotes (the first of these where they tie). Fields may be quoted with ``"``.

    Attributes
    ----------
    path
        For error messages.
    content
        The bytes of the file.
    delimiter
        Between two cells.
    names
        The names in the header.
    """

    path: str
    content: bytes = field(repr=False)
    delimiter: str
    names: list[str]
    _columns: dict[str, TextColumn] = field(default_factory=dict, repr=False)

    @classmethod
    def open(cls, path: str, content: bytes) -> CsvFile:
        """Read the header."""
        try:
            header = next((line for line in _as_text(content) if line.strip()), "")
        except UnicodeDecodeError as error:
            raise not_utf8(repr(path), error) from None
        if not header:
            raise FormatError(f"{path!r} is empty. Give a CSV file with a header line and rows.")
        delimiter = delimiter_of(header)
        _, names = next(_lines(path, content, delimiter))
        return cls(path, content, delimiter, checked_names(path, names))

    def read(self, wanted: Selection) -> FeatureTable:
        """Read the wanted columns; their cells are kept in case they are wanted in another way."""
        new = [name for name in wanted.kinds if name not in self._columns]
        if new:
            self._columns.update(self._plain_columns(new) or self._any_columns(new))
        features = {
            name: feature_from_text(self._columns[name], name, wanted, self._where)
            for name in wanted.kinds
        }
        return FeatureTable(features, next(iter(features.values())).values.size)

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """Line number and cells of every row below the header."""
        return islice(_lines(self.path, self.content, self.delimiter), 1, None)

    def _where(self, row: int, name: str) -> str:
        """The place of a cell, for error messages."""
        line, _ = next(islice(self._rows(), row, None))
        return f"{self.path!r}, line {line}, column {name!r}"

    def _any_columns(self, names: Sequence[str]) -> dict[str, TextColumn]:
        """The columns of any CSV file, by Python's csv module."""
        places = [self.names.index(name) for name in names]
        chunks: list[list[str]] = [[] for _ in names]
        rows = (cells for _, cells in self._rows())
        while chunk := list(islice(rows, _ROWS_PER_CHUNK)):
            columns = list(zip(*chunk, strict=True))
            for place, joined in zip(places, chunks, strict=True):
                joined.append("\0".join(columns[place]))
        if not chunks[0]:
            raise FormatError(
                f"{self.path!r} has a header but no rows. Add the data below the header."
            )
        return {name: JoinedText(joined) for name, joined in zip(names, chunks, strict=True)}

    def _plain_columns(self, names: Sequence[str]) -> dict[str, TextColumn] | None:
        """The columns of a large plain file, by pyarrow; None for others, and without pyarrow."""
        content = self.content
        is_plain = b'"' not in content and content.count(b"\r") == content.count(b"\r\n")
        if len(content) < LARGE_FILE or not is_plain:
            return None
        try:
            import pyarrow
            from pyarrow import csv as arrow_csv
        except ImportError:
            return None
        types = dict.fromkeys(names, pyarrow.string())
        try:
            table = arrow_csv.read_csv(
                pyarrow.BufferReader(memoryview(content)[_end_of_header(content) :]),
                arrow_csv.ReadOptions(column_names=self.names),
                arrow_csv.ParseOptions(delimiter=self.delimiter, quote_char=False),
                arrow_csv.ConvertOptions(include_columns=list(names), column_types=types),
            )
        except pyarrow.ArrowException:  # the csv module finds the line
            return None
        return {name: ArrowText(table[name]) for name in names} if table.num_rows else None


def _lines(path: str, content: bytes, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every line that is not blank."""
    reader = csv.reader(_as_text(content), delimiter=delimiter, strict=True)
    try:
        yield from checked_rows(path, reader)
    except UnicodeDecodeError as error:
        raise not_utf8(repr(path), error) from None


def _as_text(content: bytes) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8-sig", newline="")


def _end_of_header(content: bytes) -> int:
    """Where the line after the first that is not blank begins."""
    start = len(_BYTE_ORDER_MARK) if content.startswith(_BYTE_ORDER_MARK) else 0
    while content[start : start + 1] in (b"\r", b"\n"):
        start += 1
    end = content.find(b"\n", start)
    return len(content) if end < 0 else end + 1


@dataclass(frozen=True, slots=True)
class JoinedText:
    """The cells of a column, joined into long texts, which take less memory than many short ones.

    Attributes
    ----------
    chunks
        Each has the cells of some rows, separated by NUL, which no table contains.
    """

    chunks: list[str]

    def numbers(self, missing: frozenset[str]) -> NDArray[np.float64] | None:
        values, words = array("d"), dict.fromkeys(missing, float("nan"))
        for chunk in self.chunks:
            if "_" in chunk:  # Python accepts 1_000 as a number
                return None
            cells = chunk.split("\0")
            try:
                values.extend(list(map(float, cells)))
            except ValueError:
                try:
                    stripped = map(str.strip, cells)
                    values.extend(
                        [words[cell] if cell in words else float(cell) for cell in stripped]
                    )
                except ValueError:
                    return None
        return np.array(values)

    def distinct(self) -> tuple[list[str], NDArray[np.int64]]:
        places: dict[str, int] = {}
        codes = array("q")
        for chunk in self.chunks:
            codes.extend([places.setdefault(cell, len(places)) for cell in chunk.split("\0")])
        return list(places), np.array(codes)


@dataclass(frozen=True, slots=True)
class ArrowText:
    """The cells of a column as a pyarrow array."""

    cells: Any

    def numbers(self, missing: frozenset[str]) -> NDArray[np.float64] | None:
        import pyarrow
        from pyarrow import compute

        words = pyarrow.array(sorted(missing), pyarrow.string())
        is_missing = compute.is_in(self.cells, value_set=words)
        try:
            present = compute.if_else(
                is_missing, pyarrow.scalar(None, pyarrow.string()), self.cells
            )
            values = np.array(present.cast(pyarrow.float64()), dtype=np.float64)
        except pyarrow.ArrowInvalid:
            return None
        return values if (np.isfinite(values) | np.asarray(is_missing)).all() else None

    def distinct(self) -> tuple[list[str], NDArray[np.int64]]:
        coded = self.cells.combine_chunks().dictionary_encode()
        return coded.dictionary.to_pylist(), np.asarray(coded.indices, dtype=np.int64)
