"""The lattice cutting-plane method as a branch and bound of its own; HiGHS solves the relaxations."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from riskcard.baselines.lattice_method.answer import LatticeAnswer, LatticeSearch, Stops
from riskcard.baselines.lattice_method.lattice import (
    Box,
    Lattice,
    Tangent,
    bound_of_box,
    tangent_at,
)
from riskcard.baselines.steps.columns import Floats, Integers
from riskcard.extras import import_extra
from riskcard.problem.problem import Problem
from riskcard.status import Status, relative_gap

#: A number this near to a whole one is whole.
WHOLE = 1e-6
#: A node is given up when its bound is within this of the best objective, relatively.
PRUNING = 1e-7
#: Fewer tangents before branching are enough when the bound is this near to the real optimum.
ROOT_GAP = 0.01


class _Relaxation:
    """The linear relaxation over real points: one row for the number of terms, one per tangent.

    Variables: points up and points down of each column, the base, the loss. A column of ``p`` points
    uses ``p / high`` (or ``p / low``) of a term; one that counts as a term anyway uses nothing more.
    """

    def __init__(self, lattice: Lattice) -> None:
        self.lattice = lattice
        self.tangents: list[Tangent] = []
        self.highs = _new_highs()
        count = lattice.n_columns
        self.loss_place = 2 * count + 1
        self.is_term = np.zeros(count, dtype=bool)
        low, high = _spread(lattice.low, lattice.high)
        self.use = 1.0 / np.maximum(high[:-1], 1)
        costs = np.append(np.tile(lattice.penalties, 2) * self.use, [0.0, 1.0])
        ends = np.append(low, 0.0), np.append(high, math.inf)
        for cost, least, most in zip(costs, *ends, strict=True):
            self.highs.addCol(float(cost), float(least), float(most), 0, [], [])
        places = np.arange(2 * count, dtype=np.int32)
        self.highs.addRow(-math.inf, float(lattice.max_terms), places.size, places, self.use)

    def add(self, tangent: Tangent) -> None:
        """``loss - slopes @ point >= constant``."""
        self.tangents.append(tangent)
        slopes = tangent.slopes
        row = np.concatenate([-slopes[:-1], slopes[:-1], -slopes[-1:], [1.0]])
        places = np.arange(row.size, dtype=np.int32)
        self.highs.addRow(tangent.constant, math.inf, row.size, places, row)

    def solve(self, box: Box, stops: Stops) -> tuple[Floats, float, Floats] | None:
        """A point, its loss in the relaxation, and the shares of the tangents; None when stopped."""
        self._enter(box)
        if not self._run(stops):
            self.highs.clearSolver()  # without the last basis, if there is time
            if not self._run(stops):
                return None
        solution = self.highs.getSolution()
        values, count = np.array(solution.col_value), self.lattice.n_columns
        point = np.append(values[:count] - values[count : 2 * count], values[2 * count])
        return point, float(values[self.loss_place]), np.array(solution.row_dual)[1:]

    def _run(self, stops: Stops) -> bool:
        """Whether the linear programme was solved."""
        seconds = max(stops.seconds_left, 0.0)
        limit = self.highs.getRunTime() + seconds if math.isfinite(seconds) else math.inf
        self.highs.setOptionValue("time_limit", limit)
        self.highs.run()
        return bool(self.highs.getModelStatus().name == "kOptimal")

    def _enter(self, box: Box) -> None:
        """Bounds and the use of terms as the box has them."""
        low, high = _spread(box.low, box.high)
        places = np.arange(low.size, dtype=np.int32)
        self.highs.changeColsBounds(low.size, places, low, high)
        count = self.lattice.n_columns
        for column in np.flatnonzero(box.is_term != self.is_term):
            for place in (int(column), int(column) + count):
                use = 0.0 if box.is_term[column] else float(self.use[place])
                self.highs.changeCoeff(0, place, use)
                self.highs.changeColCost(place, float(self.lattice.penalties[column]) * use)
        self.is_term = box.is_term
        left = self.lattice.max_terms - int(np.count_nonzero(box.is_term))
        self.highs.changeRowBounds(0, -math.inf, float(left))


def _new_highs() -> Any:
    otherwise = ', or use solver="scip".'
    highs = import_extra("highspy", "HiGHS", "highs", otherwise).Highs()
    for name, value in {"output_flag": False, "threads": 1, "solver": "simplex"}.items():
        highs.setOptionValue(name, value)
    return highs


def _spread(low: Integers, high: Integers) -> tuple[Floats, Floats]:
    """Bounds of points up, of points down, and of the base; points lie in ``low .. high``."""
    up = np.maximum(low[:-1], 0), np.maximum(high[:-1], 0)
    down = np.maximum(-high[:-1], 0), np.maximum(-low[:-1], 0)
    ends = np.concatenate([up[0], down[0], low[-1:]]), np.concatenate([up[1], down[1], high[-1:]])
    return ends[0].astype(np.float64), ends[1].astype(np.float64)


@dataclass(frozen=True, slots=True)
class _Node:
    bound: float
    number: int
    box: Box

    def __lt__(self, other: _Node) -> bool:
        return (self.bound, self.number) < (other.bound, other.number)


class _Tree(LatticeSearch):
    """Best-first branch and bound. Every point is in an open node, or in one that was closed.

    ``closed_bound`` is the least bound of all closed nodes, so that the least of it and of the open
    nodes' bounds holds for every point.
    """

    def __init__(self, problem: Problem, lattice: Lattice, stops: Stops) -> None:
        super().__init__(problem, lattice, stops)
        self.relaxation = _Relaxation(lattice)
        self.visited: set[bytes] = set()
        self.closed_bound = math.inf
        self.open: list[_Node] = []

    # --- tangents and bounds ---------------------------------------------------------------------

    def cut_at(self, point: Floats | Integers) -> float:
        loss, tangent = tangent_at(self.lattice, point)
        self.relaxation.add(tangent)
        return loss

    def bound(self, box: Box, shares: Floats) -> float:
        return bound_of_box(self.lattice, box, self.relaxation.tangents, shares)

    @property
    def global_bound(self) -> float:
        least_open = self.open[0].bound if self.open else math.inf
        return min(least_open, self.closed_bound, self.objective)

    # --- the root --------------------------------------------------------------------------------

    def start(self) -> None:
        """Bring the relaxation near to the loss, and round what it gives.

        Kelley's method oscillates widely, so the tangents are taken half way between the best real
        point so far and the one that the relaxation proposes.
        """
        root = Box(self.lattice.low, self.lattice.high, np.zeros(self.lattice.n_columns, bool))
        for first in self.first_points():
            self.offer(first)
        inner: Floats = self.best.astype(np.float64)
        inner_loss = self.cut_at(self.best)
        bound = 0.0
        for _ in range(self.MOST_ROOT_TANGENTS):
            found = self.relaxation.solve(root, self.stops)
            if found is None:
                break
            point, _, shares = found
            bound = max(bound, self.bound(root, shares))
            if bound >= (1 - ROOT_GAP) * inner_loss or self.is_prunable(bound):
                break
            middle = (inner + point) / 2
            loss = self.cut_at(middle)
            if loss < inner_loss:
                inner, inner_loss = middle, loss
        if self.stops.seconds_left > 0:
            self.round(inner)
        self.open = [_Node(bound, 0, root)]

    # --- the tree --------------------------------------------------------------------------------

    def is_prunable(self, bound: float) -> bool:
        return bound >= self.objective * (1 - PRUNING)

    def run(self) -> Status | None:
        """Work until it is done, which is None, or a limit is reached."""
        self.start()
        while self.open:
            if relative_gap(self.objective, self.global_bound) <= self.stops.gap:
                break
            if self.stops.seconds_left <= 0:
                return Status.TIME_LIMIT
            if self.stops.node_limit is not None and self.n_nodes >= self.stops.node_limit:
                return Status.NODE_LIMIT
            node = heapq.heappop(self.open)
            if self.is_prunable(node.bound):
                self.close(node.bound)
                continue
            self.n_nodes += 1
            if not self.explore(node):
                heapq.heappush(self.open, node)
                return Status.TIME_LIMIT if self.stops.seconds_left <= 0 else Status.ROUNDING
        return None

    def close(self, bound: float) -> None:
        self.closed_bound = min(self.closed_bound, bound)

    def explore(self, node: _Node) -> bool:
        """Close a node or replace it by its children; False when HiGHS was stopped or failed."""
        box, bound, may_cut = node.box, node.bound, True
        while True:
            found = self.relaxation.solve(box, self.stops)
            if found is None:
                return False
            point, plane, shares = found
            bound = max(bound, self.bound(box, shares))
            if self.is_prunable(bound):
                self.close(bound)
                return True
            split = _choose_split(self.lattice, box, point)
            if split is None:
                whole = np.rint(point).astype(np.int64)
                if whole.tobytes() in self.visited:
                    self.finish(box, bound, whole)
                    return True
                self.visited.add(whole.tobytes())
                self.cut_at(whole)
                if self.offer(whole):
                    self.round(whole)
            elif may_cut and plane < (1 - self.WORTHWHILE) * self.lattice.loss(point):
                self.cut_at(point)
                may_cut = False
            else:
                if self.n_nodes % self.ROUND_EVERY == 0:
                    self.round(point)
                self.branch(box, bound, *split)
                return True

    def finish(self, box: Box, bound: float, whole: Integers) -> None:
        """Deal with a node whose relaxation is at a whole point that has its tangent already.

        The loss is exact there but for rounding. Penalties are so too once every column with points
        counts as a term; until then ask for one.
        """
        undecided = np.flatnonzero((whole[:-1] != 0) & ~box.is_term)
        if self.lattice.most_penalties > 0 and undecided.size:
            self.branch(box, bound, int(undecided[0]), None)
        else:
            self.close(bound)

    def branch(self, box: Box, bound: float, place: int, value: float | None) -> None:
        """Divide an entry's interval at a value, or ask whether a column counts as a term."""
        for child in _children(self.lattice, box, place, value):
            number = self.n_nodes * 2 + len(self.open)
            heapq.heappush(self.open, _Node(bound, number, child))


def _choose_split(lattice: Lattice, box: Box, point: Floats) -> tuple[int, float | None] | None:
    """Where a point is not in the lattice: a column to decide on, or an entry that is not whole.

    None when the point is whole and has no more terms than allowed.
    """
    is_used = (np.abs(point[:-1]) > WHOLE) & ~box.is_term
    if np.count_nonzero(is_used) + np.count_nonzero(box.is_term) > lattice.max_terms:
        return int(np.argmax(np.where(is_used, np.abs(point[:-1]), 0.0))), None
    fraction = np.abs(point - np.rint(point))
    place = int(np.argmax(fraction))
    return None if fraction[place] <= WHOLE else (place, float(point[place]))


def _children(lattice: Lattice, box: Box, place: int, value: float | None) -> list[Box]:
    """Two boxes that hold every point of the box; those that can hold none are left out."""
    parts: list[tuple[int, int, bool]]
    if value is None:
        parts = [(int(box.low[place]), int(box.high[place]), True), (0, 0, False)]
    else:
        below = math.floor(value)
        parts = [(int(box.low[place]), below, False), (below + 1, int(box.high[place]), False)]
    children = []
    for least, most, is_term in parts:
        low, high, terms = box.low.copy(), box.high.copy(), box.is_term
        low[place], high[place] = least, most
        if place < lattice.n_columns and (is_term or least > 0 or most < 0):
            terms = terms.copy()
            terms[place] = True
        child = Box(low, high, terms)
        if not child.is_empty and np.count_nonzero(terms) <= lattice.max_terms:
            children.append(child)
    return children


def solve_with_highs(problem: Problem, lattice: Lattice, stops: Stops) -> LatticeAnswer:
    """Minimise over the lattice.

    The loss is replaced by tangents, which are added where the relaxation's point is whole (so that
    the number of tangents does not depend on the rows, and the tree is never restarted) and, when
    they are far from the loss, at other points. Nodes are bounded by mixtures of tangents.
    """
    tree = _Tree(problem, lattice, stops)
    status = tree.run()
    return tree.answer(tree.global_bound, status)
