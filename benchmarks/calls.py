"""Workers as seen from the harness: one process for each interpreter, asked over files.

A worker that takes far longer than it may is ended, and started again for the next request. Ctrl-C
reaches the harness only; it ends its workers when it leaves.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.tables import Table
from riskcard.processes import end_group

__all__ = ["Call", "Desk", "Worker"]

SCRIPTS = Path(__file__).parent / "workers"
#: Seconds beyond three times its limit after which a worker is ended.
GRACE = 600.0
DONE = b"@done\n"


class Worker:
    """One process; used as a context manager, or ended with ``end``.

    Parameters
    ----------
    script
        A file of the folder ``workers``, without its ending.
    python
        The interpreter.
    memory
        Bytes of address space that it may use; None for no limit.
    cache
        Where numba keeps compiled code; None for where it always does.
    """

    def __init__(
        self,
        script: str,
        python: str = sys.executable,
        memory: float | None = None,
        cache: Path | None = None,
    ) -> None:
        self._script, self._python, self._memory, self._cache = script, python, memory, cache
        self._process: subprocess.Popen[bytes] | None = None
        self._n_lives = 0
        self._log: IO[bytes] | None = None  # what the process writes to its error stream

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    @property
    def life(self) -> int:
        """A number for the process that runs, another one for each; 0 when none runs."""
        return 0 if self._process is None else self._n_lives

    def ask(self, path: Path, seconds: float) -> dict[str, Any]:
        """Hand over the request in a file; the answer, or ``{"error": ...}``."""
        if self._process is None:
            self._process = self._start()
            self._n_lives += 1
        process = self._process
        assert process.stdin is not None
        try:
            process.stdin.write(f"{path}\n".encode())
            process.stdin.flush()
            word = self._listen(process, seconds)
        except BrokenPipeError:
            word = self._how_it_ended(process)
        if word:
            self.end()
            return {"error": word}
        return json.loads(path.with_name(path.name + ".answer").read_text(encoding="utf-8"))

    def _listen(self, process: subprocess.Popen[bytes], seconds: float) -> str:
        """Wait for the word that the answer is there; what went wrong, or nothing."""
        assert process.stdout is not None
        handle, heard = process.stdout.fileno(), b""
        deadline = time.monotonic() + seconds
        while not heard.endswith(DONE):
            left = max(0.0, deadline - time.monotonic())
            ready, _, _ = select.select([handle], [], [], left)
            if not ready:
                return f"ended after {seconds:g} s"
            part = os.read(handle, 65536)
            if not part:
                return self._how_it_ended(process)
            heard = (heard + part)[-1000:]
        return ""

    def _how_it_ended(self, process: subprocess.Popen[bytes]) -> str:
        return f"the process ended with code {process.wait()}: {self._last_words()}"

    def _last_words(self) -> str:
        assert self._log is not None
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:200] if lines else "no output"

    def _start(self) -> subprocess.Popen[bytes]:
        environment = dict(os.environ)
        environment.pop("PYTHONPATH", None)
        if self._python == sys.executable:  # which finds modules where this process does
            paths = [os.path.abspath(path) for path in sys.path if path]
            environment["PYTHONPATH"] = os.pathsep.join(paths)
        if self._cache is not None:
            environment["NUMBA_CACHE_DIR"] = str(self._cache)
        command = [self._python, str(SCRIPTS / f"{self._script}.py")]
        if self._memory is not None and os.name == "posix":
            limit = f"ulimit -v {int(self._memory / 1024)}; exec "
            command = ["/bin/sh", "-c", limit + '"$0" "$@"', *command]
        self._log = tempfile.TemporaryFile()  # noqa: SIM115, it is closed with the process
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=environment,
            start_new_session=True,
        )

    def end(self) -> None:
        """End the process, and what it has started."""
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout, self._log):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.5)
        end_group(process, parting=0)


class Call:
    """What is asked of a worker, apart from the rows."""

    def __init__(
        self,
        method: str,
        settings: Mapping[str, Any],
        limit: float,
        asked: bool = False,
        speed: int = 0,
    ) -> None:
        self.method, self.settings, self.limit = method, dict(settings), limit
        self.asked, self.speed = asked, speed


class Desk:
    """Writes tables and requests into a folder; a table that was written is not written again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._written: dict[tuple[str, int], dict[str, Any]] = {}
        self._count = 0

    def ask(
        self, worker: Worker, call: Call, table: Table, rows: NDArray | None = None
    ) -> dict[str, Any]:
        """The worker's answer; ``rows`` are those to fit, None for all."""
        self._count += 1
        path = self._folder / f"request{self._count}"
        content = {
            "method": call.method,
            "settings": call.settings,
            "asked": call.asked,
            "speed": call.speed,
            "rows": None if rows is None else self._save("rows", np.asarray(rows)),
            **self._files(table),
        }
        path.write_text(json.dumps(content), encoding="utf-8")
        try:
            return worker.ask(path, GRACE + 3 * call.limit)
        finally:
            for name in (path, path.with_name(path.name + ".answer")):
                name.unlink(missing_ok=True)

    def _files(self, table: Table) -> dict[str, Any]:
        key = table.name, id(table.values)
        if key not in self._written:
            for content in self._written.values():
                for name in ("values", "labels"):
                    Path(content[name]).unlink(missing_ok=True)
            self._written = {key: self._write(table)}
        return self._written[key]

    def _write(self, table: Table) -> dict[str, Any]:
        return {
            "values": self._save(f"values{self._count}", table.values),
            "labels": self._save(f"labels{self._count}", table.y),
            "levels": [None if levels is None else list(levels) for levels in table.levels],
        }

    def _save(self, name: str, array: NDArray) -> str:
        path = self._folder / f"{name}.npy"
        np.save(path, array)
        return str(path)
