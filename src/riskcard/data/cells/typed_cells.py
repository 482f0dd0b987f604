"""A column of values that have types in their file, as in Excel, SPSS and Stata."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TypedCells:
    """The cells of a column: numbers, booleans, dates and texts; None where there is nothing."""

    values: Sequence[Any]
    has_types: bool = True

    def numbers(
        self, missing: frozenset[str]
    ) -> tuple[NDArray[np.float64], Mapping[str, int]] | None:
        counts: Counter[str] = Counter()
        numbers = []
        for value in self.values:
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                numbers.append(float(value))
                continue
            word = "" if value is None else value.strip() if isinstance(value, str) else None
            if word is None or word not in missing:
                return None
            counts[word] += 1
            numbers.append(math.nan)
        found = np.array(numbers)
        n_empty = int(np.count_nonzero(np.isnan(found))) - counts.total()
        return found, counts + Counter({"": n_empty})

    def distinct(self) -> tuple[list[str], NDArray[np.int64]]:
        places: dict[str, int] = {}
        codes = [places.setdefault(text_of(value), len(places)) for value in self.values]
        return list(places), np.array(codes, dtype=np.int64)


def text_of(value: Any) -> str:
    """What a cell would be in a CSV file."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime.datetime):
        has_time = value.time() != datetime.time()
        return value.isoformat(" ") if has_time else value.date().isoformat()
    return str(value)
