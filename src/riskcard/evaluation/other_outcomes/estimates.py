"""How well expected numbers agree with numbers, and probabilities of ordered levels with levels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.evaluation.discrimination import roc_curve
from riskcard.evaluation.intervals import Figure, normal_interval, quantile_of, rate_interval
from riskcard.evaluation.linearisation import effective_units, linearise
from riskcard.evaluation.other_outcomes.row_units import RowUnits
from riskcard.evaluation.other_outcomes.survival import concordance_figure, risk_groups
from riskcard.evaluation.outcomes import read_outcomes
from riskcard.outcomes.hazards import FollowUp

#: No probability that a level got is taken for less.
LEAST_SHARE = 1e-15


@dataclass(frozen=True, slots=True)
class EstimateGroup:
    """Rows of similar estimates.

    Attributes
    ----------
    rows
        Count.
    lowest, highest, expected
        Of their estimates: the least, the largest and the mean.
    observed
        The mean of what was observed, with its 95 % interval: Student's of numbers, Wilson's of shares.
    """

    rows: int
    lowest: float
    highest: float
    expected: float
    observed: Figure


# --- numbers ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NumberFigures:
    """Expected numbers against numbers.

    Attributes
    ----------
    explained
        R^2: the share of the variance of these rows that is explained, below 0 where the mean is better.
    root_mean_square, mean_absolute
        Errors.
    expected, observed
        Means of all rows.
    slope
        Of the line of least squares through what was observed; 1 is right, below 1 estimates are too far apart. NaN
        where all estimates are the same.
    groups
        Rows of similar estimates.
    """

    explained: Figure
    root_mean_square: float
    mean_absolute: float
    expected: float
    observed: Figure
    slope: Figure
    groups: tuple[EstimateGroup, ...]


def number_figures(
    expected: Floats, numbers: Floats, most: int, units: RowUnits | None = None
) -> NumberFigures:
    """The figures of some rows, in at most so many groups.

    The intervals of R^2 and of the slope are those of their linearisation: the errors of rows may differ.
    """
    units, errors = units or RowUnits.equal(numbers.size), numbers - expected
    weights = units.weights

    def observed(own: Booleans) -> Figure:
        return mean_figure(numbers[own], units.take(own))

    return NumberFigures(
        explained=_explained(errors, numbers, units),
        root_mean_square=math.sqrt(float(np.average(errors**2, weights=weights))),
        mean_absolute=float(np.average(np.abs(errors), weights=weights)),
        expected=float(np.average(expected, weights=weights)),
        observed=mean_figure(numbers, units),
        slope=_slope(expected, numbers, units),
        groups=tuple(_groups(expected, most, weights, observed)),
    )


def mean_figure(numbers: Floats, units: RowUnits) -> Figure:
    """A mean with Student's 95 % interval; none of a single row."""
    weights = units.weights
    mean = float(np.average(numbers, weights=weights))
    if not units.is_plain:
        return linearise(units, mean, weights * (numbers - mean) / weights.sum()).figure()
    if numbers.size < 2:
        return Figure(mean, None)
    error = float(numbers.std(ddof=1)) / math.sqrt(numbers.size)
    return Figure(mean, normal_interval(mean, error, quantile_of(numbers.size - 1)))


def _explained(errors: Floats, numbers: Floats, units: RowUnits) -> Figure:
    weights = units.weights
    squares = (numbers - np.average(numbers, weights=weights)) ** 2
    if not np.ptp(numbers) > 0:
        return Figure(math.nan, None)
    whole = float(weights @ squares)
    left = float(weights @ errors**2) / whole
    found = linearise(units, 1 - left, weights * (errors**2 - left * squares) / whole)
    interval = found.interval()
    return Figure(found.value, None if interval is None else (interval[0], min(interval[1], 1.0)))


def _slope(expected: Floats, numbers: Floats, units: RowUnits) -> Figure:
    weights = units.weights
    away = expected - np.average(expected, weights=weights)
    spread = float(weights @ away**2)
    if spread <= 1e-18 * max(float(weights @ expected**2), 1e-300):
        return Figure(math.nan, None)
    slope = float(weights @ (away * numbers)) / spread
    left = numbers - np.average(numbers, weights=weights) - slope * away
    return linearise(units, slope, weights * away * left / spread).figure()


# --- levels -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AtLevel:
    """The probability of one level or a higher one against the share of rows that have it.

    Attributes
    ----------
    words
        The level, in words.
    expected, observed
        The mean probability, and the share.
    area
        The area under the ROC curve: rows at the level or above against those below; NaN where there is only one
        of both.
    groups
        Rows of similar probabilities.
    """

    words: str
    expected: float
    observed: Figure
    area: Figure
    groups: tuple[EstimateGroup, ...]


@dataclass(frozen=True, slots=True)
class LevelFigures:
    """Probabilities of ordered levels against levels.

    Attributes
    ----------
    concordance
        Of pairs of rows of different levels, the share in the right order.
    log_loss, log_loss_of_shares
        Means over rows, of the card and of the shares of these rows for every row.
    at
        Each level but the lowest.
    """

    concordance: Figure
    log_loss: float
    log_loss_of_shares: float
    at: tuple[AtLevel, ...]


def level_figures(
    at_least: Floats,
    codes: Integers,
    words: list[str],
    most: int,
    units: RowUnits | None = None,
) -> LevelFigures:
    """The figures of some rows, in at most so many groups.

    Parameters
    ----------
    at_least
        The probability of each level but the lowest, or a higher one: rows by levels.
    codes
        The level of each row, 0 being the lowest.
    words
        What each level but the lowest is called, as one or a higher one.
    most
        Groups.
    units
        Weights and clusters of rows; None for none.
    """
    units, n_levels = units or RowUnits.equal(codes.size), at_least.shape[1] + 1
    weights = units.weights
    counts = np.bincount(codes, weights, minlength=n_levels)
    seen = counts[counts > 0] / counts.sum()
    time: Floats = (n_levels - 1 - codes).astype(np.float64)
    return LevelFigures(
        concordance=concordance_figure(FollowUp(time, codes > 0), at_least[:, 0], units),
        log_loss=float(np.average(level_losses(at_least, codes), weights=weights)),
        log_loss_of_shares=-float(seen @ np.log(seen)),
        at=tuple(
            _at_level(at_least[:, place], codes > place, one, most, units)
            for place, one in enumerate(words)
        ),
    )


def level_losses(at_least: Floats, codes: Integers) -> Floats:
    """The log-loss of each row."""
    ends = np.ones((codes.size, 1)), np.zeros((codes.size, 1))
    shares = -np.diff(np.hstack([ends[0], at_least, ends[1]]), axis=1)
    found: Floats = -np.log(np.maximum(shares[np.arange(codes.size), codes], LEAST_SHARE))
    return found


def _at_level(
    shares: Floats, is_there: Booleans, words: str, most: int, units: RowUnits
) -> AtLevel:
    weights = units.weights

    def observed(own: Booleans) -> Figure:
        inside = units.take(own)
        share = float(np.average(is_there[own], weights=inside.weights))
        return Figure(share, rate_interval(share, _worth(is_there[own], share, inside)))

    area = Figure(math.nan, None)
    if is_there.any() and not is_there.all():
        outcomes = read_outcomes(shares, is_there.astype(int), weights, None, units.clusters)
        curve = roc_curve(outcomes)
        area = Figure(curve.area, curve.interval)
    everyone = np.ones(shares.size, dtype=bool)
    groups = tuple(_groups(shares, most, weights, observed))
    expected = float(np.average(shares, weights=weights))
    return AtLevel(words, expected, observed(everyone), area, groups)


def _worth(is_there: Booleans, share: float, units: RowUnits) -> float:
    """How many independent rows say as much about a share: by its variance, where it has one."""
    if units.is_plain:
        return float(is_there.size)
    weights = units.weights
    found = linearise(units, share, weights * (is_there - share) / weights.sum())
    if 0 < found.variance < math.inf:
        return share * (1 - share) / found.variance
    return effective_units(units)


def _groups(
    estimates: Floats, most: int, weights: Floats, observed: Callable[[Booleans], Figure]
) -> Iterator[EstimateGroup]:
    """Rows in groups of ascending estimates; equal ones stay together."""
    for own in risk_groups(estimates, most):
        inside = estimates[own]
        yield EstimateGroup(
            rows=int(inside.size),
            lowest=float(inside.min()),
            highest=float(inside.max()),
            expected=float(np.average(inside, weights=weights[own])),
            observed=observed(own),
        )
