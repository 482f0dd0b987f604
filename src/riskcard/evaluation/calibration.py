"""Whether risks are as high as what happened: slope, intercept, expected events, and bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskcard.errors import ParameterError
from riskcard.evaluation.measures import calibration_slope
from riskcard.evaluation.outcomes import (
    Floats,
    Interval,
    Outcomes,
    count_by_value,
    rate_interval,
)

_QUANTILE = 1.959963984540054
#: Newton steps for the intercept, and the step at which it has converged.
_MOST_STEPS, _ROUNDING = 100, 1e-12


@dataclass(frozen=True, slots=True)
class Calibration:
    """Figures about risks as a whole.

    Attributes
    ----------
    slope
        The factor by which log-odds fit what happened best, next to an intercept: 1 is right, below
        1 risks are too extreme. NaN when all risks are equal, infinite when they separate the
        classes.
    slope_interval
        Its 95 % interval; None when there is none.
    intercept
        What has to be added to the log-odds for the mean risk to be the rate of events: 0 is right,
        above 0 risks are too low.
    intercept_interval
        Its 95 % interval.
    expected, observed
        Events to be expected by the risks, and those that happened, by weight.
    """

    slope: float
    slope_interval: Interval | None
    intercept: float
    intercept_interval: Interval
    expected: float
    observed: float

    @property
    def ratio(self) -> float:
        """Expected events for each that happened: 1 is right, above 1 risks are too high."""
        return self.expected / self.observed


@dataclass(frozen=True, slots=True)
class RiskBin:
    """Rows of alike risks.

    Attributes
    ----------
    low, high
        The lowest and the highest risk among them.
    mean_risk
        Their mean risk, by weight.
    rows, events
        How many they are, and how many had the event.
    rate
        Share with the event, by weight.
    interval
        95 % interval of the rate.
    """

    low: float
    high: float
    mean_risk: float
    rows: int
    events: int
    rate: float
    interval: Interval


def calibration_of(outcomes: Outcomes) -> Calibration:
    """Compute the figures of some rows.

    Examples
    --------
    >>> from riskcard.evaluation.outcomes import read_outcomes
    >>> found = calibration_of(read_outcomes([0.2, 0.2, 0.4, 0.4, 0.6, 0.6], [0, 0, 0, 1, 0, 1]))
    >>> round(found.expected, 3), found.observed
    (2.4, 2.0)
    """
    values, events, others = count_by_value(outcomes.log_odds, outcomes)
    # with weights, information is counted in effective rows
    scale = float(outcomes.weights @ outcomes.weights) / float(outcomes.weights.sum())
    totals = events + others
    intercept, information = _fit_intercept(values, events, totals)
    slope = calibration_slope(values, events, others)
    return Calibration(
        slope=slope,
        slope_interval=_slope_interval(slope, values, events, totals, scale),
        intercept=intercept,
        intercept_interval=_around(intercept, float(np.sqrt(scale / information))),
        expected=float(outcomes.weights @ outcomes.risks),
        observed=float(events.sum()),
    )


def calibration_bins(outcomes: Outcomes, n_bins: int = 10) -> tuple[RiskBin, ...]:
    """Divide rows into bins of about equal numbers, by their risks; equal risks stay together.

    Parameters
    ----------
    outcomes
        The rows.
    n_bins
        So many bins at most; a card whose rows have no more different risks has one bin for each.
    """
    if n_bins < 1:
        raise ParameterError(f"n_bins is {n_bins}. Use at least 1.")
    values, place = np.unique(outcomes.risks, return_inverse=True)
    if values.size <= n_bins:
        bin_of_value = np.arange(values.size)
    else:
        weights = np.bincount(place, outcomes.weights)
        middles = (np.cumsum(weights) - weights / 2) / weights.sum()
        bin_of_value = np.minimum((middles * n_bins).astype(int), n_bins - 1)
    bin_of_row = bin_of_value[place]
    return tuple(_bin_of(outcomes.take(bin_of_row == one)) for one in np.unique(bin_of_row))


def _bin_of(rows: Outcomes) -> RiskBin:
    return RiskBin(
        low=float(rows.risks.min()),
        high=float(rows.risks.max()),
        mean_risk=float(rows.weights @ rows.risks / rows.weights.sum()),
        rows=rows.risks.size,
        events=int(rows.is_event.sum()),
        rate=rows.base_rate,
        interval=rate_interval(rows),
    )


def _fit_intercept(values: Floats, events: Floats, totals: Floats) -> tuple[float, float]:
    """The intercept beside fixed log-odds, by Newton steps, and the information about it.

    The number of events expected rises with the intercept, from 0 to all rows: halving the bracket
    where a step would leave it makes the steps safe.
    """
    wanted = events.sum()
    low, high, found = -1000.0, 1000.0, 0.0
    for _ in range(_MOST_STEPS):
        risks = np.exp(-np.logaddexp(0, -(values + found)))
        excess = float(totals @ risks - wanted)
        information = float(totals @ (risks * (1 - risks)))
        low, high = (found, high) if excess < 0 else (low, found)
        step = excess / information if information > 0 else np.inf
        last, found = found, found - step
        if not low < found < high:
            found = (low + high) / 2
        if abs(found - last) <= _ROUNDING * max(1.0, abs(found)):
            break
    return found, information


def _slope_interval(
    slope: float, values: Floats, events: Floats, totals: Floats, scale: float
) -> Interval | None:
    """From the information about slope and intercept together."""
    if not np.isfinite(slope):
        return None
    intercept, _ = _fit_intercept(slope * values, events, totals)
    risks = np.exp(-np.logaddexp(0, -(slope * values + intercept)))
    spread = totals * risks * (1 - risks)
    middle = spread @ values / spread.sum()
    information = float(spread @ (values - middle) ** 2)
    return _around(slope, float(np.sqrt(scale / information))) if information > 0 else None


def _around(middle: float, error: float) -> Interval:
    return middle - _QUANTILE * error, middle + _QUANTILE * error
