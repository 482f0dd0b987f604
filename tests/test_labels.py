"""Labels: what people read in place of the names of a table, from one file, wherever a card goes."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings

from cards import heart_card, mass_card, risk_cards
from counted import counted, odd_card
from riskcard.card.scorecard import score_card_of
from riskcard.cli.main import main
from riskcard.errors import FormatError, ParameterError, RiskcardWarning
from riskcard.export.cases import cases_of
from riskcard.export.sql import card_to_sql
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.model.value_range import ValueRange
from riskcard.model.words.labels import FeatureLabel, Labels
from riskcard.model.words.labels_file import load_labels, template_of

FILE = """
title = "Risk of death within one year"
event = "death within one year"

[features.age]
name = "Age"
unit = "years"
lowest = 0
highest = 120

[features.chf]
name = "Heart failure"
levels = {0 = "absent", 1 = "present"}

[features.shape.levels]
round = "a circle"
"""


def ward_card() -> RiskCard:
    return RiskCard(
        [
            FeaturePoints("age", [60], [0, 3], training_range=ValueRange(18, 97, is_whole=True)),
            FeaturePoints("chf", [0], [0, 5], training_range=ValueRange(0, 1, is_whole=True)),
            FeaturePoints("copd", [0], [0, 2], training_range=ValueRange(0, 1, is_whole=True)),
            LevelPoints("shape", [["round"], ["oval"]], [0, 1]),
            LevelPoints("smoker", [[False], [True]], [0, 1]),
        ],
        outcome="dead",
        offset=-4.0,
    )


@pytest.fixture
def labelled(tmp_path) -> RiskCard:
    (tmp_path / "labels.toml").write_text(FILE, encoding="utf-8")
    return ward_card().with_labels(tmp_path / "labels.toml")


def test_a_card_says_what_its_labels_say(labelled):
    shown = score_card_of(labelled)
    assert shown.title == "Risk of death within one year"
    assert [block.feature for block in shown.blocks] == [
        "Age (years)",
        "Heart failure",
        "copd",
        "shape",
        "smoker",
    ]
    assert [[line.label for line in block.lines] for block in shown.blocks] == [
        ["≤ 60", "> 60"],
        ["absent", "present"],
        ["no", "yes"],
        ["a circle", "oval"],
        ["no", "yes"],
    ]
    for text in (labelled.to_text(), labelled.to_html(), labelled.to_markdown(), labelled.to_svg()):
        assert "Heart failure" in text
        assert "present" in text


def test_labels_change_no_score_and_no_certificate(labelled):
    rows = {"age": [61], "chf": [1], "copd": [0], "shape": ["round"], "smoker": [True]}
    assert labelled.risk(rows) == ward_card().risk(rows)
    assert replace(labelled, labels=Labels()) == ward_card()
    certified = heart_card().with_labels(Labels(title="T"))
    assert certified.certificate == heart_card().certificate


def test_labels_are_saved_with_the_card(labelled):
    assert RiskCard.from_json(labelled.to_json()) == labelled
    assert '"labels": null' in ward_card().to_json()


def test_an_explanation_speaks_in_labels(labelled):
    row = {"age": 817.1804065554977, "chf": 1, "copd": 1, "shape": "oval", "smoker": False}
    why = labelled.explain(row)
    text = str(why)
    assert "Risk of death within one year: " in text
    assert "1. Heart failure is present: +5" in text
    assert "2. Age is 817.18 (> 60): +3" in text
    assert "3. copd is yes: +2" in text
    assert "Heart failure absent instead of present" in text
    assert why.to_dict()["features"][1]["value"] == 1


def test_a_shortened_value_stays_on_its_line():
    why = ward_card().explain(
        {"age": 60.0000001, "chf": 0, "copd": 0, "shape": "oval", "smoker": False}
    )
    assert why.features[0].shown == "60.0000001"


def test_exports_carry_the_labels_but_keep_the_names_of_columns(labelled):
    assert "death within one year" in card_to_sql(labelled)
    cases = cases_of(labelled)
    assert [one.name for one in cases.features] == ["age", "chf", "copd", "shape", "smoker"]
    assert [case.words for case in cases.features[1].cases] == ["missing", "absent", "present"]


@settings(deadline=None, max_examples=60)
@given(risk_cards())
def test_a_template_that_nobody_changed_changes_nothing(tmp_path_factory, card):
    path = tmp_path_factory.mktemp("labels") / "labels.toml"
    path.write_text(template_of(card, with_words=True), encoding="utf-8")
    again = card.with_labels(path)
    assert score_card_of(again).blocks == score_card_of(card).blocks
    assert (again.title, again.event) == (card.title, card.event)


def test_the_template_of_a_labelled_card_is_its_labels(tmp_path):
    card = counted(odd_card()).with_labels(
        Labels(title="T", caution="Beware.", facts=("F.",), words={"total": "Sum"})
    )
    (tmp_path / "labels.toml").write_text(template_of(card), encoding="utf-8")
    again = card.with_labels(tmp_path / "labels.toml")
    assert again.to_calculator() == card.to_calculator()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("title = ", "is not valid TOML"),
        ("word = 1", "unknown entry 'word'. Did you mean 'words'"),
        ("words = 1", '"words" is 1. It must be a table'),
        ('words = {totl = "x"}', "unknown entry 'totl'. Did you mean 'total'"),
        ("words = {total = 3}", '"total" is 3. It must be a text'),
        ('words = {at_most = "{hih}"}', r"\{hih\}, for which there is no value. Use \{high\}"),
        ('words = {decimal = "\'"}', '"decimal" is "\'"'),
        ('direction = "up"', "\"direction\" is 'up'"),
        ('facts = "x"', '"facts" is not a list'),
        ("title = 1", '"title" is 1'),
        ("[features.age]\nlow = 1", "unknown entry 'low'"),
        ('[features.age]\nlowest = "1"', "\"lowest\" of 'age' is '1'"),
        ("[features.age]\nlowest = 2\nhighest = 1", "above the highest"),
        ("[features.shape.levels]\nround = 1", "the level 'round' of 'shape' is 1"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path, content, message):
    (tmp_path / "labels.toml").write_text(content, encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        load_labels(tmp_path / "labels.toml")


def test_names_and_levels_that_nobody_knows_get_a_warning():
    with pytest.warns(RiskcardWarning, match="'agee', which is not a column .* Did you mean 'age'"):
        mass_card().with_labels(Labels(features={"agee": FeatureLabel("Age")}))
    with pytest.warns(RiskcardWarning, match="the level 'rund' of 'shape', which it lacks"):
        mass_card().with_labels(Labels(features={"shape": FeatureLabel(levels={"rund": "x"})}))
    with pytest.raises(ParameterError, match="'shape' is a category"):
        mass_card().with_labels(Labels(features={"shape": FeatureLabel(lowest=1.0)}))


def test_commands_take_and_write_labels(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ward_card().save("card.json")
    assert main(["labels", "card.json", "-o", "labels.toml"]) == 0
    template = (tmp_path / "labels.toml").read_text(encoding="utf-8")
    assert "# lowest = 18  # as in training" in template
    (tmp_path / "labels.toml").write_text(template.replace('"chf"\nunit', '"Heart"\nunit'))
    capsys.readouterr()
    assert main(["show", "card.json", "--labels", "labels.toml"]) == 0
    assert "Heart" in capsys.readouterr().out
    (tmp_path / "rows.csv").write_text("age,job,died\n50,a,1\n60,b,0\n")
    assert main(["labels", "rows.csv", "--target", "died"]) == 0
    found = capsys.readouterr().out
    assert 'title = "Risk of died"' in found
    assert re.findall(r"^\[(.*)\]$", found, re.MULTILINE) == [
        'features."age"',
        'features."job"',
        'features."job".levels',
    ]
    assert main(["labels", "rows.csv", "--words"]) == 2
    assert "--words and --labels are for a card" in capsys.readouterr().err
