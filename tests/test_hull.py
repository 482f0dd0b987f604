"""The hull of one-sided slots: below every card of a node, wherever its tangent touches, and of use."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numba import njit
from scipy.special import expit

from oracle.enumerate_cards import enumerate_cards
from random_problems import SCALES, random_problem
from random_tables import SMALL, random_ruled_problem
from riskcard.data.table import Table
from riskcard.encoding.rank_table import rank_table
from riskcard.errors import ParameterError
from riskcard.kernels.proof.hull import layout as hull
from riskcard.kernels.proof.hull.bound import (
    bound_hull_node,
    load_columns,
    scan_column,
    tangent_bound,
)
from riskcard.kernels.proof.hull.branch import divide_slot, find_gap, find_side, take_out_side
from riskcard.kernels.proof.hull.cells import find_cells, find_curves, find_slopes, loss_at
from riskcard.kernels.proof.hull.columns import add_column
from riskcard.kernels.proof.hull.logarithms import find_losses
from riskcard.kernels.proof.hull.model import minimise_model
from riskcard.kernels.proof.layout import (
    CLOSENESS,
    CONTROL_FIELDS,
    CUTOFF,
    HIGH,
    LOW,
    MULTIPLICITY,
    SIDE,
    TARGET,
)
from riskcard.kernels.proof.rounding import ROUNDING, ROUNDING_PER_ROW
from riskcard.problem.objective import loss_of
from riskcard.problem.problem import Limits, Problem, Scale
from riskcard.search.drivers.solve_plain import find_card
from riskcard.search.empty_card import best_empty_card
from riskcard.search.options import SearchOptions
from riskcard.search.proof import tree
from riskcard.search.proof.conditions import arrange_conditions
from riskcard.search.proof.tree import Stops, prove
from riskcard.status import Status

#: The oracle's own precision, with room.
TOLERANCE = 1e-8


@njit
def bound_at(conditions, nodes, index, work):
    """The bound of the tangent at the columns of a node, without a step of Newton's."""
    load_columns(conditions, conditions.patterns, nodes, index, work)
    find_cells(conditions.patterns, work)
    loss = loss_at(conditions.patterns, work, work.theta)
    return tangent_bound(conditions, conditions.patterns, nodes, index, work, loss)


@njit
def bounded(conditions, nodes, index, work, control):
    """Bound a node in rounds."""
    return bound_hull_node(conditions, conditions.patterns, nodes, index, work, control)


@njit
def taken_out(conditions, nodes, index, side, count):
    return take_out_side(conditions, conditions.patterns, nodes, index, side, count)


@njit
def divided(conditions, nodes, index, slot, middle, count):
    return divide_slot(conditions, nodes, index, slot, middle, count)


@njit
def best_gap(conditions, nodes, index, work):
    """Where an interval is best divided, with the model of the node as it is."""
    load_columns(conditions, conditions.patterns, nodes, index, work)
    find_cells(conditions.patterns, work)
    loss_at(conditions.patterns, work, work.theta)
    return find_gap(conditions.patterns, nodes, index, work)


@njit
def best_side(conditions, nodes, index, work):
    """Which side of the list is taken out, with the model of the node as it is."""
    load_columns(conditions, conditions.patterns, nodes, index, work)
    find_cells(conditions.patterns, work)
    loss_at(conditions.patterns, work, work.theta)
    return find_side(work)


def work_of(conditions) -> hull.HullWork:
    patterns = conditions.patterns
    n_codes = int(patterns.n_codes.max())
    return hull.empty_hull_work(patterns.events.size, conditions.limits.max_terms, n_codes)


def control_for(cutoff: float) -> np.ndarray:
    control = np.zeros(CONTROL_FIELDS)
    control[CUTOFF], control[TARGET] = cutoff, math.inf
    return control


def random_node(conditions, rng: np.random.Generator) -> hull.HullNodes:
    """A node made by random divisions of the root, with random columns and offset."""
    nodes = tree._root(conditions)
    for _ in range(int(rng.integers(0, 7))):
        before = nodes.copy()
        if nodes.slots[0, hull.LIST, MULTIPLICITY] > 0 and rng.random() < 0.6:
            side = int(rng.choice(conditions.patterns.sides))
            if int(nodes.excluded[0, side >> 6]) >> (side & 63) & 1:
                continue
            count = int(rng.integers(0, nodes.slots[0, hull.LIST, MULTIPLICITY] + 1))
            is_any = taken_out(conditions, nodes, 0, side, count)
        else:
            wide = [
                slot
                for slot in range(hull.FIRST_INTERVAL, int(nodes.counts[0]))
                if nodes.slots[0, slot, LOW] < nodes.slots[0, slot, HIGH]
            ]
            if not wide:
                continue
            slot = int(rng.choice(wide))
            middle = int(rng.integers(nodes.slots[0, slot, LOW], nodes.slots[0, slot, HIGH]))
            count = int(rng.integers(0, nodes.slots[0, slot, MULTIPLICITY] + 1))
            is_any = divided(conditions, nodes, 0, slot, middle, count)
        if not is_any:
            nodes = before
    add_random_columns(conditions, nodes, rng)
    return nodes


def members_of(conditions, nodes, slot: int) -> list[tuple[int, int]]:
    """Every condition (side, cut) of a slot."""
    record = nodes.slots[0, slot]
    if slot != hull.LIST:
        return [(int(record[SIDE]), cut) for cut in range(record[LOW], record[HIGH] + 1)]
    excluded = sum(int(word) << 64 * i for i, word in enumerate(nodes.excluded[0]))
    return [
        (side, cut)
        for side in conditions.patterns.sides.tolist()
        if not excluded >> side & 1
        for cut in range(int(conditions.patterns.n_codes[side >> 1]) - 1)
    ]


def add_random_columns(conditions, nodes, rng: np.random.Generator) -> None:
    """Any columns of the slots will do: the bound must hold wherever the tangent touches."""
    places = [
        (slot, *rng.choice(members_of(conditions, nodes, slot)).tolist())
        for slot in range(int(nodes.counts[0]))
        if nodes.slots[0, slot, MULTIPLICITY] > 0
        for _ in range(int(rng.integers(0, 3)))
    ]
    nodes.n_columns[0] = len(places)
    nodes.columns[0, : len(places)] = np.array(places).reshape(-1, 3)
    nodes.thetas[0, : len(places)] = rng.exponential(1.0, len(places))
    nodes.offsets[0] = conditions.rate + rng.normal()


def random_loss(conditions, nodes, rng: np.random.Generator) -> float:
    """The loss of a card of the node with real steps within the reach and its best offset."""
    patterns = conditions.patterns
    log_odds = np.zeros(patterns.events.size)
    for slot in range(int(nodes.counts[0])):
        members = members_of(conditions, nodes, slot)
        count = min(int(nodes.slots[0, slot, MULTIPLICITY]), len(members))
        for place in rng.choice(len(members), count, replace=False):
            side, cut = members[place]
            holds = (patterns.codes[side >> 1] <= cut) ^ bool(side & 1)
            log_odds += rng.choice([0.0, rng.random(), 1.0]) * conditions.reach[side] * holds
    offset = conditions.rate
    for _ in range(200):
        chances = 1 / (1 + np.exp(-(log_odds + offset)))
        weights = patterns.events + patterns.others
        slope = weights @ chances - patterns.events.sum()
        curve = weights @ (chances * (1 - chances))
        offset -= np.clip(slope / max(curve, 1e-12), -1, 1)
    z = log_odds + offset
    return float(patterns.events @ np.logaddexp(0, -z) + patterns.others @ np.logaddexp(0, z))


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_the_bound_of_a_node_is_below_its_cards_wherever_the_tangent_touches(scale):
    n_useful = 0
    for seed in range(60):
        conditions = arrange_conditions(random_problem(seed, scale))
        if conditions is None:
            continue
        rng, work = np.random.default_rng(seed), work_of(conditions)
        nodes = random_node(conditions, rng)
        bounds = [bound_at(conditions, nodes, 0, work)]
        bounded(conditions, nodes, 0, work, control_for(math.inf))
        bounds.append(float(nodes.bounds[0]))
        losses = [random_loss(conditions, nodes, rng) for _ in range(30)]
        assert max(bounds) <= min(losses) * (1 + TOLERANCE)
        n_useful += bounds[1] > 0.5 * min(losses)
    assert n_useful > 15


def tangent_by_hand(conditions, nodes, work) -> tuple[float, float]:
    """The bound of the tangent at the model in the workspace, and the sizes of all its summands."""
    patterns = conditions.patterns
    z = work.z[work.key]
    p = expit(z)
    slopes = patterns.others * p - patterns.events * (1 - p)
    steep = patterns.others * p + patterns.events * (1 - p)
    loss = patterns.events @ np.logaddexp(0, -z) + patterns.others @ np.logaddexp(0, z)
    bound, furthest = loss - slopes @ z, 0.0
    for slot in range(int(nodes.counts[0])):
        if nodes.slots[0, slot, MULTIPLICITY] == 0:
            continue
        sums = [
            (
                slopes[(patterns.codes[side >> 1] <= cut) ^ bool(side & 1)].sum(),
                conditions.reach[side],
            )
            for side, cut in members_of(conditions, nodes, slot)
        ]
        if slot == hull.LIST:
            products = [own * reach for own, reach in sums]
            bound += min(0.0, *products) * work.caps[slot] / conditions.steepest
        else:
            least = min(own for own, _ in sums)
            kept = patterns.kept_least[slot]
            bound += min(0.0, least) * work.caps[slot] + least * kept
            furthest += kept
        furthest += work.caps[slot]
    low, high = conditions.rate - furthest - conditions.unit, conditions.rate + conditions.unit
    bound += min(slopes.sum() * low, slopes.sum() * high)
    ways = abs(conditions.rate) + 2 * (furthest + conditions.unit)
    return float(bound), float(loss + steep @ np.abs(z) + steep.sum() * ways)


@pytest.mark.parametrize("seed", range(12))
def test_the_bound_of_the_tangent_is_its_formula_by_hand_less_the_margin(seed):
    conditions = arrange_conditions(random_problem(seed, SCALES[seed % len(SCALES)]))
    if conditions is None:
        return
    rng, work = np.random.default_rng(seed), work_of(conditions)
    for _ in range(4):
        nodes = random_node(conditions, rng)
        found = bound_at(conditions, nodes, 0, work)
        bound, size = tangent_by_hand(conditions, nodes, work)
        part = ROUNDING + ROUNDING_PER_ROW * conditions.patterns.events.size
        assert bound - found == pytest.approx(part * size, rel=1e-2)


def model_by_hand(conditions, nodes, work) -> tuple[np.ndarray, list[tuple[int, int, int, float]]]:
    """The curvature of each row's loss, and (slot, side, cut, theta) of each column, as in the workspace."""
    patterns = conditions.patterns
    chance = expit(work.z[work.key])
    columns = [
        (int(work.parts[part, 0]), int(work.parts[part, 1]), int(work.cuts[part, b]), work.theta[v])
        for part in range(int(work.sizes[0]))
        for b, v in enumerate(range(work.parts[part, 3], work.parts[part, 3] + work.parts[part, 2]))
    ]
    return (patterns.events + patterns.others) * chance * (1 - chance), columns


def test_an_interval_is_divided_where_both_halves_cost_the_most():
    conditions = arrange_conditions(noisy_problem(3))
    patterns, work = conditions.patterns, work_of(conditions)
    n_divided = 0
    for seed in range(40):
        nodes = random_node(conditions, np.random.default_rng(seed))
        slot, middle = best_gap(conditions, nodes, 0, work)
        curve, columns = model_by_hand(conditions, nodes, work)

        def cost(which: int, lowest: int, highest: int, curve=curve, columns=columns) -> float:
            change = np.zeros(curve.size)
            for own, side, cut, theta in columns:
                if own == which:
                    codes, moved = patterns.codes[side >> 1], min(max(cut, lowest), highest)
                    before, after = ((codes <= one) ^ bool(side & 1) for one in (cut, moved))
                    change += theta * (after * 1.0 - before)
            return float(curve @ change**2)

        values = {}
        for own in range(hull.FIRST_INTERVAL, int(nodes.counts[0])):
            low, high, terms = nodes.slots[0, own, [LOW, HIGH, MULTIPLICITY]].tolist()
            for cut in range(low, high):
                left, right = cost(own, low, cut), cost(own, cut + 1, high)
                if left * right > 0:
                    values[own, cut] = left * right / (left + right) / terms
        assert (slot, middle) in values or (slot == -1 and not values)
        if values:
            assert values[slot, middle] == pytest.approx(max(values.values()))
            n_divided += 1
    assert n_divided > 8


def test_the_side_is_taken_out_that_the_model_can_spare_least():
    conditions = arrange_conditions(noisy_problem(3))
    patterns, work = conditions.patterns, work_of(conditions)
    n_sides = 0
    for seed in range(100):
        nodes = random_node(conditions, np.random.default_rng(seed))
        found = best_side(conditions, nodes, 0, work)
        curve, columns = model_by_hand(conditions, nodes, work)
        change: dict[int, np.ndarray] = {}
        for slot, side, cut, theta in columns:
            if slot == hull.LIST:
                holds = (patterns.codes[side >> 1] <= cut) ^ bool(side & 1)
                change[side] = change.get(side, 0.0) + theta * holds
        costs = {
            side: curve @ (own - np.average(own, weights=curve)) ** 2
            for side, own in change.items()
        }
        assert found == max(costs, key=costs.get, default=-1)
        n_sides += len(costs) > 1
    assert n_sides > 8


def test_a_rough_bound_is_brought_near_when_it_is_asked_for_again():
    conditions = arrange_conditions(noisy_problem(3))
    work, nodes = work_of(conditions), tree._root(conditions)
    control = control_for(1000.0)
    control[CLOSENESS], control[TARGET] = 0.01, 1.0
    bounded(conditions, nodes, 0, work, control)
    rough = float(nodes.bounds[0])
    assert nodes.state.tolist() == [hull.ROUGH]
    assert rough >= 1.0
    bounded(conditions, nodes, 0, work, control)
    assert nodes.state.tolist() == [hull.SETTLED]
    assert nodes.bounds[0] > rough * 1.01


@pytest.mark.slow
def test_the_root_is_below_every_card_under_rules():
    n_problems = 0
    for seed in range(7000, 7060):
        made = random_ruled_problem(seed, size=SMALL)
        if made is None:
            continue
        problem = made[0]
        try:
            optimum = enumerate_cards(problem).loss
        except ParameterError:
            continue
        conditions = arrange_conditions(problem)
        if conditions is not None:
            root = tree._root(conditions, problem.kept)
            bounded(conditions, root, 0, work_of(conditions), control_for(math.inf))
            assert root.bounds[0] <= optimum * (1 + TOLERANCE)
            n_problems += 1
    assert n_problems > 30


def cards_of(conditions, nodes) -> set[tuple[tuple[int, int], ...]]:
    """Every choice of one condition per term that a node of two terms stands for."""
    terms = [
        slot
        for slot in range(int(nodes.counts[0]))
        for _ in range(int(nodes.slots[0, slot, MULTIPLICITY]))
    ]
    first, second = (members_of(conditions, nodes, slot) for slot in terms)
    return {
        tuple(sorted((a, b)))
        for a in first
        for b in second
        if (a[0] >> 1, a[1]) != (b[0] >> 1, b[1])
    }


@pytest.mark.parametrize("seed", range(12))
def test_the_children_of_a_node_have_all_of_its_cards(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 4, (40, 2)).astype(float)
    labels = np.where(rng.random(40) < 0.5, 1, -1).astype(np.int8)
    data, _ = rank_table(Table(values, ("a", "b"), labels, np.ones(40), (0, 1)))
    jump = np.full(2, 5)
    problem = Problem(data, Limits(2, 2, 2), Scale("calibrated", limit=3.0), -jump, jump)
    conditions = arrange_conditions(problem)
    nodes = tree._root(conditions)
    for _ in range(4):
        wanted = cards_of(conditions, nodes)
        if nodes.slots[0, hull.LIST, MULTIPLICITY] > 0:
            sides = {side for side, _ in members_of(conditions, nodes, hull.LIST)}
            divide, what = taken_out, (int(rng.choice(sorted(sides))),)
            slot = hull.LIST
        else:
            wide = [
                slot
                for slot in range(hull.FIRST_INTERVAL, int(nodes.counts[0]))
                if nodes.slots[0, slot, LOW] < nodes.slots[0, slot, HIGH]
            ]
            if not wide:
                break
            slot = int(rng.choice(wide))
            low, high = nodes.slots[0, slot, [LOW, HIGH]].tolist()
            divide, what = divided, (slot, int(rng.integers(low, high)))
        children, found = [], set()
        for count in range(int(nodes.slots[0, slot, MULTIPLICITY]) + 1):
            child = nodes.copy()
            if divide(conditions, child, 0, *what, count):
                children.append(child)
                own = cards_of(conditions, child)
                assert not own & found
                found |= own
        assert found == wanted
        nodes = children[rng.integers(len(children))]


@njit
def fitted_model(patterns, work, columns, thetas, caps):
    """The quadratic model at some columns, and its minimum within the limits."""
    work.sizes[0] = 0
    work.sizes[2] = 1
    for c in range(columns.shape[0]):
        add_column(work, columns[c, 0], columns[c, 1], columns[c, 2], thetas[c])
    for slot in range(caps.size):
        work.caps[slot] = caps[slot]
    find_cells(patterns, work)
    loss = loss_at(patterns, work, work.theta)
    find_slopes(work)
    find_curves(work)
    minimise_model(work, caps.size, loss)
    return loss


def test_derivatives_of_the_model_are_those_of_its_loss():
    rng = np.random.default_rng(1)
    conditions = arrange_conditions(noisy_problem(3))
    patterns, work = conditions.patterns, work_of(conditions)
    columns = np.array([[1, 0, 3], [1, 0, 7], [2, 3, 5], [2, 3, 2], [3, 4, 6]])
    fitted_model(patterns, work, columns, rng.random(5), np.full(4, 30.0))
    n = int(work.sizes[2])
    holds = []
    for part in range(int(work.sizes[0])):
        _, side, size, _ = work.parts[part]
        for cut in work.cuts[part, :size]:
            holds.append((patterns.codes[side >> 1] <= cut) ^ bool(side & 1))
    design = np.vstack([np.ones(patterns.events.size), np.array(holds)])
    chances = 1 / (1 + np.exp(-(work.theta[:n] @ design)))
    weights = patterns.events + patterns.others
    np.testing.assert_allclose(work.gradient[:n], design @ (weights * chances - patterns.events))
    hessian = (design * (weights * chances * (1 - chances))) @ design.T
    np.testing.assert_allclose(work.hessian[:n, :n], hessian)


def test_the_minimum_of_the_model_keeps_its_limits_and_no_point_near_it_is_lower():
    conditions = arrange_conditions(noisy_problem(3))
    patterns, work = conditions.patterns, work_of(conditions)
    columns = np.array([[1, 0, 3], [1, 0, 7], [2, 3, 5], [2, 3, 2], [3, 4, 6], [3, 4, 2]])
    n_full = n_zero = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        caps = rng.choice([0.3, 1.0, 30.0], 4)
        start = rng.random(6) * np.repeat(caps[1:], 2) / 2 * (rng.random(6) < 0.7)
        fitted_model(patterns, work, columns, start, caps)
        n = int(work.sizes[2])
        x, theta = work.x[:n].copy(), work.theta[:n].copy()
        slots = work.slot_of[:n]
        gradient, hessian = work.gradient[:n], work.hessian[:n, :n]
        sums = np.array([x[slots == slot].sum() for slot in range(4)])
        assert (x[1:] >= 0).all()
        assert (sums <= caps + 1e-9).all()

        def model(point, theta=theta, gradient=gradient, hessian=hessian):
            move = point - theta
            return gradient @ move + move @ hessian @ move / 2

        for _ in range(60):
            other = np.maximum(x + 10.0 ** rng.uniform(-4, 0) * rng.normal(size=n), 0)
            other[0] = x[0] + rng.normal() * 0.01
            for slot in range(1, 4):
                own = slots == slot
                other[own] *= min(1.0, caps[slot] / max(other[own].sum(), 1e-300))
            assert model(x) <= model(other) + 1e-7
        n_full += int((sums[1:] >= caps[1:] * (1 - 1e-6)).sum())
        n_zero += int((x[1:] == 0).sum())
    assert n_full > 20
    assert n_zero > 20


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


def test_a_proof_that_is_stopped_early_has_a_useful_bound(monkeypatch):
    problem = noisy_problem(5)
    card = find_card(problem, SearchOptions())
    assert prove(problem, card, Stops(node_limit=40)).bound < 0.1 * loss_of(card, problem)
    monkeypatch.setattr(tree, "WORK_DEPTH_FIRST", 0.0)
    proof = prove(problem, card, Stops(node_limit=200))
    assert proof.status is Status.NODE_LIMIT
    assert 0.95 * proof.loss < proof.bound < proof.loss


def test_lowest_bound_first_and_depth_first_prove_the_same(monkeypatch):
    problem = noisy_problem(4)
    card = find_card(problem, SearchOptions())
    first = prove(problem, card, Stops())
    monkeypatch.setattr(tree, "WORK_DEPTH_FIRST", 0.0)
    monkeypatch.setattr(tree, "MOST_BYTES", 5e4)
    second = prove(problem, card, Stops())
    assert first.status is second.status is Status.OPTIMAL
    assert first.loss == second.loss


@pytest.mark.parametrize("part", [0.1, 1.0])
def test_where_nodes_are_narrow_changes_no_proof(monkeypatch, part):
    problem = noisy_problem(3)
    card = best_empty_card(problem)
    usual = prove(problem, card, Stops())
    monkeypatch.setattr(tree, "NARROW", part)
    proof = prove(problem, card, Stops())
    assert proof.status is usual.status is Status.OPTIMAL
    assert proof.loss == usual.loss
    assert proof.nodes != usual.nodes


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_the_unit_of_the_weights_does_not_matter(factor):
    problem = noisy_problem(4)
    data = replace(problem.data, weights=factor * problem.data.weights)
    bounds = []
    for one in (problem, replace(problem, data=data)):
        conditions = arrange_conditions(one)
        root = tree._root(conditions)
        bounded(conditions, root, 0, work_of(conditions), control_for(math.inf))
        bounds.append(float(root.bounds[0]))
    assert bounds[0] > 0
    assert bounds[1] == pytest.approx(factor * bounds[0], rel=1e-6)


def test_the_bound_of_a_cell_for_each_row_is_that_of_the_tangent():
    rng = np.random.default_rng(5)
    values = rng.normal(size=(900, 3))
    labels = np.where(rng.random(900) < expit(values[:, 0] - 1.0), 1, -1).astype(np.int8)
    data, _ = rank_table(Table(values, ("a", "b", "c"), labels, np.ones(900), (0, 1)))
    highest = np.full(3, 5)
    conditions = arrange_conditions(
        Problem(data, Limits(3, 3, 3), Scale("fixed", 1.0), -highest, highest)
    )
    patterns, work, root = conditions.patterns, work_of(conditions), tree._root(conditions)
    z = np.full(900, root.offsets[0])
    for place in range(30):
        side, cut = 2 * (place % 3), 88 * (place // 3) + place
        root.columns[0, place] = hull.LIST, side, cut
        root.thetas[0, place] = 0.1 * rng.random()
        z += root.thetas[0, place] * (patterns.codes[side >> 1] <= cut)
    root.n_columns[0] = 30
    found = bound_at(conditions, root, 0, work)
    assert work.sizes[hull.IS_BY_ROW] == 1
    slopes = patterns.others * expit(z) - patterns.events * expit(-z)
    total, least = slopes.sum(), 0.0
    for codes in patterns.codes:
        below = np.cumsum(np.bincount(codes, slopes))[:-1]
        least = min(least, below.min(), (total - below).min())
    loss = patterns.others @ np.logaddexp(0, z) + patterns.events @ np.logaddexp(0, -z)
    ends = conditions.rate - 15.0 - conditions.unit, conditions.rate + conditions.unit
    bound = loss - slopes @ z + 15.0 * least + min(total * end for end in ends)
    assert found <= bound
    assert found == pytest.approx(bound, rel=1e-7)


@njit
def losses_written(n_cells, work):
    find_losses(n_cells, work)


SPECIAL = [0.0, -0.0, 40.0, 700.0, -700.0, 5e-324, -5e-324, 1e-310]


def test_losses_and_chances_of_cells_are_exact_to_a_few_units_in_the_last_place():
    rng = np.random.default_rng(3)
    z = np.concatenate(
        [rng.normal(0, 1, 300), rng.normal(0, 1e-3, 300), rng.uniform(-700, 700, 300), SPECIAL]
    )
    work = hull.empty_hull_work(z.size, 3, 2)
    work.z[:], work.events[:], work.others[:] = z, 1.0, 0.0
    losses_written(z.size, work)
    unit = np.finfo(float).eps
    assert work.slope == pytest.approx(np.logaddexp(0.0, -z), rel=4 * unit, abs=0.0)
    assert work.chance == pytest.approx(expit(z), rel=6 * unit, abs=0.0)
    assert work.rest == pytest.approx(expit(-z), rel=6 * unit, abs=0.0)
    work.events[:], work.others[:] = 0.0, 3.0
    losses_written(z.size, work)
    assert work.slope == pytest.approx(3.0 * np.logaddexp(0.0, z), rel=4 * unit, abs=0.0)


@pytest.mark.parametrize("z", [700.1, 745.5, 1e3, 1e300])
def test_log_odds_beyond_700_are_off_by_less_than_any_sum_of_rows_shows(z):
    work = hull.empty_hull_work(2, 3, 2)
    work.z[:], work.events[:], work.others[:] = [z, -z], 1.0, 0.0
    losses_written(2, work)
    assert work.chance[0] == work.rest[1] == 1.0
    assert 0.0 <= work.chance[1] - expit(-z) < 1e-304
    assert 0.0 <= work.slope[0] - np.logaddexp(0.0, -z) < 1e-304
    assert work.slope[1] == z


@njit
def scanned(patterns, work, column, total):
    return scan_column(patterns, work, column, total)


def test_a_column_is_scanned_for_its_least_sums_on_both_sides():
    rng = np.random.default_rng(4)
    conditions = arrange_conditions(noisy_problem(3))
    patterns, work = conditions.patterns, work_of(conditions)
    for _ in range(20):
        slopes = work.slopes[:] = rng.normal(rng.normal(0, 0.3), 1, patterns.events.size)
        for column, codes in enumerate(patterns.codes):
            sums = np.cumsum(np.bincount(codes, slopes, patterns.n_codes[column]))
            below, above = sums[:-1], sums[-1] - sums[:-1]
            found = scanned(patterns, work, column, slopes.sum())
            for side, least, cut in ((below, *found[:2]), (above, *found[2:])):
                assert least == pytest.approx(min(0.0, side.min()), abs=1e-9)
                assert cut == (side.argmin() if side.min() < 0 else -1)


def test_a_cell_for_each_row_gives_the_same_model():
    conditions = arrange_conditions(noisy_problem(3))
    patterns = conditions.patterns
    columns = np.array([[1, 0, 3], [1, 0, 7], [2, 3, 5], [2, 3, 2], [3, 4, 6]])
    thetas, models = np.random.default_rng(1).random(5), []
    for is_by_row in (0, 1):
        work = work_of(conditions)
        work.sizes[hull.IS_BY_ROW] = is_by_row
        loss = fitted_model(patterns, work, columns, thetas, np.full(4, 30.0))
        assert work.sizes[hull.IS_BY_ROW] == is_by_row
        models.append([loss, *work.gradient[:6], *work.hessian[:6, :6].ravel()])
    assert models[1] == pytest.approx(models[0], rel=1e-9, abs=1e-9)


def test_too_many_cells_cost_columns_but_no_validity(monkeypatch):
    problem = noisy_problem(3)
    conditions = arrange_conditions(problem)
    optimum = prove(problem, find_card(problem, SearchOptions()), Stops()).loss
    monkeypatch.setattr(hull, "MOST_CELLS", 20)
    work, root = work_of(conditions), tree._root(conditions)
    assert work.first.size == 20
    bounded(conditions, root, 0, work, control_for(math.inf))
    assert int(work.sizes[1]) <= 20
    assert root.bounds[0] <= optimum
