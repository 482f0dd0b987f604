"""How cards do on rows that they were not learned from: every method on every table of a folder.

Each CSV file of the folder (its last column is ``target``, 0 or 1) goes through cross-validation,
with the same folds for all methods. The means over tables are printed for each size of card, and how
often the calibration slope of a table is within 0.8 and 1.2.

    python -m benchmarks.new_rows --data FOLDER --keep FOLDER --environments FOLDER

With ``--chosen-on NAME ...`` the tables that took part in choosing the default are left out of the
means, which are then printed for the others. A run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import AS_IT_COMES, Bench, run_jobs
from benchmarks.calls import Desk
from benchmarks.methods import DEFAULT, LOWEST_LOSS, METHODS, title_of
from benchmarks.peers import PEERS, install
from benchmarks.ranks import rank
from benchmarks.store import Job, Store

#: Cards, ours first; then what is no card, which is fitted once per fold.
CARDS = (
    DEFAULT,
    "without-smoothing",
    LOWEST_LOSS,
    "imodels-9",
    "imodels-99",
    "fasterrisk",
    "optbinning",
)
CEILINGS = ("logistic", "splines", "boosting")
#: What is shown, and whether more is better.
MEASURES = {"auc": True, "mean_loss": False, "brier": False, "calibration": False}
TITLES = {"auc": "AUC", "mean_loss": "log-loss", "brier": "Brier", "calibration": "cal. error"}
#: Slopes that are called right.
LOWEST_SLOPE, HIGHEST_SLOPE = 0.8, 1.2
QUESTION = "new rows"


def jobs_for(
    tables: Sequence[str], sizes: Sequence[int], folds: int, methods: Sequence[str]
) -> Iterator[Job]:
    """All fits, in an order that compares methods at the same time."""
    for table, fold, terms in product(tables, range(folds), sizes):
        for method in methods:
            if method in CARDS or terms == sizes[0]:
                yield Job(QUESTION, method, table, AS_IT_COMES, terms, fold)


def collect(
    store: Store, tables: Sequence[str], terms: int, folds: int, method: str, measure: str
) -> NDArray[np.float64]:
    """Means over the folds of each table; NaN where a fit failed."""
    found = np.full(len(tables), np.nan)
    done = {one.job: one.figures for one in store.kept(QUESTION) if not one.failed}
    for place, table in enumerate(tables):
        jobs = [Job(QUESTION, method, table, AS_IT_COMES, terms, fold) for fold in range(folds)]
        if all(job in done for job in jobs):
            found[place] = np.mean([done[job]["held_out"][measure] for job in jobs])
    return found


def lines_for(
    store: Store, tables: Sequence[str], sizes: Sequence[int], folds: int, methods: Sequence[str]
) -> Iterator[str]:
    """The tables of means, one for each size, with mean ranks among cards."""
    for terms in sizes:
        yield f"\n## {terms} terms, {len(tables)} tables\n"
        heads = [
            *TITLES.values(),
            "slope (median)",
            "slope 0.8 to 1.2",
            "rank AUC",
            "rank log-loss",
        ]
        yield f"| | {' | '.join(heads)} |"
        yield f"|---|{'---|' * len(heads)}"
        cards = [name for name in methods if name in CARDS]
        ranks = [_ranks(store, tables, terms, folds, cards, one) for one in ("auc", "mean_loss")]
        for name in methods:
            size = terms if name in CARDS else sizes[0]
            of = {
                one: collect(store, tables, size, folds, name, one) for one in (*MEASURES, "slope")
            }
            if np.isnan(of["auc"]).all():
                yield f"| {title_of(name)} | no figures |"
                continue
            n_missing = int(np.isnan(of["auc"]).sum())
            means = [f"{np.nanmean(of[one]):.4f}" for one in MEASURES]
            slopes = of["slope"][~np.isnan(of["slope"])]
            right = np.mean((slopes > LOWEST_SLOPE) & (slopes < HIGHEST_SLOPE))
            places = [f"{part[name]:.2f}" if name in part else "" for part in ranks]
            note = f" ({n_missing} tables without figures)" if n_missing else ""
            cells = [*means, f"{np.median(slopes):.2f}", f"{100 * right:.0f} %", *places]
            yield f"| {title_of(name)}{note} | {' | '.join(cells)} |"


def _ranks(
    store: Store, tables: Sequence[str], terms: int, folds: int, cards: Sequence[str], measure: str
) -> dict[str, float]:
    """Mean ranks of the cards that have figures for all tables."""
    sign = -1 if MEASURES[measure] else 1
    of = {name: collect(store, tables, terms, folds, name, measure) for name in cards}
    whole = [name for name in cards if not np.isnan(of[name]).any()]
    if len(whole) < 2:
        return {}
    found = rank(whole, np.column_stack([sign * of[name] for name in whole]))
    return dict(zip(found.names, found.ranks, strict=True))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, then print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of CSV files")
    parser.add_argument("--keep", type=Path, required=True, help="folder for finished fits")
    parser.add_argument("--environments", type=Path, help="folder for the packages of others")
    parser.add_argument("--tables", nargs="+", help="names of tables; all of the folder by default")
    parser.add_argument(
        "--chosen-on", nargs="*", default=[], help="tables to leave out of the means"
    )
    parser.add_argument(
        "--methods", nargs="+", default=[*CARDS, *CEILINGS], choices=[*CARDS, *CEILINGS]
    )
    parser.add_argument("--terms", nargs="+", type=int, default=[3, 5, 8])
    parser.add_argument("--folds", type=int, default=5)
    given = parser.parse_args(arguments)
    tables = given.tables or sorted(path.stem for path in given.data.glob("*.csv"))
    peers = {METHODS[name].peer for name in given.methods} - {None}
    environments = {}
    if given.environments is not None:
        environments = {
            name: install(PEERS[name], given.environments) for name in sorted(map(str, peers))
        }
    store = Store(given.keep)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Desk(Path(folder)), given.data, environments, 1, given.folds)
        try:
            jobs = list(jobs_for(tables, given.terms, given.folds, given.methods))
            run_jobs(jobs, store, bench.run, lambda line: print(line, file=sys.stderr, flush=True))
        finally:
            bench.close()
    judged = [name for name in tables if name not in given.chosen_on]
    print("\n".join(lines_for(store, judged, given.terms, given.folds, given.methods)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
