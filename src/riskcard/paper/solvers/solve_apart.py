"""Solvers that overrun their time limits, each in a process of its own that can be ended.

On small models SCIP and HiGHS keep their limits. On large ones they have overrun them by minutes, in
steps that do not look at the clock (docs/solvers.md). The process writes each better solution down at
once, so that the best one is there whenever it is ended.
"""

import os
import pickle
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from riskcard.errors import RiskcardError
from riskcard.paper.formulations.mip_model import Floats, Model
from riskcard.paper.solvers.answer import Answer, Claim, Incumbent, SolverOptions
from riskcard.paper.solvers.bonmin_process import run_bonmin
from riskcard.paper.solvers.highs import solve_with_highs
from riskcard.paper.solvers.scip import solve_with_scip
from riskcard.processes import last_line, run_module

#: Entries of the matrix from which a model is large. Starting a process takes about half a second,
#: and models of this size take longer than that to read.
LARGE = 100_000
#: Seconds after the limit at which a process is ended.
GRACE = 1.0
#: The word for how such a process ended.
ENDED = "ended at the time limit"
SOLVERS: dict[str, Callable[..., Answer]] = {
    "scip": solve_with_scip,
    "highs": solve_with_highs,
    "bonmin": partial(run_bonmin, "bonmin"),
    "bonmin-oa": partial(run_bonmin, "bonmin-oa"),
}


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
    begin, limit = time.time(), options.time_limit
    seconds = None if limit is None else limit + GRACE
    if options.log_file is not None:
        options = replace(options, log_file=Path(options.log_file).resolve())
    with tempfile.TemporaryDirectory(prefix=f"riskcard-{solver}-") as name:
        folder = Path(name)
        _write(folder / "task", Task(solver, model, options, begin))
        ending = run_module(
            __name__, folder, seconds, threads=options.threads, shows_output=options.show_log
        )
        answer = read_answer(solver, folder, ending.was_ended)
    return replace(answer, seconds=time.time() - begin)


def read_answer(solver: str, folder: Path, was_ended: bool) -> Answer:
    """What the process wrote down before it ended, or was ended; its seconds are not known."""
    log = (folder / "log").read_text(encoding="utf-8", errors="replace")
    if (folder / "answer").exists():
        answer: Answer | RiskcardError = pickle.loads((folder / "answer").read_bytes())
        if isinstance(answer, RiskcardError):
            raise answer
        return replace(answer, log=log)
    values, history = read_incumbents(folder)
    claim = Claim(
        "time_limit" if was_ended else "failed",
        ENDED if was_ended else f"the process failed: {last_line(folder / 'log')}",
        history[-1].objective if history else None,
    )
    return Answer(solver, values, claim, 0.0, history, log=log)


def read_incumbents(folder: Path) -> tuple[Floats | None, tuple[Incumbent, ...]]:
    """The best point that the process wrote down, and when it found which objective."""
    path = folder / "incumbent"
    return pickle.loads(path.read_bytes()) if path.exists() else (None, ())


def run_task(folder: Path) -> None:
    """The other side: solve the task of the folder and write the answer there."""
    task: Task = pickle.loads((folder / "task").read_bytes())
    options, late = task.options, time.time() - task.begin
    if options.time_limit is not None:
        options = replace(options, time_limit=max(options.time_limit - late, 0.0))
    history: tuple[Incumbent, ...] = ()

    def note(moment: Incumbent, values: Floats) -> None:
        nonlocal history
        history = (*history, replace(moment, seconds=late + moment.seconds))
        _write(folder / "incumbent", (values, history))

    try:
        answer = SOLVERS[task.solver](task.model, options, note)
    except RiskcardError as error:
        _write(folder / "answer", error)
        return
    moments = tuple(replace(one, seconds=late + one.seconds) for one in answer.history)
    _write(folder / "answer", replace(answer, history=moments))


def _write(path: Path, record: Any) -> None:
    """Write a file so that it is there whole, or not at all."""
    draft = path.with_suffix(".draft")
    draft.write_bytes(pickle.dumps(record))
    os.replace(draft, path)


if __name__ == "__main__":
    # the task was pickled under the module's own name
    from riskcard.paper.solvers import solve_apart as this_module

    this_module.run_task(Path(sys.argv[1]))
