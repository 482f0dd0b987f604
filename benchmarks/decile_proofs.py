"""Proofs with few conditions: every numeric column cut at its deciles, one binary column a cut.

    python -m benchmarks.decile_proofs --data FOLDER                        all CSV files, 3 to 10 terms
    python -m benchmarks.decile_proofs --data FOLDER --terms 5 --only pima  some of them
    python -m benchmarks.decile_proofs --data FOLDER --default 5 8          the regularised default instead
    python -m benchmarks.decile_proofs --data FOLDER --every-cut 3 5 8      every cut, nothing regularised, instead
    python -m benchmarks.decile_proofs --data FOLDER --slots                by the tree over slots, to compare

The scale is fitted and steps are not limited. The last column of a file is the target; missing numbers
count as lower than all others. One thread; the limit and all seconds are processor time. The search for
the card that the proof begins with is not in the seconds of the proof. Compilation is not counted.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer

from benchmarks.tables import load_table
from riskcard import RiskScoreClassifier
from riskcard.data.table import Table
from riskcard.encoding.rank_table import rank_table
from riskcard.problem.problem import Problem, make_problem
from riskcard.search.drivers import solve_plain
from riskcard.search.drivers.solve_plain import find_card
from riskcard.search.options import Options, SearchOptions
from riskcard.search.proof.support_tree import prove_by_supports
from riskcard.search.proof.tree import Proof, Stops, prove
from riskcard.search.solve import solve
from riskcard.status import relative_gap

Prover = Callable[..., Proof]
TERMS = (3, 4, 5, 7, 10)


class _Enough(Exception):
    """The processor time is used up."""


@dataclass(slots=True)
class Clock:
    """Ends a proof after some processor time; keeps what was proven."""

    limit: float
    begin: float = 0.0
    loss: float = 0.0
    bound: float = 0.0
    nodes: int = 0

    def look(self, loss: float, bound: float, nodes: int) -> None:
        self.loss, self.bound, self.nodes = loss, bound, nodes
        if time.process_time() - self.begin > self.limit:
            raise _Enough

    def run(self, prover: Prover, problem: Problem, card: object) -> tuple[str, float]:
        """The status and the seconds of a proof."""
        self.begin = time.process_time()
        try:
            proof = prover(problem, card, Stops(), 1, self.look)
        except _Enough:
            return "open", time.process_time() - self.begin
        self.loss, self.bound, self.nodes = proof.loss, proof.bound, proof.nodes
        return str(proof.status), time.process_time() - self.begin


def columns_of(path: Path) -> tuple[list[list[str]], NDArray[np.int8]]:
    """The cells of every column but the last, and labels of -1 and 1."""
    with path.open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    *columns, target = zip(*rows, strict=True)
    labels = np.where(np.array(target).astype(float) > 0, 1, -1).astype(np.int8)
    return [list(cells) for cells in columns], labels


def cut_at_deciles(columns: list[list[str]]) -> NDArray[np.float64]:
    """A binary column for each decile of each numeric column that divides the rows."""
    found = []
    for cells in columns:
        try:
            values = np.array([float(cell) if cell else -np.inf for cell in cells])
        except ValueError:
            continue
        cuts = np.unique(np.quantile(values, np.arange(1, 10) / 10, method="lower"))
        found += [values <= cut for cut in cuts if not (values <= cut).all()]
    return np.column_stack(found).astype(np.float64)


def decile_problem(path: Path, terms: int) -> Problem:
    """The problem on the deciles of a table."""
    columns, labels = columns_of(path)
    X = cut_at_deciles(columns)
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    data, _ = rank_table(Table(X, names, labels, np.ones(labels.size), (0, 1)))
    return make_problem(data, terms, max_log_odds=None)


def warm_up() -> None:
    """Compile everything on a small problem."""
    rng = np.random.default_rng(0)
    X, labels = rng.integers(0, 2, (60, 6)).astype(float), np.tile([1, -1], 30).astype(np.int8)
    data, _ = rank_table(Table(X, tuple("abcdef"), labels, np.ones(60), (0, 1)))
    problem = make_problem(data, 3, max_log_odds=None)
    card = find_card(problem, SearchOptions())
    for prover in (prove, prove_by_supports):
        prover(problem, card, Stops())


def decile_rows(options: argparse.Namespace) -> None:
    """Print a line for every table and number of terms, and how many were proven."""
    proven: Counter[int] = Counter()
    tried: Counter[int] = Counter()
    for path in sorted(options.data.glob("*.csv")):
        for terms in options.terms:
            if options.only not in path.stem:
                continue
            problem = decile_problem(path, terms)
            begin = time.process_time()
            card = find_card(problem, SearchOptions())
            searched = time.process_time() - begin
            clock = Clock(options.limit)
            status, seconds = clock.run(
                prove if options.slots else prove_by_supports, problem, card
            )
            gap = relative_gap(clock.loss, clock.bound)
            tried[terms] += 1
            proven[terms] += status == "optimal"
            print(
                f"| {path.stem} | {problem.data.n_rows} | {problem.data.n_columns} | {terms} | {searched:.2f} "
                f"| {clock.loss:.4f} | {clock.nodes:,} | {seconds:.2f} | {status} | {gap:.2%} |",
                flush=True,
            )
    print()
    for terms in sorted(tried):
        print(f"{terms} terms: {proven[terms]} of {tried[terms]} in {options.limit:g} s")


def every_cut_rows(options: argparse.Namespace) -> None:
    """The same for every cut of every column, the default limit on steps, and nothing regularised.

    The tables are those of question (c) of the benchmark, in numbers only. Search and proof run as
    in a fit with a time limit: a proof that will not end in it turns to the nodes with the lowest
    bounds, without which the gap that is left means little.
    """
    from benchmarks.known_optima import posed_problem

    # the limit, and the share of it after which the proof turns, in seconds of the processor
    time.perf_counter = time.process_time
    for terms in options.every_cut:
        gaps = []
        for name in [path.stem for path in sorted(options.data.glob("*.csv"))] + ["breast_cancer"]:
            if options.only not in name:
                continue
            table = load_table(name, options.data).plain()
            model = RiskScoreClassifier(terms, regularization=None)
            problem = posed_problem(model, table.values, table.y)
            begin = time.process_time()
            found = solve(problem, Options(certify=True, time_limit=options.limit, n_jobs=1))
            gaps.append(0.0 if found.status == "optimal" else relative_gap(found.loss, found.bound))
            print(
                f"| {name} | {terms} | {found.loss:.4f} | {found.nodes:,} "
                f"| {time.process_time() - begin:.2f} | {found.status} | {gaps[-1]:.2%} |",
                flush=True,
            )
        still_open = [gap for gap in gaps if gap > 0]
        print(
            f"\n{terms} terms: {len(gaps) - len(still_open)} of {len(gaps)} in {options.limit:g} s",
            end="",
        )
        print(f"; mean gap of the others {np.mean(still_open):.2%}\n" if still_open else "\n")


def default_rows(options: argparse.Namespace) -> None:
    """The same for the regularised default, with all that belongs to a fit."""
    for terms in options.default:
        proven = tried = 0
        for name, X, y in tables_of(options):
            model = RiskScoreClassifier(terms, certify=True, time_limit=options.limit, n_jobs=1)
            begin = time.process_time()
            model.fit(X, y)
            seconds = time.process_time() - begin
            proven, tried = proven + (model.status_ == "optimal"), tried + 1
            print(
                f"| {name} | {terms} | {model.loss_:.4f} | {model.result_.nodes:,} | {seconds:.2f} "
                f"| {model.status_} | {model.gap_:.2%} |",
                flush=True,
            )
        print(f"\n{terms} terms: {proven} of {tried} in {options.limit:g} s of the clock\n")


def tables_of(options: argparse.Namespace) -> Iterator[tuple[str, Any, Any]]:
    """Name, columns and target of every table that is asked for, scikit-learn's breast cancer last."""
    import pandas as pd

    for path in sorted(options.data.glob("*.csv")):
        if options.only in path.stem:
            X = pd.read_csv(path)
            y = X.pop("target")
            yield path.stem, X, y
    if options.only in "breast cancer":
        yield "breast cancer", *load_breast_cancer(return_X_y=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with CSV files")
    parser.add_argument("--limit", type=float, default=60.0, help="processor seconds of a proof")
    parser.add_argument("--terms", type=int, nargs="+", default=TERMS)
    parser.add_argument("--only", default="", help="tables whose name contains this")
    parser.add_argument("--slots", action="store_true", help="prove by the tree over slots")
    parser.add_argument("--default", type=int, nargs="+", help="terms of the regularised default")
    parser.add_argument("--every-cut", type=int, nargs="+", help="terms of problems with every cut")
    options = parser.parse_args()
    warm_up()
    if options.default:
        if options.slots:
            solve_plain.suits_supports = lambda problem: False  # type: ignore[assignment]
        print("| table | terms | loss | nodes | s | status | gap |\n|---|---|---|---|---|---|---|")
        default_rows(options)
        return
    if options.every_cut:
        print("| table | terms | loss | nodes | s | status | gap |\n|---|---|---|---|---|---|---|")
        every_cut_rows(options)
        return
    print("| table | rows | columns | terms | search s | loss | nodes | proof s | status | gap |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    decile_rows(options)


if __name__ == "__main__":
    main()
