"""Proofs: how long riskcard takes to prove the optimal card, and whether it is the known one.

    python -m benchmarks.proofs                       the paper's tables and scikit-learn's data
    python -m benchmarks.proofs --data FOLDER         also pima (FOLDER/pima.csv, missing as -1)
    python -m benchmarks.proofs --data FOLDER --long  also the cases that take minutes

The figures to reach are the proven optima listed in this file. Times include the search and the
proof, not the compilation: each kind of problem is solved once, small, before the clock starts.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer

from riskcard import RiskScoreClassifier, audit_card
from riskcard.paper import synthetic_data

Data = tuple[NDArray[np.float64], NDArray[np.int64]]

#: Proven optima of the paper's data sets: (rows, features, terms) -> loss.
PAPER_OPTIMA = {
    (200, 1, 1): 1.34307,
    (200, 2, 2): 0.47445,
    (200, 3, 3): 3.44695,
    (200, 4, 4): 3.14814,
    (200, 5, 5): 5.01541,
    (200, 5, 1): 58.80391,
    (200, 5, 2): 40.07633,
    (200, 5, 3): 13.29627,
    (200, 5, 4): 8.56043,
    (1000, 1, 1): 6.71535,
    (5000, 1, 1): 33.57674,
    (10000, 1, 1): 67.15348,
    (15000, 1, 1): 100.73023,
    (20000, 1, 1): 134.30697,
    (1000, 2, 2): 2.66758,
    (5000, 2, 2): 13.29580,
    (10000, 2, 2): 26.01165,
    (15000, 2, 2): 39.03684,
    (20000, 2, 2): 51.59261,
}


@dataclass(frozen=True, slots=True)
class Case:
    """A problem, its known optimum, and the seconds that it may take."""

    name: str
    data: Data
    model: RiskScoreClassifier
    optimum: float | None
    seconds: float | None = None
    is_long: bool = field(default=False)


def paper_data(n_rows: int, n_features: int) -> Data:
    """The paper's synthetic rows and their labels."""
    made = synthetic_data.paper_data(n_rows, n_features)
    return made.X, made.y


def read_table(path: Path) -> Data:
    """The numeric columns of a CSV file whose last column is the target; missing cells are -1."""
    with path.open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    columns = []
    for cells in list(zip(*rows, strict=True))[:-1]:
        try:
            columns.append([float(cell) if cell else -1.0 for cell in cells])
        except ValueError:
            continue
    return np.array(columns).T, np.array([int(row[-1]) for row in rows])


def paper_cases() -> Iterator[Case]:
    for (n_rows, n_features, k), optimum in PAPER_OPTIMA.items():
        name = f"paper N={n_rows} p={n_features} k={k}"
        yield Case(name, paper_data(n_rows, n_features), RiskScoreClassifier.paper(k), optimum)


def real_cases(folder: Path | None, jobs: int, limit: float) -> Iterator[Case]:
    cancer = load_breast_cancer(return_X_y=True)
    common = {"regularization": None, "certify": True, "n_jobs": jobs, "time_limit": limit}

    def paper(k: int) -> RiskScoreClassifier:
        return RiskScoreClassifier.paper(k, n_jobs=jobs, time_limit=limit)

    def several(k: int) -> RiskScoreClassifier:
        return RiskScoreClassifier(k, max_points=10, scale=1, **common)

    def lowest(k: int) -> RiskScoreClassifier:
        return RiskScoreClassifier(k, **common)

    yield Case("breast cancer, paper k=3", cancer, paper(3), 61.40871, 5)
    yield Case("breast cancer, paper k=4", cancer, paper(4), 48.57338, 120, True)
    yield Case("breast cancer, lowest loss, 3 terms", cancer, lowest(3), 61.17590, 5)
    if folder is not None:
        pima = read_table(folder / "pima.csv")
        yield Case("pima, paper k=3", pima, paper(3), 381.02623)
        yield Case("pima, paper k=4", pima, paper(4), 371.05163)
        yield Case("pima, scale 1, several cuts, 3 terms", pima, several(3), 379.12132)
        yield Case("pima, scale 1, several cuts, 4 terms", pima, several(4), 358.68784, 60)
        yield Case("pima, lowest loss, 3 terms", pima, lowest(3), 374.50746, 5)
        yield Case("pima, lowest loss, 4 terms", pima, lowest(4), 356.63448, 60)
        yield Case("pima, scale 1, several cuts, 5 terms", pima, several(5), 352.11682, 600, True)
        yield Case("pima, lowest loss, 5 terms", pima, lowest(5), None, None, True)
    yield Case("breast cancer, lowest loss, 4 terms", cancer, lowest(4), None, None, True)
    yield Case("breast cancer, lowest loss, 5 terms", cancer, lowest(5), None, None, True)
    yield Case("breast cancer, lowest loss, 5 terms", cancer, lowest(5), None, None, True)


def run(case: Case) -> tuple[str, float, bool]:
    """A line of the table, the seconds taken, and whether all went as it should."""
    X, y = case.data
    begin = time.perf_counter()
    model = case.model.fit(X, y)
    seconds = time.perf_counter() - begin
    is_good = audit_card(model, X, y).passed
    if case.optimum is not None:
        is_good &= (
            model.status_ == "optimal"
            and abs(model.loss_ - case.optimum) < 1e-5 + 1e-8 * case.optimum
        )
    if case.seconds is not None:
        is_good &= seconds <= case.seconds
    asked = "" if case.seconds is None else f"{case.seconds:g}"
    known = "" if case.optimum is None else f"{case.optimum:.5f}"
    line = (
        f"| {case.name} | {known} | {model.loss_:.5f} | {model.lower_bound_:.5f} | {model.gap_:.2%} "
        f"| {model.status_} | {model.result_.nodes:,} | {asked} | {seconds:.2f} "
        f"| {'yes' if is_good else 'NO'} |"
    )
    return line, seconds, is_good


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder with pima.csv")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--long", action="store_true", help="also what takes minutes")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--time-limit", type=float, default=600.0)
    options = parser.parse_args()
    # large enough that every kernel of the proof is used
    X, y = load_breast_cancer(return_X_y=True)
    for scale in (1, "calibrated"):
        RiskScoreClassifier(2, scale=scale, regularization=None, certify=True).fit(X, y)
    print(
        "| problem | known optimum | loss | bound | gap | status | nodes | asked s | s | as it should |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    total, wrong = 0.0, 0
    for case in paper_cases():
        if options.only in case.name:
            line, seconds, is_good = run(case)
            total += seconds
            wrong += not is_good
            print(line, flush=True)
    if total:
        print(f"\nThe paper's tables together: {total:.2f} s (asked: 10 s)\n", flush=True)
    for case in real_cases(options.data, options.jobs, options.time_limit):
        if options.only in case.name and (options.long or not case.is_long):
            line, _, is_good = run(case)
            wrong += not is_good
            print(line, flush=True)
    print(f"\n{wrong} not as they should be")


if __name__ == "__main__":
    main()
