"""Rows that are alike, counted: the same codes of some features, the same label, the same weight.

Unlike `coding.Counts` only what occurs is kept, so there may be any number of patterns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.arrays import Integers
from riskcard.sources.coding import FeatureCodes, code_rows
from riskcard.sources.rows import Rows

#: Patterns have to be whole numbers of 64 bits, with room for the label.
MOST_PATTERNS = 2**62
#: Bytes that a group may take, here and in what is computed from it.
BYTES_PER_GROUP = 1000


@dataclass(frozen=True, slots=True)
class Groups:
    """How many rows are alike.

    Attributes
    ----------
    keys
        Twice the number of the pattern, and 1 more with the event; ascending.
    weights
        The weight of a single row; ascending where keys are equal.
    rows
        The number of rows.
    """

    keys: Integers
    weights: Integers
    rows: Integers

    @classmethod
    def of(cls, keys: Integers, weights: Integers, rows: Integers) -> Groups:
        """Equal keys and weights as one group."""
        return cls(*add_up(keys, weights, rows))

    @classmethod
    def of_rows(cls, rows: Rows, features: Sequence[FeatureCodes], names: Sequence[str]) -> Groups:
        """The groups of some rows, which have features of these ``names``."""
        keys = 2 * code_rows(rows, features, names) + rows.is_event
        return cls.of(keys, rows.weights, np.ones(keys.size, dtype=np.int64))

    def add(self, other: Groups) -> Groups:
        """These groups, with those of other rows."""
        both = (
            np.concatenate([getattr(one, name) for one in (self, other)])
            for name in ("keys", "weights", "rows")
        )
        return Groups.of(*both)


def add_up(
    first: NDArray[Any], second: Integers, amounts: Integers
) -> tuple[NDArray[Any], Integers, Integers]:
    """The sums of the amounts over equal pairs, by the first and then the second of the pairs."""
    different, place = np.unique(first, return_inverse=True)
    known, step = np.unique(second, return_inverse=True)
    both, place = np.unique(place * known.size + step, return_inverse=True)
    sums = np.zeros(both.size, dtype=np.int64)
    np.add.at(sums, place, amounts)
    if not both.size:
        return different, known, sums
    return different[both // known.size], known[both % known.size], sums
