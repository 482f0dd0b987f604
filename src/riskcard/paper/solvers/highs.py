"""HiGHS, for models with a linear objective."""

import math
import time
from typing import Any

import numpy as np

from riskcard.extras import import_extra
from riskcard.paper.formulations.mip_model import Model
from riskcard.paper.solvers.answer import Answer, Claim, Ending, Incumbent, Note, SolverOptions
from riskcard.paper.solvers.flat_model import (
    FlatModel,
    flatten,
    require_linear_objective,
    require_no_cardinality,
)

#: The gaps at which HiGHS may stop (its own default, 1e-4, is far too wide for "optimal"), and how
#: far an integer may be from a whole number.
PARAMETERS = {"mip_rel_gap": 1e-9, "mip_abs_gap": 1e-9, "mip_feasibility_tolerance": 1e-7}
ENDINGS: dict[str, Ending] = {
    "kOptimal": "optimal",
    "kTimeLimit": "time_limit",
    "kInterrupt": "time_limit",
    "kSolutionLimit": "node_limit",
    "kInfeasible": "infeasible",
}


def solve_with_highs(model: Model, options: SolverOptions, note: Note | None = None) -> Answer:
    """Hand a model with a linear objective to HiGHS; ``note`` is called at each better solution."""
    begin = time.perf_counter()
    highspy = import_extra("highspy", "HiGHS", "highs")
    objective = require_linear_objective(model, "HiGHS")
    require_no_cardinality(model, "HiGHS")
    flat = flatten(model)
    highs = highspy.Highs()
    _set_parameters(highs, options)
    highs.passModel(_linear_programme(highspy, flat, objective.coefficients, objective.constant))
    if options.start is not None:
        start = highspy.HighsSolution()
        start.col_value = [float(value) for value in options.start]
        highs.setSolution(start)
    history: list[Incumbent] = []

    def watch(event: Any) -> None:
        found = float(event.data_out.objective_function_value)
        history.append(Incumbent(time.perf_counter() - begin, found))
        if note is not None:
            note(history[-1], np.array(event.data_out.mip_solution))

    highs.cbMipImprovingSolution.subscribe(watch)
    if options.time_limit is not None:
        left = options.time_limit - (time.perf_counter() - begin)
        highs.setOptionValue("time_limit", max(left, 0.0))
    highs.run()
    return _read(highs, history, begin)


def _set_parameters(highs: Any, options: SolverOptions) -> None:
    highs.setOptionValue("output_flag", options.show_log or options.log_file is not None)
    highs.setOptionValue("log_to_console", options.show_log)
    if options.log_file is not None:
        highs.setOptionValue("log_file", str(options.log_file))
    highs.setOptionValue("threads", options.threads)
    if options.node_limit is not None:
        highs.setOptionValue("mip_max_nodes", options.node_limit)
    for name, value in {**PARAMETERS, **options.parameters}.items():
        highs.setOptionValue(name, value)


def _linear_programme(highspy: Any, flat: FlatModel, costs: Any, constant: float) -> Any:
    programme = highspy.HighsLp()
    programme.num_col_, programme.num_row_ = flat.n_variables, flat.n_rows
    programme.col_cost_, programme.offset_ = costs, constant
    programme.col_lower_, programme.col_upper_ = flat.lower, flat.upper
    programme.row_lower_, programme.row_upper_ = flat.row_lower, flat.row_upper
    programme.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    programme.a_matrix_.start_ = flat.matrix.indptr
    programme.a_matrix_.index_ = flat.matrix.indices
    programme.a_matrix_.value_ = flat.matrix.data
    kinds = highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger
    programme.integrality_ = [kinds[int(is_integer)] for is_integer in flat.is_integer]
    return programme


def _read(highs: Any, history: list[Incumbent], begin: float) -> Answer:
    info, status = highs.getInfo(), highs.getModelStatus()
    seconds = time.perf_counter() - begin
    values, found = None, float(info.objective_function_value)
    # 2 is HiGHS's number for a feasible primal solution
    if info.primal_solution_status == 2 and math.isfinite(found):
        values = np.array(highs.getSolution().col_value)
        if not history or history[-1].objective != found:
            history.append(Incumbent(seconds, found))
    bound = float(info.mip_dual_bound)
    claim = Claim(
        ending=ENDINGS.get(status.name, "failed"),
        word=highs.modelStatusToString(status),
        objective=found if values is not None else None,
        bound=bound if math.isfinite(bound) else None,
        nodes=max(int(info.mip_node_count), 0),
    )
    return Answer("highs", values, claim, seconds, tuple(history) if values is not None else ())
