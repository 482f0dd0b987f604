"""Branch and bound over the hull: the cards are divided by what features and cuts they have.

Every part of the cards is bounded by the convex hull of what they can do (`hull`). That is much
dearer than the bound of a node of slots, and much better while little is decided, so that a few
hundred parts say more of a large problem than millions of nodes. The two trees know nothing of each
other: the larger of their bounds counts.
"""

import heapq
from dataclasses import dataclass
from itertools import count

import numpy as np

from riskcard.arrays import Booleans
from riskcard.kernels.proof.layout import Conditions
from riskcard.search.deadline import Deadline
from riskcard.search.proof.hull import HullProblem, Part, Places, Touch, touch_hull

#: Rounds of looking for a tangent: for all cards, and for a part, which begins where the whole
#: ended.
ROOT_ROUNDS, ROUNDS = 40, 6
#: The hull of all cards is filled in steps: with these shares of the number of terms.
FIRST_SHARES = (0.1, 0.3, 0.6, 1.0)
#: Cards are not divided by a feature on which the other terms have a smaller share than this.
LEAST_SHARE = 0.02
#: A part that is not divided is bounded again as long as its bound rises by this part of itself.
LEAST_RISE = 1e-6
#: The most open parts, and parts times conditions.
MOST_OPEN, MOST_BYTES = 20_000, 2e8
#: All cards are bounded first, for at most this part of the time that is left.
SHARE_OF_ROOT = 0.3


@dataclass(frozen=True, slots=True)
class _Node:
    """A part of the cards, a bound on them, and where the tangent touches."""

    bound: float
    part: Part
    place: Touch


class HullTree:
    """Open parts of all cards, lowest bound first.

    Parameters
    ----------
    conditions
        All conditions of the problem.

    Attributes
    ----------
    work
        The work done so far, see `touch_hull`.
    n_parts
        The number of parts bounded so far.
    """

    def __init__(self, conditions: Conditions) -> None:
        self.problem = HullProblem(conditions)
        self.work, self.n_parts = 0.0, 0
        self._open: list[tuple[float, int, _Node]] = []
        self._order = count()
        self._stuck = float("inf")  # the lowest bound of parts that cannot be divided

    def bound(self, cutoff: float) -> float:
        """A lower bound on all cards, or the cutoff where none can be below it."""
        if self.n_parts == 0:
            return 0.0
        lowest = self._open[0][0] if self._open else float("inf")
        return max(0.0, min(lowest, self._stuck, cutoff))

    @property
    def is_over(self) -> bool:
        """Whether the bound can rise no further."""
        lowest = self._open[0][0] if self._open else float("inf")
        most = min(MOST_OPEN, MOST_BYTES / self.problem.size)
        return self.n_parts > 0 and (lowest >= self._stuck or len(self._open) > most)

    def grow(self, most_work: float, cutoff: float, deadline: Deadline) -> None:
        """Divide the parts with the lowest bounds.

        Parameters
        ----------
        most_work
            Stop when the work of all calls together is more.
        cutoff
            Parts with a bound at or above it are of no interest.
        deadline
            The moment to stop at.
        """
        while self.work < most_work and not self.is_over and not deadline.is_over():
            if self.n_parts == 0:
                self._begin(cutoff, deadline)
                continue
            bound, _, node = heapq.heappop(self._open)
            if bound >= cutoff:
                heapq.heappush(self._open, (bound, next(self._order), node))
                return
            self._divide(node, cutoff, deadline)

    def _begin(self, cutoff: float, deadline: Deadline) -> None:
        """Bound all cards; small ones first, since the hull of large ones needs many conditions."""
        problem, place, bound = self.problem, Touch(self.problem.rate), 0.0
        every = np.ones(problem.size, dtype=bool)
        deadline = deadline.part(SHARE_OF_ROOT)
        for share in FIRST_SHARES:
            if share < 1 and deadline.is_over():
                continue
            n_terms = int(np.ceil(share * problem.n_terms))
            part = Part((), every, n_terms)
            found, place, work = touch_hull(problem, part, place, cutoff, ROOT_ROUNDS, deadline)
            self.work += work
            if n_terms == problem.n_terms:
                bound = max(bound, found)
        self._keep(_Node(bound, Part((), every, problem.n_terms), place), cutoff)

    def _keep(self, node: _Node, cutoff: float) -> None:
        self.n_parts += 1
        if node.bound < cutoff:
            heapq.heappush(self._open, (node.bound, next(self._order), node))

    def _divide(self, node: _Node, cutoff: float, deadline: Deadline) -> None:
        """Replace a part by two that together have all of its cards."""
        parts = divide(self.problem, node.part, node.place)
        if not parts:
            self._settle(node, cutoff, deadline)
        for part, place in parts:
            bound, reached, work = touch_hull(self.problem, part, place, cutoff, ROUNDS, deadline)
            self.work += work
            self._keep(_Node(max(bound, node.bound), part, reached), cutoff)

    def _settle(self, node: _Node, cutoff: float, deadline: Deadline) -> None:
        """Bound a part that is not worth dividing as well as possible."""
        bound, place, work = touch_hull(
            self.problem, node.part, node.place, cutoff, ROOT_ROUNDS, deadline
        )
        self.work += work
        if bound > node.bound * (1 + LEAST_RISE):
            self._keep(_Node(bound, node.part, place), cutoff)
        else:
            self._stuck = min(self._stuck, node.bound)


def divide(problem: HullProblem, part: Part, place: Touch) -> list[tuple[Part, Touch]]:
    """Two parts that together have all cards of a part; nothing when it is not worth dividing.

    Either by a feature: cards without another term on it, and cards with one, which becomes a
    group. Or by the halves of a group, one of which has the group's term. Either way a card of the
    part is in one of the two, whatever else is on it.
    """
    feature, worth = _feature_to_divide(problem, place)
    group, spread = _group_to_divide(part, place)
    if part.n_others > 0 and worth > LEAST_SHARE and worth >= spread:
        return _by_feature(problem, part, place, feature)
    if group >= 0:
        return _by_halves(part, place, group)
    return []


def _feature_to_divide(problem: HullProblem, place: Touch) -> tuple[int, float]:
    """The feature on which the others have about a term, and what share of one."""
    own = place.owners == 0
    if not own.any():
        return -1, 0.0
    shares = np.bincount(problem.features[place.chosen[own]], place.shares[own])
    worth = np.where(shares > 1, 1 / np.maximum(shares, 1e-300), shares)
    best = int(worth.argmax())
    return best, float(worth[best])


def _group_to_divide(part: Part, place: Touch) -> tuple[int, float]:
    """The group whose term is the least decided, and what share is not on its best condition."""
    best, most = -1, -1.0
    for group, conditions in enumerate(part.groups):
        shares = place.shares[place.owners == group + 1]
        spread = float(shares.sum() - shares.max(initial=0.0))
        if conditions.size > 1 and spread > most:
            best, most = group, spread
    return best, most


def _by_feature(
    problem: HullProblem, part: Part, place: Touch, feature: int
) -> list[tuple[Part, Touch]]:
    is_own = problem.features == feature
    without = Part(part.groups, part.others & ~is_own, part.n_others)
    group = np.flatnonzero(part.others & is_own)
    others = _others_beside(problem, part, group)
    beside = Part((*part.groups, group), others, part.n_others - 1)
    return [(without, place), (beside, _with_group(problem, place, feature, len(beside.groups)))]


def _others_beside(problem: HullProblem, part: Part, group: Places) -> Booleans:
    """Where other terms may be once a group has its term, by the limits on cuts and features."""
    conditions = problem.conditions
    used = [int(problem.features[own[0]]) for own in (*part.groups, group)]
    others = part.others
    if used.count(used[-1]) >= conditions.capacity[used[-1]]:
        others = others & (problem.features != used[-1])
    if len(set(used)) >= conditions.limits.max_features:
        others = others & np.isin(problem.features, used)
    return others


def _with_group(problem: HullProblem, place: Touch, feature: int, owner: int) -> Touch:
    """The place with a term's worth of the shares of a feature in the hands of a new owner."""
    is_own = (place.owners == 0) & (problem.features[place.chosen] == feature)
    part = 1 / max(1.0, float(place.shares[is_own].sum()))
    return Touch(
        place.offset,
        np.concatenate([place.chosen, place.chosen[is_own]]),
        np.concatenate([place.owners, np.full(int(is_own.sum()), owner)]),
        np.concatenate(
            [np.where(is_own, 1 - part, 1.0) * place.shares, part * place.shares[is_own]]
        ),
        np.append(place.charges, place.charges[0]),
    )


def _by_halves(part: Part, place: Touch, group: int) -> list[tuple[Part, Touch]]:
    """Half of the shares of the group on either side."""
    conditions = part.groups[group]
    own = place.owners == group + 1
    shares = np.zeros(conditions.size)
    np.add.at(shares, np.searchsorted(conditions, place.chosen[own]), place.shares[own])
    below = np.cumsum(shares)[:-1]
    middle = int(np.abs(below - shares.sum() / 2).argmin()) if shares.any() else below.size // 2
    return [
        (part._replace(groups=(*part.groups[:group], half, *part.groups[group + 1 :])), place)
        for half in (conditions[: middle + 1], conditions[middle + 1 :])
    ]
