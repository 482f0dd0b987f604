"""Cells: rows that agree on every term of a card, and the logistic fit on them."""

import numpy as np

from riskcard.kernels.jit import kernel

#: A fit stops when a step promises less than this part of the total weight.
PROMISE = 1e-6
#: Terms by which rows are divided before empty cells are left out.
TERMS_AT_ONCE = 8


@kernel
def divide_into_cells(codes, terms, is_event, weights, keys):
    """Divide the rows by all terms: (design, tally).

    Parameters
    ----------
    codes, is_event, weights
        The rows.
    terms
        Features and cuts of all terms, shape (2 or more, terms).
    keys
        Receives ``2 * cell + is_event`` of each row.

    Returns
    -------
    design
        One line per cell: 1, then whether each term holds there.
    tally
        Weight by key.
    """
    n_rows, n_terms = codes.shape[1], terms.shape[1]
    first = np.zeros(n_rows + 1, dtype=np.int64)
    n_cells, done = 1, 0
    for row in range(n_rows):
        keys[row] = 0
    while done < n_terms:
        group = min(n_terms - done, TERMS_AT_ONCE)
        for term in range(done, done + group):
            column, cut = codes[terms[0, term]], np.int32(terms[1, term])
            for row in range(n_rows):
                keys[row] = 2 * keys[row] + (1 if column[row] <= cut else 0)
        renamed = np.empty(n_cells << group, dtype=np.int32)
        for key in range(renamed.size):
            renamed[key] = -1
        n_cells = 0
        for row in range(n_rows):
            if renamed[keys[row]] < 0:
                renamed[keys[row]] = n_cells
                first[n_cells] = row
                n_cells += 1
            keys[row] = renamed[keys[row]]
        done += group
    tally = np.zeros(2 * n_cells)
    for row in range(n_rows):
        keys[row] = 2 * keys[row] + is_event[row]
        tally[keys[row]] += weights[row]
    design = np.empty((n_cells, n_terms + 1))
    for cell in range(n_cells):
        design[cell, 0] = 1.0
        for term in range(n_terms):
            holds = codes[terms[0, term], first[cell]] <= terms[1, term]
            design[cell, term + 1] = 1.0 if holds else 0.0
    return design, tally


@kernel
def fit_cells(design, tally, coefficients, factor, target, ridge):
    """Logistic regression on cells by damped Newton steps; returns the loss.

    There is no box, and the factor of the Hessian is a result, so this is not the Newton step of
    `kernels.proof.newton`. Starts from ``coefficients`` and writes the optimum there; ``factor``
    receives the Cholesky factor of the Hessian near it. Gives up as soon as four times what the
    next step promises would not bring the loss below ``target``. ``ridge`` times the total weight
    keeps coefficients finite on separable cells.
    """
    n_cells, width = design.shape
    step, trial, gradient = np.zeros(width), np.empty(width), np.empty(width)
    loss, size, decrement, total = np.inf, 0.0, 0.0, 0.0
    for index in range(tally.size):
        total += tally[index]
    ridge *= total
    for _ in range(60):
        reached = 0.0
        for i in range(width):
            trial[i] = coefficients[i] - size * step[i]
            reached += 0.5 * ridge * trial[i] * trial[i]
            gradient[i] = ridge * trial[i]
            for j in range(i + 1):
                factor[i, j] = ridge if i == j else 0.0
        for cell in range(n_cells):
            against, event = tally[2 * cell], tally[2 * cell + 1]
            if against + event == 0.0:
                continue
            log_odds = 0.0
            for i in range(width):
                log_odds += design[cell, i] * trial[i]
            power = np.exp(-abs(log_odds))
            risk = 1.0 / (1.0 + power) if log_odds > 0.0 else power / (1.0 + power)
            wrong = against if log_odds > 0.0 else event
            reached += (against + event) * np.log1p(power) + wrong * abs(log_odds)
            residual = (against + event) * risk - event
            curvature = (against + event) * risk * (1.0 - risk)
            for i in range(width):
                if design[cell, i] != 0.0:
                    gradient[i] += residual
                    for j in range(i + 1):
                        factor[i, j] += curvature * design[cell, j]
        if size > 1e-3 and reached > loss - 0.1 * size * decrement:
            size *= 0.5
            continue
        gained = loss - reached
        loss, decrement = reached, 0.0
        for i in range(width):
            coefficients[i] = trial[i]
        for i in range(width):
            for j in range(i + 1):
                value = factor[i, j]
                for k in range(j):
                    value -= factor[i, k] * factor[j, k]
                factor[i, j] = value / factor[j, j] if j < i else np.sqrt(max(value, 1e-12))
            step[i] = gradient[i]
            for k in range(i):
                step[i] -= factor[i, k] * step[k]
            step[i] /= factor[i, i]
            decrement += step[i] * step[i]
        is_hopeless = loss - 2.0 * decrement > target
        if is_hopeless or decrement < 2.0 * PROMISE * total or gained < PROMISE * total:
            break
        for i in range(width - 1, -1, -1):
            for k in range(i + 1, width):
                step[i] -= factor[k, i] * step[k]
            step[i] /= factor[i, i]
        size = 1.0
    return loss
