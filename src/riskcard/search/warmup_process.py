"""Compile the proof in a second process while this one compiles the search.

Where nothing is compiled yet, a first proof waits for the longer of both, not for their sum. Only commands do it: a library
that starts processes would surprise the program that it is part of.
"""

from __future__ import annotations

import os
import subprocess
import sys

from riskcard.kernels.jit import is_kept
from riskcard.kernels.proof.explore import explore

#: What the second process does; the kind of scale is its argument.
_WORK = "import sys; from riskcard.search.warmup import compile_proof; compile_proof(sys.argv[1])"

_running: list[subprocess.Popen[bytes]] = []


def compile_beside(kind: str) -> None:
    """Start to compile the proof, unless it is compiled already or there is no processor for it.

    If it fails, the proof is compiled by this process when it is needed, as it would be anyway.
    """
    is_program = getattr(sys, "frozen", False)  # `sys.executable` is no Python then
    if is_kept(explore) or is_program or not sys.executable or _count_processors() < 2:
        return
    nothing = subprocess.DEVNULL
    command = [sys.executable, "-c", _WORK, kind]
    try:
        process = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing)
    except OSError:
        return
    _running.append(process)


def wait_for_compilation() -> None:
    """Wait until nothing is compiled beside."""
    while _running:
        _running.pop().wait()


def _count_processors() -> int:
    """Those that this process may use, where the system tells."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
