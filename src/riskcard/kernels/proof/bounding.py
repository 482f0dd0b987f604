"""The bound of a node: Newton steps on its relaxation until it is pruned or known to stay open.

Claim: no card of a node has a loss below the bound that `bound_node` leaves in ``path.bounds``.

Proof, in three parts. A card of the node takes as many conditions from each slot as the slot's
multiplicity says; let ``w[j + 1]`` be the sum of the steps of those from slot ``j``, and
``w[OFFSET]`` the log-odds of a row with none of the points.

1. *The relaxation is below the card.* Under the card, a row with the event gets at most
   ``w[j + 1]`` from slot ``j``, and nothing unless some condition of the slot gives it points; the
   relaxation gives it the most. A row without the event gets all of ``w[j + 1]`` when every
   condition of the slot gives it points, and at least 0 otherwise; the relaxation gives it the
   least. So every row's margin in the relaxation at ``w`` is at least its margin under the card,
   and its loss is at most the card's. What the card loses where its cuts are in conflict with that
   is added by `price_conflicts`, which has its own proof.
2. *The card is in the box.* All steps are between 0 and the reach of their slot. The offset may be
   confined to the log-odds of the base rate, less at most ``total``, the sum of all reaches: at an
   offset above, every row's risk is above the base rate, so the loss falls with the offset; below
   it by more than ``total``, every row's risk is below the base rate, and the loss falls as the
   offset rises. Where the offset is a whole number of points, the best one is less than one point
   from the best real offset, by convexity; so the interval is a point wider at either end.
3. *The number computed is below the relaxation's minimum over the box*: see `lower_bound_at`. It
   holds at every point ``w``, so it does not matter when the Newton steps stop, or whether they
   converge.

A child's cards are among its parent's, so the larger of the two bounds counts.
"""

import riskcard.kernels.proof.layout as at
from riskcard.kernels.jit import inlined_kernel
from riskcard.kernels.proof.relaxation import (
    add_costs,
    differentiate,
    lower_bound_at,
    sum_losses,
    tabulate_losses,
    take_step,
)
from riskcard.kernels.proof.shared_cuts import price_conflicts

PRUNED = 0  # the lower bound reached the cutoff
OPEN = 1  # the bound will not reach the target: to be split, without bounding it any better
SOLVED = 2  # the bound is as good as it gets, and below the cutoff

#: The bound is as good as it gets when the relaxation is this close to it (relative): first for
#: nodes that will certainly be split, then for those that may still be pruned.
KNOWN_WITHIN, SOLVED_WITHIN = 1e-2, 1e-6
FEW_STEPS, MAX_STEPS = 2, 60


@inlined_kernel
def bound_node(conditions, work, depth, control):
    """Bound a node whose cells are known; returns outcome, steps and rows seen."""
    n_slots = int(work.path.counts[depth])
    box = work.path.box[depth]
    w = work.path.w[depth]
    # how low can the offset be?
    total = conditions.unit
    for j in range(n_slots):
        total += box[at.MOST, j + 1]
    box[at.LEAST, at.OFFSET] = max(box[at.LEAST, at.OFFSET], conditions.rate - total)
    # is the parent's solution still in the box? then its tables hold here too
    is_known = depth > 0 and work.path.counts[depth - 1] == n_slots
    for v in range(n_slots + 1):
        inside = min(max(w[v], box[at.LEAST, v]), box[at.MOST, v])
        is_known = is_known and inside == w[v]
        w[v] = inside
    if is_known:
        for table in range(at.N_KEPT_TABLES):
            for cell in range(1 << n_slots):
                work.tables[depth, table, cell] = work.tables[depth - 1, table, cell]
    else:
        tabulate_losses(n_slots, w, work.tables[depth])
    outcome, bound, steps, n_seen = minimise(conditions, work, depth, control)
    work.path.bounds[depth] = max(work.path.bounds[depth], bound)
    if work.path.bounds[depth] >= control[at.CUTOFF]:
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
    n_slots = int(work.path.counts[depth])
    cells = work.cells[depth]
    box = work.path.box[depth]
    w = work.path.w[depth]
    tables = work.tables[depth]
    cutoff = control[at.CUTOFF]
    loss = sum_losses(1 << n_slots, cells, tables)
    best = -1.0
    steps = 0
    n_seen = 0
    while True:
        n_seen += price_conflicts(conditions, work, depth)
        loss = add_costs(n_slots, loss, work.costs, w)
        # is it certain that the bound will not reach the target?
        if loss < control[at.TARGET]:
            return OPEN, best, steps, n_seen
        differentiate(n_slots, cells, tables, work.costs, work.newton)
        best = max(best, lower_bound_at(n_slots + 1, w, loss, work.newton.gradient, box))
        # can it still win?
        if best >= cutoff:
            return PRUNED, best, steps, n_seen
        # will it be split anyway, and is its bound good enough for that?
        if loss < cutoff and (loss - best <= KNOWN_WITHIN * loss or steps >= FEW_STEPS):
            return SOLVED, best, steps, n_seen
        # is there anything left to gain?
        if loss - best <= SOLVED_WITHIN * loss or steps >= MAX_STEPS:
            return SOLVED, best, steps, n_seen
        loss = take_step(n_slots, cells, box, w, loss, tables, work.costs, work.newton)
        steps += 1
