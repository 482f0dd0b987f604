"""The screen: what one more condition with real-valued points promises, for every cut at once."""

from __future__ import annotations

import numpy as np

from riskcard.kernels.histogram import sum_by_bin
from riskcard.kernels.jit import inner_kernel, kernel

__all__ = ["screen_terms"]

#: A single new term is not credited with moving the log-odds further than this in one step.
LONGEST_STEP = 5.0


@inner_kernel
def _columns_to_sum(design, coefficients, factor):
    """By cell and label: gradient, curvature, curvature times the whitened covariates.

    With these, the curvature of a new term after the refit of all the others (the Schur
    complement) is its own curvature less the squares of the whitened sums.
    """
    n_cells, width = design.shape
    values = np.empty((2 * n_cells, width + 2))
    white = np.empty(width)
    for cell in range(n_cells):
        log_odds = 0.0
        for i in range(width):
            log_odds += design[cell, i] * coefficients[i]
        risk = 1.0 / (1.0 + np.exp(-log_odds))
        for i in range(width):
            white[i] = design[cell, i]
            for k in range(i):
                white[i] -= factor[i, k] * white[k]
            white[i] /= factor[i, i]
        for label in range(2):
            line = 2 * cell + label
            values[line, 0] = risk - label
            values[line, 1] = risk * (1.0 - risk)
            for i in range(width):
                values[line, 2 + i] = risk * (1.0 - risk) * white[i]
    return values


@inner_kernel
def _sum_all(keys, weights, values):
    """Sum of ``weight * values[key]`` over all rows."""
    n_keys, width = values.shape
    tally, whole = np.zeros(n_keys), np.zeros(width)
    for row in range(keys.size):
        tally[keys[row]] += weights[row]
    for key in range(n_keys):
        for j in range(width):
            whole[j] += tally[key] * values[key, j]
    return whole


@inner_kernel
def _fill_in(sums, n_bins, line, whole):
    """Write what the other bins leave of the whole into the sums of one bin."""
    filled = sums[line]
    for j in range(whole.size):
        filled[j] = whole[j]
    for other in range(n_bins):
        if other != line:
            taken = sums[other]
            for j in range(whole.size):
                filled[j] -= taken[j]


@inner_kernel
def _fold(sums, n_bins, lines, begin, folded, n_folded):
    """Add the sums of fine bins up to those of the bins that they are in."""
    for line in range(n_folded):
        total = folded[line]
        for j in range(total.size):
            total[j] = 0.0
    # the first line is for codes below all others, and empty
    for line in range(1, n_bins):
        total, part = folded[lines[begin + line - 1] + 1], sums[line]
        for j in range(total.size):
            total[j] += part[j]


@kernel
def screen_terms(columns, keys, weights, design, coefficients, factor, n_kept):
    """The best new term of each column: lines of (promised gain, cut, coefficient).

    The loss is taken as quadratic around the fit of the terms of ``design``. Of its covariates the
    first ``n_kept`` stay; the one after them, if there is one, is the term to be replaced, and a new
    term gets back its coefficient as far as the two are alike.

    Parameters
    ----------
    columns
        ``codes`` and ``n_cuts``; for each column a ``common`` code that so many rows have that they
        are better left out of the sums by bin and found as what is missing from the sum of all rows,
        or -1; its ``signs``, 1 if the jump may be negative, plus 2 if it may be positive, 0 closes it;
        ``folds`` and ``maps`` (see ``Rows``); and ``closed`` conditions, end to end, or none.
    keys
        ``2 * cell + is_event`` of each row.
    design, coefficients, factor
        The cells, the fit on them and the Cholesky factor of its Hessian.
    """
    codes, n_cuts, common, signs, folds, maps, closed = columns
    values = _columns_to_sum(design, coefficients, factor)
    width = values.shape[1]
    pull = 0.0
    if n_kept < design.shape[1]:
        pull = coefficients[n_kept] * factor[n_kept, n_kept]
    most, zero = 0, np.int64(0)
    n_columns = n_cuts.size
    last = np.zeros(n_columns, dtype=np.int64)
    for f in range(n_columns):
        most = max(most, n_cuts[f])
        if signs[f] != 0:
            last[folds[f, 0]] = f + 1
    sums, folded = np.empty((most + 2, width)), np.empty((most + 2, width))
    counts = np.empty((most + 2) * values.shape[0])
    found = np.zeros((n_columns, 3))
    whole, total = _sum_all(keys, weights, values), np.empty(width)
    start = -1
    for f in range(n_columns):
        start += n_cuts[f - 1] if f > 0 else 0
        base = folds[f, 0]
        n_bins, best, lines = n_cuts[f] + 2, 0.0, sums
        if base == f and last[f] > 0:
            sum_by_bin(codes[f], keys, weights, values, zero, zero, n_bins, sums, counts, common[f])
            if common[f] >= 0:
                _fill_in(sums, n_bins, common[f] + 1, whole)
        if signs[f] == 0:
            continue
        if base != f:
            _fold(sums, n_cuts[base] + 2, maps, folds[f, 1], folded, n_bins)
            lines = folded
        for j in range(width):
            total[j] = 0.0
        for line in range(n_bins - 1):
            # two sums of squares at a time: each addition waits for the one before
            odd, even = 0.0, 0.0
            for j in range(width):
                total[j] += lines[line, j]
            for j in range(2, 1 + n_kept, 2):
                even += total[j] * total[j]
                odd += total[j + 1] * total[j + 1]
            if n_kept % 2 == 1:
                odd += total[1 + n_kept] * total[1 + n_kept]
            curvature, force = total[1] - (even + odd), -total[0]
            if pull != 0.0:
                force += pull * total[2 + n_kept]
            # no step promises more than the unbounded one
            if force * force <= 2.0 * best * curvature or curvature <= 1e-6 * total[1] + 1e-9:
                continue
            is_allowed = (signs[f] & (2 if force > 0.0 else 1)) != 0
            if closed.size > 0 and line > 0 and closed[start + line] != 0:
                is_allowed = False
            step = min(max(force / curvature, -LONGEST_STEP), LONGEST_STEP)
            promised = force * step - 0.5 * curvature * step * step
            if is_allowed and promised > best:
                best = promised
                found[f, 0], found[f, 1], found[f, 2] = promised, line - 1, step
    return found
