"""Which columns of a file to read, and as what; which words mean that a value is missing."""

from __future__ import annotations

import math
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

from riskcard.checks import set_fields
from riskcard.data.reading import Reading
from riskcard.errors import DataError
from riskcard.formatting.spelling import nearest_name

if TYPE_CHECKING:
    from riskcard.data.files.table_file import TableFile

#: These mean that a value is missing, in upper or lower case.
MISSING_WORDS = ("", "NA", "N/A", "#N/A", "NaN", "null", "?", ".", "-")
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
    """The words that mean that a value is missing.

    Attributes
    ----------
    given
        The user's, in addition to the usual ones.
    not_missing
        Usual ones that the user takes for values.
    """

    given: tuple[str, ...] = ()
    not_missing: tuple[str, ...] = ()

    @cached_property
    def among_texts(self) -> frozenset[str]:
        """Words that mean it in every column, as written."""
        usual = {form for word in MISSING_WORDS for form in (word, word.lower(), word.upper())}
        return frozenset((usual - set(self.not_missing)) | {word.strip() for word in self.given})

    @cached_property
    def among_numbers(self) -> frozenset[str]:
        """Words that mean it in a column of numbers."""
        word = MISSING_AMONG_NUMBERS
        return self.among_texts | ({word, word.lower(), word.upper()} - set(self.not_missing))

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The user's words that are numbers; they count however a cell writes the number."""
        found = [as_number(word.strip()) for word in self.given]
        return tuple(float(number) for number in found if not isinstance(number, str))

    def of_texts(
        self, texts: Collection[str], known: frozenset[str] = frozenset()
    ) -> frozenset[str]:
        """Words that mean it in a column of these texts, some of which are known to be values.

        A minus is a value where there is a plus, as with blood groups.
        """
        is_answer = "+" in texts and "-" not in self.given
        return self.among_texts - known - ({"-"} if is_answer else frozenset())


@dataclass(frozen=True, slots=True)
class Selection:
    """The columns to read, and how.

    Attributes
    ----------
    kinds
        From the name of each wanted column to what it is read as.
    required
        Columns in which no value may be missing.
    optional
        Columns that the user could drop or call categorical, for error messages.
    reading
        What the user asks for: words for missing values, decimal mark, dates.
    trained
        How the training file was read, if the columns are those of a card.
    known
        Texts of a column that are levels, even if they are words for a missing value.
    named
        Columns that the user named, so that they are never left out.
    target
        The required column with the outcome, if there is one.
    skip_missing_target
        Leave out the rows in which the target is missing.
    """

    kinds: Mapping[str, Kind]
    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    reading: Reading = field(default_factory=Reading)
    trained: Reading = field(default_factory=Reading)
    known: Mapping[str, frozenset[str]] = field(default_factory=dict)
    named: frozenset[str] = frozenset()
    target: str | None = None
    skip_missing_target: bool = False
    missing: MissingWords = field(init=False)

    def __post_init__(self) -> None:
        words = MissingWords(self.reading.missing, self.reading.not_missing)
        set_fields(self, missing=words)

    def ways_out(self, name: str, text: str | None = None) -> tuple[str, tuple[str, ...]]:
        """Advice on a column that cannot be read, or on one text in it; and the option for it."""
        if name in self.required:
            return "Correct it, or remove the row.", ()
        ways = ["Correct it" if text is not None else "Correct the column"]
        if text is not None:
            ways.append(f"call it missing with --missing {shlex.quote(text)}")
        if name in self.optional:
            ways.append(f"make the column categorical with --categorical {shlex.quote(name)}")
            ways.append(f"leave it out with --drop {shlex.quote(name)}")
        elif text is not None:
            ways.append("remove the row")
        if text is not None:
            remedy: tuple[str, ...] = ("--missing", text)
        else:
            remedy = ("--drop", name) if name in self.optional else ()
        return _either(ways), remedy


def _either(ways: Sequence[str]) -> str:
    """Ways out as one sentence."""
    if len(ways) < 3:
        return " or ".join(ways) + "."
    return f"{', '.join(ways[:-1])}, or {ways[-1]}."


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
