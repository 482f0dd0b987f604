"""The files of a solver's job in another process: what it is asked, and every better solution.

The process writes each better solution down at once, so that the best one is there whenever it is
ended.
"""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.paper.solvers.answer import Incumbent, SolverOptions
from riskcard.processes import run_module

Floats = NDArray[np.float64]
#: Seconds after the limit at which a process is ended.
GRACE = 1.0
#: The word for how such a process ended.
ENDED = "ended at the time limit"


def run_solver(module: str, folder: Path, options: SolverOptions) -> bool:
    """Run a module with the folder of its job; tells whether it had to be ended."""
    seconds = None if options.time_limit is None else options.time_limit + GRACE
    ending = run_module(
        module, folder, seconds, threads=options.threads, shows_output=options.show_log
    )
    return ending.was_ended


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
