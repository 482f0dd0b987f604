"""From the solver's columns and indices back to the user's units: cuts, levels and points."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.data.columns import FeatureValues
from riskcard.data.levels import Label, Levels
from riskcard.data.table import Table
from riskcard.encoding.pseudo_rows import NO_PSEUDO_ROWS, PseudoRows
from riskcard.encoding.rank_table import CutGrid, ValueGroups
from riskcard.encoding.rare_values import Tie
from riskcard.formatting.numbers import choose_cut
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature, FeaturePoints, LevelPoints
from riskcard.model.value_range import ValueRange
from riskcard.problem.other_losses import OtherLoss
from riskcard.problem.problem import Scale
from riskcard.problem.ranked_data import RankedData
from riskcard.problem.solution import Solution
from riskcard.rules.card_rules import CardRules
from riskcard.rules.least_bins import LeastBins


@dataclass(frozen=True, slots=True)
class Layout:
    """What the solver's numbers mean: the table, its columns and candidate cuts, all rules.

    Attributes
    ----------
    table
        The rows; their weights include those of the classes.
    data
        The same rows as codes, without the pseudo-observations.
    cut_grid
        The candidate cuts.
    rules, least
        What every card keeps; the smallest bins as counts.
    grid
        Candidate cuts per feature; None for all.
    pseudo
        The pseudo-observations that the problem has in addition to the rows.
    closed
        For each column which conditions are not on the shortlist; empty without a shortlist.
    all_conditions
        How many there were before; None without a shortlist.
    max_changes
        The largest number of terms of an earlier card that may change; None without such a card.
    ties, min_line_rows
        Rare values of the training rows that stand for others in ``table``, and how many rows a
        value must have to be judged by itself.
    further_rules
        What every card keeps in addition, in words.
    rates
        The rows with the loss of their outcome, pseudo-observations included, where that is not yes or no:
        exposure and events of rates and hazards, or numbers; in the unit of ``data``. None for yes or no.
    """

    table: Table
    data: RankedData
    cut_grid: CutGrid
    rules: CardRules
    least: LeastBins
    grid: int | None = None
    pseudo: PseudoRows = NO_PSEUDO_ROWS
    closed: tuple[Booleans, ...] = ()
    all_conditions: int | None = None
    max_changes: int | None = None
    ties: tuple[Tie, ...] = ()
    min_line_rows: int = 1
    further_rules: tuple[str, ...] = ()
    rates: OtherLoss | None = None

    @property
    def shortlist(self) -> int | None:
        """The number of conditions on the shortlist; None without one."""
        if not self.closed:
            merged = self.table.merged
            is_preselected = merged is not None and merged.all_conditions is not None
            return int(self.data.n_cuts.sum()) if is_preselected else None
        return sum(int(np.count_nonzero(~closed)) for closed in self.closed)


def card_from_solution(
    solution: Solution, layout: Layout, scale: Scale, details: Mapping[str, Any] | None = None
) -> RiskCard:
    """Go from the solver's indices back to the user's units.

    The lowest group of each feature gets 0 points. With an integer base, the base takes up the
    difference; with a calibrated scale the base is 0 and the offset takes it up. A common divisor
    of all points becomes part of a fitted scale, unless points of an earlier card are kept.

    Parameters
    ----------
    details
        Further fields of the card: ``outcome``, ``training``, ``certificate``.
    """
    divisor = 1 if layout.max_changes is not None else _common_divisor(solution, scale)
    terms: dict[int, list[tuple[int, int, int]]] = {}
    for column, cut, jump in solution.terms:
        feature = int(layout.data.feature_of[column])
        first = int(layout.data.first_columns[feature])
        terms.setdefault(feature, []).append((column - first, cut, jump // divisor))
    features, shift = [], 0
    for feature in sorted(terms):
        points = _points_of_atoms(layout, feature, terms[feature])
        shift += int(points.min())
        features.append(_write_feature(layout, feature, points - points.min()))
    multiplier = solution.multiplier / divisor
    is_calibrated = scale.kind == "calibrated"
    base = solution.base // divisor + shift
    return RiskCard(
        features=tuple(features),
        base=0 if is_calibrated else base,
        multiplier=multiplier,
        offset=solution.offset + base / multiplier if is_calibrated else solution.offset,
        feature_names=layout.table.names,
        classes=layout.table.classes,
        **(details or {}),
    )


class PrintedCuts:
    """From a condition to its cut on the card; None where it has none.

    The values of a feature are sorted when they are first needed, and kept.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._ends: dict[int, tuple[Floats, Floats]] = {}

    def __call__(self, column: int, cut: int) -> float | None:
        layout = self._layout
        feature = int(layout.data.feature_of[column])
        atoms, place = layout.data.atoms[feature], cut
        if atoms is not None:
            place = int(atoms.thresholds[column - int(layout.data.first_columns[feature])][cut])
        if place < 0 or layout.table.levels[feature] is not None:
            return None
        if feature not in self._ends:
            self._ends[feature] = layout.cut_grid.gaps[feature].all_ends()
        below, above = self._ends[feature]
        return choose_cut(below[place], above[place])


def raw_columns(table: Table, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Columns of the table as the user gave them: levels by their names, None where missing."""
    places = {name: table.names.index(name) for name in names}
    return {
        name: FeatureValues(table.values[:, place], table.levels[place]).by_name()
        for name, place in places.items()
    }


def _common_divisor(solution: Solution, scale: Scale) -> int:
    if scale.kind == "fixed" or not solution.jumps:
        return 1
    return math.gcd(*solution.jumps, solution.base)


def _points_of_atoms(layout: Layout, feature: int, terms: list[tuple[int, int, int]]) -> Integers:
    """What the terms of a feature give to each of its atoms; for a plain number, to each bin."""
    atoms = layout.data.atoms[feature]
    n_bins = layout.cut_grid.gaps[feature].n_cuts + 1
    codes = np.arange(n_bins)[None, :] if atoms is None else atoms.codes
    points = np.zeros(codes.shape[1], dtype=np.int64)
    for column, cut, jump in terms:
        points += jump * (codes[column] <= cut)
    return points


def _write_feature(layout: Layout, feature: int, points: Integers) -> CardFeature:
    table, groups = layout.table, layout.cut_grid.groups[feature]
    values, levels = table.values[:, feature], table.levels[feature]
    name = table.names[feature]
    if groups.levels and levels is not None:
        is_known = ~np.isnan(values)
        seen = values[is_known].astype(np.int64)
        rows = table.count_by(seen, is_known, len(levels.names))
        return _write_levels(name, levels, groups, points, rows)
    n_specials = len(groups.specials)
    of_atoms = zip(groups.specials, points[:n_specials].tolist(), strict=True)
    special = {value: worth for values, worth in of_atoms for value in values}
    missing = next((worth for value, worth in special.items() if math.isnan(value)), None)
    codes = tuple((value, worth) for value, worth in special.items() if not math.isnan(value))
    fixed = layout.rules.rule_of(name).fixed_cuts
    cuts, of_bins = _bins(layout, feature, points[n_specials:], fixed)
    is_number = ~np.isnan(values)
    if codes:
        is_number &= ~np.isin(values, [value for value, _ in codes])
    numbers = values[is_number]
    if levels is not None:
        return _write_ordered(name, levels, (cuts, of_bins), missing, numbers)
    bins = np.searchsorted(cuts, numbers, side="left")
    usual = int(table.count_by(bins, is_number, len(of_bins)).argmax())
    found = ValueRange.of(numbers)
    return FeaturePoints(name, cuts, of_bins, missing, codes, usual, training_range=found)


def _bins(
    layout: Layout, feature: int, points: Integers, fixed: tuple[float, ...] | None
) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Cuts and points of the numbers: where points change, or at the cuts that are always shown."""
    gaps = layout.cut_grid.gaps[feature]
    if points.size == 0:
        return (), (0,)
    if fixed is not None:
        places = np.append(np.searchsorted(gaps.numbers()[:-1], fixed, side="left"), gaps.n_cuts)
        return fixed, tuple(points[places].tolist())
    changes = np.flatnonzero(np.diff(points)).tolist()
    cuts = tuple(choose_cut(*gaps.ends(cut)) for cut in changes)
    return cuts, tuple(points[[*changes, points.size - 1]].tolist())


def _write_levels(
    name: str, levels: Levels, groups: ValueGroups, points: Integers, rows_of_level: Integers
) -> LevelPoints:
    """Groups of levels with the same points, the lowest first."""
    by_points: dict[int, list[int]] = {}
    missing = None
    for members, worth in zip(groups.levels, points.tolist(), strict=True):
        if -1 in members:
            missing = worth
        by_points.setdefault(worth, []).extend(member for member in members if member >= 0)
    kept = [(worth, sorted(own)) for worth, own in sorted(by_points.items()) if own]
    group_of_level = np.zeros(len(levels.names), dtype=np.int64)
    for group, (_, own) in enumerate(kept):
        group_of_level[own] = group
    rows_of_group = np.bincount(group_of_level, rows_of_level, len(kept))
    return LevelPoints(
        name,
        groups=tuple(_names(levels, own) for _, own in kept),
        points=tuple(worth for worth, _ in kept),
        missing=missing,
        usual=int(rows_of_group.argmax()),
    )


def _write_ordered(
    name: str,
    levels: Levels,
    bins: tuple[tuple[float, ...], tuple[int, ...]],
    missing: int | None,
    seen: Floats,
) -> LevelPoints:
    """Ordered levels from cut to cut; levels without rows belong to the bin that they fall in."""
    cuts, points = bins
    group = np.searchsorted(cuts, np.arange(len(levels.names)), side="left")
    filled = [(g, np.flatnonzero(group == g).tolist()) for g in range(len(points))]
    filled = [(g, own) for g, own in filled if own]
    rows = np.searchsorted(cuts, seen, side="left")
    counts = np.bincount(rows, minlength=len(points))[[g for g, _ in filled]]
    return LevelPoints(
        name,
        groups=tuple(_names(levels, own) for _, own in filled),
        points=tuple(points[g] for g, _ in filled),
        missing=missing,
        usual=int(counts.argmax()),
        is_ordered=True,
    )


def _names(levels: Levels, indices: list[int]) -> tuple[Label, ...]:
    return tuple(levels.names[index] for index in indices)
