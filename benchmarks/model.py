"""The neutral record of a card: what every method returns, and the only thing that is judged.

A record is made of plain lists and numbers, so that it can be sent as JSON:

    {"parts": [{"column": 0, "cuts": [40.0], "points": [0, 3], "missing": 1},
               {"column": 2, "levels": [0, 0, 2], "missing": 0}],
     "base": 0, "multiplier": 1.5, "offset": -2.0}

``points[i]`` is for values above ``cuts[i-1]``, up to ``cuts[i]``; ``levels[i]`` for the level with the
number ``i``. Points of parts on the same column add up. log-odds = (base + points) / multiplier + offset.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Levels", "Model", "Steps"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Steps:
    """The points of a numeric column: a step function."""

    column: int
    cuts: tuple[float, ...]
    points: tuple[int, ...]
    missing: int

    def points_of(self, values: Floats) -> Integers:
        """Points of each value; NaN is a missing value."""
        points = np.array(self.points)[np.searchsorted(self.cuts, values, side="left")]
        return np.where(np.isnan(values), self.missing, points)

    @property
    def jumps(self) -> tuple[int, ...]:
        """What crossing each cut upwards adds."""
        return tuple(np.diff(self.points).tolist())

    @property
    def n_terms(self) -> int:
        """Cuts at which something changes, and one for missing values with points of their own."""
        return sum(jump != 0 for jump in self.jumps) + (self.missing not in self.points)

    def plus(self, other: Steps) -> Steps:
        """Both step functions added up."""
        cuts = sorted({*self.cuts, *other.cuts})
        inside = np.array([*cuts, np.inf])  # one value of each bin: its upper end
        points = self.points_of(inside) + other.points_of(inside)
        missing = self.missing + other.missing
        return Steps(self.column, tuple(cuts), tuple(points.tolist()), missing)


@dataclass(frozen=True, slots=True)
class Levels:
    """The points of a categorical column: one number for each level."""

    column: int
    points: tuple[int, ...]
    missing: int

    def points_of(self, values: Floats) -> Integers:
        """Points of each level number; NaN is a missing value."""
        is_missing = np.isnan(values)
        places = np.where(is_missing, 0, values).astype(np.int64)
        return np.where(is_missing, self.missing, np.array(self.points)[places])

    @property
    def jumps(self) -> tuple[int, ...]:
        """Differences between neighbouring numbers of points."""
        return tuple(np.diff(sorted({*self.points, self.missing})).tolist())

    @property
    def n_terms(self) -> int:
        """One less than there are groups of levels."""
        return len({*self.points, self.missing}) - 1

    def plus(self, other: Levels) -> Levels:
        """Points of both added up."""
        points = tuple(a + b for a, b in zip(self.points, other.points, strict=True))
        return Levels(self.column, points, self.missing + other.missing)


@dataclass(frozen=True, slots=True)
class Model:
    """A card: at most one part for each column."""

    parts: tuple[Steps | Levels, ...]
    base: int
    multiplier: float
    offset: float

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Model:
        """Read a record; points that are not whole numbers are refused."""
        found: dict[int, Any] = {}
        for entry in record["parts"]:
            part = _part_of(entry)
            known = found.get(part.column)
            found[part.column] = part if known is None else known.plus(part)
        base = _whole([record["base"]])[0]
        multiplier, offset = float(record["multiplier"]), float(record["offset"])
        parts = [found[column] for column in sorted(found)]
        # a part that gives everyone the same points is no part but belongs to the base
        base += sum(part.missing for part in parts if not part.n_terms)
        return cls(tuple(part for part in parts if part.n_terms), base, multiplier, offset)

    def scores(self, values: Floats) -> Integers:
        """Total points of every row."""
        total = np.full(len(values), self.base, dtype=np.int64)
        for part in self.parts:
            total += part.points_of(values[:, part.column])
        return total

    def log_odds(self, values: Floats) -> Floats:
        """Log-odds of every row."""
        return self.scores(values) / self.multiplier + self.offset

    @property
    def n_terms(self) -> int:
        """Terms of all columns."""
        return sum(part.n_terms for part in self.parts)

    @property
    def n_features(self) -> int:
        """Columns that have points."""
        return len(self.parts)

    @property
    def largest_jump(self) -> int:
        """The most points that one term is worth."""
        return max((abs(jump) for part in self.parts for jump in part.jumps), default=0)

    @property
    def cuts(self) -> list[tuple[int, float]]:
        """Column and value of every cut at which something changes."""
        return [
            (part.column, cut)
            for part in self.parts
            if isinstance(part, Steps)
            for cut, jump in zip(part.cuts, part.jumps, strict=True)
            if jump != 0
        ]


def _part_of(entry: Mapping[str, Any]) -> Steps | Levels:
    column, missing = int(entry["column"]), _whole([entry["missing"]])[0]
    if "levels" in entry:
        return Levels(column, _whole(entry["levels"]), missing)
    cuts, points = tuple(float(cut) for cut in entry["cuts"]), _whole(entry["points"])
    if len(points) != len(cuts) + 1 or any(np.diff(cuts) <= 0):
        raise ValueError(f"A part has the cuts {cuts} and the points {points}.")
    return Steps(column, cuts, points, missing)


def _whole(values: Sequence[Any]) -> tuple[int, ...]:
    for value in values:
        if isinstance(value, bool) or value != int(value):
            raise ValueError(f"Points are whole numbers, not {value!r}.")
    return tuple(int(value) for value in values)
