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
from typing import NamedTuple

import numpy as np

import riskcard.kernels.proof.layout as at
from riskcard.kernels.jit import inlined_kernel, kernel
from riskcard.kernels.proof.leaf import (
    FOUND_LOSS,
    SCALE,
    empty_leaf_fit,
    fit_prefix,
    is_told_to_stop,
    largest_points,
    offer_points,
)

#: Below this scale the ratio of a step to it says nothing.
LEAST_SCALE = 1e-9
#: The sides of a scan.
DOWN, UP = 0, 1


class Scan(NamedTuple):
    """For each condition: the whole numbers that were not tried yet, from a start outwards."""

    following: np.ndarray  # (2, conditions) the next number DOWN and UP
    is_done: np.ndarray  # (2, conditions) whether a side has ended
    side: np.ndarray  # (conditions,) that of the number in use
    is_ordered: np.ndarray  # (conditions,) whether a number whose bound is too high ends its side
    entered: np.ndarray  # (conditions,) the loss of the relaxation where the scan began


@inlined_kernel
def begin_scan(depth, ends, loss, fit, scan):
    """Decide where the points of a condition begin: at the ratio of its step to the scale."""
    least, most = ends[at.LEAST, depth], ends[at.MOST, depth]
    scan.entered[depth] = loss
    scan.is_ordered[depth] = largest_points(fit.e, depth) > 0 and fit.w[SCALE] > LEAST_SCALE
    start = least - 1
    if scan.is_ordered[depth]:
        ratio = fit.w[2] / fit.w[SCALE]
        start = int(min(max(math.floor(ratio), least - 1.0), most + 0.0))
    scan.following[DOWN, depth], scan.following[UP, depth] = start, start + 1
    scan.is_done[DOWN, depth] = False
    scan.is_done[UP, depth] = False


@inlined_kernel
def take_next(depth, ends, e, scan):
    """Give a condition its next number of points; False, and no points, if there is none."""
    following, is_done = scan.following, scan.is_done
    is_found = True
    if not is_done[DOWN, depth] and following[DOWN, depth] >= ends[at.LEAST, depth]:
        e[depth] = following[DOWN, depth]
        following[DOWN, depth] -= 1
        scan.side[depth] = DOWN
    elif not is_done[UP, depth] and following[UP, depth] <= ends[at.MOST, depth]:
        e[depth] = following[UP, depth]
        following[UP, depth] += 1
        scan.side[depth] = UP
    else:
        e[depth] = 0
        is_found = False
    return is_found


@kernel
def choose_signed_points(
    holds, cells, ends, steps, limits, cutoff, is_integer_base, best_points, found, pace
):
    """Whole points for all conditions; prefixes whose bound is too high are cut off.

    Parameters are those of `choose_leaf_points`; ``ends`` may be negative, and ``steps`` (2,
    conditions) are the same ends in log-odds. Returns a valid bound on every card of the leaf, or
    the cutoff if that is lower; minus infinity if it was told to stop.
    """
    n_cells, n_columns = holds.shape
    fit = empty_leaf_fit(n_cells, n_columns)
    scan = Scan(
        np.zeros((2, n_columns), dtype=np.int64),
        np.zeros((2, n_columns), dtype=np.bool_),
        np.zeros(n_columns, dtype=np.int64),
        np.zeros(n_columns, dtype=np.bool_),
        np.zeros(n_columns),
    )
    lowest = cutoff
    depth = 0
    has_next = True
    while depth >= 0:
        # all conditions before this depth have points: what do the others add?
        if has_next:
            if is_told_to_stop(pace):
                return -np.inf
            below = min(cutoff, found[FOUND_LOSS])
            loss, bound = fit_prefix(holds, cells, depth, steps, 0.0, limits, below, fit)
            is_out = bound >= below
            may_win = not is_out and loss < below
            if may_win and depth < n_columns:
                begin_scan(depth, ends, loss, fit, scan)
            else:
                # is it the empty card, or undecided? its bound is all there is to say
                if may_win and largest_points(fit.e, n_columns) > 0 and fit.w[SCALE] > 0.0:
                    bound = offer_points(
                        holds, cells, loss, bound, limits, cutoff, is_integer_base, fit, best_points,
                        found, pace,
                    )  # fmt: skip
                lowest = min(lowest, bound)
                depth -= 1
                # does this number end its side? only if the point of the relaxation still counts
                if depth >= 0 and is_out and scan.is_ordered[depth] and scan.entered[depth] < below:
                    scan.is_done[scan.side[depth], depth] = True
        if depth >= 0:
            has_next = take_next(depth, ends, fit.e, scan)
            depth += 1 if has_next else -1
    return lowest
