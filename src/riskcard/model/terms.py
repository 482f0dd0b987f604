"""A card as terms: conditions on one feature each, and the points for fulfilling them or not."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from riskcard.data.columns import is_missing
from riskcard.data.levels import Label, are_numbers
from riskcard.formatting.numbers import format_number
from riskcard.model.feature_points import FeaturePoints, LevelPoints, level_key

#: Stands for a missing value among the special values of a feature.
_MISSING = None


@dataclass(frozen=True, slots=True)
class Term:
    """One line of the card: what a feature is worth on either side of a condition.

    The condition is "value <= cut", or "the value is one of these levels". Missing values and
    special codes are on the side that the last three fields say.

    Examples
    --------
    >>> print(Term("age", 60.0, below=0, above=2))
    age > 60: 2
    >>> print(Term("shape", None, below=3, above=0, levels=("irregular", "lobular")))
    shape in {irregular, lobular}: 3
    """

    feature: str
    cut: float | None  # None: the levels alone
    below: int  # points when the condition is fulfilled
    above: int  # points when it is not
    levels: tuple[Label, ...] = ()  # values that fulfil it, whatever the cut
    excluded: tuple[float, ...] = ()  # special codes below the cut that do not
    has_missing: bool = False  # a missing value fulfils it
    lacks_missing: bool = False  # missing values are known to the card, and do not

    def holds(self, value: Any) -> bool:
        """Whether a value of the feature fulfils the condition."""
        if is_missing(value):
            return self.has_missing
        if level_key(value) in map(level_key, self.levels):
            return True
        return self.cut is not None and bool(value <= self.cut) and value not in self.excluded

    def points_of(self, value: Any) -> int:
        """Points for one value of the feature."""
        return self.below if self.holds(value) else self.above

    @property
    def condition(self) -> str:
        """The condition in words, without the name of the feature."""
        others = [show_level(level) for level in self.levels]
        others += ["missing"] if self.has_missing else []
        if self.cut is not None:
            but = f" (not {', '.join(map(show_level, self.excluded))})" if self.excluded else ""
            return " or ".join([f"<= {format_number(self.cut)}{but}", *others])
        if len(others) > 1:
            return f"in {{{', '.join(others)}}}"
        return f"= {others[0]}" if self.levels else "is missing"

    @property
    def _opposite(self) -> str:
        """In words what does not fulfil a condition with a cut."""
        left_out = [show_level(level) for level in self.levels]
        left_out += ["missing"] if self.has_missing else []
        but = f" (not {', '.join(left_out)})" if left_out else ""
        others = [*map(show_level, self.excluded), *(["missing"] if self.lacks_missing else [])]
        return " or ".join([f"> {format_number(self.cut or 0.0)}{but}", *others])

    def __str__(self) -> str:
        if self.above and not self.below:
            opposite = f"not ({self.condition})" if self.cut is None else self._opposite
            return f"{self.feature} {opposite}: {self.above}"
        otherwise = f", otherwise {self.above}" if self.above else ""
        return f"{self.feature} {self.condition}: {self.below}{otherwise}"


def one_sided_terms(feature: FeaturePoints | LevelPoints) -> Iterator[Term]:
    """Terms that give points, never negative, on one side of their condition and 0 on the other."""
    for term in _jumps(feature):
        yield replace(term, below=max(term.below, 0), above=max(-term.below, 0))


def two_sided_terms(feature: FeaturePoints | LevelPoints) -> Iterator[Term]:
    """Terms that give half of their points on either side of the condition."""
    for term in _jumps(feature):
        yield replace(term, below=-(-term.below // 2), above=-(term.below // 2))


def intercept_of(features: Iterable[FeaturePoints | LevelPoints], terms: Iterable[Term]) -> int:
    """What the points of one value of each feature have more than the terms on them."""
    values: dict[str, Any] = {}
    total = 0
    for feature in features:
        if isinstance(feature, FeaturePoints):
            values[feature.name], points = math.inf, feature.points[-1]  # above all cuts
        else:
            values[feature.name], points = feature.levels[0], feature.points[0]
        total += points
    return total - sum(term.points_of(values[term.feature]) for term in terms)


def show_level(level: Label) -> str:
    """A level as it is printed; a text in quotes where it could be taken for something else."""
    if isinstance(level, int):
        return str(level)
    if not isinstance(level, str):
        return format_number(level)
    is_clean = level == " ".join(level.split()) and not set(level) & set(',"{}')
    is_word = level not in ("", "missing", "True", "False") and not are_numbers([level])
    return level if is_clean and is_word else json.dumps(level, ensure_ascii=False)


# --- conditions with their jump: what fulfilling them adds, kept in `below` ---------------------


def _jumps(feature: FeaturePoints | LevelPoints) -> Iterator[Term]:
    if isinstance(feature, FeaturePoints):
        yield from _jumps_at_cuts(feature)
    elif feature.is_ordered:
        yield from _jumps_in_order(feature)
    else:
        yield from _jumps_of_groups(feature)


def _jumps_at_cuts(feature: FeaturePoints) -> Iterator[Term]:
    """One term for each cut that is worth points, and one for special values of their own worth.

    A special value (missing, or a code) whose points are those of a bin is on that bin's side of
    every cut. Others are above all cuts, and make up the difference by a term of their own.
    """
    special: dict[float | None, int] = dict(feature.codes)
    if feature.missing is not None:
        special[_MISSING] = feature.missing
    bin_of = {value: _last_place(feature.points, points) for value, points in special.items()}
    for place, (cut, jump) in enumerate(zip(feature.cuts, feature.jumps, strict=True)):
        if jump == 0:
            continue
        below = {value for value, home in bin_of.items() if home is not None and home <= place}
        codes = [code for code, _ in feature.codes]
        yield Term(
            feature.name,
            cut,
            below=jump,
            above=0,
            levels=tuple(code for code in codes if code in below and code > cut),
            excluded=tuple(code for code in codes if code not in below and code <= cut),
            has_missing=_MISSING in below,
            lacks_missing=_MISSING in special and _MISSING not in below,
        )
    own = {value: points for value, points in special.items() if bin_of[value] is None}
    for points in dict.fromkeys(own.values()):
        values = [value for value in own if own[value] == points]
        levels = tuple(value for value in values if value is not None)
        yield _level_term(feature, levels, _MISSING in values, points - feature.points[-1])


def _jumps_in_order(feature: LevelPoints) -> Iterator[Term]:
    """One term for each change between neighbouring groups: for the levels that get more."""
    home = None
    if feature.missing is not None:
        home = _last_place(feature.points, feature.missing)
    for place in range(1, len(feature.points)):
        jump = feature.points[place] - feature.points[place - 1]
        if jump == 0:
            continue
        side = range(place, len(feature.groups)) if jump > 0 else range(place)
        levels = tuple(level for i in side for level in feature.groups[i])
        yield _level_term(feature, levels, home in side, abs(jump))
    if feature.missing is not None and home is None:
        # a missing value fulfils none of the terms above, as no level may do
        falls = [max(left - right, 0) for left, right in pairwise(feature.points)]
        jump = feature.missing - (feature.points[0] - sum(falls))
        if jump != 0:
            yield _level_term(feature, (), True, jump)


def _jumps_of_groups(feature: LevelPoints) -> Iterator[Term]:
    """One term for the levels of each number of points but the lowest; missing is one more level."""
    lowest = min(feature.possible_points)
    worth = [*feature.points, *([] if feature.missing is None else [feature.missing])]
    for points in dict.fromkeys(worth):
        if points == lowest:
            continue
        levels = [
            level
            for group, group_points in zip(feature.groups, feature.points, strict=True)
            if group_points == points
            for level in group
        ]
        yield _level_term(feature, tuple(levels), feature.missing == points, points - lowest)


def _level_term(
    feature: FeaturePoints | LevelPoints, levels: tuple[Label, ...], has_missing: bool, jump: int
) -> Term:
    return Term(feature.name, None, jump, 0, levels, has_missing=has_missing)


def _last_place(points: tuple[int, ...], wanted: int) -> int | None:
    """The last bin with these points."""
    places = [place for place, value in enumerate(points) if value == wanted]
    return places[-1] if places else None
