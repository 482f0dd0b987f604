"""Full resolution: the cuts of a card are moved to their best gaps between two numbers of all rows.

What is proven in the end is about listed candidates, which are those of the first card with the cuts that were
moved. What is known of all gaps is said in a note, and only after all rows were counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from riskcard.arrays import Floats
from riskcard.data.table import Table
from riskcard.encoding.decode_solution import card_from_solution
from riskcard.estimators.fitted import Training
from riskcard.estimators.from_sources.best_gaps import MOST_GROUPS, CutSearch, search_gaps
from riskcard.estimators.from_sources.source_table import Seen, codes_of, table_of_counts
from riskcard.estimators.learning import Learned, Task, learn
from riskcard.formatting.numbers import choose_cut
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature, FeaturePoints
from riskcard.sources.coding import FeatureCodes, n_patterns
from riskcard.sources.groups import BYTES_PER_GROUP
from riskcard.sources.rows import Kind
from riskcard.sources.source import Source
from riskcard.sources.windows import PointsOfCodes, Window
from riskcard.status import Status

#: How often the cuts of a card are moved.
MOST_ROUNDS = 12
#: Candidates on either side of a cut that stay where those of all features would have too many patterns.
MOST_NEAR = 16
#: A loss is lower if it is so by more than this part: rounding.
LOSS_ROUNDING = 1e-12
LISTED = (
    "After cuts were moved by counts of all rows, a proof is about the candidates that were listed in the end, not "
    "about all gaps between numbers of all rows."
)
SETTLED = (
    "{every} is at its best gap: with the other cuts, the points and the scale as they are, no other gap between "
    "two numbers of all {rows:,} rows, up to the next cut of the same feature, gives a loss of the rows that is "
    "lower by more than rounding."
)
EVERY, EVERY_FREE = "Every cut of the card", "Every cut of the card that no rule places"
UNSETTLED = (
    "The cuts were still being moved when the work ended: another gap between two numbers of all rows may give a "
    "lower loss."
)


@dataclass(frozen=True, slots=True)
class Refiner:
    """What is needed to move the cuts of a card.

    Attributes
    ----------
    source, seen
        The rows, and what is known of them.
    train
        From merged rows to what is learned from them.
    features
        The candidates of the first card.
    complete
        Features of which every gap is a candidate.
    most
        Patterns that there may be at most.
    most_cuts
        Candidate cuts that a feature may have at most.
    n_all
        The conditions that candidates were preselected from.
    """

    source: Source
    seen: Seen
    train: Callable[[Table], Training]
    features: tuple[FeatureCodes, ...]
    complete: frozenset[str]
    most: int
    most_cuts: int
    n_all: int

    def training(self, features: Sequence[FeatureCodes]) -> Training:
        """All rows as patterns of some candidates."""
        n_all = max(self.n_all, sum(one.n_codes for one in features))
        counts = self.source.count(self.seen.wanted, features)
        return self.train(table_of_counts(self.seen, list(features), counts, n_all))

    def with_cuts(self, more: Mapping[str, Sequence[_Gap]]) -> list[FeatureCodes]:
        """The candidates with further cuts: all of them, or those of the features of ``more`` near its cuts."""
        full = [self._with(one, more, None) for one in self.features]
        if n_patterns(full) <= self.most:
            return full
        for n_near in range(MOST_NEAR, -1, -1):
            near = [self._with(one, more, n_near) for one in self.features if one.name in more]
            if n_patterns(near) <= self.most:
                break
        return near

    def _with(
        self, codes: FeatureCodes, more: Mapping[str, Sequence[_Gap]], n_near: int | None
    ) -> FeatureCodes:
        gaps = more.get(codes.name, ())
        if codes.levels is not None or codes.name in self.complete or not gaps:
            return codes
        own, known = np.array([gap.cut for gap in gaps]), codes.cuts
        for gap in gaps:  # one name for one gap
            known = known[(known < gap.below) | (known >= gap.above)]
        if n_near is not None:
            places = np.searchsorted(known, own)[:, None] + np.arange(-n_near, n_near)
            known = known[np.unique(places[(places >= 0) & (places < known.size)])]
        most = max(self.most_cuts - own.size, 0)
        if known.size > most:
            known = known[np.arange(most) * known.size // most]
        return replace(codes, cuts=np.union1d(known, own), values=None)


class _Gap(NamedTuple):
    """A cut, and the numbers of all rows on either side of it; both are the cut where they are not known."""

    cut: float
    below: float
    above: float


def refine(refiner: Refiner, first: Learned, training: Training, task: Task) -> _Refined:
    """Move the cuts of a card until each is at its best gap between numbers of all rows.

    After Ctrl-C the best card so far is kept.
    """
    state = _Refined(first, training)
    try:
        for _ in range(MOST_ROUNDS):
            if not _improve(refiner, state, task):
                break
    except KeyboardInterrupt:
        result = replace(state.learned.result, status=Status.INTERRUPTED)
        state.learned = state.learned._replace(result=result)
    notes = [LISTED, UNSETTLED]
    if state.is_settled:
        every = EVERY_FREE if state.has_placed else EVERY
        notes = [LISTED, SETTLED.format(every=every, rows=refiner.seen.n_rows)]
    result = state.learned.result
    notes = list(dict.fromkeys([*result.notes, *notes]))
    state.learned = state.learned._replace(result=replace(result, notes=tuple(notes)))
    return state


@dataclass(slots=True)
class _Refined:
    """The best card so far.

    Attributes
    ----------
    learned, training
        The solver's answer, and what it is about.
    is_final
        It was found with what was asked for, a proof included.
    is_settled
        Each of its cuts is known to be at its best gap.
    has_placed
        Some of its cuts are where a rule places them.
    """

    learned: Learned
    training: Training
    is_final: bool = False
    is_settled: bool = False
    has_placed: bool = False

    @property
    def card(self) -> RiskCard:
        layout, problem = self.learned.layout, self.learned.problem
        return card_from_solution(self.learned.result.solution, layout, problem.scale)


def _improve(refiner: Refiner, state: _Refined, task: Task) -> bool:
    """Move the cuts once; False if nothing is left to do, or nothing helps."""
    card = state.card
    searches = searches_of(refiner, state, card)
    search_gaps(refiner.source, refiner.seen.wanted, [search for _, _, search in searches])
    is_best = all(one.gain == 0 and not one.is_undecided for _, _, one in searches)
    shown = {own.name: list(own.cuts) for own in card.features}
    more: dict[str, list[_Gap]] = {name: [] for name in shown}
    for name, place, search in searches:
        shown[name][place] = choose_cut(*search.ends)
        more[name].append(_Gap(shown[name][place], *search.ends))
        if search.gain > 0:
            more[name].append(_Gap(search.place, search.place, search.place))
    is_shown = all(tuple(shown[own.name]) == own.cuts for own in card.features)
    if is_best and is_shown and (state.is_final or not task.options.certify):
        state.is_settled = True
        return False
    name, place, best = max(searches, key=lambda one: one[2].gain)
    if best.gain > 0:
        shown[name][place] = best.place
    start = replace(card, features=tuple(_with_cuts(own, shown[own.name]) for own in card.features))
    training = refiner.training(refiner.with_cuts(more))
    options = task.options if is_best else replace(task.options, certify=False)
    request = replace(task.request, start=start, keeps_start=False)
    rules = task.rules.only(training.table.names)
    found = learn(training, replace(task, options=options, request=request, rules=rules))
    before, after = state.learned.result.loss, found.result.loss
    if after > before * (1 + LOSS_ROUNDING) or (not is_best and after >= before):
        return False
    state.learned, state.training, state.is_final = found, training, is_best
    return found.result.status is not Status.INTERRUPTED


def searches_of(
    refiner: Refiner, state: _Refined, card: RiskCard
) -> list[tuple[str, int, CutSearch]]:
    """A search for each cut that no rule places, with its feature and its place among the cuts of that."""
    seen, kinds = refiner.seen, refiner.seen.wanted.features
    cuts = {own.name: _cuts_of(own, kinds[own.name]) for own in card.features}
    codes = {one.name: one for one in codes_of(seen, cuts, {})}
    points = {own.name: _points_of(codes[own.name], own) for own in card.features}
    found, state.has_placed = [], False
    for feature in card.features:
        name, rule = feature.name, state.learned.layout.rules.rule_of(feature.name)
        if kinds[name] is not Kind.NUMBER or not isinstance(feature, FeaturePoints):
            continue
        if rule.cuts is not None or rule.fixed_cuts is not None:
            state.has_placed = True
            continue
        f = list(kinds).index(name)
        sample = np.unique(seen.look.sample.values[:, f])
        first = float(np.nextafter(seen.look.lowest[f], -np.inf))
        ends = [first, *feature.cuts, float(seen.look.highest[f])]
        for place, at in enumerate(feature.cuts):
            window = Window(
                codes[name],
                ((ends[place], ends[place + 2]),),
                is_by_number=True,
                at=at,
                others=tuple(own for other, own in points.items() if other != name),
                most=min(MOST_GROUPS, refiner.source.memory // BYTES_PER_GROUP),
            )
            search = CutSearch(
                window,
                below=feature.points[place] / card.multiplier,
                above=feature.points[place + 1] / card.multiplier,
                multiplier=card.multiplier,
                offset=card.base / card.multiplier + card.offset,
                factors=state.training.class_factors or (1.0, 1.0),
                sample=sample[~np.isnan(sample)],
            )
            found.append((name, place, search))
    return found


def _cuts_of(feature: CardFeature, kind: Kind) -> Floats:
    """The cuts that tell the lines of a feature of a card apart."""
    if kind is Kind.NUMBER:
        return np.array(feature.cuts, dtype=np.float64)
    return np.array([0.5] if kind is Kind.BOOLEAN else [], dtype=np.float64)


def _points_of(codes: FeatureCodes, feature: CardFeature) -> PointsOfCodes:
    """What a feature of a card gives to each of its codes."""
    if isinstance(feature, FeaturePoints):
        points = list(feature.points)
        further = [*codes.specials, *([np.nan] if codes.has_missing else [])]
        points += feature.points_of(np.array(further, dtype=np.float64)).tolist()
        return PointsOfCodes(codes, tuple(points))
    levels = [False, True] if codes.levels is None else list(codes.levels)
    texts = np.array([*levels, *([None] if codes.has_missing else [])], dtype=object)
    return PointsOfCodes(codes, tuple(feature.points_of(texts).tolist()))


def _with_cuts(feature: CardFeature, cuts: Sequence[float]) -> CardFeature:
    return replace(feature, cuts=tuple(cuts)) if isinstance(feature, FeaturePoints) else feature
