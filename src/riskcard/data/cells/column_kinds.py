"""What a column of text is: numbers, dates, a category, or a problem that says where.

This is the one place that decides, however the file was read.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from riskcard.data.cells.column_problems import (
    infinite_values,
    missing_values,
    mixed_signs,
    not_numbers,
    numbers_with_unit,
    numbers_with_unit_in,
)
from riskcard.data.cells.column_reading import ColumnReading, Done
from riskcard.data.cells.date_columns import DATE_SHARE, dates_of, read_date_column
from riskcard.data.cells.dates import is_time_of_day
from riskcard.data.cells.written_numbers import COMMA, POINT, WrittenColumn, read_numbers
from riskcard.data.columns import MANY_LEVELS, FeatureValues, levels_from, warn_of_lost_digits
from riskcard.data.files.wanted_columns import Kind, Selection, as_number
from riskcard.data.levels import Label
from riskcard.data.raw_columns import LARGEST_EXACT

_TRUTH = {"true": True, "false": False}
_WHOLE_NUMBER = re.compile(r"[+-]?\d{16,}")
_PLAIN_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")
#: With more distinct texts than this, a sample of them is examined first.
_SAMPLE = 1000

#: From the index of a row and the name of a column to the place in the file.
Where = Callable[[int, str], str]


class TextColumn(Protocol):
    """The cells of one column of a file."""

    @property
    def has_types(self) -> bool:
        """Whether the file says which cells are numbers, so that no decimal mark is in doubt."""

    def numbers(
        self, missing: frozenset[str]
    ) -> tuple[NDArray[np.float64], Mapping[str, int]] | None:
        """All cells as floats, and how often each missing word occurs; None where the texts
        themselves must be examined.

        A shortcut: what it returns is what the texts of ``distinct`` would give.
        """

    def distinct(self) -> tuple[list[str], NDArray[np.int64]]:
        """The different texts as written, and for each row the index of its text."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of one column: row ``i`` holds ``texts[codes[i]]``.

    Attributes
    ----------
    name
        The column.
    texts
        The different texts, without spaces around them.
    codes
        One per row.
    wanted
        How columns are read.
    where
        From rows to places, for error messages.
    mark
        The decimal mark where the column leaves it in doubt; None if it is not known.
    """

    name: str
    texts: Sequence[str]
    codes: NDArray[np.int64]
    wanted: Selection
    where: Where
    mark: str | None = None

    def place_of(self, text: str) -> str:
        """The first place of a text."""
        code = self.texts.index(text)
        return self.where(int(np.flatnonzero(self.codes == code)[0]), self.name)

    def among(self, words: frozenset[str]) -> dict[str, int]:
        """How often each of some words occurs."""
        codes = [code for code, text in enumerate(self.texts) if text in words]
        if not codes:
            return {}
        counts = np.bincount(self.codes, minlength=len(self.texts))
        found: Counter[str] = Counter()
        for code in codes:
            found[self.texts[code]] += int(counts[code])
        return dict(found)


def read_text_column(
    column: TextColumn, name: str, wanted: Selection, where: Where, mark: str | None
) -> ColumnReading:
    """Read a column as the selection asks.

    Parameters
    ----------
    column
        The cells.
    name
        Its name.
    wanted
        What it is read as, and how.
    where
        From rows to places, for error messages.
    mark
        The decimal mark where the column leaves it in doubt; None if it is not known.
    """
    if wanted.kinds[name] in (Kind.FEATURE, Kind.NUMBER):
        found = column.numbers(wanted.missing.among_numbers)
        if found is not None and _is_plain(found[0], column.has_types or mark == POINT):
            return check_numbers(*found, name, wanted, where)
    texts, codes = column.distinct()
    stripped = [text.strip() for text in texts]
    return read_cells(Cells(name, stripped, codes, wanted, where, mark))


def _is_plain(values: NDArray[np.float64], is_certain: bool) -> bool:
    """Whether no number has more digits than a float keeps, so that its text must be looked at."""
    sizes = np.abs(values)
    if np.nanmax(sizes, initial=0.0) >= LARGEST_EXACT:
        return False
    return is_certain or not _may_be_thousands(sizes[:100]) or not _may_be_thousands(sizes)


def _may_be_thousands(sizes: NDArray[np.float64]) -> bool:
    """Whether all numbers could be written as 1.234, with a point between thousands."""
    fractions = sizes[np.floor(sizes) < sizes]
    if not fractions.size:
        return False
    thousands = 1000 * fractions
    return bool(
        (
            (fractions > 1) & (fractions < 1000) & (np.abs(thousands - np.round(thousands)) < 1e-6)
        ).all()
    )


def read_cells(cells: Cells) -> ColumnReading:
    """Read a column from its different texts."""
    kind = cells.wanted.kinds[cells.name]
    if kind is Kind.TEXT:
        return _levels(cells, {})
    if kind is Kind.CATEGORY:
        return _category(cells)
    missing = cells.wanted.missing.among_numbers
    present = [text for text in cells.texts if text not in missing]
    if kind is Kind.FEATURE and _are_words(present):
        return _category(cells)
    numbers = read_numbers(present)
    n_numbers = max(numbers.count(POINT), numbers.count(COMMA))
    dates = dates_of(present) if n_numbers < len(present) else [None] * len(present)
    n_dates = len(present) - dates.count(None)
    if n_dates and n_dates >= DATE_SHARE * len(present):
        return read_date_column(cells, present, dates)
    if kind is Kind.FEATURE and n_numbers < len(present) - n_numbers:
        if present and all(map(is_time_of_day, present)):
            return ColumnReading(cells.codes.size, done={Done.TIMES: f"such as {present[0]}"})
        if len(present) > MANY_LEVELS and (problem := numbers_with_unit(cells, present)):
            return ColumnReading(cells.codes.size, problems=(problem,))
        return _category(cells)
    return _numbers(cells, present, numbers)


def check_numbers(
    values: NDArray[np.float64],
    missing: Mapping[str, int],
    name: str,
    wanted: Selection,
    where: Where,
    cells: Cells | None = None,
) -> ColumnReading:
    """Turn codes for missing values into NaN, and refuse infinity."""
    counts = dict(missing)
    for number in wanted.missing.numbers:
        is_code = values == number
        if is_code.any():
            counts[f"{number:.17g}"] = int(np.count_nonzero(is_code))
            values = np.where(is_code, np.nan, values)
    problems = [*infinite_values(values, name, wanted, where, cells)]
    problems += missing_values(values, name, wanted, where)
    return ColumnReading(values.size, FeatureValues(values, None), tuple(problems), {}, counts)


# --- the kinds ----------------------------------------------------------------------------------


def _are_words(present: Sequence[str]) -> bool:
    """Whether a sample of many texts has hardly any numbers or dates."""
    if len(present) <= 2 * _SAMPLE:
        return False
    sample = present[:: len(present) // _SAMPLE]
    numbers, dates = read_numbers(sample), dates_of(sample)
    n_read = max(numbers.count(POINT), numbers.count(COMMA)) + len(sample) - dates.count(None)
    return n_read < len(sample) / 10 and numbers_with_unit_in(sample) is None


def _category(cells: Cells) -> ColumnReading:
    """Booleans if all texts are, numbers if all texts are plain numbers, otherwise texts."""
    missing = cells.wanted.missing.of_texts(cells.texts)
    present = [text for text in cells.texts if text not in missing]
    if all(text.lower() in _TRUTH for text in present):
        return _levels(cells, {text: _TRUTH[text.lower()] for text in present})
    if all(_PLAIN_NUMBER.fullmatch(text) for text in present):
        return _levels(cells, {text: as_number(text) for text in present})
    return _levels(cells, {})


def _levels(cells: Cells, labels: Mapping[str, Label]) -> ColumnReading:
    """Levels, which are their texts unless a label is given."""
    name, wanted = cells.name, cells.wanted
    missing = wanted.missing.of_texts(cells.texts, wanted.known.get(name, frozenset()))
    names = [None if text in missing else labels.get(text, text) for text in cells.texts]
    feature = levels_from(names, cells.codes)
    problems = missing_values(feature.values, name, wanted, cells.where)
    return ColumnReading(cells.codes.size, feature, tuple(problems), missing=cells.among(missing))


def _numbers(cells: Cells, present: Sequence[str], numbers: WrittenColumn) -> ColumnReading:
    """Numbers; every text that is not a number is a problem."""
    name, wanted = cells.name, cells.wanted
    mark = numbers.mark or cells.mark
    if mark is None:
        odd = [text for text, one in zip(present, numbers.numbers, strict=True) if one is None]
        problems = not_numbers(cells, odd, None)
        doubtful = _first_in_doubt(present, numbers)
        return ColumnReading(cells.codes.size, problems=tuple(problems), in_doubt=doubtful)
    values = dict(zip(present, numbers.values(mark), strict=True))
    signs = {text: one.sign for text, one in zip(present, numbers.numbers, strict=True) if one}
    problems = not_numbers(cells, [text for text, value in values.items() if value is None], mark)
    problems += mixed_signs(cells, signs)
    sign = next(filter(None, signs.values()), "")
    done = _done_to(cells, values, numbers, mark, sign)
    if problems:
        return ColumnReading(cells.codes.size, problems=tuple(problems), done=done)
    whole = [int(text) for text in cells.texts if _WHOLE_NUMBER.fullmatch(text)]
    warn_of_lost_digits(np.array(whole, dtype=object), name)
    by_code = [values.get(text, math.nan) for text in cells.texts]
    missing = cells.among(wanted.missing.among_numbers)
    found = np.array(by_code, dtype=np.float64)[cells.codes]
    checked = check_numbers(found, missing, name, wanted, cells.where, cells)
    return replace(checked, done=done, sign=sign)


def _done_to(
    cells: Cells, values: Mapping[str, float | None], numbers: WrittenColumn, mark: str, sign: str
) -> dict[Done, str]:
    """What the user should know about how numbers were read."""
    done: dict[Done, str] = {}
    if numbers.mark is None:
        text = _first_in_doubt(list(values), numbers)
        how = Done.ASKED if cells.wanted.reading.decimal else Done.IN_DOUBT
        done[how] = f"{text} is {values[text]:g}"
    elif mark == COMMA:
        done[Done.COMMAS] = ""
    if sign == "%":
        done[Done.PERCENT] = ""
    elif sign:
        done[Done.CURRENCY] = sign
    bracketed = next((text for text in values if text.startswith("(")), None)
    if bracketed is not None and values[bracketed] is not None:
        done[Done.BRACKETS] = f"{bracketed} is {values[bracketed]:g}"
    return done


def _first_in_doubt(texts: Sequence[str], numbers: WrittenColumn) -> str:
    """The first text that is another number with the other decimal mark."""
    return next(
        text
        for text, one in zip(texts, numbers.numbers, strict=True)
        if one is not None and one.point != one.comma
    )
