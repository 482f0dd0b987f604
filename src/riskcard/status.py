"""Why a solver stopped, how it got there, and how far a loss can be above the best."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

#: Largest relative gap at which a card is called optimal.
OPTIMALITY_TOLERANCE = 1e-6
#: The same for numbers, relative to their squared error; deviances have that above.
SQUARED_ERROR_TOLERANCE = 1e-4


class Status(str, Enum):
    """Why the solver stopped. Only OPTIMAL says that no better card exists.

    ROUNDING: every card was dealt with, but rounding leaves a gap too wide for the word optimal.
    CHOSEN: the proof ended as asked for, but another card than the best found was taken on purpose,
    for rounder cuts or from the pool, and its gap is larger.
    """

    OPTIMAL = "optimal"
    GAP_REACHED = "gap_reached"
    TIME_LIMIT = "time_limit"
    NODE_LIMIT = "node_limit"
    INTERRUPTED = "interrupted"
    ROUNDING = "rounding"
    HEURISTIC = "heuristic"
    CHOSEN = "chosen"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Progress:
    """One moment of the solution: seconds since the start, best loss, bound, nodes so far."""

    seconds: float
    loss: float
    bound: float
    nodes: int

    def in_unit(self, unit: float) -> Progress:
        """The same moment where a row of weight 1 weighs ``unit``."""
        return replace(self, loss=self.loss * unit, bound=self.bound * unit)


def relative_gap(loss: float, bound: float) -> float:
    """``(loss - bound) / loss``, in [0, 1]; 0 when the loss itself is 0."""
    return min(1.0, max(0.0, (loss - bound) / loss)) if loss > 0 else 0.0
