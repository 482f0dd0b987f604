"""Atoms: the smallest groups of values of one feature that its conditions can distinguish.

A feature with missing values, special values or levels has several columns: chains of nested
conditions, each a set of atoms. Two conditions of a card on one feature must be *compatible*: they
divide its values into at most three groups. So ``q`` terms make at most ``q + 1`` groups, as ``q``
cuts of a plain number do.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from riskcard.arrays import Booleans, Codes, Integers, Labels


@dataclass(frozen=True, slots=True)
class Atoms:
    """The atoms of one feature, and which of them each condition holds for.

    Attributes
    ----------
    codes
        (columns of the feature, atoms) int32: condition ``c`` of a column holds for the atoms with
        codes up to ``c``. The first column distinguishes all atoms: its codes are
        ``0 .. atoms - 1``.
    rows, events
        How many rows, and rows with the event, each atom has.
    thresholds
        For each column the number of the threshold that each of its conditions is, or -1. Two
        conditions at one threshold are never compatible: a cut has one jump.
    most_terms
        Every compatible set of conditions can be extended to this many, or has more already.
    n_bins
        How many atoms, the last ones, are bins of numbers in order; the others are special values or
        levels.
    """

    codes: Codes
    rows: Integers
    events: Integers
    thresholds: tuple[Integers, ...]
    most_terms: int
    n_bins: int = 0

    @property
    def n_columns(self) -> int:
        return int(self.codes.shape[0])

    def n_cuts(self) -> Integers:
        """Number of conditions of each column."""
        return np.array([ids.size for ids in self.thresholds], dtype=np.int64)

    @property
    def is_bin(self) -> Booleans:
        """Which atoms are bins of numbers."""
        is_bin: Booleans = np.arange(self.rows.size) >= self.rows.size - self.n_bins
        return is_bin

    def is_wide_enough(self, column: int, least: tuple[int, int]) -> Booleans:
        """Which conditions of a column leave at least ``least`` rows and events on either side.

        On each side that has numbers at all, rows with a number are counted: missing values with the
        points of a bin do not make it larger.
        """
        return self.divides_well(column, np.zeros_like(self.rows), least)

    def clashes(self, least: tuple[int, int]) -> list[Integers]:
        """Which conditions clash: for each column an array (conditions, columns, 2).

        Condition ``c`` of the second column clashes with one of the first iff
        ``low < c < high``. Both counts of ``least`` are for every group that the two make, and for the
        bin between two cuts, whatever special values are in its group.

        Proof that this is one interval: let ``S`` be the one condition and ``T_c`` grow with ``c``.
        The two are compatible iff ``T_c`` is disjoint from ``S`` or within it, which holds up to
        some ``c``, or contains ``S`` or all that ``S`` does not, which holds from some ``c`` on. In
        each case the third group shrinks or grows with ``c`` too, so that its counts only move the
        limit. Cuts ascend in each column, so those too near to a cut are an interval around it; that
        cut itself is in both intervals, and their union is one.
        """
        held = [
            [self._held(column, counts) for counts in (self.rows, self.events)]
            for column in range(self.n_columns)
        ]
        pairs = [
            [self._clash(one, other, held, least) for other in range(self.n_columns)]
            for one in range(self.n_columns)
        ]
        return [np.stack(limits, axis=1) for limits in pairs]

    def divides_well(self, column: int, groups: Integers, least: tuple[int, int]) -> Booleans:
        """Which conditions of a column divide the groups into parts that are all large enough."""
        n_cuts, n_groups = self.thresholds[column].size, int(groups.max(initial=0)) + 1
        is_fine = np.ones(n_cuts, dtype=bool)
        place = groups * (n_cuts + 1) + self.codes[column]
        is_bin = self.is_bin
        for counted in (np.ones_like(is_bin), is_bin):  # a whole group, and its bins alone
            parts = [
                np.cumsum(
                    np.bincount(place, counts * counted, minlength=n_groups * (n_cuts + 1)).reshape(
                        n_groups, -1
                    ),
                    axis=1,
                )
                for counts in (np.ones_like(self.rows), self.rows, self.events)
            ]
            n_in, n_out = parts[0][:, :-1], parts[0][:, -1:] - parts[0][:, :-1]
            for held, fewest in zip(parts[1:], least, strict=True):
                inside, outside = held[:, :-1], held[:, -1:] - held[:, :-1]
                is_fine &= ((n_in == 0) | (inside >= fewest)).all(axis=0)
                is_fine &= ((n_out == 0) | (outside >= fewest)).all(axis=0)
        return is_fine

    def groups(self, terms: Sequence[tuple[int, int]]) -> Integers:
        """The number of the group that each atom is in, under (column, condition) pairs."""
        pattern = np.array([self.codes[column] <= cut for column, cut in terms])
        return np.unique(pattern, axis=1, return_inverse=True)[1].ravel()

    def _held(self, column: int, counts: Integers) -> Integers:
        """How many of the counted rows each condition of a column holds for."""
        n_cuts = self.thresholds[column].size
        by_code = np.bincount(self.codes[column], counts, minlength=n_cuts + 1)
        return np.cumsum(by_code)[:-1].astype(np.int64)

    def _clash(
        self, one: int, other: int, held: list[list[Integers]], least: tuple[int, int]
    ) -> Integers:
        """(conditions of ``one``, 2): the limits between which conditions of ``other`` clash."""
        own, n_other = held[one], self.thresholds[other].size
        rest = [
            counts.sum() - part for counts, part in zip((self.rows, self.events), own, strict=True)
        ]
        first, last = self._ends(one, other)
        # the conditions that are disjoint from this one, or within it; then those that contain it,
        # or everything outside it
        disjoint = np.minimum(first[0], _count_up_to(held[other], rest, least))
        within = np.minimum(first[1], _count_up_to(held[other], own, least))
        contains = np.maximum(last[0], _count_below(held[other], own, least))
        covers = np.maximum(last[1], _count_below(held[other], rest, least))
        low, high = np.maximum(disjoint, within) - 1, np.minimum(contains, covers)
        place = np.full(self.codes.shape[1] + 1, n_other + 1)
        is_threshold = self.thresholds[other] >= 0
        place[self.thresholds[other][is_threshold]] = np.flatnonzero(is_threshold)
        same = place[self.thresholds[one]]  # the last place, for -1, is never a threshold
        has_same = same < n_other
        low = np.where(has_same, np.minimum(low, same - 1), low)
        high = np.where(has_same, np.maximum(high, same + 1), high)
        at_cut = self.thresholds[one] >= 0
        if at_cut.any() and is_threshold.any():
            below = [counts[:-1] for counts in self._below_cuts()]
            numbers = [counts[self.thresholds[one][at_cut]] for counts in below]
            first_cut = int(is_threshold.argmax())
            near = first_cut + _count_up_to(below, numbers, least) - 1
            far = first_cut + _count_below(below, numbers, least)
            low[at_cut] = np.minimum(low[at_cut], near)
            high[at_cut] = np.maximum(high[at_cut], far)
        return np.stack([low, high], axis=1)

    def _below_cuts(self) -> list[Integers]:
        """Rows, and events, with a number up to the end of each bin."""
        return [np.cumsum(counts[self.is_bin]) for counts in (self.rows, self.events)]

    def _ends(self, one: int, other: int) -> tuple[Integers, Integers]:
        """Lowest and highest code in ``other`` of the atoms inside and outside each condition."""
        n_cuts, n_other = self.thresholds[one].size, self.thresholds[other].size
        lowest, highest = np.full(n_cuts + 1, n_other), np.zeros(n_cuts + 1, dtype=np.int64)
        np.minimum.at(lowest, self.codes[one], self.codes[other])
        np.maximum.at(highest, self.codes[one], self.codes[other])
        first = np.stack(
            [np.minimum.accumulate(lowest)[:-1], np.minimum.accumulate(lowest[::-1])[::-1][1:]]
        )
        last = np.stack(
            [np.maximum.accumulate(highest)[:-1], np.maximum.accumulate(highest[::-1])[::-1][1:]]
        )
        return first, last


def _count_up_to(held: list[Integers], whole: list[Integers], least: tuple[int, int]) -> Integers:
    """How many conditions, from the first, leave at least ``least`` of each whole outside them."""
    counts = [
        np.searchsorted(part, total - fewest, side="right")
        for part, total, fewest in zip(held, whole, least, strict=True)
    ]
    return np.minimum(*counts)


def _count_below(held: list[Integers], whole: list[Integers], least: tuple[int, int]) -> Integers:
    """The first condition that exceeds each whole by at least ``least``."""
    counts = [
        np.searchsorted(part, total + fewest, side="left")
        for part, total, fewest in zip(held, whole, least, strict=True)
    ]
    return np.maximum(*counts)


def plain_atoms(codes: Codes, labels: Labels, n_cuts: int) -> Atoms:
    """The atoms of a feature of numbers only: the bins between its candidate cuts."""
    rows = np.bincount(codes, minlength=n_cuts + 1)
    events = np.bincount(codes[labels > 0], minlength=n_cuts + 1)
    return Atoms(
        codes=np.arange(n_cuts + 1, dtype=np.int32)[None, :],
        rows=rows.astype(np.int64),
        events=events.astype(np.int64),
        thresholds=(np.arange(n_cuts),),
        most_terms=n_cuts,
        n_bins=n_cuts + 1,
    )


def chains_of_all_groupings(n_atoms: int) -> list[list[int]]:
    """Every division of the atoms into two groups, once, in chains of nested groups.

    Returns
    -------
    list of list of int
        For each chain the code of every atom: condition ``c`` holds for codes up to ``c``. The
        first chain is ``{0}, {0, 1}, ...``.

    Notes
    -----
    A division is named by its group without the last atom: any non-empty subset of the others. The
    subsets are put into the symmetric chains of Greene and Kleitman (1976): write a subset as a row
    of 0 and 1, and match every 1 with the nearest unmatched 0 before it. Subsets with the same
    matched places are nested, since the unmatched ones read 1..10..0. Every subset is in exactly
    one chain.
    """
    n = n_atoms - 1
    chains: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for subset in range(1, 1 << n):
        chains.setdefault(_matched(subset, n), []).append(subset)
    ordered = sorted(chains.values(), key=lambda chain: (-len(chain), chain))
    return [_codes_of_chain(sorted(chain, key=int.bit_count), n_atoms) for chain in ordered]


def _matched(subset: int, n: int) -> tuple[tuple[int, int], ...]:
    waiting: list[int] = []
    pairs = []
    for place in range(n):
        if not subset >> place & 1:
            waiting.append(place)
        elif waiting:
            pairs.append((waiting.pop(), place))
    return tuple(sorted(pairs))


def _codes_of_chain(chain: list[int], n_atoms: int) -> list[int]:
    """For each atom the number of the first set of the chain that holds it."""
    return [
        next((c for c, subset in enumerate(chain) if subset >> atom & 1), len(chain))
        for atom in range(n_atoms)
    ]
