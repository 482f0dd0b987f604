"""How far the shares of bins have moved between two samples: the population stability index (PSI).

The index is ``sum((actual - expected) * log(actual / expected))`` over the shares of the bins. Of a
score it is called PSI, of a characteristic CSI. Chance alone makes it positive: without any change it is
about ``(bins - 1) * (1 / n + 1 / m)`` for samples of n and m rows, and its multiple of
``1 / (1 / n + 1 / m)`` is about chi-squared with ``bins - 1`` degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from riskcard.errors import DataError
from riskcard.evaluation.intervals import LEVEL
from riskcard.evaluation.measures import Floats
from riskcard.evaluation.outcomes import effective_rows
from riskcard.formatting.speech import say

#: The limits by which the index is usually read.
SOME_CHANGE, LARGE_CHANGE = 0.1, 0.25
#: What every bin of both samples gets, in rows, where a bin of one of them is empty.
_ADDED_ROWS = 0.5


class Reading(str, Enum):
    """How a stability index is usually read."""

    STABLE = "stable"
    SOME = "some change"
    LARGE = "large change"

    def __str__(self) -> str:
        return self.value


#: What each reading is called on a page.
_READINGS = {
    Reading.STABLE: "drift_reading_stable",
    Reading.SOME: "drift_reading_some",
    Reading.LARGE: "drift_reading_large",
}


@dataclass(frozen=True, slots=True)
class DriftBin:
    """One bin in both samples.

    Attributes
    ----------
    words
        What the bin is.
    expected, actual
        Its shares of the reference and of the new rows, as they are.
    part
        What it adds to the index.
    points
        What the bin is worth on a card; None for bins of a total.
    """

    words: str
    expected: float
    actual: float
    part: float
    points: int | None = None


@dataclass(frozen=True, slots=True)
class Drift:
    """How far one column, or the total, has moved.

    Attributes
    ----------
    name
        What has moved.
    bins
        All bins that have rows in one of the samples.
    index
        The stability index.
    expected_rows, actual_rows
        Effective numbers of rows; without weights and clusters the numbers of rows.
    is_adjusted
        A bin was empty in one sample, so half a row was added to every bin of both.
    """

    name: str
    bins: tuple[DriftBin, ...]
    index: float
    expected_rows: float
    actual_rows: float
    is_adjusted: bool = False

    @property
    def by_chance(self) -> float:
        """About what the index is on average when nothing has changed."""
        return (len(self.bins) - 1) * self._unit

    @property
    def chance_limit(self) -> float:
        """Without any change the index is above this in about one sample of twenty."""
        free = len(self.bins) - 1
        return float(chi2.ppf(LEVEL, free)) * self._unit if free else 0.0

    @property
    def is_beyond_chance(self) -> bool:
        """The index is larger than samples of this size show without a change."""
        return self.index > self.chance_limit

    @property
    def reading(self) -> Reading:
        """The usual reading: stable below 0.1, large from 0.25 on."""
        if self.index < SOME_CHANGE:
            return Reading.STABLE
        return Reading.SOME if self.index < LARGE_CHANGE else Reading.LARGE

    @property
    def points_shift(self) -> float | None:
        """By how much the mean points have changed; None where bins have no points."""
        if any(one.points is None for one in self.bins):
            return None
        return sum((one.actual - one.expected) * (one.points or 0) for one in self.bins)

    @property
    def in_words(self) -> str:
        """The reading with what chance makes of it."""
        reading, is_stable = say(_READINGS[self.reading]), self.reading is Reading.STABLE
        if is_stable != self.is_beyond_chance:
            return reading
        return say(
            "drift_more_than_chance" if is_stable else "drift_within_chance", reading=reading
        )

    @property
    def _unit(self) -> float:
        return 1 / self.expected_rows + 1 / self.actual_rows


def drift_between(
    expected: Any,
    actual: Any,
    words: Sequence[str] | None = None,
    name: str = "total",
    rows: tuple[float, float] | None = None,
    points: Sequence[int] | None = None,
) -> Drift:
    """Compare the counts of bins in two samples.

    Parameters
    ----------
    expected, actual
        Rows, or sums of weights, in each bin of the reference and of the new rows. Bins that are
        empty in both are left out.
    words
        What the bins are called; by default their numbers.
    name
        What is counted.
    rows
        Effective numbers of rows of both samples, where counts are sums of weights.
    points
        What each bin is worth on a card.

    Examples
    --------
    >>> round(drift_between([50, 50], [60, 40]).index, 5)
    0.04055
    >>> drift_between([50, 50], [90, 10]).in_words
    'large change'
    """
    counts = np.array([_counts(expected), _counts(actual)])
    kept = np.flatnonzero(counts.sum(axis=0) > 0)
    shares: Floats = counts[:, kept] / counts.sum(axis=1, keepdims=True)
    old_rows, new_rows = counts.sum(axis=1).tolist() if rows is None else rows
    used, is_adjusted = positive_shares(shares, (old_rows, new_rows))
    parts: Floats = (used[1] - used[0]) * np.log(used[1] / used[0])
    names = [str(place + 1) for place in range(counts.shape[1])] if words is None else words
    bins = (
        DriftBin(names[place], old, new, part, None if points is None else points[place])
        for place, old, new, part in zip(
            kept.tolist(), *shares.tolist(), parts.tolist(), strict=True
        )
    )
    return Drift(name, tuple(bins), float(parts.sum()), old_rows, new_rows, is_adjusted)


def rows_worth(
    places: NDArray[np.intp],
    weights: Floats,
    clusters: NDArray[np.intp] | None,
    counts: NDArray[np.int64] | None = None,
) -> float:
    """The number of independent rows that tell as much about the shares of bins as these rows.

    Without clusters it is Kish's effective number of rows. Rows of one cluster tell less: the variances of
    the shares between clusters are compared with those of independent rows, averaged over the bins (the
    first-order correction of Rao and Scott 1981).

    Parameters
    ----------
    places
        The bin of each row.
    weights
        One per row.
    clusters
        A number from 0 per row; None where rows are independent.
    counts
        How many rows of equal weight each entry stands for; None for one row each.
    """
    by_rows = effective_rows(weights, counts)
    if clusters is None:
        return by_rows
    units = np.bincount(clusters, weights) / weights.sum()
    n_units, bins = effective_rows(units), np.unique(places)
    if n_units <= 1 or bins.size < 2:
        return n_units
    spread = 0.0
    for place in bins:
        is_here = places == place
        own = np.bincount(clusters[is_here], weights[is_here], units.size) / weights.sum()
        share = float(own.sum())
        moves = own - share * units
        spread += float(moves @ moves) / share if share > 0 else 0.0
    spread *= n_units / (n_units - 1)
    return min(by_rows, (bins.size - 1) / spread) if spread > 0 else by_rows


def equal_share_bands(weights: Any, most: int = 10) -> list[int]:
    """Divide neighbouring values into bands with about equal shares of the rows.

    Parameters
    ----------
    weights
        Rows at each value, in the order of the values; at least one is positive.
    most
        The most bands. A value is never divided, so there may be fewer.

    Returns
    -------
    list of int
        The position of the last value of each band.

    Examples
    --------
    >>> equal_share_bands([1, 1, 1, 1], most=2), equal_share_bands([8, 1, 1], most=4)
    ([1, 3], [0, 2])
    """
    sizes = _counts(weights)
    middles = (np.cumsum(sizes) - sizes / 2) / sizes.sum()
    places = np.minimum((middles * most).astype(int), most - 1)
    ends = np.flatnonzero(np.diff(places) > 0).tolist()
    return [*ends, sizes.size - 1]


def positive_shares(shares: Floats, sizes: Sequence[float]) -> tuple[Floats, bool]:
    """Shares whose logarithms are finite, and whether they had to be changed for that.

    Parameters
    ----------
    shares
        Of the bins (columns) in two samples (rows).
    sizes
        Effective rows of both samples. Where a bin of one of them is empty, half a row is added to
        every bin of both.
    """
    if (shares > 0).all():
        return shares, False
    rows = np.array(sizes)[:, np.newaxis]
    return (shares * rows + _ADDED_ROWS) / (rows + _ADDED_ROWS * shares.shape[1]), True


def _counts(counts: Any) -> Floats:
    found = np.asarray(counts, dtype=np.float64)
    if found.ndim != 1 or not np.isfinite(found).all() or (found < 0).any() or not found.any():
        raise DataError(
            "The counts of bins have to be numbers of at least 0, not all of them 0. Give the rows of "
            "each bin, of the reference and of the new rows."
        )
    return found
