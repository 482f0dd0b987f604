"""A data dictionary for REDCap: a form that can be uploaded, and equations that give total and risk."""

import csv
import re

import pytest
from hypothesis import given, settings

from cards import heart_card, mass_card
from export_rows import mixed_card, odd_card, rows_of, scores_of, typed_cards
from redcap import evaluate
from riskcard.errors import ParameterError
from riskcard.export.clinical.redcap import COLUMNS, field_names
from riskcard.export.formats import render
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import LevelPoints
from riskcard.model.words.labels import FeatureLabel, Labels

FIELD_TYPES = {"text", "radio", "yesno", "calc"}


def dictionary_of(card):
    """The fields of an export by name, in order."""
    rows = list(csv.DictReader(render(card, "redcap").splitlines(keepends=True)))
    return {row["Variable / Field Name"]: row for row in rows}


def equation(fields, name):
    return fields[name]["Choices, Calculations, OR Slider Labels"]


def entered(card, fields, row):
    """What a person enters for a row; None for a value that no field takes."""
    inputs = [name for name, field in fields.items() if field["Field Type"] != "calc"][1:]
    values = {}
    for feature, name in zip(card.features, inputs, strict=True):
        value = row[feature.name]
        if value is None:
            values[name] = ""
        elif fields[name]["Field Type"] == "text":
            values[name] = value
        elif fields[name]["Field Type"] == "yesno":
            values[name] = str(int(value))
        elif value in feature.levels:
            values[name] = str(feature.levels.index(value) + 1)
        else:
            return None
    return values


def assert_equations_give_the_scores(card):
    fields, tried = dictionary_of(card), 0
    rows = rows_of(card)
    for row, expected in zip(rows, scores_of(card, rows), strict=True):
        values = entered(card, fields, row)
        if values is None:
            continue
        tried += 1
        total = evaluate(equation(fields, "risk_total"), values)
        risk = evaluate(equation(fields, "risk_percent"), {"risk_total": total})
        if expected is None:
            assert total == risk == ""
        else:
            assert total == expected[0]
            assert risk == pytest.approx(100 * expected[1], abs=0.00501)
    assert tried


@pytest.mark.parametrize("card", [heart_card(), mass_card(), odd_card(), RiskCard([], base=3)])
def test_the_equations_give_the_total_and_the_risk(card):
    assert_equations_give_the_scores(card)


@settings(max_examples=40)
@given(typed_cards())
def test_the_equations_of_any_card_give_its_scores(card):
    assert_equations_give_the_scores(card)


@settings(max_examples=40)
@given(typed_cards())
def test_any_card_is_a_dictionary_that_can_be_uploaded(card):
    text = render(card, "redcap")
    header, *rows = csv.reader(text.splitlines(keepends=True))
    assert tuple(header) == COLUMNS
    assert len(header) == 18
    names = [row[0] for row in rows]
    assert names[0] == "record_id"  # the first field identifies the record
    assert len(set(names)) == len(names)
    for row in rows:
        field = dict(zip(header, row, strict=True))
        assert re.fullmatch("[a-z](?:[a-z0-9_]{0,24}[a-z0-9])?", row[0]), row[0]
        assert "__" not in row[0]
        assert field["Field Type"] in FIELD_TYPES
        assert field["Form Name"] == "risk_score"
        assert not set(field["Field Label"]) & set("[]\n")
        if field["Field Type"] == "radio":
            choices = field["Choices, Calculations, OR Slider Labels"].split(" | ")
            codes = [choice.partition(", ")[0] for choice in choices]
            assert codes == [str(number + 1) for number in range(len(choices))]
            assert all(choice.partition(", ")[2] for choice in choices)


def test_labels_and_units_are_shown():
    labels = Labels(features={"age": FeatureLabel("Age at [admission]", unit="years")})
    fields = dictionary_of(mass_card().with_labels(labels))
    assert fields["age"]["Field Label"] == "Age at (admission) (years)"
    assert fields["age"]["Text Validation Type OR Show Slider Number"] == "number"
    assert fields["shape"]["Choices, Calculations, OR Slider Labels"].startswith(
        "1, round | 2, oval"
    )
    assert fields["palpable"]["Field Type"] == "yesno"


def test_names_stay_apart_and_levels_must_be_of_one_kind():
    long = "a very long name of a column, "
    assert field_names([f"{long}1", f"{long}2", "record_id", "日本"]) == [
        "a_very_long_name_of_a_colu",
        "a_very_long_name_of_a_2",
        "record_id_2",
        "feature",
    ]
    one_sided = dictionary_of(RiskCard([LevelPoints("x", [[True]], [1])]))
    assert one_sided["x"]["Choices, Calculations, OR Slider Labels"] == "1, yes"
    with pytest.raises(ParameterError, match="a field of REDCap has"):
        render(mixed_card(), "redcap")
    assert "1, a/b" in render(RiskCard([LevelPoints("x", [["a|b"], ["c"]], [0, 1])]), "redcap")
