"""A logistic regression on all conditions that the cards of a node may have.

Coefficients lie in a box. Where all conditions of a group are open with both signs, those of its
basis are enough: the others would add nothing but other ways to write the same log-odds.
"""

import math

import numpy as np

import riskcard.kernels.proof.supports.records as at
from riskcard.kernels.jit import bare_inner_kernel, inlined_kernel
from riskcard.kernels.proof.supports.family_bound import family_bound, step_bound
from riskcard.kernels.proof.supports.levels import (
    add_to_rows,
    levels_of_codes,
    levels_of_places,
    sum_over_rows,
    sums_of_conditions,
    sums_of_places,
)
from riskcard.kernels.proof.supports.step import (
    LONGEST_STEP,
    conjugate_step,
    fill_hessian,
    solve_newton,
)

#: Newton steps of a fit, and how often one step is shortened.
MAX_STEPS, MAX_SHORTENED = 30, 12
#: The part of the fall promised by a step that is believed in.
PROMISED = 0.9
#: A fit ends when its loss is this close to its bound (relative).
SOLVED_WITHIN = 1e-9
#: A fit that begins with this many times the cutoff does not begin there.
FAR_OFF = 1.5
#: More free conditions than this go by conjugate gradients, which ignore the box; where many have one
#: sign only, more than the second.
MANY, VERY_MANY = 120, 320


@bare_inner_kernel
def fit_family(
    begin, tables, family, slots, terms, theta, curves, cutoff, is_list, near, rows, fits
):
    """Minimise the loss over a node's box; returns the loss, a valid bound and the work.

    The vectors of ``rows`` are those of the rows of the tables from ``begin`` on. ``theta`` is where
    to begin, and is changed. Stops as soon as the bound reaches the cutoff, or the loss falls below
    it: then no bound of this kind can reach it. With ``is_list`` the loss is nevertheless brought
    near its least value, which tells how far the children are from being closed. Nor does it stop
    before the bound is within ``near`` times the loss. Only `family_bound` bears on the truth of
    what is claimed.
    """
    gradient, direction = fits.vectors[at.GRADIENT], fits.vectors[at.DIRECTION]
    trial = fits.vectors[at.TRIAL]
    n, n_rows = theta.size - 1, rows.shape[1]
    n_groups = open_box(family, slots, fits.lists, fits.vectors)
    begin_in_box(family, theta, fits.lists, fits.vectors)
    loss, best, length, work = np.inf, -np.inf, 1.0, 0.0
    shortened = 0
    for _ in range(MAX_STEPS):
        find_log_odds(begin, n_groups, tables.codes, family, trial, rows, fits)
        new_loss, steep, furthest = look_at_rows(begin, tables.weights, rows)
        work += n_rows * (12.0 + n_groups)
        if loss == np.inf and new_loss > FAR_OFF * cutoff:  # begin with equal risks instead
            for c in range(n):
                trial[c] = 0.0
            trial[n] = 0.5 * (family.offsets[at.LEAST] + family.offsets[at.MOST])
            loss = 2.0 * new_loss
            continue
        if new_loss > loss + 1e-13 * loss and shortened < MAX_SHORTENED:
            shortened += 1
            length *= 0.35
            go(length, theta, fits.vectors)
            continue
        is_stuck = new_loss >= loss - 1e-12 * loss
        is_near = not is_list or loss - new_loss <= 0.05 * (cutoff - new_loss)
        shortened = 0
        for c in range(n + 1):
            theta[c] = trial[c]
        loss = new_loss
        bend = sum_slopes(begin, n_groups, tables.codes, family, curves, rows, fits)
        work += 3.0 * n_rows * n_groups
        value = loss
        for c in range(n + 1):
            value -= gradient[c] * theta[c]
            furthest += abs(theta[c]) if c < n else 0.0
        bound = family_bound(
            value, steep, furthest, n_rows, family.ends, family.offsets, slots, terms, gradient,
            fits.gains,
        )  # fmt: skip
        best = max(best, bound)
        is_below = loss < cutoff and is_near and loss - best <= near * loss
        if best >= cutoff or is_below or is_stuck or loss - best <= SOLVED_WITHIN * loss:
            break
        work += find_step(begin, n_groups, bend, tables.codes, family, theta, curves, rows, fits)
        # what would the step prove? nothing, if it is going to end below the cutoff
        promised, largest = 0.0, 0.0
        for c in range(n + 1):
            promised -= 0.5 * gradient[c] * direction[c]
            largest = max(largest, abs(direction[c]))
        if loss - PROMISED * promised >= cutoff:
            bound = step_bound(
                begin, n_groups, value, steep, furthest, tables, family, slots, terms, rows, fits,
                direction,
            )  # fmt: skip
            work += n_rows * (5.0 + 2.0 * n_groups)
            best = max(best, bound)
            if best >= cutoff:
                break
        length = min(1.0, LONGEST_STEP / max(largest, 1e-300))
        go(length, theta, fits.vectors)
    return loss, best, work


@inlined_kernel
def open_box(family, slots, lists, vectors):
    """Write the box of the coefficients, the groups and the conditions that are used.

    Returns the number of groups with an open condition.
    """
    ends, first, chains = family.ends, family.first, family.chains
    low, high = vectors[at.LOW], vectors[at.HIGH]
    n, n_groups = family.chain_of.size, np.int64(0)
    low[n], high[n] = -1e300, 1e300
    for g in range(chains.size - 1):
        is_open, is_whole = False, True
        for c in range(first[chains[g]], first[chains[g + 1]]):
            up, down = slots[at.RISING, c] != at.NOWHERE, slots[at.FALLING, c] != at.NOWHERE
            is_open = is_open or up or down
            if family.is_basis[c] == 1 and not (up and down):
                is_whole = False
        for c in range(first[chains[g]], first[chains[g + 1]]):
            up, down = slots[at.RISING, c] != at.NOWHERE, slots[at.FALLING, c] != at.NOWHERE
            is_used = (up or down) and (family.is_basis[c] == 1 or not is_whole)
            lists[at.IS_USED, c] = 1 if is_used else 0
            high[c] = ends[at.MOST, c] if up and is_used else 0.0
            low[c] = ends[at.LEAST, c] if down and is_used else 0.0
        if is_open:
            lists[at.GROUPS, n_groups] = g
            n_groups += 1
    return n_groups


@inlined_kernel
def begin_in_box(family, theta, lists, vectors):
    """Write the first trial: in the box, as like the given coefficients as it can be."""
    first, trial = family.first, vectors[at.TRIAL]
    n = theta.size - 1
    for f in range(first.size - 1):
        is_used = False
        for c in range(first[f], first[f + 1]):
            is_used = is_used or lists[at.IS_USED, c] == 1
            trial[c] = 0.0
        if is_used:
            move_within_chain(
                first[f], first[f + 1], theta, vectors[at.LOW], vectors[at.HIGH], trial
            )
    trial[n] = theta[n]


@bare_inner_kernel
def move_within_chain(begin, end, theta, low, high, trial):
    """Begin in the box: what a condition may no longer have goes to the nearest that may."""
    for c in range(begin, end):
        trial[c] = min(max(theta[c], low[c]), high[c])
    for c in range(begin, end):
        lost = theta[c] - min(max(theta[c], low[c]), high[c])
        if lost == 0.0:
            continue
        ends = high if lost > 0.0 else low
        for way in range(1, end - begin):
            if c - way >= begin and ends[c - way] != 0.0:
                trial[c - way] += lost
                break
            if c + way < end and ends[c + way] != 0.0:
                trial[c + way] += lost
                break
    for c in range(begin, end):
        trial[c] = min(max(trial[c], low[c]), high[c])


@inlined_kernel
def go(length, theta, vectors):
    """Write the trial at a part of the way along the direction, within the box."""
    trial, direction = vectors[at.TRIAL], vectors[at.DIRECTION]
    for c in range(theta.size):
        moved = theta[c] + length * direction[c]
        trial[c] = min(max(moved, vectors[at.LOW, c]), vectors[at.HIGH, c])


@inlined_kernel
def find_log_odds(begin, n_groups, codes, family, trial, rows, fits):
    """Write the log-odds of every row at the trial."""
    groups = fits.lists[at.GROUPS]
    for r in range(rows.shape[1]):
        rows[at.LOG_ODDS, r] = trial[trial.size - 1]
    levels_of_places(family.first, trial, fits.by_place[at.SUMS])
    levels_of_codes(family, groups, n_groups, fits.by_place[at.SUMS], fits.by_code)
    add_to_rows(begin, groups, n_groups, codes, family.base, fits.by_code, rows[at.LOG_ODDS])


@inlined_kernel
def look_at_rows(begin, weights, rows):
    """Write risk, slope and curvature of every row; returns the loss, and two sizes.

    They are the sum of ``o p + e (1 - p)`` and the largest log-odds, see `family_bound`.
    """
    loss, steep, furthest = 0.0, 0.0, 0.0
    for r in range(rows.shape[1]):
        z = rows[at.LOG_ODDS, r]
        small = math.exp(-abs(z))
        near = 1.0 / (1.0 + small)
        common = math.log1p(small)
        hit = near if z >= 0.0 else small * near
        miss = small * near if z >= 0.0 else near
        event, other = weights[at.EVENT, begin + r], weights[at.OTHER, begin + r]
        loss += event * (common + max(-z, 0.0)) + other * (common + max(z, 0.0))
        rows[at.RISK, r] = hit
        rows[at.SLOPE, r] = other * hit - event * miss
        steep += other * hit + event * miss
        rows[at.CURVE, r] = (event + other) * hit * miss
        furthest = max(furthest, abs(z))
    return loss, steep, furthest


@inlined_kernel
def sum_slopes(begin, n_groups, codes, family, curves, rows, fits):
    """Write the slopes of all conditions and the curvature by code; returns that of all rows."""
    groups, gradient = fits.lists[at.GROUPS], fits.vectors[at.GRADIENT]
    total, bend = 0.0, 0.0
    for r in range(rows.shape[1]):
        total += rows[at.SLOPE, r]
        bend += rows[at.CURVE, r]
    sum_over_rows(begin, groups, n_groups, codes, family.base, rows[at.CURVE], curves)
    sums_of_places(family, groups, n_groups, curves, fits.by_place[at.CURVES])
    sum_over_rows(begin, groups, n_groups, codes, family.base, rows[at.SLOPE], fits.by_code)
    sums_of_places(family, groups, n_groups, fits.by_code, fits.by_place[at.SUMS])
    sums_of_conditions(family, groups, n_groups, fits.by_place[at.SUMS], gradient)
    gradient[gradient.size - 1] = total
    return bend


@inlined_kernel
def find_step(begin, n_groups, bend, codes, family, theta, curves, rows, fits):
    """Write Newton's direction over the coefficients that are free to move; returns the work."""
    gradient, free = fits.vectors[at.GRADIENT], fits.lists[at.FREE]
    low, high = fits.vectors[at.LOW], fits.vectors[at.HIGH]
    n = theta.size - 1
    n_free, n_sided = list_free(family, theta, gradient, low, high, free)
    if n_free > MANY and (4 * n_sided < n_free or n_free > VERY_MANY):
        rounds = conjugate_step(n_free, begin, n_groups, codes, family, rows, fits)
        return rounds * rows.shape[1] * (2.0 + 2.0 * n_groups)
    hessian = fits.squares[at.HESSIAN]
    fill_hessian(n_free, begin, codes, rows[at.CURVE], family, free, fits.pairs, hessian)
    for a in range(n_free):
        f, below = family.chain_of[free[a]], 0.0
        for v in range(family.first[f] + f, free[a] + f + 1):
            below += fits.by_place[at.CURVES, v]
        hessian[a, n_free] = below
    hessian[n_free, n_free] = bend
    free[n_free] = n
    solve_newton(n_free + 1, theta, fits)
    return 0.5 * rows.shape[1] * n_groups * (n_groups + 1) + n_free**3 / 12.0 + 8.0 * n_free**2


@bare_inner_kernel
def list_free(family, theta, gradient, low, high, free):
    """Write the conditions that may move, in order; returns how many, and how many of one sign.

    Of conditions of one sign without a coefficient that would all like one, the steepest between
    two that have one comes in: the best functions of one direction have few steps.
    """
    first, chains = family.first, family.chains
    n_free, n_sided = 0, 0
    for g in range(chains.size - 1):
        is_single = chains[g + 1] - chains[g] == 1
        waiting, steepest = -1, 0.0
        for c in range(first[chains[g]], first[chains[g + 1]]):
            slope, t = gradient[c], theta[c]
            is_sided = low[c] == 0.0 or high[c] == 0.0
            may_move = (t > low[c] and slope > 0.0) or (t < high[c] and slope < 0.0)
            if t == 0.0 and is_sided:
                if may_move and abs(slope) > steepest:
                    waiting, steepest = c, abs(slope)
                continue
            if is_single and waiting >= 0:
                free[n_free] = waiting
                n_free, n_sided = n_free + 1, n_sided + 1
                waiting, steepest = -1, 0.0
            if may_move:
                free[n_free] = c
                n_free, n_sided = n_free + 1, n_sided + is_sided
        if waiting >= 0:
            place = n_free  # conditions of a group stay in order
            while place > 0 and free[place - 1] > waiting:
                free[place] = free[place - 1]
                place -= 1
            free[place] = waiting
            n_free, n_sided = n_free + 1, n_sided + 1
    return n_free, n_sided
