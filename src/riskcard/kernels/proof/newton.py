"""Projected Newton's direction for a convex loss over a box, shared by nodes and leaves.

How long a step is decided where the loss is computed, since that is done in two ways: `take_step`
asks for the loss alone, from tables of bits, and `fit_design` for the derivatives as well. The fits
of the search have no box (`fit_cells`, whose Cholesky factor is a result) or two variables with a
closed form (`fit_scale`).
"""

import math

import numpy as np

import riskcard.kernels.proof.layout as at
from riskcard.kernels.jit import bare_inner_kernel


@bare_inner_kernel
def newton_direction(n_variables, w, box, scratch, ridge, floor):
    """Write Newton's direction over the variables that are free to move, and 0 for the others.

    A variable at a bound that the direction would push further out is held, and the others are
    solved again without it; otherwise its share of the direction would mislead theirs. ``ridge`` is
    the part of itself that is added to each diagonal entry of the Hessian, ``floor`` the part of it
    that a pivot is at least.
    """
    gradient, direction = scratch.gradient, scratch.direction
    n_free = np.int64(0)
    free = scratch.factor[n_variables]
    for v in range(n_variables):
        direction[v] = 0.0
        g = gradient[v]
        if (w[v] > box[at.LEAST, v] or g < 0.0) and (w[v] < box[at.MOST, v] or g > 0.0):
            free[n_free] = v
            n_free += 1
    is_final = False
    while not is_final:
        solve_free(n_free, free, scratch, ridge, floor)
        kept = 0
        for a in range(n_free):
            v = int(free[a])
            if (w[v] <= box[at.LEAST, v] and direction[v] < 0.0) or (
                w[v] >= box[at.MOST, v] and direction[v] > 0.0
            ):
                direction[v] = 0.0
            else:
                free[kept] = v
                kept += 1
        is_final = kept == n_free
        n_free = kept


@bare_inner_kernel
def solve_free(n_free, free, scratch, ridge, floor):
    """Newton's direction over the variables listed in ``free``, by Cholesky's method."""
    gradient, hessian, direction, factor, _ = scratch
    for a in range(n_free):
        va = int(free[a])
        for b in range(a + 1):
            vb = int(free[b])
            total = hessian[max(va, vb), min(va, vb)]
            least = floor * total + 1e-200
            if a == b:
                total += ridge * total + 1e-200
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
def move_within(n_variables, w, direction, length, box, trial):
    """Write the point that far along a direction, clipped to the box."""
    for v in range(n_variables):
        trial[v] = min(max(w[v] + length * direction[v], box[at.LEAST, v]), box[at.MOST, v])


@bare_inner_kernel
def length_to_bound(n_variables, w, direction, box):
    """How far to go along a direction until the first variable meets its bound; at most 0.3.

    Stretched a little, so that clipping puts that variable exactly on its bound.
    """
    length = 0.3
    for v in range(n_variables):
        room = box[at.MOST, v] - w[v] if direction[v] > 0.0 else box[at.LEAST, v] - w[v]
        if direction[v] != 0.0 and room != 0.0:
            length = min(length, room / direction[v] * (1.0 + 1e-12))
    return length
