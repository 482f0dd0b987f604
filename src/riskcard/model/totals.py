"""How many training rows had each total, and how many of these had the event."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.checks import finite_number, set_fields, whole_number
from riskcard.errors import ParameterError

#: A card with at most this many totals keeps counts of each; with more, those of bands.
MOST_COUNTS = 60
#: A table from total to risk for people to read has at most this many lines.
MOST_BANDS = 30
#: No sum of points is below this.
_LOWEST = -(10**15)


@dataclass(frozen=True, slots=True)
class TotalCount:
    """The training rows whose total was in a band.

    Attributes
    ----------
    low, high
        The band: totals from ``low`` to ``high``; often a single one.
    rows, events
        How many rows, and how many of them with the event.
    weight, event_weight
        The sums of their weights; equal to ``rows`` and ``events`` when there were no weights.
    effective_rows
        Kish's effective number of rows; ``rows`` when there were no weights.
    interval
        The 95 % interval of the risk of people with such a total; None where it is not known.
    """

    low: int
    high: int
    rows: int
    events: int
    weight: float
    event_weight: float
    effective_rows: float
    interval: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        set_fields(
            self,
            low=whole_number("low of a count", self.low, least=_LOWEST),
            high=whole_number("high of a count", self.high, least=_LOWEST),
            rows=whole_number("rows of a count", self.rows, least=1),
            events=whole_number("events of a count", self.events),
            weight=finite_number("weight of a count", self.weight),
            event_weight=finite_number("event_weight of a count", self.event_weight),
            effective_rows=finite_number("effective_rows of a count", self.effective_rows),
        )
        if self.interval is not None:
            set_fields(self, interval=_checked_interval(self.interval))
        if self.low > self.high or self.events > self.rows:
            raise ParameterError(
                f"A count of totals from {self.low} to {self.high} has {self.rows} rows and "
                f"{self.events} events. Give a band from low to high, and at most as many events as rows."
            )

    @property
    def rate(self) -> float:
        """The share of events, by weight."""
        return self.event_weight / self.weight


def bands_of(totals: Sequence[int], most: int = MOST_BANDS) -> list[tuple[int, int]]:
    """Divide totals into bands of one round width, each named by its first and last total.

    Parameters
    ----------
    totals
        Ascending, at least one.
    most
        The largest number of bands; no more totals than this have a band each.

    Examples
    --------
    >>> bands_of([0, 1, 3]), bands_of(range(12), most=4)
    ([(0, 0), (1, 1), (3, 3)], [(0, 4), (5, 9), (10, 11)])
    """
    for width in _round_widths():
        bands: dict[int, tuple[int, int]] = {}
        for total in totals:
            place = (total - totals[0]) // width
            bands[place] = (bands.get(place, (total, total))[0], total)
        if len(bands) <= most:
            return list(bands.values())
    raise AssertionError("the widths never end")


def count_totals(
    totals: NDArray[np.int64],
    is_event: NDArray[np.bool_],
    weights: NDArray[np.float64],
    reachable: Sequence[int],
    counts: NDArray[np.int64] | None = None,
) -> tuple[TotalCount, ...]:
    """Count the rows of every total, or of every band when a card has many totals.

    Parameters
    ----------
    totals, is_event, weights
        Of each row.
    reachable
        Every total that a row can have, ascending.
    counts
        How many rows each row stands for; None where each stands for itself.
    """
    unit = weights.max(initial=0.0) or 1.0  # squares of weights in any unit must not overflow
    squares = (weights / unit) ** 2
    rows = np.ones(totals.size)
    if counts is not None:
        rows, squares = counts.astype(np.float64), squares / counts
    columns = (rows, rows * is_event, weights, weights * is_event, squares)
    return count_sums(totals, columns, reachable, unit)


def count_sums(
    totals: NDArray[np.int64],
    columns: Sequence[NDArray[Any]],
    reachable: Sequence[int],
    unit: float = 1.0,
) -> tuple[TotalCount, ...]:
    """As ``count_totals``, from sums over rows that have the same total.

    Parameters
    ----------
    totals
        Of each sum.
    columns
        For each of them: rows, events, weight, event weight, and the sum of the squares of the weights
        divided by ``unit``.
    reachable
        Every total that a row can have, ascending.
    unit
        Of the squares.
    """
    bands = bands_of(reachable, MOST_COUNTS if len(reachable) <= MOST_COUNTS else MOST_BANDS)
    places = np.searchsorted([high for _, high in bands], totals, side="left")
    sums = np.column_stack([np.bincount(places, one, len(bands)) for one in columns])
    rows, events = sums[:, :2].astype(np.int64).T
    filled = rows > 0
    sums[filled, 4] = (sums[filled, 2] / unit) ** 2 / sums[filled, 4]
    return tuple(
        TotalCount(low, high, int(rows[i]), int(events[i]), *sums[i, 2:].tolist())
        for i, (low, high) in enumerate(bands)
        if rows[i]
    )


def _checked_interval(interval: Any) -> tuple[float, float]:
    if isinstance(interval, (tuple, list)) and len(interval) == 2:
        low, high = (finite_number("interval of a count", end) for end in interval)
        if 0 <= low <= high <= 1:
            return low, high
    raise ParameterError(f"The interval of a count is {interval!r}. Give two risks in order.")


def _round_widths() -> Iterator[int]:
    for power in count():
        yield from (10**power, 2 * 10**power, 5 * 10**power)
