"""The last step of the proof for free scales: whole points for conditions that are all chosen.

The rows fall into cells (which conditions hold); a card gives condition ``j`` the points
``e[j] >= 0`` and its log-odds are ``offset + a * sum of e[j] of the conditions that hold``, with
``a * e[j]`` within a limit. With an integer base the offset is ``a * base``.
"""

import math

import numpy as np

from riskcard.kernels.jit import inlined_kernel, inner_kernel, kernel
from riskcard.kernels.proof.relaxation import length_to_bound

MAX_STEPS = 200
SOLVED_WITHIN = 1e-10
ROUNDING = 1e-11


@inner_kernel
def fit_design(design, cells, box, w, cutoff, scratch):
    """Minimise the loss of ``design @ w`` over a box by projected Newton steps with halving.

    ``w`` is changed in place. Returns the loss at the final ``w`` and a valid lower bound (tangent
    plane, as in `relaxation.lower_bound_at`); stops early when the bound reaches ``cutoff``.
    """
    gradient, hessian, factor, direction, trial = scratch
    n_cells, n_variables = design.shape
    best = -np.inf
    length = 1.0
    shortened = 0
    loss = np.inf
    for v in range(n_variables):
        trial[v] = min(max(w[v], box[0, v]), box[1, v])
    for step in range(MAX_STEPS):
        new_loss = 0.0
        gradient[:] = 0.0
        hessian[:, :] = 0.0
        for c in range(n_cells):
            score = 0.0
            for v in range(n_variables):
                score += design[c, v] * trial[v]
            small = math.exp(-abs(score))
            common = math.log1p(small)
            rare = small / (1.0 + small)
            near = 1.0 / (1.0 + small)
            miss = rare if score >= 0.0 else near
            hit = near if score >= 0.0 else rare
            new_loss += cells[0, c] * (common + max(-score, 0.0))
            new_loss += cells[1, c] * (common + max(score, 0.0))
            slope = cells[1, c] * hit - cells[0, c] * miss
            curve = (cells[0, c] + cells[1, c]) * miss * hit
            for v in range(n_variables):
                gradient[v] += slope * design[c, v]
                for u in range(v + 1):
                    hessian[v, u] += curve * design[c, v] * design[c, u]
        if new_loss > loss * (1.0 + 1e-14) and shortened < 20:
            length = (
                length_to_bound(n_variables, w, direction, box) if shortened == 0 else 0.3 * length
            )
            shortened += 1
            for v in range(n_variables):
                trial[v] = min(max(w[v] + length * direction[v], box[0, v]), box[1, v])
            continue
        bound = new_loss
        size = new_loss
        for v in range(n_variables):
            w[v] = trial[v]
            end = box[0, v] if gradient[v] > 0.0 else box[1, v]
            bound += gradient[v] * (end - w[v])
            size -= gradient[v] * (end - w[v])
        best = max(best, bound - ROUNDING * size)
        is_stuck = loss - new_loss <= 1e-15 * loss and step > 50
        loss = new_loss
        if best >= cutoff or loss - best <= SOLVED_WITHIN * loss or is_stuck:
            break
        solve_free(n_variables, w, box, gradient, hessian, factor, direction)
        shortened = 0
        for v in range(n_variables):
            trial[v] = min(max(w[v] + direction[v], box[0, v]), box[1, v])
    return loss, best


@inlined_kernel
def solve_free(n_variables, w, box, gradient, hessian, factor, direction):
    """Newton's direction over the free variables, by Cholesky with unit rows for the others.

    A variable at a bound that the direction would push further out is held, and the others solved
    again without it; otherwise its share of the direction would mislead theirs.
    """
    is_free = factor[:, n_variables]
    for v in range(n_variables):
        g = gradient[v]
        can_move = (w[v] > box[0, v] or g < 0.0) and (w[v] < box[1, v] or g > 0.0)
        is_free[v] = 1.0 if can_move else 0.0
    is_final = False
    while not is_final:
        for v in range(n_variables):
            direction[v] = -gradient[v] * is_free[v]
            for u in range(v + 1):
                both = is_free[v] * is_free[u]
                total = hessian[v, u] * both
                if u == v:
                    total = total * (1.0 + 1e-12) + 1e-200 + (1.0 - both)
                least = 1e-12 * total
                for k in range(u):
                    total -= factor[v, k] * factor[u, k]
                factor[v, u] = math.sqrt(max(total, least)) if u == v else total / factor[u, u]
            for k in range(v):
                direction[v] -= factor[v, k] * direction[k]
            direction[v] /= factor[v, v]
        for v in range(n_variables - 1, -1, -1):
            for k in range(v + 1, n_variables):
                direction[v] -= factor[k, v] * direction[k]
            direction[v] /= factor[v, v]
        is_final = True
        for v in range(n_variables):
            is_out = (w[v] <= box[0, v] and direction[v] < 0.0) or (
                w[v] >= box[1, v] and direction[v] > 0.0
            )
            if is_out and is_free[v] > 0.0:
                is_free[v] = 0.0
                is_final = False


@inlined_kernel
def fit_prefix(holds, cells, e, n_fixed, limits, cutoff, scratch):
    """Best loss when the first ``n_fixed`` points are given and the other steps are real.

    Variables: offset, scale ``a``, then the free steps. Giving up the wholeness of the other points
    and their common scale only enlarges the set of cards, so the bound holds for all of them.
    """
    design_all, box_all, w_all, arrays = scratch
    n_cells, n_columns = holds.shape
    n_variables = 2 + n_columns - n_fixed
    design = design_all[:, :n_variables]
    box = box_all[:, :n_variables]
    w = w_all[:n_variables]
    largest = 0
    for j in range(n_fixed):
        largest = max(largest, e[j])
    box[0, 0] = limits[1]
    box[1, 0] = limits[2]
    box[0, 1] = 0.0
    box[1, 1] = limits[0] / largest if largest > 0 else 0.0
    w[0] = 0.0
    w[1] = 0.5 / max(largest, 1)
    for c in range(n_cells):
        design[c, 0] = 1.0
        design[c, 1] = 0.0
        for j in range(n_fixed):
            design[c, 1] += e[j] * holds[c, j]
        for j in range(n_fixed, n_columns):
            design[c, 2 + j - n_fixed] = holds[c, j]
    for v in range(2, n_variables):
        box[0, v] = 0.0
        box[1, v] = limits[0]
        w[v] = 0.5
    gradient, hessian, factor, direction, trial = arrays
    small = (
        gradient[:n_variables],
        hessian[:n_variables, :n_variables],
        factor,
        direction[:n_variables],
        trial[:n_variables],
    )
    return fit_design(design, cells, box, w, cutoff, small)


@inlined_kernel
def scan_bases(points, cells, limits, cutoff, scratch, found):
    """Best integer base and scale for given points; ``scratch`` holds the real-valued fit.

    The best loss as a function of the real ratio offset / a has intervals as sublevel sets (they
    are the ratios within a convex set of pairs with a > 0), so from the best ratio outwards a base
    whose bound reaches the cutoff ends the scan on its side. Returns a bound on all bases.
    """
    design_all, box_all, w_all, arrays = scratch
    gradient, hessian, factor, direction, trial = arrays
    small = (gradient[:1], hessian[:1, :1], factor, direction[:1], trial[:1])
    design = design_all[:, :1]
    box = box_all[:, :1]
    w = w_all[:1]
    ratio = w_all[0] / max(w_all[1], 1e-300)
    scale = w_all[1]
    lowest = np.inf
    if abs(ratio) > 1e9:
        return -np.inf
    for side in range(2):
        base = math.floor(ratio) if side == 0 else math.floor(ratio) + 1
        for _ in range(100000):
            for c in range(points.size):
                design[c, 0] = base + points[c]
            box[0, 0] = 0.0
            box[1, 0] = limits[0] / limits[3]
            w[0] = scale
            loss, bound = fit_design(design, cells, box, w, min(cutoff, found[0]), small)
            if bound >= min(cutoff, found[0]):
                lowest = min(lowest, bound)
                break
            lowest = min(lowest, bound)
            if loss < found[0] and w[0] > 0.0:
                found[0] = loss
                found[1] = w[0]
                found[2] = base
            base += 2 * side - 1
        else:
            return -np.inf
    return lowest


@kernel
def choose_leaf_points(holds, cells, ends, limits, cutoff, is_integer_base, best_points, found):
    """Try all whole points for the conditions, cutting off prefixes whose bound is too high.

    Parameters
    ----------
    holds
        (cells, conditions) 1.0 where a condition gives its points.
    cells
        (2, cells) weights of rows with and without the event.
    ends
        (2, conditions) the least and the most points of each condition.
    limits
        Limit of a * points, lowest offset, highest offset, and a place for scratch.
    cutoff
        Cards at or above this loss are of no interest.
    best_points, found
        Written: points of the best card below the cutoff; its loss (unchanged if there is none),
        scale, and offset or base.

    Returns
    -------
    bound
        A valid lower bound on the loss of every card of the leaf, or the cutoff if that is lower.
    """
    n_cells, n_columns = holds.shape
    n = n_columns + 2
    arrays = (np.zeros(n), np.zeros((n, n)), np.zeros((n, n + 1)), np.zeros(n), np.zeros(n))
    scratch = (np.zeros((n_cells, n)), np.zeros((2, n)), np.zeros(n), arrays)
    e = np.zeros(n_columns, dtype=np.int64)
    points = np.zeros(n_cells)
    lowest = cutoff
    depth = 0
    e[0] = ends[0, 0] - 1
    while depth >= 0:
        e[depth] += 1
        if e[depth] > ends[1, depth]:
            depth -= 1
            continue
        below = min(cutoff, found[0])
        loss, bound = fit_prefix(holds, cells, e, depth + 1, limits, below, scratch)
        if bound >= below:
            lowest = min(lowest, bound)
            continue
        if depth + 1 < n_columns:
            depth += 1
            e[depth] = ends[0, depth] - 1
            continue
        largest = 0
        for j in range(n_columns):
            largest = max(largest, e[j])
        if largest == 0 or scratch[2][1] <= 0.0 or loss >= below:
            # the empty card, or a fit that ended undecided: its bound is all there is to say
            lowest = min(lowest, bound)
            continue
        before = found[0]
        if is_integer_base:
            for c in range(n_cells):
                points[c] = 0.0
                for j in range(n_columns):
                    points[c] += e[j] * holds[c, j]
            limits[3] = largest
            bound = scan_bases(points, cells, limits, cutoff, scratch, found)
        elif loss < found[0]:
            found[0] = loss
            found[1] = scratch[2][1]
            found[2] = scratch[2][0]
        lowest = min(lowest, bound)
        if found[0] < before:
            for j in range(n_columns):
                best_points[j] = e[j]
    return lowest
