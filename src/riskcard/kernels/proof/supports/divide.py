"""Where a node is divided: which slot, and which of its conditions form the first part.

Nothing here bears on the truth of a bound: any part does. A division is scored by how much the
regression loses in either child, estimated by the curvature of the rows.
"""

import math

import riskcard.kernels.proof.supports.records as at
from riskcard.kernels.jit import bare_inner_kernel

#: Kinds of divisions: a chain of a slot that has several; an interval of a chain; the
#: positive coefficients.
BY_CHAIN, BY_INTERVAL, BY_SIGN = 0, 1, 2
#: A division by sign counts less than one of an interval: it leaves as many conditions.
SIGNS = 0.15


@bare_inner_kernel
def choose_division(family, slots, terms, theta, curves, choice, scratch):
    """Write the slot, the kind, the chain and the place (a condition) of a division to ``choice``.

    For a chain, what its coefficients explain goes to ``scratch[2, 0]``. Returns False if every slot has as many conditions as terms: the node is a leaf.
    """
    first, n_slots = family.first, family.max_terms
    n_chains = first.size - 1
    value, moved = scratch[0], scratch[1]
    best = -1.0
    for s in range(n_slots):
        if terms[s] == 0:
            continue
        size, chains, strongest, power = 0, 0, -1, -1.0
        has_both = False
        for f in range(n_chains):
            own = 0
            for c in range(first[f], first[f + 1]):
                up, down = slots[at.RISING, c] == s, slots[at.FALLING, c] == s
                own += up or down
                has_both = has_both or (up and down)
            if own == 0:
                continue
            size += own
            chains += 1
            part_of_slot(family, slots, theta, s, f, value)
            strength = variance(family, curves, f, value)
            if strength > power:
                strongest, power = f, strength
        if size <= terms[s]:
            continue
        # features before cuts: slots of several chains are divided first
        if chains > 1:
            score = 1e20 * (1.0 + power)
            if score > best:
                best = score
                choice[0], choice[1], choice[2], choice[3] = s, BY_CHAIN, strongest, 0
                scratch[2, 0] = power
            continue
        f = strongest
        part_of_slot(family, slots, theta, s, f, value)
        width = first[f + 1] - first[f]
        share = 1.0 / terms[s] ** 2
        if has_both:
            for v in range(width):
                moved[v] = min(value[v], 0.0)
            low = variance(family, curves, f, moved)
            for v in range(width):
                moved[v] = max(value[v], 0.0)
            high = variance(family, curves, f, moved)
            score = SIGNS * share * (math.sqrt(low * high) + 1e-9 * (low + high))
            if score > best:
                best = score
                choice[0], choice[1], choice[2], choice[3] = s, BY_SIGN, f, 0
        # intervals: what is beyond the place moves to the nearest condition that is left
        place = -1
        for c in range(first[f], first[f + 1]):
            if slots[at.RISING, c] != s and slots[at.FALLING, c] != s:
                continue
            if place >= 0:
                low = loss_of_moving(family, curves, f, value, 0, place + 1, c, moved)
                high = loss_of_moving(family, curves, f, value, c, first[f + 1], place, moved)
                score = (
                    share * (math.sqrt(low * high) + 1e-6 * min(low, high) + 1e-9 * max(low, high))
                    + 1e-30
                )
                if score > best:
                    best = score
                    choice[0], choice[1], choice[2], choice[3] = s, BY_INTERVAL, f, c
            place = c
    return best >= 0.0


@bare_inner_kernel
def part_of_slot(family, slots, theta, s, f, value):
    """Write the part of a chain's coefficients that belongs to a slot, by place in the chain."""
    first = family.first
    for c in range(first[f], first[f + 1]):
        t = theta[c]
        owner = slots[at.RISING, c] if t > 0.0 else slots[at.FALLING, c]
        value[c - first[f]] = t if owner == s else 0.0


@bare_inner_kernel
def variance(family, curves, f, value):
    """How much log-odds vary that are the sum of a chain's coefficients, weighted by curvature."""
    first = family.first
    width = first[f + 1] - first[f]
    base = first[f] + f
    total, mean, square, height = 0.0, 0.0, 0.0, 0.0
    for v in range(width, -1, -1):
        if v < width:
            height += value[v]
        weight = curves[base + v]
        total += weight
        mean += weight * height
        square += weight * height * height
    return max(0.0, square - mean * mean / total) if total > 0.0 else 0.0


@bare_inner_kernel
def loss_of_moving(family, curves, f, value, low, high, place, moved):
    """The variance of the change when coefficients of conditions ``low .. high - 1`` move to one."""
    first = family.first
    width = first[f + 1] - first[f]
    total = 0.0
    for v in range(width):
        moved[v] = 0.0
        if low <= first[f] + v < high:
            moved[v] = -value[v]
            total += value[v]
    moved[place - first[f]] += total
    return variance(family, curves, f, moved)
