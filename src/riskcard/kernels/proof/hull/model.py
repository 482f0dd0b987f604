"""Newton steps on the coefficients of a model.

Nothing here bears on the truth of a bound: it only chooses where a tangent touches.
"""

import math

import riskcard.kernels.proof.hull.layout as hull
from riskcard.kernels.jit import bare_inner_kernel, inlined_kernel
from riskcard.kernels.proof.hull.cells import find_curves, find_slopes, loss_at

#: Added to each diagonal entry of the Hessian, as a part of it.
RIDGE = 1e-9
#: Most solutions of a quadratic model, and the longest step in log-odds.
MOST_SOLUTIONS, LONGEST_STEP = 40, 4.0
#: A variable of the quadratic model is held at 0, free, or what the others of its slot, whose sum is
#: at the cap, are taken from.
HELD, FREE, PIVOT = 0, 1, 2


@bare_inner_kernel
def solve_reduced(work, n_variables):
    """The step to the minimum of the model over the free variables; False if it is broken.

    In a slot that is full, what the others gain is taken from its pivot.
    """
    free, state, slot_of, pivot = work.free, work.state, work.slot_of, work.pivot
    hessian, q, factor, step = work.hessian, work.q, work.factor, work.step
    n_free = 0
    for v in range(n_variables):
        step[v] = 0.0
        if state[v] == FREE:
            free[n_free] = v
            n_free += 1
    for i in range(n_free):
        a = free[i]
        pa = pivot[slot_of[a]] if a > 0 else 0
        for j in range(i + 1):
            b = free[j]
            pb = pivot[slot_of[b]] if b > 0 else 0
            total = hessian[a, b]
            if pa > 0:
                total -= hessian[pa, b]
            if pb > 0:
                total -= hessian[a, pb]
            if pa > 0 and pb > 0:
                total += hessian[pa, pb]
            if i == j:
                total += RIDGE * hessian[a, a] + 1e-12 * hessian[0, 0] + 1e-200
            least = 1e-12 * hessian[a, a] + 1e-200
            for k in range(j):
                total -= factor[i, k] * factor[j, k]
            if i == j:
                factor[i, i] = math.sqrt(max(total, least))
            else:
                factor[i, j] = total / factor[j, j]
        total = -q[a] + (q[pa] if pa > 0 else 0.0)
        for k in range(i):
            total -= factor[i, k] * step[free[k]]
        step[a] = total / factor[i, i]
    for i in range(n_free - 1, -1, -1):
        total = step[free[i]]
        for k in range(i + 1, n_free):
            total -= factor[k, i] * step[free[k]]
        step[free[i]] = total / factor[i, i]
    for i in range(n_free):
        a = free[i]
        if a > 0 and pivot[slot_of[a]] > 0:
            step[pivot[slot_of[a]]] -= step[a]


@bare_inner_kernel
def pin_largest(work, n_variables, slot):
    """Make the free variable of a slot with the largest coefficient its pivot, if there is one."""
    best = 0
    for v in range(1, n_variables):
        is_larger = best == 0 or work.x[v] > work.x[best]
        if work.slot_of[v] == slot and work.state[v] == FREE and is_larger:
            best = v
    work.pivot[slot] = best
    if best > 0:
        work.state[best] = PIVOT


@inlined_kernel
def begin_model(work, n_variables, n_slots, small):
    """Start at theta: what is 0 and would not rise is held, and slots at their cap get a pivot."""
    x, q, state, slot_of = work.x, work.q, work.state, work.slot_of
    for part in range(work.sizes[hull.N_PARTS]):
        first = work.parts[part, hull.PART_FIRST]
        for b in range(work.parts[part, hull.PART_SIZE]):
            slot_of[first + b] = work.parts[part, hull.PART_SLOT]
    slot_of[0] = -1
    state[0] = FREE
    for v in range(n_variables):
        x[v] = work.theta[v]
        q[v] = work.gradient[v]
        if v > 0:
            state[v] = FREE if x[v] > 0.0 or q[v] < -small else HELD
    for slot in range(n_slots):
        work.pivot[slot] = 0
        total = 0.0
        for v in range(1, n_variables):
            if slot_of[v] == slot:
                total += x[v]
        if total >= work.caps[slot] * (1.0 - 1e-9):
            pin_largest(work, n_variables, slot)


@inlined_kernel
def move_to_limit(work, n_variables, n_slots):
    """Move ``x`` along the step; returns the variable, or after these the slot, that ends it, or -1."""
    x, q, step, state, slot_of = work.x, work.q, work.step, work.state, work.slot_of
    length = 1.0
    blocking = -1
    for v in range(1, n_variables):
        if state[v] != HELD and step[v] < 0.0 and x[v] + length * step[v] < 0.0:
            length = x[v] / -step[v]
            blocking = v
    for slot in range(n_slots):
        if work.pivot[slot] == 0:
            total = 0.0
            rise = 0.0
            for v in range(1, n_variables):
                if slot_of[v] == slot:
                    total += x[v]
                    rise += step[v]
            if total + length * rise > work.caps[slot] and rise > 0.0:
                length = max(0.0, (work.caps[slot] - total) / rise)
                blocking = n_variables + slot
    for v in range(n_variables):
        if step[v] != 0.0:
            change = length * step[v]
            x[v] += change
            for a in range(n_variables):
                q[a] += work.hessian[a, v] * change
    return blocking


@inlined_kernel
def let_go(work, n_variables, n_slots, small):
    """Free what would lower the model; returns whether there is nothing: it is at its minimum."""
    q, state, pivot = work.q, work.state, work.pivot
    is_done = True
    for slot in range(n_slots):
        if pivot[slot] > 0 and q[pivot[slot]] > small:
            state[pivot[slot]] = FREE
            pivot[slot] = 0
            is_done = False
    for v in range(1, n_variables):
        if state[v] == HELD:
            p = pivot[work.slot_of[v]]
            if q[v] - (q[p] if p > 0 else 0.0) < -small:
                state[v] = FREE
                is_done = False
    return is_done


@bare_inner_kernel
def minimise_model(work, n_slots, loss):
    """Minimise the quadratic model at theta within its limits, into ``x``; an active-set method.

    Every coefficient but the offset is at least 0, those of a slot add up to at most its cap.
    """
    n_variables = work.sizes[hull.N_VARIABLES]
    small = 1e-10 * loss
    begin_model(work, n_variables, n_slots, small)
    for _ in range(MOST_SOLUTIONS):
        solve_reduced(work, n_variables)
        blocking = move_to_limit(work, n_variables, n_slots)
        # what held it?
        if blocking >= n_variables:
            pin_largest(work, n_variables, blocking - n_variables)
        elif blocking >= 0:
            was_pivot = work.state[blocking] == PIVOT
            work.x[blocking] = 0.0
            work.state[blocking] = HELD
            if was_pivot:
                pin_largest(work, n_variables, work.slot_of[blocking])
        # nothing: is it the minimum, or is something to be let go?
        elif let_go(work, n_variables, n_slots, small):
            return


@bare_inner_kernel
def take_newton_step(patterns, work, n_slots, loss):
    """One Newton step from theta, within the limits; returns the new loss."""
    n_variables = work.sizes[hull.N_VARIABLES]
    find_slopes(work)
    find_curves(work)
    minimise_model(work, n_slots, loss)
    theta, x, step = work.theta, work.x, work.step
    size = abs(x[0] - theta[0])
    for v in range(1, n_variables):
        size = max(size, abs(x[v] - theta[v]))
    length = min(1.0, LONGEST_STEP / max(size, 1e-300))
    for v in range(n_variables):
        step[v] = x[v] - theta[v]
    new_loss = loss
    for _ in range(12):
        for v in range(n_variables):
            x[v] = theta[v] + length * step[v]
        new_loss = loss_at(patterns, work, x)
        if new_loss <= loss:
            for v in range(n_variables):
                theta[v] = max(0.0, x[v]) if v > 0 else x[v]
            return new_loss
        length *= 0.35
    return loss_at(patterns, work, theta)
