"""The lines of a feature: what each one asks of a value, in words, and what it is worth."""

from __future__ import annotations

import enum
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from riskcard.formatting.numbers import format_number
from riskcard.formatting.plain_text import visible
from riskcard.model.value_range import ValueRange

if TYPE_CHECKING:
    from riskcard.data.levels import Label

#: The condition of a line without values, by its phrase; labels may translate it.
PHRASES = {
    "at_most": "≤ {high}",
    "above": "> {low}",
    "between": "> {low} to ≤ {high}",
    "any_value": "any value",
    "any_other_value": "any other value",
    "not_missing": "not missing",
    "missing": "missing",
    "no": "no",
    "yes": "yes",
    "just": "{first}",
    "from_to": "{first} to {last}",
    "or_more": "{first} or more",
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
    first, last
        The least and the largest whole number of a range of counts; ``last`` is infinite where
        there is no limit.
    named
        The values, or the condition, as the labels of a card call them; empty without labels.
    is_usual
        The line with the most training rows: values without a line get its points.
    rows, events
        How many training rows it had, and how many of them had the event; None where the card does
        not know.

    Examples
    --------
    >>> [line.label for line in range_lines([60.0], [0, 3])]
    ['≤ 60', '> 60']
    """

    kind: LineKind
    points: int
    low: float = -math.inf
    high: float = math.inf
    values: tuple[Label, ...] = ()
    phrase: str = ""
    is_usual: bool = False
    first: float = -math.inf
    last: float = math.inf
    named: tuple[str, ...] = ()
    rows: int | None = None
    events: int | None = None

    @property
    def is_ordinary(self) -> bool:
        """A bin or a group, neither a special code nor a missing value."""
        return self.kind in (LineKind.RANGE, LineKind.LEVELS)

    @property
    def rate(self) -> float | None:
        """The share of its training rows that had the event; None where it is not known."""
        return self.events / self.rows if self.rows and self.events is not None else None

    @property
    def value_labels(self) -> tuple[str, ...]:
        """Each of the values in words."""
        return self.named or tuple(map(show_level, self.values))

    @property
    def label(self) -> str:
        """The condition in words."""
        if self.values or self.named:
            return ", ".join(self.value_labels)
        ends = ("low", "high", "first", "last")
        return PHRASES[self.phrase].format(
            **{end: format_number(getattr(self, end)) for end in ends}
        )


def range_lines(
    cuts: Sequence[float],
    points: Sequence[int],
    usual: int | None = None,
    whole: str = "any_value",
    seen: ValueRange | None = None,
) -> list[Line]:
    """The lines of the bins of a number.

    Parameters
    ----------
    cuts, points, usual
        As those of the feature.
    whole
        The phrase for a bin without limits.
    seen
        The numbers in training: 0 and 1 are read as no and yes, small whole numbers as counts.

    Examples
    --------
    >>> [line.label for line in range_lines([0, 3], [0, 1, 2], seen=ValueRange(0, 9, is_whole=True))]
    ['0', '1 to 3', '4 or more']
    """
    limits = list(pairwise((-math.inf, *cuts, math.inf)))
    phrases = _count_phrases(limits, seen) or [_range_phrase(*ends, whole) for ends in limits]
    return [
        Line(LineKind.RANGE, worth, low, high, (), phrase, place == usual, first, last)
        for place, (worth, (low, high), (phrase, first, last)) in enumerate(
            zip(points, limits, phrases, strict=True)
        )
    ]


_Phrase = tuple[str, float, float]


def _range_phrase(low: float, high: float, whole: str) -> _Phrase:
    phrases = {(True, True): whole, (True, False): "at_most", (False, True): "above"}
    phrase = phrases.get((low == -math.inf, high == math.inf), "between")
    return phrase, -math.inf, math.inf


def _count_phrases(limits: Sequence[tuple[float, float]], seen: ValueRange | None) -> list[_Phrase]:
    """The phrases for no and yes, or for counts; none where the bins are not read like that."""
    if seen is None or not seen.is_count or len(limits) < 2:
        return []
    counts = [
        (max(seen.lowest, math.floor(low) + 1.0) if math.isfinite(low) else seen.lowest,
         math.floor(high) if math.isfinite(high) else math.inf)
        for low, high in limits
    ]  # fmt: skip
    if any(first > last for first, last in counts):  # no whole number is between two cuts
        return []
    if seen.is_yes_or_no:
        is_plain = len(counts) == 2 and counts[0] == (0, 0)
        return [("no", 0.0, 0.0), ("yes", 1.0, 1.0)] if is_plain else []
    return [(_count_phrase(*ends), *ends) for ends in counts]


def _count_phrase(first: float, last: float) -> str:
    if last == math.inf:
        return "or_more"
    return "just" if first == last else "from_to"


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
