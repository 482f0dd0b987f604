"""Whether risks are as high as what happened: slope, intercept, expected events, bins, histogram."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from riskcard.errors import ParameterError
from riskcard.evaluation.intervals import Interval
from riskcard.evaluation.linearisation import Cells, Linearised, linearise, sum_by_unit
from riskcard.evaluation.measures import Estimate, Floats, fit_intercept, fit_slope
from riskcard.evaluation.outcomes import Outcomes
from riskcard.formatting.speech import say

#: Bars of the histogram of risks.
BARS = 40
#: A slope whose interval is wider than this is too uncertain to reassure.
_WIDE_SLOPE = 0.4


@dataclass(frozen=True, slots=True)
class Calibration:
    """Figures about risks as a whole.

    Attributes
    ----------
    slope
        The factor by which the log-odds must be multiplied to fit the outcomes best, given a free
        intercept: 1 is right, and below 1 risks are too extreme. NaN when all risks are equal,
        infinite when they separate the classes.
    slope_interval
        Its 95 % interval; None when there is none.
    intercept
        What must be added to the log-odds to make the mean risk equal the event rate: 0 is right,
        above 0 risks are too low.
    intercept_interval
        Its 95 % interval.
    expected, observed
        Events expected from the risks and observed events, by weight.
    ratio_interval
        95 % interval of ``ratio``; None when there is none.
    """

    slope: float
    slope_interval: Interval | None
    intercept: float
    intercept_interval: Interval | None
    expected: float
    observed: float
    ratio_interval: Interval | None

    @property
    def ratio(self) -> float:
        """Expected events per observed event: 1 is right, above 1 risks are too high."""
        return self.expected / self.observed

    @property
    def slope_in_words(self) -> str:
        """What the interval of the slope shows."""
        if not math.isfinite(self.slope):
            return say("slope_none")
        if self.slope_interval is None:
            return say("slope_no_interval")
        low, high = self.slope_interval
        if low <= 1 <= high and high - low > _WIDE_SLOPE:
            return say("slope_too_few")
        if low <= 1 <= high:
            return say("slope_right")
        if high <= 0:
            return say("slope_reversed")
        if low <= 0:
            return say("slope_not_shown")
        if high < 1:
            return say("slope_extreme")
        return say("slope_cautious")


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
    slope, intercept, ratio = (
        slope_linearised(outcomes),
        intercept_linearised(outcomes),
        ratio_linearised(outcomes),
    )
    return Calibration(
        slope=slope.value,
        slope_interval=slope.interval(),
        intercept=intercept.value,
        intercept_interval=intercept.interval(),
        expected=float(outcomes.weights @ outcomes.risks),
        observed=float(outcomes.weights[outcomes.is_event].sum()),
        ratio_interval=ratio.log_interval(),
    )


def intercept_linearised(outcomes: Outcomes) -> Linearised:
    """What must be added to the log-odds when the slope is fixed at 1: calibration in the large."""
    log_odds = outcomes.log_odds
    found = fit_intercept(outcomes.tally(log_odds))
    return _coefficient(found, outcomes, np.ones((log_odds.size, 1)), log_odds + found.value)


def slope_linearised(outcomes: Outcomes) -> Linearised:
    """The factor by which the log-odds fit the outcomes best, given a free intercept."""
    log_odds = outcomes.log_odds
    slope = fit_slope(outcomes.tally(log_odds))
    if slope.information <= 0:
        return Linearised(slope.value, np.full(1, np.inf), 0.0)
    line = slope.value * log_odds
    line += fit_intercept(outcomes.tally(line)).value
    return _coefficient(slope, outcomes, np.column_stack([np.ones_like(line), log_odds]), line)


def ratio_linearised(outcomes: Outcomes) -> Linearised:
    """Expected events per observed event, both counted on the same rows."""
    shares = outcomes.weights / outcomes.weights.sum()
    expected, observed = float(shares @ outcomes.risks), outcomes.base_rate
    if not expected or not observed:
        return Linearised(math.inf if expected else math.nan, np.full(1, np.inf), 0.0)
    ratio = expected / observed
    return linearise(
        outcomes, ratio, ratio * shares * (outcomes.risks / expected - outcomes.is_event / observed)
    )


def _coefficient(
    estimate: Estimate, outcomes: Outcomes, design: Floats, fitted: Floats
) -> Linearised:
    """The last coefficient of a logistic regression.

    Without weights and clusters its variance is that of the likelihood (Wald), which is scaled into
    the influences; otherwise it is the sandwich.

    Parameters
    ----------
    estimate
        The coefficient.
    outcomes
        The rows.
    design, fitted
        The columns of the regression, and the log-odds that it gives each row.
    """
    unit, risks = outcomes.row_weights, expit(fitted)
    weights = outcomes.weights / unit.max()
    curvature = (design.T * (weights * risks * expit(-fitted))) @ design
    bread = np.linalg.inv(curvature)[-1]
    moves = (design @ bread) * weights * (outcomes.is_event - risks)
    if not outcomes.is_plain:
        return linearise(outcomes, estimate.value, moves)
    # the likelihood of weights that are all w has w times the information
    variance, moves = float(unit[0]) / estimate.information, sum_by_unit(outcomes, moves)
    return Linearised(estimate.value, moves * math.sqrt(variance / float(moves @ moves)))


def calibration_bins(outcomes: Outcomes, n_bins: int = 10) -> tuple[RiskBin, ...]:
    """Divide rows into bins of similar risk and about equal size; equal risks stay together.

    Parameters
    ----------
    outcomes
        The rows.
    n_bins
        The largest number of bins; rows with no more distinct risks than that have one bin per risk.
    """
    bin_of_row = bins_of_rows(outcomes, n_bins)
    return tuple(_bin_of(outcomes.take(bin_of_row == one)) for one in np.unique(bin_of_row))


def bins_of_rows(outcomes: Outcomes, n_bins: int) -> NDArray[np.intp]:
    """The number of the bin that each row is in; some numbers may be unused."""
    if n_bins < 1:
        raise ParameterError(f"n_bins is {n_bins}. Use at least 1.")
    values, place = np.unique(outcomes.risks, return_inverse=True)
    if values.size <= n_bins:
        bin_of_value = np.arange(values.size)
    else:
        weights = np.bincount(place, outcomes.weights)
        middles = (np.cumsum(weights) - weights / 2) / weights.sum()
        bin_of_value = np.minimum((middles * n_bins).astype(int), n_bins - 1)
    found: NDArray[np.intp] = bin_of_value[place]
    return found


def _bin_of(rows: Outcomes) -> RiskBin:
    cells = Cells.of(rows, np.zeros(rows.risks.size, dtype=np.intp), 1)
    return RiskBin(
        low=float(rows.risks.min()),
        high=float(rows.risks.max()),
        mean_risk=float(rows.weights @ rows.risks / rows.weights.sum()),
        rows=rows.count(),
        events=rows.count(rows.is_event),
        rate=rows.base_rate,
        interval=cells.rate(cells.is_event, np.ones(2, dtype=bool)).interval() or (0.0, 1.0),
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
