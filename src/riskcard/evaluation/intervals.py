"""95 % intervals: for a rate, and around an estimate with a known standard error."""

import math
from dataclasses import dataclass

from scipy.special import stdtrit

Interval = tuple[float, float]

#: How often an interval contains the true value, and the normal quantile that belongs to it.
LEVEL, QUANTILE = 0.95, 1.959963984540054


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure and its 95 % interval, which is None where there is none."""

    value: float
    interval: Interval | None


def quantile_of(degrees: float) -> float:
    """The quantile of Student's distribution for a 95 % interval; the normal one if infinite."""
    return QUANTILE if math.isinf(degrees) else float(stdtrit(degrees, 0.5 + LEVEL / 2))


def wilson_interval(events: float, rows: float, quantile: float = QUANTILE) -> Interval:
    """Wilson's 95 % interval for a rate, from the number of events among a number of rows.

    It contains all rates that a score test does not reject, given the counts. It never leaves the range from 0
    to 1, and it has a width even where no row or every row has the event.

    Parameters
    ----------
    events, rows
        Counts, ``0 <= events <= rows``; weighted rows give fractions. Without rows nothing is known
        and the answer is (0, 1).
    quantile
        Larger where several intervals must hold together.

    Examples
    --------
    >>> low, high = wilson_interval(0, 20)
    >>> low, round(high, 3)
    (0.0, 0.161)
    """
    if rows <= 0:
        return 0.0, 1.0
    square = quantile**2
    middle = (events + square / 2) / (rows + square)
    reach = quantile / (rows + square) * math.sqrt(events * (rows - events) / rows + square / 4)
    low = 0.0 if events == 0 else max(0.0, middle - reach)
    high = 1.0 if events == rows else min(1.0, middle + reach)
    return low, high


def rate_interval(rate: float, effective_rows: float) -> Interval:
    """Wilson's 95 % interval for a rate by weight, from Kish's effective number of rows.

    This is the one rule for weighted rates: without weights it is Wilson's interval of the counts.
    """
    return wilson_interval(rate * effective_rows, effective_rows)


def normal_interval(middle: float, error: float, quantile: float = QUANTILE) -> Interval:
    """The 95 % interval around an estimate with a normal error."""
    return middle - quantile * error, middle + quantile * error


def difference(one: Figure, other: Figure, correlation: float = 0.0) -> Figure:
    """The difference of two figures, with an interval made of theirs (MOVER).

    For the shares of independent groups with Wilson intervals this is Newcombe's interval; it holds for
    any figures whose intervals need not be symmetric (Zou and Donner 2008).
    """
    value = one.value - other.value
    if one.interval is None or other.interval is None or math.isnan(value):
        return Figure(value, None)
    below, above = one.value - one.interval[0], one.interval[1] - one.value
    below_other, above_other = other.value - other.interval[0], other.interval[1] - other.value

    def reach(mine: float, theirs: float) -> float:
        return math.sqrt(max(mine**2 + theirs**2 - 2 * correlation * mine * theirs, 0.0))

    ends: Interval = (value - reach(below, above_other), value + reach(above, below_other))
    return Figure(value, ends)
