"""Targets other than yes or no, read and checked: follow-up times with events, and counts with exposures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from riskcard.arrays import Booleans, Floats
from riskcard.data.frames import column_names
from riskcard.data.raw_columns import read_raw, rows_in_words
from riskcard.errors import DataError
from riskcard.outcomes.hazards import FollowUp

SHAPE_OF_Y = (
    "Give a structured array with an event (boolean) and a time, as scikit-survival has it, or a table "
    "of two columns: the event (True or False, 1 or 0), then the time."
)


#: Squares of larger numbers, summed over rows, may be beyond the range of floats.
LARGEST = 1e150


@dataclass(frozen=True, slots=True)
class SurvivalTarget:
    """Follow-up of each row, and what event and time are called."""

    rows: FollowUp
    event_name: str | None
    time_name: str


def read_survival(
    y: Any, n_rows: int, entry: Any = None, event_of_interest: Any = None
) -> SurvivalTarget:
    """Events and times of rows.

    Parameters
    ----------
    y
        A structured array with a boolean and a number, in any order, or two columns: event, time.
    n_rows
        Of the table.
    entry
        From when on each row was at risk; None for the start.
    event_of_interest
        The code of the event where the event is a code; 0 and False are no event, all others compete.

    Examples
    --------
    >>> target = read_survival([[1, 12.0], [0, 30.0]], 2)
    >>> target.rows.is_event.tolist(), target.rows.time.tolist()
    ([True, False], [12.0, 30.0])
    """
    (event_name, events), (time_name, times) = _two_columns(y)
    time = read_numbers_of(times, "The time", n_rows)
    is_competing = None
    if event_of_interest is None:
        is_event = _read_event(events, n_rows)
    else:
        is_event, is_competing = _read_codes(events, n_rows, event_of_interest)
    if (time < 0).any():
        raise DataError(
            f"The time is negative in {rows_in_words(time < 0)}. Leave these rows out, or correct them."
        )
    begin = None if entry is None else read_numbers_of(entry, "The entry time", n_rows)
    if begin is not None and (wrong := (begin < 0) | (begin >= time)).any():
        raise DataError(
            f"The entry time is negative, or not before the time, in {rows_in_words(wrong)}. A row is at "
            "risk from its entry to its time: leave these rows out, or correct them."
        )
    if not is_event.any():
        raise DataError(
            "No row has the event, so there is nothing to learn from or to judge by. Give other rows."
        )
    if begin is not None and is_competing is not None:
        raise DataError(
            "Rows have entry times and competing events, and the weights of competing events are for rows "
            "that are followed from the start. Leave out one of the two."
        )
    rows = FollowUp(time, is_event, begin, is_competing)
    return SurvivalTarget(rows, event_name, time_name or "time")


def read_counts(y: Any, n_rows: int) -> Floats:
    """The number of events of each row."""
    counts = read_numbers_of(y, "The target y", n_rows)
    if (counts < 0).any():
        raise DataError(
            f"The target y is negative in {rows_in_words(counts < 0)}. Counts are 0 or more: correct "
            "these rows, or leave them out."
        )
    if not counts.any():
        raise DataError("Every count is 0, so there is nothing to learn from. Give other rows.")
    return counts


def read_exposure(exposure: Any, n_rows: int) -> Floats:
    """The exposure of each row; 1 where there is none."""
    if exposure is None:
        return np.ones(n_rows)
    found = read_numbers_of(exposure, "The exposure", n_rows)
    if (found <= 0).any():
        raise DataError(
            f"The exposure is not positive in {rows_in_words(found <= 0)}. Leave these rows out."
        )
    return found


def read_numbers_of(column: Any, what: str, n_rows: int) -> Floats:
    """One finite number for each row."""
    names = column_names(column)
    array = read_raw(column if names is None else column[names[0]]).as_array()
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    try:
        numbers = np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{what} is not a number in every row. Give numbers.") from None
    if numbers.ndim != 1 or numbers.size != n_rows:
        raise DataError(
            f"{what} has the shape {numbers.shape}, but X has {n_rows} rows. Give one per row."
        )
    if not np.isfinite(numbers).all():
        raise DataError(
            f"{what} is missing or infinite in {rows_in_words(~np.isfinite(numbers))}. "
            "Leave these rows out."
        )
    return numbers


def read_squarable(column: Any, n_rows: int) -> Floats:
    """The number of each row, where squares of what they differ by are numbers for a computer.

    Examples
    --------
    >>> read_squarable([1, 2.5], 2).tolist()
    [1.0, 2.5]
    """
    numbers = read_numbers_of(column, "The target y", n_rows)
    largest, range_ = float(np.abs(numbers).max()), float(numbers.max() / 2 - numbers.min() / 2)
    if largest > LARGEST or 0 < range_ < 1 / LARGEST:
        raise DataError(
            f"The target y has numbers from {numbers.min():g} to {numbers.max():g}, whose squared differences a "
            "computer cannot hold. Give them in another unit."
        )
    return numbers


def above_middle(numbers: Floats, weights: Floats) -> Booleans:
    """Whether each number is above the median of those with a weight; or the largest, where none is."""
    known = numbers[weights > 0]
    is_high: Booleans = numbers > np.median(known)
    if not is_high[weights > 0].any():  # at least half of the rows have the largest number
        is_high = numbers == known.max()
    return is_high


def _two_columns(y: Any) -> tuple[tuple[str | None, Any], tuple[str | None, Any]]:
    """Event and time, each with its name."""
    fields = getattr(getattr(y, "dtype", None), "names", None)
    names = list(fields) if fields else column_names(y)
    columns: list[tuple[str | None, Any]]
    if names is not None:
        if len(names) != 2:
            raise DataError(f"y has {len(names)} columns. {SHAPE_OF_Y}")
        columns = [(str(name), y[name]) for name in names]
    else:
        array = np.asarray(y)
        if array.ndim != 2 or array.shape[-1] != 2:
            raise DataError(f"y has the shape {array.shape}. {SHAPE_OF_Y}")
        columns = [(None, array[:, 0]), (None, array[:, 1])]
    if not _is_boolean(columns[0][1]) and _is_boolean(columns[1][1]):
        columns.reverse()
    return columns[0], columns[1]


def _is_boolean(column: Any) -> bool:
    return np.asarray(column).dtype == np.bool_


def _read_codes(column: Any, n_rows: int, wanted: Any) -> tuple[Booleans, Booleans]:
    """Which rows have the event of interest, and which another one."""
    found = read_numbers_of(column, "The code of the event", n_rows)
    code = read_numbers_of([wanted], "event_of_interest", 1)[0]
    if code == 0:
        raise DataError(
            "event_of_interest is 0, which says that there was no event. Give another code."
        )
    return found == code, (found != code) & (found != 0)


def _read_event(column: Any, n_rows: int) -> Booleans:
    """Whether each row has the event: True or False, 1 or 0."""
    found = read_numbers_of(column, "The event", n_rows)
    is_wrong = (found != 0) & (found != 1)
    if is_wrong.any():
        raise DataError(
            f"The event is {found[is_wrong][0]:g} in {rows_in_words(is_wrong)}. {SHAPE_OF_Y}"
        )
    is_event: Booleans = found == 1
    return is_event
