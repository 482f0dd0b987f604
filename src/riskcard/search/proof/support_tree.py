"""The proof for few conditions: branch and bound over families of conditions.

Where there are tens or a few hundred conditions, a logistic regression on all conditions that the
cards of a node may have is solved in well under a millisecond, and bounds all of these cards at
once; with up to some thousands it takes longer only until the features are chosen. See
`kernels.proof.supports`.

The offset. Let a card have coefficients between ``-R`` and ``R``, at most ``k`` of them. With its
best real offset not all risks can be above the base rate, nor all below it (the derivative by the
offset would not be 0). So the offset is within ``k R`` of the log-odds of the base rate.
"""

from __future__ import annotations

import math

import numpy as np

import riskcard.kernels.proof.supports.records as at
from riskcard.arrays import Floats, Integers
from riskcard.kernels.proof.leaf import FOUND_SCALE, FOUND_START, LeafLimits
from riskcard.kernels.proof.supports.explore_families import explore_families
from riskcard.kernels.proof.supports.points import choose_signed_points
from riskcard.kernels.proof.supports.records import (
    Branches,
    empty_branches,
    empty_fits,
    empty_merging,
    empty_tables,
)
from riskcard.problem.objective import loss_of, violations, violations_of_terms
from riskcard.problem.problem import Problem
from riskcard.problem.solution import Solution
from riskcard.search.deadline import Deadline
from riskcard.search.empty_card import best_empty_card
from riskcard.search.interrupt import catch_interrupt
from riskcard.search.proof.chains import Chains, arrange_chains
from riskcard.search.proof.leaf_points import search_points
from riskcard.search.proof.tree import CLOSE_ENOUGH, SAME_LOSS, Progress, Proof, Stops
from riskcard.status import OPTIMALITY_TOLERANCE, Status

#: Work between two looks at the clock, in about nanoseconds.
WORK_A_ROUND = 3e7
MOST_LEAVES = 32
#: More conditions than these, or more cuts in a column, are not for this proof.
MOST_CONDITIONS, MOST_CUTS = 2500, 120
#: Nor are columns of more than a few cuts if there are few features: there hulls of one side, which
#: bound long intervals at once, are better. Transfusion with every cut, 4 features with up to 78
#: cuts, and magic with its default, 10 features with 99.
FEW_CUTS, MANY_FEATURES = 24, 12
#: With many conditions and few rows for each, a regression on all of them fits every row, and says
#: nothing; functions of one direction, as those of hulls, do not.
MANY_CONDITIONS, ROWS_PER_CONDITION = 200, 5
#: Likewise where a card of a few terms leaves less than this part of the loss of the empty card: what
#: all conditions together explain is then nearly everything. The default of spambase with 5 terms
#: leaves 0.4 of it, and had a gap of 61 % here where hulls had 26 %; those of six other tables, which
#: leave 0.6 and more, had smaller gaps here or were proven.
LEAST_LEFT = 0.5
#: Cells of a leaf are numbered by bits, and slots by small numbers.
MOST_TERMS = 12
#: Depth first proves nothing before its end. So a proof that takes longer than this much work also
#: proves, one after another, that no card has a loss below these shares of the best one; that gets
#: the given part of the work.
WORK_ALONE, SHARES, PART_OF_WORK = 1e9, (0.5, 0.7, 0.8, 0.87, 0.92, 0.95, 0.97, 0.98, 0.99), 0.15


def suits_supports(problem: Problem) -> bool:
    """Whether a problem has not too many conditions, and no rule that this proof does not know.

    Kept terms, features that must be used, budgets, groups and least counts are left to `tree`, as
    is a given multiplier; and so are limits on features and cuts that bind. Cards with conditions
    that are not compatible are looked at here, and then discarded.
    """
    limits, rules, data = problem.limits, problem.restrictions, problem.data
    if problem.scale.kind == "fixed" or problem.kept or rules.depends_on_terms:
        return False
    is_usable = problem.is_usable
    open_cuts = np.array([int((~closed).sum()) for closed in rules.is_closed]) * is_usable
    of_feature = np.bincount(data.feature_of, open_cuts, minlength=data.n_features)
    most = np.minimum(rules.max_cuts, limits.max_cuts_per_feature)
    has_room = bool((most >= np.minimum(of_feature, limits.max_terms)).all())
    n_features, n_conditions = int((of_feature > 0).sum()), int(open_cuts.sum())
    enough = min(limits.max_terms, n_features)
    longest = MOST_CUTS if n_features >= MANY_FEATURES else FEW_CUTS
    return (
        0 < n_conditions <= MOST_CONDITIONS
        and int(open_cuts.max()) <= longest
        and (n_conditions <= MANY_CONDITIONS or data.n_rows >= ROWS_PER_CONDITION * n_conditions)
        and limits.max_terms <= MOST_TERMS
        and limits.max_features >= enough
        and has_room
    )


def suits_card(problem: Problem, card: Solution) -> bool:
    """Whether a good card leaves enough unexplained for regressions on many conditions to say something."""
    if problem.n_conditions <= MANY_CONDITIONS:
        return True
    return loss_of(card, problem) >= LEAST_LEFT * loss_of(best_empty_card(problem), problem)


class _Families:
    """A depth-first search through all cards, for a cutoff; it can be continued."""

    def __init__(self, chains: Chains) -> None:
        family = chains.family
        n, n_terms = family.chain_of.size, family.max_terms
        n_depths = 2 * n + n_terms + 2
        self.chains = chains
        self.stack = empty_branches(n_depths * n_terms + 2, n, n_terms)
        self.leaves = empty_branches(MOST_LEAVES, n, n_terms)
        self.tables = empty_tables(family, n_depths)
        self.fits = empty_fits(family, n_depths)
        self.fits.theta[0, n] = self.fits.recent[n] = chains.rate
        self.merging = empty_merging(family)
        self.state = np.zeros(at.N_STATE)
        self.worked = 0.0
        self.counts = np.zeros(at.N_COUNTS, dtype=np.int64)
        root = self.stack
        root.slots[0] = at.NOWHERE
        root.slots[0, at.RISING][family.ends[at.MOST] > 0] = 0
        root.slots[0, at.FALLING][family.ends[at.LEAST] < 0] = 0
        root.terms[0, 0] = min(n_terms, n)
        root.is_new[0] = 1
        self.counts[at.N_OPEN] = 1

    @property
    def is_done(self) -> bool:
        return bool(self.counts[at.N_OPEN] == 0)

    @property
    def bound(self) -> float:
        """The least bound of all open nodes."""
        return float(self.stack.bounds[: self.counts[at.N_OPEN]].min(initial=math.inf))

    def run(self, cutoff: float, work: float, nodes: float) -> Branches:
        """Go on; returns the leaves that were met."""
        self.state[at.CUTOFF], self.state[at.WORK_LEFT] = cutoff, work
        self.state[at.NODES_LEFT] = nodes
        self.counts[at.N_LEAVES] = 0
        explore_families(
            self.chains.family, self.stack, self.tables, self.fits, self.state, self.counts,
            self.leaves, self.merging,
        )  # fmt: skip
        self.worked += work - float(self.state[at.WORK_LEFT])
        return self.leaves


class _Search:
    """The best card so far, and what is proven."""

    def __init__(self, problem: Problem, chains: Chains, card: Solution, stops: Stops) -> None:
        self.problem, self.chains = problem, chains
        self.card, self.loss, self.stops = card, loss_of(card, problem), stops
        self.slack = max(stops.gap * (1.0 - 1e-9), CLOSE_ENOUGH)
        self.leaf_bound = math.inf
        self.families = _Families(chains)
        self.floor = stops.floor  # no card has a smaller loss
        self.side: _Families | None = None  # a proof of a lower bound
        self.target = 0.0  # the bound that it is to prove
        self.side_nodes, self.side_work = 0, 0.0
        self.offer(best_empty_card(problem))

    @property
    def cutoff(self) -> float:
        return self.stops.cutoff(self.loss, self.slack)

    @property
    def nodes(self) -> int:
        side = 0 if self.side is None else int(self.side.counts[at.N_NODES])
        return int(self.families.counts[at.N_NODES]) + side + self.side_nodes

    @property
    def bound(self) -> float:
        """A lower bound on the loss of every card: closed, in a leaf, or still open."""
        return max(self.floor, min(self.cutoff, self.leaf_bound, self.families.bound))

    def offer(self, card: Solution) -> None:
        """Keep a card if it is allowed and better."""
        loss = loss_of(card, self.problem)
        rounding = 0.0 if card.terms == self.card.terms else SAME_LOSS
        if loss < self.loss * (1.0 - rounding) and not violations(card, self.problem):
            self.card, self.loss = card, loss

    def run(self, stops: Stops, n_jobs: int, progress: Progress | None) -> Proof:
        """Explore until there is a reason to stop, on one thread."""
        status = None
        with catch_interrupt() as interrupt:
            deadline = Deadline(stops.deadline, interrupt)
            while status is None:
                if not deadline.is_over():
                    self.go_on(stops.node_limit - self.nodes, deadline)
                if progress is not None:
                    progress(self.loss, self.bound, self.nodes)
                status = _reason_to_stop(self, stops, deadline)
        rest = self if status in (Status.TIME_LIMIT, Status.NODE_LIMIT) else None
        return Proof(self.card, self.loss, self.bound, status, self.nodes, rest)

    def go_on(self, nodes: float, deadline: Deadline) -> None:
        """Explore for a while, and choose the points of the leaves that were met."""
        worked = self.families.worked
        side = self.side_work + (0.0 if self.side is None else self.side.worked)
        if worked < WORK_ALONE or side > PART_OF_WORK * worked or not self._begin_side():
            self._explore(self.families, self.cutoff, nodes, deadline)
            return
        assert self.side is not None
        self._explore(self.side, min(self.target, self.cutoff), nodes, deadline)
        if self.side.is_done:
            self.floor = max(self.floor, min(self.target, self.cutoff, self.leaf_bound))
            self.side_nodes += int(self.side.counts[at.N_NODES])
            self.side_work += self.side.worked
            self.side = None

    def _begin_side(self) -> bool:
        """Begin the proof of the next lower bound, if there is one to be proven."""
        if self.side is None:
            known = self.stops.floor
            targets = [known + share * (self.loss - known) for share in SHARES]
            left = [one for one in targets if self.floor * (1 + 1e-9) < one < self.cutoff]
            if not left:
                return False
            self.side, self.target = _Families(self.chains), left[0]
        return True

    def _explore(
        self, families: _Families, cutoff: float, nodes: float, deadline: Deadline
    ) -> None:
        leaves = families.run(cutoff, WORK_A_ROUND, nodes)
        for leaf in range(int(families.counts[at.N_LEAVES])):
            self._choose_points(leaves.slots[leaf], float(leaves.bounds[leaf]), deadline)

    def _choose_points(self, slots: np.ndarray, known: float, deadline: Deadline) -> None:
        chosen = np.flatnonzero((slots != at.NOWHERE).any(axis=0))
        for subset in _allowed(chosen, self.chains, self.problem):
            card, bound = best_points(
                self.problem, self.chains, subset, slots, self.cutoff, known, deadline
            )
            self.leaf_bound = min(self.leaf_bound, bound)
            if card is not None:
                self.offer(card)


def _allowed(chosen: Integers, chains: Chains, problem: Problem) -> list[Integers]:
    """The largest sets of these conditions that a card may have, whatever its points.

    Fewer conditions never break a rule that more of them keep.
    """
    sets, found = [frozenset(chosen.tolist())], list[frozenset[int]]()
    while sets:
        smaller: set[frozenset[int]] = set()
        for one in sets:
            terms = [(int(chains.columns[c]), int(chains.cuts[c])) for c in sorted(one)]
            if not violations_of_terms(terms, problem):
                if not any(one <= other for other in found):
                    found.append(one)
            else:
                smaller |= {one - {c} for c in one}
        sets = list(smaller)
    return [np.array(sorted(one), dtype=np.int64) for one in found if one]


def best_points(
    problem: Problem,
    chains: Chains,
    chosen: Integers,
    slots: np.ndarray,
    cutoff: float,
    known: float,
    deadline: Deadline,
) -> tuple[Solution | None, float]:
    """The best card with given conditions and signs that beats the cutoff, and a bound on all.

    ``known`` is a bound on all of them in any case, for a search that is ended by the deadline.
    """
    columns, turned = chains.columns[chosen], chains.is_turned[chosen]
    most = np.where(turned, -problem.jump_low[columns], problem.jump_high[columns])
    least = np.where(turned, -problem.jump_high[columns], problem.jump_low[columns])
    most = np.where(slots[at.RISING, chosen] != at.NOWHERE, most, 0)
    least = np.where(slots[at.FALLING, chosen] != at.NOWHERE, least, 0)
    holds, cells = _cells(chains, chosen)
    limit = float(problem.scale.limit)
    steps = np.stack([np.where(least < 0, -limit, 0.0), np.where(most > 0, limit, 0.0)])
    offset_ends = chains.rate - chosen.size * limit, chains.rate + chosen.size * limit
    points, found = np.zeros(chosen.size, dtype=np.int64), np.array([cutoff, 0.0, 0.0])
    is_integer_base = problem.scale.kind == "multiplier"

    def run(pace: Floats) -> float:
        bound = choose_signed_points(
            holds, cells, np.stack([least, most]), steps, LeafLimits(limit, *offset_ends), cutoff,
            is_integer_base, points, found, pace,
        )  # fmt: skip
        return float(bound)

    bound = search_points(run, known, deadline)
    if not points.any():
        return None, bound
    scale, start = float(found[FOUND_SCALE]), float(found[FOUND_START])
    divisor = 1 if is_integer_base else math.gcd(*np.abs(points).tolist())
    points, scale = points // divisor, scale * divisor
    shift = int(points[turned].sum())
    terms = list(
        zip(
            columns.tolist(),
            chains.cuts[chosen].tolist(),
            np.where(turned, -points, points).tolist(),
            strict=True,
        )
    )
    if is_integer_base:
        return Solution.of(terms, int(start) + shift, 1.0 / scale), bound
    return Solution.of(terms, 0, 1.0 / scale, start + shift * scale), bound


def _cells(chains: Chains, chosen: Integers) -> tuple[Floats, Floats]:
    """Which conditions hold in each cell that has rows, and the cells' weights by class."""
    family = chains.family
    holds = chains.holds(chosen)
    key = (holds * (1 << np.arange(chosen.size))[:, None]).sum(axis=0)
    used, index = np.unique(key, return_inverse=True)
    cells = np.stack([np.bincount(index, part, minlength=used.size) for part in family.weights])
    used_bits = (used[:, None] >> np.arange(chosen.size)) & 1
    return used_bits.astype(np.float64), cells.astype(np.float64)


def prove_by_supports(
    problem: Problem,
    card: Solution,
    stops: Stops,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Proof:
    """Prove how far from optimal a card can at most be, improving it where possible."""
    chains = arrange_chains(problem)
    if chains is None:
        empty = best_empty_card(problem)
        loss = loss_of(empty, problem)
        return Proof(empty, loss, stops.below(loss, CLOSE_ENOUGH), Status.OPTIMAL, 0)
    return _Search(problem, chains, card, stops).run(stops, n_jobs, progress)


def _reason_to_stop(search: _Search, stops: Stops, deadline: Deadline) -> Status | None:
    gap = search.stops.gap_of(search.loss, search.bound)
    is_done = search.families.is_done
    if gap <= 2 * CLOSE_ENOUGH or (gap <= OPTIMALITY_TOLERANCE and is_done):
        return Status.OPTIMAL
    if gap <= stops.gap:
        return Status.GAP_REACHED
    if is_done:
        return Status.ROUNDING
    if deadline.is_over():
        return Status.INTERRUPTED if deadline.is_interrupted else Status.TIME_LIMIT
    if search.nodes >= stops.node_limit:
        return Status.NODE_LIMIT
    return None
