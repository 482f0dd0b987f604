"""The loop: make every run that is not finished yet, keep each at once, say what happens."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from riskcard.paper.experiments.methods import DEFAULT_LIMIT, Method
from riskcard.paper.experiments.runs.machine import describe_machine, describe_software, today
from riskcard.paper.experiments.runs.run_outcome import Outcome
from riskcard.paper.experiments.runs.run_process import run_in_process
from riskcard.paper.experiments.runs.run_store import Cell, Finished, Store
from riskcard.paper.experiments.table_rows import Row

#: How a run is made: row, method and limit to an outcome.
Execute = Callable[[Row, Method, float], Outcome]


class Watcher(Protocol):
    """Is called when a run begins and when it ends."""

    def begin(self, cell: Cell, place: int, total: int) -> None:
        """A run begins; it is the ``place``-th of ``total``."""

    def end(self, cell: Cell, outcome: Outcome) -> None:
        """The run has ended."""


def make_cells(
    rows: Sequence[Row], methods: Sequence[Method], limits: Mapping[str, float]
) -> list[Cell]:
    """All runs of rows and methods, row by row.

    Parameters
    ----------
    limits
        Seconds by name of the method; the others have ``DEFAULT_LIMIT``.
    """
    return [
        Cell(row, method, float(limits.get(method.name, DEFAULT_LIMIT)))
        for row in rows
        for method in methods
    ]


def run_cells(
    cells: Sequence[Cell], store: Store, watcher: Watcher, execute: Execute = run_in_process
) -> None:
    """Make the runs that the store does not have.

    An interrupted run (``KeyboardInterrupt``) is not kept; all before it are.
    """
    machine = describe_machine()
    for place, cell in enumerate(cells, start=1):
        if store.get(cell) is not None:
            continue
        watcher.begin(cell, place, len(cells))
        outcome = execute(cell.row, cell.method, cell.limit)
        store.put(cell, Finished(outcome, today(), machine, describe_software(cell.method)))
        watcher.end(cell, outcome)
