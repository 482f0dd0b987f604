"""The points of one feature of a card: bins of numbers, or groups of levels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.checks import finite_number, whole_number, whole_points
from riskcard.data.levels import Label
from riskcard.data.scoring_columns import as_labels, as_numbers, refuse_rows, rows_in_words
from riskcard.errors import DataError, ParameterError


@dataclass(frozen=True, slots=True)
class LookUp:
    """The points of some rows, and for how many of them the card had to guess.

    Attributes
    ----------
    points
        Points of each row.
    n_missing
        Rows with a hole, of which training had none: they got the points of the usual bin.
    n_unseen
        Rows with a level that training did not have: they got the points of the usual group.
    unseen
        The first such level.
    """

    points: NDArray[np.int64]
    n_missing: int = 0
    n_unseen: int = 0
    unseen: Label | None = None


@dataclass(frozen=True, slots=True)
class FeaturePoints:
    """The points of one feature: ``points[i]`` for values above ``cuts[i-1]``, up to ``cuts[i]``.

    Attributes
    ----------
    name
        The column.
    cuts
        Ascending; a value at a cut is below it.
    points
        One more than there are cuts.
    missing
        Points of a missing value; None when there was none in training.
    codes
        ``(value, points)`` of special values, which are looked at before the cuts.
    usual
        Index of the bin with most training rows, whose points a hole gets when ``missing`` is None;
        None on a card written by hand, where such a hole is an error.

    Examples
    --------
    >>> FeaturePoints("age", [60], [0, 3], missing=1, codes=[(-9, 2)]).points_of([60, 61, None, -9])
    array([0, 3, 1, 2])
    """

    name: str
    cuts: tuple[float, ...]
    points: tuple[int, ...]
    missing: int | None = None
    codes: tuple[tuple[float, int], ...] = ()
    usual: int | None = None

    def __post_init__(self) -> None:
        name = _checked_name(self.name)
        cuts = tuple(finite_number(f"A cut of {name!r}", cut) + 0.0 for cut in self.cuts)
        points = _checked_points(f"a bin of {name!r}", self.points)
        if any(left >= right for left, right in pairwise(cuts)):
            raise ParameterError(
                f"The cuts of {name!r} are {list(cuts)}. Give them in ascending order, each once."
            )
        if len(points) != len(cuts) + 1:
            raise ParameterError(
                f"Feature {name!r} has {len(cuts)} cuts and points for {len(points)} bins. "
                f"Give {len(cuts) + 1}: one below each cut, and one above the last."
            )
        checked = {
            "name": name,
            "cuts": cuts,
            "points": points,
            "missing": _checked_missing(name, self.missing),
            "codes": _checked_codes(name, self.codes),
            "usual": _checked_usual(name, self.usual, len(points), "bins"),
        }
        for field, value in checked.items():
            object.__setattr__(self, field, value)

    def look_up(self, column: Any) -> LookUp:
        """Find the points of each value of a raw column, and count the holes that were guessed."""
        numbers = as_numbers(self.name, column)
        bins = np.searchsorted(np.array(self.cuts), numbers, side="left")
        points = np.array(self.points, dtype=np.int64)[bins]
        for code, code_points in self.codes:
            points[numbers == code] = code_points
        is_hole = np.isnan(numbers)
        n_guessed = _fill_holes(self, points, is_hole) if is_hole.any() else 0
        return LookUp(points, n_missing=n_guessed)

    def points_of(self, column: Any) -> NDArray[np.int64]:
        """Points of each value of a raw column: an array, a list, a column of any data frame."""
        return self.look_up(column).points

    @property
    def jumps(self) -> tuple[int, ...]:
        """What a value at or below each cut has more than one just above it."""
        return tuple(left - right for left, right in pairwise(self.points))

    @property
    def possible_points(self) -> frozenset[int]:
        """Every number of points that some row can have."""
        special = {points for _, points in self.codes}
        return frozenset(self.points) | special | _known(self.missing)


@dataclass(frozen=True, slots=True)
class LevelPoints:
    """The points of one categorical feature: ``points[i]`` for the levels of ``groups[i]``.

    Levels are texts, numbers or booleans. ``1`` and ``"1"`` are different levels, and so are ``1``
    and ``True``; ``1`` and ``1.0`` are the same. Where all levels are booleans, the numbers 0 and 1
    in a column are taken for them, since an array of numbers has no other way of saying so.

    Attributes
    ----------
    name
        The column.
    groups
        The levels of each group; every level in one group.
    points
        One for each group.
    missing
        Points of a missing value; None when there was none in training.
    usual
        Index of the group with most training rows, whose points an unseen level gets, and a hole
        when ``missing`` is None; None on a card written by hand, where both are errors.
    is_ordered
        The levels have an order, in which they stand here.

    Examples
    --------
    >>> shape = LevelPoints("shape", [["round", "oval"], ["irregular"]], [0, 3], missing=1)
    >>> shape.points_of(["oval", "irregular", None])
    array([0, 3, 1])
    """

    name: str
    groups: tuple[tuple[Label, ...], ...]
    points: tuple[int, ...]
    missing: int | None = None
    usual: int | None = None
    is_ordered: bool = False

    def __post_init__(self) -> None:
        name = _checked_name(self.name)
        groups = _checked_groups(name, self.groups)
        points = _checked_points(f"a group of {name!r}", self.points)
        if len(points) != len(groups):
            raise ParameterError(
                f"Feature {name!r} has {len(groups)} groups of levels and points for "
                f"{len(points)}. Give one number of points for each group."
            )
        checked = {
            "name": name,
            "groups": groups,
            "points": points,
            "missing": _checked_missing(name, self.missing),
            "usual": _checked_usual(name, self.usual, len(points), "groups"),
            "is_ordered": bool(self.is_ordered),
        }
        for field, value in checked.items():
            object.__setattr__(self, field, value)

    @property
    def levels(self) -> tuple[Label, ...]:
        """All levels, group by group."""
        return tuple(level for group in self.groups for level in group)

    @property
    def possible_points(self) -> frozenset[int]:
        """Every number of points that some row can have."""
        return frozenset(self.points) | _known(self.missing)

    def look_up(self, column: Any) -> LookUp:
        """Find the points of each value of a raw column, and count the rows that were guessed."""
        labels, rows = as_labels(self.name, column)
        groups = self._group_of_level()
        places = np.array([groups.get(level_key(label), _UNSEEN) for label in labels], dtype=int)
        places = places[rows]
        points = np.array([*self.points, 0, 0], dtype=np.int64)[places]
        is_unseen, is_hole = places == _UNSEEN, places == _HOLE
        n_missing = _fill_holes(self, points, is_hole) if is_hole.any() else 0
        if not is_unseen.any():
            return LookUp(points, n_missing)
        unseen = labels[rows[np.flatnonzero(is_unseen)[0]]]
        points[is_unseen] = self._usual_points(is_unseen, unseen)
        return LookUp(points, n_missing, int(is_unseen.sum()), unseen)

    def points_of(self, column: Any) -> NDArray[np.int64]:
        """Points of each value of a raw column: an array, a list, a column of any data frame."""
        return self.look_up(column).points

    def _group_of_level(self) -> dict[tuple[bool, Any], int]:
        """The group of every value that the card knows of, by its key."""
        groups = {level_key(level): i for i, group in enumerate(self.groups) for level in group}
        if all(isinstance(level, bool) for level in self.levels):
            groups |= {(False, int(level)): i for (_, level), i in groups.items()}
        return {**groups, level_key(None): _HOLE}

    def _usual_points(self, is_unseen: NDArray[np.bool_], level: Label | None) -> int:
        if self.usual is not None:
            return self.points[self.usual]
        known = ", ".join(repr(level) for level in self.levels[:5])
        raise DataError(
            f"Feature {self.name!r} has the unknown level {level!r} in {rows_in_words(is_unseen)}. "
            f"The card has points for {known}{', ...' if len(self.levels) > 5 else ''}: "
            "correct the value, or leave the row out."
        )


#: Places that are no group: the last two points of a table that has two more than groups.
_UNSEEN, _HOLE = -2, -1


def _fill_holes(
    feature: FeaturePoints | LevelPoints, points: NDArray[np.int64], is_hole: NDArray[np.bool_]
) -> int:
    """Give holes their points in place; returns how many of them were guessed."""
    if feature.missing is not None:
        points[is_hole] = feature.missing
        return 0
    if feature.usual is None:
        refuse_rows(feature.name, is_hole)
    points[is_hole] = feature.points[feature.usual]
    return int(is_hole.sum())


def level_key(level: Any) -> tuple[bool, Any]:
    """What a level is known by: equal numbers are one level, but True is not 1."""
    return isinstance(level, bool), level


def _known(missing: int | None) -> frozenset[int]:
    return frozenset() if missing is None else frozenset({missing})


# --- what is given by the user ------------------------------------------------------------------


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise ParameterError(f"A feature is named {name!r}. Use a text that is not empty.")
    return str(name)


def _checked_points(what: str, points: Sequence[Any]) -> tuple[int, ...]:
    return tuple(whole_points(f"The points of {what}", value) for value in points)


def _checked_missing(name: str, missing: Any) -> int | None:
    if missing is None:
        return None
    return whole_points(f"The points of a missing {name!r}", missing)


def _checked_usual(name: str, usual: Any, n_bins: int, what: str) -> int | None:
    if usual is None:
        return None
    place = whole_number(f"usual of {name!r}", usual)
    if place >= n_bins:
        raise ParameterError(
            f"usual of {name!r} is {place}, but it has {n_bins} {what}. "
            f"Use the index of one of them, from 0 to {n_bins - 1}."
        )
    return place


def _checked_codes(name: str, codes: Any) -> tuple[tuple[float, int], ...]:
    checked: dict[float, int] = {}
    for entry in codes.items() if isinstance(codes, dict) else codes:
        if not isinstance(entry, (tuple, list)) or len(entry) != 2:
            raise ParameterError(
                f"A code of {name!r} is {entry!r}. Give a pair: the value and its points."
            )
        value = finite_number(f"A special value of {name!r}", entry[0]) + 0.0
        if value in checked:
            raise ParameterError(f"The special value {value:g} of {name!r} stands twice.")
        checked[value] = whole_points(f"The points of {value:g} of {name!r}", entry[1])
    return tuple(checked.items())


def _checked_groups(name: str, groups: Any) -> tuple[tuple[Label, ...], ...]:
    checked = []
    for group in groups:
        if isinstance(group, (str, bytes)) or not hasattr(group, "__iter__"):
            raise ParameterError(
                f"A group of {name!r} is {group!r}. Give a list of levels, such as [{group!r}]."
            )
        checked.append(tuple(_checked_level(name, level) for level in group))
        if not checked[-1]:
            raise ParameterError(f"A group of {name!r} has no levels. Leave the group out.")
    if not checked:
        raise ParameterError(f"Feature {name!r} has no groups of levels. Give at least one.")
    seen: set[tuple[bool, Any]] = set()
    for level in (level for group in checked for level in group):
        if level_key(level) in seen:
            raise ParameterError(
                f"The level {level!r} of {name!r} stands twice. Put each level in one group."
            )
        seen.add(level_key(level))
    return tuple(checked)


def _checked_level(name: str, level: Any) -> Label:
    level = level.item() if isinstance(level, np.generic) else level
    if level is None or (isinstance(level, float) and math.isnan(level)):
        raise ParameterError(
            f"A level of {name!r} is {level!r}, which is a missing value and no level. "
            "Give its points as missing."
        )
    if not isinstance(level, (str, int, float)) or level in (math.inf, -math.inf):
        raise ParameterError(
            f"A level of {name!r} is {level!r}. Use a text, a finite number or a boolean."
        )
    return level
