"""One raw column of rows to be scored, however it comes: as an array, as numbers, as labels."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from riskcard.errors import DataError
from riskcard.problem.column_values import is_missing
from riskcard.problem.levels import Label, as_label

__all__ = ["as_array", "as_labels", "as_numbers", "refuse_rows", "rows_in_words"]


def as_array(column: Any) -> NDArray[Any]:
    """A column as an array: one dimension, numbers and booleans as such, all else as objects.

    Parameters
    ----------
    column
        A column of numpy, pandas, polars or pyarrow, a list, or one single value.
    """
    if hasattr(column, "to_pylist"):  # pyarrow
        return _from_arrow(column)
    if hasattr(column, "to_numpy"):  # pandas, polars
        array = column.to_numpy()
    elif isinstance(column, np.ma.MaskedArray):
        array = np.array(column.tolist(), dtype=object)  # None where masked
    elif isinstance(column, (str, bytes)) or not isinstance(column, Iterable):
        array = np.empty(1, dtype=object)
        array[0] = column
    elif hasattr(column, "__array__"):
        array = np.asarray(column)
    else:  # as objects, since True beside 2.5 would become 1.0, and 1 beside "a" a text
        array = np.array(list(column), dtype=object)
    array = np.atleast_1d(array)
    return array if array.dtype.kind in "fiub" else array.astype(object, copy=False)


def as_numbers(name: str, column: Any) -> NDArray[np.float64]:
    """A column as floats, NaN where it is missing; texts are read as numbers, infinity is refused."""
    array = as_array(column)
    try:
        numbers = array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        numbers = np.array([_as_number(name, value) for value in array.ravel()])
        numbers = numbers.reshape(array.shape)
    if numbers.ndim == 1 and np.isinf(numbers).any():
        refuse_rows(name, np.isinf(numbers), "infinite")
    return numbers


def as_labels(name: str, column: Any) -> list[Label | None]:
    """A column as texts, numbers and booleans, None where it is missing; infinity is refused.

    Anything else (an interval, a date) is taken by its text.
    """
    values = as_array(column).tolist()
    is_infinite = [
        isinstance(value, (float, np.floating)) and math.isinf(value) for value in values
    ]
    if any(is_infinite):
        refuse_rows(name, np.array(is_infinite), "infinite")
    return [None if is_missing(value) else as_label(value) for value in values]


def refuse_rows(name: str, is_bad: NDArray[np.bool_], what: str = "missing") -> NoReturn:
    """Refuse rows for which the card has no points."""
    raise DataError(
        f"Feature {name!r} is {what} in {rows_in_words(is_bad)}. "
        "The card has no points for that: fill the value in, or leave the row out."
    )


def rows_in_words(is_meant: NDArray[np.bool_]) -> str:
    """The first of some rows, and how many they are."""
    rows = np.flatnonzero(is_meant)
    return f"row {rows[0]}" if rows.size == 1 else f"row {rows[0]} ({rows.size:,} such rows)"


def _from_arrow(column: Any) -> NDArray[Any]:
    """A column of pyarrow; its own conversion of a dictionary in chunks loses missing values."""
    if str(column.type).startswith(("int", "uint", "float", "double", "halffloat", "bool")):
        array = np.asarray(column)
        return array if array.dtype.kind in "fiub" else array.astype(object)
    return np.array(column.to_pylist(), dtype=object)


def _as_number(name: str, value: Any) -> float:
    if is_missing(value):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):
        raise DataError(
            f"Feature {name!r} is not numeric: {value!r} is not a number. "
            "Give numbers in the units of training."
        ) from None
