"""The SQL gives the total and the risk of the card in a real PostgreSQL server."""

import pytest
from hypothesis import assume, given, settings

from cards import heart_card, mass_card
from export_rows import assert_same, odd_card, rows_of, typed_cards
from riskcard.export.sql import card_to_sql
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from test_export_sql import create_table, last_columns, records_of


def scores(connection, card, rows, dialect="postgresql"):
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS data")
        cursor.execute(create_table(card))
        with cursor.copy("COPY data FROM STDIN") as copy:
            for record in records_of(card, rows):
                copy.write_row(record)
        cursor.execute(card_to_sql(card, dialect=dialect, keep=["n"]))
        return last_columns(cursor.fetchall())


def is_possible(card) -> bool:
    """The names are columns of one table, next to the number of the row."""
    return all(one.name != "n" for one in card.features)


@settings(max_examples=60)
@given(card=typed_cards())
def test_postgresql_scores_as_the_card(connection, card):
    assume(is_possible(card))
    rows = rows_of(card)
    assert_same(card, rows, scores(connection, card, rows))


@pytest.mark.parametrize("dialect", ["standard", "postgresql"])
@pytest.mark.parametrize("card", [odd_card(), mass_card(), heart_card(), heart_card(features=())])
def test_odd_names_and_levels_are_as_others(connection, card, dialect):
    rows = rows_of(card)
    assert_same(card, rows, scores(connection, card, rows, dialect))


def test_nan_is_missing_and_infinities_have_no_total(connection):
    features = [FeaturePoints("x", [1], [0, 3], missing=1), LevelPoints("y", [[2]], [4], 5)]
    infinity = float("inf")
    values = [(2.0, 2.0), (infinity, 2.0), (-infinity, 2.0), (float("nan"), 2.0), (None, None)]
    values += [(2.0, infinity), (2.0, float("nan"))]
    rows = [dict(zip("xy", pair, strict=True)) for pair in values]
    found = scores(connection, RiskCard(features), rows)
    assert [total for total, _ in found] == [7, None, None, 5, 6, None, 8]


@pytest.mark.parametrize("kind", ["smallint", "bigint", "numeric", "numeric(9, 3)", "real"])
def test_columns_of_every_number_type_are_compared(connection, kind):
    card = RiskCard([FeaturePoints("x", [0.1, 2.5], [0, 1, 3], codes=[(-9, 7)])])
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS data")
        cursor.execute(f"CREATE TABLE data (x {kind})")
        cursor.execute("INSERT INTO data VALUES (-9), (0), (1), (3)")
        cursor.execute(card_to_sql(card, dialect="postgresql"))
        found = {int(record[0]): record[2] for record in cursor.fetchall()}
    assert found == {-9: 7, 0: 0, 1: 1, 3: 3}


def test_extreme_log_odds_do_not_overflow(connection):
    card = RiskCard([FeaturePoints("x", [0, 1], [-(10**9), 0, 10**9])], -7, 0.001)
    rows = [{"x": -1.0}, {"x": 1.0}, {"x": 2.0}]
    assert_same(card, rows, scores(connection, card, rows))
    features = [FeaturePoints(name, [0], [0, 10**9]) for name in "abcd"]
    card, rows = RiskCard(features, 10**9, 1e9), [dict.fromkeys("abcd", 1.0)]
    assert_same(card, rows, scores(connection, card, rows))


def test_long_names_are_as_others(connection):
    names = ["ä" * 31 + "x", "total", "risk", "total_points"]
    card = RiskCard([FeaturePoints(name, [0], [0, 1]) for name in names], base=-2)
    rows = rows_of(card)
    assert_same(card, rows, scores(connection, card, rows))
