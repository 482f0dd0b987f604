"""A table as codes: each value replaced by the number of candidate cuts below it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from riskcard.arrays import Codes, Floats, Integers
from riskcard.data.table import Table
from riskcard.encoding.categories import group_levels, merge_places
from riskcard.encoding.ranks import find_two_valued, have_missing, rank_values
from riskcard.encoding.special_values import atoms_with_specials, most_specials
from riskcard.formatting.numbers import choose_cut
from riskcard.problem.atoms import Atoms, plain_atoms
from riskcard.problem.ranked_data import RankedData
from riskcard.rules.card_rules import CardRules, FeatureRule, is_directed
from riskcard.threads import map_on_threads

#: Sums of weights below a cut that differ by less than this part are equal.
QUANTILE_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class ValueGroups:
    """What the atoms of a feature are, in addition to the bins between cuts.

    ``specials`` are the values of each atom of special values, NaN for a missing one; they come
    first, then the bins. A feature with levels has no bins: ``levels`` are the indices of each atom, -1 for a
    missing value.
    """

    specials: tuple[tuple[float, ...], ...] = ()
    levels: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Gaps:
    """The candidate cuts of one feature, each a gap between two neighbouring data values.

    The ends of every gap would take twice the memory of its codes. So where each gap between
    distinct values is a candidate, they are not ``kept`` but looked up among the rows.
    """

    n_cuts: int
    kept: tuple[Floats, Floats] | None
    values: Floats  # of the feature
    codes: Codes  # of its first column

    def ends(self, cut: int) -> tuple[float, float]:
        """The values below and above a cut.

        Any number from the first one on and below the second divides the rows in the same way,
        because a value at the cut counts as below it.
        """
        if self.kept is not None:
            return float(self.kept[0][cut]), float(self.kept[1][cut])
        rows = [int((self.codes == code).argmax()) for code in (cut, cut + 1)]
        return float(self.values[rows[0]]), float(self.values[rows[1]])

    def all_ends(self) -> tuple[Floats, Floats]:
        """The values below all cuts, ascending, and those above."""
        if self.kept is not None:
            return self.kept
        distinct = np.unique(self.values)
        return distinct[:-1], distinct[1:]

    def numbers(self) -> Floats:
        """A number between each two cuts, ascending; none where there are no cuts."""
        below, above = self.all_ends()
        return np.concatenate([below, above[-1:]])


@dataclass(frozen=True, slots=True)
class CutGrid:
    """The candidate cuts of every feature.

    ``groups`` say what else there is in features that are more than numbers.
    """

    gaps: tuple[Gaps, ...]
    is_full: bool  # every gap between neighbouring values is a candidate, of every feature
    groups: tuple[ValueGroups, ...] = ()
    merged: tuple[int, ...] = ()  # features whose levels or special values were merged at first


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of one feature: how many conditions each has, and what they mean."""

    n_cuts: Integers
    ends: tuple[Floats, Floats] | None = None  # see ``Gaps``
    is_full: bool = True
    atoms: Atoms | None = None
    groups: ValueGroups = ValueGroups()
    is_merged: bool = False


#: The codes of the columns of a feature, shape (columns, rows), and the columns.
_Ranked = tuple[NDArray[np.int32], _Columns]
#: From numbers of a feature to the points that a card gives them.
PointsOfNumbers = Callable[[Floats], Integers]
#: A cut of a grid moves to a rounder number within this part of the way to the next quantile.
ROUNDING_ROOM = 0.25


@dataclass(frozen=True, slots=True)
class _Grid:
    """Which cuts of a feature are candidates.

    At most ``size``, at round numbers if ``is_round``, at quantiles of the rows by ``weights``; and
    those at which ``kept``, the points of a card, change.
    """

    size: int | None
    is_round: bool
    kept: PointsOfNumbers | None
    weights: Floats


def rank_table(
    table: Table,
    grid: int | None = None,
    n_jobs: int = 1,
    rules: CardRules | None = None,
    needs_atoms: bool = False,
    kept: Mapping[str, PointsOfNumbers] | None = None,
    is_even: bool = False,
) -> tuple[RankedData, CutGrid]:
    """Replace values by codes, and list the candidate cuts.

    Parameters
    ----------
    table
        The checked input.
    grid
        None takes every gap between neighbouring distinct values; a number takes at most that
        many cuts per feature, at quantiles of the rows by weight.
    n_jobs
        Threads; the features are independent.
    rules
        Which cuts are allowed, which values are special.
    needs_atoms
        Count the rows of every bin, of plain features too.
    kept
        The features of a card whose cuts are candidates, on the grid or not.
    is_even
        Rows with and without the event count the same in the quantiles of a grid.
    """
    rules, kept = rules or CardRules(), kept or {}
    spread = _even_weights(table) if is_even and grid is not None else table.weights
    values, n_features = table.values, table.values.shape[1]
    of_feature = [rules.rule_of(name) for name in table.names]

    def rank_one(f: int) -> _Ranked:
        make = _Grid(grid, rules.round_cuts is not None, kept.get(table.names[f]), spread)
        codes, columns = _rank_feature(table, f, make, of_feature[f])
        if needs_atoms and columns.atoms is None:
            atoms = plain_atoms(codes[0], table.labels, int(columns.n_cuts[0]))
            columns = replace(columns, atoms=_counted(atoms, table, codes[0]))
        return codes, columns

    # features of several columns come first: then the places of the others are known
    is_plain = np.array([_is_plain(table, f, of_feature[f]) for f in range(n_features)])
    is_plain &= ~have_missing(values)
    several = np.flatnonzero(~is_plain).tolist()
    found = dict(zip(several, map_on_threads(rank_one, several, n_jobs), strict=True))
    widths = [1 if is_plain[f] else found[f][1].n_cuts.size for f in range(n_features)]
    places = np.concatenate([[0], np.cumsum(widths)])
    codes = np.empty((int(places[-1]), values.shape[0]), dtype=np.int32)

    # in many tables most columns say yes or no
    switches = find_two_valued(values)
    is_switch = switches.is_two & is_plain & (not needs_atoms)
    is_switch &= [rule.cuts is None and rule.fixed_cuts is None for rule in of_feature]
    if table.merged is not None:  # two bins, of which each stands for many numbers
        is_switch &= [cuts is None for cuts in table.merged.cuts]

    def rank_in_place(f: int) -> _Columns:
        if is_switch[f]:
            codes[places[f]] = switches.is_above[:, f]
            return _Columns(switches.n_cuts[f : f + 1])
        codes_of_feature, columns = rank_one(f) if is_plain[f] else found.pop(f)
        codes[places[f] : places[f + 1]] = codes_of_feature
        return columns

    parts = map_on_threads(rank_in_place, range(n_features), n_jobs)
    cuts = CutGrid(
        gaps=tuple(
            Gaps(_n_gaps(part), part.ends, values[:, f], codes[places[f]])
            for f, part in enumerate(parts)
        ),
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


def _even_weights(table: Table) -> Floats:
    """Weights by which both classes weigh the same.

    A rare event is known by few rows, and these often lie at one end of a feature. Between quantiles
    of all rows there would hardly be a cut among them.
    """
    is_event = table.labels > 0
    sums = [table.weights[is_own].sum() for is_own in (is_event, ~is_event)]
    if min(sums) == 0:
        return table.weights
    even: Floats = table.weights / np.where(is_event, *sums)
    return even


def _n_gaps(columns: _Columns) -> int:
    """The cuts of a feature between numbers."""
    return int(columns.n_cuts[0]) if columns.ends is None else columns.ends[0].size


def _is_plain(table: Table, f: int, rule: FeatureRule) -> bool:
    """Whether a feature has only numbers, apart from missing values."""
    levels = table.levels[f]
    is_number = levels is None or levels.is_ordered
    return is_number and not _codes_in(table.values[:, f], rule)


def _rank_feature(table: Table, f: int, grid: _Grid, rule: FeatureRule) -> _Ranked:
    # a copy: all further passes are over neighbouring numbers
    values, levels = np.ascontiguousarray(table.values[:, f]), table.levels[f]
    if levels is not None and not levels.is_ordered:
        return _rank_levels(table, values, len(levels.names), grid.kept)
    special = _specials_in(values, rule)
    atom_of_row = np.full(values.size if special else 0, -1, dtype=np.int32)
    for atom, value in enumerate(special):
        atom_of_row[np.isnan(values) if np.isnan(value) else values == value] = atom
    is_number = atom_of_row < 0
    numbers = values[is_number] if special else values
    allowed: Sequence[float] | Floats | None = (
        rule.cuts if rule.cuts is not None else rule.fixed_cuts
    )
    is_full = True
    if table.merged is not None and table.merged.cuts[f] is not None:
        allowed = table.merged.cuts[f]  # among them are those that are allowed
    if numbers.size == 0:
        codes, below, above = np.zeros(0, np.int32), np.zeros(0), np.zeros(0)
    elif allowed is not None:
        codes, below = _rank_by_cuts(numbers, np.asarray(allowed))
        is_full = False
        above = np.nextafter(below, np.inf)
    else:
        weights = grid.weights[is_number] if special else grid.weights
        own = grid if levels is None else replace(grid, is_round=False)
        codes, below, above, is_full = _rank_numbers(numbers, weights, own)
        if is_full and not special:
            return codes[None, :], _Columns(np.array([below.size]))
    if not special:
        return codes[None, :], _Columns(np.array([below.size]), (below, above), is_full)
    n_bins, is_event = below.size + 1 if numbers.size else 0, table.labels > 0
    parts = _merge_specials(table, special, atom_of_row, n_bins, grid.kept)
    atom_of_special = np.zeros(len(special), dtype=np.int32)
    for atom, part in enumerate(parts):
        atom_of_special[part] = atom
    atom_of_row[~is_number] = atom_of_special[atom_of_row[~is_number]]
    atom_of_row[is_number] = codes + len(parts)
    atoms = atoms_with_specials(atom_of_row, is_event, len(parts), n_bins, is_directed(rule))
    atoms = _counted(atoms, table, atom_of_row)
    groups = ValueGroups(specials=tuple(tuple(special[one] for one in part) for part in parts))
    is_merged = len(parts) < len(special)
    columns = _Columns(atoms.n_cuts(), (below, above), is_full, atoms, groups, is_merged)
    return atoms.codes[:, atom_of_row], columns


def _counted(atoms: Atoms, table: Table, atom_of_row: Codes) -> Atoms:
    """The atoms with the rows that are really there, where a row of the table stands for many."""
    if table.merged is None:
        return atoms
    is_event, n_atoms = table.labels > 0, atoms.rows.size
    return replace(
        atoms,
        rows=table.count_by(atom_of_row, least=n_atoms),
        events=table.count_by(atom_of_row[is_event], is_event, n_atoms),
    )


def _merge_specials(
    table: Table,
    special: tuple[float, ...],
    atom_of_row: NDArray[np.int32],
    n_bins: int,
    kept: PointsOfNumbers | None,
) -> list[list[int]]:
    """Places of special values in groups: each by itself, or, of too many, those with similar rates.

    Missing values, the last, are never merged with others, nor are those to which a card that is
    kept gives different points.
    """
    n_codes = len(special) - np.isnan(special[-1])
    most = most_specials(table.n_rows, n_bins) - (len(special) - n_codes)
    parts = [[one] for one in range(len(special))]
    if n_codes <= most:
        return parts
    is_code = (atom_of_row >= 0) & (atom_of_row < n_codes)
    rows = atom_of_row[is_code], n_codes, table.labels[is_code] > 0, table.weights[is_code]
    points = None if kept is None else kept(np.array(special[:n_codes]))
    merged = [part.tolist() for part in merge_places(*rows, most, points)]
    return [*merged, *parts[n_codes:]]


def _rank_levels(
    table: Table, values: Floats, n_levels: int, kept: PointsOfNumbers | None
) -> _Ranked:
    index = np.where(np.isnan(values), -1, values).astype(np.int64)
    points = None
    if kept is not None:
        occur = np.unique(index[index >= 0])
        points = np.zeros(n_levels, dtype=np.int64)
        points[occur] = kept(occur.astype(np.float64))
    counts = None if table.merged is None else table.merged.counts
    grouped = group_levels(index, n_levels, table.labels > 0, table.weights, points, counts)
    nothing = np.zeros(0)
    columns = _Columns(
        grouped.atoms.n_cuts(),
        (nothing, nothing),
        atoms=_counted(grouped.atoms, table, grouped.atom_of_row),
        groups=ValueGroups(levels=grouped.levels),
        is_merged=grouped.is_merged,
    )
    return grouped.atoms.codes[:, grouped.atom_of_row], columns


def _specials_in(values: Floats, rule: FeatureRule) -> tuple[float, ...]:
    """The special values that occur, ascending; NaN last."""
    missing = (float("nan"),) if np.isnan(values).any() else ()
    return (*_codes_in(values, rule), *missing)


def _codes_in(values: Floats, rule: FeatureRule) -> tuple[float, ...]:
    """The special codes of a rule that occur."""
    return tuple(float(code) for code in sorted(rule.codes) if np.any(values == code))


def _rank_numbers(
    values: Floats, weights: Floats, grid: _Grid
) -> tuple[NDArray[np.int32], Floats, Floats, bool]:
    """Codes, both ends of every candidate gap, and whether all gaps are candidates."""
    codes, distinct = rank_values(values)
    if grid.size is None or distinct.size - 1 <= grid.size:
        return codes, distinct[:-1], distinct[1:], True
    weight_below: Floats = np.cumsum(np.bincount(codes, weights, distinct.size), dtype=np.float64)
    cuts = _quantile_cuts(weight_below, grid.size)
    if grid.is_round:
        cuts = _rounder_cuts(cuts, distinct, weight_below, grid.size)
    if grid.kept is not None:
        cuts = np.union1d(cuts, np.flatnonzero(np.diff(grid.kept(distinct))))
    codes = np.searchsorted(cuts, codes, side="left").astype(np.int32)
    return codes, distinct[cuts], distinct[cuts + 1], False


def _rank_by_cuts(values: Floats, cuts: Floats) -> tuple[NDArray[np.int32], Floats]:
    """Codes by given cuts, and the cuts that divide the values, one for each way to divide them."""
    bins = np.searchsorted(cuts, values, side="left")
    filled = np.unique(bins)
    kept = filled[:-1]  # of cuts with no value between them the first is kept
    return np.searchsorted(kept, bins, side="left").astype(np.int32), cuts[kept].astype(np.float64)


def _quantile_cuts(weight_below: Floats, grid: int) -> Integers:
    """Indices of the gaps kept: at most ``grid``, near quantiles of the rows by their weight."""
    # a cut that misses a quantile only by the rounding of sums is at it
    wanted = weight_below[-1] * np.arange(1, grid + 1) / (grid + 1) * (1 - QUANTILE_ROUNDING)
    found = np.searchsorted(weight_below[:-1], wanted)
    return np.unique(np.minimum(found, weight_below.size - 2))


def _rounder_cuts(cuts: Integers, distinct: Floats, weight_below: Floats, grid: int) -> Integers:
    """The gap with the roundest number close to each of some cuts."""
    room = ROUNDING_ROOM * weight_below[-1] / (grid + 1)
    least = np.searchsorted(weight_below, weight_below[cuts] - room)
    most = np.searchsorted(weight_below, weight_below[cuts] + room, side="right") - 1
    most = np.minimum(most, distinct.size - 2)
    rounder = [
        choose_cut(distinct[low], distinct[high + 1]) for low, high in zip(least, most, strict=True)
    ]
    return np.unique(np.searchsorted(distinct, rounder, side="right") - 1)
