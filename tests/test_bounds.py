"""The lower bound: never above a card, never lower in a child, and valid whenever the proof stops."""

from __future__ import annotations

import itertools
import math
import time
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from oracle.enumerate_cards import enumerate_cards
from random_problems import SCALES, random_problem
from riskcard.kernels.proof import layout
from riskcard.kernels.proof.hull.layout import ROUGH, HullNodes, empty_hull_nodes
from riskcard.kernels.proof.layout import (
    CHANCE_OF_EVENT,
    CHANCE_OF_OTHER,
    HIGH,
    LEAST,
    LOW,
    MOST,
    MULTIPLICITY,
    OFFSET,
    SIDE,
    Conditions,
    NewtonScratch,
    Nodes,
    empty_nodes,
    empty_results,
    empty_workspace,
    join_nodes,
)
from riskcard.kernels.proof.leaf import fit_design
from riskcard.kernels.proof.newton import length_to_bound, move_within, newton_direction
from riskcard.kernels.proof.nodes import copy_node
from riskcard.kernels.proof.relaxation import (
    add_costs,
    differentiate,
    lower_bound_at,
    sum_losses,
    tabulate_losses,
    take_step,
)
from riskcard.kernels.proof.rounding import ROUNDING, ROUNDING_PER_ROW
from riskcard.kernels.proof.shared_cuts import least_conflict, price_conflicts
from riskcard.problem.objective import loss_of, violations
from riskcard.problem.problem import Limits, Problem, Scale
from riskcard.problem.ranked_data import RankedData
from riskcard.problem.solution import Solution
from riskcard.search import solve as pipeline
from riskcard.search.deadline import Deadline
from riskcard.search.plan import PLAN
from riskcard.search.proof import tasks, tree
from riskcard.search.proof.conditions import (
    _families,
    _orders,
    _starts,
    arrange_conditions,
    cuts_of,
    exact_weights,
    place_of_cut,
)
from riskcard.search.proof.leaves import card_of_leaf
from riskcard.search.proof.tree import Stops, prove
from riskcard.status import OPTIMALITY_TOLERANCE, Status

#: The oracle's own precision, with room.
TOLERANCE = 1e-8
FREE = (Scale("multiplier"), Scale("calibrated"), Scale("calibrated", limit=0.8))
FIXED = (Scale("fixed", 1.0), Scale("fixed", 0.3), Scale("fixed", 20.0))


# --- the relaxation ------------------------------------------------------------------------------


@njit
def relax(n_columns, cells, box, w, costs, n_steps):
    """The best lower bound of some Newton steps with arrays of its own; changes ``w``."""
    n = n_columns + 1
    tables = np.zeros((6, 1 << n_columns))
    scratch = NewtonScratch(
        np.zeros(n), np.zeros((n, n)), np.zeros(n), np.zeros((n + 1, n)), np.zeros(n)
    )
    tabulate_losses(n_columns, w, tables)
    plain = sum_losses(1 << n_columns, cells, tables)
    best = -np.inf
    for _ in range(n_steps):
        loss = add_costs(n_columns, plain, costs, w)
        differentiate(n_columns, cells, tables, costs, scratch)
        best = max(best, lower_bound_at(n, w, loss, scratch.gradient, box))
        plain = take_step(n_columns, cells, box, w, loss, tables, costs, scratch)
    return best


def losses_of_cells(cells: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The loss at each of many points (rows: coefficients), in extended precision."""
    n_columns = points.shape[1] - 1
    bits = (np.arange(1 << n_columns) >> np.arange(n_columns)[:, None]) & 1
    wide = points.astype(np.longdouble)
    log_odds = wide[:, :1] + (wide[:, 1:, None] * bits).sum(axis=1)
    return np.logaddexp(0, -log_odds) @ cells[0] + np.logaddexp(0, log_odds) @ cells[1]


@njit
def bound_of_box(w, loss, gradient, box):
    return lower_bound_at(w.size, w, loss, gradient, box)


@pytest.mark.parametrize("n_variables", [1, 2, 4])
def test_the_bound_of_a_box_is_its_lowest_corner_less_a_part_of_all_summands(n_variables):
    rng = np.random.default_rng(n_variables)
    for _ in range(20):
        box = np.sort(rng.normal(size=(2, n_variables)), axis=0)
        w, gradient = rng.uniform(*box), rng.normal(size=n_variables)
        found = bound_of_box(w, 3.0, gradient, box)
        corners = np.array(list(itertools.product(*box.T)))
        lowest = 3.0 + ((corners - w) @ gradient).min()
        size = 3.0 + (3.0 - lowest)
        assert lowest - found == pytest.approx(ROUNDING * size, rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["counts", "weights", "huge and tiny", "separable"])
def test_the_bound_of_a_relaxation_is_below_the_loss_everywhere_in_its_box(kind):
    rng = np.random.default_rng(["counts", "weights", "huge and tiny", "separable"].index(kind))
    n_tight = 0
    for _ in range(150):
        n_columns = int(rng.integers(1, 6))
        shape = (2, 1 << n_columns)
        cells = rng.integers(0, 20, shape) * (rng.random(shape) < 0.6)
        if kind == "weights":
            cells = cells * rng.random(shape)
        if kind == "huge and tiny":
            cells = cells * 10.0 ** rng.uniform(-9, 9, shape)
        if kind == "separable":
            cells[0, : cells.shape[1] // 2] = 0
            cells[1, cells.shape[1] // 2 :] = 0
        cells = cells.astype(float)
        reach = rng.choice([0.5, 3.0, 30.0, 90.0])
        low = np.append(-reach * n_columns, rng.choice([0.0, 0.2], n_columns) * reach)
        high = np.append(reach, low[1:] + reach * rng.random(n_columns))
        box = np.stack([low, high])
        w = rng.uniform(low, high)
        costs = np.append(0.0, rng.choice([0.0, 0.1, 1.0], n_columns) * cells.sum())
        bound = relax(n_columns, cells, box, w, costs, int(rng.integers(1, 30)))
        near = 10.0 ** -rng.uniform(0, 9, (40, 1)) * rng.normal(size=(40, w.size))
        corners = np.where(rng.random((20, w.size)) < 0.5, low, high)
        points = np.clip(np.vstack([w, w + reach * near, corners]), low, high)
        losses = losses_of_cells(cells, points) + points @ costs
        assert (bound <= losses).all()
        n_tight += bool(losses.min() - bound <= 1e-6 * losses.min())
    assert n_tight > 75


def scratch_of(n_variables: int) -> NewtonScratch:
    """Room for a step, full of NaN: what is read must have been written."""
    n = n_variables
    shapes = (n, (n, n), n, (n + 1, n), n)
    return NewtonScratch(*(np.full(shape, np.nan) for shape in shapes))


@njit
def direction_of(w, box, scratch, ridge, floor):
    newton_direction(w.size, w, box, scratch, ridge, floor)
    return scratch.direction


def direction_by_hand(gradient, hessian, w, box):
    """Newton's direction without the variables that it, or the slope, pushes out of the box."""
    low, high = w <= box[LEAST], w >= box[MOST]
    free = np.flatnonzero(~(low & (gradient >= 0)) & ~(high & (gradient <= 0)))
    while True:
        direction = np.zeros(w.size)
        direction[free] = np.linalg.solve(hessian[np.ix_(free, free)], -gradient[free])
        is_out = (low & (direction < 0)) | (high & (direction > 0))
        if not is_out[free].any():
            return direction
        free = free[~is_out[free]]


@njit
def fit_of_leaf(design, cells, box, w, scratch):
    return fit_design(w.size, design, cells, box, w, np.inf, scratch)


@pytest.mark.parametrize(("lowest", "highest", "end"), [(-1.0, 0.5, 0.5), (1.5, 3.0, 1.5)])
def test_newtons_fit_of_a_leaf_that_begins_outside_the_box_ends_at_its_edge(lowest, highest, end):
    w = np.array([math.log(3.0)])  # where three rows with the event and one without are fitted best
    box, cells = np.array([[lowest], [highest]]), np.array([[3.0], [1.0]])
    loss, bound = fit_of_leaf(np.ones((1, 1)), cells, box, w, scratch_of(1))
    at_edge = 3.0 * math.log1p(math.exp(-end)) + math.log1p(math.exp(end))
    assert w[0] == end
    assert loss == pytest.approx(at_edge, rel=1e-12)
    assert at_edge * (1 - 1e-9) <= bound <= at_edge


def test_newtons_direction_leaves_out_what_it_pushes_out_of_the_box():
    n_held = np.zeros(2)
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 6))
        box = np.stack([np.zeros(n), np.ones(n)])
        w = rng.choice([0.0, 0.4, 1.0], n)
        root = rng.normal(size=(n, n))
        hessian, scratch = root @ root.T + 0.3 * np.eye(n), scratch_of(n)
        scratch.gradient[:] = rng.normal(size=n)
        scratch.hessian[np.tril_indices(n)] = hessian[np.tril_indices(n)]
        wanted = direction_by_hand(scratch.gradient, hessian, w, box)
        np.testing.assert_allclose(direction_of(w, box, scratch, 0.0, 0.0), wanted, atol=1e-9)
        pushed = scratch.gradient * np.sign(w - 0.5)
        n_held += np.sum((wanted == 0) & (pushed >= 0)), np.sum((wanted == 0) & (pushed < 0))
    # some because of their own slope, others because of the direction of all
    assert (n_held > 50).all()


@pytest.mark.parametrize(("ridge", "floor"), [(0.0, 0.01), (0.02, 0.0), (0.02, 0.01)])
def test_a_singular_hessian_gets_a_ridge_or_a_floor(ridge, floor):
    scratch, box = scratch_of(2), np.array([[-1.0, -1.0], [1.0, 1.0]])
    scratch.gradient[:] = 2.0, -3.0
    scratch.hessian[:] = [[4.0, np.nan], [2.0, 1.0]]
    last = max(1.0 + ridge - 1.0 / (1.0 + ridge), floor)
    stiffened = [[4.0 + 4.0 * ridge, 2.0], [2.0, 1.0 / (1.0 + ridge) + last]]
    wanted = np.linalg.solve(stiffened, -scratch.gradient)
    np.testing.assert_allclose(direction_of(np.zeros(2), box, scratch, ridge, floor), wanted)


@njit
def step_to_bound(w, direction, box, trial):
    length = length_to_bound(w.size, w, direction, box)
    move_within(w.size, w, direction, length, box, trial)
    return length


def test_a_shortened_step_ends_where_the_first_variable_meets_its_bound():
    n_short = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        box = np.stack([np.zeros(4), np.ones(4)])
        w, direction = rng.choice([0.0, 0.2, 0.7, 1.0], 4), rng.normal(size=4) * [3, 1, 0.1, 0]
        # a variable that is at its bound already is not moved, and does not count
        ways = np.where(direction > 0, 1 - w, w)
        counts = (ways > 0) & (direction != 0)
        first = np.min(ways[counts] / np.abs(direction[counts]), initial=1.0)
        trial = np.full(4, np.nan)
        length = step_to_bound(w, direction, box, trial)
        assert length == pytest.approx(min(0.3, first), rel=1e-11)
        np.testing.assert_allclose(trial, np.clip(w + length * direction, 0, 1))
        is_new = (trial != w) & np.isin(trial, [0.0, 1.0])
        assert is_new.any() == (first < 0.3)
        n_short += first < 0.3
    assert 20 < n_short < 80


def test_the_allowance_for_rounding_covers_the_errors_that_are_added_up():
    unit, n_cells, furthest = 2.0**-53, 2**12, 1400.0
    assert (n_cells + (12 + 17) * furthest) * unit < ROUNDING < 1e-10
    assert 2 * unit == ROUNDING_PER_ROW


@njit
def conflict_of(rows, weights, chances, cell_of_row, span):
    return least_conflict(rows, weights, chances, cell_of_row, span)


@pytest.mark.parametrize("n_codes", [1, 7, 200_000], ids=["equal", "ties", "large"])
def test_rows_are_in_order_of_code_by_class_and_mixed(n_codes):
    rng = np.random.default_rng(n_codes)
    for n_events in (0, 30, 80):
        codes = rng.integers(0, n_codes, (3, 80)).astype(np.int32)
        is_event = np.arange(80) < n_events
        rows, mixed = _orders(codes, n_events, Deadline())
        by_class = [np.lexsort((own, ~is_event)) for own in codes]
        np.testing.assert_array_equal(rows, np.concatenate(by_class))
        for side, is_late in enumerate((is_event, ~is_event)):
            wanted = [np.lexsort((is_late, own)) for own in codes]
            np.testing.assert_array_equal(mixed[side], np.concatenate(wanted))
        starts, offsets = _starts(codes, np.full(3, n_codes - 1), n_events, Deadline())
        for f, code in itertools.product(range(3), np.unique(codes)[::9]):
            for event, part in enumerate((is_event, ~is_event)):
                begin, end = starts[event, offsets[f] + code : offsets[f] + code + 2]
                found = np.sort(rows[begin:end])
                np.testing.assert_array_equal(found, np.flatnonzero(part & (codes[f] == code)))


@pytest.mark.parametrize("side", [0, 1], ids=["below", "above"])
def test_the_cost_of_an_interval_is_the_least_conflict_of_its_cuts(side):
    n_above_zero = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        n_rows, n_cuts = int(rng.integers(2, 40)), int(rng.integers(2, 9))
        is_event = np.arange(n_rows) < rng.integers(1, n_rows)
        codes = rng.integers(0, n_cuts + 1, (1, n_rows)).astype(np.int32)
        weights, chances = rng.random(n_rows), rng.random(n_rows)
        low, high = np.sort(rng.choice(n_cuts, 2, replace=False))
        order = _orders(codes, int(is_event.sum()), Deadline())[1][side]
        begin, end = np.searchsorted(codes[0, order], [low + 1, high + 1])
        # each row is a cell of its own
        found = conflict_of(
            order,
            weights[order],
            np.where(is_event, chances, -chances),
            np.arange(n_rows, dtype=np.uint16),
            (begin, end, 1.0 if side else -1.0),
        )
        gives = np.array([(codes[0] <= cut) ^ bool(side) for cut in range(low, high + 1)])
        relaxed = np.where(is_event, gives.any(axis=0), gives.all(axis=0))
        least = ((gives != relaxed) * weights * chances).sum(axis=1).min()
        assert found == pytest.approx(least, abs=1e-9)
        assert found <= least + 1e-15
        n_above_zero += found > 0
    assert n_above_zero > 50


@pytest.mark.parametrize("n_rows", [6, 40_000, 100_000])
def test_the_cost_of_an_interval_is_lowered_for_the_rounding_of_its_own_rows(n_rows):
    # the first half of the rows comes into conflict with a cut that passes it, the second is then
    # no longer: as many as half of the rows are, wherever the cut is
    n_before, half = 200_000, n_rows // 2
    cell_of_row = (np.arange(n_before + n_rows) >= n_before + half).astype(np.uint16)
    rows, ones = np.arange(n_before + n_rows, dtype=np.uint32), np.ones(n_before + n_rows)
    span = n_before, n_before + n_rows, 1.0
    found = conflict_of(rows, ones, np.array([1.0, -1.0]), cell_of_row, span)
    allowed = max(ROUNDING, 2.0**-52 * n_rows) * n_rows
    assert half - found == pytest.approx(allowed, rel=1e-3, abs=1e-15)


@njit
def prices_of(conditions, work, depth):
    return price_conflicts(conditions, work, depth)


def test_the_cost_of_each_slot_is_the_least_conflict_of_its_own_rows():
    """Intervals of any column, whether they begin at its first cut or not; a single cut costs nothing."""
    n_above_zero = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        codes = rng.integers(0, 9, (3, 40)).astype(np.int32)
        labels, weights = np.repeat([1, -1], 20).astype(np.int8), rng.random(40) + 0.5
        jumps, scale = np.full(3, 3), Scale("calibrated")
        data = RankedData(codes, np.full(3, 8), labels, weights)
        conditions = arrange_conditions(Problem(data, Limits(3, 3, 3), scale, -jumps, jumps))
        n_rows, depth, n_slots = conditions.weights.size, 2, 3
        is_event = np.arange(n_rows) < conditions.n_events
        work = empty_workspace(n_rows, 3)
        cells = rng.integers(0, 8, n_rows)
        work.cell_of_row[:] = cells + 8 * ~is_event
        work.tables[depth] = rng.random(work.tables[depth].shape)
        chances = np.where(
            is_event, *work.tables[depth][[CHANCE_OF_OTHER, CHANCE_OF_EVENT]][:, cells]
        )
        work.path.counts[depth] = n_slots
        work.path.slots[depth, 0] = 0, 3, 3, 1
        wanted, n_undecided = [0.0, 0.0], 0
        for slot in range(1, n_slots):
            side = int(rng.integers(6))
            low, high = np.sort(rng.choice(8, 2, replace=False)).tolist()
            work.path.slots[depth, slot] = side, low, high, 1
            own = conditions.codes[side >> 1]
            gives = np.array([(own <= cut) ^ bool(side & 1) for cut in range(low, high + 1)])
            relaxed = np.where(is_event, gives.any(axis=0), gives.all(axis=0))
            in_conflict = (gives != relaxed) * conditions.weights * chances
            wanted.append(in_conflict.sum(axis=1).min())
            n_undecided += int(((own > low) & (own <= high)).sum())
        n_seen = prices_of(conditions, work, depth)
        np.testing.assert_allclose(work.costs, wanted, atol=1e-9)
        assert n_seen == n_undecided
        n_above_zero += np.count_nonzero(wanted)
    assert n_above_zero > 100


# --- conditions ----------------------------------------------------------------------------------


def test_closed_cuts_are_left_out_and_rows_that_no_cut_tells_apart_merged():
    codes = np.array([[0, 1, 2, 3, 3, 2, 1, 0], [0, 0, 1, 1, 1, 1, 0, 0]], dtype=np.int32)
    labels = np.tile([1, -1], 4).astype(np.int8)
    data = RankedData(codes, np.array([3, 1]), labels, np.arange(1.0, 9.0))
    jump = np.ones(2, dtype=np.int64)
    problem = Problem(data, Limits(2, 2, 2), Scale("calibrated"), -jump, jump)
    is_closed = (np.array([True, False, True]), np.array([False]))
    closed = replace(problem, restrictions=replace(problem.restrictions, is_closed=is_closed))
    conditions = arrange_conditions(closed)
    # codes 0 and 1 are one, and so are 2 and 3: the two columns are the same
    assert conditions.patterns.codes.tolist() == [[0, 1], [0, 1]]
    assert conditions.patterns.n_codes.tolist() == [2, 2]
    np.testing.assert_allclose(conditions.patterns.events, [8.0, 8.0], rtol=1e-12)
    np.testing.assert_allclose(conditions.patterns.others, [10.0, 10.0], rtol=1e-12)
    assert cuts_of(conditions, np.array([0, 1]), np.array([0, 0])).tolist() == [1, 0]
    assert [place_of_cut(conditions, 0, 1), place_of_cut(conditions, 1, 0)] == [0, 0]


def test_clashes_count_open_cuts_only():
    n_cuts = np.array([4, 4])
    data = RankedData(
        np.zeros((2, 4), dtype=np.int32),
        n_cuts,
        np.array([1, 1, -1, -1], dtype=np.int8),
        np.ones(4),
        feature_of=np.array([0, 0]),
    )
    jump = np.ones(2, dtype=np.int64)
    plain = Problem(data, Limits(2, 2, 2), Scale("fixed"), -jump, jump)
    limits = np.tile([[0, 3], [1, 4]], (4, 1, 1))
    problem = replace(plain, restrictions=replace(plain.restrictions, clashes=(limits, None)))
    families, clashes = _families(problem, [np.array([1, 2]), np.array([0, 2, 3])])
    assert families[:, 3].tolist() == [0, -1]
    # strictly between 0 and 3 of cuts 1 and 2; strictly between 1 and 4 of cuts 0, 2 and 3
    assert clashes.tolist() == [[-1, 2], [0, 3]] * 2


def test_clashes_begin_where_those_of_the_column_are():
    labels, n_cuts = np.array([1, 1, -1, -1], dtype=np.int8), np.array([2, 3, 4, 1])
    data = RankedData(np.zeros((4, 4), dtype=np.int32), n_cuts, labels, np.ones(4))
    jump = np.ones(4, dtype=np.int64)
    problem = Problem(data, Limits(2, 2, 2), Scale("fixed"), -jump, jump)
    clashes = [np.full((cuts, 1, 2), cuts) for cuts in n_cuts]
    restrictions = replace(problem.restrictions, clashes=(clashes[0], None, *clashes[2:]))
    every = [np.arange(cuts) for cuts in n_cuts]
    families, together = _families(replace(problem, restrictions=restrictions), every)
    wanted = [[0, 0, 1, 0], [1, 1, 1, -1], [2, 2, 1, 2], [3, 3, 1, 6]]
    np.testing.assert_array_equal(families, wanted)
    assert together.shape == (7, 2)


# --- nodes ---------------------------------------------------------------------------------------


def test_the_fields_of_a_record_have_a_place_each_and_fill_it():
    for names, size in (
        ("SIDE LOW HIGH MULTIPLICITY", layout.SLOT_FIELDS),
        ("LOSS_IF_EVENT LOSS_IF_OTHER CHANCE_OF_OTHER CHANCE_OF_EVENT", layout.N_KEPT_TABLES),
        (
            "LOSS_IF_EVENT LOSS_IF_OTHER CHANCE_OF_OTHER CHANCE_OF_EVENT SLOPE CURVE",
            layout.N_TABLES,
        ),
        ("KIND WHICH WHERE NEXT_CHILD LAST_CHILD", layout.BRANCH_FIELDS),
        ("BEGIN END BIT", layout.MOVE_FIELDS),
        ("CUTOFF TARGET BUDGET STOP CLOSENESS NARROW", layout.CONTROL_FIELDS),
        ("SAVED LEAVES DONE NODES STEPS WORK", layout.COUNTERS),
    ):
        assert [getattr(layout, name) for name in names.split()] == list(range(size))
    work = empty_workspace(5, 2)
    assert work.cells.shape[1:] == (2, 4)
    assert work.moves.shape[1:] == (2, layout.MOVE_FIELDS)
    assert work.columns.shape[1:] == (2,)


@dataclass(frozen=True)
class Node:
    """One node of either kind."""

    slots: np.ndarray  # (slots, SLOT_FIELDS)
    bound: float
    alone: Nodes | HullNodes  # as kernels see it

    @property
    def is_wide(self) -> bool:
        return isinstance(self.alone, HullNodes)

    @property
    def w(self) -> np.ndarray:
        return self.alone.w[0, : len(self.slots) + 1]

    @property
    def box(self) -> np.ndarray:
        return self.alone.box[0, :, : len(self.slots) + 1]


def split_up(nodes: Nodes | HullNodes) -> list[Node]:
    """The nodes one by one."""
    return [
        Node(
            slots=nodes.slots[index, : int(nodes.counts[index])],
            bound=float(nodes.bounds[index]),
            alone=nodes.take(slice(index, index + 1)),
        )
        for index in range(nodes.size)
    ]


def members_of(conditions: Conditions, node: Node, slot: np.ndarray) -> list[tuple[int, int]]:
    """Every condition (side, cut) of a slot, in the cuts of the proof."""
    if slot[SIDE] >= 0:
        return [(int(slot[SIDE]), cut) for cut in range(slot[LOW], slot[HIGH] + 1)]
    excluded = sum(int(word) << 64 * i for i, word in enumerate(node.alone.excluded[0]))
    return [
        (side, cut)
        for side in conditions.patterns.sides.tolist()
        if not excluded >> side & 1
        for cut in range(int(conditions.patterns.n_codes[side >> 1]) - 1)
    ]


#: Nodes of the hull are narrow when they have at most this many undecided rows.
FEW_ROWS = 6.0


def step(conditions, nodes: list[Node], cutoff: float, target: float, budget: float):
    """Explore for a budget of work; returns the nodes that stay open, and the leaves."""
    still_open, leaves = [], []
    for is_wide in (True, False):
        own = [node.alone for node in nodes if node.is_wide == is_wide]
        if not own:
            continue
        task = tasks.Task(conditions)
        task.control[:] = cutoff, target, budget, 0.0, 0.0, FEW_ROWS
        outcome = task.run(join_nodes(own))
        still_open += split_up(outcome.wide.copy()) + split_up(outcome.narrow.copy())
        leaves += split_up(outcome.leaves.copy())
    return still_open, leaves


def root_of(conditions) -> Node:
    (root,) = split_up(tree._root(conditions))
    return root


@njit
def copy_of(nodes, here, others, there):
    copy_node(nodes, here, others, there)


def test_a_node_is_copied_whole_and_nothing_else_is_changed():
    rng = np.random.default_rng(0)
    nodes, others = empty_nodes(3, 4), empty_nodes(5, 4)
    for part in (*nodes, *others):
        part[...] = rng.integers(1, 100, part.shape)
    nodes.counts[1] = 2
    before = others.copy()
    copy_of(nodes, 1, others, 3)
    one, copied = split_up(nodes)[1], split_up(others.take(slice(3, 4)))[0]
    for name in ("slots", "bound", "w", "box"):
        np.testing.assert_array_equal(getattr(one, name), getattr(copied, name), err_msg=name)
    for now, then in zip(others, before, strict=True):
        np.testing.assert_array_equal(np.delete(now, 3, axis=0), np.delete(then, 3, axis=0))
    np.testing.assert_array_equal(others.slots[3, 2:], before.slots[3, 2:])
    np.testing.assert_array_equal(others.box[3, :, 3:], before.box[3, :, 3:])


def test_a_node_at_the_target_is_set_aside_without_a_look_at_its_children():
    _, conditions = problem_with_conditions(3)
    root = root_of(conditions)
    still_open, leaves = step(conditions, [root], math.inf, 0.0, math.inf)
    assert not leaves
    (node,) = still_open
    assert node.is_wide
    assert node.alone.state.tolist() == [ROUGH]
    np.testing.assert_array_equal(node.slots, root.slots)


def test_coefficients_are_brought_into_the_box():
    n_checked = 0
    for seed in range(20):
        _, conditions = problem_with_conditions(seed)
        for node in narrow_nodes(conditions, np.random.default_rng(seed)):
            node.w[:] = 1e3
            for child in step(conditions, [node], math.inf, math.inf, 1.0)[0]:
                n_checked += 1
                assert (child.w <= node.box[MOST].max()).all()
    assert n_checked > 20


def children_of(conditions, node: Node):
    """The children of a node, bounded as well as possible, and its leaves."""
    if node.is_wide:
        return step(conditions, [node], math.inf, math.inf, 1.0)
    if not node.alone.is_solved[0]:
        (node,) = step(conditions, [node], math.inf, 0.0, math.inf)[0]
    return step(conditions, [node], math.inf, 0.0, math.inf)


def walk_down(conditions, rng: np.random.Generator):
    """(parent, children or leaves) along a random path; every bound is computed."""
    children, _ = children_of(conditions, root_of(conditions))
    while children:
        node = children[rng.integers(len(children))]
        children, leaves = children_of(conditions, node)
        yield node, children, leaves


def narrow_nodes(conditions, rng: np.random.Generator) -> list[Node]:
    """Nodes of a random path that the hull leaves to the other bound."""
    found = [child for _, children, _ in walk_down(conditions, rng) for child in children]
    return [node for node in found if not node.is_wide and not node.alone.is_solved[0]]


def least_loss_nearby(problem: Problem, conditions, node: Node, chosen, rng) -> float:
    """The least of many losses of the chosen conditions (by slot), with real steps in the box.

    They are tried around the solution of the node's relaxation, near and far.
    """
    columns, centre = [np.ones(problem.data.n_rows)], [conditions.rate]
    total = sum(conditions.reach[side] for members in chosen for side, _ in members)
    unit = conditions.unit
    limits = [(conditions.rate - total - unit, conditions.rate + unit)]
    if not node.is_wide:
        centre[0], limits[0] = node.w[OFFSET], tuple(node.box[:, OFFSET])
    for j, members in enumerate(chosen):
        for side, cut in members:
            column = side >> 1
            own = cuts_of(conditions, np.array([column]), np.array([cut]))[0]
            is_below = problem.data.codes[column] <= own
            columns.append((is_below ^ bool(side & 1)).astype(float))
            reach = conditions.reach[side]
            if node.is_wide:
                limits.append((0.0, reach))
                centre.append(min(1.0, reach / 2))
                continue
            least, most = node.box[LEAST, j + 1], node.box[MOST, j + 1]
            is_one = len(members) == 1
            limits.append((least, min(most, reach)) if is_one else (0.0, reach))
            centre.append(node.w[j + 1] / len(members))
    low, high = np.array(limits).T
    if (low > high).any():
        return math.inf
    moves = 10.0 ** rng.uniform(-3, 0.5, (400, 1)) * rng.normal(size=(400, len(centre)))
    points = np.clip(np.vstack([centre, centre + moves]), low, high)
    margins = problem.data.labels * (points @ np.array(columns))
    return (np.logaddexp(0, -margins) @ problem.data.weights).min()


def problem_with_conditions(seed: int, scale: Scale | None = None):
    """A random problem that has conditions, and these."""
    for attempt in itertools.count(seed, 10_000):
        problem = random_problem(attempt, scale)
        conditions = arrange_conditions(problem)
        if conditions is not None:
            return problem, conditions
    raise AssertionError


@pytest.mark.parametrize("scale", [*FIXED, *FREE[1:]], ids=str)
def test_the_bound_of_a_node_is_below_every_card_in_it_and_below_its_children(scale):
    n_checked = 0
    for seed in range(15):
        problem, conditions = problem_with_conditions(seed, scale)
        rng = np.random.default_rng(seed)
        for parent, children, leaves in walk_down(conditions, rng):
            for node in children + leaves:
                assert node.bound >= parent.bound
                if not node.is_wide and (node.box[LEAST] > node.box[MOST]).any():
                    continue  # no card has its best base here
                for _ in range(2):
                    chosen = []
                    for slot in node.slots:
                        members = members_of(conditions, node, slot)
                        size = min(int(slot[MULTIPLICITY]), len(members))
                        picked = rng.choice(len(members), size, replace=False)
                        chosen.append([members[i] for i in picked])
                    loss = least_loss_nearby(problem, conditions, node, chosen, rng)
                    assert node.bound <= loss * (1 + TOLERANCE)
                    n_checked += 1
    assert n_checked > 100


def conditions_of(card: Solution) -> tuple[dict[tuple[int, int], int], int]:
    """The conditions (side, cut) of a card with their points, all above 0, and its base then."""
    points, base = {}, card.base
    for feature, cut, jump in card.terms:
        points[2 * feature + (jump < 0), cut] = abs(jump)
        base += min(jump, 0)
    return points, base


def holds_card(conditions, node: Node, card: Solution) -> bool:
    """Is the card one of the node? Slots that give it no condition must be able to add nothing."""
    points, base = conditions_of(card)
    unit, n_found = conditions.unit, 0
    places = {
        (side, place_of_cut(conditions, side >> 1, cut)): own for (side, cut), own in points.items()
    }
    for j, slot in enumerate(node.slots):
        own = [places[member] for member in members_of(conditions, node, slot) if member in places]
        if len(own) > slot[MULTIPLICITY]:
            return False
        n_found += len(own)
        if unit > 0 and not node.is_wide:
            least, most = node.box[:, j + 1] + [-1e-9, 1e-9]
            if not least <= sum(own) * unit <= most:
                return False
    if unit > 0 and not node.is_wide:
        least, most = node.box[:, OFFSET] + [-1e-9, 1e-9]
        if not least <= base * unit <= most:
            return False
    return n_found == len(points)


@pytest.mark.parametrize("scale", [*FIXED, *FREE], ids=str)
def test_the_optimum_stays_in_an_open_node_or_reaches_a_leaf(scale):
    n_rounds = 0
    for seed in range(100, 115):
        problem, conditions = problem_with_conditions(seed, scale)
        rng = np.random.default_rng(seed)
        best = enumerate_cards(problem)
        if not best.solution.terms:
            continue
        cutoff = best.loss * rng.choice([1.0001, 1.1])
        nodes, is_at_leaf = [root_of(conditions)], False
        while nodes and not is_at_leaf:
            assert any(holds_card(conditions, node, best.solution) for node in nodes)
            target = cutoff * rng.choice([0.5, 0.8, 0.95, 1.0])
            budget = rng.choice([1.0, 300.0, 3000.0, 30000.0])
            # lowest last: the order does not matter for what is claimed
            nodes, leaves = step(conditions, nodes, cutoff, target, budget)
            is_at_leaf = any(holds_card(conditions, leaf, best.solution) for leaf in leaves)
            n_rounds += 1
        assert is_at_leaf
    assert n_rounds > 20


# --- the whole proof -----------------------------------------------------------------------------


def empty_card(problem: Problem, shift: int = 0) -> Solution:
    """The card without terms; with a fixed scale its base is wrong by ``shift``."""
    data = problem.data
    is_event = data.labels > 0
    rate = math.log(data.weights[is_event].sum() / data.weights[~is_event].sum())
    if problem.scale.kind == "calibrated":
        return Solution.of([], offset=rate)
    if problem.scale.kind == "multiplier":
        return Solution.of([], base=int(np.sign(rate)), multiplier=1 / max(abs(rate), 1e-3))
    multiplier = problem.scale.multiplier
    return Solution.of([], base=round(rate * multiplier) + shift, multiplier=multiplier)


def with_weights(problem: Problem, weights: np.ndarray) -> Problem:
    """The same problem with other weights."""
    data = RankedData(problem.data.codes, problem.data.n_cuts, problem.data.labels, weights)
    return Problem(data, problem.limits, problem.scale, problem.jump_low, problem.jump_high)


def with_wild_weights(problem: Problem, seed: int) -> Problem:
    """The same problem with weights over many orders of magnitude."""
    rng = np.random.default_rng(seed)
    return with_weights(problem, 10.0 ** rng.uniform(-3, 3, problem.data.n_rows))


@pytest.fixture
def small_pieces(monkeypatch):
    """Make every part of the proof small, so that nodes are put aside and taken up all the time."""
    monkeypatch.setattr(tree, "FIRST_BUDGET", 2000.0)
    monkeypatch.setattr(tree, "LAST_BUDGET", 2000.0)
    monkeypatch.setattr(tree, "MOST_NODES_A_TASK", 3)
    for name, size in (("MOST_LEAVES", 2), ("MOST_NARROW", 2), ("MOST_ASIDE", 3), ("MORE_WIDE", 9)):
        monkeypatch.setattr(tasks, name, size)

    class SmallTask(tasks.Task):
        def __init__(self, conditions, keeps_notes=False):
            super().__init__(conditions, keeps_notes)
            depth, path = 6, self._work.path.take(slice(6))
            by_depth = {
                name: getattr(self._work, name)[:depth]
                for name in ("cells", "tables", "branch", "moves", "columns")
            }
            n_open = depth * (conditions.limits.max_terms + 1) + 2
            still_open = self._results.still_open.take(slice(n_open))
            self._work = self._work._replace(path=path, **by_depth)
            self._results = self._results._replace(still_open=still_open)

    monkeypatch.setattr(tree, "Task", SmallTask)


def optimum_of(problem: Problem) -> float:
    """The oracle's loss; it may divide by curvatures of 0 and puts that right itself."""
    with np.errstate(all="ignore"):
        return enumerate_cards(problem).loss


def check_proof(problem: Problem, proof, optimum: float, gap: float = 0.0) -> None:
    """Everything that must hold of a proof, whatever made it stop."""
    assert violations(proof.solution, problem) == []
    assert proof.loss == pytest.approx(loss_of(proof.solution, problem), rel=1e-12)
    assert proof.loss >= optimum * (1 - TOLERANCE)
    assert 0 <= proof.bound <= optimum * (1 + TOLERANCE)
    if proof.status == Status.OPTIMAL:
        assert proof.loss - proof.bound <= OPTIMALITY_TOLERANCE * proof.loss
    if proof.status == Status.GAP_REACHED:
        assert proof.loss - proof.bound <= max(gap, OPTIMALITY_TOLERANCE) * proof.loss * (1 + 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("scale", [*SCALES, *FIXED[1:]], ids=str)
@pytest.mark.parametrize("weights", ["mild", "wild"])
def test_from_a_poor_card_the_proof_finds_the_optimum(small_pieces, scale, weights):
    for seed in range(200, 215):
        problem, _ = problem_with_conditions(seed, scale)
        if weights == "wild":
            problem = with_wild_weights(problem, seed)
        optimum = optimum_of(problem)
        for shift in (0, 2):
            proof = prove(problem, empty_card(problem, shift), Stops())
            check_proof(problem, proof, optimum)
            assert proof.status == Status.OPTIMAL
            assert proof.loss <= optimum * (1 + OPTIMALITY_TOLERANCE)


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_the_bound_holds_whenever_the_proof_stops(small_pieces, scale):
    statuses = set()
    for seed in range(300, 308):
        problem, _ = problem_with_conditions(seed, scale)
        problem = with_wild_weights(problem, seed) if seed % 3 == 0 else problem
        optimum = optimum_of(problem)
        card = empty_card(problem)
        rng = np.random.default_rng(seed)
        for stops in (
            Stops(deadline=time.perf_counter()),
            Stops(node_limit=1),
            Stops(node_limit=int(rng.integers(2, 40))),
            Stops(node_limit=int(rng.integers(40, 200))),
            Stops(gap=0.01),
            Stops(gap=0.1),
            Stops(gap=0.5),
            Stops(gap=1.0),
        ):
            proof = prove(problem, card, stops)
            check_proof(problem, proof, optimum, stops.gap)
            statuses.add(proof.status)
        for seconds in (0.001, 0.003):
            deadline = time.perf_counter() + seconds
            check_proof(problem, prove(problem, card, Stops(deadline)), optimum)
    assert statuses >= {Status.TIME_LIMIT, Status.NODE_LIMIT, Status.GAP_REACHED}


def test_the_bound_never_falls_while_the_proof_goes_on(small_pieces):
    for seed in range(400, 415):
        problem, _ = problem_with_conditions(seed)
        history = []
        prove(
            problem,
            empty_card(problem),
            Stops(),
            progress=lambda loss, bound, nodes, seen=history: seen.append((loss, bound, nodes)),
        )
        losses, bounds, nodes = np.array(history).T
        assert (np.diff(losses) <= 0).all()
        assert (np.diff(nodes) >= 0).all()
        # a better card lowers the bound of what was pruned: to no less than all that is known of it
        assert (np.diff(np.minimum(bounds, losses[-1] * (1 - 1e-7))) >= 0).all()


@pytest.mark.parametrize("seed", range(500, 510))
def test_the_number_of_threads_changes_nothing(small_pieces, seed):
    problem, _ = problem_with_conditions(seed)
    card = empty_card(problem)
    for stops in (Stops(), Stops(node_limit=30)):
        assert prove(problem, card, stops, n_jobs=1) == prove(problem, card, stops, n_jobs=2)


def test_no_node_is_read_that_was_not_written(small_pieces, monkeypatch):
    def spoil(nodes):
        for part in nodes:
            part[...] = -7 if part.dtype.kind == "i" else 7 if part.dtype.kind == "u" else np.nan
        return nodes

    def with_rubbish(n_nodes, n_open, n_terms):
        room = empty_results(n_nodes, n_open, n_terms)
        spoil((*room.still_open, *room.leaves, room.leaf_cells))
        return room

    def wide_with_rubbish(*args):
        return spoil(empty_hull_nodes(*args))

    for seed in range(500, 505):
        problem, _ = problem_with_conditions(seed)
        card = empty_card(problem)
        found = prove(problem, card, Stops())
        with monkeypatch.context() as patch:
            patch.setattr(tasks, "empty_results", with_rubbish)
            patch.setattr(tasks, "empty_hull_nodes", wide_with_rubbish)
            assert prove(problem, card, Stops()) == found


def test_a_short_proof_that_does_not_end_is_followed_by_a_whole_one(small_pieces):
    plan = replace(PLAN, short_proof_most_nodes=1)
    n_resumed = 0
    for seed in range(420, 435):
        problem, _ = problem_with_conditions(seed)
        optimum = optimum_of(problem)
        result = pipeline.solve(problem, pipeline.Options(certify=True), plan)
        check_proof(problem, result, optimum)
        assert result.status == Status.OPTIMAL
        nodes = [moment.nodes for moment in result.history]
        assert nodes == sorted(nodes)
        assert nodes[-1] == result.nodes
        least = result.loss * (1 - 1e-7)
        bounds = [min(moment.bound, least) for moment in result.history]
        assert bounds == sorted(bounds)
        short = pipeline.solve(problem, pipeline.Options(certify=True, node_limit=2), plan)
        check_proof(problem, short, optimum)
        n_resumed += result.nodes > short.nodes
    assert n_resumed > 5


def test_a_leaf_takes_the_one_base_in_its_box():
    # The offset's interval has ends that are no whole numbers, and the relaxation's offset may be
    # at such an end: the nearest whole number is then outside, and the one inside was once lost.
    codes = np.array([[0, 0, 1, 1], [1, 0, 1, 0]], dtype=np.int32)
    for seed in range(40):
        rng = np.random.default_rng(seed)
        labels = np.array([1, 1, 1, -1], dtype=np.int8)[rng.permutation(4)]
        weights = 10.0 ** rng.uniform(-4, 4, 4)
        data = RankedData(codes, np.array([1, 1]), labels, weights)
        jump = np.array([2, 2])
        problem = Problem(data, Limits(2, 2, 1), Scale("fixed", 1.0), -jump, jump)
        optimum = optimum_of(problem)
        check_proof(problem, prove(problem, empty_card(problem, 2), Stops()), optimum)


def problem_of_one_leaf(seed: int, scale: Scale) -> tuple[Problem, Nodes]:
    """Three conditions, with points below the cut or above, and the leaf that has all of them."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (3, 14)).astype(np.int32)
    codes[:, :2] = [0, 1]
    labels = np.where(rng.random(14) < 0.3 + 0.4 * codes[0], 1, -1).astype(np.int8)
    labels[:2] = 1, -1
    is_above, jump = rng.random(3) < 0.5, rng.integers(1, 4, 3)
    data = RankedData(codes, np.ones(3, dtype=np.int64), labels, rng.random(14) + 0.1)
    low, high = np.where(is_above, -jump, 0), np.where(is_above, 0, jump)
    leaf = empty_nodes(1, 3)
    leaf.counts[0] = 3
    leaf.slots[0] = [(2 * f + is_above[f], 0, 0, 1) for f in range(3)]
    return Problem(data, Limits(3, 3, 1), scale, low, high), leaf


def card_of(problem: Problem, leaf: Nodes, cutoff: float):
    """The best card of the leaf, with the cells that its conditions make of the rows."""
    conditions = arrange_conditions(problem)
    cells = np.zeros((1, 2, 8))
    cell = np.zeros(conditions.weights.size, dtype=np.int64)
    for j, side in enumerate(leaf.slots[0, :, SIDE]):
        cell |= ((conditions.codes[side >> 1] <= 0) ^ bool(side & 1)).astype(np.int64) << j
    is_other = (np.arange(cell.size) >= conditions.n_events).astype(np.int64)
    np.add.at(cells[0], (is_other, cell), conditions.weights)
    return card_of_leaf(problem, conditions, leaf, cells, 0, cutoff, Deadline())


@pytest.mark.parametrize("scale", [*FREE, Scale("multiplier", limit=0.5)], ids=str)
def test_a_leaf_takes_the_best_whole_points(scale):
    n_cards = 0
    for seed in range(12):
        problem, leaf = problem_of_one_leaf(seed, scale)
        optimum = optimum_of(problem)
        card, bound = card_of(problem, leaf, 2 * optimum)
        assert optimum * (1 - 1e-8) <= bound <= optimum * (1 + TOLERANCE)
        if card is not None:
            assert violations(card, problem) == []
            assert loss_of(card, problem) == pytest.approx(optimum, rel=1e-8)
            assert card_of(problem, leaf, 0.9 * optimum) == (None, 0.9 * optimum)
            n_cards += 1
    assert n_cards > 6


def test_a_leaf_takes_the_points_of_its_box_where_the_scale_is_given():
    for seed in range(5):
        problem, leaf = problem_of_one_leaf(seed, Scale("fixed", 2.0))
        jumps = problem.jump_low + problem.jump_high
        leaf.box[0, LEAST] = np.append(-1, np.abs(jumps)) / 2.0
        card, bound = card_of(problem, leaf, 1e9)
        assert card.terms == [(f, 0, int(jumps[f])) for f in range(3)]
        assert card.base == -1 - jumps[jumps < 0].sum()
        loss = loss_of(card, problem)
        assert loss * (1 - 1e-9) < bound < loss


@pytest.mark.parametrize("kind", ["multiplier", "calibrated"])
def test_a_leaf_takes_the_points_that_are_kept(kind):
    n_cards = 0
    for seed in range(10):
        problem, leaf = problem_of_one_leaf(seed, Scale(kind))
        column = seed % 3
        jump = int(problem.jump_low[column] + problem.jump_high[column])
        for points in range(1, abs(jump) + 1):
            term = (column, 0, int(np.sign(jump)) * points)
            kept = replace(problem, kept=(term,))
            card, _ = card_of(kept, leaf, 1e9)
            assert card is None or term in card.terms
            n_cards += card is not None
    assert n_cards > 10


@pytest.mark.parametrize("label", [-1, 1])
def test_a_class_of_tiny_weight_does_not_vanish_next_to_the_other(label):
    for seed in range(600, 615):
        problem, _ = problem_with_conditions(seed, FIXED[seed % 2])
        data = problem.data
        problem = with_weights(problem, np.where(data.labels == label, 1e-17, 1.0) * data.weights)
        optimum = optimum_of(problem)
        proof = prove(problem, empty_card(problem), Stops())
        check_proof(problem, proof, optimum)
        assert proof.status == Status.OPTIMAL


# --- weights -------------------------------------------------------------------------------------


@settings(derandomize=True, max_examples=100)
@given(
    st.lists(st.floats(1e-12, 1e12), min_size=1, max_size=60),
    st.integers(0, 2**32 - 1),
)
def test_weights_of_the_proof_add_up_exactly_and_are_never_above_the_given_ones(given, seed):
    weights = np.array(given)
    exact = exact_weights(weights)
    assert (exact <= weights).all()
    assert (exact >= 0).all()
    assert (weights - exact <= 2.0**-49 * weights.sum()).all()
    rng = np.random.default_rng(seed)
    order = rng.permutation(weights.size)
    total = 0.0
    for value in exact[order]:
        total += value
    assert total == math.fsum(exact)
    is_moved = rng.random(weights.size) < 0.5
    for value in exact[is_moved]:
        total -= value
    assert total == math.fsum(exact[~is_moved])
