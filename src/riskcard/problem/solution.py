"""A card in the solver's units: feature and cut indices, integer jumps, a scale."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Solution:
    """``log-odds = (base + sum of jumps of the terms that hold) / multiplier + offset``.

    Term ``t`` holds for a row iff ``codes[features[t]] <= cuts[t]``. Terms are sorted by
    (feature, cut), which are distinct, and no jump is zero: one card has one spelling.
    """

    features: tuple[int, ...]
    cuts: tuple[int, ...]
    jumps: tuple[int, ...]
    base: int = 0
    multiplier: float = 1.0
    offset: float = 0.0

    @classmethod
    def of(
        cls,
        terms: list[tuple[int, int, int]],
        base: int = 0,
        multiplier: float = 1.0,
        offset: float = 0.0,
    ) -> Solution:
        """Bring (feature, cut, jump) triples into the one spelling; equal conditions add up."""
        total: Counter[tuple[int, int]] = Counter()
        for feature, cut, jump in terms:
            total[int(feature), int(cut)] += int(jump)
        kept = sorted((*condition, jump) for condition, jump in total.items() if jump != 0)
        features, cuts, jumps = zip(*kept, strict=True) if kept else ((), (), ())
        return cls(features, cuts, jumps, int(base), float(multiplier), float(offset))

    @property
    def terms(self) -> list[tuple[int, int, int]]:
        """The (feature, cut, jump) triples."""
        return list(zip(self.features, self.cuts, self.jumps, strict=True))

    @property
    def conditions(self) -> list[tuple[int, int]]:
        """The (feature, cut) pairs."""
        return list(zip(self.features, self.cuts, strict=True))
