"""A card as terms: a condition on one feature each, and the points for meeting it or not."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from riskcard.data.levels import Label
from riskcard.data.raw_columns import is_missing
from riskcard.formatting.numbers import format_number
from riskcard.formatting.plain_text import one_line
from riskcard.model.feature_points import CardFeature, level_key
from riskcard.model.lines import Line, LineKind, show_level


@dataclass(frozen=True, slots=True)
class Term:
    """What a feature is worth on either side of a condition.

    The condition is "value <= cut", or "the value is one of these levels". The last three fields
    say on which side missing values and special codes are.

    Examples
    --------
    >>> print(Term("age", 60.0, below=0, above=2))
    age > 60: 2
    >>> print(Term("shape", None, below=3, above=0, levels=("irregular", "lobular")))
    shape in {irregular, lobular}: 3
    """

    feature: str
    cut: float | None  # None: the levels alone
    below: int  # points when the condition is met
    above: int  # points when it is not
    levels: tuple[Label, ...] = ()  # values that meet it, whatever the cut
    excluded: tuple[float, ...] = ()  # special codes below the cut that do not meet it
    has_missing: bool = False  # a missing value meets it
    lacks_missing: bool = False  # the card has points for missing values, and they do not meet it

    def holds(self, value: Any) -> bool:
        """Whether a value of the feature meets the condition."""
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
    def has_only_cut(self) -> bool:
        """The condition is just "value <= cut"."""
        return self.cut is not None and not (self.levels or self.excluded or self.has_missing)

    @property
    def _opposite(self) -> str:
        """What does not meet a condition with a cut, in words."""
        left_out = [show_level(level) for level in self.levels]
        left_out += ["missing"] if self.has_missing else []
        but = f" (not {', '.join(left_out)})" if left_out else ""
        others = [*map(show_level, self.excluded), *(["missing"] if self.lacks_missing else [])]
        return " or ".join([f"> {format_number(self.cut or 0.0)}{but}", *others])

    def __str__(self) -> str:
        if self.above and not self.below:
            opposite = f"not ({self.condition})" if self.cut is None else self._opposite
            return f"{one_line(self.feature)} {opposite}: {self.above}"
        otherwise = f", otherwise {self.above}" if self.above else ""
        return f"{one_line(self.feature)} {self.condition}: {self.below}{otherwise}"


def one_sided_terms(feature: CardFeature) -> Iterator[Term]:
    """Terms that give points, never negative, on one side of their condition and 0 on the other."""
    for term in _jumps(feature):
        yield replace(term, below=max(term.below, 0), above=max(-term.below, 0))


def two_sided_terms(feature: CardFeature) -> Iterator[Term]:
    """Terms that give half of their points on either side of the condition."""
    for term in _jumps(feature):
        yield replace(term, below=-(-term.below // 2), above=-(term.below // 2))


def intercept_of(features: Iterable[CardFeature], terms: Iterable[Term]) -> int:
    """By how much the points of the bins exceed those of the terms, whatever the values."""
    values: dict[str, Any] = {}
    total = 0
    for feature in features:
        line = feature.lines()[0 if feature.levels else len(feature.cuts)]
        values[feature.name] = line.values[0] if line.values else line.high
        total += line.points
    return total - sum(term.points_of(values[term.feature]) for term in terms)


# --- conditions with their jump: what meeting them adds, kept in `below` ------------------------


def _jumps(feature: CardFeature) -> Iterator[Term]:
    if not feature.levels:
        return _jumps_at_cuts(feature)
    return _jumps_in_order(feature) if feature.is_ordered else _jumps_of_groups(feature)


def _jumps_at_cuts(feature: CardFeature) -> Iterator[Term]:
    """One term for each cut that is worth points, and those for special values of their own worth.

    A special value (missing, or a code) is on the side of every cut on which the bin with the nearest
    points is, and makes up a difference by terms of its own.
    """
    bins = [line for line in feature.lines() if line.is_ordinary]
    special = [line for line in feature.lines() if not line.is_ordinary]
    codes = [code for code, _ in feature.codes]
    for place, (left, right) in enumerate(pairwise(bins)):
        if left.points == right.points:
            continue
        below = [line for line in special if _home_of(feature, line.points) <= place]
        levels, has_missing = _values_of(below)
        yield Term(
            feature.name,
            left.high,
            below=left.points - right.points,
            above=0,
            levels=tuple(code for code in levels if float(code) > left.high),
            excluded=tuple(code for code in codes if code not in levels and code <= left.high),
            has_missing=has_missing,
            lacks_missing=feature.missing is not None and not has_missing,
        )
    for place, line in enumerate(bins):
        near = [one for one in special if _home_of(feature, one.points) == place]
        for side in (1, -1):
            away = [one for one in near if side * one.points > side * line.points]
            yield from _steps(feature, away, line.points, side)


def _jumps_in_order(feature: CardFeature) -> Iterator[Term]:
    """One term for each change between neighbouring groups: for the levels that get more."""
    groups = [line for line in feature.lines() if line.is_ordinary]
    home = None
    if feature.missing in feature.points:
        home = _last_place(feature, feature.missing)
    for place, (left, right) in enumerate(pairwise(groups), start=1):
        jump = right.points - left.points
        if jump == 0:
            continue
        side = range(place, len(groups)) if jump > 0 else range(place)
        levels, _ = _values_of([groups[i] for i in side])
        yield _level_term(feature, levels, home in side, abs(jump))
    if feature.missing is not None and home is None:
        # a missing value meets none of the conditions above, and neither may a level
        falls = [max(left - right, 0) for left, right in pairwise(feature.points)]
        jump = feature.missing - (feature.points[0] - sum(falls))
        if jump != 0:
            yield _level_term(feature, (), True, jump)


def _jumps_of_groups(feature: CardFeature) -> Iterator[Term]:
    """One term for each step from a number of points to the next; missing values count as one more level."""
    return _steps(feature, list(feature.lines()), min(feature.possible_points), 1)


def _steps(feature: CardFeature, lines: list[Line], start: int, side: int) -> Iterator[Term]:
    """From ``start`` up (or down, for a side of -1): each step is a term for all lines beyond it.

    No other terms give lines these points with smaller steps, unless there are more of them.
    """
    reached = sorted({start, *(line.points for line in lines)}, key=lambda points: side * points)
    for before, after in pairwise(reached):
        beyond = [line for line in lines if side * line.points >= side * after]
        levels, has_missing = _values_of(beyond)
        yield _level_term(feature, levels, has_missing, after - before)


def _values_of(lines: list[Line]) -> tuple[tuple[Label, ...], bool]:
    """All levels or codes of some lines, and whether missing values are among them."""
    levels = tuple(value for line in lines for value in line.values)
    return levels, any(line.kind is LineKind.MISSING for line in lines)


def _level_term(
    feature: CardFeature, levels: tuple[Label, ...], has_missing: bool, jump: int
) -> Term:
    return Term(feature.name, None, jump, 0, levels, has_missing=has_missing)


def _last_place(feature: CardFeature, points: int) -> int:
    """The last bin or group with these points."""
    return max(place for place, value in enumerate(feature.points) if value == points)


def _home_of(feature: CardFeature, points: int) -> int:
    """The last of the bins whose points are nearest to these."""
    nearest = min(feature.points, key=lambda own: (abs(own - points), own))
    return _last_place(feature, nearest)
