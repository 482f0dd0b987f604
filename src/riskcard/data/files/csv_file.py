"""A CSV file in memory: its header, and the cells of its columns as they are written.

Large plain files go through pyarrow if it is installed. A plain file has no quotes and ordinary
line ends, so that a line is simply its cells with delimiters in between, and two readers cannot
disagree about it. All other files, including those with errors, go through Python's csv module.
"""

from __future__ import annotations

import csv
import io
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.cells.column_kinds import TextColumn, read_text_column
from riskcard.data.cells.column_reading import ColumnReading
from riskcard.data.cells.written_numbers import COMMA, POINT, read_numbers
from riskcard.data.files.csv_text import checked_rows
from riskcard.data.files.header import find_header, names_of_columns
from riskcard.data.files.table_file import TableFile
from riskcard.data.files.text_encoding import as_utf8
from riskcard.data.files.wanted_columns import Selection
from riskcard.errors import FormatError

#: Bytes from which it pays to load pyarrow.
LARGE_FILE = 2_000_000

_ROWS_PER_CHUNK = 4096
#: What the delimiter says about decimals.
_USUAL_MARKS = {",": POINT, ";": COMMA}


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvFile(TableFile):
    """A CSV file with a header line; blank lines are skipped.

    The delimiter is the one of comma, semicolon, tab and bar that is most frequent in the header
    line outside quotes (the first of these where they tie). Fields may be quoted with ``"``.

    Attributes
    ----------
    body
        The header and all that follows, as UTF-8.
    delimiter
        Between two cells.
    n_lines_above
        The number of lines above the header.
    """

    body: bytes = field(repr=False)
    delimiter: str
    n_lines_above: int
    _columns: dict[str, TextColumn] = field(default_factory=dict, repr=False)

    @classmethod
    def open(cls, path: str, content: bytes, encoding: str | None = None) -> CsvFile:
        """Decode the file, and read the header."""
        text, note = as_utf8(path, content, encoding)
        if b"\0" in text:
            raise FormatError(f"{path!r} is not a table. Give a CSV, Excel or Parquet file.")
        header = find_header(path, text)
        body = text[header.start :]
        _, cells = next(_lines(path, body, header.delimiter, header.n_lines_above))
        names, unnamed = names_of_columns(path, cells)
        return cls(
            path=path,
            content=content,
            names=names,
            notes=tuple(one for one in (note, header.note) if one is not None),
            unnamed=unnamed,
            usual_mark=_USUAL_MARKS.get(header.delimiter),
            body=body,
            delimiter=header.delimiter,
            n_lines_above=header.n_lines_above,
        )

    @property
    def certain_mark(self) -> str | None:
        """Cells that are not quoted have no commas where these are between cells."""
        return POINT if self.delimiter == "," and b'"' not in self.body else None

    def load(self, names: Sequence[str]) -> None:
        new = [name for name in names if name not in self._columns]
        if new:
            self._columns.update(self._plain_columns(new) or self._any_columns(new))

    def read_column(self, name: str, wanted: Selection, mark: str | None) -> ColumnReading:
        return read_text_column(self._columns[name], name, wanted, self.where, mark)

    def mark_of_column(self, name: str, missing: frozenset[str]) -> str | None:
        texts = map(str.strip, self._columns[name].distinct()[0])
        return read_numbers([text for text in texts if text not in missing]).evidence

    def where(self, row: int, name: str) -> str:
        line, _ = next(islice(self._rows(), row, None))
        return f"line {line}, column {name!r}"

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """Line number and cells of every row below the header."""
        lines = _lines(self.path, self.body, self.delimiter, self.n_lines_above)
        return islice(lines, 1, None)

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
        body = self.body
        is_plain = b'"' not in body and body.count(b"\r") == body.count(b"\r\n")
        if len(body) < LARGE_FILE or not is_plain:
            return None
        try:
            import pyarrow
            from pyarrow import csv as arrow_csv
        except ImportError:
            return None
        types = dict.fromkeys(names, pyarrow.string())
        end = body.find(b"\n")
        try:
            table = arrow_csv.read_csv(
                pyarrow.BufferReader(memoryview(body)[end + 1 if end >= 0 else len(body) :]),
                arrow_csv.ReadOptions(column_names=self.names),
                arrow_csv.ParseOptions(delimiter=self.delimiter, quote_char=False),
                arrow_csv.ConvertOptions(include_columns=list(names), column_types=types),
            )
        except pyarrow.ArrowException:  # the csv module finds the line
            return None
        return {name: ArrowText(table[name]) for name in names} if table.num_rows else None


def _lines(
    path: str, body: bytes, delimiter: str, n_lines_above: int
) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every line that is not blank."""
    text = io.TextIOWrapper(io.BytesIO(body), encoding="utf-8", newline="")
    return checked_rows(path, csv.reader(text, delimiter=delimiter, strict=True), n_lines_above)


@dataclass(frozen=True, slots=True)
class JoinedText:
    """The cells of a column, joined into long texts, which take less memory than many short ones.

    Attributes
    ----------
    chunks
        Each has the cells of some rows, separated by NUL, which no table contains.
    """

    chunks: list[str]
    has_types: bool = False

    def numbers(
        self, missing: frozenset[str]
    ) -> tuple[NDArray[np.float64], Mapping[str, int]] | None:
        values, words = array("d"), dict.fromkeys(missing, float("nan"))
        counts: Counter[str] = Counter()
        for chunk in self.chunks:
            if "_" in chunk:  # Python accepts 1_000 as a number
                return None
            cells = chunk.split("\0")
            try:
                values.extend(list(map(float, cells)))
            except ValueError:
                try:
                    stripped = list(map(str.strip, cells))
                    values.extend(
                        [words[cell] if cell in words else float(cell) for cell in stripped]
                    )
                except ValueError:
                    return None
                counts.update(filter(words.__contains__, stripped))
        return np.array(values), counts

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
    has_types: bool = False

    def numbers(
        self, missing: frozenset[str]
    ) -> tuple[NDArray[np.float64], Mapping[str, int]] | None:
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
        if not (np.isfinite(values) | np.asarray(is_missing)).all():
            return None
        found = (
            compute.value_counts(self.cells.filter(is_missing)) if np.isnan(values).any() else []
        )
        return values, {str(one["values"]): one["counts"].as_py() for one in found}

    def distinct(self) -> tuple[list[str], NDArray[np.int64]]:
        coded = self.cells.combine_chunks().dictionary_encode()
        return coded.dictionary.to_pylist(), np.asarray(coded.indices, dtype=np.int64)
