"""How well expected numbers agree with numbers, and probabilities of ordered levels with levels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.evaluation.discrimination import roc_curve
from riskcard.evaluation.intervals import Figure, normal_interval, quantile_of, wilson_interval
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


def number_figures(expected: Floats, numbers: Floats, most: int) -> NumberFigures:
    """The figures of some rows, in at most so many groups.

    The intervals of R^2 and of the slope are those of their linearisation: the errors of rows may differ.
    """
    errors = numbers - expected
    return NumberFigures(
        explained=_explained(errors, numbers),
        root_mean_square=math.sqrt(float(np.mean(errors**2))),
        mean_absolute=float(np.mean(np.abs(errors))),
        expected=float(expected.mean()),
        observed=mean_figure(numbers),
        slope=_slope(expected, numbers),
        groups=tuple(_groups(expected, most, lambda own: mean_figure(numbers[own]))),
    )


def mean_figure(numbers: Floats) -> Figure:
    """A mean with Student's 95 % interval; none of a single row."""
    mean = float(numbers.mean())
    if numbers.size < 2:
        return Figure(mean, None)
    error = float(numbers.std(ddof=1)) / math.sqrt(numbers.size)
    return Figure(mean, normal_interval(mean, error, quantile_of(numbers.size - 1)))


def _explained(errors: Floats, numbers: Floats) -> Figure:
    squares = (numbers - numbers.mean()) ** 2
    whole = float(squares.sum())
    if not np.ptp(numbers) > 0:
        return Figure(math.nan, None)
    left = float(np.sum(errors**2)) / whole
    influence = (errors**2 - left * squares) / whole
    low, high = normal_interval(1 - left, math.sqrt(float(influence @ influence)))
    return Figure(1 - left, (low, min(high, 1.0)))


def _slope(expected: Floats, numbers: Floats) -> Figure:
    away = expected - expected.mean()
    spread = float(away @ away)
    if spread <= 1e-18 * max(float(expected @ expected), 1e-300):
        return Figure(math.nan, None)
    slope = float(away @ numbers) / spread
    left = numbers - numbers.mean() - slope * away
    return Figure(
        slope, normal_interval(slope, math.sqrt(float((away * left) @ (away * left))) / spread)
    )


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


def level_figures(at_least: Floats, codes: Integers, words: list[str], most: int) -> LevelFigures:
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
    """
    n_rows, n_levels = codes.size, at_least.shape[1] + 1
    ends = np.ones((n_rows, 1)), np.zeros((n_rows, 1))
    shares = -np.diff(np.hstack([ends[0], at_least, ends[1]]), axis=1)
    own = np.maximum(shares[np.arange(n_rows), codes], LEAST_SHARE)
    counts = np.bincount(codes, minlength=n_levels)
    seen = counts[counts > 0] / n_rows
    time: Floats = (n_levels - 1 - codes).astype(np.float64)
    return LevelFigures(
        concordance=concordance_figure(FollowUp(time, codes > 0), at_least[:, 0]),
        log_loss=-float(np.log(own).mean()),
        log_loss_of_shares=-float(seen @ np.log(seen)),
        at=tuple(
            _at_level(at_least[:, place], codes > place, one, most)
            for place, one in enumerate(words)
        ),
    )


def _at_level(shares: Floats, is_there: Booleans, words: str, most: int) -> AtLevel:
    def observed(own: Booleans) -> Figure:
        count, whole = float(np.count_nonzero(is_there[own])), float(is_there[own].size)
        return Figure(count / whole, wilson_interval(count, whole))

    area = Figure(math.nan, None)
    if is_there.any() and not is_there.all():
        curve = roc_curve(read_outcomes(shares, is_there.astype(int)))
        area = Figure(curve.area, curve.interval)
    everyone = np.ones(shares.size, dtype=bool)
    groups = tuple(_groups(shares, most, observed))
    return AtLevel(words, float(shares.mean()), observed(everyone), area, groups)


def _groups(
    estimates: Floats, most: int, observed: Callable[[Booleans], Figure]
) -> Iterator[EstimateGroup]:
    """Rows in groups of ascending estimates; equal ones stay together."""
    for own in risk_groups(estimates, most):
        inside = estimates[own]
        yield EstimateGroup(
            rows=int(inside.size),
            lowest=float(inside.min()),
            highest=float(inside.max()),
            expected=float(inside.mean()),
            observed=observed(own),
        )
