"""The convex relaxation of a node: logistic regression on the cells of at most a dozen columns.

A column is 1 for the rows that have the points of a slot. Rows of one class that have the points of
the same slots form a cell, numbered by its bits: bit ``j`` is set when slot ``j`` gives its points.
With two slots::

    cell                0         1            2            3
    bits of the slots   00        01           10           11
    log-odds            w0        w0 + w1      w0 + w2      w0 + w1 + w2
    cells[EVENT]        weights of the rows with the event
    cells[OTHER]        weights of the rows without it

The coefficients are ``w[OFFSET]`` and ``w[j + 1] >= 0``, what slot ``j`` adds to the log-odds,
within a box. Linear costs are added to the loss of the cells: ``costs[j + 1] >= 0`` for a unit of
``w[j + 1]``, see `shared_cuts`. Why the minimum is a bound on the node's cards is proved in
`bounding`.
"""

import math

import riskcard.kernels.proof.layout as at
from riskcard.kernels.jit import bare_inner_kernel
from riskcard.kernels.proof.newton import length_to_bound, move_within, newton_direction
from riskcard.kernels.proof.rounding import ROUNDING

#: What is added to each diagonal entry of the Hessian of a node, and what a pivot is at least, as
#: parts of the entry.
NODE_RIDGE, NODE_FLOOR = 1e-10, 1e-10


@bare_inner_kernel
def tabulate_losses(n_columns, w, tables):
    """Each cell's loss with the event and without it, its chance of no event and of the event.

    Both chances are computed on their own: 1 minus the other would lose the small ones.
    """
    if_event = tables[at.LOSS_IF_EVENT]
    if_other = tables[at.LOSS_IF_OTHER]
    chance_of_other = tables[at.CHANCE_OF_OTHER]
    chance_of_event = tables[at.CHANCE_OF_EVENT]
    # the log-odds of each cell come first, in the place of the first table
    if_event[0] = w[at.OFFSET]
    for j in range(n_columns):
        half = 1 << j
        for cell in range(half):
            if_event[half + cell] = if_event[cell] + w[j + 1]
    for cell in range(1 << n_columns):
        log_odds = if_event[cell]
        small = math.exp(-abs(log_odds))
        near = 1.0 / (1.0 + small)
        common = math.log1p(small)
        if_event[cell] = common + max(-log_odds, 0.0)
        if_other[cell] = common + max(log_odds, 0.0)
        chance_of_other[cell] = small * near if log_odds >= 0.0 else near
        chance_of_event[cell] = near if log_odds >= 0.0 else small * near


@bare_inner_kernel
def sum_losses(n_cells, cells, tables):
    """The loss of all cells at the coefficients that were tabulated."""
    total = 0.0
    for cell in range(n_cells):
        total += (
            cells[at.EVENT, cell] * tables[at.LOSS_IF_EVENT, cell]
            + cells[at.OTHER, cell] * tables[at.LOSS_IF_OTHER, cell]
        )
    return total


@bare_inner_kernel
def add_costs(n_columns, loss, costs, w):
    """The loss with the linear costs of the columns."""
    for v in range(1, n_columns + 1):
        loss += costs[v] * w[v]
    return loss


@bare_inner_kernel
def differentiate(n_columns, cells, tables, costs, scratch):
    """Write gradient and Hessian (its lower half) at the coefficients that were tabulated."""
    gradient, hessian = scratch.gradient, scratch.hessian
    n_cells = 1 << n_columns
    slope = tables[at.SLOPE]
    curve = tables[at.CURVE]
    for cell in range(n_cells):
        other = tables[at.CHANCE_OF_OTHER, cell]
        event = tables[at.CHANCE_OF_EVENT, cell]
        slope[cell] = cells[at.OTHER, cell] * event - cells[at.EVENT, cell] * other
        curve[cell] = (cells[at.EVENT, cell] + cells[at.OTHER, cell]) * other * event
    # sums over all cells that contain given bits, for every set of bits at once
    for j in range(n_columns):
        half = 1 << j
        for block in range(0, n_cells, 2 * half):
            for cell in range(block, block + half):
                slope[cell] += slope[cell + half]
                curve[cell] += curve[cell + half]
    gradient[at.OFFSET] = slope[0]
    hessian[at.OFFSET, at.OFFSET] = curve[0]
    for j in range(n_columns):
        gradient[j + 1] = slope[1 << j] + costs[j + 1]
        hessian[j + 1, at.OFFSET] = curve[1 << j]
        hessian[j + 1, j + 1] = curve[1 << j]
        for k in range(j):
            hessian[j + 1, k + 1] = curve[(1 << j) | (1 << k)]


@bare_inner_kernel
def lower_bound_at(n_variables, w, loss, gradient, box):
    """Claim: the loss plus the costs is nowhere in the box below the number returned.

    ``loss`` and ``gradient``, at *any* point ``w`` of the box, include the costs. Proof: the sum is
    convex, so it lies above its tangent plane at ``w``. The plane is least at a corner of the box,
    which is found coordinate by coordinate::

        loss + sum over v of min(g[v] * (LEAST[v] - w[v]), g[v] * (MOST[v] - w[v]))

    All reaches are at most 0, so ``size`` is the sum of the sizes of all summands. ROUNDING times
    it is more than the error of computing them (see `rounding`), and is subtracted.
    """
    bound = loss
    size = loss
    for v in range(n_variables):
        g = gradient[v]
        reach = g * (box[at.LEAST, v] - w[v]) if g > 0.0 else g * (box[at.MOST, v] - w[v])
        bound += reach
        size -= reach
    return bound - ROUNDING * size


@bare_inner_kernel
def take_step(n_columns, cells, box, w, loss, tables, costs, scratch):
    """One projected Newton step; changes ``w`` and ``tables``, returns the new loss without costs.

    A clipped step may raise the loss. Then one variable is brought to its bound, no further; if
    that is still too far, the step is shortened. ``scratch`` holds the gradient and the Hessian at
    ``w``; the tables are afterwards those of the new point.
    """
    gradient, trial = scratch.gradient, scratch.trial
    n_variables = n_columns + 1
    newton_direction(n_variables, w, box, scratch, NODE_RIDGE, NODE_FLOOR)
    length = 1.0
    new_loss = loss
    for attempt in range(12):
        move_within(n_variables, w, scratch.direction, length, box, trial)
        descent = 0.0
        for v in range(n_variables):
            descent += gradient[v] * (trial[v] - w[v])
        tabulate_losses(n_columns, trial, tables)
        new_loss = sum_losses(1 << n_columns, cells, tables)
        with_costs = add_costs(n_columns, new_loss, costs, trial)
        # is the loss lower by a fair part of what the slope promises?
        if with_costs <= loss + 1e-4 * min(descent, 0.0) + 1e-13 * loss:
            break
        if attempt == 0:
            length = length_to_bound(n_variables, w, scratch.direction, box)
        else:
            length *= 0.3
    for v in range(n_variables):
        w[v] = trial[v]
    return new_loss
