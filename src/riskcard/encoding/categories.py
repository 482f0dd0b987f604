"""Conditions on a feature with levels: every way to divide the levels into two groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.problem.atoms import Atoms, chains_of_all_groupings

#: By the number of rows, the most atoms: every grouping of them is a candidate, and further levels
#: are merged first. Long tables get fewer, since every chain of groupings is a column of codes.
MOST_ATOMS = ((60_000, 8), (400_000, 6), (None, 5))
#: Rows of average risk added to every level before levels are put in order of their event rates.
PRIOR_ROWS, PRIOR_ROWS_TO_MERGE = 1.0, 20.0
#: Levels with fewer rows are pooled where levels are merged.
RARE_ROWS = 10
#: More levels than this are first merged by their order alone.
MOST_LEVELS_WEIGHED = 400


@dataclass(frozen=True, slots=True)
class GroupedLevels:
    """The atoms of a feature, the atom of each row, and the levels of each atom (-1: missing)."""

    atoms: Atoms
    atom_of_row: NDArray[np.int32]
    levels: tuple[tuple[int, ...], ...]
    is_merged: bool


def group_levels(
    index: Integers,
    n_levels: int,
    is_event: Booleans,
    weights: Floats,
    points: Integers | None = None,
    counts: Integers | None = None,
) -> GroupedLevels:
    """Make atoms of the levels of a feature, in order of their event rates.

    Missing values are one more level, which is never merged with others. Where there are too many
    levels, rare ones are pooled first: their event rates are largely chance. Then neighbours
    in the order of event rates (shrunk towards the average) are merged so that the risks of the
    groups fit the rows best.

    Parameters
    ----------
    index
        The level of each row, -1 where it is missing.
    points
        What a card gives each level, where that is to stay possible: levels with different points
        are not merged.
    counts
        How many rows each row stands for; None where each stands for itself.
    """
    n_rows = index.size if counts is None else int(counts.sum())
    most = next(most for rows, most in MOST_ATOMS if rows is None or n_rows <= rows)
    place = np.where(index < 0, n_levels, index)
    sums = _Sums.of(place, n_levels + 1, is_event, weights, counts)
    has_missing = bool(sums.rows[-1])
    parts = [np.array([level]) for level in np.flatnonzero(sums.rows[:-1])]
    is_merged = len(parts) > most - has_missing
    if is_merged:
        parts = _merge_alike(parts, sums, most - has_missing, points)
    if has_missing:
        parts.append(np.array([n_levels]))
    parts = sums.by_rate(parts, PRIOR_ROWS)
    atom_of_level = np.zeros(n_levels + 1, dtype=np.int32)
    for atom, part in enumerate(parts):
        atom_of_level[part] = atom
    atom_of_row = atom_of_level[place]
    names = tuple(
        tuple(-1 if level == n_levels else int(level) for level in sorted(part)) for part in parts
    )
    return GroupedLevels(_atoms(atom_of_row, is_event, len(parts)), atom_of_row, names, is_merged)


@dataclass(frozen=True, slots=True)
class _Sums:
    """Weight of the rows, and of the rows with the event, of each level; and of an average row."""

    rows: Integers  # how many there are
    total: Floats
    events: Floats
    row: float

    @classmethod
    def of(
        cls,
        place: Integers,
        n_places: int,
        is_event: Booleans,
        weights: Floats,
        counts: Integers | None = None,
    ) -> _Sums:
        """Add up the rows of each place."""
        events = np.bincount(place[is_event], weights[is_event], n_places)
        return cls(
            np.bincount(place, counts, n_places).astype(np.int64),
            np.bincount(place, weights, n_places).astype(np.float64),
            events.astype(np.float64),
            float(weights.mean() if counts is None else weights.sum() / counts.sum()),
        )

    def by_rate(self, parts: list[Integers], prior_rows: float) -> list[Integers]:
        """Groups of levels in ascending order of their event rates, shrunk towards the average."""
        average, prior = self.events.sum() / self.total.sum(), prior_rows * self.row
        rates = [
            (self.events[part].sum() + prior * average) / (self.total[part].sum() + prior)
            for part in parts
        ]
        return [parts[place] for place in np.argsort(rates, kind="stable")]


def merge_places(
    place: Integers,
    n_places: int,
    is_event: Booleans,
    weights: Floats,
    most: int,
    points: Integers | None = None,
) -> list[Integers]:
    """At most ``most`` groups of places with similar event rates, in ascending order of the first.

    Places with different ``points`` are not merged, if there are more of these.
    """
    sums = _Sums.of(place, n_places, is_event, weights)
    parts = _merge_alike([np.array([one]) for one in range(n_places)], sums, most, points)
    return sorted((np.sort(part) for part in parts), key=lambda part: int(part[0]))


def _merge_alike(
    parts: list[Integers], sums: _Sums, most: int, points: Integers | None
) -> list[Integers]:
    """Merge levels with similar event rates, but only those to which a card gives the same points.

    Of the groups, each number of points gets one, and then those with most levels get more.
    """
    if points is None:
        return _merge_similar(parts, sums, most)
    alike: dict[int, list[Integers]] = {}
    for part in parts:
        alike.setdefault(int(points[part[0]]), []).append(part)
    room = dict.fromkeys(alike, 1)
    for _ in range(most - len(alike)):
        fullest = max(alike, key=lambda worth: len(alike[worth]) / room[worth])
        room[fullest] += 1
    merged = [_merge_similar(own, sums, room[worth]) for worth, own in alike.items()]
    return [part for own in merged for part in own]


def _merge_similar(parts: list[Integers], sums: _Sums, most: int) -> list[Integers]:
    """Rare levels as one group; then neighbours in the order of their event rates as one."""
    return _merge(sums.by_rate(_pool_rare(parts, sums.rows), PRIOR_ROWS_TO_MERGE), sums, most)


def _pool_rare(parts: list[Integers], counts: Integers) -> list[Integers]:
    """Levels with few rows as one group."""
    rare = [part for part in parts if counts[part].sum() < RARE_ROWS]
    if len(rare) < 2:
        return parts
    return [part for part in parts if counts[part].sum() >= RARE_ROWS] + [np.concatenate(rare)]


def _atoms(atom_of_row: NDArray[np.int32], is_event: Booleans, n_atoms: int) -> Atoms:
    """Every two-way grouping of the atoms.

    ``most_terms``: compatible divisions of ``n`` things are the edges of a tree (Buneman 1971),
    which can be refined to one with ``2 n - 3`` edges, whatever divisions it starts from.
    """
    chains = chains_of_all_groupings(n_atoms) if n_atoms > 1 else [[0]]
    return Atoms(
        codes=np.array(chains, dtype=np.int32),
        rows=np.bincount(atom_of_row, minlength=n_atoms).astype(np.int64),
        events=np.bincount(atom_of_row[is_event], minlength=n_atoms).astype(np.int64),
        thresholds=tuple(np.full(max(chain), -1, dtype=np.int64) for chain in chains),
        most_terms=max(2 * n_atoms - 3, 1) if n_atoms > 1 else 0,
    )


def _merge(parts: list[Integers], sums: _Sums, most: int) -> list[Integers]:
    """At most ``most`` runs of groups whose risks fit the rows best, by dynamic programming."""
    if len(parts) <= most:
        return parts
    if len(parts) > MOST_LEVELS_WEIGHED:
        weight = np.cumsum([sums.total[part].sum() for part in parts])
        run = (weight * MOST_LEVELS_WEIGHED / weight[-1]).astype(np.int64)
        parts = [
            np.concatenate([parts[place] for place in np.flatnonzero(run == value)])
            for value in np.unique(run)
        ]
    total = np.concatenate([[0.0], np.cumsum([sums.total[part].sum() for part in parts])])
    hits = np.concatenate([[0.0], np.cumsum([sums.events[part].sum() for part in parts])])
    n = len(parts)
    best, choices = np.full(n + 1, np.inf), []
    best[0] = 0.0
    for _ in range(min(most, n)):
        reached, chosen = np.full(n + 1, np.inf), np.zeros(n + 1, dtype=np.int64)
        for end in range(1, n + 1):
            loss = best[:end] + _entropy(hits[end] - hits[:end], total[end] - total[:end])
            chosen[end] = int(np.argmin(loss))
            reached[end] = loss[chosen[end]]
        best = reached
        choices.append(chosen)
    merged, end = [], n
    for chosen in reversed(choices):
        begin = int(chosen[end])
        merged.append(np.concatenate(parts[begin:end]))
        end = begin
    return merged[::-1]


def _entropy(events: Floats, total: Floats) -> Floats:
    """The log-loss of rows that all get the rate of their group."""
    share = np.clip(events / total, 1e-12, 1 - 1e-12)
    return -(events * np.log(share) + (total - events) * np.log1p(-share))
