"""What a solver answers: a card, its loss, a bound on every card's loss, and why it stopped."""

from __future__ import annotations

from dataclasses import dataclass, replace

from riskcard.problem.solution import Solution
from riskcard.status import OPTIMALITY_TOLERANCE, Progress, Status, relative_gap


@dataclass(frozen=True, slots=True)
class Pool:
    """Cards about as good as the best: one for each choice of features and cuts.

    Attributes
    ----------
    cards
        Cards of different features first, each kind by its objective.
    losses
        The loss of each.
    most_price
        The objective that was allowed: the loss, plus what the terms are charged.
    is_complete
        It is proven that every choice with a card within that objective is here.
    n_found
        Choices that were found, of which these are the first.
    """

    cards: tuple[Solution, ...]
    losses: tuple[float, ...]
    most_price: float
    is_complete: bool
    n_found: int


@dataclass(frozen=True, slots=True)
class SolveResult:
    """The best card found and what is proven about it.

    ``bound`` is a valid lower bound on the objective of *every* card of the problem, whatever made
    the solver stop; 0 when nothing was proven. The objective is the loss, plus ``min_gain`` for each
    term. With ``preselected`` conditions, as (column, cut), the bound is one on the cards of these
    and of the card itself only.
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
    min_gain: float = 0.0
    preselected: tuple[tuple[int, int], ...] | None = None

    @property
    def objective(self) -> float:
        """The loss, plus what the terms of the card are charged."""
        return self.loss + self.min_gain * len(self.solution.terms)

    @property
    def gap(self) -> float:
        """Relative gap between objective and bound, in [0, 1]."""
        return relative_gap(self.objective, self.bound)

    def in_unit(self, unit: float) -> SolveResult:
        """The same answer where a row of weight 1 weighs ``unit``: losses and bounds are its multiples."""
        pool = self.pool
        if pool is not None:
            losses = tuple(loss * unit for loss in pool.losses)
            pool = replace(pool, losses=losses, most_price=pool.most_price * unit)
        return replace(
            self,
            loss=self.loss * unit,
            bound=self.bound * unit,
            history=tuple(moment.in_unit(unit) for moment in self.history),
            pool=pool,
            min_gain=self.min_gain * unit,
        )

    def with_card(self, solution: Solution, loss: float) -> SolveResult:
        """The same proof with another card than the best, which was chosen on purpose."""
        other = replace(self, solution=solution, loss=loss)
        is_reached = self.status in (Status.OPTIMAL, Status.GAP_REACHED)
        if is_reached and other.gap > max(self.gap, OPTIMALITY_TOLERANCE):
            return replace(other, status=Status.CHOSEN)
        return other
