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


@kernel
def screen_terms(codes, n_cuts, signs, keys, weights, design, coefficients, factor, n_kept):
    """The best new term of each feature: lines of (promised gain, cut, coefficient).

    The loss is taken as quadratic around the fit of the terms of ``design``. Of its covariates the
    first ``n_kept`` stay; the one after them, if there is one, is the term to be replaced, and a new
    term gets back its coefficient as far as the two are alike.

    Parameters
    ----------
    codes, n_cuts, weights
        The rows.
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
    most, none = 0, np.int64(0)
    for f in range(n_cuts.size):
        most = max(most, n_cuts[f])
    sums = np.empty((most + 2, width))
    counts = np.empty((most + 2) * values.shape[0])
    found = np.zeros((n_cuts.size, 3))
    total = np.empty(width)
    for f in range(n_cuts.size):
        if signs[f] == 0:
            continue
        n_bins = n_cuts[f] + 2
        sum_by_bin(codes[f], keys, weights, values, none, none, n_bins, sums, counts)
        for j in range(width):
            total[j] = 0.0
        for line in range(n_bins - 1):
            for j in range(width):
                total[j] += sums[line, j]
            curvature = total[1]
            for j in range(2, 2 + n_kept):
                curvature -= total[j] * total[j]
            force = -total[0]
            if pull != 0.0:
                force += pull * total[2 + n_kept]
            is_allowed = (signs[f] & (2 if force > 0.0 else 1)) != 0
            if is_allowed and curvature > 1e-6 * total[1] + 1e-9:
                step = min(max(force / curvature, -LONGEST_STEP), LONGEST_STEP)
                promised = force * step - 0.5 * curvature * step * step
                if promised > found[f, 0]:
                    found[f, 0], found[f, 1], found[f, 2] = promised, line - 1, step
    return found
