"""The lines of a feature: every value falls on the one that it meets, and all points are on them."""

import math

import pytest
from hypothesis import given, settings

from cards import mass_card, risk_cards, values_of
from riskcard.model.feature_points import FeaturePoints, LevelPoints, level_key
from riskcard.model.lines import LineKind
from riskcard.model.lookup import look_up


def meets(value, line, lines) -> bool:
    """Whether a value meets a line, by what the line says of itself."""
    if line.kind is LineKind.MISSING or value is None:
        return line.kind is LineKind.MISSING and value is None
    if line.kind is LineKind.RANGE:
        codes = [one.values[0] for one in lines if one.kind is LineKind.CODE]
        return line.low < value <= line.high and value not in codes
    return level_key(value) in map(level_key, line.values)


@settings(max_examples=60)
@given(risk_cards())
def test_every_value_meets_one_line_and_gets_its_points(card):
    for feature in card.features:
        values, lines = values_of(feature), feature.lines()
        found = look_up(feature, values)
        for value, place, points in zip(values, found.lines, found.points, strict=True):
            assert [meets(value, line, lines) for line in lines].index(True) == place
            assert sum(meets(value, line, lines) for line in lines) == 1
            assert lines[place].points == points


@settings(max_examples=60)
@given(risk_cards())
def test_lines_say_all_that_the_feature_says(card):
    for feature in card.features:
        lines = feature.lines()
        ordinary = [line for line in lines if line.is_ordinary]
        assert tuple(line.points for line in ordinary) == feature.points
        assert [line.is_usual for line in lines].count(True) == (feature.usual is not None)
        codes = [(one.values[0], one.points) for one in lines if one.kind is LineKind.CODE]
        assert tuple(codes) == feature.codes
        assert feature.cuts == tuple(one.high for one in ordinary[:-1] if not feature.levels)
        assert feature.levels == tuple(v for one in ordinary for v in one.values)
        assert (lines[-1].kind is LineKind.MISSING) == (feature.missing is not None)


def test_lines_are_in_the_order_of_the_card():
    labels = [[line.label for line in feature.lines()] for feature in mass_card().features]
    assert labels[0] == ["≤ 45", "> 45 to ≤ 60", "> 60", "-9", "missing"]
    assert labels[2][-1] == "missing"


@pytest.mark.parametrize(
    ("changes", "label"),
    [({}, "any value"), ({"missing": 1}, "not missing"), ({"codes": [(9, 1)]}, "any other value")],
)
def test_a_bin_without_limits_says_what_else_there_is(changes, label):
    line = FeaturePoints("age", [], [0], **changes).lines()[0]
    assert (line.label, line.low, line.high) == (label, -math.inf, math.inf)


def test_the_two_kinds_of_features_answer_to_the_same_names():
    age, shape = FeaturePoints("age", [1], [0, 1]), LevelPoints("shape", [["a"], ["b"]], [0, 1])
    assert (age.levels, age.is_ordered) == ((), True)
    assert (shape.cuts, shape.codes, shape.is_ordered) == ((), (), False)
