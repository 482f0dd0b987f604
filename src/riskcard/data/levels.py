"""The levels of a categorical feature: which values it has, and whether they have an order."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from riskcard.errors import DataError

#: What a level, or a class of the target, may be.
Label = str | bool | int | float


@dataclass(frozen=True, slots=True)
class Levels:
    """The values of a categorical feature; a table holds their indices.

    Attributes
    ----------
    names
        The level with index ``i`` is ``names[i]``. Unordered levels are those that occur, sorted;
        ordered ones are all that were declared, whether they occur or not.
    is_ordered
        The order of the names means something, as with low, medium, high.

    Examples
    --------
    >>> Levels(("low", "high"), is_ordered=True).names[1]
    'high'
    """

    names: tuple[Label, ...]
    is_ordered: bool = False

    def __post_init__(self) -> None:
        names = tuple(as_label(name) for name in self.names)
        if len(set(names)) < len(names):
            twice = next(name for place, name in enumerate(names) if name in names[:place])
            raise DataError(
                f"The level {twice!r} is listed twice in {_shown(names)}. "
                "Give each level one name; True equals 1, and False equals 0."
            )
        object.__setattr__(self, "names", names)


def as_label(value: Any) -> Label:
    """A text, a boolean or a finite number; anything else (an interval, a tuple) as its text."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and not math.isfinite(value):
        raise DataError(f"A level is {value!r}. Use finite numbers or texts as levels.")
    if isinstance(value, (bool, int, float)):
        return value
    return str(value)


def sort_labels(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Numbers by size, then texts in alphabetical order; texts that are all numbers by size."""
    labels = list(labels)
    if all(isinstance(label, str) for label in labels) and are_numbers(labels):
        return tuple(sorted(labels, key=lambda label: (float(label), str(label))))
    numbers = sorted(label for label in labels if not isinstance(label, str))
    return (*numbers, *sorted(label for label in labels if isinstance(label, str)))


def are_numbers(texts: Iterable[Any]) -> bool:
    """Every text reads as a finite number."""
    try:
        return all(math.isfinite(float(text)) for text in texts)
    except ValueError:
        return False


def _shown(names: tuple[Label, ...]) -> str:
    listed = ", ".join(map(repr, names[:5]))
    return f"{listed}, ..." if len(names) > 5 else listed


#: False before True, so that the index of a level is the number that it counts as.
BOOLEAN = Levels((False, True), is_ordered=True)
