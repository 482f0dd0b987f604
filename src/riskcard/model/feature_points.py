"""The points of one feature of a card: bins of numbers, or groups of levels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from riskcard.checks import finite_number, set_fields, whole_number, whole_points
from riskcard.errors import ParameterError
from riskcard.model.lines import Line, LineKind, missing_lines, range_lines
from riskcard.model.value_range import ValueRange

if TYPE_CHECKING:
    from riskcard.data.levels import Label
    from riskcard.model.rows.lookup import LookUp


class _Lines:
    """What follows from the lines of a feature, of either kind."""

    __slots__ = ()

    points: tuple[int, ...]
    missing: int | None
    rows: tuple[int, ...]
    events: tuple[int, ...]
    too_few: tuple[Label | None, ...]

    def lines(self) -> tuple[Line, ...]:
        """Every line, in the order in which the card shows them, with its training rows."""
        lines = self._conditions()
        if not self.rows:
            return lines
        counted = zip(lines, self.rows, self.events, strict=True)
        return tuple(replace(line, rows=rows, events=events) for line, rows, events in counted)

    def _conditions(self) -> tuple[Line, ...]:
        """Every line without its training rows."""
        raise NotImplementedError

    def _check_counts(self) -> None:
        """Store the counts of the lines: one for each line, or none at all."""
        name, n_lines = self.name, len(self.line_points)  # type: ignore[attr-defined]
        rows, events = (
            tuple(whole_number(f"{what} of a line of {name!r}", one) for one in counts)
            for what, counts in (("rows", self.rows), ("events", self.events))
        )
        if not len(rows) == len(events) or (rows and len(rows) != n_lines):
            raise ParameterError(
                f"{name!r} has {n_lines} lines, but rows of {len(rows)} and events of {len(events)}. "
                "Give one number for each line, or none."
            )
        if any(more > all_ for all_, more in zip(rows, events, strict=True)):
            raise ParameterError(
                f"A line of {name!r} has more events than rows. Correct the counts."
            )
        set_fields(self, rows=rows, events=events, too_few=tuple(self.too_few))

    @property
    def line_points(self) -> tuple[int, ...]:
        """The points of each of ``lines()``; much faster than the lines themselves."""
        missing = () if self.missing is None else (self.missing,)
        codes = (points for _, points in self.codes)  # type: ignore[attr-defined]
        return (*self.points, *codes, *missing)

    @property
    def possible_points(self) -> frozenset[int]:
        """Every number of points that some row can have."""
        return frozenset(self.line_points)

    def look_up(self, column: Any) -> LookUp:
        """Find the line of each value of a raw column, and count the values without a line."""
        from riskcard.model.rows.lookup import look_up

        return look_up(self, column)  # type: ignore[arg-type]

    def points_of(self, column: Any) -> NDArray[np.int64]:
        """Points of each value of a raw column: an array, a list, a column of any data frame."""
        return self.look_up(column).points


@dataclass(frozen=True, slots=True)
class FeaturePoints(_Lines):
    """The points of one feature: ``points[i]`` for values above ``cuts[i-1]`` and up to ``cuts[i]``.

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
        ``(value, points)`` of special values, which are looked up before the cuts.
    usual
        Index of the bin with the most training rows, whose points a missing value gets when
        ``missing`` is None; None on a card written by hand, where such a value is an error.
    training_range
        The numbers in the training rows; None on a card written by hand.
    rows, events
        How many training rows each line had, and how many of them had the event, in the order of
        ``lines()``; empty on a card written by hand.
    too_few
        Special values, levels and None (a missing value) that had too few training rows to be
        judged: they have the points of a typical value.

    Examples
    --------
    >>> age = FeaturePoints("age", [60], [0, 3], missing=1, codes=[(-9, 2)])
    >>> age.points_of([60, 61, None, -9])
    array([0, 3, 1, 2])
    >>> [line.label for line in age.lines()]
    ['≤ 60', '> 60', '-9', 'missing']
    """

    levels: ClassVar[tuple[Label, ...]] = ()
    is_ordered: ClassVar[bool] = True

    name: str
    cuts: tuple[float, ...]
    points: tuple[int, ...]
    missing: int | None = None
    codes: tuple[tuple[float, int], ...] = ()
    usual: int | None = None
    training_range: ValueRange | None = None
    rows: tuple[int, ...] = ()
    events: tuple[int, ...] = ()
    too_few: tuple[Label | None, ...] = ()

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
        codes = _checked_codes(name, self.codes)
        missing = _checked_missing(name, self.missing)
        usual = _checked_usual(name, self.usual, len(points), "bins")
        set_fields(
            self, name=name, cuts=cuts, points=points, missing=missing, codes=codes, usual=usual
        )
        self._check_counts()

    def _conditions(self) -> tuple[Line, ...]:
        """Every line: bins by their size, then special codes, then missing values."""
        whole = "any_value" if self.missing is None else "not_missing"
        whole = "any_other_value" if self.codes else whole
        bins = range_lines(self.cuts, self.points, self.usual, whole, self.training_range)
        codes = (Line(LineKind.CODE, points, values=(code,)) for code, points in self.codes)
        return (*bins, *codes, *missing_lines(self.missing))


@dataclass(frozen=True, slots=True)
class LevelPoints(_Lines):
    """The points of one categorical feature: ``points[i]`` for the levels of ``groups[i]``.

    Levels are texts, numbers or booleans. ``1`` and ``"1"`` are different levels, and so are ``1``
    and ``True``; ``1`` and ``1.0`` are the same. Where all levels are booleans, the numbers 0 and 1
    in a column are read as booleans, since an array of numbers cannot say so otherwise.

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
        Index of the group with the most training rows, whose points an unseen level gets, and a
        missing value when ``missing`` is None; None on a card written by hand, where both are errors.
    is_ordered
        The levels have an order, which is that of ``groups``.
    rows, events, too_few
        As those of ``FeaturePoints``.

    Examples
    --------
    >>> shape = LevelPoints("shape", [["round", "oval"], ["irregular"]], [0, 3], missing=1)
    >>> shape.points_of(["oval", "irregular", None])
    array([0, 3, 1])
    """

    cuts: ClassVar[tuple[float, ...]] = ()
    codes: ClassVar[tuple[tuple[float, int], ...]] = ()
    training_range: ClassVar[ValueRange | None] = None

    name: str
    groups: tuple[tuple[Label, ...], ...]
    points: tuple[int, ...]
    missing: int | None = None
    usual: int | None = None
    is_ordered: bool = False
    rows: tuple[int, ...] = ()
    events: tuple[int, ...] = ()
    too_few: tuple[Label | None, ...] = ()

    def __post_init__(self) -> None:
        name = _checked_name(self.name)
        groups = _checked_groups(name, self.groups)
        points = _checked_points(f"a group of {name!r}", self.points)
        if len(points) != len(groups):
            raise ParameterError(
                f"Feature {name!r} has {len(groups)} groups of levels and points for "
                f"{len(points)}. Give one number of points for each group."
            )
        missing = _checked_missing(name, self.missing)
        usual = _checked_usual(name, self.usual, len(points), "groups")
        set_fields(self, name=name, groups=groups, points=points, missing=missing, usual=usual)
        set_fields(self, is_ordered=bool(self.is_ordered))
        self._check_counts()

    @property
    def levels(self) -> tuple[Label, ...]:
        """All levels, group by group."""
        return tuple(level for group in self.groups for level in group)

    def _conditions(self) -> tuple[Line, ...]:
        """Every line: the groups in their order, then missing values."""
        groups = (
            Line(LineKind.LEVELS, points, values=group, is_usual=place == self.usual)
            for place, (group, points) in enumerate(zip(self.groups, self.points, strict=True))
        )
        return (*groups, *missing_lines(self.missing))


#: One feature of a card, of either kind.
CardFeature = FeaturePoints | LevelPoints


def level_key(level: Any) -> tuple[bool, Any]:
    """What a level is known by: equal numbers are one level, but True is not 1."""
    return isinstance(level, bool), level


# --- checks of what the user gives --------------------------------------------------------------


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
            raise ParameterError(f"The special value {value:g} of {name!r} is listed twice.")
        checked[value] = whole_points(f"The points of {value:g} of {name!r}", entry[1])
    return tuple(checked.items())


def _checked_groups(name: str, groups: Any) -> tuple[tuple[Label, ...], ...]:
    checked = []
    for group in groups:
        if isinstance(group, (str, bytes, dict)) or not hasattr(group, "__iter__"):
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
                f"The level {level!r} of {name!r} is listed twice. Put each level in one group."
            )
        seen.add(level_key(level))
    return tuple(checked)


def _checked_level(name: str, level: Any) -> Label:
    level = level.item() if isinstance(level, np.generic) else level
    if level is None or (isinstance(level, float) and math.isnan(level)):
        raise ParameterError(
            f"A level of {name!r} is {level!r}, which is a missing value, not a level. "
            "Give its points as missing."
        )
    if not isinstance(level, (str, int, float)) or level in (math.inf, -math.inf):
        raise ParameterError(
            f"A level of {name!r} is {level!r}. Use a text, a finite number or a boolean."
        )
    return level
