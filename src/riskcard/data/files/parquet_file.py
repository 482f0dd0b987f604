"""A Parquet file in memory, read through pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.cells.column_kinds import Cells, check_numbers, read_cells, read_text_column
from riskcard.data.cells.column_reading import ColumnReading
from riskcard.data.cells.typed_cells import TypedCells
from riskcard.data.columns import FeatureValues, levels_from, read_column
from riskcard.data.files.header import names_of_columns
from riskcard.data.files.table_file import TableFile
from riskcard.data.files.wanted_columns import Kind, Selection
from riskcard.data.levels import BOOLEAN, Label, are_numbers, as_label
from riskcard.data.reading_problems import ReadingProblem
from riskcard.errors import DataError, FormatError
from riskcard.extras import import_extra


@dataclass(frozen=True, slots=True, kw_only=True)
class ParquetFile(TableFile):
    """A Parquet file."""

    _columns: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def open(cls, path: str, content: bytes) -> ParquetFile:
        """Read the names."""
        import_extra("pyarrow", f"The Parquet file {path!r}", "parquet")
        from pyarrow import parquet

        schema = _read(path, content, parquet.read_schema)
        names, unnamed = names_of_columns(path, schema.names)
        return cls(path=path, content=content, names=names, unnamed=unnamed)

    def load(self, names: Sequence[str]) -> None:
        from pyarrow import parquet

        new = [name for name in names if name not in self._columns]
        if not new:
            return
        places = {name: self.names.index(name) for name in new}
        in_file = _read(self.path, self.content, parquet.read_schema).names
        columns = [in_file[place] for place in places.values()]
        table = _read(self.path, self.content, parquet.read_table, columns=columns)
        if table.num_rows == 0:
            raise FormatError(f"{self.path!r} has no rows. Give a table with data.")
        self._columns.update(zip(new, (table[name] for name in columns), strict=True))

    def where(self, row: int, name: str) -> str:
        return f"row {row + 1}, column {name!r}"

    def read_column(self, name: str, wanted: Selection, mark: str | None) -> ColumnReading:
        """Columns have types here; a column of texts is examined, but plain numbers in it stay texts."""
        import pyarrow

        kind, column = wanted.kinds[name], self._columns[name]
        if pyarrow.types.is_timestamp(column.type) or pyarrow.types.is_date(column.type):
            return read_text_column(TypedCells(column.to_pylist()), name, wanted, self.where, mark)
        try:
            feature = read_column(column, name)
        except DataError as error:
            _, remedy = wanted.ways_out(name)
            advice = f"--drop {name!r} does that." if remedy else ""
            problem = ReadingProblem(str(error), advice, remedy)
            return ColumnReading(len(column), problems=(problem,))
        is_number = feature.levels is None or (kind is Kind.NUMBER and feature.levels is BOOLEAN)
        if is_number and kind in (Kind.FEATURE, Kind.NUMBER):
            n_missing = int(np.count_nonzero(np.isnan(feature.values)))
            counts = {"": n_missing} if n_missing else {}
            return check_numbers(feature.values, counts, name, wanted, self.where)
        if kind is Kind.FEATURE and feature.levels is not None and feature.levels.is_ordered:
            return ColumnReading(len(column), feature)
        labels, codes = _labels_and_codes(feature)
        if kind is Kind.CATEGORY or (kind is Kind.FEATURE and not _are_words(labels)):
            missing = wanted.missing.of_texts(set(map(str, labels)))
            kept = [None if str(one) in missing else one for one in labels]
            return ColumnReading(len(column), levels_from(kept, codes))
        texts = ["" if label is None else str(label).strip() for label in labels]
        return read_cells(Cells(name, texts, codes, wanted, self.where, mark))


def _read(path: str, content: bytes, reader: Any, **options: Any) -> Any:
    import pyarrow

    try:
        return reader(pyarrow.BufferReader(content), **options)
    except (pyarrow.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise FormatError(
            f"{path!r} is not a Parquet file that can be read ({reason}). Write the file again."
        ) from None


def _labels_and_codes(feature: FeatureValues) -> tuple[list[Label | None], NDArray[np.int64]]:
    """The different values, None for a missing one; and for each row which of them it has."""
    if feature.levels is not None:
        return [*feature.levels.names, None], feature.codes()
    distinct, codes = np.unique(feature.values, return_inverse=True)
    return [_label_of(number) for number in distinct.tolist()], codes


def _label_of(number: float) -> Label | None:
    if number != number:
        return None
    label = as_label(number)
    return int(label) if isinstance(label, float) and label.is_integer() else label


def _are_words(labels: Sequence[Label | None]) -> bool:
    """Texts, not all of which are plain numbers."""
    texts = [label for label in labels if isinstance(label, str)]
    return len(texts) + labels.count(None) == len(labels) and not are_numbers(texts)
