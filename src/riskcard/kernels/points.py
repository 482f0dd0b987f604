"""Integer points for given conditions: a sweep of scales, then steps of one point."""

from __future__ import annotations

import numpy as np

from riskcard.kernels.jit import inner_kernel, kernel
from riskcard.kernels.rows import FIXED
from riskcard.kernels.scale import fit_scale

__all__ = ["choose_points", "evaluate_points"]


@kernel
def evaluate_points(design, tally, jumps, rules, scale, tolerance):
    """Loss of integer jumps on cells with the best scale, which is written to ``scale``."""
    lowest, highest, largest = np.int64(0), np.int64(0), np.int64(0)
    for term in range(jumps.size):
        jump = jumps[term]
        lowest += min(jump, 0)
        highest += max(jump, 0)
        largest = max(largest, abs(jump))
    scores = np.zeros(2 * (highest - lowest + 1))
    for cell in range(design.shape[0]):
        score = -lowest
        for term in range(jumps.size):
            if design[cell, term + 1] != 0.0:
                score += jumps[term]
        scores[2 * score] += tally[2 * cell]
        scores[2 * score + 1] += tally[2 * cell + 1]
    return fit_scale(scores, lowest, largest, rules, scale, tolerance)


@inner_kernel
def _sweep(design, tally, wanted, low, high, rules, jumps, scale, tolerance):
    """Round the real jumps at many scales; returns the best loss, writes its jumps and scale."""
    largest, most = 1e-9, 1
    for term in range(low.size):
        largest = max(largest, abs(wanted[term + 1]))
        most = max(most, high[term], -low[term])
    trial = np.zeros(low.size, dtype=np.int64)
    previous = np.zeros(low.size, dtype=np.int64)
    fitted = np.empty(2)
    best = np.inf
    factor = 1.6 * (most + 0.49) / largest
    if rules.kind == FIXED:
        factor = 1.6 * rules.multiplier
    for _ in range(26):
        is_new = False
        for term in range(low.size):
            value = np.int64(np.floor(wanted[term + 1] * factor + 0.5))
            trial[term] = min(max(value, low[term]), high[term])
            is_new |= trial[term] != previous[term]
            previous[term] = trial[term]
        if is_new:
            fitted[0], fitted[1] = 1.0 / factor, wanted[0]
            loss = evaluate_points(design, tally, trial, rules, fitted, tolerance)
            if loss < best:
                best = loss
                scale[0], scale[1] = fitted[0], fitted[1]
                for term in range(low.size):
                    jumps[term] = trial[term]
        factor *= 0.91
    return best


@inner_kernel
def _step_points(design, tally, low, high, rules, jumps, scale, loss, n_moved, tolerance):
    """One pass of steps of one point on ``n_moved`` terms, 1 or 2; keeps what lowers the loss."""
    fitted = np.empty(2)
    n_terms = jumps.size
    for move in range(2 * n_moved * n_terms * (n_terms if n_moved == 2 else 1)):
        # the last digits say which way each of the two terms goes
        one, two = move // (2 * n_moved) % n_terms, move // (2 * n_moved) // n_terms
        first = 1 if move % 2 == 0 else -1
        second = (1 if move % 4 < 2 else -1) if n_moved == 2 else 0
        if n_moved == 2 and two >= one:
            continue
        jumps[one] += first
        jumps[two] += second
        if low[one] <= jumps[one] <= high[one] and low[two] <= jumps[two] <= high[two]:
            fitted[0], fitted[1] = scale[0], scale[1]
            reached = evaluate_points(design, tally, jumps, rules, fitted, tolerance)
            if reached < loss - 10.0 * tolerance:
                loss = reached
                scale[0], scale[1] = fitted[0], fitted[1]
                continue
        jumps[one] -= first
        jumps[two] -= second
    return loss


@kernel
def choose_points(design, tally, wanted, low, high, rules, jumps, scale, n_moved):
    """Integer jumps for the terms of a design on cells; returns the loss.

    Parameters
    ----------
    design, tally
        The cells and their weights by label.
    wanted
        Real offset and jumps to round; when empty, ``jumps`` and ``scale`` are the start.
    low, high
        Bounds of the jump of each term.
    jumps, scale
        Receive the jumps and (slope, offset).
    n_moved
        Terms that a step may move together, 1 or 2.
    """
    tolerance = 0.0
    for index in range(tally.size):
        tolerance += 1e-9 * tally[index]
    if wanted.size > 0:
        loss = _sweep(design, tally, wanted, low, high, rules, jumps, scale, tolerance)
    else:
        loss = evaluate_points(design, tally, jumps, rules, scale, tolerance)
    single = np.int64(1)
    together = single
    for _ in range(40):
        before = loss
        loss = _step_points(
            design, tally, low, high, rules, jumps, scale, loss, together, tolerance
        )
        if loss < before:
            together = single
        elif together < n_moved:
            together += 1
        else:
            break
    return loss
