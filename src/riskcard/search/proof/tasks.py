"""What one thread works on in a round of the proof: nodes in, nodes and leaves out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import riskcard.kernels.proof.layout as at
from riskcard.arrays import Floats
from riskcard.kernels.proof.explore import explore
from riskcard.kernels.proof.hull.explore import explore_hull
from riskcard.kernels.proof.hull.layout import HullNodes, empty_hull_nodes, empty_hull_work
from riskcard.kernels.proof.hull.notes import Notes, empty_notes
from riskcard.kernels.proof.layout import (
    Conditions,
    Nodes,
    empty_nodes,
    empty_results,
    empty_workspace,
    join_nodes,
)

N_TASKS = 8
#: Nodes dealt to a task: about as many as it finishes, since carrying the others costs time.
FEWEST_NODES_A_TASK, MOST_NODES_A_TASK = 16, 8192
FIRST_BUDGET, LAST_BUDGET = 1e5, 2e7
#: Room of a task: nodes of the hull in addition to those dealt, nodes set aside, leaves.
MORE_WIDE, MOST_ASIDE, MOST_NARROW, MOST_LEAVES = 4096, 4096, 256, 64
#: Entries of notes that a task makes in one round, where notes are kept.
ROOM_FOR_NOTES = 1 << 16


class Outcome(NamedTuple):
    """What a task returns: open nodes of both kinds, leaves with their cells, and what it counted.

    Leaves and notes are valid until the next run of the task.
    """

    wide: HullNodes
    narrow: Nodes
    leaves: Nodes
    cells: Floats
    counters: Floats
    n_begun: int
    notes: Notes


class Task:
    """Memory of one thread. What it needs for nodes of either kind is made when they come."""

    def __init__(self, conditions: Conditions, keeps_notes: bool = False) -> None:
        n_terms, n_sides = conditions.limits.max_terms, conditions.reach.size
        self.conditions = conditions
        self.control = np.zeros(at.CONTROL_FIELDS)
        self._work = empty_workspace(conditions.weights.size, n_terms)
        n_open = self._work.path.size * (n_terms + 1) + 4096
        self._results = empty_results(n_open, MOST_LEAVES, n_terms)
        patterns = conditions.patterns
        n_codes = int(patterns.n_codes.max())
        self._hull_work = empty_hull_work(patterns.events.size, n_terms, n_codes)
        self._parent = empty_hull_nodes(1, n_terms, n_sides)
        self._aside = empty_hull_nodes(MOST_ASIDE, n_terms, n_sides, np.empty)
        self._narrow = empty_nodes(MOST_NARROW, n_terms, np.empty)
        n_wide = MOST_NODES_A_TASK + MORE_WIDE
        self._stack = empty_hull_nodes(n_wide, n_terms, n_sides, np.empty)
        self._no_wide = empty_hull_nodes(0, n_terms, n_sides)
        self._no_narrow = empty_nodes(0, n_terms)
        self._notes = empty_notes(ROOM_FOR_NOTES if keeps_notes else 0)

    def run(self, nodes: HullNodes | Nodes) -> Outcome:
        """Explore nodes until they are done, the budget is spent, or a stop is asked for."""
        self._notes.used[0] = 0
        return self._run_wide(nodes) if isinstance(nodes, HullNodes) else self._run_narrow(nodes)

    def _run_wide(self, nodes: HullNodes) -> Outcome:
        # filled from below: most of it is never touched, and so takes no memory
        stack = self._stack
        for room, part in zip(stack, nodes, strict=True):
            room[: nodes.size] = part
        counters = np.zeros(at.COUNTERS)
        counters[at.SAVED] = nodes.size
        explore_hull(
            self.conditions, self._hull_work, stack, self._parent, self._aside, self._narrow,
            self.control, counters, self._notes,
        )  # fmt: skip
        n_open, n_aside, n_narrow = (int(counters[i]) for i in (at.SAVED, at.DONE, at.LEAVES))
        wide = join_nodes([stack.take(slice(n_open)), self._aside.take(slice(n_aside))])
        narrow = self._narrow.take(slice(n_narrow)).copy()
        n_begun = max(0, nodes.size - n_open)
        return Outcome(wide, narrow, self._no_narrow, np.empty(0), counters, n_begun, self._notes)

    def _run_narrow(self, nodes: Nodes) -> Outcome:
        still_open, leaves, cells, counters = self._results
        counters[:] = 0
        explore(self.conditions, self._work, nodes, self.control, self._results)
        n_saved, n_leaves, n_done = (int(counters[i]) for i in (at.SAVED, at.LEAVES, at.DONE))
        saved = still_open.take(slice(n_saved))
        narrow = join_nodes([nodes.take(slice(n_done, None)), saved])
        found = leaves.take(slice(n_leaves))
        return Outcome(self._no_wide, narrow, found, cells, counters, n_done, self._notes)
