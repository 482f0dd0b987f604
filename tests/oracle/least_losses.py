"""The oracle for losses other than yes or no: the least of every card of a tiny problem, in plain numpy."""

from __future__ import annotations

import itertools

import numpy as np

from oracle.enumerate_cards import (
    _allowed_term_sets,
    _batches,
    _distinct,
    _jump_vectors,
    _merge_rows,
)
from riskcard.problem.numbers import NumberRows
from riskcard.problem.other_losses import OtherLoss
from riskcard.problem.problem import Problem
from riskcard.problem.rates import RateRows

#: Halvings of the interval of slopes: to the last bits.
HALVINGS = 200


def least_loss(problem: Problem, rows: OtherLoss) -> float:
    """The lowest loss of any card of a problem with a calibrated scale.

    Every set of terms and every jump is tried. For given scores the offset is known, and what is left is
    convex in the slope: of rates the sign of its derivative is found by halving ``0 .. cap``, of numbers
    it is a parabola.
    """
    cells, merged, best_of, lost = _cells(problem, rows)
    best = _flat_loss(merged)
    for cards, scores in _batches(problem, cells):
        batch = _distinct(problem, cards, scores)
        best = min(best, best_of(merged, batch.scores.astype(float), batch.largest_slope))
    return best + lost


def least_loss_of_choices(
    problem: Problem, rows: OtherLoss
) -> dict[frozenset[tuple[int, int]], float]:
    """The lowest loss of the cards of every set of conditions, where it is below that of one value for all rows."""
    cells, merged, best_of, lost = _cells(problem, rows)
    flat, found = _flat_loss(merged), {}
    for chosen in _allowed_term_sets(problem):
        jumps = _jump_vectors(problem, tuple(f for f, _ in chosen))
        cards = [
            [(f, c, jump) for (f, c), jump in zip(chosen, vector, strict=True)]
            for vector in jumps.tolist()
        ]
        if not cards:
            continue
        holds = np.array([cells.codes[f] <= c for f, c in chosen], dtype=np.int64)
        scores = np.array([[jump for _, _, jump in card] for card in cards]) @ holds
        batch = _distinct(problem, cards, scores)
        least = best_of(merged, batch.scores.astype(float), batch.largest_slope)
        if least < flat:
            found[frozenset(chosen)] = least + lost
    return found


def least_loss_near(
    problem: Problem, rows: OtherLoss, start: set[tuple[int, int, int]], most: int
) -> float:
    """The lowest loss of the cards that give up at most so many terms of a card, and add at most so many."""
    cells, merged, best_of, lost = _cells(problem, rows)
    best = _flat_loss(merged) if len(start) <= most else np.inf
    for chosen in _allowed_term_sets(problem):
        jumps = [
            [j for j in range(problem.jump_low[f], problem.jump_high[f] + 1) if j]
            for f, _ in chosen
        ]
        cards = [
            tuple((f, c, j) for (f, c), j in zip(chosen, own, strict=True))
            for own in itertools.product(*jumps)
        ]
        near = [
            card for card in cards if max(len(start - set(card)), len(set(card) - start)) <= most
        ]
        if not near:
            continue
        holds = np.array([cells.codes[f] <= c for f, c in chosen], dtype=np.int64)
        own = np.array([[j for _, _, j in card] for card in near])
        caps = problem.scale.limit / np.abs(own).max(axis=1)
        best = min(best, best_of(merged, (own @ holds).astype(float), caps))
    return best + lost


def _cells(problem: Problem, rows: OtherLoss):
    """Cells of rows that are alike, their loss, how their best scale is found, and what is lost by every card."""
    cells = _merge_rows(problem)
    _, cell = np.unique(problem.data.codes, axis=1, return_inverse=True)
    merged, best_of = _merged(rows, cell.ravel())
    # what rows of one cell lose because they have one prediction in common is lost by every card
    lost = rows.loss(np.zeros(cell.size)) - merged.loss(np.zeros(int(cell.max()) + 1))
    return cells, merged, best_of, lost


def _flat_loss(merged: OtherLoss) -> float:
    """The loss of one value for all rows."""
    n_cells = (merged.exposure if isinstance(merged, RateRows) else merged.weights).size
    return merged.loss(np.full(n_cells, merged.best_offset(np.zeros(n_cells))))


def _merged(rows, cell):
    """The rows of each cell as one, and how its best scale is found."""
    if isinstance(rows, RateRows):
        return RateRows(
            *(np.bincount(cell, part) for part in (rows.exposure, rows.events))
        ), _best_rates
    assert isinstance(rows, NumberRows)
    weights = np.bincount(cell, rows.weights)
    means = np.bincount(cell, rows.weights * rows.numbers) / weights
    return NumberRows(weights, means, rows.unit), _best_numbers


def _best_rates(rates: RateRows, scores: np.ndarray, caps: np.ndarray) -> float:
    """``D * (mean of s by e exp(a s)) - sum of d s`` is the derivative, with ``D`` all events."""
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


def _best_numbers(rows: NumberRows, scores: np.ndarray, caps: np.ndarray) -> float:
    """The residual of the line through the means of scores and numbers, its slope within 0 and the cap."""
    weights = rows.weights / rows.weights.sum()
    scores = scores - (scores @ weights)[:, None]
    numbers = rows.numbers - rows.numbers @ weights
    spread = (scores**2) @ weights
    # scores that are the same everywhere say nothing
    spread[spread < 1e-20] = np.inf
    slopes = np.clip((scores @ (weights * numbers)) / spread, 0.0, caps)
    left = ((slopes[:, None] * scores - numbers) ** 2) @ rows.weights
    return float(left.min()) / 2 * rows.unit**2
