"""A logistic regression on all conditions that the cards of a node may have.

Coefficients lie in a box; conditions of a chain are nested, so that log-odds, slopes and second
derivatives all come from sums over codes, and pairs of codes, of whole chains.
"""

import math

import numpy as np

import riskcard.kernels.proof.supports.records as at
from riskcard.kernels.jit import bare_inner_kernel
from riskcard.kernels.proof.rounding import ROUNDING, ROUNDING_PER_ROW

#: Newton steps of a fit, and how often one step is shortened.
MAX_STEPS, MAX_SHORTENED = 30, 12
#: No coefficient moves further in one step.
LONGEST_STEP = 4.0
#: What is added to the diagonal of the Hessian, as a part of it, and what a pivot is at least.
RIDGE, FLOOR = 1e-9, 1e-9
#: A fit ends when its loss is this close to its bound (relative).
SOLVED_WITHIN = 1e-9


@bare_inner_kernel
def family_bound(loss, steep, furthest, n_rows, family, slots, terms, theta, fits):
    """Claim: for any coefficients, no card of the node has a loss below the number returned.

    ``loss`` and ``fits.gradient`` are those of the rows' losses at ``theta``; ``steep`` is the sum
    of the sizes of the slopes of all rows, ``furthest`` the size of the largest log-odds.

    Proof: the loss is convex in the log-odds, hence in the coefficients. So a card with offset
    ``b`` and coefficients ``t[c]`` has a loss of at least::

        loss + g0 * (b - theta0) + sum over conditions of g[c] * (t[c] - theta[c])

    The best real offset lies in ``family.offsets`` (see `search.proof.support_tree`), and another
    one only raises the loss of the card. Of each slot as many conditions as it has terms have a
    coefficient other than 0, of a sign that is in the slot and within its ends. So the sum of
    ``g[c] * t[c]`` over the slot is at least that of its least ``g[c] * end[c]``, as many as it has
    terms, those above 0 counted as 0.

    Rounding: the log-odds of a row are a sum of at most one number a chain, its slope times these
    is an error of the loss; every gradient is a sum over the rows. All of these are parts of
    ``loss + steep * (furthest + the ends of all that is added)``, of which the margins of
    `rounding` are subtracted.
    """
    gradient, gains = fits.gradient, fits.gains
    n, n_slots = theta.size - 1, family.max_terms
    bound = loss - gradient[n] * theta[n]
    bound += min(gradient[n] * family.offsets[at.LEAST], gradient[n] * family.offsets[at.MOST])
    for s in range(n_slots):
        for t in range(terms[s]):
            gains[s, t] = 0.0
    longest = 0.0
    total = abs(theta[n])
    for c in range(n):
        g = gradient[c]
        if theta[c] != 0.0:
            bound -= g * theta[c]
            total += abs(theta[c])
        rising, falling = slots[at.RISING, c], slots[at.FALLING, c]
        # a negative slope is used by a positive coefficient
        s = rising if g < 0.0 else falling
        if s == at.NOWHERE:
            continue
        gain = g * family.ends[at.MOST, c] if g < 0.0 else g * family.ends[at.LEAST, c]
        longest = max(longest, family.ends[at.MOST, c] - family.ends[at.LEAST, c])
        # into the sorted list of the slot
        for t in range(terms[s]):
            if gain < gains[s, t]:
                gains[s, t], gain = gain, gains[s, t]
    for s in range(n_slots):
        for t in range(terms[s]):
            bound += gains[s, t]
    reach = abs(family.offsets[at.LEAST]) + abs(family.offsets[at.MOST])
    size = loss + steep * (furthest + total + reach + n_slots * longest)
    return bound - (ROUNDING + ROUNDING_PER_ROW * n_rows) * size


@bare_inner_kernel
def fit_family(begin, end, tables, family, slots, terms, theta, curves, cutoff, is_list, fits):
    """Minimise the loss over a node's box; returns the loss, a valid bound and the work.

    Rows ``begin .. end - 1`` of the tables are used. ``theta`` is where to begin, and is changed.
    Stops as soon as the bound reaches the cutoff, or the loss falls below it: then no bound of this
    kind can reach it. With ``is_list`` the loss is nevertheless brought near its least value, which
    tells how far the children are from being closed. Only `family_bound` bears on the truth of what is claimed.
    """
    codes, weights, first = tables.codes, tables.weights, family.first
    box, trial, gradient, sums = fits.box, fits.trial, fits.gradient, fits.sums
    direction, free, chains, hessian = fits.direction, fits.free, fits.chains, fits.hessian
    n, n_rows = theta.size - 1, end - begin
    n_chains = 0
    for f in range(first.size - 1):
        is_used = False
        for c in range(first[f], first[f + 1]):
            box[at.MOST, c] = family.ends[at.MOST, c] if slots[at.RISING, c] != at.NOWHERE else 0.0
            box[at.LEAST, c] = (
                family.ends[at.LEAST, c] if slots[at.FALLING, c] != at.NOWHERE else 0.0
            )
            is_used = is_used or box[at.MOST, c] > box[at.LEAST, c]
            trial[c] = min(max(theta[c], box[at.LEAST, c]), box[at.MOST, c])
        if is_used:
            chains[n_chains] = f
            n_chains += 1
    trial[n] = theta[n]
    loss, best, length, work = np.inf, -np.inf, 1.0, 0.0
    shortened = 0
    for _ in range(MAX_STEPS):
        # log-odds of every row
        for r in range(n_rows):
            fits.log_odds[r] = trial[n]
        for a in range(n_chains):
            f = chains[a]
            base = first[f] + f
            last = first[f + 1] + f
            sums[last] = 0.0
            for c in range(first[f + 1] - 1, first[f] - 1, -1):
                sums[c + f] = sums[c + f + 1] + trial[c]
            for r in range(n_rows):
                fits.log_odds[r] += sums[base + codes[f, begin + r]]
        new_loss, steep, furthest = 0.0, 0.0, 0.0
        for r in range(n_rows):
            z = fits.log_odds[r]
            small = math.exp(-abs(z))
            near = 1.0 / (1.0 + small)
            common = math.log1p(small)
            hit = near if z >= 0.0 else small * near
            miss = small * near if z >= 0.0 else near
            event, other = weights[at.EVENT, begin + r], weights[at.OTHER, begin + r]
            new_loss += event * (common + max(-z, 0.0)) + other * (common + max(z, 0.0))
            fits.slope[r] = other * hit - event * miss
            steep += other * hit + event * miss
            fits.curve[r] = (event + other) * hit * miss
            furthest = max(furthest, abs(z))
        work += n_rows * (12.0 + n_chains)
        if new_loss > loss + 1e-13 * loss and shortened < MAX_SHORTENED:
            shortened += 1
            length *= 0.35
            for c in range(n):
                trial[c] = theta[c] + length * direction[c]
                trial[c] = min(max(trial[c], box[at.LEAST, c]), box[at.MOST, c])
            trial[n] = theta[n] + length * direction[n]
            continue
        is_stuck = new_loss >= loss - 1e-12 * loss
        is_near = not is_list or loss - new_loss <= 0.05 * (cutoff - new_loss)
        shortened = 0
        for c in range(n + 1):
            theta[c] = trial[c]
        loss = new_loss
        # slopes of all conditions, and the curvature of the rows of each code
        for c in range(n + 1):
            gradient[c] = 0.0
        total, bend = 0.0, 0.0
        for r in range(n_rows):
            total += fits.slope[r]
            bend += fits.curve[r]
        gradient[n] = total
        for a in range(n_chains):
            f = chains[a]
            base, last = first[f] + f, first[f + 1] + f
            for v in range(base, last + 1):
                sums[v] = 0.0
                curves[v] = 0.0
            for r in range(n_rows):
                v = base + codes[f, begin + r]
                sums[v] += fits.slope[r]
                curves[v] += fits.curve[r]
            below = 0.0
            for c in range(first[f], first[f + 1]):
                below += sums[c + f]
                gradient[c] = below
        work += 3.0 * n_rows * n_chains
        bound = family_bound(
            loss, steep, furthest, n_rows, family, slots, terms, theta, fits
        )
        best = max(best, bound)
        is_below = loss < cutoff and is_near
        if best >= cutoff or is_below or is_stuck or loss - best <= SOLVED_WITHIN * loss:
            break
        # Newton's direction over the coefficients that are free to move
        n_free = 0
        for c in range(n):
            g = gradient[c]
            if (theta[c] > box[at.LEAST, c] and g > 0.0) or (
                theta[c] < box[at.MOST, c] and g < 0.0
            ):
                free[n_free] = c
                n_free += 1
        fill_hessian(n_free, begin, n_rows, codes, family, fits)
        for a in range(n_free):
            c = free[a]
            hessian[a, n_free] = curves_below(curves, first, family.chain_of[c], c)
        hessian[n_free, n_free] = bend
        free[n_free] = n
        solve_newton(n_free + 1, fits)
        work += 0.5 * n_rows * n_chains * (n_chains + 1) + n_free**3 / 12.0 + 8.0 * n_free**2
        largest = 0.0
        for c in range(n + 1):
            largest = max(largest, abs(direction[c]))
        length = min(1.0, LONGEST_STEP / max(largest, 1e-300))
        for c in range(n):
            trial[c] = theta[c] + length * direction[c]
            trial[c] = min(max(trial[c], box[at.LEAST, c]), box[at.MOST, c])
        trial[n] = theta[n] + length * direction[n]
    return loss, best, work


@bare_inner_kernel
def curves_below(curves, first, f, c):
    """The curvature of all rows in which a condition holds."""
    total = 0.0
    for v in range(first[f] + f, c + f + 1):
        total += curves[v]
    return total


@bare_inner_kernel
def fill_hessian(n_free, begin, n_rows, codes, family, fits):
    """Write the upper half of the Hessian of the free conditions, in their order.

    For two chains the curvature is added up by pairs of codes; sums over all pairs up to given ones
    are the entries.
    """
    first, free, pairs, hessian = family.first, fits.free, fits.pairs, fits.hessian
    a0 = 0
    while a0 < n_free:
        f = family.chain_of[free[a0]]
        a1 = a0
        while a1 < n_free and family.chain_of[free[a1]] == f:
            a1 += 1
        b0 = a0
        while b0 < n_free:
            g = family.chain_of[free[b0]]
            b1 = b0
            while b1 < n_free and family.chain_of[free[b1]] == g:
                b1 += 1
            width = first[g + 1] - first[g] + 1
            height = first[f + 1] - first[f] + 1
            if f == g:
                for v in range(height):
                    pairs[v] = 0.0
                for r in range(n_rows):
                    pairs[codes[f, begin + r]] += fits.curve[r]
                for v in range(1, height):
                    pairs[v] += pairs[v - 1]
                for a in range(a0, a1):
                    for b in range(a, b1):
                        hessian[a, b] = pairs[free[a] - first[f]]
            else:
                for v in range(height * width):
                    pairs[v] = 0.0
                for r in range(n_rows):
                    pairs[codes[f, begin + r] * width + codes[g, begin + r]] += fits.curve[r]
                for u in range(height):
                    row = 0.0
                    for v in range(width):
                        row += pairs[u * width + v]
                        pairs[u * width + v] = row + (pairs[(u - 1) * width + v] if u > 0 else 0.0)
                for a in range(a0, a1):
                    base = (free[a] - first[f]) * width - first[g]
                    for b in range(b0, b1):
                        hessian[a, b] = pairs[base + free[b]]
            b0 = b1
        a0 = a1


@bare_inner_kernel
def solve_newton(n_free, fits):
    """Newton's direction over the free variables, by Cholesky's method on the upper half."""
    hessian, free, direction, gradient = fits.hessian, fits.free, fits.direction, fits.gradient
    for c in range(direction.size):
        direction[c] = 0.0
    for a in range(n_free):
        direction[a] = -gradient[free[a]]
    # elimination row by row: the inner loop runs along a row
    for a in range(n_free):
        hessian[a, a] += RIDGE * hessian[a, a] + 1e-12
    for a in range(n_free):
        pivot = hessian[a, a]
        for b in range(a + 1, n_free):
            factor = hessian[a, b] / pivot
            if factor != 0.0:
                least = FLOOR * hessian[b, b]
                for k in range(b, n_free):
                    hessian[b, k] -= factor * hessian[a, k]
                hessian[b, b] = max(hessian[b, b], least)
                direction[b] -= factor * direction[a]
    for a in range(n_free - 1, -1, -1):
        total = direction[a]
        for k in range(a + 1, n_free):
            total -= hessian[a, k] * direction[k]
        direction[a] = total / hessian[a, a]
    # to the places of the variables, from the last on: a place is never before its number
    for a in range(n_free - 1, -1, -1):
        value = direction[a]
        direction[a] = 0.0
        direction[free[a]] = value
