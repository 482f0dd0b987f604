"""A table as codes: each value replaced by the number of candidate cuts below it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.problem.table import Table

__all__ = ["CutGrid", "RankedData", "rank_table"]


@dataclass(frozen=True, slots=True)
class CutGrid:
    """The candidate cuts of every feature, each a gap between two neighbouring data values.

    Cut ``c`` of feature ``f`` lies in ``[below[f][c], above[f][c])``: any number of that interval
    divides the rows in the same way, because a value at the cut counts as below it.
    """

    below: tuple[NDArray[np.float64], ...]
    above: tuple[NDArray[np.float64], ...]
    is_full: bool  # every gap between neighbouring distinct values is a candidate

    @property
    def n_cuts(self) -> NDArray[np.int64]:
        """Number of candidate cuts of each feature."""
        return np.array([b.size for b in self.below], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class RankedData:
    """Rows as codes: row ``i`` is below cut ``c`` of feature ``f`` iff ``codes[f, i] <= c``.

    Attributes
    ----------
    codes
        Shape (features, rows), int32, contiguous by feature; in ``0 .. n_cuts[f]``.
    n_cuts
        Number of candidate cuts of each feature; a constant feature has none.
    labels
        +1 for the event, -1 otherwise, int8.
    weights
        Positive row weights.
    """

    codes: NDArray[np.int32]
    n_cuts: NDArray[np.int64]
    labels: NDArray[np.int8]
    weights: NDArray[np.float64]

    @property
    def n_features(self) -> int:
        return self.codes.shape[0]

    @property
    def n_rows(self) -> int:
        return self.codes.shape[1]


def rank_table(
    table: Table, grid: int | None = None, n_jobs: int = 1
) -> tuple[RankedData, CutGrid]:
    """Replace values by codes, and list the candidate cuts.

    Parameters
    ----------
    table
        The checked input.
    grid
        None takes every gap between neighbouring distinct values; a number takes at most that
        many cuts a feature, at quantiles of the rows by weight.
    n_jobs
        Threads; the columns are independent.
    """
    columns = [table.values[:, f] for f in range(table.values.shape[1])]
    codes = np.empty((len(columns), table.values.shape[0]), dtype=np.int32)

    def rank_one(f: int) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
        codes[f], distinct = _rank_column(columns[f])
        if grid is None or distinct.size - 1 <= grid:
            return distinct[:-1], distinct[1:], True
        kept = _quantile_cuts(codes[f], table.weights, distinct.size, grid)
        codes[f] = np.searchsorted(kept, codes[f], side="left")
        return distinct[kept], distinct[kept + 1], False

    if n_jobs > 1:
        with ThreadPoolExecutor(n_jobs) as threads:
            parts = list(threads.map(rank_one, range(len(columns))))
    else:
        parts = [rank_one(f) for f in range(len(columns))]
    cuts = CutGrid(
        below=tuple(part[0] for part in parts),
        above=tuple(part[1] for part in parts),
        is_full=all(part[2] for part in parts),
    )
    return RankedData(codes, cuts.n_cuts, table.labels, table.weights), cuts


def _rank_column(values: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Rank of each value among the distinct ones, and the distinct ones in order."""
    order = np.argsort(values)
    ordered = values[order]
    is_new = np.empty(values.size, dtype=bool)
    is_new[0] = False
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    codes = np.empty(values.size, dtype=np.int32)
    codes[order] = np.cumsum(is_new, dtype=np.int32)
    is_new[0] = True
    return codes, ordered[is_new]


def _quantile_cuts(
    codes: NDArray[np.int32], weights: NDArray[np.float64], n_distinct: int, grid: int
) -> NDArray[np.int64]:
    """Indices of the gaps kept: at most ``grid``, near quantiles of the rows by their weight."""
    weight_below = np.cumsum(np.bincount(codes, weights, minlength=n_distinct))
    wanted = weight_below[-1] * np.arange(1, grid + 1) / (grid + 1)
    return np.unique(np.minimum(np.searchsorted(weight_below[:-1], wanted), n_distinct - 2))
