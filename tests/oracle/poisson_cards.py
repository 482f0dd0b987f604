"""The oracle for rates: the lowest Poisson deviance of every card of a tiny problem, in plain numpy."""

from __future__ import annotations

import numpy as np

from oracle.enumerate_cards import _batches, _distinct, _merge_rows
from riskcard.problem.problem import Problem
from riskcard.problem.rates import RateRows

#: Halvings of the interval of slopes: to the last bits.
HALVINGS = 200


def least_deviance(problem: Problem, rates: RateRows) -> float:
    """Half the lowest deviance of any card of a problem with a calibrated scale.

    Every set of terms and every jump is tried. For given scores ``s`` the offset is known: as many
    events are expected as there are, ``D``. What is left is convex in the slope ``a`` and has the
    derivative ``D * (mean of s by e exp(a s)) - sum of d s``, whose sign is found by halving
    ``0 .. cap``.
    """
    cells = _merge_rows(problem)
    _, cell = np.unique(problem.data.codes, axis=1, return_inverse=True)
    exposure, events = (np.bincount(cell.ravel(), part) for part in (rates.exposure, rates.events))
    merged = RateRows(exposure, events)
    # what rows of one cell lose because they have one rate in common is lost by every card
    lost = _floor(rates) - _floor(merged)
    best = merged.loss(np.full(events.size, np.log(events.sum() / exposure.sum())))
    for cards, scores in _batches(problem, cells):
        batch = _distinct(problem, cards, scores)
        best = min(best, _best_of(merged, batch.scores.astype(float), batch.largest_slope))
    return best - lost


def _floor(rates: RateRows) -> float:
    """The Poisson loss where each row has its own rate."""
    own, exposure = rates.events[rates.events > 0], rates.exposure[rates.events > 0]
    return float(np.sum(own - own * np.log(own / exposure)))


def _best_of(rates: RateRows, scores: np.ndarray, caps: np.ndarray) -> float:
    whole, wanted = rates.events.sum(), scores @ rates.events
    low, high = np.zeros(len(scores)), caps.copy()

    def sums(slopes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        linear = slopes[:, None] * scores
        relative = rates.exposure * np.exp(linear - linear.max(axis=1, keepdims=True))
        return relative.sum(axis=1), (relative * scores).sum(axis=1)

    for _ in range(HALVINGS):
        middle = (low + high) / 2
        weight, weighted = sums(middle)
        is_rising = whole * weighted / weight > wanted
        high, low = np.where(is_rising, middle, high), np.where(is_rising, low, middle)
    losses = []
    for slope, own in zip(low, scores, strict=True):
        linear = slope * own
        losses.append(rates.loss(linear + rates.best_offset(linear)))
    return min(losses)
