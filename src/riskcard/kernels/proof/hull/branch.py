"""How a node of the hull is divided: first by sides, then where the masses of a slot lie apart."""

import math

import numpy as np

import riskcard.kernels.proof.hull.layout as hull
import riskcard.kernels.proof.layout as at
from riskcard.kernels.jit import bare_inner_kernel, inlined_kernel
from riskcard.kernels.proof.slots import within_limits

#: Opposite slots that share more than this part of the rows are told apart first.
SHARED_ROWS = 1.0 / 16.0


@inlined_kernel
def rows_between(patterns, column, low, high):
    """How many rows have codes from low + 1 to high."""
    offset = patterns.offsets[column]
    return patterns.starts[offset + high + 1] - patterns.starts[offset + low + 1]


@bare_inner_kernel
def cut_at(patterns, column, low, high, rows):
    """The cut from low to high - 1 with about a given number of rows between low and itself."""
    offset = patterns.offsets[column]
    goal = patterns.starts[offset + low + 1] + rows
    a, b = low, high - 1
    while a < b:
        middle = (a + b) // 2
        if patterns.starts[offset + middle + 1] >= goal:
            b = middle
        else:
            a = middle + 1
    if a > low and goal - patterns.starts[offset + a] < patterns.starts[offset + a + 1] - goal:
        a -= 1
    return a


@bare_inner_kernel
def choose_side(patterns, nodes, index):
    """The side of the list with the largest mass, or the first that is left; -1 if none is."""
    best = -1
    most = 0.0
    for c in range(nodes.n_columns[index]):
        if nodes.columns[index, c, hull.COLUMN_SLOT] != hull.LIST:
            continue
        side = nodes.columns[index, c, hull.COLUMN_SIDE]
        mass = 0.0
        for d in range(nodes.n_columns[index]):
            is_same = nodes.columns[index, d, hull.COLUMN_SLOT] == hull.LIST
            if is_same and nodes.columns[index, d, hull.COLUMN_SIDE] == side:
                mass += nodes.thetas[index, d]
        if mass > most:
            most = mass
            best = side
    if best >= 0:
        return int(best)
    return first_side(patterns, nodes, np.int64(index))


@bare_inner_kernel
def first_side(patterns, nodes, index):
    """The first side of the list that is left; -1 if none is."""
    for s in range(patterns.sides.size):
        side = patterns.sides[s]
        word = nodes.excluded[index, side >> 6]
        if not (word >> np.uint64(side & 63)) & np.uint64(1):
            return int(side)
    return -1


@bare_inner_kernel
def find_overlap(patterns, nodes, index):
    """Opposite slots of one column that share many rows: the slot to divide, and where."""
    n_rows = patterns.events.size
    best_slot, best_cut = -1, -1
    most = SHARED_ROWS * n_rows
    for j in range(hull.FIRST_INTERVAL, nodes.counts[index]):
        own = nodes.slots[index, j]
        for k in range(j + 1, nodes.counts[index]):
            other = nodes.slots[index, k]
            if own[at.SIDE] ^ 1 != other[at.SIDE]:
                continue
            low = np.int64(max(own[at.LOW], other[at.LOW]))
            high = np.int64(min(own[at.HIGH], other[at.HIGH]))
            if high <= low:
                continue
            column = own[at.SIDE] >> 1
            shared = rows_between(patterns, column, low, high)
            if shared > most:
                most = shared
                first = rows_between(patterns, column, own[at.LOW], own[at.HIGH])
                second = rows_between(patterns, column, other[at.LOW], other[at.HIGH])
                best_slot = j if first >= second else k
                best_cut = cut_at(patterns, column, low, high, shared // 2)
    return best_slot, best_cut


@bare_inner_kernel
def find_gap(patterns, nodes, index):
    """The slot and the gap between its masses where both halves would lose the most."""
    best = 0.0
    best_slot, best_cut = -1, -1
    n_columns = nodes.n_columns[index]
    for c in range(n_columns):
        slot = int(nodes.columns[index, c, hull.COLUMN_SLOT])
        side = nodes.columns[index, c, hull.COLUMN_SIDE]
        column = side >> 1
        left = np.int64(nodes.columns[index, c, hull.COLUMN_CUT])
        # the next cut of the slot above this one
        right = np.int64(-1)
        mass_left, mass_right = 0.0, 0.0
        for d in range(n_columns):
            if nodes.columns[index, d, hull.COLUMN_SLOT] == slot:
                cut = int(nodes.columns[index, d, hull.COLUMN_CUT])
                if cut > left:
                    mass_right += nodes.thetas[index, d]
                    if right < 0 or cut < right:
                        right = cut
                else:
                    mass_left += nodes.thetas[index, d]
        if right < 0:
            continue
        rows = rows_between(patterns, column, left, right)
        middle = cut_at(
            patterns, column, left, right, int(rows * mass_right / (mass_left + mass_right))
        )
        loss_left, loss_right = 0.0, 0.0
        for d in range(n_columns):
            if nodes.columns[index, d, hull.COLUMN_SLOT] == slot:
                cut = int(nodes.columns[index, d, hull.COLUMN_CUT])
                theta = nodes.thetas[index, d]
                if cut > middle:
                    loss_left += theta * rows_between(patterns, column, middle, cut)
                else:
                    loss_right += theta * rows_between(patterns, column, cut, middle + 1)
        value = math.sqrt(mass_right * loss_left * mass_left * loss_right)
        if value > best:
            best = value
            best_slot = slot
            best_cut = middle
    return best_slot, best_cut


@bare_inner_kernel
def find_single(patterns, nodes, index):
    """The slot with the most rows times mass, and a cut that separates its only column."""
    best = -1.0
    best_slot, best_cut = -1, -1
    for slot in range(hull.FIRST_INTERVAL, nodes.counts[index]):
        record = nodes.slots[index, slot]
        low, high = np.int64(record[at.LOW]), np.int64(record[at.HIGH])
        if low == high:
            continue
        column = record[at.SIDE] >> 1
        mass = 0.0
        active = -1
        for c in range(nodes.n_columns[index]):
            if nodes.columns[index, c, hull.COLUMN_SLOT] == slot:
                mass += nodes.thetas[index, c]
                active = int(nodes.columns[index, c, hull.COLUMN_CUT])
        rows = rows_between(patterns, column, low, high)
        value = rows * (mass + 1e-3)
        if value <= best:
            continue
        best = value
        best_slot = slot
        if active < 0:
            best_cut = cut_at(patterns, column, low, high, rows // 2)
        else:
            above = rows_between(patterns, column, active, high)
            below = rows_between(patterns, column, low, active)
            best_cut = active if above >= below else active - 1
    return best_slot, best_cut


@bare_inner_kernel
def copy_hull_node(nodes, here, others, there):
    """Copy a node."""
    n_slots = int(nodes.counts[here])
    others.counts[there] = n_slots
    others.bounds[there] = nodes.bounds[here]
    others.offsets[there] = nodes.offsets[here]
    others.is_new[there] = nodes.is_new[here]
    others.n_columns[there] = nodes.n_columns[here]
    for slot in range(n_slots):
        for field in range(at.SLOT_FIELDS):
            others.slots[there, slot, field] = nodes.slots[here, slot, field]
    for word in range(nodes.excluded.shape[1]):
        others.excluded[there, word] = nodes.excluded[here, word]
    for c in range(nodes.n_columns[here]):
        others.thetas[there, c] = nodes.thetas[here, c]
        for field in range(3):
            others.columns[there, c, field] = nodes.columns[here, c, field]


@bare_inner_kernel
def take_out_side(conditions, patterns, nodes, index, side, count):
    """Change a node: ``count`` terms of the list are of the given side, no other is.

    Returns False if no card is left.
    """
    n_slots = int(nodes.counts[index])
    record = nodes.slots[index, hull.LIST]
    before = int(record[at.MULTIPLICITY])
    record[at.MULTIPLICITY] = before - count
    nodes.excluded[index, side >> 6] |= np.uint64(1) << np.uint64(side & 63)
    if count > 0:
        slot = nodes.slots[index, n_slots]
        slot[at.SIDE] = side
        slot[at.LOW] = 0
        slot[at.HIGH] = patterns.n_codes[side >> 1] - 2
        slot[at.MULTIPLICITY] = count
        nodes.counts[index] = n_slots + 1
    kept = 0
    for c in range(nodes.n_columns[index]):
        is_listed = nodes.columns[index, c, hull.COLUMN_SLOT] == hull.LIST
        is_own = is_listed and nodes.columns[index, c, hull.COLUMN_SIDE] == side
        if (is_own and count == 0) or (is_listed and not is_own and before == count):
            continue
        nodes.thetas[index, kept] = nodes.thetas[index, c]
        for field in range(3):
            nodes.columns[index, kept, field] = nodes.columns[index, c, field]
        if is_own:
            nodes.columns[index, kept, hull.COLUMN_SLOT] = n_slots
        kept += 1
    nodes.n_columns[index] = kept
    # is any side left for the other terms?
    if before > count and first_side(patterns, nodes, index) < 0:
        return False
    return has_cards(conditions, nodes, index)


@bare_inner_kernel
def divide_slot(conditions, nodes, index, j, middle, count):
    """Change a node: ``count`` terms of slot j have cuts up to the middle, the others above."""
    n_slots = int(nodes.counts[index])
    record = nodes.slots[index, j]
    rest = int(record[at.MULTIPLICITY]) - count
    right = j
    if count > 0 and rest > 0:
        right = n_slots
        for field in range(at.SLOT_FIELDS):
            nodes.slots[index, right, field] = record[field]
        nodes.counts[index] = n_slots + 1
    if count > 0:
        record[at.HIGH] = middle
        record[at.MULTIPLICITY] = count
    if rest > 0:
        nodes.slots[index, right, at.LOW] = middle + 1
        nodes.slots[index, right, at.MULTIPLICITY] = rest
    for c in range(nodes.n_columns[index]):
        if nodes.columns[index, c, hull.COLUMN_SLOT] != j:
            continue
        cut = nodes.columns[index, c, hull.COLUMN_CUT]
        if cut <= middle and count == 0:
            nodes.columns[index, c, hull.COLUMN_CUT] = middle + 1
        elif cut > middle and rest == 0:
            nodes.columns[index, c, hull.COLUMN_CUT] = middle
        elif cut > middle:
            nodes.columns[index, c, hull.COLUMN_SLOT] = right
    return has_cards(conditions, nodes, index)


@bare_inner_kernel
def has_cards(conditions, nodes, index):
    """Can a card of the node keep all limits? A cut is never used twice, on whichever side."""
    n_slots = int(nodes.counts[index])
    slots = nodes.slots[index]
    for j in range(hull.FIRST_INTERVAL, n_slots):
        if slots[j, at.LOW] != slots[j, at.HIGH]:
            continue
        for k in range(hull.FIRST_INTERVAL, j):
            if (
                slots[k, at.SIDE] ^ 1 == slots[j, at.SIDE]
                and slots[k, at.LOW] == slots[j, at.LOW]
                and slots[k, at.HIGH] == slots[j, at.HIGH]
            ):
                return False
    return within_limits(conditions, slots, n_slots)


@bare_inner_kernel
def undecided_in(patterns, nodes, index):
    """How many rows all slots together leave undecided."""
    total = 0
    for j in range(hull.FIRST_INTERVAL, nodes.counts[index]):
        slot = nodes.slots[index, j]
        total += rows_between(patterns, slot[at.SIDE] >> 1, slot[at.LOW], slot[at.HIGH])
    return total
