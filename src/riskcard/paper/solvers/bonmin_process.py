"""BONMIN itself, which is run in a process of its own."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from riskcard.paper.formulations.mip_model import Floats, Model
from riskcard.paper.solvers.answer import Answer, Claim, Ending, Incumbent, Note, SolverOptions
from riskcard.paper.solvers.casadi_problem import casadi_problem, run_casadi
from riskcard.paper.solvers.flat_model import flatten

#: The algorithms by the name of the solver. "bonmin" is the paper's, B-Hyb, with one change.
#: BONMIN's default, strong branching, is unsound here: where it meets an integer point while it
#: tries branches, it gives up branches that hold better cards, and ends with "SUCCESS" at the wrong
#: card. Choosing the variable without trying branches avoids it (evidence in docs/solvers.md).
#: "bonmin-oa" is outer approximation, the better algorithm for these models.
SETTINGS = {
    "bonmin": {"algorithm": "B-Hyb", "variable_selection": "osi-simple"},
    "bonmin-oa": {"algorithm": "B-OA"},
}
ENDINGS: dict[str, Ending] = {
    "SUCCESS": "optimal",
    "INFEASIBLE": "infeasible",
    "LIMIT_EXCEEDED": "time_limit",
}
#: The file that BONMIN reads. Its entries override what the algorithms set for themselves.
PARAMETER_FILE = "bonmin.opt"
#: A point that breaks the model by no more than this is a solution.
TOLERANCE = 1e-6
#: An objective must be lower by this share to be a better one.
LEAST_PROGRESS = 1e-9
#: BONMIN has no limit shorter than this.
LEAST_SECONDS = 0.01
#: BONMIN's infinity: an objective from here on means that it has no solution.
NO_SOLUTION = 1e40


def run_bonmin(name: str, model: Model, options: SolverOptions, note: Note) -> Answer:
    """Solve a model; ``note`` is called at each better solution.

    Parameters with full names, such as "bonmin.pump_for_minlp", go to the file that BONMIN reads in
    the folder that it is started in.
    """
    import casadi

    begin, flat = time.perf_counter(), flatten(model)
    full = [f"{key} {value}\n" for key, value in options.parameters.items() if "." in key]
    Path(PARAMETER_FILE).write_text("".join(full), encoding="utf-8")
    parameters: dict[str, Any] = dict(SETTINGS[name])
    parameters |= {key: value for key, value in options.parameters.items() if "." not in key}
    if options.node_limit is not None:
        parameters["node_limit"] = options.node_limit
    history: list[Incumbent] = []
    best: list[Floats] = []

    def meet(objective: float, point: Any) -> None:
        if history and objective >= history[-1].objective * (1 - LEAST_PROGRESS):
            return
        values = np.array(point).ravel()
        if flat.breach(values) <= TOLERANCE:
            history.append(Incumbent(time.perf_counter() - begin, objective))
            best[:] = [values]
            note(history[-1], values)

    problem = casadi_problem(casadi, flat)
    # the callback must live as long as the solver
    watch = _watch(casadi, problem.functions["grad_f"], meet)
    if options.time_limit is not None:
        left = options.time_limit - (time.perf_counter() - begin)
        parameters["time_limit"] = max(left, LEAST_SECONDS)
    settings = {"grad_f": watch, "discrete": flat.is_integer.tolist(), "bonmin": parameters}
    word, last, objective = run_casadi(casadi, "bonmin", flat, problem, settings, options.start)
    claim = Claim(ENDINGS.get(word, "failed"), word)
    if abs(objective) < NO_SOLUTION and flat.breach(last) <= TOLERANCE:
        meet(objective, last)
        best[:] = [last]
        bound = objective if claim.ending == "optimal" else None
        claim = replace(claim, objective=objective, bound=bound)
    elif history:
        claim = replace(claim, objective=history[-1].objective)
    seconds = time.perf_counter() - begin
    return Answer(name, best[0] if best else None, claim, seconds, tuple(history))


def _watch(casadi: Any, gradient: Any, meet: Callable[[float, Any], None]) -> Any:
    """The gradient, looking on: BONMIN reports no solution while it runs, but it evaluates them."""

    class Watch(casadi.Callback):
        def __init__(self) -> None:
            casadi.Callback.__init__(self)
            self.construct("nlp_grad_f", {})

        def get_n_in(self) -> int:
            return 2

        def get_n_out(self) -> int:
            return 2

        def get_sparsity_in(self, place: int) -> Any:
            return gradient.sparsity_in(place)

        def get_sparsity_out(self, place: int) -> Any:
            return gradient.sparsity_out(place)

        def eval(self, arguments: Any) -> Any:
            results = gradient(*arguments)
            meet(float(results[0]), arguments[0])
            return results

    return Watch()
