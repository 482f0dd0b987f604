"""A table as codes: each value replaced by the number of candidate cuts below it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from riskcard.problem.atoms import Atoms, plain_atoms
from riskcard.problem.feature_rules import CardRules, FeatureRule, is_directed
from riskcard.problem.nominal import group_levels
from riskcard.problem.specials import atoms_with_specials
from riskcard.problem.table import Table

__all__ = ["CutGrid", "RankedData", "ValueGroups", "rank_table"]

Item = TypeVar("Item")
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class ValueGroups:
    """What the atoms of a feature are, besides the bins between cuts.

    ``specials`` are values with an atom of their own, NaN for a missing one; they come first, then
    the bins. A feature with levels has no bins: ``levels`` are the indices of each atom, -1 for a
    missing value.
    """

    specials: tuple[float, ...] = ()
    levels: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class CutGrid:
    """The candidate cuts of every feature, each a gap between two neighbouring data values.

    Cut ``c`` of feature ``f`` lies in ``[below[f][c], above[f][c])``: any number of that interval
    divides the rows in the same way, because a value at the cut counts as below it. ``groups`` say
    what else there is in features that are more than numbers, None for those that are not.
    """

    below: tuple[NDArray[np.float64], ...]
    above: tuple[NDArray[np.float64], ...]
    is_full: bool  # every gap between neighbouring distinct values is a candidate
    groups: tuple[ValueGroups | None, ...] = ()
    merged: tuple[int, ...] = ()  # features whose levels were merged before they are grouped


@dataclass(frozen=True, slots=True)
class RankedData:
    """Rows as codes: condition ``c`` of column ``v`` holds for row ``i`` iff ``codes[v, i] <= c``.

    A feature of numbers without holes is one column: its conditions say "at or below cut c". Any
    other feature has one column or several; its ``Atoms`` say how they hang together.

    Attributes
    ----------
    codes
        Shape (columns, rows), int32, contiguous by column; in ``0 .. n_cuts[v]``.
    n_cuts
        Number of conditions of each column; a constant one has none.
    labels
        +1 for the event, -1 otherwise, int8.
    weights
        Positive row weights.
    feature_of
        The feature of each column, ascending; by default each column is a feature.
    atoms
        For each feature its atoms; None for plain numbers.
    """

    codes: NDArray[np.int32]
    n_cuts: NDArray[np.int64]
    labels: NDArray[np.int8]
    weights: NDArray[np.float64]
    feature_of: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    atoms: tuple[Atoms | None, ...] = ()

    def __post_init__(self) -> None:
        if self.feature_of.size == 0:
            object.__setattr__(self, "feature_of", np.arange(self.codes.shape[0]))
        if not self.atoms:
            object.__setattr__(self, "atoms", (None,) * self.n_features)

    @property
    def n_columns(self) -> int:
        return self.codes.shape[0]

    @property
    def n_features(self) -> int:
        return int(self.feature_of[-1]) + 1 if self.feature_of.size else 0

    @property
    def n_rows(self) -> int:
        return self.codes.shape[1]

    @property
    def first_columns(self) -> NDArray[np.int64]:
        """The first column of each feature."""
        return np.searchsorted(self.feature_of, np.arange(self.n_features))


@dataclass(frozen=True, slots=True)
class _Ranked:
    """One feature: the codes of its columns, their number of conditions, and what they mean."""

    codes: NDArray[np.int32]  # (columns, rows)
    n_cuts: NDArray[np.int64]
    below: NDArray[np.float64]
    above: NDArray[np.float64]
    is_full: bool = True
    atoms: Atoms | None = None
    groups: ValueGroups | None = None
    is_merged: bool = False


def rank_table(
    table: Table,
    grid: int | None = None,
    n_jobs: int = 1,
    rules: CardRules | None = None,
    needs_atoms: bool = False,
) -> tuple[RankedData, CutGrid]:
    """Replace values by codes, and list the candidate cuts.

    Parameters
    ----------
    table
        The checked input.
    grid
        None takes every gap between neighbouring distinct values; a number takes at most that
        many cuts a feature, at quantiles of the rows by weight.
    n_jobs
        Threads; the features are independent.
    rules
        Which cuts are allowed, which values are special.
    needs_atoms
        Count the rows of every bin, of plain features too.
    """
    rules = rules or CardRules()
    n_features = table.values.shape[1]
    of_feature = [rules.rule_of(name) for name in table.names]

    def rank_one(f: int) -> _Ranked:
        ranked = _rank_feature(table, f, grid, of_feature[f])
        if needs_atoms and ranked.atoms is None:
            atoms = plain_atoms(ranked.codes[0], table.labels, int(ranked.n_cuts[0]))
            ranked = replace(ranked, atoms=atoms)
        return ranked

    # features of several columns first: then it is known where those of one stand
    has_holes = np.logical_or.reduce(np.isnan(table.values), axis=0)
    is_plain = [_is_plain(table, f, of_feature[f], bool(has_holes[f])) for f in range(n_features)]
    several = [f for f in range(n_features) if not is_plain[f]]
    found = dict(zip(several, _on_threads(rank_one, several, n_jobs), strict=True))
    widths = [1 if is_plain[f] else found[f].n_cuts.size for f in range(n_features)]
    places = np.concatenate([[0], np.cumsum(widths)])
    codes = np.empty((int(places[-1]), table.values.shape[0]), dtype=np.int32)

    def rank_in_place(f: int) -> _Ranked:
        ranked = rank_one(f) if is_plain[f] else found[f]
        codes[places[f] : places[f + 1]] = ranked.codes
        return replace(ranked, codes=np.zeros((0, 0), dtype=np.int32))

    parts = _on_threads(rank_in_place, range(n_features), n_jobs)
    cuts = CutGrid(
        below=tuple(part.below for part in parts),
        above=tuple(part.above for part in parts),
        is_full=all(part.is_full for part in parts),
        groups=tuple(part.groups for part in parts),
        merged=tuple(f for f, part in enumerate(parts) if part.is_merged),
    )
    data = RankedData(
        codes=codes,
        n_cuts=np.concatenate([part.n_cuts for part in parts]),
        labels=table.labels,
        weights=table.weights,
        feature_of=np.repeat(np.arange(n_features), widths),
        atoms=tuple(part.atoms for part in parts),
    )
    return data, cuts


def _is_plain(table: Table, f: int, rule: FeatureRule, has_holes: bool) -> bool:
    """Whether a feature is nothing but numbers."""
    levels = table.levels[f]
    is_number = levels is None or levels.is_ordered
    return is_number and not has_holes and not _codes_in(table.values[:, f], rule)


def _rank_feature(table: Table, f: int, grid: int | None, rule: FeatureRule) -> _Ranked:
    values, levels = table.values[:, f], table.levels[f]
    if levels is not None and not levels.is_ordered:
        return _rank_levels(table, values, len(levels.names))
    special = _specials_in(values, rule)
    is_number = np.ones(values.size, dtype=bool)
    for value in special:
        is_number &= ~(np.isnan(values) if np.isnan(value) else values == value)
    numbers = values if not special else values[is_number]
    allowed = rule.cuts if rule.cuts is not None else rule.fixed_cuts
    if numbers.size == 0:
        codes, below, above, is_full = np.zeros(0, np.int32), np.zeros(0), np.zeros(0), True
    elif allowed is not None:
        codes, below, is_full = *_rank_by_cuts(numbers, np.asarray(allowed)), True
        above = np.nextafter(below, np.inf)
    else:
        weights = table.weights if not special else table.weights[is_number]
        codes, below, above, is_full = _rank_numbers(numbers, weights, grid)
    if not special:
        return _Ranked(codes[None, :], np.array([below.size]), below, above, is_full)
    atom_of_row = np.empty(values.size, dtype=np.int32)
    atom_of_row[is_number] = codes + len(special)
    for atom, value in enumerate(special):
        atom_of_row[np.isnan(values) if np.isnan(value) else values == value] = atom
    n_bins = below.size + 1 if numbers.size else 0
    is_event = table.labels > 0
    atoms = atoms_with_specials(atom_of_row, is_event, len(special), n_bins, is_directed(rule))
    ranked = atoms.codes[:, atom_of_row]
    return _Ranked(
        ranked, atoms.n_cuts(), below, above, is_full, atoms, ValueGroups(specials=special)
    )


def _rank_levels(table: Table, values: NDArray[np.float64], n_levels: int) -> _Ranked:
    index = np.where(np.isnan(values), -1, values).astype(np.int64)
    grouped = group_levels(index, n_levels, table.labels > 0, table.weights)
    nothing = np.zeros(0)
    return _Ranked(
        grouped.atoms.codes[:, grouped.atom_of_row],
        grouped.atoms.n_cuts(),
        nothing,
        nothing,
        atoms=grouped.atoms,
        groups=ValueGroups(levels=grouped.levels),
        is_merged=grouped.is_merged,
    )


def _specials_in(values: NDArray[np.float64], rule: FeatureRule) -> tuple[float, ...]:
    """The special values that occur; NaN last."""
    holes = (float("nan"),) if np.isnan(values).any() else ()
    return (*_codes_in(values, rule), *holes)


def _codes_in(values: NDArray[np.float64], rule: FeatureRule) -> tuple[float, ...]:
    """The special codes of a rule that occur."""
    return tuple(float(code) for code in rule.codes if np.any(values == code))


def _rank_numbers(
    values: NDArray[np.float64], weights: NDArray[np.float64], grid: int | None
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64], bool]:
    """Codes, both ends of every gap, and whether every gap is there."""
    codes, distinct = _rank_column(values)
    if grid is None or distinct.size - 1 <= grid:
        return codes, distinct[:-1], distinct[1:], True
    kept = _quantile_cuts(codes, weights, distinct.size, grid)
    codes = np.searchsorted(kept, codes, side="left").astype(np.int32)
    return codes, distinct[kept], distinct[kept + 1], False


def _rank_by_cuts(
    values: NDArray[np.float64], cuts: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Codes by given cuts, and those of the cuts that divide the values, each way of dividing once."""
    bins = np.searchsorted(cuts, values, side="left")
    filled = np.unique(bins)
    kept = filled[:-1]  # of cuts with no value between them the first is kept
    return np.searchsorted(kept, bins, side="left").astype(np.int32), cuts[kept].astype(np.float64)


def _on_threads(work: Callable[[Item], Made], items: Iterable[Item], n_jobs: int) -> list[Made]:
    if n_jobs == 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(n_jobs) as threads:
        return list(threads.map(work, items))


def _rank_column(values: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Rank of each value among the distinct ones, and the distinct ones in order."""
    lowest, highest = values.min(), values.max()
    is_high = values == highest
    if (is_high | (values == lowest)).all():  # two values, or one, as many columns have
        return (is_high & (highest > lowest)).astype(np.int32), np.array(
            [lowest, highest] if highest > lowest else [lowest]
        )
    order = np.argsort(values)
    ordered = values[order]
    is_new = np.empty(values.size, dtype=bool)
    is_new[0] = False
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    codes = np.empty(values.size, dtype=np.int32)
    codes[order] = np.cumsum(is_new, dtype=np.int32)
    is_new[0] = True
    return codes, ordered[is_new]


def _quantile_cuts(
    codes: NDArray[np.int32], weights: NDArray[np.float64], n_distinct: int, grid: int
) -> NDArray[np.int64]:
    """Indices of the gaps kept: at most ``grid``, near quantiles of the rows by their weight."""
    weight_below = np.cumsum(np.bincount(codes, weights, minlength=n_distinct))
    wanted = weight_below[-1] * np.arange(1, grid + 1) / (grid + 1)
    return np.unique(np.minimum(np.searchsorted(weight_below[:-1], wanted), n_distinct - 2))
