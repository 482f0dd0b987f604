"""Tables from Parquet files, through pyarrow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.column_kinds import Cells, check_numbers, feature_from_cells, levels_from
from riskcard.data.columns import FeatureValues, read_column
from riskcard.data.levels import BOOLEAN, Label, as_label
from riskcard.data.wanted_columns import Kind, Selection
from riskcard.errors import DataError, FormatError, SolverMissing


def read_parquet(
    path: str, select: Callable[[list[str]], Selection]
) -> tuple[dict[str, FeatureValues], int]:
    """Read the chosen columns, and count the rows."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise SolverMissing(
            f"{path!r} is a Parquet file, which needs pyarrow. "
            "Install it: pip install 'riskcard[parquet]'."
        ) from None
    try:
        names = list(parquet.read_schema(path).names)
    except (pyarrow.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None
    for name in names:
        if names.count(name) > 1:
            raise FormatError(f"{path!r}: two columns are named {name!r}. Rename one of them.")
    wanted = select(names)
    try:
        table = parquet.read_table(path, columns=list(wanted.kinds))
    except (pyarrow.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None
    if table.num_rows == 0:
        raise FormatError(f"{path!r} has no rows. Give a table with data.")
    features = {name: _feature(path, name, table.column(name), wanted) for name in wanted.kinds}
    return features, table.num_rows


def _unreadable(path: str, error: Exception) -> FormatError:
    reason = str(error).splitlines()[0]
    return FormatError(
        f"{path!r} is not a Parquet file that can be read ({reason}). Write the file again."
    )


def _feature(path: str, name: str, column: Any, wanted: Selection) -> FeatureValues:
    """Numbers are numbers and texts are texts here; only words for missing values are looked at."""
    kind = wanted.kinds[name]
    try:
        values, levels = read_column(_as_plain(column), name)
    except DataError as error:
        advice = f" (--drop {name!r} does that)" * (name in wanted.optional)
        raise DataError(f"{path!r}: {error}{advice}") from None

    def where(row: int, name: str) -> str:
        return f"{path!r}, row {row + 1}, column {name!r}"

    if kind is Kind.NUMBER and levels is BOOLEAN:
        levels = None  # 0 and 1
    if levels is None and kind in (Kind.FEATURE, Kind.NUMBER):
        return check_numbers(values, name, wanted, where)
    if levels is not None and levels.is_ordered and kind is Kind.FEATURE:
        return FeatureValues(values, levels)
    labels, codes = _labels_and_codes(values, levels.names if levels else None)
    if kind in (Kind.FEATURE, Kind.CATEGORY):
        missing = wanted.missing.among_texts
        return levels_from([None if str(one) in missing else one for one in labels], codes)
    texts = ["" if label is None else str(label) for label in labels]
    return feature_from_cells(Cells(name, texts, codes, where), wanted)


def _as_plain(column: Any) -> Any:
    """Decimals as floats; other columns as they are."""
    import pyarrow

    is_decimal = pyarrow.types.is_decimal(column.type)
    return column.cast(pyarrow.float64(), safe=False) if is_decimal else column


def _labels_and_codes(
    values: NDArray[np.float64], names: tuple[Label, ...] | None
) -> tuple[list[Label | None], NDArray[np.int64]]:
    """The different values, None for a missing one; and for each row which of them it has."""
    if names is None:
        distinct, codes = np.unique(values, return_inverse=True)
        return [_label_of(number) for number in distinct.tolist()], codes
    codes = np.where(np.isnan(values), len(names), values).astype(np.int64)
    return [*names, None], codes


def _label_of(number: float) -> Label | None:
    if number != number:
        return None
    label = as_label(number)
    return int(label) if isinstance(label, float) and label.is_integer() else label
