"""The lines of a feature: what each one asks of a value, in words, and what it is worth."""

from __future__ import annotations

import enum
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from riskcard.formatting.numbers import format_number
from riskcard.formatting.plain_text import visible

if TYPE_CHECKING:
    from riskcard.data.levels import Label

#: The condition of a line without values, by its phrase. The calculator translates these.
_PHRASES = {
    "at_most": "≤ {high}",
    "above": "> {low}",
    "between": "> {low} to ≤ {high}",
    "any_value": "any value",
    "any_other_value": "any other value",
    "not_missing": "not missing",
    "missing": "missing",
}


class LineKind(enum.Enum):
    """What a line asks of a value."""

    RANGE = "range"  # it is a number above ``low``, up to and including ``high``
    LEVELS = "levels"  # it is one of the levels in ``values``
    CODE = "code"  # it is the special number in ``values``
    MISSING = "missing"  # there is none


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a card: a condition on one feature, and the points of values that meet it.

    Attributes
    ----------
    kind
        What the line asks.
    points
        What it is worth.
    low, high
        The limits of a range; infinite where there is none.
    values
        The levels of a group, or the special code.
    phrase
        The name of the words for a line without values, such as "at_most" or "missing".
    is_usual
        The line held most training rows: values without a line get its points.

    Examples
    --------
    >>> range_line(3, 60.0, math.inf).label
    '> 60'
    """

    kind: LineKind
    points: int
    low: float = -math.inf
    high: float = math.inf
    values: tuple[Label, ...] = ()
    phrase: str = ""
    is_usual: bool = False

    @property
    def is_ordinary(self) -> bool:
        """A bin or a group, neither a special code nor a missing value."""
        return self.kind in (LineKind.RANGE, LineKind.LEVELS)

    @property
    def value_labels(self) -> tuple[str, ...]:
        """Each of the values in words."""
        return tuple(map(show_level, self.values))

    @property
    def label(self) -> str:
        """The condition in words."""
        if self.values:
            return ", ".join(self.value_labels)
        low, high = format_number(self.low), format_number(self.high)
        return _PHRASES[self.phrase].format(low=low, high=high)


def range_line(
    points: int, low: float, high: float, whole: str = "any_value", is_usual: bool = False
) -> Line:
    """The line of a bin of numbers; ``whole`` is the phrase for a bin without limits."""
    phrases = {(True, True): whole, (True, False): "at_most", (False, True): "above"}
    phrase = phrases.get((low == -math.inf, high == math.inf), "between")
    return Line(LineKind.RANGE, points, low, high, phrase=phrase, is_usual=is_usual)


def missing_lines(points: int | None) -> tuple[Line, ...]:
    """The line of a missing value; none where the card has no points for it."""
    return () if points is None else (Line(LineKind.MISSING, points, phrase="missing"),)


def show_level(level: Label) -> str:
    """A level as it is printed; a text in quotes where it could be taken for something else.

    Examples
    --------
    >>> show_level("round"), show_level("7"), show_level(7.0)
    ('round', '"7"', '7')
    """
    if isinstance(level, int):
        return str(level)
    if not isinstance(level, str):
        return format_number(level)
    is_clean = level == visible(" ".join(level.split())) and not set(level) & set(',"{}')
    is_word = level not in ("", "missing", "True", "False") and not _is_number(level)
    return level if is_clean and is_word else visible(json.dumps(level, ensure_ascii=False))


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
