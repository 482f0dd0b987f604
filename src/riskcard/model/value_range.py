"""The numbers that a feature had in training: their range, and whether all of them are whole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.checks import finite_number, set_fields, set_numbers
from riskcard.errors import ParameterError

#: Whole numbers up to this are read as counts ("0", "1 or more"), larger ones as limits ("≤ 60").
_LARGEST_COUNT = 20


@dataclass(frozen=True, slots=True)
class ValueRange:
    """The numbers of a feature in the training rows, without missing values and special codes.

    Attributes
    ----------
    lowest, highest
        The ends of the range.
    is_whole
        All of them are whole numbers.

    Examples
    --------
    >>> ValueRange.of(np.array([0.0, 1.0, 1.0])).is_yes_or_no
    True
    >>> 120 in ValueRange(18, 97, is_whole=True)
    False
    """

    lowest: float
    highest: float
    is_whole: bool

    def __post_init__(self) -> None:
        set_numbers(self, finite_number, "lowest", "highest")
        set_fields(self, is_whole=bool(self.is_whole))
        if self.lowest > self.highest:
            raise ParameterError(
                f"The lowest value is {self.lowest:g}, above the highest, {self.highest:g}."
            )

    @classmethod
    def of(cls, numbers: NDArray[np.float64]) -> ValueRange | None:
        """The range of some numbers; None without any."""
        if not numbers.size:
            return None
        is_whole = bool((numbers == np.round(numbers)).all())
        return cls(float(numbers.min()), float(numbers.max()), is_whole)

    def __contains__(self, value: float) -> bool:
        return self.lowest <= value <= self.highest

    @property
    def is_yes_or_no(self) -> bool:
        """The numbers are 0 and 1."""
        return self.is_whole and (self.lowest, self.highest) == (0.0, 1.0)

    @property
    def is_count(self) -> bool:
        """The numbers are small and whole, and none is negative."""
        return self.is_whole and self.lowest >= 0 and self.highest <= _LARGEST_COUNT
