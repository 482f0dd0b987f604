"""Counts at full resolution: the numbers of one feature within some intervals, by what a card gives otherwise.

A window asks how much weight the rows have at each number (or between each two numbers) of a feature, for each
label and each total of the points of other features. That is what is needed to find the best place of one cut
while the rest of a card stays as it is. The answers of pieces add up to the same whole numbers in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.sources.coding import CodedRows, FeatureCodes
from riskcard.sources.groups import add_up
from riskcard.sources.rows import Rows

#: Up to so many cells sums are kept in one array.
MOST_CELLS = 2**20


@dataclass(frozen=True, slots=True)
class PointsOfCodes:
    """What a card gives to each code of a feature."""

    codes: FeatureCodes
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """Some numbers of a feature.

    Attributes
    ----------
    feature
        Its name, its codes of the user, and the cuts between which numbers are not told apart.
    intervals
        Each above its first number, and up to its second; ascending, without overlap.
    is_by_number
        Tell all numbers apart, and leave the cuts.
    at
        The neighbours of this number are wanted as well.
    others
        The points of the other features.
    most
        More groups than so many are not listed.
    """

    feature: FeatureCodes
    intervals: tuple[tuple[float, float], ...]
    is_by_number: bool
    at: float
    others: tuple[PointsOfCodes, ...]
    most: int

    @property
    def names(self) -> list[str]:
        """The features that it reads."""
        return [self.feature.name, *(one.codes.name for one in self.others)]

    def has(self, values: Floats) -> Booleans:
        """Which numbers are in an interval; a missing one and a code are in none."""
        ends = np.array(self.intervals, dtype=np.float64).ravel()
        is_inside: Booleans = np.searchsorted(ends, values, side="left") % 2 == 1
        return is_inside & ~np.isnan(values) & ~np.isin(values, self.feature.specials)


@dataclass(frozen=True, slots=True)
class WindowCounts:
    """What is in a window.

    Attributes
    ----------
    numbers
        The number of each group, or that of its bin between cuts; ascending.
    keys
        Twice the total of the other features, and 1 more with the event; ascending where numbers are equal.
    weights
        The weight of the rows of each group.
    is_complete
        Otherwise there were more groups than wanted, and none are listed.
    below, above
        Of all numbers of the feature the largest one up to ``at`` and the smallest one above it.
    """

    numbers: Floats
    keys: Integers
    weights: Integers
    is_complete: bool
    below: float
    above: float

    @classmethod
    def of(
        cls, groups: tuple[Floats, Integers, Integers], most: int, ends: tuple[float, float]
    ) -> WindowCounts:
        """Groups, if they are not too many."""
        if groups[0].size <= most:
            return cls(*groups, True, *ends)
        nothing = np.zeros(0, dtype=np.int64)
        return cls(np.zeros(0), nothing, nothing, False, *ends)

    def add(self, other: WindowCounts, most: int) -> WindowCounts:
        """These counts, with those of other rows."""
        ends = max(self.below, other.below), min(self.above, other.above)
        if not (self.is_complete and other.is_complete):
            nothing = np.zeros(0, dtype=np.int64)
            return WindowCounts(np.zeros(0), nothing, nothing, False, *ends)
        parts = (
            np.concatenate([getattr(one, name) for one in (self, other)])
            for name in ("numbers", "keys", "weights")
        )
        return WindowCounts.of(add_up(*parts), most, ends)


class CountedRows(CodedRows):
    """Rows that are counted for several windows: what is the same for them is computed once."""

    def __init__(self, rows: Rows, names: Sequence[str]) -> None:
        super().__init__(rows, names)
        self._points: dict[int, Integers] = {}

    def window(self, window: Window, is_listed: bool) -> WindowCounts:
        """What the rows have in a window; without its groups where they are known to be too many."""
        values = self._rows.values[self._place[window.feature.name]]
        numbers = values[~np.isnan(values) & ~np.isin(values, window.feature.specials)]
        low = float(numbers[numbers <= window.at].max(initial=-np.inf))
        high = float(numbers[numbers > window.at].min(initial=np.inf))
        if not is_listed:
            nothing = np.zeros(0, dtype=np.int64)
            return WindowCounts(np.zeros(0), nothing, nothing, False, low, high)
        chosen = np.flatnonzero(window.has(values))
        keys = self._rows.is_event[chosen].astype(np.int64)
        for one in window.others:
            keys += 2 * self._points_of(one)[chosen]
        own, weights = values[chosen], self._rows.weights[chosen]
        if window.is_by_number:
            groups = add_up(own, keys, weights)
        else:
            bins = np.searchsorted(window.feature.cuts, own, side="left")
            groups = _add_up_bins(bins, keys, weights)
        return WindowCounts.of(groups, window.most, (low, high))

    def _points_of(self, one: PointsOfCodes) -> Integers:
        """What a card gives to each row for a feature."""
        if id(one) not in self._points:
            codes, _ = self._codes_of(one.codes)
            self._points[id(one)] = np.array(one.points, dtype=np.int64)[codes]
        return self._points[id(one)]


def _add_up_bins(
    bins: Integers, keys: Integers, weights: Integers
) -> tuple[Floats, Integers, Integers]:
    """The sums of positive weights by bin and key, as `add_up` gives them."""
    low = int(keys.min(initial=0))
    span = int(keys.max(initial=0)) - low + 1
    n_bins = int(bins.max(initial=0)) + 1
    if n_bins * span > MOST_CELLS:
        return add_up(bins.astype(np.float64), keys, weights)
    sums = np.zeros(n_bins * span, dtype=np.int64)
    np.add.at(sums, bins * span + (keys - low), weights)
    filled = np.flatnonzero(sums)
    return (filled // span).astype(np.float64), filled % span + low, sums[filled]
