"""How few rows and events a bin may have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.errors import ParameterError


@dataclass(frozen=True, slots=True)
class LeastBins:
    """How many rows, and rows with the event, every group of values must have."""

    rows: int = 1
    events: int = 0

    @classmethod
    def parse(cls, rows: float | str, events: float, labels: NDArray[np.int8]) -> LeastBins:
        """Read counts (whole numbers) or shares (below 1) of the rows and of the events.

        The word "auto" for rows stands for a share of 5 %, but 100 rows at most: on long tables a
        bin of a hundred rows says enough.
        """
        n_events = int(np.count_nonzero(labels > 0))
        if isinstance(rows, str) and rows == "auto":
            rows = max(1, min(math.ceil(0.05 * labels.size), 100))
        return cls(
            max(1, _count("min_bin_rows", rows, labels.size)),
            _count("min_bin_events", events, n_events),
        )


def _count(name: str, value: Any, whole: int) -> int:
    is_number = isinstance(value, (int, float, np.integer, np.floating))
    if not is_number or isinstance(value, bool) or not 0 <= value < float("inf"):
        raise ParameterError(f"{name} is {value!r}. Use a count, or a share from 0 to 1.")
    if value < 1:
        return int(np.ceil(value * whole - 1e-9))
    if value != int(value):
        raise ParameterError(
            f"{name} is {value!r}. Use a whole number, or a share from 0 to 1 such as 0.05."
        )
    return int(value)
