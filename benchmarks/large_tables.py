"""Tables larger than memory: fits on Parquet files, each in a process of its own.

Ten columns of normal numbers, whose labels depend on steps in five of them, in pieces of 2.5 million rows. Prints
seconds of the clock and of the processor, the peak of memory, and what each pass over the rows took. The methods
are riskcard with the default, riskcard without regularisation (cuts at full resolution among all rows), the same with
three terms and a proof about every cut, imodels'
greedy trees (FIGS) on a sample of 100,000 rows and LightGBM on Dask where these are installed, and scikit-learn's
HistGradientBoostingClassifier on the same rows in memory, up to a number of rows. At the end the exponent with
which the seconds of the processor grow with the rows, for each method with several sizes.

    python -m benchmarks.large_tables --rows 1e6 1e7 [--terms 5] [--folder FOLDER] [--in-memory 1e7]
        [--methods default no-grid ...] [--memory 2GB]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

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


def run(who: str, folder: str, terms: int, memory: str) -> None:
    """Fit once and print the figures; passes are shown on the standard error stream."""
    begin, work = time.perf_counter(), _processor()
    facts = METHODS[who](folder, terms, memory)
    facts["seconds"] = time.perf_counter() - begin
    facts["processor"] = _processor() - work
    facts["peak_gb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    print(json.dumps(facts))


def _processor() -> float:
    """Seconds of the processor of this process and of those that it waited for."""
    return sum(os.times()[:4])


def _riskcard(folder: str, terms: int, memory: str, **parameters: Any) -> dict[str, Any]:
    import riskcard

    source = riskcard.open_source(folder, target="y", memory=memory)
    model = riskcard.RiskScoreClassifier(terms, verbose=True, **parameters).fit(source)
    certificate = model.card_.certificate
    facts = {"loss": model.loss_ / model.card_.training.rows, "terms": len(model.card_.terms)}
    if certificate.bound:
        gap = (certificate.loss - certificate.bound) / certificate.loss
        about = "every cut" if certificate.is_grid_full else "listed cuts"
        facts["proof"] = f"{certificate.status}, gap {gap:.1e}, {about}"
    return facts


def _without_grid(folder: str, terms: int, memory: str) -> dict[str, Any]:
    return _riskcard(folder, terms, memory, regularization=None)


def _proven(folder: str, terms: int, memory: str) -> dict[str, Any]:
    return _riskcard(folder, 3, memory, regularization=None, certify=True, time_limit=None)


def _boosting(folder: str, terms: int, memory: str) -> dict[str, Any]:
    import pyarrow.parquet as pq
    from sklearn.ensemble import HistGradientBoostingClassifier

    frame = pq.read_table(folder).to_pandas()
    HistGradientBoostingClassifier().fit(frame.drop(columns="y"), frame["y"])
    return {}


def _lightgbm(folder: str, terms: int, memory: str) -> dict[str, Any]:
    import dask.dataframe
    import lightgbm
    from distributed import Client, LocalCluster

    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**settings) as cluster, Client(cluster) as client:
        frame = dask.dataframe.read_parquet(folder).repartition(npartitions=4).persist()
        X = frame.drop(columns="y").to_dask_array(lengths=True)
        y = frame["y"].to_dask_array(lengths=True)
        lightgbm.DaskLGBMClassifier(client=client, verbosity=-1).fit(X, y)
    return {}


def _imodels(folder: str, terms: int, memory: str) -> dict[str, Any]:
    import pyarrow.dataset as ds
    from imodels import FIGSClassifier

    frame = ds.dataset(folder).head(100_000).to_pandas()
    model = FIGSClassifier(max_rules=terms)
    model.fit(frame.drop(columns="y").to_numpy(), frame["y"].to_numpy())
    return {}


#: From the name of a method to what it does.
METHODS: dict[str, Callable[[str, int, str], dict[str, Any]]] = {
    "default": _riskcard,
    "no-grid": _without_grid,
    "proof-3-terms": _proven,
    "imodels-sample": _imodels,
    "lightgbm-dask": _lightgbm,
    "hist-boosting": _boosting,
}
NEEDS = {"imodels-sample": "imodels", "lightgbm-dask": "lightgbm"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, nargs="+", default=[1e7])
    parser.add_argument("--terms", type=int, default=5)
    parser.add_argument("--folder", help="where the files are written and removed")
    parser.add_argument("--in-memory", type=float, default=1e7, help="most rows for scikit-learn")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--memory", default="2GB", help="of riskcard")
    parser.add_argument("--run", nargs=2, metavar=("WHO", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run(*options.run, options.terms, options.memory)
        return
    print("rows          GB  method                    s   processor s   peak GB   loss per row")
    seconds: dict[str, list[tuple[int, float]]] = {}
    for n_rows in map(int, options.rows):
        folder = Path(tempfile.mkdtemp(prefix="rows", dir=options.folder))
        try:
            size = write_rows(folder, n_rows) / 1e9
            for who in options.methods:
                if who == "hist-boosting" and n_rows > options.in_memory:
                    continue
                if who in NEEDS and find_spec(NEEDS[who]) is None:
                    print(f"{n_rows:<12,}{size:5.2f}  {who:<20} {NEEDS[who]} is not installed")
                    continue
                own = [sys.executable, "-m", "benchmarks.large_tables", "--run", who, str(folder)]
                command = [*own, "--terms", str(options.terms), "--memory", options.memory]
                done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
                facts = json.loads(done.stdout.splitlines()[-1])
                seconds.setdefault(who, []).append((n_rows, facts["processor"]))
                loss = f"{facts['loss']:.6f}" if "loss" in facts else ""
                print(
                    f"{n_rows:<12,}{size:5.2f}  {who:<20}{facts['seconds']:7.1f}{facts['processor']:14.1f}"
                    f"{facts['peak_gb']:10.2f}{loss:>15}  {facts.get('proof', '')}",
                    flush=True,
                )
        finally:
            shutil.rmtree(folder)
    for who, known in seconds.items():
        if len(known) > 1:
            slope = np.polyfit(*np.log(np.array(known, dtype=float).T), 1)[0]
            print(f"{who}: seconds of the processor grow with the rows to the power of {slope:.2f}")


if __name__ == "__main__":
    main()
