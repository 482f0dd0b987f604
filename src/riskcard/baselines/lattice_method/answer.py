"""What lattice methods share: when they stop, what they answer, and where points come from."""

import math
import time
from dataclasses import dataclass

import numpy as np

from riskcard.baselines.lattice_method.lattice import Lattice
from riskcard.baselines.steps.columns import Floats, Integers
from riskcard.baselines.steps.polish import polish
from riskcard.baselines.steps.regression import fit_logistic
from riskcard.baselines.steps.rounding import RealCard, round_sequentially
from riskcard.baselines.steps.scaling import with_best_scale
from riskcard.baselines.steps.selection import select_forward
from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult
from riskcard.status import OPTIMALITY_TOLERANCE, Status, relative_gap

#: Penalty on the squares of the coefficients of the regression that gives a first point.
RIDGE = 0.001


@dataclass(frozen=True, slots=True)
class Stops:
    """When to give up: a moment of ``time.perf_counter``, nodes, a relative gap."""

    deadline: float | None
    node_limit: int | None
    gap: float

    @property
    def seconds_left(self) -> float:
        return np.inf if self.deadline is None else self.deadline - time.perf_counter()


@dataclass(frozen=True, slots=True)
class LatticeAnswer:
    """The best point, its objective, a bound on the objective of every point, and why it stopped."""

    point: Integers
    objective: float
    bound: float
    status: Status
    nodes: int


@dataclass(frozen=True, slots=True)
class LatticeResult(SolveResult):
    """A result that also says what is proven about the loss *plus the penalties*.

    ``objective_status`` is about this objective, ``status`` about the loss alone. Without a penalty
    they are the same.
    """

    objective: float = 0.0
    objective_bound: float = 0.0
    objective_status: Status = Status.HEURISTIC


class LatticeSearch:
    """A search over the lattice: what it is given, and the best whole point that it has met."""

    #: Tangents before branching, at most.
    MOST_ROOT_TANGENTS = 200
    #: In the tree a tangent at a real point is added where the planes are below the loss by this share.
    WORTHWHILE = 0.1
    #: One real point in this many is rounded and polished.
    ROUND_EVERY = 20

    def __init__(self, problem: Problem, lattice: Lattice, stops: Stops) -> None:
        self.problem, self.lattice, self.stops = problem, lattice, stops
        self.best = np.zeros(lattice.n_columns + 1, dtype=np.int64)
        self.objective, self.n_nodes = math.inf, 0

    def offer(self, point: Integers) -> bool:
        """Keep a whole point if it is allowed and the best so far.

        SCIP has solutions checked that are wrong elsewhere, with too many terms.
        """
        objective = self.lattice.objective(point)
        is_better = self.lattice.allows(point) and objective < self.objective
        if is_better:
            self.best, self.objective = point, objective
        return is_better

    def first_points(self) -> list[Integers]:
        """No terms; and, if there is time, a regression on chosen columns, rounded."""
        problem, lattice = self.problem, self.lattice
        points = [lattice.point(with_best_scale(problem, []))]
        if self.stops.seconds_left > 0:
            chosen = select_forward(lattice.columns, lattice.max_terms, RIDGE)
            few = lattice.columns.take(chosen)
            coefficients, intercept = fit_logistic(few.holds, few.labels, few.weights, RIDGE)
            real = np.zeros(lattice.n_columns + 1)
            real[chosen] = lattice.multiplier * coefficients
            real[-1] = lattice.multiplier * intercept
            points.append(round_and_polish(problem, lattice, real))
        return points

    def round(self, point: Floats | Integers) -> bool:
        """Round and polish a point; tells whether that gives the best one so far."""
        return self.offer(round_and_polish(self.problem, self.lattice, point))

    def answer(self, bound: float, status: Status | None) -> LatticeAnswer:
        """What was found; without a status the search is done: optimal, or within the gap asked for.

        Rounding may have left a larger gap.
        """
        gap = relative_gap(self.objective, bound)
        if status is None and gap <= OPTIMALITY_TOLERANCE:
            status = Status.OPTIMAL
        elif status is None:
            status = Status.GAP_REACHED if gap <= self.stops.gap else Status.ROUNDING
        return LatticeAnswer(self.best, self.objective, bound, status, self.n_nodes)


def round_and_polish(problem: Problem, lattice: Lattice, point: Floats | Integers) -> Integers:
    """A whole point near a real one: its largest columns, rounded one by one, then polished."""
    chosen = np.sort(np.argsort(-np.abs(point[:-1]), kind="stable")[: lattice.max_terms])
    few = lattice.columns.take(chosen)
    matrix = np.column_stack([few.holds, np.ones(few.labels.size)])
    real = np.append(np.clip(point[chosen], few.low, few.high), point[-1])
    card = RealCard(matrix, few.labels, few.weights, real, lattice.multiplier, 0.0)
    whole = np.zeros(point.size, dtype=np.int64)
    whole[np.append(chosen, point.size - 1)] = round_sequentially(card)[0]
    return lattice.point(polish(problem, lattice.card(whole)))
