"""One-feature steps on whole points: the best term of every feature, over all cuts and jumps."""

import numpy as np

from riskcard.kernels.heuristic.histogram import sum_by_bin
from riskcard.kernels.jit import inlined_kernel, inner_kernel, kernel
from riskcard.kernels.scale import fit_scale
from riskcard.kernels.scores import tally_scores

#: Sums kept for each jump of a calibrated card: loss, its gradient (2) and its Hessian (3).
N_SUMS = 6
#: The refit of a scan may change the slope by this part of itself, and the offset by this much.
LONGEST_CHANGE, LONGEST_SHIFT = 0.5, 1.5


@inner_kernel
def _values_by_jump(n_scores, lowest, jumps, scale, values):
    """What a row adds to loss, gradient and Hessian, and how each jump changes that."""
    for key in range(2 * n_scores):
        label = key % 2
        for position in range(jumps.size + 1):
            score = lowest + key // 2 + (jumps[position - 1] if position > 0 else 0)
            log_odds = scale[0] * score + scale[1]
            power = np.exp(-abs(log_odds))
            risk = 1.0 / (1.0 + power) if log_odds > 0.0 else power / (1.0 + power)
            curvature = power / ((1.0 + power) * (1.0 + power))
            wrong = log_odds if label == 0 else -log_odds
            at = N_SUMS * position
            values[key, at] = np.log1p(power) + max(wrong, 0.0)
            values[key, at + 1] = (risk - label) * score
            values[key, at + 2] = risk - label
            values[key, at + 3] = curvature * score * score
            values[key, at + 4] = curvature * score
            values[key, at + 5] = curvature
            if position > 0:
                for k in range(N_SUMS):
                    values[key, at + k] -= values[key, k]


@inner_kernel
def _room_for_sums(windows, n_scores, width):
    """Scratch of ``sum_by_bin`` for the largest window: sums, and counts."""
    most = 0
    for f in range(windows.shape[0]):
        most = max(most, windows[f, 2])
    return np.empty((most, width)), np.empty(most * 2 * n_scores)


@inlined_kernel
def _is_open(closed, starts, f, cut):
    """Whether a cut lies among the codes of its column and is allowed."""
    return cut >= 0 and (closed.size == 0 or closed[starts[f] + cut] == 0)


@kernel
def scan_jumps(
    codes, weights, keys, lowest, n_scores, scale, jumps, windows, closed, starts, found
):
    """For a calibrated card: the best term of each feature, as (loss, cut, jump) into ``found``.

    The loss of every cut and jump is exact at the present scale and offset; what their refit would
    gain is taken from one Newton step.

    Parameters
    ----------
    codes, weights
        The rows.
    keys, lowest, n_scores
        Scores and labels by the terms that stay (see ``score_rows``), and the range of the scores.
    scale
        (slope, offset).
    jumps
        The jumps to try.
    windows
        For each feature the first code, the width of a bin as a power of two and the number of bins
        (see ``sum_by_bin``), and the least and largest jump. No bins close the feature.
    closed, starts
        1 for conditions that are not allowed, end to end, and where those of each column begin; or
        none.
    """
    width = N_SUMS * (jumps.size + 1)
    values = np.empty((2 * n_scores, width))
    _values_by_jump(n_scores, lowest, jumps, scale, values)
    sums, counts = _room_for_sums(windows, n_scores, width)
    total, below = np.empty(N_SUMS), np.empty(width)
    for f in range(windows.shape[0]):
        low, shift, n_bins = windows[f, 0], windows[f, 1], windows[f, 2]
        found[f, 0] = np.inf
        if n_bins == 0:
            continue
        sum_by_bin(codes[f], keys, weights, values, low, shift, n_bins, sums, counts)
        for j in range(width):
            below[j] = 0.0
        for k in range(N_SUMS):
            total[k] = 0.0
            for line in range(n_bins):
                total[k] += sums[line, k]
        for line in range(n_bins - 1):
            for j in range(width):
                below[j] += sums[line, j]
            cut = low + (line << shift) - 1
            for position in range(jumps.size if _is_open(closed, starts, f, cut) else 0):
                at = N_SUMS * (position + 1)
                slope, offset = total[1] + below[at + 1], total[2] + below[at + 2]
                curve, both = total[3] + below[at + 3], total[4] + below[at + 4]
                curve_offset = total[5] + below[at + 5]
                determinant = curve * curve_offset - both * both
                loss = total[0] + below[at]
                if determinant > 1e-9 * curve * curve_offset:
                    slope_step = (both * offset - curve_offset * slope) / determinant
                    offset_step = (both * slope - curve * offset) / determinant
                    # a long step is only trusted as far as the curvature holds
                    size = min(1.0, LONGEST_CHANGE * scale[0] / max(abs(slope_step), 1e-300))
                    size = min(size, LONGEST_SHIFT / max(abs(offset_step), 1e-300))
                    promised = -(slope * slope_step + offset * offset_step)
                    loss -= (size - 0.5 * size * size) * promised
                if loss < found[f, 0] and windows[f, 3] <= jumps[position] <= windows[f, 4]:
                    found[f, 0], found[f, 1], found[f, 2] = loss, cut, jumps[position]


@kernel
def scan_shifts(
    codes, weights, keys, lowest, n_scores, scale, shifts, windows, closed, starts, found
):
    """For a card with an integer base: the best term of each feature, exact at the present scale.

    The parameters are those of ``scan_jumps``, with a row of evenly spaced ``shifts`` of the score
    that are tried on either side of a cut; their difference is the jump, the rest goes to the base.
    Either side's loss is convex in its shift, so the two minima are the answer when their
    difference is an allowed jump, and otherwise the jump is at the bound that they break.
    """
    n_shifts, stride = shifts.size, shifts[1] - shifts[0]
    values = np.empty((2 * n_scores, n_shifts))
    for key in range(2 * n_scores):
        for j in range(n_shifts):
            log_odds = scale[0] * (lowest + key // 2 + shifts[j]) + scale[1]
            wrong = log_odds if key % 2 == 0 else -log_odds
            values[key, j] = np.log1p(np.exp(-abs(log_odds))) + max(wrong, 0.0)
    sums, counts = _room_for_sums(windows, n_scores, n_shifts)
    below, above = np.empty(n_shifts), np.empty(n_shifts)
    for f in range(windows.shape[0]):
        low, shift, n_bins = windows[f, 0], windows[f, 1], windows[f, 2]
        found[f, 0] = np.inf
        if n_bins == 0:
            continue
        sum_by_bin(codes[f], keys, weights, values, low, shift, n_bins, sums, counts)
        for j in range(n_shifts):
            below[j], above[j] = 0.0, 0.0
            for line in range(n_bins):
                above[j] += sums[line, j]
        for line in range(n_bins - 1):
            least_below, least_above = 0, 0
            for j in range(n_shifts):
                below[j] += sums[line, j]
                above[j] -= sums[line, j]
                least_below = j if below[j] < below[least_below] else least_below
                least_above = j if above[j] < above[least_above] else least_above
            cut, distance = low + (line << shift) - 1, least_below - least_above
            loss = below[least_below] + above[least_above]
            held = min(max(distance, -(-windows[f, 3] // stride)), windows[f, 4] // stride)
            if loss >= found[f, 0] or held == 0 or not _is_open(closed, starts, f, cut):
                continue
            if held != distance:
                loss = np.inf
                for j in range(max(0, -held), min(n_shifts, n_shifts - held)):
                    loss = min(loss, below[j + held] + above[j])
            if loss < found[f, 0]:
                found[f, 0], found[f, 1], found[f, 2] = loss, cut, held * stride


@kernel
def fit_offers(rows, others, keys, lowest, n_scores, found, n_tries, rules, scale):
    """The most promising terms of a scan with their best scale; the most promising first.

    Parameters
    ----------
    rows
        ``codes`` and ``weights``.
    others
        The terms that stay, shape (3, terms); a term that repeats the condition of one is left out.
    keys, lowest, n_scores, found
        As for the scan, and what it found.
    n_tries
        How many are looked at.
    rules
        ``kind`` and ``bound`` of ``fit_scale``.
    scale
        Where its fit starts.

    Returns
    -------
    array
        Lines of (loss, column, cut, jump, slope, offset).
    """
    codes, weights = rows
    kind, bound = rules
    offers, n_offers, largest, accuracy = np.empty((n_tries, 6)), 0, np.int64(0), 0.0
    for term in range(others.shape[1]):
        largest = max(largest, abs(others[2, term]))
    for row in range(weights.size):
        accuracy += 1e-9 * weights[row]
    left = found[:, 0].copy()
    for _ in range(min(n_tries, left.size)):
        # a sort would take longer to compile than all else here
        f = np.int64(0)
        for other in range(left.size):
            f = other if left[other] < left[f] else f
        cut, jump, is_taken = np.int64(found[f, 1]), np.int64(found[f, 2]), False
        if left[f] == np.inf:
            break
        left[f] = np.inf
        for term in range(others.shape[1]):
            is_taken = is_taken or (others[0, term] == f and others[1, term] == cut)
        if is_taken:
            continue
        tally = tally_scores(codes[f], cut, jump, keys, weights, n_scores)
        line = offers[n_offers]
        line[1], line[2], line[3] = f, cut, jump
        fitted = line[4:]
        fitted[0], fitted[1] = scale[0], scale[1]
        low, most = lowest + min(jump, 0), max(largest, abs(jump))
        line[0] = fit_scale(tally, low, most, kind, bound, fitted, accuracy)
        n_offers += 1
    return offers[:n_offers]
