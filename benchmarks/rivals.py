"""Side by side with imodels' FastRiskScoreClassifier: loss and time on every table of a folder.

Both fit the same rows (numeric columns, missing values as -1) with the same number of terms and of
points, one thread each, warmed up and in turn. imodels chooses among 99 thresholds a column,
riskcard among all. One evaluator computes every loss from the points and cuts that come back.

    python -m benchmarks.rivals --data FOLDER --imodels-python /path/to/python
"""

from __future__ import annotations

import argparse
import csv
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer

from benchmarks.imodels_process import ImodelsProcess
from riskcard import RiskCard, RiskScoreClassifier

#: A loss counts as higher when it is higher by this part of itself.
ROUNDING = 1e-9
#: Below this many seconds a difference in time does not matter.
FREE_SECONDS = 0.1


@dataclass(frozen=True)
class Line:
    """One comparison: losses and best times."""

    table: str
    shape: tuple[int, int]
    terms: int
    our_loss: float
    their_loss: float
    our_seconds: float
    their_seconds: float

    @property
    def loss_ratio(self) -> float:
        return self.our_loss / self.their_loss

    @property
    def time_ratio(self) -> float:
        """Our time as a part of what is allowed: theirs, or the free seconds."""
        return self.our_seconds / max(self.their_seconds, FREE_SECONDS)


class Rival:
    """The imodels classifier on arrays."""

    def __init__(self, python: str, folder: Path) -> None:
        self._path = folder / "request.npz"
        self._process = ImodelsProcess(python)

    def fit(self, X: NDArray, y: NDArray, terms: int) -> tuple[float, NDArray]:
        """Seconds, and the score of every row."""
        np.savez(self._path, X=X, y=y, terms=terms)
        answer = self._process.answer(self._path)
        score = np.zeros(len(y))
        for column, kind, value, points in answer["rules"]:
            holds = X[:, column] == value if kind == "eq" else X[:, column] <= value
            score += points * holds
        return answer["seconds"], score

    def close(self) -> None:
        self._process.close()


def fit_ours(X: NDArray, y: NDArray, terms: int) -> tuple[float, NDArray]:
    """Seconds of one fit of ours, and the score of every row."""
    begin = time.perf_counter()
    model = RiskScoreClassifier(terms, max_points=5, regularization=None).fit(X, y)
    seconds = time.perf_counter() - begin
    return seconds, score_by_hand(model.card_, X)


def score_by_hand(card: RiskCard, X: NDArray) -> NDArray:
    """Points of the printed bins, added up; columns of an array are called x0, x1, ..."""
    score = np.zeros(len(X))
    for feature in card.features:
        column = X[:, int(feature.name.lstrip("x"))]
        score += np.array(feature.points)[np.searchsorted(feature.cuts, column, side="left")]
    return score


def calibrated_loss(score: NDArray, y: NDArray) -> float:
    """Least sum of log-losses of ``sigmoid(a * score + b)`` over real a and b."""
    sign = np.where(y == y.max(), 1.0, -1.0)
    columns = np.column_stack([score, np.ones(len(y))])
    values = np.zeros(2)
    loss = np.logaddexp(0, -sign * (columns @ values)).sum()
    for _ in range(100):
        risk = 1 / (1 + np.exp(-columns @ values))
        gradient = columns.T @ (risk - (sign > 0))
        hessian = (columns * (risk * (1 - risk))[:, None]).T @ columns
        step = np.linalg.lstsq(hessian, gradient, rcond=None)[0]
        size = 1.0
        while size > 1e-9:
            reached = np.logaddexp(0, -sign * (columns @ (values - size * step))).sum()
            if reached <= loss:
                break
            size /= 2
        if size <= 1e-9 or loss - reached < 1e-13 * loss:
            return float(min(loss, reached))
        values, loss = values - size * step, reached
    return float(loss)


def read_table(path: Path) -> tuple[NDArray, NDArray]:
    """Numeric columns of a CSV file with missing values as -1, and its last column, the target."""
    with path.open(newline="") as file:
        header, *lines = csv.reader(file)
    columns = []
    for position in range(len(header) - 1):
        try:
            columns.append([float(line[position]) if line[position] else -1.0 for line in lines])
        except ValueError:
            continue
    return np.array(columns).T.copy(), np.array([int(line[-1]) for line in lines])


def tables(folder: Path) -> dict[str, tuple[NDArray, NDArray]]:
    """Every table of the folder, and scikit-learn's breast cancer, the smallest first."""
    found = {path.stem: read_table(path) for path in sorted(folder.glob("*.csv"))}
    found["breast cancer"] = load_breast_cancer(return_X_y=True)
    return dict(sorted(found.items(), key=lambda item: item[1][0].size))


def compare(rival: Rival, name: str, X: NDArray, y: NDArray, terms: int, repeats: int) -> Line:
    """Fit in turn, keep the best time of each."""
    ours, theirs = [], []
    for _ in range(repeats):
        ours.append(fit_ours(X, y, terms))
        theirs.append(rival.fit(X, y, terms))
    return Line(
        table=name,
        shape=X.shape,
        terms=terms,
        our_loss=calibrated_loss(ours[0][1], y),
        their_loss=calibrated_loss(theirs[0][1], y),
        our_seconds=min(seconds for seconds, _ in ours),
        their_seconds=min(seconds for seconds, _ in theirs),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of CSV files")
    parser.add_argument("--imodels-python", required=True, help="interpreter that has imodels")
    parser.add_argument("--terms", type=int, nargs="+", default=[3, 5, 8])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tables", nargs="+", help="only these")
    arguments = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        rival = Rival(arguments.imodels_python, Path(folder))
        warm = load_breast_cancer(return_X_y=True)
        for terms in arguments.terms:
            fit_ours(*warm, terms)
            rival.fit(*warm, terms)
        print(
            f"{'table':18} {'rows':>6} {'cols':>4} {'terms':>5} {'ours':>12} {'imodels':>12}",
            end="",
        )
        print(f" {'ratio':>8} {'ours s':>8} {'imodels s':>9} {'time':>6}")
        for name, (X, y) in tables(arguments.data).items():
            if arguments.tables and name not in arguments.tables:
                continue
            for terms in arguments.terms:
                line = compare(rival, name, X, y, terms, arguments.repeats)
                lines.append(line)
                print(f"{name:18} {X.shape[0]:6} {X.shape[1]:4} {terms:5}", end="")
                print(
                    f" {line.our_loss:12.5f} {line.their_loss:12.5f} {line.loss_ratio:8.5f}", end=""
                )
                print(f" {line.our_seconds:8.3f} {line.their_seconds:9.3f} {line.time_ratio:6.2f}")
        rival.close()
    worst_loss = max(lines, key=lambda line: line.loss_ratio)
    worst_time = max(lines, key=lambda line: line.time_ratio)
    higher = sum(line.loss_ratio > 1 + ROUNDING for line in lines)
    slower = sum(line.time_ratio > 1 for line in lines)
    print(
        f"worst loss ratio {worst_loss.loss_ratio:.6f} ({worst_loss.table}, {worst_loss.terms} terms);"
    )
    print(
        f"worst time ratio {worst_time.time_ratio:.2f} ({worst_time.table}, {worst_time.terms} terms),"
    )
    print(f"against the longer of imodels' time and {FREE_SECONDS} s;")
    print(f"{higher} of {len(lines)} with a higher loss, {slower} with a longer time")


if __name__ == "__main__":
    main()
