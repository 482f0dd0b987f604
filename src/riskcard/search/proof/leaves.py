"""Leaves of the proof: the conditions are chosen, only whole points remain to be."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from riskcard.kernels.proof.leaf import choose_leaf_points
from riskcard.kernels.proof.slots import Conditions
from riskcard.problem.objective import loss_of, violations_of_terms
from riskcard.problem.problem import Problem
from riskcard.problem.solution import Solution

#: Relative allowance for rounding in a loss that serves as a bound.
ROUNDING = 1e-11


def card_of_leaf(
    problem: Problem,
    conditions: Conditions,
    record: NDArray[np.int32],
    numbers: NDArray[np.float64],
    cutoff: float,
) -> tuple[Solution | None, float]:
    """The best card of a leaf that beats the cutoff, and a bound on all cards of the leaf.

    Returns
    -------
    solution, bound
        None when no card is below the cutoff. The bound is at most the cutoff.
    """
    n_slots = abs(int(record[0]))
    sides = record[2 : 2 + 5 * n_slots : 5].astype(int)
    cuts = record[3 : 3 + 5 * n_slots : 5].astype(int)
    terms = list(zip((sides >> 1).tolist(), cuts.tolist(), strict=True))
    if violations_of_terms(terms, problem):
        return None, cutoff
    # a card with fewer terms is another leaf, unless cards are filled up
    least = 0 if conditions.limits[4] else 1
    if problem.scale.kind == "fixed":
        units = _whole_points_in_box(conditions, numbers, n_slots)
        if units[1:].min() < least:
            return None, cutoff
        card = _card(sides, cuts, units[1:], problem.scale.multiplier, base=int(units[0]))
        return card, min(cutoff, loss_of(card, problem) * (1.0 - ROUNDING))
    holds, cells = _cells(conditions, sides, cuts)
    most = np.array([_most_points(problem, side) for side in sides])
    rate = float(conditions.scale[1])
    limit = problem.scale.limit
    limits = np.array([limit, rate - n_slots * limit, rate, 1.0])
    points = np.zeros(n_slots, dtype=np.int64)
    found = np.array([cutoff, 0.0, 0.0])
    is_integer_base = problem.scale.kind == "multiplier"
    ends = np.stack([np.full(n_slots, least), most])
    for column, cut, jump in problem.kept:
        ends[:, (sides == 2 * column + (jump < 0)) & (cuts == cut)] = abs(jump)
    bound = choose_leaf_points(holds, cells, ends, limits, cutoff, is_integer_base, points, found)
    if not points.any():
        return None, bound
    if is_integer_base:
        return _card(sides, cuts, points, 1.0 / found[1], base=int(found[2])), bound
    divisor = 1 if problem.kept else math.gcd(*points.tolist())
    return _card(sides, cuts, points // divisor, 1 / (found[1] * divisor), offset=found[2]), bound


def _whole_points_in_box(
    conditions: Conditions, numbers: NDArray[np.float64], n_slots: int
) -> NDArray[np.int64]:
    """Base and points of a leaf: its box was divided until it holds one whole number of each.

    The coefficients need not be near it: the ends of the offset's interval are no whole numbers.
    """
    begin = 2 + int(conditions.limits[0])  # as in `save_node`
    low = numbers[begin : begin + 1 + n_slots] / conditions.scale[0]
    least: NDArray[np.int64] = np.ceil(low - 1e-6).astype(np.int64)
    return least


def _card(
    sides: NDArray[np.int64],
    cuts: NDArray[np.int64],
    points: NDArray[np.int64],
    multiplier: float,
    base: int | None = None,
    offset: float = 0.0,
) -> Solution:
    """Points above a cut become a fall at the cut and a higher start for everyone."""
    terms = []
    shift = 0
    for side, cut, value in zip(sides.tolist(), cuts.tolist(), points.tolist(), strict=True):
        terms.append((side >> 1, cut, -value if side & 1 else value))
        shift += value if side & 1 else 0
    if base is None:
        return Solution.of(terms, 0, multiplier, offset + shift / multiplier)
    return Solution.of(terms, base + shift, multiplier, offset)


def _most_points(problem: Problem, side: int) -> int:
    feature = side >> 1
    return int(-problem.jump_low[feature] if side & 1 else problem.jump_high[feature])


def _cells(
    conditions: Conditions, sides: NDArray[np.int64], cuts: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The cells that have rows: which conditions hold in each, and its weights by class."""
    cell = np.zeros(conditions.weights.size, dtype=np.int64)
    for j, (side, cut) in enumerate(zip(sides, cuts, strict=True)):
        is_below = conditions.codes[side >> 1] <= cut
        cell |= (is_below ^ bool(side & 1)).astype(np.int64) << j
    used, index = np.unique(cell, return_inverse=True)
    n_events = int(conditions.limits[3])
    cells = np.stack(
        [
            np.bincount(index[part], weights=conditions.weights[part], minlength=used.size)
            for part in (slice(0, n_events), slice(n_events, None))
        ]
    )
    holds = (used[:, None] >> np.arange(sides.size)) & 1
    return holds.astype(np.float64), cells.astype(np.float64)
