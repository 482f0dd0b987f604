"""Which line of a feature applies to a value, and which other lines are near."""

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.levels import Label
from riskcard.data.raw_columns import rows_in_words
from riskcard.data.rows_to_score import as_labels, as_numbers, refuse_rows
from riskcard.errors import DataError
from riskcard.model.feature_points import CardFeature, level_key
from riskcard.model.lines import Line

#: Used in place of the index of a line, for values that may have none.
_MISSING, _UNSEEN = -1, -2


@dataclass(frozen=True, slots=True)
class LookUp:
    """The lines of some rows, and for how many of them the card had to guess.

    Attributes
    ----------
    lines
        Index of the line of each row.
    points
        Points of each row.
    is_guessed_missing
        The value is missing, where training had no missing values: the line is the usual bin.
    is_unseen
        Training did not have the level: the line is the usual group.
    unseen
        The first such level.
    """

    lines: NDArray[np.int64]
    points: NDArray[np.int64]
    is_guessed_missing: NDArray[np.bool_]
    is_unseen: NDArray[np.bool_]
    unseen: Label | None = None

    @property
    def n_missing(self) -> int:
        """How many missing values got the points of the usual bin."""
        return int(self.is_guessed_missing.sum())

    @property
    def n_unseen(self) -> int:
        """How many levels got the points of the usual group."""
        return int(self.is_unseen.sum())


@dataclass(frozen=True, slots=True)
class Place:
    """The line of a feature that applies to one value.

    Attributes
    ----------
    value
        The value as the card knows it; None when it is missing.
    line
        Index of the line.
    points
        What the line is worth.
    standing
        A value with the same points that every condition of the card can be applied to: the value
        itself, or one in the usual bin where the card had to guess.
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
        By how much the points change; never 0.
    bins
        How many bins away it is; 1 where lines have no order.
    size
        By how much a number changes, as a share of the distance between the outer cuts; None where it is
        not a number.
    """

    value: Label
    line: int
    points: int
    bins: int
    size: float | None = None


# --- columns ------------------------------------------------------------------------------------


def look_up(feature: CardFeature, column: Any) -> LookUp:
    """Find the line of each value of a raw column.

    Raises
    ------
    DataError
        The card has neither a line for a value nor a usual one.
    """
    points, unseen = feature.line_points, None
    if feature.levels:
        places, unseen = _places_of_levels(feature, column)
    else:
        places = _places_of_numbers(feature, as_numbers(feature.name, column))
    is_missing = places == _MISSING
    is_guess = feature.missing is None and bool(is_missing.any())
    line_of_missing = feature.usual if is_guess else len(points) - 1
    if line_of_missing is None:
        refuse_rows(feature.name, is_missing)
    places[is_missing] = line_of_missing
    is_unseen = places == _UNSEEN
    if is_unseen.any():
        places[is_unseen] = _usual_group(feature, is_unseen, unseen)
    of_rows = np.array(points, dtype=np.int64)[places]
    return LookUp(places, of_rows, is_missing & is_guess, is_unseen, unseen)


def _places_of_numbers(feature: CardFeature, numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    places = np.searchsorted(np.array(feature.cuts), numbers, side="left")
    for place, (code, _) in enumerate(feature.codes, start=len(feature.points)):
        places[numbers == code] = place
    places[np.isnan(numbers)] = _MISSING
    return places


def _places_of_levels(feature: CardFeature, column: Any) -> tuple[NDArray[np.int64], Label | None]:
    """The group of each row, and the first level that the card does not know."""
    labels, rows = as_labels(feature.name, column)
    groups = _group_of_level(feature)
    found = np.array([groups.get(level_key(label), _UNSEEN) for label in labels], dtype=np.int64)
    places = found[rows]
    is_unseen = places == _UNSEEN
    return places, labels[rows[np.argmax(is_unseen)]] if is_unseen.any() else None


def _group_of_level(feature: CardFeature) -> dict[tuple[bool, Any], int]:
    """The group of every value that the card knows, by its key."""
    lines = enumerate(feature.lines())
    groups = {level_key(level): place for place, line in lines for level in line.values}
    if _has_only_booleans(feature):
        groups |= {(False, int(level)): place for (_, level), place in groups.items()}
    return {**groups, level_key(None): _MISSING}


def _has_only_booleans(feature: CardFeature) -> bool:
    """Whether all levels are booleans, so that the numbers 0 and 1 stand for them."""
    return all(isinstance(level, bool) for level in feature.levels)


def _usual_group(feature: CardFeature, is_unseen: NDArray[np.bool_], level: Label | None) -> int:
    if feature.usual is not None:
        return feature.usual
    known = ", ".join(repr(level) for level in feature.levels[:5])
    raise DataError(
        f"Feature {feature.name!r} has the unknown level {level!r} in {rows_in_words(is_unseen)}. "
        f"The card has points for {known}{', ...' if len(feature.levels) > 5 else ''}: "
        "correct the value, or leave the row out."
    )


# --- single values ------------------------------------------------------------------------------


def place_of(feature: CardFeature, value: Any) -> Place:
    """Find the line that applies to one raw value.

    Examples
    --------
    >>> from riskcard import FeaturePoints
    >>> place_of(FeaturePoints("age", [60], [0, 3], missing=1), 71).line
    1
    """
    found = feature.look_up([value])
    line, points = int(found.lines[0]), int(found.points[0])
    known = _known_value(feature, feature.lines()[line], value)
    if found.n_missing or found.n_unseen:
        return Place(known, line, points, _value_in(feature, line), is_guess=True)
    return Place(known, line, points, known)


def _known_value(feature: CardFeature, line: Line, value: Any) -> Label | None:
    """The value as the card calls it; an unseen level stays what it is."""
    if not feature.levels:
        number = float(as_numbers(feature.name, [value])[0])
        return None if math.isnan(number) else number
    label = as_labels(feature.name, [value])[0][0]
    is_boolean = _has_only_booleans(feature)
    for level in line.values:
        if level_key(level) == level_key(label) or (is_boolean and level == label):
            return level
    return label


def moves_from(feature: CardFeature, place: Place) -> list[Move]:
    """The nearest other lines with other points, one value each.

    From a number these are the nearest such bin on either side; from a level of an ordered category
    the nearest such groups; from other levels, special codes, missing and guessed values every bin
    or group with other points. Nothing leads to a missing value or to a special code.
    """
    n_bins, here = len(feature.points), place.line
    if not feature.is_ordered or place.is_guess or here >= n_bins:
        others = [line for line in range(n_bins) if line != here]
        return [move for line in others if (move := _move(feature, place, line, 1))]
    found = []
    for side in (range(here - 1, -1, -1), range(here + 1, n_bins)):
        moves = (_move(feature, place, line, abs(line - here)) for line in side)
        found += [move for move in moves if move is not None][:1]
    return found


def _move(feature: CardFeature, place: Place, line: int, bins: int) -> Move | None:
    """The way to one line; None when it has the same points or no value leads there."""
    points = feature.points[line] - place.points
    if points == 0:
        return None
    is_from_bin = not (feature.levels or place.is_guess) and place.line < len(feature.points)
    old = float(place.value) if is_from_bin and place.value is not None else None
    value = _value_in(feature, line, old)
    if value is None:
        return None
    size = None if old is None else _share_of_cuts(feature.cuts, abs(float(value) - old))
    return Move(value, line, points, bins, size)


def _value_in(feature: CardFeature, line: int, old: float | None = None) -> Label | None:
    """A level of a group, or the number of a bin that is nearest to ``old``."""
    one = feature.lines()[line]
    if one.values:
        return one.values[0]
    is_above = old is not None and old <= one.low
    codes = {code for code, _ in feature.codes}
    return next(_numbers_in(one, codes, is_above), None)


def _numbers_in(line: Line, codes: set[float], from_below: bool) -> Iterator[float]:
    """The numbers of a bin from one end, without special codes."""
    low, high = line.low, line.high
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


def _share_of_cuts(cuts: Sequence[float], change: float) -> float:
    """A change as a share of the distance between the outer cuts, or of a single cut."""
    width = cuts[-1] - cuts[0] if len(cuts) > 1 else abs(cuts[0])
    share = change / width if width > 0 else change
    return share if math.isfinite(share) else sys.float_info.max
