"""Tables with missing values, levels, codes, weights and ties, as every kind of source."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from riskcard import RiskScoreClassifier, open_source

dask, duckdb = pytest.importorskip("dask"), pytest.importorskip("duckdb")
frames = pytest.importorskip("dask.dataframe")


def random_table(seed, n_rows=600):
    """Rows of a table that is different for each seed."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.integers(20, 90, n_rows),
            "pressure": rng.normal(120, 20, n_rows).round(rng.integers(0, 4)),
            "small": (rng.normal(size=n_rows) * 10.0 ** rng.integers(-8, 9)).astype(np.float32),
            "stage": rng.choice(["I", "II", "III's", "ü"], n_rows),
            "smokes": rng.random(n_rows) < 0.3,
        }
    )
    table["small"] = table["small"].astype(np.float64)
    table.loc[rng.random(n_rows) < 0.1, "small"] = -0.0
    log_odds = (table.age > 60) * 1.2 + (table.stage == "II") * 0.9 + table.smokes * 0.5 - 1
    log_odds += (table.small > 0) * 0.8 - (table.pressure > 130) * 0.4
    is_event = rng.random(n_rows) < 1 / (1 + np.exp(-log_odds))
    if seed % 2:
        table.loc[rng.random(n_rows) < 0.15, "pressure"] = np.nan
        table.loc[rng.random(n_rows) < 0.1, "stage"] = None
    if seed % 3 == 1:  # ties
        again = rng.integers(0, n_rows // 4, n_rows)
        table, is_event = table.iloc[again].reset_index(drop=True), is_event
    table["died"] = is_event if seed % 4 else np.where(is_event, "yes", "no")
    table["times"] = rng.integers(0, 5, n_rows) if seed % 3 else 1
    return table


def write_pieces(table, folder, n_pieces, seed=0):
    """The rows in another order in files of different length."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    rows = table.iloc[rng.permutation(len(table))]
    ends = np.sort(rng.integers(0, len(table) + 1, n_pieces - 1))
    for place, (start, end) in enumerate(zip([0, *ends], [*ends, len(table)], strict=True)):
        piece = pa.Table.from_pandas(rows.iloc[start:end], preserve_index=False)
        if "stage" in piece.column_names:  # of a piece without any it has no type
            piece = piece.set_column(3, "stage", piece["stage"].cast(pa.string()))
        pq.write_table(piece, folder / f"{place}.parquet")
    return folder


def every_source(table, folder, seed=0):
    """What `fit` gets for the same rows: files in 1, 7 and 100 pieces, a database, a Dask data frame."""
    for n_pieces in (1, 7, 100):
        yield {"data": write_pieces(table, folder / str(n_pieces), n_pieces, seed)}
    connection = duckdb.connect()
    connection.register("frame", table)
    connection.execute("CREATE TABLE rows AS SELECT * FROM frame")
    yield {"data": connection, "table": "rows"}
    with dask.config.set(scheduler="sync"):
        yield {"data": frames.from_pandas(table, npartitions=5)}


def fit(data, *, sample_rows=100_000, memory=2 * 10**9, table=None, **parameters):
    """A fitted classifier of a source."""
    source = open_source(data, "died", weights="times", table=table)
    source.sample_rows, source.memory = sample_rows, memory
    settings = {"max_terms": 3, "time_limit": None, "certify": True} | parameters
    return RiskScoreClassifier(**settings).fit(source)


def facts_of(model):
    """The card as JSON without what differs between two runs of the same fit."""
    card = json.loads(model.card_.to_json())
    card["certificate"].pop("seconds")
    card["recipe"].pop("digest")
    return card
