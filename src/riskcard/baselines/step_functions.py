"""Points of step functions with little total variation: interval-coded scores and the fused lasso."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from riskcard.baselines.hinge import HingeLoss
from riskcard.baselines.plain_cards import PlainCardClassifier, unproven
from riskcard.baselines.steps.columns import Columns, Floats, Integers, candidate_columns
from riskcard.baselines.steps.scaling import with_best_scale
from riskcard.baselines.steps.selection import as_candidates
from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult
from riskcard.search.lasso import lasso_path

#: Coefficients smaller than this share of the largest are 0: linear programmes leave such remains.
REMAINS = 1e-7
#: Halvings of the interval of penalties, on a logarithmic scale.
HALVINGS = 10
#: Added to a difference before its charge is divided by it, as a share of the largest.
DAMPING = 0.01


@dataclass(eq=False, repr=False)
class IntervalCodedClassifier(PlainCardClassifier):
    """Interval-coded scoring: hinge loss and total variation, by linear programmes.

    Parameters
    ----------
    max_terms
        The penalty is the smallest tried with which at most this many steps are left.
    max_points
        The largest step gets this many points, the others in proportion, rounded.
    scale, grid
        As in ``SelectRegressRoundClassifier``.
    reweightings
        How often the charge of each step is divided by its size and the programme solved again, which
        leaves fewer steps.

    Attributes
    ----------
    card_, loss_, lower_bound_, gap_, status_, result_, classes_, n_features_in_, feature_names_in_
        As in ``RiskScoreClassifier``; nothing is proven about the card.

    Notes
    -----
    Van Belle and others (2012); Billiet, Van Huffel and Van Belle, "Interval Coded Scoring: a toolbox for
    interpretable scoring systems", PeerJ Computer Science 4:e150 (2018). With z the indicators of the intervals of
    each feature p, and D_p the differences of neighbouring coefficients::

        minimise    sum of p ||D_p w_p||_1 + gamma sum of i max(0, 1 - y_i (w z_i + b))

    A step function is a sum of conditions "value at or below a cut", each times the difference of the
    coefficients on either side. So with one column per cut the total variation is the sum of the absolute
    coefficients, and the programme has one variable per cut, row and offset. As its authors do, the differences
    are reweighted, the result is scaled and rounded, and risks are from a logistic fit to the total.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> card = IntervalCodedClassifier(max_terms=3, grid=3).fit(X, y).card_
    >>> 1 <= len(card.terms) <= 3
    True
    """

    max_terms: int = 5
    max_points: int = 5
    scale: float | str = "calibrated"
    grid: int | None = 9
    reweightings: int = 2

    def _solve(self, problem: Problem, names: Sequence[str]) -> SolveResult:
        columns = candidate_columns(problem)
        if columns.n_columns == 0:
            return unproven(with_best_scale(problem, []), problem)
        wide = with_real_limits(columns)
        hinge = HingeLoss(wide)
        steps = densest(
            lambda charge: self._steps(hinge, charge),
            float(columns.weights.sum()),
            problem.limits.max_terms,
        )
        points = whole_steps(steps, columns, problem)
        return unproven(with_best_scale(problem, columns.terms(points)), problem)

    def _steps(self, hinge: HingeLoss, charge: float) -> Floats:
        """The real steps at one charge per unit of a step."""
        count = hinge.columns.n_columns
        steps = without_remains(hinge.relax(np.full(count, charge))[0])
        for _ in range(self.reweightings):
            largest = float(np.abs(steps).max(initial=0.0))
            if largest == 0:
                break
            share = np.abs(steps) / largest
            steps = without_remains(hinge.relax(charge / (share + DAMPING) / (1 + DAMPING))[0])
        return steps


@dataclass(eq=False, repr=False)
class FusedLassoClassifier(PlainCardClassifier):
    """Fused lasso scoring: logistic loss and total variation, rounded.

    Parameters
    ----------
    max_terms
        The last penalty of the path with at most this many steps is used.
    max_points, scale, grid
        As in ``IntervalCodedClassifier``.

    Attributes
    ----------
    card_, loss_, lower_bound_, gap_, status_, result_, classes_, n_features_in_, feature_names_in_
        As in ``RiskScoreClassifier``; nothing is proven about the card.

    Notes
    -----
    Sokolovska, Chevaleyre and Zucker, "A provable algorithm for learning interpretable scoring systems",
    AISTATS 2018. With one indicator z per bin of each feature p, coefficients of neighbouring bins are fused::

        minimise    sum of i log(1 + exp(-y_i (w z_i + b))) + penalty * sum of p, bins |w_p,bin+1 - w_p,bin|

    and rounded. A lasso on conditions "value at or below a cut" has the same penalty: its coefficients are the
    differences. The coefficients of the path are used as they are, without a refit. With the hinge loss this is
    ``IntervalCodedClassifier(reweightings=0)``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> card = FusedLassoClassifier(max_terms=3).fit(X, y).card_
    >>> 1 <= len(card.terms) <= 3
    True
    """

    max_terms: int = 5
    max_points: int = 5
    scale: float | str = "calibrated"
    grid: int | None = 9

    def _solve(self, problem: Problem, names: Sequence[str]) -> SolveResult:
        columns = candidate_columns(problem)
        steps = np.zeros(columns.n_columns)
        if columns.n_columns:
            for coefficients in lasso_path(as_candidates(columns)):
                if np.count_nonzero(coefficients) > problem.limits.max_terms:
                    break
                steps = coefficients.copy()
        points = whole_steps(steps, columns, problem)
        return unproven(with_best_scale(problem, columns.terms(points)), problem)


def densest(steps_at: Callable[[float], Floats], heaviest: float, max_terms: int) -> Floats:
    """The steps at the smallest charge tried that leaves at most ``max_terms``.

    At a charge of ``heaviest``, the weight of all rows, no step pays: a unit of it changes no row's loss by more
    than one. The charges tried halve an interval of logarithms; the number of steps need not fall with the
    charge, so a smaller one may exist.
    """
    low, high = np.log(heaviest) - 12.0, np.log(heaviest)
    best = steps_at(heaviest)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        steps = steps_at(float(np.exp(middle)))
        if np.count_nonzero(steps) <= max_terms:
            best, high = steps, middle
        else:
            low = middle
    return best


def without_remains(steps: Floats) -> Floats:
    """The steps without those that are 0 but for the accuracy of a linear programme."""
    largest = float(np.abs(steps).max(initial=0.0))
    return np.where(np.abs(steps) > REMAINS * max(largest, 1.0), steps, 0.0)


def with_real_limits(columns: Columns) -> Columns:
    """The columns with limits so wide that they do not bind: points are scaled afterwards."""
    wide = np.full(columns.n_columns, 10**4, dtype=np.int64)
    return Columns(
        columns.features, columns.cuts, columns.holds, columns.labels, columns.weights, -wide, wide
    )


def whole_steps(steps: Floats, columns: Columns, problem: Problem) -> Integers:
    """Scaled so that the largest is worth ``max_points``, and rounded to the nearest whole number."""
    largest = float(np.abs(steps).max(initial=0.0))
    if largest == 0:
        return np.zeros(columns.n_columns, dtype=np.int64)
    points = np.floor(problem.max_points * steps / largest + 0.5).astype(np.int64)
    return np.clip(points, columns.low, columns.high)
