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
RIDGE, FLOOR = 1e-8, 1e-9
#: How often variables are held at an end of the box in one step.
MAX_HELD = 8
#: Rounds through all variables where that does not end.
MAX_SWEEPS = 60
#: How near to 0 or 1 a step may bring a chance: this part of the way.
NEAR_END = 0.95
#: Changes of log-odds below this are short.
SHORT_WAY = 0.03
#: The part of the fall promised by a step that is believed in.
PROMISED = 0.9
#: A fit ends when its loss is this close to its bound (relative).
SOLVED_WITHIN = 1e-9


@bare_inner_kernel
def family_bound(value, steep, furthest, n_rows, family, slots, terms, gradient, gains):
    """Claim: no card of the node has a loss below the number returned.

    It comes from *any* chances ``p[i]`` of the rows, between 0 and 1. With weights ``e`` and ``o``
    of a row with and without the event, let ``r = (e + o) p - e = o p - e (1 - p)`` be its slope,
    and ``value`` the sum over rows of ``(e + o)`` times the entropy of ``p``. ``gradient`` has the
    sum of slopes of the rows in which each condition holds, and of all rows.

    Proof: a row with log-odds ``z`` has the loss ``(e + o) log(1 + exp(z)) - e z``. Without ``r z``
    that is ``(e + o) (log(1 + exp(z)) - p z)``, least where the risk is ``p``, and there ``(e +
    o)`` times the entropy of ``p``. So the loss of a card is at least ``value`` plus the sum of ``r
    z``, which for offset ``b`` and coefficients ``t[c]`` is ``b`` times the sum of all slopes plus
    the sum of ``t[c] gradient[c]``. The best real offset lies in ``family.offsets`` (see
    `search.proof.support_tree`), and another one only raises the loss. Of each slot as many
    conditions as it has terms have a coefficient other than 0, of a sign that is in the slot and
    within its ends. So their part is at least the sum of the least ``gradient[c] * end[c]``, as
    many as the slot has terms, those above 0 counted as 0.

    Where ``p`` is the risk at some log-odds, that is their tangent (claim 5 of the proofs), and
    ``value`` is their loss minus the sum of ``r z``.

    Rounding: ``steep`` is the sum of ``o p + e (1 - p)``, at least that of the sizes of all slopes;
    ``furthest`` the size of the largest log-odds that ``value`` was computed with. Slopes are sums
    over rows, multiplied by ends; all errors are parts of what ``size`` adds up, of which the
    margins of `rounding` are subtracted.
    """
    n, n_slots = gradient.size - 1, family.max_terms
    bound = value
    bound += min(gradient[n] * family.offsets[at.LEAST], gradient[n] * family.offsets[at.MOST])
    for s in range(n_slots):
        for t in range(terms[s]):
            gains[s, t] = 0.0
    longest = 0.0
    for c in range(n):
        g = gradient[c]
        # a negative slope is used by a positive coefficient
        s = slots[at.RISING, c] if g < 0.0 else slots[at.FALLING, c]
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
    size = abs(value) + steep * (furthest + reach + n_slots * longest)
    return bound - (ROUNDING + ROUNDING_PER_ROW * n_rows) * size


@bare_inner_kernel
def step_bound(begin, n_rows, n_chains, value, steep, furthest, tables, family, slots, terms, fits):
    """The bound of `family_bound` for the chances that Newton's step aims at, to first order.

    With risks ``p`` and the step's change ``x`` of the log-odds these are ``p + d``, ``d = p (1 -
    p) x``. The sums of their slopes are those that Newton's step makes 0, so the bound misses the
    least loss by the third power of the step only. ``value``, ``steep`` and ``furthest`` are those
    of ``p``, see `family_bound`.

    The entropy of ``p + d`` is ``H(p) - z d - more * log(more / p) - less * log(less / (1 - p))``,
    where ``more = p + d`` and ``less = 1 - more``. (Write ``log(more)`` as ``log(p)`` plus the
    logarithm of their ratio, likewise ``log(less)``; what remains is ``H(p) - z d``.) Short ways
    need no logarithm: by Taylor's formula ``H(p + d)`` is ``H(p) - z d - d**2 /
    (2 q (1 - q))`` for some ``q`` between ``p`` and ``p + d``, as the slope of ``H`` is minus the
    log-odds ``z``. Of all ``q`` in between, ``q (1 - q)`` is least at an end; at ``p + d`` it is
    ``p (1 - p)`` times ``(1 + (1 - p) x) (1 - p x)``. Changes that lead out of the interval from 0
    to 1, or near its ends, are shortened.
    """
    codes, weights, first = tables.codes, tables.weights, family.first
    direction, gradient, sums, change = fits.direction, fits.trial, fits.sums, fits.change
    n = gradient.size - 1
    for r in range(n_rows):
        change[r] = direction[n]
    for a in range(n_chains):
        f = fits.chains[a]
        base = first[f] + f
        sums[first[f + 1] + f] = 0.0
        for c in range(first[f + 1] - 1, first[f] - 1, -1):
            sums[c + f] = sums[c + f + 1] + direction[c]
        for r in range(n_rows):
            change[r] += sums[base + codes[f, begin + r]]
    total, moved = 0.0, 0.0
    for r in range(n_rows):
        risk, z = fits.risk[r], fits.log_odds[r]
        x = min(max(change[r], -NEAR_END / (1.0 - risk)), NEAR_END / risk)
        way = fits.curve[r] * x
        if abs(x) < SHORT_WAY:
            value -= way * (z + 0.5 * x / min(1.0, (1.0 + (1.0 - risk) * x) * (1.0 - risk * x)))
        else:
            weight = weights[at.EVENT, begin + r] + weights[at.OTHER, begin + r]
            grown, shrunk = 1.0 + (1.0 - risk) * x, 1.0 - risk * x
            more, less = risk * grown, (1.0 - risk) * shrunk
            value -= way * z + weight * (more * math.log(grown) + less * math.log(shrunk))
        moved += abs(way) * (1.0 + abs(z))
        change[r] = fits.slope[r] + way
        total += change[r]
    for c in range(n + 1):
        gradient[c] = 0.0
    gradient[n] = total
    for a in range(n_chains):
        f = fits.chains[a]
        base, last = first[f] + f, first[f + 1] + f
        for v in range(base, last + 1):
            sums[v] = 0.0
        for r in range(n_rows):
            sums[base + codes[f, begin + r]] += change[r]
        below = 0.0
        for c in range(first[f], first[f + 1]):
            below += sums[c + f]
            gradient[c] = below
    return family_bound(
        value, steep + moved, furthest + 1.0, n_rows, family, slots, terms, gradient, fits.gains
    )


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
        if is_used:
            move_within_chain(first[f], first[f + 1], theta, box, trial)
            chains[n_chains] = f
            n_chains += 1
        else:
            for c in range(first[f], first[f + 1]):
                trial[c] = 0.0
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
            fits.risk[r] = hit
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
        value = loss - total * theta[n]
        for c in range(n):
            value -= gradient[c] * theta[c]
            furthest += abs(theta[c])
        bound = family_bound(
            value, steep, furthest, n_rows, family, slots, terms, gradient, fits.gains
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
        solve_newton(n_free + 1, theta, fits)
        work += 0.5 * n_rows * n_chains * (n_chains + 1) + n_free**3 / 12.0 + 8.0 * n_free**2
        # what would the step prove? nothing, if it is going to end below the cutoff
        promised = 0.0
        for c in range(n + 1):
            promised -= 0.5 * gradient[c] * direction[c]
        if loss - PROMISED * promised >= cutoff:
            bound = step_bound(
                begin, n_rows, n_chains, value, steep, furthest, tables, family, slots, terms, fits
            )
            work += n_rows * (5.0 + 2.0 * n_chains)
            best = max(best, bound)
            if best >= cutoff:
                break
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
def move_within_chain(low, high, theta, box, trial):
    """Begin in the box: what a condition may no longer have goes to the nearest that may."""
    for c in range(low, high):
        trial[c] = min(max(theta[c], box[at.LEAST, c]), box[at.MOST, c])
    for c in range(low, high):
        lost = theta[c] - min(max(theta[c], box[at.LEAST, c]), box[at.MOST, c])
        if lost == 0.0:
            continue
        end = at.MOST if lost > 0.0 else at.LEAST
        for way in range(1, high - low):
            place = -1
            if c - way >= low and box[end, c - way] != 0.0:
                place = c - way
            elif c + way < high and box[end, c + way] != 0.0:
                place = c + way
            if place >= 0:
                moved = trial[place] + lost
                trial[place] = min(max(moved, box[at.LEAST, place]), box[at.MOST, place])
                break


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
def solve_newton(n_free, theta, fits):
    """The step to the least value of the quadratic model over the box, for the free variables.

    Variables that the step takes out of the box are held at its end, and the others solved again;
    none is released, so the step is not always the best. The last variable is the offset.
    """
    hessian, factor, free, direction = fits.hessian, fits.factor, fits.free, fits.direction
    gradient, box, step, held = fits.gradient, fits.box, fits.step, fits.held
    for c in range(direction.size):
        direction[c] = 0.0
    for a in range(n_free):
        held[a] = 0
    for _ in range(MAX_HELD):
        # the system of what is not held, packed
        n_left = 0
        for a in range(n_free):
            if held[a] == 0:
                fits.left[n_left] = a
                n_left += 1
        for i in range(n_left):
            a = fits.left[i]
            total = -gradient[free[a]]
            for b in range(n_free):
                if held[b] == 1:
                    total -= hessian[min(a, b), max(a, b)] * direction[free[b]]
            step[i] = total
            for j in range(i, n_left):
                factor[i, j] = hessian[a, fits.left[j]]
            factor[i, i] += RIDGE * factor[i, i] + 1e-12
        # elimination row by row: the inner loop runs along a row
        for i in range(n_left):
            pivot = factor[i, i]
            for j in range(i + 1, n_left):
                ratio = factor[i, j] / pivot
                if ratio != 0.0:
                    least = FLOOR * factor[j, j]
                    for k in range(j, n_left):
                        factor[j, k] -= ratio * factor[i, k]
                    factor[j, j] = max(factor[j, j], least)
                    step[j] -= ratio * step[i]
        is_inside = True
        for i in range(n_left - 1, -1, -1):
            total = step[i]
            for k in range(i + 1, n_left):
                total -= factor[i, k] * step[k]
            step[i] = total / factor[i, i]
            c = free[fits.left[i]]
            direction[c] = step[i]
        # who leaves the box is held at its end; who is held, and would rather move inwards, is not
        for i in range(n_left):
            c = free[fits.left[i]]
            low, high = -LONGEST_STEP, LONGEST_STEP
            if c < theta.size - 1:
                low = max(low, box[at.LEAST, c] - theta[c])
                high = min(high, box[at.MOST, c] - theta[c])
            if direction[c] < low or direction[c] > high:
                direction[c] = min(max(direction[c], low), high)
                held[fits.left[i]] = 2
                is_inside = False
        for a in range(n_free):
            if held[a] != 1:
                continue
            c = free[a]
            slope = gradient[c]
            for b in range(n_free):
                slope += hessian[min(a, b), max(a, b)] * direction[free[b]]
            is_high = (
                direction[c] >= min(LONGEST_STEP, box[at.MOST, c] - theta[c])
                if c < theta.size - 1
                else direction[c] > 0.0
            )
            if (is_high and slope > 0.0) or (not is_high and slope < 0.0):
                held[a] = 0
                is_inside = False
        for a in range(n_free):
            held[a] = min(held[a], 1)
        if is_inside:
            return
    descend_by_coordinates(n_free, theta, fits)


@bare_inner_kernel
def descend_by_coordinates(n_free, theta, fits):
    """Improve a step within the box one variable after another; begin at 0 if it is worse."""
    hessian, free, direction = fits.hessian, fits.free, fits.direction
    gradient, box, step = fits.gradient, fits.box, fits.step
    fall = 0.0
    for a in range(n_free):
        total = 0.0
        for b in range(n_free):
            total += hessian[min(a, b), max(a, b)] * direction[free[b]]
        step[a] = gradient[free[a]] + total
        fall += direction[free[a]] * (gradient[free[a]] + 0.5 * total)
    if fall > 0.0:
        for a in range(n_free):
            direction[free[a]] = 0.0
            step[a] = gradient[free[a]]
    for _ in range(MAX_SWEEPS):
        largest = 0.0
        for a in range(n_free):
            c = free[a]
            low, high = -LONGEST_STEP, LONGEST_STEP
            if c < theta.size - 1:
                low = max(low, box[at.LEAST, c] - theta[c])
                high = min(high, box[at.MOST, c] - theta[c])
            curve = hessian[a, a] + 1e-12
            move = min(max(direction[c] - step[a] / curve, low), high) - direction[c]
            if move == 0.0:
                continue
            direction[c] += move
            largest = max(largest, move * move * curve)
            for b in range(a):
                step[b] += move * hessian[b, a]
            for b in range(a, n_free):
                step[b] += move * hessian[a, b]
        if largest < 1e-9:
            break
