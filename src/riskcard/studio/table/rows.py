"""Rows that cards are judged on, counted by the lines that they have.

What a card costs follows from how many rows have which lines of it. Rows that agree in all lines are one
*cell*, and there are few of them: a card of five terms has at most 32. Points change no cell. A cut
changes the lines of one feature, so the rows are looked at once, for this feature and for the cells of
all others, which are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.data.columns import FeatureValues
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature

Made = TypeVar("Made")

#: How many columns of lines, of cells of some features, and of counted cells are kept.
_MOST_LINES, _MOST_PARTS, _MOST_CELLS = 40, 12, 40
#: With at most this many cuts, comparing with each is faster than a binary search.
_FEW_CUTS = 8
#: Codes of cells that no row has are left out once there are this many.
_MANY_CODES = 4096


class Labelled(NamedTuple):
    """Whole numbers from 0 that rows have in addition to their lines, and what they are known by."""

    key: Hashable
    of_rows: NDArray[Any]


@dataclass(frozen=True, slots=True)
class Cells:
    """Rows of each class that agree in their lines, counted together.

    Attributes
    ----------
    of_rows
        The cell of each row.
    lines
        For each feature, the line of each cell.
    label
        The label of each cell; zeros without labels.
    counts, weights, squares
        How many rows without and with the event there are in each cell, the sums of their weights, and those
        of the squares of their weights, which are shares of the largest one: a pair for each cell.
    """

    of_rows: Integers
    lines: tuple[Integers, ...]
    label: Integers
    counts: Floats
    weights: Floats
    squares: Floats

    @property
    def columns(self) -> tuple[Floats, ...]:
        """Rows, events, weight, event weight and squares of weights of each cell."""
        pairs = self.counts, self.weights
        sums = (column for one in pairs for column in (one.sum(axis=1), one[:, 1]))
        return (*sums, self.squares.sum(axis=1))

    def totals(self, card: RiskCard) -> Integers:
        """The total of each cell."""
        totals = np.full(self.label.size, card.base, dtype=np.int64)
        for feature, lines in zip(card.features, self.lines, strict=True):
            totals += np.array(feature.line_points, dtype=np.int64)[lines]
        return totals


class _Part(NamedTuple):
    """The code of each row for the lines of some features, and the lines of each code."""

    of_rows: Integers
    lines: NDArray[Any]  # one row per feature, one column per code


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that cards are judged on.

    Attributes
    ----------
    features
        From the name of a column to its values.
    is_event, weights
        Of each row.
    clusters
        A number per row; rows with the same one belong together, and intervals allow for it. None where rows
        are independent.
    """

    features: Mapping[str, FeatureValues]
    is_event: Booleans
    weights: Floats
    clusters: Integers | None = None
    _lines: dict[Hashable, NDArray[Any]] = field(default_factory=dict, compare=False, repr=False)
    _parts: dict[Hashable, _Part] = field(default_factory=dict, compare=False, repr=False)
    _cells: dict[Hashable, Cells] = field(default_factory=dict, compare=False, repr=False)

    @property
    def is_weighted(self) -> bool:
        """Whether rows count differently."""
        return bool((self.weights != 1.0).any())

    @property
    def number(self) -> int:
        """How many there are."""
        return self.is_event.size

    @property
    def unit(self) -> float:
        """The largest weight: squares of shares of it do not overflow."""
        return float(self.weights.max(initial=0.0)) or 1.0

    def take(self, rows: NDArray[Any]) -> Rows:
        """Some of the rows."""
        taken = {
            name: FeatureValues(one.values[rows], one.levels) for name, one in self.features.items()
        }
        clusters = None if self.clusters is None else self.clusters[rows]
        return Rows(taken, self.is_event[rows], self.weights[rows], clusters)

    def lines_of(self, feature: CardFeature) -> NDArray[Any]:
        """The line of each row; what was looked up lately is kept, since an edit changes one feature."""
        return _kept(self._lines, _key_of(feature), _MOST_LINES, lambda: self._look_up(feature))

    def cells_of(self, card: RiskCard, label: Labelled | None = None) -> Cells:
        """The rows counted by the lines of a card, and by a label that each has in addition."""
        key = (*map(_key_of, card.features), None if label is None else label.key)
        return _kept(self._cells, key, _MOST_CELLS, lambda: self._count(card.features, label))

    # --- cells -----------------------------------------------------------------------------------

    def _count(self, features: Sequence[CardFeature], label: Labelled | None) -> Cells:
        """Cells from those of all features but the one that changed."""
        place = self._changed(features)
        others = [one for i, one in enumerate(features) if i != place]
        part = self._part_of(others)
        if features:
            part = self._crossed(part, self.lines_of(features[place]), _number_of(features[place]))
        if label is not None:
            part = self._crossed(part, label.of_rows, int(label.of_rows.max(initial=0)) + 1)
        part = _without_empty(part)
        order = [i for i in range(len(features)) if i != place]
        order += [place] if features else []
        lines = tuple(part.lines[order.index(i)] for i in range(len(features)))
        last = (
            part.lines[-1] if label is not None else np.zeros(part.lines.shape[1], dtype=np.int64)
        )
        return Cells(part.of_rows, lines, last, *self._sums(part))

    def _sums(self, part: _Part) -> list[Floats]:
        """Counts, weights and squares of weights of each cell, by class."""
        number = 2 * part.lines.shape[1]
        of_class = 2 * part.of_rows + self.is_event
        counts: Floats = np.bincount(of_class, minlength=number).astype(np.float64)
        columns = [self.weights, (self.weights / self.unit) ** 2] if self.is_weighted else []
        sums = [counts, *(np.bincount(of_class, one, number).astype(float) for one in columns)]
        return [one.reshape(-1, 2) for one in (sums if columns else [counts] * 3)]

    def _changed(self, features: Sequence[CardFeature]) -> int:
        """The feature whose lines are likeliest to change again: without it, cells are known, or it is new."""
        keys = [*map(_key_of, features)]
        for place in range(len(keys)):
            if (*keys[:place], *keys[place + 1 :]) in self._parts:
                return place
        new = [place for place, key in enumerate(keys) if key not in self._lines]
        return new[-1] if new else max(len(keys) - 1, 0)

    def _part_of(self, features: Sequence[CardFeature]) -> _Part:
        key = tuple(map(_key_of, features))
        return _kept(self._parts, key, _MOST_PARTS, lambda: self._part_without(features))

    def _part_without(self, features: Sequence[CardFeature]) -> _Part:
        part = _Part(np.zeros(self.number, dtype=np.int64), np.zeros((0, 1), dtype=np.int64))
        for feature in features:
            part = self._crossed(part, self.lines_of(feature), _number_of(feature))
        return _without_empty(part)

    def _crossed(self, part: _Part, line: NDArray[Any], number: int) -> _Part:
        """The cells of a part, each divided by the lines of one more feature."""
        n_codes = part.lines.shape[1]
        lines = np.repeat(part.lines, number, axis=1)
        crossed = _Part(
            part.of_rows * number + line,
            np.vstack([lines, np.tile(np.arange(number), n_codes)]),
        )
        return _without_empty(crossed) if n_codes * number > _MANY_CODES else crossed

    # --- lines -----------------------------------------------------------------------------------

    def _look_up(self, feature: CardFeature) -> NDArray[Any]:
        column = self.features[feature.name]
        if column.levels is None:
            return _lines_of_numbers(feature, column.values).astype(np.int16)
        # each level once, however many rows have it
        names = np.array([*column.levels.names, None], dtype=object)
        if not np.isnan(column.values).any():
            names = names[:-1]
        return feature.look_up(names).lines.astype(np.int16)[column.codes()]


def _lines_of_numbers(feature: CardFeature, values: Floats) -> NDArray[Any]:
    """The line of each number, as ``look_up`` finds it."""
    is_missing = np.isnan(values)
    has_missing = bool(is_missing.any())
    if len(feature.cuts) > _FEW_CUTS or (has_missing and feature.missing is None):
        return feature.look_up(values).lines
    lines = np.zeros(values.size, dtype=np.int16)
    for cut in feature.cuts:
        lines += values > cut
    for line, (code, _) in enumerate(feature.codes, start=len(feature.points)):
        lines[values == code] = line
    if has_missing:
        lines[is_missing] = len(feature.line_points) - 1
    return lines


def _without_empty(part: _Part) -> _Part:
    """The same cells without those that no row has."""
    is_filled = np.bincount(part.of_rows, minlength=part.lines.shape[1]) > 0
    if is_filled.all():
        return part
    place = np.cumsum(is_filled) - 1
    return _Part(place[part.of_rows], part.lines[:, is_filled])


def _number_of(feature: CardFeature) -> int:
    return len(feature.line_points)


def _key_of(feature: CardFeature) -> Hashable:
    """What the lines of the rows depend on: everything but the points."""
    groups = getattr(feature, "groups", ())
    codes = tuple(code for code, _ in feature.codes)
    usual = feature.usual if feature.missing is None or groups else None
    return feature.name, feature.cuts, groups, codes, feature.missing is None, usual


def _kept(store: dict[Hashable, Made], key: Hashable, most: int, make: Callable[[], Made]) -> Made:
    """What was made for a key; what was not asked for longest goes first."""
    found = store.pop(key) if key in store else None
    if found is None:
        found = make()
        while len(store) >= most:
            del store[next(iter(store))]
    store[key] = found
    return found
