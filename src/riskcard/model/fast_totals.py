"""Totals of plain numbers: the short way, for columns of floats without surprises."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.model.feature_points import FeaturePoints

#: Rows at a time: few enough to stay in the processor's cache while all features are looked at.
ROWS_AT_ONCE = 32_768
#: Up to so many cuts a value is compared with each of them; beyond, its bin is searched for.
MOST_COMPARED = 8


def add_up_numbers(
    features: Sequence[Any], columns: Sequence[NDArray[Any]], base: int
) -> NDArray[np.int64] | None:
    """Total of every row; None where the short way does not do.

    Parameters
    ----------
    features
        The parts of a card, at least one. Categories and special codes go the long way.
    columns
        The raw column of each; other than floats go the long way, and so do infinity and holes for
        which the card has no points.
    base
        Points that everyone has.
    """
    for feature, column in zip(features, columns, strict=True):
        if not isinstance(feature, FeaturePoints) or feature.codes or column.dtype != np.float64:
            return None
    lowest = base + sum(feature.points[0] for feature in features)
    total = np.full(columns[0].size, lowest, dtype=np.int64)
    for begin in range(0, total.size, ROWS_AT_ONCE):
        part = slice(begin, begin + ROWS_AT_ONCE)
        for feature, column in zip(features, columns, strict=True):
            values = np.ascontiguousarray(column[part])
            total[part] += _more_than_first(feature, values)
            with np.errstate(over="ignore", invalid="ignore"):
                is_plain = np.isfinite(values.sum())  # not so either when large numbers overflow
            if not is_plain:
                is_hole = np.isnan(values)
                if (is_hole.any() and feature.missing is None) or np.isinf(values).any():
                    return None
                # a hole is above no cut, so it has the points of the first bin
                total[part][is_hole] += (feature.missing or 0) - feature.points[0]
    return total


def _more_than_first(feature: FeaturePoints, values: NDArray[np.float64]) -> NDArray[Any]:
    """What each value has more than one of the first bin."""
    if len(feature.cuts) > MOST_COMPARED:
        points = np.array(feature.points, dtype=np.int64)
        bins = np.searchsorted(feature.cuts, values, side="left")
        bins[np.isnan(values)] = 0
        gained: NDArray[Any] = (points - points[0])[bins]
        return gained
    more: Any = 0
    for cut, (left, right) in zip(feature.cuts, pairwise(feature.points), strict=True):
        more = more + (values > cut).view(np.int8) * _worth(right - left, len(feature.cuts))
    return np.zeros(values.size, dtype=np.int64) if isinstance(more, int) else more


def _worth(jump: int, n_cuts: int) -> np.int8 | np.int64:
    """A jump in the shortest numbers in which the sum of so many like it has room."""
    return np.int8(jump) if abs(jump) * n_cuts <= 127 else np.int64(jump)
