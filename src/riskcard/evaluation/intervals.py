"""Intervals for an observed share: between what true rates such counts are no surprise."""

from __future__ import annotations

import math

#: How often such an interval holds the true rate, and the normal quantile that belongs to it.
LEVEL, _QUANTILE = 0.95, 1.959963984540054


def wilson_interval(events: float, rows: float) -> tuple[float, float]:
    """Wilson's 95 % interval for a rate, from the number of events among a number of rows.

    All rates whose score test does not reject the counts: never outside 0 and 1, and never of no
    width, even where no row or every row has the event.

    Parameters
    ----------
    events, rows
        Counts, ``0 <= events <= rows``. Without rows nothing is known: the answer is (0, 1).

    Examples
    --------
    >>> low, high = wilson_interval(0, 20)
    >>> low, round(high, 3)
    (0.0, 0.161)
    """
    if rows <= 0:
        return 0.0, 1.0
    square = _QUANTILE**2
    middle = (events + square / 2) / (rows + square)
    reach = _QUANTILE / (rows + square) * math.sqrt(events * (rows - events) / rows + square / 4)
    low = 0.0 if events == 0 else max(0.0, middle - reach)
    high = 1.0 if events == rows else min(1.0, middle + reach)
    return low, high
