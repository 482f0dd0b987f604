"""A Parquet file in memory, read through pyarrow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.columns import FeatureValues, levels_from, read_column
from riskcard.data.files.column_kinds import check_numbers, feature_from_texts
from riskcard.data.files.feature_table import FeatureTable
from riskcard.data.files.wanted_columns import Kind, Selection
from riskcard.data.levels import BOOLEAN, Label, as_label
from riskcard.errors import DataError, FormatError
from riskcard.extras import import_extra


@dataclass(frozen=True, slots=True)
class ParquetFile:
    """A Parquet file.

    Attributes
    ----------
    path
        For error messages.
    content
        The bytes of the file.
    names
        The names of its columns.
    """

    path: str
    content: bytes = field(repr=False)
    names: list[str]

    @classmethod
    def open(cls, path: str, content: bytes) -> ParquetFile:
        """Read the names."""
        import_extra("pyarrow", f"The Parquet file {path!r}", "parquet")
        from pyarrow import parquet

        names = list(_read(path, content, parquet.read_schema).names)
        for name in names:
            if names.count(name) > 1:
                raise FormatError(f"{path!r}: two columns are named {name!r}. Rename one of them.")
        return cls(path, content, names)

    def read(self, wanted: Selection) -> FeatureTable:
        """Read the wanted columns."""
        from pyarrow import parquet

        table = _read(self.path, self.content, parquet.read_table, columns=list(wanted.kinds))
        if table.num_rows == 0:
            raise FormatError(f"{self.path!r} has no rows. Give a table with data.")
        features = {name: self._feature(name, table[name], wanted) for name in wanted.kinds}
        return FeatureTable(features, table.num_rows)

    def _where(self, row: int, name: str) -> str:
        """The place of a value, for error messages."""
        return f"{self.path!r}, row {row + 1}, column {name!r}"

    def _feature(self, name: str, column: Any, wanted: Selection) -> FeatureValues:
        """Columns have types here, so only words for missing values remain to be found."""
        kind = wanted.kinds[name]
        try:
            feature = read_column(column, name)
        except DataError as error:
            advice = f" (--drop {name!r} does that)" * (name in wanted.optional)
            raise DataError(f"{self.path!r}: {error}{advice}") from None
        is_number = feature.levels is None or (kind is Kind.NUMBER and feature.levels is BOOLEAN)
        if is_number and kind in (Kind.FEATURE, Kind.NUMBER):
            return check_numbers(feature.values, name, wanted, self._where)
        if kind is Kind.FEATURE and feature.levels is not None and feature.levels.is_ordered:
            return feature
        labels, codes = _labels_and_codes(feature)
        if kind in (Kind.FEATURE, Kind.CATEGORY):
            missing = wanted.missing.among_texts
            return levels_from([None if str(one) in missing else one for one in labels], codes)
        texts = ["" if label is None else str(label) for label in labels]
        return feature_from_texts(texts, codes, name, wanted, self._where)


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
