"""Tiles of columns: what a column is, its missing values, range, bars with event rates, and remarks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from riskcard.arrays import Booleans
from riskcard.data.columns import FeatureValues
from riskcard.data.first_look.data_summary import DataSummary
from riskcard.data.levels import BOOLEAN
from riskcard.evaluation.distribution import number_bars, number_range
from riskcard.formatting.numbers import format_number
from riskcard.model.lines import show_level

#: The most levels that get a bar of their own.
MOST_LEVELS = 12


def tile_of(name: str, column: FeatureValues, is_event: Booleans | None) -> dict[str, Any]:
    """What is shown of one column.

    Parameters
    ----------
    name, column
        The column.
    is_event
        Which rows have the event; None before it is chosen.
    """
    is_missing = np.isnan(column.values)
    numbers = column.values[~is_missing]
    tile = {
        "name": name,
        "kind": _kind_of(column, numbers),
        "rows": int(column.values.size),
        "missing": int(np.count_nonzero(is_missing)),
        "different": int(np.unique(numbers).size),
        "two_values": _two_values(column, numbers),
    }
    events = None if is_event is None else is_event[~is_missing]
    bars = (
        _level_bars(column, events) if column.levels is not None else _number_bars(numbers, events)
    )
    return {**tile, **bars}


def _kind_of(column: FeatureValues, numbers: Any) -> str:
    if column.levels is not None:
        return "yes_no" if column.levels == BOOLEAN else "category"
    return "yes_no" if bool(np.isin(numbers, (0, 1)).all()) and numbers.size else "number"


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


def remarks_on(summary: DataSummary) -> dict[str, list[str]]:
    """What a first look found, by column."""
    found: dict[str, list[str]] = {}

    def add(name: str, words: str) -> None:
        found.setdefault(name, []).append(words)

    for one in summary.left_out:
        add(one.name, f"Left out, since {one.reason}.")
    for name in summary.constant:
        add(name, "Constant, so of no use.")
    for leak in summary.leaks:
        add(
            leak.name,
            f"Alone separates nearly all rows (AUC {leak.area:.3f}): make sure that it is known before "
            "the outcome.",
        )
    for code in summary.codes:
        values = " or ".join(map(format_number, code.codes))
        add(
            code.name,
            f"Is {values} in {code.rows:,} rows and otherwise at least {format_number(code.lowest)}: "
            "if that is a code and no number, say so below.",
        )
    for similar in summary.similar:
        add(
            similar.name,
            f"Levels differ only in case or spaces: {', '.join(map(repr, similar.levels))}.",
        )
    for repeat in summary.repeats:
        add(
            repeat.name,
            f"{summary.rows:,} rows have {repeat.values:,} values: rows of one are not independent.",
        )
    return found


def tiles_of(
    columns: Mapping[str, FeatureValues], is_event: Booleans | None
) -> list[dict[str, Any]]:
    """One tile per column."""
    return [tile_of(name, column, is_event) for name, column in columns.items()]
