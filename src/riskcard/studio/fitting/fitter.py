"""The studio's side of the process that fits: give it jobs, hear of them, stop it, replace it."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from riskcard.processes import end_group, isolated_python

_RUN = "import runpy; runpy.run_module('riskcard.studio.fitting.worker', run_name='__main__')"

Message = dict[str, Any]


class Fitter:
    """A process that fits, one job at a time; it is started before it is needed, since that takes seconds.

    Parameters
    ----------
    hear
        Called in a thread of its own with every message about the job that was given last. A message
        "ended" says that the process has gone without finishing it, "ready" that it can begin with one.
    """

    def __init__(self, hear: Callable[[Message], None]) -> None:
        self._hear = hear
        self._lock = threading.RLock()
        self._number = 0
        self._is_busy = False
        self._is_ready = False
        self._process = self._start()

    @property
    def is_ready(self) -> bool:
        """Whether everything is compiled: until then, a job waits."""
        return self._is_ready

    def give(self, job: Message) -> None:
        """Begin a job; one that is at work is ended."""
        with self._lock:
            if self._is_busy or self._process.poll() is not None:
                self.cancel()
            self._number += 1
            self._is_busy = True
            self._write({**job, "number": self._number})

    def stop(self) -> None:
        """Ask the job to end with what it has."""
        with self._lock:
            if self._is_busy:
                self._write({"kind": "stop"})

    def cancel(self) -> None:
        """End the job without a result, and be ready for another."""
        with self._lock:
            self._number += 1  # whatever is still heard of the old job is of no interest
            self._is_busy = False
            self._end()
            self._process = self._start()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._number += 1
            self._is_busy = False
            self._end()

    def _end(self) -> None:
        end_group(self._process, 0)
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            isolated_python(_RUN),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # in a group of its own: Ctrl-C on the terminal is for the studio, which then ends it
            start_new_session=True,
        )
        self._is_ready = False
        threading.Thread(target=self._listen, args=(process,), daemon=True).start()
        return process

    def _write(self, message: Message) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # the thread that listens says that it has gone
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                self._pass_on(json.loads(line), process)
        process.wait()
        with self._lock:
            job = self._number if process is self._process and self._is_busy else None
        if job is not None:  # told without the lock: whoever hears of it may wait for another
            self._pass_on({"kind": "ended", "job": job}, process)

    def _pass_on(self, message: Message, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            if message["kind"] == "ready":
                self._is_ready = self._is_ready or process is self._process
            elif message.get("job") != self._number:
                return
            elif message["kind"] not in ("moment", "card"):
                self._is_busy = False
        self._hear(message)
