"""The best gap for each cut of a card, among all gaps between two numbers of all rows of a source.

The rest of the card stays: its other cuts, all points, the scale. The rows between two coarse ends are counted
by label and by the total of the other features. That says what the loss is with the cut at either end, and what
it could be at best with the cut between them; only where that is low enough the rows are counted more finely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from riskcard.arrays import Floats
from riskcard.sources.rows import Wanted
from riskcard.sources.source import Source
from riskcard.sources.windows import Window, WindowCounts

#: Ends of bins per window, and at least per interval of it.
MOST_ENDS, FEWEST_ENDS = 255, 7
#: How often rows are counted more finely. Seven ends per interval tell all floats apart after 22 times.
MOST_PASSES = 24
#: A loss is lower if it is so by more than this part of what the rows of the window can change: rounding.
ROUNDING = 1e-10
#: Numbers and totals that are told apart in one window, at most.
MOST_GROUPS = 2**17


@dataclass(slots=True)
class CutSearch:
    """The search for the best place of one cut.

    Attributes
    ----------
    window
        The numbers between both neighbouring cuts, where ``at`` is the cut.
    below, above
        Log-odds that a number adds at or below the cut, and above it.
    multiplier, offset
        From a total of the other features to log-odds, the base included.
    factors
        How much more rows without and with the event count.
    sample
        Numbers of the feature in a sample, ascending: good ends of bins.
    """

    window: Window
    below: float
    above: float
    multiplier: float
    offset: float
    factors: tuple[float, float]
    sample: Floats
    ends: tuple[float, float] = (-np.inf, np.inf)
    place: float = np.nan
    sum_at_place: float = np.inf
    sum_at_cut: float = np.inf
    size: float = 0.0
    is_undecided: bool = False
    _open: list[tuple[float, float, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._open = [(low, high, 0.0) for low, high in self.window.intervals]

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to be counted."""
        return not self._open or self.is_undecided

    @property
    def gain(self) -> float:
        """By how much the loss is lower at the best place; 0 where it is not lower but by rounding."""
        found = self.sum_at_cut - self.sum_at_place
        return found if found > ROUNDING * self.size else 0.0

    def asked(self) -> list[Window]:
        """What has to be counted next: bins, and, if they are few, all different numbers."""
        intervals = tuple((low, high) for low, high, _ in self._open)
        n_ends = max(MOST_ENDS // len(intervals), FEWEST_ENDS)
        known = [np.array(intervals).ravel()]
        known += [_ends_between(*one, n_ends, self.sample) for one in intervals]
        if any(low < self.window.at < high for low, high in intervals):
            known.append(np.array([self.window.at]))
        cuts = np.unique(np.concatenate(known))
        common = {"intervals": intervals, "at": self.window.at, "others": self.window.others}
        own = self.window.feature
        codes = type(own)(own.name, cuts, None, own.specials, own.has_missing)
        return [
            Window(codes, is_by_number=False, most=2 * MOST_GROUPS, **common),  # type: ignore[arg-type]
            Window(codes, is_by_number=True, most=self.window.most, **common),  # type: ignore[arg-type]
        ]

    def take(self, asked: Window, by_bin: WindowCounts, by_number: WindowCounts) -> None:
        """Go on with what was counted.

        With the cut at ``t``, the loss is that with the cut at the lower end ``low`` of an interval plus the sum
        over the rows in ``(low, t]`` of what each changes when it gets the points below the cut instead of those
        above. Each row of a bin adds its own change or nothing, so at a cut inside the bin this sum is at least
        the sum at the lower end of the bin plus all negative changes of its rows. A bin where that is not below
        the best sum known is closed: no gap in it is better.
        """
        self.ends = by_number.below, by_number.above
        if by_number.is_complete:
            places, group = np.unique(by_number.numbers, return_inverse=True)
            lower, changes = places, self._changes(by_number)
        elif by_bin.is_complete:
            numbers, group = np.unique(by_bin.numbers, return_inverse=True)
            last = numbers.astype(np.int64)
            lower, places = asked.feature.cuts[last - 1], asked.feature.cuts[last]
            changes = self._changes(by_bin)
        else:
            self.is_undecided = True
            return
        total, lowest = (np.zeros(places.size) for _ in range(2))
        np.add.at(total, group, changes)
        np.add.at(lowest, group, np.minimum(changes, 0.0))
        if not self.size:
            self.size = float(np.abs(changes).sum())
        bins = []
        for low, high, start in self._open:
            own = np.flatnonzero((places > low) & (places <= high))
            sums = start + np.cumsum(total[own])
            self._note(low, high, start, (places[own], sums))
            before = np.concatenate([[start], sums[:-1]])
            bins += list(zip(lower[own], places[own], before, before + lowest[own], strict=True))
        self._open = []
        if not by_number.is_complete:
            limit = self.sum_at_place - ROUNDING * self.size
            self._open = [
                (low, high, start)
                for low, high, start, least in bins
                if least < limit and np.nextafter(low, np.inf) < high
            ]

    def _changes(self, counts: WindowCounts) -> Floats:
        """What the loss of the rows of each group changes when they get the points below the cut."""
        label = np.where(counts.keys % 2 == 1, 1.0, -1.0)
        rest = (counts.keys // 2) / self.multiplier + self.offset
        below, above = (
            np.logaddexp(0.0, -label * (rest + own)) for own in (self.below, self.above)
        )
        weights = counts.weights * np.where(label > 0, self.factors[1], self.factors[0])
        found: Floats = weights * (below - above)
        return found

    def _note(self, low: float, high: float, start: float, found: tuple[Floats, Floats]) -> None:
        """Keep the best of some places; the cut itself stays where none is better."""
        places, sums = found
        at = self.window.at
        if low <= at < high:
            known = np.flatnonzero(places <= at)
            if np.isinf(
                self.sum_at_cut
            ):  # known since the first pass, where the cut is the end of a bin
                self.sum_at_cut = float(sums[known[-1]]) if known.size else start
            if self.sum_at_cut <= self.sum_at_place:
                self.place, self.sum_at_place = at, self.sum_at_cut
        first, last = self.window.intervals[0][0], self.window.intervals[-1][1]
        inside = (places > first) & (places < last)
        if inside.any():
            best = int(np.argmin(sums[inside]))
            if sums[inside][best] < self.sum_at_place:
                self.place, self.sum_at_place = (
                    float(places[inside][best]),
                    float(sums[inside][best]),
                )


def search_gaps(source: Source, wanted: Wanted, searches: Sequence[CutSearch]) -> None:
    """Find the best place of each cut; the rows are counted for all of them in each pass."""
    for _ in range(MOST_PASSES):
        open_ones = [one for one in searches if not one.is_done]
        if not open_ones:
            return
        asked = [one.asked() for one in open_ones]
        found = iter(source.count_windows(wanted, [window for pair in asked for window in pair]))
        for one, (by_bin, _) in zip(open_ones, asked, strict=True):
            one.take(by_bin, next(found), next(found))
    for one in searches:
        one.is_undecided |= not one.is_done


def _ends_between(low: float, high: float, most: int, sample: Floats) -> Floats:
    """Numbers between two others: of a sample, or where it has few, at even steps of size and of bits."""
    inside = sample[np.searchsorted(sample, low, side="right") : np.searchsorted(sample, high)]
    if inside.size > most:
        return inside[(np.arange(most) * 2 + 1) * inside.size // (2 * most)]
    if 2 * inside.size >= most:
        return inside
    step = np.arange(1, most // 2 + 2) / (most // 2 + 2)
    even = low + (high / 2 - low / 2) * step * 2
    first, last = _place_of(low), _place_of(high)
    by_bits = [_number_at(first + (last - first) * k // (most + 1)) for k in range(1, most + 1)]
    found = np.unique(np.concatenate([even, by_bits, inside]))
    found = found + 0.0  # no negative zero
    return found[np.isfinite(found) & (found > low) & (found < high)]


def _place_of(value: float) -> int:
    """The place of a float among all floats."""
    bits = int(np.float64(value).view(np.int64))
    return bits if bits >= 0 else -(bits & (2**63 - 1))


def _number_at(place: int) -> float:
    """The float at a place."""
    value = float(np.int64(abs(place)).view(np.float64))
    return value if place >= 0 else -value
