"""The oracle against known answers, a dumber search, and what must not change the optimum."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from oracle import enumerate_cards as oracle
from oracle.enumerate_cards import enumerate_cards
from random_problems import SCALES, random_problem
from riskcard.data.table import make_table
from riskcard.encoding.rank_table import rank_table
from riskcard.errors import ParameterError
from riskcard.logistic import log_loss
from riskcard.problem.objective import loss_of, violations
from riskcard.problem.problem import Problem, Scale, make_problem
from riskcard.status import Status

pytestmark = pytest.mark.slow

LOG_2 = math.log(2)


def problem_of(X, y, weights=None, **parameters) -> Problem:
    data, _ = rank_table(make_table(X, y, weights))
    return make_problem(data, **parameters)


# --- known answers ------------------------------------------------------------------------------


def test_two_separable_rows_with_fixed_scale():
    result = enumerate_cards(problem_of([[0.0], [1]], [0, 1], max_points=2, scale=1))
    assert result.solution.terms == [(0, 0, -2)]
    assert result.solution.base == 1
    assert result.loss == pytest.approx(2 * math.log1p(math.exp(-1)), rel=1e-14)
    assert (result.status, result.bound) == (Status.OPTIMAL, result.loss)


def test_two_separable_rows_go_to_the_cap_when_calibrated():
    result = enumerate_cards(problem_of([[0.0], [1]], [0, 1], max_points=3))
    assert result.loss == pytest.approx(2 * math.log1p(math.exp(-15)), rel=1e-10)
    assert abs(result.solution.jumps[0]) / result.solution.multiplier == pytest.approx(30)
    assert result.solution.offset == pytest.approx(15)


@pytest.mark.parametrize(
    ("max_points", "loss"),
    [(1, LOG_2 + math.log1p(math.exp(-30))), (2, 2 * math.log1p(math.exp(-15)))],
)
def test_a_common_divisor_matters_to_an_integer_base(max_points, loss):
    # one point cannot be halved between the rows, two can
    problem = problem_of([[0.0], [1]], [0, 1], max_points=max_points, scale="multiplier")
    assert enumerate_cards(problem).loss == pytest.approx(loss, rel=1e-10)


@pytest.mark.parametrize(
    ("scale", "loss"),
    [
        ("calibrated", -3 * math.log(0.75) - math.log(0.25)),
        ("multiplier", -3 * math.log(0.75) - math.log(0.25)),
        (1, 3 * math.log1p(math.exp(-1)) + math.log1p(math.exp(1))),
        (0.25, 4 * LOG_2),  # one point is log-odds 4, worse than none
        (2, 3 * math.log1p(math.exp(-1)) + math.log1p(math.exp(1))),
    ],
)
def test_the_empty_card_fits_the_base_rate(scale, loss):
    result = enumerate_cards(problem_of(np.ones((4, 2)), [1, 1, 0, 1], scale=scale))
    assert result.solution.terms == []
    assert result.loss == pytest.approx(loss, rel=1e-14)


def test_one_cut_with_noise_has_the_loss_of_its_two_groups():
    y = [0, 0, 0, 1, 0, 1, 1, 1]
    result = enumerate_cards(problem_of([[0.0]] * 4 + [[1.0]] * 4, y, max_terms=1))
    assert result.loss == pytest.approx(-6 * math.log(0.75) - 2 * math.log(0.25), rel=1e-10)


def test_two_cuts_on_one_feature_find_a_middle_group():
    X, y = [[0.0], [1], [2]] * 2, [0, 1, 0] * 2
    one, two = (
        enumerate_cards(problem_of(X, y, max_terms=2, max_cuts_per_feature=q)).loss for q in (1, 2)
    )
    assert one == pytest.approx(2 * (LOG_2 * 2 + math.log1p(math.exp(-30))), rel=1e-6)
    assert two < 1e-4


# --- a dumber search ----------------------------------------------------------------------------


def dumbest_loss(problem: Problem) -> float:
    """Every card one by one, its scale by scipy, bases from -12 to 12."""
    data, best = problem.data, math.inf

    def loss(log_odds):
        return log_loss(log_odds, data.labels, data.weights)

    def loss_and_slope(point, score):
        log_odds = point[0] * score + point[1]
        residual = -data.labels * data.weights / (1 + np.exp(data.labels * log_odds))
        return loss(log_odds), np.array([residual @ score, residual.sum()])

    for score, largest in distinct_scores(problem):
        if problem.scale.kind == "fixed":
            for base in range(-12, 13):
                best = min(best, loss((score + base) / problem.scale.multiplier))
        elif largest == 0 or problem.scale.kind == "calibrated":
            bounds = [(0, problem.scale.limit / max(largest, 1)), (None, None)]
            tight = {"ftol": 1e-13, "gtol": 1e-9}
            fit = minimize(
                loss_and_slope,
                [1.0, 0.0],
                (score,),
                "L-BFGS-B",
                jac=True,
                bounds=bounds,
                options=tight,
            )
            best = min(best, fit.fun)
        else:
            cap = problem.scale.limit / largest
            for base in range(-12, 13):
                total = score + base
                fit = minimize_scalar(
                    lambda slope, total=total: loss(slope * total),
                    bounds=(0, cap),
                    method="bounded",
                )
                best = min(best, fit.fun, loss(cap * total))
    return best


def distinct_scores(problem: Problem):
    data, limits, seen = problem.data, problem.limits, {}
    conditions = [(f, c) for f in range(data.n_features) for c in range(data.n_cuts[f])]
    for size in range(limits.max_terms + 1):
        for terms in itertools.combinations(conditions, size):
            used = Counter(f for f, _ in terms)
            if len(used) > limits.max_features:
                continue
            if any(count > limits.max_cuts_per_feature for count in used.values()):
                continue
            ranges = [range(problem.jump_low[f], problem.jump_high[f] + 1) for f, _ in terms]
            for jumps in itertools.product(*ranges):
                score = np.zeros(data.n_rows)
                for (f, c), jump in zip(terms, jumps, strict=True):
                    score += jump * (data.codes[f] <= c)
                largest = max(map(abs, jumps), default=0)
                seen[(*score, largest)] = score, largest
    return seen.values()


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_it_equals_a_dumber_search(scale):
    most = {"fixed": 100, "calibrated": 16, "multiplier": 16}[scale.kind]
    compared = 0
    for seed in range(40):
        problem = random_problem(seed, scale)
        if len(distinct_scores(problem)) <= most:
            expected = dumbest_loss(problem)
            assert enumerate_cards(problem).loss == pytest.approx(expected, rel=1e-7), seed
            compared += 1
    assert compared >= 6


# --- what must not change the optimum, or only for the better -----------------------------------

SEEDS = [seed for seed in range(100, 140) if enumerate_cards(random_problem(seed)).nodes < 800]


def loss_of_optimum(problem: Problem) -> float:
    result = enumerate_cards(problem)
    assert violations(result.solution, problem) == []
    assert result.loss == loss_of(result.solution, problem)
    return result.loss


@pytest.mark.parametrize("seed", SEEDS)
def test_invariances(seed):
    problem = random_problem(seed)
    data = problem.data
    loss = pytest.approx(loss_of_optimum(problem), rel=1e-9)
    rng = np.random.default_rng(seed)

    flipped = replace(
        problem,
        data=replace(data, labels=-data.labels),
        jump_low=-problem.jump_high,
        jump_high=-problem.jump_low,
    )
    assert loss_of_optimum(flipped) == loss

    rows = rng.permutation(data.n_rows)
    permuted = replace(
        data, codes=data.codes[:, rows], labels=data.labels[rows], weights=data.weights[rows]
    )
    assert loss_of_optimum(replace(problem, data=permuted)) == loss

    order = rng.permutation(data.n_features)
    features = replace(
        problem,
        data=replace(data, codes=data.codes[order], n_cuts=data.n_cuts[order]),
        jump_low=problem.jump_low[order],
        jump_high=problem.jump_high[order],
    )
    assert loss_of_optimum(features) == loss

    twice = replace(
        data,
        codes=np.tile(data.codes, 2),
        labels=np.tile(data.labels, 2),
        weights=np.tile(data.weights, 2),
    )
    doubled = loss_of_optimum(replace(problem, data=replace(data, weights=2 * data.weights)))
    assert loss_of_optimum(replace(problem, data=twice)) == pytest.approx(doubled, rel=1e-9)
    assert doubled / 2 == loss


@pytest.mark.parametrize("seed", SEEDS)
def test_more_freedom_never_hurts(seed):
    problem = random_problem(seed)
    loss = loss_of_optimum(problem) * (1 + 1e-9)
    limits = problem.limits
    wider = [
        replace(problem, limits=replace(limits, max_terms=limits.max_terms + 1)),
        replace(problem, limits=replace(limits, max_features=3)),
        replace(problem, limits=replace(limits, max_cuts_per_feature=3)),
        replace(problem, jump_high=problem.jump_high + 1),
        replace(problem, jump_low=problem.jump_low - 1),
    ]
    if problem.scale.kind == "fixed":
        wider.append(replace(problem, scale=Scale("multiplier")))
    if problem.scale.kind == "multiplier":
        wider.append(replace(problem, scale=Scale("calibrated")))
    for other in wider:
        assert loss_of_optimum(other) <= loss


def test_features_without_room_for_jumps_are_not_used():
    problem = problem_of([[0.0, 5], [1, 4], [2, 3], [3, 4]], [0, 1, 0, 1], max_terms=2)
    closed = replace(problem, jump_low=np.array([0, -2]), jump_high=np.array([0, 2]))
    assert set(enumerate_cards(closed).solution.features) == {1}


def test_too_large_a_problem_is_refused(monkeypatch):
    monkeypatch.setattr(oracle, "MOST_CARDS", 50)
    problem = problem_of(np.arange(12.0)[:, None], [0, 1] * 6, max_terms=2)
    with pytest.raises(ParameterError, match="more than 50 cards"):
        enumerate_cards(problem)


def test_batches_do_not_change_the_answer(monkeypatch):
    problem = random_problem(7)
    loss = enumerate_cards(problem).loss
    monkeypatch.setattr(oracle, "BATCH", 3)
    assert enumerate_cards(problem).loss == pytest.approx(loss, rel=1e-12)
