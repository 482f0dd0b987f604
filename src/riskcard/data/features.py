"""The user's table of features, of whatever kind, as floats with names and levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.columns import (
    FeatureValues,
    NotANumber,
    keep_occurring,
    read_column,
    warn_of_lost_digits,
)
from riskcard.data.levels import BOOLEAN, Levels
from riskcard.errors import DataError


@dataclass(frozen=True, slots=True)
class Features:
    """A table of features that passed every check.

    Attributes
    ----------
    values
        Shape (rows, features), float64: numbers; for a categorical feature the index of its level;
        NaN where missing; never infinite.
    names
        One distinct name a feature.
    levels
        For each feature its levels; None for a numeric one.
    """

    values: NDArray[np.float64]
    names: tuple[str, ...]
    levels: tuple[Levels | None, ...]

    def take_rows(self, is_kept: NDArray[np.bool_]) -> Features:
        """Some of the rows, as if the others had never been there."""
        values, levels = self.values[is_kept], list(self.levels)
        for f, old in enumerate(levels):
            if old is not None and not old.is_ordered:
                values[:, f], levels[f] = keep_occurring(FeatureValues(values[:, f], old))
        return Features(values, self.names, tuple(levels))


def read_features(X: Any, names: Sequence[str] | None = None) -> Features:
    """Bring a table of any kind into one form.

    Parameters
    ----------
    X
        Rows by features: an array, a list of rows, or a pandas, polars or pyarrow table. Texts,
        categories and booleans become levels; NaN, None, NA and NaT are missing. A float64 array is
        used as it is, without a copy.
    names
        Names of the features; by default those of the frame, or x0, x1, ... for an array.

    Examples
    --------
    >>> features = read_features([[1.5, "a"], [None, "b"]])
    >>> features.values.tolist(), features.levels[1].names
    ([[1.5, 0.0], [nan, 1.0]], ('a', 'b'))
    """
    if hasattr(X, "tocsr") or hasattr(X, "tocoo"):
        raise NotANumber(
            "X is a sparse matrix, and sparse data are not supported. Use X.toarray()."
        )
    columns = _frame_columns(X)
    array = None if columns is not None else _as_array(X)
    n_features = len(columns or []) if array is None else array.shape[1]
    found = _frame_names(X) if names is None else list(names)
    checked = _check_names(found or [f"x{f}" for f in range(n_features)], n_features)
    if array is None:
        features = _from_columns(columns or [], checked, X.shape[0])
    else:
        features = _from_array(array, checked)
    if features.values.shape[1] == 0:
        raise DataError(
            f"The table has 0 feature(s) (shape={features.values.shape}) while a minimum of 1 is "
            "required. Give at least one column besides the target."
        )
    _refuse_infinities(features)
    return features


def read_values(
    X: Any, names: Sequence[str] | None = None
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """The features as finite float64 of shape (rows, features), and their names.

    Missing values and categories are refused; booleans count as 0 and 1.
    """
    features = read_features(X, names)
    require_numbers(features)
    return features.values, features.names


def require_numbers(features: Features) -> None:
    """Refuse missing values and categories; booleans are 0 and 1."""
    for f, name in enumerate(features.names):
        levels = features.levels[f]
        if levels is not None and levels != BOOLEAN:
            row, code = next(
                (row, code) for row, code in enumerate(features.values[:, f]) if code == code
            )
            raise DataError(
                f"Feature {name!r} is not numeric: row {row} holds {levels.names[int(code)]!r}. "
                "Turn it into numbers, or leave it out."
            )
    if _is_sum_finite(features.values):
        return
    for f, name in enumerate(features.names):
        rows = np.flatnonzero(np.isnan(features.values[:, f]))
        if rows.size:
            raise DataError(
                f"Feature {name!r} is missing (NaN) in {rows_in_words(rows)}. "
                "Fill the values in (such as by -1), or leave out the rows or the feature."
            )


def rows_in_words(rows: NDArray[Any]) -> str:
    """How many rows, and the first of them."""
    if rows.size == 1:
        return f"row {rows[0]}"
    return f"{rows.size} rows, the first is row {rows[0]}"


# --- the columns --------------------------------------------------------------------------------


def _frame_columns(X: Any) -> list[Any] | None:
    """The columns of a data frame; None when X is not one, or its numbers can be had in one go."""
    if hasattr(X, "iloc"):
        if X.shape[1] and all(dtype == np.float64 for dtype in X.dtypes):
            return None
        return [X.iloc[:, f] for f in range(X.shape[1])]
    if hasattr(X, "column_names"):
        return [X.column(f) for f in range(X.num_columns)]
    if hasattr(X, "get_columns"):
        return list(X.get_columns())
    return None


def _frame_names(X: Any) -> list[Any]:
    """Names of the columns of a data frame; empty for what has none."""
    return list(getattr(X, "column_names", getattr(X, "columns", ())))


def _check_names(names: list[Any], n_features: int) -> tuple[str, ...]:
    if len(names) != n_features:
        raise DataError(
            f"There are {len(names)} names for {n_features} columns. Give one name to each column."
        )
    for place, name in enumerate(names):
        if name is None or name != name or not str(name).strip():
            raise DataError(f"Column {place} has no name. Give every column a name.")
    texts = [str(name) for name in names]
    seen: dict[str, int] = {}
    for place, text in enumerate(texts):
        if text in seen:
            raise DataError(
                f"Columns {seen[text]} and {place} are both named {text!r}. "
                "Rename or leave out one of them."
            )
        seen[text] = place
    return tuple(texts)


def _as_array(X: Any) -> NDArray[Any]:
    if hasattr(X, "iloc"):
        array: NDArray[Any] = X.to_numpy()
        return array
    try:
        array = np.asarray(X)
        if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
            array = np.array(X, dtype=object)  # numbers beside texts have become texts
    except ValueError:
        raise DataError(
            "The rows of X differ in length. Give every row one value for each feature."
        ) from None
    if array.ndim != 2:
        raise DataError(
            f"X has {array.ndim} dimension{'' if array.ndim == 1 else 's'}, but 2 are needed: rows "
            "by features. Reshape your data: X.reshape(-1, 1) makes it a single feature and "
            "X.reshape(1, -1) a single row."
        )
    if isinstance(X, np.ma.MaskedArray):
        array = array.astype(object)
        array[np.ma.getmaskarray(X)] = None
    return array


def _from_array(array: NDArray[Any], names: tuple[str, ...]) -> Features:
    plain: tuple[Levels | None, ...] = (None,) * len(names)
    if array.dtype == np.float64:
        return Features(array.view(np.ndarray), names, plain)
    if array.dtype.kind in "fiub":
        is_boolean = array.dtype.kind == "b"
        if array.dtype.kind in "iu":
            for f, name in enumerate(names):
                warn_of_lost_digits(array[:, f], name)
        return Features(
            array.astype(np.float64), names, (BOOLEAN,) * len(names) if is_boolean else plain
        )
    return _from_columns([array[:, f] for f in range(array.shape[1])], names, len(array))


def _from_columns(columns: list[Any], names: tuple[str, ...], n_rows: int) -> Features:
    values = np.empty((n_rows, len(columns)), order="F")
    levels: list[Levels | None] = []
    for f, column in enumerate(columns):
        values[:, f], found = read_column(column, names[f])
        levels.append(found)
    return Features(values, names, tuple(levels))


def _refuse_infinities(features: Features) -> None:
    if _is_sum_finite(features.values):
        return
    for f, name in enumerate(features.names):
        rows = np.flatnonzero(np.isinf(features.values[:, f]))
        if rows.size:
            raise DataError(
                f"Feature {name!r} is infinite in {rows_in_words(rows)}. "
                "Replace infinities by a large finite value, or leave the feature out."
            )


def _is_sum_finite(values: NDArray[np.float64]) -> bool:
    """False when any value is NaN or infinite: one pass, no memory. Large ones may overflow too."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(values.sum()))
