"""Leaves of the proof: all conditions are chosen, and only whole points are still open."""

import math

import numpy as np

import riskcard.kernels.proof.layout as at
from riskcard.arrays import Floats, Integers
from riskcard.kernels.proof.layout import Conditions, Nodes
from riskcard.kernels.proof.leaf import FOUND_SCALE, FOUND_START, LeafLimits, choose_leaf_points
from riskcard.kernels.proof.rounding import ROUNDING
from riskcard.problem.objective import loss_of, violations_of_terms
from riskcard.problem.problem import Problem
from riskcard.problem.solution import Solution
from riskcard.search.deadline import Deadline
from riskcard.search.proof.conditions import cuts_of
from riskcard.search.proof.leaf_points import search_points

#: A card without its points: (column, cut) pairs in order.
Choice = tuple[tuple[int, int], ...]


def card_of_leaf(
    problem: Problem,
    conditions: Conditions,
    leaves: Nodes,
    leaf_cells: Floats,
    index: int,
    cutoff: float,
    deadline: Deadline,
) -> tuple[Solution | None, float]:
    """The best card of a leaf that beats the cutoff, and a bound on all cards of the leaf.

    Parameters
    ----------
    leaf_cells
        The weights of the cells of all leaves, by class.
    deadline
        When a search for points ends: the bound is then that of the leaf before it.

    Returns
    -------
    solution, bound
        None when no card is below the cutoff. The bound is at most the cutoff.
    """
    n_slots = int(leaves.counts[index])
    sides = leaves.slots[index, :n_slots, at.SIDE].astype(int)
    cuts = cuts_of(conditions, sides >> 1, leaves.slots[index, :n_slots, at.LOW])
    terms = list(zip((sides >> 1).tolist(), cuts.tolist(), strict=True))
    if violations_of_terms(terms, problem):
        return None, cutoff
    # a card with fewer terms is another leaf, unless cards are filled up
    fewest = 0 if conditions.limits.must_differ else 1
    if problem.scale.kind == "fixed":
        base, *points = _whole_points(leaves.box[index, at.LEAST, : n_slots + 1] / conditions.unit)
        if min(points) < fewest:
            return None, cutoff
        card = _card(sides, cuts, points, problem.scale.multiplier, base=base)
        return card, min(cutoff, loss_of(card, problem) * (1.0 - ROUNDING))
    cells = leaf_cells[index, :, : 1 << n_slots]
    known = float(leaves.bounds[index])
    return _best_of_free_scale(
        problem, conditions, cells, (sides, cuts), fewest, cutoff, known, deadline
    )


def choice_of_leaf(conditions: Conditions, leaves: Nodes, index: int) -> Choice:
    """The conditions of a leaf."""
    columns = leaves.slots[index, : int(leaves.counts[index]), at.SIDE].astype(int) >> 1
    cuts = cuts_of(conditions, columns, leaves.slots[index, : columns.size, at.LOW])
    return tuple(sorted(zip(columns.tolist(), cuts.tolist(), strict=True)))


def _whole_points(least: Floats) -> list[int]:
    """Base and points of a leaf: its box was divided until it holds one whole number of each.

    They are found from the box. The coefficients need not be near them, since the ends of the
    offset's interval are not whole numbers.
    """
    return [int(number) for number in np.ceil(least - 1e-6)]


def _best_of_free_scale(
    problem: Problem,
    conditions: Conditions,
    cells: Floats,
    terms: tuple[Integers, Integers],
    fewest: int,
    cutoff: float,
    known: float,
    deadline: Deadline,
) -> tuple[Solution | None, float]:
    """The best points, at least ``fewest`` each, and the best scale for given conditions."""
    sides, cuts = terms
    used = np.flatnonzero(cells.any(axis=0))
    holds = ((used[:, None] >> np.arange(sides.size)) & 1).astype(np.float64)
    cells = np.ascontiguousarray(cells[:, used])
    rate, limit = conditions.rate, float(problem.scale.limit)
    limits = LeafLimits(limit, rate - sides.size * limit, rate)
    columns = sides >> 1
    most = np.where(sides & 1, -problem.jump_low[columns], problem.jump_high[columns])
    ends = np.stack([np.full(sides.size, fewest), most])
    for column, cut, jump in problem.kept:
        ends[:, (sides == 2 * column + (jump < 0)) & (cuts == cut)] = abs(jump)
    points, found = np.zeros(sides.size, dtype=np.int64), np.array([cutoff, 0.0, 0.0])
    is_integer_base = problem.scale.kind == "multiplier"

    def run(pace: Floats) -> float:
        return float(
            choose_leaf_points(
                holds, cells, ends, limits, cutoff, is_integer_base, points, found, pace
            )
        )

    bound = search_points(run, known, deadline)
    if not points.any():
        return None, bound
    scale, start = found[FOUND_SCALE], found[FOUND_START]
    if is_integer_base:
        return _card(sides, cuts, points.tolist(), 1.0 / scale, base=int(start)), bound
    divisor = 1 if problem.kept else math.gcd(*points.tolist())
    smaller = (points // divisor).tolist()
    return _card(sides, cuts, smaller, 1 / (scale * divisor), offset=start), bound


def _card(
    sides: Integers,
    cuts: Integers,
    points: list[int],
    multiplier: float,
    base: int | None = None,
    offset: float = 0.0,
) -> Solution:
    """Points above a cut become a fall at the cut and a higher start for everyone."""
    terms = []
    shift = 0
    for side, cut, value in zip(sides.tolist(), cuts.tolist(), points, strict=True):
        terms.append((side >> 1, cut, -value if side & 1 else value))
        shift += value if side & 1 else 0
    if base is None:
        return Solution.of(terms, 0, multiplier, offset + shift / multiplier)
    return Solution.of(terms, base + shift, multiplier, offset)
