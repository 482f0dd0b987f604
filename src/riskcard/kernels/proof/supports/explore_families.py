"""The depth-first search over nodes of few conditions.

A node says how many terms of a card come from each of its slots, which are disjoint sets of
conditions with a sign. Claim: every card with at most ``max_terms`` terms that was in the node is,
after its division, in a child. Proof: the chosen slot, with ``k`` terms, falls into two parts; fill
the card up with conditions of zero points until the slot has ``k`` of it (there are enough, as a
slot is never smaller than its terms). Let ``a`` of these be in the first part: the card is in the
child with ``a`` terms from it and ``k - a`` from the second. A condition of zero points may count
to either sign. ∎ The children with more terms than conditions in a part have no card.
"""

import numpy as np

import riskcard.kernels.proof.supports.records as at
from riskcard.kernels.jit import inlined_kernel, kernel
from riskcard.kernels.proof.supports.divide import (
    BY_CODE,
    BY_GROUP,
    BY_INTERVAL,
    KIND,
    N_CHOICE,
    N_SCRATCH,
    PLACE,
    POWER,
    SLOT,
    WHICH,
    choose_division,
    is_list,
    is_raised,
)
from riskcard.kernels.proof.supports.fit_family import fit_family
from riskcard.kernels.proof.supports.merge import merge_rows

#: Rows are merged for a node that has this part of the conditions of its table, or less.
FEWER = 0.8
#: A merged table must have at most this part of the rows.
SMALLER = 0.75
FEW_ROWS = 16
#: The regression of the root is solved this well: its bound is what is known until a proof ends.
NEAR_AT_ROOT = 0.01


@kernel
def explore_families(family, stack, tables, fits, state, counts, leaves, merging):
    """Bound and divide nodes from the top of the stack.

    Ends when the stack is empty, the room for leaves is full, or the work or the nodes are used up.

    Parameters
    ----------
    stack
        Open nodes, the last one first; ``counts[N_OPEN]`` of them.
    tables, fits
        The state of the path to the last node.
    state
        CUTOFF: nodes with this bound are closed. WORK_LEFT and NODES_LEFT are lowered.
    leaves
        Nodes with one support each that could not be closed; ``counts[N_LEAVES]`` of them.
    merging
        Scratch of `merge_rows`.
    """
    n, n_slots = family.chain_of.size, family.max_terms
    choice = np.zeros(N_CHOICE, dtype=np.int64)
    scratch = np.zeros((N_SCRATCH, max(n, family.places.shape[1])))
    slots, terms = np.zeros((2, n), dtype=np.int8), np.zeros(n_slots, dtype=np.int8)
    in_part = np.zeros((2, n), dtype=np.int8)
    sizes = np.zeros(2, dtype=np.int64)
    while counts[at.N_OPEN] > 0 and counts[at.N_LEAVES] < leaves.bounds.size:
        if state[at.WORK_LEFT] <= 0.0 or state[at.NODES_LEFT] <= 0.0:
            break
        counts[at.N_OPEN] -= 1
        node = counts[at.N_OPEN]
        if stack.bounds[node] >= state[at.CUTOFF]:
            continue
        counts[at.N_NODES] += 1
        state[at.NODES_LEFT] -= 1.0
        take_node(node, stack, slots, terms)
        depth = stack.depths[node]
        bound, expected = bound_node(
            stack.is_new[node], depth, stack.bounds[node], stack.expected[node], family, tables,
            fits, slots, terms, state, counts, merging,
        )  # fmt: skip
        if bound >= state[at.CUTOFF]:
            continue
        theta, curves = fits.theta[depth], fits.curves[depth]
        if choose_division(family, slots, terms, theta, curves, choice, scratch):
            mark_parts(family, slots, choice, in_part, sizes)
            push_children(
                depth, bound, expected, scratch[POWER, 0], stack, slots, terms, state, counts,
                choice, in_part, sizes,
            )  # fmt: skip
            continue
        leaf = counts[at.N_LEAVES]
        counts[at.N_LEAVES] += 1
        leaves.bounds[leaf] = bound
        for c in range(n):
            leaves.slots[leaf, at.RISING, c] = slots[at.RISING, c]
            leaves.slots[leaf, at.FALLING, c] = slots[at.FALLING, c]


@inlined_kernel
def take_node(node, stack, slots, terms):
    """Copy a node, whose place its children will take."""
    for c in range(slots.shape[1]):
        slots[at.RISING, c] = stack.slots[node, at.RISING, c]
        slots[at.FALLING, c] = stack.slots[node, at.FALLING, c]
    for s in range(terms.size):
        terms[s] = stack.terms[node, s]


@inlined_kernel
def bound_node(
    change, depth, bound, expected, family, tables, fits, slots, terms, state, counts, merging
):
    """Fit a regression to the conditions of a node; returns its bound and about its least loss.

    A node with the conditions of its parent, or far from being closed, keeps what is known.
    """
    theta, n = fits.theta[depth], family.chain_of.size
    table = 0
    if depth > 0:
        table = tables.of_depth[depth - 1]
        for c in range(n + 1):
            theta[c] = fits.theta[depth - 1, c]
        for v in range(fits.curves.shape[1]):
            fits.curves[depth, v] = fits.curves[depth - 1, v]
    if change == at.FEWER or change == at.FEW_GROUPS:
        if change == at.FEW_GROUPS:
            for c in range(n + 1):
                theta[c] = fits.recent[c]
        table = merge_for_node(table, tables, family, slots, state, merging)
        begin, end = tables.begins[table], tables.begins[table + 1]
        counts[at.N_FITS] += 1
        expected, new_bound, work = fit_family(
            begin, tables, family, slots, terms, theta, fits.curves[depth], state[at.CUTOFF],
            is_list(family, slots, terms), NEAR_AT_ROOT if depth == 0 else np.inf,
            fits.rows[:, : end - begin], fits,
        )  # fmt: skip
        state[at.WORK_LEFT] -= work
        bound = max(bound, new_bound)
        if change == at.FEW_GROUPS:
            for c in range(n + 1):
                fits.recent[c] = theta[c]
    elif change == at.FAR:
        for c in range(n):
            if slots[at.RISING, c] == at.NOWHERE and slots[at.FALLING, c] == at.NOWHERE:
                theta[c] = 0.0
    tables.of_depth[depth] = table
    state[at.WORK_LEFT] -= 4.0 * n * terms.size
    return bound, expected


@inlined_kernel
def merge_for_node(table, tables, family, slots, state, merging):
    """Merge the rows of a table for a node that has fewer conditions; returns its table."""
    begin, end = tables.begins[table], tables.begins[table + 1]
    n_left = 0
    for c in range(family.chain_of.size):
        n_left += slots[at.RISING, c] != at.NOWHERE or slots[at.FALLING, c] != at.NOWHERE
    if n_left > FEWER * tables.sizes[table] or end - begin <= FEW_ROWS:
        return table
    most = SMALLER * (end - begin)
    n_merged, n_new = merge_rows(begin, end, tables, family, slots, table + 1, merging, most)
    state[at.WORK_LEFT] -= (end - begin) * (2.0 * n_new + 4.0)
    if n_merged > most:
        return table
    newest = 0
    for t in range(tables.ages.size):
        newest = max(newest, tables.ages[t])
    tables.begins[table + 2] = end + n_merged
    tables.ages[table + 1] = newest + 1
    tables.sizes[table + 1] = n_left
    return table + 1


@inlined_kernel
def mark_parts(family, slots, choice, in_part, sizes):
    """Mark the two parts of the slot that is divided by 1 and 2, and count their conditions."""
    s, kind, which, place = choice[SLOT], choice[KIND], choice[WHICH], choice[PLACE]
    sizes[0], sizes[1] = 0, 0
    for c in range(slots.shape[1]):
        f = family.chain_of[c]
        one, two = False, False
        for sign in range(2):
            in_part[sign, c] = 0
            if slots[sign, c] != s:
                continue
            if kind == BY_GROUP:
                is_first = family.group_of[f] == which
            elif kind == BY_CODE:
                is_first = is_raised(family, c, sign, place)
            elif kind == BY_INTERVAL:
                is_first = c < place
            else:
                is_first = sign == at.RISING
            in_part[sign, c] = 1 if is_first else 2
            one = one or is_first
            two = two or not is_first
        sizes[0] += one
        sizes[1] += two


@inlined_kernel
def push_children(
    depth, bound, expected, power, stack, slots, terms, state, counts, choice, in_part, sizes
):
    """Put the children of a node on the stack: ``a`` terms from the first part, for every ``a``."""
    s, is_by_group = choice[SLOT], choice[KIND] == BY_GROUP
    spare = 0  # a slot for the first part
    while spare < terms.size and terms[spare] > 0:
        spare += 1
    k = terms[s]
    for a in range(k + 1):
        if a > sizes[0] or k - a > sizes[1]:
            continue
        child = counts[at.N_OPEN]
        counts[at.N_OPEN] += 1
        stack.bounds[child] = bound
        stack.depths[child] = depth + 1
        stack.expected[child] = expected
        stack.is_new[child] = at.FEWER if a == 0 or a == k else at.SAME
        if is_by_group and a == k:
            stack.is_new[child] = at.FEW_GROUPS
        if is_by_group and a == 0:
            stack.expected[child] += 0.5 * power
            if k == 1 or stack.expected[child] < state[at.CUTOFF]:
                stack.is_new[child] = at.FAR
        for t in range(terms.size):
            stack.terms[child, t] = terms[t]
        own, other = s, s
        if a == 0:
            own = at.NOWHERE
        elif a == k:
            other = at.NOWHERE
        else:
            own = spare
            stack.terms[child, spare] = a
            stack.terms[child, s] = k - a
        for c in range(slots.shape[1]):
            for sign in range(2):
                part = in_part[sign, c]
                to = slots[sign, c]
                if part == 1:
                    to = own
                elif part == 2:
                    to = other
                stack.slots[child, sign, c] = to
