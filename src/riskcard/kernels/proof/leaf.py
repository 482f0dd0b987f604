"""The last step of the proof for free scales: whole points for conditions that are all chosen.

The rows fall into cells (which conditions hold); a card gives condition ``j`` the points
``e[j] >= 0`` and its log-odds are ``offset + a * sum of e[j] of the conditions that hold``, with
``a * e[j]`` within a limit. With an integer base the offset is ``a * base``.

The points are chosen one condition after another, depth first. With the points of the first
conditions given, the others are real numbers (`fit_prefix`)::

    e[0]        0            1              2 ..
    e[1]        0 1 2 ..     0 1 2 ..       a prefix whose bound reaches the cutoff is cut off
    e[2]        ...          ...            all points given: the best scale, and base if whole

Claim: no card of the leaf has a loss below the number that `choose_leaf_points` returns, unless
that is the cutoff. Proof: every card continues some prefix that was cut off, or is one whose points
are all given; of each the bound is valid, and the least of them is returned.
"""

import math
from typing import NamedTuple

import numpy as np

import riskcard.kernels.proof.layout as at
from riskcard.kernels.jit import inlined_kernel, inner_kernel, kernel
from riskcard.kernels.proof.layout import NewtonScratch
from riskcard.kernels.proof.newton import length_to_bound, move_within, newton_direction
from riskcard.kernels.proof.relaxation import lower_bound_at

#: A fit is solved when its loss is this close to its bound (relative), or after this many steps.
LEAF_SOLVED_WITHIN, LEAF_MAX_STEPS = 1e-10, 200
#: The same parts as NODE_RIDGE and NODE_FLOOR, smaller since a fit must come far closer here. The
#: diagonal is multiplied by STIFFENED instead, which is a rounding more exact than adding a ridge.
STIFFENED, NO_RIDGE, LEAF_FLOOR = 1.0 + 1e-12, 0.0, 1e-12
#: The coefficient of the points that are given: the scale.
SCALE = 1
#: What is found of the best card: its loss, its scale, and its offset or base.
FOUND_LOSS, FOUND_SCALE, FOUND_START = 0, 1, 2


class LeafLimits(NamedTuple):
    """Between what the coefficients of a leaf's cards are."""

    step: float  # the most that the points of one condition may add to the log-odds
    lowest_offset: float
    highest_offset: float


@inner_kernel
def fit_design(n_variables, design, cells, box, w, cutoff, scratch):
    """Minimise the loss of ``design @ w`` over a box by projected Newton steps with halving.

    ``w`` is changed in place. Returns the loss at the final ``w`` and a valid lower bound, see
    `lower_bound_at`; stops early when the bound reaches ``cutoff``.
    """
    gradient, hessian, trial = scratch.gradient, scratch.hessian, scratch.trial
    best = -np.inf
    length = 1.0
    shortened = 0
    loss = np.inf
    for v in range(n_variables):
        trial[v] = min(max(w[v], box[at.LEAST, v]), box[at.MOST, v])
    for step in range(LEAF_MAX_STEPS):
        new_loss = 0.0
        for v in range(n_variables):
            gradient[v] = 0.0
            for u in range(v + 1):
                hessian[v, u] = 0.0
        for c in range(design.shape[0]):
            score = 0.0
            for v in range(n_variables):
                score += design[c, v] * trial[v]
            small = math.exp(-abs(score))
            common = math.log1p(small)
            rare = small / (1.0 + small)
            near = 1.0 / (1.0 + small)
            miss = rare if score >= 0.0 else near
            hit = near if score >= 0.0 else rare
            new_loss += cells[at.EVENT, c] * (common + max(-score, 0.0))
            new_loss += cells[at.OTHER, c] * (common + max(score, 0.0))
            slope = cells[at.OTHER, c] * hit - cells[at.EVENT, c] * miss
            curve = (cells[at.EVENT, c] + cells[at.OTHER, c]) * miss * hit
            for v in range(n_variables):
                gradient[v] += slope * design[c, v]
                for u in range(v + 1):
                    hessian[v, u] += curve * design[c, v] * design[c, u]
        # has the step gone too far?
        if new_loss > loss * (1.0 + 1e-14) and shortened < 20:
            if shortened == 0:
                length = length_to_bound(n_variables, w, scratch.direction, box)
            else:
                length *= 0.3
            shortened += 1
            move_within(n_variables, w, scratch.direction, length, box, trial)
            continue
        for v in range(n_variables):
            w[v] = trial[v]
        best = max(best, lower_bound_at(n_variables, w, new_loss, gradient, box))
        is_stuck = loss - new_loss <= 1e-15 * loss and step > 50
        loss = new_loss
        # is the question decided, or is there nothing left to gain?
        if best >= cutoff or loss - best <= LEAF_SOLVED_WITHIN * loss or is_stuck:
            break
        for v in range(n_variables):
            hessian[v, v] *= STIFFENED
        newton_direction(n_variables, w, box, scratch, NO_RIDGE, LEAF_FLOOR)
        shortened = 0
        move_within(n_variables, w, scratch.direction, 1.0, box, trial)
    return loss, best


@inlined_kernel
def fit_prefix(holds, cells, e, n_fixed, limits, cutoff, fit):
    """Best loss when the first ``n_fixed`` points are given and the other steps are real.

    Variables: offset, scale ``a``, then the free steps. Giving up the wholeness of the other points
    and their common scale only enlarges the set of cards, so the bound holds for all of them.
    """
    design, box, w, scratch = fit
    n_cells, n_columns = holds.shape
    n_variables = 2 + n_columns - n_fixed
    largest = 0
    for j in range(n_fixed):
        largest = max(largest, e[j])
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
    for v in range(2, n_variables):
        box[at.LEAST, v] = 0.0
        box[at.MOST, v] = limits.step
        w[v] = 0.5
    return fit_design(n_variables, design, cells, box, w, cutoff, scratch)


@inlined_kernel
def scan_bases(points, largest, cells, limits, cutoff, fit, found):
    """Best integer base and scale for given points; ``fit`` holds the real-valued fit.

    Claim: no whole base gives a loss below the number returned. Proof: the best loss as a function
    of the real ratio offset / a has intervals as sublevel sets (they are the ratios within a convex
    set of pairs with a > 0). So from the best ratio outwards, a base whose bound reaches the cutoff
    ends the scan on its side.
    """
    design, box, w, scratch = fit
    ratio = w[at.OFFSET] / max(w[SCALE], 1e-300)
    scale = w[SCALE]
    # one variable is left, the scale: every row's log-odds are scale * (base + points)
    only = 0
    one_variable = np.int64(1)
    lowest = np.inf
    if abs(ratio) > 1e9:
        return -np.inf
    for side in range(2):
        base = math.floor(ratio) if side == 0 else math.floor(ratio) + 1
        for _ in range(100000):
            for c in range(points.size):
                design[c, only] = base + points[c]
            box[at.LEAST, only] = 0.0
            box[at.MOST, only] = limits.step / largest
            w[only] = scale
            below = min(cutoff, found[FOUND_LOSS])
            loss, bound = fit_design(one_variable, design, cells, box, w, below, scratch)
            lowest = min(lowest, bound)
            if bound >= below:
                break
            if loss < found[FOUND_LOSS] and w[only] > 0.0:
                found[FOUND_LOSS] = loss
                found[FOUND_SCALE] = w[only]
                found[FOUND_START] = base
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
        (2, conditions) LEAST and MOST points of each condition.
    limits
        See `LeafLimits`.
    cutoff
        Cards at or above this loss are of no interest.
    best_points, found
        Written: points of the best card below the cutoff; its FOUND_LOSS (unchanged if there is
        none), FOUND_SCALE and FOUND_START.

    Returns
    -------
    bound
        A valid lower bound on the loss of every card of the leaf, or the cutoff if that is lower.
    """
    n_cells, n_columns = holds.shape
    n = n_columns + 1  # offset, scale and the free steps: the points of the first are given
    scratch = NewtonScratch(
        np.zeros(n), np.zeros((n, n)), np.zeros(n), np.zeros((n + 1, n)), np.zeros(n)
    )
    fit = (np.zeros((n_cells, n)), np.zeros((2, n)), np.zeros(n), scratch)
    w = fit[2]
    e = np.zeros(n_columns, dtype=np.int64)
    points = np.zeros(n_cells)
    lowest = cutoff
    depth = 0
    e[0] = ends[at.LEAST, 0] - 1
    while depth >= 0:
        e[depth] += 1
        # were all points of this condition tried? then back to the one before
        if e[depth] > ends[at.MOST, depth]:
            depth -= 1
            continue
        below = min(cutoff, found[FOUND_LOSS])
        loss, bound = fit_prefix(holds, cells, e, depth + 1, limits, below, fit)
        # can it still win?
        if bound >= below:
            lowest = min(lowest, bound)
            continue
        # are there more conditions?
        if depth + 1 < n_columns:
            depth += 1
            e[depth] = ends[at.LEAST, depth] - 1
            continue
        largest = 0
        for j in range(n_columns):
            largest = max(largest, e[j])
        # is it the empty card, or a fit that ended undecided? its bound is all there is to say
        if largest == 0 or w[SCALE] <= 0.0 or loss >= below:
            lowest = min(lowest, bound)
            continue
        before = found[FOUND_LOSS]
        if is_integer_base:
            for c in range(n_cells):
                points[c] = 0.0
                for j in range(n_columns):
                    points[c] += e[j] * holds[c, j]
            bound = scan_bases(points, largest, cells, limits, cutoff, fit, found)
        elif loss < found[FOUND_LOSS]:
            found[FOUND_LOSS] = loss
            found[FOUND_SCALE] = w[SCALE]
            found[FOUND_START] = w[at.OFFSET]
        lowest = min(lowest, bound)
        if found[FOUND_LOSS] < before:
            for j in range(n_columns):
                best_points[j] = e[j]
    return lowest
