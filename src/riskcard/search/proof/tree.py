"""The proof: branch and bound over all cards, in rounds of tasks that threads share.

Every round takes open nodes with the lowest bounds, deals them to a fixed number of tasks, and
merges what the tasks return in a fixed order. So neither the cards found nor the number of nodes
depend on the number of threads.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace

import numpy as np

import riskcard.kernels.proof.layout as at
from riskcard.arrays import Floats
from riskcard.kernels.proof.explore import explore
from riskcard.kernels.proof.layout import (
    Conditions,
    Nodes,
    Results,
    Workspace,
    empty_nodes,
    empty_results,
    empty_workspace,
    join_nodes,
)
from riskcard.problem.objective import loss_of, violations
from riskcard.problem.problem import Problem
from riskcard.problem.solution import Solution
from riskcard.search.deadline import Deadline, OutOfTime
from riskcard.search.empty_card import best_empty_card
from riskcard.search.interrupt import catch_interrupt
from riskcard.search.proof.conditions import arrange_conditions
from riskcard.search.proof.frontier import Frontier
from riskcard.search.proof.hull_tree import HullTree
from riskcard.search.proof.leaves import card_of_leaf
from riskcard.status import OPTIMALITY_TOLERANCE, Status, relative_gap

#: A card without its points: (column, cut) pairs in order.
Choice = tuple[tuple[int, int], ...]

#: Cells are numbered by the bits of their columns, and there is no room for more columns.
MAX_PROVEN_TERMS = 12
#: Nodes whose bound is this close to the best loss (relative) are pruned: that is what "optimal"
#: means, and it leaves room for rounding.
CLOSE_ENOUGH = 1e-7
#: A card is not replaced by another that is better by at most this part: that is rounding.
SAME_LOSS = 1e-12
N_TASKS = 8
#: Nodes dealt to a task: about as many as it finishes, since carrying the others costs time.
FEWEST_NODES_A_TASK, MOST_NODES_A_TASK = 64, 8192
FIRST_BUDGET, LAST_BUDGET = 1e5, 2e7
#: Pure depth first is quickest, but proves nothing before its end. So a tree that turns out to be
#: large sets aside all nodes above a share of the best loss and finishes the others, share after
#: share, until the open nodes fill MOST_BYTES. From then on it goes depth first from the lowest of
#: them, and the proven bound rises as they are finished. Until then there is the bound of `hull`.
WORK_DEPTH_FIRST = 3e8
TARGET_SHARES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.88)
MOST_BYTES = 300e6
#: A tree that is not done after this share of its time counts as large.
LATE = 0.25
#: The work of `HullTree` per unit of work of the tree: about a seventh of the time.
HULL_WORK = 1.0
#: About what its first bound takes; it is not begun when there is less time.
SECONDS_A_CONDITION = 2e-7
MOST_LEAVES = 64
#: More choices of conditions than this are not collected.
MOST_CHOICES = 100_000
#: A round checks at least this often, in seconds, whether it is to stop.
LONGEST_WAIT = 0.2


@dataclass(frozen=True, slots=True)
class Stops:
    """When to stop before the proof is complete."""

    deadline: float = math.inf  # a moment of time.perf_counter()
    node_limit: float = math.inf
    gap: float = 0.0
    worth: float = math.inf  # cards with this loss or more are of no interest

    def with_nodes_left(self, used: int) -> Stops:
        """The stops after a number of nodes; one node is always left."""
        return replace(self, node_limit=max(self.node_limit - used, 1))


@dataclass(frozen=True, slots=True)
class Proof:
    """The best card, a bound on every card, and why the proof ended.

    ``tree`` is what is left to do where time ran out: see `go_on`.
    """

    solution: Solution
    loss: float
    bound: float
    status: Status
    nodes: int
    tree: _Tree | None = field(default=None, repr=False, compare=False)


@dataclass(slots=True)
class _Task:
    """What one thread works on in a round: nodes in, nodes out."""

    work: Workspace
    control: Floats
    results: Results

    def run(self, conditions: Conditions, nodes: Nodes) -> tuple[Nodes, Nodes]:
        """Explore; returns the nodes that stay open, and the leaves until the next run."""
        still_open, leaves, counters = self.results
        counters[:] = 0
        explore(conditions, self.work, nodes, self.control, self.results)
        n_saved, n_leaves, n_done = (int(counters[i]) for i in (at.SAVED, at.LEAVES, at.DONE))
        saved, found = still_open.take(slice(n_saved)), leaves.take(slice(n_leaves))
        if n_done == nodes.size:
            return saved.copy(), found
        return join_nodes([nodes.take(slice(n_done, None)), saved]), found


class _Tree:
    """The state of a proof between two rounds."""

    def __init__(self, problem: Problem, conditions: Conditions, card: Solution, stops: Stops):
        self.problem, self.conditions = problem, conditions
        self.card, self.loss, self.worth = card, loss_of(card, problem), stops.worth
        # a little less than the gap asked for, so that rounding does not leave the result just
        # above
        self.slack = max(stops.gap * (1.0 - 1e-9), CLOSE_ENOUGH)
        root = _root(conditions, problem.kept)
        self.frontier = Frontier(self.loss)
        self.frontier.add(root)
        self.leaf_bound = float("inf")
        self.choices: dict[Choice, Solution] = {}
        self.most_loss: float | None = None  # of cards to collect; None to find the best only
        self.offer(best_empty_card(problem))
        self.nodes = 0
        self.work = 0.0
        self.budget = FIRST_BUDGET
        self.share = FEWEST_NODES_A_TASK
        self.most_open = int(MOST_BYTES / root.bytes_per_node)
        self.is_wide = False
        self.floor = 0.0  # a bound that was proven apart from the tree
        self.hull: HullTree | None = None
        self.begun = time.perf_counter()

    @property
    def cutoff(self) -> float:
        """Nodes with a bound at or above this are of no interest."""
        return min(self.loss, self.worth) * (1.0 - self.slack)

    @property
    def bound(self) -> float:
        """A lower bound on the loss of every card: pruned, in a leaf, or still open."""
        from_tree = min(self.cutoff, self.leaf_bound, self.frontier.lowest_bound())
        return max(self.floor, from_tree)

    def raise_floor(self, deadline: Deadline) -> None:
        """Find a bound apart from the tree, once it has turned out to be large or time is short.

        Not where some terms are kept: the steps of these have other limits than `hull` assumes.
        """
        if self.most_loss is not None or self.problem.kept:
            return
        left, used = deadline.seconds_left, time.perf_counter() - self.begun
        to_begin = (
            SECONDS_A_CONDITION * self.conditions.facts[-1, at.SIZE] if self.hull is None else 0.0
        )
        is_late = left < (1 - LATE) / LATE * max(used, to_begin)
        if left > to_begin and (self.work >= WORK_DEPTH_FIRST or is_late):
            self.hull = self.hull or HullTree(self.conditions)
            self.hull.grow(HULL_WORK * self.work, self.cutoff, deadline)
            self.floor = max(self.floor, self.hull.bound(self.cutoff))

    def target(self) -> float:
        """Nodes at or above this are set aside for a later round."""
        self.is_wide = self.is_wide or self.frontier.size >= self.most_open
        if self.work >= WORK_DEPTH_FIRST and not self.is_wide:
            for share in TARGET_SHARES:
                if self.bound < 0.97 * share * self.loss:
                    return min(share * self.loss, self.cutoff)
        return self.cutoff

    def merge(self, task: _Task, still_open: Nodes, leaves: Nodes) -> None:
        """Take in what a task returned."""
        self.nodes += int(task.results.counters[at.NODES])
        self.work += float(task.results.counters[at.WORK])
        for index in range(leaves.size):
            card, bound = card_of_leaf(self.problem, self.conditions, leaves, index, self.cutoff)
            self.leaf_bound = min(self.leaf_bound, bound)
            if card is not None:
                self.offer(card)
        is_open = still_open.bounds < self.cutoff
        self.frontier.add(still_open if is_open.all() else still_open.take(is_open))

    def offer(self, card: Solution) -> None:
        """Keep a card if it is feasible and better, or, when collecting, good enough."""
        loss = loss_of(card, self.problem)
        if self.most_loss is not None:
            choice = tuple(zip(card.features, card.cuts, strict=True))
            known = self.choices.get(choice)
            is_new = known is None or loss < loss_of(known, self.problem)
            if loss <= self.most_loss and is_new and not violations(card, self.problem):
                self.choices[choice] = card
            return
        rounding = 0.0 if card.terms == self.card.terms else SAME_LOSS
        if loss < self.loss * (1.0 - rounding) and not violations(card, self.problem):
            self.card, self.loss = card, loss


def prove(
    problem: Problem,
    card: Solution,
    stops: Stops,
    n_jobs: int = 1,
    progress: Callable[[float, float, int], None] | None = None,
    conditions: Conditions | None = None,
) -> Proof:
    """Prove how far from optimal a card can at most be, improving it where possible.

    Parameters
    ----------
    card
        A feasible card to start from.
    progress
        Called after every round with the best loss, the bound and the number of nodes.
    conditions
        The result of `arrange_conditions`, if it is known already.
    """
    try:
        conditions = conditions or arrange_conditions(problem, deadline=Deadline(stops.deadline))
    except OutOfTime:
        return Proof(card, loss_of(card, problem), 0.0, Status.TIME_LIMIT, 0)
    if conditions is None:
        empty = best_empty_card(problem)
        loss = loss_of(empty, problem)
        return Proof(empty, loss, loss * (1.0 - CLOSE_ENOUGH), Status.OPTIMAL, 0)
    return _run(_Tree(problem, conditions, card, stops), stops, n_jobs, progress)


def go_on(
    proof: Proof,
    stops: Stops,
    n_jobs: int = 1,
    progress: Callable[[float, float, int], None] | None = None,
) -> Proof:
    """Continue a proof that ran out of time, from its card, with other stops.

    Its nodes count from the beginning, for the node limit as well.
    """
    if proof.tree is None:
        return proof
    proof.tree.offer(proof.solution)
    return _run(proof.tree, stops, n_jobs, progress)


def _run(
    tree: _Tree,
    stops: Stops,
    n_jobs: int,
    progress: Callable[[float, float, int], None] | None,
) -> Proof:
    status = _grow(tree, stops, n_jobs, progress)
    rest = tree if status is Status.TIME_LIMIT else None
    return Proof(tree.card, tree.loss, tree.bound, status, tree.nodes, rest)


def _grow(
    tree: _Tree,
    stops: Stops,
    n_jobs: int,
    progress: Callable[[float, float, int], None] | None = None,
) -> Status:
    """Explore round after round, until there is a reason to stop."""
    tasks = [_make_task(tree.conditions) for _ in range(N_TASKS)]
    status = None
    with catch_interrupt() as interrupt, ThreadPoolExecutor(n_jobs) as threads:
        deadline = Deadline(stops.deadline, interrupt)
        while status is None:
            _run_round(tree, tasks, threads, deadline)
            tree.raise_floor(deadline)
            if progress is not None:
                progress(tree.loss, tree.bound, tree.nodes)
            status = _reason_to_stop(tree, stops, deadline)
    return status


def collect(
    problem: Problem, card: Solution, most_loss: float, stops: Stops, n_jobs: int = 1
) -> tuple[list[Solution], bool]:
    """The best card of every choice of conditions with at most a given loss; whether these are all.

    Parameters
    ----------
    card
        A feasible card within the loss.
    most_loss
        Sets of conditions whose best card has a larger loss are left out.
    """
    empty = best_empty_card(problem)
    try:
        conditions = arrange_conditions(problem, True, Deadline(stops.deadline))
    except OutOfTime:
        return [card], False
    if conditions is None:
        return [empty], True
    # cards at the limit itself must not be pruned
    worth = most_loss * (1.0 + 1e-9) / (1.0 - CLOSE_ENOUGH)
    tree = _Tree(problem, conditions, card, replace(stops, worth=worth, gap=0.0))
    tree.most_loss, tree.loss = most_loss, worth
    tree.offer(card)
    tree.offer(empty)
    status = _grow(tree, stops, n_jobs)
    return list(tree.choices.values()), status is Status.OPTIMAL


def _reason_to_stop(tree: _Tree, stops: Stops, deadline: Deadline) -> Status | None:
    gap = relative_gap(min(tree.loss, tree.worth), tree.bound)
    if tree.most_loss is not None:
        gap = 0.0 if tree.frontier.size == 0 else 1.0
    if len(tree.choices) > MOST_CHOICES:
        return Status.NODE_LIMIT
    if gap <= 2 * CLOSE_ENOUGH or (gap <= OPTIMALITY_TOLERANCE and tree.frontier.size == 0):
        return Status.OPTIMAL
    if gap <= stops.gap:
        return Status.GAP_REACHED
    if tree.frontier.size == 0:
        return Status.ROUNDING
    if deadline.is_over():
        return Status.INTERRUPTED if deadline.is_interrupted else Status.TIME_LIMIT
    if tree.nodes >= stops.node_limit:
        return Status.NODE_LIMIT
    return None


def _run_round(
    tree: _Tree, tasks: list[_Task], threads: ThreadPoolExecutor, deadline: Deadline
) -> None:
    """Run one round; when it is cut short, every node is still open, pruned or a leaf."""
    target = tree.target()
    nodes = tree.frontier.take(N_TASKS * tree.share)
    running: list[tuple[_Task, Future[tuple[Nodes, Nodes]]]] = []
    for index, task in enumerate(tasks[: nodes.size]):
        task.control[:] = tree.cutoff, target, tree.budget, 0.0
        share = nodes.take(slice(index, None, N_TASKS)).copy()
        running.append((task, threads.submit(task.run, tree.conditions, share)))
    pending = {future for _, future in running}
    while pending and not deadline.is_over():
        pending = wait(pending, timeout=min(deadline.seconds_left, LONGEST_WAIT)).not_done
    for task, _ in running:
        task.control[at.STOP] = 1.0
    for task, future in running:
        tree.merge(task, *future.result())
    tree.budget = min(2.0 * tree.budget, LAST_BUDGET)
    most_begun = max(int(task.results.counters[at.DONE]) for task, _ in running)
    tree.share = min(max(2 * most_begun, FEWEST_NODES_A_TASK), MOST_NODES_A_TASK)


def _root(conditions: Conditions, kept: tuple[tuple[int, int, int], ...] = ()) -> Nodes:
    """The node of all cards: every term may be any condition, except for those that are kept."""
    n_terms, unit, rate = conditions.limits.max_terms, conditions.unit, conditions.rate
    n_free, top = n_terms - len(kept), conditions.children.shape[0] - 1
    size, steepest = conditions.facts[top, at.SIZE], conditions.facts[top, at.STEEPEST]
    slots = [(*conditions.cluster_slots[top], n_free)]
    steps = [(0.0, min(n_free, size) * steepest)]
    for column, cut, jump in kept:
        side = 2 * column + (jump < 0)
        step = abs(jump) * unit
        slots.append((-1, side, cut, cut, 1))
        steps.append((step, step if unit > 0 else conditions.reach[side]))
    offsets = (rate - sum(most for _, most in steps) - unit, rate + unit)
    root = empty_nodes(1, n_terms)
    root.counts[0] = len(slots)
    root.slots[0, : len(slots)] = slots
    root.w[0, at.OFFSET] = rate
    for v, (least, most) in enumerate([offsets, *steps]):
        root.box[0, at.LEAST, v], root.box[0, at.MOST, v] = least, most
    return root


def _make_task(conditions: Conditions) -> _Task:
    n_terms = conditions.limits.max_terms
    work = empty_workspace(conditions.weights.size, n_terms)
    n_open = work.path.size * (n_terms + 1) + 4096
    return _Task(work, np.zeros(at.CONTROL_FIELDS), empty_results(n_open, MOST_LEAVES, n_terms))
