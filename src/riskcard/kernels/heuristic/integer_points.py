"""Integer points for given conditions: a sweep of scales, then steps of one point."""

import numpy as np

from riskcard.kernels.jit import inner_kernel, kernel
from riskcard.kernels.scale import FIXED, fit_scale

#: Scales at which real jumps are rounded, each this part of the one before.
N_SCALES, SCALE_RATIO = 26, 0.91
#: Scales on top where one jump is much larger than all others: a few rows may ask for one that
#: leaves no points to the others, and is better held back.
MOST_MORE_SCALES = 20


@inner_kernel
def _round_all(wanted, factor, low, high, trial):
    """Real jumps times a factor, rounded within their bounds; returns whether any has changed."""
    is_new = False
    for term in range(low.size):
        value = np.int64(np.floor(wanted[term + 1] * factor + 0.5))
        value = min(max(value, low[term]), high[term])
        is_new = is_new or value != trial[term]
        trial[term] = value
    return is_new


@inner_kernel
def _step_points(move, jumps, low, high, trial):
    """Move one or two terms by a point; returns whether the result is within bounds.

    The first ``2 * n`` moves change one of ``n`` terms, the others two of them.
    """
    n_terms = jumps.size
    for term in range(n_terms):
        trial[term] = jumps[term]
    if move < 2 * n_terms:
        trial[move // 2] += 1 - 2 * (move % 2)
        return low[move // 2] <= trial[move // 2] <= high[move // 2]
    pair = (move - 2 * n_terms) // 4
    one, two = pair % n_terms, pair // n_terms
    trial[one] += 1 - 2 * (move % 2)
    trial[two] += 1 - 2 * ((move // 2) % 2)
    is_within = low[one] <= trial[one] <= high[one] and low[two] <= trial[two] <= high[two]
    return is_within and two < one


@kernel
def choose_points(design, tally, wanted, low, high, kind, bound, jumps, scale, moves_pairs):
    """Integer jumps for the terms of a design on cells; returns the loss.

    Parameters
    ----------
    design, tally
        The cells and their weights by label.
    wanted
        Real offset and jumps to round first; when empty, ``jumps`` and ``scale`` are the start.
    low, high
        Bounds of the jump of each term.
    kind, bound
        See ``fit_scale``.
    jumps, scale
        Receive the jumps and (slope, offset).
    moves_pairs
        Whether steps move two terms at a time as well.
    """
    n_terms = jumps.size
    trial, fitted = np.zeros(n_terms, dtype=np.int64), np.empty(2)
    n_moves = 2 * n_terms + (4 * n_terms * n_terms if moves_pairs else 0)
    n_rounds = N_SCALES if wanted.size > 0 else 1
    tolerance, largest, second, most = 0.0, 1e-9, 1e-9, 1
    for index in range(tally.size):
        tolerance += 1e-9 * tally[index]
    for term in range(n_terms):
        size = abs(wanted[term + 1]) if wanted.size > 0 else 1.0
        second, largest = max(second, min(largest, size)), max(largest, size)
        most = max(most, high[term], -low[term])
    factor = 1.6 / bound if kind == FIXED else 1.6 * (most + 0.49) / largest
    most_rounds = n_rounds + MOST_MORE_SCALES
    while kind != FIXED and wanted.size > 0 and n_rounds < most_rounds and second < largest:
        factor /= SCALE_RATIO
        largest *= SCALE_RATIO
        n_rounds += 1
    loss, index, settled = np.inf, 0, 0
    while index < n_rounds or (settled < n_moves and index < 40 * n_moves):
        if index >= n_rounds:
            is_new = _step_points((index - n_rounds) % n_moves, jumps, low, high, trial)
            fitted[0], fitted[1] = scale[0], scale[1]
        elif wanted.size > 0:
            is_new = _round_all(wanted, factor, low, high, trial) or index == 0
            fitted[0], fitted[1] = 1.0 / factor, wanted[0]
            factor *= SCALE_RATIO
        else:
            is_new = True
            fitted[0], fitted[1] = scale[0], scale[1]
            for term in range(n_terms):
                trial[term] = jumps[term]
        index += 1
        settled = settled + 1 if index > n_rounds else 0
        if not is_new:
            continue
        lowest, highest, largest_jump = np.int64(0), np.int64(0), np.int64(0)
        for term in range(n_terms):
            lowest += min(trial[term], 0)
            highest += max(trial[term], 0)
            largest_jump = max(largest_jump, abs(trial[term]))
        scores = np.zeros(2 * (highest - lowest + 1))
        for cell in range(design.shape[0]):
            score = -lowest
            for term in range(n_terms):
                if design[cell, term + 1] != 0.0:
                    score += trial[term]
            scores[2 * score] += tally[2 * cell]
            scores[2 * score + 1] += tally[2 * cell + 1]
        reached = fit_scale(scores, lowest, largest_jump, kind, bound, fitted, tolerance)
        if reached < loss - 10.0 * tolerance:
            loss, settled = reached, 0
            scale[0], scale[1] = fitted[0], fitted[1]
            for term in range(n_terms):
                jumps[term] = trial[term]
    return loss
