"""Some rows of a table, whatever kind of table it is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def take_rows(table: Any, positions: NDArray[np.intp]) -> Any:
    """The rows at the given positions, in that order and as often as they are named.

    Parameters
    ----------
    table
        A pandas, polars or pyarrow table, an array, or a list of rows.
    positions
        Whole numbers from 0; the same row may be named several times.

    Returns
    -------
    object
        A table of the same kind, so that types, categories and holes stay as they are.

    Examples
    --------
    >>> take_rows([[1, "a"], [3, "b"]], np.array([1, 1, 0]))
    [[3, 'b'], [3, 'b'], [1, 'a']]
    """
    if hasattr(table, "iloc"):  # pandas
        return table.iloc[positions]
    if hasattr(table, "column_names"):  # pyarrow
        return table.take(positions)
    if isinstance(table, (list, tuple)):
        return [table[position] for position in positions]
    if isinstance(table, np.ndarray) or hasattr(table, "get_columns"):  # polars
        return table[positions]
    return np.asarray(table)[positions]


def count_rows(table: Any) -> int:
    """The number of rows of such a table."""
    if isinstance(table, (list, tuple)):
        return len(table)
    return int(table.shape[0] if hasattr(table, "shape") else np.asarray(table).shape[0])
