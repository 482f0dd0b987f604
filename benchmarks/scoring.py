"""Rows per second of a card's scores, next to a plain expression of numpy on the same rows.

A card of five terms on ten columns of random numbers, as `benchmarks.large_tables` has them. Risks are computed from
a data frame of pandas, from batches of pyarrow as `riskcard predict` does for folders, from a Dask data frame, by the
exported query in DuckDB, and by numpy: two arrays for each term, a sum and a logistic function. Seconds of the
processor, the least of several turns; the methods take turns.

    python -m benchmarks.scoring [--rows 1e6] [--turns 5]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from riskcard import FeaturePoints, RiskCard
from riskcard.export.sql import card_to_sql

CUTS, POINTS = (0.3, -0.5, 0.0, 1.0, -1.2), (2, -3, 4, 1, -2)
BATCH = 2**17


def make_card() -> RiskCard:
    """Five terms, each with points at or below its cut."""
    features = [
        FeaturePoints(f"x{f}", [cut], [points, 0])
        for f, (cut, points) in enumerate(zip(CUTS, POINTS, strict=True))
    ]
    return RiskCard(features, base=-1, multiplier=2.0)


def by_numpy(X: Any) -> Any:
    """The risks by a plain expression."""
    total = np.full(len(X), -1, dtype=np.int64)
    for f, (cut, points) in enumerate(zip(CUTS, POINTS, strict=True)):
        total += points * (X[:, f] <= cut)
    return 1 / (1 + np.exp(-total / 2.0))


def methods(X: Any) -> dict[str, Callable[[], Any]]:
    """From a name to what gives all risks."""
    import dask
    import dask.dataframe
    import duckdb
    import pandas as pd
    import pyarrow as pa

    card = make_card()
    frame = pd.DataFrame(X, columns=[f"x{f}" for f in range(X.shape[1])])
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pieces = dask.dataframe.from_pandas(frame, npartitions=8)
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("CREATE TABLE rows AS SELECT * FROM frame")
    query = card_to_sql(card, "rows", "duckdb", keep=())

    def by_dask() -> Any:
        with dask.config.set(scheduler="sync"):
            return pieces.map_partitions(card.risk, meta=("risk", float)).compute()

    return {
        "numpy expression": lambda: by_numpy(X),
        "card.risk, pandas": lambda: card.risk(frame),
        "card.risk, batches of pyarrow": lambda: [
            card.risk(pa.Table.from_batches([one])) for one in table.to_batches(BATCH)
        ],
        "card.risk, Dask": by_dask,
        "exported query, DuckDB": lambda: connection.execute(query).fetchnumpy(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, default=1e6)
    parser.add_argument("--turns", type=int, default=5)
    options = parser.parse_args()
    X = np.random.default_rng(0).standard_normal((int(options.rows), 10))
    known = methods(X)
    seconds = dict.fromkeys(known, np.inf)
    for _ in range(options.turns):
        for name, work in known.items():
            begin = time.process_time()
            work()
            seconds[name] = min(seconds[name], time.process_time() - begin)
    plain = seconds["numpy expression"]
    print("method                          million rows per second   times as long as numpy")
    for name, own in seconds.items():
        print(f"{name:<32}{len(X) / own / 1e6:>23.1f}{own / plain:>25.1f}")


if __name__ == "__main__":
    main()
