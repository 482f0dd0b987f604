"""What a solver answers: a card, its loss, a bound on every card's loss, and why it stopped."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from riskcard.problem.pickles import takes_old_pickles
from riskcard.problem.solution import Solution

__all__ = [
    "OPTIMALITY_TOLERANCE",
    "Moderate",
    "Pool",
    "Progress",
    "SolveResult",
    "Status",
    "relative_gap",
]

#: Largest relative gap at which a card is called optimal.
OPTIMALITY_TOLERANCE = 1e-6


class Status(str, Enum):
    """Why the solver stopped. Only OPTIMAL says that no better card exists.

    ROUNDING: every card was dealt with, but rounding leaves a gap too wide for the word optimal.
    CHOSEN: the proof was complete, but another card than the best was taken on purpose, for rounder
    cuts or from the pool.
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


@dataclass(frozen=True, slots=True)
class Pool:
    """Cards about as good as the best: one for each choice of features and cuts.

    Attributes
    ----------
    cards
        Cards of different features first, each kind by its loss.
    losses
        The loss of each.
    most_loss
        The loss that was allowed.
    is_complete
        It is proven that every choice with a card within that loss is here.
    n_found
        Choices that were found, of which these are the first.
    """

    cards: tuple[Solution, ...]
    losses: tuple[float, ...]
    most_loss: float
    is_complete: bool
    n_found: int


@dataclass(frozen=True, slots=True)
class Moderate:
    """A second bound, on fewer cards: those none of whose terms multiplies the odds by more than ``odds``."""

    odds: float
    bound: float


@takes_old_pickles
@dataclass(frozen=True, slots=True)
class SolveResult:
    """The best card found and what is proven about it.

    ``bound`` is a valid lower bound on the loss of *every* card of the problem, whatever made the
    solver stop; 0 when nothing was proven. ``moderate`` says more of moderate cards, where a proof was
    cut short.
    """

    solution: Solution
    loss: float
    bound: float
    status: Status
    nodes: int = 0
    seconds: float = 0.0
    history: tuple[Progress, ...] = ()
    notes: tuple[str, ...] = field(default=())
    pool: Pool | None = None
    moderate: Moderate | None = None

    @property
    def gap(self) -> float:
        """Relative gap between loss and bound, in [0, 1]."""
        return relative_gap(self.loss, self.bound)


def relative_gap(loss: float, bound: float) -> float:
    """``(loss - bound) / loss``, in [0, 1]; 0 when the loss itself is 0."""
    return min(1.0, max(0.0, (loss - bound) / loss)) if loss > 0 else 0.0
