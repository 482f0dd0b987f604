"""Changes of a card by hand: what they do, what they refuse, and that nothing proven is left on the card."""

from functools import cache

import numpy as np
import pytest

from riskcard.errors import ParameterError
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.studio.choices import Choices
from riskcard.studio.state.edits import edit_card, finished
from riskcard.studio.state.pins import read_pins, rules_of
from riskcard.studio.table.pricing import Referee, totals_of
from studio_rows import referee_of, rows_of


@cache
def referee() -> Referee:
    return referee_of(rows_of())


def card_of(*features) -> RiskCard:
    return finished(RiskCard(features), referee())


@cache
def whole_card() -> RiskCard:
    return card_of(
        FeaturePoints("age", [50, 70], [0, 1, 3]),
        FeaturePoints("dose", [5.0], [0, 1], missing=2),
        LevelPoints("kind", [["a", "b"], ["c", "d"]], [0, 2]),
    )


def feature_after(name: str, **edit):
    card = edit_card(whole_card(), {"feature": name, **edit}, referee())
    return next((one for one in card.features if one.name == name), None)


def test_points_of_bins_groups_and_missing_values_are_set():
    assert feature_after("age", what="points", line=1, points=-4).points == (0, -4, 3)
    assert feature_after("dose", what="points", line=2, points=7).missing == 7
    assert feature_after("kind", what="points", line=0, points=1).points == (1, 2)


def test_points_of_a_code_are_set():
    card = card_of(FeaturePoints("age", [50], [0, 1], codes=[(61, 2), (62, 3)]))
    edit = {"what": "points", "feature": "age", "line": 3, "points": 5}
    assert edit_card(card, edit, referee()).features[0].codes == ((61, 2), (62, 5))


def test_a_cut_is_moved_added_and_removed():
    assert feature_after("age", what="cut", place=0, cut=55).cuts == (55, 70)
    added = feature_after("age", what="add cut", cut=60)
    assert (added.cuts, added.points) == ((50, 60, 70), (0, 1, 1, 3))
    removed = feature_after("age", what="remove cut", place=0)
    assert removed.cuts == (70,)
    assert removed.points in ((0, 3), (1, 3))


def test_bins_that_are_joined_have_the_points_of_the_larger_one():
    rows = whole_card().features[0].rows
    larger = 0 if rows[0] >= rows[1] else 1
    removed = feature_after("age", what="remove cut", place=0)
    assert removed.points[0] == whole_card().features[0].points[larger]


def test_a_new_cut_divides_rows():
    added = feature_after("age", what="add cut")
    assert len(added.cuts) == 3
    assert min(added.rows) > 0


def test_a_feature_without_cuts_leaves_the_card():
    card = card_of(FeaturePoints("age", [50], [0, 1]))
    edit = {"what": "remove cut", "feature": "age", "place": 0}
    assert edit_card(card, edit, referee()).features == ()


def test_the_card_without_features_gives_everyone_the_same_risk():
    card = card_of(FeaturePoints("age", [50], [0, 1]))
    empty = edit_card(card, {"what": "remove", "feature": "age"}, referee())
    rows = referee().rows
    risks = empty.risk_of_total(totals_of(empty, rows))
    assert np.ptp(risks) == 0
    assert 0.2 < risks[0] < 0.8


def test_levels_move_between_groups_and_into_their_own():
    moved = feature_after("kind", what="level", level="b", group=1)
    assert moved.groups == (("a",), ("c", "d", "b"))
    alone = feature_after("kind", what="level", level="b", group=2)
    assert (alone.groups, alone.points) == ((("a",), ("c", "d"), ("b",)), (0, 2, 0))


@pytest.mark.parametrize("name", ["age", "dose", "kind"])
def test_an_added_feature_has_a_point_where_the_event_is_more_frequent(name):
    card = card_of()
    added = edit_card(card, {"what": "add", "feature": name}, referee()).features[0]
    rates = [e / r for r, e in zip(added.rows[:2], added.events[:2], strict=True)]
    assert sorted(added.points) == [0, 1]
    assert (rates[0] < rates[1]) == (added.points[0] < added.points[1])
    assert (added.missing is None) == (name != "dose")


def test_a_changed_card_has_no_certificate_and_counts_of_its_own():
    edit = {"what": "cut", "feature": referee().best.features[0].name, "place": 0, "cut": 60}
    card = edit_card(referee().best, edit, referee())
    assert referee().best.certificate is not None
    assert card.certificate is None
    assert card.recipe is None
    assert sum(card.features[0].rows) == card.training.rows == referee().rows.is_event.size
    assert sum(one.rows for one in card.training.totals) == card.training.rows


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ({"what": "points", "feature": "age", "line": 9, "points": 1}, "no line 9"),
        ({"what": "points", "feature": "age", "line": 0, "points": 1.5}, "1.5"),
        ({"what": "points", "feature": "age", "line": 0, "points": 10**9}, "too many"),
        ({"what": "points", "feature": "age", "line": -1, "points": 1}, "-1"),
        ({"what": "cut", "feature": "age", "place": 0, "cut": 70}, "between its neighbours"),
        ({"what": "cut", "feature": "age", "place": 0, "cut": float("nan")}, "nan"),
        ({"what": "cut", "feature": "age", "place": 5, "cut": 70}, "no cut 5"),
        ({"what": "cut", "feature": "kind", "place": 0, "cut": 70}, "no cut 0"),
        ({"what": "add cut", "feature": "age", "cut": 70}, "already"),
        ({"what": "add cut", "feature": "kind", "cut": 70}, "levels, not cuts"),
        ({"what": "level", "feature": "age", "level": "a", "group": 0}, "cannot be moved"),
        ({"what": "level", "feature": "kind", "level": "z", "group": 0}, "no level 'z'"),
        ({"what": "level", "feature": "kind", "level": "a", "group": 9}, "no group 9"),
        ({"what": "add", "feature": "age"}, "already"),
        ({"what": "add", "feature": "nothing"}, "no column 'nothing'"),
        ({"what": "nonsense", "feature": "age"}, "no change 'nonsense'"),
        ({}, "no column None"),
    ],
    ids=str,
)
def test_a_change_that_makes_no_sense_is_refused(edit, words):
    with pytest.raises(ParameterError, match=words):
        edit_card(whole_card(), edit, referee())


def test_a_column_that_is_not_on_the_card_cannot_be_changed():
    with pytest.raises(ParameterError, match="not on the card"):
        edit_card(card_of(), {"what": "remove", "feature": "age"}, referee())


# --- pins ----------------------------------------------------------------------------------------


def test_pins_become_the_rules_that_keep_them():
    card = card_of(FeaturePoints("age", [50, 70], [0, 2, 4]))
    pins = read_pins({"age": ["points", "rises"], "dose": ["never"], "kind": ["use"]})
    rules = rules_of(pins, card)
    assert rules.rule_of("age").fixed_cuts == (50, 70)
    assert rules.rule_of("age").points == (2, 2)
    assert rules.rule_of("age").direction == "rises"
    assert rules.rule_of("dose").use == "never"
    assert rules.rule_of("kind").use == rules.rule_of("age").use == "must"
    assert rules_of({}, card) is None


def test_a_direction_alone_does_not_force_a_column_onto_the_card():
    rule = rules_of(read_pins({"age": ["falls"]}), whole_card()).rule_of("age")
    assert (rule.direction, rule.use) == ("falls", "may")


def test_a_pinned_column_keeps_its_codes():
    choices = Choices.of({"codes": {"age": [-9]}})
    rule = rules_of(read_pins({"age": ["use"]}), None, choices.code_rules).rule_of("age")
    assert (rule.codes, rule.use) == ((-9,), "must")


@pytest.mark.parametrize(
    ("pins", "words"),
    [
        ({"age": ["never", "use"]}, "Choose one"),
        ({"age": ["rises", "falls"]}, "rise and to fall"),
        ({"age": ["all"]}, "Use some of"),
        ({"age": "use"}, "Use some of"),
        (["age"], "Give the pins"),
    ],
    ids=str,
)
def test_pins_that_contradict_each_other_are_refused(pins, words):
    with pytest.raises(ParameterError, match=words):
        read_pins(pins)


def test_points_that_a_rule_cannot_hold_are_not_pinned():
    with pytest.raises(ParameterError, match="different numbers"):
        rules_of({"age": ("points",)}, whole_card())
    with pytest.raises(ParameterError, match="no cuts"):
        rules_of({"kind": ("cuts",)}, whole_card())


@pytest.mark.parametrize("wrong", [["cut"], {"a": 1}, [], {}, None, 5], ids=repr)
def test_a_change_or_column_that_is_no_text_is_refused(wrong):
    with pytest.raises(ParameterError, match="There is no change"):
        feature_after("age", what=wrong)
    with pytest.raises(ParameterError, match="There is no column"):
        feature_after(wrong, what="points", line=0, points=1)


@pytest.mark.parametrize("cut", [1e308, -1e308, 1e12])
def test_a_cut_far_from_all_values_is_refused(cut):
    for edit in ({"what": "add cut"}, {"what": "cut", "place": 0}):
        with pytest.raises(ParameterError, match=r"is far from its values, which go from .* Use a"):
            feature_after("dose", cut=cut, **edit)
    with pytest.raises(ParameterError, match="has levels, not cuts"):
        feature_after("kind", what="add cut", cut=cut)
