"""The first minute: import, help, first fit with compilation, first fit from the cache, warm fit.

    python -m benchmarks.first_minute

Every figure is taken in processes of its own, with an empty cache of compiled code to begin with.
The table is 1,000 x 10 normal columns, the parameters are the defaults, with and without a proof.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

FIT = """
import sys, time
begin = time.perf_counter()
import numpy as np
from riskcard import RiskScoreClassifier
rng = np.random.default_rng(0)
X = rng.standard_normal((1000, 10))
y = rng.random(1000) < 1 / (1 + np.exp(-X[:, 0] - (X[:, 1] > 0.5)))
imported = time.perf_counter() - begin
options = {"certify": True, "max_terms": 2} if sys.argv[1] == "proof" else {}
times = [imported]
for _ in range(4):
    begin = time.perf_counter()
    RiskScoreClassifier(**options).fit(X, y)
    times.append(time.perf_counter() - begin)
print(times[0], times[1], min(times[2:]))
"""


def seconds_of(command: list[str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def fit_times(kind: str, cache: str) -> list[float]:
    """Seconds to import, for the first fit, and for the best of three further fits."""
    environment = os.environ | {"NUMBA_CACHE_DIR": cache}
    answer = subprocess.run(
        [sys.executable, "-c", FIT, kind],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    )
    return [float(value) for value in answer.stdout.split()]


def main() -> None:
    print("| what | seconds | asked |")
    print("|---|---|---|")
    nothing = min(seconds_of([sys.executable, "-c", "pass"]) for _ in range(5))
    imported = min(seconds_of([sys.executable, "-c", "import riskcard"]) for _ in range(5))
    helped = min(
        seconds_of([sys.executable, "-m", "riskcard.cli.main", "--help"]) for _ in range(5)
    )
    print(f"| import riskcard | {imported - nothing:.3f} | 0.3 |")
    print(f"| riskcard --help, the whole process | {helped:.3f} | 0.3 |")
    for kind, limit in (("search", "15"), ("proof", "")):
        with tempfile.TemporaryDirectory() as cache:
            first = fit_times(kind, cache)
            again = fit_times(kind, cache)
        print(
            f"| {kind}: first fit ever, compilation included | {first[0] + first[1]:.2f} | {limit} |"
        )
        print(f"| {kind}: first fit of a process, compiled before | {again[1]:.3f} | |")
        print(f"| {kind}: warm fit of 1,000 x 10 | {again[2]:.3f} | {'0.1' if limit else ''} |")


if __name__ == "__main__":
    main()
