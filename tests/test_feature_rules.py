"""Rules are kept as they were meant; those that cannot hold are refused with the reason."""

import copy
import pickle

import numpy as np
import pytest

from riskcard import CardRules, FeatureGroup, FeatureRule, ParameterError


def test_values_become_plain():
    rule = FeatureRule(
        points=[np.int64(-2), 3], cuts=np.array([1, 2.5]), max_cuts=np.int32(2), cost=1, codes=[-9]
    )
    assert (rule.points, rule.cuts, rule.max_cuts) == ((-2, 3), (1.0, 2.5), 2)
    assert (rule.cost, rule.codes) == (1.0, (-9.0,))
    assert all(type(cut) is float for cut in rule.cuts)
    assert type(rule.max_cuts) is int


def test_a_rule_without_fields_rules_nothing():
    rule = FeatureRule()
    assert (rule.direction, rule.points, rule.use, rule.cuts) == (None, None, "may", None)
    assert CardRules().rule_of("anything") == rule


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"direction": "up"}, "direction is 'up'. Use one of 'rises', 'falls' or None"),
        ({"direction": 1}, "direction is 1"),
        ({"use": None}, "use is None. Use one of 'may', 'must', 'never'"),
        ({"use": "Must"}, "use is 'Must'"),
        ({"points": 3}, "points is 3. Use a list of numbers"),
        ({"points": "03"}, "points is '03'. Use a list"),
        ({"points": (1, 2, 3)}, r"points is \(1, 2, 3\). Use two whole numbers"),
        ({"points": (0.5, 2)}, "One of points is 0.5. Use a whole number"),
        ({"points": (2, 1)}, "points is from 2 to 1. Give the smaller number first"),
        ({"points": (0, 0)}, "points is from 0 to 0. Leave the feature out"),
        ({"cuts": 5}, "cuts is 5. Use a list of numbers"),
        ({"cuts": []}, "cuts is empty"),
        ({"cuts": [2, 1]}, r"cuts is \[2.0, 1.0\]. Give ascending numbers"),
        ({"cuts": [1, 1]}, "each once"),
        ({"cuts": [1, np.nan]}, "One of cuts is nan. Use a finite number"),
        ({"fixed_cuts": [1, "2"]}, "One of fixed_cuts is '2'"),
        ({"max_cuts": 0}, "max_cuts is 0. Leave the feature out by use='never'"),
        ({"max_cuts": -1}, "max_cuts is -1. Use a whole number of at least 1"),
        ({"max_cuts": 1.5}, "max_cuts is 1.5"),
        ({"cost": -1}, "cost is -1. Use a number that is not negative"),
        ({"cost": None}, "cost is None"),
        ({"codes": [-9, -9.0]}, "Give each code once"),
        ({"codes": [np.inf]}, "One of codes is inf"),
        ({"cuts": [1], "fixed_cuts": [1]}, "cuts and fixed_cuts are both given"),
        ({"fixed_cuts": [1, 2, 3], "max_cuts": 2}, "fixed_cuts has 3 cuts, but max_cuts allows 2"),
        ({"direction": "rises", "points": (-3, 0)}, "'rises', but .* -3 to 0 points"),
        ({"direction": "falls", "points": (1, 2)}, "'falls', but .* 1 to 2 points"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(fields, message):
    with pytest.raises(ParameterError, match=message):
        FeatureRule(**fields)


def test_rules_that_are_narrow_but_can_hold_are_kept():
    assert FeatureRule(direction="rises", points=(-3, 1)).points == (-3, 1)
    assert FeatureRule(direction="falls", points=(-3, -2)).points == (-3, -2)
    assert FeatureRule(points=(2, 2)).points == (2, 2)
    assert FeatureRule(fixed_cuts=[1, 2], max_cuts=2).max_cuts == 2


MUST = FeatureRule(use="must", cost=2)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"features": [("a", MUST)]}, "Give a mapping from name to FeatureRule"),
        ({"features": {"a": {"use": "must"}}}, r"rule of 'a' is \{'use': 'must'\}"),
        ({"features": {3: MUST}}, "rule of 3 is"),
        ({"groups": [["a", "b"]]}, r"A group is \['a', 'b'\]. Use a FeatureGroup"),
        ({"budget": -1}, "budget is -1"),
        ({"budget": "5"}, "budget is '5'"),
    ],
)
def test_parts_of_the_wrong_kind_are_refused(parts, message):
    with pytest.raises(ParameterError, match=message):
        CardRules(**parts)


def test_parts_of_a_group_are_checked():
    with pytest.raises(ParameterError, match="has the feature 'a' twice"):
        FeatureGroup(["a", "b", "a"], 1)
    with pytest.raises(ParameterError, match=r"features of a group are 'ab'. Give a list"):
        FeatureGroup("ab", 1)
    with pytest.raises(ParameterError, match="at_most of a group is 0"):
        FeatureGroup(["a"], 0)


def test_more_musts_than_a_group_allows_are_refused():
    features = {"a": MUST, "b": MUST, "c": MUST}
    CardRules(features, [FeatureGroup(["a", "b"], 2)])
    with pytest.raises(ParameterError, match=r"'a' and 'b' must all be used, but .* allows 1"):
        CardRules(features, [FeatureGroup(["a", "b", "d"], 1)])


def test_musts_beyond_the_budget_are_refused():
    features = {"a": MUST, "b": MUST, "c": FeatureRule(cost=100)}
    assert CardRules(features, budget=4).budget == 4.0
    with pytest.raises(ParameterError, match=r"'a' and 'b' must be used and cost 4, but .* is 3.9"):
        CardRules(features, budget=3.9)
    tenths = {name: FeatureRule(use="must", cost=0.1) for name in "abc"}
    CardRules(tenths, budget=0.3)  # although 0.1 + 0.1 + 0.1 > 0.3 in floats


def test_misspelt_features_are_named_with_the_nearest():
    rules = CardRules({"presure": FeatureRule()})
    rules.check_names(["presure", "age"])
    with pytest.raises(ParameterError, match=r"rules name 'presure'.* Did you mean 'pressure'"):
        rules.check_names(["age", "pressure"])
    with pytest.raises(ParameterError, match="The features are 'age', 'bmi'"):
        rules.check_names(["age", "bmi"])
    grouped = CardRules(groups=[FeatureGroup(["age", "zzz"], 1)])
    with pytest.raises(ParameterError, match=r"'zzz', but no feature has that name. Check the sp"):
        grouped.check_names(["age", *(f"x{i}" for i in range(20))])


def test_rules_can_be_cut_down_to_some_features():
    rules = CardRules(
        {"a": MUST, "b": FeatureRule(max_cuts=1)},
        [FeatureGroup(["a", "b", "c"], 2), FeatureGroup(["b", "d"], 1)],
        budget=7,
    )
    assert rules.only(["a", "c"]) == CardRules({"a": MUST}, [FeatureGroup(["a", "c"], 2)], budget=7)
    assert rules.only("abcd") == rules
    with pytest.raises(ParameterError, match="'a' must be used by the rules, but is not among"):
        rules.only(["b"])


def test_rules_are_copied_pickled_and_compared():
    rules = CardRules({"a": MUST}, [FeatureGroup(["a", "b"], 1)], budget=3)
    assert copy.deepcopy(rules) == rules
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert rules != CardRules({"a": MUST}, [FeatureGroup(["a", "b"], 1)], budget=4)
    features = {"a": MUST}
    made = CardRules(features)
    features["b"] = FeatureRule()
    assert list(made.features) == ["a"]
