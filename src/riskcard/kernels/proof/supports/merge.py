"""Rows that are alike in all conditions of a node become one row."""

import numpy as np

import riskcard.kernels.proof.supports.records as at
from riskcard.kernels.jit import bare_inner_kernel


@bare_inner_kernel
def merge_rows(begin, end, tables, family, slots, table, merging, most):
    """Write the merged rows of ``begin .. end - 1`` as a table behind the last one.

    A code stands for all codes of its group that satisfy the same conditions of the node. Group
    after group, the sorts of rows are divided by these codes; sorts are kept from one call to the
    next, as most nodes have their first groups in common with the one before. Groups without a
    condition of the node are not written: no node below has one.

    Returns the number of merged rows, or ``end - begin`` if there are more than ``most``; and the
    number of groups that were new.
    """
    groups, sorts, counts, kept, codes_of, first_of, order = merging
    room, age = groups.size - 1, tables.ages[table - 1]
    # is what was kept of these rows?
    if kept[0] != begin or kept[1] != end or kept[2] != age:
        kept[0], kept[1], kept[2] = begin, end, age
        kept[3] = 0
    n_used = order_groups(family, slots, order)
    n_new, n_sorts = 0, np.int64(1)
    for u in range(n_used):
        g = order[u]
        line = min(u, room)
        is_last = u == n_used - 1
        is_kept = u < room and kept[3] > u and groups[line] == g and not is_last
        if alike_codes(family, slots, g, codes_of[line]) and is_kept:
            n_sorts = counts[line]
            continue
        kept[3] = min(kept[3], line)
        n_new += 1
        size = family.base[g + 1] - family.base[g]
        before = min(u, room + 1) - 1
        if is_last:
            for k in range(n_sorts * size):
                first_of[k] = -1
            n_sorts = write_rows(
                begin, end, tables, table, g, size, u > 0, sorts[before], codes_of[line], first_of,
                order, n_used,
            )  # fmt: skip
        else:
            n_sorts = divide_sorts(
                begin, end, tables.codes[g], size, u > 0, n_sorts, sorts[before], codes_of[line],
                first_of, sorts[line],
            )  # fmt: skip
            groups[line] = g
            counts[line] = n_sorts
            if line < room:
                kept[3] = line + 1
        if n_sorts > most:
            return end - begin, n_new
    return n_sorts, n_new


@bare_inner_kernel
def alike_codes(family, slots, g, code_of):
    """Write what each code is taken for: the first that satisfies the same conditions of the node.

    Returns whether that is what was written there before.
    """
    first, places = family.first, family.places
    is_single = family.chains[g + 1] - family.chains[g] == 1
    is_same = True
    for u in range(family.base[g + 1] - family.base[g]):
        code = u
        # codes of a single chain are in the order of its places
        for earlier in range(max(code_of[u - 1], 0) if is_single and u > 0 else 0, u):
            if code_of[earlier] != earlier:
                continue
            is_alike = True
            for f in range(family.chains[g], family.chains[g + 1]):
                low = min(places[f, u], places[f, earlier])
                for c in range(first[f] + low, first[f] + max(places[f, u], places[f, earlier])):
                    if slots[at.RISING, c] != at.NOWHERE or slots[at.FALLING, c] != at.NOWHERE:
                        is_alike = False
                        break
                if not is_alike:
                    break
            if is_alike:
                code = earlier
                break
        is_same = is_same and code_of[u] == code
        code_of[u] = code
    return is_same


@bare_inner_kernel
def divide_sorts(begin, end, codes, size, has_sorts, n_sorts, before, code_of, first_of, sorts):
    """Divide the sorts of rows by a further group; returns their number."""
    for k in range(n_sorts * size):
        first_of[k] = -1
    n_sorts = 0
    for r in range(end - begin):
        sort = before[r] if has_sorts else 0
        k = sort * size + code_of[codes[begin + r]]
        if first_of[k] < 0:
            first_of[k] = n_sorts
            n_sorts += 1
        sorts[r] = first_of[k]
    return n_sorts


@bare_inner_kernel
def write_rows(
    begin, end, tables, table, g, size, has_sorts, before, code_of, first_of, order, n_used
):
    """Divide the sorts by the last group, and write a row for each; returns their number."""
    codes, weights = tables.codes, tables.weights
    target = tables.begins[table]
    row = target
    for r in range(begin, end):
        sort = before[r - begin] if has_sorts else 0
        k = sort * size + code_of[codes[g, r]]
        if first_of[k] < 0:
            first_of[k] = row
            weights[at.EVENT, row] = weights[at.EVENT, r]
            weights[at.OTHER, row] = weights[at.OTHER, r]
            for t in range(n_used):
                codes[order[t], row] = codes[order[t], r]
            row += 1
        else:
            weights[at.EVENT, first_of[k]] += weights[at.EVENT, r]
            weights[at.OTHER, first_of[k]] += weights[at.OTHER, r]
    return row - target


@bare_inner_kernel
def order_groups(family, slots, order):
    """Write the groups of a node in the order in which they were chosen; returns their number.

    Slots are numbered in that order, but for the first, which is what is left of the root's.
    """
    first, chains, n_used = family.first, family.chains, 0
    for turn in range(1, family.max_terms + 1):
        s = turn % family.max_terms
        for g in range(chains.size - 1):
            is_in = False
            for c in range(first[chains[g]], first[chains[g + 1]]):
                is_in = is_in or slots[at.RISING, c] == s or slots[at.FALLING, c] == s
            for u in range(n_used):
                is_in = is_in and order[u] != g
            if is_in:
                order[n_used] = g
                n_used += 1
    return n_used
