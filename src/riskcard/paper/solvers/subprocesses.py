"""A solver in a process of its own, which can be ended when the time is over.

Solvers look at the clock when it suits them. The process writes every better solution to a file at
once, so that the best one is there whenever it is ended.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.paper.solvers.answer import Incumbent, SolverOptions

Floats = NDArray[np.float64]
#: Seconds after the limit at which a process is ended.
GRACE = 1.0
#: The word for how such a process ended.
ENDED = "ended at the time limit"


def run_process(module: str, folder: Path, options: SolverOptions) -> bool:
    """Run a module with the folder of its job; tells whether it had to be ended.

    It works in that folder, and what it says is kept there in ``log`` unless it is shown.
    """
    command = [sys.executable, "-m", module, str(folder)]
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, sys.path))
    environment["OMP_NUM_THREADS"] = str(options.threads)
    deadline = None if options.time_limit is None else options.time_limit + GRACE
    with open(folder / "log", "wb") as log:
        output = None if options.show_log else log
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=subprocess.STDOUT if output else None,
            env=environment,
            cwd=folder,
        )
        try:
            process.wait(deadline)
        except subprocess.TimeoutExpired:
            return True
        finally:
            # also when the user interrupts: no process outlives this call
            if process.poll() is None:
                process.kill()
                process.wait()
    return False


def write_record(path: Path, record: Any) -> None:
    """Write a file so that it is there whole, or not at all."""
    draft = path.with_suffix(".draft")
    draft.write_bytes(pickle.dumps(record))
    os.replace(draft, path)


def read_incumbents(folder: Path) -> tuple[Floats | None, tuple[Incumbent, ...]]:
    """The best point that the process wrote down, and when it found which objective."""
    path = folder / "incumbent"
    if not path.exists():
        return None, ()
    values, moments = pickle.loads(path.read_bytes())
    return np.asarray(values), tuple(Incumbent(*moment) for moment in moments)


def last_line(folder: Path) -> str:
    """The last that the process said."""
    log = (folder / "log").read_text(encoding="utf-8", errors="replace")
    lines = log.strip().splitlines()
    return lines[-1] if lines else "no output"
