"""Rows that are alike in all conditions of a node become one row."""

import riskcard.kernels.proof.supports.records as at
from riskcard.kernels.jit import bare_inner_kernel


@bare_inner_kernel
def merge_rows(begin, end, tables, family, slots, table, merging, most):
    """Write the merged rows of ``begin .. end - 1`` as a table behind the last one.

    A code is replaced by the highest code that satisfies the same conditions of the node. Chain
    after chain, the groups of rows are divided by these codes; groups are kept from one call to the
    next, as most nodes have their first chains in common with the one before. Chains without a
    condition of the node are not written: no node below has one.

    Returns the number of merged rows, or ``end - begin`` if there are more than ``most``; and the
    number of chains that were new.
    """
    codes, weights, first = tables.codes, tables.weights, family.first
    chains, groups, counts, kept, codes_of, places, order = merging
    n_rows, room = end - begin, chains.size - 1
    target = tables.begins[table]
    # is what was kept of these rows?
    if kept[0] != begin or kept[1] != end or kept[2] != tables.ages[table - 1]:
        kept[0], kept[1], kept[2] = begin, end, tables.ages[table - 1]
        kept[3] = 0
    n_used = order_chains(family, slots, order)
    n_new, n_groups = 0, 1
    for u in range(n_used):
        f = order[u]
        width = first[f + 1] - first[f]
        level = min(u, room)
        is_last = u == n_used - 1
        is_kept = u < room and kept[3] > u and chains[level] == f and not is_last
        code = width
        for v in range(width, -1, -1):
            c = first[f] + v
            # does the condition between this code and the next tell them apart?
            if v < width and (
                slots[at.RISING, c] != at.NOWHERE or slots[at.FALLING, c] != at.NOWHERE
            ):
                code = v
            if codes_of[level, v] != code:
                is_kept = False
                codes_of[level, v] = code
        if is_kept:
            n_groups = counts[level]
            continue
        kept[3] = min(kept[3], level)
        before = min(u, room + 1) - 1
        for k in range(n_groups * (width + 1)):
            places[k] = -1
        n_groups = 0
        n_new += 1
        if is_last:
            for r in range(n_rows):
                group = groups[before, r] if u > 0 else 0
                k = group * (width + 1) + codes_of[level, codes[f, begin + r]]
                row = places[k]
                if row < 0:
                    row = target + n_groups
                    places[k] = row
                    n_groups += 1
                    weights[at.EVENT, row] = weights[at.EVENT, begin + r]
                    weights[at.OTHER, row] = weights[at.OTHER, begin + r]
                    for t in range(n_used):
                        codes[order[t], row] = codes[order[t], begin + r]
                else:
                    weights[at.EVENT, row] += weights[at.EVENT, begin + r]
                    weights[at.OTHER, row] += weights[at.OTHER, begin + r]
        else:
            for r in range(n_rows):
                group = groups[before, r] if u > 0 else 0
                k = group * (width + 1) + codes_of[level, codes[f, begin + r]]
                if places[k] < 0:
                    places[k] = n_groups
                    n_groups += 1
                groups[level, r] = places[k]
            chains[level] = f
            counts[level] = n_groups
            if level < room:
                kept[3] = level + 1
        if n_groups > most:
            return n_rows, n_new
    return n_groups, n_new


@bare_inner_kernel
def order_chains(family, slots, order):
    """Write the chains of a node in the order in which they were chosen; returns their number.

    Slots are numbered in that order, but for the first, which is what is left of the root's.
    """
    first, n_used = family.first, 0
    for turn in range(1, family.max_terms + 1):
        s = turn % family.max_terms
        for f in range(first.size - 1):
            is_in = False
            for c in range(first[f], first[f + 1]):
                is_in = is_in or slots[at.RISING, c] == s or slots[at.FALLING, c] == s
            for u in range(n_used):
                is_in = is_in and order[u] != f
            if is_in:
                order[n_used] = f
                n_used += 1
    return n_used
