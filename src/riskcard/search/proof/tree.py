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
from typing import Protocol

import numpy as np

import riskcard.kernels.proof.layout as at
from riskcard.arrays import Floats
from riskcard.kernels.proof.hull.layout import NEW, HullNodes, empty_hull_nodes
from riskcard.kernels.proof.layout import Conditions, Nodes
from riskcard.problem.objective import loss_of, violations
from riskcard.problem.problem import Problem
from riskcard.problem.solution import Solution
from riskcard.search.deadline import Deadline, OutOfTime
from riskcard.search.empty_card import best_empty_card
from riskcard.search.interrupt import catch_interrupt
from riskcard.search.proof.conditions import arrange_conditions, place_of_cut
from riskcard.search.proof.frontier import Frontier
from riskcard.search.proof.leaves import Choice, card_of_leaf, choice_of_leaf
from riskcard.search.proof.notes import notes_for
from riskcard.search.proof.root_bound import MOST_ROWS, RootBound, bound_root
from riskcard.search.proof.tasks import (
    FEWEST_NODES_A_TASK,
    FIRST_BUDGET,
    LAST_BUDGET,
    MOST_NODES_A_TASK,
    N_TASKS,
    Outcome,
    Task,
)
from riskcard.status import OPTIMALITY_TOLERANCE, Status, relative_gap

#: Called with the best loss, the bound and the number of nodes.
Progress = Callable[[float, float, int], None]

#: Cells are numbered by the bits of their columns, and there is no room for more columns.
MAX_PROVEN_TERMS = 12
#: Nodes whose bound is this close to the best loss (relative) are pruned: that is what "optimal"
#: means, and it leaves room for rounding.
CLOSE_ENOUGH = 1e-7
#: A card is not replaced by another that is better by at most this part: that is rounding.
SAME_LOSS = 1e-12
#: Nodes whose slots leave at most this part of the rows undecided are narrow.
NARROW = 0.02
#: Depth first is quickest, but proves nothing before its end. So after this work, or this share of
#: the time, nodes of the hull are bounded as well as that is worth it, and those with the lowest
#: bounds are divided first, until the open nodes fill MOST_BYTES.
WORK_DEPTH_FIRST, LATE = 1e10, 0.2
#: Then the bound on all cards at once may take this part of the time used so far.
TIME_FOR_ROOT = 0.5
#: How near to its loss the bound of an open node is then brought, as a part of its way to the
#: cutoff, and which part of the way the bounds of all nodes are raised in one round.
CLOSENESS, RISE = 0.3, 0.03
#: The same where the gap is above FAR and the table has at most SHORT rows. There dividing gains
#: little in a while; in longer tables, and near the end, it gains more than better bounds do.
CLOSENESS_IF_FAR, FAR, SHORT = 0.1, 0.1, 2000
MOST_BYTES = 300e6
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
    floor: float = 0.0  # no card has a smaller loss; tolerances are relative to what is above it

    def cutoff(self, loss: float, slack: float) -> float:
        """The loss from which on cards are not looked for, where ``loss`` is the best known."""
        return self.below(min(loss, self.worth), slack)

    def below(self, loss: float, slack: float) -> float:
        """A loss lowered by a part of what it is above the floor."""
        if self.floor <= 0:
            return loss * (1.0 - slack)
        return loss - slack * max(loss - self.floor, 0.0)

    def gap_of(self, loss: float, bound: float) -> float:
        """How far the best known loss can be above the least, relative to what it is above the floor."""
        return relative_gap(min(loss, self.worth) - self.floor, bound - self.floor)

    def with_nodes_left(self, used: int) -> Stops:
        """The stops after a number of nodes; one node is always left."""
        return replace(self, node_limit=max(self.node_limit - used, 1))


@dataclass(frozen=True, slots=True)
class Proof:
    """The best card, a bound on every card, and why the proof ended.

    ``tree`` is what is left to do where time or nodes ran out: see `go_on`.
    """

    solution: Solution
    loss: float
    bound: float
    status: Status
    nodes: int
    tree: Unfinished | None = field(default=None, repr=False, compare=False)


class Unfinished(Protocol):
    """What is left of a proof that was cut short."""

    def offer(self, card: Solution) -> None:
        """Take a card that was found elsewhere."""

    def run(self, stops: Stops, n_jobs: int, progress: Progress | None) -> Proof:
        """Go on until there is a reason to stop."""


class _Tree:
    """The state of a proof between two rounds."""

    def __init__(self, problem: Problem, conditions: Conditions, card: Solution, stops: Stops):
        self.problem, self.conditions = problem, conditions
        self.card, self.loss, self.stops = card, loss_of(card, problem), stops
        # a little less than the gap asked for, so that rounding does not leave the result just
        # above
        self.slack = max(stops.gap * (1.0 - 1e-9), CLOSE_ENOUGH)
        root = _root(conditions, problem.kept)
        self.wide: Frontier[HullNodes] = Frontier(self.loss)
        self.narrow: Frontier[Nodes] = Frontier(self.loss)
        self.wide.add(root)
        self.leaf_bound = float("inf")
        self.choices: dict[Choice, Solution] = {}
        self.most_loss: float | None = None  # of cards to collect; None to find the best only
        self.undecided: set[Choice] = set()  # a leaf has no card of them, and no bound either
        self.offer(best_empty_card(problem))
        self.nodes = 0
        self.work = 0.0
        self.budget = FIRST_BUDGET
        self.share = FEWEST_NODES_A_TASK
        self.most_open = int(MOST_BYTES / root.bytes_per_node)
        self.is_late = False
        self.root_bound: RootBound | None = None
        self.begun = time.perf_counter()
        self.notes = notes_for(problem)

    @property
    def cutoff(self) -> float:
        """Nodes with a bound at or above this are of no interest."""
        return self.stops.cutoff(self.loss, self.slack)

    @property
    def bound(self) -> float:
        """A lower bound on the loss of every card: pruned, in a leaf, or still open."""
        lowest = min(self.leaf_bound, self.wide.lowest_bound(), self.narrow.lowest_bound())
        at_once = self.root_bound.stated if self.root_bound is not None else 0.0
        return min(self.cutoff, max(lowest, at_once))

    @property
    def n_open(self) -> int:
        """The number of open nodes."""
        return self.wide.size + self.narrow.size

    def watch_clock(self, deadline: Deadline) -> None:
        """Turn from depth first to lowest bound first when the proof is not done in a while."""
        left, used = deadline.seconds_left, time.perf_counter() - self.begun
        is_late = self.work >= WORK_DEPTH_FIRST or left < (1 - LATE) / LATE * used
        self.is_late = self.most_loss is None and (self.is_late or is_late)
        is_short = self.conditions.patterns.events.size <= MOST_ROWS
        if self.is_late and self.root_bound is None and is_short and not self.problem.kept:
            until = time.perf_counter() + min(left, TIME_FOR_ROOT * used)
            self.root_bound = bound_root(self.conditions, deadline.earlier(until))
            if self.notes is not None:
                self.notes.keep_root(self.root_bound)

    def is_far(self) -> bool:
        """Is a short table's proof far from its end?"""
        is_short = self.conditions.patterns.events.size <= SHORT
        return is_short and self.stops.gap_of(self.loss, self.bound) > FAR

    def controls(self, is_wide: bool) -> Floats:
        """What the tasks of a round are told; narrow nodes are explored depth first to their end."""
        target, closeness = self.cutoff, 1.0
        if self.is_late and is_wide:
            closeness = CLOSENESS_IF_FAR if self.is_far() else CLOSENESS
            if self.wide.size < self.most_open:
                target -= (1.0 - RISE) * (target - min(self.wide.lowest_bound(), target))
        control = np.zeros(at.CONTROL_FIELDS)
        control[at.CUTOFF], control[at.TARGET], control[at.BUDGET] = (
            self.cutoff,
            target,
            self.budget,
        )
        control[at.CLOSENESS] = closeness
        control[at.NARROW] = NARROW * self.conditions.patterns.events.size
        return control

    def merge(self, outcome: Outcome, deadline: Deadline) -> None:
        """Take in what a task returned."""
        self.nodes += int(outcome.counters[at.NODES])
        self.work += float(outcome.counters[at.WORK])
        for index in range(outcome.leaves.size):
            card, bound = card_of_leaf(
                self.problem, self.conditions, outcome.leaves, outcome.cells, index, self.cutoff,
                deadline,
            )  # fmt: skip
            self.leaf_bound = min(self.leaf_bound, bound)
            if self.most_loss is not None and bound < self.most_loss * (1.0 - CLOSE_ENOUGH):
                self.undecided.add(choice_of_leaf(self.conditions, outcome.leaves, index))
            if card is not None:
                self.offer(card)
        is_open = outcome.wide.bounds < self.cutoff
        if self.notes is not None:
            self.notes.add(outcome.notes)
            self.notes.add_nodes(outcome.wide.take(~is_open))
        self.wide.add(outcome.wide.take(is_open))
        self.narrow.add(outcome.narrow.take(outcome.narrow.bounds < self.cutoff))

    def run(self, stops: Stops, n_jobs: int, progress: Progress | None) -> Proof:
        """Grow until there is a reason to stop."""
        status = _grow(self, stops, n_jobs, progress)
        if self.notes is not None and status is not Status.NODE_LIMIT:
            self.wide.visit(self.notes.add_nodes)
        rest = self if status in (Status.TIME_LIMIT, Status.NODE_LIMIT) else None
        return Proof(self.card, self.loss, self.bound, status, self.nodes, rest)

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
    progress: Progress | None = None,
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
        return Proof(empty, loss, stops.below(loss, CLOSE_ENOUGH), Status.OPTIMAL, 0)
    return _Tree(problem, conditions, card, stops).run(stops, n_jobs, progress)


def go_on(proof: Proof, stops: Stops, n_jobs: int = 1, progress: Progress | None = None) -> Proof:
    """Continue a proof that was cut short, from its card, with other stops.

    Its nodes count from the beginning, for the node limit as well.
    """
    if proof.tree is None:
        return proof
    proof.tree.offer(proof.solution)
    return proof.tree.run(stops, n_jobs, progress)


def _grow(
    tree: _Tree,
    stops: Stops,
    n_jobs: int,
    progress: Progress | None = None,
) -> Status:
    """Explore round after round, until there is a reason to stop."""
    tasks = [Task(tree.conditions, tree.notes is not None) for _ in range(N_TASKS)]
    status = None
    with catch_interrupt() as interrupt, ThreadPoolExecutor(n_jobs) as threads:
        deadline = Deadline(stops.deadline, interrupt)
        while status is None:
            tree.watch_clock(deadline)
            _run_round(tree, tasks, threads, deadline)
            if progress is not None:
                progress(tree.loss, tree.bound, tree.nodes)
            status = _reason_to_stop(tree, stops, deadline)
    return status


def collect(
    problem: Problem, known: list[Solution], most_loss: float, stops: Stops, n_jobs: int = 1
) -> tuple[list[Solution], bool]:
    """The best card of every choice of conditions with at most a given loss; whether these are all.

    A choice whose cards only come near the loss of the empty card, the larger their multiplier, may have no
    best one. If it is within the loss and no card of it is known, these are not all.

    Parameters
    ----------
    known
        Cards of the choices that were found so far; the first is feasible and within the loss.
    most_loss
        Sets of conditions whose best card has a larger loss are left out.
    """
    empty = best_empty_card(problem)
    try:
        conditions = arrange_conditions(problem, True, Deadline(stops.deadline))
    except OutOfTime:
        return known[:1], False
    if conditions is None:
        return [empty], True
    # cards at the limit itself must not be pruned
    worth = most_loss * (1.0 + 1e-9) / (1.0 - CLOSE_ENOUGH)
    tree = _Tree(problem, conditions, known[0], replace(stops, worth=worth, gap=0.0))
    tree.most_loss, tree.loss = most_loss, worth
    for card in (*known, empty):
        tree.offer(card)
    status = _grow(tree, stops, n_jobs)
    is_complete = status is Status.OPTIMAL and tree.undecided <= tree.choices.keys()
    return list(tree.choices.values()), is_complete


def _reason_to_stop(tree: _Tree, stops: Stops, deadline: Deadline) -> Status | None:
    gap = tree.stops.gap_of(tree.loss, tree.bound)
    if tree.most_loss is not None:
        gap = 0.0 if tree.n_open == 0 else 1.0
    if len(tree.choices) > MOST_CHOICES:
        return Status.NODE_LIMIT
    if gap <= 2 * CLOSE_ENOUGH or (gap <= OPTIMALITY_TOLERANCE and tree.n_open == 0):
        return Status.OPTIMAL
    if gap <= stops.gap:
        return Status.GAP_REACHED
    if tree.n_open == 0:
        return Status.ROUNDING
    if deadline.is_over():
        return Status.INTERRUPTED if deadline.is_interrupted else Status.TIME_LIMIT
    if tree.nodes >= stops.node_limit:
        return Status.NODE_LIMIT
    return None


def _run_round(
    tree: _Tree, tasks: list[Task], threads: ThreadPoolExecutor, deadline: Deadline
) -> None:
    """Run one round; when it is cut short, every node is still open, pruned or a leaf."""
    # narrow nodes are soon done, unless the others have lower bounds and these matter
    is_first = not tree.is_late or tree.narrow.lowest_bound() <= tree.wide.lowest_bound()
    frontier = tree.narrow if tree.narrow.size > 0 and is_first else tree.wide
    control = tree.controls(frontier is tree.wide)
    nodes = frontier.take(N_TASKS * tree.share)
    running: list[tuple[Task, Future[Outcome]]] = []
    for index, task in enumerate(tasks[: nodes.size]):
        task.control[:] = control
        share = nodes.take(slice(index, None, N_TASKS)).copy()
        running.append((task, threads.submit(task.run, share)))
    pending = {future for _, future in running}
    while pending and not deadline.is_over():
        pending = wait(pending, timeout=min(deadline.seconds_left, LONGEST_WAIT)).not_done
    for task, _ in running:
        task.control[at.STOP] = 1.0
    outcomes = [future.result() for _, future in running]
    for outcome in outcomes:
        tree.merge(outcome, deadline)
    tree.budget = min(2.0 * tree.budget, LAST_BUDGET)
    most_begun = max(outcome.n_begun for outcome in outcomes)
    tree.share = min(max(2 * most_begun, FEWEST_NODES_A_TASK), MOST_NODES_A_TASK)


def _root(conditions: Conditions, kept: tuple[tuple[int, int, int], ...] = ()) -> HullNodes:
    """The node of all cards: every term may be any condition, except for those that are kept."""
    n_terms = conditions.limits.max_terms
    slots = [(-1, 0, 0, n_terms - len(kept))]
    for column, cut, jump in kept:
        place = place_of_cut(conditions, column, cut)
        slots.append((2 * column + (jump < 0), place, place, 1))
    root = empty_hull_nodes(1, n_terms, conditions.reach.size)
    root.counts[0] = len(slots)
    root.slots[0, : len(slots)] = slots
    root.offsets[0] = conditions.rate
    root.state[0] = NEW
    return root
