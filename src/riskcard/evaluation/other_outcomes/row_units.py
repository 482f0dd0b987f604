"""Weights of rows, and which of them belong together: what intervals of figures about other outcomes allow for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from riskcard.arrays import Floats
from riskcard.data.target import read_weights
from riskcard.errors import DataError
from riskcard.evaluation.outcomes import Integers, read_clusters


@dataclass(frozen=True, slots=True)
class RowUnits:
    """The weight of each row, and its cluster.

    Attributes
    ----------
    weights
        Positive.
    clusters
        A whole number from 0 for each row: rows with the same one belong together. None where rows are independent.
    """

    weights: Floats
    clusters: Integers | None = None

    #: Every entry is one row.
    counts: None = None

    @classmethod
    def equal(cls, n_rows: int) -> RowUnits:
        """Independent rows of equal weight."""
        return cls(np.ones(n_rows))

    @property
    def is_plain(self) -> bool:
        """Rows are independent and have equal weights."""
        return self.clusters is None and bool((self.weights == self.weights[:1]).all())

    def take(self, rows: Any) -> RowUnits:
        """Some of the rows, which stay in their clusters."""
        clusters = None if self.clusters is None else self.clusters[rows]
        return RowUnits(self.weights[rows], clusters)


def read_units(sample_weight: Any, groups: Any, n_rows: int) -> RowUnits:
    """Check weights and groups.

    Examples
    --------
    >>> read_units(None, ["a", "b", "a"], 3).clusters.tolist()
    [0, 1, 0]
    """
    weights = read_weights(sample_weight, n_rows)
    if (weights == 0).any():
        raise DataError("Some rows have the weight 0. Leave them out before a card is judged.")
    return RowUnits(weights, read_clusters(groups, n_rows))
