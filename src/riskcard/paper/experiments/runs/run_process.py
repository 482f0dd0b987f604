"""A run in a process of its own."""

import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from riskcard.output_files import write_whole
from riskcard.paper.experiments.methods import METHODS, Method
from riskcard.paper.experiments.runs.run_outcome import Outcome
from riskcard.paper.experiments.table_rows import Row
from riskcard.processes import last_line, run_module

#: The module that the process runs: this one.
MODULE = "riskcard.paper.experiments.runs.run_process"
#: Seconds, beyond the limit, after which a process is ended: starting, compiling, making the data,
#: and solvers that do not look at the clock. Twice the limit comes on top.
GRACE = 60.0
#: Seconds that a process has to leave when it is asked to.
PARTING = 3.0


def run_in_process(row: Row, method: Method, limit: float) -> Outcome:
    """Run a method on a row, in another process with one thread."""
    job = {"row": asdict(row), "method": method.name, "limit": limit}
    with tempfile.TemporaryDirectory(prefix="riskcard-experiment-") as name:
        folder = Path(name)
        (folder / "job").write_text(json.dumps(job), encoding="utf-8")
        seconds = GRACE + 3 * limit
        ending = run_module(MODULE, folder, seconds, parting=PARTING)
        answer = folder / "outcome"
        if answer.exists():
            return Outcome.from_dict(json.loads(answer.read_text(encoding="utf-8")))
        if ending.was_ended:
            word = f"ended after {seconds:g} s, far beyond the limit"
            return Outcome(seconds, None, None, None, "limit", word)
        word = f"the process ended with code {ending.code}: {last_line(folder / 'log')}"
        return Outcome(0.0, None, None, None, "failed", word)


def main(folder: Path) -> None:
    """The other side: solve the job of the folder and write its outcome there."""
    from riskcard.paper.experiments.runs.solving import solve_row

    job = json.loads((folder / "job").read_text(encoding="utf-8"))
    outcome = solve_row(Row(**job["row"]), METHODS[job["method"]], job["limit"])
    write_whole(folder / "outcome", json.dumps(asdict(outcome)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
