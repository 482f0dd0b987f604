"""The paper's problem in the paper's letters: data, number of features, bounds on the weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.problem.problem import Limits, Problem, Scale
from riskcard.problem.ranked import CutGrid, rank_table
from riskcard.problem.table import Table

__all__ = ["DEFAULT_WEIGHT", "Instance", "make_instance"]

#: The paper's bound on every weight.
DEFAULT_WEIGHT = 5


@dataclass(frozen=True, slots=True)
class Instance:
    """At most ``k`` features, one threshold each, two integer weights in ``low .. high`` a feature.

    ``problem`` is the same thing as the library solves it: the jump of feature ``j`` lies in
    ``low[j] - high[j] .. high[j] - low[j]``, the base is a free integer, the scale is 1.
    """

    table: Table
    grid: CutGrid
    problem: Problem
    k: int
    low: NDArray[np.int64]
    high: NDArray[np.int64]

    @property
    def x(self) -> NDArray[np.float64]:
        """The values, rows by features."""
        return self.table.values

    @property
    def y(self) -> NDArray[np.int8]:
        """The labels, -1 or +1."""
        return self.table.labels


def make_instance(
    table: Table,
    k: int | None = None,
    low: NDArray[np.int64] | int = -DEFAULT_WEIGHT,
    high: NDArray[np.int64] | int = DEFAULT_WEIGHT,
) -> Instance:
    """State the paper's problem for a table.

    Parameters
    ----------
    k
        At most this many features; None for all.
    low, high
        Smallest and largest weight, one for all features or one a feature; ``low <= 0 <= high``.
    """
    n_features = table.values.shape[1]
    low = np.broadcast_to(np.asarray(low, dtype=np.int64), (n_features,)).copy()
    high = np.broadcast_to(np.asarray(high, dtype=np.int64), (n_features,)).copy()
    k = n_features if k is None else min(int(k), n_features)
    data, grid = rank_table(table)
    problem = Problem(data, Limits(k, k, 1), Scale("fixed", 1.0), low - high, high - low)
    return Instance(table, grid, problem, k, low, high)
