"""Columns that alone separate nearly all rows: often they are known only after the outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.columns import FeatureValues

#: A column is suspicious from this area under the ROC curve on.
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
    if min(part.size for part in parts) < FEWEST_ROWS:
        return ()
    rows = np.concatenate(parts)
    sampled = is_event[rows]
    areas = {
        name: _separation(FeatureValues(feature.values[rows], feature.levels), sampled)
        for name, feature in features.items()
    }
    found = [Leak(name, area) for name, area in areas.items() if area >= SUSPICIOUS_AREA]
    return tuple(sorted(found, key=lambda leak: -leak.area))


def _some(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """All rows, or evenly spaced ones where they are many; the area does not depend on shares."""
    if rows.size <= MOST_ROWS:
        return rows
    return rows[np.linspace(0, rows.size - 1, MOST_ROWS).astype(np.intp)]


def _separation(feature: FeatureValues, is_event: NDArray[np.bool_]) -> float:
    """The area under the ROC curve in the best order: by value, missing first or last, or by rate."""
    distinct, codes = np.unique(feature.values, return_inverse=True)  # NaN is the last, and one
    events = np.bincount(codes, is_event, distinct.size)
    others = np.bincount(codes, ~is_event, distinct.size)
    areas = []
    if feature.levels is None or feature.levels.is_ordered:
        areas.append(_area(events, others))
        if np.isnan(distinct[-1]):
            areas.append(_area(np.roll(events, 1), np.roll(others, 1)))
    if distinct.size * ROWS_PER_VALUE <= is_event.size:
        order = np.argsort(events / (events + others))
        areas.append(_area(events[order], others[order]))
    return max((max(area, 1 - area) for area in areas), default=0.5)


def _area(events: NDArray[Any], others: NDArray[Any]) -> float:
    """The area where groups of rows are in ascending order of the risk; ties count half."""
    below = np.cumsum(others) - others
    return float(events @ (below + others / 2) / (events.sum() * others.sum()))
