"""The bound of the hull: below every card, for any point that it touches, and of use."""

from __future__ import annotations

import numpy as np
import pytest

from random_problems import SCALES, random_problem
from random_tables import SMALL, random_ruled_problem
from riskcard.errors import ParameterError
from riskcard.problem.problem import Limits, Problem, Scale
from riskcard.problem.ranked import rank_table
from riskcard.problem.table import Table
from riskcard.search import hull, tree
from riskcard.search.conditions import arrange_conditions
from riskcard.search.enumerate import enumerate_cards
from riskcard.search.hull import bound_of_hull, tangent_bound
from riskcard.search.once import find_card
from riskcard.search.options import Options
from riskcard.search.tree import Stops, prove

#: The oracle's own precision, with room.
TOLERANCE = 1e-8


def optimum_of(problem: Problem) -> float:
    """The loss of the best card, by enumeration."""
    return enumerate_cards(problem).loss


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_the_bound_is_below_every_card(scale):
    shares = []
    for seed in range(30):
        problem = random_problem(seed, scale)
        conditions = arrange_conditions(problem)
        if conditions is None:
            continue
        optimum = optimum_of(problem)
        bound = bound_of_hull(conditions)
        assert bound <= optimum * (1 + TOLERANCE)
        shares.append(bound / optimum)
    # a bound a fifth higher would be found out, and so would one that says nothing
    assert max(shares) > 0.9
    assert np.mean(np.array(shares) > 0.1) > 0.2


def test_the_bound_is_below_every_card_under_rules():
    n_problems = 0
    for seed in range(7000, 7060):
        made = random_ruled_problem(seed, size=SMALL)
        if made is None:
            continue
        problem = made[0]
        try:
            optimum = optimum_of(problem)
        except ParameterError:
            continue
        conditions = arrange_conditions(problem)
        if conditions is not None and not problem.kept:
            assert bound_of_hull(conditions) <= optimum * (1 + TOLERANCE)
            n_problems += 1
    assert n_problems > 30


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_the_tangent_may_touch_anywhere(scale):
    for seed in range(15):
        problem = random_problem(seed, scale)
        conditions = arrange_conditions(problem)
        if conditions is None:
            continue
        optimum = optimum_of(problem)
        rng = np.random.default_rng(seed)
        allowed = hull._allowed(conditions)
        for size in (0.1, 1.0, 5.0, 40.0):
            log_odds = size * rng.normal(size=conditions.weights.size)
            assert tangent_bound(log_odds, conditions, allowed)[0] <= optimum * (1 + TOLERANCE)


def noisy_problem(max_terms: int) -> Problem:
    """More rows and cuts than an oracle would manage."""
    rng = np.random.default_rng(3)
    values = rng.integers(0, 12, (300, 4)).astype(float)
    odds = np.exp((values[:, 0] > 5) + 1.5 * (values[:, 1] > 3) - 1.0 * (values[:, 2] > 8) - 1.0)
    labels = np.where(rng.random(300) < odds / (1 + odds), 1, -1).astype(np.int8)
    data, _ = rank_table(Table(values, ("a", "b", "c", "d"), labels, np.ones(300), (0, 1)))
    return Problem(
        data=data,
        limits=Limits(max_terms, 4, max_terms),
        scale=Scale("fixed", 1.0),
        jump_low=np.full(4, -5),
        jump_high=np.full(4, 5),
    )


def test_a_proof_that_is_stopped_early_has_the_bound_of_the_hull(monkeypatch):
    monkeypatch.setattr(tree, "WORK_DEPTH_FIRST", 1e4)
    problem = noisy_problem(5)
    card = find_card(problem, Options())
    proof = prove(problem, card, Stops(node_limit=200))
    monkeypatch.setattr(tree, "bound_of_hull", lambda conditions, deadline: 0.0)
    assert prove(problem, card, Stops(node_limit=200)).bound < 0.1 * proof.loss
    assert 0.8 * proof.loss < proof.bound < proof.loss


def test_the_bound_of_the_hull_agrees_with_the_whole_proof(monkeypatch):
    monkeypatch.setattr(tree, "WORK_DEPTH_FIRST", 1e4)
    for max_terms in (1, 2, 3):
        problem = noisy_problem(max_terms)
        proof = prove(problem, find_card(problem, Options()), Stops())
        conditions = arrange_conditions(problem)
        assert conditions is not None
        assert 0.8 * proof.loss < bound_of_hull(conditions) <= proof.loss


def test_a_bound_that_is_out_of_time_still_holds():
    problem = noisy_problem(4)
    conditions = arrange_conditions(problem)
    assert conditions is not None
    assert bound_of_hull(conditions, deadline=0.0) <= bound_of_hull(conditions)


def test_a_bound_with_room_for_few_conditions_and_little_work_still_holds(monkeypatch):
    problem = noisy_problem(3)
    conditions = arrange_conditions(problem)
    assert conditions is not None
    whole = bound_of_hull(conditions)
    monkeypatch.setattr(hull, "MOST_CELLS", 2 * conditions.weights.size)
    assert 0 < bound_of_hull(conditions) < whole
    monkeypatch.setattr(hull, "MOST_WORK", 1.0)
    monkeypatch.setattr(hull, "MOST_WORK_A_ROW", 0.0)
    assert bound_of_hull(conditions) < whole
