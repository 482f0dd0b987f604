"""Open nodes: load and save them, make their children, move rows from cell to cell.

A node is a set of slots with, for each, an interval of what it adds to the log-odds. While a thread
explores, the nodes on its path are kept by depth, and ``cell_of_row`` holds for every row the slots
that give it points in the node last entered; the bit above all slots is set for rows without the
event.
"""

from typing import NamedTuple

import numpy as np

from riskcard.kernels.jit import bare_inner_kernel
from riskcard.kernels.proof.slots import half_of_slot, slot_reach, within_limits

SPLIT_SLOT = 0  # replace a slot by its halves
SPLIT_POINTS = 1  # divide the interval of a coefficient between two whole numbers of points


class Workspace(NamedTuple):
    """What one thread writes while it explores; the first axis of most arrays is the depth."""

    cell_of_row: np.ndarray  # (rows,)
    slots: np.ndarray  # (depth, terms, 5)
    counts: np.ndarray  # (depth,) number of slots
    cells: np.ndarray  # (depth, 2, cells)
    w: np.ndarray  # (depth, terms + 1)
    box: np.ndarray  # (depth, 2, terms + 1)
    tables: np.ndarray  # (depth, 6, cells) losses and chances at w, see tabulate_losses
    bounds: np.ndarray  # (depth,)
    branch: np.ndarray  # (depth, 5) kind, slot or variable, where to split, next child, last child
    moves: np.ndarray  # (depth, 3, 3) rows moved on entering: begin, end, bit; then the new column
    gradient: np.ndarray
    hessian: np.ndarray
    direction: np.ndarray
    factor: np.ndarray
    trial: np.ndarray
    costs: np.ndarray  # (terms + 1,) see price_conflicts
    chances: np.ndarray  # (2 * cells,) scratch of price_conflicts


@bare_inner_kernel
def load_node(conditions, work, record, numbers):
    """Write an open node into depth 0: its slots, its box, and the cell of every row.

    Returns whether its relaxation was solved before it was saved.
    """
    max_terms = conditions.limits[0]
    n_events = conditions.limits[3]
    n_slots = abs(record[0])
    slots = work.slots[0]
    work.counts[0] = n_slots
    work.bounds[0] = numbers[0]
    for v in range(n_slots + 1):
        work.w[0, v] = numbers[1 + v]
        work.box[0, 0, v] = numbers[2 + max_terms + v]
        work.box[0, 1, v] = numbers[3 + 2 * max_terms + v]
    cell_of_row = work.cell_of_row
    n_rows = cell_of_row.size
    class_bit = 1 << max_terms
    for row in range(n_rows):
        cell_of_row[row] = 0 if row < n_events else class_bit
    for j in range(n_slots):
        for field in range(5):
            slots[j, field] = record[1 + 5 * j + field]
        bit = 1 << j
        if slots[j, 0] >= 0:
            members = conditions.members[slots[j, 0]]
            for row in range(n_rows):
                if (members[row >> 6] >> np.uint64(row & 63)) & np.uint64(1):
                    cell_of_row[row] |= bit
            continue
        codes = conditions.codes[slots[j, 1] >> 1]
        is_above = slots[j, 1] & 1
        low, high = slots[j, 2], slots[j, 3]
        for row in range(n_rows):
            easy = row < n_events
            if is_above:
                has = codes[row] > low if easy else codes[row] > high
            else:
                has = codes[row] <= high if easy else codes[row] <= low
            if has:
                cell_of_row[row] |= bit
    cells = work.cells[0]
    cells[:, : 1 << n_slots] = 0.0
    for row in range(n_rows):
        cell = int(cell_of_row[row])
        cells[cell >> max_terms, cell & (class_bit - 1)] += conditions.weights[row]
    return record[0] < 0


@bare_inner_kernel
def save_node(conditions, work, depth, record, numbers):
    """The reverse of `load_node`: slots, bound, coefficients and box of a node as a record.

    The first field is the number of slots; who has solved the relaxation already makes it negative.
    """
    max_terms = conditions.limits[0]
    n_slots = work.counts[depth]
    record[0] = n_slots
    for j in range(n_slots):
        for field in range(5):
            record[1 + 5 * j + field] = work.slots[depth, j, field]
    numbers[0] = work.bounds[depth]
    for v in range(n_slots + 1):
        numbers[1 + v] = work.w[depth, v]
        numbers[2 + max_terms + v] = work.box[depth, 0, v]
        numbers[3 + 2 * max_terms + v] = work.box[depth, 1, v]


@bare_inner_kernel
def make_child(conditions, work, depth, to_left):
    """Write the child with ``to_left`` conditions from the left half into depth + 1.

    Returns False if the limits rule it out. The rows are not moved yet, see `enter_child`.
    """
    child = depth + 1
    n_slots = work.counts[depth]
    kind, j, middle = work.branch[depth, 0], work.branch[depth, 1], work.branch[depth, 2]
    slots = work.slots[child]
    work.bounds[child] = work.bounds[depth]
    work.counts[child] = n_slots
    work.moves[child, :, :] = 0
    for k in range(n_slots):
        for field in range(5):
            slots[k, field] = work.slots[depth, k, field]
    for v in range(n_slots + 1):
        work.w[child, v] = work.w[depth, v]
        work.box[child, 0, v] = work.box[depth, 0, v]
        work.box[child, 1, v] = work.box[depth, 1, v]
    if kind == SPLIT_POINTS:
        unit = conditions.scale[0]
        if to_left:
            work.box[child, 1, j] = middle * unit
        else:
            work.box[child, 0, j] = (middle + 1) * unit
        return True
    slot = work.slots[depth, j]
    multiplicity = slot[4]
    moves = work.moves[child]
    max_cuts = conditions.limits[2]
    first = 1 if to_left == 0 else 0
    last = 0 if to_left == multiplicity else 1
    for is_right in range(first, last + 1):
        is_new = is_right > first
        at = n_slots if is_new else j
        count = multiplicity - to_left if is_right == 1 else to_left
        half_of_slot(conditions, slot, middle, is_right, count, slots[at], moves[is_right - first])
        moves[is_right - first, 2] = 1 << at
        reach = slot_reach(conditions, slots[at], max_cuts)
        work.w[child, at + 1] = work.w[depth, j + 1] * count / multiplicity
        if multiplicity == 1:
            # what the term adds may have been confined already
            reach = min(reach, work.box[depth, 1, j + 1])
        else:
            work.box[child, 0, at + 1] = 0.0
        work.box[child, 1, at + 1] = reach
    if last > first:
        moves[2, 0] = 1
        moves[2, 1] = j
        moves[2, 2] = n_slots
        work.counts[child] = n_slots + 1
    return within_limits(conditions, slots, work.counts[child])


@bare_inner_kernel
def enter_child(conditions, work, child):
    """Bring `cell_of_row` from the parent to the child, and count the child's cells.

    A new column begins as a copy of its source; then only the rows that change sides are touched.
    Returns the work done.
    """
    max_terms = conditions.limits[0]
    parent = child - 1
    before = work.cells[parent]
    after = work.cells[child]
    n_before = 1 << work.counts[parent]
    moves = work.moves[child]
    cell_of_row = work.cell_of_row
    if moves[2, 0]:
        source, added = moves[2, 1], moves[2, 2]
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
    for part in range(2):
        bit = moves[part, 2]
        for at in range(moves[part, 0], moves[part, 1]):
            row = conditions.rows[at]
            weight = conditions.weights[row]
            whole = int(cell_of_row[row])
            cell_of_row[row] = whole ^ bit
            event = whole >> max_terms
            cell = whole & ((1 << max_terms) - 1)
            after[event, cell] -= weight
            after[event, cell ^ bit] += weight
        work_done += moves[part, 1] - moves[part, 0]
    return work_done


@bare_inner_kernel
def leave_child(conditions, work, child):
    """Bring `cell_of_row` from the child back to the parent."""
    cell_of_row = work.cell_of_row
    moves = work.moves[child]
    for part in range(2):
        bit = moves[part, 2]
        for at in range(moves[part, 0], moves[part, 1]):
            cell_of_row[conditions.rows[at]] ^= bit
    if moves[2, 0]:
        keep = ~(1 << moves[2, 2])
        for row in range(cell_of_row.size):
            cell_of_row[row] &= keep
