"""The lattice cutting-plane method inside SCIP: tangents are lazy constraints of its own tree."""

from operator import mul
from typing import Any

import numpy as np

from riskcard.baselines.lattice_method.answer import LatticeAnswer, LatticeSearch, Stops
from riskcard.baselines.lattice_method.lattice import Lattice, tangent_at
from riskcard.baselines.steps.columns import Floats, Integers
from riskcard.extras import import_extra
from riskcard.problem.problem import Problem
from riskcard.status import Status

#: SCIP's tolerances, tighter than it has them by default.
TOLERANCE = 1e-8
#: What is taken off SCIP's bound, times the weight of all rows (or 1, if that is more). At any point the constant of a
#: tangent is a sum of entropies, at most log 2 per row; SCIP lets a row of its relaxation be wrong by
#: the tolerance relative to that constant, and a whole number by the tolerance times a slope of at
#: most the weight of all rows.
MARGIN = 4 * TOLERANCE
PARAMETERS: dict[str, Any] = {
    "numerics/feastol": TOLERANCE,
    "numerics/dualfeastol": TOLERANCE,
    # SCIP must not reason from an objective whose tangents it has not seen
    "misc/allowstrongdualreds": False,
    "misc/allowweakdualreds": False,
    "misc/usesymmetry": 0,
    "lp/threads": 1,
    "separating/maxroundsroot": LatticeSearch.MOST_ROOT_TANGENTS,
    "separating/maxstallroundsroot": LatticeSearch.MOST_ROOT_TANGENTS,
}
#: SCIP's words for how it ended; None means that it is done.
ENDINGS = {
    "optimal": None,
    "gaplimit": None,
    "timelimit": Status.TIME_LIMIT,
    "totalnodelimit": Status.NODE_LIMIT,
    "userinterrupt": Status.INTERRUPTED,
}


def solve_with_scip(problem: Problem, lattice: Lattice, stops: Stops) -> LatticeAnswer:
    """Minimise over the lattice: one tree of SCIP's, tangents added where its relaxation is whole."""
    search = _Search(problem, lattice, stops)
    status = search.run()
    return search.answer(search.bound, status)


class _Search(LatticeSearch):
    """SCIP's model, and its bound."""

    def __init__(self, problem: Problem, lattice: Lattice, stops: Stops) -> None:
        super().__init__(problem, lattice, stops)
        self.scip = import_extra("pyscipopt", "SCIP", "scip", ', or use solver="highs".')
        self.inner = self.best.astype(np.float64)
        self.bound, self.root_tangents, self.last_node_cut = 0.0, 0, 0
        self.model = self.scip.Model()
        self._configure()
        self._build()

    def _configure(self) -> None:
        self.model.hideOutput()
        parameters = PARAMETERS | {"limits/gap": self.stops.gap}
        if self.stops.node_limit is not None:
            parameters["limits/totalnodes"] = max(self.stops.node_limit, 1)
        for name, value in parameters.items():
            self.model.setParam(name, value)

    def _build(self) -> None:
        model, lattice = self.model, self.lattice
        self.points = [
            model.addVar(vtype="I", lb=int(low), ub=int(high))
            for low, high in zip(lattice.low, lattice.high, strict=True)
        ]
        self.is_term = [model.addVar(vtype="B") for _ in range(lattice.n_columns)]
        self.loss = model.addVar(lb=0.0)
        for column, is_term in enumerate(self.is_term):
            model.addCons(self.points[column] <= int(lattice.high[column]) * is_term)
            model.addCons(self.points[column] >= int(lattice.low[column]) * is_term)
        model.addCons(self.scip.quicksum(self.is_term) <= lattice.max_terms)
        model.setObjective(
            self.loss + self.scip.quicksum(map(mul, lattice.penalties.tolist(), self.is_term))
        )
        handler, what = _make_handler(self.scip, self), "the loss is nowhere below a tangent"
        # after integrality, so that only whole points come here
        order = {"sepafreq": 1, "enfopriority": -10, "chckpriority": -10}
        model.includeConshdlr(handler, "tangents", what, **order, needscons=False)

    def run(self) -> Status | None:
        """Solve, and translate SCIP's word for how it ended; None means that it is done."""
        for point in self.first_points():
            self.offer(point)
            self.cut_at(point)
        if self.stops.seconds_left <= 0:
            return Status.TIME_LIMIT
        if self.stops.node_limit == 0:
            return Status.NODE_LIMIT
        self.submit(self.best)
        self.inner = self.best.astype(np.float64)
        if self.stops.deadline is not None:
            self.model.setParam("limits/time", self.stops.seconds_left)
        self.model.optimize()
        self.n_nodes = int(self.model.getNTotalNodes())
        margin = MARGIN * max(1.0, float(self.lattice.columns.weights.sum()))
        self.bound = min(max(self.model.getDualbound() - margin, 0.0), self.objective)
        return ENDINGS.get(self.model.getStatus(), Status.ROUNDING)

    def cut_at(self, point: Floats | Integers) -> None:
        """Add the tangent at a point, for all of the tree."""
        _, tangent = tangent_at(self.lattice, point)
        slopes = self.scip.quicksum(
            float(slope) * variable
            for slope, variable in zip(tangent.slopes, self.points, strict=True)
        )
        self.model.addCons(self.loss - slopes >= tangent.constant)

    def separate(self) -> bool:
        """Add a tangent at a real point of the relaxation, if it is worthwhile.

        Before branching half way to the best real point so far, as Kelley's method oscillates;
        later once per node, at the point itself.
        """
        point = np.array([self.model.getSolVal(None, variable) for variable in self.points])
        loss, node = self.lattice.loss(point), int(self.model.getCurrentNode().getNumber())
        if self.model.getSolVal(None, self.loss) >= (1 - self.WORTHWHILE) * loss:
            return False
        if node == 1 and self.root_tangents < self.MOST_ROOT_TANGENTS:
            middle = (point + self.inner) / 2
            if self.lattice.loss(middle) < self.lattice.loss(self.inner):
                self.inner = middle
            self.root_tangents += 1
            self.cut_at(middle)
            if self.root_tangents % self.ROUND_EVERY == 0:
                self.round(self.inner)
            return True
        is_new, self.last_node_cut = node != self.last_node_cut, node
        if is_new:
            self.cut_at(point)
        return is_new

    def round(self, point: Floats | Integers) -> bool:
        """Round and polish a point, and tell SCIP when that gives the best one so far."""
        is_better = super().round(point)
        if is_better:
            self.submit(self.best)
        return is_better

    def submit(self, point: Integers) -> None:
        """Tell SCIP a whole point with its true loss."""
        solution = self.model.createSol()
        for variable, value in zip(self.points, point, strict=True):
            self.model.setSolVal(solution, variable, float(value))
        for is_term, value in zip(self.is_term, point[:-1], strict=True):
            self.model.setSolVal(solution, is_term, float(value != 0))
        self.model.setSolVal(solution, self.loss, self.lattice.loss(point) * (1 + TOLERANCE))
        self.model.addSol(solution)

    def meet(self, solution: Any) -> tuple[Integers, bool]:
        """The whole point of a solution, and whether SCIP knows its loss."""
        values = [self.model.getSolVal(solution, variable) for variable in self.points]
        whole = np.rint(values).astype(np.int64)
        true_loss = self.lattice.loss(whole)
        stated = self.model.getSolVal(solution, self.loss)
        return whole, stated >= true_loss - TOLERANCE * max(1.0, true_loss)


def _make_handler(scip: Any, search: _Search) -> Any:
    """The callbacks: no whole point is accepted whose stated loss is below the true one."""
    result = scip.SCIP_RESULT

    class Handler(scip.Conshdlr):
        def conscheck(self, constraints: Any, solution: Any, *rest: Any) -> dict[str, Any]:
            whole, is_true = search.meet(solution)
            search.offer(whole)
            return {"result": result.FEASIBLE if is_true else result.INFEASIBLE}

        def consenfolp(self, constraints: Any, *rest: Any) -> dict[str, Any]:
            whole, is_true = search.meet(None)
            if is_true:
                return {"result": result.FEASIBLE}
            if search.offer(whole):
                search.submit(whole)
                search.round(whole)
            search.cut_at(whole)
            return {"result": result.CONSADDED}

        def conssepalp(self, constraints: Any, *rest: Any) -> dict[str, Any]:
            return {"result": result.CONSADDED if search.separate() else result.DIDNOTFIND}

        def consenfops(self, constraints: Any, *rest: Any) -> dict[str, Any]:
            _, is_true = search.meet(None)
            return {"result": result.FEASIBLE if is_true else result.SOLVELP}

        def conslock(self, constraint: Any, *rest: Any) -> None:
            for variable in [*search.points, search.loss]:
                search.model.addVarLocks(variable, 1, 1)

    return Handler()
