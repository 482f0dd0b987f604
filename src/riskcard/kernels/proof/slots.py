"""Slots: sets of conditions from which some terms of the card come.

A slot is either a cluster of conditions of several features, or an interval of cuts ``low..high`` of
one feature and side. Its fields: cluster (-1 for an interval), side (2 * feature, + 1 for "above the
cut"), low, high, multiplicity (how many conditions of the card come from it). Slots of one node are
disjoint sets of conditions.

A row with the event has the points of a slot when *some* condition of it gives them, a row without
the event when *every* condition does; the rows on which these differ are undecided.
"""

from typing import NamedTuple

import numpy as np

from riskcard.kernels.jit import bare_inner_kernel


class Conditions(NamedTuple):
    """Every condition of the problem, as arrays; rows with the event come first."""

    codes: np.ndarray  # (features, rows)
    weights: np.ndarray  # (rows,)
    rows: np.ndarray  # row numbers: each feature's in order of code, by class; then clusters' flips
    starts: np.ndarray  # (2, .) where in `rows` the codes >= a code of a feature begin, by class
    offsets: np.ndarray  # (features,) where a feature's codes begin in `starts`
    capacity: np.ndarray  # (features,) the most terms that a card may have on a feature
    families: np.ndarray  # (columns, 4) feature, its first column, its columns, where clashes begin
    clashes: np.ndarray  # (., 2) by condition and column of its feature, see `Atoms.clashes`
    needs: np.ndarray  # (features,) 1 if a card must use the feature
    costs: np.ndarray  # (features + 1,) what each feature costs, and the budget
    groups: np.ndarray  # (groups, features + 1) members, and how many of them may be used
    reach: np.ndarray  # (sides,) the largest step in log-odds that one condition may make
    children: np.ndarray  # (clusters, 2)
    blocks: np.ndarray  # (clusters, 3) side, low, high of a cluster that is an interval; or -1
    flips: np.ndarray  # (clusters, 2) range in `rows`: the rows that differ from the parent cluster
    facts: np.ndarray  # (clusters, 3) conditions, undecided rows, largest reach
    members: np.ndarray  # (clusters, words) bits of the rows that have the points
    mixed_rows: (
        np.ndarray
    )  # (2, .) for "<=" and ">": each feature's rows in order of code, both classes
    mixed_weights: np.ndarray  # (2, .) their weights
    limits: (
        np.ndarray
    )  # max_terms, max_features, max_cuts_per_feature, events, must_differ, has_clashes, is_by_card
    scale: np.ndarray  # unit of the points in log-odds (0 if free), log-odds of the base rate


@bare_inner_kernel
def slot_size(conditions, slot):
    """Number of conditions in a slot."""
    if slot[0] >= 0:
        return conditions.facts[slot[0], 0]
    return float(slot[3] - slot[2] + 1)


@bare_inner_kernel
def undecided_rows(conditions, slot):
    """Number of rows on which the conditions of a slot do not agree."""
    if slot[0] >= 0:
        return conditions.facts[slot[0], 1]
    at = conditions.offsets[slot[1] >> 1]
    total = 0
    for event in range(2):
        starts = conditions.starts[event]
        total += starts[at + slot[3] + 1] - starts[at + slot[2] + 1]
    return float(total)


@bare_inner_kernel
def slot_reach(conditions, slot, max_cuts):
    """The most that the conditions of a slot may together add to the log-odds."""
    count = min(float(slot[4]), slot_size(conditions, slot))
    if slot[0] >= 0:
        return count * conditions.facts[slot[0], 2]
    return min(count, float(max_cuts)) * conditions.reach[slot[1]]


@bare_inner_kernel
def split_slot_at(conditions, slot):
    """The last cut of the left half of an interval: half of the undecided rows on either side."""
    at = conditions.offsets[slot[1] >> 1]
    a = conditions.starts[0]
    b = conditions.starts[1]
    begin = a[at + slot[2] + 1] + b[at + slot[2] + 1]
    end = a[at + slot[3] + 1] + b[at + slot[3] + 1]
    low = slot[2]
    high = slot[3] - 1
    while low < high:
        middle = (low + high) // 2
        if 2 * (a[at + middle + 1] + b[at + middle + 1] - begin) >= end - begin:
            high = middle
        else:
            low = middle + 1
    # the neighbour may divide the rows more evenly
    if low > slot[2]:
        above = 2 * (a[at + low + 1] + b[at + low + 1] - begin) - (end - begin)
        below = (end - begin) - 2 * (a[at + low] + b[at + low] - begin)
        if below < above:
            low -= 1
    return low


@bare_inner_kernel
def half_of_slot(conditions, slot, middle, is_right, multiplicity, half, move):
    """Write one half of a slot, and the rows that change sides in it (a range of `rows`).

    In a smaller set of conditions a row with the event may lose the points (no condition is left
    that gives them), and a row without it may get them (all that are left give them).
    """
    half[4] = multiplicity
    if slot[0] >= 0:
        child = conditions.children[slot[0], is_right]
        is_interval = conditions.blocks[child, 0] >= 0
        half[0] = -1 if is_interval else child
        half[1] = conditions.blocks[child, 0]
        half[2] = conditions.blocks[child, 1]
        half[3] = conditions.blocks[child, 2]
        move[0] = conditions.flips[child, 0]
        move[1] = conditions.flips[child, 1]
        return
    half[0] = -1
    half[1] = slot[1]
    half[2] = middle + 1 if is_right else slot[2]
    half[3] = slot[3] if is_right else middle
    is_above = slot[1] & 1
    at = conditions.offsets[slot[1] >> 1]
    # rows above the kept cuts in the left half; rows at or below the first kept cut in the right
    first = slot[2] + 1 if is_right else middle + 1
    last = middle + 1 if is_right else slot[3]
    # left of "<= cut" and right of "> cut": events lose; the others: rows without the event gain
    starts = conditions.starts[0 if is_above == is_right else 1]
    move[0] = starts[at + first]
    move[1] = starts[at + last + 1]


@bare_inner_kernel
def within_limits(conditions, slots, n_slots):
    """Can a card with these slots keep the limits on features and on cuts of one feature?

    Slots are disjoint and a card never needs a cut twice, so a card with exactly ``max_terms``
    terms has as many different cuts on a feature as the multiplicities of the feature's slots add
    up to. A card with fewer terms is not lost: where it can be filled up with terms that add
    nothing, on cuts of its own (``must_differ``), it is found as that card; otherwise as the node
    in which one of its conditions fills the multiplicity, and then every slot counts for one cut
    only.
    """
    max_features = conditions.limits[1]
    must_differ = conditions.limits[4] == 1
    n_features = 0
    for j in range(n_slots):
        if must_differ and slots[j, 4] > slot_size(conditions, slots[j]):
            return False
        if slots[j, 0] >= 0:
            continue
        feature = conditions.families[slots[j, 1] >> 1, 0]
        n_cuts = 0
        is_first = True
        for k in range(n_slots):
            if slots[k, 0] < 0 and conditions.families[slots[k, 1] >> 1, 0] == feature:
                n_cuts += slots[k, 4] if must_differ else 1
                is_first = is_first and k >= j
                if (
                    k != j
                    and conditions.limits[5] == 1
                    and always_clash(conditions, slots[j], slots[k])
                ):
                    return False
        n_features += is_first
        if n_cuts > conditions.capacity[feature]:
            return False
    if n_features > max_features:
        return False
    return conditions.limits[6] == 0 or keeps_card_limits(conditions, slots, n_slots)


@bare_inner_kernel
def always_clash(conditions, slot, other):
    """Does a slot of one condition clash with every condition of another slot of its feature?"""
    if slot[2] != slot[3]:
        return False
    first, n_columns, begin = conditions.families[slot[1] >> 1, 1:]
    if begin < 0:
        return False
    at = begin + slot[2] * n_columns + (other[1] >> 1) - first
    return other[2] > conditions.clashes[at, 0] and other[3] < conditions.clashes[at, 1]


@bare_inner_kernel
def keeps_card_limits(conditions, slots, n_slots):
    """Can a card with these slots keep the budget, the groups, and use all that it must?

    What is not decided yet, the slots of several features, is taken to cost nothing, to be in no
    group, and to be a feature that must be used: that only keeps more nodes open.
    """
    n_features = conditions.needs.size
    n_undecided = 0
    for j in range(n_slots):
        if slots[j, 0] >= 0:
            n_undecided += slots[j, 4]
    cost = 0.0
    n_missing = 0
    for feature in range(n_features):
        if is_used(conditions, slots, n_slots, feature):
            cost += conditions.costs[feature]
        else:
            n_missing += conditions.needs[feature]
    if n_missing > n_undecided or cost > conditions.costs[n_features] * (1.0 + 1e-12):
        return False
    for g in range(conditions.groups.shape[0]):
        count = 0
        for feature in range(n_features):
            if conditions.groups[g, feature] and is_used(conditions, slots, n_slots, feature):
                count += 1
        if count > conditions.groups[g, n_features]:
            return False
    return True


@bare_inner_kernel
def is_used(conditions, slots, n_slots, feature):
    """Is one of the slots an interval of this feature?"""
    for j in range(n_slots):
        if slots[j, 0] < 0 and conditions.families[slots[j, 1] >> 1, 0] == feature:
            return True
    return False
