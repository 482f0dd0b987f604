"""The bound of the hull: below every card, for any point that it touches, and of use."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from oracle.enumerate_cards import enumerate_cards
from random_problems import SCALES, random_problem
from random_tables import SMALL, random_ruled_problem
from riskcard.data.table import Table
from riskcard.encoding.rank_table import rank_table
from riskcard.errors import ParameterError
from riskcard.kernels.proof.layout import Conditions
from riskcard.kernels.proof.rounding import ROUNDING
from riskcard.problem.problem import Limits, Problem, Scale
from riskcard.search import deadline as deadlines
from riskcard.search.deadline import Deadline
from riskcard.search.drivers.solve_plain import find_card
from riskcard.search.options import SearchOptions
from riskcard.search.proof import hull, tree
from riskcard.search.proof import hull_tree as hull_trees
from riskcard.search.proof.conditions import arrange_conditions
from riskcard.search.proof.hull import HullProblem, Part, Touch, tangent_bound, touch_hull
from riskcard.search.proof.hull_tree import HullTree, divide
from riskcard.search.proof.tree import Stops, prove
from riskcard.status import Status

#: The oracle's own precision, with room.
TOLERANCE = 1e-8


def optimum_of(problem: Problem) -> float:
    """The loss of the best card, by enumeration."""
    return enumerate_cards(problem).loss


def grown(conditions: Conditions, n_parts: int, cutoff: float = float("inf")) -> HullTree:
    """A tree of at least so many parts, if there are so many."""
    hull_tree = HullTree(conditions)
    while hull_tree.n_parts < n_parts and not hull_tree.is_over:
        hull_tree.grow(hull_tree.work + 1.0, cutoff, Deadline())
        if hull_tree.bound(cutoff) >= cutoff:
            break
    return hull_tree


@pytest.mark.slow
@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_the_bound_is_below_every_card(scale):
    shares = []
    for seed in range(30):
        problem = random_problem(seed, scale)
        conditions = arrange_conditions(problem)
        if conditions is None:
            continue
        optimum = optimum_of(problem)
        for n_parts in (1, 5, 40):
            bound = grown(conditions, n_parts).bound(float("inf"))
            assert bound <= optimum * (1 + TOLERANCE)
        shares.append(bound / optimum)
    # a bound a fifth higher would be found out, and so would one that says nothing
    assert max(shares) > 0.9
    assert np.mean(np.array(shares) > 0.1) > 0.2


@pytest.mark.slow
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
            bound = grown(conditions, 25).bound(float("inf"))
            assert bound <= optimum * (1 + TOLERANCE)
            n_problems += 1
    assert n_problems > 30


def test_more_parts_give_a_better_bound_and_may_complete_the_proof():
    problem = noisy_problem(3)
    conditions = arrange_conditions(problem)
    assert conditions is not None
    proof = prove(problem, find_card(problem, SearchOptions()), Stops())
    bounds = [grown(conditions, n, proof.loss).bound(proof.loss) for n in (1, 10, 100, 1000)]
    assert bounds == sorted(bounds)
    assert bounds[0] < 0.95 * proof.loss < bounds[2] <= proof.loss
    cutoff = 0.97 * proof.loss
    complete = HullTree(conditions)
    complete.grow(float("inf"), cutoff, Deadline())
    assert complete.bound(cutoff) == cutoff


def random_choice(problem: HullProblem, rng: np.random.Generator) -> list[int]:
    """Different conditions of a card within the limits on features and cuts."""
    chosen: list[int] = []
    for one in rng.permutation(problem.size).tolist():
        features = problem.features[[*chosen, one]].tolist()
        is_within = (
            len(chosen) < problem.n_terms
            and features.count(features[-1]) <= problem.conditions.capacity[features[-1]]
            and len(set(features)) <= problem.conditions.limits.max_features
        )
        if is_within:
            chosen.append(one)
    return chosen[: rng.integers(0, problem.n_terms + 1)]


def is_in(chosen: list[int], part: Part) -> bool:
    """Are these the conditions of a card of the part, by any assignment to its groups?"""
    if not part.groups:
        return len(chosen) <= part.n_others and all(part.others[one] for one in chosen)
    first, *rest = part.groups
    smaller = part._replace(groups=tuple(rest))
    return any(
        one in first and is_in([other for other in chosen if other != one], smaller)
        for one in chosen
    )


def some_part(problem: HullProblem, chosen: list[int], rng: np.random.Generator) -> Part:
    """A part that has the card with these conditions."""
    n_groups = int(rng.integers(0, len(chosen) + 1))
    groups = []
    for one in chosen[:n_groups]:
        own = np.flatnonzero(problem.features == problem.features[one])
        groups.append(own[(rng.random(own.size) < 0.5) | (own == one)])
    others = rng.random(problem.size) < 0.5
    others[chosen[n_groups:]] = True
    return Part(tuple(groups), others, problem.n_terms - n_groups)


def loss_with_steps(problem: HullProblem, chosen: list[int], rng: np.random.Generator) -> float:
    """The loss of a card with any steps within the reach, and its best offset."""
    shares = rng.random(len(chosen)) * (rng.random(len(chosen)) < 0.8)
    log_odds = shares @ problem.steps_of(np.array(chosen, dtype=np.int64))
    best = minimize_scalar(
        lambda offset: problem.weights @ np.logaddexp(0, -problem.signs * (log_odds + offset)),
        bounds=(-500, 50),
        method="bounded",
    )
    return float(best.fun)


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_the_tangent_of_a_part_is_below_its_cards_wherever_it_touches(scale):
    closest = np.inf
    for seed in range(25):
        conditions = arrange_conditions(random_problem(seed, scale))
        if conditions is None:
            continue
        problem, rng = HullProblem(conditions), np.random.default_rng(seed)
        for size in (0.0, 0.3, 1.0, 5.0, 40.0):
            chosen = random_choice(problem, rng)
            part = some_part(problem, chosen, rng)
            loss = loss_with_steps(problem, chosen, rng)
            log_odds = problem.rate + size * rng.normal(size=conditions.weights.size)
            assert tangent_bound(log_odds, problem, part)[0] <= loss * (1 + TOLERANCE)
            bound, _, _ = touch_hull(problem, part, Touch(problem.rate), np.inf, 5, Deadline())
            assert bound <= loss * (1 + TOLERANCE)
            closest = min(closest, (loss - bound) / loss)
    # a bound that is a little higher would be found out
    assert closest < 1e-3


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_the_tangent_is_below_by_more_than_the_rounding_of_all_that_is_added_up(scale):
    for seed in range(10):
        conditions = arrange_conditions(random_problem(seed, scale))
        if conditions is None:
            continue
        problem, rng = HullProblem(conditions), np.random.default_rng(seed)
        part = Part((), np.ones(problem.size, dtype=bool), problem.n_terms)
        furthest = problem.n_terms * problem.reach.max()
        for size in (0.0, 1.0, 100.0):
            log_odds = problem.rate + size * rng.normal(size=conditions.weights.size)
            margins = problem.signs * log_odds
            rows = -problem.signs * problem.weights / (1 + np.exp(margins))
            bound, slopes = tangent_bound(log_odds, problem, part)
            summands = [
                problem.weights @ np.logaddexp(0, -margins),
                -rows @ log_odds,
                np.sort(np.minimum(slopes, 0))[: problem.n_terms].sum(),
                min(rows.sum() * problem.rate, rows.sum() * (problem.rate - furthest)),
            ]
            sizes = (
                np.abs(summands[0]) + np.abs(rows) @ np.abs(log_odds) + np.abs(summands[2:]).sum()
            )
            assert sum(summands) - bound >= 0.999 * ROUNDING * sizes


def test_a_card_of_a_divided_part_is_in_one_of_the_two():
    n_divided = 0
    for seed in range(40):
        conditions = arrange_conditions(random_problem(seed, SCALES[seed % len(SCALES)]))
        if conditions is None:
            continue
        problem, rng = HullProblem(conditions), np.random.default_rng(seed)
        chosen = random_choice(problem, rng)
        part = Part((), np.ones(problem.size, dtype=bool), problem.n_terms)
        place = Touch(problem.rate)
        for _ in range(12):
            assert is_in(chosen, part)
            place = touch_hull(problem, part, place, np.inf, 4, Deadline())[1]
            parts = divide(problem, part, place)
            if not parts:
                break
            having = [one for one in parts if is_in(chosen, one[0])]
            assert having
            part, place = having[rng.integers(len(having))]
            n_divided += 1
    assert n_divided > 100


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
    card = find_card(problem, SearchOptions())
    proof = prove(problem, card, Stops(node_limit=200))
    assert 0.8 * proof.loss < proof.bound < proof.loss
    monkeypatch.setattr(tree, "HULL_WORK", 0.0)
    assert prove(problem, card, Stops(node_limit=200)).bound < 0.1 * proof.loss


def test_the_hull_may_have_the_last_word(monkeypatch):
    monkeypatch.setattr(tree, "WORK_DEPTH_FIRST", 1e4)
    problem = noisy_problem(3)
    card = find_card(problem, SearchOptions())
    nodes = prove(problem, card, Stops(gap=0.05)).nodes
    monkeypatch.setattr(tree, "HULL_WORK", 1e4)
    proof = prove(problem, card, Stops(gap=0.05))
    assert proof.status is Status.GAP_REACHED
    assert proof.nodes < nodes
    assert proof.bound <= prove(problem, card, Stops()).loss


def test_a_tree_that_is_out_of_time_still_has_a_bound():
    conditions = arrange_conditions(noisy_problem(4))
    assert conditions is not None
    hull_tree = HullTree(conditions)
    hull_tree.grow(float("inf"), float("inf"), Deadline(0.0))
    assert hull_tree.bound(float("inf")) == 0.0


def test_who_asks_to_stop_waits_for_one_round_of_the_hull(monkeypatch):
    problem = noisy_problem(4)
    conditions = arrange_conditions(problem)
    assert conditions is not None
    interrupt, rounds, real = threading.Event(), [], hull.tangent_bound

    def bound_and_press(*args):
        rounds.append(1)
        if len(rounds) == 3:
            interrupt.set()
        return real(*args)

    monkeypatch.setattr(hull, "tangent_bound", bound_and_press)
    hull_tree = HullTree(conditions)
    hull_tree.grow(float("inf"), float("inf"), Deadline(interrupt=interrupt))
    # one round more at most: all cards must have been bounded for there to be a bound
    assert len(rounds) in (3, 4)
    assert (
        0
        < hull_tree.bound(float("inf"))
        < prove(problem, find_card(problem, SearchOptions()), Stops()).loss
    )


def test_room_for_few_conditions_still_gives_a_bound(monkeypatch):
    conditions = arrange_conditions(noisy_problem(3))
    assert conditions is not None
    whole = grown(conditions, 1).bound(float("inf"))
    monkeypatch.setattr(hull, "MOST_KEPT", 1)
    assert grown(conditions, 1).bound(float("inf")) == whole
    monkeypatch.setattr(hull, "MOST_CELLS", 3 * conditions.weights.size)
    assert grown(conditions, 1).bound(float("inf")) < whole


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5])
def test_the_place_of_a_tangent_is_good_wherever_the_descent_begins(share):
    problem = HullProblem(arrange_conditions(noisy_problem(3)))
    chosen = np.sort(np.random.default_rng(0).choice(problem.size, 8, replace=False))
    for shift in (0.0, 2.0):
        owners, shares = np.zeros(8, dtype=np.int64), np.full(8, share)
        place = Touch(problem.rate + shift, chosen, owners, shares)
        _, log_odds, _ = hull._descend(problem, place, np.array([3.0]))
        # the least loss is 201.8, and that of equal risks 205.0
        assert problem.weights @ np.logaddexp(0, -problem.signs * log_odds) < 203


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_the_unit_of_the_weights_does_not_matter(factor):
    problem = noisy_problem(4)
    data = replace(problem.data, weights=factor * problem.data.weights)
    whole, scaled = (
        grown(arrange_conditions(one), 1).bound(float("inf"))
        for one in (problem, replace(problem, data=data))
    )
    assert scaled == pytest.approx(factor * whole, rel=1e-9)


def test_shares_of_a_tangent_beyond_their_cap_are_made_smaller():
    owners, shares = np.array([0, 0, 1, 2]), np.array([3.0, 1.0, 0.5, 4.0])
    part = Part((np.array([2]), np.array([3])), np.ones(4, dtype=bool), 2)
    place = hull._within(Touch(0.0, np.arange(4), owners, shares), part, np.array([2.0, 1.0, 1.0]))
    assert place.shares.tolist() == [1.5, 0.5, 0.5, 1.0]


def test_the_place_of_a_tangent_has_the_offset_of_its_log_odds():
    problem = HullProblem(arrange_conditions(noisy_problem(3)))
    start = Touch(problem.rate + 1.0, np.arange(4), np.zeros(4, dtype=np.int64), np.full(4, 0.5))
    place, log_odds, _ = hull._descend(problem, start, np.array([3.0]))
    steps = place.shares @ problem.steps_of(place.chosen)
    np.testing.assert_allclose(place.offset + steps, log_odds, atol=1e-6)


def test_without_room_no_condition_joins_the_tangent(monkeypatch):
    problem = HullProblem(arrange_conditions(noisy_problem(3)))
    part = Part((), np.ones(problem.size, dtype=bool), 3)
    place = Touch(0.0, np.arange(2), np.zeros(2, dtype=np.int64), np.full(2, 0.5))
    for room, n_chosen in ((1, 3), (0, None)):
        monkeypatch.setattr(hull, "MOST_SHARES", 2 + room)
        joined = hull._joining(problem, part, place, -np.arange(1.0, problem.size + 1))
        assert (joined and joined.chosen.size) == n_chosen


def test_parts_that_are_too_many_end_the_tree(monkeypatch):
    conditions = arrange_conditions(noisy_problem(4))
    assert conditions is not None
    monkeypatch.setattr(hull_trees, "MOST_BYTES", 3.0 * HullProblem(conditions).size)
    hull_tree = HullTree(conditions)
    hull_tree.grow(float("inf"), float("inf"), Deadline())
    assert hull_tree.is_over
    assert 0 < hull_tree.bound(float("inf")) < float("inf")


def test_the_root_has_its_share_of_the_time(monkeypatch):
    conditions = arrange_conditions(noisy_problem(4))
    assert conditions is not None
    moments = iter(float(moment) for moment in range(1000))
    monkeypatch.setattr(deadlines.time, "perf_counter", lambda: next(moments))
    rounds = []
    real = hull.tangent_bound
    monkeypatch.setattr(hull, "tangent_bound", lambda *args: rounds.append(1) or real(*args))
    hull_tree = HullTree(conditions)
    hull_tree.grow(1.0, float("inf"), Deadline(30.0))
    # about three tenths of thirty moments; the hull of all cards is touched once at least
    assert 4 <= len(rounds) <= 9
    assert 0 < hull_tree.bound(float("inf")) < float("inf")


def test_conditions_of_a_few_rows_among_many_do_not_spoil_the_fit(monkeypatch):
    rng = np.random.default_rng(0)
    values = np.column_stack([rng.integers(0, 12, 3000), rng.random(3000) < 0.003]).astype(float)
    odds = np.exp(values[:, 0] / 4 - 2 + values[:, 1])
    labels = np.where(rng.random(3000) < odds / (1 + odds), 1, -1).astype(np.int8)
    data, _ = rank_table(Table(values, ("a", "b"), labels, np.ones(3000), (0, 1)))
    problem = Problem(
        data=data,
        limits=Limits(3, 2, 3),
        scale=Scale("fixed", 1.0),
        jump_low=np.full(2, -5),
        jump_high=np.full(2, 5),
    )
    conditions = arrange_conditions(problem)
    assert conditions is not None
    whole = grown(conditions, 30).bound(float("inf"))
    monkeypatch.setattr(hull, "ROWS_OF_MODEL", 4)
    tree_of_few = grown(conditions, 30)
    assert tree_of_few.bound(float("inf")) == pytest.approx(whole, rel=0.1)
    for _, _, node in tree_of_few._open:
        assert np.isfinite(node.place.charges).all()
