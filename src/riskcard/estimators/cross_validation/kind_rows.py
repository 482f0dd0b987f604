"""Rows whose outcome is not yes or no, for fits that are repeated: what all kinds of them have in common."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.data.columns import FeatureValues
from riskcard.data.frames import count_rows, take_rows
from riskcard.errors import ParameterError
from riskcard.estimators.cross_validation.division import Division, Split
from riskcard.estimators.cross_validation.folds import ShuffledFolds
from riskcard.estimators.cross_validation.kind_words import KindWords
from riskcard.model.card import RiskCard

#: No calibration slope is larger.
LARGEST_SLOPE = 20.0

Positions = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class KindPerformance:
    """Three figures about what a card gives for some rows.

    Attributes
    ----------
    ranking
        Harrell's concordance index of times and of levels; of counts the share of the deviance that the card
        explains, of numbers that of the variance (R squared).
    deviance
        Lower is better: of times and counts the Poisson deviance of the events per event, given what the card
        expects; of levels the mean log-loss; of numbers the mean squared error.
    slope
        The factor of what the card adds up, the logarithm of a hazard or a rate or the expected number, with the
        lowest loss on these rows: 1 is right, below 1 estimates are too far apart. At least 0.
    """

    ranking: float
    deviance: float
    slope: float

    def __sub__(self, other: KindPerformance) -> KindPerformance:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return KindPerformance(*(left - right for left, right in pairs))


@dataclass(frozen=True, slots=True)
class KindRows(ABC):
    """A table with times, counts, numbers or levels.

    Attributes
    ----------
    X
        Features.
    weights
        One per row; None where all weigh the same.
    """

    #: What its figures are called.
    words: ClassVar[KindWords]

    X: Any
    weights: Floats | None

    @property
    @abstractmethod
    def has_events(self) -> Booleans:
        """Which rows have an event; of numbers and levels, which are in the upper half."""

    @property
    def strata(self) -> Integers:
        """What folds share out evenly."""
        return self.has_events.astype(np.int64)

    @property
    @abstractmethod
    def columns(self) -> dict[str, FeatureValues]:
        """What rows have in addition to features, for their hash."""

    @abstractmethod
    def why_not(self, positions: Positions) -> str:
        """Why nothing can be learned from some of the rows, as a part of a sentence; empty where it can."""

    @abstractmethod
    def _of(self, positions: Positions) -> Mapping[str, Any]:
        """The fields of some of the rows, other than features and weights."""

    @abstractmethod
    def _target(self, estimator: Any) -> tuple[Any, Mapping[str, Any]]:
        """The target and further arguments of a fit; the estimator may be changed."""

    @abstractmethod
    def measure(self, card: RiskCard) -> KindPerformance:
        """How well a card of other rows, or of these, does here; NaN where that cannot be said."""

    def brier(self, card: RiskCard) -> float:
        """The integrated Brier score of a card; NaN where there is none."""
        return float("nan")

    def take(self, positions: Positions) -> Self:
        """Some of the rows, each as often as it is named."""
        weights = None if self.weights is None else self.weights[positions]
        return replace(self, X=take_rows(self.X, positions), weights=weights, **self._of(positions))

    def fit(self, estimator: Any) -> Any:
        """A clone of the estimator, fitted to these rows."""
        own = clone(estimator)
        y, further = self._target(own)
        return own.fit(self.X, y, sample_weight=self.weights, **further)

    @property
    def own_weights(self) -> Floats:
        """The weights; 1 where all weigh the same."""
        return np.ones(count_rows(self.X)) if self.weights is None else self.weights

    def linear(self, card: RiskCard) -> Floats:
        """What a card adds up for each row: the logarithm of a hazard or a rate, or an expected number."""
        return np.asarray(card.linear_of_total(card.total_points(self.X)), dtype=np.float64)


def divided(
    rows: KindRows, division: Division, cv: int, repeats: int = 1, seed: int = 0
) -> list[Split]:
    """The rows to fit and to judge: folds with about the same share of events or levels each, sites, or later rows."""
    if not division.is_drawn:
        splits = division.one_pass(rows.has_events, cv, seed)
    else:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a level with fewer rows than folds
                folds = ShuffledFolds(cv, repeats, seed)
                splits = list(folds.split(None, rows.strata, division.groups))
        except ValueError as error:
            raise ParameterError(
                f"The rows cannot be divided into {cv} folds: {error} Use fewer folds."
            ) from None
    for fitted, _ in splits:
        if why := rows.why_not(fitted):
            raise ParameterError(
                f"The rows cannot be divided: in the rows that one of the parts leaves, {why}, so that nothing can be "
                "learned from them. Divide the rows in another way."
            )
    return splits
