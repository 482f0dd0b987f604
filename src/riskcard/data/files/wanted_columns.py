"""Which columns of a file to read, and as what; which words mean that a value is missing."""

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
    from riskcard.data.files.open_table import TableFile

#: These mean that a value is missing, in upper or lower case.
MISSING_WORDS = ("", "NA", "N/A", "#N/A", "NaN", "null", "?")
#: This means it among numbers only; among texts it may be an answer.
MISSING_AMONG_NUMBERS = "None"


class Kind(Enum):
    """What a column is read as."""

    FEATURE = "numbers or a category, whichever it is"
    NUMBER = "numbers"
    CATEGORY = "a category, even if it looks like numbers"
    TEXT = "texts as they are written"


@dataclass(frozen=True)
class MissingWords:
    """The words that mean that a value is missing: the usual ones and the user's."""

    given: tuple[str, ...] = ()

    @cached_property
    def among_texts(self) -> frozenset[str]:
        """Words that mean it in every column, as written."""
        usual = {form for word in MISSING_WORDS for form in (word, word.lower(), word.upper())}
        return frozenset(usual | {word.strip() for word in self.given})

    @cached_property
    def among_numbers(self) -> frozenset[str]:
        """Words that mean it in a column of numbers."""
        word = MISSING_AMONG_NUMBERS
        return self.among_texts | {word, word.lower(), word.upper()}

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The user's words that are numbers; they count however a cell writes the number."""
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
        Columns that the user could drop or call categorical, for error messages.
    missing
        The words that mean that a value is missing.
    known
        Texts of a column that are levels, even if they are words for a missing value.
    """

    kinds: Mapping[str, Kind]
    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    missing: MissingWords = field(default_factory=MissingWords)
    known: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def advice_on_missing(self, name: str) -> str:
        """What to do about a value that must not be missing."""
        if name in self.optional:
            return f"Fill it in, remove the row, or leave the column out with --drop {name!r}."
        return "Fill it in, or remove the row."

    def advice_on_text(self, name: str, text: str) -> str:
        """What to do about a text among numbers."""
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
    """The number that a text is, as an int if it is whole; otherwise the text itself."""
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
    listed = f"column{'s' if len(missing) > 1 else ''} {', '.join(map(repr, missing))}"
    raise DataError(f"{file.path!r} has no {listed} ({purpose}). {advice}")
