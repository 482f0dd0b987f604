"""The conditions of a small problem in chains, for the proof by families of conditions."""

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
    """All conditions that may be on a card, in chains; None if there are none."""
    limit, data = problem.scale.limit, problem.data
    unit = 1.0 / problem.scale.multiplier if problem.scale.kind == "fixed" else 0.0
    chains: list[_Chain] = []
    for column in np.flatnonzero(problem.is_usable).tolist():
        cuts = np.flatnonzero(~problem.restrictions.is_closed[column]).tolist()
        sets = [data.codes[column] <= cut for cut in cuts]
        _join(chains, _Chain([(column, cut, False) for cut in cuts], sets))
    if not chains:
        return None
    members = [member for chain in chains for member in chain.members]
    columns, places, turned = np.array(members, dtype=np.int64).T
    high, low = (
        np.where(jumps != 0, limit, 0.0) if unit == 0 else jumps * unit
        for jumps in (problem.jump_high[columns], -problem.jump_low[columns])
    )
    ends = np.stack([-np.where(turned == 1, high, low), np.where(turned == 1, low, high)])
    codes, weights = _rows(chains, problem)
    rate = math.log(weights[0].sum() / weights[1].sum())
    reach = problem.limits.max_terms * float(np.abs(ends).max())
    sizes = [len(chain.members) for chain in chains]
    family = Family(
        codes=codes,
        weights=weights,
        first=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        chain_of=np.repeat(np.arange(len(chains)), sizes).astype(np.int64),
        ends=ends,
        offsets=np.array([rate - reach, rate + reach]),
        max_terms=int(problem.limits.max_terms),
    )
    return Chains(family, columns, places, turned == 1, rate)


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


def _rows(chains: list[_Chain], problem: Problem) -> tuple[np.ndarray, Floats]:
    """Codes (chains, rows) of the different rows, and their weights with and without the event.

    The weights of each class are rounded down so that their sums are exact.
    """
    data = problem.data
    codes = np.array(
        [len(chain.sets) - np.sum(chain.sets, axis=0) for chain in chains], dtype=np.uint8
    )
    patterns, index = np.unique(codes.T, axis=0, return_inverse=True)
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
