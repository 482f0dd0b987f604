"""The loop: every job that is not finished yet, kept at once; one evaluator for all methods."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.calls import Call, Desk, Worker
from benchmarks.evaluate import describe, judge, recovery
from benchmarks.methods import METHODS, Method, title_of
from benchmarks.model import Model
from benchmarks.peers import Environment
from benchmarks.store import NOT_INSTALLED, Job, Store
from benchmarks.tables import Table, folds_of, load_table
from riskcard.paper.experiments.runs.machine import today

__all__ = ["AS_IT_COMES", "PLAIN", "Bench", "run_jobs"]

PLAIN, AS_IT_COMES = "plain", "as it comes"
#: Seconds that a method with a limit has while it is warmed: enough for compiling. Other people's
#: solvers compile nothing, and would use all of it.
WARM_LIMIT, SOLVER_WARM_LIMIT = 120.0, 1.0


class Bench:
    """Everything that jobs share: tables, workers, environments.

    Parameters
    ----------
    desk
        Where requests are written.
    folders
        Of CSV files.
    environments
        Of peers, by name.
    folds
        Of the rows.
    """

    def __init__(
        self,
        desk: Desk,
        folders: Sequence[Path],
        environments: dict[str, Environment],
        folds: int,
    ) -> None:
        self._desk, self._folders, self._environments = desk, folders, environments
        self._folds = folds
        self._workers: dict[str, Worker] = {}
        self._warmed: dict[
            tuple[str, str], int
        ] = {}  # by method and view: which life of its worker
        self.table = lru_cache(maxsize=4)(self._load)

    def _load(self, name: str, view: str) -> Table:
        found = [folder for folder in self._folders if (folder / f"{name}.csv").exists()]
        table = load_table(name, next(iter([*found, *self._folders]), None))
        return table.plain() if view == PLAIN else table

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers.values():
            worker.end()
        self._workers.clear()

    def python(self, method: Method) -> str:
        """The interpreter of a method; empty when its package could not be installed."""
        if method.peer is None:
            return sys.executable
        environment = self._environments.get(method.peer)
        return environment.python if environment is not None else ""

    def reason(self, method: Method) -> str:
        """Why a method cannot be run."""
        environment = self._environments.get(str(method.peer))
        return "it was not installed" if environment is None else environment.reason

    def run(self, job: Job) -> dict[str, Any]:
        """The figures of a job; a reason when there are none."""
        method = METHODS[job.method]
        if not self.python(method):
            return {"error": f"{NOT_INSTALLED}: {self.reason(method)}"}
        view = job.view if method.takes_any_table else PLAIN
        table = self.table(job.table, view)
        worker = self._warm_worker(method, view)
        call = Call(
            method.worker[1],
            method.settings(job.terms, job.limit),
            job.limit,
            asked=not method.has_card,
        )
        fitted = None
        if job.fold >= 0:
            fitted, asked = folds_of(table, self._folds)[job.fold]
        answer = self._desk.ask(worker, call, table, fitted)
        if "error" in answer:
            return answer
        return figures_of(answer, table, fitted, asked if fitted is not None else None)

    def _warm_worker(self, method: Method, view: str) -> Worker:
        """The worker of a method, which has fitted something small in this view before."""
        python = self.python(method)
        worker = self._workers.get(python + method.worker[0])
        if worker is None:
            worker = self._workers[python + method.worker[0]] = Worker(method.worker[0], python)
        # a process that ended is started again, and cold
        if not worker.life or self._warmed.get((method.name, view)) != worker.life:
            table = small_table(view)
            limit = SOLVER_WARM_LIMIT if method.worker[1] == "solver" else WARM_LIMIT
            # imodels compiles for minutes, and knows of no limit
            call = Call(method.worker[1], method.settings(2, limit), 600.0)
            self._desk.ask(worker, call, table)
            self._warmed[method.name, view] = worker.life
        return worker


def figures_of(answer: dict[str, Any], table: Table, fitted: Any, asked: Any) -> dict[str, Any]:
    """All figures of a job: those of the clock as they come, the others from the model."""
    model = Model.of(answer["model"]) if "model" in answer else None
    figures = {key: value for key, value in answer.items() if key not in ("model", "risks")}
    everyone = np.arange(len(table.y))
    for name, rows in (("fit", everyone if fitted is None else fitted), ("held_out", asked)):
        if rows is not None:
            risks = None if model is not None else np.array(answer["risks"])[rows]
            figures[name] = judge(model, risks, table.values[rows], table.y[rows])
    if model is not None:
        figures["card"] = describe(model)
        if table.planted is not None:
            figures["recovery"] = recovery(model.cuts, table.planted, table.values)
    return figures


def small_table(view: str) -> Table:
    """A table to warm with; as it comes it has levels and missing values."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal((300, 4))
    y = (rng.random(300) < 1 / (1 + np.exp(-2 * values[:, 0]))).astype(np.int64)
    names = ("a", "b", "c", "d")
    if view == PLAIN:
        return Table("small", names, values, (None,) * 4, y)
    values[:, 3] = rng.integers(0, 3, 300)
    values[::7, 2] = np.nan
    levels = (None, None, None, ("x", "y", "z"))
    return Table("small mixed", names, values, levels, y)


def run_jobs(
    jobs: Sequence[Job],
    store: Store,
    measure: Callable[[Job], dict[str, Any]],
    say: Callable[[str], None],
) -> None:
    """Do what the store does not have, in the order given; an interrupted job is not kept.

    The day and the commit of the code are kept with the figures.
    """
    commit = commit_of(Path(__file__).parent)
    left = [job for job in jobs if job not in store]
    begin = time.perf_counter()
    for place, job in enumerate(left, start=1):
        figures = measure(job)
        store.put(job, {**figures, "day": today(), "commit": commit})
        say(f"{place}/{len(left)}  {time.perf_counter() - begin:6.0f} s  {in_words(job, figures)}")


def commit_of(folder: Path) -> str:
    """The commit of the code in a folder, with a + where files differ from it; "-" where there is none."""
    git = ["git", "-C", str(folder)]
    try:
        found = subprocess.run(
            [*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True
        )
        state = subprocess.run(
            [*git, "status", "--porcelain", "--untracked-files=no"], capture_output=True, text=True
        )
    except OSError:
        return "-"
    if found.returncode != 0:
        return "-"
    return found.stdout.strip() + ("+" if state.stdout.strip() else "")


def in_words(job: Job, figures: dict[str, Any]) -> str:
    """A finished job in one line."""
    what = f"({job.question}) {job.table}, {title_of(job.method, job.limit)}, {job.terms} terms"
    if job.fold >= 0:
        what += f", fold {job.fold}"
    if "error" in figures:
        return f"{what}: {figures['error']}"
    if "fit" not in figures:
        return f"{what}: done"
    return f"{what}: loss {figures['fit']['loss']:.4f}, {figures['processor']:.3g} s"
