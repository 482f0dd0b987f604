"""Every condition of a problem, arranged for the proof: rows, orders, and a tree of clusters."""

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

import riskcard.kernels.proof.layout as at
from riskcard.arrays import Booleans, Codes, Floats, Integers
from riskcard.kernels.proof.clustering import cluster_sets
from riskcard.kernels.proof.layout import Conditions, ProofLimits
from riskcard.problem.merge_rows import merge_equal_rows
from riskcard.problem.problem import Problem
from riskcard.search.deadline import Deadline

#: The most sets of conditions that the clustering starts from; and sets times rows.
MAX_BLOCKS, MAX_BLOCK_ROWS = 2000, 4e7
#: The most sets that are compared with each other.
MOST_JOINED = 1000
BLOCKS_PER_SIDE = 16
#: Sets of rows are compared in parts of this many sets times rows.
CELLS_AT_A_TIME = 2**18
FEW_FEATURES, ROWS_PER_BLOCK = 10, 1000


def arrange_conditions(
    problem: Problem, tells_all_apart: bool = False, deadline: Deadline | None = None
) -> Conditions | None:
    """Arrange the conditions of a problem for `explore`; None when there is not a single one.

    With ``tells_all_apart`` every set of conditions is a leaf of its own, whatever its size, and
    none is filled up with terms that add nothing. Wide tables take long: past the deadline this
    ends with `OutOfTime`.
    """
    deadline = deadline or Deadline()
    data = merge_equal_rows(problem.data, most_rows=None)
    by_class = np.argsort(-data.labels, kind="stable")
    codes = np.ascontiguousarray(data.codes[:, by_class])
    n_events = int((data.labels > 0).sum())
    # each class by itself: they are never added up, and a light class must not vanish
    weights = np.concatenate(
        [exact_weights(part) for part in np.split(data.weights[by_class], [n_events])]
    )
    starts, offsets = _starts(codes, data.n_cuts, n_events, deadline)
    rows, mixed_rows = _orders(codes, n_events, deadline)
    unit = 1.0 / problem.scale.multiplier if problem.scale.kind == "fixed" else 0.0
    reach = _reach_of_sides(problem, unit)
    restrictions = problem.restrictions
    blocks = _blocks(codes, data.n_cuts, reach, restrictions.is_closed, deadline)
    if not blocks:
        return None
    children, members, undecided = _cluster(codes, n_events, blocks, deadline)
    flips, ranges = _flips(children, members, (rows.size, codes.shape[1]), deadline)
    capacity = _capacity(problem)
    families, clashes = _families(problem)
    is_free = not (restrictions.is_by_card or problem.kept or tells_all_apart)
    must_differ = is_free and can_always_fill_up(problem, capacity)
    limits = problem.limits
    events, others = weights[:n_events].sum(), weights[n_events:].sum()
    return Conditions(
        codes=codes,
        weights=weights,
        n_events=n_events,
        rows=np.concatenate([rows, flips]).astype(np.int32),
        starts=starts,
        offsets=offsets,
        mixed_rows=mixed_rows,
        mixed_weights=weights[mixed_rows],
        reach=reach,
        unit=unit,
        rate=math.log(events / others),
        children=children,
        cluster_slots=_slots_of_clusters(blocks, children.shape[0]),
        flips=ranges,
        facts=_facts_of_clusters(blocks, children, undecided, reach),
        members=members,
        limits=ProofLimits(
            max_terms=int(limits.max_terms),
            max_features=int(limits.max_features),
            max_cuts_per_feature=int(limits.max_cuts_per_feature),
            budget=float(restrictions.budget),
            must_differ=must_differ,
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


def with_other_limit(conditions: Conditions, problem: Problem) -> Conditions:
    """The conditions of a problem that differs only in the limit on the log-odds of a term."""
    reach = _reach_of_sides(problem, conditions.unit)
    blocks = list(map(tuple, blocks_of(conditions).tolist()))
    undecided = conditions.facts[:, at.UNDECIDED]
    facts = _facts_of_clusters(blocks, conditions.children, undecided, reach)
    return conditions._replace(reach=reach, facts=facts)


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


def _families(problem: Problem) -> tuple[Integers, Integers]:
    """For each column its feature, that one's columns, and where its clashes begin (-1: none)."""
    data = problem.data
    first = data.first_columns[data.feature_of]
    n_columns = np.bincount(data.feature_of, minlength=data.n_features)[data.feature_of]
    begins, parts, place = [], [np.zeros((0, 2), dtype=np.int64)], 0
    for limits in problem.restrictions.clashes:
        begins.append(-1 if limits is None else place)
        if limits is not None:
            parts.append(limits.reshape(-1, 2))
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


def _blocks(
    codes: Codes,
    n_cuts: Integers,
    reach: Floats,
    is_closed: Sequence[Booleans],
    deadline: Deadline,
) -> list[tuple[int, int, int]]:
    """Intervals of cuts (side, low, high) with about the same number of rows, to be clustered.

    Clusters of several features save work where features are alike, as many features often are.
    With few of them, telling features apart first saves more: the cost of conflicts is known for
    intervals only, and where one cut is allowed on each, two slots on one feature end a node.
    """
    sides = [s for s in range(reach.size) if reach[s] > 0 and n_cuts[s >> 1] > 0]
    most = min(MAX_BLOCKS, int(MAX_BLOCK_ROWS / codes.shape[1]))
    per_side = max(1, min(BLOCKS_PER_SIDE, most // max(1, len(sides))))
    if len(sides) <= 2 * FEW_FEATURES:
        per_side = min(per_side, math.ceil(codes.shape[1] / ROWS_PER_BLOCK))
    wanted = codes.shape[1] * np.arange(1, per_side) / per_side
    runs: dict[int, list[tuple[int, int]]] = {}  # the same for both sides of a feature
    for f in deadline.watch(sorted({side >> 1 for side in sides})):
        below = np.cumsum(np.bincount(codes[f], minlength=int(n_cuts[f]) + 1))[:-1]
        ends = sorted({*np.searchsorted(below[:-1], wanted).tolist(), int(n_cuts[f]) - 1})
        pairs: Iterable[tuple[int, int]] = zip([0, *(end + 1 for end in ends)], ends, strict=False)
        if is_closed[f].any():
            pairs = (run for low, end in pairs for run in _open_runs(is_closed[f], low, end))
        runs[f] = list(pairs)
    return [(side, low, high) for side in sides for low, high in runs[side >> 1]]


def _open_runs(is_closed: Booleans, low: int, high: int) -> Iterator[tuple[int, int]]:
    """The intervals of neighbouring conditions from low to high that are allowed."""
    begin = low
    for closed in [*(low + np.flatnonzero(is_closed[low : high + 1])), high + 1]:
        if begin < closed:
            yield begin, int(closed) - 1
        begin = int(closed) + 1


def _cluster(
    codes: Codes, n_events: int, blocks: list[tuple[int, int, int]], deadline: Deadline
) -> tuple[NDArray[np.int32], NDArray[np.uint64], Integers]:
    """Children of each cluster, the rows that have its points, and its number of undecided rows."""
    n_rows, n_sets = codes.shape[1], len(blocks)
    n_words = (n_rows + 63) // 64
    some = np.zeros((2 * n_sets - 1, n_words), dtype=np.uint64)
    every = np.zeros_like(some)
    side, low, high = np.array(blocks).T
    is_above = (side & 1 == 1)[:, None]
    for part in _parts(n_sets, n_rows, deadline):
        own, first, last = codes[side[part] >> 1], low[part, None], high[part, None]
        for bits, near, far in ((some, first, last), (every, last, first)):
            bits[part] = _as_bits(np.where(is_above[part], own > near, own <= far))
    children = _join(some, every, n_sets, deadline)
    is_event = _as_bits((np.arange(n_rows) < n_events)[None, :])
    members = (some & is_event) | (every & ~is_event)
    undecided = [
        _as_booleans(np.bitwise_xor(some[part], every[part]), n_rows).sum(axis=1)
        for part in _parts(len(some), n_rows, deadline)
    ]
    return children, members, np.concatenate(undecided)


def _join(
    some: NDArray[np.uint64], every: NDArray[np.uint64], n_sets: int, deadline: Deadline
) -> NDArray[np.int32]:
    """Join sets until one is left, and write the joint ones; returns the two parts of each.

    The work grows with the square of the number of sets. So many sets are joined in parts, and then
    what is left of the parts.
    """
    children = np.full((2 * n_sets - 1, 2), -1, dtype=np.int32)
    left, place = np.arange(n_sets), n_sets
    while left.size > 1:
        roots = []
        for part in deadline.watch(np.array_split(left, -(-left.size // MOST_JOINED)), often=1):
            n_joint = part.size - 1
            own = np.concatenate([part, np.arange(place, place + n_joint)])
            own_some, own_every = some[own], every[own]
            own_children = np.full((own.size, 2), -1, dtype=np.int32)
            cluster_sets(own_some, own_every, part.size, own_children)
            joint = own[part.size :]
            some[joint], every[joint] = own_some[part.size :], own_every[part.size :]
            children[joint] = own[own_children[part.size :]]
            roots.append(own[-1])
            place += n_joint
        left = np.array(roots)
    return children


def _slots_of_clusters(blocks: list[tuple[int, int, int]], n_clusters: int) -> NDArray[np.int32]:
    """Each cluster as a slot without multiplicity: blocks come first, and are intervals."""
    slots = np.full((n_clusters, 4), -1, dtype=np.int32)
    slots[: len(blocks), at.SIDE :] = blocks
    slots[len(blocks) :, at.CLUSTER] = np.arange(len(blocks), n_clusters)
    return slots


def blocks_of(conditions: Conditions) -> NDArray[np.int32]:
    """Side, first and last cut of the clusters that are intervals."""
    slots = conditions.cluster_slots
    return slots[slots[:, at.CLUSTER] < 0, at.SIDE :]


def _facts_of_clusters(
    blocks: list[tuple[int, int, int]],
    children: NDArray[np.int32],
    undecided: Integers | Floats,
    reach: Floats,
) -> Floats:
    """The SIZE, UNDECIDED rows and STEEPEST step of each cluster."""
    facts = np.zeros((children.shape[0], 3))
    facts[:, at.UNDECIDED] = undecided
    for cluster, (side, low, high) in enumerate(blocks):
        facts[cluster, at.SIZE], facts[cluster, at.STEEPEST] = high - low + 1, reach[side]
    # children come before their parents
    for cluster in range(len(blocks), children.shape[0]):
        left, right = children[cluster]
        facts[cluster, at.SIZE] = facts[left, at.SIZE] + facts[right, at.SIZE]
        facts[cluster, at.STEEPEST] = max(facts[left, at.STEEPEST], facts[right, at.STEEPEST])
    return facts


def _parts(n_sets: int, n_rows: int, deadline: Deadline) -> Iterator[slice]:
    """As many sets of rows at a time as stay in the processor's cache."""
    step = max(1, CELLS_AT_A_TIME // max(1, n_rows))
    for begin in deadline.watch(range(0, n_sets, step), often=1):
        yield slice(begin, min(begin + step, n_sets))


def _as_bits(sets: Booleans) -> NDArray[np.uint64]:
    """Sets of rows as 64-bit words, row i at bit i % 64 of word i // 64."""
    padded = np.zeros((sets.shape[0], (sets.shape[1] + 63) // 64 * 8), dtype=np.uint8)
    packed = np.packbits(sets, axis=1, bitorder="little")
    padded[:, : packed.shape[1]] = packed
    return padded.view("<u8").astype(np.uint64)


def _as_booleans(bits: NDArray[np.uint64], n_rows: int) -> NDArray[np.uint8]:
    """0 or 1 for each set and row, from 64-bit words."""
    return np.unpackbits(bits.view(np.uint8), axis=1, count=n_rows, bitorder="little")


def _flips(
    children: NDArray[np.int32],
    members: NDArray[np.uint64],
    shape: tuple[int, int],
    deadline: Deadline,
) -> tuple[Integers, Integers]:
    """For each cluster the rows on which its points differ from its parent's, end to end.

    ``shape`` has the place where the first of them is going to be, and the number of rows.
    """
    begin, n_rows = shape
    is_child = children.ravel() >= 0
    parents, own = np.flatnonzero(is_child) // 2, children.ravel()[is_child]
    rows, counts = [np.zeros(0, dtype=np.int64)], [np.array([begin])]
    for part in _parts(own.size, n_rows, deadline):
        differs = _as_booleans(members[parents[part]] ^ members[own[part]], n_rows)
        rows.append(np.nonzero(differs)[1])
        counts.append(differs.sum(axis=1, dtype=np.int64))
    ends = np.cumsum(np.concatenate(counts))
    ranges = np.zeros((children.shape[0], 2), dtype=np.int64)
    ranges[own] = np.stack([ends[:-1], ends[1:]], axis=1)
    return np.concatenate(rows), ranges
