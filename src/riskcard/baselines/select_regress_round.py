"""Select, regress, round: columns from a lasso, a regression on them, its coefficients made whole."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from riskcard.baselines.columns import Columns, Floats, Integers, candidate_columns
from riskcard.baselines.plain_cards import PlainCardClassifier, Solver
from riskcard.baselines.polish import polish
from riskcard.baselines.regression import fit_logistic
from riskcard.baselines.rounding import (
    RealCard,
    round_at_random,
    round_in_random_order,
    round_nearest,
    round_sequentially,
)
from riskcard.baselines.scaling import with_best_scale
from riskcard.baselines.selection import select_by_lasso, select_forward
from riskcard.checks import LOG_ODDS_LIMIT, is_number, is_whole
from riskcard.errors import ParameterError
from riskcard.estimators.base import seed_of
from riskcard.problem.objective import loss_of
from riskcard.problem.problem import Problem, make_problem
from riskcard.problem.ranked_data import RankedData
from riskcard.problem.result import SolveResult
from riskcard.problem.solution import Solution
from riskcard.status import Status

SELECTIONS = ("lasso", "forward")
ROUNDINGS = ("nearest", "randomised", "sequential", "randomised_sequential")


@dataclass(frozen=True, slots=True)
class _Method:
    """The parameters, checked."""

    selection: str
    rounding: str
    rescale: bool
    refit: bool
    polish: bool
    ridge: float
    n_draws: int
    seed: int


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

    def __init__(
        self,
        max_terms: int = 5,
        max_points: int = 5,
        scale: float | str = "calibrated",
        grid: int | None = 9,
        selection: str = "lasso",
        rounding: str = "nearest",
        rescale: bool = True,
        refit: bool = True,
        polish: bool = False,
        ridge: float = 0.001,
        n_draws: int = 20,
        random_state: Any = 0,
    ) -> None:
        self.max_terms = max_terms
        self.max_points = max_points
        self.scale = scale
        self.grid = grid
        self.selection = selection
        self.rounding = rounding
        self.rescale = rescale
        self.refit = refit
        self.polish = polish
        self.ridge = ridge
        self.n_draws = n_draws
        self.random_state = random_state

    def _make_problem(self, data: RankedData) -> Problem:
        return make_problem(
            data, max_terms=self.max_terms, max_points=self.max_points, scale=self.scale
        )

    def _make_solver(self) -> Solver:
        _require_one_of("selection", self.selection, SELECTIONS)
        _require_one_of("rounding", self.rounding, ROUNDINGS)
        if not (is_number(self.ridge) and 0 < self.ridge < float("inf")):
            raise ParameterError(f"ridge is {self.ridge!r}. Use a positive number, such as 0.001.")
        if not is_whole(self.n_draws) or self.n_draws < 1:
            raise ParameterError(
                f"n_draws is {self.n_draws!r}. Use a whole number of at least 1, such as 20."
            )
        method = _Method(
            selection=self.selection,
            rounding=self.rounding,
            rescale=bool(self.rescale),
            refit=bool(self.refit),
            polish=bool(self.polish),
            ridge=float(self.ridge),
            n_draws=int(self.n_draws),
            seed=seed_of(self.random_state),
        )
        return lambda problem: _solve(problem, method)


def _require_one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in allowed:
        words = ", ".join(map(repr, allowed))
        raise ParameterError(f"{name} is {value!r}. Use one of {words}.")


def _solve(problem: Problem, method: _Method) -> SolveResult:
    start = time.perf_counter()
    columns = candidate_columns(problem)
    count = problem.limits.max_terms
    if method.selection == "lasso":
        chosen = select_by_lasso(columns, count)
    else:
        chosen = select_forward(columns, count, method.ridge)
    selected = columns.take(chosen)
    real = _regress(problem, selected, method)
    drafts = np.unique(_round(real, method), axis=0)
    cards = [_finish(problem, selected, real, points, method) for points in drafts]
    card = min(cards, key=lambda card: loss_of(card, problem))
    if method.polish:
        card = polish(problem, card)
    seconds = time.perf_counter() - start
    return SolveResult(card, loss_of(card, problem), 0.0, Status.HEURISTIC, seconds=seconds)


def _regress(problem: Problem, columns: Columns, method: _Method) -> RealCard:
    """The regression as a card with real points; with a whole base its last point is the base."""
    holds, labels, weights = columns.holds, columns.labels, columns.weights
    coefficients, intercept = fit_logistic(holds, labels, weights, method.ridge)
    factor = _points_per_log_odds(problem, coefficients, method.rescale)
    points = np.clip(factor * coefficients, columns.low, columns.high)
    multiplier = problem.scale.multiplier if problem.scale.kind == "fixed" else factor
    if problem.scale.kind == "calibrated":
        return RealCard(holds, labels, weights, points, multiplier, intercept)
    matrix = np.column_stack([holds, np.ones(labels.size)])
    return RealCard(matrix, labels, weights, np.append(points, factor * intercept), multiplier, 0.0)


def _points_per_log_odds(problem: Problem, coefficients: Floats, rescale: bool) -> float:
    largest = float(np.abs(coefficients).max(initial=0.0))
    if rescale and largest > 0:
        return problem.max_points / largest
    return problem.scale.multiplier if problem.scale.kind == "fixed" else 1.0


def _round(real: RealCard, method: _Method) -> Integers:
    rng = np.random.default_rng(method.seed)
    if method.rounding == "nearest":
        return round_nearest(real)
    if method.rounding == "randomised":
        return round_at_random(real, rng, method.n_draws)
    if method.rounding == "sequential":
        return round_sequentially(real)
    return round_in_random_order(real, rng, method.n_draws)


def _finish(
    problem: Problem, columns: Columns, real: RealCard, points: Integers, method: _Method
) -> Solution:
    """The whole points as a card, with the scale of the regression or the best one."""
    terms = columns.terms(points[: columns.n_columns])
    if method.refit:
        return with_best_scale(problem, terms)
    base = 0 if problem.scale.kind == "calibrated" else int(points[-1])
    multiplier = real.multiplier
    if problem.scale.kind != "fixed":
        # rounding up may pass the most that a term may move the log-odds
        largest = max((abs(jump) for _, _, jump in terms), default=0)
        multiplier = max(multiplier, largest / LOG_ODDS_LIMIT)
    return Solution.of(terms, base, multiplier, real.offset)
