"""Large CSV files, through pyarrow: the same as cell by cell, or not at all.

Whatever is not plain (quotes, odd line ends, lines of differing length, anything that is an error)
is left to the reader that goes line by line and knows what to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from riskcard.data.column_kinds import (
    Cells,
    check_numbers,
    feature_from_cells,
    warn_of_large_numbers,
)
from riskcard.data.columns import LARGEST_EXACT, FeatureValues
from riskcard.data.wanted_columns import Kind, Selection
from riskcard.errors import DataError

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_plain_csv(
    path: str, names: Sequence[str], delimiter: str, wanted: Selection
) -> tuple[dict[str, FeatureValues], int] | None:
    """Read the wanted columns, and count the rows; None when the file is not plain.

    Parameters
    ----------
    path
        The file.
    names
        The names in the header.
    delimiter
        What stands between two cells.
    wanted
        Which columns, and as what.
    """
    try:
        import pyarrow
        from pyarrow import csv
    except ImportError:
        return None
    with open(path, "rb") as file:
        content = file.read()
    if b'"' in content or b"\0" in content or content.count(b"\r") != content.count(b"\r\n"):
        return None
    start = _end_of_header(content)
    kinds = wanted.kinds
    try:
        table = csv.read_csv(
            pyarrow.BufferReader(memoryview(content)[start:]),
            csv.ReadOptions(column_names=list(names)),
            csv.ParseOptions(delimiter=delimiter, quote_char=False),
            csv.ConvertOptions(
                include_columns=list(kinds), column_types=dict.fromkeys(kinds, pyarrow.string())
            ),
        )
        features = {name: _feature(name, table.column(name), wanted) for name in kinds}
    except (pyarrow.ArrowException, DataError):
        return None
    return (features, table.num_rows) if table.num_rows else None


def _end_of_header(content: bytes) -> int:
    """Where the line after the first that is not blank begins."""
    start = len(_BYTE_ORDER_MARK) if content.startswith(_BYTE_ORDER_MARK) else 0
    while content[start : start + 1] in (b"\r", b"\n"):
        start += 1
    end = content.find(b"\n", start)
    return len(content) if end < 0 else end + 1


def _feature(name: str, column: Any, wanted: Selection) -> FeatureValues:
    if wanted.kinds[name] in (Kind.FEATURE, Kind.NUMBER):
        feature = _numbers(name, column, wanted)
        if feature is not None:
            return feature
    coded = column.combine_chunks().dictionary_encode()
    cells = Cells(name, coded.dictionary.to_pylist(), np.asarray(coded.indices), _nowhere)
    return feature_from_cells(cells, wanted)


def _numbers(name: str, column: Any, wanted: Selection) -> FeatureValues | None:
    """The column as numbers; None when a cell is neither a plain number nor a missing word."""
    import pyarrow
    from pyarrow import compute

    words = pyarrow.array(sorted(wanted.missing.among_numbers), pyarrow.string())
    is_missing = compute.is_in(column, value_set=words)
    try:
        present = compute.if_else(is_missing, pyarrow.scalar(None, pyarrow.string()), column)
        values = np.array(present.cast(pyarrow.float64()), dtype=np.float64)
    except pyarrow.ArrowInvalid:
        return None
    if not (np.isfinite(values) | np.asarray(is_missing)).all():
        return None
    if np.nanmax(np.abs(values), initial=0.0) >= LARGEST_EXACT:
        warn_of_large_numbers(present.drop_null().unique().to_pylist(), name)
    return check_numbers(values, name, wanted, _nowhere)


def _nowhere(row: int, name: str) -> str:
    """Errors are found again, with their line, when the file is read line by line."""
    return f"row {row}, column {name!r}"
