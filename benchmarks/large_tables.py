"""Tables larger than memory: fits on Parquet files, each in a process of its own.

Ten columns of normal numbers, whose labels depend on steps in five of them, in pieces of 2.5 million rows. Prints
seconds of the clock and of the processor, the peak of memory, and what each pass over the rows took; next to
them scikit-learn's HistGradientBoostingClassifier on the same rows in memory, up to a number of rows.

    python -m benchmarks.large_tables --rows 1e7 1e8 [--terms 5] [--folder FOLDER] [--in-memory 1e7]
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

#: Rows of a file.
PIECE = 2_500_000
N_COLUMNS = 10


def write_rows(folder: Path, n_rows: int) -> int:
    """Write the files; the number of bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    cuts, jumps = (0.3, -0.5, 0.0, 1.0, -1.2), (1.0, -1.5, 2.0, 0.7, -1.0)
    for place, start in enumerate(range(0, n_rows, PIECE)):
        rng = np.random.default_rng([0, place])
        X = rng.standard_normal((min(PIECE, n_rows - start), N_COLUMNS))
        steps = zip(cuts, jumps, strict=True)
        log_odds = sum(jump * (X[:, f] <= cut) for f, (cut, jump) in enumerate(steps))
        is_event = rng.random(len(X)) < 1 / (1 + np.exp(0.5 - log_odds))
        columns = {f"x{f}": X[:, f] for f in range(N_COLUMNS)}
        table = pa.table({**columns, "y": is_event.astype(np.int8)})
        pq.write_table(table, folder / f"{place:04}.parquet", compression="zstd")
    return sum(path.stat().st_size for path in folder.iterdir())


def run(who: str, folder: str, terms: int) -> None:
    """Fit once and print the figures; passes are shown on the standard error stream."""
    begin, work = time.perf_counter(), time.process_time()
    if who == "riskcard":
        import riskcard

        source = riskcard.open_source(folder, target="y")
        model = riskcard.RiskScoreClassifier(terms, verbose=True).fit(source)
        facts = {"loss": model.loss_, "terms": len(model.card_.terms)}
    else:
        import pyarrow.parquet as pq
        from sklearn.ensemble import HistGradientBoostingClassifier

        frame = pq.read_table(folder).to_pandas()
        HistGradientBoostingClassifier().fit(frame.drop(columns="y"), frame["y"])
        facts = {}
    facts["seconds"] = time.perf_counter() - begin
    facts["processor"] = time.process_time() - work
    facts["peak_gb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    print(json.dumps(facts))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, nargs="+", default=[1e7])
    parser.add_argument("--terms", type=int, default=5)
    parser.add_argument("--folder", help="where the files are written and removed")
    parser.add_argument("--in-memory", type=float, default=1e7, help="most rows for scikit-learn")
    parser.add_argument("--run", nargs=2, metavar=("WHO", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run(*options.run, options.terms)
        return
    print("rows          GB  method                    s   processor s   peak GB")
    for n_rows in map(int, options.rows):
        folder = Path(tempfile.mkdtemp(prefix="rows", dir=options.folder))
        try:
            size = write_rows(folder, n_rows) / 1e9
            others = ["HistGradientBoosting"] if n_rows <= options.in_memory else []
            for who in ["riskcard", *others]:
                own = [sys.executable, "-m", "benchmarks.large_tables", "--run", who, str(folder)]
                command = [*own, "--terms", str(options.terms)]
                done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
                facts = json.loads(done.stdout)
                print(
                    f"{n_rows:<12,}{size:5.2f}  {who:<20}{facts['seconds']:7.1f}{facts['processor']:14.1f}"
                    f"{facts['peak_gb']:10.2f}"
                )
        finally:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
