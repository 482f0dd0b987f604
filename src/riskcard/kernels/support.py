"""Conditions with real-valued points: add one, replace one, descend to a local optimum."""

from __future__ import annotations

import numpy as np

from riskcard.kernels.cells import (
    assign_cells,
    design_of_cells,
    fit_cells,
    split_cells,
    tally_cells,
)
from riskcard.kernels.histogram import sum_by_bin
from riskcard.kernels.jit import inner_kernel, kernel
from riskcard.kernels.rows import open_features

__all__ = ["descend_support"]

#: A single new term is not credited with moving the log-odds further than this in one step.
LONGEST_STEP = 5.0


@inner_kernel
def _screen_values(design, coefficients, factor):
    """Columns to sum for the screen: gradient, curvature, curvature times whitened covariates.

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
def _best_gain(sums, n_bins, n_kept, pull, low, high):
    """The cut with the largest promised gain: (gain, bin, coefficient).

    The loss is taken as quadratic around the fit. The covariates that stay are the first
    ``n_kept``; the one after them, if ``pull`` is not 0, is the term to be replaced, whose
    coefficient times its own share of curvature ``pull`` is what a similar new term gets back.
    """
    width = n_kept + (3 if pull != 0.0 else 2)
    total = np.zeros(width)
    gain, best, coefficient = 0.0, -1, 0.0
    for line in range(n_bins - 1):
        explained = 0.0
        for j in range(width):
            total[j] += sums[line, j]
        for j in range(2, 2 + n_kept):
            explained += total[j] * total[j]
        curvature = total[1] - explained
        if curvature < 1e-6 * total[1] + 1e-9:
            continue
        force = -total[0]
        if pull != 0.0:
            force += pull * total[2 + n_kept]
        if (force > 0.0 and high == 0) or (force < 0.0 and low == 0):
            continue
        step = min(max(force / curvature, -LONGEST_STEP), LONGEST_STEP)
        promised = force * step - 0.5 * curvature * step * step
        if promised > gain:
            gain, best, coefficient = promised, line, step
    return gain, best, coefficient


@inner_kernel
def _screen(rows, rules, keys, values, n_kept, pull, is_open):
    """Best promised gain of a new term on each open feature: lines of (gain, cut, coefficient)."""
    most, none = np.int64(0), np.int64(0)
    for f in range(rows.n_cuts.size):
        most = max(most, rows.n_cuts[f])
    sums = np.empty((most + 2, values.shape[1]))
    counts = np.empty((most + 2) * values.shape[0])
    found = np.zeros((rows.n_cuts.size, 3))
    for f in range(rows.n_cuts.size):
        if is_open[f]:
            n_bins = rows.n_cuts[f] + 2
            sum_by_bin(rows.codes[f], keys, rows.weights, values, none, none, n_bins, sums, counts)
            gain, line, step = _best_gain(sums, n_bins, n_kept, pull, rules.low[f], rules.high[f])
            found[f, 0], found[f, 1], found[f, 2] = gain, line - 1, step
    return found


@inner_kernel
def _fit_one_more(rows, cells, n_cells, design, feature, cut, coefficients):
    """Fit the covariates of ``design`` and one more term, whose coefficient is the last; the loss."""
    split = np.empty(cells.size, dtype=np.int32)
    first = np.empty(2 * n_cells, dtype=np.int64)
    column = rows.codes[feature]
    count = split_cells(column, cut, cells, n_cells, split, first)
    tally = tally_cells(split, count, rows.is_event, rows.weights)
    width = design.shape[1]
    wide = np.ones((count, width + 1))
    for cell in range(count):
        for i in range(width):
            wide[cell, i] = design[cells[first[cell]], i]
        wide[cell, width] = 1.0 if column[first[cell]] <= cut else 0.0
    factor = np.empty((width + 1, width + 1))
    return fit_cells(wide, tally, coefficients, factor)


@inner_kernel
def _change_last(rows, rules, features, cuts, n_terms, n_kept, n_tries, coefficients):
    """The best new last term: (loss, feature, cut).

    It is added when all ``n_terms`` terms are kept, and takes the place of the last one when
    ``n_kept`` is one less. The screen ranks the features; the best of ``n_tries`` are fitted
    exactly. ``coefficients`` holds a start for the present terms and receives those of the winner.
    """
    n_rows = rows.codes.shape[1]
    cells = np.empty(n_rows, dtype=np.int32)
    keys = np.empty(n_rows, dtype=np.int32)
    first = np.empty(n_rows + 1, dtype=np.int64)
    n_cells = assign_cells(rows.codes, features, cuts, n_kept, cells, first)
    design = design_of_cells(rows.codes, features, cuts, n_kept, first, n_cells)
    count = n_cells
    for row in range(n_rows):
        keys[row] = cells[row]
    for term in range(n_kept, n_terms):
        count = split_cells(rows.codes[features[term]], cuts[term], cells, n_cells, keys, first)
    tally = tally_cells(keys, count, rows.is_event, rows.weights)
    present = design_of_cells(rows.codes, features, cuts, n_terms, first, count)
    fitted = coefficients[: n_terms + 1].copy()
    factor = np.empty((n_terms + 1, n_terms + 1))
    fit_cells(present, tally, fitted, factor)
    values = _screen_values(present, fitted, factor)
    for row in range(n_rows):
        keys[row] = 2 * keys[row] + rows.is_event[row]
    pull = fitted[n_terms] * factor[n_terms, n_terms] if n_kept < n_terms else 0.0
    is_open = open_features(rules, rows.n_cuts, features, n_terms, n_kept)
    found = _screen(rows, rules, keys, values, n_kept + 1, pull, is_open)
    loss, best_feature, best_cut = np.inf, np.int64(-1), np.int64(-1)
    trial = np.empty(n_kept + 2)
    for _ in range(n_tries):
        f = np.int64(0)
        for other in range(1, found.shape[0]):
            if found[other, 0] > found[f, 0]:
                f = other
        if found[f, 0] <= 0.0:
            break
        found[f, 0] = 0.0
        cut = np.int64(found[f, 1])
        for i in range(n_kept + 1):
            trial[i] = fitted[i]
        trial[n_kept + 1] = found[f, 2]
        reached = _fit_one_more(rows, cells, n_cells, design, f, cut, trial)
        if reached < loss:
            loss, best_feature, best_cut = reached, f, cut
            for i in range(n_kept + 2):
                coefficients[i] = trial[i]
    return loss, best_feature, best_cut


@inner_kernel
def _turn(features, cuts, coefficients, n_terms):
    """Move the first term to the end."""
    feature, cut, coefficient = features[0], cuts[0], coefficients[1]
    for term in range(n_terms - 1):
        features[term] = features[term + 1]
        cuts[term] = cuts[term + 1]
        coefficients[term + 1] = coefficients[term + 2]
    features[n_terms - 1], cuts[n_terms - 1], coefficients[n_terms] = feature, cut, coefficient


@kernel
def descend_support(rows, rules, features, cuts, n_terms, n_tries, max_steps):
    """Grow to the largest size, then replace single terms until none can be bettered.

    ``features`` and ``cuts`` hold ``n_terms`` terms and receive the result. Returns its number of
    terms, its loss and the number of steps taken.
    """
    coefficients = np.zeros(rules.max_terms + 1)
    trial = np.zeros(rules.max_terms + 1)
    loss = np.inf
    steps, settled = 0, 0
    is_growing = n_terms < rules.max_terms
    while is_growing or (settled < n_terms and steps < max_steps):
        if not is_growing:
            _turn(features, cuts, coefficients, n_terms)
        for i in range(n_terms + 1):
            trial[i] = coefficients[i]
        n_kept = n_terms if is_growing else n_terms - 1
        reached, f, cut = _change_last(rows, rules, features, cuts, n_terms, n_kept, n_tries, trial)
        steps += 1
        settled += 1
        if f >= 0 and reached < loss * (1.0 - 1e-7):
            n_terms = n_kept + 1
            features[n_kept], cuts[n_kept] = f, cut
            for i in range(n_terms + 1):
                coefficients[i] = trial[i]
            loss = reached
            settled = 1
        elif is_growing:
            break
        is_growing = is_growing and n_terms < rules.max_terms
    return n_terms, loss, steps
