"""The rows as the search sees them: with every cut, or with few enough to try all of them often."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.arrays import Codes, Floats, Integers
from riskcard.problem.problem import Problem
from riskcard.problem.ranked_data import RankedData
from riskcard.search.plan import PLAN, SearchPlan


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows in bins: a row is below cut ``c`` of feature ``f`` iff ``codes[f, row] <= c``.

    Attributes
    ----------
    codes
        Shape (features, rows).
    n_cuts
        Number of cuts of each feature.
    is_event
        1 for rows with the event, 0 for the others.
    weights
        Row weights.
    common
        For each feature a code that at least ``SearchPlan.least_common`` of the rows have, or -1.
    uncommon, begins
        The rows with other codes than the common one, feature by feature, and where those of each
        column begin; none for columns without a common code.
    original
        For each column the cuts of the problem that its cuts are; None when they are the same.
    folds, maps
        For each column the first column of its feature, whose bins are finer than its own, and
        where the map from those bins to its own begins in ``maps``.
    """

    codes: Codes
    n_cuts: Integers
    is_event: NDArray[np.int8]
    weights: Floats
    common: Integers
    uncommon: NDArray[np.int32]
    begins: Integers
    original: tuple[Integers, ...] | None
    folds: Integers
    maps: NDArray[np.int32]

    @property
    def for_kernels(self) -> tuple[NDArray[Any], ...]:
        """The rows as ``improve_set`` takes them."""
        columns = self.codes, self.n_cuts, self.common, self.uncommon, self.begins
        return *columns, self.folds, self.maps, self.is_event, self.weights

    @property
    def starts(self) -> Integers:
        """Where the conditions of each column begin in the list of all conditions."""
        return np.cumsum(self.n_cuts) - self.n_cuts

    def restore(self, terms: Integers) -> Integers:
        """Terms (2 or 3, terms) with the cuts of the problem."""
        restored = terms.copy()
        if self.original is not None:
            for term, f in enumerate(terms[0]):
                restored[1, term] = self.original[f][terms[1, term]]
        return restored

    def replace(self, terms: Integers) -> Integers:
        """Terms with cuts of the problem, with the nearest cuts at or above them here."""
        replaced = terms.copy()
        if self.original is not None:
            for term, f in enumerate(terms[0]):
                place = np.searchsorted(self.original[f], terms[1, term])
                replaced[1, term] = min(int(place), int(self.n_cuts[f]) - 1)
        return replaced


def all_cuts(problem: Problem, is_screened: bool = False, plan: SearchPlan = PLAN) -> Rows:
    """Every row and every candidate cut; only the screen of cuts needs common codes."""
    data = problem.data
    is_event = (data.labels > 0).astype(np.int8)
    columns = data.first_columns if is_screened else data.first_columns[:0]
    common = _common_codes(data.codes, columns, plan)
    folds, maps = _folds(data, [np.arange(n) for n in data.n_cuts])
    return Rows(data.codes, data.n_cuts, is_event, data.weights, *common, None, folds, maps)


def few_cuts(
    problem: Problem, max_cuts: int, max_rows: int, seed: int, plan: SearchPlan = PLAN
) -> Rows:
    """At most ``max_cuts`` cuts per feature, spread evenly, and ``max_rows`` random rows."""
    data = problem.data
    chosen: Integers | slice = slice(None)
    if data.n_rows > max_rows:
        rng = np.random.default_rng(seed)
        chosen = np.sort(rng.choice(data.n_rows, max_rows, replace=False))
    elif data.n_cuts.max(initial=0) <= max_cuts:
        return all_cuts(problem, is_screened=True, plan=plan)
    cuts: list[Integers] = []
    for f, first in enumerate(data.first_columns):
        cuts.append(_spread_cuts(data.codes[first][chosen], int(data.n_cuts[first]), max_cuts))
        atoms = data.atoms[f]
        if atoms is not None:
            bin_of_atom = np.searchsorted(cuts[first], atoms.codes[0])
            cuts += [
                _cuts_between_bins(codes, ids.size, bin_of_atom)
                for codes, ids in zip(atoms.codes[1:], atoms.thresholds[1:], strict=True)
            ]
    return _with_cuts(data, chosen, cuts, plan)


def _with_cuts(
    data: RankedData, chosen: Integers | slice, cuts: Sequence[Integers], plan: SearchPlan
) -> Rows:
    """The chosen rows with these of the cuts of each column."""
    weights, labels = data.weights[chosen], data.labels[chosen]
    counts = np.array([kept.size for kept in cuts], dtype=np.int64)
    bins = np.empty((data.n_columns, labels.size), dtype=np.int32)
    for line, codes in zip(bins, data.codes, strict=True):
        line[:] = codes[chosen]
    for v in np.flatnonzero(counts < data.n_cuts).tolist():
        bin_of_code = np.searchsorted(cuts[v], np.arange(data.n_cuts[v] + 1)).astype(np.int32)
        bins[v] = bin_of_code.take(bins[v])
    is_event, common = (labels > 0).astype(np.int8), _common_codes(bins, data.first_columns, plan)
    return Rows(bins, counts, is_event, weights, *common, tuple(cuts), *_folds(data, cuts))


def _cuts_between_bins(codes: Codes, n_cuts: int, bin_of_atom: Integers) -> Integers:
    """The conditions of a column that divide no bin of atoms."""
    n_bins = int(bin_of_atom.max(initial=0)) + 1
    lowest, highest = np.full(n_bins, n_cuts), np.zeros(n_bins, dtype=np.int64)
    np.minimum.at(lowest, bin_of_atom, codes)
    np.maximum.at(highest, bin_of_atom, codes)
    dividing = np.zeros(n_cuts + 2, dtype=np.int64)
    np.add.at(dividing, np.minimum(lowest, highest), 1)
    np.add.at(dividing, highest, -1)
    return np.flatnonzero(np.cumsum(dividing)[:n_cuts] == 0)


def _folds(data: RankedData, cuts: Sequence[Integers]) -> tuple[Integers, NDArray[np.int32]]:
    """See ``Rows.folds``, for columns with these of their cuts."""
    first = data.first_columns[data.feature_of]
    starts = np.zeros(first.size, dtype=np.int64)
    maps: list[NDArray[np.int32]] = [np.zeros(0, dtype=np.int32)]
    at = 0
    for v, base in enumerate(first):
        atoms = data.atoms[data.feature_of[v]]
        if v == base or atoms is None:
            continue
        # the atoms of a bin of the first column are alike: take the first
        begins = np.concatenate([[0], cuts[base] + 1])
        maps.append(np.searchsorted(cuts[v], atoms.codes[v - base][begins]).astype(np.int32))
        starts[v] = at
        at += begins.size
    return np.stack([first, starts], axis=1), np.concatenate(maps)


def _common_codes(
    codes: Codes, columns: Integers, plan: SearchPlan
) -> tuple[Integers, NDArray[np.int32], Integers]:
    """``common``, ``uncommon`` and ``begins`` of rows, for some of the columns.

    A code that most rows have is nearly always the middle one of a few rows.
    """
    n_columns, n_rows = codes.shape
    common = np.full(n_columns, -1, dtype=np.int64)
    sizes = np.zeros(n_columns + 1, dtype=np.int64)
    uncommon: list[NDArray[np.int32]] = [np.zeros(0, dtype=np.int32)]
    if 0 < n_rows <= plan.common_most_rows:
        few = np.sort(codes[columns, :: 1 + n_rows // plan.common_sample], axis=1)
        for f, code in zip(columns.tolist(), few[:, few.shape[1] // 2].tolist(), strict=True):
            is_other = codes[f] != code
            n_others = np.count_nonzero(is_other)
            if n_others <= (1.0 - plan.least_common) * n_rows:
                common[f], sizes[f + 1] = code, n_others
                uncommon.append(is_other.nonzero()[0].astype(np.int32))
    return common, np.concatenate(uncommon), np.cumsum(sizes)


def _spread_cuts(codes: Codes, n_cuts: int, max_cuts: int) -> Integers:
    """Indices of at most ``max_cuts`` cuts with about the same number of rows between them.

    A very common value counts as at most one share of the rows, or it would take the cuts away from
    all others.
    """
    if n_cuts <= max_cuts:
        return np.arange(n_cuts)
    counts = np.bincount(codes, minlength=n_cuts + 1)
    share = codes.size / (max_cuts + 1)
    below = np.cumsum(np.minimum(counts, share))
    wanted = below[-1] * np.arange(1, max_cuts + 1) / (max_cuts + 1)
    return np.unique(np.minimum(np.searchsorted(below, wanted), n_cuts - 1))
