"""Cuts within bins: a problem on counted bins, none of whose cards has a lower loss than those with any cuts.

Rows were merged by the bins of each feature, so it is not known on which side of a cut inside a bin they are. In
this problem each of them is where its label wants it. A card with such terms has at most the loss of the card
that they stand for, and the proof that is made for any problem bounds the cards of this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from riskcard.arrays import Booleans, Codes, Integers
from riskcard.problem.atoms import Atoms
from riskcard.problem.problem import Limits, Problem, Scale
from riskcard.problem.ranked_data import RankedData


@dataclass(frozen=True, slots=True)
class TermKind:
    """A term on one feature, with points of one sign where its condition holds.

    Attributes
    ----------
    feature, sign
        Its feature, and the sign of its points.
    is_open
        In which bins of the feature its cut may be; a bin with a single number has no cut inside. All
        False for levels. The ends of other bins than these are places for a cut as well.
    """

    feature: int
    sign: int
    is_open: Booleans


@dataclass(frozen=True, slots=True)
class FreeProblem:
    """A problem with cuts within bins.

    Attributes
    ----------
    problem
        What is to be proven.
    places
        For each column the number of its kind, and the places of its conditions: twice the number of
        the bin that the cut is in, and one more for a cut at the end of this bin; -1 for conditions on special
        values alone.
    """

    problem: Problem
    places: tuple[tuple[int, Integers], ...]

    def outside(self, kind: int, first: int, last: int) -> Problem:
        """The problem with those cards only whose term of one kind is not from one place to another."""
        closed = [
            (own == kind) & (places >= first) & (places <= last) for own, places in self.places
        ]
        return self.problem.without(closed)

    def inside(self, kind: int, first: int, last: int) -> FreeProblem:
        """The problem with those cards only whose term of one kind is from one place to another."""
        closed = [
            (own == kind) & ((places < first) | (places > last)) for own, places in self.places
        ]
        return FreeProblem(self.problem.without(closed), self.places)


def is_supported(atoms: Atoms | None) -> bool:
    """Whether the conditions with cuts inside bins are known: of numbers without special values but a missing one."""
    return atoms is None or atoms.n_bins != 1


def with_free_bins(
    data: RankedData,
    kinds: Sequence[TermKind],
    max_terms: int,
    scale: Scale,
    max_points: int,
) -> FreeProblem:
    """The problem whose cards have at most one term on each column of each of some kinds.

    Parameters
    ----------
    data
        Rows merged by bins.
    kinds
        The terms that a card may have; a kind may be there several times.
    max_terms
        The most terms of a card.
    scale, max_points
        As of the cards that are to be bounded.

    Notes
    -----
    Why no card whose terms are of these kinds, with any cuts, has a lower loss than the best card of this problem.
    Take such a card and give each of its terms the condition of this problem in whose bin its cut is, on a column
    of its own kind; points, multiplier and offset stay. Both conditions hold for the same rows outside the
    bin. Inside it, the new one holds for all rows whose label gains by its points, and for none of the others. So
    each row with the event has at least as many points from each term as before, and each other row at most as
    many. The multiplier is positive and the log-loss of a row falls with the margin, so no row has a larger loss.
    A cut between two bins that have one number each is a condition of its own, and a cut at the end of
    an open bin is that of the open bin where all rows, or none, have moved.
    """
    columns = [
        (place, codes, conditions)
        for place, kind in enumerate(kinds)
        for codes, conditions in _columns_of(data, kind)
    ]
    signs = np.array([kinds[place].sign for place, _, _ in columns])
    codes = np.stack([codes for _, codes, _ in columns]).astype(np.int32)
    n_cuts = np.array([conditions.size for _, _, conditions in columns], dtype=np.int64)
    free = RankedData(codes, n_cuts, data.labels, data.weights)
    limits = Limits(max_terms, min(max_terms, free.n_columns), 1)
    low, high = np.where(signs > 0, 0, -max_points), np.where(signs > 0, max_points, 0)
    own = tuple((place, conditions) for place, _, conditions in columns)
    return FreeProblem(Problem(free, limits, scale, low, high), own)


def _columns_of(data: RankedData, kind: TermKind) -> list[tuple[Codes, Integers]]:
    """The columns of a kind of terms: codes, and the places of the conditions."""
    first, atoms = int(data.first_columns[kind.feature]), data.atoms[kind.feature]
    is_gaining = (data.labels > 0) == (kind.sign > 0)
    if atoms is None:
        return [_free_codes(data.codes[first], kind.is_open, is_gaining)]
    atom = data.codes[first]
    n_specials = int(atoms.rows.size) - atoms.n_bins
    is_number = atom >= n_specials
    bins = np.where(is_number, atom - n_specials, 0)
    inner, places = _free_codes(bins, kind.is_open, is_gaining)
    found = []
    for place, (chain, ids) in enumerate(zip(atoms.codes, atoms.thresholds, strict=True)):
        if not (ids >= 0).any():
            found.append((chain[atom], np.full(ids.size, -1)))
        elif place == 0:  # the special values, one after another, and then the numbers
            codes = np.where(is_number, inner + n_specials, atom)
            found.append((codes, np.concatenate([np.full(n_specials, -1), places])))
        else:  # special values below every cut, or above every one
            is_below = chain[np.minimum(atom, n_specials - 1)] == 0
            codes = np.where(is_number, inner, np.where(is_below, 0, places.size))
            found.append((codes, places))
    return found


def _free_codes(bins: Codes, is_open: Booleans, is_gaining: Booleans) -> tuple[Codes, Integers]:
    """The first condition that holds for each row, and the places of the conditions.

    There is one inside each open bin, and one between each two neighbouring bins that are not open. The bin ``b``
    is at the place ``2 b``, and its end at ``2 b + 1``.
    """
    inside = 2 * np.flatnonzero(is_open)
    between = 2 * np.flatnonzero(~is_open[:-1] & ~is_open[1:]) + 1
    places = np.union1d(inside, between).astype(np.int64)
    codes = np.searchsorted(places, 2 * bins.astype(np.int64) + ~is_gaining)
    return codes.astype(np.int32), places
