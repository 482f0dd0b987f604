"""Select, regress, round: columns from a lasso, a regression on them, its coefficients made whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from riskcard.baselines.plain_cards import PlainCardClassifier, unproven
from riskcard.baselines.steps.columns import Columns, Floats, Integers, candidate_columns
from riskcard.baselines.steps.polish import polish
from riskcard.baselines.steps.regression import fit_logistic
from riskcard.baselines.steps.rounding import (
    RealCard,
    round_at_random,
    round_in_random_order,
    round_nearest,
    round_sequentially,
)
from riskcard.baselines.steps.scaling import with_best_scale
from riskcard.baselines.steps.selection import select_by_lasso, select_forward
from riskcard.checks import LOG_ODDS_LIMIT
from riskcard.estimators.base import seed_of
from riskcard.problem.objective import loss_of
from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult
from riskcard.problem.solution import Solution


@dataclass(eq=False, repr=False)
class SelectRegressRoundClassifier(PlainCardClassifier):
    """A card the traditional way: choose columns, fit a logistic regression, round its coefficients.

    Nothing is proven about the card: ``status_`` is "heuristic" and ``lower_bound_`` is 0.

    Parameters
    ----------
    max_terms
        At most this many columns are chosen.
    max_points
        A term is worth at most this many points; larger ones are cut off.
    scale
        From total to log-odds, as in ``RiskScoreClassifier``: "calibrated", "multiplier" or a
        number.
    grid
        Columns made of a continuous feature: cuts at this many quantiles; None for every cut.
    selection
        "lasso": the columns with the largest coefficients where the path of the L1-penalised
        regression first has ``max_terms`` of them. "forward": one after another, the column with
        the largest score statistic.
    rounding
        "nearest"; "randomised" (up with a probability equal to the fraction); "sequential" (the
        coefficient and direction that leave the smallest loss, one after another);
        "randomised_sequential" (coefficients in random order, each in the better direction). Of the
        randomised ones the best of ``n_draws`` is taken.
    rescale
        Multiply the coefficients so that the largest is worth ``max_points`` before rounding. With
        False a point is one unit of log-odds, or the unit that a numeric ``scale`` says.
    refit
        Refit the scale and the base to the integer points. With False they stay those of the
        regression, a whole base rounded in the same way as the points.
    polish
        End with discrete coordinate descent on the points. It fits the scale to them.
    ridge
        Penalty on the squares of the coefficients in the regression, positive so that separable data
        have an answer.
    n_draws
        Draws of the randomised roundings.
    random_state
        Seed of the draws.

    Attributes
    ----------
    card_, loss_, lower_bound_, gap_, status_, result_, classes_, n_features_in_, feature_names_in_
        As in ``RiskScoreClassifier``.

    Notes
    -----
    The three steps are those that Ustun and Rudin ("Learning optimized risk scores", 2019) compare
    with; randomised rounding is that of Chevaleyre, Koriche and Zucker ("Rounding methods for
    discrete linear classification", 2013). ``rescale=False, refit=False, scale=1`` is naive
    rounding, ``rescale=True, refit=False, scale=1`` rescaled rounding in the words of the former.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> classifier = SelectRegressRoundClassifier(max_terms=3, rounding="sequential").fit(X, y)
    >>> classifier.status_, len(classifier.card_.terms) <= 3
    ('heuristic', True)
    """

    max_terms: int = 5
    max_points: int = 5
    scale: float | str = "calibrated"
    grid: int | None = 9
    selection: str = "lasso"
    rounding: str = "nearest"
    rescale: bool = True
    refit: bool = True
    polish: bool = False
    ridge: float = 0.001
    n_draws: int = 20
    random_state: Any = 0

    def _solve(self, problem: Problem, names: Sequence[str]) -> SolveResult:
        rng = np.random.default_rng(seed_of(self.random_state))
        columns, count = candidate_columns(problem), problem.limits.max_terms
        if self.selection == "lasso":
            selected = columns.take(select_by_lasso(columns, count))
        else:
            selected = columns.take(select_forward(columns, count, self.ridge))
        real = self._regress(problem, selected)
        drafts = np.unique(self._round(real, rng), axis=0)
        cards = [self._finish(problem, selected, real, points) for points in drafts]
        card = min(cards, key=lambda card: loss_of(card, problem))
        return unproven(polish(problem, card) if self.polish else card, problem)

    def _regress(self, problem: Problem, columns: Columns) -> RealCard:
        """The regression as a card with real points; with a whole base its last point is the base."""
        holds, labels, weights = columns.holds, columns.labels, columns.weights
        coefficients, intercept = self._fit_coefficients(columns)
        kind, multiplier = problem.scale.kind, problem.scale.multiplier
        factor = multiplier if kind == "fixed" else 1.0
        largest = float(np.abs(coefficients).max(initial=0.0))
        if self.rescale and largest > 0:
            factor = problem.max_points / largest
        if kind != "fixed":
            multiplier = factor
        points = np.clip(factor * coefficients, columns.low, columns.high)
        if kind == "calibrated":
            return RealCard(holds, labels, weights, points, multiplier, intercept)
        matrix = np.column_stack([holds, np.ones(labels.size)])
        points = np.append(points, factor * intercept)
        return RealCard(matrix, labels, weights, points, multiplier, 0.0)

    def _fit_coefficients(self, columns: Columns) -> tuple[Floats, float]:
        """The regression on the chosen columns."""
        return fit_logistic(columns.holds, columns.labels, columns.weights, self.ridge)

    def _round(self, real: RealCard, rng: np.random.Generator) -> Integers:
        if self.rounding == "nearest":
            return round_nearest(real)
        if self.rounding == "randomised":
            return round_at_random(real, rng, self.n_draws)
        if self.rounding == "sequential":
            return round_sequentially(real)
        return round_in_random_order(real, rng, self.n_draws)

    def _finish(
        self, problem: Problem, columns: Columns, real: RealCard, points: Integers
    ) -> Solution:
        """The whole points as a card, with the scale of the regression or the best one."""
        terms = columns.terms(points[: columns.n_columns])
        if self.refit:
            return with_best_scale(problem, terms)
        base = 0 if problem.scale.kind == "calibrated" else int(points[-1])
        multiplier = real.multiplier
        if problem.scale.kind != "fixed":
            # rounding up may pass the most that a term may move the log-odds
            largest = max((abs(jump) for _, _, jump in terms), default=0)
            multiplier = max(multiplier, largest / LOG_ODDS_LIMIT)
        return Solution.of(terms, base, multiplier, real.offset)
