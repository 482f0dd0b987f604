"""Adding up a card by hand: slow and obvious, sharing nothing with scoring."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.audit.hand_rates import HandLoss
from riskcard.audit.pseudo_weights import PseudoWeights
from riskcard.audit.raw_outcome import RawOutcome
from riskcard.data.frames import find_columns
from riskcard.data.rows_to_score import take_columns
from riskcard.errors import DataError
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints

Feature = FeaturePoints | LevelPoints


@dataclass(frozen=True, slots=True)
class Rows:
    """The raw rows that have a weight.

    Attributes
    ----------
    columns
        The values of each feature on the card: an array of numbers, NaN where one is missing, or a
        list of levels, None where one is missing.
    places
        The place of each of them on the card.
    target, weights
        As given.
    is_kept
        Which of the given rows these are.
    given
        The table that they are from.
    pseudo
        What the pseudo-observations of the certificate weigh at them; None where there are none, or
        they are not known.
    outcome
        What the rows came to, where that is not only a label.
    rates
        Exposure and events of the rows, where the card gives hazards or rates, with pseudo-observations where
        the certificate has them.
    has_pseudo_rows
        Whether pseudo-observations are counted.
    """

    columns: dict[str, Any]
    places: dict[str, NDArray[np.int64]]
    target: NDArray[Any]
    weights: NDArray[np.float64]
    is_kept: NDArray[np.bool_]
    given: Any = None
    pseudo: PseudoWeights | None = None
    outcome: RawOutcome | None = None
    rates: HandLoss | None = None
    has_pseudo_rows: bool = False

    def of(self, card: RiskCard) -> Rows:
        """The same rows as another card takes them."""
        _, columns = read_by_hand(card, self.given)
        kept = kept_columns(columns, self.is_kept)
        places = {one.name: places_by_hand(one, kept[one.name]) for one in card.features}
        return replace(self, columns=kept, places=places)


def totals_by_hand(card: RiskCard, rows: Rows) -> NDArray[np.int64]:
    """Base and points of every row."""
    totals = np.full(rows.target.size, card.base, dtype=np.int64)
    for feature in card.features:
        totals += worth(feature)[rows.places[feature.name]]
    return totals


def kept_columns(columns: dict[str, Any], is_kept: NDArray[np.bool_]) -> dict[str, Any]:
    """Columns without the rows that have no weight."""
    return {
        name: list(compress(column, is_kept)) if isinstance(column, list) else column[is_kept]
        for name, column in columns.items()
    }


def read_by_hand(card: RiskCard, X: Any) -> tuple[int, dict[str, Any]]:
    """Number of rows, and the columns on the card: numbers with NaN, or lists of levels with None."""
    used = [feature.name for feature in card.features]
    n_rows, _ = take_columns(X, card.feature_names, used)  # for its errors
    found = find_columns(X, card.feature_names, used)
    columns: dict[str, Any] = {}
    for feature in card.features:
        column = found[feature.name]
        if isinstance(feature, FeaturePoints):
            columns[feature.name] = _numbers(feature.name, column)
        else:
            columns[feature.name] = [_plain(value) for value in _values(column)]
    return n_rows, columns


def _numbers(name: str, column: Any) -> NDArray[np.float64]:
    if hasattr(column, "iloc") and isinstance(column.dtype, np.dtype):  # pandas
        column = column.to_numpy()
    is_ready = isinstance(column, np.ndarray) and column.dtype.kind in "fiub"
    if is_ready and not isinstance(column, np.ma.MaskedArray):
        numbers: NDArray[np.float64] = column.astype(np.float64)
    else:
        numbers = np.array([_number(name, _plain(value)) for value in _values(column)])
    if np.isinf(numbers).any():
        raise DataError(f"Feature {name!r} is infinite in some row, for which there are no points.")
    return numbers


def _values(column: Any) -> list[Any]:
    for method in ("to_pylist", "to_list", "tolist"):  # pyarrow; pandas and polars; numpy
        if hasattr(column, method):
            values = getattr(column, method)()
            return values if isinstance(values, list) else [values]
    if isinstance(column, str) or not isinstance(column, Iterable):
        return [column]
    return list(column)


def _plain(value: Any) -> Any:
    """A text, a number, a boolean, or None for a missing value; anything else becomes its text."""
    if value is None:
        return None
    try:
        if value != value:  # NaN, NaT
            return None
    except TypeError:  # pandas.NA refuses to say whether it differs from itself
        return None
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, (str, bool, int, float)) else str(value)


def _number(name: str, value: Any) -> float:
    if value is None:
        return math.nan
    try:
        return float(value)
    except (ValueError, OverflowError):
        raise DataError(f"Feature {name!r} is not numeric: it holds {value!r}.") from None


# --- the place of a value on the card -----------------------------------------------------------


def places_by_hand(feature: Feature, column: Any) -> NDArray[np.int64]:
    """The place of each value: bins or groups come first, then special codes, then missing values."""
    if isinstance(feature, FeaturePoints):
        return _places_among_cuts(feature, column)
    places: dict[tuple[type, Any], int] = {}
    for value in column:
        if (type(value), value) not in places:
            places[type(value), value] = _place_among_levels(feature, value)
    return np.array([places[type(value), value] for value in column], dtype=np.int64)


def _places_among_cuts(feature: FeaturePoints, column: NDArray[np.float64]) -> NDArray[np.int64]:
    """Start in the lowest bin and move up past each cut below the value; then codes and missing values."""
    places = np.zeros(column.size, dtype=np.int64)
    for i, cut in enumerate(feature.cuts):
        places[column > cut] = i + 1
    for i, (code, _) in enumerate(feature.codes):
        places[column == code] = len(feature.points) + i
    is_missing = np.isnan(column)
    if is_missing.any():
        places[is_missing] = _place_of_missing(feature)
    return places


def worth(feature: Feature) -> NDArray[np.int64]:
    """The points of each place."""
    codes = [points for _, points in feature.codes]
    missing = [] if feature.missing is None else [feature.missing]
    return np.array([*feature.points, *codes, *missing], dtype=np.int64)


def _place_of_missing(feature: Feature) -> int:
    return _usual(feature, None) if feature.missing is None else worth(feature).size - 1


def _place_among_levels(feature: LevelPoints, value: Any) -> int:
    if value is None:
        return _place_of_missing(feature)
    levels = [level for group in feature.groups for level in group]
    if all(isinstance(level, bool) for level in levels) and value in (0, 1):
        value = bool(value)
    for i, group in enumerate(feature.groups):
        for level in group:
            if level == value and isinstance(level, bool) == isinstance(value, bool):
                return i
    return _usual(feature, value)


def _usual(feature: Feature, value: Any) -> int:
    """The place of a value that training did not have."""
    if feature.usual is None:
        what = "a missing value" if value is None else repr(value)
        raise DataError(
            f"Feature {feature.name!r} has {what} in some row, for which the card has no points. "
            "Give the rows that the card was learned from."
        )
    return feature.usual
