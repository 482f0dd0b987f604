"""Columns that alone separate nearly all rows: often they are known only after the outcome."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.columns import FeatureValues
from riskcard.data.levels import Levels

#: A column is suspicious if its area under the ROC curve is at least this.
SUSPICIOUS_AREA = 0.98
#: Fewer rows of either class say too little; more than the second number need not be looked at.
FEWEST_ROWS, MOST_ROWS = 20, 2000
#: Values are put in the order of their event rates only where each has this many rows on average.
ROWS_PER_VALUE = 10


@dataclass(frozen=True, slots=True)
class Leak:
    """A column that alone separates nearly all rows.

    Attributes
    ----------
    name
        The column.
    area
        The area under the ROC curve of the column, taken in whichever order separates best.
    """

    name: str
    area: float


def find_leaks(
    features: Mapping[str, FeatureValues], is_event: NDArray[np.bool_]
) -> tuple[Leak, ...]:
    """The suspicious columns, those that separate best first.

    Parameters
    ----------
    features
        From name to values and levels.
    is_event
        Which rows have the event.

    Examples
    --------
    >>> is_event = np.arange(100) < 30
    >>> days = FeatureValues(np.where(is_event, 5.0, np.nan), None)
    >>> find_leaks({"days until death": days}, is_event)
    (Leak(name='days until death', area=1.0),)
    """
    parts = [_some(np.flatnonzero(is_event == label)) for label in (True, False)]
    if not features or min(part.size for part in parts) < FEWEST_ROWS:
        return ()
    events, others = (_sorted_values(features, rows) for rows in parts)
    names, found = list(features), []
    for place in np.flatnonzero(_may_separate(events, others)):
        name = names[place]
        area = _separation(features[name].levels, events[place], others[place])
        if area >= SUSPICIOUS_AREA:
            found.append(Leak(name, area))
    return tuple(sorted(found, key=lambda leak: -leak.area))


def area_alone(feature: FeatureValues, is_event: NDArray[np.bool_]) -> float:
    """The area under the ROC curve of one column, taken in whichever order separates best.

    Examples
    --------
    >>> area_alone(FeatureValues(np.array([1.0, 2.0, 3.0, 4.0]), None), np.array([True, True, False, True]))
    0.6666666666666667
    """
    parts = [_some(np.flatnonzero(is_event == label)) for label in (True, False)]
    events, others = (_sorted_values({"": feature}, rows) for rows in parts)
    return _separation(feature.levels, events[0], others[0])


def _some(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """All rows, or evenly spaced ones where they are many; the area does not depend on shares."""
    if rows.size <= MOST_ROWS:
        return rows
    return rows[np.linspace(0, rows.size - 1, MOST_ROWS).astype(np.intp)]


def _sorted_values(
    features: Mapping[str, FeatureValues], rows: NDArray[np.intp]
) -> NDArray[np.float64]:
    """The values of some rows, in ascending order for each feature; missing ones are infinite."""
    values = np.stack([feature.values[rows] for feature in features.values()])
    values[np.isnan(values)] = np.inf
    return np.sort(values, axis=1)


def _may_separate(events: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which columns are to be looked at, from their sorted values in either class.

    Let a share ``s`` of the events have values of at most ``v``, and a share ``s`` of the others of at
    least ``v``. These pairs count at most half, so that the area is at most ``1 - s**2 / 2``; and
    likewise in the opposite order. Few distinct values may be put in any other order.
    """
    share = math.sqrt(2 * (1 - SUSPICIOUS_AREA))
    n_values = 1 + np.count_nonzero(events[:, 1:] != events[:, :-1], axis=1)
    is_suspect: NDArray[np.bool_] = n_values * ROWS_PER_VALUE <= events.shape[1] + others.shape[1]
    has_missing = bool(np.isinf(events[:, -1]).any() or np.isinf(others[:, -1]).any())
    for is_missing_first in (False, True)[: 1 + has_missing]:
        event_low, event_high = _ends(events, share, is_missing_first)
        other_low, other_high = _ends(others, share, is_missing_first)
        is_suspect |= (event_low > other_high) | (other_low > event_high)
    return is_suspect


def _ends(values: NDArray[np.float64], share: float, is_missing_first: bool) -> NDArray[np.float64]:
    """For each column the values up to which, and from which on, more than a share of the rows lie."""
    n_columns, n_rows = values.shape
    lowest = int(share * n_rows)
    ends = [lowest, n_rows - 1 - lowest]
    if not is_missing_first:
        return values[:, ends].T
    places = np.array(ends)[:, None] - np.count_nonzero(np.isinf(values), axis=1)
    return np.where(places < 0, -np.inf, values[np.arange(n_columns), places])


def _separation(
    levels: Levels | None, events: NDArray[np.float64], others: NDArray[np.float64]
) -> float:
    """The area under the ROC curve in the best order: by value, missing first or last, or by rate."""
    values = np.unique(np.concatenate([events, others]))  # missing values are one value, the last
    n_events, n_others = (
        own.searchsorted(values, side="right") - own.searchsorted(values)
        for own in (events, others)
    )
    pairs = []
    if levels is None or levels.is_ordered:
        pairs.append(_right_pairs(n_events, n_others))
        if values[-1] == np.inf:
            pairs.append(_right_pairs(np.roll(n_events, 1), np.roll(n_others, 1)))
    if values.size * ROWS_PER_VALUE <= events.size + others.size:
        order = np.argsort(n_events / (n_events + n_others))
        pairs.append(_right_pairs(n_events[order], n_others[order]))
    areas = [one / (events.size * others.size) for one in pairs]
    return max((max(area, 1 - area) for area in areas), default=0.5)


def _right_pairs(events: NDArray[Any], others: NDArray[Any]) -> float:
    """Pairs of rows in the right order, where groups of rows ascend in risk; ties count half."""
    return float(events @ (others.cumsum() - others / 2))
