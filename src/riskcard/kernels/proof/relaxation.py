"""The convex relaxation of a node: logistic regression on the cells of at most a dozen columns.

Rows that hold the same columns form a cell, numbered by its bits: bit ``j`` of the cell is set when
column ``j`` gives its points. ``cells[0]`` and ``cells[1]`` are the weights of the rows with and
without the event in each cell. The coefficients are ``w[0]`` (offset) and ``w[j + 1] >= 0`` (what
column ``j`` adds to the log-odds), within a box. To the loss of the cells come linear costs,
``costs[j + 1] >= 0`` for a unit of ``w[j + 1]``.
"""

import math

import numpy as np

from riskcard.kernels.jit import bare_inner_kernel

#: Relative allowance for rounding in every bound, far above the error of a sum of 8192 products.
ROUNDING = 1e-11


@bare_inner_kernel
def tabulate_losses(n_columns, w, tables):
    """Each cell's loss with the event and without it, its chance of no event and of the event.

    Both chances are computed on their own: 1 minus the other would lose the small ones.
    """
    with_event = tables[0]
    without = tables[1]
    no_event_chance = tables[2]
    event_chance = tables[3]
    with_event[0] = w[0]
    for j in range(n_columns):
        half = 1 << j
        for cell in range(half):
            with_event[half + cell] = with_event[cell] + w[j + 1]
    for cell in range(1 << n_columns):
        log_odds = with_event[cell]
        small = math.exp(-abs(log_odds))
        near = 1.0 / (1.0 + small)
        common = math.log1p(small)
        if log_odds >= 0.0:
            with_event[cell] = common
            without[cell] = common + log_odds
            no_event_chance[cell] = small * near
            event_chance[cell] = near
        else:
            with_event[cell] = common - log_odds
            without[cell] = common
            no_event_chance[cell] = near
            event_chance[cell] = small * near


@bare_inner_kernel
def sum_losses(n_cells, cells, tables):
    """The loss of all cells at the coefficients that were tabulated."""
    total = 0.0
    for cell in range(n_cells):
        total += cells[0, cell] * tables[0, cell] + cells[1, cell] * tables[1, cell]
    return total


@bare_inner_kernel
def add_costs(n_columns, loss, costs, w):
    """The loss with the linear costs of the columns."""
    for v in range(1, n_columns + 1):
        loss += costs[v] * w[v]
    return loss


@bare_inner_kernel
def differentiate(n_columns, cells, tables, costs, scratch):
    """Gradient and Hessian (its lower half) at the coefficients that were tabulated.

    They are written into the first two arrays of ``scratch``.
    """
    gradient, hessian = scratch[0], scratch[1]
    n_cells = 1 << n_columns
    slope = tables[4]
    curve = tables[5]
    for cell in range(n_cells):
        no_event = tables[2, cell]
        event = tables[3, cell]
        slope[cell] = cells[1, cell] * event - cells[0, cell] * no_event
        curve[cell] = (cells[0, cell] + cells[1, cell]) * no_event * event
    # sums over all cells that contain given bits, for every set of bits at once
    for j in range(n_columns):
        half = 1 << j
        for block in range(0, n_cells, 2 * half):
            for cell in range(block, block + half):
                slope[cell] += slope[cell + half]
                curve[cell] += curve[cell + half]
    gradient[0] = slope[0]
    hessian[0, 0] = curve[0]
    for j in range(n_columns):
        gradient[j + 1] = slope[1 << j] + costs[j + 1]
        hessian[j + 1, 0] = curve[1 << j]
        hessian[j + 1, j + 1] = curve[1 << j]
        for k in range(j):
            hessian[j + 1, k + 1] = curve[(1 << j) | (1 << k)]


@bare_inner_kernel
def lower_bound_at(n_variables, w, loss, gradient, box):
    """A lower bound on the minimum over the box, valid at *any* point ``w`` of it.

    ``loss`` and ``gradient`` include the costs. Proof: the loss is convex, so it lies above its
    tangent plane at ``w``; the plane's minimum over the box is attained at a corner, coordinate by
    coordinate. The result is lowered by ROUNDING times the sizes of all summands, which exceeds the
    error of computing them.
    """
    bound = loss
    size = loss
    for v in range(n_variables):
        g = gradient[v]
        reach = g * (box[0, v] - w[v]) if g > 0.0 else g * (box[1, v] - w[v])
        bound += reach
        size -= reach
    return bound - ROUNDING * size


@bare_inner_kernel
def solve_free(n_free, free, gradient, hessian, direction, factor):
    """Newton's direction over the variables listed in ``free``, by Cholesky's method."""
    for a in range(n_free):
        va = int(free[a])
        for b in range(a + 1):
            vb = int(free[b])
            total = hessian[max(va, vb), min(va, vb)]
            least = 1e-10 * total + 1e-200
            if a == b:
                total += least
            for k in range(b):
                total -= factor[a, k] * factor[b, k]
            if a == b:
                factor[a, a] = math.sqrt(max(total, least))
            else:
                factor[a, b] = total / factor[b, b]
        total = -gradient[va]
        for k in range(a):
            total -= factor[a, k] * direction[int(free[k])]
        direction[va] = total / factor[a, a]
    for a in range(n_free - 1, -1, -1):
        total = direction[int(free[a])]
        for k in range(a + 1, n_free):
            total -= factor[k, a] * direction[int(free[k])]
        direction[int(free[a])] = total / factor[a, a]


@bare_inner_kernel
def newton_direction(n_variables, w, gradient, hessian, box, direction, factor):
    """Newton's direction over the variables that are free to move; 0 for those at a bound.

    A variable at a bound that the direction would push further out is held, and the others solved
    again without it; otherwise its share of the direction would mislead theirs. ``factor`` is
    scratch; its last row holds the indices of the free variables.
    """
    n_free = np.int64(0)
    free = factor[n_variables]
    for v in range(n_variables):
        direction[v] = 0.0
        g = gradient[v]
        if (w[v] > box[0, v] or g < 0.0) and (w[v] < box[1, v] or g > 0.0):
            free[n_free] = v
            n_free += 1
    is_final = False
    while not is_final:
        solve_free(n_free, free, gradient, hessian, direction, factor)
        kept = 0
        for a in range(n_free):
            v = int(free[a])
            if (w[v] <= box[0, v] and direction[v] < 0.0) or (
                w[v] >= box[1, v] and direction[v] > 0.0
            ):
                direction[v] = 0.0
            else:
                free[kept] = v
                kept += 1
        is_final = kept == n_free
        n_free = kept


@bare_inner_kernel
def length_to_bound(n_variables, w, direction, box):
    """How far to go along a direction until the first variable meets its bound; at most 0.3.

    Stretched a little, so that clipping puts that variable exactly on its bound.
    """
    length = 0.3
    for v in range(n_variables):
        room = box[1, v] - w[v] if direction[v] > 0.0 else box[0, v] - w[v]
        if direction[v] != 0.0 and room != 0.0:
            length = min(length, room / direction[v] * (1.0 + 1e-12))
    return length


@bare_inner_kernel
def take_step(n_columns, cells, box, w, loss, tables, costs, scratch):
    """One projected Newton step; changes ``w`` and ``tables``, returns the new loss without costs.

    A clipped step may raise the loss. Then one variable is brought to its bound, no further, and if
    that is too far still the step is shortened. ``scratch`` holds the gradient and the Hessian at
    ``w``; the tables are those of the new point.
    """
    gradient, hessian, direction, factor, trial = scratch
    n_variables = n_columns + 1
    newton_direction(n_variables, w, gradient, hessian, box, direction, factor)
    length = 1.0
    new_loss = loss
    for attempt in range(12):
        descent = 0.0
        for v in range(n_variables):
            trial[v] = min(max(w[v] + length * direction[v], box[0, v]), box[1, v])
            descent += gradient[v] * (trial[v] - w[v])
        tabulate_losses(n_columns, trial, tables)
        new_loss = sum_losses(1 << n_columns, cells, tables)
        with_costs = add_costs(n_columns, new_loss, costs, trial)
        if with_costs <= loss + 1e-4 * min(descent, 0.0) + 1e-13 * loss:
            break
        if attempt == 0:
            length = length_to_bound(n_variables, w, direction, box)
        else:
            length *= 0.3
    for v in range(n_variables):
        w[v] = trial[v]
    return new_loss
