"""One-feature steps on whole points: the best term for a slot, over all cuts and jumps at once."""

from __future__ import annotations

import numpy as np

from riskcard.kernels.histogram import sum_by_bin
from riskcard.kernels.jit import inner_kernel, kernel
from riskcard.kernels.rows import CALIBRATED, open_features
from riskcard.kernels.scale import fit_scale

__all__ = ["exchange_term"]

#: Sums kept for each jump of a calibrated card: loss, its gradient (2) and its Hessian (3).
N_SUMS = 6


@inner_kernel
def _values_by_jump(n_scores, lowest, jumps, scale, values):
    """What one row adds to loss, gradient and Hessian when it gets each jump, less when it does not."""
    terms = np.empty((jumps.size + 1, N_SUMS))
    for index in range(n_scores):
        for label in range(2):
            for position in range(jumps.size + 1):
                jump = 0 if position == jumps.size else jumps[position]
                score = lowest + index + jump
                log_odds = scale[0] * score + scale[1]
                signed = -log_odds if label == 1 else log_odds
                power = np.exp(-abs(signed))
                risk = 1.0 / (1.0 + power) if log_odds > 0.0 else power / (1.0 + power)
                curvature = power / (1.0 + power) ** 2
                terms[position, 0] = np.log1p(power) + max(signed, 0.0)
                terms[position, 1] = (risk - label) * score
                terms[position, 2] = risk - label
                terms[position, 3] = curvature * score * score
                terms[position, 4] = curvature * score
                terms[position, 5] = curvature
            line = 2 * index + label
            for position in range(jumps.size):
                for k in range(N_SUMS):
                    change = terms[position, k] - terms[jumps.size, k]
                    values[line, N_SUMS * position + k] = change
            for k in range(N_SUMS):
                values[line, N_SUMS * jumps.size + k] = terms[jumps.size, k]


@inner_kernel
def _best_jump(sums, n_bins, first_bin, jumps, low, high):
    """Cut and jump with the least loss after a Newton step of scale and offset: (loss, bin, jump)."""
    width = N_SUMS * jumps.size
    total = np.zeros(N_SUMS)
    for line in range(n_bins):
        for k in range(N_SUMS):
            total[k] += sums[line, width + k]
    best, best_bin, best_jump = np.inf, -1, 0
    below = np.zeros(width)
    for line in range(n_bins - 1):
        for j in range(width):
            below[j] += sums[line, j]
        if line < first_bin:
            continue
        for position in range(jumps.size):
            if not low <= jumps[position] <= high:
                continue
            at = N_SUMS * position
            slope = total[1] + below[at + 1]
            offset = total[2] + below[at + 2]
            curve_slope = total[3] + below[at + 3]
            curve_both = total[4] + below[at + 4]
            curve_offset = total[5] + below[at + 5]
            determinant = curve_slope * curve_offset - curve_both * curve_both
            loss = total[0] + below[at]
            if determinant > 1e-9 * curve_slope * curve_offset:
                decrement = slope * slope * curve_offset - 2.0 * slope * offset * curve_both
                loss -= 0.5 * (decrement + offset * offset * curve_slope) / determinant
            if loss < best:
                best, best_bin, best_jump = loss, line, jumps[position]
    return best, best_bin, best_jump


@inner_kernel
def _values_by_shift(n_scores, lowest, shifts, scale, values):
    """Loss of a row when its score is moved by each shift."""
    for index in range(n_scores):
        for position in range(shifts.size):
            log_odds = scale[0] * (lowest + index + shifts[position]) + scale[1]
            small = np.log1p(np.exp(-abs(log_odds)))
            values[2 * index, position] = small + max(log_odds, 0.0)
            values[2 * index + 1, position] = small + max(-log_odds, 0.0)


@inner_kernel
def _best_shifts(sums, n_bins, first_bin, shifts, low, high):
    """Cut and jump with the least loss over every pair of shifts below and above: (loss, bin, jump).

    Either side's loss is convex in its shift, so the two minima are the answer when their
    difference is an allowed jump, and otherwise the jump is at the bound that they break.
    """
    n_shifts = shifts.size
    stride = shifts[1] - shifts[0]
    above = np.zeros(n_shifts)
    below = np.zeros(n_shifts)
    for line in range(n_bins):
        for j in range(n_shifts):
            above[j] += sums[line, j]
    best, best_bin, best_jump = np.inf, -1, 0
    for line in range(n_bins - 1):
        least_below, least_above = 0, 0
        for j in range(n_shifts):
            below[j] += sums[line, j]
            above[j] -= sums[line, j]
            if below[j] < below[least_below]:
                least_below = j
            if above[j] < above[least_above]:
                least_above = j
        if line < first_bin:
            continue
        loss = below[least_below] + above[least_above]
        distance = least_below - least_above
        if loss >= best or distance == 0:
            continue
        held = min(max(distance, -((-low) // stride)), high // stride)
        if held != distance:
            loss = np.inf
            for j in range(max(0, -held), min(n_shifts, n_shifts - held)):
                loss = min(loss, below[j + held] + above[j])
        if loss < best and held != 0:
            best, best_bin, best_jump = loss, line, held * stride
    return best, best_bin, best_jump


@inner_kernel
def _score_others(rows, features, cuts, jumps, n_terms, slot, scores):
    """Scores of all rows by the terms other than ``slot``; returns (lowest, highest) possible."""
    lowest, highest = np.int64(0), np.int64(0)
    for row in range(scores.size):
        scores[row] = 0
    for term in range(n_terms):
        if term != slot:
            lowest += min(jumps[term], 0)
            highest += max(jumps[term], 0)
            column, cut, jump = rows.codes[features[term]], cuts[term], jumps[term]
            for row in range(scores.size):
                if column[row] <= cut:
                    scores[row] += jump
    return lowest, highest


@inner_kernel
def _evaluate(rows, scores, lowest, highest, largest, term, rules, scale):
    """Loss of the card with one more term (a line of feature, cut, jump) and the best scale for it."""
    cut, jump = term[1], term[2]
    low = lowest + min(jump, 0)
    tally = np.zeros(2 * (highest + max(jump, 0) - low + 1))
    column = rows.codes[term[0]]
    for row in range(scores.size):
        score = scores[row] - low + (jump if column[row] <= cut else 0)
        tally[2 * score + rows.is_event[row]] += rows.weights[row]
    tolerance = 0.0
    for index in range(tally.size):
        tolerance += 1e-9 * tally[index]
    return fit_scale(tally, low, max(largest, abs(jump)), rules, scale, tolerance)


@inner_kernel
def _scan_features(rows, rules, scores, lowest, highest, scale, options, windows, found):
    """Best term of every feature with a window, by the scan: loss into ``found``, terms returned."""
    n_features, n_rows = rows.codes.shape
    n_scores = highest - lowest + 1
    width = N_SUMS * (options.size + 1) if rules.kind == CALIBRATED else options.size
    values = np.empty((2 * n_scores, width))
    if rules.kind == CALIBRATED:
        _values_by_jump(n_scores, lowest, options, scale, values)
    else:
        _values_by_shift(n_scores, lowest, options, scale, values)
    keys = np.empty(n_rows, dtype=np.int32)
    for row in range(n_rows):
        keys[row] = 2 * (scores[row] - lowest) + rows.is_event[row]
    most = np.int64(0)
    for f in range(n_features):
        most = max(most, windows[f, 2])
    sums = np.empty((most, width))
    counts = np.empty(most * 2 * n_scores)
    terms = np.zeros((n_features, 3), dtype=np.int64)
    for f in range(n_features):
        low, shift, n_bins = windows[f, 0], windows[f, 1], windows[f, 2]
        found[f] = np.inf
        if n_bins == 0:
            continue
        sum_by_bin(rows.codes[f], keys, rows.weights, values, low, shift, n_bins, sums, counts)
        first_bin = 1 if low == 0 else 0
        if rules.kind == CALIBRATED:
            best = _best_jump(sums, n_bins, first_bin, options, rules.low[f], rules.high[f])
        else:
            best = _best_shifts(sums, n_bins, first_bin, options, rules.low[f], rules.high[f])
        found[f] = best[0]
        terms[f, 0], terms[f, 1], terms[f, 2] = f, low + (best[1] << shift) - 1, best[2]
    return terms


@kernel
def exchange_term(rows, rules, card, n_terms, slot, scale, options, windows, n_tries):
    """The best term for a slot of a card, the other terms as they are: (loss, feature, cut, jump).

    Parameters
    ----------
    rows, rules
        The rows and the limits.
    card
        Features, cuts and jumps, shape (3, terms); ``slot == n_terms`` adds a term.
    scale
        (slope, offset) of the card; receives that of the winner.
    options
        Calibrated: the jumps to try. Otherwise: the shifts to try on either side of the cut, an
        evenly spaced row of integers.
    windows
        For each feature the first code, the width of a bin as a power of two and the number of
        bins (see ``sum_by_bin``); none closes the feature. Features without room are closed here.
    n_tries
        Features whose best term by the scan is evaluated exactly.
    """
    features, cuts, jumps = card[0], card[1], card[2]
    n_features, n_rows = rows.codes.shape
    scores = np.empty(n_rows, dtype=np.int64)
    lowest, highest = _score_others(rows, features, cuts, jumps, n_terms, slot, scores)
    is_open = open_features(rules, rows.n_cuts, features, n_terms, slot)
    largest = np.int64(0)
    for f in range(n_features):
        if not is_open[f]:
            windows[f, 2] = 0
    for term in range(n_terms):
        if term != slot:
            largest = max(largest, abs(jumps[term]))
    found = np.empty(n_features)
    terms = _scan_features(rows, rules, scores, lowest, highest, scale, options, windows, found)
    slope, offset = scale[0], scale[1]
    fitted = np.empty(2)
    loss, winner = np.inf, np.int64(-1)
    for _ in range(n_tries):
        f = np.int64(0)
        for other in range(1, n_features):
            if found[other] < found[f]:
                f = other
        is_new = found[f] < np.inf and terms[f, 2] != 0
        found[f] = np.inf
        for term in range(n_terms):
            if term != slot and features[term] == f and cuts[term] == terms[f, 1]:
                is_new = False
        if is_new:
            fitted[0], fitted[1] = slope, offset
            reached = _evaluate(rows, scores, lowest, highest, largest, terms[f], rules, fitted)
            if reached < loss:
                loss, winner = reached, f
                scale[0], scale[1] = fitted[0], fitted[1]
    if winner < 0:
        return np.inf, winner, winner, winner
    return loss, terms[winner, 0], terms[winner, 1], terms[winner, 2]
