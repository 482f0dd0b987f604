"""BONMIN, in a process of its own that can be ended when the time is over.

BONMIN looks at the clock between its steps only, and one step (a linear programme with many
integers, say) can overrun a limit by minutes. The process has a folder of its own for another
reason too: BONMIN reads the file ``bonmin.opt`` of the folder that it is started in, and one that
happens to be there must not change what is run.
"""

from __future__ import annotations

import pickle
import re
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from riskcard.paper.formulations.mip_model import Model
from riskcard.paper.solvers import bonmin_process
from riskcard.paper.solvers.answer import (
    Answer,
    Claim,
    Ending,
    Incumbent,
    SolverOptions,
    import_solver,
)
from riskcard.paper.solvers.bonmin_process import Job, Outcome
from riskcard.paper.solvers.flat_model import flatten, require_no_cardinality
from riskcard.paper.solvers.job_files import ENDED, read_incumbents, run_solver
from riskcard.processes import last_line

#: The paper's algorithm, B-Hyb, with one change. BONMIN's default, strong branching, is unsound
#: here: where it meets an integer point while it tries branches, it gives up branches that hold
#: better cards, and ends with "SUCCESS" at the wrong card. Choosing the variable without trying
#: branches avoids it (evidence in docs/solvers.md).
BONMIN_SETTINGS = {"algorithm": "B-Hyb", "variable_selection": "osi-simple"}
#: Outer approximation, the better algorithm for these models.
OUTER_APPROXIMATION = {"algorithm": "B-OA"}
ENDINGS: dict[str, Ending] = {
    "SUCCESS": "optimal",
    "INFEASIBLE": "infeasible",
    "LIMIT_EXCEEDED": "time_limit",
}
#: The file that BONMIN reads. Its entries override what the algorithms set for themselves.
PARAMETER_FILE = "bonmin.opt"


def solve_with_bonmin(model: Model, options: SolverOptions) -> Answer:
    """Hand a model to BONMIN's B-Hyb, the algorithm of the paper."""
    return _solve("bonmin", model, options, BONMIN_SETTINGS)


def solve_with_bonmin_oa(model: Model, options: SolverOptions) -> Answer:
    """Hand a model to BONMIN's B-OA, outer approximation."""
    return _solve("bonmin-oa", model, options, OUTER_APPROXIMATION)


def _solve(name: str, model: Model, options: SolverOptions, settings: dict[str, Any]) -> Answer:
    begin = time.time()
    import_solver("casadi", "casadi", "BONMIN")
    require_no_cardinality(model, "BONMIN")
    short = {name: value for name, value in options.parameters.items() if "." not in name}
    parameters = {**settings, **short}
    if options.node_limit is not None:
        parameters["node_limit"] = options.node_limit
    job = Job(flatten(model), options.start, parameters, begin, options.time_limit)
    with tempfile.TemporaryDirectory(prefix="riskcard-bonmin-") as folder:
        (Path(folder) / "job").write_bytes(pickle.dumps(job))
        _write_parameters(Path(folder), options.parameters)
        was_ended = run_solver(bonmin_process.__name__, Path(folder), options)
        answer = _read(name, Path(folder), was_ended, begin)
        if options.log_file is not None:
            log = (Path(folder) / "log").read_text(encoding="utf-8", errors="replace")
            Path(options.log_file).write_text(log, encoding="utf-8")
    return answer


def _write_parameters(folder: Path, parameters: Mapping[str, Any]) -> None:
    """Write the parameters with full names, such as "bonmin.pump_for_minlp", to BONMIN's file."""
    lines = [f"{name} {value}\n" for name, value in parameters.items() if "." in name]
    (folder / PARAMETER_FILE).write_text("".join(lines), encoding="utf-8")


def _read(name: str, folder: Path, was_ended: bool, begin: float) -> Answer:
    seconds = time.time() - begin
    log = (folder / "log").read_text(encoding="utf-8", errors="replace")
    values, history = read_incumbents(folder)
    outcome = folder / "outcome"
    if not outcome.exists():
        word = ENDED if was_ended else f"the process failed: {last_line(folder / 'log')}"
        claim = Claim(
            "time_limit" if was_ended else "failed",
            word,
            history[-1].objective if history else None,
            _bound_in(log),
            _nodes_in(log),
        )
        return Answer(name, values, claim, seconds, history)
    found: Outcome = pickle.loads(outcome.read_bytes())
    ending = ENDINGS.get(found.word, "failed")
    bound = found.objective if ending == "optimal" else _bound_in(log)
    if found.objective is not None:
        values = found.values
        if not history or found.objective < history[-1].objective * (1 - 1e-9):
            history = (*history, Incumbent(seconds, found.objective))
    objective = history[-1].objective if found.objective is None and history else found.objective
    claim = Claim(ending, found.word, objective, bound, _nodes_in(log))
    return Answer(name, values, claim, seconds, history)


# --- what only the log tells --------------------------------------------------------------------


def _bound_in(log: str) -> float | None:
    """The last lower bound that BONMIN wrote; the outer approximation writes none."""
    found = re.findall(r"best possible ([-+.\de]+)", log)
    return float(found[-1]) if found else None


def _nodes_in(log: str) -> int:
    """The last number of nodes that BONMIN wrote."""
    found = re.findall(r"(\d+) nodes", log)
    return int(found[-1]) if found else 0
