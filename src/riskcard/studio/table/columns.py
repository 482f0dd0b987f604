"""Tiles of columns: what a column is, its missing values, range, bars with event rates, and remarks."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from riskcard.arrays import Booleans, Floats
from riskcard.data.columns import FeatureValues
from riskcard.data.first_look.data_summary import DataSummary, summarize
from riskcard.data.first_look.identifiers import find_identifiers
from riskcard.data.first_look.repeats import find_repeats
from riskcard.data.levels import BOOLEAN
from riskcard.evaluation.distribution import number_bars, number_range
from riskcard.formatting.numbers import format_number
from riskcard.model.lines import show_level

#: The most levels that get a bar of their own.
MOST_LEVELS = 12


def tile_of(
    name: str, column: FeatureValues, is_event: Booleans | None, codes: Collection[float] = ()
) -> dict[str, Any]:
    """What is shown of one column.

    Parameters
    ----------
    name, column
        The column.
    is_event
        Which rows have the event; None before it is chosen.
    codes
        Numbers that are no measurements, or do not look like any: they are not in the bars.
    """
    is_missing = np.isnan(column.values)
    numbers = column.values[~is_missing]
    is_code = np.isin(numbers, list(codes))
    tile = {
        "name": name,
        "kind": _kind_of(column, numbers[~is_code]),
        "rows": int(column.values.size),
        "missing": int(np.count_nonzero(is_missing)),
        "different": int(np.unique(numbers).size),
        "two_values": _two_values(column, numbers),
    }
    events = None if is_event is None else is_event[~is_missing]
    if column.levels is not None:
        return {**tile, **_level_bars(column, events)}
    apart = [{"code": one, "rows": int(np.count_nonzero(numbers == one))} for one in codes]
    measured = None if events is None else events[~is_code]
    return {**tile, "apart": apart, **_number_bars(numbers[~is_code], measured)}


def _kind_of(column: FeatureValues, numbers: Any) -> str:
    if column.levels is not None:
        return "yes_no" if column.levels == BOOLEAN else "category"
    return "yes_no" if set(np.unique(numbers).tolist()) == {0.0, 1.0} else "number"


def _two_values(column: FeatureValues, numbers: Any) -> list[str] | None:
    """The two values of a column that may be an outcome, as the file writes them; None if it has others."""
    different = np.unique(numbers[:100_000])
    if different.size > 2 or (different.size == 2 and np.unique(numbers).size != 2):
        return None
    if different.size != 2:
        return None
    if column.levels is not None:
        return [show_level(column.levels.names[int(place)]) for place in different]
    return [format_number(float(one)) for one in different]


def _number_bars(numbers: Any, is_event: Any) -> dict[str, Any]:
    if not numbers.size:
        return {"range": None, "edges": [], "counts": [], "events": None}
    ends = number_range((), numbers)
    ones = np.ones(numbers.size)
    edges, counts = number_bars(numbers, ones, ends, 1.0)
    events = None
    if is_event is not None:
        events = np.histogram(numbers[is_event], edges)[0].astype(int).tolist()
    return {
        "range": [float(numbers.min()), float(numbers.max())],
        "edges": edges.tolist(),
        "counts": counts.astype(int).tolist(),
        "events": events,
    }


def _level_bars(column: FeatureValues, is_event: Any) -> dict[str, Any]:
    assert column.levels is not None
    codes = column.values[~np.isnan(column.values)].astype(np.int64)
    names = column.levels.names
    counts = np.bincount(codes, minlength=len(names))
    order = np.argsort(-counts, kind="stable")[:MOST_LEVELS]
    if column.levels.is_ordered:
        order = np.sort(order)
    events = None if is_event is None else np.bincount(codes[is_event], minlength=len(names))
    return {
        "levels": [show_level(names[place]) for place in order],
        "counts": counts[order].tolist(),
        "events": None if events is None else events[order].tolist(),
        "more_levels": max(0, len(names) - MOST_LEVELS),
    }


def date_tile(name: str, days: Floats) -> dict[str, Any]:
    """A column of dates, which is no feature as it is."""
    known = days[~np.isnan(days)]
    ends = (known.min(), known.max()) if known.size else ()
    return {
        **unread_tile(name, days.size, [{"name": "remark_date", "parts": {}}]),
        "kind": "date",
        "missing": int(days.size - known.size),
        "different": int(np.unique(known).size),
        **_number_bars(known, None),
        "range": None,
        "edges": [],
        "first_and_last": [_day(one) for one in ends],
    }


def _day(days: float) -> str:
    return str(np.datetime64(0, "D") + np.timedelta64(math.floor(days), "D"))


def unread_tile(
    name: str, rows: int, remarks: list[Any], odd_words: Collection[str] = ()
) -> dict[str, Any]:
    """A column that is no feature as it is, and why; it may be one if some words mean a missing value."""
    return {
        "name": name,
        "kind": "unread",
        "rows": rows,
        "missing": 0,
        "different": 0,
        "two_values": None,
        "is_used": False,
        "remarks": remarks,
        "odd_words": list(odd_words),
    }


def first_look(columns: Mapping[str, FeatureValues]) -> DataSummary:
    """What is found before the event is chosen."""
    return summarize(
        columns,
        np.zeros(len(next(iter(columns.values())).values), dtype=bool),
        (0, 1),
        outcome=None,
        left_out=find_identifiers(columns),
        repeats=find_repeats(columns),
    )


def remarks_on(summary: DataSummary) -> dict[str, list[dict[str, Any]]]:
    """What a first look found, by column: the name of the page's words for it, and what fills their places."""
    found: dict[str, list[dict[str, Any]]] = {}

    def add(column: str, name: str, **parts: str) -> None:
        found.setdefault(column, []).append({"name": f"remark_{name}", "parts": parts})

    for one in summary.left_out:
        add(one.name, "left_out", reason=one.reason)
    for name in summary.constant:
        add(name, "constant")
    for leak in summary.leaks:
        add(leak.name, "leak", area=f"{leak.area:.3f}")
    for code in summary.codes:
        values = ", ".join(map(format_number, code.codes))
        lowest = format_number(code.lowest)
        add(code.name, "code", codes=values, rows=f"{code.rows}", lowest=lowest)
    for similar in summary.similar:
        add(similar.name, "similar", levels=", ".join(map(repr, similar.levels)))
    for repeat in summary.repeats:
        add(repeat.name, "repeats", rows=f"{summary.rows}", values=f"{repeat.values}")
    return found


def tiles_of(
    columns: Mapping[str, FeatureValues],
    is_event: Booleans | None,
    codes: Mapping[str, Collection[float]] = MappingProxyType({}),
) -> list[dict[str, Any]]:
    """One tile per column."""
    return [tile_of(name, one, is_event, codes.get(name, ())) for name, one in columns.items()]
