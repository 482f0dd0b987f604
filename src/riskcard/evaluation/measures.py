"""How well log-odds go with what happened: AUC, log-loss and calibration slope."""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

#: Newton steps of the calibration slope, and the relative step at which it has converged.
MOST_STEPS, STEP_ROUNDING = 200, 1e-12

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Performance:
    """Three figures about the risks given to some rows.

    Attributes
    ----------
    auc
        Chance that a row with the event has a higher risk than one without; ties count half.
    log_loss
        Mean of ``-log(risk given to what happened)``; the lower, the better.
    slope
        Calibration slope: the factor by which log-odds fit what happened best, next to an
        intercept. 1 is right, below 1 the risks are too extreme. NaN when all risks are equal, and
        infinite when no risk of a row without the event is above one of a row with it.
    """

    auc: float
    log_loss: float
    slope: float

    def __sub__(self, other: Performance) -> Performance:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Performance(*(left - right for left, right in pairs))


def measure(log_odds: Floats, is_event: NDArray[np.bool_], weights: Floats) -> Performance:
    """Measure some rows with events among them, and others.

    Examples
    --------
    >>> rows = np.array([-1.0, 0.0, 0.0, 2.0]), np.array([False, False, True, True]), np.ones(4)
    >>> measure(*rows).auc
    0.875
    """
    # a card knows few totals: count the rows of each
    values, place = np.unique(log_odds, return_inverse=True)
    events, others = (
        np.bincount(place, weights * some, values.size).astype(np.float64)
        for some in (is_event, ~is_event)
    )
    below = np.cumsum(others) - others
    auc = events @ (below + others / 2) / (events.sum() * others.sum())
    losses = events @ np.logaddexp(0, -values) + others @ np.logaddexp(0, values)
    slope = calibration_slope(values, events, others)
    return Performance(float(auc), float(losses / weights.sum()), slope)


def calibration_slope(values: Floats, events: Floats, others: Floats) -> float:
    """The slope of a logistic regression, without penalty, of the event on the log-odds.

    Parameters
    ----------
    values
        Different log-odds.
    events, others
        Weights of the rows with and without the event at each of them.
    """
    with_event, without = values[events > 0], values[others > 0]
    if np.unique(np.concatenate([with_event, without])).size < 2:
        return float("nan")
    # otherwise the likelihood has no maximum
    if without.max() <= with_event.min():
        return float("inf")
    if with_event.max() <= without.min():
        return float("-inf")
    totals = events + others
    middle = totals @ values / totals.sum()
    spread = float(np.sqrt(totals @ (values - middle) ** 2 / totals.sum()))
    design = np.column_stack([np.ones_like(values), (values - middle) / spread])
    return float(_newton(design, events, totals)[1] / spread)


def _newton(design: Floats, events: Floats, totals: Floats) -> Floats:
    """Maximum likelihood by Newton steps, halved until the loss falls."""
    found = np.zeros(design.shape[1])
    loss = _loss(design @ found, events, totals)
    for _ in range(MOST_STEPS):
        risks = np.exp(-np.logaddexp(0, -(design @ found)))
        gradient = design.T @ (totals * risks - events)
        curvature = (design.T * (totals * risks * (1 - risks))) @ design
        try:
            step = np.linalg.solve(curvature, gradient)
        except np.linalg.LinAlgError:
            break  # so far out that the loss is flat: the classes are all but told apart
        while (better := _loss(design @ (found - step), events, totals)) > loss:
            step = step / 2
            if np.abs(step).max() <= STEP_ROUNDING * np.abs(found).max():
                return found
        found, loss = found - step, better
        if np.abs(step).max() <= STEP_ROUNDING * np.abs(found).max():
            break
    return found


def _loss(log_odds: Floats, events: Floats, totals: Floats) -> float:
    losses = events * np.logaddexp(0, -log_odds) + (totals - events) * np.logaddexp(0, log_odds)
    return float(losses.sum())
