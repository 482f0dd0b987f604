"""From scores to log-odds: the best scale and offset, or integer base, for a tally of scores."""

from __future__ import annotations

import numpy as np

from riskcard.kernels.jit import inner_kernel
from riskcard.kernels.rows import CALIBRATED, FIXED

__all__ = ["fit_scale"]

#: A scale is positive; one this small says that the score is worth nothing.
SMALLEST_SCALE = 1e-9


@inner_kernel
def _derivatives(tally, lowest, slope, offset, found):
    """Loss, gradient and Hessian in (slope, offset) over a tally of scores, into ``found``."""
    for k in range(6):
        found[k] = 0.0
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
        found[0] += total * np.log1p(power) + wrong * abs(log_odds)
        residual = total * risk - event
        curvature = total * power / (1.0 + power) ** 2
        found[1] += residual * score
        found[2] += residual
        found[3] += curvature * score * score
        found[4] += curvature * score
        found[5] += curvature


@inner_kernel
def _descend(tally, lowest, scale, most, moves, tolerance):
    """Newton steps on a tally of scores; returns the loss and writes ``scale`` (slope, offset).

    ``moves`` 1 moves the slope, 2 the offset, 3 both, 0 neither. The slope stays within
    ``SMALLEST_SCALE .. most``; when a bound holds it back, the offset moves alone.
    """
    here = np.empty(6)
    there = np.empty(6)
    _derivatives(tally, lowest, scale[0], scale[1], here)
    for _ in range(60):
        is_held = (scale[0] >= most and here[1] < 0.0) or (
            scale[0] <= SMALLEST_SCALE and here[1] > 0.0
        )
        slope_step, offset_step = 0.0, 0.0
        determinant = here[3] * here[5] - here[4] * here[4]
        if moves == 3 and not is_held and determinant > 1e-11 * here[3] * here[5]:
            slope_step = (here[4] * here[2] - here[5] * here[1]) / determinant
            offset_step = (here[4] * here[1] - here[3] * here[2]) / determinant
        elif moves == 1 and not is_held:
            slope_step = -here[1] / max(here[3], 1e-300)
        elif moves >= 2:
            offset_step = -here[2] / max(here[5], 1e-300)
        if -(here[1] * slope_step + here[2] * offset_step) <= tolerance:
            break
        # near separation a full step can leave the region where the curvature means anything
        size = min(1.0, 8.0 / max(abs(offset_step), 1e-300))
        gained = -1.0
        while gained <= 0.0 and size > 1e-6:
            slope = min(max(scale[0] + size * slope_step, SMALLEST_SCALE), most)
            offset = scale[1] + size * offset_step
            _derivatives(tally, lowest, slope, offset, there)
            gained = here[0] - there[0]
            size *= 0.5
        if gained <= 0.0:
            break
        scale[0], scale[1] = slope, offset
        for k in range(6):
            here[k] = there[k]
    return here[0]


@inner_kernel
def fit_scale(tally, lowest, largest_jump, rules, scale, tolerance):
    """Best slope and offset for the scores ``lowest, lowest + 1, ...`` of a tally by score and label.

    ``scale`` holds a start and receives (slope, offset), where ``log-odds = slope * score + offset``;
    unless the scale is calibrated, ``offset / slope`` is a whole number, the base. Returns the loss.
    Newton steps stop when one promises less than ``tolerance``.

    For a fixed multiplier the loss is convex in the base; for a free one the best loss over the
    slope is quasi-convex in ``offset / slope``. Walking from the real optimum finds the best base.
    """
    moves, most = 3, rules.log_odds_limit / max(largest_jump, 1)
    if rules.kind == FIXED or largest_jump == 0:
        moves = 2
        most = 1.0 / rules.multiplier if rules.kind == FIXED else 1.0
        scale[0] = most
    scale[0] = min(max(scale[0], SMALLEST_SCALE), most)
    best = _descend(tally, lowest, scale, most, moves, tolerance)
    if rules.kind == CALIBRATED:
        return best
    best = np.inf
    fitted = np.empty(2)
    slope = scale[0]
    start = np.floor(min(max(scale[1] / slope, -1e6), 1e6))
    for direction in range(2):
        base = np.int64(start) + direction
        while True:
            fitted[0], fitted[1] = slope, 0.0
            loss = _descend(tally, lowest + base, fitted, most, moves - 2, tolerance)
            if loss >= best:
                break
            best = loss
            scale[0], scale[1] = fitted[0], base * fitted[0]
            base += 2 * direction - 1
    return best
