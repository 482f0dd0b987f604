"""(f) Cold start: installation, import, the first card; and how fast predictions are."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bench import PLAIN, Bench
from benchmarks.calls import Call, Desk, Worker
from benchmarks.methods import LOWEST_LOSS, METHODS, title_of
from benchmarks.model import Model, Steps
from benchmarks.peers import Environment
from benchmarks.questions.common import (
    Plan,
    Section,
    Standing,
    best_of,
    markdown_table,
    reasons,
    verdict_on,
)
from benchmarks.store import NOT_INSTALLED, Job, Kept

__all__ = ["jobs", "measurer", "section"]

NAMES = (LOWEST_LOSS, "imodels-9", "fasterrisk", "optbinning", "round", "logistic", "boosting")
#: What is imported for a method.
IMPORTS = {
    LOWEST_LOSS: "from riskcard import RiskScoreClassifier",
    "imodels-9": "from imodels import FastRiskScoreClassifier",
    "fasterrisk": "from fasterrisk.fasterrisk import RiskScoreOptimizer",
    "optbinning": "from optbinning import Scorecard",
    "round": "from riskcard.baselines import SelectRegressRoundClassifier",
    "logistic": "from sklearn.linear_model import LogisticRegression",
    "boosting": "from sklearn.ensemble import HistGradientBoostingClassifier",
}
TABLE = "planted:1000:0"
TERMS = 5


def jobs(plan: Plan) -> list[Job]:
    return [Job("f", name, TABLE, PLAIN, TERMS) for name in NAMES]


def measurer(
    bench: Bench, desk: Desk, environments: dict[str, Environment], plan: Plan
) -> Callable[[Job], dict[str, Any]]:
    """A function that measures the start of one method."""

    def measure(job: Job) -> dict[str, Any]:
        method = METHODS[job.method]
        python = bench.python(method)
        if not python:
            return {"error": f"{NOT_INSTALLED}: {bench.reason(method)}"}
        table = bench.table(job.table, PLAIN)
        settings = method.settings(job.terms, 0.0)
        figures: dict[str, Any] = {"import": import_seconds(python, IMPORTS[job.method])}
        home = "riskcard" if job.method == LOWEST_LOSS else str(method.peer)
        if home in environments:
            figures["install"] = environments[home].seconds
        with tempfile.TemporaryDirectory() as cache:
            for name in ("first", "again"):
                worker = Worker(method.worker[0], python, cache=Path(cache))
                with worker, Spent() as spent:
                    answer = desk.ask(worker, Call(method.worker[1], settings, 600.0), table)
                    worker.end()
                if "error" in answer:
                    return answer
                figures[name] = spent.processor
        if job.method in ("round", "optbinning"):
            return (
                figures  # its predictions are those of a card like ours, or not made from its card
            )
        with Worker(method.worker[0], python) as worker:
            call = Call(method.worker[1], settings, 600.0, asked=True, speed=plan.speed_rows)
            answer = desk.ask(worker, call, table)
        if "error" in answer:
            figures["prediction"] = answer["error"]
        elif "rate" in answer:
            figures["rate"] = answer["rate"]
            if "model" in answer:
                figures["numpy_rate"] = numpy_rate(Model.of(answer["model"]), table.values, plan)
        return figures

    return measure


#: Times this near to each other, relatively, are the same.
NOISE = 0.15


class Spent:
    """Processor seconds of the processes that began and ended inside."""

    def __enter__(self) -> Spent:
        self._begin = _of_children()
        return self

    def __exit__(self, *error: object) -> None:
        self.processor = _of_children() - self._begin


def _of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def import_seconds(python: str, statement: str) -> float:
    """Processor seconds of an import, beyond those of an empty process; the least of three."""
    environment = dict(os.environ)
    if python == sys.executable:
        environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    times = []
    for text in ("pass", statement):
        taken = []
        for _ in range(3):
            with Spent() as spent:
                subprocess.run(
                    [python, "-W", "ignore", "-c", text],
                    check=True,
                    capture_output=True,
                    env=environment,
                )
            taken.append(spent.processor)
        times.append(min(taken))
    return times[1] - times[0]


def numpy_rate(model: Model, values: np.ndarray, plan: Plan) -> float:
    """Rows per second of the same card in plain numpy: look up the bins, add up, one exponential."""
    many = np.resize(values, (plan.speed_rows, values.shape[1]))
    best = float("inf")
    for _ in range(5):
        begin = time.process_time()
        plain_numpy(model, many)
        best = min(best, time.process_time() - begin)
    return plan.speed_rows / best


def plain_numpy(model: Model, values: np.ndarray) -> np.ndarray:
    """Risks of a card of steps, on rows without missing values, with no unnecessary work."""
    total = np.full(len(values), model.base)
    for part in model.parts:
        assert isinstance(part, Steps)
        total += np.array(part.points)[np.searchsorted(part.cuts, values[:, part.column])]
    return 1 / (1 + np.exp(-(total / model.multiplier + model.offset)))


def section(kept: list[Kept], plan: Plan) -> Section:
    """One line for each method."""
    good = [one for one in kept if not one.failed]
    text = (
        f"The table has 1,000 rows and 10 columns, the card {TERMS} terms. *Install* is wall-clock time from "
        "nothing to a "
        "package that can be imported (`python -m venv`, `pip install`; it depends on the network and on pip's cache). "
        "The other times are processor seconds. *Import* is the time beyond that of an empty process. *First "
        "card ever* is "
        "a whole process that starts, imports, compiles with an empty cache and fits; *compiled before* is "
        "the same again. "
        f"*Rows/s* are predictions for {plan.speed_rows:,} rows; *of numpy* is that divided by the speed of "
        "the same card "
        "in plain numpy. FasterRisk predicts only 50,000 rows: it makes a column for every threshold.\n\n"
    )
    head = ["method", "install, s", "import, s", "first card ever, s", "compiled before, s", "rows/s", "of numpy"]  # fmt: skip
    text += markdown_table(head, [line(one) for one in good])
    for one in good:
        if "prediction" in one.figures:
            text += (
                f"\n{title_of(one.job.method)} made no predictions: {one.figures['prediction']}\n"
            )
    return Section(
        "(f) Cold start and prediction",
        text + "\n" + reasons(kept),
        losing_of(good),
        standing=standings(good),
    )


def standings(kept: list[Kept]) -> list[Standing]:
    """The first card ever, the first of a process, and the speed of predictions."""
    figures = {one.job.method: one.figures for one in kept if METHODS[one.job.method].has_card}
    found = []
    for key, question, form, is_high_good in (
        ("first", "first card ever", "{:.1f} s", False),
        ("again", "first card of a process, compiled before", "{:.1f} s", False),
        ("rate", "predictions", "{:,.0f} rows/s", True),
    ):
        values = {name: one[key] for name, one in figures.items() if one.get(key)}
        mine = values.pop(LOWEST_LOSS, None)
        if mine is not None and values:
            best = best_of(values, is_high_good)
            verdict = verdict_on(mine, values[best], is_high_good, NOISE)
            theirs = f"{form.format(values[best])} ({title_of(best)})"
            found.append(Standing(question, form.format(mine), theirs, verdict))
    return found


def line(one: Kept) -> list[str]:
    figures = one.figures
    rate, plain = figures.get("rate"), figures.get("numpy_rate")
    return [
        title_of(one.job.method),
        f"{figures['install']:.0f}" if "install" in figures else "-",
        f"{figures['import']:.2f}",
        f"{figures['first']:.2f}",
        f"{figures['again']:.2f}",
        f"{rate:,.0f}" if rate else "-",
        f"{rate / plain:.2f}" if rate and plain else "-",
    ]


def losing_of(kept: list[Kept]) -> list[str]:
    """Cards that are ready sooner or predict faster; floor and ceiling are not cards."""
    figures = {one.job.method: one.figures for one in kept if METHODS[one.job.method].has_card}
    if LOWEST_LOSS not in figures:
        return []
    ours, found = figures[LOWEST_LOSS], []
    words = {
        "import": "import time",
        "first": "first card ever",
        "again": "first card of a process",
    }
    for name, theirs in figures.items():
        for key, word in words.items():
            if name != LOWEST_LOSS and theirs[key] < (1 - NOISE) * ours[key]:
                found.append(f"cold start, {word}: {title_of(name)} {theirs[key]:.2f} s, riskcard {ours[key]:.2f} s")  # fmt: skip
        if name != LOWEST_LOSS and theirs.get("rate", 0) > ours.get("rate", 0):
            found.append(f"predictions: {title_of(name)} makes {theirs['rate']:,.0f} rows/s, riskcard {ours['rate']:,.0f}")  # fmt: skip
    if "numpy_rate" in ours and ours["rate"] < ours["numpy_rate"]:
        found.append(f"predictions: riskcard has {ours['rate'] / ours['numpy_rate']:.2f} of the speed of plain numpy")  # fmt: skip
    return found


#: The environments of the methods that are started from nothing.
NEEDED = ("riskcard", *dict.fromkeys(peer for name in NAMES if (peer := METHODS[name].peer)))
