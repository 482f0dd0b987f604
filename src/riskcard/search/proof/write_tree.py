"""A proof written down: a walk through the tree with the bound that is to be proven as its cutoff.

The solver's own tree is not what is written. It is explored in any order, and closes nodes with bounds of
several kinds. With the best card known, one walk from the root, with the hull's bound in every node,
closes the same cards with fewer nodes, and each with a rule that a small program can repeat. Where the proof
left notes, the walk follows them, and only nodes without a note are bounded again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

import riskcard.kernels.proof.hull.layout as hull
import riskcard.kernels.proof.layout as at
from riskcard.arrays import Floats, Integers
from riskcard.kernels.proof.hull.layout import HullNodes, empty_hull_nodes, empty_hull_work
from riskcard.kernels.proof.layout import Conditions
from riskcard.kernels.proof.record.closing import Rules, empty_closing
from riskcard.kernels.proof.record.points import NO_ROOM, write_boxes, write_points
from riskcard.kernels.proof.record.walk import (
    AT_LEAF,
    CLOSED,
    COUNTERS,
    DONE,
    EMPTY,
    LEAF,
    N_BOUNDED,
    N_BYTES,
    N_CLOSED,
    N_OPEN,
    N_RECORDS,
    close_alone,
    walk,
)
from riskcard.problem.objective import violations_of_terms
from riskcard.problem.problem import Problem
from riskcard.search.deadline import Deadline, OutOfTime
from riskcard.search.proof.conditions import arrange_conditions, cuts_of
from riskcard.search.proof.entropy_table import (
    as_float,
    entropy_table,
    log_of_ratio,
    rounded_up,
)
from riskcard.search.proof.notes import ProofNotes
from riskcard.search.proof.root_bound import RootBound, bound_root

#: A node counts as closed in floating point when its bound is above the cutoff by this part: so much may be
#: lost where chances are rounded.
ABOVE = 5e-8
#: Work between two looks at the clock.
BUDGET = 2e8
#: Bytes that are kept before they are handed on; open nodes; room for boxes of a leaf.
BUFFER, MOST_OPEN, MOST_BOXES = 1 << 20, 4096, 512
#: Most bytes of a closed node before its columns, and of a column.
LONGEST_HEAD, LONGEST_COLUMN = 32, 32
#: Why a leaf is empty, next to the reasons of the kernel.
SMALL_GROUP = 8
#: The first byte of a record that says which choice of the pool a node is.
IN_POOL = 6


class NoConditions(Exception):
    """Not a single condition may be on a card."""


class NotClosed(Exception):
    """A card of the problem has a loss below the bound that was to be proven, or rounding hides it."""


@dataclass(frozen=True, slots=True)
class Written:
    """How many records were written, how many of them close a node by its bound, and how many nodes were bounded.

    With notes of the proof, few have to be bounded.
    """

    records: int
    closed: int
    bounded: int

    def __add__(self, other: Written) -> Written:
        return Written(
            self.records + other.records, self.closed + other.closed, self.bounded + other.bounded
        )


@dataclass(frozen=True, slots=True)
class Claim:
    """What a tree is to prove.

    Attributes
    ----------
    cutoff
        No card has a loss below this, but those of a pool.
    max_terms
        Only cards with at most this number of terms are meant.
    choices
        The choices of conditions of a pool, each a set of columns and cuts, with their numbers.
    pool_cutoff
        No card of a pool's choices has a loss below this.
    is_cut_short
        The proof was not finished, so that its bound may be that of all cards at once.
    """

    cutoff: float
    max_terms: int
    choices: Mapping[frozenset[tuple[int, int]], int] = field(default_factory=dict)
    pool_cutoff: float = 0.0
    is_cut_short: bool = False


def write_tree(
    problem: Problem,
    claim: Claim,
    put: Callable[[bytes], object],
    deadline: Deadline,
    notes: ProofNotes | None = None,
) -> Written:
    """Write why a claim about the cards of a problem is true.

    Parameters
    ----------
    problem
        Its weights are whole numbers.
    claim
        What is to be proven.
    put
        Called with the bytes of the tree, piece by piece.
    deadline
        When to give up, with `OutOfTime`.
    notes
        Those of the proof, which save most of the work.
    """
    conditions = arrange_conditions(problem, tells_all_apart=True, deadline=deadline)
    if conditions is None:
        raise NoConditions
    walk_of_all = _Walk(problem, conditions, claim, notes or ProofNotes())
    walk_of_all.place_root(claim.max_terms)
    if claim.is_cut_short and not problem.kept and walk_of_all.close_root(put, deadline):
        return Written(records=1, closed=1, bounded=1)
    return walk_of_all.run(put, deadline)


class _Walk:
    """What is kept between two calls of the kernel."""

    def __init__(
        self, problem: Problem, conditions: Conditions, claim: Claim, notes: ProofNotes
    ) -> None:
        n_terms, n_sides = conditions.limits.max_terms, conditions.reach.size
        patterns = conditions.patterns
        n_codes, n_rows = int(patterns.n_codes.max()), patterns.events.size
        self.problem, self.conditions = problem, conditions
        self.rules, self.claim = rules_of(conditions, claim.cutoff), claim
        self.closing = empty_closing(n_rows, n_codes, hull.MOST_COLUMNS)
        self.work = empty_hull_work(n_rows, n_terms, n_codes)
        self.stack = empty_hull_nodes(MOST_OPEN, n_terms, n_sides, np.empty)
        self.parent = empty_hull_nodes(1, n_terms, n_sides)
        self.buffer = np.zeros(BUFFER, dtype=np.uint8)
        self.counters = np.zeros(COUNTERS, dtype=np.int64)
        self.control = np.zeros(at.CONTROL_FIELDS)
        self.notes, self.root = notes.indexed(problem), notes.root_of(problem)
        self.control[at.CUTOFF], self.control[at.BUDGET] = claim.cutoff * (1.0 + ABOVE), BUDGET
        self.control[at.CLOSENESS] = 1.0

    def place_root(self, listed: int) -> None:
        """Begin with the node of all cards with at most a number of terms."""
        root = empty_hull_nodes(1, self.conditions.limits.max_terms, self.conditions.reach.size)
        root.counts[0] = 1
        root.slots[0, 0] = (-1, 0, 0, listed)
        root.offsets[0] = self.conditions.rate
        for room, part in zip(self.stack, root, strict=True):
            room[:1] = part
        self.counters[N_OPEN] = 1

    def close_root(self, put: Callable[[bytes], object], deadline: Deadline) -> bool:
        """Close the node of all cards, if one bound on them is enough; whether it is."""
        if (
            self.root is not None
            and self.root.bound >= self.claim.cutoff
            and self._put_root(self.root, put)
        ):
            return True
        goal = self.claim.cutoff * (1.0 + ABOVE)
        at_once = bound_root(self.conditions, deadline, goal)
        return at_once.bound >= goal and self._put_root(at_once, put)

    def _put_root(self, at_once: RootBound, put: Callable[[bytes], object]) -> bool:
        """Write the node of all cards, closed by a model; False if that does not close it."""
        size = at_once.steps.size
        closing = self.closing._replace(thetas=np.zeros(size + 1, dtype=np.int64))
        buffer = np.zeros(LONGEST_HEAD + LONGEST_COLUMN * size, dtype=np.uint8)
        root = at_once.node(self.conditions, self.claim.max_terms)
        n_bytes = close_alone(self.conditions.patterns, root, self.rules, closing, buffer)
        put(buffer[:n_bytes].tobytes())
        return bool(n_bytes)

    def run(self, put: Callable[[bytes], object], deadline: Deadline) -> Written:
        """Walk to the end."""
        reason = -1
        while reason != DONE:
            if deadline.is_over():
                raise OutOfTime
            reason = walk(
                self.conditions, self.work, self.rules, self.closing, self.stack, self.parent,
                self.control, self.buffer, self.counters, self.notes,
            )  # fmt: skip
            put(self.buffer[: self.counters[N_BYTES]].tobytes())
            self.counters[N_BYTES] = 0
            if reason == AT_LEAF:
                self.counters[N_OPEN] -= 1
                self.counters[N_RECORDS] += 1
                put(self._leaf(self.stack, int(self.counters[N_OPEN])))
        return Written(*(int(self.counters[i]) for i in (N_RECORDS, N_CLOSED, N_BOUNDED)))

    def _leaf(self, nodes: HullNodes, index: int) -> bytes:
        """The record of a node whose conditions are all chosen."""
        slots = nodes.slots[index, hull.FIRST_INTERVAL : int(nodes.counts[index])]
        sides, cuts = slots[:, at.SIDE], slots[:, at.LOW]
        own = cuts_of(self.conditions, sides >> 1, cuts)
        terms = list(zip((sides >> 1).tolist(), own.tolist(), strict=True))
        if self._has_small_groups(terms):
            return bytes([EMPTY, SMALL_GROUP])
        choice = self.claim.choices.get(frozenset(terms))
        if choice is None:
            return self._points(sides, cuts, self.rules)
        self.counters[N_RECORDS] += 1
        head = bytes([IN_POOL]) + number(choice)
        rules = self.rules._replace(cutoff=self.claim.pool_cutoff)
        if terms or self.problem.scale.kind == "fixed":
            return head + self._points(sides, cuts, rules)
        # the card without terms: its bound is at the base rate
        self.counters[N_CLOSED] += 1
        rate = base_rate(self.conditions)[0]
        signed = 2 * rate if rate >= 0 else -2 * rate - 1
        return head + bytes([CLOSED, 32]) + number(signed) + bytes([0])

    def _points(self, sides: Integers, cuts: Integers, rules: Rules) -> bytes:
        """The points of chosen conditions."""
        patterns = self.conditions.patterns
        cell = np.zeros(patterns.events.size, dtype=np.int64)
        for j, (side, cut) in enumerate(zip(sides.tolist(), cuts.tolist(), strict=True)):
            cell |= ((patterns.codes[side >> 1] > cut) == bool(side & 1)).astype(np.int64) << j
        used, where = np.unique(cell, return_inverse=True)
        holds = ((used[:, None] >> np.arange(sides.size)) & 1).astype(np.float64)
        cells = np.stack(
            [np.bincount(where.ravel(), part) for part in (patterns.events, patterns.others)]
        ).astype(np.float64)
        most = most_points(self.problem)[sides]
        buffer = np.zeros(BUFFER, dtype=np.uint8)
        while True:
            size = self._write_leaf(holds, cells, most, buffer, rules)
            if size != NO_ROOM:
                break
            buffer = np.zeros(2 * buffer.size, dtype=np.uint8)
        if size < 0:
            raise NotClosed
        return bytes([LEAF]) + buffer[:size].tobytes()

    def _has_small_groups(self, terms: list[tuple[int, int]]) -> bool:
        """Do the conditions of a leaf divide a feature into groups that are too small?"""
        if self.problem.restrictions.least == (1, 0):
            return False
        return bool(violations_of_terms(terms, self.problem))

    def _write_leaf(
        self,
        holds: Floats,
        cells: Floats,
        most: Integers,
        buffer: NDArray[np.uint8],
        rules: Rules,
    ) -> int:
        """Write the points of a leaf into a buffer; returns the bytes, or why there are none."""
        scale = self.problem.scale
        if scale.kind != "fixed":
            if most.size == 0:
                raise NotClosed
            is_integer_base = scale.kind == "multiplier"
            step = as_float(rounded_up(scale.limit))
            return int(write_points(holds, cells, most, step, is_integer_base, rules, buffer))
        lows, highs = (np.zeros((MOST_BOXES, most.size + 1), dtype=np.int64) for _ in range(2))
        lows[0, 1:], highs[0, 1:] = 1, most
        lows[0, 0], highs[0, 0] = self._bases(int(most.sum()))
        unit = 1.0 / scale.multiplier
        return int(write_boxes(holds, cells, lows, highs, unit, rules, buffer))

    def _bases(self, points: int) -> tuple[int, int]:
        """The least and the most base that may be the best one of a card with so many points."""
        lowest, highest = base_rate(self.conditions)
        per_unit = Fraction(self.problem.scale.multiplier) / (1 << 32)
        return (lowest * per_unit).__floor__() - points - 1, (highest * per_unit).__ceil__() + 1


def number(value: int) -> bytes:
    """A whole number of the tree: seven digits per byte, the lowest first."""
    found = bytearray()
    while value >= 128:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def most_points(problem: Problem) -> Integers:
    """The most points on each side."""
    points: Integers = np.stack([problem.jump_high, -problem.jump_low], axis=1).ravel()
    return points


def base_rate(conditions: Conditions) -> tuple[int, int]:
    """Multiples of ``2**-32`` around the log-odds of the base rate."""
    patterns = conditions.patterns
    return log_of_ratio(int(patterns.events.sum()), int(patterns.others.sum()))


def rules_of(conditions: Conditions, cutoff: float) -> Rules:
    """What the kernels need to know of the problem, rounded as a checker does."""
    reach = np.array([as_float(rounded_up(one)) for one in conditions.reach.tolist()])
    lowest, highest = base_rate(conditions)
    chances, entropies = entropy_table()
    return Rules(
        reach=reach,
        steepest=float(reach[conditions.patterns.sides].max()),
        lowest_rate=as_float(lowest),
        highest_rate=as_float(highest),
        cutoff=cutoff,
        chances=chances,
        entropies=entropies,
    )
