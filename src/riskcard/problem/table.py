"""The checked input: a numeric table, two-valued labels, positive weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Table"]


@dataclass(frozen=True, slots=True)
class Table:
    """A table that passed every check.

    Attributes
    ----------
    values
        Shape (rows, features), float64, finite.
    names
        One distinct name a feature.
    labels
        +1 where the row has the event ``classes[1]``, -1 where it has ``classes[0]``.
    weights
        Positive, finite.
    classes
        The user's two label values, sorted: no event, event.
    """

    values: NDArray[np.float64]
    names: tuple[str, ...]
    labels: NDArray[np.int8]
    weights: NDArray[np.float64]
    classes: tuple[Any, Any]
