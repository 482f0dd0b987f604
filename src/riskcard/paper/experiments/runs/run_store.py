"""The runs that are finished, in one file: written whole after each, and read when a run goes on."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from riskcard.errors import FormatError
from riskcard.output_files import write_whole
from riskcard.paper.experiments.methods import METHODS, Method
from riskcard.paper.experiments.runs.run_outcome import Outcome
from riskcard.paper.experiments.table_rows import Row

FORMAT = "riskcard experiment"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Cell:
    """One run to make: a row, a method, and the seconds that it has."""

    row: Row
    method: Method
    limit: float


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that was made: how it ended, when, on what, and with which versions."""

    outcome: Outcome
    date: str
    machine: str
    software: str


class Store:
    """The finished runs of a folder.

    Parameters
    ----------
    folder
        Where ``results.json`` is, or will be.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "results.json"
        self._finished: dict[Cell, Finished] = dict(_read(self.path))

    def get(self, cell: Cell) -> Finished | None:
        """The run, if it was made."""
        return self._finished.get(cell)

    def longest(self, cell: Cell) -> tuple[Cell, Finished] | None:
        """The run of the same row and method that had most time, and no less than this one."""
        found = [
            (other, finished)
            for other, finished in self._finished.items()
            if (other.row, other.method) == (cell.row, cell.method) and other.limit >= cell.limit
        ]
        return max(found, key=lambda pair: pair[0].limit, default=None)

    def put(self, cell: Cell, finished: Finished) -> None:
        """Keep a run; the file has it when this returns."""
        self._finished[cell] = finished
        self._write()

    def forget(self, cells: Iterable[Cell]) -> None:
        """Drop runs, so that they are made again."""
        for cell in cells:
            self._finished.pop(cell, None)
        self._write()

    def __len__(self) -> int:
        return len(self._finished)

    def _write(self) -> None:
        runs = [
            {
                "row": asdict(cell.row),
                "method": cell.method.name,
                "limit": cell.limit,
                **asdict(finished),
            }
            for cell, finished in self._finished.items()
        ]
        content = {"format": FORMAT, "version": VERSION, "runs": runs}
        write_whole(self.path, json.dumps(content, indent=1) + "\n")


def _read(path: Path) -> Iterator[tuple[Cell, Finished]]:
    if not path.exists():
        return
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        is_ours = content["format"] == FORMAT and content["version"] == VERSION
        runs = [_read_run(run) for run in content["runs"]] if is_ours else None
    except (OSError, ValueError, KeyError, TypeError):
        runs = None
    if runs is None:
        raise FormatError(
            f"{str(path)!r} is not a file of finished runs that this version can read. "
            "Move it away, or choose another folder with --output."
        )
    yield from runs


def _read_run(run: dict[str, Any]) -> tuple[Cell, Finished]:
    cell = Cell(Row(**run["row"]), METHODS[run["method"]], float(run["limit"]))
    outcome = Outcome.from_dict(run["outcome"])
    return cell, Finished(outcome, run["date"], run["machine"], run["software"])
