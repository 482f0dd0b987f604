"""A column of dates: left out, or turned into numbers if the user asks for that."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from riskcard.data.cells.column_problems import missing_values
from riskcard.data.cells.column_reading import ColumnReading, Done
from riskcard.data.cells.dates import WrittenDate, as_number, possible_orders, read_date
from riskcard.data.columns import FeatureValues
from riskcard.data.files.wanted_columns import Kind
from riskcard.data.reading_problems import ReadingProblem

if TYPE_CHECKING:
    from riskcard.data.cells.column_kinds import Cells

#: A column holds dates if at least this share of its distinct texts are dates.
DATE_SHARE = 0.5


def dates_of(texts: Sequence[str]) -> list[WrittenDate | None]:
    """The date of each text; None where it is not a date."""
    return [read_date(text) if text[:1].isdigit() else None for text in texts]


def read_date_column(
    cells: Cells, present: Sequence[str], dates: Sequence[WrittenDate | None]
) -> ColumnReading:
    """Leave dates out, or turn them into days or years.

    Parameters
    ----------
    cells
        The column.
    present
        Its different texts that are not missing, at least half of which are dates.
    dates
        For each of these the date.
    """
    n_rows, wanted, name = cells.codes.size, cells.wanted, cells.name
    unit = wanted.reading.dates
    example = next(text for text, date in zip(present, dates, strict=True) if date is not None)
    if unit is None:
        if wanted.kinds[name] is Kind.FEATURE and name not in wanted.named:
            return ColumnReading(n_rows, done={Done.DATES: f"such as {example}"})
        return ColumnReading(n_rows, problems=(_not_asked_for(cells, example),))
    orders = possible_orders(dates)
    known = wanted.trained.date_orders.get(name)
    order = next(iter(orders)) if len(orders) == 1 else known if known in orders else None
    is_same = all(date is None or len(set(date.by_order.values())) == 1 for date in dates)
    if order is None and is_same and orders:
        order = "day"
    by_text = {
        text: date.by_order.get(order or "") if date else None
        for text, date in zip(present, dates, strict=True)
    }
    if order is None:
        return ColumnReading(n_rows, problems=(_unknown_order(cells, example),))
    odd = [text for text, moment in by_text.items() if moment is None]
    if odd:
        return ColumnReading(n_rows, problems=tuple(_not_dates(cells, odd)))
    numbers = {text: as_number(moment, unit) for text, moment in by_text.items() if moment}
    values = np.array([numbers.get(text, math.nan) for text in cells.texts])[cells.codes]
    return ColumnReading(
        n_rows,
        FeatureValues(values, None),
        tuple(missing_values(values, name, wanted, cells.where)),
        {Done.AS_DAYS if unit == "days" else Done.AS_YEARS: ""},
        cells.among(wanted.missing.among_numbers),
        order="" if is_same else order,
    )


def _not_asked_for(cells: Cells, text: str) -> ReadingProblem:
    return ReadingProblem(
        f"{text!r} is a date.",
        "Use dates as days or years with --dates days or --dates years, or leave the column out.",
        ("--dates", "days") if cells.name in cells.wanted.optional else (),
        cells.place_of(text),
    )


def _unknown_order(cells: Cells, text: str) -> ReadingProblem:
    advice, remedy = cells.wanted.ways_out(cells.name)
    return ReadingProblem(
        f"{text!r} and all other dates of the column leave open whether the day or the month comes "
        "first, or which century is meant.",
        f"Write dates as 2020-12-31. {advice}",
        remedy,
        cells.place_of(text),
    )


def _not_dates(cells: Cells, odd: Sequence[str]) -> list[ReadingProblem]:
    return [
        ReadingProblem(
            f"{text!r} is not a date, but most values of the column are.",
            *cells.wanted.ways_out(cells.name, text),
            place=cells.place_of(text),
        )
        for text in odd[:5]
    ]
