"""What keeps a column from being read, in words, with the option that solves it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riskcard.data.cells.written_numbers import COMMA, read_number
from riskcard.data.reading_problems import ReadingProblem

if TYPE_CHECKING:
    from riskcard.data.cells.column_kinds import Cells, Where
    from riskcard.data.files.wanted_columns import Selection

#: With at least this many different texts among numbers, the column as a whole is the problem.
_MANY_ODD_TEXTS = 6
_LIMIT = re.compile(r"[<>≤≥~]=?\s*(?P<number>\S.*)")
_WITH_UNIT = re.compile(r"(?P<number>.*\d)\s*(?P<unit>[^\W\d_][^\d]{0,15})")


def not_numbers(cells: Cells, odd: Sequence[str], mark: str | None) -> list[ReadingProblem]:
    """Texts in a column of numbers."""
    wanted, name = cells.wanted, cells.name
    most = ", but most values of the column are" if name in wanted.optional else ""
    if len(odd) < _MANY_ODD_TEXTS:
        return [
            ReadingProblem(
                f"{text!r} {_why_not(text, mark)}{most}.", *wanted.ways_out(name, text),
                place=cells.place_of(text),
            )
            for text in odd
        ]  # fmt: skip
    return [
        ReadingProblem(
            f"{odd[0]!r} and {len(odd) - 1} other texts are not numbers{most}.",
            *wanted.ways_out(name),
            place=cells.place_of(odd[0]),
        )
    ]


def _why_not(text: str, mark: str | None) -> str:
    limit = _LIMIT.fullmatch(text)
    if limit is not None and read_number(limit["number"]) is not None:
        return "is a limit, not a number"
    if mark is not None and read_number(text) is not None:
        used = "commas" if mark == COMMA else "points"
        return f"is not a number if decimals are written with {used}"
    return "is not a number"


def mixed_signs(cells: Cells, signs: Mapping[str, str]) -> list[ReadingProblem]:
    """Amounts of two currencies, or percentages among other numbers; ``signs`` by text."""
    first: dict[str, str] = {}
    for text, sign in signs.items():
        first.setdefault(sign, text)
    if "%" not in first:
        first.pop("", None)
    wanted, name = cells.wanted, cells.name
    if len(first) > 1:
        other, text = list(first.values())[:2]
        what = "only one has a per cent sign" if "%" in first else "the currencies differ"
        return [
            ReadingProblem(
                f"{text!r} and {other!r} cannot be compared: {what}.",
                *wanted.ways_out(name),
                place=cells.place_of(text),
            )
        ]
    known, found = wanted.trained.signs.get(name), next(iter(first), "")
    if known and found and known != found:
        return [
            ReadingProblem(
                f"{first[found]!r} is in {found}, but the card was learned from numbers in {known}.",
                "Convert the column.",
                place=cells.place_of(first[found]),
            )
        ]
    return []


def numbers_with_unit(cells: Cells, present: Sequence[str]) -> ReadingProblem | None:
    """A column such as "70 kg", of which nothing should be left out or made a category."""
    unit = numbers_with_unit_in(present)
    if unit is None:
        return None
    advice, remedy = cells.wanted.ways_out(cells.name)
    return ReadingProblem(
        f"{present[0]!r} is a number with the unit {unit!r}, as are all values of the column.",
        f"Remove the unit, so that only numbers are left. {advice}",
        remedy,
        cells.place_of(present[0]),
    )


def numbers_with_unit_in(texts: Sequence[str]) -> str | None:
    """The unit that all texts share; None if some are not numbers with a unit."""
    units = set()
    for text in texts:
        found = _WITH_UNIT.fullmatch(text)
        if found is None or read_number(found["number"]) is None:
            return None
        units.add(found["unit"])
    return units.pop() if len(units) == 1 else None


def infinite_values(
    values: NDArray[np.float64],
    name: str,
    wanted: Selection,
    where: Where,
    cells: Cells | None = None,
) -> list[ReadingProblem]:
    """Infinity, which a card has no points for, as it is written in the cells where these are texts."""
    infinite = np.flatnonzero(np.isinf(values))
    if not infinite.size:
        return []
    row = int(infinite[0])
    text = str(values[row]) if cells is None else cells.texts[cells.codes[row]]
    advice = "Replace it by a large finite value, or remove the row."
    remedy = () if name in wanted.required else ("--missing", text)
    return [ReadingProblem(f"{text!r} is infinite.", advice, remedy, where(row, name))]


def missing_values(
    values: NDArray[np.float64], name: str, wanted: Selection, where: Where
) -> list[ReadingProblem]:
    """Missing values in a column that must not have any."""
    if name not in wanted.required or (name == wanted.target and wanted.skip_missing_target):
        return []
    rows = np.flatnonzero(np.isnan(values))
    if not rows.size:
        return []
    more = (
        "" if rows.size == 1 else f" here and in {rows.size - 1:,} more row{'s' * (rows.size > 2)}"
    )
    place = where(int(rows[0]), name)
    if name != wanted.target:
        return [
            ReadingProblem(
                f"the value is missing{more}.", "Fill it in, or remove the row.", place=place
            )
        ]
    option = "--skip-missing-target"
    which = "this row" if rows.size == 1 else f"these {rows.size:,} rows"
    return [
        ReadingProblem(
            f"the outcome is missing{more}.",
            f"Fill it in, or leave {which} out with {option}.",
            (option,),
            place,
        )
    ]
