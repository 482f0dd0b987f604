"""Losses other than that of yes or no, as a solver of yes and no sees them.

A loss of another kind is bounded by a log-loss in which each row is there twice, with the event and
without it: ``problem.rates`` and ``problem.numbers`` have the inequalities. What solvers, searches and
estimators need to know of such a loss is the same for all of them, and is listed here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Protocol, Self

import numpy as np

from riskcard.arrays import Floats
from riskcard.problem.problem import Problem
from riskcard.problem.ranked_data import RankedData
from riskcard.problem.solution import Solution

#: Floors and bounds are lowered by this part of what was added up to them, for the rounding of sums.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class YesOrNoForm:
    """Rows of another loss for a solver of yes and no.

    Attributes
    ----------
    with_event, without
        The weights of each row with and without the event, not negative.
    unit, shift
        The linear predictor of a card is ``log_odds / unit + shift``.
    heaviness
        How many times as heavy the rows are as those of yes or no that would say as much.
    """

    with_event: Floats
    without: Floats
    unit: float
    shift: float
    heaviness: float

    @property
    def floor(self) -> float:
        """A number that the log-loss of no card is below: that of rows with a risk of their own each."""
        whole = self.with_event + self.without
        parts = np.concatenate([self.with_event, self.without])
        shares = parts[parts > 0] / np.concatenate([whole, whole])[parts > 0]
        return float(-np.sum(parts[parts > 0] * np.log(shares))) * (1 - ROUNDING)

    def log_odds(self, linear: Floats) -> Floats:
        """The log-odds of the solver at linear predictors."""
        return self.unit * (linear - self.shift)

    def loss(self, linear: Floats) -> float:
        """The log-loss at linear predictors."""
        log_odds = self.log_odds(linear)
        whole = self.with_event + self.without
        return float(np.sum(whole * np.logaddexp(0.0, log_odds) - self.with_event * log_odds))

    def from_other(self, card: Solution, other: YesOrNoForm) -> Solution:
        """A card of another form of the same rows as one of this form."""
        offset = self.unit * (card.offset / other.unit + other.shift - self.shift)
        return replace(card, multiplier=card.multiplier * other.unit / self.unit, offset=offset)

    def pose(self, problem: Problem) -> Problem:
        """A problem with a limit on linear predictors as one with a limit on log-odds."""
        return replace(problem, scale=replace(problem.scale, limit=problem.scale.limit * self.unit))


class OtherLoss(Protocol):
    """The loss of rows whose outcome is not yes or no."""

    #: Largest relative gap at which a card is called optimal.
    tolerance: ClassVar[float]

    @property
    def loss_unit(self) -> float:
        """What the loss is, in the user's unit, for each 1 of the solver's loss."""

    def form(self, is_rough: bool = False) -> YesOrNoForm:
        """The rows for a solver: for a proof, or for a search, about whose loss nothing is claimed."""

    def loss(self, linear: Floats) -> float:
        """The loss above that of rows with a prediction of their own each, in the user's unit."""

    def bound(self, logistic: float) -> float:
        """A bound on the loss of every card from one on its log-loss in the form of a proof."""

    def logistic_of(self, loss: float) -> float:
        """The log-loss, in the form of a proof, that no card with at most a loss is above."""

    def loss_from(self, logistic: float, log_odds: Floats, weights: Floats) -> float:
        """The loss of a card from its log-loss: less the constant, and with what the inequality loses.

        Parameters
        ----------
        logistic
            The log-loss in the form of a proof.
        log_odds, weights
            Of the rows of that form, in whatever way they are merged.
        """

    def best_scale(self, totals: Floats, most: float) -> tuple[float, float]:
        """The slope from 0 to ``most``, and the offset, with the lowest loss."""

    def best_offset(self, scores: Floats) -> float:
        """The offset with the lowest loss."""

    def times(self, number: float) -> Self:
        """The same rows where a weight of 1 is ``number``."""

    @property
    def rounding(self) -> float:
        """A loss, in the user's unit, that cannot be told from 0."""

    @property
    def size(self) -> float:
        """How many rows of equal weight, or how many events, would say as much."""

    @property
    def worth(self) -> float:
        """How many rows of yes or no, half of them yes, would say as much."""

    def with_pseudo(self, average: float, smooth: float, predictions: Floats) -> Self:
        """The rows with pseudo-observations, which weigh shares of each row.

        Parameters
        ----------
        average
            The share with what all rows have on average.
        smooth
            The share with ``predictions``, one for each row.
        """


def as_yes_or_no(data: RankedData, form: YesOrNoForm) -> RankedData:
    """The rows for a solver of yes and no: each twice, without and with the event.

    Parameters
    ----------
    data
        The codes; labels and weights are not read.
    form
        The weights of the same rows.
    """
    weights = np.concatenate([form.without, form.with_event])
    kept = weights > 0
    labels = np.repeat(np.array([-1, 1], dtype=np.int8), data.n_rows)
    codes = np.concatenate([data.codes, data.codes], axis=1)
    return replace(
        data,
        codes=np.ascontiguousarray(codes[:, kept]),
        labels=labels[kept],
        weights=weights[kept],
    )
