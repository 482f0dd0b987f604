"""A bound on every card of a few terms with any cuts: between any two numbers of all rows of a source.

A card of three terms uses at most three features, so counts of all rows by the bins of three features say all
about it but where its cuts are inside bins. Every choice of features is a family of cards. `free_bins` bounds all
cards of a family from its counts; bins in which a card could still be better are divided, and counted again.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from riskcard.arrays import Booleans, Floats
from riskcard.encoding.rank_table import rank_table
from riskcard.estimators.from_sources.free_bins import (
    FreeProblem,
    TermKind,
    is_supported,
    with_free_bins,
)
from riskcard.estimators.from_sources.refine import LISTED, Refiner
from riskcard.estimators.from_sources.source_cuts import all_numbers
from riskcard.estimators.from_sources.source_table import Seen, codes_of, table_of_counts
from riskcard.estimators.learning import Learned, Task
from riskcard.estimators.regularization import Regularization
from riskcard.problem.problem import Problem
from riskcard.problem.ranked_data import RankedData
from riskcard.problem.result import SolveResult
from riskcard.rules.card_rules import CardRules
from riskcard.search.deadline import Deadline
from riskcard.search.drivers.solve_plain import prove_below, reached
from riskcard.search.options import SearchOptions
from riskcard.sources.coding import Counts, FeatureCodes
from riskcard.sources.rows import Kind
from riskcard.status import OPTIMALITY_TOLERANCE, Status, relative_gap

#: Cards of more terms have too many choices of features, and too many bins for each.
MOST_TERMS = 3
#: More choices of features than this are not counted.
MOST_FAMILIES = 5_000
#: Bins per feature at first, by the number of features; they are fewer where memory is short.
FIRST_BINS = {1: 300, 2: 100, 3: 24}
#: With fewer bins little is known.
FEWEST_BINS = 8
#: Bins of a feature, at most.
MOST_BINS = 1000
#: Cells of a table whose bins are divided.
MOST_CELLS = 3 * 10**6
#: Bytes that a cell takes while rows are counted, and the part of the memory for that.
BYTES_PER_CELL, PART = 32, 0.25
#: How often bins are divided.
MOST_ROUNDS = 16
#: Places on either side of that of the best card of the bins, among which all better cards are looked for.
REACHES = (4, 14, 40)
#: Where the sample has at most this many numbers, all numbers are asked for.
FEW_NUMBERS = 2
#: The least and the largest number at which a cut may be.
Box = tuple[float, float]
ANYWHERE: Box = (-math.inf, math.inf)
#: Features with at most this many numbers in the sample have a bin for each of them.
MOST_LISTED = 64
#: A family is settled where its bound is this near to the loss: a card is called optimal a little farther.
NEAR = 0.5 * OPTIMALITY_TOLERANCE
EVERY_CUT = (
    "The bound is about every card of at most {terms} terms, with any cuts between two numbers of all {rows:,} rows: "
    "all rows were counted by bins for each choice of features, and a row in the bin of a cut was taken to be on the "
    "side where its loss is lower."
)


@dataclass(slots=True)
class Family:
    """The cards with terms of some kinds.

    Attributes
    ----------
    kinds
        A feature and the sign of the points of a term; as often as a card may have such a term.
    bound
        No card of the family has a lower loss; 0 before something is known.
    boxes
        For each kind the numbers between which its cut is, both included, in any card of the family that may still
        be better than the best one.
    is_stuck
        More bins did not help.
    """

    kinds: tuple[tuple[str, int], ...]
    bound: float = 0.0
    boxes: list[Box] = field(default_factory=list)
    is_stuck: bool = False

    def __post_init__(self) -> None:
        self.boxes = self.boxes or [ANYWHERE] * len(self.kinds)

    @property
    def features(self) -> tuple[str, ...]:
        """Its features, sorted."""
        return tuple(sorted({name for name, _ in self.kinds}))

    def split(self, n_terms: int) -> list[Family]:
        """The families with the sign of each term, if signs are open."""
        if len(self.kinds) <= n_terms:
            return []
        count = {name: sum(own == name for own, _ in self.kinds) // 2 for name in self.features}
        signs = [itertools.combinations_with_replacement((1, -1), own) for own in count.values()]
        return [
            Family(
                tuple((name, sign) for name, own in zip(count, each, strict=True) for sign in own)
            )
            for each in itertools.product(*signs)
        ]


def families_of(names: Sequence[str], limits: Mapping[str, int]) -> list[Family]:
    """Families that have every card between them: for each choice of features, and of how many terms each has."""
    n_terms, n_features = limits["max_terms"], len(names)
    most_features = min(limits["max_features"] or n_terms, n_terms, n_features)
    most_cuts = min(limits["max_cuts_per_feature"] or n_terms, n_terms)
    size, found = min(n_terms, most_features * most_cuts), []
    for n_used in range(1, most_features + 1):
        for counts in itertools.product(range(1, most_cuts + 1), repeat=n_used):
            if sum(counts) == size:
                for own in itertools.combinations(names, n_used):
                    pairs = zip(own, counts, strict=True)
                    found.append(Family(tuple((n, s) for n, c in pairs for s in (1, -1) * c)))
    return found


@dataclass(frozen=True, slots=True)
class EveryCut:
    """What was proven of the cards with any cuts: no card has a lower loss than ``bound``."""

    bound: float
    nodes: int
    status: Status


def is_possible(seen: Seen, task: Task, memory: int) -> bool:
    """Whether all cards with any cuts can be bounded: few terms and features, no rules, nothing but the rows."""
    n_terms = task.limits["max_terms"]
    is_asked = task.options.certify and task.options.is_plain and n_terms <= MOST_TERMS
    is_plain = task.regularization == Regularization.only() and task.rules == CardRules()
    names = list(seen.wanted.features)
    if not (is_asked and is_plain and names and math.comb(len(names), n_terms) <= MOST_FAMILIES):
        return False
    chosen = {one.features for one in families_of(names, task.limits)}
    return min(_first_bins(chosen, memory).values()) >= FEWEST_BINS


def _first_bins(chosen: Collection[tuple[str, ...]], memory: int) -> dict[int, int]:
    """The bins of a feature at first, by the number of features that are counted together."""
    needed = sum(FIRST_BINS[len(own)] ** len(own) for own in chosen)
    largest = max(len(own) for own in chosen)
    shorter = min(1.0, memory * PART / BYTES_PER_CELL / needed) ** (1 / largest)
    return {n: int(FIRST_BINS[n] * shorter) for n in range(1, largest + 1)}


class Prover:
    """The bounds of all families, from coarse bins to narrow ones.

    Parameters
    ----------
    refiner
        Where rows are counted.
    learned
        The best card.
    task
        What was asked for.
    """

    def __init__(self, refiner: Refiner, learned: Learned, task: Task) -> None:
        self.refiner, self.seen, self.task = refiner, refiner.seen, task
        self.scale, self.loss = learned.problem.scale, learned.result.loss
        self.names = list(self.seen.wanted.features)
        values = self.seen.look.sample.values
        columns = (column[~np.isnan(column)] for column in values.T)
        #: The numbers of each feature in the sample.
        self.numbers = dict(zip(self.names, map(np.unique, columns), strict=True))
        #: From a feature and a number to the one before it, where there is none between them.
        self.before: dict[str, dict[float, float]] = {name: {} for name in self.names}
        #: Features all of whose numbers are known.
        self.listed: set[str] = set()
        self.families = families_of(self.names, task.limits)
        self.goal = self.loss * (1.0 - max(NEAR, task.options.gap * (1.0 - NEAR)))
        #: A bound that is as near to the goal as a proof gets to it.
        self.settled = reached(self.goal)
        self.nodes = 0
        seconds = task.options.time_limit
        self.seconds_left = math.inf if seconds is None else seconds

    @property
    def bound(self) -> float:
        """No card has a lower loss."""
        return min(one.bound for one in self.families)

    def run(self) -> EveryCut:
        """Go on until every family is settled, nothing helps, or time is over."""
        is_interrupted = False
        try:
            self._begin()
            for _ in range(MOST_ROUNDS):
                left = [one for one in self.families if not self._is_settled(one)]
                if not left or self.seconds_left <= 0:
                    break
                self._divide(left)
        except KeyboardInterrupt:
            is_interrupted = True
        return EveryCut(self.bound, self.nodes, self._status(is_interrupted))

    def _is_settled(self, family: Family) -> bool:
        return family.is_stuck or family.bound >= self.settled

    def _status(self, is_interrupted: bool) -> Status:
        """Why the work ended."""
        gap = relative_gap(self.loss, self.bound)
        if gap <= OPTIMALITY_TOLERANCE:
            return Status.OPTIMAL
        if gap <= self.task.options.gap:
            return Status.GAP_REACHED
        if is_interrupted:
            return Status.INTERRUPTED
        return Status.TIME_LIMIT if self.seconds_left <= 0 else Status.NODE_LIMIT

    def _begin(self) -> None:
        """Bound each choice of features with bins at even steps, and where that is not enough each choice of signs."""
        self._list_few()
        chosen = sorted({one.features for one in self.families}, key=lambda own: (len(own), own))
        size = _first_bins(chosen, self.refiner.source.memory)
        known = {
            (name, n): self._axis(name, [(ANYWHERE, own)])
            for n, own in size.items()
            for name in self.names
        }
        axes = [[known[name, len(own)] for name in own] for own in chosen]
        counted = self.refiner.source.count_each(self.seen.wanted, axes)
        for features, own, counts in zip(chosen, axes, counted, strict=True):
            bins = self._bins(own, counts)
            for family in [one for one in self.families if one.features == features]:
                self._bound(family, bins)
                parts = family.split(self.task.limits["max_terms"])
                if parts and not self._is_settled(family):
                    self.families.remove(family)
                    self.families += parts
                    for part in parts:
                        part.bound = family.bound
                        self._bound(part, bins)

    def _divide(self, left: Sequence[Family]) -> None:
        """Bound families with narrower bins in their boxes, and make the boxes smaller."""
        room = self.refiner.source.memory * PART / BYTES_PER_CELL
        cells = min(MOST_CELLS, room / len(left))
        self._list_boxes(left)
        axes = []
        for family in left:
            size = int(min(cells ** (1 / len(family.features)), MOST_BINS))
            own = []
            for name in family.features:
                boxes = [
                    box for (n, _), box in zip(family.kinds, family.boxes, strict=True) if n == name
                ]
                own.append(self._axis(name, [(box, max(size // len(boxes), 3)) for box in boxes]))
            axes.append(own)
        counted = self.refiner.source.count_each(self.seen.wanted, axes)
        for family, own, counts in zip(left, axes, counted, strict=True):
            bins = self._bins(own, counts)
            self._shrink(family, bins)

    def _bound(self, family: Family, bins: _Bins | None) -> tuple[FreeProblem, SolveResult] | None:
        """Bound a family; the problem and the best card of the bins, if that is not enough."""
        if bins is None or self.seconds_left <= 0:
            return None
        kinds = [bins.kind(own, box) for own, box in zip(family.kinds, family.boxes, strict=True)]
        n_terms, max_points = self.task.limits["max_terms"], self.task.limits["max_points"]
        free = with_free_bins(bins.data, kinds, n_terms, self.scale, max_points)
        found = self._prove(free.problem, bins.unit)
        family.bound = max(family.bound, min(found.bound * bins.unit, self.settled))
        return free, found

    def _prove(self, problem: Problem, unit: float) -> SolveResult:
        """What is known of the cards of a problem below the goal."""
        now, options = time.perf_counter(), self.task.options
        search = SearchOptions(
            deadline=Deadline.after(self.seconds_left),
            n_jobs=options.n_jobs,
            random_state=options.random_state,
        )
        found = prove_below(problem, self.goal / unit, search)
        self.nodes += found.nodes
        self.seconds_left -= time.perf_counter() - now
        if found.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        return found

    def _shrink(self, family: Family, bins: _Bins | None) -> None:
        """Bound a family with its box in bins; then leave what is proven to have no better card.

        Take a kind of terms and some places next to each other. If no card whose term of this kind is at another
        place is better than the goal, all better cards have it there. What is left is the box of the next round.
        """
        known = self._bound(family, bins)
        if known is None or bins is None or self._is_settled(family):
            family.is_stuck = family.is_stuck or bins is None
            return
        free, best = known
        chosen = {free.places[v][0]: int(free.places[v][1][c]) for v, c in best.solution.conditions}
        before = list(family.boxes)
        for kind, place in chosen.items():
            if place < 0 or not bins.kind(family.kinds[kind], family.boxes[kind]).is_open.any():
                continue
            for reach in REACHES:
                ends = place - 2 * reach, place + 2 * reach
                found = self._prove(free.outside(kind, *ends), bins.unit)
                if found.bound * bins.unit >= self.settled:
                    free = free.inside(kind, *ends)
                    family.boxes[kind] = bins.box(family.kinds[kind][0], family.boxes[kind], *ends)
                    break
        family.is_stuck = family.boxes == before

    def _axis(self, name: str, parts: Sequence[tuple[Box, int]]) -> FeatureCodes:
        """The bins of a feature: one for each number or level where these are few, else some in each box."""
        kind, numbers = self.seen.wanted.features[name], self.numbers[name]
        if kind is Kind.TEXT:
            return codes_of(self.seen, {name: np.zeros(0)}, {})[0]
        if name in self.listed:
            return codes_of(self.seen, {name: numbers[:-1]}, {name: numbers})[0]
        cuts = np.concatenate([self._cuts_in(name, *part) for part in parts])
        low, high = self._ends_of(name)
        found = np.unique(cuts[(cuts >= low) & (cuts < high)] + 0.0)
        return codes_of(self.seen, {name: found}, {})[0]

    def _cuts_in(self, name: str, box: Box, size: int) -> Floats:
        """Its ends, and numbers at even steps between them: of those that are known or of the sample."""
        low, high = self._ends_of(name)
        listed = [one for one in sorted(self.before[name]) if box[0] < one < box[1]]
        numbers = self.numbers[name]
        inside = listed or numbers[(numbers > box[0]) & (numbers < box[1])]
        known = np.unique(np.concatenate([[max(box[0], low)], inside, [min(box[1], high)]]))
        if listed and known.size <= size:
            return known
        steps = np.linspace(0, known.size - 1, size + 1)
        even: Floats = np.interp(steps, np.arange(known.size), known)
        return even

    def _ends_of(self, name: str) -> tuple[float, float]:
        """The least and the largest number of all rows."""
        f = self.names.index(name)
        return float(self.seen.look.lowest[f]), float(self.seen.look.highest[f])

    def _list_few(self) -> None:
        """Ask for all numbers of features that have few in the sample: then there is nothing between them."""
        asked = []
        for name, kind in self.seen.wanted.features.items():
            if kind is Kind.NUMBER and self.numbers[name].size <= MOST_LISTED:
                low, high = self._ends_of(name)
                asked.append((name, (float(np.nextafter(low, -np.inf)), high)))
        self.listed = self._list(asked)
        for name in self.listed:
            self.numbers[name] = np.array(sorted(self.before[name]))
        for name, kind in self.seen.wanted.features.items():
            if kind is Kind.BOOLEAN:
                self.numbers[name] = np.array([0.0, 1.0])
                self.listed.add(name)

    def _list_boxes(self, left: Sequence[Family]) -> None:
        """Ask for all numbers of boxes in which the sample has few."""
        asked = []
        for family in left:
            for (name, _), box in zip(family.kinds, family.boxes, strict=True):
                numbers = self.numbers[name]
                n_inside = np.count_nonzero((numbers > box[0]) & (numbers < box[1]))
                if name not in self.listed and n_inside <= FEW_NUMBERS and box != ANYWHERE:
                    asked.append((name, box))
        self._list(asked)

    def _list(self, asked: Collection[tuple[str, Box]]) -> set[str]:
        """Note the numbers in some boxes, where they are not too many; the features where that is so."""
        boxes, listed = list(dict.fromkeys(asked)), set()
        found = all_numbers(self.refiner.source, self.seen, boxes, MOST_BINS)
        for (name, _), numbers in zip(boxes, found, strict=True):
            if numbers.size > 1:
                pairs = zip(numbers[1:].tolist(), numbers[:-1].tolist(), strict=True)
                self.before[name] |= dict(pairs)
                listed.add(name)
        return listed

    def _bins(self, axes: Sequence[FeatureCodes], counts: Counts) -> _Bins | None:
        """Counted rows as the solver sees them; None where it is not known which conditions there are."""
        training = self.refiner.train(table_of_counts(self.seen, list(axes), counts, None))
        table = training.table
        data, grid = rank_table(table.in_own_unit())
        are_open, lows, highs = [], [], []
        for f, (axis, gaps) in enumerate(zip(axes, grid.gaps, strict=True)):
            atoms = data.atoms[f]
            n_bins = int(data.n_cuts[data.first_columns[f]]) + 1 if atoms is None else atoms.n_bins
            is_open, low, high = (np.zeros(n_bins, kind) for kind in (bool, float, float))
            if table.merged is not None and table.merged.cuts[f] is not None:
                if not is_supported(atoms):
                    return None
                low, high = self._ends_of_bins(axis, gaps.all_ends()[0])
                before = [self.before[axis.name].get(end, math.inf) for end in high.tolist()]
                is_open = low < before
            are_open.append(is_open)
            lows.append(low)
            highs.append(high)
        names = [axis.name for axis in axes]
        return _Bins(names, data, are_open, lows, highs, table.weight_unit)

    def _ends_of_bins(self, axis: FeatureCodes, kept: Floats) -> tuple[Floats, Floats]:
        """Between which numbers the rows of each bin are, where bins without rows were joined with the next one."""
        low, high = self._ends_of(axis.name)
        cuts = np.concatenate([[np.nextafter(low, -np.inf)], axis.cuts, [high]])
        uppers = np.append(kept, high)
        return cuts[np.searchsorted(cuts[1:], uppers, side="left")], uppers


@dataclass(frozen=True, slots=True)
class _Bins:
    """Counted rows.

    Attributes
    ----------
    names, data
        Their features, and the rows as codes.
    are_open
        For each feature which bins may have several numbers.
    lows, highs
        For each feature between which numbers the rows of each bin are: above the first, up to the second.
    unit
        Of weights.
    """

    names: list[str]
    data: RankedData
    are_open: list[Booleans]
    lows: list[Floats]
    highs: list[Floats]
    unit: float

    def kind(self, own: tuple[str, int], box: Box) -> TermKind:
        """A kind of terms with cuts in a box."""
        f = self.names.index(own[0])
        is_inside = (self.highs[f] > box[0]) & (self.lows[f] < box[1])
        is_open = self.are_open[f]
        return TermKind(f, own[1], is_open & is_inside if is_open.any() else is_open)

    def box(self, name: str, box: Box, first: int, last: int) -> Box:
        """The part of a box from one place to another."""
        f = self.names.index(name)
        n = self.lows[f].size
        low, high = self.lows[f][max(first // 2, 0)], self.highs[f][min(last // 2, n - 1)]
        return max(box[0], float(low)), min(box[1], float(high))


def prove_every_cut(refiner: Refiner, learned: Learned, task: Task) -> Learned | None:
    """The card with a bound on all cards with any cuts; None where nothing could be proven."""
    if learned.result.loss <= 0:
        return None
    found = Prover(refiner, learned, task).run()
    if found.bound <= 0:
        return None
    result, layout = learned.result, learned.layout
    if (merged := layout.table.merged) is not None:
        whole = replace(merged, all_conditions=None)
        layout = replace(layout, table=replace(layout.table, merged=whole), all_conditions=None)
    layout = replace(layout, cut_grid=replace(layout.cut_grid, is_full=True))
    note = EVERY_CUT.format(terms=task.limits["max_terms"], rows=refiner.seen.n_rows)
    result = replace(
        result,
        bound=min(found.bound, result.loss),
        status=found.status,
        nodes=result.nodes + found.nodes,
        notes=(*(one for one in result.notes if one != LISTED), note),
    )
    return learned._replace(result=result, layout=layout)
