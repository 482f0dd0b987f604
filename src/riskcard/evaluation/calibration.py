"""Whether risks are as high as what happened: slope, intercept, expected events, bins, histogram."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from riskcard.errors import ParameterError
from riskcard.evaluation.intervals import Interval, normal_interval, rate_interval
from riskcard.evaluation.measures import Estimate, Floats, fit_intercept, fit_slope
from riskcard.evaluation.outcomes import Outcomes, effective_rows

#: Bars of the histogram of risks.
BARS = 40


@dataclass(frozen=True, slots=True)
class Calibration:
    """Figures about risks as a whole.

    Attributes
    ----------
    slope
        The factor by which log-odds fit best what happened, together with an intercept: 1 is right,
        below 1 risks are too extreme. NaN when all risks are equal, infinite when they separate the
        classes.
    slope_interval
        Its 95 % interval; None when there is none.
    intercept
        What has to be added to the log-odds for the mean risk to be the rate of events: 0 is right,
        above 0 risks are too low.
    intercept_interval
        Its 95 % interval.
    expected, observed
        Events expected by the risks and events that happened, by weight.
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
    """Rows of similar risks.

    Attributes
    ----------
    low, high
        The lowest and the highest risk among them.
    mean_risk
        Their mean risk, by weight.
    rows, events
        The number of rows, and of rows with the event.
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
    log_odds = outcomes.log_odds
    tally = outcomes.tally(log_odds)
    intercept, slope = fit_intercept(tally), fit_slope(tally)
    constant, slope_interval = np.ones((log_odds.size, 1)), None
    if slope.information > 0:
        design = np.column_stack([constant, log_odds])
        line = slope.value * log_odds
        line += fit_intercept(outcomes.tally(line)).value
        slope_interval = _interval(slope, outcomes, design, line)
    return Calibration(
        slope=slope.value,
        slope_interval=slope_interval,
        intercept=intercept.value,
        intercept_interval=_interval(intercept, outcomes, constant, log_odds + intercept.value),
        expected=float(outcomes.weights @ outcomes.risks),
        observed=float(tally.events.sum()),
    )


def _interval(estimate: Estimate, outcomes: Outcomes, design: Floats, fitted: Floats) -> Interval:
    """Wald's interval; where weights differ, with the sandwich as the variance.

    Parameters
    ----------
    estimate
        The last coefficient of a logistic regression.
    outcomes
        The rows.
    design, fitted
        Its columns, and the log-odds that it gives each row.
    """
    weights, risks = outcomes.weights, expit(fitted)
    if (weights == weights[0]).all():
        variance = float(weights[0]) / estimate.information
    else:
        weights = weights / weights.max()
        bread = np.linalg.inv((design.T * (weights * risks * (1 - risks))) @ design)
        scores = design * (weights * (outcomes.is_event - risks))[:, None]
        variance = float((bread @ (scores.T @ scores) @ bread)[-1, -1])
    return normal_interval(estimate.value, math.sqrt(variance))


def calibration_bins(outcomes: Outcomes, n_bins: int = 10) -> tuple[RiskBin, ...]:
    """Divide rows into bins of about equal numbers, by their risks; equal risks stay together.

    Parameters
    ----------
    outcomes
        The rows.
    n_bins
        At most this many bins; a card whose rows have no more different risks has one bin for each.
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
        interval=rate_interval(rows.base_rate, effective_rows(rows.weights)),
    )


def end_of_scale(bins: tuple[RiskBin, ...]) -> float:
    """The end of the scale of risks: 1, or less where all risks and intervals are low."""
    most = max(max(one.high, one.interval[1]) for one in bins)
    return min(1.0, math.ceil(10 * most) / 10)


def risk_histogram(outcomes: Outcomes, top: float = 1.0) -> tuple[Floats, Floats]:
    """Weights of the rows with and without the event in bars of equal width from 0 to ``top``."""
    events, others = (
        np.histogram(outcomes.risks[kind], BARS, (0, top), weights=outcomes.weights[kind])[0]
        for kind in (outcomes.is_event, ~outcomes.is_event)
    )
    return events, others
