"""Rows to be scored: the columns that a card needs, as arrays, as numbers and as labels."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from riskcard.data.frames import column_names, count_rows, find_columns
from riskcard.data.levels import Label, as_label
from riskcard.data.raw_columns import as_float, distinct_values, is_missing, read_raw, rows_in_words
from riskcard.errors import DataError


def take_columns(
    values: Any, feature_names: Sequence[str], wanted: Sequence[str]
) -> tuple[int, dict[str, NDArray[Any]]]:
    """Find the wanted columns in an array, a data frame, a mapping, or rows that are mappings.

    Parameters
    ----------
    values, feature_names, wanted
        As for ``find_columns``; or the rows of ``csv.DictReader``, in which an empty text is a missing
        value.

    Returns
    -------
    int
        Number of rows.
    dict
        From wanted name to the raw column: an array of numbers, booleans or objects, in which any
        value may be missing.
    """
    values = list(values) if isinstance(values, Iterator) else values
    if isinstance(values, (list, tuple)) and values and isinstance(values[0], Mapping):
        values = _columns_of(values, wanted)
    found = find_columns(values, feature_names, wanted)
    columns = {name: _as_column(name, column) for name, column in found.items()}
    lengths = {name: column.size for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name!r} has {size}" for name, size in lengths.items())
        raise DataError(f"The columns differ in length: {listed}. Give them one value per row.")
    # a card without features gives every row the base
    return (next(iter(lengths.values())) if lengths else count_rows(values)), columns


def _columns_of(rows: Sequence[Mapping[str, Any]], wanted: Sequence[str]) -> dict[str, list[Any]]:
    """Rows from name to value, as columns; one that no row has is left to who looks for it."""
    names = [name for name in wanted if any(name in row for row in rows)]
    for name in names:
        place = next((i for i, row in enumerate(rows) if name not in row), None)
        if place is not None:
            raise DataError(
                f"Row {place} has no {name!r}, which others have. Give every row the same names, and None "
                "for a missing value."
            )
    if not names:
        return {name: [None] * len(rows) for name in rows[0]}
    return {name: [None if row[name] == "" else row[name] for row in rows] for name in names}


def as_numbers(name: str, column: Any) -> NDArray[np.float64]:
    """A column as floats, NaN where missing; texts are read as numbers, infinity is refused."""
    array = read_raw(column).as_array()
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
    """The different values of a column in order of appearance, and the index of each row's value.

    Parameters
    ----------
    name
        The feature, for error messages.
    column
        As for ``read_raw``.

    Returns
    -------
    list
        Texts, numbers and booleans, None for missing values; anything else (an interval, a date) is
        represented by its text. Infinity is refused. A label may appear twice, as 1 and 1.0 or
        as two kinds of missing values.
    array
        For each row the index of its label.
    """
    values: list[Any] = read_raw(column).as_array().tolist()
    try:
        different, rows = distinct_values(values)
    except TypeError:
        listed = " and ".join(sorted({type(value).__name__ for value in values}))
        raise DataError(
            f"Feature {name!r} holds values of type {listed}. "
            "Give one level per row: a text, a number or a boolean."
        ) from None
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


def _as_column(name: str, column: Any) -> NDArray[Any]:
    twice = column_names(column)  # pandas returns a frame if two columns share the name
    array = read_raw(column).as_array() if twice is None else np.empty((0, len(twice)))
    if array.ndim != 1:
        raise DataError(f"There are {array.shape[1]} columns named {name!r}. Keep one of them.")
    return array


def _as_number(name: str, value: Any) -> float:
    try:
        return as_float(value)
    except (TypeError, ValueError):
        raise DataError(
            f"Feature {name!r} is not numeric: {value!r} is not a number. "
            f"Give numbers in the units of training{', and None for a missing value' if value == '' else ''}."
        ) from None
