"""Depth-first exploration of nodes of the hull, until they are narrow enough for another bound."""

import numpy as np

import riskcard.kernels.proof.hull.layout as hull
import riskcard.kernels.proof.layout as at
from riskcard.kernels.jit import bare_inner_kernel, bare_kernel, inlined_kernel
from riskcard.kernels.proof.hull.bound import OPEN, bound_hull_node
from riskcard.kernels.proof.hull.branch import (
    choose_division,
    copy_hull_node,
    divide_slot,
    plan_division,
    take_out_side,
    undecided_in,
)
from riskcard.kernels.proof.hull.notes import is_full, note_node
from riskcard.kernels.proof.slots import slot_reach


@bare_inner_kernel
def emit(conditions, patterns, nodes, index, narrow, place):
    """Write a node without a list as one of the other tree."""
    n_slots = int(nodes.counts[index]) - hull.FIRST_INTERVAL
    narrow.counts[place] = n_slots
    narrow.is_solved[place] = 0
    narrow.bounds[place] = nodes.bounds[index]
    total = conditions.unit
    for j in range(n_slots):
        own = hull.FIRST_INTERVAL + j
        for field in range(at.SLOT_FIELDS):
            narrow.slots[place, j, field] = nodes.slots[index, own, field]
        mass = least = patterns.kept_least[own]
        for c in range(nodes.n_columns[index]):
            if nodes.columns[index, c, hull.COLUMN_SLOT] == own:
                mass += nodes.thetas[index, c]
        most = least + patterns.kept_room[own]
        if patterns.kept_room[own] < 0.0:
            max_cuts = conditions.limits.max_cuts_per_feature
            most = slot_reach(conditions, nodes.slots[index, own], max_cuts)
        narrow.w[place, j + 1] = mass
        narrow.box[place, at.LEAST, j + 1] = least
        narrow.box[place, at.MOST, j + 1] = most
        total += most
    narrow.w[place, at.OFFSET] = nodes.offsets[index]
    narrow.box[place, at.LEAST, at.OFFSET] = conditions.rate - total
    narrow.box[place, at.MOST, at.OFFSET] = conditions.rate + conditions.unit


@inlined_kernel
def bound_and_count(conditions, nodes, index, work, control, counters):
    """Bound a node and count it; True if it stays open."""
    outcome, cost = bound_hull_node(conditions, conditions.patterns, nodes, index, work, control)
    counters[at.NODES] += 1
    counters[at.WORK] += cost
    if outcome == OPEN:
        plan_division(conditions.patterns, nodes, index, work)
    return outcome == OPEN


@inlined_kernel
def is_to_bound(nodes, index, control):
    """Is a node new, or its bound not yet what is asked for now?"""
    is_rough = nodes.state[index] == hull.ROUGH and control[at.CLOSENESS] < 1.0
    return nodes.state[index] == hull.NEW or (is_rough and nodes.bounds[index] < control[at.TARGET])


@bare_kernel
def explore_hull(conditions, work, stack, parent, aside, narrow, control, counters, notes):
    """Explore the nodes of a stack, until none is left, the budget spent, or a stop asked for.

    Parameters
    ----------
    stack
        The open nodes, ``counters[SAVED]`` of them before and after; the last is taken first.
    parent
        Room for one node.
    aside
        Written: nodes whose bound has reached the target, ``counters[DONE]`` of them.
    narrow
        Written: nodes that are left to `explore`, ``counters[LEAVES]`` of them.
    notes
        Written, unless there is no room at all: a note on every node that is closed, divided or left to `explore`.
    """
    patterns = conditions.patterns
    n_open, only = np.int64(counters[at.SAVED]), np.int64(0)
    while n_open > 0:
        # is there time and room to go on?
        if (
            control[at.STOP] != 0.0
            or counters[at.WORK] >= control[at.BUDGET]
            or counters[at.LEAVES] >= narrow.counts.size
            or counters[at.DONE] >= aside.counts.size
            or n_open + conditions.limits.max_terms + 2 > stack.counts.size
            or is_full(notes)
        ):
            break
        n_open -= 1
        # can it still win?
        if stack.bounds[n_open] >= control[at.CUTOFF] or (
            is_to_bound(stack, n_open, control)
            and not bound_and_count(conditions, stack, n_open, work, control, counters)
        ):
            note_node(stack, n_open, -1, -1, 0, notes)
            continue
        # is it for later?
        if stack.bounds[n_open] >= control[at.TARGET]:
            copy_hull_node(stack, n_open, aside, int(counters[at.DONE]))
            counters[at.DONE] += 1
            continue
        copy_hull_node(stack, n_open, parent, only)
        is_listed = parent.slots[0, hull.LIST, at.MULTIPLICITY] > 0
        # is it narrow enough for a cheaper bound?
        if not is_listed and undecided_in(patterns, parent, 0) <= control[at.NARROW]:
            emit(conditions, patterns, parent, 0, narrow, int(counters[at.LEAVES]))
            counters[at.LEAVES] += 1
            note_node(parent, 0, -1, -1, 0, notes)
            continue
        side, slot, middle = choose_division(patterns, parent, 0)
        note_node(parent, 0, side, slot, middle, notes)
        for count in range(parent.slots[0, slot, at.MULTIPLICITY] + 1):
            copy_hull_node(parent, only, stack, n_open)
            if is_listed:
                is_any = take_out_side(conditions, patterns, stack, n_open, side, count)
            else:
                is_any = divide_slot(conditions, stack, n_open, slot, middle, count)
            if not is_any:
                continue
            stack.state[n_open] = hull.NEW
            if bound_and_count(conditions, stack, n_open, work, control, counters):
                n_open += 1
            else:
                note_node(stack, n_open, -1, -1, 0, notes)
    counters[at.SAVED] = n_open
