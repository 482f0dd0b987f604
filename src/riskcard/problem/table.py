"""The checked input: a numeric table, two-valued labels, positive weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.errors import DataError

__all__ = ["Table", "make_table", "read_target", "read_values", "read_weights"]


class NotANumber(DataError, TypeError):
    """A value is of a type that no number can be made of."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table that passed every check.

    Attributes
    ----------
    values
        Shape (rows, features), float64, finite.
    names
        One distinct name a feature.
    labels
        +1 where the row has the event ``classes[1]``, -1 where it has ``classes[0]``.
    weights
        Positive, finite.
    classes
        The user's two label values, sorted: no event, event.
    """

    values: NDArray[np.float64]
    names: tuple[str, ...]
    labels: NDArray[np.int8]
    weights: NDArray[np.float64]
    classes: tuple[Any, Any]


def make_table(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    names: Sequence[str] | None = None,
    drop_zero_weights: bool = False,
) -> Table:
    """Check the user's input and bring it into one form.

    Parameters
    ----------
    X
        Rows by features: an array, a list of rows, or a pandas, polars or pyarrow table. Booleans
        count as 0 and 1. A float64 array is used as it is, without a copy.
    y
        One label a row, with two different values; the larger one is the event.
    sample_weight
        One positive weight a row; None gives every row the weight 1.
    names
        Names of the features; by default those of the frame, or x0, x1, ... for an array.
    drop_zero_weights
        Leave rows of weight 0 out instead of refusing them.

    Examples
    --------
    >>> table = make_table([[1.0, 0], [2.0, 1], [3.0, 1]], ["no", "yes", "yes"])
    >>> table.names, table.labels.tolist(), table.classes
    (('x0', 'x1'), [-1, 1, 1], ('no', 'yes'))
    """
    values, names = read_values(X, names)
    if len(values) < 2:
        raise DataError(
            f"The table has {len(values)} sample{'' if len(values) == 1 else 's'}. "
            "Give at least 2 rows, one of each class."
        )
    y = read_target(y, len(values))
    weights = read_weights(sample_weight, len(values))
    is_zero = weights == 0
    if is_zero.any():
        if not drop_zero_weights or is_zero.all():
            raise DataError(
                f"sample_weight is zero in {_rows(np.flatnonzero(is_zero))}. "
                "Give every row a positive weight, or leave these rows out."
            )
        values, y, weights = values[~is_zero], y[~is_zero], weights[~is_zero]
    labels, classes = _read_labels(y)
    return Table(values, names, labels, weights, classes)


# --- the features -------------------------------------------------------------------------------


def read_values(
    X: Any, names: Sequence[str] | None = None
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """The features as finite float64 of shape (rows, features), and their names."""
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
        values = _from_columns(columns or [], checked, X.shape[0])
    else:
        values = _from_array(array, checked)
    if values.shape[1] == 0:
        raise DataError(
            f"The table has 0 feature(s) (shape={values.shape}) while a minimum of 1 is required. "
            "Give at least one numeric column besides the target."
        )
    _require_finite(values, checked)
    return values, checked


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
        return X.to_numpy()
    try:
        array = np.asarray(X)
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
    return array


def _from_array(array: NDArray[Any], names: tuple[str, ...]) -> NDArray[np.float64]:
    if array.dtype == np.float64:
        return array.view(np.ndarray)
    if array.dtype.kind in "fiub":
        return array.astype(np.float64)
    return _from_columns([array[:, f] for f in range(array.shape[1])], names, len(array))


def _from_columns(columns: list[Any], names: tuple[str, ...], n_rows: int) -> NDArray[np.float64]:
    values = np.empty((n_rows, len(columns)), order="F")
    for f, column in enumerate(columns):
        values[:, f] = _as_floats(column, names[f])
    return values


def _as_floats(column: Any, name: str) -> NDArray[np.float64]:
    """One column as floats, missing values as NaN."""
    if hasattr(column, "iloc") and column.dtype.kind in "fiub":
        # pandas' nullable numbers would become objects
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    array = column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)
    if array.dtype.kind in "fiub":
        return array.astype(np.float64)
    if array.dtype.kind == "c":
        raise DataError(
            f"Complex data not supported: feature {name!r} holds complex numbers. "
            "Give its real part, or leave it out."
        )
    if array.dtype.kind == "O":
        return np.array([_as_float(value, row, name) for row, value in enumerate(array)])
    raise _not_numeric(array[0] if array.size else array.dtype, 0, name)


def _as_float(value: Any, row: int, name: str) -> float:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return float("nan")
    if isinstance(value, (str, bytes)):
        raise _not_numeric(value, row, name)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise NotANumber(
            f"Feature {name!r} is not numeric: row {row} holds {value!r}, where the argument must "
            "be a number (a string is none either). Turn it into numbers, or leave it out."
        ) from None


def _not_numeric(value: Any, row: int, name: str) -> DataError:
    value = value.item() if isinstance(value, np.generic) else value
    return DataError(
        f"Feature {name!r} is not numeric: row {row} holds {value!r}. "
        "Turn it into numbers, or leave it out."
    )


def _require_finite(values: NDArray[np.float64], names: tuple[str, ...]) -> None:
    # Any NaN or infinity makes the sum so: one pass, no memory. It may also overflow.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):
            return
    for f, name in enumerate(names):
        is_missing = np.isnan(values[:, f])
        if is_missing.any():
            raise DataError(
                f"Feature {name!r} is missing (NaN) in {_rows(np.flatnonzero(is_missing))}. "
                "Fill the values in (such as by -1), or leave out the rows or the feature."
            )
        is_infinite = np.isinf(values[:, f])
        if is_infinite.any():
            raise DataError(
                f"Feature {name!r} is infinite in {_rows(np.flatnonzero(is_infinite))}. "
                "Replace infinities by a large finite value, or leave the feature out."
            )


def _rows(rows: NDArray[Any]) -> str:
    if rows.size == 1:
        return f"row {rows[0]}"
    return f"{rows.size} rows, the first is row {rows[0]}"


# --- the target and the weights -----------------------------------------------------------------


def read_target(y: Any, n_rows: int) -> NDArray[Any]:
    """The target as a one-dimensional array of the right length without missing values."""
    if y is None:
        raise DataError(
            "A card requires y to be passed, but the target y is None. Give one label a row."
        )
    array = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise DataError(
            f"y should be a 1d array, got an array of shape {array.shape}. Give one label a row."
        )
    if array.size != n_rows:
        raise DataError(f"X has {n_rows} rows and y has {array.size}. Give one label a row.")
    if array.dtype.kind == "f":
        is_missing = ~np.isfinite(array)
    elif array.dtype.kind == "O":
        is_missing = np.array([_is_missing(value) for value in array], dtype=bool)
    else:
        return array
    if is_missing.any():
        rows = np.flatnonzero(is_missing)
        raise DataError(
            f"The target y is {_missing_word(array[rows[0]])} in {_rows(rows)}. "
            "Leave these rows out, or give them a label."
        )
    return array


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and not np.isfinite(value)


def _missing_word(value: Any) -> str:
    is_infinite = isinstance(value, (float, np.floating)) and np.isinf(value)
    return "infinite (inf)" if is_infinite else "missing (NaN)"


def _read_labels(y: NDArray[Any]) -> tuple[NDArray[np.int8], tuple[Any, Any]]:
    """Labels in {-1, +1} and the two classes."""
    is_event, classes = _split_in_two(y)
    if len(classes) == 1:
        raise DataError(
            f"The target has one class only: y is {classes[0]!r} in all {y.size} rows. "
            "A card needs rows with and without the event."
        )
    if len(classes) > 2:
        raise _too_many_classes(y, classes)
    return np.where(is_event, np.int8(1), np.int8(-1)), (classes[0], classes[1])


def _split_in_two(y: NDArray[Any]) -> tuple[NDArray[np.bool_], list[Any]]:
    """Which rows have the largest label, and all labels in order."""
    if y.dtype.kind in "fiub":
        # no sorting of a long target that has two values
        smallest, largest = y.min(), y.max()
        is_event = y == largest
        if np.count_nonzero(is_event) + np.count_nonzero(y == smallest) == y.size:
            return is_event, [smallest.item(), largest.item()]
    try:
        classes = np.unique(y)
    except TypeError:
        kinds = sorted({type(value).__name__ for value in y})
        raise DataError(
            f"The target y mixes labels of types {' and '.join(kinds)}. Use one type for all."
        ) from None
    return y == classes[-1], classes.tolist()


def _too_many_classes(y: NDArray[Any], classes: list[Any]) -> DataError:
    examples = ", ".join(repr(value) for value in classes[:3])
    is_continuous = y.dtype.kind == "f" and bool(np.any(y != np.floor(y)))
    kind = (
        "Unknown label type: continuous"
        if is_continuous
        else "The type of the target is multiclass"
    )
    return DataError(
        f"Only binary classification is supported. {kind}: y has {len(classes)} different values "
        f"({examples}{', ...' if len(classes) > 3 else ''}). Choose one event against the rest, "
        "such as y == value."
    )


def read_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    """Finite weights that are not negative."""
    if sample_weight is None:
        return np.ones(n_rows)
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("sample_weight is not numeric. Give one positive number a row.") from None
    if weights.shape != (n_rows,):
        raise DataError(
            f"sample_weight has shape {weights.shape} and X has {n_rows} rows. "
            "Give one weight a row."
        )
    for word, is_bad in (
        ("missing (NaN)", np.isnan(weights)),
        ("infinite", np.isinf(weights)),
        ("negative", weights < 0),
    ):
        if is_bad.any():
            rows = np.flatnonzero(is_bad)
            raise DataError(
                f"sample_weight is {word} in {_rows(rows)} ({weights[rows[0]]:g}). "
                "Give every row a positive weight."
            )
    return weights
