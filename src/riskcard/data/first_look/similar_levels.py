"""Levels that differ only in case or in spaces: usually one level, entered in several ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from riskcard.data.columns import FeatureValues


@dataclass(frozen=True, slots=True)
class SimilarLevels:
    """Some levels of one column.

    Attributes
    ----------
    name
        The column.
    levels
        Levels that differ only in case or spaces.
    """

    name: str
    levels: tuple[str, ...]


def find_similar_levels(features: Mapping[str, FeatureValues]) -> tuple[SimilarLevels, ...]:
    """All sets of levels that differ only in case or spaces.

    Examples
    --------
    >>> from riskcard.data.columns import read_column
    >>> find_similar_levels({"ward": read_column(["ICU", "icu ", "A", "ICU"], "ward")})
    (SimilarLevels(name='ward', levels=('ICU', 'icu ')),)
    """
    found = []
    for name, feature in features.items():
        alike: dict[str, list[str]] = {}
        for level in () if feature.levels is None else feature.levels.names:
            if isinstance(level, str):
                alike.setdefault(" ".join(level.casefold().split()), []).append(level)
        found += [SimilarLevels(name, tuple(some)) for some in alike.values() if len(some) > 1]
    return tuple(found)
