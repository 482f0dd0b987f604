"""One raw column of rows to be scored, however it comes: as an array, as numbers, as labels."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from riskcard.data.columns import is_missing
from riskcard.data.levels import Label, as_label
from riskcard.errors import DataError


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
    is_infinite = np.isinf(numbers)
    if is_infinite.any():
        refuse_rows(name, is_infinite, "infinite")
    return numbers


def as_labels(name: str, column: Any) -> tuple[list[Label | None], NDArray[np.int64]]:
    """The different values of a column, in the order in which they come, and their rows.

    Parameters
    ----------
    name
        The feature, for error messages.
    column
        As for ``as_array``.

    Returns
    -------
    list
        Texts, numbers and booleans, None for missing values; anything else (an interval, a date) is
        taken by its text. Infinity is refused. The same label may come twice, as 1 and 1.0 or as
        two kinds of missing values.
    array
        For each row the index of its label.
    """
    values: list[Any] = as_array(column).tolist()
    kinds = set(map(type, values))
    # as pairs, since True equals 1, and only where it matters, since it takes twice the time
    is_mixed = len(kinds) > 1 and not kinds.isdisjoint({bool, np.bool_})
    keys = list(zip(map(type, values), values, strict=True)) if is_mixed else values
    try:
        index = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    except TypeError:
        listed = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise DataError(
            f"Feature {name!r} holds values of type {listed}. "
            "Give one level a row: a text, a number or a boolean."
        ) from None
    rows = np.fromiter(map(index.__getitem__, keys), dtype=np.int64, count=len(keys))
    different = [key[1] for key in index] if is_mixed else list(index)
    for i, value in enumerate(different):
        if isinstance(value, (float, np.floating)) and math.isinf(value):
            refuse_rows(name, rows == i, "infinite")
    return [None if is_missing(value) else as_label(value) for value in different], rows


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
