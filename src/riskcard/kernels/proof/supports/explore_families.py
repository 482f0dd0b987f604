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
from riskcard.kernels.jit import bare_inner_kernel, kernel
from riskcard.kernels.proof.supports.divide import (
    BY_CHAIN,
    BY_INTERVAL,
    choose_division,
)
from riskcard.kernels.proof.supports.fit_family import fit_family
from riskcard.kernels.proof.supports.merge import merge_rows

#: Rows are merged for a node that has this part of the conditions of its table, or less.
FEWER = 0.8
#: A merged table must have at most this part of the rows.
SMALLER = 0.75
FEW_ROWS = 16


@bare_inner_kernel
def has_list(family, slots):
    """Whether a slot has conditions of several chains."""
    for s in range(family.max_terms):
        chain = -1
        for c in range(family.chain_of.size):
            if slots[at.RISING, c] == s or slots[at.FALLING, c] == s:
                if chain >= 0 and family.chain_of[c] != chain:
                    return True
                chain = family.chain_of[c]
    return False


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
    first, n_slots = family.first, family.max_terms
    n = family.chain_of.size
    choice = np.zeros(4, dtype=np.int64)
    scratch = np.zeros((3, n))
    slots = np.zeros((2, n), dtype=np.int8)
    terms = np.zeros(n_slots, dtype=np.int8)
    in_part = np.zeros((2, n), dtype=np.int8)
    age = tables.ages.max()
    while counts[at.N_OPEN] > 0 and counts[at.N_LEAVES] < leaves.bounds.size:
        if state[at.WORK_LEFT] <= 0.0 or state[at.NODES_LEFT] <= 0.0:
            break
        counts[at.N_OPEN] -= 1
        node = counts[at.N_OPEN]
        bound = stack.bounds[node]
        if bound >= state[at.CUTOFF]:
            continue
        depth = stack.depths[node]
        change = stack.is_new[node]
        expected = stack.expected[node]
        n_left = 0
        for c in range(n):
            slots[at.RISING, c] = stack.slots[node, at.RISING, c]
            slots[at.FALLING, c] = stack.slots[node, at.FALLING, c]
            n_left += slots[at.RISING, c] != at.NOWHERE or slots[at.FALLING, c] != at.NOWHERE
        for s in range(n_slots):
            terms[s] = stack.terms[node, s]
        counts[at.N_NODES] += 1
        state[at.NODES_LEFT] -= 1.0
        table = 0
        if depth > 0:
            table = tables.of_depth[depth - 1]
            for c in range(n + 1):
                fits.theta[depth, c] = fits.theta[depth - 1, c]
            for v in range(fits.curves.shape[1]):
                fits.curves[depth, v] = fits.curves[depth - 1, v]
        if change == at.FEWER or change == at.FEW_CHAINS:
            if change == at.FEW_CHAINS:
                for c in range(n + 1):
                    fits.theta[depth, c] = fits.recent[c]
            begin, end = tables.begins[table], tables.begins[table + 1]
            if n_left <= FEWER * tables.sizes[table] and end - begin > FEW_ROWS:
                n_merged, n_new = merge_rows(
                    begin, end, tables, family, slots, table + 1, merging, SMALLER * (end - begin)
                )
                state[at.WORK_LEFT] -= (end - begin) * (2.0 * n_new + 4.0)
                if n_merged <= SMALLER * (end - begin):
                    table += 1
                    begin, end = end, end + n_merged
                    tables.begins[table + 1] = end
                    age += 1
                    tables.ages[table] = age
                    tables.sizes[table] = n_left
            counts[at.N_FITS] += 1
            expected, new_bound, work = fit_family(
                begin, end, tables, family, slots, terms, fits.theta[depth], fits.curves[depth],
                state[at.CUTOFF], has_list(family, slots), fits,
            )  # fmt: skip
            state[at.WORK_LEFT] -= work
            if change == at.FEW_CHAINS:
                for c in range(n + 1):
                    fits.recent[c] = fits.theta[depth, c]
            bound = max(bound, new_bound)
        elif change == at.FAR:
            for c in range(n):
                if slots[at.RISING, c] == at.NOWHERE and slots[at.FALLING, c] == at.NOWHERE:
                    fits.theta[depth, c] = 0.0
        tables.of_depth[depth] = table
        state[at.WORK_LEFT] -= 4.0 * n * n_slots
        if bound >= state[at.CUTOFF]:
            continue
        theta = fits.theta[depth]
        if not choose_division(family, slots, terms, theta, fits.curves[depth], choice, scratch):
            leaf = counts[at.N_LEAVES]
            counts[at.N_LEAVES] += 1
            leaves.bounds[leaf] = bound
            for c in range(n):
                leaves.slots[leaf, at.RISING, c] = slots[at.RISING, c]
                leaves.slots[leaf, at.FALLING, c] = slots[at.FALLING, c]
            continue
        s, kind, f, place = choice[0], choice[1], choice[2], choice[3]
        n_first, n_second = 0, 0
        for c in range(n):
            one, two = 0, 0
            for sign in range(2):
                in_part[sign, c] = 0
                if slots[sign, c] != s:
                    continue
                is_first = False
                if kind == BY_CHAIN:
                    is_first = first[f] <= c < first[f + 1]
                elif kind == BY_INTERVAL:
                    is_first = c < place
                else:
                    is_first = sign == at.RISING
                in_part[sign, c] = 1 if is_first else 2
                one |= is_first
                two |= not is_first
            n_first += one
            n_second += two
        # a slot for the first part
        spare = 0
        while spare < n_slots and terms[spare] > 0:
            spare += 1
        k = terms[s]
        for a in range(k + 1):
            if a > n_first or k - a > n_second:
                continue
            child = counts[at.N_OPEN]
            counts[at.N_OPEN] += 1
            stack.bounds[child] = bound
            stack.depths[child] = depth + 1
            stack.is_new[child] = at.FEWER if a == 0 or a == k else at.SAME
            stack.expected[child] = expected
            if kind == BY_CHAIN and a == k:
                stack.is_new[child] = at.FEW_CHAINS
            if kind == BY_CHAIN and a == 0:
                stack.expected[child] += 0.5 * scratch[2, 0]
                if stack.expected[child] < state[at.CUTOFF]:
                    stack.is_new[child] = at.FAR
            for t in range(n_slots):
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
            for c in range(n):
                for sign in range(2):
                    part = in_part[sign, c]
                    to = slots[sign, c]
                    if part == 1:
                        to = own
                    elif part == 2:
                        to = other
                    stack.slots[child, sign, c] = to
