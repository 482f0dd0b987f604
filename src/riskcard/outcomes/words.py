"""What an outcome other than yes or no is, in words: for what a fit says that it has read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.formatting.numbers import readable_amount


def number_words(name: str | None, values: Floats) -> str:
    """A number and its range.

    Examples
    --------
    >>> number_words("cost", np.array([1.0, 3.0, 8.0]))
    'cost, a number from 1 to 8 with the mean 4, in 3 rows'
    """
    low, high, mean = (
        readable_amount(float(one)) for one in (values.min(), values.max(), values.mean())
    )
    ends = f"from {low} to {high} with the mean {mean}"
    return f"{name or 'the target'}, a number {ends}, in {values.size:,} rows"


def count_words(name: str | None, counts: Floats) -> str:
    """A count and how many events there are in all."""
    return f"{name or 'the target'}, {readable_amount(float(counts.sum()))} events in {counts.size:,} rows"


def level_words(name: str | None, levels: Sequence[Any], codes: Integers) -> str:
    """Levels and their rows, from the lowest to the highest."""
    rows = np.bincount(codes, minlength=len(levels))
    listed = ", ".join(f"{one} ({n:,} rows)" for one, n in zip(levels, rows, strict=True))
    return f"{name or 'the target'}, levels in order: {listed}"


def competing_words(name: str | None, is_event: Booleans, is_competing: Booleans) -> str:
    """How many rows have the event, and how many a competing one."""
    return (
        f"{name or 'the event'}, {is_event.sum():,} of {is_event.size:,} rows; competing events in "
        f"{is_competing.sum():,}"
    )
