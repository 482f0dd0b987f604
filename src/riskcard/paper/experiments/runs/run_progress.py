"""Progress of an experiment: a line per finished run, and on a terminal what runs now."""

from __future__ import annotations

import time

from riskcard.paper.experiments.runs.run_outcome import Outcome
from riskcard.paper.experiments.runs.run_store import Cell
from riskcard.progress import LiveLine


class ExperimentDisplay(LiveLine):
    """Shows runs as they begin and end; used as a context manager around the work."""

    _place = ""

    def begin(self, cell: Cell, place: int, total: int) -> None:
        """Show a run that begins."""
        self._place, start = f"{place}/{total}", time.monotonic()
        text = f"{self._place}  {cell.row}  {cell.method.title}, at most {cell.limit:g} s"
        self.show(lambda: f"{text}  {time.monotonic() - start:.0f} s")

    def end(self, cell: Cell, outcome: Outcome) -> None:
        """Write the line of a finished run, which stays."""
        self.show("")
        self.keep(f"{self._place}  {describe_run(cell, outcome)}")


def describe_run(cell: Cell, outcome: Outcome) -> str:
    """One finished run in one line."""
    loss = "no card" if outcome.loss is None else f"loss {outcome.loss:.5f}"
    ending = {"optimal": "says optimal", "limit": "time limit"}.get(outcome.ending, outcome.ending)
    if outcome.ending == "failed":
        ending = f"failed: {outcome.word}"
    return f"{cell.row}  {cell.method.title}: {loss}, {outcome.seconds:.3g} s, {ending}"
