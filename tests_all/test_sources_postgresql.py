"""A fit on a table in a real PostgreSQL server gives the card, loss and bound of one in memory."""

import pandas as pd
import pytest

from riskcard import DataError, open_source
from riskcard.export.sql import card_to_sql
from source_tables import facts_of, fit, random_table

TYPES = {"b": "boolean", "i": "bigint", "f": "double precision", "O": "text"}


def create(connection, name, table):
    """A table of the database with the rows of a frame."""
    kinds = [TYPES.get(table[column].dtype.kind, "text") for column in table]
    columns = ", ".join(f'"{column}" {kind}' for column, kind in zip(table, kinds, strict=True))
    connection.execute(f"CREATE TABLE {name} ({columns})")
    holes = ", ".join(["%s"] * len(kinds))
    rows = table.astype(object).where(table.notna(), None)
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {name} VALUES ({holes})", rows.values.tolist())


@pytest.mark.parametrize(
    "way",
    [
        {},
        {"sample_rows": 150},
        {"sample_rows": 150, "memory": 400_000, "certify": False},
        {"sample_rows": 60, "memory": 60_000, "max_terms": 2, "regularization": None},
        {"sample_rows": 80, "memory": 10**7, "max_terms": 1, "regularization": None},
    ],
    ids=["whole", "by sample", "preselected", "at full resolution", "proven about every cut"],
)
@pytest.mark.parametrize("seed", [0, 1, 4])
def test_a_table_in_postgresql_gives_the_same_card(connection, seed, way):
    table = random_table(seed)
    name = f"rows_{seed}"
    connection.execute(f"DROP TABLE IF EXISTS {name}")
    create(connection, name, table)
    wanted = facts_of(fit(table, **way))
    assert facts_of(fit(connection, table=name, **way)) == wanted
    query = f"(SELECT * FROM {name} ORDER BY age)"
    assert facts_of(fit(connection, table=query, **way)) == wanted


def test_missing_numbers_written_as_nan_are_missing(connection):
    table = random_table(0)
    table.loc[::5, "pressure"] = float("nan")
    connection.execute("DROP TABLE IF EXISTS with_nan")
    create(connection, "with_nan", table)
    connection.execute("UPDATE with_nan SET pressure = 'NaN' WHERE pressure IS NULL")
    assert facts_of(fit(connection, table="with_nan")) == facts_of(fit(table))


def test_a_table_that_is_not_there_is_named(connection):
    with pytest.raises(DataError, match="'nothing': the database refused a query"):
        open_source(connection, "died", table="nothing")


def test_dates_are_left_out(connection):
    table = random_table(1).assign(day=pd.Timestamp("2020-01-01"))
    connection.execute("DROP TABLE IF EXISTS with_days")
    create(connection, "with_days", table.drop(columns="day"))
    connection.execute("ALTER TABLE with_days ADD COLUMN day date DEFAULT '2020-01-01'")
    with pytest.warns(UserWarning, match="Left out as neither numbers nor texts: 'day'"):
        found = fit(connection, table="with_days", certify=False)
    assert "day" not in found.feature_names_in_


def test_scores_are_written_to_a_new_table(connection):
    table = random_table(1)
    for name in ("patients", "scores"):
        connection.execute(f"DROP TABLE IF EXISTS {name}")
    create(connection, "patients", table)
    card = fit(table, max_terms=3, certify=False).card_
    source = open_source(connection, "died", table="patients")
    assert source.write("scores", card_to_sql(card, "patients", "postgresql")) == len(table)
    found = connection.execute("SELECT sum(total) FROM scores").fetchone()[0]
    assert found == card.total_points(table).sum()
    with pytest.raises(DataError, match="already exists"):
        source.write("scores", card_to_sql(card, "patients", "postgresql"))
