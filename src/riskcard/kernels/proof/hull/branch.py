"""How a node of the hull is divided: first by sides, then where the masses of a slot lie apart."""

import numpy as np

import riskcard.kernels.proof.hull.layout as hull
import riskcard.kernels.proof.layout as at
from riskcard.kernels.jit import bare_inner_kernel, inlined_kernel
from riskcard.kernels.proof.slots import within_limits


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
def find_side(work):
    """The side of the list that the model can spare least; -1 if none has a mass.

    Without it the log-odds change by what its steps add, but for a constant that the offset takes over.
    To second order that costs half the variance of that change, weighted by the curvature of the rows' losses.
    """
    best = 0.0
    best_side = -1
    for part in range(work.sizes[hull.N_PARTS]):
        if work.parts[part, hull.PART_SLOT] != hull.LIST or work.parts[part, hull.PART_SIZE] == 0:
            continue
        whole, first, second = 1e-300, 0.0, 0.0
        for cell in range(work.sizes[hull.N_CELLS]):
            weight = work.events[cell] + work.others[cell]
            curve = weight * work.chance[cell] * work.rest[cell]
            value = work.values[part, work.levels[part, cell]]
            whole += curve
            first += curve * value
            second += curve * value * value
        value = second - first * first / whole
        if value > best:
            best = value
            best_side = work.parts[part, hull.PART_SIDE]
    return best_side


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
def weigh_codes(patterns, nodes, index, slot, work):
    """Write the mass of each cut of an interval and the curvature of each code; returns all of its mass.

    0 if it has fewer than two columns.
    """
    low, high = (
        np.int64(nodes.slots[index, slot, at.LOW]),
        np.int64(nodes.slots[index, slot, at.HIGH]),
    )
    column = nodes.slots[index, slot, at.SIDE] >> 1
    mass, curve = work.mass_by_code, work.curve_by_code
    for code in range(low, high + 1):
        mass[code] = 0.0
    total = 0.0
    count = 0
    for c in range(nodes.n_columns[index]):
        if nodes.columns[index, c, hull.COLUMN_SLOT] == slot:
            mass[nodes.columns[index, c, hull.COLUMN_CUT]] += nodes.thetas[index, c]
            total += nodes.thetas[index, c]
            count += 1
    if count < 2:
        return 0.0
    order, starts = patterns.order[column], patterns.starts
    offset = patterns.offsets[column]
    for code in range(low + 1, high + 1):
        own = 0.0
        for place in range(starts[offset + code], starts[offset + code + 1]):
            row = order[place]
            cell = work.key[row]
            weight = patterns.events[row] + patterns.others[row]
            own += weight * work.chance[cell] * work.rest[cell]
        curve[code] = own
    return total


@bare_inner_kernel
def find_gap(patterns, nodes, index, work):
    """The slot and the cut where both halves would cost the most; -1 if no slot has two columns.

    Where a slot keeps its cuts up to t only, its mass beyond moves there: with the mass ``g`` below each
    row, and ``m`` in all, the log-odds of the rows above t change by ``m - g``, those of the others do not. To
    second order that costs half the curvature of the row's loss times ``(m - g)^2``. In the other half the rows up
    to t + 1 change by ``g``. A slot with several terms can leave mass in both halves, so it counts for less.
    """
    best = 0.0
    best_slot, best_cut = -1, -1
    mass, curve = work.mass_by_code, work.curve_by_code
    for slot in range(hull.FIRST_INTERVAL, nodes.counts[index]):
        low, high = int(nodes.slots[index, slot, at.LOW]), int(nodes.slots[index, slot, at.HIGH])
        total = weigh_codes(patterns, nodes, index, slot, work) if low < high else 0.0
        if total <= 0.0:
            continue
        below, left = 0.0, 0.0
        for code in range(low + 1, high + 1):
            below += mass[code - 1]
            left += curve[code] * (total - below) ** 2
        below, right = 0.0, 0.0
        for middle in range(low, high):
            below += mass[middle]
            right += curve[middle + 1] * below**2
            value = (
                left * right / (left + right + 1e-300) / nodes.slots[index, slot, at.MULTIPLICITY]
            )
            if value > best:
                best = value
                best_slot, best_cut = slot, middle
            left -= curve[middle + 1] * (total - below) ** 2
    return best_slot, best_cut


@bare_inner_kernel
def find_single(patterns, nodes, index):
    """The slot with the most rows times mass, and a cut that separates its only column; -1 if all are decided."""
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
def plan_division(patterns, nodes, index, work):
    """Note where a node that was just bounded is best divided, while its model is in the workspace."""
    slot, place = -1, -1
    if nodes.slots[index, hull.LIST, at.MULTIPLICITY] == 0:
        slot, place = find_gap(patterns, nodes, index, work)
    else:
        place = find_side(work)
        slot = hull.LIST if place >= 0 else -1
    nodes.division[index, 0], nodes.division[index, 1] = slot, place


@bare_inner_kernel
def choose_division(patterns, nodes, index):
    """How to divide a node: a side of the list, or a slot and its last cut on the left."""
    slot, place = int(nodes.division[index, 0]), int(nodes.division[index, 1])
    if nodes.slots[index, hull.LIST, at.MULTIPLICITY] > 0:
        side = place if slot == hull.LIST else first_side(patterns, nodes, index)
        return side, hull.LIST, 0
    if slot < 0:
        slot, place = find_single(patterns, nodes, index)
    return -1, slot, place


@bare_inner_kernel
def copy_hull_node(nodes, here, others, there):
    """Copy a node."""
    n_slots = int(nodes.counts[here])
    others.counts[there] = n_slots
    others.bounds[there] = nodes.bounds[here]
    others.offsets[there] = nodes.offsets[here]
    others.state[there] = nodes.state[here]
    others.division[there, 0], others.division[there, 1] = (
        nodes.division[here, 0],
        nodes.division[here, 1],
    )
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
