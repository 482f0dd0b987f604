"""Adding up a card by hand, value by value: slow and obvious, and nothing that scoring uses."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.errors import DataError
from riskcard.problem.points import FeaturePoints, LevelPoints
from riskcard.problem.records import find_columns, take_columns
from riskcard.problem.riskcard import RiskCard

__all__ = ["Feature", "Rows", "places_by_hand", "read_by_hand", "totals_by_hand", "worth"]

Feature = FeaturePoints | LevelPoints


@dataclass(frozen=True, slots=True)
class Rows:
    """The raw rows without those of no weight.

    Attributes
    ----------
    columns
        The values of each feature on the card, None where one is missing.
    places
        The place of each of them on the card.
    target, weights
        As given.
    is_kept
        Which of the rows given these are.
    """

    columns: dict[str, list[Any]]
    places: dict[str, NDArray[np.int64]]
    target: NDArray[Any]
    weights: NDArray[np.float64]
    is_kept: NDArray[np.bool_]


def totals_by_hand(card: RiskCard, rows: Rows) -> NDArray[np.int64]:
    """Base and points of every row."""
    totals = np.full(rows.target.size, card.base, dtype=np.int64)
    for feature in card.features:
        totals += worth(feature)[rows.places[feature.name]]
    return totals


def read_by_hand(card: RiskCard, X: Any) -> tuple[int, dict[str, list[Any]]]:
    """Number of rows, and the values of each feature on the card: None where one is missing."""
    used = [feature.name for feature in card.features]
    n_rows, _ = take_columns(X, card.feature_names, used)  # for its errors
    found = find_columns(X, card.feature_names, used)
    columns = {name: [_plain(value) for value in _values(found[name])] for name in used}
    for feature in card.features:
        if isinstance(feature, FeaturePoints):
            columns[feature.name] = [_number(feature.name, v) for v in columns[feature.name]]
    return n_rows, columns


def _values(column: Any) -> list[Any]:
    for method in ("to_pylist", "to_list", "tolist"):  # pyarrow; pandas and polars; numpy
        if hasattr(column, method):
            values = getattr(column, method)()
            return values if isinstance(values, list) else [values]
    if isinstance(column, str) or not isinstance(column, Iterable):
        return [column]
    return list(column)


def _plain(value: Any) -> Any:
    """A text, a number, a boolean, or None for a missing value; other things by their text."""
    if value is None:
        return None
    try:
        if value != value:  # NaN, NaT
            return None
    except TypeError:  # nobody knows whether NA differs from itself
        return None
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, (str, bool, int, float)) else str(value)


def _number(name: str, value: Any) -> float | None:
    if value is None:
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise DataError(f"Feature {name!r} is not numeric: it holds {value!r}.") from None
    if math.isinf(number):
        raise DataError(f"Feature {name!r} is infinite in some row, for which there are no points.")
    return None if math.isnan(number) else number


# --- the place of a value on the card -----------------------------------------------------------


def places_by_hand(feature: Feature, values: list[Any]) -> NDArray[np.int64]:
    """The place of each value: its bin or group, then come special codes, then missing values."""
    place_of: dict[tuple[type, Any], int] = {}
    for value in values:
        key = (type(value), value)
        if key not in place_of:
            place_of[key] = _place(feature, value)
    return np.array([place_of[type(value), value] for value in values], dtype=np.int64)


def worth(feature: Feature) -> NDArray[np.int64]:
    """The points of every place."""
    codes = [points for _, points in feature.codes] if isinstance(feature, FeaturePoints) else []
    missing = 0 if feature.missing is None else feature.missing
    return np.array([*feature.points, *codes, missing], dtype=np.int64)


def _place(feature: Feature, value: Any) -> int:
    if value is None:
        n_places = len(worth(feature))
        return n_places - 1 if feature.missing is not None else _usual(feature, value)
    if isinstance(feature, LevelPoints):
        return _place_among_levels(feature, value)
    for i, (code, _) in enumerate(feature.codes):
        if value == code:
            return len(feature.points) + i
    for i, cut in enumerate(feature.cuts):
        if value <= cut:
            return i
    return len(feature.cuts)


def _place_among_levels(feature: LevelPoints, value: Any) -> int:
    levels = [level for group in feature.groups for level in group]
    if all(isinstance(level, bool) for level in levels) and value in (0, 1):
        value = bool(value)
    for i, group in enumerate(feature.groups):
        for level in group:
            if level == value and isinstance(level, bool) == isinstance(value, bool):
                return i
    return _usual(feature, value)


def _usual(feature: Feature, value: Any) -> int:
    """Where a value goes that training did not have."""
    if feature.usual is None:
        what = "a missing value" if value is None else repr(value)
        raise DataError(
            f"Feature {feature.name!r} has {what} in some row, for which the card has no points. "
            "Give the rows that the card was learned from."
        )
    return feature.usual
