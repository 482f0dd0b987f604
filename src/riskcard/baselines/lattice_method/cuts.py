"""The lattice cutting-plane method of RiskSLIM as a classifier, with its certificate."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from riskcard.baselines.lattice_method.answer import LatticeAnswer, LatticeResult, Stops
from riskcard.baselines.lattice_method.highs import solve_with_highs
from riskcard.baselines.lattice_method.lattice import Lattice, make_lattice
from riskcard.baselines.lattice_method.scip import solve_with_scip
from riskcard.baselines.plain_cards import PlainCardClassifier
from riskcard.baselines.steps.columns import Floats
from riskcard.checks import is_number
from riskcard.errors import ParameterError
from riskcard.formatting.spelling import nearest_name
from riskcard.problem.objective import loss_of
from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult
from riskcard.status import OPTIMALITY_TOLERANCE, Status, relative_gap

SOLVERS = {"highs": solve_with_highs, "scip": solve_with_scip}


@dataclass(eq=False, repr=False)
class LatticeCuttingPlaneClassifier(PlainCardClassifier):
    """RiskSLIM's method: whole points by branch and bound on tangents of the loss.

    Minimises the loss plus ``term_penalty`` for each term over whole points on columns made
    beforehand, with a whole base, at a given scale. The bound that it proves is about this
    problem: these columns and this scale.

    Parameters
    ----------
    max_terms
        At most this many columns have points.
    max_points
        Points of a column, up or down.
    scale
        The multiplier: points for one unit of log-odds. A number; RiskSLIM has 1.
    grid
        Columns made of a continuous feature: cuts at this many quantiles; None for every cut.
    term_penalty
        Added to the loss (a sum over rows) for each term: the C0 of RiskSLIM, times the rows.
    feature_penalties
        The same for the terms of single features, by name, in place of ``term_penalty``: what it costs to
        ask for them.
    solver
        "highs": a branch and bound of our own, whose linear relaxations HiGHS solves and whose
        bounds do not rely on HiGHS's tolerances. "scip": SCIP's tree, with tangents as lazy
        constraints; a margin for its tolerances is taken off its bound.
    time_limit
        Seconds; None for no limit. What is found and proven by then is kept.
    node_limit
        Nodes of the tree; None for no limit. Unlike seconds, it makes runs that stop repeatable.
    gap
        Stop when the relative gap between objective and bound is at most this.

    Attributes
    ----------
    card_, loss_, lower_bound_, gap_, status_, classes_, n_features_in_, feature_names_in_
        As in ``RiskScoreClassifier``; they are about the loss alone. With a penalty the bound on
        the loss is that on the objective less all penalties, and ``status_`` is "heuristic" where
        only the penalised objective was proven optimal.
    result_ : LatticeResult
        Also has ``objective``, ``objective_bound`` and ``objective_status``: loss and penalties.

    Notes
    -----
    Ustun and Rudin, "Learning optimized risk scores" (2019): their cutting-plane algorithm adds a
    tangent of the loss wherever the tree meets a whole point, so that the number of tangents and
    the work of a node do not depend on the number of rows, and the tree is built once. They use
    CPLEX. Starting points are rounded and polished as they do it.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> classifier = LatticeCuttingPlaneClassifier(max_terms=1, grid=3).fit(X, y)
    >>> classifier.status_, bool(classifier.gap_ < 1e-6)
    ('optimal', True)
    """

    max_terms: int = 5
    max_points: int = 5
    scale: float | str = 1
    grid: int | None = 9
    term_penalty: float = 0.0
    feature_penalties: Mapping[str, float] | None = None
    solver: str = "highs"
    time_limit: float | None = 60.0
    node_limit: int | None = None
    gap: float = 0.0

    def _check(self) -> None:
        super()._check()
        if isinstance(self.scale, str):
            raise ParameterError(
                f"scale is {self.scale!r}. The lattice method needs a given multiplier: use 1, or "
                "another positive number."
            )

        for name, value in (self.feature_penalties or {}).items():
            if not (is_number(value) and 0 <= value < float("inf")):
                raise ParameterError(
                    f"The penalty of {name!r} is {value!r}. Use a number of at least 0."
                )

    def _penalties(self, names: Sequence[str]) -> Floats:
        """The penalty of a term on each feature."""
        given = dict(self.feature_penalties or {})
        for name in given:
            if name not in names:
                raise ParameterError(
                    f"feature_penalties names {name!r}, which the table does not have. "
                    f"{nearest_name(str(name), list(names), 'features')}"
                )
        return np.array([float(given.get(name, self.term_penalty)) for name in names])

    def _solve(self, problem: Problem, names: Sequence[str]) -> SolveResult:
        limit = self.time_limit
        deadline = None if limit is None else time.perf_counter() + limit
        lattice = make_lattice(problem, self._penalties(names))
        answer = SOLVERS[self.solver](problem, lattice, Stops(deadline, self.node_limit, self.gap))
        card = lattice.card(answer.point)
        loss = loss_of(card, problem)
        # a card costs at most this more than its loss
        bound = max(answer.bound - lattice.most_penalties, 0.0)
        return LatticeResult(
            card,
            loss,
            min(bound, loss),
            self._status_of_loss(answer.status, relative_gap(loss, bound)),
            nodes=answer.nodes,
            notes=_notes(answer, lattice),
            objective=answer.objective,
            objective_bound=answer.bound,
            objective_status=answer.status,
        )

    def _status_of_loss(self, status: Status, gap: float) -> Status:
        """The status of the objective, unless it would claim too much about the loss alone."""
        allowed = {
            Status.OPTIMAL: OPTIMALITY_TOLERANCE,
            Status.GAP_REACHED: max(self.gap, OPTIMALITY_TOLERANCE),
        }.get(status, 1.0)
        return status if gap <= allowed else Status.HEURISTIC


def _notes(answer: LatticeAnswer, lattice: Lattice) -> tuple[str, ...]:
    notes = (
        f"The bound holds for whole points on {lattice.n_columns} columns made beforehand, with a "
        f"whole base and {lattice.multiplier:g} points for one unit of log-odds; other cards may be "
        "better.",
    )
    if lattice.most_penalties == 0:
        return notes
    return (
        *notes,
        f"Loss and penalties of {_in_words(lattice.penalties)} per term are {answer.objective:.6f}, proven not "
        f"to be below {answer.bound:.6f} ({answer.status}).",
    )


def _in_words(penalties: Floats) -> str:
    least, most = float(penalties.min()), float(penalties.max())
    return f"{least:g}" if least == most else f"{least:g} to {most:g}"
