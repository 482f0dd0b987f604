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
    chains, groups, counts, kept, codes_of, places = merging
    n_chains, n_rows, room = first.size - 1, end - begin, chains.size - 1
    target = tables.begins[table]
    # is what was kept of these rows?
    if kept[0] != begin or kept[1] != end or kept[2] != tables.ages[table - 1]:
        kept[0], kept[1], kept[2] = begin, end, tables.ages[table - 1]
        kept[3] = 0
    n_used, n_new, n_groups = 0, 0, 1
    # slots are numbered in the order in which chains were chosen, but for the first
    for turn in range(1, family.max_terms + 1):
        s = turn % family.max_terms
        for f in range(n_chains):
            width = first[f + 1] - first[f]
            is_now = False
            for c in range(first[f], first[f + 1]):
                for sign in range(2):
                    own = slots[sign, c]
                    if own == s:
                        is_now = True
            if not is_now:
                continue
            is_done = False
            for u in range(min(n_used, room)):
                is_done = is_done or chains[u] == f
            if is_done:
                continue
            level = min(n_used, room)
            code = width
            is_kept = n_used < room and kept[3] > n_used and chains[level] == f
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
            else:
                kept[3] = min(kept[3], level)
                before = max(level - 1, 0) if n_used <= room else room
                for k in range(n_groups * (width + 1)):
                    places[k] = -1
                n_groups = 0
                for r in range(n_rows):
                    group = groups[before, r] if n_used > 0 else 0
                    k = group * (width + 1) + codes_of[level, codes[f, begin + r]]
                    if places[k] < 0:
                        places[k] = n_groups
                        n_groups += 1
                    groups[level, r] = places[k]
                chains[level] = f
                counts[level] = n_groups
                n_new += 1
                if level < room:
                    kept[3] = level + 1
            n_used += 1
            if n_groups > most:
                return n_rows, n_new
    last = min(n_used - 1, room)
    for k in range(n_groups):
        weights[at.EVENT, target + k] = 0.0
        weights[at.OTHER, target + k] = 0.0
    for r in range(n_rows):
        row = target + groups[last, r]
        weights[at.EVENT, row] += weights[at.EVENT, begin + r]
        weights[at.OTHER, row] += weights[at.OTHER, begin + r]
        places[groups[last, r]] = r
    for f in range(n_chains):
        is_used = False
        for c in range(first[f], first[f + 1]):
            if slots[at.RISING, c] != at.NOWHERE or slots[at.FALLING, c] != at.NOWHERE:
                is_used = True
        if is_used:
            for k in range(n_groups):
                codes[f, target + k] = codes[f, begin + places[k]]
    return n_groups, n_new
