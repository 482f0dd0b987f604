"""Proof files: their size, what writing them costs, and how long the two checkers take.

    python -m benchmarks.proof_files --data FOLDER                       all CSV files, 3 and 5 terms
    python -m benchmarks.proof_files --data FOLDER --only pima --terms 5 --default

The last column of a file is the target. Every cut is a candidate and nothing is regularised, unless --default is
given. Seconds are processor time, compilation not included; the second checker needs Node.js.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from riskcard import ProofNotes, RiskScoreClassifier, write_proof
from riskcard.errors import RiskcardError
from riskcard.proof_check.check_proof import __file__ as CHECKER
from riskcard.search.warmup import compile_proof


@dataclass(frozen=True, slots=True)
class Measured:
    """One problem: the proof, its file, and the checks."""

    table: str
    terms: int
    status: str
    proof: float
    write: float
    size: int
    closed: int
    python: float
    javascript: float

    def __str__(self) -> str:
        share = self.write / self.proof
        return (
            f"{self.table:<18}{self.terms:>3}  {self.status:<11}{self.proof:>9.2f}{self.write:>9.2f}{share:>8.0%}"
            f"{self.size / 1e6:>9.3f}{self.closed:>9,}{self.python:>9.2f}{self.javascript:>9.2f}"
        )


HEADING = (
    f"{'table':<18}{'k':>3}  {'status':<11}{'proof s':>9}{'write s':>9}{'share':>8}"
    f"{'MB':>9}{'closed':>9}{'Python':>9}{'Node.js':>9}"
)


def measure(path: Path, terms: int, is_default: bool, time_limit: float) -> Measured:
    """Fit, write and check."""
    import pandas as pd

    table = pd.read_csv(path)
    X, y = table.iloc[:, :-1], table.iloc[:, -1]
    regularization = "auto" if is_default else None
    model = RiskScoreClassifier(
        terms, certify=True, time_limit=time_limit, regularization=regularization, identifiers=None
    )
    begin = time.process_time()
    with ProofNotes() as notes:
        model.fit(X, y)
    fitted = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        card, proof = Path(folder) / "card.json", Path(folder) / "card.proof"
        written = write_proof(proof, model.card_, X, y, notes=notes)
        done = time.process_time()
        model.card_.save(card)
        paths = [str(card), str(path), str(proof)]
        python = seconds_of(["python3", CHECKER, *paths])
        node = shutil.which("node")
        javascript = (
            seconds_of([node, CHECKER.replace(".py", ".js"), *paths]) if node else float("nan")
        )
    return Measured(
        path.stem, terms, model.status_, fitted - begin, done - fitted, written.size, written.closed,
        python, javascript,
    )  # fmt: skip


def seconds_of(command: list[str]) -> float:
    """Processor seconds of a checker; it must accept."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not done.stdout.startswith("Accepted"):
        raise RuntimeError(f"{command[0]}: {done.stdout}{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def warm_up() -> None:
    """Compile everything that is timed later."""
    X, y = np.arange(20.0)[:, None], np.arange(20) % 3 == 0
    compile_proof("calibrated")
    with ProofNotes() as notes:
        model = RiskScoreClassifier(2, certify=True, regularization=None).fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        write_proof(Path(folder) / "card.proof", model.card_, X, y, notes=notes)


def main() -> None:
    """Print one line per problem, and the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--terms", nargs="+", type=int, default=[3, 5])
    parser.add_argument("--default", action="store_true")
    parser.add_argument("--time-limit", type=float, default=60.0)
    options = parser.parse_args()
    warm_up()
    print(HEADING)
    found: list[Measured] = []
    for path in sorted(options.data.glob("*.csv"), key=lambda path: path.stat().st_size):
        for terms in options.terms:
            if options.only and path.stem not in options.only:
                continue
            try:
                found.append(measure(path, terms, options.default, options.time_limit))
                print(found[-1], flush=True)
            except (RiskcardError, RuntimeError) as error:
                print(f"{path.stem:<18}{terms:>3}  {error}", flush=True)
    print_medians([one for one in found if one.status == "optimal"])


def print_medians(found: list[Measured]) -> None:
    """The medians of the problems that were proven."""
    if not found:
        return
    names = ("write", "size", "python", "javascript")
    medians = {name: float(np.median([getattr(one, name) for one in found])) for name in names}
    shares = float(np.median([one.write / one.proof for one in found]))
    print(f"medians of {len(found)} proven problems: {medians}, writing {shares:.0%} of the proof")


if __name__ == "__main__":
    main()
