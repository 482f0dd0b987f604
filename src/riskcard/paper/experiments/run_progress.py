"""Progress of an experiment: a line for each run that ends, and on a terminal what runs now."""

from __future__ import annotations

import sys
from typing import Any, TextIO

from riskcard.paper.experiments.run_outcome import Outcome
from riskcard.paper.experiments.run_store import Cell


class ExperimentDisplay:
    """Shows runs as they begin and end; used as a context manager around the work.

    Parameters
    ----------
    stream
        Where to write; by default the standard error stream.
    is_quiet
        Show nothing.
    """

    def __init__(self, stream: TextIO | None = None, is_quiet: bool = False) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._is_quiet = is_quiet
        self._live: Any = None
        self._task: Any = None
        self._place = ""

    def __enter__(self) -> ExperimentDisplay:
        is_terminal = getattr(self._stream, "isatty", lambda: False)
        if is_terminal() and not self._is_quiet:
            from rich.console import Console
            from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

            self._live = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                TimeElapsedColumn(),
                console=Console(file=self._stream),
                transient=True,
            )
            self._live.start()
        return self

    def begin(self, cell: Cell, place: int, total: int) -> None:
        """A run begins."""
        self._place = f"{place}/{total}"
        if self._live is not None:
            text = f"{self._place}  {cell.row}  {cell.method.title}, at most {cell.limit:g} s"
            self._task = self._live.add_task(text, total=None)

    def end(self, cell: Cell, outcome: Outcome) -> None:
        """The run has ended: its line stays."""
        if self._is_quiet:
            return
        if self._live is not None:
            self._live.remove_task(self._task)
        line = f"{self._place}  {describe_run(cell, outcome)}"
        if self._live is not None:
            from rich.text import Text

            self._live.console.print(Text(line))
            return
        self._stream.write(line + "\n")
        self._stream.flush()

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


def describe_run(cell: Cell, outcome: Outcome) -> str:
    """One finished run in one line."""
    loss = "no card" if outcome.loss is None else f"loss {outcome.loss:.5f}"
    ending = {"optimal": "says optimal", "limit": "time limit"}.get(outcome.ending, outcome.ending)
    if outcome.ending == "failed":
        ending = f"failed: {outcome.word}"
    return f"{cell.row}  {cell.method.title}: {loss}, {outcome.seconds:.3g} s, {ending}"
