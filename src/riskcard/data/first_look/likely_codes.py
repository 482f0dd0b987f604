"""Numbers that look like codes: -9 for "not known" among ages, which a cut would take for a low age."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from riskcard.arrays import Floats
from riskcard.data.columns import FeatureValues

#: What people write where there is no number.
USUAL_CODES = frozenset(
    -float(digit * repeated) for digit in range(1, 10) for repeated in (1, 11, 111, 1111)
)
#: A column of fewer different numbers may be a scale from -1 to 1, or an answer that is yes or no.
_FEWEST_OTHERS = 5


@dataclass(frozen=True, slots=True)
class LikelyCode:
    """Negative numbers of one column that is otherwise not negative.

    Attributes
    ----------
    name
        The column.
    codes
        The numbers, ascending.
    rows
        How many rows have one of them.
    lowest
        The lowest of the other numbers.
    """

    name: str
    codes: tuple[float, ...]
    rows: int
    lowest: float


def find_likely_codes(features: Mapping[str, FeatureValues]) -> tuple[LikelyCode, ...]:
    """Columns of numbers whose only negative values are usual codes.

    Among few different numbers, such as 0 and 1, a code is further below zero than the others are above it.

    Examples
    --------
    >>> from riskcard.data.columns import read_column
    >>> find_likely_codes({"age": read_column([34, 50, -9, 71, 62, 45, -9], "age")})
    (LikelyCode(name='age', codes=(-9.0,), rows=2, lowest=34.0),)
    """
    found = []
    for name, feature in features.items():
        if feature.levels is not None:
            continue
        is_negative = feature.values < 0
        codes = np.unique(feature.values[is_negative])
        if not codes.size or not set(codes.tolist()) <= USUAL_CODES:
            continue
        others = feature.values[~is_negative & ~np.isnan(feature.values)]
        if _are_far(codes, np.unique(others)):
            rows, lowest = int(is_negative.sum()), float(others.min())
            found.append(LikelyCode(name, tuple(codes.tolist()), rows, lowest))
    return tuple(found)


def _are_far(codes: Floats, others: Floats) -> bool:
    """Whether codes do not go on with the other numbers, as -9 does not with 0 and 1, but -1 does."""
    if others.size >= _FEWEST_OTHERS:
        return True
    return others.size > 1 and bool(-codes.max() > others.max() + 1)
