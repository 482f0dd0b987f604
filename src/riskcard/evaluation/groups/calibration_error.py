"""A calibration error without the bias of small groups: the debiased mean squared error of binned risks.

Rows are divided into bins of similar risks. In a bin with ``n`` rows, let ``d`` be the outcome of a row (0 or 1)
minus its risk. If the true rate of the bin differs from its mean risk by ``delta``, the mean of ``d``
has the expectation ``delta``, but its square has ``delta^2 + variance / n``: chance alone makes an error, and
more so in small groups, so that plain calibration errors of groups of different sizes cannot be
compared (Petersen, Ganz, Holm and Feragen 2023). The mean product over all pairs of *different* rows,

    (sum_i sum_{j != i} d_i d_j) / (n (n - 1)),

has the expectation ``delta^2``, since different rows are independent. It equals the squared mean less
its estimated variance ``s^2 / n``. Where all rows of the bin have the risk ``p`` and ``k`` of them the event, it is

    k (k - 1) / (n (n - 1)) - 2 p k / n + p^2.

With weights, a pair counts by the product of the weights; pairs of rows of one cluster do not count, because they
are not independent. The sum over bins, by their share of the weight, is the debiased
squared calibration error. It may be negative; the root is then 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammainc

from riskcard.evaluation.calibration import bins_of_rows
from riskcard.evaluation.intervals import LEVEL, Figure, Interval
from riskcard.evaluation.linearisation import sum_by_unit
from riskcard.evaluation.measures import Floats
from riskcard.evaluation.outcomes import Outcomes


@dataclass(frozen=True, slots=True)
class CalibrationError:
    """How far rates in bins of risk are from the mean risks, beyond chance.

    Attributes
    ----------
    squared
        Debiased mean squared difference, which may be negative, with its 95 % interval.
    root
        Its root, on the scale of risks: 0 where the square is below 0.
    biased_root
        The root of the mean squared difference as it is, without the correction.
    bins
        The number of bins with at least two units, which count.
    """

    squared: Figure
    root: Figure
    biased_root: float
    bins: int


def calibration_error(outcomes: Outcomes, n_bins: int = 10) -> CalibrationError:
    """Compute the debiased error of some rows.

    Parameters
    ----------
    outcomes
        The rows.
    n_bins
        At most this many bins of about equal numbers of rows, as for calibration plots.

    Examples
    --------
    >>> from riskcard.evaluation.outcomes import read_outcomes
    >>> found = calibration_error(read_outcomes([0.2] * 4, [1, 1, 0, 0]))
    >>> round(found.squared.value, 4)  # 2 (2 - 1) / (4 (4 - 1)) - 2 * 0.2 * 2 / 4 + 0.2^2
    0.0067
    """
    found = _bins(outcomes, n_bins)
    if not found:
        return CalibrationError(Figure(math.nan, None), Figure(math.nan, None), math.nan, 0)
    means, debiased, weights = (
        np.array([getattr(one, name) for one in found]) for name in ("mean", "debiased", "weight")
    )
    shares, influence = weights / weights.sum(), np.array([one.influence for one in found])
    covariance = influence @ influence.T
    squared = float(shares @ debiased)
    interval = _interval(squared, means, shares, covariance)
    ends = None if interval is None else (_root(interval[0]), _root(interval[1]))
    return CalibrationError(
        squared=Figure(squared, interval),
        root=Figure(_root(squared), ends),
        biased_root=_root(float(shares @ means**2)),
        bins=means.size,
    )


def _interval(squared: float, means: Floats, shares: Floats, covariance: Floats) -> Interval | None:
    """All true errors ``x`` under which an estimate as low, and one as high, is not rarer than 2.5 %.

    The mean differences are about normal, so a weighted sum of their squares has the mean ``tr(A C) + x`` and
    the variance ``2 tr((A C)^2) + 4 m' A C A m`` with shares ``A``, covariance ``C`` and true means ``m``. The last
    part grows with the true error ``x = m' A m``, by a factor that is estimated. A sum of squares is skewed;
    its distribution is taken for the gamma distribution with this mean and variance.
    """
    scaled = shares[:, None] * covariance
    chance, biased = float(np.trace(scaled @ scaled)), float(shares @ means**2)
    if chance <= 0 or biased <= 0:
        return None
    factor = float((shares * means) @ covariance @ (shares * means)) / biased
    noise = float(np.trace(scaled))
    found = max(squared + noise, 1e-9 * noise)

    def rank(error: float) -> float:
        """The chance of an estimate that is at most this one."""
        mean, variance = noise + error, 2 * chance + 4 * factor * max(error, 0.0)
        return float(gammainc(mean**2 / variance, found * mean / variance))

    least, most = noise * (1e-9 - 1), found + 1e-9
    while rank(most) > (1 - LEVEL) / 2:
        most *= 2
    low = brentq(lambda error: rank(error) - (1 + LEVEL) / 2, least, most, xtol=1e-12)
    high = brentq(lambda error: rank(error) - (1 - LEVEL) / 2, least, most, xtol=1e-12)
    return float(low), float(high)


def _root(square: float) -> float:
    return math.sqrt(max(square, 0.0))


@dataclass(frozen=True, slots=True)
class _Bin:
    """The mean difference of a bin, the debiased square, the weight of its rows, and influences."""

    mean: float
    debiased: float
    weight: float
    influence: Floats


def _bins(outcomes: Outcomes, n_bins: int) -> list[_Bin]:
    """The bins with at least two units: one says nothing about chance."""
    differences, bins, found = (
        outcomes.is_event - outcomes.risks,
        bins_of_rows(outcomes, n_bins),
        [],
    )
    for one in np.unique(bins):
        base = outcomes.weights * (bins == one)
        weight = float(base.sum())
        shares = base / weight
        units, sums = sum_by_unit(outcomes, shares), sum_by_unit(outcomes, shares * differences)
        same = float(units @ units)  # weight of pairs within a unit
        if same > 1 - 1e-9:
            continue
        mean = float(sums.sum())
        debiased = (mean**2 - float(sums @ sums)) / (1 - same)
        influence = (sums - mean * units) / math.sqrt(1 - same)
        found.append(_Bin(mean, debiased, weight, influence))
    return found
