"""Held-out AUC and log-loss beside imodels' FastRiskScoreClassifier, on every table of a folder.

Each CSV file of the folder (its last column is ``target``, 0 or 1) goes through cross-validation as
it comes: texts are categories, empty cells are missing. Ours is a ``RiskScoreClassifier`` in a
scikit-learn pipeline, with its default settings (regularised, for new rows) and with
``regularization=None`` (the lowest loss on the rows fitted). imodels gets the same frame and the same folds,
and its own handling of both: an indicator for every level with at least 1 % of the rows (20 at
most), one for "missing" in every feature that has holes. It runs twice, with its default of 9
thresholds per feature and with 99. One thread each.

    python -m benchmarks.held_out --data FOLDER --imodels-python /path/to/python

With ``--keep FILE`` the results are kept, and a run that was interrupted goes on where it stopped.
A file belongs to one state of the code: begin a new one after a change.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline

from benchmarks.imodels_process import ImodelsProcess
from riskcard import RiskScoreClassifier
from riskcard.errors import RiskcardWarning

DEFAULT, LOWEST_LOSS = "riskcard", "riskcard lowest loss"
MAKERS = {
    DEFAULT: RiskScoreClassifier,
    LOWEST_LOSS: partial(RiskScoreClassifier, regularization=None),
}
#: Thresholds per feature of the two imodels runs.
RIVALS = {"imodels 9": 9, "imodels 99": 99}
METHODS = (*MAKERS, *RIVALS)
#: A loss counts as higher when it is higher by this part of itself.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Task:
    """One fit: what is fitted on which rows."""

    table: str
    terms: int
    fold: int
    folds: int
    method: str


@dataclass(frozen=True)
class Outcome:
    """What one fit reached; losses are means over rows."""

    auc: float
    loss: float
    fit_loss: float
    seconds: float


class Results:
    """The outcome of every task so far, written to a file after each of them."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._outcomes: dict[Task, Outcome] = {}
        if path is not None and path.exists():
            for line in path.read_text().splitlines():
                task, outcome = json.loads(line)
                self._outcomes[Task(**task)] = Outcome(**outcome)

    def __contains__(self, task: Task) -> bool:
        return task in self._outcomes

    def add(self, task: Task, outcome: Outcome) -> None:
        self._outcomes[task] = outcome
        if self._path is None:
            return
        lines = [json.dumps([asdict(a), asdict(b)]) for a, b in self._outcomes.items()]
        beside = self._path.with_name(self._path.name + ".part")
        beside.write_text("\n".join(lines) + "\n")
        beside.replace(self._path)

    def one(self, task: Task) -> Outcome:
        return self._outcomes[task]


@dataclass(frozen=True)
class Means:
    """Means of the results over folds and tables."""

    results: Results
    tables: tuple[str, ...]
    folds: int

    def of_table(self, table: str, terms: int, method: str, quantity: str) -> float:
        """Mean over the folds of one table."""
        tasks = (Task(table, terms, fold, self.folds, method) for fold in range(self.folds))
        return float(np.mean([getattr(self.results.one(task), quantity) for task in tasks]))

    def of_all(self, terms: int, method: str, quantity: str) -> float:
        """Mean over the tables, each of which counts alike."""
        values = [self.of_table(table, terms, method, quantity) for table in self.tables]
        return float(np.mean(values))

    def wins(self, terms: int, method: str, quantity: str, sign: int) -> int:
        """Tables on which our card of the default is at least as good; sign 1 if more is better, -1 if less is."""
        return sum(
            sign * self.of_table(table, terms, DEFAULT, quantity)
            >= sign * self.of_table(table, terms, method, quantity)
            for table in self.tables
        )

    def higher_fits(self, all_terms: list[int]) -> int:
        """Fits of ours for the lowest loss with a higher one on the rows fitted than one of imodels'."""
        count = 0
        for table, terms, fold in product(self.tables, all_terms, range(self.folds)):
            ours, *theirs = (
                self.results.one(Task(table, terms, fold, self.folds, method)).fit_loss
                for method in (LOWEST_LOSS, *RIVALS)
            )
            count += ours > min(theirs) * (1 + ROUNDING)
        return count


@dataclass(frozen=True)
class Bench:
    """Everything that is the same for all fits."""

    process: ImodelsProcess
    folder: Path
    data: Path
    time_limit: float

    def run(self, task: Task, fitted: NDArray, asked: NDArray) -> Outcome:
        """Fit one method on some rows of the table and look at the others."""
        path = self.data / f"{task.table}.csv"
        fit = self._fit_ours if task.method in MAKERS else self._fit_theirs
        seconds, fit_loss, risks = fit(path, task, fitted, asked)
        labels = read_frame(path)["target"].to_numpy()[asked]
        auc, loss = roc_auc_score(labels, risks), log_loss(labels, risks, labels=[0, 1])
        return Outcome(float(auc), float(loss), fit_loss, seconds)

    def _fit_ours(
        self, path: Path, task: Task, fitted: NDArray, asked: NDArray
    ) -> tuple[float, float, NDArray]:
        frame = read_frame(path)
        X, y = frame.drop(columns="target"), frame["target"]
        card = MAKERS[task.method](max_terms=task.terms, time_limit=self.time_limit)
        begin = time.perf_counter()
        model = make_pipeline("passthrough", card).fit(X.iloc[fitted], y.iloc[fitted])
        seconds = time.perf_counter() - begin
        with warnings.catch_warnings():
            # a level or a hole that the fitted rows did not have
            warnings.simplefilter("ignore", RiskcardWarning)
            risks = model.predict_proba(X.iloc[asked])[:, 1]
            own = model.predict_proba(X.iloc[fitted])[:, 1]
        # not loss_, which counts prior rows
        return seconds, float(log_loss(y.iloc[fitted], own)), risks

    def _fit_theirs(
        self, path: Path, task: Task, fitted: NDArray, asked: NDArray
    ) -> tuple[float, float, NDArray]:
        settings = {
            "k": task.terms,
            "n_thresholds": RIVALS[task.method],
            "time_limit": self.time_limit,
        }
        request = self.folder / "held_out.json"
        request.write_text(
            json.dumps(
                {
                    "table": str(path.resolve()),
                    "fitted": fitted.tolist(),
                    "asked": asked.tolist(),
                    "settings": settings,
                }
            )
        )
        answer = self.process.answer(request)
        return answer["seconds"], answer["fit_loss"], np.array(answer["risks"])


@functools.lru_cache(maxsize=1)
def read_frame(path: Path) -> pd.DataFrame:
    """The table as it comes; only empty cells are missing."""
    return pd.read_csv(path, keep_default_na=False, na_values=[""])


def tasks(path: Path, all_terms: list[int], folds: int) -> Iterator[tuple[Task, NDArray, NDArray]]:
    """All fits of one table: the same folds for every size and every method."""
    labels = read_frame(path)["target"]
    splitter = StratifiedKFold(n_splits=folds, shuffle=True, random_state=0)
    splits = list(splitter.split(np.zeros(len(labels)), labels))
    for terms in all_terms:
        for fold, (fitted, asked) in enumerate(splits):
            for method in METHODS:
                yield Task(path.stem, terms, fold, folds, method), fitted, asked


def print_table(means: Means, terms: int) -> None:
    """One line for each table, and their means."""
    quantities = {"AUC": "auc", "log-loss": "loss", "seconds": "seconds"}
    columns = list(product(quantities, METHODS))
    heads = " | ".join(f"{name} {method}" for name, method in columns)
    print(f"\n## {terms} terms\n\n| table | {heads} |")
    print("|---|" + "---:|" * len(columns))
    for table in means.tables:
        cells = [means.of_table(table, terms, way, quantities[name]) for name, way in columns]
        print(f"| {table} | " + " | ".join(f"{cell:.4f}" for cell in cells) + " |")
    cells = [means.of_all(terms, way, quantities[name]) for name, way in columns]
    print("| mean | " + " | ".join(f"{cell:.4f}" for cell in cells) + " |")


def print_summary(means: Means, all_terms: list[int]) -> None:
    """Means over the tables, and on how many tables ours is at least as good."""
    tables = len(means.tables)
    print(f"\n## Means over {tables} tables\n")
    print("| terms | method | AUC | log-loss | log-loss of the rows fitted | seconds |", end="")
    print(" tables with AUC of riskcard as high | with its log-loss as low |")
    print("|---:|---|" + "---:|" * 6)
    for terms, method in product(all_terms, METHODS):
        cells = [
            f"{means.of_all(terms, method, quantity):.4f}"
            for quantity in ("auc", "loss", "fit_loss", "seconds")
        ]
        if method in MAKERS:
            counts = ["", ""]
        else:
            high, low = means.wins(terms, method, "auc", 1), means.wins(terms, method, "loss", -1)
            counts = [f"{high} of {tables}", f"{low} of {tables}"]
        print("| " + " | ".join([str(terms), method, *cells, *counts]) + " |")
    fits = tables * len(all_terms) * means.folds
    print("\nFits of riskcard with a higher loss on the rows fitted than imodels: ", end="")
    print(f"{means.higher_fits(all_terms)} of {fits}")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of CSV files")
    parser.add_argument("--imodels-python", required=True, help="interpreter that has imodels")
    parser.add_argument("--terms", default="3,5,8", help="sizes of the cards")
    parser.add_argument("--tables", help="only these, such as pima,german")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for one fit")
    parser.add_argument("--keep", type=Path, help="file that keeps the results")
    return parser.parse_args()


def main() -> None:
    arguments = parse()
    paths = sorted(arguments.data.glob("*.csv"), key=lambda path: path.stat().st_size)
    if not paths:
        raise SystemExit(f"No CSV file in {arguments.data}.")
    if arguments.tables:
        chosen = arguments.tables.split(",")
        unknown = set(chosen) - {path.stem for path in paths}
        if unknown:
            raise SystemExit(f"No table {', '.join(sorted(unknown))} in {arguments.data}.")
        paths = [path for path in paths if path.stem in chosen]
    all_terms = [int(terms) for terms in arguments.terms.split(",")]
    results = Results(arguments.keep)
    with tempfile.TemporaryDirectory() as folder:
        process = ImodelsProcess(arguments.imodels_python)
        bench = Bench(process, Path(folder), arguments.data, arguments.time_limit)
        for task, fitted, asked in tasks(paths[0], all_terms, arguments.folds):
            if task.fold == 0:
                bench.run(task, fitted, asked)  # load what is compiled, outside of the times
        for path in paths:
            for task, fitted, asked in tasks(path, all_terms, arguments.folds):
                if task not in results:
                    results.add(task, bench.run(task, fitted, asked))
            print(f"{path.stem} done", file=sys.stderr, flush=True)
        process.close()
    means = Means(results, tuple(path.stem for path in paths), arguments.folds)
    print(f"{arguments.folds}-fold cross-validation; means over the folds, log-loss a row")
    for terms in all_terms:
        print_table(means, terms)
    print_summary(means, all_terms)


if __name__ == "__main__":
    main()
