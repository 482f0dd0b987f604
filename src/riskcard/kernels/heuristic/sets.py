"""Sets of conditions with real-valued points: terms added and exchanged, best first."""

import numpy as np

from riskcard.kernels.heuristic.cells import divide_into_cells, fit_cells
from riskcard.kernels.heuristic.swaps import invert_factor, screen_swaps
from riskcard.kernels.jit import bare_inner_kernel, inlined_kernel, inner_kernel, kernel

#: A set of conditions counts as better when its loss is lower by this part of itself.
LEAST_GAIN_OF_SET = 1e-7
#: Coefficients are not moved further than this before a fit.
LONGEST_MOVE = 2.0
#: With at least this many rows per cell, passes over the rows take longer than fits.
ROWS_PER_CELL = 40


@inner_kernel
def _digest(terms):
    """A number for a set of conditions that does not depend on their order."""
    total = np.uint64(0)
    for term in range(terms.shape[1]):
        word = np.uint64(terms[0, term] * 4294967296 + terms[1, term] + 1)
        word = (word ^ (word >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(32))) * np.uint64(0x94D049BB133111EB)
        total += word ^ (word >> np.uint64(29))
    return total


@bare_inner_kernel
def _is_known(digest, known):
    """Whether a digest is among others."""
    count = 0
    for index in range(known.size):
        count += 1 if known[index] == digest else 0
    return count > 0


@inner_kernel
def _slots_of(coefficients, inverse, is_growing):
    """See ``screen_swaps``: one slot for a new term, or one for each of the terms that may go."""
    n_terms = coefficients.size - 1
    slots = np.zeros((3, 1 if is_growing else n_terms))
    if not is_growing:
        for term in range(n_terms):
            stiffness, jump = 1.0 / inverse[term + 1, term + 1], coefficients[term + 1]
            slots[0, term], slots[1, term] = stiffness, stiffness * jump
            slots[2, term] = 0.5 * stiffness * jump * jump
    return slots


@inner_kernel
def _allowed_signs(limits, signs, terms, is_growing):
    """By column and slot: the signs a new term may have, none where its feature has no room."""
    feature_of, max_cuts, max_features = limits
    n_columns, n_slots = feature_of.size, 1 if is_growing else terms.shape[1]
    allowed = np.zeros((n_columns, n_slots), dtype=np.int64)
    used = np.zeros(max_cuts.size, dtype=np.int64)
    for term in range(terms.shape[1]):
        used[feature_of[terms[0, term]]] += 1
    for slot in range(n_slots):
        if not is_growing:
            used[feature_of[terms[0, slot]]] -= 1
        n_used = 0
        for feature in range(used.size):
            n_used += 1 if used[feature] > 0 else 0
        for f in range(n_columns):
            own = used[feature_of[f]]
            has_room = own < max_cuts[feature_of[f]] and (own > 0 or n_used < max_features)
            allowed[f, slot] = signs[min(slot, signs.shape[0] - 1), f] if has_room else 0
        if not is_growing:
            used[feature_of[terms[0, slot]]] += 1
    return allowed


@inner_kernel
def _start_of_swap(coefficients, inverse, slots, slot, line, is_growing):
    """Coefficients to fit a swap from: those at which it promises what it does."""
    place, step = 0 if is_growing else slot + 1, line[2]
    start = np.empty(coefficients.size + (1 if is_growing else 0))
    pull, longest = slots[0, slot] * step * line[3 + place] - slots[1, slot], LONGEST_MOVE
    for i in range(coefficients.size):
        start[i] = pull * inverse[i, place] - step * line[3 + i]
        longest = max(longest, abs(start[i]) if is_growing or i != place else 0.0)
    for i in range(coefficients.size):
        # near separation the parabola may point far beyond where it holds
        start[i] = coefficients[i] + start[i] * LONGEST_MOVE / longest
    start[start.size - 1 if is_growing else place] = step
    return start


@inner_kernel
def _with_term(terms, place, column, cut):
    """The terms with one of them replaced, or with one more when the place is after the last."""
    n_terms = terms.shape[1]
    changed = np.empty((2, max(n_terms, place + 1)), dtype=np.int64)
    for term in range(n_terms):
        changed[0, term], changed[1, term] = terms[0, term], terms[1, term]
    changed[0, place], changed[1, place] = column, cut
    return changed


@inner_kernel
def _cells_of_trial(rows, keys, design, terms, place):
    """The design and the tally of a set that differs from that of the cells in one place.

    Where rows are many, the cells are divided by the new term, in one pass; those that only differ
    in the old term are not put together, which makes the fit longer.
    """
    codes, is_event, weights = rows[0], rows[7], rows[8]
    n_cells, width = design.shape[0], terms.shape[1] + 1
    if weights.size < ROWS_PER_CELL * n_cells:
        return divide_into_cells(codes, terms, is_event, weights, np.empty_like(keys))
    column, cut = codes[terms[0, place]], np.int32(terms[1, place])
    tally, divided = np.zeros(4 * n_cells), np.empty((2 * n_cells, width))
    for row in range(weights.size):
        key = keys[row]
        tally[2 * key - (key & 1) + (2 if column[row] <= cut else 0)] += weights[row]
    for cell in range(2 * n_cells):
        for i in range(min(width, design.shape[1])):
            divided[cell, i] = design[cell // 2, i]
        divided[cell, place + 1] = 1.0 if cell % 2 == 1 else 0.0
    return divided, tally


@inlined_kernel
def _fit_set(rows, keys, design, terms, place, start, target, ridge):
    """Fit such a set from ``start``, in place; returns the factor of its Hessian and its loss."""
    trial_design, tally = _cells_of_trial(rows, keys, design, terms, place)
    factor = np.empty((start.size, start.size))
    return factor, fit_cells(trial_design, tally, start, factor, target, ridge)


@inner_kernel
def _has_term(terms, column, cut):
    """Whether a condition is among the terms."""
    count = 0
    for term in range(terms.shape[1]):
        count += 1 if terms[0, term] == column and terms[1, term] == cut else 0
    return count > 0


@inner_kernel
def _pick(found, share):
    """A column that promises a gain, chosen by a number from 0 to 1; -1 if there is none."""
    count = 0
    for f in range(found.shape[0]):
        count += 1 if found[f, 0, 1] >= 0.0 else 0
    left, chosen = np.int64(share * count), np.int64(-1)
    for f in range(found.shape[0]):
        if found[f, 0, 1] >= 0.0 and chosen < 0:
            if left == 0:
                chosen = f
            left -= 1
    return chosen


@bare_inner_kernel
def _most_promising(found):
    """The column and the slot of the exchange that promises most; column -1 if none does."""
    column, slot, promised = np.int64(-1), np.int64(0), -np.inf
    for f in range(found.shape[0]):
        for k in range(found.shape[1]):
            if found[f, k, 1] >= 0.0 and found[f, k, 0] > promised:
                column, slot, promised = np.int64(f), np.int64(k), found[f, k, 0]
    return column, slot


@bare_inner_kernel
def _best_of_columns(found, promises):
    """Write what the best exchange for a condition of each column promises."""
    for f in range(found.shape[0]):
        promises[f] = -np.inf
        for slot in range(found.shape[1]):
            if found[f, slot, 1] >= 0.0:
                promises[f] = max(promises[f], found[f, slot, 0])


@kernel
def improve_set(rows, limits, signs, closed, terms, coefficients, plan, picks, known):
    """Change a set of conditions, one at a time, as long as that lowers the loss.

    First come forced terms, each the best condition of a random column. Then terms are added until
    the set has its size. Then terms are exchanged.

    Parameters
    ----------
    rows
        ``codes``, ``n_cuts``; for each column a ``common`` code, whose rows are left out of the
        sums by bin and found as what is missing from the sum of all rows, or -1; ``uncommon``,
        ``begins``, ``folds`` and ``maps`` (see ``Rows``); ``is_event``, ``weights``.
    limits
        ``feature_of`` each column, ``max_cuts`` of each feature, and ``max_features``.
    signs
        One line, or one for each term that may go: for each column 1 if a jump may be negative,
        plus 2 if it may be positive, 0 closes it.
    closed
        As many lines, 1 for conditions that are not allowed, end to end; or nothing.
    terms, coefficients
        The set to start from, and where to start its fit.
    plan
        The size; how many exchanges are fitted in a step; the most steps (with none, the set is only
        fitted); the ridge of the fits; and whether exchanges are fitted to the end even if they gain
        nothing, because they are wanted.
    picks
        A number from 0 to 1 for each forced term.
    known
        Digests of sets at which to end.

    Returns
    -------
    tuple
        Terms, coefficients, loss, steps taken, digest; what the best exchange for a condition of
        each column promised at the last step: negative infinity where none promised anything, and 0
        before the first step; and the sets that were fitted at the last step, as terms (sets, 2,
        terms), coefficients (sets, terms + 1), losses and digests.
    """
    codes, is_event, weights = rows[0], rows[7], rows[8]
    size, n_tries, max_steps, ridge, wants_all = plan
    keys = np.empty(weights.size, np.int32)
    design, tally = np.empty((0, 0)), np.empty(0)
    coefficients, factor, loss = coefficients.copy(), np.empty((0, 0)), np.inf
    steps, n_picked, is_full, is_over = 0, 0, False, False
    promises, n_near = np.zeros(limits[0].size), 0
    near, near_fits = np.empty((n_tries, 2, max(size, 0)), np.int64), np.empty((n_tries, size + 1))
    near_losses, near_digests = np.empty(n_tries), np.empty(n_tries, np.uint64)
    while not is_over:
        if factor.size == 0:
            design, tally = divide_into_cells(codes, terms, is_event, weights, keys)
            factor = np.empty((coefficients.size, coefficients.size))
            loss = fit_cells(design, tally, coefficients, factor, np.inf, ridge)
        n_terms, is_picking = terms.shape[1], n_picked < picks.size
        if steps >= max_steps:
            break
        white, inverse = invert_factor(factor)
        is_growing = is_picking or (n_terms < size and not is_full)
        slots = _slots_of(coefficients, inverse, is_growing)
        allowed = _allowed_signs(limits, signs, terms, is_growing)
        found = screen_swaps(rows, keys, tally, design, coefficients, white, slots, allowed, closed)
        _best_of_columns(found, promises)
        steps += 1
        best_loss = np.inf if is_picking else loss * (1.0 - LEAST_GAIN_OF_SET)
        has_changed, gained, n_near = False, -np.inf, 0
        base, base_coefficients = terms, coefficients
        for _ in range(1 if is_picking else n_tries):
            column, slot = _most_promising(found)
            if is_picking:
                column, slot = _pick(found, picks[n_picked]), np.int64(0)
            if column < 0 or (
                not is_picking and not wants_all and found[column, slot, 0] <= gained
            ):
                break
            line, cut = found[column, slot], np.int64(found[column, slot, 1])
            line[1] = -1.0
            # near separation the screen does not see that a condition is there already
            if _has_term(base, column, cut):
                continue
            place = base.shape[1] if is_growing else slot
            trial = _with_term(base, place, column, cut)
            start = _start_of_swap(base_coefficients, inverse, slots, slot, line, is_growing)
            target = np.inf if wants_all else best_loss
            trial_factor, reached = _fit_set(rows, keys, design, trial, place, start, target, ridge)
            if wants_all and trial.shape[1] == size:
                near[n_near], near_fits[n_near] = trial, start
                near_losses[n_near], near_digests[n_near] = reached, _digest(trial)
                n_near += 1
            if reached < best_loss:
                gained, best_loss, has_changed = loss - reached, reached, True
                terms, coefficients, factor = trial, start, trial_factor
        if is_picking:
            n_picked = n_picked + 1 if has_changed else picks.size
        if has_changed:
            loss = best_loss
            design, tally = divide_into_cells(codes, terms, is_event, weights, keys)
            is_over = not is_growing and _is_known(_digest(terms), known)
        elif is_growing:
            is_full, is_over = not is_picking, n_terms == 0
        else:
            is_over = True
    sets = near[:n_near], near_fits[:n_near], near_losses[:n_near], near_digests[:n_near]
    return terms, coefficients, loss, steps, _digest(terms), promises, sets
