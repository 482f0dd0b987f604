"""Reasons for a risk: the right way round, in the same order and words wherever a card goes."""

import itertools
import json
import math
import re
import sqlite3
import warnings
from xml.etree import ElementTree

import numpy as np
import pytest

from cards import mass_card
from html_reader import read_html
from riskcard import to_credit_points
from riskcard.cli.main import main
from riskcard.errors import FormatError, ParameterError, RiskcardWarning
from riskcard.export.pmml import card_to_pmml
from riskcard.export.python import card_to_python
from riskcard.export.sql import card_to_sql
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.model.rows.explain import MOST_REASONS
from riskcard.model.words.labels import FeatureLabel, Labels
from riskcard.model.words.labels_file import labels_from, load_labels, template_of

LABELS = Labels(
    features={
        "income": FeatureLabel("Income", reason="Income is low for the loan"),
        "late": FeatureLabel(reason="Payments were late; it's on file"),
    }
)
LOAN = RiskCard(
    [
        FeaturePoints("income", [20, 40], [4, 2, 0], missing=1, codes=[(-9, 5)]),
        FeaturePoints("used", [50], [0, 4]),
        FeaturePoints("late", [0, 2], [0, 3, 5]),
        FeaturePoints("months", [24], [2, 0], missing=0),
        LevelPoints("purpose", [["car", "home"], ["holiday"]], [0, 2], usual=0),
    ],
    multiplier=2.5,
    offset=-4.0,
    classes=("paid", "default"),
    labels=LABELS,
)
VALUES = {
    "income": [10.0, 30.0, 50.0, None, -9.0],
    "used": [20.0, 80.0],
    "late": [0.0, 1.0, 5.0],
    "months": [10.0, 60.0, None],
    "purpose": ["car", "holiday"],
}
ROWS = [dict(zip(VALUES, row, strict=True)) for row in itertools.product(*VALUES.values())]
CARDS = {
    "points": LOAN,
    "credit": to_credit_points(LOAN).card,
    "riskier": to_credit_points(LOAN, higher_is_safer=False).card,
}


def by_hand(card: RiskCard, row: dict) -> list[str]:
    """At most four texts, by how far the row's points are from the safest bin of each feature."""
    safest = max if card.multiplier < 0 else min
    lost = {}
    for feature in card.features:
        points = int(feature.points_of([row[feature.name]])[0])
        lost[feature.name] = abs(points - safest(feature.points))
        if (points - safest(feature.points)) * card.multiplier <= 0:
            lost[feature.name] = 0  # a missing value may be safer than any bin
    worst = sorted((name for name in lost if lost[name]), key=lambda name: -lost[name])[:4]
    return [LABELS.of(name).reason or name for name in worst]


@pytest.mark.parametrize("name", CARDS)
def test_table_and_reasons_show_the_same_difference_from_the_best_line(name):
    card = CARDS[name]
    why = card.explain({"income": 10, "used": 80, "late": 5, "months": None, "purpose": "holiday"})
    table, reasons = str(why).split("Reasons, by points")
    sign = "-" if card.higher_is_safer else "+"
    assert why.reasons
    for one in why.reasons:
        (line,) = [line for line in table.splitlines() if line.startswith(one.name)]
        assert line.split()[-1] == f"{sign}{one.lost}"
        assert int(line.split()[-3]) == one.points
        assert one.points - one.best == int(f"{sign}{one.lost}")
    shown = re.findall(r":\s+([+-]\d+)$", reasons.split("Changes")[0], re.MULTILINE)
    assert shown == [f"{sign}{one.lost}" for one in why.reasons]


@pytest.mark.parametrize("name", CARDS)
def test_the_riskiest_has_four_reasons_and_the_safest_none(name):
    card = CARDS[name]
    risks = card.risk({key: [row[key] for row in ROWS] for key in VALUES})
    riskiest, safest = ROWS[int(np.argmax(risks))], ROWS[int(np.argmin(risks))]
    assert card.explain(safest).reasons == ()
    assert card.explain(safest).reason_texts == ()
    assert "Reasons: none" in str(card.explain(safest))
    why = card.explain(riskiest)
    assert len(why.reasons) == MOST_REASONS
    assert all(one.lost > 0 for one in why.reasons)
    assert {one.feature for one in why.reasons} >= {"income", "late", "used"}
    assert why.to_dict()["reason_texts"] == list(why.reason_texts)


@pytest.mark.parametrize("name", CARDS)
def test_explanations_python_and_sql_give_the_same_reasons_for_every_row(name):
    card = CARDS[name]
    scorer: dict = {}
    exec(card_to_python(card), scorer)
    in_sql = reasons_in_sqlite(card)
    for row, found in zip(ROWS, in_sql, strict=True):
        expected = by_hand(card, row)
        texts = [one.reason or one.feature for one in card.explain(row).reasons]
        assert texts == expected, row
        assert scorer["score"](row).reasons == expected, row
        assert [one for one in found if one is not None] == expected, row


def reasons_in_sqlite(card: RiskCard) -> list[tuple]:
    connection = sqlite3.connect(":memory:")
    connection.create_function("EXP", 1, math.exp)
    connection.execute("CREATE TABLE data (n, income, used, late, months, purpose)")
    records = [(n, *row.values()) for n, row in enumerate(ROWS)]
    connection.executemany("INSERT INTO data VALUES (?, ?, ?, ?, ?, ?)", records)
    query = card_to_sql(card, dialect="sqlite", keep=["n"], reasons=9)
    cursor = connection.execute(query)
    names = [column[0] for column in cursor.description]
    assert names[-5:] == ["risk", "reason_1", "reason_2", "reason_3", "reason_4"]
    return [record[-4:] for record in sorted(cursor, key=lambda one: one[0])]


def test_a_row_that_cannot_be_scored_has_no_reasons_in_sql():
    connection = sqlite3.connect(":memory:")
    connection.create_function("EXP", 1, lambda x: None if x is None else math.exp(x))
    connection.execute("CREATE TABLE data (income, used, late, months, purpose)")
    connection.execute("INSERT INTO data VALUES (10, NULL, 5, 1, 'holiday')")
    (found,) = connection.execute(card_to_sql(LOAN, dialect="sqlite", reasons=2))
    assert found[-5:] == (None,) * 5


@pytest.mark.parametrize("name", CARDS)
def test_codes_in_pmml_are_texts_counted_from_the_safest_bin(name):
    card = CARDS[name]
    space = {"p": "http://www.dmg.org/PMML-4_4"}
    tree = ElementTree.fromstring(card_to_pmml(card, reasons=4))
    scorecard = tree.find("p:Scorecard", space)
    is_safer = card.higher_is_safer
    assert scorecard.get("reasonCodeAlgorithm") == ("pointsBelow" if is_safer else "pointsAbove")
    for feature, found in zip(
        card.features, scorecard.findall(".//p:Characteristic", space), strict=True
    ):
        best = (max if is_safer else min)(feature.points)
        assert int(found.get("baselineScore")) == best
        assert found.get("reasonCode") == (LABELS.of(feature.name).reason or feature.name)
        for attribute in found.findall("p:Attribute", space):
            points = int(attribute.get("partialScore"))
            costs = points < best if is_safer else points > best
            assert attribute.get("reasonCode") == (None if costs else "none")


def test_the_text_is_printed_with_the_value():
    row = dict(ROWS[0], late=5.0)
    printed = str(LOAN.explain(row))
    assert "1. Payments were late; it's on file; late is 5 (> 2): +5" in printed
    assert "2. Income is low for the loan; Income is 10 (<= 20): +4" in printed
    assert "3. months is 10 (<= 24): +2" in printed
    assert LOAN.explain(row).reason_texts == (
        "Payments were late; it's on file",
        "Income is low for the loan",
        "months",
    )


def test_the_calculator_lists_reasons_where_labels_have_a_text():
    page = CARDS["credit"].to_calculator()
    content = json.loads(read_html(page).scripts[0])
    assert content["most_reasons"] == MOST_REASONS
    for feature, question in zip(CARDS["credit"].features, content["questions"], strict=True):
        assert question["best"] == max(feature.points)
        assert question["reason"] == LABELS.reason(feature.name)
    assert 'id="reasons"' in page
    assert 'id="reasons"' not in mass_card().to_calculator()
    assert [one["best"] for one in json.loads(read_html(LOAN.to_calculator()).scripts[0])["questions"]] == [
        0, 0, 0, 0, 0,
    ]  # fmt: skip


def test_reasons_survive_the_card_file_the_labels_file_and_scaling(tmp_path):
    assert RiskCard.from_json(LOAN.to_json()).labels == LABELS
    assert to_credit_points(LOAN).card.labels == LABELS
    (tmp_path / "labels.toml").write_text(template_of(LOAN), encoding="utf-8")
    again = load_labels(tmp_path / "labels.toml")
    assert again.of("income").reason == "Income is low for the loan"
    assert again.of("used").reason == ""


def test_two_features_cannot_have_one_reason(tmp_path):
    same = {"a": {"reason": "Credit history"}, "b": {"reason": "Credit history"}}
    with pytest.raises(ParameterError, match="'a' and 'b' have the same reason, 'Credit history'"):
        labels_from({"features": same})
    with pytest.raises(ParameterError, match="of 'a' is 3"):
        labels_from({"features": {"a": {"reason": 3}}})
    path = tmp_path / "labels.toml"
    path.write_text('[features.a]\nreasons = "x"\n', encoding="utf-8")
    with pytest.raises(FormatError, match="unknown entry 'reasons'"):
        load_labels(path)


def test_the_command_line_gives_reasons_as_texts(tmp_path, capsys):
    CARDS["credit"].save(tmp_path / "card.json")
    table = tmp_path / "rows.csv"
    table.write_text("income,used,late,months,purpose\n10,80,5,10,holiday\n", encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error", RiskcardWarning)
        assert main(["explain", str(tmp_path / "card.json"), str(table), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["reason_texts"] == [
        "Payments were late; it's on file", "Income is low for the loan", "used", "months",
    ]  # fmt: skip
    assert main(["export", str(tmp_path / "card.json"), "--to", "sql", "--reasons", "2"]) == 0
    assert capsys.readouterr().out.count('AS "reason_') == 2
