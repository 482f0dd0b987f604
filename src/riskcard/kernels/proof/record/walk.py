"""The walk through the tree that is written down, depth first, children in order.

A node of the file has, for each interval of one side, *exactly* so many terms, and from the list *at
most* so many. A card goes to the child that has its own number of terms of the side, or of the left half;
a card with fewer terms than allowed has fewer from the list. So no card is lost, and a node in which a
limit is broken by the intervals alone is empty.
"""

import numpy as np

import riskcard.kernels.proof.hull.layout as hull
import riskcard.kernels.proof.layout as at
from riskcard.kernels.jit import bare_inner_kernel, bare_kernel
from riskcard.kernels.proof.hull.bound import PRUNED, bound_hull_node
from riskcard.kernels.proof.hull.branch import (
    choose_division,
    copy_hull_node,
    divide_slot,
    first_side,
    plan_division,
    take_out_side,
)
from riskcard.kernels.proof.hull.notes import division_of, find_note, load_note
from riskcard.kernels.proof.record.chances import put_number
from riskcard.kernels.proof.record.closing import close_node, put_model
from riskcard.kernels.proof.slots import always_clash, keeps_card_limits

# --- what becomes of a node: the first byte of its record -----------------------------------------
CLOSED, BY_SIDE, BY_CUT, EMPTY, LEAF = 1, 2, 3, 4, 5
# --- why a node is empty --------------------------------------------------------------------------
HAS_CARDS, TOO_FEW_CUTS, SHARED_CUTS, FULL_FEATURE, FULL_CARD = range(5)
NOT_NESTED, SAME_GAP, BROKEN_RULE = 5, 6, 7
# --- why the walk stops ---------------------------------------------------------------------------
DONE, FULL_BUFFER, AT_LEAF, SPENT = range(4)
# --- counters -------------------------------------------------------------------------------------
N_OPEN, N_BYTES, N_RECORDS, N_CLOSED, N_BOUNDED = range(5)
COUNTERS = 5
#: Most bytes of a record.
LONGEST_RECORD = 2048


@bare_inner_kernel
def why_empty(conditions, nodes, index):
    """Which limit the intervals of a node break by themselves; HAS_CARDS if none."""
    limits, families = conditions.limits, conditions.families
    n_slots = int(nodes.counts[index])
    slots = nodes.slots[index]
    n_features = 0
    for j in range(hull.FIRST_INTERVAL, n_slots):
        count = slots[j, at.MULTIPLICITY]
        if count > slots[j, at.HIGH] - slots[j, at.LOW] + 1:
            return TOO_FEW_CUTS
        feature = families[slots[j, at.SIDE] >> 1, at.FEATURE]
        n_terms = 0
        is_first = True
        for k in range(hull.FIRST_INTERVAL, n_slots):
            if families[slots[k, at.SIDE] >> 1, at.FEATURE] != feature:
                continue
            n_terms += slots[k, at.MULTIPLICITY]
            is_first = is_first and k >= j
        n_features += is_first
        if n_terms > conditions.capacity[feature]:
            return FULL_FEATURE
    if n_features > limits.max_features:
        return FULL_CARD
    for j in range(hull.FIRST_INTERVAL, n_slots):
        for k in range(hull.FIRST_INTERVAL, j):
            if slots[j, at.SIDE] >> 1 == slots[k, at.SIDE] >> 1:
                low = min(slots[j, at.LOW], slots[k, at.LOW])
                high = max(slots[j, at.HIGH], slots[k, at.HIGH])
                if slots[j, at.MULTIPLICITY] + slots[k, at.MULTIPLICITY] > high - low + 1:
                    return SHARED_CUTS
            elif not are_nested(conditions, slots[j], slots[k]):
                return NOT_NESTED
            elif share_gap(conditions, slots[j], slots[k]):
                return SAME_GAP
    if limits.is_by_card and not keeps_card_limits(conditions, slots, n_slots):
        return BROKEN_RULE
    return HAS_CARDS


@bare_inner_kernel
def share_gap(conditions, slot, other):
    """Do two conditions of one feature, both chosen, clash? They are nested, so they share a cut."""
    families = conditions.families
    column, second = slot[at.SIDE] >> 1, other[at.SIDE] >> 1
    if families[column, at.FEATURE] != families[second, at.FEATURE]:
        return False
    if not conditions.limits.has_clashes or other[at.LOW] != other[at.HIGH]:
        return False
    return always_clash(conditions, slot, other)


@bare_inner_kernel
def are_nested(conditions, slot, other):
    """Do two conditions of one feature make three groups of values? True where they are still open."""
    families = conditions.families
    column, second = slot[at.SIDE] >> 1, other[at.SIDE] >> 1
    if families[column, at.FEATURE] != families[second, at.FEATURE]:
        return True
    if slot[at.LOW] != slot[at.HIGH] or other[at.LOW] != other[at.HIGH]:
        return True
    seen = 0
    codes, others = conditions.patterns.codes[column], conditions.patterns.codes[second]
    for row in range(codes.size):
        group = 2 * (codes[row] <= slot[at.LOW]) + (others[row] <= other[at.LOW])
        seen |= 1 << group
    return (seen & 1) + (seen >> 1 & 1) + (seen >> 2 & 1) + (seen >> 3) == 3


@bare_inner_kernel
def push_children(conditions, stack, parent, side, slot, middle, n_open):
    """Put the children of a node on the stack, the first on top; returns the new height."""
    patterns = conditions.patterns
    is_listed = parent.slots[0, hull.LIST, at.MULTIPLICITY] > 0
    for count in range(int(parent.slots[0, slot, at.MULTIPLICITY]), -1, -1):
        copy_hull_node(parent, 0, stack, n_open)
        if is_listed:
            take_out_side(conditions, patterns, stack, n_open, side, count)
            if first_side(patterns, stack, n_open) < 0:
                stack.slots[n_open, hull.LIST, at.MULTIPLICITY] = 0
        else:
            divide_slot(conditions, stack, n_open, slot, middle, count)
        n_open += 1
    return n_open


@bare_inner_kernel
def load_hint(nodes, index, notes):
    """Take model and bound from the note on a node; returns its division, with slot -1 if there is none."""
    place = find_note(nodes, index, notes)
    if place < 0:
        nodes.bounds[index] = 0.0
        return -1, -1, 0
    load_note(nodes, index, notes, place)
    return division_of(notes, place)


@bare_inner_kernel
def is_leaf(nodes, index):
    """Is every condition of the node chosen?"""
    if nodes.slots[index, hull.LIST, at.MULTIPLICITY] > 0:
        return False
    for j in range(hull.FIRST_INTERVAL, nodes.counts[index]):
        if nodes.slots[index, j, at.LOW] != nodes.slots[index, j, at.HIGH]:
            return False
    return True


@bare_kernel
def walk(conditions, work, rules, closing, stack, parent, control, buffer, counters, notes):
    """Write records of nodes, until none is left or there is a reason to return.

    A node with a note is closed by the model of the note, or divided as the note says, without being bounded.
    Where that model does not close it, in a node that was divided although its bound is high enough, and in one that
    was left open without being divided, the model is improved first.

    Parameters
    ----------
    rules, closing
        See `Rules` and `Closing`.
    stack
        The open nodes, ``counters[N_OPEN]`` of them; the last is taken first.
    parent
        Room for one node.
    control
        CUTOFF: the bound at which a node counts as closed in floating point; BUDGET of work.
    buffer
        Written: records, ``counters[N_BYTES]`` bytes.
    notes
        Those of the proof; maybe none.

    Returns
    -------
    reason
        DONE, FULL_BUFFER, SPENT, or AT_LEAF: the node on top of the stack is a leaf.
    """
    patterns = conditions.patterns
    spent = 0.0
    while counters[N_OPEN] > 0:
        if spent > control[at.BUDGET]:
            return SPENT
        place = int(counters[N_BYTES])
        if place + LONGEST_RECORD > buffer.size:
            return FULL_BUFFER
        top = int(counters[N_OPEN]) - 1
        reason = why_empty(conditions, stack, top)
        if reason != HAS_CARDS:
            buffer[place], buffer[place + 1] = EMPTY, reason
            counters[N_BYTES], counters[N_OPEN] = place + 2, top
            counters[N_RECORDS] += 1
            continue
        side, slot, middle = load_hint(stack, top, notes)
        digits = -1
        is_high = stack.bounds[top] >= control[at.CUTOFF]
        if slot < 0 or is_high:
            if slot < 0 and is_high:
                digits = close_node(patterns, stack, top, rules, closing)
            if digits < 0:
                stack.bounds[top] = 0.0
                outcome, cost = bound_hull_node(conditions, patterns, stack, top, work, control)
                spent += cost
                counters[N_BOUNDED] += 1
                plan_division(patterns, stack, top, work)
                if outcome == PRUNED:
                    digits = close_node(patterns, stack, top, rules, closing)
                slot = -1
        if digits >= 0:
            buffer[place] = CLOSED
            place = put_model(stack, top, closing, digits, buffer, place + 1)
            counters[N_BYTES], counters[N_OPEN] = place, top
            counters[N_RECORDS] += 1
            counters[N_CLOSED] += 1
            continue
        if is_leaf(stack, top):
            return AT_LEAF
        copy_hull_node(stack, top, parent, np.int64(0))
        if slot < 0:
            side, slot, middle = choose_division(patterns, parent, 0)
        if side >= 0:
            buffer[place] = BY_SIDE
            place = put_number(buffer, place + 1, side)
        else:
            buffer[place] = BY_CUT
            place = put_number(buffer, place + 1, slot - hull.FIRST_INTERVAL)
            place = put_number(buffer, place, middle - int(parent.slots[0, slot, at.LOW]))
        counters[N_BYTES] = place
        counters[N_RECORDS] += 1
        counters[N_OPEN] = push_children(conditions, stack, parent, side, slot, middle, top)
    return DONE


@bare_kernel
def close_alone(patterns, nodes, rules, closing, buffer):
    """Write the record of the first node, closed by its own model; the number of bytes, 0 if that does not close it.

    Unlike in a walk the model may have any number of columns.
    """
    digits = close_node(patterns, nodes, np.int64(0), rules, closing)
    if digits < 0:
        return 0
    buffer[0] = CLOSED
    return put_model(nodes, np.int64(0), closing, digits, buffer, 1)
