"""Cells: rows that agree on every term of a card, and the logistic fit on them."""

from __future__ import annotations

import numpy as np

from riskcard.kernels.jit import inner_kernel, kernel

__all__ = ["assign_cells", "design_of_cells", "fit_cells", "split_cells", "tally_cells"]

#: Keeps coefficients finite on separable cells; far below any loss that matters in a search.
RIDGE = 1e-4


@inner_kernel
def split_cells(column, cut, cells, n_cells, out, first):
    """Divide every cell by one more condition; returns the number of cells that have rows.

    Writes the new cell of every row to ``out`` (which may be ``cells``) and one row of each new
    cell to ``first``.
    """
    new_cell = np.empty(2 * n_cells, dtype=np.int32)
    for key in range(2 * n_cells):
        new_cell[key] = -1
    count = 0
    for row in range(column.size):
        key = 2 * cells[row] + (1 if column[row] <= cut else 0)
        if new_cell[key] < 0:
            new_cell[key] = count
            first[count] = row
            count += 1
        out[row] = new_cell[key]
    return count


@kernel
def assign_cells(codes, features, cuts, n_terms, cells, first):
    """Cell of every row by the first terms, into ``cells``; returns the number of cells."""
    for row in range(cells.size):
        cells[row] = 0
    first[0] = 0
    count = np.int64(1)
    for term in range(n_terms):
        count = split_cells(codes[features[term]], cuts[term], cells, count, cells, first)
    return count


@kernel
def tally_cells(cells, n_cells, is_event, weights):
    """Weight by cell and label: entry ``2 * cell + is_event``."""
    tally = np.zeros(2 * n_cells)
    for row in range(cells.size):
        tally[2 * cells[row] + is_event[row]] += weights[row]
    return tally


@kernel
def design_of_cells(codes, features, cuts, n_terms, first, n_cells):
    """One line a cell: 1, then whether each of the first terms holds there."""
    design = np.ones((n_cells, n_terms + 1))
    for cell in range(n_cells):
        for term in range(n_terms):
            if codes[features[term], first[cell]] > cuts[term]:
                design[cell, term + 1] = 0.0
    return design


@inner_kernel
def _loss_of_cells(design, tally, coefficients, log_odds):
    """Loss on the cells with the ridge; writes the log-odds of each cell."""
    loss = 0.0
    for column in range(coefficients.size):
        loss += 0.5 * RIDGE * coefficients[column] ** 2
    for cell in range(design.shape[0]):
        value = 0.0
        for column in range(coefficients.size):
            value += design[cell, column] * coefficients[column]
        log_odds[cell] = value
        small = np.log1p(np.exp(-abs(value)))
        against = tally[2 * cell] if value > 0 else tally[2 * cell + 1]
        loss += (tally[2 * cell] + tally[2 * cell + 1]) * small + against * abs(value)
    return loss


@inner_kernel
def _derivatives_of_cells(design, tally, coefficients, log_odds, gradient, hessian):
    """Gradient and Hessian (lower triangle) of the loss with the ridge, written in place."""
    width = coefficients.size
    for i in range(width):
        gradient[i] = RIDGE * coefficients[i]
        for j in range(i + 1):
            hessian[i, j] = 0.0
        hessian[i, i] = RIDGE
    for cell in range(design.shape[0]):
        total = tally[2 * cell] + tally[2 * cell + 1]
        risk = 1.0 / (1.0 + np.exp(-log_odds[cell]))
        residual = total * risk - tally[2 * cell + 1]
        curvature = total * risk * (1.0 - risk)
        for i in range(width):
            if design[cell, i] != 0.0:
                gradient[i] += residual
                for j in range(i + 1):
                    hessian[i, j] += curvature * design[cell, j]


@inner_kernel
def _factorise(hessian):
    """Cholesky factor in place of the lower triangle."""
    width = hessian.shape[0]
    for i in range(width):
        for j in range(i + 1):
            value = hessian[i, j]
            for k in range(j):
                value -= hessian[i, k] * hessian[j, k]
            if i == j:
                hessian[i, i] = np.sqrt(max(value, 1e-12))
            else:
                hessian[i, j] = value / hessian[j, j]


@inner_kernel
def _solve_factored(factor, right):
    """Solve ``factor factor' x = right`` in place of ``right``; returns ``right' x``."""
    width = right.size
    decrement = 0.0
    for i in range(width):
        for k in range(i):
            right[i] -= factor[i, k] * right[k]
        right[i] /= factor[i, i]
        decrement += right[i] ** 2
    for i in range(width - 1, -1, -1):
        for k in range(i + 1, width):
            right[i] -= factor[k, i] * right[k]
        right[i] /= factor[i, i]
    return decrement


@kernel
def fit_cells(design, tally, coefficients, factor):
    """Logistic regression on cells by damped Newton steps; returns the loss.

    Starts from ``coefficients`` and writes the optimum there; ``factor`` receives the Cholesky
    factor of the Hessian near it. Stops when a step promises next to nothing.
    """
    tolerance = 0.0
    for index in range(tally.size):
        tolerance += 1e-7 * tally[index]
    width = coefficients.size
    step = np.empty(width)
    trial = np.empty(width)
    log_odds = np.empty(design.shape[0])
    loss = _loss_of_cells(design, tally, coefficients, log_odds)
    for _ in range(25):
        _derivatives_of_cells(design, tally, coefficients, log_odds, step, factor)
        _factorise(factor)
        decrement = _solve_factored(factor, step)
        if decrement < 2.0 * tolerance:
            break
        size = 1.0
        while True:
            for i in range(width):
                trial[i] = coefficients[i] - size * step[i]
            reached = _loss_of_cells(design, tally, trial, log_odds)
            if reached <= loss - 0.1 * size * decrement or size < 1e-4:
                break
            size *= 0.5
        for i in range(width):
            coefficients[i] = trial[i]
        gained = loss - reached
        loss = reached
        if gained < tolerance:
            break
    return loss
