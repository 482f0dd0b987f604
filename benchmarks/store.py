"""The finished jobs: one line of JSON each, added as soon as a job is done, read when a run goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

__all__ = ["NOT_INSTALLED", "Job", "Kept", "Store"]

#: How the reason begins why a method whose package is missing has no figures; it is tried again.
NOT_INSTALLED = "could not be installed"


@dataclass(frozen=True, slots=True)
class Job:
    """One thing to measure.

    Attributes
    ----------
    question
        The letter of the page's part.
    view
        "plain" or "as it comes": which of its two views the table shows to those that take both.
    terms
        The size of the card.
    fold
        Which part of the rows is not fitted but judged; -1 for none.
    limit
        Seconds for methods that have a limit; 0 for the others.
    repeat
        The same again, for the times.
    """

    question: str
    method: str
    table: str
    view: str = "plain"
    terms: int = 5
    fold: int = -1
    limit: float = 0.0
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """A finished job and its figures."""

    job: Job
    figures: dict[str, Any]

    @property
    def failed(self) -> bool:
        """There is a reason instead of figures."""
        return "error" in self.figures


class Store:
    """The finished jobs of a folder.

    Parameters
    ----------
    folder
        Where ``jobs.jsonl`` is, or will be; None keeps nothing beyond this object.
    """

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / "jobs.jsonl"
        self._done: dict[Job, dict[str, Any]] = {}
        self._is_whole = False  # whether the last line is known to be
        if self._path is not None and self._path.exists():
            self._done = dict(_read(self._path))

    def __contains__(self, job: Job) -> bool:
        """Whether a job need not be done again."""
        reason = str(self._done.get(job, {}).get("error", ""))
        return job in self._done and not reason.startswith(NOT_INSTALLED)

    def __len__(self) -> int:
        return len(self._done)

    def put(self, job: Job, figures: dict[str, Any]) -> None:
        """Keep a job, its numbers with eight digits; it is on the disk when this returns."""
        figures = _short(figures)
        self._done[job] = figures
        if self._path is None:
            return
        if not self._is_whole:
            _cut_torn_line(self._path)
            self._is_whole = True
        with self._path.open("a", encoding="utf-8") as file:
            file.write(_line(job, figures))
            file.flush()
            os.fsync(file.fileno())

    def take_over(self, kept: Iterable[Kept]) -> None:
        """Keep what another run has finished, if nothing is kept yet."""
        if self._done:
            return
        self._done = {one.job: one.figures for one in kept}
        self._write_all()

    def forget(self, methods: Iterable[str], questions: Iterable[str]) -> int:
        """Drop the jobs of some methods and questions, so that they are done again; returns how many."""
        chosen, asked = set(methods), set(questions)
        dropped = [job for job in self._done if job.method in chosen and job.question in asked]
        for job in dropped:
            del self._done[job]
        if dropped:
            self._write_all()
        return len(dropped)

    def _write_all(self) -> None:
        """Write the whole file again."""
        if self._path is not None:
            part = self._path.with_name(self._path.name + ".part")
            lines = [_line(job, figures) for job, figures in self._done.items()]
            part.write_text("".join(lines), encoding="utf-8")
            part.replace(self._path)

    def kept(self, question: str) -> list[Kept]:
        """The finished jobs of a question."""
        return [
            Kept(job, figures) for job, figures in self._done.items() if job.question == question
        ]


def _short(value: Any) -> Any:
    """A number with as many digits as mean something; the same for all numbers in lists and mappings."""
    if isinstance(value, float):
        return float(f"{value:.8g}")
    if isinstance(value, dict):
        return {name: _short(inner) for name, inner in value.items()}
    return [_short(inner) for inner in value] if isinstance(value, list) else value


def _line(job: Job, figures: dict[str, Any]) -> str:
    return json.dumps({"job": asdict(job), "figures": figures}) + "\n"


def _cut_torn_line(path: Path) -> None:
    """Take off what a run that was cut off left of its last line; only who writes does so."""
    if path.exists():
        with path.open("rb+") as file:
            file.truncate(file.read().rfind(b"\n") + 1)


def _read(path: Path) -> Iterator[tuple[Job, dict[str, Any]]]:
    """All whole lines; the last one is not whole when a run was cut off while writing it, or writes it now."""
    *lines, _ = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines, start=1):
        try:
            content = json.loads(line)
            yield Job(**content["job"]), content["figures"]
        except (ValueError, KeyError, TypeError):
            raise SystemExit(
                f"Line {number} of {path} is no finished job of this version. "
                "Move the file away, or give --keep another folder."
            ) from None
