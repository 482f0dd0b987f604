"""What every exchange of one condition for another promises, in one pass over the rows."""

import numpy as np

from riskcard.kernels.heuristic.histogram import sum_by_code
from riskcard.kernels.jit import bare_inner_kernel, inner_kernel

#: A single new term is not credited with moving the log-odds further than this in one step.
LONGEST_STEP = 5.0
#: An exchange is worth a fit when it promises to cost at most this part of the old term's worth.
LEAST_RETURN = 0.9
#: Cuts of a column that are looked at together.
BLOCK = 64
#: Lines of sums are padded to a multiple of this length, so that vector code needs no remainder.
LANES = 4


@inner_kernel
def invert_factor(factor):
    """The inverse of a Cholesky factor, and that of the matrix whose factor it is."""
    width = factor.shape[0]
    white, inverse = np.zeros((width, width)), np.zeros((width, width))
    for k in range(width):
        for i in range(k, width):
            value = 1.0 if i == k else 0.0
            for j in range(k, i):
                value -= factor[i, j] * white[j, k]
            white[i, k] = value / factor[i, i]
    for k in range(width):
        for i in range(k + 1):
            for j in range(i + 1):
                inverse[i, j] += white[k, i] * white[k, j]
    for i in range(width):
        for j in range(i):
            inverse[j, i] = inverse[i, j]
    return white, inverse


@inner_kernel
def _values_by_key(design, coefficients, white):
    """By cell and label: gradient, curvature, and curvature times the whitened covariates.

    ``white`` is the inverse of the Cholesky factor of the Hessian ``H``: with ``v = white s``, the
    sum of squares of ``v`` is ``s . P s`` for ``P``, the inverse of ``H``, and ``P s`` is ``v
    white``.
    """
    n_cells, width = design.shape
    values = np.zeros((2 * n_cells, (width + 2 + LANES - 1) // LANES * LANES))
    for cell in range(n_cells):
        log_odds = 0.0
        for i in range(width):
            log_odds += design[cell, i] * coefficients[i]
        risk = 1.0 / (1.0 + np.exp(-log_odds))
        curvature, line = risk * (1.0 - risk), values[2 * cell]
        line[0], line[1] = risk, curvature
        for i in range(width):
            line[2 + i] = 0.0
            for k in range(i + 1):
                line[2 + i] += white[i, k] * design[cell, k]
            line[2 + i] *= curvature
        for j in range(width + 2):
            values[2 * cell + 1, j] = line[j]
        values[2 * cell + 1, 0] = risk - 1.0
    return values


@inner_kernel
def _sum_all(tally, values):
    """Sum of ``weight * values[key]`` over all rows."""
    n_keys, width = values.shape
    whole = np.zeros(width)
    for key in range(n_keys):
        for j in range(width):
            whole[j] += tally[key] * values[key, j]
    return whole


@bare_inner_kernel
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


@bare_inner_kernel
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


@bare_inner_kernel
def _sum_up(lines, begin, n_lines, total, work):
    """Add up lines from ``begin`` on: what is below each cut, one line of ``work`` per figure."""
    for j in range(0, lines.shape[1], LANES):
        sum0, sum1, sum2, sum3 = total[j], total[j + 1], total[j + 2], total[j + 3]
        for at in range(n_lines):
            part = lines[begin + at]
            sum0 += part[j]
            sum1 += part[j + 1]
            sum2 += part[j + 2]
            sum3 += part[j + 3]
            work[j, at], work[j + 1, at] = sum0, sum1
            work[j + 2, at], work[j + 3, at] = sum2, sum3
        total[j], total[j + 1], total[j + 2], total[j + 3] = sum0, sum1, sum2, sum3


@bare_inner_kernel
def _move(work, padded, white, n_lines):
    """From the sums of each cut: ``u``, and the curvature left by the terms, see ``_scan_cuts``."""
    width = white.shape[0]
    alone = work[padded + width]
    for at in range(n_lines):
        alone[at] = work[1, at]
    for i in range(width):
        by_term, moved = work[2 + i], work[padded + i]
        for at in range(n_lines):
            alone[at] -= by_term[at] * by_term[at]
            moved[at] = 0.0
        # two terms at a time: half as often is what was moved so far read and written
        for k in range(i, width - 1, 2):
            by_term, next_term = work[2 + k], work[3 + k]
            towards, next_towards = white[k, i], white[k + 1, i]
            for at in range(n_lines):
                moved[at] = moved[at] + by_term[at] * towards + next_term[at] * next_towards
        if (width - i) % 2 == 1:
            by_term, towards = work[1 + width], white[width - 1, i]
            for at in range(n_lines):
                moved[at] += by_term[at] * towards


@bare_inner_kernel
def _scan_cuts(lines, n_cuts, white, slots, first, allowed, closed, start, work, found):
    """The best cut of one column for each slot, from its sums by bin, into lines of ``found``.

    Let ``P`` be the inverse Hessian of the fit with coefficients ``b``, and ``g``, ``c``, ``s`` the
    gradient of a new term, its curvature and its curvature with the terms of the fit. Where term
    ``j`` goes, its coefficient moves by ``-b_j``, and all others follow. With ``u = P s``, a step
    ``t`` of the new term then changes the loss, as far as it is quadratic, by

        g t + (c - s.u) t^2 / 2 + (t u_j - b_j)^2 / (2 P_jj).

    Many cuts are looked at together, one figure after another, so that loops become vector code;
    few of them could win, and only these are looked at by themselves.
    """
    width, padded = white.shape[0], lines.shape[1]
    gradient, alone = work[0], work[padded + width]
    scores, total = work[padded + width + 1], work[padded + width + 2]
    for j in range(padded):
        total[j] = lines[0, j]
    for begin in range(1, n_cuts + 1, BLOCK):
        n_lines = min(BLOCK, n_cuts + 1 - begin)
        _sum_up(lines, begin, n_lines, total, work)
        _move(work, padded, white, n_lines)
        for slot in range(slots.shape[1]):
            moved, best = work[padded + slot + first], found[slot]
            stiffness, pull, worth = slots[0, slot], slots[1, slot], slots[2, slot]
            # no step promises more than the unbounded one: which cuts could win?
            least = 2.0 * (best[0] + worth)
            for at in range(n_lines):
                own = moved[at]
                force = pull * own - gradient[at]
                scores[at] = force * force - least * (alone[at] + stiffness * own * own)
            for at in range(n_lines):
                if scores[at] <= 0.0:
                    continue
                force = pull * moved[at] - gradient[at]
                curvature = alone[at] + stiffness * moved[at] * moved[at]
                is_flat = curvature <= 1e-6 * work[1, at] + 1e-9
                if is_flat or (allowed[slot] & (2 if force > 0.0 else 1)) == 0:
                    continue
                cut = begin + at - 1
                if closed.size > 0 and closed[min(slot, closed.shape[0] - 1), start + cut] != 0:
                    continue
                step = min(max(force / curvature, -LONGEST_STEP), LONGEST_STEP)
                gain = force * step - 0.5 * curvature * step * step - worth
                if gain > best[0]:
                    best[0], best[1], best[2] = gain, cut, step
                    for i in range(width):
                        best[3 + i] = work[padded + i, at]


@inner_kernel
def screen_swaps(rows, keys, tally, design, coefficients, white, slots, allowed, closed):
    """What the best new condition of each column promises in the place of each term.

    Parameters
    ----------
    rows
        See ``improve_set``.
    keys, tally
        ``2 * cell + is_event`` of each row, and the weight of each key.
    design, coefficients, white
        The cells, the fit on them and the inverse of the Cholesky factor of its Hessian.
    slots
        Lines of ``1 / P_jj``, ``b_j / P_jj`` and ``b_j^2 / (2 P_jj)`` (see ``_scan_cuts``) for each
        term ``j`` that may go; or zeros for one new term in addition to the others.
    allowed
        By column and slot: 1 if a jump may be negative, plus 2 if it may be positive.
    closed
        By slot (or one line for all) 1 for conditions that are not allowed, end to end; or none.

    Returns
    -------
    array
        By column and slot: the promised gain, the cut (-1 where nothing promises a gain), the step
        of the new coefficient, and ``u``.
    """
    codes, n_cuts, common, uncommon, begins, folds, maps, _, weights = rows
    values = _values_by_key(design, coefficients, white)
    whole = _sum_all(tally, values)
    n_columns, n_slots, width = n_cuts.size, slots.shape[1], values.shape[1]
    most = 0
    last = np.zeros(n_columns, dtype=np.int64)
    found = np.empty((n_columns, n_slots, 3 + coefficients.size))
    for f in range(n_columns):
        most = max(most, n_cuts[f])
        for slot in range(n_slots):
            # near separation a term is worth less than the parabola says, so a loss may be a gain
            found[f, slot, 0], found[f, slot, 1] = -LEAST_RETURN * slots[2, slot], -1.0
            if allowed[f, slot] != 0:
                last[folds[f, 0]] = f + 1
    sums, folded = np.empty((most + 2, width)), np.empty((most + 2, width))
    counts = np.empty((most + 2) * values.shape[0])
    # of a block of cuts: sums, moves, curvature, scores; and the sums so far
    work = np.empty((width + coefficients.size + 3, max(BLOCK, width)))
    # the offset is the first covariate and never goes
    start, first = np.int64(0), np.int64(1 if n_slots > 0 and slots[0, 0] > 0.0 else 0)
    for f in range(n_columns):
        base, n_bins, lines = folds[f, 0], n_cuts[f] + 2, sums
        if base == f and last[f] > 0:
            n_codes = n_cuts[f] + 1
            rare = uncommon[begins[f] : begins[f + 1]]
            if sum_by_code(codes[f], keys, weights, values, n_codes, sums, counts, rare):
                _fill_in(sums, n_bins, common[f] + 1, whole)
        if last[base] > f:
            if base != f:
                _fold(sums, n_cuts[base] + 2, maps, folds[f, 1], folded, n_bins)
                lines = folded
            _scan_cuts(
                lines, n_cuts[f], white, slots, first, allowed[f], closed, start, work, found[f]
            )
        start += n_cuts[f]
    return found
