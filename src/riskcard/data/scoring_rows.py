"""Rows to be scored, however they come: the columns that a card needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.scoring_columns import as_array
from riskcard.errors import DataError


def take_columns(
    values: Any, feature_names: Sequence[str], wanted: Sequence[str]
) -> tuple[int, dict[str, NDArray[Any]]]:
    """Find the wanted columns in an array, a data frame or a mapping.

    Parameters
    ----------
    values
        A 2-D array whose columns follow ``feature_names``; or a data frame (pandas, polars,
        pyarrow); or a mapping from name to column or to one value (a number, a text, None). Frames
        and mappings are looked up by name, and further columns in them are ignored.
    feature_names
        The columns of the training table, in order.
    wanted
        The names to return.

    Returns
    -------
    int
        Number of rows.
    dict
        From wanted name to the raw column: an array of numbers, booleans or objects, in which any
        value may be missing.
    """
    columns = {
        name: _as_column(name, column)
        for name, column in find_columns(values, feature_names, wanted).items()
    }
    return _count_rows(values, columns), columns


def find_columns(
    values: Any, feature_names: Sequence[str], wanted: Sequence[str]
) -> dict[str, Any]:
    """The wanted columns as they are; parameters as for ``take_columns``."""
    names = _column_names(values)
    if names is None:
        array = _as_rows(values, len(feature_names))
        place = {name: position for position, name in enumerate(feature_names)}
        return {name: array[:, place[name]] for name in wanted}
    missing = [name for name in wanted if name not in names]
    if missing:
        listed = ", ".join(repr(name) for name in missing)
        raise DataError(
            f"The card needs {'columns' if len(missing) > 1 else 'column'} {listed}, which the "
            "rows do not have. Add what is missing, or rename the columns as in training."
        )
    return {name: values[name] for name in wanted}


def _column_names(values: Any) -> list[str] | None:
    """The names by which columns can be looked up; None when they go by position."""
    if isinstance(values, Mapping):
        return list(values)
    names = getattr(values, "column_names", None)  # pyarrow
    if names is None:
        names = getattr(values, "columns", None)  # pandas, polars
    if names is None or not all(isinstance(name, str) for name in names):
        return None
    return list(names)


def _as_rows(values: Any, n_columns: int) -> NDArray[Any]:
    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()  # None where masked
    # a list goes by objects: True beside 2.5 would become 1.0 otherwise, and 1 beside "a" a text
    array = np.asarray(values) if hasattr(values, "__array__") else np.array(values, dtype=object)
    if array.ndim != 2 or array.shape[1] != n_columns:
        raise DataError(
            f"The rows have shape {array.shape}, but the card was made for {n_columns} columns. "
            "Give a 2-D array with the columns of training, or a data frame with names."
        )
    return array


def _count_rows(values: Any, columns: dict[str, NDArray[Any]]) -> int:
    lengths = {name: column.size for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name!r} has {size}" for name, size in lengths.items())
        raise DataError(f"The columns differ in length: {told}. Give one value a row to each.")
    if lengths:
        return next(iter(lengths.values()))
    # a card of no features gives every row the base
    names = _column_names(values)
    if names is None:
        return len(values)
    return as_array(values[names[0]]).shape[0] if names else 0


def _as_column(name: str, column: Any) -> NDArray[Any]:
    array = as_array(column)
    if array.ndim != 1:
        raise DataError(f"There are {array.shape[1]} columns named {name!r}. Keep one of them.")
    return array
