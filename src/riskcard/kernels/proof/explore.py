"""Depth-first exploration of open nodes: split, bound, prune, until a budget is spent."""

import math

import numpy as np

from riskcard.kernels.jit import bare_inner_kernel, bare_kernel, inlined_kernel
from riskcard.kernels.proof.bounding import CUTOFF, OPEN, PRUNED, TARGET, bound_node
from riskcard.kernels.proof.nodes import (
    SPLIT_POINTS,
    SPLIT_SLOT,
    enter_child,
    leave_child,
    load_node,
    make_child,
    save_node,
)
from riskcard.kernels.proof.relaxation import tabulate_losses
from riskcard.kernels.proof.slots import slot_size, split_slot_at, undecided_rows

# further places in `control`: work to do at most, stop when not 0
BUDGET, STOP = 2, 3
#: Added to what a slot adds to the log-odds when slots are compared: it may be 0 for now.
LITTLE = 0.3
# places in `counters`
SAVED, NODES, STEPS, WORK, LEAVES, DONE = 0, 1, 2, 3, 4, 5


@inlined_kernel
def choose_slot(conditions, work, depth):
    """The slot to split: most undecided rows times what the slot adds; -1 if all are single."""
    best = -1
    best_value = -1.0
    for j in range(work.counts[depth]):
        slot = work.slots[depth, j]
        if slot_size(conditions, slot) > 1.0:
            value = undecided_rows(conditions, slot) * (work.w[depth, j + 1] + LITTLE)
            if value > best_value:
                best_value = value
                best = j
    return best


@inlined_kernel
def choose_branch(conditions, work, depth):
    """Decide how to split the node at a depth. Returns False for a leaf: nothing left to split."""
    branch = work.branch[depth]
    branch[3] = 0
    best = choose_slot(conditions, work, depth)
    if best >= 0:
        slot = work.slots[depth, best]
        branch[0] = SPLIT_SLOT
        branch[1] = best
        branch[2] = split_slot_at(conditions, slot) if slot[0] < 0 else 0
        branch[4] = slot[4]
        return True
    unit = conditions.scale[0]
    if unit == 0.0:
        return False
    best_value = -1.0
    for v in range(work.counts[depth] + 1):
        low = math.ceil(work.box[depth, 0, v] / unit - 1e-6)
        high = math.floor(work.box[depth, 1, v] / unit + 1e-6)
        if high <= low:
            continue
        points = work.w[depth, v] / unit
        value = abs(points - math.floor(points + 0.5))
        if value > best_value:
            best_value = value
            best = v
            branch[2] = max(min(math.floor(points), high - 1), low)
    branch[0] = SPLIT_POINTS
    branch[1] = best
    branch[4] = 1
    return best >= 0


@bare_inner_kernel
def settle(conditions, work, depth, control, out, leaves):
    """Bound a node; True when nothing below it is to be explored now.

    That is so when it is pruned, set aside for later, or a leaf.
    """
    out_records, out_numbers, counters = out
    outcome, steps, n_seen = bound_node(conditions, work, depth, control)
    counters[NODES] += 1
    counters[STEPS] += steps
    counters[WORK] += (steps + 1) * (8.0 * (1 << work.counts[depth]) + 20.0) + n_seen
    if outcome == PRUNED:
        return True
    is_aside = outcome != OPEN and work.bounds[depth] >= control[TARGET]
    if is_aside or depth >= work.counts.size - 2:
        saved = int(counters[SAVED])
        save_node(conditions, work, depth, out_records[saved], out_numbers[saved])
        out_records[saved, 0] *= -1
        counters[SAVED] += 1
        return True
    return not can_branch(conditions, work, depth, counters, leaves)


@bare_inner_kernel
def can_branch(conditions, work, depth, counters, leaves):
    """Choose how to split a node that was bounded; a leaf is saved as such instead."""
    if choose_branch(conditions, work, depth):
        return True
    leaf = int(counters[LEAVES])
    save_node(conditions, work, depth, leaves[0][leaf], leaves[1][leaf])
    counters[LEAVES] += 1
    return False


@inlined_kernel
def resume(conditions, work, depth, is_solved, control, out, leaves):
    """Take up a node that was loaded; False when nothing below it is to be explored now."""
    if not is_solved:
        return not settle(conditions, work, depth, control, out, leaves)
    if work.bounds[depth] >= control[CUTOFF]:
        return False
    tabulate_losses(work.counts[depth], work.w[depth], work.tables[depth])
    return can_branch(conditions, work, depth, out[2], leaves)


@inlined_kernel
def save_open_children(conditions, work, depth, out):
    """Save the children not yet visited of every node on the path, deepest first.

    Making a child overwrites what is kept one deeper, which is no longer needed by then.
    """
    out_records, out_numbers, counters = out
    for d in range(depth, -1, -1):
        for to_left in range(work.branch[d, 3], work.branch[d, 4] + 1):
            if make_child(conditions, work, d, to_left):
                saved = int(counters[SAVED])
                save_node(conditions, work, d + 1, out_records[saved], out_numbers[saved])
                counters[SAVED] += 1


@bare_kernel
def explore(conditions, work, records, numbers, control, out, leaves):
    """Explore nodes depth first, until all is done, the budget spent, or a stop asked for.

    Parameters
    ----------
    records, numbers
        The open nodes to start from.
    control
        Cutoff, target, budget of work, and a flag that another thread may set to stop.
    out
        Records and numbers of the nodes that stay open, and counters; all written. The nodes from
        ``records[counters[DONE]]`` on were not begun.
    leaves
        Records and numbers of the leaves found; written.
    """
    counters = out[2]
    n_terms = conditions.limits[0]
    room = out[0].shape[0] - work.counts.size * (n_terms + 1)
    for index in range(records.shape[0]):
        depth = np.int64(-1)
        while True:
            is_over = (
                control[STOP] != 0.0
                or counters[WORK] >= control[BUDGET]
                or counters[SAVED] >= room
                or counters[LEAVES] >= leaves[0].shape[0]
            )
            if depth < 0:
                if is_over:
                    return
                is_solved = load_node(conditions, work, records[index], numbers[index])
                counters[WORK] += 4.0 * work.cell_of_row.size
                counters[DONE] += 1
                depth += 1
                if not resume(conditions, work, depth, is_solved, control, out, leaves):
                    break
            elif is_over:
                save_open_children(conditions, work, depth, out)
                return
            elif work.branch[depth, 3] > work.branch[depth, 4]:
                if depth == 0:
                    break
                leave_child(conditions, work, depth)
                depth -= 1
            else:
                work.branch[depth, 3] += 1
                if make_child(conditions, work, depth, work.branch[depth, 3] - 1):
                    counters[WORK] += enter_child(conditions, work, depth + 1)
                    if settle(conditions, work, depth + 1, control, out, leaves):
                        leave_child(conditions, work, depth + 1)
                    else:
                        depth += 1
