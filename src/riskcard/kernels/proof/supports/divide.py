"""Where a node is divided: which slot, and which of its conditions form the first part.

Nothing here bears on the truth of a bound: any part does. A division is scored by how much the
regression loses in either child, estimated by the curvature of the rows.
"""

import math

import riskcard.kernels.proof.supports.records as at
from riskcard.kernels.jit import bare_inner_kernel

#: Kinds of divisions: a group of a slot that has several, or a chain; an interval of a chain; the
#: positive coefficients.
BY_GROUP, BY_CHAIN, BY_INTERVAL, BY_SIGN = 0, 1, 2, 3
#: What a division is: the slot, the kind, the group or the chain, and the place (a condition).
SLOT, KIND, WHICH, PLACE, N_CHOICE = 0, 1, 2, 3, 4
#: Lines of scratch, by place in a chain and by code.
VALUE, MOVED, LEVELS, POWER, N_SCRATCH = 0, 1, 2, 3, 4
#: A division by sign counts less than one of an interval: it leaves as many conditions.
SIGNS = 0.15


@bare_inner_kernel
def choose_division(family, slots, terms, theta, curves, choice, scratch):
    """Write a division to ``choice``, and what a whole group or chain explains to POWER.

    Groups are told apart before chains, and chains before cuts. Returns False if every slot has as
    many conditions as terms: the node is a leaf.
    """
    best = -1.0
    for s in range(terms.size):
        if terms[s] == 0:
            continue
        size, n_groups, n_chains, group, chain = count_slot(family, slots, s)
        if size <= terms[s]:
            continue
        kind, which = BY_INTERVAL, chain
        if n_groups > 1:
            kind, which, power = strongest(family, slots, theta, curves, s, BY_GROUP, scratch)
        elif n_chains > 1:
            kind, which, power = strongest(family, slots, theta, curves, s, BY_CHAIN, scratch)
        if kind != BY_INTERVAL:
            score = (1e20 if kind == BY_GROUP else 1e10) * (1.0 + power)
            if score > best:
                best = score
                choice[SLOT], choice[KIND], choice[WHICH], choice[PLACE] = s, kind, which, 0
                scratch[POWER, 0] = power
            continue
        best = divide_chain(
            family, slots, terms[s], theta, curves, s, chain, best, choice, scratch
        )
    return best >= 0.0


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
def strongest(family, slots, theta, curves, s, kind, scratch):
    """The group or chain of a slot whose coefficients explain most, as kind, number and power."""
    levels = scratch[LEVELS]
    which, most = -1, -1.0
    for g in range(family.chains.size - 1):
        n_codes = family.base[g + 1] - family.base[g]
        is_in = False
        for f in range(family.chains[g], family.chains[g + 1]):
            if kind == BY_CHAIN or f == family.chains[g]:
                for u in range(n_codes):
                    levels[u] = 0.0
            is_own = part_of_slot(family, slots, theta, s, f, scratch[VALUE])
            is_in = is_in or is_own
            add_levels(family, f, scratch[VALUE], levels)
            is_end = kind == BY_CHAIN or f == family.chains[g + 1] - 1
            if is_end and (is_own if kind == BY_CHAIN else is_in):
                power = variance(curves, family.base[g], n_codes, levels)
                if power > most:
                    which, most = f if kind == BY_CHAIN else g, power
    return kind, which, most


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
    place = -1
    for c in range(first[f], first[f + 1]):
        if slots[at.RISING, c] != s and slots[at.FALLING, c] != s:
            continue
        if place >= 0:
            low = loss_of_moving(family, curves, f, 0, place + 1, c, scratch)
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
