"""Every measure of risks, once: AUC, log-loss, Brier score, calibration slope and intercept.

A card has few different totals, so the measures work on a tally: the different values of a score, and
the weight of the rows with and without the event at each of them.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

Floats = NDArray[np.float64]

#: Newton steps of the calibration slope, and the relative step at which it has converged.
_MOST_STEPS, _STEP_ROUNDING = 200, 1e-12
#: The intercept is at most this far from 0: log-odds of risks are at most 35 from 0.
_LARGEST_INTERCEPT = 1000.0


@dataclass(frozen=True, slots=True)
class Tally:
    """The different values of a score and the weights of the rows at each of them.

    Attributes
    ----------
    values
        Ascending.
    events, others
        Weights of the rows with and without the event.
    """

    values: Floats
    events: Floats
    others: Floats

    @classmethod
    def of(cls, scores: Floats, is_event: NDArray[np.bool_], weights: Floats) -> Tally:
        """Count rows by their score."""
        values, place = np.unique(scores, return_inverse=True)
        events, others = (
            np.bincount(place, weights * kind, values.size).astype(np.float64)
            for kind in (is_event, ~is_event)
        )
        return cls(values, events, others)

    @property
    def totals(self) -> Floats:
        """Weights of all rows."""
        return self.events + self.others


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value fitted by maximum likelihood, and the information about it: 1 / squared error.

    The information is 0 where the likelihood has no maximum.
    """

    value: float
    information: float


@dataclass(frozen=True, slots=True)
class Performance:
    """Three figures about the risks of some rows.

    Attributes
    ----------
    auc
        Chance that a row with the event has a higher risk than one without; ties count half.
    log_loss
        Mean of ``-log(risk given to what happened)``; lower is better.
    slope
        Calibration slope, as `fit_slope` says.
    """

    auc: float
    log_loss: float
    slope: float

    def __sub__(self, other: Performance) -> Performance:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Performance(*(left - right for left, right in pairs))


def measure(log_odds: Floats, is_event: NDArray[np.bool_], weights: Floats) -> Performance:
    """Measure rows of both classes.

    Examples
    --------
    >>> rows = np.array([-1.0, 0.0, 0.0, 2.0]), np.array([False, False, True, True]), np.ones(4)
    >>> measure(*rows).auc
    0.875
    """
    tally = Tally.of(log_odds, is_event, weights)
    return Performance(area_under_curve(tally), mean_log_loss(tally), fit_slope(tally).value)


def area_under_curve(scores: Tally) -> float:
    """The area under the ROC curve; any increasing transform of the risks will do."""
    others = scores.others / scores.others.sum()
    area = scores.events @ (np.cumsum(others) - others / 2) / scores.events.sum()
    return float(np.clip(area, 0.0, 1.0))  # rounding must not leave the range


def mean_log_loss(log_odds: Tally) -> float:
    """Mean of ``-log(risk given to what happened)``."""
    return _loss(log_odds.values, log_odds) / float(log_odds.totals.sum())


def brier_score(risks: Tally) -> float:
    """Mean squared difference between the risk and what happened, 0 or 1."""
    errors = risks.events @ (1 - risks.values) ** 2 + risks.others @ risks.values**2
    return float(errors / risks.totals.sum())


def fit_intercept(log_odds: Tally) -> Estimate:
    """What must be added to the log-odds to make the mean risk equal the event rate."""

    def excess(intercept: float) -> float:
        shifted = log_odds.values + intercept
        return float(log_odds.others @ expit(shifted) - log_odds.events @ expit(-shifted))

    found = brentq(excess, -_LARGEST_INTERCEPT, _LARGEST_INTERCEPT, xtol=1e-14, maxiter=1000)
    return Estimate(float(found), float(_curves(log_odds.values + found, log_odds).sum()))


def fit_slope(log_odds: Tally) -> Estimate:
    """The factor by which the log-odds fit the outcomes best, given a free intercept.

    This is the coefficient of a logistic regression without penalty. 1 is right; below 1 the risks
    are too extreme. NaN when all risks are equal, and infinite when no risk of a row without the
    event is above that of a row with it.
    """
    values = log_odds.values
    with_event, without = values[log_odds.events > 0], values[log_odds.others > 0]
    totals = log_odds.totals
    if np.count_nonzero(totals) < 2:
        return Estimate(math.nan, 0.0)
    # otherwise the likelihood has no maximum
    if without.max() <= with_event.min():
        return Estimate(math.inf, 0.0)
    if with_event.max() <= without.min():
        return Estimate(-math.inf, 0.0)
    middle = totals @ values / totals.sum()
    spread = float(np.sqrt(totals @ (values - middle) ** 2 / totals.sum()))
    design = np.column_stack([np.ones_like(values), (values - middle) / spread])
    line = fit_logistic(design, log_odds)
    curves = _curves(design @ line, log_odds)
    centre = curves @ values / curves.sum()
    return Estimate(float(line[1] / spread), float(curves @ (values - centre) ** 2))


def fit_logistic(design: Floats, tally: Tally, start: Floats | None = None) -> Floats:
    """Maximum likelihood by Newton steps, each halved until the loss does not rise.

    Parameters
    ----------
    design
        One row for each value of the tally.
    tally
        The weights of the rows with and without the event.
    start
        Coefficients from which to start; by default all 0.
    """
    found = np.zeros(design.shape[1]) if start is None else start
    loss = _loss(design @ found, tally)
    for _ in range(_MOST_STEPS):
        gradient = design.T @ (tally.totals * expit(design @ found) - tally.events)
        curvature = (design.T * _curves(design @ found, tally)) @ design
        try:
            step = np.linalg.solve(curvature, gradient)
        except np.linalg.LinAlgError:
            break  # so far out that the loss is flat: the classes are nearly separated
        while (new_loss := _loss(design @ (found - step), tally)) > loss:
            step = step / 2
        found, loss = found - step, new_loss
        if np.abs(step).max() <= _STEP_ROUNDING * np.abs(found).max():
            break
    return found


def _loss(log_odds: Floats, tally: Tally) -> float:
    """The sum of log-losses when the values of a tally have the given log-odds."""
    with_event = tally.events @ np.logaddexp(0, -log_odds)
    return float(with_event + tally.others @ np.logaddexp(0, log_odds))


def _curves(log_odds: Floats, tally: Tally) -> Floats:
    """The second derivative of the loss by the log-odds of each value."""
    curves: Floats = tally.totals * expit(log_odds) * expit(-log_odds)
    return curves
