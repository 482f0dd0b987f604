"""Numbers that look like codes: -9 for "not known" among ages, which a cut would take for a low age."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from riskcard.data.columns import FeatureValues

#: What people write where there is no number.
USUAL_CODES = frozenset(
    -float(digit * repeated) for digit in range(1, 10) for repeated in (1, 11, 111, 1111)
)
#: A column of few different numbers may be a scale from -1 to 1.
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
        if np.unique(others).size >= _FEWEST_OTHERS:
            rows, lowest = int(is_negative.sum()), float(others.min())
            found.append(LikelyCode(name, tuple(codes.tolist()), rows, lowest))
    return tuple(found)
