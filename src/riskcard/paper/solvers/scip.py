"""SCIP: log-losses as convex constraints, products, cardinality, and linear models."""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from riskcard.extras import import_extra
from riskcard.paper.formulations.evaluate import scores_at
from riskcard.paper.formulations.mip_model import Floats, LinearObjective, LogLoss, Model
from riskcard.paper.solvers.answer import Answer, Claim, Ending, Incumbent, Note, SolverOptions
from riskcard.paper.solvers.flat_model import FlatModel, flatten

#: Every row of a log-loss may be wrong by this much, and they add up: SCIP's default, 1e-6, makes the
#: objective of 200 rows wrong in the fifth digit. It warns of anything smaller than this.
FEASIBILITY_TOLERANCE = 1e-7
ENDINGS: dict[str, Ending] = {
    "optimal": "optimal",
    "timelimit": "time_limit",
    "userinterrupt": "time_limit",
    "nodelimit": "node_limit",
    "totalnodelimit": "node_limit",
    "infeasible": "infeasible",
}


def solve_with_scip(model: Model, options: SolverOptions, note: Note | None = None) -> Answer:
    """Hand any model to SCIP; ``note`` is called at each better solution.

    Notes
    -----
    Row i of a log-loss gets two variables, its margin ``m`` (a linear or bilinear equation) and its
    loss ``z``. ``z >= log(1 + exp(-m))`` is written ``exp(-z) + exp(-m - z) <= 1``, which is the
    same thing (multiply by ``exp(z)``) and in which SCIP sees a convex function: a sum of
    exponentials of linear functions. Of ``log(1 + exp(-m))`` it sees a concave function of a
    convex one, and would branch on real variables needlessly.
    """
    begin = time.perf_counter()
    pyscipopt = import_extra("pyscipopt", "SCIP", "scip")
    flat = flatten(model)
    scip = pyscipopt.Model(model.name)
    _set_parameters(scip, options)
    variables = _add_variables(scip, flat)
    _add_rows(scip, pyscipopt, flat, variables)
    extra = _add_objective(scip, pyscipopt, flat, variables)
    if options.start is not None:
        _add_start(scip, model, options.start, variables, extra)
    history: list[Incumbent] = []

    def meet() -> None:
        best = scip.getBestSol()
        found = float(scip.getSolObjVal(best))
        history.append(Incumbent(time.perf_counter() - begin, found))
        if note is not None:
            note(history[-1], _values(scip, best, variables))

    watch = _watch(pyscipopt, meet)
    scip.includeEventhdlr(watch, "riskcard", "notes when better solutions are found")
    if options.time_limit is not None:
        left = options.time_limit - (time.perf_counter() - begin)
        scip.setParam("limits/time", max(left, 0.0))
    scip.optimize()
    return _read(scip, variables, history, begin)


def _set_parameters(scip: Any, options: SolverOptions) -> None:
    scip.hideOutput(not options.show_log)
    if options.log_file is not None:
        scip.setLogfile(str(options.log_file))
    scip.setParam("limits/gap", 0.0)
    scip.setParam("numerics/feastol", FEASIBILITY_TOLERANCE)
    if options.node_limit is not None:
        scip.setParam("limits/totalnodes", options.node_limit)
    for name, value in options.parameters.items():
        scip.setParam(name, value)


def _add_variables(scip: Any, flat: FlatModel) -> list[Any]:
    return [
        scip.addVar(
            f"v{place}",
            vtype="I" if is_integer else "C",
            lb=low if math.isfinite(low) else None,
            ub=high if math.isfinite(high) else None,
        )
        for place, (low, high, is_integer) in enumerate(
            zip(flat.lower.tolist(), flat.upper.tolist(), flat.is_integer.tolist(), strict=True)
        )
    ]


def _add_rows(scip: Any, pyscipopt: Any, flat: FlatModel, variables: list[Any]) -> None:
    for row in range(flat.n_rows):
        low, high = float(flat.row_lower[row]), float(flat.row_upper[row])
        scip.addCons((_linear(pyscipopt, flat.matrix, row, variables) >= low) <= high)
    limit = flat.cardinality
    if limit is not None:
        scip.addConsCardinality([variables[place] for place in limit.members], limit.most)


def _linear(pyscipopt: Any, matrix: Any, row: int, variables: list[Any]) -> Any:
    span = slice(matrix.indptr[row], matrix.indptr[row + 1])
    parts = zip(matrix.data[span].tolist(), matrix.indices[span].tolist(), strict=True)
    return pyscipopt.quicksum(factor * variables[place] for factor, place in parts)


# --- the objective ------------------------------------------------------------------------------


def _add_objective(
    scip: Any, pyscipopt: Any, flat: FlatModel, variables: list[Any]
) -> list[tuple[Any, Any]]:
    """Set what is minimised; returns the margin and the loss of each row of a log-loss."""
    objective = flat.objective
    if isinstance(objective, LinearObjective):
        places = np.flatnonzero(objective.coefficients)
        costs = pyscipopt.quicksum(
            float(objective.coefficients[place]) * variables[place] for place in places
        )
        scip.setObjective(costs + objective.constant)
        return []
    scores = _scores(pyscipopt, objective, variables)
    extra = []
    for row, score in enumerate(scores):
        margin = scip.addVar(f"m{row}", lb=None, ub=None)
        loss = scip.addVar(f"z{row}", lb=0.0, ub=None, obj=float(objective.weights[row]))
        scip.addCons(margin == int(objective.labels[row]) * score)
        scip.addCons(pyscipopt.exp(-loss) + pyscipopt.exp(-margin - loss) <= 1)
        extra.append((margin, loss))
    return extra


def _scores(pyscipopt: Any, objective: LogLoss, variables: list[Any]) -> list[Any]:
    scores = [
        _linear(pyscipopt, objective.matrix, row, variables) + float(objective.constant[row])
        for row in range(objective.labels.size)
    ]
    products = objective.products
    if products is not None:
        columns = products.rows, products.factors, products.left, products.right
        for row, factor, left, right in zip(*(each.tolist() for each in columns), strict=True):
            scores[row] = scores[row] + factor * variables[left] * variables[right]
    return scores


# --- the start and the answer -------------------------------------------------------------------


def _add_start(
    scip: Any, model: Model, start: Any, variables: list[Any], extra: list[tuple[Any, Any]]
) -> None:
    solution = scip.createSol()
    for variable, value in zip(variables, start.tolist(), strict=True):
        scip.setSolVal(solution, variable, value)
    if isinstance(model.objective, LogLoss):
        margins = model.objective.labels * scores_at(model, start)
        for (margin, loss), value in zip(extra, margins.tolist(), strict=True):
            scip.setSolVal(solution, margin, value)
            scip.setSolVal(solution, loss, float(np.logaddexp(0.0, -value)))
    scip.addSol(solution, free=True)


def _watch(pyscipopt: Any, meet: Callable[[], None]) -> Any:
    """An event handler that calls ``meet`` at each better solution."""
    event_type = pyscipopt.SCIP_EVENTTYPE.BESTSOLFOUND

    class Watch(pyscipopt.Eventhdlr):
        def eventinit(self) -> None:
            self.model.catchEvent(event_type, self)

        def eventexit(self) -> None:
            self.model.dropEvent(event_type, self)

        def eventexec(self, event: Any) -> None:
            meet()

    return Watch()


def _values(scip: Any, solution: Any, variables: list[Any]) -> Floats:
    return np.array([scip.getSolVal(solution, variable) for variable in variables])


def _read(scip: Any, variables: list[Any], history: list[Incumbent], begin: float) -> Answer:
    seconds = time.perf_counter() - begin
    values, found = None, None
    if scip.getNSols() > 0:
        best = scip.getBestSol()
        values = _values(scip, best, variables)
        found = float(scip.getSolObjVal(best))
        if not history:
            # the start was never improved: no event reports it
            passed = float(scip.getSolvingTime()) - float(scip.getSolTime(best))
            history.append(Incumbent(max(seconds - passed, 0.0), found))
    bound, word = float(scip.getDualbound()), str(scip.getStatus())
    claim = Claim(
        ending=ENDINGS.get(word, "failed"),
        word=word,
        objective=found,
        # SCIP writes 1e20 for infinity
        bound=bound if abs(bound) < 1e20 else None,
        nodes=int(scip.getNTotalNodes()),
    )
    return Answer("scip", values, claim, seconds, tuple(history) if values is not None else ())
