"""The features of any table as floats, with their names and levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.columns import FeatureValues, read_column, warn_of_lost_digits
from riskcard.data.files.feature_table import FeatureTable
from riskcard.data.frames import column_names, count_rows, rows_as_array
from riskcard.data.levels import BOOLEAN, Levels
from riskcard.data.raw_columns import rows_in_words
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
        One distinct name per feature.
    levels
        For each feature its levels; None for a numeric one.
    """

    values: NDArray[np.float64]
    names: tuple[str, ...]
    levels: tuple[Levels | None, ...]

    def take_rows(self, is_kept: NDArray[np.bool_]) -> Features:
        """The rows to keep, without the levels that only other rows have."""
        values, levels = self.values[is_kept], list(self.levels)
        for f, old in enumerate(levels):
            if old is not None and not old.is_ordered:
                values[:, f], levels[f] = FeatureValues(values[:, f], old).forget_unseen()
        return Features(values, self.names, tuple(levels))


def read_features(X: Any, names: Sequence[str] | None = None) -> Features:
    """Read a table of any kind.

    Parameters
    ----------
    X
        Rows by features: an array, a list of rows, a pandas, polars or pyarrow table, or a mapping
        from name to column. Texts, categories and booleans become levels; NaN, None, NA and NaT
        are missing. A float64 array is not copied.
    names
        Names of the features; by default those of the frame, or x0, x1, ... for an array.

    Examples
    --------
    >>> features = read_features([[1.5, "a"], [None, "b"]])
    >>> features.values.tolist(), features.levels[1].names
    ([[1.5, 0.0], [nan, 1.0]], ('a', 'b'))
    """
    found = column_names(X)
    if found is None:
        array = rows_as_array(X)
        features = _from_array(array, _checked_names(names, array.shape[1]))
    else:
        features = _from_frame(X, found, _checked_names(names or found, len(found)))
    if features.values.shape[1] == 0:
        raise DataError(
            f"The table has 0 feature(s) (shape={features.values.shape}) while a minimum of 1 is "
            "required. Give at least one column in addition to the target."
        )
    advice = "Replace infinities by a large finite value, or leave the feature out."
    _refuse(np.isinf, features, f"infinite in {{}}. {advice}")
    return features


def read_numbers(X: Any) -> NDArray[np.float64]:
    """The features as finite floats; missing values and categories are refused."""
    features = read_features(X)
    require_numbers(features)
    return features.values


def require_numbers(features: Features) -> None:
    """Refuse missing values and categories; booleans count as 0 and 1."""
    for f, name in enumerate(features.names):
        levels = features.levels[f]
        if levels is not None and levels != BOOLEAN:
            row = int(np.flatnonzero(features.values[:, f] == features.values[:, f])[0])
            code = features.values[row, f]
            raise DataError(
                f"Feature {name!r} is not numeric: row {row} holds {levels.names[int(code)]!r}. "
                "Turn it into numbers, or leave it out."
            )
    advice = "Fill in the values (with -1, say), or leave out the rows or the feature."
    _refuse(np.isnan, features, f"missing (NaN) in {{}}. {advice}")


# --- the columns --------------------------------------------------------------------------------


def _checked_names(names: Sequence[Any] | None, n_features: int) -> tuple[str, ...]:
    """One distinct name for each column; x0, x1, ... where there are none."""
    names = [f"x{f}" for f in range(n_features)] if names is None else list(names)
    if len(names) != n_features:
        raise DataError(
            f"There are {len(names)} names for {n_features} columns. Give one name to each column."
        )
    seen: dict[str, int] = {}
    for place, name in enumerate(names):
        if name is None or name != name or not str(name).strip():
            raise DataError(f"Column {place} has no name. Give every column a name.")
        text = str(name)
        if text in seen:
            raise DataError(
                f"Columns {seen[text]} and {place} are both named {text!r}. "
                "Rename or leave out one of them."
            )
        seen[text] = place
    return tuple(seen)


def _from_array(array: NDArray[Any], names: tuple[str, ...]) -> Features:
    kind = array.dtype.kind
    if kind not in "fiub":
        return _from_columns(list(array.T), names, len(array))
    if kind in "iu":
        for column, name in zip(array.T, names, strict=True):
            warn_of_lost_digits(column, name)
    values = array.astype(np.float64, copy=False).view(np.ndarray)
    return Features(values, names, (BOOLEAN if kind == "b" else None,) * len(names))


def _from_frame(X: Any, found: list[Any], names: tuple[str, ...]) -> Features:
    """The columns of a data frame, or of a mapping; pandas gives floats without a copy."""
    table = X.features if isinstance(X, FeatureTable) else X
    dtypes = list(X.dtypes) if hasattr(type(X), "dtypes") else []
    if dtypes and all(dtype == np.float64 for dtype in dtypes):
        return _from_array(X.to_numpy(), names)
    return _from_columns([table[name] for name in found], names, count_rows(X))


def _from_columns(columns: list[Any], names: tuple[str, ...], n_rows: int) -> Features:
    values = np.empty((n_rows, len(columns)), order="F")
    levels: list[Levels | None] = []
    for f, column in enumerate(columns):
        feature = read_column(column, names[f])
        if feature.values.size != n_rows:
            raise DataError(
                f"Feature {names[f]!r} has {feature.values.size} values, but the table has "
                f"{n_rows} rows. Give every column the same number of values."
            )
        values[:, f] = feature.values
        levels.append(feature.levels)
    return Features(values, names, tuple(levels))


def _refuse(test: np.ufunc, features: Features, words: str) -> None:
    """Refuse features of which a value is missing or infinite; the words say in which rows."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(features.values.sum()):
            return  # no value is missing or infinite
    for f, name in enumerate(features.names):
        is_bad = test(features.values[:, f])
        if is_bad.any():
            raise DataError(f"Feature {name!r} is {words.format(rows_in_words(is_bad))}")
