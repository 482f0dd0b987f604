"""A bound on many cards at once: the convex hull of what they can do.

Branch and bound with slots proves nothing about a large problem before much of its tree is done.
The bound here is known after a moment, for all cards or for a part of them; `hull_tree` divides
them.

The bound is that of a tangent plane of the loss (`tangent_bound`). It holds wherever the plane
touches. How good it is depends on the place, which `touch_hull` looks for: the minimum of the loss
over the convex hull of the cards. A point of the hull is an offset and a share of the reach of each
condition; the shares of the terms add up to at most their number.
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

import riskcard.kernels.proof.layout as at
from riskcard.arrays import Booleans, Floats, Integers
from riskcard.kernels.proof.hull_shares import fit_shares
from riskcard.kernels.proof.layout import Conditions
from riskcard.kernels.proof.rounding import ROUNDING, ROUNDING_PER_ROW
from riskcard.search.deadline import Deadline
from riskcard.search.proof.conditions import blocks_of

Places = Integers | NDArray[np.int32]

#: The curvature of a row's loss is taken to be at least this, so that no step is endless.
LEAST_CURVE = 1e-4
#: About how many rows the curvature is computed from; the slopes are those of all rows.
ROWS_OF_MODEL = 4000
#: Quadratic models for one set of conditions, trials of a step, and passes over a model.
MAX_MODELS, MAX_TRIALS, MAX_PASSES = 3, 8, 300
#: Conditions that join at once, for each owner; conditions in all; and conditions times rows.
MOST_ADDED, MOST_SHARES, MOST_CELLS = 20, 500, 2e7
#: The work of a round that does not depend on any size.
WORK_OF_A_ROUND = 1.5e6
#: A tangent is good enough when its bound is this close to the loss where it touches (relative).
TANGENT_WITHIN = 2e-3
#: A condition joins when it is worth more than this many times the charge.
WORTH = 1.02
#: The shares of an owner count as complete when they add up to this part of its cap.
FULL = 0.98
#: The most numbers that are kept of the rows of conditions.
MOST_KEPT = 1e7


class HullProblem:
    """Every condition that a card may have, in a row, and what the bounds need to know of the rows.

    Attributes
    ----------
    sides, cuts, features, reach
        Of each condition; ordered by side and cut.
    """

    def __init__(self, conditions: Conditions) -> None:
        self.conditions = conditions
        sides, lowest, _ = blocks_of(conditions).T
        self._blocks = blocks_of(conditions)[np.lexsort((lowest, sides))]
        # large tables have millions of conditions: what is the same in a block is found once
        sides, lowest, highest = self._blocks.T
        sizes = highest - lowest + 1
        ends = np.cumsum(sizes, dtype=np.int64)
        self.sides = np.repeat(sides, sizes)
        self.cuts = np.arange(ends[-1], dtype=np.int32)
        self.cuts -= np.repeat((ends - sizes - lowest).astype(np.int32), sizes)
        self.features = np.repeat(
            conditions.families[sides >> 1, at.FEATURE].astype(np.int32), sizes
        )
        self.reach = np.repeat(conditions.reach[sides], sizes)
        self.weights, self.rate = conditions.weights, conditions.rate
        self.n_terms = conditions.limits.max_terms
        self.signs = np.where(np.arange(self.weights.size) < conditions.n_events, 1.0, -1.0)
        self._kept: dict[int, Floats] = {}

    @property
    def size(self) -> int:
        """The number of conditions."""
        return self.sides.size

    def steps_of(self, chosen: Places) -> Floats:
        """For each condition and row the reach where it gives its points, else 0."""
        if len(self._kept) * self.weights.size > MOST_KEPT:
            self._kept.clear()
        return np.array([self._step_of(one) for one in chosen.tolist()]).reshape(
            chosen.size, self.weights.size
        )

    def _step_of(self, one: int) -> Floats:
        if one not in self._kept:
            own, cut = self.conditions.codes[self.sides[one] >> 1], self.cuts[one]
            holds = own > cut if self.sides[one] & 1 else own <= cut
            self._kept[one] = np.where(holds, self.reach[one], 0.0)
        return self._kept[one]

    def slopes(self, rows: Floats) -> Floats:
        """How the loss changes with the share of each condition, from its slopes in all rows."""
        codes, slopes = self.conditions.codes, np.empty(self.size)
        total, column, begin = rows.sum(), -1, 0
        for side, low, high in self._blocks.tolist():
            if side >> 1 != column:
                column = side >> 1
                below = np.cumsum(np.bincount(codes[column], rows))
            own = slopes[begin : begin + high - low + 1]
            own[:] = below[low : high + 1]
            if side & 1:
                np.subtract(total, own, out=own)
            begin += own.size
        slopes *= self.reach
        return slopes


class Part(NamedTuple):
    """Some of all cards: one term from each group, and at most ``n_others`` others.

    Attributes
    ----------
    groups
        Conditions, by number.
    others
        For each condition whether another term may have it.
    n_others
        How many other terms a card has, at most.
    """

    groups: tuple[Places, ...]
    others: Booleans
    n_others: int


@dataclass(frozen=True, slots=True)
class Touch:
    """Where a tangent touches: the offset, and the share of the reach that some conditions have.

    Attributes
    ----------
    owners
        For each share 0 if it is of the other terms, or 1 and more for the groups of a part.
    charges
        Of each owner: what a share is worth where they add up to what they may.
    """

    offset: float
    chosen: Places = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    owners: Places = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    shares: Floats = field(default_factory=lambda: np.zeros(0))
    charges: Floats = field(default_factory=lambda: np.zeros(1))


def tangent_bound(log_odds: Floats, problem: HullProblem, part: Part) -> tuple[float, Floats]:
    """Claim: for *any* log-odds, no card of a part has a loss below the first number returned.

    Proof: the loss is convex in the log-odds ``z`` of the rows, so for those of a card, ``z'``, it
    is at least ``loss(z) + r . (z' - z)``, where ``r`` holds the slopes of the rows' losses at
    ``z``. A card has ``z' = offset + sum of steps``, each step between 0 and the reach of its
    condition (points below 0 count as points above 0 on the other side, and move the offset). So
    ``r . z'`` is the offset times the sum of ``r``, plus for each term its step times the sum of
    ``r`` over the rows with its points, which is at least the smaller of 0 and reach times that
    sum. Of each group one term is on the card, which has at least the least of its group; the
    others are different conditions, which together have at least the sum of the ``n_others`` least.
    For the offset, the worse end of its interval is taken (`kernels.proof.bounding` says why the
    offset may be confined; that it must be a whole number of points is not used). The result is
    lowered by more than the error of the sums, see `kernels.proof.rounding`.
    """
    weights, signs = problem.weights, problem.signs
    loss = float(weights @ np.logaddexp(0.0, -signs * log_odds))
    rows = -signs * weights * expit(-signs * log_odds)
    slopes = problem.slopes(rows)
    least = np.minimum(slopes, 0.0)
    bound = loss - float(rows @ log_odds) + sum(float(least[own].min()) for own in part.groups)
    others = least[part.others]
    if 0 < part.n_others < others.size:
        others = np.partition(others, part.n_others - 1)[: part.n_others]
    bound += float(others.sum()) if part.n_others > 0 else 0.0
    furthest = problem.n_terms * float(problem.reach.max())
    total = float(rows.sum())
    bound += min(total * problem.rate, total * (problem.rate - furthest))
    size = loss + float(np.abs(rows) @ (np.abs(log_odds) + abs(problem.rate) + 2 * furthest))
    return bound - (ROUNDING + ROUNDING_PER_ROW * weights.size) * size, slopes


def touch_hull(
    problem: HullProblem,
    part: Part,
    start: Touch,
    enough: float,
    max_rounds: int,
    deadline: Deadline,
) -> tuple[float, Touch, float]:
    """Look for a good place for the tangent; returns the best bound, the last place and the work.

    The work is estimated from the sizes of all arrays, in about nanoseconds; no clock is read.

    The loss is minimised over the convex hull of the part's cards, with more and more conditions.
    Where the tangent touches decides how good the bound is, not whether it holds, so nothing here
    need be exact.

    Parameters
    ----------
    start
        Where to begin.
    enough
        A bound that need not be improved any further.
    max_rounds
        The most rounds in which conditions join.
    deadline
        No round begins after it.
    """
    caps = np.array([part.n_others] + [1] * len(part.groups), dtype=np.float64)
    place, best, work = _within(start, part, caps), -np.inf, 0.0
    for _ in range(max_rounds):
        place, log_odds, more = _descend(problem, place, caps)
        bound, slopes = tangent_bound(log_odds, problem, part)
        best = max(best, bound)
        loss = float(problem.weights @ np.logaddexp(0.0, -problem.signs * log_odds))
        work += more + 3.0 * problem.conditions.codes.size + WORK_OF_A_ROUND
        place = replace(place, charges=_fair_charges(place, part, caps, slopes))
        joining = _joining(problem, part, place, slopes)
        is_close = loss - best <= TANGENT_WITHIN * abs(loss)
        if best >= enough or is_close or joining is None or deadline.is_over():
            break
        place = joining
    return best, place, work


def _within(place: Touch, part: Part, caps: Floats) -> Touch:
    """The place without conditions that are not in the part, and shares within their caps."""
    is_in = np.zeros(place.chosen.size, dtype=bool)
    for owner in range(caps.size):
        own = place.owners == owner
        if owner == 0:
            is_in[own] = part.others[place.chosen[own]] & (part.n_others > 0)
        else:
            is_in[own] = np.isin(place.chosen[own], part.groups[owner - 1])
    owners, shares = place.owners[is_in], place.shares[is_in]
    sums = np.bincount(owners, shares, minlength=caps.size)
    shares = shares * np.minimum(1.0, caps / np.maximum(sums, 1e-300))[owners]
    charges = np.zeros(caps.size)
    charges[: place.charges.size] = place.charges[: caps.size]
    return Touch(place.offset, place.chosen[is_in], owners, shares, charges)


def _descend(problem: HullProblem, place: Touch, caps: Floats) -> tuple[Touch, Floats, float]:
    """Lower the loss by moving the shares; also returns the log-odds reached, and the work."""
    weights, signs = problem.weights, problem.signs
    design = np.vstack([np.ones(weights.size), problem.steps_of(place.chosen)])
    values = np.concatenate([[place.offset], place.shares])
    owners = np.concatenate([[0], place.owners])
    charges, work = place.charges.copy(), 4.0 * design.size
    some = slice(None, None, max(1, weights.size // ROWS_OF_MODEL))
    sample, heights = np.ascontiguousarray(design[:, some]), problem.reach[place.chosen]
    log_odds = values @ design
    loss = float(weights @ np.logaddexp(0.0, -signs * log_odds))
    for _ in range(MAX_MODELS):
        chances = expit(-signs * log_odds)
        curves = weights * np.maximum(chances * (1 - chances), LEAST_CURVE)
        hessian = (sample * curves[some]) @ sample.T * (curves.sum() / curves[some].sum())
        # the sample may have no row with the points of a condition
        own = np.append(curves.sum(), heights * (design[1:] @ curves))
        hessian[np.diag_indices_from(hessian)] = np.maximum(own, np.diag(hessian))
        stiffness = float(np.median(np.diag(hessian)[1:])) if values.size > 1 else 1.0
        moves = fit_shares(
            hessian, design @ (-signs * weights * chances), values, owners, caps, charges,
            stiffness, 1e-6 * loss, MAX_PASSES,
        )  # fmt: skip
        work += hessian.size * (50.0 + 0.15 * sample.shape[1]) + 150.0 * weights.size
        price, way = charges[owners[1:]] @ moves[1:], moves @ design
        length, fallen = 1.0, -np.inf
        for _ in range(MAX_TRIALS):
            trial = log_odds + length * way
            new_loss = float(weights @ np.logaddexp(0.0, -signs * trial))
            fallen = loss - new_loss - length * price
            if fallen >= 0:
                values, log_odds, loss = values + length * moves, trial, new_loss
                break
            length *= 0.4
        if fallen <= 1e-5 * loss:
            break
    offset = _best_offset(log_odds, problem)
    used = values[1:] > 1e-9
    chosen, owners, shares = place.chosen[used], place.owners[used], values[1:][used]
    return (
        Touch(float(values[0]) + offset, chosen, owners, shares, charges),
        log_odds + offset,
        work,
    )


def _best_offset(log_odds: Floats, problem: HullProblem) -> float:
    """What to add to all log-odds, so that their slopes add up to 0."""
    offset = 0.0
    for _ in range(6):
        chances = expit(-problem.signs * (log_odds + offset))
        slope = -float(problem.signs @ (problem.weights * chances))
        curve = float(problem.weights @ (chances * (1 - chances)))
        step = slope / max(curve, 1e-300)
        offset -= min(max(step, -1.0), 1.0)
        if abs(step) < 1e-9:
            break
    return offset


def _fair_charges(place: Touch, part: Part, caps: Floats, slopes: Floats) -> Floats:
    """The charges, lowered where an owner does not use all of its cap."""
    sums = np.bincount(place.owners, place.shares, minlength=caps.size)
    charges = place.charges.copy()
    for owner, own in enumerate((part.others, *part.groups)):
        steepest = max(0.0, -float(slopes[own].min(initial=0.0)))
        is_full = sums[owner] >= FULL * caps[owner]
        charges[owner] = min(charges[owner], steepest if is_full else 0.5 * steepest)
    return charges


def _joining(problem: HullProblem, part: Part, place: Touch, slopes: Floats) -> Touch | None:
    """Add the conditions that are worth more than their charge; of neighbours only the best."""
    added, owners = [], []
    for owner, charge in enumerate(place.charges):
        own = np.flatnonzero(part.others) if owner == 0 else part.groups[owner - 1]
        if owner == 0 and part.n_others == 0:
            continue
        found = own[_is_lowest(problem, own, slopes) & (slopes[own] < -WORTH * charge - 1e-9)]
        known = set(place.chosen[place.owners == owner].tolist())
        found = found[np.argsort(slopes[found], kind="stable")][:MOST_ADDED].tolist()
        added += [one for one in found if one not in known]
        owners += [owner for one in found if one not in known]
    most = min(MOST_SHARES, int(MOST_CELLS / problem.weights.size))
    room = max(1, most) - place.chosen.size
    if not added or room <= 0:
        return None
    return Touch(
        place.offset,
        np.append(place.chosen, added[:room]),
        np.append(place.owners, owners[:room]),
        np.append(place.shares, np.zeros(len(added[:room]))),
        place.charges,
    )


def _is_lowest(problem: HullProblem, own: Places, slopes: Floats) -> Booleans:
    """Which of some conditions are no less steep than their neighbours on the same side."""
    steps = slopes[own]
    is_apart = (np.diff(own) > 1) | (np.diff(problem.sides[own]) != 0)
    is_lowest = np.ones(own.size, dtype=bool)
    is_lowest[1:] &= is_apart | (steps[1:] <= steps[:-1])
    is_lowest[:-1] &= is_apart | (steps[:-1] <= steps[1:])
    return is_lowest
