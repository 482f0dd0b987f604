"""The process in which BONMIN runs: read a job, solve it, write every better point down at once."""

from __future__ import annotations

import math
import pickle
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.paper.solvers.casadi_problem import casadi_problem, first_point
from riskcard.paper.solvers.flat_model import FlatModel
from riskcard.paper.solvers.job_files import write_record

Floats = NDArray[np.float64]
#: A point that breaks the model by no more than this is a solution.
TOLERANCE = 1e-6
#: BONMIN has no limit shorter than this.
LEAST_SECONDS = 0.01
#: BONMIN's infinity: an objective from here on means that it has no solution.
NO_SOLUTION = 1e40


@dataclass(frozen=True, slots=True)
class Job:
    """A model, where to start, BONMIN's parameters, and when (``time.time()``) the clock started."""

    flat: FlatModel
    start: Floats | None
    parameters: dict[str, Any]
    begin: float
    time_limit: float | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What BONMIN says at its end; ``values`` and ``objective`` are None without a solution."""

    word: str
    values: Floats | None
    objective: float | None


def run_job(folder: Path) -> None:
    """Solve the job in a folder."""
    import casadi

    job: Job = pickle.loads((folder / "job").read_bytes())
    flat = job.flat
    problem = casadi_problem(casadi, flat)
    functions = dict(problem.functions)
    # the callback must live as long as the solver
    watch = _watch(casadi, functions["grad_f"], job, folder)
    functions["grad_f"] = watch
    parameters = dict(job.parameters)
    if job.time_limit is not None:
        left = job.time_limit - (time.time() - job.begin)
        parameters["time_limit"] = max(left, LEAST_SECONDS)
    settings = {
        **functions,
        "discrete": flat.is_integer.tolist(),
        "print_time": False,
        "error_on_fail": False,
        "bonmin": parameters,
    }
    solver = casadi.nlpsol("bonmin", "bonmin", problem.nlp, settings)
    start = first_point(flat) if job.start is None else job.start
    found = solver(x0=start, lbx=flat.lower, ubx=flat.upper, lbg=flat.row_lower, ubg=flat.row_upper)
    values, objective = np.array(found["x"]).ravel(), float(found["f"])
    is_solution = math.isfinite(objective) and abs(objective) < NO_SOLUTION
    is_solution = is_solution and flat.breach(values) <= TOLERANCE
    outcome = Outcome(
        str(solver.stats()["return_status"]),
        values if is_solution else None,
        objective if is_solution else None,
    )
    write_record(folder / "outcome", outcome)


def _watch(casadi: Any, gradient: Any, job: Job, folder: Path) -> Any:
    """The gradient, looking on: BONMIN tells of no solution while it runs, but it evaluates them."""
    flat = job.flat
    moments: list[tuple[float, float]] = []

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
            objective = float(results[0])
            if not moments or objective < moments[-1][1] * (1 - 1e-9):
                values = np.array(arguments[0]).ravel()
                if flat.breach(values) <= TOLERANCE:
                    moments.append((time.time() - job.begin, objective))
                    write_record(folder / "incumbent", (values, moments))
            return results

    return Watch()


if __name__ == "__main__":
    # the job was pickled under the module's own name
    from riskcard.paper.solvers import bonmin_process

    bonmin_process.run_job(Path(sys.argv[1]))
