"""What a column of text is: numbers, a category, or an error that says where.

This is the one place that decides, however the file was read.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from riskcard.data.columns import FeatureValues, levels_from, warn_of_lost_digits
from riskcard.data.files.wanted_columns import Kind, Selection, as_number
from riskcard.data.levels import Label
from riskcard.data.raw_columns import LARGEST_EXACT
from riskcard.errors import DataError

_TRUTH = {"true": True, "false": False}
_WHOLE_NUMBER = re.compile(r"[+-]?\d{16,}")
_PLAIN_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")
_SIGNS = re.compile(r"-?\d{1,3}([ ,_']\d{3})+(\.\d+)?|-?\d+(\.\d+)?\s*%")
_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ].*)?|\d\d?[./]\d\d?[./]\d{4}|\d{4}/\d\d?/\d\d?")


#: From the index of a row and the name of a column to the place in the file.
Where = Callable[[int, str], str]


class TextColumn(Protocol):
    """The cells of one column of a file."""

    def numbers(self, missing: frozenset[str]) -> NDArray[np.float64] | None:
        """All cells as floats, NaN where missing; None if any of them needs a closer look.

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
    where
        For error messages.
    """

    name: str
    texts: Sequence[str]
    codes: NDArray[np.int64]
    where: Where

    def place_of(self, code: int) -> str:
        """The first place of a text."""
        return self.where(int(np.flatnonzero(self.codes == code)[0]), self.name)


def feature_from_text(
    column: TextColumn, name: str, wanted: Selection, where: Where
) -> FeatureValues:
    """Read a column as the selection asks."""
    if wanted.kinds[name] in (Kind.FEATURE, Kind.NUMBER):
        numbers = column.numbers(wanted.missing.among_numbers)
        # for larger numbers the texts say whether digits are lost
        if numbers is not None and np.nanmax(np.abs(numbers), initial=0.0) < LARGEST_EXACT:
            return check_numbers(numbers, name, wanted, where)
    return feature_from_texts(*column.distinct(), name, wanted, where)


def feature_from_texts(
    texts: Sequence[str],
    codes: NDArray[np.int64],
    name: str,
    wanted: Selection,
    where: Where,
) -> FeatureValues:
    """The same from the different texts of a column, and for each row the index of its text."""
    cells = Cells(name, [text.strip() for text in texts], codes, where)
    kind = wanted.kinds[name]
    if kind is Kind.TEXT:
        feature = _texts(cells, wanted)
    elif kind is Kind.CATEGORY or (kind is Kind.FEATURE and _is_category(cells, wanted)):
        feature = _category(cells, wanted)
    else:
        feature = _numbers(cells, wanted)
    _require_present(feature.values, name, wanted, where)
    return feature


def check_numbers(
    values: NDArray[np.float64], name: str, wanted: Selection, where: Where
) -> FeatureValues:
    """Turn codes for missing values into NaN, and refuse infinity."""
    for number in wanted.missing.numbers:
        values = np.where(values == number, np.nan, values)
    infinite = np.flatnonzero(np.isinf(values))
    if infinite.size:
        row = int(infinite[0])
        raise DataError(
            f"{where(row, name)}: {str(values[row])!r} is infinite. Replace it by a large finite "
            "value, or remove the row."
        )
    _require_present(values, name, wanted, where)
    return FeatureValues(values, None)


# --- the kinds ----------------------------------------------------------------------------------


def _texts(cells: Cells, wanted: Selection) -> FeatureValues:
    missing = wanted.missing.among_texts - wanted.known.get(cells.name, frozenset())
    return levels_from([None if text in missing else text for text in cells.texts], cells.codes)


def _category(cells: Cells, wanted: Selection) -> FeatureValues:
    """Booleans if all texts are, numbers if all texts are plain numbers, otherwise texts."""
    texts, missing = cells.texts, wanted.missing.among_texts
    present = [text for text in texts if text not in missing]
    labels: list[Label | None]
    if all(text.lower() in _TRUTH for text in present):
        labels = [_TRUTH.get(text.lower()) for text in texts]
    elif all(_PLAIN_NUMBER.fullmatch(text) for text in present):
        labels = [None if text in missing else as_number(text) for text in texts]
    else:
        labels = [None if text in missing else text for text in texts]
    return levels_from(labels, cells.codes)


def _numbers(cells: Cells, wanted: Selection) -> FeatureValues:
    numbers = [_number(text, wanted.missing.among_numbers) for text in cells.texts]
    for code, number in enumerate(numbers):
        if number is None:
            raise _not_a_number(code, cells, wanted)
    whole = [int(text) for text in cells.texts if _WHOLE_NUMBER.fullmatch(text)]
    warn_of_lost_digits(np.array(whole, dtype=object), cells.name)
    values = np.array(numbers, dtype=np.float64)[cells.codes]
    return check_numbers(values, cells.name, wanted, cells.where)


def _number(text: str, missing: frozenset[str]) -> float | None:
    """NaN for a missing value, None for a text that is not a number."""
    if text in missing:
        return math.nan
    number = as_number(text)
    return None if isinstance(number, str) else float(number)


def _is_category(cells: Cells, wanted: Selection) -> bool:
    """Whether most of the different texts are words, not numbers in whatever notation, nor dates."""
    numbers = [_number(text, wanted.missing.among_numbers) for text in cells.texts]
    others = [code for code, number in enumerate(numbers) if number is None]
    n_numbers = sum(number is not None and number == number for number in numbers)
    if not others or n_numbers >= len(others):
        return False
    for is_such, cure in _MISREAD:
        if all(is_such(cells.texts[code]) for code in others):
            raise _misread(others[0], cure, cells)
    return True


def _is_decimal_comma(text: str) -> bool:
    return text.count(",") == 1 and not isinstance(as_number(text.replace(",", ".")), str)


_DECIMALS = "write decimals with a point"
_MISREAD: tuple[tuple[Callable[[str], object], str], ...] = (
    (_is_decimal_comma, _DECIMALS),
    (_SIGNS.fullmatch, "leave out signs between and after the digits"),
    (_DATE.fullmatch, "turn dates into a number of days"),
)


# --- what is refused ----------------------------------------------------------------------------


def _not_a_number(code: int, cells: Cells, wanted: Selection) -> DataError:
    text = cells.texts[code]
    hint = f" ({_DECIMALS})" if _is_decimal_comma(text) else ""
    most = ", but most values of the column are" if cells.name in wanted.optional else ""
    return DataError(
        f"{cells.place_of(code)}: {text!r} is not a number{hint}{most}. "
        f"{wanted.advice_on_text(cells.name, text)}"
    )


def _misread(code: int, cure: str, cells: Cells) -> DataError:
    return DataError(
        f"{cells.place_of(code)}: {cells.texts[code]!r} is not a number ({cure}). Write it as one, "
        f"make the column categorical with --categorical {cells.name!r}, or leave it out with "
        f"--drop {cells.name!r}."
    )


def _require_present(
    values: NDArray[np.float64], name: str, wanted: Selection, where: Where
) -> None:
    if name not in wanted.required:
        return
    rows = np.flatnonzero(np.isnan(values))
    if rows.size:
        raise DataError(
            f"{where(int(rows[0]), name)}: the value is missing. {wanted.advice_on_missing(name)}"
        )
