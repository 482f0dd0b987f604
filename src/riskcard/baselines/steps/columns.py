"""Candidate columns: every feature turned into yes-or-no columns, one for each candidate cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.errors import ParameterError
from riskcard.problem.problem import Problem

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: More numbers than this (8 bytes each) are not put into one matrix.
MOST_NUMBERS = 250_000_000


@dataclass(frozen=True, slots=True)
class Columns:
    """Conditions "value at or below a cut" as numbers, for methods that need a matrix.

    Attributes
    ----------
    features, cuts
        What each column means, as indices.
    holds
        Shape (rows, columns): 1.0 where the condition holds, else 0.0.
    labels
        +1 or -1 for each row.
    weights
        Row weights.
    low, high
        The fewest and the most points that each column may be worth.
    """

    features: Integers
    cuts: Integers
    holds: Floats
    labels: Floats
    weights: Floats
    low: Integers
    high: Integers

    @property
    def n_columns(self) -> int:
        return self.features.size

    def take(self, chosen: Integers) -> Columns:
        """These columns only, with rows that have become equal merged."""
        patterns = np.column_stack([self.holds[:, chosen], self.labels])
        kept, place = np.unique(patterns, axis=0, return_inverse=True)
        return Columns(
            features=self.features[chosen],
            cuts=self.cuts[chosen],
            holds=np.ascontiguousarray(kept[:, :-1]),
            labels=kept[:, -1].copy(),
            weights=np.bincount(place.ravel(), self.weights, len(kept)).astype(np.float64),
            low=self.low[chosen],
            high=self.high[chosen],
        )

    def terms(self, points: Integers) -> list[tuple[int, int, int]]:
        """(feature, cut, jump) of the columns that are worth points."""
        return [
            (int(self.features[c]), int(self.cuts[c]), int(points[c]))
            for c in np.flatnonzero(points)
        ]


def candidate_columns(problem: Problem) -> Columns:
    """All columns that a card of the problem may use.

    A continuous feature has one column for each cut of the problem's grid (quantiles, or every
    gap between neighbouring values); a feature with two values has the one column that it is.
    """
    data = problem.data
    is_usable = (problem.jump_low < 0) | (problem.jump_high > 0)
    counts = np.where(is_usable, data.n_cuts, 0)
    features = np.repeat(np.arange(data.n_features), counts)
    if features.size * data.n_rows > MOST_NUMBERS:
        raise ParameterError(
            f"{features.size} candidate cuts on {data.n_rows} different rows are too many for a "
            "method that needs a column for each. Use fewer cuts per feature, such as grid=9."
        )
    cuts = np.concatenate([np.arange(count) for count in counts])
    return Columns(
        features=features,
        cuts=cuts,
        holds=(data.codes[features] <= cuts[:, None]).T.astype(np.float64, order="C"),
        labels=data.labels.astype(np.float64),
        weights=data.weights,
        low=problem.jump_low[features],
        high=problem.jump_high[features],
    )
