"""Where a node is divided: which slot, and which of its conditions form the first part.

Nothing here bears on the truth of a bound: any part does. A division is scored by how much the
regression loses in either child, estimated by the curvature of the rows.
"""

import math

import numpy as np

import riskcard.kernels.proof.supports.records as at
from riskcard.kernels.jit import bare_inner_kernel

#: Kinds of divisions: a group of a slot that has several; whether a code of a group of several chains
#: gets more than others; an interval of a chain; the positive coefficients.
BY_GROUP, BY_CODE, BY_INTERVAL, BY_SIGN = 0, 1, 2, 3
#: What a division is: the slot, the kind, the group or the chain, and the place (a condition or a code).
SLOT, KIND, WHICH, PLACE, N_CHOICE = 0, 1, 2, 3, 4
#: Lines of scratch, by place in a chain and by code.
VALUE, MOVED, LEVELS, POWER, N_SCRATCH = 0, 1, 2, 3, 4
#: A division by sign counts less than one of an interval: it leaves as many conditions.
SIGNS = 0.15


@bare_inner_kernel
def choose_division(family, slots, terms, theta, curves, choice, scratch):
    """Write a division to ``choice``, and what a whole group explains to POWER.

    Groups are told apart before codes and cuts. Returns False if every slot has as many conditions
    as terms: the node is a leaf.
    """
    best = -1.0
    for s in range(terms.size):
        if terms[s] == 0:
            continue
        size, n_groups, n_chains, group, chain = count_slot(family, slots, s)
        if size <= terms[s]:
            continue
        if n_groups > 1:
            group, power = strongest(family, slots, theta, curves, s, scratch)
            score = 1e20 * (1.0 + power)
            if score > best:
                best = score
                choice[SLOT], choice[KIND], choice[WHICH], choice[PLACE] = s, BY_GROUP, group, 0
                scratch[POWER, 0] = power
        elif n_chains > 1:
            best = divide_codes(
                family, slots, terms[s], theta, curves, s, group, best, choice, scratch
            )
        else:
            best = divide_chain(
                family, slots, terms[s], theta, curves, s, chain, best, choice, scratch
            )
    return best >= 0.0


@bare_inner_kernel
def is_list(family, slots, terms):
    """Whether a slot has conditions of several groups."""
    is_any = False
    for s in range(terms.size):
        is_any = is_any or (terms[s] > 0 and count_slot(family, slots, s)[1] > 1)
    return is_any


@bare_inner_kernel
def count_slot(family, slots, s):
    """How many conditions, groups and chains a slot has, and the last ones of them."""
    size, n_groups, n_chains, group, chain = 0, 0, 0, -1, -1
    for c in range(family.chain_of.size):
        if slots[at.RISING, c] == s or slots[at.FALLING, c] == s:
            f = family.chain_of[c]
            size += 1
            n_chains += f != chain
            n_groups += family.group_of[f] != group
            chain, group = f, family.group_of[f]
    return size, n_groups, n_chains, group, chain


@bare_inner_kernel
def strongest(family, slots, theta, curves, s, scratch):
    """The group of a slot whose coefficients explain most, and how much."""
    group, most = -1, -1.0
    for g in range(family.chains.size - 1):
        if levels_of_group(family, slots, theta, s, g, scratch):
            n_codes = family.base[g + 1] - family.base[g]
            power = variance(curves, family.base[g], n_codes, scratch[LEVELS])
            if power > most:
                group, most = g, power
    return group, most


@bare_inner_kernel
def levels_of_group(family, slots, theta, s, g, scratch):
    """Write the log-odds that a slot's coefficients give to each code; returns if there are any."""
    is_any = False
    for u in range(family.base[g + 1] - family.base[g]):
        scratch[LEVELS, u] = 0.0
    for f in range(family.chains[g], family.chains[g + 1]):
        is_own = part_of_slot(family, slots, theta, s, f, scratch[VALUE])
        is_any = is_any or is_own
        add_levels(family, f, scratch[VALUE], scratch[LEVELS])
    return is_any


@bare_inner_kernel
def divide_codes(family, slots, k, theta, curves, s, g, best, choice, scratch):
    """Try to divide a slot by whether one code is among those that get more; returns the score.

    If it is, no code is above it, and those that are now have to come down to it; if not, none is
    below it. What that costs is about the variance of the levels on either side.
    """
    levels, moved = scratch[LEVELS], scratch[MOVED]
    levels_of_group(family, slots, theta, s, g, scratch)
    n_codes, base = family.base[g + 1] - family.base[g], family.base[g]
    for u in range(n_codes):
        n_in, n_out = 0, 0
        for f in range(family.chains[g], family.chains[g + 1]):
            for c in range(family.first[f], family.first[f + 1]):
                for sign in range(2):
                    if slots[sign, c] == s:
                        is_in = is_raised(family, c, sign, u)
                        n_in += is_in
                        n_out += not is_in
        if n_in == 0 or n_out == 0:
            continue
        for v in range(n_codes):
            moved[v] = max(levels[v] - levels[u], 0.0)
        high = variance(curves, base, n_codes, moved)
        for v in range(n_codes):
            moved[v] = min(levels[v] - levels[u], 0.0)
        low = variance(curves, base, n_codes, moved)
        score = (math.sqrt(low * high) + 1e-6 * min(low, high) + 1e-9 * max(low, high)) / k**2
        if score + 1e-30 > best:
            best = score + 1e-30
            choice[SLOT], choice[KIND], choice[WHICH], choice[PLACE] = s, BY_CODE, g, u
    return best


@bare_inner_kernel
def is_raised(family, c, sign, u):
    """Whether a condition with this sign gives more to a code of its group than to others."""
    f = family.chain_of[c]
    holds = family.places[f, u] <= c - family.first[f]
    return holds if sign == at.RISING else not holds


@bare_inner_kernel
def divide_chain(family, slots, k, theta, curves, s, f, best, choice, scratch):
    """Try to divide a slot of one chain by the sign, or into intervals; returns the best score.

    What is beyond the place moves to the nearest condition that is left.
    """
    first, value, moved = family.first, scratch[VALUE], scratch[MOVED]
    part_of_slot(family, slots, theta, s, f, value)
    has_both = False
    for c in range(first[f], first[f + 1]):
        has_both = has_both or (slots[at.RISING, c] == s and slots[at.FALLING, c] == s)
    share = 1.0 / k**2
    if has_both:
        for v in range(first[f + 1] - first[f]):
            moved[v] = min(value[v], 0.0)
        low = variance_of_chain(family, curves, f, moved, scratch[LEVELS])
        for v in range(first[f + 1] - first[f]):
            moved[v] = max(value[v], 0.0)
        high = variance_of_chain(family, curves, f, moved, scratch[LEVELS])
        score = SIGNS * share * (math.sqrt(low * high) + 1e-9 * (low + high))
        if score > best:
            best = score
            choice[SLOT], choice[KIND], choice[WHICH], choice[PLACE] = s, BY_SIGN, f, 0
    place = np.int64(-1)
    for c in range(first[f], first[f + 1]):
        if slots[at.RISING, c] != s and slots[at.FALLING, c] != s:
            continue
        if place >= 0:
            low = loss_of_moving(family, curves, f, first[f], place + 1, c, scratch)
            high = loss_of_moving(family, curves, f, c, first[f + 1], place, scratch)
            score = (
                share * (math.sqrt(low * high) + 1e-6 * min(low, high) + 1e-9 * max(low, high))
                + 1e-30
            )
            if score > best:
                best = score
                choice[SLOT], choice[KIND], choice[WHICH], choice[PLACE] = s, BY_INTERVAL, f, c
        place = c
    return best


@bare_inner_kernel
def part_of_slot(family, slots, theta, s, f, value):
    """Write the part of a chain's coefficients that is in a slot, by place; returns if any can be."""
    first, is_own = family.first, False
    for c in range(first[f], first[f + 1]):
        t = theta[c]
        owner = slots[at.RISING, c] if t > 0.0 else slots[at.FALLING, c]
        value[c - first[f]] = t if owner == s else 0.0
        is_own = is_own or slots[at.RISING, c] == s or slots[at.FALLING, c] == s
    return is_own


@bare_inner_kernel
def add_levels(family, f, value, levels):
    """Add the log-odds that a chain's coefficients give to each code of its group."""
    g = family.group_of[f]
    width = family.first[f + 1] - family.first[f]
    for v in range(width - 2, -1, -1):
        value[v] += value[v + 1]
    for u in range(family.base[g + 1] - family.base[g]):
        if family.places[f, u] < width:
            levels[u] += value[family.places[f, u]]


@bare_inner_kernel
def variance(curves, base, n_codes, levels):
    """How much the levels of a group's codes vary, weighted by curvature."""
    total, mean, square = 0.0, 0.0, 0.0
    for u in range(n_codes):
        weight = curves[base + u]
        total += weight
        mean += weight * levels[u]
        square += weight * levels[u] * levels[u]
    return max(0.0, square - mean * mean / total) if total > 0.0 else 0.0


@bare_inner_kernel
def variance_of_chain(family, curves, f, value, levels):
    """How much the log-odds vary that coefficients of a chain give; they are changed."""
    g = family.group_of[f]
    n_codes = family.base[g + 1] - family.base[g]
    for u in range(n_codes):
        levels[u] = 0.0
    add_levels(family, f, value, levels)
    return variance(curves, family.base[g], n_codes, levels)


@bare_inner_kernel
def loss_of_moving(family, curves, f, low, high, place, scratch):
    """The variance of the change when coefficients of conditions ``low .. high - 1`` move to one."""
    first, value, moved = family.first, scratch[VALUE], scratch[MOVED]
    total = 0.0
    for v in range(first[f + 1] - first[f]):
        moved[v] = 0.0
        if low <= first[f] + v < high:
            moved[v] = -value[v]
            total += value[v]
    moved[place - first[f]] += total
    return variance_of_chain(family, curves, f, moved, scratch[LEVELS])
