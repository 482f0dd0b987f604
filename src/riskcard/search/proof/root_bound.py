"""A bound on all cards at once: a tangent of the hull of all conditions, near where that is lowest.

The tree bounds thousands of nodes, each by a model of few columns. Where conditions are many and rows are long,
the best bounds of its first nodes need hundreds of columns, and a proof that is cut short has no time for that. So
one node, that of all cards, is brought to its minimum once, and no proof that turns to its lowest bounds states less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

import riskcard.kernels.proof.hull.layout as hull
from riskcard.arrays import Floats, Integers
from riskcard.kernels.proof.hull.layout import HullNodes, empty_hull_nodes
from riskcard.kernels.proof.layout import Conditions
from riskcard.kernels.proof.rounding import ROUNDING, ROUNDING_PER_ROW
from riskcard.search.deadline import Deadline

#: Columns that come in a round at most, and all that there may be.
COLUMNS_A_ROUND, MOST_COLUMNS = 20, 400
#: Most numbers of the columns, a few times 160 MB in all, and the longest tables: one step of longer ones takes
#: seconds, between two looks at the clock.
MOST_NUMBERS, MOST_ROWS = 20_000_000, 1_000_000
#: Quadratic models of a round, steps on each of them, and rounds.
MODELS_A_ROUND, STEPS_A_MODEL, MOST_ROUNDS = 3, 300, 100
OFFSET_STEPS = 6
#: Added to the diagonal of a quadratic model, as a part of its curvature; the least curvature, as a part of the
#: loss; and the shortest step, as a part of the way to the model's minimum.
RIDGE, LEAST_CURVE, SHORTEST = 1e-9, 1e-12, 1e-3
#: It ends when the bound is below the loss of the model by less than this part, and a model of a round when it
#: gains less than the other.
NEAR, SMALL_GAIN = 1e-4, 1e-6
#: A column whose product of slope and reach is not this near to the steepest one comes later.
STEEP = 0.5
#: The bound is lowered by this part, which is lost where a proof file rounds chances.
ROUNDED_IN_FILES = 2e-7


@dataclass(frozen=True, slots=True)
class RootBound:
    """A bound on every card, and the model at which its tangent touches.

    Attributes
    ----------
    columns
        A side and a cut each.
    steps
        In log-odds, one for each column.
    """

    bound: float
    offset: float
    columns: Integers
    steps: Floats

    @property
    def stated(self) -> float:
        """The bound as a proof states it: so that a file can close the node with rounded chances."""
        return self.bound - ROUNDED_IN_FILES * abs(self.bound)

    def node(self, conditions: Conditions, n_listed: int) -> HullNodes:
        """The node of all cards, with the model."""
        root = empty_hull_nodes(1, conditions.limits.max_terms, conditions.reach.size)
        root = root._replace(
            columns=np.zeros((1, self.steps.size, 3), dtype=np.int32),
            thetas=np.zeros((1, self.steps.size)),
        )
        root.counts[0], root.slots[0, 0] = 1, (-1, 0, 0, n_listed)
        root.bounds[0], root.offsets[0] = self.bound, self.offset
        root.n_columns[0] = self.steps.size
        root.columns[0, :, hull.COLUMN_SIDE] = self.columns[:, 0]
        root.columns[0, :, hull.COLUMN_CUT] = self.columns[:, 1]
        root.thetas[0] = self.steps
        return root


def bound_root(conditions: Conditions, deadline: Deadline, goal: float | None = None) -> RootBound:
    """The best bound on all cards that is found until the deadline.

    Each round takes Newton steps on the columns so far, all of which add up to no more than the card's terms may,
    and adds the conditions that would lower the loss most. It ends where little can be gained; with a goal, when
    the bound reaches it, no longer rises, or cannot reach it: a tangent of the hull is not above it anywhere, so it is
    not above the loss of a model.
    """
    search = _Search(conditions)
    best = search.bound()
    for _ in range(MOST_ROUNDS):
        if goal is not None and search.loss < goal:
            break
        has_more = search.add_columns()
        if deadline.is_over() or (goal is None and not has_more):
            break
        for _ in range(MODELS_A_ROUND):
            before = search.loss
            search.take_newton_step()
            if before - search.loss < SMALL_GAIN * before or deadline.is_over():
                break
        search.settle_offset()
        found = search.bound()
        is_better, best = found.bound > best.bound, max(best, found, key=lambda one: one.bound)
        search.drop_idle_columns()
        if goal is None and search.loss - best.bound < NEAR * search.loss:
            break
        if goal is not None and (best.bound >= goal or not (has_more or is_better)):
            break
    return best


class _Search:
    """The model: an offset, and columns whose shares add up to at most ``room``.

    The share of a column is its step, or more where its reach is below the largest.
    """

    def __init__(self, conditions: Conditions) -> None:
        self.conditions, self.patterns = conditions, conditions.patterns
        self.count = float(min(conditions.limits.max_terms, conditions.cuts.size))
        self.room = self.count * float(conditions.steepest)
        self.part = conditions.reach / conditions.steepest
        self.columns: list[tuple[int, int]] = []
        n_rows = self.patterns.events.size
        self.most_columns = min(MOST_COLUMNS, MOST_NUMBERS // n_rows)
        self.design: NDArray[np.float64] = np.zeros((n_rows, 0))
        self.shares: Floats = np.zeros(0)
        self.offset = float(conditions.rate)
        self._look()

    def _look(self) -> None:
        """Log-odds, loss and slopes of the rows under the model."""
        own = self.patterns
        self.z = self.design @ self.shares + self.offset
        self.loss = self._loss_at(self.z)
        self.chance, self.rest = expit(self.z), expit(-self.z)
        self.slopes = own.others * self.chance - own.events * self.rest

    def _loss_at(self, z: Floats) -> float:
        own = self.patterns
        return float(own.others @ np.logaddexp(0.0, z) + own.events @ np.logaddexp(0.0, -z))

    def steepest(self) -> list[tuple[float, int, int]]:
        """For each side the least product of reach and sum of slopes of a condition, and its cut."""
        own, total = self.patterns, float(self.slopes.sum())
        found, last = [], -1
        for side in own.sides.tolist():
            column = side >> 1
            if column != last:
                sums = np.bincount(own.codes[column], self.slopes, own.n_codes[column])
                below, last = np.cumsum(sums)[:-1], column
            here = total - below if side & 1 else below
            if here.size:
                cut = int(here.argmin())
                found.append((float(here[cut]) * float(self.conditions.reach[side]), side, cut))
        return found

    def bound(self) -> RootBound:
        """Claim: no card has a loss below that bound, wherever the model is.

        Proof: that of ``tangent_bound`` in `kernels.proof.hull.bound`, for the node of all cards, whose list has all
        conditions and as many terms as a card may have. Nothing is taken from the model but the log-odds ``z``, which
        are numbers here as they are, so the model itself may err. The margin is that of the kernel: the same sums over
        rows, none of them with more summands than there are rows and columns.
        """
        own, conditions = self.patterns, self.conditions
        slopes, z = self.slopes, self.z
        total = float(slopes.sum())
        least = min([0.0, *(slope for slope, _, _ in self.steepest())])
        furthest = self.room
        low, high = conditions.rate - furthest - conditions.unit, conditions.rate + conditions.unit
        bound = self.loss - float(slopes @ z) + self.count * least + min(total * low, total * high)
        sizes = own.others * self.chance + own.events * self.rest
        size = self.loss + float(sizes @ np.abs(z))
        size += float(sizes.sum()) * (abs(conditions.rate) + 2.0 * (furthest + conditions.unit))
        bound -= (ROUNDING + ROUNDING_PER_ROW * z.size) * size
        columns = np.array(self.columns, dtype=np.int64).reshape(-1, 2)
        return RootBound(bound, self.offset, columns, self.shares * self.part[columns[:, 0]])

    def add_columns(self) -> bool:
        """Add the steepest conditions that are not there yet; whether there were any."""
        found = sorted(self.steepest())[:COLUMNS_A_ROUND]
        known = set(self.columns)
        new = [
            (side, cut)
            for slope, side, cut in found
            if slope < STEEP * found[0][0] and (side, cut) not in known
        ][: self.most_columns - len(known)]
        codes = self.patterns.codes
        added = [
            self.part[side] * ((codes[side >> 1] > cut) if side & 1 else (codes[side >> 1] <= cut))
            for side, cut in new
        ]
        if added:
            self.design = np.column_stack([self.design, *added])
            self.shares = np.concatenate([self.shares, np.zeros(len(new))])
            self.columns += new
        return bool(added)

    def drop_idle_columns(self) -> None:
        """Forget the columns whose share is 0."""
        kept = self.shares > 0
        self.design, self.shares = self.design[:, kept], self.shares[kept]
        self.columns = [one for one, is_kept in zip(self.columns, kept, strict=True) if is_kept]

    def take_newton_step(self) -> None:
        """Go towards the minimum of the quadratic model, as far as the loss falls."""
        own, m = self.patterns, self.shares.size
        weights = (own.events + own.others) * self.chance * self.rest
        everyone = np.column_stack([np.ones(self.z.size), self.design])
        hessian = everyone.T @ (everyone * weights[:, None])
        curve = float(np.trace(hessian))
        if not curve > LEAST_CURVE * self.loss:
            return  # every row is where its loss is a line
        hessian[np.diag_indices(m + 1)] += RIDGE * curve / (m + 1)
        gradient = everyone.T @ self.slopes
        now = np.concatenate([[self.offset], self.shares])
        step = _minimise(hessian, gradient, now, self.room) - now
        ways, size = everyone @ step, 1.0
        while size > SHORTEST and not self._loss_at(self.z + size * ways) < self.loss:
            size /= 2.0
        if size > SHORTEST:
            self.offset, self.shares = now[0] + size * step[0], now[1:] + size * step[1:]
            self._look()

    def settle_offset(self) -> None:
        """Move the offset alone, until the slopes add up to almost 0: what is left is multiplied by a long way."""
        for _ in range(OFFSET_STEPS):
            weights = (self.patterns.events + self.patterns.others) * self.chance * self.rest
            curve = float(weights.sum())
            step = -float(self.slopes.sum()) / curve if curve > 0 else 0.0
            if abs(step) < 1e-15 * (1.0 + abs(self.offset)):
                return
            self.offset += min(max(step, -1.0), 1.0)
            self._look()


def _minimise(hessian: Floats, gradient: Floats, start: Floats, room: float) -> Floats:
    """The minimum of a quadratic model near ``start``, by projected gradients with momentum.

    The first variable is free; the others are at least 0 and add up to at most ``room``.
    """
    longest = float(np.linalg.eigvalsh(hessian)[-1])
    here, ahead, momentum = start, start, 1.0
    for _ in range(STEPS_A_MODEL):
        moved = ahead - (gradient + hessian @ (ahead - start)) / longest
        moved[1:] = _project(moved[1:], room)
        larger = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        ahead = moved + (momentum - 1.0) / larger * (moved - here)
        here, momentum = moved, larger
    return here


def _project(shares: Floats, room: float) -> Floats:
    """The nearest shares of at least 0 that add up to at most ``room``."""
    inside = np.maximum(shares, 0.0)
    if inside.sum() <= room:
        return inside
    falling = np.sort(shares)[::-1]
    over = (np.cumsum(falling) - room) / np.arange(1, shares.size + 1)
    charge = float(over[np.flatnonzero(falling > over)[-1]])
    nearest: Floats = np.maximum(shares - charge, 0.0)
    return nearest
