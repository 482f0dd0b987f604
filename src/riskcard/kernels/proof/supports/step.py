"""Newton's step over the coefficients of a node that are free to move.

Where there are few of them the Hessian is written down and solved within the box. Where there are
many, conjugate gradients lead to nearly the same step; a product with the Hessian is two looks at
the rows of each group, and levels of places are the unknowns: in them, each chain's part of the
Hessian is diagonal.
"""

import numpy as np

import riskcard.kernels.proof.supports.records as at
from riskcard.kernels.jit import bare_inner_kernel
from riskcard.kernels.proof.supports.levels import (
    add_to_rows,
    levels_of_codes,
    sum_over_rows,
    sums_of_places,
)

#: No coefficient moves further in one step.
LONGEST_STEP = 4.0
#: What is added to the diagonal of the Hessian, as a part of it, and what a pivot is at least.
RIDGE, FLOOR = 1e-8, 1e-9
#: How often variables are held at an end of the box in one step.
MAX_HELD = 8
#: Rounds through all variables where that does not end.
MAX_SWEEPS = 60
#: Conjugate gradients: the most rounds, and the part of the first residual (squared) that is left.
MAX_ROUNDS, RESIDUAL = 24, 1e-4


@bare_inner_kernel
def fill_hessian(n_free, begin, codes, curve, family, free, pairs, hessian):
    """Write the upper half of the Hessian of the free conditions, in their order.

    For two groups the curvature is added up by pairs of codes, and then by pairs of places; sums
    over all pairs up to given ones are the entries.
    """
    a0 = n_free - n_free  # a variable: a callee is compiled again for every literal
    while a0 < n_free:
        a1 = end_of_group(a0, n_free, free, family)
        b0 = a0
        while b0 < n_free:
            b1 = end_of_group(b0, n_free, free, family)
            f, g = family.chain_of[free[a0]], family.chain_of[free[b0]]
            pair_codes(
                begin, codes[family.group_of[f]], codes[family.group_of[g]], curve,
                family.base[family.group_of[f] + 1] - family.base[family.group_of[f]],
                family.base[family.group_of[g] + 1] - family.base[family.group_of[g]], pairs[0],
            )  # fmt: skip
            fill_block(a0, a1, b0, b1, family, free, pairs, hessian)
            b0 = b1
        a0 = a1


@bare_inner_kernel
def end_of_group(a, n_free, free, family):
    """The end of the free conditions that are of the group of one of them."""
    group = family.group_of[family.chain_of[free[a]]]
    while a < n_free and family.group_of[family.chain_of[free[a]]] == group:
        a += 1
    return a


@bare_inner_kernel
def end_of_chain(a, end, free, chain_of):
    """The end of the free conditions that are of the chain of one of them."""
    chain = chain_of[free[a]]
    while a < end and chain_of[free[a]] == chain:
        a += 1
    return a


@bare_inner_kernel
def pair_codes(begin, codes_f, codes_g, curve, height, width, pairs):
    """Add up the curvature of rows by the pair of their codes."""
    for v in range(height * width):
        pairs[v] = 0.0
    for r in range(curve.size):
        pairs[codes_f[begin + r] * width + codes_g[begin + r]] += curve[r]


@bare_inner_kernel
def fill_block(a0, a1, b0, b1, family, free, pairs, hessian):
    """Write the entries of two groups' free conditions, chain by chain."""
    first, chain_of, base = family.first, family.chain_of, family.base
    i0 = a0
    while i0 < a1:
        i1 = end_of_chain(i0, a1, free, chain_of)
        f = chain_of[free[i0]]
        j0 = max(b0, i0) if a0 == b0 else b0
        while j0 < b1:
            j1 = end_of_chain(j0, b1, free, chain_of)
            g = chain_of[free[j0]]
            width = base[family.group_of[g] + 1] - base[family.group_of[g]]
            height = base[family.group_of[f] + 1] - base[family.group_of[f]]
            wide = first[g + 1] - first[g] + 1
            sums, high = pairs[1], first[f + 1] - first[f] + 1
            for v in range(high * wide):
                sums[v] = 0.0
            for u in range(height):
                start = family.places[f, u] * wide
                for v in range(width):
                    sums[start + family.places[g, v]] += pairs[0, u * width + v]
            for u in range(high):
                row = 0.0
                for v in range(wide):
                    row += sums[u * wide + v]
                    sums[u * wide + v] = row + (sums[(u - 1) * wide + v] if u > 0 else 0.0)
            for i in range(i0, i1):
                start = (free[i] - first[f]) * wide - first[g]
                for j in range(max(j0, i), j1):
                    hessian[i, j] = sums[start + free[j]]
            j0 = j1
        i0 = i1


@bare_inner_kernel
def solve_newton(n_free, theta, fits):
    """The step to the least value of the quadratic model over the box, for the free variables.

    Variables that the step takes out of the box are held at its end, and the others solved again.
    The last variable is the offset.
    """
    hessian, factor = fits.squares[at.HESSIAN], fits.squares[at.FACTOR]
    free, left, held = fits.lists[at.FREE], fits.lists[at.LEFT], fits.lists[at.HELD]
    gradient, direction = fits.vectors[at.GRADIENT], fits.vectors[at.DIRECTION]
    step, low, high = fits.vectors[at.STEP], fits.vectors[at.LOW], fits.vectors[at.HIGH]
    for c in range(direction.size):
        direction[c] = 0.0
    for a in range(n_free):
        held[a] = 0
    for _ in range(MAX_HELD):
        # the system of what is not held, packed
        n_left = np.int64(0)
        for a in range(n_free):
            if held[a] == 0:
                left[n_left] = a
                n_left += 1
        for i in range(n_left):
            a = left[i]
            total = -gradient[free[a]]
            for b in range(n_free):
                if held[b] == 1:
                    total -= hessian[min(a, b), max(a, b)] * direction[free[b]]
            step[i] = total
            for j in range(i, n_left):
                factor[i, j] = hessian[a, left[j]]
            factor[i, i] += RIDGE * factor[i, i] + 1e-12
        eliminate(n_left, factor, step)
        for i in range(n_left):
            direction[free[left[i]]] = step[i]
        is_inside = hold_at_ends(n_left, theta, free, left, held, low, high, direction)
        is_any = release(n_free, theta, free, held, gradient, high, hessian, direction)
        if is_inside and not is_any:
            return
        for a in range(n_free):
            held[a] = min(held[a], 1)
    descend_by_coordinates(n_free, theta, free, gradient, low, high, hessian, direction, step)


@bare_inner_kernel
def eliminate(n, factor, step):
    """Solve a symmetric system whose upper half is given; the inner loops run along rows."""
    for i in range(n):
        pivot = factor[i, i]
        for j in range(i + 1, n):
            ratio = factor[i, j] / pivot
            if ratio != 0.0:
                least = FLOOR * factor[j, j]
                for k in range(j, n):
                    factor[j, k] -= ratio * factor[i, k]
                factor[j, j] = max(factor[j, j], least)
                step[j] -= ratio * step[i]
    for i in range(n - 1, -1, -1):
        total = step[i]
        for k in range(i + 1, n):
            total -= factor[i, k] * step[k]
        step[i] = total / factor[i, i]


@bare_inner_kernel
def hold_at_ends(n_left, theta, free, left, held, low, high, direction):
    """Hold who leaves the box at its end; returns whether nobody does."""
    is_inside = True
    for i in range(n_left):
        c = free[left[i]]
        least = max(-LONGEST_STEP, low[c] - theta[c])
        most = min(LONGEST_STEP, high[c] - theta[c])
        if direction[c] < least or direction[c] > most:
            direction[c] = min(max(direction[c], least), most)
            held[left[i]] = 2
            is_inside = False
    return is_inside


@bare_inner_kernel
def release(n_free, theta, free, held, gradient, high, hessian, direction):
    """Let go who was held before and would rather move inwards; returns whether there is one."""
    is_any = False
    for a in range(n_free):
        if held[a] != 1:
            continue
        c = free[a]
        slope = gradient[c]
        for b in range(n_free):
            slope += hessian[min(a, b), max(a, b)] * direction[free[b]]
        is_high = direction[c] >= min(LONGEST_STEP, high[c] - theta[c])
        if (is_high and slope > 0.0) or (not is_high and slope < 0.0):
            held[a] = 0
            is_any = True
    return is_any


@bare_inner_kernel
def descend_by_coordinates(n_free, theta, free, gradient, low, high, hessian, direction, step):
    """Improve a step within the box one variable after another; begin at 0 if it is worse."""
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
            least = max(-LONGEST_STEP, low[c] - theta[c])
            most = min(LONGEST_STEP, high[c] - theta[c])
            curve = hessian[a, a] + 1e-12
            move = min(max(direction[c] - step[a] / curve, least), most) - direction[c]
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


@bare_inner_kernel
def conjugate_step(n_free, begin, n_groups, codes, family, rows, fits):
    """Nearly Newton's step, for many conditions; the box is left to the line search.

    ``by_place[SUMS]`` and ``by_place[CURVES]`` have slopes and curvature. Chains without a free
    condition get no levels. Returns the number of rounds.
    """
    groups, free, direction = fits.lists[at.GROUPS], fits.lists[at.FREE], fits.vectors[at.DIRECTION]
    step, change, curve = fits.vectors[at.STEP], rows[at.CHANGE], rows[at.CURVE]
    by_place, by_code = fits.by_place, fits.by_code
    rest, way, product, levels = (
        by_place[at.REST], by_place[at.WAY], by_place[at.PRODUCT], by_place[at.LEVELS]
    )  # fmt: skip
    n = direction.size - 1
    for c in range(n + 1):
        step[c] = 0.0
        direction[c] = 0.0
    for a in range(n_free):
        step[free[a]] = 1.0
    for v in range(rest.size):
        rest[v] = -by_place[at.SUMS, v]
        levels[v] = 0.0
        way[v] = 0.0
    size = precondition(family.first, step, rest, by_place[at.CURVES], product)
    for v in range(rest.size):
        way[v] = product[v]
    least = RESIDUAL * size
    n_rounds = 0
    while n_rounds < MAX_ROUNDS and size > least:
        n_rounds += 1
        for r in range(change.size):
            change[r] = 0.0
        levels_of_codes(family, groups, n_groups, way, by_code)
        add_to_rows(begin, groups, n_groups, codes, family.base, by_code, change)
        for r in range(change.size):
            change[r] *= curve[r]
        sum_over_rows(begin, groups, n_groups, codes, family.base, change, by_code)
        sums_of_places(family, groups, n_groups, by_code, product)
        bend = 0.0
        for v in range(rest.size):
            bend += way[v] * product[v] if way[v] != 0.0 else 0.0
        if bend <= 0.0:
            break
        length = size / bend
        for v in range(rest.size):
            levels[v] += length * way[v]
            rest[v] -= length * product[v]
        before = size
        size = precondition(family.first, step, rest, by_place[at.CURVES], product)
        for v in range(rest.size):
            way[v] = product[v] + size / before * way[v]
    for f in range(family.first.size - 1):
        direction[n] += levels[family.first[f + 1] + f]
        for c in range(family.first[f], family.first[f + 1]):
            direction[c] = levels[c + f] - levels[c + f + 1]
    return n_rounds


@bare_inner_kernel
def precondition(first, is_free, rest, curves, result):
    """Write the residual over the curvature; places between free conditions have one level.

    Returns the product of the residual and the result.
    """
    size = 0.0
    for f in range(first.size - 1):
        begin, last = first[f] + f, first[f + 1] + f
        start, total, bend, is_any = begin, 0.0, 0.0, False
        for v in range(begin, last + 1):
            total += rest[v]
            bend += curves[v]
            is_cut = v < last and is_free[v - f] != 0.0
            is_any = is_any or is_cut
            if is_cut or v == last:
                level = total / bend if is_any and bend > 0.0 else 0.0
                for w in range(start, v + 1):
                    result[w] = level
                size += total * level
                start, total, bend = v + 1, 0.0, 0.0
    return size
