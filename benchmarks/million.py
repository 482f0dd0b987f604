"""One million rows: the whole fit against scikit-learn's HistGradientBoostingClassifier.

Normal columns, 5 terms, calibrated, every cut a candidate. Each fit runs in a process of its own,
so that its peak memory can be read; the times are those of the fits alone.

    python -m benchmarks.million [--rows 1000000] [--columns 20] [--jobs 2]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np
from numpy.typing import NDArray


def make_rows(n_rows: int, n_columns: int) -> tuple[NDArray, NDArray]:
    """Normal columns and labels that depend on steps in five of them, with noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, n_columns))
    cuts, jumps = (0.3, -0.5, 0.0, 1.0, -1.2), (1.0, -1.5, 2.0, 0.7, -1.0)
    log_odds = sum(
        jump * (X[:, f] <= cut) for f, (cut, jump) in enumerate(zip(cuts, jumps, strict=True))
    )
    return X, (rng.random(n_rows) < 1 / (1 + np.exp(-log_odds + 0.5))).astype(int)


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def run(who: str, n_rows: int, n_columns: int, jobs: int) -> None:
    """Fit once, after a small fit that compiles or loads what is needed; print the figures."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    from riskcard import RiskScoreClassifier

    X, y = make_rows(n_rows, n_columns)
    ours = RiskScoreClassifier(max_terms=5, regularization=None, n_jobs=jobs)
    model = ours if who == "riskcard" else HistGradientBoostingClassifier()
    model.fit(X[:30_000], y[:30_000])
    before = peak_bytes()
    begin = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - begin
    risk = np.clip(model.predict_proba(X)[:, 1], 1e-12, 1 - 1e-12)
    loss = -float(np.sum(np.log(np.where(y == 1, risk, 1 - risk))))
    facts = {"seconds": seconds, "extra": peak_bytes() - before, "loss": loss, "input": X.nbytes}
    print(json.dumps(facts))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--only", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        run(arguments.only, arguments.rows, arguments.columns, arguments.jobs[0])
        return
    for who, jobs in [("boosting", 1), *(("riskcard", jobs) for jobs in arguments.jobs)]:
        command = [sys.executable, "-m", "benchmarks.million", "--only", who, "--jobs", str(jobs)]
        command += ["--rows", str(arguments.rows), "--columns", str(arguments.columns)]
        facts = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        name = f"riskcard, {jobs} jobs" if who == "riskcard" else "HistGradientBoosting"
        times = facts["extra"] / facts["input"]
        print(f"{name:22} {facts['seconds']:7.2f} s   loss {facts['loss']:12.2f}", end="")
        print(f"   extra memory {facts['extra'] / 1e6:7.0f} MB, {times:.2f} times the input")


if __name__ == "__main__":
    main()
