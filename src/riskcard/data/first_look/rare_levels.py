"""Columns with many levels of a few rows each: places, codes or names that say little one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from riskcard.data.columns import FeatureValues

#: A level with fewer rows than this is rare, and this many rare levels are many.
FEW_ROWS = MANY_RARE = 10


@dataclass(frozen=True, slots=True)
class RareLevels:
    """The rare levels of one column.

    Attributes
    ----------
    name
        The column.
    levels
        The number of its levels with few rows each.
    rows
        The rows of all these levels.
    """

    name: str
    levels: int
    rows: int


def find_rare_levels(features: Mapping[str, FeatureValues]) -> tuple[RareLevels, ...]:
    """The columns that have many levels with few rows each.

    Examples
    --------
    >>> from riskcard.data.columns import read_column
    >>> towns = [f"town {number // 4}" for number in range(60)] + ["city"] * 100
    >>> find_rare_levels({"home": read_column(towns, "home")})
    (RareLevels(name='home', levels=15, rows=60),)
    """
    found = []
    for name, feature in features.items():
        if feature.levels is None or feature.levels.is_ordered:
            continue
        _, counts = np.unique(feature.values[~np.isnan(feature.values)], return_counts=True)
        rare = counts[counts < FEW_ROWS]
        if rare.size >= MANY_RARE:
            found.append(RareLevels(name, int(rare.size), int(rare.sum())))
    return tuple(found)
