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


@kernel
def screen_terms(codes, n_cuts, common, signs, keys, weights, design, coefficients, factor, n_kept):
    """The best new term of each feature: lines of (promised gain, cut, coefficient).

    The loss is taken as quadratic around the fit of the terms of ``design``. Of its covariates the
    first ``n_kept`` stay; the one after them, if there is one, is the term to be replaced, and a new
    term gets back its coefficient as far as the two are alike.

    Parameters
    ----------
    codes, n_cuts, weights
        The rows.
    common
        For each feature a code that so many rows have that they are better left out of the sums by
        bin and found as what is missing from the sum of all rows; -1 if there is none.
    signs
        For each feature 1 if its jump may be negative, plus 2 if it may be positive; 0 closes it.
    keys
        ``2 * cell + is_event`` of each row.
    design, coefficients, factor
        The cells, the fit on them and the Cholesky factor of its Hessian.
    """
    values = _columns_to_sum(design, coefficients, factor)
    width = values.shape[1]
    pull = 0.0
    if n_kept < design.shape[1]:
        pull = coefficients[n_kept] * factor[n_kept, n_kept]
    most, zero = 0, np.int64(0)
    for f in range(n_cuts.size):
        most = max(most, n_cuts[f])
    sums = np.empty((most + 2, width))
    counts = np.empty((most + 2) * values.shape[0])
    found = np.zeros((n_cuts.size, 3))
    whole, total = _sum_all(keys, weights, values), np.empty(width)
    for f in range(n_cuts.size):
        if signs[f] == 0:
            continue
        n_bins, best = n_cuts[f] + 2, 0.0
        sum_by_bin(codes[f], keys, weights, values, zero, zero, n_bins, sums, counts, common[f])
        if common[f] >= 0:
            _fill_in(sums, n_bins, common[f] + 1, whole)
        for j in range(width):
            total[j] = 0.0
        for line in range(n_bins - 1):
            # two sums of squares at a time: each addition waits for the one before
            odd, even = 0.0, 0.0
            for j in range(width):
                total[j] += sums[line, j]
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
            step = min(max(force / curvature, -LONGEST_STEP), LONGEST_STEP)
            promised = force * step - 0.5 * curvature * step * step
            if is_allowed and promised > best:
                best = promised
                found[f, 0], found[f, 1], found[f, 2] = promised, line - 1, step
    return found
