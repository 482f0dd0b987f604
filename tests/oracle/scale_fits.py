"""The best scale of many cards at once: convex fits in plain numpy, for the oracle."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.checks import LOG_ODDS_LIMIT

__all__ = ["Cells", "fit_calibrated", "fit_slope", "losses"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: Newton stops when the decrement promises less than this, relative to the loss.
DECREMENT_TOLERANCE = 1e-13


@dataclass(frozen=True, slots=True)
class Cells:
    """Rows with equal codes, merged: their codes (features, cells) and weight by label."""

    codes: NDArray[np.int32]
    positive: Floats
    negative: Floats

    @property
    def base_rate_log_odds(self) -> float:
        """Log-odds of the event when nothing else is known."""
        return math.log(self.positive.sum() / self.negative.sum())


def losses(cells: Cells, log_odds: Floats) -> Floats:
    """Loss of each row of ``log_odds`` (cards, cells)."""
    return (
        np.logaddexp(0.0, -log_odds) @ cells.positive + np.logaddexp(0.0, log_odds) @ cells.negative
    )


def _derivatives(cells: Cells, log_odds: Floats) -> tuple[Floats, Floats]:
    """First and second derivative of each cell's loss by its log-odds."""
    # exp(-|x|) keeps the small side accurate where 1 - sigmoid would lose it
    small = np.exp(-np.abs(log_odds))
    low, high = small / (1 + small), 1 / (1 + small)
    risk, rest = np.where(log_odds > 0, high, low), np.where(log_odds > 0, low, high)
    return cells.negative * risk - cells.positive * rest, (
        cells.positive + cells.negative
    ) * risk * rest


def fit_calibrated(
    cells: Cells, card_scores: Integers, largest_slope: Floats
) -> tuple[Floats, Floats, Floats]:
    """Best slope in (0, cap] and offset of every card; loss inf when the best slope is 0."""
    n = len(card_scores)
    slope, offset, loss = np.zeros(n), np.zeros(n), np.full(n, np.inf)
    scores = card_scores.astype(np.float64)
    mean_positive = scores @ cells.positive / cells.positive.sum()
    mean_negative = scores @ cells.negative / cells.negative.sum()
    helps = mean_positive > mean_negative + 1e-12
    lowest_positive = np.where(cells.positive > 0, scores, np.inf).min(axis=1)
    highest_negative = np.where(cells.negative > 0, scores, -np.inf).max(axis=1)
    is_separated = helps & (lowest_positive >= highest_negative)
    inner = np.flatnonzero(helps & ~is_separated)
    slope[inner], offset[inner] = _fit_two(cells, scores[inner])
    slope[is_separated] = np.inf
    at_cap = np.flatnonzero(helps & (slope > largest_slope))
    slope[at_cap] = largest_slope[at_cap]
    offset[at_cap] = _fit_offset(cells, slope[at_cap, None] * scores[at_cap])
    fitted = np.flatnonzero(helps)
    loss[fitted] = losses(cells, slope[fitted, None] * scores[fitted] + offset[fitted, None])
    return slope, offset, loss


def _fit_two(cells: Cells, scores: Floats) -> tuple[Floats, Floats]:
    """Unrestricted best slope and offset by Newton's method with step halving."""
    n = len(scores)
    slope, offset = np.zeros(n), np.full(n, cells.base_rate_log_odds)
    loss = losses(cells, np.broadcast_to(offset[:, None], scores.shape))
    active = np.arange(n)
    for _ in range(200):
        if active.size == 0:
            return slope, offset
        s = scores[active]
        step_a, step_o, decrement = _newton_step(cells, s, slope[active], offset[active])
        size = np.ones(active.size)
        for _ in range(40):
            new = (slope[active] + size * step_a)[:, None] * s
            new += (offset[active] + size * step_o)[:, None]
            new_loss = losses(cells, new)
            worse = new_loss > loss[active] * (1 + 1e-15) - 1e-4 * size * decrement
            worse &= decrement > DECREMENT_TOLERANCE * loss[active]
            if not worse.any():
                break
            size[worse] /= 2
        slope[active] += size * step_a
        offset[active] += size * step_o
        is_done = decrement <= DECREMENT_TOLERANCE * loss[active]
        loss[active] = new_loss
        active = active[~is_done]
    slope[active], offset[active] = _bisect_two(cells, scores[active])
    return slope, offset


def _newton_step(
    cells: Cells, scores: Floats, slope: Floats, offset: Floats
) -> tuple[Floats, Floats, Floats]:
    """The step in slope and offset, and the decrement: twice the promised fall of the loss."""
    first, second = _derivatives(cells, slope[:, None] * scores + offset[:, None])
    # centred scores make the two equations independent
    total = second.sum(axis=1)
    mean = (second * scores).sum(axis=1) / total
    centred = scores - mean[:, None]
    grad_o, grad_a = first.sum(axis=1), (first * centred).sum(axis=1)
    curvature = (second * centred**2).sum(axis=1)
    step_a, step_c = -grad_a / curvature, -grad_o / total
    return step_a, step_c - mean * step_a, grad_a**2 / curvature + grad_o**2 / total


def _bisect_two(cells: Cells, scores: Floats) -> tuple[Floats, Floats]:
    """The same by bisection on the slope, for what Newton did not finish."""
    low, high = np.zeros(len(scores)), np.full(len(scores), 4 * LOG_ODDS_LIMIT)
    for _ in range(100):
        slope = (low + high) / 2
        offset = _fit_offset(cells, slope[:, None] * scores)
        first, _ = _derivatives(cells, slope[:, None] * scores + offset[:, None])
        rises = (first * scores).sum(axis=1) > 0
        high, low = np.where(rises, slope, high), np.where(rises, low, slope)
    return slope, offset


def _fit_offset(cells: Cells, log_odds: Floats) -> Floats:
    """Best offset added to each row of ``log_odds``; between the base rate's distances to it."""
    if len(log_odds) == 0:
        return np.zeros(0)
    rate = cells.base_rate_log_odds

    def derivatives(offset: Floats) -> tuple[Floats, Floats]:
        first, second = _derivatives(cells, log_odds + offset[:, None])
        return first.sum(axis=1), second.sum(axis=1)

    return _root(derivatives, rate - log_odds.max(axis=1), rate - log_odds.min(axis=1))


def fit_slope(cells: Cells, scores: Floats, largest_slope: Floats) -> Floats:
    """Best slope in [0, cap] of each row of ``scores``, base included."""

    def derivatives(slope: Floats) -> tuple[Floats, Floats]:
        first, second = _derivatives(cells, slope[:, None] * scores)
        return (first * scores).sum(axis=1), (second * scores**2).sum(axis=1)

    return _root(derivatives, np.zeros(len(scores)), largest_slope)


def _root(
    derivatives: Callable[[Floats], tuple[Floats, Floats]], low: Floats, high: Floats
) -> Floats:
    """Where convex functions are smallest on [low, high]: Newton kept inside a bisection."""
    at_low, at_high = derivatives(low)[0] >= 0, derivatives(high)[0] <= 0
    lower, upper = low.copy(), high.copy()
    x = (low + high) / 2
    last_step = high - low
    for _ in range(200):
        first, second = derivatives(x)
        upper = np.where(first >= 0, x, upper)
        lower = np.where(first <= 0, x, lower)
        with np.errstate(all="ignore"):
            new = x - first / second
        # is Newton inside, and does it settle? (both are False for nan)
        is_good = (new >= lower) & (new <= upper) & (2 * np.abs(new - x) <= last_step)
        new = np.where(is_good, new, (lower + upper) / 2)
        last_step = np.abs(new - x)
        x = new
        if np.all(last_step <= 1e-14 * np.abs(x)):
            break
    return np.where(at_low, low, np.where(at_high, high, x))
