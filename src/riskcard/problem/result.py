"""What a solver answers: a card, its loss, a bound on every card's loss, and why it stopped."""

from dataclasses import dataclass

from riskcard.problem.solution import Solution
from riskcard.status import Progress, Status, relative_gap


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
class BoundedSteps:
    """A second bound: on cards in which no term multiplies the odds by more than ``odds``."""

    odds: float
    bound: float


@dataclass(frozen=True, slots=True)
class SolveResult:
    """The best card found and what is proven about it.

    ``bound`` is a valid lower bound on the loss of *every* card of the problem, whatever made the
    solver stop; 0 when nothing was proven. ``bounded_steps`` has a second bound, on fewer cards,
    where a proof was cut short.
    """

    solution: Solution
    loss: float
    bound: float
    status: Status
    nodes: int = 0
    seconds: float = 0.0
    history: tuple[Progress, ...] = ()
    notes: tuple[str, ...] = ()
    pool: Pool | None = None
    bounded_steps: BoundedSteps | None = None

    @property
    def gap(self) -> float:
        """Relative gap between loss and bound, in [0, 1]."""
        return relative_gap(self.loss, self.bound)
