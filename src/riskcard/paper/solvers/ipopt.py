"""IPOPT, for the continuous relaxation of a model."""

import math
import time
from typing import Any

from riskcard.extras import import_extra
from riskcard.paper.formulations.mip_model import Model
from riskcard.paper.solvers.answer import Answer, Claim, Ending, Incumbent, SolverOptions
from riskcard.paper.solvers.casadi_problem import casadi_problem, run_casadi
from riskcard.paper.solvers.flat_model import flatten, require_no_cardinality

ENDINGS: dict[str, Ending] = {
    "Solve_Succeeded": "optimal",
    "Solved_To_Acceptable_Level": "optimal",
    "Maximum_CpuTime_Exceeded": "time_limit",
    "Maximum_WallTime_Exceeded": "time_limit",
    "Maximum_Iterations_Exceeded": "node_limit",
    "Infeasible_Problem_Detected": "infeasible",
}
#: The order of elimination (approximate minimum fill) that is fastest on the large relaxations: 11
#: instead of 14 seconds for 5,000 rows and 2 features.
PARAMETERS = {"mumps_pivot_order": 2}
#: The shortest time that IPOPT can be given.
LEAST_SECONDS = 1e-3


def relax_with_ipopt(model: Model, options: SolverOptions) -> Answer:
    """Solve the continuous relaxation: integers may take any value within their bounds.

    A node limit is a limit on the iterations. Where the relaxation is convex (all forms but the
    bilinear one) the objective is the least there is, up to IPOPT's tolerance; IPOPT proves no
    bound, and none is claimed.
    """
    begin = time.perf_counter()
    casadi = import_extra("casadi", "IPOPT", "casadi")
    require_no_cardinality(model, "IPOPT")
    flat = flatten(model)
    problem = casadi_problem(casadi, flat)
    settings = {"ipopt": _parameters(options, time.perf_counter() - begin)}
    word, values, objective = run_casadi(casadi, "ipopt", flat, problem, settings, options.start)
    seconds, ending = time.perf_counter() - begin, ENDINGS.get(word, "failed")
    claim = Claim(ending, word, objective if math.isfinite(objective) else None)
    history = (Incumbent(seconds, objective),)
    return Answer("ipopt", values, claim, seconds, history, is_relaxation=True)


def _parameters(options: SolverOptions, passed: float) -> dict[str, Any]:
    parameters: dict[str, Any] = {"print_level": 5 if options.show_log else 0, "sb": "yes"}
    parameters |= PARAMETERS
    if options.log_file is not None:
        parameters |= {"output_file": str(options.log_file), "file_print_level": 5}
    if options.time_limit is not None:
        parameters["max_wall_time"] = max(options.time_limit - passed, LEAST_SECONDS)
    if options.node_limit is not None:
        parameters["max_iter"] = options.node_limit
    return parameters | dict(options.parameters)
