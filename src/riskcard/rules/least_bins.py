"""The smallest number of rows and events in a bin."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.rules.card_rules import CardRules

#: What "auto" means for the rows of a bin: this share of all rows, but at most this many. A bin of a
#: hundred rows is reliable enough in a long table.
AUTO_SHARE, AUTO_MOST = 0.05, 100


@dataclass(frozen=True, slots=True)
class LeastBins:
    """How many rows, and rows with the event, every group of values must have."""

    rows: int = 1
    events: int = 0

    @classmethod
    def of(cls, rules: CardRules, labels: NDArray[np.int8]) -> LeastBins:
        """The counts that rules mean for rows with these labels."""
        return cls.of_counts(rules, labels.size, int(np.count_nonzero(labels > 0)))

    @classmethod
    def of_counts(cls, rules: CardRules, n_rows: int, n_events: int) -> LeastBins:
        """The counts that rules mean for this many rows, and rows with the event."""
        rows = rules.min_bin_rows
        if rows == "auto":
            rows = max(1, min(math.ceil(AUTO_SHARE * n_rows), AUTO_MOST))
        return cls(max(1, _count(rows, n_rows)), _count(rules.min_bin_events, n_events))


def _count(value: float | str | None, whole: int) -> int:
    """A count, from a count or from a share of a whole."""
    if value is None:
        return 0
    number = float(value)
    return math.ceil(number * whole - 1e-9) if number < 1 else int(number)
