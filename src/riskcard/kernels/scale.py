"""From scores to log-odds: the best scale and offset, or integer base, for a tally of scores."""

import numpy as np

from riskcard.kernels.jit import inner_kernel, kernel

#: How a score becomes log-odds, as kernels spell it.
FIXED, MULTIPLIER, CALIBRATED = 0, 1, 2
#: A scale is positive; one this small says that the score is worth nothing.
SMALLEST_SCALE = 1e-9
#: Bases tried on either side of the real optimum; nearly always the first or second is the best.
MOST_BASES = 64


@inner_kernel
def _descend(tally, lowest, scale, most, moves, tolerance):
    """Newton steps on a tally of scores; returns the loss and writes ``scale`` (slope, offset).

    With two variables the step is a formula, so the factorisation of `kernels.proof.newton` is not
    needed. ``moves`` 1 moves the slope, 2 the offset, 3 both, 0 neither. The slope stays within
    ``SMALLEST_SCALE .. most``; when a bound holds it back, the offset moves alone.
    """
    loss, size, slope_step, offset_step = np.inf, 0.0, 0.0, 0.0
    for _ in range(200):
        slope = min(max(scale[0] + size * slope_step, SMALLEST_SCALE), most)
        offset = scale[1] + size * offset_step
        reached, by_slope, by_offset, curve, curve_both, curve_offset = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for index in range(tally.size // 2):
            against, event = tally[2 * index], tally[2 * index + 1]
            total = against + event
            if total == 0.0:
                continue
            score = lowest + index
            log_odds = slope * score + offset
            power = np.exp(-abs(log_odds))
            risk = 1.0 / (1.0 + power) if log_odds > 0.0 else power / (1.0 + power)
            wrong = against if log_odds > 0.0 else event
            reached += total * np.log1p(power) + wrong * abs(log_odds)
            residual = total * risk - event
            curvature = total * power / ((1.0 + power) * (1.0 + power))
            by_slope += residual * score
            by_offset += residual
            curve += curvature * score * score
            curve_both += curvature * score
            curve_offset += curvature
        if reached >= loss:
            size *= 0.5
            if size < 1e-6:
                break
            continue
        scale[0], scale[1], loss = slope, offset, reached
        slope_step, offset_step = 0.0, 0.0
        is_held = (slope >= most and by_slope < 0.0) or (slope <= SMALLEST_SCALE and by_slope > 0.0)
        determinant = curve * curve_offset - curve_both * curve_both
        if moves == 3 and not is_held and determinant > 1e-11 * curve * curve_offset:
            slope_step = (curve_both * by_offset - curve_offset * by_slope) / determinant
            offset_step = (curve_both * by_slope - curve * by_offset) / determinant
            # where the parabola is least beyond a bound, it is least on it within the bounds
            furthest = (most if slope_step > 0.0 else SMALLEST_SCALE) - slope
            if abs(slope_step) > abs(furthest):
                slope_step = furthest
                offset_step = -(by_offset + curve_both * slope_step) / curve_offset
        elif moves == 1 and not is_held:
            slope_step = -by_slope / max(curve, 1e-300)
        elif moves >= 2:
            offset_step = -by_offset / max(curve_offset, 1e-300)
        if -(by_slope * slope_step + by_offset * offset_step) <= tolerance:
            break
        # near separation a full step can leave the region where the curvature means anything
        size = min(1.0, 8.0 / max(abs(offset_step), 1e-300))
    return loss


@kernel
def fit_scale(tally, lowest, largest_jump, kind, bound, scale, tolerance):
    """Best slope and offset for the scores ``lowest, lowest + 1, ...`` of a tally.

    The tally is by score and label. ``scale`` holds a start and receives (slope, offset), where
    ``log-odds = slope * score + offset``; unless the scale is calibrated, ``offset / slope`` is a
    whole number, the base. ``bound`` is the slope when the kind is FIXED, and otherwise the most
    that one jump may move the log-odds. Returns the loss. Newton steps stop when one promises less
    than ``tolerance``.

    For a fixed multiplier the loss is convex in the base; for a free one the best loss over the
    slope is quasi-convex in ``offset / slope``. Walking from the real optimum finds the best base.
    """
    moves, most = 3, bound / max(largest_jump, 1)
    if kind == FIXED or largest_jump == 0:
        moves = 2
        most = bound if kind == FIXED else 1.0
        scale[0] = most
    scale[0] = min(max(scale[0], SMALLEST_SCALE), most)
    best = _descend(tally, lowest, scale, most, moves, tolerance)
    if kind == CALIBRATED:
        return best
    best = np.inf
    fitted = np.empty(2)
    slope = scale[0]
    start = np.int64(min(max(scale[1] / slope, -1e6), 1e6))
    for direction in range(2):
        base = start + direction
        for _ in range(MOST_BASES):
            fitted[0], fitted[1] = slope, 0.0
            loss = _descend(tally, lowest + base, fitted, most, moves - 2, tolerance)
            if loss >= best:
                break
            best = loss
            scale[0], scale[1] = fitted[0], base * fitted[0]
            base += 2 * direction - 1
    return best
