"""The conditions of a problem in chains and groups, for the proof by families of conditions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.kernels.proof.supports.records import Family
from riskcard.problem.problem import Problem
from riskcard.search.proof.conditions import exact_weights

#: Codes of a chain are single bytes.
LONGEST_CHAIN = 255


@dataclass(frozen=True, slots=True)
class Chains:
    """The conditions of a problem in chains.

    Attributes
    ----------
    family
        What the kernels see.
    columns, cuts
        The condition of the problem that each one is.
    is_turned
        Whether it holds where that one does not; its points are the negative of that one's.
    rate
        The log-odds of the base rate.
    """

    family: Family
    columns: Integers
    cuts: Integers
    is_turned: Booleans
    rate: float

    def holds(self, conditions: Integers) -> Booleans:
        """In which rows of the family each of some conditions holds (conditions, rows)."""
        family = self.family
        chains = family.chain_of[conditions]
        codes = family.codes[family.group_of[chains]]
        places = np.take_along_axis(family.places[chains], codes.astype(np.int64), axis=1)
        return np.asarray(places <= (conditions - family.first[chains])[:, None])


@dataclass(slots=True)
class _Chain:
    """Conditions each of which implies the next, as (column, cut, is_turned), and their rows."""

    members: list[tuple[int, int, bool]]
    sets: list[Booleans]

    def turned(self) -> _Chain:
        """The opposite of each, in the opposite order."""
        members = [(column, cut, not turned) for column, cut, turned in self.members[::-1]]
        return _Chain(members, [~rows for rows in self.sets[::-1]])

    def is_below(self, other: _Chain) -> bool:
        """Whether all conditions imply those of the other chain."""
        return not (self.sets[-1] & ~other.sets[0]).any()


def arrange_chains(problem: Problem) -> Chains | None:
    """All conditions that may be on a card, in chains and groups; None if there are none."""
    groups = _groups(problem)
    if not groups:
        return None
    limit = problem.scale.limit
    chains = [chain for group in groups for chain in group]
    members = [member for chain in chains for member in chain.members]
    columns, cuts, turned = np.array(members, dtype=np.int64).T
    high, low = (
        np.where(jumps != 0, limit, 0.0)
        for jumps in (problem.jump_high[columns], problem.jump_low[columns])
    )
    ends = np.stack([-np.where(turned == 1, high, low), np.where(turned == 1, low, high)])
    codes, places = _codes(groups)
    rows, weights = _rows(codes, problem)
    rate = math.log(weights[0].sum() / weights[1].sum())
    reach = problem.limits.max_terms * float(np.abs(ends).max())
    sizes = [len(chain.members) for chain in chains]
    chain_counts = [len(group) for group in groups]
    family = Family(
        codes=rows,
        weights=weights,
        first=_starts(sizes),
        chain_of=np.repeat(np.arange(len(chains)), sizes).astype(np.int64),
        chains=_starts(chain_counts),
        group_of=np.repeat(np.arange(len(groups)), chain_counts).astype(np.int64),
        base=_starts([part.shape[1] for part in places]),
        places=_padded(places),
        is_basis=np.concatenate([_basis(*pair) for pair in zip(groups, places, strict=True)]),
        ends=ends,
        offsets=np.array([rate - reach, rate + reach]),
        max_terms=int(problem.limits.max_terms),
    )
    return Chains(family, columns, cuts, turned == 1, rate)


def _starts(sizes: list[int]) -> Integers:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _groups(problem: Problem) -> list[list[_Chain]]:
    """The chains of each feature that has several; other chains are joined where they can be."""
    data, of_feature, joined = problem.data, dict[int, list[_Chain]](), list[_Chain]()
    for column in np.flatnonzero(problem.is_usable).tolist():
        cuts = np.flatnonzero(~problem.restrictions.is_closed[column]).tolist()
        if cuts:
            chain = _Chain(
                [(column, cut, False) for cut in cuts],
                [data.codes[column] <= cut for cut in cuts],
            )
            of_feature.setdefault(int(data.feature_of[column]), []).append(chain)
    groups = []
    for chains in of_feature.values():
        if len(chains) == 1:
            _join(joined, chains[0])
        elif _count_codes(chains) > LONGEST_CHAIN:
            groups += [[chain] for chain in chains]
        else:
            groups.append(sorted(chains, key=lambda chain: -len(chain.sets)))
    return [[chain] for chain in joined] + groups


def _places(chain: _Chain) -> Integers:
    """The place of every row of the problem: how many conditions do not hold."""
    return np.asarray(len(chain.sets) - np.sum(chain.sets, axis=0))


def _count_codes(chains: list[_Chain]) -> int:
    """How many codes a group of chains would have."""
    return int(np.unique([_places(chain) for chain in chains], axis=1).shape[1])


def _codes(groups: list[list[_Chain]]) -> tuple[np.ndarray, list[Integers]]:
    """The code of each row in each group, and for each group the places (chains, codes)."""
    codes, places = [], []
    for group in groups:
        own = np.array([_places(chain) for chain in group])
        different, index = np.unique(own, axis=1, return_inverse=True)
        codes.append(index.ravel())
        places.append(different.astype(np.int64))
    return np.array(codes), places


def _padded(places: list[Integers]) -> Integers:
    """The places of all chains in one array, line by line: another order would be compiled again."""
    widest = max(part.shape[1] for part in places)
    parts = [np.pad(part, ((0, 0), (0, widest - part.shape[1]))) for part in places]
    return np.ascontiguousarray(np.concatenate(parts))


def _basis(group: list[_Chain], places: Integers) -> np.ndarray:
    """Which conditions of a group suffice for the log-odds of all of them: 1, others 0."""
    found, reduced = list[int](), list[Floats]()
    for chain, place in zip(group, places, strict=True):
        for q in range(len(chain.members)):
            # what earlier conditions and the offset leave of it
            rest = np.where(place <= q, 1.0, 0.0)
            rest -= rest[0]
            for one in reduced:
                lead = int(np.argmax(np.abs(one)))
                rest -= one * (rest[lead] / one[lead])
            is_new = bool(np.abs(rest).max() > 1e-6)
            found.append(int(is_new))
            if is_new:
                reduced.append(rest)
    return np.array(found, dtype=np.int8)


def _join(chains: list[_Chain], new: _Chain) -> None:
    """Add a chain to the end or the beginning of another one, if it fits there."""
    turned = new.turned()
    for chain in chains[::-1]:
        if len(chain.members) + len(new.members) > LONGEST_CHAIN:
            continue
        for way in (new, turned):
            if chain.is_below(way):
                chain.members += way.members
                chain.sets += way.sets
                return
            if way.is_below(chain):
                chain.members[:0] = way.members
                chain.sets[:0] = way.sets
                return
    chains.append(new)


def _rows(codes: np.ndarray, problem: Problem) -> tuple[np.ndarray, Floats]:
    """Codes (groups, rows) of the different rows, and their weights with and without the event.

    The weights of each class are rounded down so that their sums are exact.
    """
    data = problem.data
    patterns, index = np.unique(codes.astype(np.uint8).T, axis=0, return_inverse=True)
    exact = np.empty(data.n_rows)
    for label in (1, -1):
        exact[data.labels == label] = exact_weights(data.weights[data.labels == label])
    weights = np.stack(
        [
            np.bincount(index.ravel(), exact * (data.labels == label), minlength=len(patterns))
            for label in (1, -1)
        ]
    )
    return np.ascontiguousarray(patterns.T), weights.astype(np.float64)
