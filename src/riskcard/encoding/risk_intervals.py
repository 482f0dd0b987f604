"""95 % intervals for the risks of a card: how far the risk of people with a total may be from it.

The log-odds of people with total ``t`` are the card's own, ``eta``, apart from three errors: the points
were estimated, the card is simpler than the world, and so is its scale. Their variances add up::

    prior(t) = estimated * v(t) + simpler + slope * (eta - average)**2

``v(t)`` is the variance that a logistic regression on the lines of the card would have for the mean
row with this total. The rows with the total then say how far the card is off: they count as
``rows / optimism`` rows, since they helped to choose the card. The interval is that of the mode of
this posterior, with its curvature as the variance.

High risks have a fourth error, in one direction: the world levels off where the card goes on in a straight
line, since hardly anything that a card counts makes an event certain. The lower end is therefore no higher
than it would be if the variance also had ``levelling * (eta - log-odds of 90 %)`` where that is above 0.
The upper end stays what it is.

The constants were chosen by simulation on tables that have many more rows than a card is learned
from; ``python -m benchmarks.coverage`` repeats it. A card that nothing shrinks follows its rows more
closely, so that these say less about it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from riskcard.arrays import Floats, Integers
from riskcard.model.totals import TotalCount


@dataclass(frozen=True, slots=True)
class Errors:
    """How far a kind of cards is from the truth.

    Attributes
    ----------
    estimated
        What estimating points adds to the variance of log-odds, as a multiple of that of a
        regression; more than 1, since cuts and features were chosen from many.
    simpler
        The variance of log-odds that is left where points and cuts are exact.
    slope
        The same for the slope, by the squared distance from the average.
    optimism
        How many rows with a total say as much as one that did not help to choose the card.
    levelling
        What the variance of log-odds has in addition for the lower end of high risks, by the distance
        from those of `HIGH_RISK`.
    """

    estimated: float
    simpler: float
    slope: float
    optimism: float
    levelling: float


#: Cards with pseudo-observations, and those that nothing shrinks.
SHRUNK = Errors(1.5, 0.06, 0.03, 2.5, 0.3)
FREE = Errors(6.0, 0.01, 0.05, 3.0, 0.0)

#: Risks above this are high.
HIGH_RISK = 0.9

#: A rate nearer to 0 or 1 counts as this.
LEAST_RATE = 1e-13

_QUANTILE = 1.959963984540054
#: A ridge that makes the regression exist where a line has only rows of one class.
_RIDGE = 1e-3
_STEPS = 50


def risk_intervals(
    counts: Sequence[TotalCount],
    log_odds: Floats,
    totals: Integers,
    lines: Integers,
    weights: Floats,
    errors: Errors,
    counts_of_rows: Integers | None = None,
) -> list[tuple[float, float]]:
    """The interval of each count.

    Parameters
    ----------
    counts
        The rows of each total, or band of totals.
    log_odds, totals
        What the card gives each row.
    lines
        (features, rows) The points of each row by feature: lines with the same points are one.
    weights
        Of each row.
    errors
        Those of the kind of card.
    counts_of_rows
        How many rows each row stands for; None where each stands for itself.
    """
    weights = weights / weights.max()
    each = weights if counts_of_rows is None else weights / counts_of_rows
    weights *= weights.sum() / (weights @ each)  # they add up to the effective rows
    risks = _sigmoid(log_odds)
    design = _design(lines)
    curvature = weights * risks * (1 - risks)
    information = (design.T * curvature) @ design + _RIDGE * np.eye(design.shape[1])
    rate = sum(one.event_weight for one in counts) / sum(one.weight for one in counts)
    rate = min(max(rate, LEAST_RATE), 1 - LEAST_RATE)
    average = np.log(rate) - np.log1p(-rate)
    places = np.searchsorted([one.high for one in counts], totals)
    summed = [np.bincount(places, column * weights) for column in (log_odds, *design.T)]
    means = np.array(summed) / np.bincount(places, weights)  # over the rows of each count
    etas, middles = means[0], means[1:]
    variances = np.sum(middles * np.linalg.solve(information, middles), axis=0)
    priors = errors.estimated * variances + errors.simpler + errors.slope * (etas - average) ** 2
    beyond = np.maximum(etas - math.log(HIGH_RISK / (1 - HIGH_RISK)), 0.0)
    wider = priors + errors.levelling * beyond
    found = []
    for one, eta, *variances_of in zip(
        counts, etas.tolist(), priors.tolist(), wider.tolist(), strict=True
    ):
        (low, high), (lower, _) = (
            _posterior_interval(one, eta, variance, errors.optimism) for variance in variances_of
        )
        found.append((min(low, lower), high))
    return found


def _posterior_interval(
    count: TotalCount, eta: float, prior: float, optimism: float
) -> tuple[float, float]:
    """The interval of log-odds with a normal prior, given the rows with a total."""
    rows = count.effective_rows / optimism
    events, found = rows * count.rate, eta
    for _ in range(_STEPS):
        risk = _risk_at(found)
        curvature = rows * risk * (1 - risk) + 1 / prior
        step = (events - rows * risk - (found - eta) / prior) / curvature
        found += min(max(step, -1.0), 1.0)
        if abs(step) < 1e-10:
            break
    reach = _QUANTILE / math.sqrt(curvature)
    return _risk_at(found - reach), _risk_at(found + reach)


def _design(lines: Integers) -> Floats:
    """A column of ones, and one for each line of each feature but its first."""
    columns = [np.ones(lines.shape[1])]
    for points in lines:
        columns += [(points == worth).astype(np.float64) for worth in np.unique(points)[1:]]
    return np.column_stack(columns)


def _risk_at(log_odds: float) -> float:
    """The same as `_sigmoid` for one number, many times faster."""
    small = math.exp(-abs(log_odds))
    return (1.0 if log_odds >= 0 else small) / (1.0 + small)


def _sigmoid(log_odds: Floats) -> Floats:
    risks: Floats = np.exp(-np.logaddexp(0.0, -log_odds))
    return risks
