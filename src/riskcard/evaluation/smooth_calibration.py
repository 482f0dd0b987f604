"""A smooth calibration curve with a band, and how far risks are from it: ICI, E50 and E90.

The event is regressed on the log-odds of the risk by a logistic regression with a natural cubic spline
(linear beyond the outer knots). The curve says how often the event happens at each risk; the
differences between curve and risk over all rows are summarised by their mean (ICI, the integrated
calibration index), median (E50) and 90th percentile (E90), following Austin and Steyerberg (2019).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtri, expit, fdtri, ndtri

from riskcard.errors import DataError
from riskcard.evaluation.intervals import LEVEL, QUANTILE, Figure, Interval, quantile_of
from riskcard.evaluation.linearisation import ONE_UNIT, effective_units, sum_by_unit
from riskcard.evaluation.measures import Floats, Tally, fit_logistic
from riskcard.evaluation.outcomes import Outcomes

#: Knots at these quantiles of the log-odds (Harrell), by their number.
_KNOTS = {3: (0.10, 0.50, 0.90), 4: (0.05, 0.35, 0.65, 0.95)}
#: The least number of rows of the rarer outcome for each number of knots.
_ROWS_OF_KNOTS = {3: 20, 4: 100}
#: Points of the curve, and the largest number of distinct risks for which resamples are computed.
_POINTS, _PLACES = 101, 300


@dataclass(frozen=True, slots=True)
class SmoothCalibration:
    """How often the event happened, as a smooth function of the risk.

    Attributes
    ----------
    risks
        Ascending, from the lowest to the highest risk of any row.
    rates
        The height of the curve at each of them.
    low, high
        Ends of the 95 % interval at each of them.
    mean_error
        ICI: the mean distance between risk and curve over all rows, by weight.
    median_error, high_error
        E50 and E90: the median and the 90th percentile of the distance.
    knots
        Number of knots of the spline; 2 is a straight line in log-odds, 1 the rate of rows with equal
        risks.
    """

    risks: Floats
    rates: Floats
    low: Floats
    high: Floats
    mean_error: Figure
    median_error: Figure
    high_error: Figure
    knots: int


@dataclass(frozen=True, slots=True)
class _Spline:
    """A natural cubic spline, each column in units of its own spread."""

    knots: Floats
    centre: float
    spread: float

    def design(self, log_odds: Floats) -> Floats:
        """One column per coefficient: constant, line and what bends it."""
        at = (log_odds - self.centre) / self.spread
        columns = [np.ones_like(at), at][: self.knots.size]
        if self.knots.size > 2:
            knots = (self.knots - self.centre) / self.spread
            last, before = knots[-1], knots[-2]
            for knot in knots[:-2]:
                bend = np.maximum(at - knot, 0) ** 3
                bend -= np.maximum(at - before, 0) ** 3 * (last - knot) / (last - before)
                bend += np.maximum(at - last, 0) ** 3 * (before - knot) / (last - before)
                columns.append(bend / (last - knots[0]) ** 2)
        return np.column_stack(columns)


def smooth_calibration(
    outcomes: Outcomes, n_bootstraps: int = 500, random_state: int = 0
) -> SmoothCalibration:
    """Fit the curve to some rows.

    Parameters
    ----------
    outcomes
        Rows with and without the event.
    n_bootstraps
        Resamples behind the intervals of ICI, E50 and E90; whole clusters are drawn. 0 for none.
    random_state
        Seed of the resamples.

    Examples
    --------
    >>> import numpy as np
    >>> from riskcard.evaluation.outcomes import read_outcomes
    >>> found = smooth_calibration(read_outcomes(np.repeat([0.25, 0.75], 4), [1, 0, 0, 0, 1, 1, 1, 0]))
    >>> found.rates[[0, -1]].round(2).tolist()
    [0.25, 0.75]
    """
    if not outcomes.has_both:
        raise DataError("A calibration curve needs rows with and without the event.")
    tally = outcomes.tally(outcomes.log_odds)
    spline = _spline_of(outcomes, tally)
    coefficients = fit_logistic(spline.design(tally.values), tally)
    ends = outcomes.risks.min(), outcomes.risks.max()
    risks = np.unique(np.linspace(*ends, _POINTS))
    covariance, degrees = _covariance(outcomes, spline, coefficients)
    points = spline.design(_log_odds(risks))
    quantile = quantile_of(degrees)
    reach = quantile * np.sqrt(((points @ covariance) * points).sum(axis=1))
    may_be_0 = _may_be_right(spline, coefficients, covariance, degrees)
    curve = points @ coefficients
    errors = np.array(_errors(tally, spline, coefficients))
    resampled = _resample(outcomes, spline, coefficients, n_bootstraps, random_state)
    figures = [
        Figure(float(error), _interval(float(error), column, may_be_0, quantile))
        for error, column in zip(errors, resampled.T, strict=True)
    ]
    return SmoothCalibration(
        risks=risks,
        rates=expit(curve),
        low=expit(curve - reach),
        high=expit(curve + reach),
        mean_error=figures[0],
        median_error=figures[1],
        high_error=figures[2],
        knots=spline.knots.size,
    )


def _spline_of(outcomes: Outcomes, tally: Tally) -> _Spline:
    events, values, shares = outcomes.count(outcomes.is_event), tally.values, tally.totals
    rarer = min(events, outcomes.count() - events)
    shares = shares / shares.sum()
    centre = float(shares @ values)
    spread = math.sqrt(float(shares @ (values - centre) ** 2)) or 1.0
    for number in (4, 3):
        if rarer >= _ROWS_OF_KNOTS[number]:
            knots = np.unique([_quantile(values, shares, at) for at in _KNOTS[number]])
            if knots.size == number:
                return _Spline(knots, centre, spread)
    return _Spline(np.unique(values[[0, -1]]), centre, spread)


def _quantile(values: Floats, shares: Floats, at: float) -> float:
    """The smallest of ascending values whose cumulative share reaches the one asked for."""
    reached = np.searchsorted(np.cumsum(shares), at * shares.sum() * (1 - 1e-12))
    return float(values[min(int(reached), values.size - 1)])


def _log_odds(risks: Floats) -> Floats:
    return Outcomes(risks, np.zeros(risks.size, dtype=bool), np.ones(risks.size)).log_odds


def _covariance(outcomes: Outcomes, spline: _Spline, coefficients: Floats) -> tuple[Floats, float]:
    """The covariance of the coefficients, and its degrees of freedom."""
    design = spline.design(outcomes.log_odds)
    weights = outcomes.weights / outcomes.row_weights.max()
    fitted = design @ coefficients
    curvature = (design.T * (weights * expit(fitted) * expit(-fitted))) @ design
    bread = np.linalg.pinv(curvature, hermitian=True)
    if outcomes.is_plain:
        return bread, math.inf
    units = max(effective_units(outcomes), ONE_UNIT)
    scores = design * (weights * (outcomes.is_event - expit(fitted)))[:, None]
    sums = np.column_stack([sum_by_unit(outcomes, column) for column in scores.T])
    return bread @ (sums.T @ sums) @ bread * units / (units - 1), units - 1


def _may_be_right(
    spline: _Spline, coefficients: Floats, covariance: Floats, degrees: float
) -> bool:
    """Whether a test at the 5 % level does not reject that the curve is the diagonal."""
    diagonal = np.zeros_like(coefficients)
    diagonal[:2] = (spline.centre, spline.spread)[: diagonal.size]
    away = coefficients - diagonal
    statistic, number = float(away @ np.linalg.pinv(covariance, hermitian=True) @ away), away.size
    if math.isinf(degrees):
        return bool(statistic <= chdtri(number, 1 - LEVEL))
    left = degrees - number + 1
    if left <= 0:
        return True
    return bool(statistic * left / (number * degrees) <= fdtri(number, left, LEVEL))


def _errors(tally: Tally, spline: _Spline, coefficients: Floats) -> tuple[float, float, float]:
    """Mean, median and 90th percentile of the distance between risk and curve."""
    shares = tally.totals / tally.totals.sum()
    distances = np.abs(expit(spline.design(tally.values) @ coefficients) - expit(tally.values))
    order = np.argsort(distances, kind="stable")
    quantiles = (_quantile(distances[order], shares[order], at) for at in (0.5, 0.9))
    return (float(shares @ distances), *quantiles)  # type: ignore[return-value]


def _resample(
    outcomes: Outcomes, spline: _Spline, coefficients: Floats, number: int, seed: int
) -> Floats:
    """The three errors in resamples of rows, or of clusters.

    Of entries with counts, it is drawn how often the rows of each are drawn: the same distribution.
    """
    rng, found = np.random.default_rng(seed), []
    places, values = _places(outcomes)
    design = spline.design(values)
    units = outcomes.clusters if outcomes.clusters is not None else np.arange(places.size)
    n_units = int(units.max()) + 1
    for _ in range(number):
        if outcomes.counts is None:
            drawn = np.bincount(rng.integers(n_units, size=n_units), minlength=n_units)
        else:
            n_rows = outcomes.count()
            drawn = rng.multinomial(n_rows, outcomes.counts / n_rows)
        weights = outcomes.row_weights * drawn[units]
        events, totals = (
            np.bincount(places, weights * kind, values.size).astype(np.float64)
            for kind in (outcomes.is_event, 1.0)
        )
        tally = Tally(values, events, totals - events)
        if 0 < events.sum() < totals.sum():
            found.append(_errors(tally, spline, fit_logistic(design, tally, coefficients)))
    return np.array(found).reshape(-1, 3)


def _places(outcomes: Outcomes) -> tuple[np.ndarray, Floats]:
    """The place of each row among a few hundred log-odds at most, and these log-odds."""
    values, places = np.unique(outcomes.log_odds, return_inverse=True)
    if values.size <= _PLACES:
        return places, values
    groups = np.arange(values.size) * _PLACES // values.size
    weights = np.bincount(places, outcomes.weights)
    means = np.bincount(groups, weights * values) / np.bincount(groups, weights)
    return groups[places], means


def _interval(value: float, resampled: Floats, may_be_0: bool, quantile: float) -> Interval | None:
    """The estimate and its standard error in resamples, wide enough for what is known about distances.

    Chance makes a distance too large, and that of a resample even larger, so quantiles of resamples would
    exclude 0 even if all risks were right. The interval therefore begins at 0 unless a test shows that
    they are not. It then misses on one side only, so its other end may leave out 5 %. Otherwise it begins no
    later than the basic bootstrap interval, which removes the bias. It ends no earlier than the
    quantile of resamples, because small estimates vary too little.
    """
    if resampled.size < 2:
        return None
    level = LEVEL if may_be_0 else (1 + LEVEL) / 2
    reach = quantile / QUANTILE * float(ndtri(level) * resampled.std(ddof=1))
    most = float(np.quantile(resampled, level))
    low = 0.0 if may_be_0 else max(0.0, min(value - reach, 2 * value - most))
    return low, max(value + reach, most)
