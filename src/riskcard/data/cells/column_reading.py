"""What came out of reading one column, and notes on what was done to many of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from riskcard.data.columns import FeatureValues
from riskcard.data.reading_notes import ReadingNote, Topic
from riskcard.data.reading_problems import ReadingProblem

#: More columns than this are counted, not listed.
_MOST_NAMED = 5


class Done(Enum):
    """What was done to a column: a topic, and a sentence about all columns it was done to."""

    ROW_NUMBERS = (Topic.LEFT_OUT, "Left out, as a column without a name that counts the rows: {}.")
    EMPTY = (Topic.LEFT_OUT, "Left out, as a column without a name and without values: {}.")
    DATES = (
        Topic.LEFT_OUT,
        "Left out, as dates: {}. --dates days uses them as days since 1 January 1970, --dates years "
        "as years.",
    )
    TIMES = (Topic.LEFT_OUT, "Left out, as times of day: {}.")
    UNNAMED = (Topic.NUMBERS, "Columns without a name are called by their place: {}.")
    COMMAS = (Topic.NUMBERS, "Read with decimal commas, where points separate thousands: {}.")
    IN_DOUBT = (
        Topic.NUMBERS,
        "Could be read with decimal points or commas, and was decided by the rest of the file: {}. "
        "--decimal point or --decimal comma decides otherwise.",
    )
    ASKED = (Topic.NUMBERS, "Read with the decimal mark of --decimal: {}.")
    PERCENT = (Topic.NUMBERS, "Read without per cent signs, so that 12 % is 12: {}.")
    CURRENCY = (Topic.NUMBERS, "Read without currency signs: {}.")
    BRACKETS = (Topic.NUMBERS, "Numbers in brackets, read as negative: {}.")
    AS_DAYS = (Topic.NUMBERS, "Dates, read as days since 1 January 1970: {}.")
    AS_YEARS = (Topic.NUMBERS, "Dates, read as years (2 July 2021 is 2021.5): {}.")
    LABELS = (
        Topic.NUMBERS,
        "Numbers, although some of their values have labels in the file: {}. --missing NUMBER takes such a "
        "value for a missing one.",
    )

    def __init__(self, topic: Topic, sentence: str) -> None:
        self.topic = topic
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class ColumnReading:
    """What came out of reading one column.

    Attributes
    ----------
    n_rows
        Number of rows.
    feature
        The values; None where the column is left out or cannot be read.
    problems
        What keeps it from being read.
    done
        What was done to it, with an example or nothing.
    missing
        How often each word stands for a missing value.
    in_doubt
        A text such as "1,234", where all numbers could be read with both decimal marks.
    order, sign
        What comes first in its dates; the sign that its numbers had.
    """

    n_rows: int
    feature: FeatureValues | None = None
    problems: tuple[ReadingProblem, ...] = ()
    done: Mapping[Done, str] = field(default_factory=dict)
    missing: Mapping[str, int] = field(default_factory=dict)
    in_doubt: str = ""
    order: str = ""
    sign: str = ""


def notes_on(readings: Mapping[str, ColumnReading]) -> Iterator[ReadingNote]:
    """What was done to columns, one note for all columns to which the same was done."""
    for done in Done:
        columns = {name: one.done[done] for name, one in readings.items() if done in one.done}
        if columns:
            listed = [
                f"{name!r} ({example})" if example else repr(name)
                for name, example in columns.items()
            ]
            text = done.sentence.format(_listed(listed))
            yield ReadingNote(done.topic, text, tuple(columns), is_guess=done is Done.IN_DOUBT)
    counts: Counter[str] = Counter()
    used = {name: one for name, one in readings.items() if one.feature is not None}
    for one in used.values():
        counts.update(one.missing)
    if counts.total():
        columns_with = tuple(name for name, one in used.items() if sum(one.missing.values()))
        text = f"Missing values in {_listed(list(map(repr, columns_with)))}: {_counted(counts)}."
        yield ReadingNote(Topic.MISSING, text, columns_with, counts.total())


def _counted(counts: Mapping[str, int]) -> str:
    """How often each word stands for a missing value, empty cells first."""
    words = [
        f"{word!r} ({count:,} cell{'s' if count > 1 else ''})"
        if word
        else f"{count:,} empty cell{'s' if count > 1 else ''}"
        for word, count in sorted(counts.items())
        if count
    ]
    return ", ".join(words)


def _listed(words: list[str]) -> str:
    more = len(words) - _MOST_NAMED
    return ", ".join(words[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
