"""Whole points of either sign for conditions that are all chosen, with a free scale.

As `kernels.proof.leaf`, with two differences: points may be negative, and not all of them are
tried. With the points of the first conditions given, let ``w`` be a point of the relaxation below
the cutoff, with a scale above 0, and ``q`` the ratio of the next step to the scale there. Claim:
from ``q`` outwards, the first whole number whose bound reaches the cutoff ends its side. Proof: the
points of the relaxation below the cutoff with a scale above 0 form a convex set; the ratios of the
next step to the scale in it are an interval, which contains ``q``. A whole number is outside it if
the least loss with these points reaches the cutoff; so are all beyond. ∎
"""

import math

import numpy as np

import riskcard.kernels.proof.layout as at
from riskcard.kernels.jit import inlined_kernel, kernel
from riskcard.kernels.proof.layout import NewtonScratch
from riskcard.kernels.proof.leaf import (
    FOUND_LOSS,
    FOUND_SCALE,
    FOUND_START,
    SCALE,
    fit_design,
    scan_bases,
)

#: Below this scale the ratio of a step to it says nothing.
LEAST_SCALE = 1e-9


@inlined_kernel
def fit_signed_prefix(holds, cells, e, n_fixed, steps, limits, cutoff, fit):
    """Best loss when the first ``n_fixed`` points are given and the other steps are real.

    Variables: offset, scale, then the free steps, between ``steps[LEAST]`` and ``steps[MOST]``.
    """
    design, box, w, scratch = fit
    n_cells, n_columns = holds.shape
    n_variables = 2 + n_columns - n_fixed
    largest = 0
    for j in range(n_fixed):
        largest = max(largest, abs(e[j]))
    box[at.LEAST, at.OFFSET] = limits.lowest_offset
    box[at.MOST, at.OFFSET] = limits.highest_offset
    box[at.LEAST, SCALE] = 0.0
    box[at.MOST, SCALE] = limits.step / largest if largest > 0 else 0.0
    w[at.OFFSET] = 0.0
    w[SCALE] = 0.5 / max(largest, 1)
    for c in range(n_cells):
        design[c, at.OFFSET] = 1.0
        design[c, SCALE] = 0.0
        for j in range(n_fixed):
            design[c, SCALE] += e[j] * holds[c, j]
        for j in range(n_fixed, n_columns):
            design[c, 2 + j - n_fixed] = holds[c, j]
    for j in range(n_fixed, n_columns):
        v = 2 + j - n_fixed
        box[at.LEAST, v] = steps[at.LEAST, j]
        box[at.MOST, v] = steps[at.MOST, j]
        w[v] = 0.0
    return fit_design(n_variables, design, cells, box, w, cutoff, scratch)


@kernel
def choose_signed_points(
    holds, cells, ends, steps, limits, cutoff, is_integer_base, best_points, found
):
    """Whole points for all conditions; prefixes whose bound is too high are cut off.

    Parameters are those of `choose_leaf_points`; ``ends`` may be negative, and ``steps`` (2,
    conditions) are the same ends in log-odds. Returns a valid bound on every card of the leaf, or
    the cutoff if that is lower.
    """
    n_cells, n_columns = holds.shape
    n = n_columns + 2
    scratch = NewtonScratch(
        np.zeros(n), np.zeros((n, n)), np.zeros(n), np.zeros((n + 1, n)), np.zeros(n)
    )
    fit = (np.zeros((n_cells, n)), np.zeros((2, n)), np.zeros(n), scratch)
    w = fit[2]
    e = np.zeros(n_columns, dtype=np.int64)
    # for each condition: the next number downwards and upwards, and whether either side is done
    lower, upper = np.zeros(n_columns, dtype=np.int64), np.zeros(n_columns, dtype=np.int64)
    is_done = np.zeros((2, n_columns), dtype=np.bool_)
    is_scan = np.zeros(n_columns, dtype=np.bool_)
    side = np.zeros(n_columns, dtype=np.int64)
    entered = np.zeros(n_columns)
    points = np.zeros(n_cells)
    lowest = cutoff
    depth = 0
    is_entering = True
    while depth >= 0:
        if is_entering:
            below = min(cutoff, found[FOUND_LOSS])
            loss, bound = fit_signed_prefix(holds, cells, e, depth, steps, limits, below, fit)
            is_out = bound >= below
            largest = 0
            for j in range(depth):
                largest = max(largest, abs(e[j]))
            if is_out or depth == n_columns or loss >= below:
                is_ended = is_out or depth < n_columns or largest == 0 or w[SCALE] <= 0.0
                if not is_ended and loss < below:
                    before = found[FOUND_LOSS]
                    if is_integer_base:
                        for c in range(n_cells):
                            points[c] = 0.0
                            for j in range(n_columns):
                                points[c] += e[j] * holds[c, j]
                        bound = scan_bases(points, largest, cells, limits, cutoff, fit, found)
                    else:
                        found[FOUND_LOSS] = loss
                        found[FOUND_SCALE] = w[SCALE]
                        found[FOUND_START] = w[at.OFFSET]
                    if found[FOUND_LOSS] < before:
                        for j in range(n_columns):
                            best_points[j] = e[j]
                lowest = min(lowest, bound)
                depth -= 1
                is_entering = False
                # does this number end its side? only if the point of the relaxation still counts
                if depth >= 0 and is_out and is_scan[depth] and entered[depth] < below:
                    is_done[side[depth], depth] = True
                continue
            # a new condition: where to begin
            entered[depth] = loss
            least, most = ends[at.LEAST, depth], ends[at.MOST, depth]
            is_scan[depth] = largest > 0 and w[SCALE] > LEAST_SCALE
            start = least
            if is_scan[depth]:
                ratio = w[2] / w[SCALE]
                start = int(min(max(math.floor(ratio), least - 1.0), most + 0.0))
                lower[depth], upper[depth] = start, start + 1
            else:
                lower[depth], upper[depth] = least - 1, least
            is_done[0, depth] = False
            is_done[1, depth] = False
            is_entering = False
            continue
        # the next number of points of this condition
        least, most = ends[at.LEAST, depth], ends[at.MOST, depth]
        if not is_done[0, depth] and lower[depth] >= least:
            e[depth] = lower[depth]
            lower[depth] -= 1
            side[depth] = 0
        elif not is_done[1, depth] and upper[depth] <= most:
            e[depth] = upper[depth]
            upper[depth] += 1
            side[depth] = 1
        else:
            e[depth] = 0
            depth -= 1
            continue
        depth += 1
        is_entering = True
    return lowest
