"""Published scores: points at every boundary, totals added up by hand, columns, errors, the command."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from riskcard import DataError, ParameterError, RiskCard
from riskcard.cli.main import main
from riskcard.scores import published, published_names
from riskcard.scores.inputs import Input, read_input

#: The least and the most points that the sources state (or, for exclusive items, that all items add up to).
RANGES = {
    "chads2": (0, 6),
    "cha2ds2_vasc": (0, 9),
    "has_bled": (0, 9),
    "timi_ua_nstemi": (0, 7),
    "qsofa": (0, 3),
    "curb65": (0, 5),
    "crb65": (0, 4),
    "wells_dvt": (-2, 9),
    "abcd2": (
        0,
        8,
    ),  # 7 in people: weakness and speech impairment without weakness exclude each other
    "revised_geneva": (0, 22),
    "spesi": (0, 6),
    "bisap": (0, 5),
    "stop_bang": (0, 8),
    "mammographic_mass": (-7, 9),
}
#: score, item, value, points: on either side of each limit of a number.
LIMITS = [
    ("chads2", "age", 74, 0), ("chads2", "age", 74.9, 0), ("chads2", "age", 75, 1),
    ("cha2ds2_vasc", "age", 64, 0), ("cha2ds2_vasc", "age", 65, 1), ("cha2ds2_vasc", "age", 74, 1),
    ("cha2ds2_vasc", "age", 75, 2), ("has_bled", "age", 65, 0), ("has_bled", "age", 66, 1),
    ("timi_ua_nstemi", "age", 64, 0), ("timi_ua_nstemi", "age", 65, 1),
    ("qsofa", "respiratory_rate", 21, 0), ("qsofa", "respiratory_rate", 22, 1),
    ("qsofa", "systolic_pressure", 100, 1), ("qsofa", "systolic_pressure", 101, 0),
    ("curb65", "urea", 7, 0), ("curb65", "urea", 7.1, 1),
    ("curb65", "respiratory_rate", 29, 0), ("curb65", "respiratory_rate", 30, 1),
    ("crb65", "age", 64, 0), ("crb65", "age", 65, 1),
    ("abcd2", "age", 59, 0), ("abcd2", "age", 60, 1), ("abcd2", "duration", 9, 0),
    ("abcd2", "duration", 10, 1), ("abcd2", "duration", 59, 1), ("abcd2", "duration", 60, 2),
    ("revised_geneva", "age", 65, 0), ("revised_geneva", "age", 66, 1),
    ("revised_geneva", "heart_rate", 74, 0), ("revised_geneva", "heart_rate", 75, 3),
    ("revised_geneva", "heart_rate", 94, 3), ("revised_geneva", "heart_rate", 95, 5),
    ("spesi", "age", 80, 0), ("spesi", "age", 81, 1), ("spesi", "heart_rate", 109, 0),
    ("spesi", "heart_rate", 110, 1), ("spesi", "systolic_pressure", 99, 1),
    ("spesi", "systolic_pressure", 100, 0), ("spesi", "oxygen_saturation", 89.5, 1),
    ("spesi", "oxygen_saturation", 90, 0), ("bisap", "urea_nitrogen", 25, 0),
    ("bisap", "urea_nitrogen", 26, 1), ("bisap", "age", 60, 0), ("bisap", "age", 61, 1),
    ("stop_bang", "bmi", 35, 0), ("stop_bang", "bmi", 35.1, 1), ("stop_bang", "age", 50, 0),
    ("stop_bang", "age", 51, 1), ("stop_bang", "neck", 40, 0), ("stop_bang", "neck", 41, 1),
]  # fmt: skip
COLUMNS = {"heart_failure": "chf", "hypertension": "sbp > 140", "diabetes": "dm=yes/no"}


def atrial(n: int = 400) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """A table with columns of every kind, the CHADS2 totals by hand, and labels."""
    rng = np.random.default_rng(4)
    X = pd.DataFrame(
        {
            "chf": rng.integers(0, 2, n),
            "sbp": rng.normal(140, 20, n).round(1),
            "age": rng.integers(50, 90, n),
            "dm": rng.choice(["yes", "no"], n),
            "stroke": rng.random(n) < 0.2,
        }
    )
    totals = X.chf + (X.sbp > 140) + (X.age >= 75) + (X.dm == "yes") + 2 * X.stroke
    y = (rng.random(n) < 1 / (1 + np.exp(3 - totals))).astype(int)
    return X, totals.to_numpy(), y.to_numpy()


def rows_of(name: str, **values: object) -> dict[str, object]:
    """One row in which nothing is present and every number is 0, but for some values."""
    return {item.name: [0] for item in published(name).items} | {
        key: [value] for key, value in values.items()
    }


def test_every_score_has_the_range_of_its_source():
    assert set(published_names()) == set(RANGES)
    for name, ends in RANGES.items():
        items = published(name).items
        assert (
            sum(min(item.points) for item in items),
            sum(max(item.points) for item in items),
        ) == ends


@pytest.mark.parametrize(("name", "item", "value", "points"), LIMITS)
def test_points_change_exactly_at_the_published_limits(name, item, value, points):
    score = published(name)
    place = [one.name for one in score.items].index(item)
    rows = rows_of(name, **{item: value})
    assert score.points_card(rows).points_by_feature(rows)[0, place] == points


def test_every_limit_is_tested_on_both_sides():
    tested = {(name, item) for name, item, _, _ in LIMITS}
    numbers = {
        (name, item.name)
        for name in published_names()
        for item in published(name).items
        if not item.is_condition
    }
    alike = {("curb65", "age"), ("crb65", "respiratory_rate")}  # CRB-65 is CURB-65 without urea
    assert numbers - tested == alike


def test_totals_on_other_columns_are_those_added_up_by_hand():
    X, totals, _ = atrial()
    assert published("chads2").totals(X, COLUMNS).tolist() == totals.tolist()
    fractions = X.assign(age=X.age + 0.5)
    assert published("chads2").totals(fractions, COLUMNS).tolist() == totals.tolist()


def test_a_fitted_score_keeps_its_points_and_gets_the_scale_of_a_regression_on_the_total():
    from sklearn.linear_model import LogisticRegression

    X, totals, y = atrial()
    card = published("chads2").fit(X, pd.Series(y, name="stroked"), COLUMNS)
    assert card.outcome == "stroked"
    assert card.total_points(X).tolist() == totals.tolist()
    model = LogisticRegression(C=np.inf, tol=1e-10).fit(totals[:, None], y)
    assert 1 / card.multiplier == pytest.approx(model.coef_[0, 0], rel=1e-4)
    assert card.offset == pytest.approx(model.intercept_[0], rel=1e-4)
    assert RiskCard.from_json(card.to_json()) == card


def test_comparisons_hold_where_they_say():
    rows = {"respiratory_rate": [22], "systolic_pressure": [120]}
    for text, expected in {"gcs<15": 1, "gcs<=14": 1, "gcs>=14": 1, "gcs>14": 0}.items():
        score = published("qsofa").totals({**rows, "gcs": [14]}, {"altered_mentation": text})
        assert score.tolist() == [1 + expected]
    assert read_input("a b >= 3") == Input("a b", ">=", "3")


def test_missing_values_are_refused_or_worth_nothing():
    rows = rows_of("crb65", age=None, confusion=1, respiratory_rate=30)
    with pytest.raises(DataError, match="age"):
        published("crb65").totals(rows)
    assert published("crb65").totals(rows, missing="zero").tolist() == [2]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"heart_failur": "chf"}, "Did you mean 'heart_failure'"),
        ({**COLUMNS, "stroke": "chf"}, "'chf' is given for the items 'heart_failure', 'stroke'"),
        ({**COLUMNS, "age": "age > 60"}, "is a number"),
        ({**COLUMNS, "hypertension": "sbp > high"}, "no number"),
        ({**COLUMNS, "diabetes": "dm=yes"}, "a slash"),
    ],
)
def test_columns_that_make_no_sense_are_named(columns, message):
    with pytest.raises(ParameterError, match=message):
        published("chads2").totals(atrial()[0], columns)


def test_all_missing_columns_are_named_in_one_error():
    with pytest.raises(
        DataError, match=r"'heart_failure', 'hypertension' .column 'bp'., 'diabetes'"
    ):
        published("chads2").totals(atrial()[0], {"hypertension": "bp"})
    with pytest.raises(DataError, match="no names"):
        published("chads2").totals(np.ones((3, 5)))
    with pytest.raises(ParameterError, match="Did you mean 'chads2'"):
        published("chads")


def test_the_command_lists_shows_and_fits(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    X, totals, y = atrial()
    X.assign(died=y).to_csv("af.csv", index=False)
    assert main(["scores"]) == 0
    assert all(name in capsys.readouterr().out for name in ["chads2"])
    assert main(["scores", "chads2"]) == 0
    assert "JAMA 2001" in capsys.readouterr().out
    columns = [f"{item}={column}" for item, column in COLUMNS.items()]
    fit = [
        "scores",
        "chads2",
        "af.csv",
        "--target",
        "died",
        "-o",
        "card.json",
        "--column",
        *columns,
    ]
    assert main(fit) == 0
    card = RiskCard.load("card.json")
    assert card.total_points(X).tolist() == totals.tolist()
    assert card == published("chads2").fit(X, pd.Series(y, name="died"), COLUMNS)
    assert main(fit[:5]) == 2
    assert "'heart_failure', 'hypertension', 'diabetes'" in capsys.readouterr().err
    assert main(["scores", "chads2", "af.csv"]) == 2
    assert "--target" in capsys.readouterr().err
    assert main([*fit, "age"]) == 2
    assert "ITEM=COLUMN" in capsys.readouterr().err
