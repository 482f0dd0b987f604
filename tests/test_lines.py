"""The lines of a feature: every value falls on the one that it meets, and all points are on them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards import mass_card, risk_cards, values_of
from riskcard import CardRules, FeatureRule, ParameterError, RiskCard, RiskScoreClassifier
from riskcard.model.feature_points import FeaturePoints, LevelPoints, level_key
from riskcard.model.lines import LineKind
from riskcard.model.rows.lookup import look_up
from riskcard.model.value_range import ValueRange


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


@given(risk_cards())
def test_the_points_of_lines_are_known_without_the_lines(card):
    for feature in card.features:
        assert feature.line_points == tuple(line.points for line in feature.lines())
        assert feature.possible_points == set(feature.line_points)


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


def labels_of(cuts, seen):
    return [
        line.label
        for line in FeaturePoints("x", cuts, range(len(cuts) + 1), training_range=seen).lines()
    ]


@pytest.mark.parametrize(
    ("cuts", "seen", "labels"),
    [
        ([0], ValueRange(0, 1, True), ["no", "yes"]),
        ([0.5], ValueRange(0, 1, True), ["no", "yes"]),
        ([0.5], ValueRange(0, 1, False), ["≤ 0.5", "> 0.5"]),
        ([3], ValueRange(0, 1, True), ["≤ 3", "> 3"]),
        ([0, 1], ValueRange(0, 1, True), ["≤ 0", "> 0 to ≤ 1", "> 1"]),
        ([0, 1, 3], ValueRange(0, 9, True), ["0", "1", "2 to 3", "4 or more"]),
        ([3], ValueRange(1, 10, True), ["1 to 3", "4 or more"]),
        ([2.4], ValueRange(1, 10, True), ["1 to 2", "3 or more"]),
        ([2.4, 2.6], ValueRange(1, 10, True), ["≤ 2.4", "> 2.4 to ≤ 2.6", "> 2.6"]),
        ([60], ValueRange(18, 97, True), ["≤ 60", "> 60"]),
        ([0], ValueRange(-3, 9, True), ["≤ 0", "> 0"]),
        ([0], None, ["≤ 0", "> 0"]),
        ([], ValueRange(0, 1, True), ["any value"]),
    ],
)
def test_zero_and_one_read_no_and_yes_and_small_whole_numbers_as_counts(cuts, seen, labels):
    assert labels_of(cuts, seen) == labels


@given(
    st.lists(st.floats(-1, 12).map(lambda cut: round(cut, 1)), max_size=4, unique=True).map(sorted),
    st.integers(0, 3),
    st.integers(4, 10),
)
def test_a_count_that_a_line_names_has_its_points(cuts, lowest, highest):
    feature = FeaturePoints(
        "x", cuts, range(len(cuts) + 1), training_range=ValueRange(lowest, highest, True)
    )
    for line in feature.lines():
        if line.phrase in ("just", "from_to", "or_more"):
            ends = [line.first, line.last if line.last < math.inf else line.first + 5]
            assert feature.points_of(ends).tolist() == [line.points] * 2
            below = line.first - 1
            assert below < lowest or feature.points_of([below])[0] != line.points


def test_training_values_are_stored_without_codes_and_missing_values():
    X = np.array([[0, 0, 1, 2, 5, -9, np.nan, 0] * 20]).T
    y = [0, 0, 1, 1, 1, 0, 1, 0] * 20
    rules = CardRules(features={"x0": FeatureRule(codes=[-9])})
    card = RiskScoreClassifier(max_terms=2, rules=rules, random_state=0).fit(X, y).card_
    assert card.features[0].training_range == ValueRange(0, 5, is_whole=True)
    assert RiskCard.from_json(card.to_json()) == card


def test_a_range_that_makes_no_sense_is_refused():
    with pytest.raises(ParameterError, match="The lowest value is 3, above the highest, 2"):
        ValueRange(3, 2, is_whole=True)
