"""A bound on all cards at once: the convex hull of what cards of some size can do.

Branch and bound proves nothing about a large problem before much of its tree is done. The bound here
is known after a moment; it is never the whole proof, but it holds from then on.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from riskcard.kernels.hull import fit_steps
from riskcard.kernels.slots import Conditions

__all__ = ["bound_of_hull", "tangent_bound"]

#: From one charge for a condition to the next, how far they go down, and halvings at the end.
FALL, LEAST_CHARGE, MAX_HALVINGS = 0.3, 1e-5, 4
#: Conditions that may have steps, and times the number of rows; rounds of adding some for one charge,
#: and how many are added.
MOST_STEPS, MOST_CELLS, MAX_ROUNDS, MOST_ADDED = 400, 2e7, 12, 40
TOLERANCE = 1e-5
#: Rows times conditions looked at in all fits together, at most: so much, and so much for every row;
#: and in a single one.
MOST_WORK, MOST_WORK_A_ROW, MOST_WORK_AT_ONCE = 1.5e9, 2e5, 5e8
#: Of the time that is left, at most.
SHARE_OF_TIME = 0.2
#: Relative allowance for rounding, beside that for adding up many rows.
ROUNDING = 1e-11


@dataclass(slots=True)
class _Steps:
    """The conditions that have steps, what share of their reach, and the log-odds of all rows."""

    conditions: Conditions
    log_odds: NDArray[np.float64]
    sides: list[int] = field(default_factory=list)
    cuts: list[int] = field(default_factory=list)
    shares: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    @property
    def room(self) -> int:
        """How many conditions more there is room for."""
        most = min(MOST_STEPS, int(MOST_CELLS / self.log_odds.size))
        return max(most, 1) - len(self.sides)

    def add(self, chosen: list[tuple[int, int]]) -> None:
        """Give conditions a place; their steps are 0 so far."""
        chosen = chosen[: self.room]
        self.sides += [side for side, _ in chosen]
        self.cuts += [cut for _, cut in chosen]
        self.shares = np.append(self.shares, np.zeros(len(chosen)))

    def drop_unused(self) -> None:
        """Forget the conditions whose steps are 0."""
        used = np.flatnonzero(self.shares > 0)
        self.sides = [self.sides[i] for i in used]
        self.cuts = [self.cuts[i] for i in used]
        self.shares = self.shares[used]

    def fit(self, charge: float, most_work: float) -> int:
        """Lower the loss plus the charge for all shares; returns the work that it took."""
        codes = self.conditions.codes
        holds = np.array(
            [
                codes[side >> 1] > cut if side & 1 else codes[side >> 1] <= cut
                for side, cut in zip(self.sides, self.cuts, strict=True)
            ],
            dtype=np.float64,
        ).reshape(len(self.sides), codes.shape[1])
        n_passes = fit_steps(
            holds,
            np.arange(codes.shape[1]) < self.conditions.limits[3],
            self.conditions.weights,
            self.conditions.reach[self.sides],
            charge,
            self.shares,
            self.log_odds,
            np.zeros((5, codes.shape[1])),
            TOLERANCE,
            int(most_work / max(holds.size, 1)),
        )
        return int(n_passes) * holds.size


def bound_of_hull(conditions: Conditions, deadline: float | None = None) -> float:
    """A lower bound on the loss of every card, from the convex hull of all of them.

    The charge for conditions falls until the steps that they are given fill what cards may have; at
    each charge `tangent_bound` holds, and the best is kept. Where the tangent touches decides how
    good the bound is, not whether it holds, so the fits need not be exact.
    """
    hull = _Hull(conditions, deadline)
    steepest = _steepest(hull.slopes)
    if steepest <= 0:
        return hull.bound
    high = low = steepest
    while not hull.is_over and low > LEAST_CHARGE * steepest and not hull.is_full:
        high, low = low, FALL * low
        hull.touch(low)
    for _ in range(MAX_HALVINGS):
        if not hull.is_over:
            middle = math.sqrt(low * high)
            hull.touch(middle)
            low, high = (middle, high) if hull.is_full else (low, middle)
    return hull.bound


class _Hull:
    """Where the tangent touches, and the best bound so far."""

    def __init__(self, conditions: Conditions, deadline: float | None) -> None:
        self.conditions = conditions
        self.deadline: float | None = None
        if deadline is not None:
            now = time.perf_counter()
            self.deadline = now + SHARE_OF_TIME * (deadline - now)
        self.most_work = MOST_WORK + MOST_WORK_A_ROW * conditions.weights.size
        self.steps = _Steps(conditions, np.full(conditions.weights.size, conditions.scale[1]))
        self.allowed = _allowed(conditions)
        self.bound, self.slopes = tangent_bound(self.steps.log_odds, conditions, self.allowed)
        self.work = 0.0

    @property
    def is_full(self) -> bool:
        """Do the steps fill what cards may have?"""
        return float(self.steps.shares.sum()) > self.conditions.limits[0]

    @property
    def is_over(self) -> bool:
        """Is it time to stop?"""
        is_late = self.deadline is not None and time.perf_counter() >= self.deadline
        return is_late or self.work > self.most_work or self.steps.room == 0

    def touch(self, charge: float) -> None:
        """Fit the steps for a charge, with more conditions until none is worth more than it."""
        self.steps.drop_unused()
        for _ in range(MAX_ROUNDS):
            self.steps.add(_conditions_to_add(self.slopes, self.steps, charge))
            self.work += self.steps.fit(charge, min(self.most_work - self.work, MOST_WORK_AT_ONCE))
            bound, self.slopes = tangent_bound(self.steps.log_odds, self.conditions, self.allowed)
            self.bound = max(self.bound, bound)
            if self.is_over or _steepest(self.slopes) <= 1.02 * charge:
                return


def tangent_bound(
    log_odds: NDArray[np.float64], conditions: Conditions, allowed: list[NDArray[np.bool_]]
) -> tuple[float, list[NDArray[np.float64]]]:
    """A lower bound on the loss of every card, valid for *any* log-odds of the rows; and slopes.

    Proof. The loss is convex in the log-odds ``z`` of the rows, so for those of a card, ``z'``, it
    is at least ``loss(z) + r . (z' - z)``, where ``r`` holds the slopes of the rows' losses at
    ``z``. A card has ``z' = offset + sum of steps``: at most ``max_terms`` conditions, all
    different, each with a step between 0 and the reach of its side (points below 0 count as points
    above 0 on the other side, and move the offset). So ``r . z'`` is the offset times the sum of
    ``r``, plus for each of its conditions the step times the sum of ``r`` over the rows with its
    points, which is at least reach times that sum or 0. Taking the ``max_terms`` least of these,
    and for the offset the end of its interval that is worse (`bound_node` says why the offset may
    be confined; that it must be a whole number of points is not used), gives the bound. It is
    lowered by more than the error of the sums.
    """
    n_terms, n_events = int(conditions.limits[0]), int(conditions.limits[3])
    weights, rate = conditions.weights, float(conditions.scale[1])
    signs = np.where(np.arange(weights.size) < n_events, 1.0, -1.0)
    loss = float(weights @ np.logaddexp(0.0, -signs * log_odds))
    rows = -signs * weights * expit(-signs * log_odds)
    total = float(rows.sum())
    slopes = _slopes_of_sides(rows, total, conditions, allowed)
    every = np.concatenate(slopes)
    least = np.partition(every, min(n_terms, every.size) - 1)[:n_terms] if every.size else every
    reach = float(conditions.reach.max(initial=0.0))
    ends = rate - n_terms * reach, rate
    bound = loss - float(rows @ log_odds) + float(np.minimum(least, 0.0).sum())
    bound += min(total * end for end in ends)
    size = loss + float(np.abs(rows) @ (np.abs(log_odds) + abs(rate) + 2 * n_terms * reach))
    return bound - (ROUNDING + weights.size * np.finfo(float).eps) * size, slopes


def _slopes_of_sides(
    rows: NDArray[np.float64],
    total: float,
    conditions: Conditions,
    allowed: list[NDArray[np.bool_]],
) -> list[NDArray[np.float64]]:
    """For each side the slope of the loss in the share of every condition; infinite if not allowed."""
    slopes = []
    for side, may in enumerate(allowed):
        if side & 1 == 0:
            own = np.bincount(conditions.codes[side >> 1], rows, may.size + 1)
            below = np.cumsum(own)[:-1]
        slope = conditions.reach[side] * (total - below if side & 1 else below)
        slopes.append(np.where(may, slope, np.inf))
    return slopes


def _allowed(conditions: Conditions) -> list[NDArray[np.bool_]]:
    """For each side which of its conditions a card may have."""
    ends = np.append(conditions.offsets, conditions.starts.shape[1])
    allowed = [np.zeros(n, dtype=bool) for n in np.repeat(np.diff(ends) - 2, 2)]
    for side, low, high in conditions.blocks:
        if side >= 0:
            allowed[side][low : high + 1] = True
    return allowed


def _steepest(slopes: list[NDArray[np.float64]]) -> float:
    """How fast the loss falls at most with the share of one condition."""
    return max((-float(own.min()) for own in slopes if own.size), default=0.0)


def _conditions_to_add(
    slopes: list[NDArray[np.float64]], steps: _Steps, charge: float
) -> list[tuple[int, int]]:
    """The steepest conditions that are worth more than the charge, of neighbours the best."""
    known = set(zip(steps.sides, steps.cuts, strict=True))
    found: list[tuple[float, int, int]] = []
    for side, own in enumerate(slopes):
        around = np.pad(own, 1, constant_values=np.inf)
        is_low = (own <= around[:-2]) & (own <= around[2:]) & (own < -charge)
        found += [(float(own[c]), side, int(c)) for c in np.flatnonzero(is_low)]
    found.sort()
    return [(side, cut) for _, side, cut in found if (side, cut) not in known][:MOST_ADDED]
