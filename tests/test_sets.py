"""Sets of conditions: their fit is a logistic regression, and a step finds a very good exchange."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from riskcard.data.table import make_table
from riskcard.encoding.rank_table import rank_table
from riskcard.problem.problem import make_problem
from riskcard.search.deadline import Deadline
from riskcard.search.heuristic import support as supports
from riskcard.search.heuristic.binned_rows import all_cuts
from riskcard.search.heuristic.card_room import rules_of
from riskcard.search.heuristic.support import (
    Walk,
    explore_supports,
    fit_support,
    improve_support,
    near_supports,
    search_supports,
)
from riskcard.search.plan import PLAN

SEEDS = range(8)


def small_problem(seed, max_terms=2):
    """Forty rows with ties, a column in which most rows agree, and weights."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 4, (40, 3)), rng.random(40) < 0.2]).astype(float)
    y = rng.random(40) < 1 / (1 + np.exp(1.5 - X[:, 0] + X[:, 3] - 0.3 * X[:, 1]))
    data, _ = rank_table(make_table(X, y, rng.integers(1, 4, 40)))
    problem = make_problem(data, max_terms=max_terms)
    return all_cuts(problem, is_screened=True), rules_of(problem)


def repeated(rows, times):
    """The rows, each of them several times."""
    return replace(
        rows,
        codes=np.ascontiguousarray(np.tile(rows.codes, times)),
        is_event=np.tile(rows.is_event, times),
        weights=np.tile(rows.weights, times),
        uncommon=rows.uncommon[:0],
        begins=np.zeros_like(rows.begins),
        common=np.full_like(rows.common, -1),
    )


def conditions_of(rows):
    return [(f, c) for f in range(rows.n_cuts.size) for c in range(rows.n_cuts[f])]


def loss_by_hand(rows, terms):
    """A logistic regression with a tiny ridge, by plain Newton steps on all rows."""
    ridge = PLAN.ridge * rows.weights.sum()
    holds = np.array([rows.codes[f] <= c for f, c in terms]).reshape(len(terms), -1)
    design = np.vstack([np.ones(rows.is_event.size), holds]).T
    label, coefficients = 2.0 * rows.is_event - 1.0, np.zeros(design.shape[1])
    for _ in range(50):
        risk = 1 / (1 + np.exp(-design @ coefficients))
        gradient = design.T @ (rows.weights * (risk - rows.is_event)) + ridge * coefficients
        curvature = design.T * (rows.weights * risk * (1 - risk)) @ design
        coefficients -= np.linalg.solve(curvature + ridge * np.eye(gradient.size), gradient)
    loss = rows.weights @ np.logaddexp(0.0, -label * (design @ coefficients))
    return float(loss + 0.5 * ridge * coefficients @ coefficients)


def as_terms(conditions):
    return np.ascontiguousarray(np.array(conditions, dtype=np.int64).reshape(-1, 2).T)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_set_has_the_loss_of_its_logistic_regression(seed):
    rows, rules = small_problem(seed)
    conditions = conditions_of(rows)[:: 3 + seed % 3][:3]
    assert fit_support(rows, rules, as_terms(conditions)).loss == pytest.approx(
        loss_by_hand(rows, conditions), rel=1e-4
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_one_step_makes_one_of_the_best_exchanges(seed):
    rows, rules = small_problem(seed)
    conditions = conditions_of(rows)
    start = conditions[seed % 3], conditions[-1 - seed % 2]
    exchanges = [
        loss_by_hand(rows, [kept, new])
        for kept, new in itertools.product(start, conditions)
        if new not in start
    ]
    support = fit_support(rows, rules, as_terms(start))
    reached, steps = improve_support(rows, rules, support, Walk(2, n_tries=1000, max_steps=1))
    assert steps == 1
    # the screen ranks the cuts of a column by a parabola, so the best need not come first
    assert reached.loss <= sorted([*exchanges, support.loss])[2] * (1 + 1e-4)


@pytest.mark.parametrize("seed", SEEDS)
def test_sets_grow_to_their_size_with_every_condition_once(seed):
    rows, rules = small_problem(seed, max_terms=4)
    start = fit_support(rows, rules, as_terms([]))
    reached, _ = improve_support(rows, rules, start, Walk(4, n_tries=6))
    assert len(set(reached.key)) == reached.n_terms <= 4
    assert reached.loss == pytest.approx(loss_by_hand(rows, reached.key), rel=1e-4)
    again, steps = improve_support(rows, rules, reached, Walk(4, n_tries=6))
    assert (again.digest, steps) == (reached.digest, 1 if reached.n_terms == 4 else 2)


def test_forced_terms_come_first_and_in_addition():
    rows, rules = small_problem(3, max_terms=3)
    old = fit_support(rows, rules, as_terms([(0, 1), (1, 1)]))
    walk = Walk(3, n_tries=6, max_steps=1, picks=np.array([0.99]))
    reached, steps = improve_support(rows, rules, old, walk)
    assert (reached.n_terms, steps) == (3, 1)
    assert set(old.key) < set(reached.key)


def test_a_walk_ends_at_a_known_set():
    rows, rules = small_problem(1, max_terms=2)
    start = fit_support(rows, rules, as_terms([(2, 0), (2, 1)]))
    first, _ = improve_support(rows, rules, start, Walk(2, n_tries=6, max_steps=1))
    stopped, steps = improve_support(rows, rules, start, Walk(2, n_tries=6, known=[first.digest]))
    assert (stopped.digest, steps) == (first.digest, 1)


def wide_problem(n_features=60, max_terms=3, must_use=()):
    """Many features with many cuts, of which the first three matter; two more have one cut."""
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.integers(0, 20, (200, n_features)), rng.random((200, 2)) < 0.4])
    y = rng.random(200) < 1 / (1 + np.exp(0.5 - (X[:, :3] > 9) @ [2.0, -1.5, 1.0]))
    table = make_table(X.astype(float), y)
    data, _ = rank_table(table)
    problem = make_problem(data, max_terms=max_terms)
    must = np.isin(np.arange(data.n_features), must_use)
    problem = replace(problem, restrictions=replace(problem.restrictions, must_use=must))
    return problem, all_cuts(problem, is_screened=True), rules_of(problem)


def test_an_empty_set_that_stays_empty_takes_no_step_whatever_the_rules():
    for must_use in ((), (3,)):
        _, rows, rules = wide_problem(n_features=5, must_use=must_use)
        start = fit_support(rows, rules, as_terms([]))
        reached, steps = improve_support(rows, rules, start, Walk(0, n_tries=6))
        assert (reached.n_terms, reached.loss, steps <= 1) == (0, start.loss, True)


def columns_left(rules):
    return set(np.flatnonzero(rules.is_usable).tolist())


def test_perturbations_use_the_columns_that_promise_most_and_short_ones():
    _, rows, rules = wide_problem(must_use=(57,))
    start = fit_support(rows, rules, as_terms([]))
    best, _ = improve_support(rows, rules, start, Walk(3, n_tries=6))
    some = columns_left(supports._promising(rows, rules, best))
    own = set(best.terms[0].tolist())
    assert own | {57, 60, 61} <= some
    assert len(some) == PLAN.promising_features + 2
    promises = dict(enumerate(best.promises))
    left_out = max(promises[f] for f in range(60) if f not in some)
    assert all(promises[f] >= left_out for f in some - own - {57, 60, 61})


def test_perturbations_use_every_column_of_a_narrow_table():
    _, rows, rules = wide_problem(n_features=PLAN.promising_features)
    start = fit_support(rows, rules, as_terms([]))
    assert supports._promising(rows, rules, start) is rules


def test_the_best_set_of_a_wide_table_is_improved_at_all_columns(monkeypatch):
    _, rows, rules = wide_problem()
    rules = replace(rules, plan=replace(PLAN, promising_features=0))
    used, improve = [], improve_support

    def record(rows, rules, *given):
        used.append(len(columns_left(rules)))
        return improve(rows, rules, *given)

    monkeypatch.setattr(supports, "improve_support", record)
    start = fit_support(rows, rules, as_terms([(40, 3), (41, 3), (42, 3)]))
    work = PLAN.n_tries, 20, np.random.default_rng(0), Deadline()
    found = search_supports(rows, rules, start, *work)
    # perturbations use the columns of the set and the two short ones alone
    assert used[0] == used[-1] == 62
    assert set(used[1:-1]) <= {2 + size for size in range(4)}
    assert [support.loss for support in found] == sorted(support.loss for support in found)
    losses = [loss_by_hand(rows, support.key) for support in found]
    assert [support.loss for support in found] == pytest.approx(losses, rel=1e-4)


@pytest.mark.parametrize("times", [1, 100])  # with many rows, cells are divided by the new term
@pytest.mark.parametrize("seed", SEEDS)
def test_neighbours_differ_in_one_condition_and_are_fitted_whether_better_or_not(seed, times):
    rows, rules = small_problem(seed, max_terms=3)
    rows = repeated(rows, times)
    start, _ = improve_support(rows, rules, fit_support(rows, rules, as_terms([])), Walk(3, 6))
    near = near_supports(rows, rules, start, Walk(3, n_tries=1000))
    assert len({support.digest for support in near}) == len(near) > 3
    assert all(support.loss > start.loss for support in near)
    for support in near:
        assert len(set(support.key) & set(start.key)) == 2
        assert len(set(support.key)) == 3
        assert support.loss == pytest.approx(loss_by_hand(rows, support.key), rel=1e-4)
        assert support.digest == fit_support(rows, rules, support.terms).digest


def test_the_empty_set_has_no_neighbours():
    rows, rules = small_problem(0)
    assert not near_supports(rows, rules, fit_support(rows, rules, as_terms([])), Walk(2, 6))


@pytest.mark.parametrize("max_steps", [0, 1, 100])
@pytest.mark.parametrize("seed", SEEDS)
def test_no_neighbour_of_the_best_explored_set_is_better(seed, max_steps):
    rows, rules = small_problem(seed, max_terms=3)
    starts = [
        fit_support(rows, rules, as_terms(conditions))
        for conditions in ([(0, 0), (1, 1), (2, 1)], [(1, 0), (2, 1)])
    ]
    best, *others = explore_supports(rows, rules, starts, 6, 2, max_steps)
    assert best.n_terms == 3
    near = near_supports(rows, rules, best, Walk(3, n_tries=6))
    assert all(support.loss >= best.loss * (1 - 1e-6) for support in near)
    assert all(support.loss >= best.loss for support in others)


def test_the_search_keeps_the_neighbours_of_its_best_sets():
    rows, rules = small_problem(2, max_terms=3)
    start = fit_support(rows, rules, as_terms([]))
    work = PLAN.n_tries, 1000, np.random.default_rng(0), Deadline()
    found = search_supports(rows, rules, start, *work)
    known = {support.digest for support in found}
    for support in found[: PLAN.n_explored]:
        near = near_supports(rows, rules, support, Walk(3, PLAN.n_tries))
        assert {neighbour.digest for neighbour in near} <= known
