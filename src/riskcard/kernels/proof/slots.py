"""Slots: sets of conditions from which some terms of the card come.

A slot is an interval of cuts ``LOW..HIGH`` of one column and side. Only a node of the hull has one
slot more, the *list*: conditions of several sides, see `hull.layout`. Slots of one node are disjoint
sets of conditions; their multiplicities say how many conditions of the card come from each.

A row with the event has the points of a slot when *some* condition of the slot gives them, a row
without the event when *every* condition does. The rows on which the conditions differ are
undecided. For the interval ``2..5`` of the side "<=", by the code of a row::

    code            0  1  2  3  4  5  6  7
    "<= 2"          x  x  x                   the first condition of the slot
    "<= 5"          x  x  x  x  x  x          the last one
    with the event  x  x  x  x  x  x          some condition gives the points
    without it      x  x  x                   every condition gives the points
    undecided                u  u  u          codes LOW + 1 .. HIGH

Splitting a slot makes the undecided rows fewer, and the bound of the node higher.
"""

import riskcard.kernels.proof.layout as at
from riskcard.kernels.jit import bare_inner_kernel, inlined_kernel


@bare_inner_kernel
def slot_size(conditions, slot):
    """Number of conditions in a slot; of a list, that of all."""
    if slot[at.SIDE] < 0:
        return float(conditions.cuts.size)
    return float(slot[at.HIGH] - slot[at.LOW] + 1)


@bare_inner_kernel
def undecided_rows(conditions, slot):
    """Number of rows on which the conditions of a slot do not agree."""
    offset = conditions.offsets[slot[at.SIDE] >> 1]
    total = 0
    for event in range(2):
        starts = conditions.starts[event]
        total += starts[offset + slot[at.HIGH] + 1] - starts[offset + slot[at.LOW] + 1]
    return float(total)


@bare_inner_kernel
def slot_reach(conditions, slot, max_cuts):
    """The most that the conditions of a slot may together add to the log-odds."""
    count = min(float(slot[at.MULTIPLICITY]), slot_size(conditions, slot))
    if slot[at.SIDE] < 0:
        return count * conditions.steepest
    return min(count, float(max_cuts)) * conditions.reach[slot[at.SIDE]]


@bare_inner_kernel
def split_slot_at(conditions, slot):
    """The last cut of the left half of an interval: half of the undecided rows on either side."""
    offset = conditions.offsets[slot[at.SIDE] >> 1]
    a = conditions.starts[at.EVENT]
    b = conditions.starts[at.OTHER]
    begin = a[offset + slot[at.LOW] + 1] + b[offset + slot[at.LOW] + 1]
    end = a[offset + slot[at.HIGH] + 1] + b[offset + slot[at.HIGH] + 1]
    low = slot[at.LOW]
    high = slot[at.HIGH] - 1
    while low < high:
        middle = (low + high) // 2
        if 2 * (a[offset + middle + 1] + b[offset + middle + 1] - begin) >= end - begin:
            high = middle
        else:
            low = middle + 1
    # the neighbour may divide the rows more evenly
    if low > slot[at.LOW]:
        above = 2 * (a[offset + low + 1] + b[offset + low + 1] - begin) - (end - begin)
        below = (end - begin) - 2 * (a[offset + low] + b[offset + low] - begin)
        if below < above:
            low -= 1
    return low


@bare_inner_kernel
def half_of_slot(conditions, slot, middle, is_right, multiplicity, half, move):
    """Write one half of a slot, and the rows that change sides in it (a range of `rows`).

    In a smaller set of conditions a row with the event may lose the points (no condition is left
    that gives them), and a row without the event may get them (all that are left give them).
    """
    half[at.MULTIPLICITY] = multiplicity
    half[at.SIDE] = slot[at.SIDE]
    half[at.LOW] = middle + 1 if is_right else slot[at.LOW]
    half[at.HIGH] = slot[at.HIGH] if is_right else middle
    is_above = slot[at.SIDE] & 1
    offset = conditions.offsets[slot[at.SIDE] >> 1]
    # codes above the last cut that the left half keeps, or up to the first that the right half
    # keeps
    first = slot[at.LOW] + 1 if is_right else middle + 1
    last = middle + 1 if is_right else slot[at.HIGH]
    # left of "<= cut" and right of "> cut": events lose points; otherwise the others gain them
    starts = conditions.starts[at.EVENT if is_above == is_right else at.OTHER]
    move[at.BEGIN] = starts[offset + first]
    move[at.END] = starts[offset + last + 1]


@bare_inner_kernel
def within_limits(conditions, slots, n_slots):
    """Can a card with these slots keep all limits? False only if no card of the node can.

    Slots are disjoint and a card never needs a cut twice, so a card with exactly ``max_terms``
    terms has as many different cuts on a feature as the multiplicities of the feature's slots add
    up to. A card with fewer terms is not lost. Where it can be filled up with terms that add
    nothing, on cuts of their own (``must_differ``), it is found as that card. Otherwise it is found
    in the node in which one of its conditions fills the multiplicity, so every slot counts for one
    cut only.
    """
    limits = conditions.limits
    n_features = 0
    for j in range(n_slots):
        if limits.must_differ and slots[j, at.MULTIPLICITY] > slot_size(conditions, slots[j]):
            return False
        if slots[j, at.SIDE] < 0:
            continue
        feature = conditions.families[slots[j, at.SIDE] >> 1, at.FEATURE]
        n_cuts = 0
        is_first = True
        for k in range(n_slots):
            if not is_on_feature(conditions, slots[k], feature):
                continue
            n_cuts += slots[k, at.MULTIPLICITY] if limits.must_differ else 1
            is_first = is_first and k >= j
            if k != j and limits.has_clashes and always_clash(conditions, slots[j], slots[k]):
                return False
        n_features += is_first
        if n_cuts > conditions.capacity[feature]:
            return False
    if n_features > limits.max_features:
        return False
    return not limits.is_by_card or keeps_card_limits(conditions, slots, n_slots)


@inlined_kernel
def is_on_feature(conditions, slot, feature):
    """Is the slot an interval of this feature? A list is not."""
    return slot[at.SIDE] >= 0 and conditions.families[slot[at.SIDE] >> 1, at.FEATURE] == feature


@bare_inner_kernel
def always_clash(conditions, slot, other):
    """Does a slot of one condition clash with every condition of another slot of its feature?"""
    if slot[at.LOW] != slot[at.HIGH]:
        return False
    family = conditions.families[slot[at.SIDE] >> 1]
    if family[at.CLASHES] < 0:
        return False
    column = (other[at.SIDE] >> 1) - family[at.FIRST_COLUMN]
    clash = conditions.clashes[family[at.CLASHES] + slot[at.LOW] * family[at.N_COLUMNS] + column]
    return other[at.LOW] > clash[at.CLASH_AFTER] and other[at.HIGH] < clash[at.CLASH_BEFORE]


@bare_inner_kernel
def keeps_card_limits(conditions, slots, n_slots):
    """Can a card with these slots keep the budget and the groups, and use all features it must?

    What is not decided yet, the terms of the list, is taken to cost nothing, to be in no
    group, and to be a feature that must be used. That can only keep more nodes open.
    """
    n_features = conditions.needs.size
    n_undecided = 0
    for j in range(n_slots):
        if slots[j, at.SIDE] < 0:
            n_undecided += slots[j, at.MULTIPLICITY]
    cost = 0.0
    n_missing = 0
    for feature in range(n_features):
        if is_used(conditions, slots, n_slots, feature):
            cost += conditions.costs[feature]
        else:
            n_missing += conditions.needs[feature]
    # does it lack a required feature, or cost too much?
    if n_missing > n_undecided or cost > conditions.limits.budget * (1.0 + 1e-12):
        return False
    # does it use too many features of a group?
    for g in range(conditions.groups.shape[0]):
        count = 0
        for feature in range(n_features):
            if conditions.groups[g, feature] and is_used(conditions, slots, n_slots, feature):
                count += 1
        if count > conditions.most_of_group[g]:
            return False
    return True


@bare_inner_kernel
def is_used(conditions, slots, n_slots, feature):
    """Is one of the slots an interval of this feature?"""
    count = 0
    for j in range(n_slots):
        count += is_on_feature(conditions, slots[j], feature)
    return count > 0
