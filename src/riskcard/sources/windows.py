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
from riskcard.sources.coding import FeatureCodes
from riskcard.sources.groups import add_up
from riskcard.sources.rows import Rows


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

    @classmethod
    def of_rows(cls, rows: Rows, window: Window, names: Sequence[str]) -> WindowCounts:
        """What some rows, which have features of these ``names``, have in a window."""
        place = {name: f for f, name in enumerate(names)}
        values = rows.values[place[window.feature.name]]
        is_number = ~np.isnan(values) & ~np.isin(values, window.feature.specials)
        numbers = values[is_number]
        low = float(numbers[numbers <= window.at].max(initial=-np.inf))
        high = float(numbers[numbers > window.at].min(initial=np.inf))
        chosen = np.flatnonzero(window.has(values))
        totals = np.zeros(chosen.size, dtype=np.int64)
        for one in window.others:
            f = place[one.codes.name]
            codes = one.codes.code(rows.values[f][chosen], rows.texts.get(f))
            totals += np.array(one.points, dtype=np.int64)[codes]
        keys = 2 * totals + rows.is_event[chosen]
        own = values[chosen]
        if not window.is_by_number:
            own = np.searchsorted(window.feature.cuts, own, side="left").astype(np.float64)
        return cls.of(add_up(own, keys, rows.weights[chosen]), window.most, (low, high))

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
