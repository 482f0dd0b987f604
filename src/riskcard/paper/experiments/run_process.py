"""A run in a process of its own: it can be ended at any moment, and its crash is only its own.

Solvers look at the clock and at Ctrl-C when it suits them. A process that is ended from outside
needs nobody's consent, and its memory is free again for the next run.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from riskcard.paper.experiments.methods import METHODS, Method
from riskcard.paper.experiments.run_outcome import Outcome
from riskcard.paper.experiments.table_rows import Row

#: Seconds, beyond the limit, after which a process is ended: starting, compiling, making the data,
#: and solvers that do not look at the clock. Twice the limit comes on top.
GRACE = 60.0
#: Seconds that a process has for leaving when it is asked to.
PARTING = 3.0


def run_in_process(row: Row, method: Method, limit: float) -> Outcome:
    """Run a method on a row, in another process with one thread."""
    job = {"row": asdict(row), "method": method.name, "limit": limit}
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        environment[name] = "1"
    with tempfile.TemporaryDirectory(prefix="riskcard-experiment-") as name:
        folder = Path(name)
        (folder / "job").write_text(json.dumps(job), encoding="utf-8")
        command = [sys.executable, "-m", "riskcard.paper.experiments.run_process", str(folder)]
        deadline = GRACE + 3 * limit
        was_ended, code = _wait(command, environment, folder, deadline)
        answer = folder / "outcome"
        if answer.exists():
            return Outcome.from_dict(json.loads(answer.read_text(encoding="utf-8")))
        if was_ended:
            word = f"ended after {deadline:g} s, far beyond the limit"
            return Outcome(deadline, None, None, None, "limit", word)
        return Outcome(0.0, None, None, None, "failed", _last_line(folder / "log", code))


def _wait(
    command: list[str], environment: dict[str, str], folder: Path, deadline: float
) -> tuple[bool, int]:
    """Run the command; whether it had to be ended, and its exit code."""
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(
            command,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            # in a group of its own: Ctrl-C on the terminal reaches us first
            start_new_session=True,
        )
        try:
            return False, process.wait(deadline)
        except subprocess.TimeoutExpired:
            return True, 0
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask the process to leave, so that it ends its own processes, and then end what is left."""
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
    try:
        process.wait(PARTING)
    except subprocess.TimeoutExpired:
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()


def _last_line(log: Path, code: int) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return f"the process ended with code {code}: {lines[-1] if lines else 'no output'}"


def main(folder: Path) -> None:
    """The other side: solve the job of the folder and write its outcome there."""
    from riskcard.paper.experiments.solving import solve_row

    job = json.loads((folder / "job").read_text(encoding="utf-8"))
    outcome = solve_row(Row(**job["row"]), METHODS[job["method"]], job["limit"])
    part = folder / "outcome.part"
    part.write_text(json.dumps(outcome.as_dict()), encoding="utf-8")
    part.replace(folder / "outcome")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
