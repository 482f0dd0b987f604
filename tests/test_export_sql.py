"""The SQL gives the total and the risk of the card in SQLite and DuckDB."""

import math
import sqlite3

import pytest
from hypothesis import assume, given, settings

from cards import finite, heart_card, mass_card
from export_rows import assert_same, mixed_card, odd_card, rows_of, typed_cards
from riskcard.errors import ParameterError
from riskcard.export.cases import Kind, cases_of
from riskcard.export.sql import card_to_sql, sql_expressions
from riskcard.export.sql_literals import exact_number, number_literal, quoted_name
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints

TYPES = {
    Kind.NUMBER: "DOUBLE PRECISION",
    Kind.NUMERIC_LEVEL: "DOUBLE PRECISION",
    Kind.TEXT: "VARCHAR",
    Kind.BOOLEAN: "BOOLEAN",
}


def create_table(card) -> str:
    columns = [f"{quoted_name(one.name)} {TYPES[one.kind]}" for one in cases_of(card).features]
    return f"CREATE TABLE data ({', '.join(['n INTEGER', *columns])})"


def insert_rows(card, n_rows=1) -> str:
    signs = ", ".join("?" * (len(card.features) + 1))
    return f'INSERT INTO "data" VALUES {", ".join([f"({signs})"] * n_rows)}'


def records_of(card, rows) -> list[tuple]:
    names = [feature.name for feature in card.features]
    return [(n, *(row[name] for name in names)) for n, row in enumerate(rows)]


def is_possible(card) -> bool:
    """The names are columns of one table, next to the number of the row."""
    names = ["n", *(feature.name.lower() for feature in card.features)]
    return len(set(names)) == len(names)


def last_columns(records) -> list[tuple]:
    """Total and risk, between which stand the log-odds."""
    return [(record[-3], record[-1]) for record in sorted(records)]


def scores_in_sqlite(card, rows, dialect="sqlite"):
    connection = sqlite3.connect(":memory:")
    connection.create_function("EXP", 1, lambda x: None if x is None else math.exp(x))
    connection.execute(create_table(card))
    connection.executemany(insert_rows(card), records_of(card, rows))
    found = last_columns(connection.execute(card_to_sql(card, dialect=dialect, keep=["n"])))
    connection.close()
    return found


def scores_in_duckdb(card, rows, dialect="duckdb"):
    connection = pytest.importorskip("duckdb").connect()
    connection.execute(create_table(card))
    records = records_of(card, rows)
    connection.execute(insert_rows(card, len(rows)), [one for record in records for one in record])
    query = card_to_sql(card, dialect=dialect, keep=["n"])
    return last_columns(connection.execute(query).fetchall())


ENGINES = [scores_in_sqlite, scores_in_duckdb]


@settings(max_examples=60)
@given(typed_cards())
def test_sqlite_scores_as_the_card(card):
    assume(is_possible(card))
    rows = rows_of(card)
    assert_same(card, rows, scores_in_sqlite(card, rows))


@settings(max_examples=25)
@given(typed_cards())
def test_duckdb_scores_as_the_card(card):
    assume(is_possible(card))
    rows = rows_of(card)
    assert_same(card, rows, scores_in_duckdb(card, rows))


@pytest.mark.parametrize("score", ENGINES)
@pytest.mark.parametrize("card", [odd_card(), mass_card(), heart_card(features=())])
def test_odd_names_and_levels_are_as_others(score, card):
    rows = rows_of(card)
    assert_same(card, rows, score(card, rows))


@pytest.mark.parametrize("score", ENGINES)
@pytest.mark.parametrize("card", [heart_card(), mass_card()])
def test_standard_sql_runs_everywhere(score, card):
    rows = rows_of(card)
    assert_same(card, rows, score(card, rows, "standard"))


@pytest.mark.parametrize("score", ENGINES)
@pytest.mark.parametrize("name", ["FALSE", "true"])
def test_a_column_may_have_the_name_of_a_boolean(score, name):
    card = RiskCard([FeaturePoints("0", [], [0]), LevelPoints(name, [[False], [True]], [0, 1])])
    rows = [{"0": 0.0, name: value} for value in (False, True)]
    assert_same(card, rows, score(card, rows))
    with pytest.raises(ParameterError, match=f"column is named '{name}'.*Name the dialect"):
        card_to_sql(card)


# --- values that are no finite numbers ----------------------------------------------------------


def fresh_sqlite(columns: str) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.create_function("EXP", 1, lambda x: None if x is None else math.exp(x))
    connection.execute(f"CREATE TABLE data ({columns})")
    return connection


def test_infinities_and_texts_among_numbers_have_no_total_in_sqlite():
    card = RiskCard([FeaturePoints("x", [1], [0, 3], missing=1), LevelPoints("y", [[2]], [4])])
    connection = fresh_sqlite("n, x, y")
    rows = [(0, 2.0, 2), (1, math.inf, 2), (2, -math.inf, 2), (3, "7", 2), (4, math.nan, 2)]
    rows += [(5, 2, math.inf), (6, 2, "2"), (7, 2, None)]
    connection.executemany("INSERT INTO data VALUES (?, ?, ?)", rows)
    found = last_columns(connection.execute(card_to_sql(card, dialect="sqlite", keep=["n"])))
    assert [total for total, _ in found] == [7, None, None, None, 5, None, None, None]


def test_infinities_have_no_total_and_nan_is_missing_in_duckdb():
    connection = pytest.importorskip("duckdb").connect()
    card = RiskCard([FeaturePoints("x", [1], [0, 3], missing=1)])
    connection.execute("CREATE TABLE data (n INTEGER, x DOUBLE)")
    words = ["2", "'inf'", "'-inf'", "'nan'", "NULL"]
    for n, word in enumerate(words):
        connection.execute(f"INSERT INTO data VALUES ({n}, {word})")
    query = card_to_sql(card, dialect="duckdb", keep=["n"])
    found = last_columns(connection.execute(query).fetchall())
    assert [total for total, _ in found] == [3, None, None, 1, 1]


@pytest.mark.parametrize("kind", ["INTEGER", "FLOAT", "DECIMAL(18, 6)", "HUGEINT"])
def test_duckdb_compares_columns_of_every_number_type(kind):
    connection = pytest.importorskip("duckdb").connect()
    card = RiskCard([FeaturePoints("x", [0.1, 2.5], [0, 1, 3], codes=[(-9, 7)])])
    connection.execute(f"CREATE TABLE data (x {kind})")
    connection.execute("INSERT INTO data VALUES (-9), (0), (1), (3)")
    records = connection.execute(card_to_sql(card, dialect="duckdb")).fetchall()
    assert {int(record[0]): record[2] for record in records} == {-9: 7, 0: 0, 1: 1, 3: 3}


def test_capitals_count_whatever_the_table_says():
    connection = fresh_sqlite("n, x TEXT COLLATE NOCASE")
    connection.executemany("INSERT INTO data VALUES (?, ?)", [(0, "a"), (1, "A"), (2, "b")])
    card = RiskCard([LevelPoints("x", [["a"], ["A", "b"]], [1, 2])])
    found = last_columns(connection.execute(card_to_sql(card, dialect="sqlite", keep=["n"])))
    assert [total for total, _ in found] == [1, 2, 2]


@pytest.mark.parametrize("score", ENGINES)
def test_extreme_log_odds_do_not_overflow(score):
    card = RiskCard([FeaturePoints("x", [0, 1], [-(10**9), 0, 10**9])], -7, 0.001)
    rows = [{"x": -1.0}, {"x": 1.0}, {"x": 2.0}]
    assert_same(card, rows, score(card, rows))
    features = [FeaturePoints(name, [0], [0, 10**9]) for name in "abcd"]
    card, rows = RiskCard(features, 10**9, 1e9), [dict.fromkeys("abcd", 1.0)]
    assert_same(card, rows, score(card, rows))


# --- names, numbers and queries -----------------------------------------------------------------


def test_columns_that_are_named_as_the_results_are_kept_apart():
    names = ["total", "Risk", "total_points", "log_odds", "n" * 80]
    card = RiskCard([FeaturePoints(name, [0], [0, 1]) for name in names], base=-2)
    rows = rows_of(card)
    for score in ENGINES:
        assert_same(card, rows, score(card, rows))


def test_all_columns_are_kept_unless_some_are_named():
    connection = fresh_sqlite("id, age, pressure")
    connection.execute("INSERT INTO data VALUES ('a', 61, 0.1)")
    cursor = connection.execute(card_to_sql(heart_card()))
    names = [column[0] for column in cursor.description]
    added = ["age_points", "pressure_points", "total", "log_odds", "risk"]
    assert names == ["id", "age", "pressure", *added]
    cursor = connection.execute(card_to_sql(heart_card(), keep=["id"]))
    assert [column[0] for column in cursor.description] == ["id", *added]
    cursor = connection.execute(card_to_sql(heart_card(), keep=[]))
    assert [column[0] for column in cursor.description] == added


def test_the_table_may_be_in_a_schema_and_have_any_name():
    connection = sqlite3.connect(":memory:")
    connection.execute("ATTACH ':memory:' AS other")
    connection.execute('CREATE TABLE other."my ""rows""" (age, pressure)')
    connection.execute('INSERT INTO other."my ""rows""" VALUES (61, 0.1)')
    query = card_to_sql(heart_card(), table='other.my "rows"')
    assert connection.execute(query).fetchone()[4] == 6


def test_expressions_stand_in_any_query():
    connection = fresh_sqlite("age, pressure")
    connection.executemany("INSERT INTO data VALUES (?, ?)", [(61, 0.1), (None, 0.1), (80, 9)])
    found = sql_expressions(heart_card(), "sqlite")
    query = f"SELECT {found.points['age']}, {found.total}, {found.log_odds}, {found.risk} FROM data"
    records = connection.execute(query).fetchall()
    assert [record[:2] for record in records] == [(2, 6), (None, None), (3, 2)]
    for record in (records[0], records[2]):
        assert record[2] == pytest.approx(float(heart_card().log_odds_of_total(record[1])))
        assert record[3] == pytest.approx(float(heart_card().risk_of_total(record[1])))


#: SQLite 3.40 reads these decimals as a neighbouring float.
MISREAD = (5.373529, 6.032721, 79.403416, 93.617089, 2.331146622564091e57)


def test_cuts_that_sqlite_misreads_are_exact():
    card = RiskCard([FeaturePoints("x", MISREAD, range(6), codes=[(-one, 9) for one in MISREAD])])
    rows = rows_of(card)
    assert_same(card, rows, scores_in_sqlite(card, rows))


@given(finite)
def test_sqlite_reads_every_number_exactly(value):
    connection = sqlite3.connect(":memory:")
    assert connection.execute(f"SELECT {exact_number(value)}").fetchone()[0] == value


def test_sqlite_reads_short_decimals_exactly():
    connection = sqlite3.connect(":memory:")
    numbers = [step / 10**places for step in range(1, 9999, 7) for places in range(5)]
    for start in range(0, len(numbers), 500):
        some = numbers[start : start + 500]
        texts = [exact_number(number) for number in some]
        assert not any("/" in text for text in texts)
        assert connection.execute(f"SELECT {', '.join(texts)}").fetchone() == tuple(some)


@given(finite)
def test_duckdb_reads_every_number_exactly(value):
    duckdb = pytest.importorskip("duckdb")
    (found,) = duckdb.execute(f"SELECT CAST({number_literal(value)} AS DOUBLE)").fetchone()
    assert found == value


@pytest.mark.parametrize(
    ("card", "dialect", "words"),
    [
        (heart_card(), "oracle", "no dialect 'oracle' of SQL here"),
        (mixed_card(), "standard", "levels of 'x' are of several kinds"),
        (RiskCard([LevelPoints("x", [["a\0"]], [1])]), "sqlite", "has the character NUL"),
        (RiskCard([FeaturePoints("x\0", [], [1])]), "duckdb", "The name of the feature"),
        (RiskCard([LevelPoints("x", [[2**53 + 1]], [1])]), "standard", "has more digits than"),
        (
            RiskCard([FeaturePoints("Age", [], [1]), FeaturePoints("age", [], [1])]),
            "sqlite",
            "'Age' and 'age' are one column to sqlite",
        ),
    ],
)
def test_what_sql_cannot_say_is_refused(card, dialect, words):
    with pytest.raises(ParameterError, match=words):
        card_to_sql(card, dialect=dialect)
