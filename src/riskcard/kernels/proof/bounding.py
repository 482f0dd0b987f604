"""The bound of a node: Newton steps on its relaxation until it is pruned or known to stay open."""

from riskcard.kernels.jit import inlined_kernel
from riskcard.kernels.proof.conflicts import price_conflicts
from riskcard.kernels.proof.relaxation import (
    add_costs,
    differentiate,
    lower_bound_at,
    sum_losses,
    tabulate_losses,
    take_step,
)

# places in `control`: prune at or above, set aside at or above
CUTOFF, TARGET = 0, 1

PRUNED = 0  # the lower bound reached the cutoff
OPEN = 1  # the bound will not reach the target: to be split, without bounding it any better
SOLVED = 2  # the bound is as good as it gets, and below the cutoff

#: The bound is as good as it gets when the relaxation is this close to it (relative): first for
#: nodes that will certainly be split, then for those that may still be pruned.
KNOWN_WITHIN, SOLVED_WITHIN = 1e-2, 1e-6
FEW_STEPS, MAX_STEPS = 2, 60


@inlined_kernel
def bound_node(conditions, work, depth, control):
    """Bound a node whose cells are known; raises its bound, returns outcome, steps and rows seen.

    Why the relaxation is a lower bound on the loss of every card of the node: take a card whose
    conditions come from the slots as their multiplicities say, and let ``w[j + 1]`` be the sum of
    the steps of the conditions from slot ``j``, ``w[0]`` the log-odds of a row with none of them. A
    row with the event gets at most ``w[j + 1]`` from slot ``j``, and nothing unless some condition
    of the slot gives it points; a row without the event gets all of ``w[j + 1]`` when every
    condition of the slot gives it points. So every row's margin in the relaxation at ``w`` is at
    least its margin under the card, and the loss at most the card's. `price_conflicts` adds what the
    card loses where its cuts are in conflict with that.

    Why the offset may be confined: all steps are at least 0 and add up to at most ``total``. At an
    offset above the log-odds of the base rate every row's risk is above the base rate, so the loss
    falls when the offset does; below it by more than ``total``, the other way round. The best whole
    number of points is less than one point from the best real offset, by convexity.
    """
    n_slots = work.counts[depth]
    box = work.box[depth]
    w = work.w[depth]
    total = conditions.scale[0]
    for j in range(n_slots):
        total += box[1, j + 1]
    box[0, 0] = max(box[0, 0], conditions.scale[1] - total)
    is_known = depth > 0 and work.counts[depth - 1] == n_slots
    for v in range(n_slots + 1):
        inside = min(max(w[v], box[0, v]), box[1, v])
        is_known = is_known and inside == w[v]
        w[v] = inside
    if is_known:
        for kind in range(4):
            for cell in range(1 << n_slots):
                work.tables[depth, kind, cell] = work.tables[depth - 1, kind, cell]
    else:
        tabulate_losses(n_slots, w, work.tables[depth])
    outcome, bound, steps, n_seen = minimise(conditions, work, depth, control)
    work.bounds[depth] = max(work.bounds[depth], bound)
    if work.bounds[depth] >= control[CUTOFF]:
        outcome = PRUNED
    return outcome, steps, n_seen


@inlined_kernel
def minimise(conditions, work, depth, control):
    """Projected Newton from ``w`` (changed in place) until the question is decided.

    Each step minimises the loss plus the costs of conflict at the present point. The costs at the
    next point differ a little, so the relaxed loss need not fall; but the bound is valid at every
    point, and the best is kept.

    Returns
    -------
    outcome, bound, steps, rows seen
        ``bound`` is a valid lower bound on the loss of every card of the node in every case.
    """
    n_slots = work.counts[depth]
    cells = work.cells[depth]
    box = work.box[depth]
    w = work.w[depth]
    tables = work.tables[depth]
    scratch = (work.gradient, work.hessian, work.direction, work.factor, work.trial)
    cutoff = control[CUTOFF]
    loss = sum_losses(1 << n_slots, cells, tables)
    best = -1.0
    steps = 0
    n_seen = 0
    while True:
        n_seen += price_conflicts(conditions, work, depth)
        loss = add_costs(n_slots, loss, work.costs, w)
        if loss < control[TARGET]:
            return OPEN, best, steps, n_seen
        differentiate(n_slots, cells, tables, work.costs, scratch)
        best = max(best, lower_bound_at(n_slots + 1, w, loss, work.gradient, box))
        if best >= cutoff:
            return PRUNED, best, steps, n_seen
        if loss < cutoff and (loss - best <= KNOWN_WITHIN * loss or steps >= FEW_STEPS):
            return SOLVED, best, steps, n_seen
        if loss - best <= SOLVED_WITHIN * loss or steps >= MAX_STEPS:
            return SOLVED, best, steps, n_seen
        loss = take_step(n_slots, cells, box, w, loss, tables, work.costs, scratch)
        steps += 1
