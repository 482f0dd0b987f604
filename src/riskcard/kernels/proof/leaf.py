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
are all given; of each the bound is valid, and the least of them is returned. A search that is told
to stop returns minus infinity. ∎
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
#: A search for points ends after a number of fits, or when another thread asks for it.
FITS_LEFT, STOP = 0, 1


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


class LeafFit(NamedTuple):
    """What the fits of a leaf read and write."""

    design: np.ndarray  # (cells, variables)
    box: np.ndarray  # (2, variables)
    w: np.ndarray  # (variables,)
    newton: NewtonScratch
    e: np.ndarray  # (conditions,) the points that are given
    points: np.ndarray  # (cells,) what they add up to


@inlined_kernel
def empty_leaf_fit(n_cells, n_columns):
    """Room for fits of offset, scale and as many steps as there are conditions."""
    n = n_columns + 2
    newton = NewtonScratch(
        np.zeros(n), np.zeros((n, n)), np.zeros(n), np.zeros((n + 1, n)), np.zeros(n)
    )
    e = np.zeros(n_columns, dtype=np.int64)
    return LeafFit(
        np.zeros((n_cells, n)), np.zeros((2, n)), np.zeros(n), newton, e, np.zeros(n_cells)
    )


@inlined_kernel
def largest_points(e, n_fixed):
    """The most points, of either sign, that one of the first conditions gives."""
    largest = 0
    for j in range(n_fixed):
        largest = max(largest, abs(e[j]))
    return largest


@inlined_kernel
def fit_prefix(holds, cells, n_fixed, steps, start, limits, cutoff, fit):
    """Best loss when the first ``n_fixed`` points are given and the other steps are real.

    Variables: offset, scale ``a``, then the free steps, between ``steps[LEAST]`` and
    ``steps[MOST]``, which begin at ``start``. Giving up the wholeness of the other points and their
    common scale only enlarges the set of cards, so the bound holds for all of them.
    """
    design, box, w, e = fit.design, fit.box, fit.w, fit.e
    n_cells, n_columns = holds.shape
    n_variables = 2 + n_columns - n_fixed
    largest = largest_points(e, n_fixed)
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
        w[v] = start
    return fit_design(n_variables, design, cells, box, w, cutoff, fit.newton)


@inlined_kernel
def is_told_to_stop(pace):
    """Count a fit; whether there have been enough of them."""
    pace[FITS_LEFT] -= 1.0
    return pace[FITS_LEFT] < 0.0 or pace[STOP] != 0.0


@inlined_kernel
def scan_bases(largest, cells, limits, cutoff, fit, found, pace):
    """Best integer base and scale for given points; ``fit`` holds the real-valued fit.

    Claim: no whole base gives a loss below the number returned. Proof: the best loss as a function
    of the real ratio offset / a has intervals as sublevel sets (they are the ratios within a convex
    set of pairs with a > 0). So from the best ratio outwards, a base whose bound reaches the cutoff
    ends the scan on its side. So does one whose best scale is 0: there its loss is that of log-odds 0,
    which the scale 0 gives with every base, so no base beyond it has a larger one, nor a smaller one.
    """
    design, box, w, points = fit.design, fit.box, fit.w, fit.points
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
            loss, bound = fit_design(one_variable, design, cells, box, w, below, fit.newton)
            lowest = min(lowest, bound)
            if bound >= below or w[only] <= 0.0:
                break
            if is_told_to_stop(pace):
                return -np.inf
            if loss < found[FOUND_LOSS] and w[only] > 0.0:
                found[FOUND_LOSS] = loss
                found[FOUND_SCALE] = w[only]
                found[FOUND_START] = base
            base += 2 * side - 1
        else:
            return -np.inf
    return lowest


@inlined_kernel
def offer_points(
    holds, cells, loss, bound, limits, cutoff, is_integer_base, fit, best_points, found, pace
):
    """Keep the card with the points that are given if it is the best so far.

    Offset and scale, with a ``loss`` below the best, are those of the last fit. Returns a valid
    bound on the loss of all cards with these points.
    """
    n_cells, n_columns = holds.shape
    before = found[FOUND_LOSS]
    if is_integer_base:
        for c in range(n_cells):
            fit.points[c] = 0.0
            for j in range(n_columns):
                fit.points[c] += fit.e[j] * holds[c, j]
        largest = largest_points(fit.e, n_columns)
        bound = scan_bases(largest, cells, limits, cutoff, fit, found, pace)
    else:
        found[FOUND_LOSS] = loss
        found[FOUND_SCALE] = fit.w[SCALE]
        found[FOUND_START] = fit.w[at.OFFSET]
    if found[FOUND_LOSS] < before:
        for j in range(n_columns):
            best_points[j] = fit.e[j]
    return bound


@kernel
def choose_leaf_points(
    holds, cells, ends, limits, cutoff, is_integer_base, best_points, found, pace
):
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
    pace
        When to stop: FITS_LEFT, and STOP once it is not 0.

    Returns
    -------
    bound
        A valid lower bound on the loss of every card of the leaf, or the cutoff if that is lower; minus
        infinity if it was told to stop.
    """
    n_cells, n_columns = holds.shape
    fit = empty_leaf_fit(n_cells, n_columns)
    e, w = fit.e, fit.w
    steps = np.zeros((2, n_columns))
    for j in range(n_columns):
        steps[at.MOST, j] = limits.step
    lowest = cutoff
    depth = 0
    e[0] = ends[at.LEAST, 0] - 1
    while depth >= 0:
        e[depth] += 1
        # were all points of this condition tried? then back to the one before
        if e[depth] > ends[at.MOST, depth]:
            depth -= 1
            continue
        if is_told_to_stop(pace):
            return -np.inf
        below = min(cutoff, found[FOUND_LOSS])
        loss, bound = fit_prefix(holds, cells, depth + 1, steps, 0.5, limits, below, fit)
        # can it still win?
        if bound >= below:
            lowest = min(lowest, bound)
            continue
        # are there more conditions?
        if depth + 1 < n_columns:
            depth += 1
            e[depth] = ends[at.LEAST, depth] - 1
            continue
        # is it the empty card, or a fit that ended undecided? its bound is all there is to say
        is_empty = largest_points(e, n_columns) == 0
        if not is_empty and w[SCALE] > 0.0 and loss < below:
            bound = offer_points(
                holds, cells, loss, bound, limits, cutoff, is_integer_base, fit, best_points, found,
                pace,
            )  # fmt: skip
        lowest = min(lowest, bound)
    return lowest
