"""Conditions on a feature of numbers with missing or special values."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from riskcard.arrays import Booleans
from riskcard.problem.atoms import Atoms

#: With up to this many special values a cut may have any set of them below it; with more, all or
#: none.
MOST_SPECIALS_COMBINED = 2


def atoms_with_specials(
    atom_of_row: NDArray[np.int32],
    is_event: Booleans,
    n_specials: int,
    n_bins: int,
    is_directed: bool,
) -> Atoms:
    """The conditions on special values and on the bins of a feature.

    The atoms are the special values, then the bins in order. There are conditions "at or below cut
    c, or among these special values", for several sets of them, and conditions "among these special
    values".

    Parameters
    ----------
    n_bins
        Bins between cuts; 0 when no row has a number.
    is_directed
        The risk must rise or fall with the number: then the conditions on special values, which are
        free, have columns of their own, and the first column is for counting only.

    Notes
    -----
    Why every compatible set can be extended by any cut that it does not have, so that
    ``most_terms`` is the number of cuts. Of two compatible conditions at cuts ``c < c'`` with
    special values ``I`` and ``I'`` the first is within the second, so ``I`` is within ``I'``. Give
    a new cut the special values of the condition at the next cut below it in the set, or none if
    there is no such cut. It is compatible with all conditions at cuts; and a set of special values
    that is within or disjoint from ``I`` for each of them is so for the new one too.
    """
    n_atoms, n_cuts = n_specials + n_bins, max(n_bins - 1, 0)
    everything = tuple(range(n_specials))
    base = np.arange(n_atoms, dtype=np.int32)
    first = np.concatenate([np.full(n_atoms - 1 - n_cuts, -1), np.arange(n_cuts)])
    codes, thresholds = [base], [first]
    sets = _sets_of_specials(n_specials, n_bins)
    if is_directed and n_cuts:
        below_cuts, alone = [*_sets_below_cuts(n_specials), everything], sets
    else:
        prefixes = {everything[:size] for size in range(1, n_specials + 1)}
        below_cuts = _sets_below_cuts(n_specials)
        alone = [chosen for chosen in sets if chosen not in prefixes]
    for below in below_cuts if n_cuts else []:
        column = np.full(n_atoms, n_cuts, dtype=np.int32)
        column[list(below)] = 0
        column[n_specials:] = np.arange(n_bins)
        codes.append(column)
        thresholds.append(np.arange(n_cuts))
    for chosen in alone:
        column = np.ones(n_atoms, dtype=np.int32)
        column[list(chosen)] = 0
        codes.append(column)
        thresholds.append(np.array([-1]))
    return Atoms(
        codes=np.stack(codes),
        rows=np.bincount(atom_of_row, minlength=n_atoms).astype(np.int64),
        events=np.bincount(atom_of_row[is_event], minlength=n_atoms).astype(np.int64),
        thresholds=tuple(np.asarray(ids, dtype=np.int64) for ids in thresholds),
        most_terms=max(n_cuts, min(n_atoms - 1, 1)),
    )


def _sets_below_cuts(n_specials: int) -> list[tuple[int, ...]]:
    """The sets of special values, except all of them, that may be below a cut."""
    if n_specials > MOST_SPECIALS_COMBINED:
        return [()]
    return [
        chosen for size in range(n_specials) for chosen in combinations(range(n_specials), size)
    ]


def _sets_of_specials(n_specials: int, n_bins: int) -> list[tuple[int, ...]]:
    """The sets of special values that may be separated from everything else, each division once."""
    everything = tuple(range(n_specials))
    if n_specials > MOST_SPECIALS_COMBINED:
        return [*((one,) for one in everything), *([everything] if n_bins else [])]
    sets = [
        chosen for size in range(1, n_specials + 1) for chosen in combinations(everything, size)
    ]
    # without numbers, a set and its complement divide the rows alike, and all of them do not
    return sets if n_bins else [chosen for chosen in sets if 0 in chosen and chosen != everything]
