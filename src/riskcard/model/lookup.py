"""Where a value stands on a card: the line that applies, and the other lines near by."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from riskcard.data.levels import Label
from riskcard.data.scoring_columns import as_labels, as_numbers
from riskcard.model.feature_points import FeaturePoints, LevelPoints, level_key


@dataclass(frozen=True, slots=True)
class Place:
    """The line of a feature that applies to a value.

    Attributes
    ----------
    value
        The value as the card knows it; None when it is missing.
    line
        Index of the line: bins or groups come first, then special codes, then missing.
    points
        What the line is worth.
    standing
        A value with the same points that every condition of the card can be asked about: the value
        itself, or one of the usual bin where the card had to guess.
    is_guess
        The card has no points for the value, and it got those of the usual bin.
    """

    value: Label | None
    line: int
    points: int
    standing: Label | None
    is_guess: bool = False


@dataclass(frozen=True, slots=True)
class Move:
    """Another line of a feature, and a value that leads there.

    Attributes
    ----------
    value
        The nearest number of a bin, or the first level of a group.
    line
        Index of the line.
    points
        What the line is worth more than the one before; never 0.
    bins
        How many bins away it is; 1 where lines have no order.
    size
        By how much a number changes, as a share of the width of the cuts; None for all else.
    """

    value: Label
    line: int
    points: int
    bins: int
    size: float | None = None


def place_of(feature: FeaturePoints | LevelPoints, value: Any) -> Place:
    """Find the line that applies to one raw value.

    A value that the card cannot score is refused as ``look_up`` refuses it.

    Examples
    --------
    >>> place_of(FeaturePoints("age", [60], [0, 3], missing=1), 71).line
    1
    """
    # refuses what cannot be scored, and knows what a guess is worth
    found = feature.look_up([value])
    points, is_guess = int(found.points[0]), bool(found.n_missing or found.n_unseen)
    known: Label | None
    if isinstance(feature, FeaturePoints):
        known, line = _place_of_number(feature, float(as_numbers(feature.name, [value])[0]))
    else:
        known, line = _place_of_level(feature, as_labels(feature.name, [value])[0][0])
    if is_guess:
        assert feature.usual is not None
        return Place(known, feature.usual, points, _value_in(feature, feature.usual), True)
    return Place(known, line, points, known)


def _place_of_number(feature: FeaturePoints, number: float) -> tuple[float | None, int]:
    n_bins = len(feature.points)
    if math.isnan(number):
        return None, n_bins + len(feature.codes)
    for place, (code, _) in enumerate(feature.codes):
        if number == code:
            return number, n_bins + place
    return number, int(np.searchsorted(feature.cuts, number, side="left"))


def _place_of_level(feature: LevelPoints, label: Label | None) -> tuple[Label | None, int]:
    """The level as the card calls it; an unseen one stays what it is, at no line."""
    if label is None:
        return None, len(feature.groups)
    is_boolean = all(isinstance(level, bool) for level in feature.levels)
    for line, group in enumerate(feature.groups):
        for level in group:
            if level_key(level) == level_key(label) or (is_boolean and level == label):
                return level, line
    return label, -1


def moves_from(feature: FeaturePoints | LevelPoints, place: Place) -> list[Move]:
    """The nearest other lines with other points, one value each.

    From a number these are the nearest such bin on either side; from a level of an ordered category
    the nearest such groups; from other levels, special codes, missing and guessed values every bin
    or group that is worth something else. Nothing leads to "missing" or to a special code.
    """
    is_ordered = isinstance(feature, FeaturePoints) or feature.is_ordered
    if not is_ordered or place.is_guess or place.line >= len(feature.points):
        lines = [line for line in range(len(feature.points)) if line != place.line]
        found = [_move(feature, place, line, 1) for line in lines]
        return [move for move in found if move is not None]
    below, above = range(place.line - 1, -1, -1), range(place.line + 1, len(feature.points))
    return [
        move for side in (below, above) if (move := _first_move(feature, place, side)) is not None
    ]


def _first_move(feature: FeaturePoints | LevelPoints, place: Place, lines: range) -> Move | None:
    moves = (_move(feature, place, line, abs(line - place.line)) for line in lines)
    return next((move for move in moves if move is not None), None)


def _move(feature: FeaturePoints | LevelPoints, place: Place, line: int, bins: int) -> Move | None:
    """The way to one line; None when it is worth the same or no value leads there."""
    points = feature.points[line] - place.points
    if points == 0:
        return None
    is_number = isinstance(feature, FeaturePoints) and not place.is_guess
    old = place.value if is_number and place.line < len(feature.points) else None
    value = _value_in(feature, line, old)
    if value is None:
        return None
    size = None if old is None else _share_of_cuts(feature, abs(float(value) - float(old)))
    return Move(value, line, points, bins, size)


def _value_in(
    feature: FeaturePoints | LevelPoints, line: int, old: Label | None = None
) -> Label | None:
    """A level of a group, or the number of a bin that is nearest to ``old``."""
    if isinstance(feature, LevelPoints):
        return feature.groups[line][0]
    is_above = old is not None and line > 0 and float(old) <= feature.cuts[line - 1]
    return next(_numbers_in(feature, line, is_above), None)


def _numbers_in(feature: FeaturePoints, line: int, from_below: bool) -> Iterator[float]:
    """The numbers of a bin from one end, without special codes."""
    cuts = (-math.inf, *feature.cuts, math.inf)
    low, high = cuts[line], cuts[line + 1]
    codes = {code for code, _ in feature.codes}
    if low == -math.inf and high == math.inf:
        start, towards = 0.0, math.inf
    elif from_below or high == math.inf:
        start, towards = math.nextafter(low, math.inf), math.inf
    else:
        start, towards = high, -math.inf
    while low < start <= high and math.isfinite(start):
        if start not in codes:
            yield start
        start = math.nextafter(start, towards)


def _share_of_cuts(feature: FeaturePoints | LevelPoints, change: float) -> float:
    """A change against the distance of the outer cuts, or against the cut when there is one."""
    assert isinstance(feature, FeaturePoints)
    width = feature.cuts[-1] - feature.cuts[0] if len(feature.cuts) > 1 else abs(feature.cuts[0])
    share = change / width if width > 0 else change
    return share if math.isfinite(share) else sys.float_info.max
