"""How far each row moves a figure, and the interval that follows, valid under weights and clusters.

Every figure of this room is a smooth function of sums over rows. To first order, a row moves it by an
amount that can be written down: its *influence*, whose sum over all rows is 0. Rows of one cluster move it
together, so influences are added up within clusters first; what is left are independent *units*
(clusters, or rows). The variance of the figure is the sum of their squares times ``m / (m - 1)``, where
``m`` is the effective number of units: Kish's ``sum(w)^2 / sum(w^2)`` of their weights. With weights or
clusters the quantile is that of Student's distribution with ``m - 1`` degrees of freedom, and without
them the normal one. For the coefficients of a regression this is the cluster-robust sandwich; for the
AUC without weights and clusters it is DeLong's variance; for a mean it is the textbook formula.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.special import expit, logit

from riskcard.evaluation.intervals import (
    QUANTILE,
    Figure,
    Interval,
    normal_interval,
    quantile_of,
    wilson_interval,
)
from riskcard.evaluation.measures import Floats
from riskcard.evaluation.outcomes import Integers, Outcomes, effective_rows

#: One unit but for rounding: it says nothing about chance.
ONE_UNIT = 1 + 1e-9


@dataclass(frozen=True, slots=True)
class Linearised:
    """A figure, and what each independent unit adds to its error.

    Attributes
    ----------
    value
        The figure.
    influence
        One number per unit; the variance is the sum of their squares.
    degrees
        Degrees of freedom of the variance; infinite where the normal quantile is used.
    """

    value: float
    influence: Floats
    degrees: float = math.inf

    @property
    def variance(self) -> float:
        """The squared standard error."""
        return float(self.influence @ self.influence)

    def __sub__(self, other: Linearised) -> Linearised:
        """The paired difference of two figures of the same rows."""
        degrees = min(self.degrees, other.degrees)
        return Linearised(self.value - other.value, self.influence - other.influence, degrees)

    def interval(self) -> Interval | None:
        """The interval on the scale of the figure; None where the variance is 0 or unknown."""
        return self._interval(self.value, 1.0)

    def log_interval(self) -> Interval | None:
        """The interval of a positive figure, symmetric in its logarithm."""
        if not 0 < self.value < math.inf:
            return None
        found = self._interval(math.log(self.value), 1 / self.value)
        return None if found is None else (math.exp(found[0]), math.exp(found[1]))

    def logit_interval(self) -> Interval | None:
        """The interval of a figure between 0 and 1, symmetric in its log-odds."""
        if not 0 < self.value < 1:
            return None
        found = self._interval(float(logit(self.value)), 1 / (self.value * (1 - self.value)))
        return None if found is None else (float(expit(found[0])), float(expit(found[1])))

    def _interval(self, middle: float, factor: float) -> Interval | None:
        if not 0 < self.variance < math.inf or not self.degrees > 0 or not math.isfinite(middle):
            return None
        error = factor * math.sqrt(self.variance)
        return normal_interval(middle, error, quantile_of(self.degrees))

    def figure(self) -> Figure:
        """The value with its interval on its own scale."""
        return Figure(self.value, self.interval())


class JudgedRows(Protocol):
    """What an interval asks of rows."""

    @property
    def weights(self) -> Floats:
        """One per row, or per entry."""

    @property
    def clusters(self) -> Integers | None:
        """Which rows belong together."""

    @property
    def counts(self) -> NDArray[np.int64] | None:
        """How many rows an entry stands for."""

    @property
    def is_plain(self) -> bool:
        """Rows are independent and have equal weights."""


def linearise(
    outcomes: JudgedRows, value: float, moves: Floats, base: Floats | None = None
) -> Linearised:
    """Add up influences within units, with the correction for their number.

    Parameters
    ----------
    outcomes
        The rows.
    value
        The figure.
    moves
        The influence of each row.
    base
        Weights of the rows that the figure rests on; all rows by default. Their effective number of
        units decides the degrees of freedom.
    """
    units = effective_units(outcomes, base)
    if units <= ONE_UNIT:
        return Linearised(value, np.full(1, np.inf), 0.0)
    influence = sum_by_unit(outcomes, moves) * math.sqrt(units / (units - 1))
    return Linearised(value, influence, math.inf if outcomes.is_plain else units - 1)


def sum_by_unit(outcomes: JudgedRows, moves: Floats) -> Floats:
    """Sums within clusters; the rows themselves where there are none.

    An entry for ``n`` alike rows that together move a figure by ``m`` is n units of ``m / n``. The sum of products
    of two such influences is ``n (m / n) (m' / n)``, which is that of one unit of ``m / sqrt(n)``.
    """
    if outcomes.clusters is None:
        return moves if outcomes.counts is None else moves / np.sqrt(outcomes.counts)
    return np.bincount(outcomes.clusters, moves).astype(np.float64)


def effective_units(outcomes: JudgedRows, base: Floats | None = None) -> float:
    """Kish's effective number of units (clusters or rows)."""
    weights = outcomes.weights if base is None else base
    if outcomes.clusters is None:
        return effective_rows(weights, outcomes.counts)
    return effective_rows(sum_by_unit(outcomes, weights))


def correlation_of(one: Floats, other: Floats) -> float:
    """The correlation of two figures, from the influences of the units that they share."""
    size = min(one.size, other.size)
    scale = math.sqrt(float(one @ one) * float(other @ other))
    if not 0 < scale < math.inf:  # a figure without an interval has an infinite influence
        return 0.0
    return float(np.clip(one[:size] @ other[:size] / scale, -1, 1))


def mean_of(outcomes: Outcomes, values: Floats) -> Linearised:
    """The mean of a value per row, by weight."""
    shares = outcomes.weights / outcomes.weights.sum()
    mean = float(shares @ values)
    return linearise(outcomes, mean, shares * (values - mean))


@dataclass(frozen=True, slots=True)
class Cells:
    """The weights of rows, by what they have in common: a place on some scale, and the event.

    Attributes
    ----------
    shares
        Share of the weight in each cell. Cells ``2 i`` and ``2 i + 1`` are the rows without and with the
        event at place ``i``.
    units
        The share of each unit in each cell, as a sparse matrix. Without clusters the rows of one cell
        are equivalent to one unit with the root of the sum of their squares.
    is_plain
        As for the rows.
    is_clustered
        The units are clusters.
    """

    shares: Floats
    units: Any
    is_plain: bool
    is_clustered: bool

    @classmethod
    def of(cls, outcomes: Outcomes, places: NDArray[np.intp], n_places: int) -> Cells:
        """Sort rows into cells."""
        cells, shares = 2 * places + outcomes.is_event, outcomes.weights / outcomes.weights.sum()
        totals = np.bincount(cells, shares, 2 * n_places).astype(np.float64)
        if outcomes.clusters is None:
            roots = np.sqrt(np.bincount(cells, sum_by_unit(outcomes, shares) ** 2, 2 * n_places))
            diagonal = np.arange(2 * n_places)
            units = csr_matrix((roots, (diagonal, diagonal)))
        else:
            shape = (int(outcomes.clusters.max()) + 1, 2 * n_places)
            units = csr_matrix((shares, (outcomes.clusters, cells)), shape=shape)
        return cls(totals, units, outcomes.is_plain, outcomes.clusters is not None)

    @property
    def is_event(self) -> NDArray[np.bool_]:
        """Which cells are of rows with the event."""
        is_event: NDArray[np.bool_] = np.arange(self.shares.size) % 2 == 1
        return is_event

    def rate(self, kind: NDArray[np.bool_], among: NDArray[np.bool_]) -> Rate:
        """The share of some cells among others, which include them."""
        kind = kind & among
        weight = float(self.shares @ among)
        if weight <= 0:
            return Rate(math.nan, np.zeros(self.units.shape[0]), 0.0, False, False)
        value = float(self.shares @ kind) / weight
        influence = self.units @ ((kind - value * among) / weight)
        base = self.units @ among.astype(np.float64)
        units = weight**2 / float(base @ base)
        return Rate(value, influence, units, not self.is_plain, self.is_clustered)


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of some rows among others.

    Attributes
    ----------
    value
        The share; NaN without rows.
    influence
        Per unit, without a correction for their number.
    units
        Effective number of units that it rests on.
    is_designed
        There are weights or clusters, so the variance has to be estimated.
    is_clustered
        The units are clusters.
    """

    value: float
    influence: Floats
    units: float
    is_designed: bool
    is_clustered: bool

    @property
    def effective_rows(self) -> float:
        """The number of independent rows that would have this variance.

        A share of 0 or 1 has no variance; the number of units is used instead, which is cautious.
        """
        variance = float(self.influence @ self.influence)
        if not self.is_designed or variance <= 0 or self.units <= ONE_UNIT:
            return self.units
        variance *= self.units / (self.units - 1)
        return self.value * (1 - self.value) / variance

    def interval(self, quantile: float = QUANTILE, most_rows: float = math.inf) -> Interval | None:
        """Wilson's interval of the effective rows, widened to Student's distribution under a design."""
        if math.isnan(self.value) or (self.is_designed and self.units <= ONE_UNIT):
            return None
        rows = min(self.effective_rows, most_rows)
        if self.is_designed:
            rows *= (QUANTILE / quantile_of(self.units - 1)) ** 2
        return wilson_interval(self.value * rows, rows, quantile)

    def figure(self) -> Figure:
        """The value with its interval."""
        return Figure(self.value, self.interval())

    def linearised(self) -> Linearised:
        """The same as a figure with an interval that is symmetric on some scale."""
        if not self.is_designed:
            return Linearised(self.value, self.influence)
        if self.units <= ONE_UNIT:
            return Linearised(self.value, np.full_like(self.influence, np.inf), 0.0)
        factor = math.sqrt(self.units / (self.units - 1))
        return Linearised(self.value, self.influence * factor, self.units - 1)
