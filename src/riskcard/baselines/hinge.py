"""Points that minimise the hinge loss: a linear programme, rounded at random or by conditional expectations."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack

from riskcard.baselines.plain_cards import PlainCardClassifier
from riskcard.baselines.steps.columns import Columns, Floats, Integers, candidate_columns
from riskcard.baselines.steps.scaling import with_best_scale
from riskcard.baselines.steps.selection import select_forward
from riskcard.errors import ParameterError
from riskcard.estimators.base import seed_of
from riskcard.problem.objective import loss_of
from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult
from riskcard.status import Status

#: Expected losses are exact: they look at every way to round, so there must not be too many.
MOST_FRACTIONS = 12
#: More than the rounding error of the sums is taken off a bound, relatively.
ROUNDING = 1e-12
#: A point this near to a whole number is whole: linear programmes are solved to about this accuracy.
WHOLE = 1e-7
RIDGE = 0.001


@dataclass(frozen=True, slots=True)
class HingeResult(SolveResult):
    """A result that also has the hinge loss of the card and what is proven about it.

    Attributes
    ----------
    hinge
        Of the whole points, with the offset that suits them best.
    hinge_bound
        No points within the limits on the chosen columns, whole or not, have a hinge loss below it.
    expected_hinge
        The mean over all roundings, each number up with a probability equal to its fraction.
    """

    hinge: float = 0.0
    hinge_bound: float = 0.0
    expected_hinge: float = 0.0


@dataclass(frozen=True, slots=True)
class HingeLoss:
    """``sum of w_i max(0, 1 - y_i (x_i p + b))`` over points p in a box, and any offset b."""

    columns: Columns

    def loss(self, points: Floats | Integers) -> float:
        """The loss with the best offset, which is at a kink: where some row has margin 1.

        The loss is convex and piecewise linear in the offset, and rises on both sides.
        """
        kinks, losses = self._at_kinks(points)
        return float(losses.min()) if kinks.size else 0.0

    def offset(self, points: Floats | Integers) -> float:
        """The best offset."""
        kinks, losses = self._at_kinks(points)
        return float(kinks[int(np.argmin(losses))])

    def _at_kinks(self, points: Floats | Integers) -> tuple[Floats, Floats]:
        columns = self.columns
        scores = columns.holds @ points
        kinks = np.unique(columns.labels - scores)
        below = np.zeros(kinks.size)
        # each row's loss is linear on either side of its own kink
        for label in (-1.0, 1.0):
            rows = columns.labels == label
            own, weights = label - scores[rows], columns.weights[rows]
            order = np.argsort(own)
            own, weights = own[order], weights[order]
            sums = np.concatenate([[0.0], np.cumsum(weights)])
            moments = np.concatenate([[0.0], np.cumsum(weights * own)])
            place = np.searchsorted(own, kinks)
            if label > 0:  # rows whose kink is above the offset lose
                below += (moments[-1] - moments[place]) - kinks * (sums[-1] - sums[place])
            else:
                below += kinks * sums[place] - moments[place]
        return kinks, np.maximum(below, 0.0)

    def relax(self, charges: Floats | None = None) -> tuple[Floats, float]:
        """The best real points, and a bound on the loss of all points of the box, whole or not.

        Parameters
        ----------
        charges
            Of each unit of a point, up or down, added to the loss; by default 0. The bound is then on loss
            and charges together.

        Notes
        -----
        *Proof of the bound.* Let ``0 <= q_i <= w_i``. Then ``w_i max(0, m_i) >= q_i m_i`` for every number m_i, so
        the loss is at least ``sum q_i (1 - y_i (x_i p + b))``, which is linear. Its least value, charges
        included, is at the end of each interval or at 0, and the offset is kept to ``|b| <= 1 + the largest
        |x_i p|``, which loses nothing: all kinks lie there. This holds for all q; those used are the
        multipliers of the programme, clipped.
        """
        columns, n_rows, count = self.columns, self.columns.labels.size, self.columns.n_columns
        charges = np.zeros(count) if charges is None else charges
        signed = columns.labels[:, None] * np.column_stack(
            [columns.holds, -columns.holds, np.ones(n_rows)]
        )
        matrix = hstack([csr_array(signed), eye_array(n_rows)], format="csr")
        costs = np.concatenate([charges, charges, [0.0], columns.weights])
        high = np.maximum(columns.high, 0).astype(float), np.maximum(-columns.low, 0).astype(float)
        reach = 1.0 + float(np.maximum(*high).sum())
        low = np.concatenate([np.zeros(2 * count), [-reach], np.zeros(n_rows)])
        most = np.concatenate([*high, [reach], np.full(n_rows, np.inf)])
        found = linprog(
            costs,
            A_ub=-matrix,
            b_ub=-np.ones(n_rows),
            bounds=np.column_stack([low, most]),
            method="highs",
        )
        points = found.x[:count] - found.x[count : 2 * count]
        shares = np.clip(-found.ineqlin.marginals, 0.0, columns.weights)
        return points, self.bound(shares, charges, high, reach)

    def bound(
        self, shares: Floats, charges: Floats, high: tuple[Floats, Floats], reach: float
    ) -> float:
        """The least value of the linear function of ``relax``, less what rounding may add."""
        pulls = (shares * self.columns.labels) @ self.columns.holds
        gains = np.maximum((pulls - charges) * high[0], 0.0) + np.maximum(
            (-pulls - charges) * high[1], 0.0
        )
        offset = reach * abs(float(shares @ self.columns.labels))
        value = float(shares.sum()) - float(gains.sum()) - offset
        return max(value - ROUNDING * float(shares.sum() + gains.sum() + offset), 0.0)


def round_by_expectation(hinge: HingeLoss, points: Floats) -> tuple[Integers, float]:
    """Round one number after another to the side with the smaller expected loss; and the mean over all roundings.

    The expectation is over independent roundings of the numbers that are still open, each up with a probability
    equal to its fraction. It is the mean of those after rounding the next number up and down, so the better
    side is never above it, and the result is at most the mean over all roundings.
    """
    near = np.where(np.abs(points - np.rint(points)) < WHOLE, np.rint(points), points)
    floor = np.floor(near)
    places = np.flatnonzero(near != floor)
    chances = (near - floor)[places]
    ways = np.array(list(itertools.product((0, 1), repeat=places.size)), dtype=np.int64)
    losses = np.empty(len(ways))
    for way, ups in enumerate(ways):
        whole = floor.copy()
        whole[places] += ups
        losses[way] = hinge.loss(whole)
    weights = np.prod(np.where(ways == 1, chances, 1 - chances), axis=1)
    expected = float(weights @ losses)
    open_ways = np.ones(len(ways), dtype=bool)
    for number in range(places.size):
        means = [
            float(weights[side] @ losses[side] / weights[side].sum())
            for side in (open_ways & (ways[:, number] == up) for up in (0, 1))
        ]
        open_ways &= ways[:, number] == int(np.argmin(means))
    whole = floor.astype(np.int64)
    whole[places] += ways[int(np.flatnonzero(open_ways)[0])]
    return whole, expected


@dataclass(eq=False, repr=False)
class HingeRoundClassifier(PlainCardClassifier):
    """Points from the hinge loss: the real optimum by a linear programme, then rounded.

    Parameters
    ----------
    max_terms
        At most this many columns are chosen, by forward selection; at most 12 for "derandomised".
    max_points
        Points of a column, up or down: 1 gives the weights -1, 0 and 1 of the paper.
    scale, grid
        As in ``SelectRegressRoundClassifier``.
    scheme
        How to round. "derandomised": one number after another to the side with the smaller expected loss.
        "randomised": up with a probability equal to the fraction; of ``n_draws`` draws the one with the smallest
        hinge loss.
    n_draws, random_state
        Draws of the randomised rounding, and their seed.

    Attributes
    ----------
    card_, loss_, lower_bound_, gap_, status_, result_, classes_, n_features_in_, feature_names_in_
        As in ``RiskScoreClassifier``; ``status_`` is "heuristic". ``result_`` also has ``hinge``,
        ``hinge_bound``, a bound on the hinge loss of all points on the chosen columns, and
        ``expected_hinge``, which the derandomised card never exceeds.

    Notes
    -----
    Chevaleyre, Koriche and Zucker, "Rounding methods for discrete linear classification", ICML 2013::

        minimise    sum of w_i max(0, 1 - y_i (x_i p + b)),    p whole, -max_points <= p <= max_points

    which is hard, and easy for real p. The offset stays real here, because the card's scale is fitted to its
    totals. The choice of columns is ours: the paper has no limit on their number.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> result = HingeRoundClassifier(max_terms=4, max_points=1).fit(X, y).result_
    >>> bool(result.hinge_bound <= result.hinge <= result.expected_hinge)
    True
    """

    max_terms: int = 5
    max_points: int = 5
    scale: float | str = "calibrated"
    grid: int | None = 9
    scheme: str = "derandomised"
    n_draws: int = 20
    random_state: Any = 0

    def _check(self) -> None:
        super()._check()
        if self.scheme == "derandomised" and self.max_terms > MOST_FRACTIONS:
            raise ParameterError(
                f"max_terms is {self.max_terms}. Use at most {MOST_FRACTIONS}, or scheme='randomised'."
            )

    def _solve(self, problem: Problem, names: Sequence[str]) -> SolveResult:
        columns = candidate_columns(problem)
        chosen = columns.take(select_forward(columns, problem.limits.max_terms, RIDGE))
        hinge = HingeLoss(chosen)
        real, bound = hinge.relax()
        if self.scheme == "derandomised":
            points, expected = round_by_expectation(hinge, real)
        else:
            points, expected = self._at_random(hinge, real)
        card = with_best_scale(problem, chosen.terms(points))
        return HingeResult(
            card,
            loss_of(card, problem),
            0.0,
            Status.HEURISTIC,
            hinge=hinge.loss(points),
            hinge_bound=bound,
            expected_hinge=expected,
        )

    def _at_random(self, hinge: HingeLoss, real: Floats) -> tuple[Integers, float]:
        rng = np.random.default_rng(seed_of(self.random_state))
        floor = np.floor(real)
        ups = rng.random((self.n_draws, real.size)) < real - floor
        drawn = (floor + ups).astype(np.int64)
        losses = [hinge.loss(points) for points in drawn]
        return drawn[int(np.argmin(losses))], float(np.mean(losses))
