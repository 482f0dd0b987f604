"""Which columns of a file are wanted and as what, which words mean that a value is missing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

from riskcard.errors import DataError
from riskcard.formatting.spelling import nearest_name

if TYPE_CHECKING:
    from riskcard.data.files import TableFile

#: These mean that a value is missing, in capital letters or not.
MISSING_WORDS = ("", "NA", "N/A", "#N/A", "NaN", "null", "?")
#: This one only among numbers; among texts it may be an answer.
MISSING_AMONG_NUMBERS = "None"


class Kind(Enum):
    """As what a column is read."""

    FEATURE = "numbers or a category, whichever it is"
    NUMBER = "numbers"
    CATEGORY = "a category, even if it looks like numbers"
    TEXT = "texts as they are written"


@dataclass(frozen=True)
class MissingWords:
    """The words that mean that a value is missing: the usual ones, and those given."""

    given: tuple[str, ...] = ()

    @cached_property
    def among_texts(self) -> frozenset[str]:
        """In every column, as they are written."""
        usual = {form for word in MISSING_WORDS for form in (word, word.lower(), word.upper())}
        return frozenset(usual | {word.strip() for word in self.given})

    @cached_property
    def among_numbers(self) -> frozenset[str]:
        """In a column of numbers."""
        word = MISSING_AMONG_NUMBERS
        return self.among_texts | {word, word.lower(), word.upper()}

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The words given that are numbers: however written, they mean that a value is missing."""
        found = [as_number(word.strip()) for word in self.given]
        return tuple(float(number) for number in found if not isinstance(number, str))


@dataclass(frozen=True, slots=True)
class Selection:
    """The columns to read.

    Attributes
    ----------
    kinds
        From the name of each wanted column to what it is read as.
    required
        Columns in which no value may be missing.
    optional
        Columns that could be left out, or called categorical.
    missing
        The words that mean that a value is missing.
    known
        Texts of a column that are never missing, whatever the words say.
    """

    kinds: Mapping[str, Kind]
    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    missing: MissingWords = field(default_factory=MissingWords)
    known: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def advice_on_missing(self, name: str) -> str:
        """What can be done about a value that is missing and may not be."""
        if name in self.optional:
            return f"Fill it in, remove the row, or leave the column out with --drop {name!r}."
        return "Fill it in, or remove the row."

    def advice_on_text(self, name: str, text: str) -> str:
        """What can be done about a text among numbers."""
        if name in self.required:
            return "Correct it, or remove the row."
        ways = f"Correct it, call it missing with --missing {text!r}, "
        if name in self.optional:
            return (
                f"{ways}make the column categorical with --categorical {name!r}, "
                f"or leave it out with --drop {name!r}."
            )
        return f"{ways}or remove the row."


def as_number(text: str) -> int | float | str:
    """A whole number, a number, or the text itself; 1.0 is the whole number 1."""
    try:
        number = float("text" if "_" in text else text)
    except ValueError:
        return text
    if math.isfinite(number) and number.is_integer() and abs(number) < 2**53:
        return int(number)
    return number


def require_columns(file: TableFile, wanted: Sequence[str], purpose: str) -> None:
    """Refuse a file that lacks a wanted column."""
    missing = [name for name in wanted if name not in file.names]
    if not missing:
        return
    advice = nearest_name(
        missing[0], file.names, "columns", "Check the spelling against the header line."
    )
    listed = ", ".join(map(repr, missing))
    raise DataError(
        f"{file.path!r} has no column{'s' if len(missing) > 1 else ''} {listed} ({purpose}). {advice}"
    )
