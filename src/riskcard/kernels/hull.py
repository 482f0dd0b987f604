"""Steps of many conditions at once, as the convex relaxation of all cards allows them."""

import math

from riskcard.kernels.jit import inner_kernel, kernel

__all__ = ["fit_steps"]

#: The smallest curvature of a row's loss that a step is reckoned with, so that no step is endless.
LEAST_CURVE = 1e-4
#: Passes over all conditions for one quadratic model of the loss, trials of its step, and models.
MAX_PASSES, MAX_TRIALS, MAX_MODELS = 40, 12, 30


@inner_kernel
def tabulate_rows(log_odds, is_event, weights, slopes, curves):
    """Each row's slope and curvature of the loss in its log-odds; returns the loss of all."""
    loss = 0.0
    for i in range(log_odds.size):
        small = math.exp(-abs(log_odds[i]))
        near = 1.0 / (1.0 + small)
        is_likely = log_odds[i] >= 0.0
        # what did not happen: its chance, computed on its own so that small ones are not lost
        chance = small * near if is_likely == is_event[i] else near
        loss += weights[i] * (
            math.log1p(small) + (0.0 if is_likely == is_event[i] else abs(log_odds[i]))
        )
        slopes[i] = -weights[i] * chance if is_event[i] else weights[i] * chance
        curves[i] = weights[i] * max(small * near * near, LEAST_CURVE)
    return loss


@inner_kernel
def walk_once(holds, reach, charge, shares, state):
    """One pass over the offset and all conditions on a quadratic model; returns what it wins."""
    slopes, curves, moves, offset = state
    n_rows = slopes.size
    gain = 0.0
    g = 0.0
    h = 0.0
    for i in range(n_rows):
        g += slopes[i] + curves[i] * moves[i]
        h += curves[i]
    step = -g / h
    offset[0] += step
    gain += 0.5 * h * step * step
    for i in range(n_rows):
        moves[i] += step
    for j in range(reach.size):
        row = holds[j]
        g = 0.0
        h = 0.0
        for i in range(n_rows):
            g += row[i] * (slopes[i] + curves[i] * moves[i])
            h += row[i] * curves[i]
        g = g * reach[j] + charge
        h = h * reach[j] * reach[j]
        step = max(-shares[j], -g / h)
        if step != 0.0:
            shares[j] += step
            gain += 0.5 * h * step * step
            step *= reach[j]
            for i in range(n_rows):
                moves[i] += step * row[i]
    return gain


@kernel
def fit_steps(
    holds, is_event, weights, reach, charge, shares, log_odds, numbers, tolerance, most_passes
):
    """Lower the loss plus a charge for every share, by quadratic models and passes over conditions.

    Parameters
    ----------
    holds
        For each condition and row 1.0 where it gives its points.
    reach
        The largest step of each condition in log-odds.
    shares, log_odds
        What share of its reach each condition has, and the log-odds of each row; changed.
    numbers
        Scratch: five rows of as many numbers as the table has rows.
    tolerance
        Stop when a model lowers the loss by less than this part of it.
    most_passes
        Stop after so many passes at the latest; at least one is made.

    Returns
    -------
    passes
        How often all rows of all conditions were looked at.
    """
    slopes, curves, moves, trial = numbers[0], numbers[1], numbers[2], numbers[3]
    before = shares.copy()
    offset = numbers[4]
    n_rows = log_odds.size
    total = tabulate_rows(log_odds, is_event, weights, slopes, curves)
    for j in range(shares.size):
        total += charge * shares[j]
    n_passes = 0
    for _ in range(MAX_MODELS):
        for i in range(n_rows):
            moves[i] = 0.0
        for j in range(shares.size):
            before[j] = shares[j]
        for _ in range(MAX_PASSES):
            n_passes += 1
            gain = walk_once(holds, reach, charge, shares, (slopes, curves, moves, offset))
            if gain <= 0.1 * tolerance * total or n_passes >= most_passes:
                break
        length = 1.0
        new_total = total
        for _ in range(MAX_TRIALS):
            for i in range(n_rows):
                trial[i] = log_odds[i] + length * moves[i]
            new_total = tabulate_rows(trial, is_event, weights, slopes, curves)
            for j in range(shares.size):
                new_total += charge * (before[j] + length * (shares[j] - before[j]))
            if new_total <= total:
                break
            length *= 0.4
        if new_total > total:
            for j in range(shares.size):
                shares[j] = before[j]
            return n_passes
        for i in range(n_rows):
            log_odds[i] = trial[i]
        for j in range(shares.size):
            shares[j] = before[j] + length * (shares[j] - before[j])
        if total - new_total <= tolerance * total or n_passes >= most_passes:
            return n_passes
        total = new_total
    return n_passes
