"""Depth-first exploration of open nodes: split, bound, prune, until a budget is spent.

The path of one thread, while the second child of the node at depth 1 is explored::

    depth 0   [============ node that was loaded ===========]   children 0 1 2
    depth 1           [== child 1 of it ==]                     children 0 1
    depth 2                    [= child 1 =]                    not yet split

``branch[d, NEXT_CHILD]`` is the child of depth ``d`` that comes next. When the thread stops early,
all children from there on, at every depth of the path, are saved as open nodes: so every card of
the node that was loaded is in a node that was pruned, saved, or reported as a leaf.
"""

import math

import numpy as np

import riskcard.kernels.proof.layout as at
from riskcard.kernels.jit import bare_inner_kernel, bare_kernel, inlined_kernel
from riskcard.kernels.proof.bounding import OPEN, PRUNED, bound_node
from riskcard.kernels.proof.nodes import copy_node, enter_child, leave_child, load_node, make_child
from riskcard.kernels.proof.relaxation import tabulate_losses
from riskcard.kernels.proof.slots import slot_size, split_slot_at, undecided_rows

#: Added to what a slot adds to the log-odds when slots are compared: it may be 0 for now.
LITTLE = 0.3

# what becomes of a node
CLOSED = 0  # pruned: no card of it is of interest
ASIDE = 1  # bounded, and saved for a later round
LEAF = 2  # nothing is left to split: saved as a leaf
BRANCHED = 3  # to be split: its children are explored next


@inlined_kernel
def choose_slot(conditions, work, depth):
    """The slot to split: most undecided rows times what the slot adds; -1 if all are single."""
    best = -1
    best_value = -1.0
    for j in range(int(work.path.counts[depth])):
        slot = work.path.slots[depth, j]
        if slot_size(conditions, slot) > 1.0:
            value = undecided_rows(conditions, slot) * (work.path.w[depth, j + 1] + LITTLE)
            if value > best_value:
                best_value = value
                best = j
    return best


@inlined_kernel
def choose_branch(conditions, work, depth):
    """Decide how to split the node at a depth. Returns False for a leaf: nothing left to split."""
    branch = work.branch[depth]
    branch[at.NEXT_CHILD] = 0
    # which slot to split?
    best = choose_slot(conditions, work, depth)
    if best >= 0:
        slot = work.path.slots[depth, best]
        branch[at.KIND] = at.SPLIT_SLOT
        branch[at.WHICH] = best
        branch[at.WHERE] = split_slot_at(conditions, slot)
        branch[at.LAST_CHILD] = slot[at.MULTIPLICITY]
        return True
    # all conditions are chosen; are points whole numbers of a given unit?
    unit = conditions.unit
    if unit == 0.0:
        return False
    # which coefficient is furthest from a whole number of points?
    best_value = -1.0
    for v in range(int(work.path.counts[depth]) + 1):
        low = math.ceil(work.path.box[depth, at.LEAST, v] / unit - 1e-6)
        high = math.floor(work.path.box[depth, at.MOST, v] / unit + 1e-6)
        if high <= low:
            continue
        points = work.path.w[depth, v] / unit
        value = abs(points - math.floor(points + 0.5))
        if value > best_value:
            best_value = value
            best = v
            branch[at.WHERE] = max(min(math.floor(points), high - 1), low)
    branch[at.KIND] = at.SPLIT_POINTS
    branch[at.WHICH] = best
    branch[at.LAST_CHILD] = 1
    return best >= 0


@bare_inner_kernel
def settle(conditions, work, depth, control, counters):
    """Bound a node and decide what becomes of it: CLOSED, ASIDE, LEAF, or BRANCHED."""
    outcome, steps, n_seen = bound_node(conditions, work, depth, control)
    counters[at.NODES] += 1
    counters[at.STEPS] += steps
    counters[at.WORK] += (steps + 1) * (8.0 * (1 << int(work.path.counts[depth])) + 20.0) + n_seen
    # can it still win?
    if outcome == PRUNED:
        return CLOSED
    # is it for later, or is the path at its end?
    is_late = outcome != OPEN and work.path.bounds[depth] >= control[at.TARGET]
    if is_late or depth >= work.path.counts.size - 2:
        return ASIDE
    # is there anything to split?
    return BRANCHED if choose_branch(conditions, work, depth) else LEAF


@inlined_kernel
def resume(conditions, work, is_solved, control, counters):
    """Decide what becomes of the node that was loaded; it may have been bounded before."""
    depth = np.int64(0)
    if not is_solved:
        return settle(conditions, work, depth, control, counters)
    # can it still win?
    if work.path.bounds[depth] >= control[at.CUTOFF]:
        return CLOSED
    tabulate_losses(int(work.path.counts[depth]), work.path.w[depth], work.tables[depth])
    return BRANCHED if choose_branch(conditions, work, depth) else LEAF


@bare_inner_kernel
def save_open(path, depth, is_solved, still_open, counters):
    """Save a node of the path among those that stay open."""
    saved = int(counters[at.SAVED])
    copy_node(path, depth, still_open, saved)
    still_open.is_solved[saved] = is_solved
    counters[at.SAVED] += 1


@inlined_kernel
def put_away(work, depth, verdict, results):
    """Save a node that was set aside, or a leaf."""
    if verdict == ASIDE:
        save_open(work.path, depth, np.int64(1), results.still_open, results.counters)
    elif verdict == LEAF:
        leaf = int(results.counters[at.LEAVES])
        copy_node(work.path, depth, results.leaves, leaf)
        for event in range(2):
            for cell in range(1 << int(work.path.counts[depth])):
                results.leaf_cells[leaf, event, cell] = work.cells[depth, event, cell]
        results.counters[at.LEAVES] += 1


@inlined_kernel
def save_open_children(conditions, work, depth, results):
    """Save the children not yet visited of every node on the path, deepest first.

    Making a child overwrites what is kept one deeper, which is no longer needed by then.
    """
    for d in range(depth, -1, -1):
        for to_left in range(work.branch[d, at.NEXT_CHILD], work.branch[d, at.LAST_CHILD] + 1):
            if make_child(conditions, work, d, to_left):
                save_open(work.path, d + 1, np.int64(0), results.still_open, results.counters)


@bare_kernel
def explore(conditions, work, nodes, control, results):
    """Explore nodes depth first, until all is done, the budget spent, or a stop asked for.

    Parameters
    ----------
    conditions
        The problem, see `Conditions`.
    work
        Scratch of this thread, see `Workspace`.
    nodes
        The open nodes to start from.
    control
        CUTOFF, TARGET, BUDGET of work, and STOP, which another thread may set.
    results
        Written: the nodes that stay open, the leaves, and the counters. The nodes from number
        ``counters[DONE]`` on were not begun.
    """
    counters = results.counters
    # the children of a whole path must fit in
    room = results.still_open.counts.size - work.path.counts.size * (
        conditions.limits.max_terms + 1
    )
    for index in range(nodes.counts.size):
        depth = np.int64(-1)
        while True:
            # is there time and room to go on?
            is_over = (
                control[at.STOP] != 0.0
                or counters[at.WORK] >= control[at.BUDGET]
                or counters[at.SAVED] >= room
                or counters[at.LEAVES] >= results.leaves.counts.size
            )
            # is the path still to begin?
            if depth < 0:
                if is_over:
                    return
                load_node(conditions, work, nodes, index)
                counters[at.WORK] += 4.0 * work.cell_of_row.size
                counters[at.DONE] += 1
                depth += 1
                verdict = resume(conditions, work, nodes.is_solved[index], control, counters)
                # is there anything below it?
                if verdict != BRANCHED:
                    put_away(work, depth, verdict, results)
                    break
            # is it time to stop on the way?
            elif is_over:
                save_open_children(conditions, work, depth, results)
                return
            # were all children visited? then go up
            elif work.branch[depth, at.NEXT_CHILD] > work.branch[depth, at.LAST_CHILD]:
                if depth == 0:
                    break
                leave_child(conditions, work, depth)
                depth -= 1
            # otherwise go down to the next one, if a card can keep the limits there
            else:
                work.branch[depth, at.NEXT_CHILD] += 1
                if make_child(conditions, work, depth, work.branch[depth, at.NEXT_CHILD] - 1):
                    counters[at.WORK] += enter_child(conditions, work, depth + 1)
                    verdict = settle(conditions, work, depth + 1, control, counters)
                    # is there anything below it?
                    if verdict == BRANCHED:
                        depth += 1
                    else:
                        put_away(work, depth + 1, verdict, results)
                        leave_child(conditions, work, depth + 1)
