"""Where the values of a feature lie: shares of the rows, beside the points that they get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.levels import Label
from riskcard.data.scoring_columns import as_labels, as_numbers
from riskcard.formatting.numbers import format_number
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.model.lines import show_level
from riskcard.model.lookup import place_of

Floats = NDArray[np.float64]

#: Bars of a histogram, and the quantiles between which it lies when tails are long.
_BARS, _LOW, _HIGH = 30, 0.01, 0.99
#: Tails are cut off when they make the range so many times as wide.
_LONG = 1.3
#: With more levels, those of a group stand together.
_MOST_LEVELS = 8


@dataclass(frozen=True, slots=True)
class Slot:
    """A value, or some, that stands for itself beside a scale: a level, a code, "missing".

    Attributes
    ----------
    words
        What it is.
    points
        Its points.
    share
        Share of the rows, by weight; None when there are no rows.
    is_special
        It is no ordinary level: a code, "missing", or levels that training did not have.
    """

    words: str
    points: int
    share: float | None
    is_special: bool = False


@dataclass(frozen=True, slots=True)
class Distribution:
    """What a picture of one feature shows beside its points.

    Attributes
    ----------
    slots
        Levels, special codes and "missing".
    ends
        The range of numbers; (0, 0) for a category.
    edges, shares
        Bars of numbers, and the share of the rows in each; no bars when there are no rows.
    has_rows
        There are rows, and so shares.
    """

    slots: tuple[Slot, ...]
    ends: tuple[float, float] = (0.0, 0.0)
    edges: tuple[float, ...] = ()
    shares: tuple[float, ...] = ()
    has_rows: bool = False

    @property
    def most(self) -> float:
        """The largest share."""
        return max([*self.shares, *(slot.share or 0.0 for slot in self.slots), 0.0])


def distribution_of(
    feature: FeaturePoints | LevelPoints, column: Any = None, weights: Any = None
) -> Distribution:
    """Where the values of a raw column lie; without one, only what the card knows.

    Parameters
    ----------
    feature
        The points of the feature.
    column
        Values of the rows, all of which the card can score.
    weights
        One a row.
    """
    has_rows = column is not None
    if isinstance(feature, LevelPoints):
        return Distribution(tuple(level_slots(feature, column, weights)), has_rows=has_rows)
    slots = tuple(special_slots(feature, column, weights))
    numbers = np.empty(0) if column is None else as_numbers(feature.name, column)
    is_plain = ~(np.isnan(numbers) | np.isin(numbers, [code for code, _ in feature.codes]))
    ends = number_range(feature, numbers[is_plain])
    if column is None:
        return Distribution(slots, ends)
    edges, shares = number_bars(numbers[is_plain], weights[is_plain], ends, float(weights.sum()))
    return Distribution(slots, ends, tuple(edges.tolist()), tuple(shares.tolist()), True)


def number_range(feature: FeaturePoints, numbers: Floats) -> tuple[float, float]:
    """The range of values to draw: most of the rows, every cut, and some room.

    Parameters
    ----------
    feature
        Its cuts are inside the range.
    numbers
        Values of the rows, without missing ones and codes; there may be none.
    """
    ends = list(feature.cuts)
    if numbers.size:
        low, high = np.quantile(numbers, [_LOW, _HIGH]).tolist()
        smallest, largest = float(numbers.min()), float(numbers.max())
        is_long = largest - smallest > _LONG * (high - low) > 0
        ends += [low, high] if is_long else [smallest, largest]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    width = high - low or abs(high) or 1.0
    # a bin beyond the outer cuts must be seen even where no row is
    room = 0.15 * width
    left = low - room if feature.cuts and low == feature.cuts[0] else low
    right = high + room if feature.cuts and high == feature.cuts[-1] else high
    return (left, right) if left < right else (left - room, right + room)


def number_bars(
    numbers: Floats, weights: Floats, ends: tuple[float, float], total: float
) -> tuple[Floats, Floats]:
    """The edges of bars and the share of all rows in each; few whole numbers have a bar each.

    Parameters
    ----------
    numbers, weights
        Of the rows whose value is a number and no code.
    ends
        The range; what lies outside is not shown.
    total
        The weight of all rows, those with missing values too.
    """
    different = np.unique(numbers)
    is_whole = different.size and bool((different == np.round(different)).all())
    if is_whole and ends[1] - ends[0] <= _BARS:
        edges = np.arange(np.floor(ends[0]) - 0.5, np.ceil(ends[1]) + 1.0)
    else:
        edges = np.linspace(*ends, _BARS + 1)
    shares = np.histogram(numbers, edges, weights=weights)[0] / total
    return edges, shares


def special_slots(feature: FeaturePoints, column: Any, weights: Any) -> list[Slot]:
    """Special codes and missing values, those that the card or the rows have."""
    numbers = None if column is None else as_numbers(feature.name, column)
    slots = [
        Slot(format_number(code), points, _share(numbers, weights, code), True)
        for code, points in feature.codes
    ]
    return slots + _missing_slot(feature, None if numbers is None else np.isnan(numbers), weights)


def level_slots(feature: LevelPoints, column: Any, weights: Any) -> list[Slot]:
    """Levels in the order of the card, or groups when there are many; unseen and missing last."""
    shares, unseen, missing = _level_shares(feature, column, weights)
    slots = []
    for group, points in zip(feature.groups, feature.points, strict=True):
        if len(feature.levels) <= _MOST_LEVELS:
            slots += [
                Slot(show_level(level), points, None if shares is None else shares.get(level, 0.0))
                for level in group
            ]
        else:
            share = None if shares is None else sum(shares.get(level, 0.0) for level in group)
            slots.append(Slot(", ".join(map(show_level, group)), points, share))
    if unseen:
        assert feature.usual is not None  # or the rows would have been refused
        slots.append(Slot("unseen", feature.points[feature.usual], unseen, True))
    if column is None:
        return slots + _missing_slot(feature, None, None)
    return slots + _missing_slot(feature, missing, weights)


def _level_shares(
    feature: LevelPoints, column: Any, weights: Any
) -> tuple[dict[Label, float] | None, float, Any]:
    """The share of every level, that of all unseen ones, and which rows are missing."""
    if column is None:
        return None, 0.0, None
    labels, rows = as_labels(feature.name, column)
    counts = np.bincount(rows, weights, len(labels)) / weights.sum()
    shares: dict[Label, float] = {}
    unseen, is_missing = 0.0, np.zeros(len(labels), dtype=bool)
    for place, (label, share) in enumerate(zip(labels, counts.tolist(), strict=True)):
        found = place_of(feature, label)
        if label is None:
            is_missing[place] = True
        elif found.is_guess or found.value is None:
            unseen += share
        else:
            shares[found.value] = shares.get(found.value, 0.0) + share
    return shares, unseen, is_missing[rows]


def _missing_slot(
    feature: FeaturePoints | LevelPoints, is_missing: Any, weights: Any
) -> list[Slot]:
    share = None if is_missing is None else float(weights[is_missing].sum() / weights.sum())
    if feature.missing is not None:
        return [Slot("missing", feature.missing, share, True)]
    if share and feature.usual is not None:
        return [Slot("missing", feature.points[feature.usual], share, True)]
    return []


def _share(numbers: Floats | None, weights: Any, code: float) -> float | None:
    if numbers is None:
        return None
    return float(weights[numbers == code].sum() / weights.sum())
