"""Compile search and proof before their clock starts, and say that something is being compiled.

Where nothing is compiled yet, that takes longer than many a time limit: the first fit on a machine
would have no time left, and give another card than every later one. Commands compile the proof in a second process while they compile the search, so that a
first proof waits for the longer of the two and not for their sum. Only commands do this: a library
that starts processes would surprise the program that uses it.
"""

import os
import subprocess
import sys
from functools import cache
from typing import Literal

import numpy as np

from riskcard.kernels.jit import call_before_compiling, is_kept
from riskcard.kernels.proof.explore import explore
from riskcard.problem.problem import Limits, Problem, Scale
from riskcard.problem.ranked_data import RankedData
from riskcard.processes import isolated_python
from riskcard.search.drivers.solve_plain import find_card
from riskcard.search.empty_card import best_empty_card
from riskcard.search.options import SearchOptions
from riskcard.search.proof.support_tree import prove_by_supports
from riskcard.search.proof.tree import Stops, prove

Kind = Literal["fixed", "multiplier", "calibrated"]

#: What the second process does; the kind of scale is its argument.
_WORK = "from riskcard.search.warmup import compile_proof; compile_proof(sys.argv[1])"

_running: list[subprocess.Popen[bytes]] = []


@cache
def make_ready(kind: Kind, certify: bool = True, is_by_supports: bool | None = None) -> None:
    """Compile what a search, and a proof, with a kind of scale need, once per process.

    That is done by solving a tiny problem. Once compiled, it is a matter of milliseconds. A proof
    is by supports or by slots; without a word about it, both are compiled.
    """
    find_card(_tiny_problem(Scale(kind)), SearchOptions())
    if certify:
        wait_for_compilation()
        compile_proof(kind, is_by_supports)


def compile_proof(kind: Kind, is_by_supports: bool | None = None) -> None:
    """Compile the proof alone: from the empty card it has to look at everything."""
    problem = _tiny_problem(Scale(kind))
    if is_by_supports is not True:
        prove(problem, best_empty_card(problem), Stops())
    if is_by_supports is not False and kind != "fixed":
        prove_by_supports(problem, best_empty_card(problem), Stops())


def start_compilation(kind: Kind) -> None:
    """Compile the proof in a second process, unless it is compiled or there is no processor for it.

    If that fails, this process compiles the proof when it is needed.
    """
    is_program = getattr(sys, "frozen", False)  # `sys.executable` is no Python then
    if is_kept(explore) or is_program or not sys.executable or _count_processors() < 2:
        return
    nothing = subprocess.DEVNULL
    try:
        process = subprocess.Popen(
            isolated_python(_WORK, kind), stdin=nothing, stdout=nothing, stderr=nothing
        )
    except OSError:
        return
    _running.append(process)


def wait_for_compilation() -> None:
    """Wait until the second process is done."""
    while _running:
        _running.pop().wait()


def _count_processors() -> int:
    """The processors that this process may use, where the system tells."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def tell_of_compilation(is_asked: bool) -> None:
    """Say why the first fit on a machine takes so long, if something is compiled.

    It is said on a terminal where progress is asked for, and wherever a person waits at a prompt,
    notebooks included.
    """
    is_prompt = hasattr(sys, "ps1")  # Python's own prompt, and those of IPython and Jupyter
    if sys.stderr is not None and (is_prompt or (is_asked and sys.stderr.isatty())):
        _tell_once()


@cache
def _tell_once() -> None:
    def tell() -> None:
        sys.stderr.write("Compiling the inner loops, once on this machine: up to a minute.\n")

    call_before_compiling(tell)


def _tiny_problem(scale: Scale) -> Problem:
    """Eight rows of two features whose effects are not in the ratio of one point to two.

    Real-valued points fit them better than whole ones, so a proof with a free scale tries both.
    """
    codes = np.array([[0, 0, 1, 1, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1, 1, 1]], dtype=np.int32)
    weights = np.array([90.0, 10.0, 80.0, 20.0, 10.0, 90.0, 5.0, 95.0])
    return Problem(
        data=RankedData(codes, np.array([1, 1]), np.tile([-1, 1], 4).astype(np.int8), weights),
        limits=Limits(2, 2, 2),
        scale=scale,
        jump_low=np.array([-2, -2]),
        jump_high=np.array([2, 2]),
    )
