"""Nodes on the path of a thread: load and save them, make their children, move rows between cells.

The path is a stack of nodes, one per depth, from the node that was loaded (depth 0) to the one that
is being explored. ``cell_of_row`` holds, for every row, the slots that give it points in the node
last entered; the bit above all slots is set for rows without the event. With ``max_terms`` 3::

    bit    3        2        1        0
           class    slot 2   slot 1   slot 0

Entering a child changes the cells of a few rows only, and leaving it changes them back::

    parent   slots  a        b              child   slots  a        b-left   b-right
                    bit 0    bit 1                         bit 0    bit 1    bit 2

    1. copy bit 1 of every row into bit 2 (SOURCE 1, ADDED 2)
    2. flip bit 1 of the rows that change sides in b-left, bit 2 of those in b-right (moves)

Where all conditions of b come from one half, that half takes b's place, and there is no copy.
"""

import numpy as np

import riskcard.kernels.proof.layout as at
from riskcard.kernels.jit import bare_inner_kernel, inlined_kernel
from riskcard.kernels.proof.slots import half_of_slot, slot_reach, within_limits


@inlined_kernel
def copy_node(nodes, here, others, there):
    """Copy a node to another place; whether its relaxation is solved is not copied."""
    n_slots = int(nodes.counts[here])
    others.counts[there] = n_slots
    others.bounds[there] = nodes.bounds[here]
    for j in range(n_slots):
        for field in range(at.SLOT_FIELDS):
            others.slots[there, j, field] = nodes.slots[here, j, field]
    for v in range(n_slots + 1):
        others.w[there, v] = nodes.w[here, v]
        others.box[there, at.LEAST, v] = nodes.box[here, at.LEAST, v]
        others.box[there, at.MOST, v] = nodes.box[here, at.MOST, v]


@bare_inner_kernel
def load_node(conditions, work, nodes, index):
    """Begin the path with an open node: copy it to depth 0, and find the cell of every row."""
    copy_node(nodes, index, work.path, np.int64(0))
    max_terms = conditions.limits.max_terms
    n_events = conditions.n_events
    cell_of_row = work.cell_of_row
    n_rows = cell_of_row.size
    n_slots = int(work.path.counts[0])
    class_bit = 1 << max_terms
    for row in range(n_rows):
        cell_of_row[row] = 0 if row < n_events else class_bit
    # which rows have the points of each slot?
    for j in range(n_slots):
        slot = work.path.slots[0, j]
        bit = 1 << j
        codes = conditions.codes[slot[at.SIDE] >> 1]
        is_above = slot[at.SIDE] & 1 == 1
        for row in range(n_rows):
            # some condition for rows with the event, every condition for the others
            cut = slot[at.LOW] if is_above == (row < n_events) else slot[at.HIGH]
            if (codes[row] > cut) == is_above:
                cell_of_row[row] |= bit
    # how much weight is in each cell?
    cells = work.cells[0]
    cells[:, : 1 << n_slots] = 0.0
    for row in range(n_rows):
        cell = int(cell_of_row[row])
        cells[cell >> max_terms, cell & (class_bit - 1)] += conditions.weights[row]


@bare_inner_kernel
def make_child(conditions, work, depth, to_left):
    """Write the child with ``to_left`` conditions from the left half into depth + 1.

    Returns False if the limits rule it out. The rows are not moved yet, see `enter_child`.
    """
    child = depth + 1
    path = work.path
    copy_node(path, depth, path, child)
    work.moves[child, :, :] = 0
    work.columns[child, at.ADDED] = 0
    j, middle = work.branch[depth, at.WHICH], work.branch[depth, at.WHERE]
    if work.branch[depth, at.KIND] == at.SPLIT_POINTS:
        if to_left:
            path.box[child, at.MOST, j] = middle * conditions.unit
        else:
            path.box[child, at.LEAST, j] = (middle + 1) * conditions.unit
        return True
    n_slots = int(path.counts[depth])
    slot = path.slots[depth, j]
    slots = path.slots[child]
    multiplicity = slot[at.MULTIPLICITY]
    # which halves have conditions? left (0), right (1), or both
    first = 1 if to_left == 0 else 0
    last = 0 if to_left == multiplicity else 1
    for is_right in range(first, last + 1):
        # the first half takes the place of the slot, a second one comes after all slots
        place = n_slots if is_right > first else j
        move = work.moves[child, is_right - first]
        count = multiplicity - to_left if is_right == 1 else to_left
        half_of_slot(conditions, slot, middle, is_right, count, slots[place], move)
        move[at.BIT] = 1 << place
        reach = slot_reach(conditions, slots[place], conditions.limits.max_cuts_per_feature)
        path.w[child, place + 1] = path.w[depth, j + 1] * count / multiplicity
        if multiplicity == 1:
            # what the term adds may have been confined already
            reach = min(reach, path.box[depth, at.MOST, j + 1])
        else:
            path.box[child, at.LEAST, place + 1] = 0.0
        path.box[child, at.MOST, place + 1] = reach
    if last > first:
        work.columns[child, at.SOURCE] = j
        work.columns[child, at.ADDED] = n_slots
        path.counts[child] = n_slots + 1
    return within_limits(conditions, slots, int(path.counts[child]))


@bare_inner_kernel
def enter_child(conditions, work, child):
    """Bring `cell_of_row` from the parent to the child, and count the child's cells.

    A new column begins as a copy of its source; then only the rows that change sides are touched.
    Returns the work done.
    """
    max_terms = conditions.limits.max_terms
    before = work.cells[child - 1]
    after = work.cells[child]
    n_before = 1 << int(work.path.counts[child - 1])
    cell_of_row = work.cell_of_row
    source, added = work.columns[child, at.SOURCE], work.columns[child, at.ADDED]
    if added:
        after[:, : 2 * n_before] = 0.0
        for event in range(2):
            for cell in range(n_before):
                after[event, cell | (((cell >> source) & 1) << added)] = before[event, cell]
        for row in range(cell_of_row.size):
            cell_of_row[row] |= ((cell_of_row[row] >> source) & 1) << added
    else:
        for event in range(2):
            for cell in range(n_before):
                after[event, cell] = before[event, cell]
    work_done = n_before
    for half in range(2):
        move = work.moves[child, half]
        bit = move[at.BIT]
        for place in range(move[at.BEGIN], move[at.END]):
            row = conditions.rows[place]
            weight = conditions.weights[row]
            whole = int(cell_of_row[row])
            cell_of_row[row] = whole ^ bit
            event = whole >> max_terms
            cell = whole & ((1 << max_terms) - 1)
            after[event, cell] -= weight
            after[event, cell ^ bit] += weight
        work_done += move[at.END] - move[at.BEGIN]
    return work_done


@bare_inner_kernel
def leave_child(conditions, work, child):
    """Bring `cell_of_row` from the child back to the parent."""
    cell_of_row = work.cell_of_row
    for half in range(2):
        move = work.moves[child, half]
        bit = move[at.BIT]
        for place in range(move[at.BEGIN], move[at.END]):
            cell_of_row[conditions.rows[place]] ^= bit
    added = work.columns[child, at.ADDED]
    if added:
        keep = ~(1 << added)
        for row in range(cell_of_row.size):
            cell_of_row[row] &= keep
