"""Tables from Parquet files, through pyarrow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.cli.columns import Selection
from riskcard.errors import DataError, FormatError, SolverMissing

__all__ = ["read_parquet"]


def read_parquet(
    path: str, select: Callable[[list[str]], Selection]
) -> tuple[dict[str, NDArray[np.float64]], dict[str, list[str]], int]:
    """Read the chosen columns: numbers, texts, and the number of rows."""
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
        table = parquet.read_table(path, columns=[*wanted.numbers, *wanted.texts])
    except (pyarrow.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None
    if table.num_rows == 0:
        raise FormatError(f"{path!r} has no rows. Give a table with data.")
    numbers = {name: _as_numbers(path, name, table.column(name), wanted) for name in wanted.numbers}
    texts = {name: _as_texts(path, name, table.column(name)) for name in wanted.texts}
    return numbers, texts, table.num_rows


def _unreadable(path: str, error: Exception) -> FormatError:
    reason = str(error).splitlines()[0]
    return FormatError(
        f"{path!r} is not a Parquet file that can be read ({reason}). Write the file again."
    )


def _as_numbers(path: str, name: str, column: Any, wanted: Selection) -> NDArray[np.float64]:
    import pyarrow

    kind = column.type
    is_number = any(
        test(kind)
        for test in (
            pyarrow.types.is_integer,
            pyarrow.types.is_floating,
            pyarrow.types.is_decimal,
            pyarrow.types.is_boolean,
        )
    )
    if not is_number:
        advice = f", or leave the column out with --drop {name!r}" * (name in wanted.optional)
        raise DataError(
            f"{path!r}, column {name!r}: the values are of type {kind}, not numbers. "
            f"Convert them{advice}."
        )
    numbers = column.cast(pyarrow.float64(), safe=False).to_numpy()
    bad = np.flatnonzero(~np.isfinite(numbers))
    if bad.size:
        what = "missing" if np.isnan(numbers[bad[0]]) else "infinite"
        raise DataError(
            f"{path!r}, row {bad[0] + 1}, column {name!r}: the value is {what}. "
            f"Fill it in, {wanted.advice(name)}"
        )
    return numbers


def _as_texts(path: str, name: str, column: Any) -> list[str]:
    values = column.to_pylist()
    if None in values:
        raise DataError(
            f"{path!r}, row {values.index(None) + 1}, column {name!r}: the value is missing. "
            "Fill it in, or remove the row."
        )
    return [str(value) for value in values]
