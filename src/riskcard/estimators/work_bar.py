"""Progress of work whose steps can be counted: a bar on a terminal, nothing anywhere else."""

from __future__ import annotations

import sys
from threading import Lock
from typing import Any, TextIO


class WorkBar:
    """Counts steps that are done, from any thread; used as a context manager around the work.

    Parameters
    ----------
    title
        What is done, in a few words.
    total
        Number of steps.
    stream
        Where to draw; by default the standard error stream.
    is_quiet
        Draw nothing.

    Examples
    --------
    >>> with WorkBar("resamples", total=2, is_quiet=True) as bar:
    ...     bar.step()
    ...     bar.done
    1
    """

    def __init__(
        self, title: str, total: int, stream: TextIO | None = None, is_quiet: bool = False
    ) -> None:
        self.title = title
        self.total = total
        self.done = 0
        self._stream = stream if stream is not None else sys.stderr
        self._is_quiet = is_quiet
        self._lock = Lock()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> WorkBar:
        is_terminal = getattr(self._stream, "isatty", lambda: False)
        if is_terminal() and not self._is_quiet:
            self._start()
        return self

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(file=self._stream),
            transient=True,
        )
        self._bar.start()
        self._task = self._bar.add_task(self.title, total=self.total)

    def step(self) -> None:
        """One more step is done."""
        with self._lock:
            self.done += 1
            if self._bar is not None:
                self._bar.update(self._task, completed=self.done)

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
