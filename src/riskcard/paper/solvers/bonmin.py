"""BONMIN, in a process of its own that can be ended when the time is over.

BONMIN looks at the clock between its steps only, and one step (a linear programme with many
integers, say) can overrun a limit by minutes. The process has a folder of its own for another
reason too: BONMIN reads the file ``bonmin.opt`` of the folder that it is started in, and one that
happens to be there must not change what is run.
"""

import re
from dataclasses import replace
from pathlib import Path

from riskcard.extras import import_extra
from riskcard.paper.formulations.mip_model import Model
from riskcard.paper.solvers.answer import Answer, SolverOptions
from riskcard.paper.solvers.flat_model import require_no_cardinality
from riskcard.paper.solvers.solve_apart import solve_apart


def solve_with_bonmin(model: Model, options: SolverOptions) -> Answer:
    """Hand a model to BONMIN's B-Hyb, the algorithm of the paper."""
    return _solve("bonmin", model, options)


def solve_with_bonmin_oa(model: Model, options: SolverOptions) -> Answer:
    """Hand a model to BONMIN's B-OA, outer approximation."""
    return _solve("bonmin-oa", model, options)


def _solve(name: str, model: Model, options: SolverOptions) -> Answer:
    import_extra("casadi", "BONMIN", "casadi")
    require_no_cardinality(model, "BONMIN")
    answer = solve_apart(name, model, options)
    if options.log_file is not None:
        Path(options.log_file).write_text(answer.log, encoding="utf-8")
    return with_log(answer)


def with_log(answer: Answer) -> Answer:
    """The answer with what only the log says: nodes, and the bound of a run that was stopped.

    The outer approximation writes no bound.
    """
    bounds = re.findall(r"best possible ([-+.\de]+)", answer.log)
    nodes = re.findall(r"(\d+) nodes", answer.log)
    claim = replace(answer.claim, nodes=int(nodes[-1]) if nodes else 0)
    if claim.ending != "optimal":
        claim = replace(claim, bound=float(bounds[-1]) if bounds else None)
    return replace(answer, claim=claim)
