"""The bounds of a node for any chances of its rows, and for those that a step of Newton aims at."""

import math

import riskcard.kernels.proof.supports.records as at
from riskcard.kernels.jit import bare_inner_kernel
from riskcard.kernels.proof.rounding import ROUNDING, ROUNDING_PER_ROW
from riskcard.kernels.proof.supports.levels import (
    add_to_rows,
    levels_of_codes,
    levels_of_places,
    sum_over_rows,
    sums_of_conditions,
    sums_of_places,
)

#: How near to 0 or 1 a step may bring a chance: this part of the way.
NEAR_END = 0.95
#: Changes of log-odds below this are short.
SHORT_WAY = 0.03


@bare_inner_kernel
def family_bound(value, steep, furthest, n_rows, ends, offsets, slots, terms, gradient, gains):
    """Claim: no card of the node has a loss below the number returned.

    It comes from *any* chances ``p[i]`` of the rows, between 0 and 1. With weights ``e`` and ``o``
    of a row with and without the event, let ``r = (e + o) p - e = o p - e (1 - p)`` be its slope,
    and ``value`` the sum over rows of ``(e + o)`` times the entropy of ``p``. ``gradient`` has the
    sum of slopes of the rows in which each condition holds, and of all rows.

    Proof: a row with log-odds ``z`` has the loss ``(e + o) log(1 + exp(z)) - e z``. Without ``r z``
    that is ``(e + o) (log(1 + exp(z)) - p z)``, least where the risk is ``p``, and there ``(e +
    o)`` times the entropy of ``p``. So the loss of a card is at least ``value`` plus the sum of ``r
    z``, which for offset ``b`` and coefficients ``t[c]`` is ``b`` times the sum of all slopes plus
    the sum of ``t[c] gradient[c]``. The best real offset lies in ``offsets`` (see
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
    n, n_slots = gradient.size - 1, terms.size
    bound = value
    bound += min(gradient[n] * offsets[at.LEAST], gradient[n] * offsets[at.MOST])
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
        gain = g * ends[at.MOST, c] if g < 0.0 else g * ends[at.LEAST, c]
        longest = max(longest, ends[at.MOST, c] - ends[at.LEAST, c])
        # into the sorted list of the slot
        for t in range(terms[s]):
            if gain < gains[s, t]:
                gains[s, t], gain = gain, gains[s, t]
    for s in range(n_slots):
        for t in range(terms[s]):
            bound += gains[s, t]
    reach = abs(offsets[at.LEAST]) + abs(offsets[at.MOST])
    size = abs(value) + steep * (furthest + reach + n_slots * longest)
    return bound - (ROUNDING + ROUNDING_PER_ROW * n_rows) * size


@bare_inner_kernel
def step_bound(
    begin, n_groups, value, steep, furthest, tables, family, slots, terms, rows, fits, direction
):
    """The bound of `family_bound` for the chances that Newton's step aims at, to first order.

    With risks ``p`` and the step's change ``x`` of the log-odds these are ``p + d``, ``d = p (1 -
    p) x``. The sums of their slopes are those that Newton's step makes 0, so the bound misses the
    least loss by the third power of the step only. ``value``, ``steep`` and ``furthest`` are those
    of ``p``, see `family_bound`; ``rows`` has the vectors of the rows from ``begin`` on.
    """
    groups, levels, by_code = fits.lists[at.GROUPS], fits.by_place[at.SUMS], fits.by_code
    gradient, change = fits.vectors[at.TRIAL], rows[at.CHANGE]
    n = gradient.size - 1
    for r in range(change.size):
        change[r] = direction[n]
    levels_of_places(family.first, direction, levels)
    levels_of_codes(family, groups, n_groups, levels, by_code)
    add_to_rows(begin, groups, n_groups, tables.codes, family.base, by_code, change)
    fall, moved, total = change_of_entropy(begin, tables.weights, rows)
    sum_over_rows(begin, groups, n_groups, tables.codes, family.base, change, by_code)
    sums_of_places(family, groups, n_groups, by_code, levels)
    sums_of_conditions(family, groups, n_groups, levels, gradient)
    gradient[n] = total
    return family_bound(
        value - fall, steep + moved, furthest + 1.0, change.size, family.ends, family.offsets,
        slots, terms, gradient, fits.gains,
    )  # fmt: skip


@bare_inner_kernel
def change_of_entropy(begin, weights, rows):
    """Turn changes ``x`` of log-odds into slopes of the chances ``p + d``; returns three sums.

    They are the fall of ``value``, what ``steep`` grows by at most, and the sum of the slopes.

    The entropy of ``p + d`` is ``H(p) - z d - more * log(more / p) - less * log(less / (1 - p))``,
    where ``more = p + d`` and ``less = 1 - more``. (Write ``log(more)`` as ``log(p)`` plus the
    logarithm of their ratio, likewise ``log(less)``; what remains is ``H(p) - z d``.) Short ways
    need no logarithm: by Taylor's formula ``H(p + d)`` is ``H(p) - z d - d**2 /
    (2 q (1 - q))`` for some ``q`` between ``p`` and ``p + d``, as the slope of ``H`` is minus the
    log-odds ``z``. Of all ``q`` in between, ``q (1 - q)`` is least at an end; at ``p + d`` it is
    ``p (1 - p)`` times ``(1 + (1 - p) x) (1 - p x)``. Changes that lead out of the interval from 0
    to 1, or near its ends, are shortened.
    """
    change = rows[at.CHANGE]
    fall, moved, total = 0.0, 0.0, 0.0
    for r in range(change.size):
        risk, z = rows[at.RISK, r], rows[at.LOG_ODDS, r]
        x = min(max(change[r], -NEAR_END / (1.0 - risk)), NEAR_END / risk)
        way = rows[at.CURVE, r] * x
        grown, shrunk = 1.0 + (1.0 - risk) * x, 1.0 - risk * x
        if abs(x) < SHORT_WAY:
            fall += way * (z + 0.5 * x / min(1.0, grown * shrunk))
        else:
            weight = weights[at.EVENT, begin + r] + weights[at.OTHER, begin + r]
            more, less = risk * grown, (1.0 - risk) * shrunk
            fall += way * z + weight * (more * math.log(grown) + less * math.log(shrunk))
        moved += abs(way) * (1.0 + abs(z))
        change[r] = rows[at.SLOPE, r] + way
        total += change[r]
    return fall, moved, total
