"""Conditions on a feature of numbers with missing or special values."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from riskcard.arrays import Booleans
from riskcard.problem.atoms import Atoms, chains_of_all_groupings

#: By the number of rows, the most special values: every set of them may be below a cut, and further
#: ones are merged first. Long tables get fewer, since every set is a column of codes.
MOST_SPECIALS = ((60_000, 4), (400_000, 3), (None, 2))
#: The most conditions on a feature, sets of special values times bins, for more than two of them.
MOST_CONDITIONS = 20_000


def most_specials(n_rows: int, n_bins: int) -> int:
    """How many special values are kept apart in a table, next to a number of bins."""
    most = next(most for rows, most in MOST_SPECIALS if rows is None or n_rows <= rows)
    while most > 2 and n_bins << most > MOST_CONDITIONS:
        most -= 1
    return most


def atoms_with_specials(
    atom_of_row: NDArray[np.int32],
    is_event: Booleans,
    n_specials: int,
    n_bins: int,
    is_directed: bool,
) -> Atoms:
    """The conditions on special values and on the bins of a feature.

    The atoms are the special values, then the bins in order. There are conditions "at or below cut
    c, or among these special values", and conditions "among these special values", for every set of
    them.

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
    base = np.arange(n_atoms, dtype=np.int32)
    first = np.concatenate([np.full(n_atoms - 1 - n_cuts, -1), np.arange(n_cuts)])
    codes, thresholds = [base], [first]
    # the first column has the first special values, and all of them below every cut
    is_apart = is_directed and n_cuts > 0
    sizes = range(n_specials + is_apart if n_cuts else 0)
    for below in (chosen for size in sizes for chosen in combinations(range(n_specials), size)):
        column = np.full(n_atoms, n_cuts, dtype=np.int32)
        column[list(below)] = 0
        column[n_specials:] = np.arange(n_bins)
        codes.append(column)
        thresholds.append(np.arange(n_cuts))
    # all numbers together are one more thing to be told from special values
    things = n_specials + (n_bins > 0)
    for chain in chains_of_all_groupings(things)[0 if is_apart else 1 :] if things > 1 else []:
        column = np.full(n_atoms, chain[-1], dtype=np.int32)
        column[:n_specials] = chain[:n_specials]
        codes.append(column)
        thresholds.append(np.full(max(chain), -1))
    return Atoms(
        codes=np.stack(codes),
        rows=np.bincount(atom_of_row, minlength=n_atoms).astype(np.int64),
        events=np.bincount(atom_of_row[is_event], minlength=n_atoms).astype(np.int64),
        thresholds=tuple(np.asarray(ids, dtype=np.int64) for ids in thresholds),
        most_terms=max(n_cuts, min(n_atoms - 1, 1)),
        n_bins=n_bins,
    )
