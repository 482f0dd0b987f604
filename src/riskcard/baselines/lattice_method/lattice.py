"""RiskSLIM's problem: the loss over whole points on given columns, and the tangents that bound it."""

import math
from dataclasses import dataclass

import numpy as np

from riskcard.baselines.steps.columns import Columns, Floats, Integers, candidate_columns
from riskcard.logistic import log_loss, residuals
from riskcard.problem.problem import Problem
from riskcard.problem.solution import Solution

#: Relative error of a sum of many numbers, with room to spare; it is taken off every bound.
ROUNDING = 1e-13


@dataclass(frozen=True, slots=True)
class Lattice:
    """Minimise the loss plus the penalties of the terms, over whole-number points.

    A point is a vector with one entry for each column and the base as the last:
    ``log-odds = (holds @ points + base) / multiplier``. At most ``max_terms`` columns have points.

    Attributes
    ----------
    penalties
        One for each column: what it costs to give it points.
    low, high
        The box of a point, the base included.
    """

    columns: Columns
    max_terms: int
    penalties: Floats
    multiplier: float
    low: Integers
    high: Integers

    @property
    def n_columns(self) -> int:
        return self.columns.n_columns

    def loss(self, point: Floats | Integers) -> float:
        """The loss at a point, whole or not."""
        return log_loss(self._log_odds(point), self.columns.labels, self.columns.weights)

    def objective(self, point: Integers) -> float:
        """The loss plus the penalty of each term."""
        return self.loss(point) + float(self.penalties[point[:-1] != 0].sum())

    @property
    def most_penalties(self) -> float:
        """What the terms of a card cost at most."""
        return float(np.sort(self.penalties)[::-1][: self.max_terms].sum())

    def allows(self, point: Integers) -> bool:
        """Within the box, with no more terms than allowed."""
        is_inside = bool(np.all((self.low <= point) & (point <= self.high)))
        return is_inside and int(np.count_nonzero(point[:-1])) <= self.max_terms

    def _log_odds(self, point: Floats | Integers) -> Floats:
        log_odds: Floats = (self.columns.holds @ point[:-1] + point[-1]) / self.multiplier
        return log_odds

    def card(self, point: Integers) -> Solution:
        """The point as a card."""
        terms = self.columns.terms(point[:-1])
        return Solution.of(terms, int(point[-1]), self.multiplier)

    def point(self, card: Solution) -> Integers:
        """The card as a point."""
        pairs = zip(self.columns.features.tolist(), self.columns.cuts.tolist(), strict=True)
        place = {pair: column for column, pair in enumerate(pairs)}
        point = np.zeros(self.n_columns + 1, dtype=np.int64)
        for feature, cut, jump in card.terms:
            point[place[feature, cut]] = jump
        point[-1] = card.base
        return point


def make_lattice(problem: Problem, penalties: float | Floats) -> Lattice:
    """The problem on its candidate columns; its scale is fixed.

    ``penalties`` is one number for all terms, or one for each feature.

    The base is free in the problem and bounded here, which loses nothing. With ``s`` the points of
    a row without the base, ``m`` the multiplier and ``r`` the log-odds of the base rate: where
    every ``(base + s) / m >= r`` each risk is at least the base rate, so the loss does not fall
    with a larger base; likewise below. A real minimiser is therefore in
    ``[m r - max s, m r - min s]``, the loss is convex in the base, so a whole minimiser is next
    to it; and ``s`` is at most ``max_terms`` times the largest points, up or down.
    """
    columns = candidate_columns(problem)
    is_event = columns.labels > 0
    weights, multiplier = columns.weights, problem.scale.multiplier
    rate = math.log(weights[is_event].sum()) - math.log(weights[~is_event].sum())
    reach = problem.limits.max_terms * problem.max_points
    lowest, highest = math.floor(multiplier * rate) - reach, math.ceil(multiplier * rate) + reach
    return Lattice(
        columns=columns,
        max_terms=min(problem.limits.max_terms, columns.n_columns),
        penalties=np.broadcast_to(penalties, problem.data.n_features)[columns.features].astype(
            float
        ),
        multiplier=multiplier,
        low=np.append(columns.low, lowest),
        high=np.append(columns.high, highest),
    )


@dataclass(frozen=True, slots=True)
class Tangent:
    """``loss(point) >= constant + slopes @ point`` for every point: the loss is convex."""

    constant: float
    slopes: Floats


def tangent_at(lattice: Lattice, point: Floats | Integers) -> tuple[float, Tangent]:
    """The loss at a point and its tangent plane there.

    *Validity.* The loss is a sum of ``weight * log(1 + exp(-margin))``, convex in the margin, and
    margins are linear in the point; so the loss is convex and differentiable, and lies nowhere
    below its tangent plane. This holds for tangents at any point, whole or not.
    """
    columns = lattice.columns
    log_odds = lattice._log_odds(point)
    loss = log_loss(log_odds, columns.labels, columns.weights)
    pull = -residuals(log_odds, columns.labels, columns.weights) / lattice.multiplier
    slopes = np.append(columns.holds.T @ pull, pull.sum())
    return loss, Tangent(loss - float(slopes @ point), slopes)


@dataclass(frozen=True, slots=True)
class Box:
    """A part of the lattice: bounds on each entry, and columns that count as terms."""

    low: Integers
    high: Integers
    is_term: np.ndarray  # of bool, one for each column

    @property
    def is_empty(self) -> bool:
        return bool(np.any(self.low > self.high))


def bound_of_box(lattice: Lattice, box: Box, tangents: list[Tangent], shares: Floats) -> float:
    """A number that the objective of no point of the box is below, from a mixture of tangents.

    *Proof.* Let the ``shares`` be made non-negative with sum 1. The mixture
    ``constant + slopes @ point`` of the tangents is nowhere above the largest of them, hence
    nowhere above the loss. What is returned is the exact minimum of the mixture plus the penalties
    over the points of the box with at most ``max_terms`` terms: the base and the columns that count
    as terms each take the better end of their interval; of the other columns, at most as many as
    are left are given points, those that gain most. So the bound holds whatever shares a
    linear programme gave, exact or not. More than the rounding error of the sums is taken off.
    """
    shares = np.maximum(shares, 0.0)
    total = float(shares.sum())
    if not (total > 0 and math.isfinite(total)):
        return 0.0
    shares = shares / total
    used = np.flatnonzero(shares)
    constant = float(sum(shares[t] * tangents[t].constant for t in used))
    slopes = np.sum([shares[t] * tangents[t].slopes for t in used], axis=0)
    least = np.minimum(slopes * box.low, slopes * box.high)
    columns, base = least[:-1] + lattice.penalties, float(least[-1])
    left = lattice.max_terms - int(np.count_nonzero(box.is_term))
    gains = np.sort(np.minimum(columns[~box.is_term], 0.0))[: max(left, 0)]
    value = constant + base + float(columns[box.is_term].sum()) + float(gains.sum())
    size = constant + abs(base) + float(np.abs(columns).sum())
    return float(max(value - ROUNDING * size, 0.0))
