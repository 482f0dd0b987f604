"""How well hazards and risks by a horizon agree with the times of events."""

from __future__ import annotations

from typing import Any

import numpy as np

from riskcard.arrays import Floats
from riskcard.data.target import read_weights
from riskcard.outcomes.hazards import FollowUp

#: Pairs of rows that are compared at once.
PAIRS_AT_ONCE = 4_000_000


def concordance(rows: FollowUp, predicted: Floats, sample_weight: Any = None) -> float:
    """Harrell's concordance index: in how many pairs the row with the earlier event has the higher hazard.

    Two rows are compared where one has the event while the other is at risk and without it; equal
    predictions count half. 0.5 where no pair can be compared.

    Examples
    --------
    >>> rows = FollowUp(np.array([1.0, 2.0, 3.0]), np.array([True, True, False]))
    >>> concordance(rows, np.array([3.0, 1.0, 2.0]))
    0.6666666666666666
    """
    weights = read_weights(sample_weight, predicted.size)
    agreeing, compared = _pairs(rows, predicted, weights)
    total = float(weights @ compared)
    return float(weights @ agreeing) / total if total > 0 else 0.5


def _pairs(rows: FollowUp, predicted: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """For each row with the event: the weight of the rows it can be compared with, and agrees with."""
    agreeing, compared = np.zeros(predicted.size), np.zeros(predicted.size)
    events = np.flatnonzero(rows.is_event)
    size = max(1, PAIRS_AT_ONCE // predicted.size)
    for start in range(0, events.size, size):
        own = events[start : start + size]
        time = rows.time[own, None]
        later = (rows.time > time) | ((rows.time == time) & ~rows.is_event)
        if rows.entry is not None:
            later &= (rows.entry < time) | (rows.entry == 0)
        above = predicted[own, None] - predicted
        agrees = np.where(np.abs(above) <= TIED, 0.5, above > 0)
        compared[own] = later @ weights
        agreeing[own] = (later * agrees) @ weights
    return agreeing, compared


#: Predictions that differ by no more are equal.
TIED = 1e-8
