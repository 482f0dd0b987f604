"""SCIP and HiGHS on large models, each in a process of its own.

On small models both keep their time limits. On large ones they have overrun them by minutes, in
steps that do not look at the clock (docs/solvers.md).
"""

from __future__ import annotations

import pickle
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from riskcard.errors import RiskcardError
from riskcard.paper.formulations.mip_model import Model
from riskcard.paper.solvers.answer import Answer, Claim, Incumbent, SolverOptions
from riskcard.paper.solvers.highs import solve_with_highs
from riskcard.paper.solvers.job_files import ENDED, read_incumbents, run_solver, write_record
from riskcard.paper.solvers.scip import solve_with_scip
from riskcard.processes import last_line

Floats = NDArray[np.float64]
#: Entries of the matrix from which a model is large. Starting a process takes about half a second,
#: and models of this size take longer than that to read.
LARGE = 100_000
SOLVERS: dict[str, Callable[..., Answer]] = {"scip": solve_with_scip, "highs": solve_with_highs}


@dataclass(frozen=True, slots=True)
class Task:
    """A model for a solver, and when (``time.time()``) the clock started."""

    solver: str
    model: Model
    options: SolverOptions
    begin: float


def is_large(model: Model) -> bool:
    """Whether solvers have been seen to overrun their limits on models of this size."""
    return bool(sum(part.matrix.nnz for part in model.constraints) >= LARGE)


def solve_apart(solver: str, model: Model, options: SolverOptions) -> Answer:
    """Solve a model in a process that is ended, at the latest, one second after the time limit.

    An answer that was cut short has the best solution found, and no bound.
    """
    begin = time.time()
    if options.log_file is not None:
        options = replace(options, log_file=Path(options.log_file).resolve())
    with tempfile.TemporaryDirectory(prefix=f"riskcard-{solver}-") as name:
        folder = Path(name)
        (folder / "task").write_bytes(pickle.dumps(Task(solver, model, options, begin)))
        was_ended = run_solver(__name__, folder, options)
        path = folder / "answer"
        if path.exists():
            answer: Answer | RiskcardError = pickle.loads(path.read_bytes())
            if isinstance(answer, RiskcardError):
                raise answer
            return replace(answer, seconds=time.time() - begin)
        values, history = read_incumbents(folder)
        claim = Claim(
            "time_limit" if was_ended else "failed",
            ENDED if was_ended else f"the process failed: {last_line(folder / 'log')}",
            history[-1].objective if history else None,
        )
    return Answer(solver, values, claim, time.time() - begin, history)


def run_task(folder: Path) -> None:
    """The other side: solve the task of the folder and write the answer there."""
    task: Task = pickle.loads((folder / "task").read_bytes())
    options, late = task.options, time.time() - task.begin
    if options.time_limit is not None:
        options = replace(options, time_limit=max(options.time_limit - late, 0.0))
    moments: list[tuple[float, float]] = []

    def note(moment: Incumbent, values: Floats) -> None:
        moments.append((late + moment.seconds, moment.objective))
        write_record(folder / "incumbent", (values, moments))

    try:
        answer = SOLVERS[task.solver](task.model, options, note)
    except RiskcardError as error:
        write_record(folder / "answer", error)
        return
    history = tuple(replace(one, seconds=late + one.seconds) for one in answer.history)
    write_record(folder / "answer", replace(answer, history=history))


if __name__ == "__main__":
    # the task was pickled under the module's own name
    from riskcard.paper.solvers import in_process

    in_process.run_task(Path(sys.argv[1]))
