"""A module run in another process: ended when its time is over, never left behind.

Solvers look at the clock and at Ctrl-C when it suits them. A process can be ended from outside
without their consent, its crash is only its own, and its memory is free again afterwards.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple


class Ending(NamedTuple):
    """How a process ended: whether it had to be ended, and its exit code otherwise."""

    was_ended: bool
    code: int


def run_module(
    module: str,
    folder: Path,
    seconds: float | None,
    *,
    threads: int = 1,
    parting: float = 0.0,
    shows_output: bool = False,
) -> Ending:
    """Run a module in a folder, which is its argument, until it ends or its time is over.

    Parameters
    ----------
    module
        The module; it is found where this process finds modules, but not in the current folder.
    folder
        The folder of its job. What the process prints is kept there in ``log``.
    seconds
        Time until the process is ended; None for no limit.
    threads
        Threads that its numerical libraries may use.
    parting
        Seconds between asking the process to leave, so that it can end its own processes, and
        ending what is left of its group. 0 ends it at once.
    shows_output
        Let the process print where this one prints, instead of into ``log``.
    """
    with open(folder / "log", "wb") as log:
        output = None if shows_output else log
        process = subprocess.Popen(
            isolated_python(_RUN, module, str(folder)),
            stdout=output,
            stderr=subprocess.STDOUT if output else None,
            env=_with_threads(threads),
            cwd=folder,
            # in a group of its own: Ctrl-C on the terminal reaches this process first
            start_new_session=True,
        )
        try:
            return Ending(False, process.wait(seconds))
        except subprocess.TimeoutExpired:
            return Ending(True, 0)
        finally:
            end_group(process, parting)


def isolated_python(code: str, *arguments: str) -> list[str]:
    """The command that runs code with this Python, and with nothing from the current folder.

    Python would otherwise look for modules there first, and run a file called `numpy.py` that lies
    next to the user's data. The new process finds modules where this one does, except in the
    current folder; that is kept only where riskcard itself is in it.

    Parameters
    ----------
    code
        What to run; its arguments are ``sys.argv[1:]``.
    arguments
        Texts for the code.
    """
    here, home = Path.cwd().resolve(), Path(__file__).resolve().parents[1]
    places = [Path(entry).resolve() for entry in sys.path if entry]
    path = [str(place) for place in places if place != here or place == home]
    return [sys.executable, "-I", "-c", f"import sys; sys.path[:] = {path!r}; {code}", *arguments]


#: Run a module as the program; its name is the first argument.
_RUN = "import runpy; module = sys.argv.pop(1); runpy.run_module(module, run_name='__main__')"


def _with_threads(number: int) -> dict[str, str]:
    """The environment of this process, with a number of threads for numerical libraries."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return {**os.environ, **dict.fromkeys(names, str(number))}


def end_group(process: subprocess.Popen[bytes], parting: float) -> None:
    """Ask a process to leave, then end what is left of it and of its group."""
    if process.poll() is not None:
        return
    if parting > 0:
        process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
        try:
            process.wait(parting)
            return
        except subprocess.TimeoutExpired:
            pass
    if os.name == "posix":
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def last_line(log: Path) -> str:
    """The last line that a process printed."""
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "no output"
