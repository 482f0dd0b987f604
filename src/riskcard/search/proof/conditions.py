"""Every condition of a problem, arranged for the proof: rows, orders, limits."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import riskcard.kernels.proof.layout as at
from riskcard.arrays import Codes, Floats, Integers
from riskcard.kernels.proof.hull.layout import FIRST_INTERVAL
from riskcard.kernels.proof.layout import Conditions, Patterns, ProofLimits
from riskcard.problem.problem import Problem
from riskcard.search.deadline import Deadline


def arrange_conditions(
    problem: Problem, tells_all_apart: bool = False, deadline: Deadline | None = None
) -> Conditions | None:
    """Arrange the conditions of a problem for the proof; None when there is not a single one.

    With ``tells_all_apart`` every set of conditions is a leaf of its own, whatever its size, and
    none is filled up with terms that add nothing. Wide tables take long: past the deadline this
    ends with `OutOfTime`.
    """
    deadline = deadline or Deadline()
    unit = 1.0 / problem.scale.multiplier if problem.scale.kind == "fixed" else 0.0
    reach = _reach_of_sides(problem, unit)
    open_cuts = _open_cuts(problem, reach)
    n_cuts = np.array([own.size for own in open_cuts])
    if not n_cuts.any():
        return None
    codes, events, others = _merged_rows(problem, open_cuts, deadline)
    is_event, is_other = events > 0, others > 0
    by_class = np.ascontiguousarray(np.hstack([codes[:, is_event], codes[:, is_other]]))
    weights, n_events = np.concatenate([events[is_event], others[is_other]]), int(is_event.sum())
    starts, offsets = _starts(by_class, n_cuts, n_events, deadline)
    rows, mixed_rows = _orders(by_class, n_events, deadline)
    capacity = _capacity(problem)
    families, clashes = _families(problem, open_cuts)
    limits, restrictions = problem.limits, problem.restrictions
    is_free = not (restrictions.is_by_card or problem.kept or tells_all_apart)
    return Conditions(
        codes=by_class,
        weights=weights,
        n_events=n_events,
        rows=rows,
        starts=starts,
        offsets=offsets,
        mixed_rows=mixed_rows,
        mixed_weights=weights[mixed_rows],
        reach=reach,
        unit=unit,
        rate=math.log(events.sum() / others.sum()),
        steepest=float(reach[np.repeat(n_cuts > 0, 2)].max()),
        cuts=np.concatenate(open_cuts),
        patterns=_patterns(problem, codes, (events, others), n_cuts, reach, deadline),
        limits=ProofLimits(
            max_terms=int(limits.max_terms),
            max_features=int(limits.max_features),
            max_cuts_per_feature=int(limits.max_cuts_per_feature),
            budget=float(restrictions.budget),
            must_differ=is_free and can_always_fill_up(problem, capacity),
            has_clashes=clashes.size > 0,
            is_by_card=bool(restrictions.is_by_card),
        ),
        capacity=capacity,
        families=families,
        clashes=clashes,
        needs=restrictions.must_use.astype(np.int64),
        costs=np.asarray(restrictions.costs, dtype=np.float64),
        groups=np.ascontiguousarray(restrictions.groups, dtype=np.int64),
        most_of_group=np.asarray(restrictions.at_most, dtype=np.int64),
    )


def cuts_of(conditions: Conditions, columns: Integers, cuts: Integers) -> Integers:
    """The cuts of the problem behind cuts of the proof."""
    firsts = conditions.offsets - 2 * np.arange(conditions.offsets.size)
    found: Integers = conditions.cuts[firsts[columns] + cuts]
    return found


def place_of_cut(conditions: Conditions, column: int, cut: int) -> int:
    """The cut of the proof for a cut of the problem."""
    first = int(conditions.offsets[column]) - 2 * column
    n_cuts = int(conditions.patterns.n_codes[column]) - 1
    return int(np.searchsorted(conditions.cuts[first : first + n_cuts], cut))


def _open_cuts(problem: Problem, reach: Floats) -> list[Integers]:
    """For each column the cuts that may be on a card."""
    kept = {(column, cut) for column, cut, _ in problem.kept}
    found = []
    for column, is_closed in enumerate(problem.restrictions.is_closed):
        is_open = ~is_closed & (reach[2 * column : 2 * column + 2].max() > 0)
        for cut in (cut for other, cut in kept if other == column):
            is_open[cut] = True
        found.append(np.flatnonzero(is_open))
    return found


def _merged_rows(
    problem: Problem, open_cuts: Sequence[Integers], deadline: Deadline
) -> tuple[Codes, Floats, Floats]:
    """Each pattern of codes once, with the weight of its rows with the event and without it.

    Codes that no open cut tells apart are the same. Rows are in an order that does not depend on
    the order of the data, and weights are added up in ascending order: the same rows give the same
    bits. Should two patterns share their digest, some rows are not merged, which changes no loss.
    """
    data = problem.data
    codes = np.empty(data.codes.shape, dtype=np.int32)
    factors = np.random.default_rng(0).integers(2**63, size=len(open_cuts), dtype=np.uint64)
    digest = np.zeros(data.n_rows, dtype=np.uint64)
    for column, own in deadline.watch(enumerate(open_cuts)):
        below = np.zeros(int(data.n_cuts[column]) + 1, dtype=np.int32)
        below[own + 1] = 1
        codes[column] = np.cumsum(below, dtype=np.int32)[data.codes[column]]
        digest += codes[column].astype(np.uint64) * (2 * factors[column] + 1)
    order = np.lexsort((data.weights, data.labels, digest))
    codes, digest = codes[:, order], digest[order]
    is_new = np.ones(order.size, dtype=bool)
    is_new[1:] = digest[1:] != digest[:-1]
    for own in deadline.watch(codes):
        is_new[1:] |= own[1:] != own[:-1]
    first = np.flatnonzero(is_new)
    # each class by itself: they are never added up, and a light class must not vanish
    parts = [
        exact_weights(
            np.add.reduceat(np.where(data.labels[order] == label, data.weights[order], 0.0), first)
        )
        for label in (1, -1)
    ]
    return np.ascontiguousarray(codes[:, first]), parts[0], parts[1]


def _patterns(
    problem: Problem,
    codes: Codes,
    weights: tuple[Floats, Floats],
    n_cuts: Integers,
    reach: Floats,
    deadline: Deadline,
) -> Patterns:
    """What the hull reads: both classes together, in order of every column's codes."""
    offsets = np.concatenate([[0], np.cumsum(n_cuts + 2)])
    order, starts = (
        np.empty(codes.shape, dtype=np.int32),
        np.zeros(int(offsets[-1]), dtype=np.int64),
    )
    commonest = np.zeros(n_cuts.size, dtype=np.int64)
    for column, own in deadline.watch(enumerate(codes)):
        order[column] = stable_order(own)
        counts = np.bincount(own, minlength=int(n_cuts[column]) + 1)
        commonest[column] = counts.argmax()
        starts[offsets[column] + 1 : offsets[column + 1]] = np.cumsum(counts)
    n_slots = FIRST_INTERVAL + problem.limits.max_terms
    least, room = np.zeros(n_slots), np.full(n_slots, -1.0)
    unit = 1.0 / problem.scale.multiplier if problem.scale.kind == "fixed" else 0.0
    for slot, (column, _, jump) in enumerate(problem.kept, start=FIRST_INTERVAL):
        least[slot] = abs(jump) * unit
        room[slot] = 0.0 if unit > 0 else reach[2 * column + (jump < 0)]
    return Patterns(
        codes=codes,
        events=weights[0],
        others=weights[1],
        order=order,
        starts=starts,
        offsets=offsets[:-1],
        sides=np.flatnonzero((reach > 0) & np.repeat(n_cuts > 0, 2)),
        n_codes=n_cuts + 1,
        commonest=commonest,
        kept_least=least,
        kept_room=room,
    )


def can_always_fill_up(problem: Problem, capacity: Integers) -> bool:
    """Can every card be filled up to ``max_terms`` different conditions within the limits?

    Proof: let a card use some features, ``max_features`` at most. Add features until there are
    ``max_features`` of them, or all. On each feature the card's terms can be extended to its
    capacity: any cuts of a plain number will do, and for others see ``Atoms.most_terms``. If even
    the features with the least capacity hold ``max_terms`` terms together, so do these, and the
    card's own are among them. A feature that allows no points has no conditions and is left out.
    """
    data = problem.data
    is_usable = np.zeros(data.n_features, dtype=bool)
    is_usable[data.feature_of[problem.is_usable]] = True
    most = np.array(
        [
            data.n_cuts[first] if atoms is None else atoms.most_terms
            for first, atoms in zip(data.first_columns, data.atoms, strict=True)
        ]
    )
    rooms = np.sort(np.minimum(most, capacity)[is_usable])
    return int(rooms[: problem.limits.max_features].sum()) >= problem.limits.max_terms


def _capacity(problem: Problem) -> Integers:
    """The most terms on each feature."""
    data, limits = problem.data, problem.limits
    conditions = np.bincount(data.feature_of, data.n_cuts, minlength=data.n_features)
    most = np.minimum(problem.restrictions.max_cuts, limits.max_cuts_per_feature)
    return np.minimum(conditions.astype(np.int64), most)


def _families(problem: Problem, open_cuts: Sequence[Integers]) -> tuple[Integers, Integers]:
    """For each column its feature, that one's columns, and where its clashes begin (-1: none)."""
    data = problem.data
    first = data.first_columns[data.feature_of]
    n_columns = np.bincount(data.feature_of, minlength=data.n_features)[data.feature_of]
    begins, parts, place = [], [np.zeros((0, 2), dtype=np.int64)], 0
    for column, limits in enumerate(problem.restrictions.clashes):
        begins.append(-1 if limits is None else place)
        if limits is None:
            continue
        own = limits[open_cuts[column]].copy()
        for other in range(own.shape[1]):
            cuts = open_cuts[int(first[column]) + other]
            own[:, other, at.CLASH_AFTER] = (
                np.searchsorted(cuts, own[:, other, at.CLASH_AFTER], side="right") - 1
            )
            own[:, other, at.CLASH_BEFORE] = np.searchsorted(cuts, own[:, other, at.CLASH_BEFORE])
        parts.append(own.reshape(-1, 2))
        place += parts[-1].shape[0]
    families = np.stack([data.feature_of, first, n_columns, np.array(begins)], axis=1)
    return np.ascontiguousarray(families.astype(np.int64)), np.concatenate(parts)


def exact_weights(weights: Floats) -> Floats:
    """Weights rounded down so that every sum of them is exact in floating point.

    Proof: all results are multiples of one power of two and their sum is below 2**52 of it, so no
    sum or difference of partial sums ever rounds. Rounding down only lowers the loss of every card,
    hence a lower bound for these weights is one for the given weights.
    """
    step = 2.0 ** (math.frexp(float(weights.sum()))[1] - 51)
    return np.floor(weights / step) * step


def _starts(
    codes: Codes, n_cuts: Integers, n_events: int, deadline: Deadline
) -> tuple[Integers, Integers]:
    """Where the events, and the others, of each code of each column begin in `_orders`."""
    n_features, n_rows = codes.shape
    offsets = np.concatenate([[0], np.cumsum(n_cuts + 2)])
    starts = np.empty((2, int(offsets[-1])), dtype=np.int64)
    for f in deadline.watch(range(n_features)):
        for event, part in enumerate((slice(0, n_events), slice(n_events, n_rows))):
            counts = np.bincount(codes[f, part], minlength=int(n_cuts[f]) + 1)
            own = starts[event, offsets[f] : offsets[f + 1]]
            own[0] = f * n_rows + part.start
            own[1:] = own[0] + np.cumsum(counts)
    return starts, offsets[:-1]


def _orders(
    codes: Codes, n_events: int, deadline: Deadline
) -> tuple[NDArray[np.int32], NDArray[np.uint32]]:
    """Rows of each column in order of code: by class, events first; and both classes together.

    There is an order of both classes for each of the sides "<=" and ">". Within a code, the rows
    come first that a cut beyond them is in conflict with: those without the event if the points are
    given at or below the cut, those with the event if above.
    """
    n_features, n_rows = codes.shape
    rows = np.empty((n_features, n_rows), dtype=np.int32)
    mixed = np.empty((2, n_features, n_rows), dtype=np.uint32)
    for f, own in deadline.watch(enumerate(codes)):
        events_first = stable_order(own)
        others_first = stable_order(np.concatenate([own[n_events:], own[:n_events]])) + n_events
        others_first[others_first >= n_rows] -= n_rows
        mixed[:, f] = others_first, events_first
        is_event = events_first < n_events
        rows[f, :n_events], rows[f, n_events:] = events_first[is_event], events_first[~is_event]
    return rows.ravel(), mixed.reshape(2, rows.size)


def stable_order(codes: Codes) -> Integers:
    """The order of non-negative codes; equal codes keep their order.

    Two bytes at a time: numpy sorts whole numbers of that length by their digits, which is several
    times as fast as sorting longer ones by comparison.
    """
    order = np.argsort((codes & 0xFFFF).astype(np.uint16), kind="stable")
    if codes.max(initial=0) > 0xFFFF:
        high = (codes >> 16).astype(np.uint16)
        order = order[np.argsort(high[order], kind="stable")]
    return order


def _reach_of_sides(problem: Problem, unit: float) -> Floats:
    """The largest step in log-odds on each side (2 * column, plus 1 for "above the cut")."""
    points = np.stack([problem.jump_high, -problem.jump_low], axis=1).ravel()
    if unit > 0:
        return points * unit
    return np.where(points > 0, problem.scale.limit, 0.0)
