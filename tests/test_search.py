"""The search for good cards: what it returns is feasible, reproducible and no worse than simpler cards."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numba import config
from sklearn.datasets import load_breast_cancer

from oracle.enumerate_cards import enumerate_cards
from random_problems import SCALES as KINDS_OF_SCALES
from random_problems import random_problem
from riskcard.checks import LOG_ODDS_LIMIT
from riskcard.problem.objective import loss_of, order_of, violations
from riskcard.problem.problem import Problem, make_problem
from riskcard.problem.ranked_data import RankedData
from riskcard.problem.solution import Solution
from riskcard.search.deadline import Deadline
from riskcard.search.heuristic import descent, support
from riskcard.search.heuristic import find_cards as heuristic
from riskcard.search.heuristic.binned_rows import all_cuts, few_cuts
from riskcard.search.heuristic.card_room import rules_of
from riskcard.search.heuristic.draft import measure
from riskcard.search.heuristic.effort import effort_of
from riskcard.search.heuristic.find_cards import find_cards
from riskcard.search.options import Options, SearchOptions
from riskcard.search.plan import PLAN, SearchPlan
from riskcard.search.solve import solve

SCALES = (1, 2.5, "multiplier", "calibrated")


def random_data(
    seed: int, n_rows: int, n_features: int, n_values: int = 8, has_weights: bool = False
) -> RankedData:
    """Codes with ties, labels that depend on some of them, weights if wanted, both classes."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_values, (n_features, n_rows)).astype(np.int32)
    for f in range(n_features):
        codes[f] = np.unique(codes[f], return_inverse=True)[1]
    steps = sum((codes[f] <= 3) * (1.5 - f) for f in range(min(3, n_features)))
    labels = np.where(rng.random(n_rows) < 1 / (1 + np.exp(-steps)), 1, -1).astype(np.int8)
    labels[0], labels[-1] = 1, -1
    weights = rng.integers(1, 5, n_rows) / 2.0 if has_weights else np.ones(n_rows)
    return RankedData(codes, codes.max(axis=1).astype(np.int64), labels, weights)


def empty_loss(problem: Problem) -> float:
    """Loss of the best card without terms, by trying bases when the base is an integer."""
    data = problem.data
    event = data.weights[data.labels > 0].sum()
    offset = float(np.log(event / (data.weights.sum() - event)))
    if problem.scale.kind == "calibrated":
        return loss_of(Solution.of([], 0, 1.0, offset), problem)
    multiplier = problem.scale.multiplier if problem.scale.kind == "fixed" else 1.0
    near = round(offset * multiplier)
    cards = [Solution.of([], base, multiplier) for base in range(near - 2, near + 3)]
    return min(loss_of(card, problem) for card in cards)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(12))
def test_cards_are_feasible_distinct_and_in_order(scale, seed):
    rng = np.random.default_rng(seed)
    data = random_data(seed, int(rng.integers(2, 60)), int(rng.integers(1, 6)), 6, seed % 2 == 1)
    problem = make_problem(
        data,
        max_terms=int(rng.integers(1, 6)),
        max_features=int(rng.integers(1, 4)),
        max_cuts_per_feature=int(rng.integers(1, 3)),
        max_points=int(rng.choice([1, 2, 5, 10, 40])),
        scale=scale,
    )
    cards = find_cards(problem, SearchOptions())
    losses = [loss_of(card, problem) for card in cards]
    assert [violations(card, problem) for card in cards] == [[]] * len(cards)
    assert losses == pytest.approx(sorted(losses), rel=1e-11)  # but for rounding
    assert len({(tuple(card.terms), card.base) for card in cards}) == len(cards)
    assert losses[0] <= empty_loss(problem) * (1 + 1e-12)


@pytest.mark.parametrize("scale", SCALES)
def test_jumps_keep_bounds_that_differ_by_feature_and_sign(scale):
    data = random_data(3, 80, 4)
    problem = make_problem(data, max_terms=4, scale=scale)
    low, high = np.array([0, -5, -2, 0]), np.array([3, 0, 1, 0])
    problem = replace(problem, jump_low=low, jump_high=high)
    cards = find_cards(problem, SearchOptions())
    assert all(not violations(card, problem) for card in cards)
    assert all(3 not in card.features for card in cards)
    assert cards[0].terms


@pytest.mark.parametrize("is_thorough", [False, True])
@pytest.mark.parametrize("scale", SCALES)
def test_threads_do_not_change_the_cards(scale, is_thorough):
    problem = make_problem(random_data(5, 120, 5, has_weights=True), max_terms=3, scale=scale)
    options = SearchOptions(is_thorough=is_thorough, random_state=7)
    alone = find_cards(problem, options)
    assert find_cards(problem, replace(options, n_jobs=3)) == alone
    assert find_cards(problem, options) == alone


@pytest.mark.parametrize("scale", SCALES)
def test_more_room_never_hurts(scale):
    data = random_data(8, 150, 4)
    losses = []
    for terms in range(1, 6):
        problem = make_problem(data, max_terms=terms, scale=scale)
        losses.append(loss_of(find_cards(problem, SearchOptions())[0], problem))
    assert losses == sorted(losses, reverse=True)


@pytest.mark.parametrize("scale", SCALES)
def test_weights_stand_for_repeated_rows(scale):
    data = random_data(11, 40, 3)
    doubled = replace(data, weights=2 * data.weights)
    repeated = RankedData(
        np.repeat(data.codes, 2, axis=1),
        data.n_cuts,
        np.repeat(data.labels, 2),
        np.repeat(data.weights, 2),
    )
    losses = [
        loss_of(find_cards(problem, SearchOptions())[0], problem)
        for problem in (make_problem(d, max_terms=2, scale=scale) for d in (doubled, repeated))
    ]
    assert losses[0] == pytest.approx(losses[1], rel=1e-9)


@pytest.mark.parametrize("scale", SCALES)
def test_one_term_is_the_best_of_all_single_terms(scale):
    data = random_data(21, 70, 3, has_weights=True)
    problem = make_problem(data, max_terms=1, max_points=3, scale=scale)
    rows, rules = all_cuts(problem), rules_of(problem)
    start = np.array([1.0, 0.0])
    by_hand = min(
        measure(rows, rules, np.array([[f], [cut], [jump]]), start).loss
        for f in range(3)
        for cut in range(data.n_cuts[f])
        for jump in (-3, -2, -1, 1, 2, 3)
    )
    found = loss_of(find_cards(problem, SearchOptions(is_thorough=True))[0], problem)
    assert found == pytest.approx(by_hand, rel=1e-9)


def test_scale_and_offset_are_optimal_for_the_points():
    problem = make_problem(random_data(2, 200, 4, has_weights=True), max_terms=3)
    card = find_cards(problem, SearchOptions())[0]
    loss = loss_of(card, problem)
    for factor in (1 - 1e-3, 1 + 1e-3):
        assert loss_of(replace(card, multiplier=card.multiplier * factor), problem) >= loss
    for shift in (-1e-3, 1e-3):
        assert loss_of(replace(card, offset=card.offset + shift), problem) >= loss


def test_separable_rows_stop_at_the_limit_of_the_log_odds():
    codes = np.array([[0, 0, 0, 1, 1, 1]], dtype=np.int32)
    labels = np.array([-1, -1, -1, 1, 1, 1], dtype=np.int8)
    data = RankedData(codes, np.array([1]), labels, np.ones(6))
    for scale in ("calibrated", "multiplier"):
        problem = make_problem(data, max_terms=1, scale=scale)
        card = find_cards(problem, SearchOptions())[0]
        assert not violations(card, problem)
        assert abs(card.jumps[0]) / card.multiplier == pytest.approx(LOG_ODDS_LIMIT)
        assert loss_of(card, problem) == pytest.approx(6 * np.exp(-LOG_ODDS_LIMIT / 2), rel=1e-3)


@pytest.mark.parametrize("scale", SCALES)
def test_constant_features_give_the_empty_card(scale):
    labels = np.array([1, -1, -1, -1, -1], dtype=np.int8)
    data = RankedData(np.zeros((2, 5), np.int32), np.zeros(2, np.int64), labels, np.ones(5))
    problem = make_problem(data, scale=scale)
    (card,) = find_cards(problem, SearchOptions())
    assert card.terms == []
    assert card.multiplier == (2.5 if scale == 2.5 else 1.0)
    assert loss_of(card, problem) == pytest.approx(empty_loss(problem), rel=1e-12)


@pytest.mark.parametrize("scale", SCALES)
def test_two_rows_are_enough(scale):
    data = RankedData(
        np.array([[0, 1]], np.int32), np.array([1]), np.array([1, -1], np.int8), np.ones(2)
    )
    problem = make_problem(data, max_terms=3, scale=scale)
    cards = find_cards(problem, SearchOptions())
    assert not violations(cards[0], problem)
    assert loss_of(cards[0], problem) < empty_loss(problem)


def test_no_time_still_gives_a_feasible_card():
    problem = make_problem(random_data(4, 300, 6), max_terms=4)
    cards = find_cards(problem, SearchOptions(True, Deadline.after(0.0)))
    assert not violations(cards[0], problem)


def test_few_cuts_divide_the_rows_as_the_cuts_they_stand_for():
    data = random_data(6, 500, 3, n_values=300)
    problem = make_problem(data, max_terms=3)
    rows = few_cuts(problem, 20, 500, 0)
    for f in range(3):
        assert rows.n_cuts[f] <= 20
        for cut, original in enumerate(rows.original[f]):
            assert np.array_equal(rows.codes[f] <= cut, data.codes[f] <= original)


def test_rows_with_another_code_than_the_common_one_are_listed():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 5, (3, 1000)).astype(np.int32)
    codes[1, rng.random(1000) < 0.8] = 2
    data = RankedData(
        codes, np.full(3, 4), rng.choice([-1, 1], 1000).astype(np.int8), np.ones(1000)
    )
    rows = all_cuts(make_problem(data), is_screened=True)
    assert rows.common.tolist() == [-1, 2, -1]
    assert rows.begins.tolist() == [0, 0, rows.uncommon.size, rows.uncommon.size]
    assert rows.uncommon.tolist() == np.flatnonzero(codes[1] != 2).tolist()
    assert (all_cuts(make_problem(data)).common == -1).all()


def test_many_distinct_values_are_polished_beyond_the_few_cuts():
    rng = np.random.default_rng(0)
    codes = np.array([rng.permutation(6000) for _ in range(2)], dtype=np.int32)
    labels = np.where((codes[0] <= 2221) ^ (rng.random(6000) < 0.02), 1, -1).astype(np.int8)
    data = RankedData(codes, np.array([5999, 5999]), labels, np.ones(6000))
    problem = make_problem(data, max_terms=1)
    card = find_cards(problem, SearchOptions())[0]
    misplaced = min(np.sum((codes[0] <= cut) != (labels > 0)) for cut in range(2150, 2300))
    assert np.sum((codes[0] <= card.cuts[0]) != (labels > 0)) <= misplaced + 2
    assert card.features == (0,)


def test_of_equal_cards_the_one_with_the_first_conditions_comes_first_whatever_the_rounding():
    data = random_data(0, 40, 1, 6, False)
    twins = replace(
        data,
        codes=np.repeat(data.codes, 2, axis=0),
        n_cuts=np.repeat(data.n_cuts, 2),
        feature_of=np.arange(2),
        atoms=(None, None),
    )
    problem = make_problem(twins, max_terms=1)
    for nudge in (1 - 1e-14, 1.0, 1 + 1e-14):
        first = Solution.of([(0, 2, 3)], 0, 1.5, 0.2)
        second = Solution.of([(1, 2, 3)], 0, 1.5 * nudge, 0.2)
        assert sorted([second, first], key=lambda card: order_of(card, problem)) == [first, second]
    better = Solution.of([(1, 2, 1)], 0, 1.5, 0.2)
    assert (order_of(better, problem) < order_of(first, problem)) == (
        loss_of(better, problem) < loss_of(first, problem)
    )


@pytest.mark.parametrize("unit", [2.0**-20, 2.0**20])
def test_the_unit_of_weights_does_not_change_the_card(unit):
    data = random_data(7, 300, 6, 20)
    cards = [
        find_cards(make_problem(rows, max_terms=6), SearchOptions())[0]
        for rows in (data, replace(data, weights=unit * data.weights))
    ]
    assert cards[0].terms == cards[1].terms


def sets_found(data: RankedData, max_terms: int, plan: SearchPlan = PLAN) -> list[support.Support]:
    """What a search over sets of conditions finds from the empty one."""
    problem = make_problem(data, max_terms=max_terms)
    rows, rules, effort = all_cuts(problem), rules_of(problem, plan), effort_of(problem, False)
    start = support.fit_support(rows, rules, np.zeros((2, 0), dtype=np.int64))
    rng = np.random.default_rng(0)
    work = effort.n_tries, effort.set_steps, rng, Deadline()
    return support.search_supports(rows, rules, start, *work)


def measured_tumours(is_separated: bool) -> RankedData:
    """Some columns of the breast cancer data, with the labels in another order unless they are separated."""
    X, y = load_breast_cancer(return_X_y=True)
    labels = np.where(y == 1, 1, -1).astype(np.int8)
    if not is_separated:
        labels = np.random.default_rng(0).permutation(labels)
    codes = np.stack([np.unique(column, return_inverse=True)[1] for column in X[:, -8:].T])
    return RankedData(codes.astype(np.int32), codes.max(axis=1), labels, np.ones(y.size))


@pytest.mark.parametrize("is_separated", [True, False])
def test_a_search_has_more_steps_where_classes_are_nearly_separated(is_separated):
    data = measured_tumours(is_separated)
    found = sets_found(data, 8)
    found_soon = sets_found(data, 8, replace(PLAN, steps_if_separated=1))
    assert found[0].loss <= found_soon[0].loss
    assert (len(found) > len(found_soon)) == is_separated


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="takes minutes as plain Python")
@pytest.mark.parametrize("limit", [None, 29.0, 6.0])
@pytest.mark.parametrize("is_separated", [True, False])
def test_sets_are_searched_with_a_second_ridge_where_classes_are_nearly_separated(
    is_separated, limit, monkeypatch
):
    ridges = []

    def search(*given):
        ridges.append(given[-1])
        return support.search_supports(*given)

    monkeypatch.setattr(heuristic, "search_supports", search)
    data = measured_tumours(is_separated)
    find_cards(make_problem(data, max_terms=8, max_log_odds=limit), SearchOptions())
    # a limit on the steps is kept by a larger one, and without it a smaller one separates more
    second = 25 * PLAN.ridge if limit == 6 else PLAN.small_ridge
    assert ridges == pytest.approx([PLAN.ridge, second][: 1 + is_separated])


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="takes minutes as plain Python")
@pytest.mark.parametrize("is_separated", [True, False])
def test_whole_points_are_perturbed_too_where_classes_are_nearly_separated(
    is_separated, monkeypatch
):
    n_chains = []

    def search(*given):
        n_chains.append(1)
        return descent.search_cards(*given)

    monkeypatch.setattr(heuristic, "search_cards", search)
    problem = make_problem(measured_tumours(is_separated), max_terms=5)
    (best, *_) = find_cards(problem, SearchOptions())
    assert len(n_chains) == is_separated
    plan = replace(PLAN, second_pass_if_separated=0.0)
    (other, *_) = find_cards(problem, SearchOptions(plan=plan))
    assert len(n_chains) == is_separated
    assert loss_of(best, problem) <= loss_of(other, problem)


def test_all_sets_are_rounded_where_conditions_are_few():
    """Chains on real-valued points leave out sets that are best once points are whole."""
    for seed in (24, 34, 46, 54, 65):
        problem = random_problem(seed, KINDS_OF_SCALES[seed % len(KINDS_OF_SCALES)])
        chains, every, best = (
            result.loss
            for result in (
                solve(problem, Options(), replace(PLAN, most_sets=0)),
                solve(problem, Options()),
                enumerate_cards(problem),
            )
        )
        assert best == pytest.approx(every, rel=1e-6)
        assert every < chains * (1 - 1e-4)
