"""Values with too few rows stand for a typical one, before the search and in the proof."""

import numpy as np
import pytest

from riskcard import CardRules, FeatureRule, RiskCard, RiskScoreClassifier, audit_card, improve
from riskcard.data.table import make_table
from riskcard.encoding.rare_values import fitting_line_rows, tie_rare_values

pd = pytest.importorskip("pandas")

NAN = float("nan")


def rows_with_rare_values(label: int, n_rows: int = 400):
    """One row each with a missing age, a special age and a rare kind; all have the label."""
    rng = np.random.default_rng(0)
    age = rng.integers(20, 90, n_rows).astype(float)
    kind = rng.choice(["a", "b", "c"], n_rows).astype(object)
    y = rng.random(n_rows) < 1 / (1 + np.exp(-(age - 60) / 10 - 2.0 * (kind == "c")))
    y = y.astype(int)
    age[0], age[1], kind[2] = NAN, -9.0, "rare"
    y[:3] = label
    return pd.DataFrame({"age": age, "kind": kind}), y


RULES = CardRules({"age": FeatureRule(codes=(-9,))})


def test_the_label_of_one_row_does_not_decide_what_a_value_is_worth():
    for label in (0, 1):
        X, y = rows_with_rare_values(label)
        model = RiskScoreClassifier(4, rules=RULES, certify=True).fit(X, y)
        assert model.status_ == "optimal"
        assert audit_card(model, X, y).passed
        assert RiskCard.from_json(model.card_.to_json()) == model.card_
        age, kind = model.card_.features
        assert (age.too_few, kind.too_few) == ((None, -9.0), ("rare",))
        # the points are those of the median, and of a common level, whatever the label is
        median = float(np.sort(X["age"][X["age"] > 0])[198])
        worth = age.points_of([median])[0]
        assert (age.missing, age.codes) == (worth, ((-9.0, worth),))
        assert next(own for own in kind.groups if "rare" in own) != ("rare",)


def test_the_card_says_which_values_were_too_rare():
    X, y = rows_with_rare_values(1)
    model = RiskScoreClassifier(4, rules=RULES).fit(X, y)
    text = " ".join(model.card_.to_text().split())
    assert "Too few training rows to judge, so scored as a typical value: age missing" in text
    assert "values with fewer than 20 rows" in text
    assert model.card_.recipe.resolved["min_line_rows"] == 20
    again = RiskScoreClassifier.from_recipe(model.card_.recipe).fit(X, y)
    assert again.card_.features == model.card_.features


def test_without_regularization_every_value_is_judged():
    X, y = rows_with_rare_values(1)
    card = RiskScoreClassifier(4, rules=RULES, regularization=None).fit(X, y).card_
    assert all(feature.too_few == () for feature in card.features)
    assert card.certificate.min_line_rows == 1
    kept = improve(card, X, y, estimator=RiskScoreClassifier(4, rules=RULES))
    assert kept.certificate.min_line_rows == 1


def test_rare_levels_with_enough_rows_together_are_one_level():
    kind = np.repeat(["a", "b", "x", "y", "z"], [100, 80, 8, 9, 7])
    y = np.tile([0, 1, 1], 68)
    table = make_table(pd.DataFrame({"kind": kind}), y)
    tied, ties = tie_rare_values(table, CardRules(), 20)
    assert {tie.value: tie.stands_for for tie in ties} == {"x": "y", "z": "y"}
    assert all(tie.is_pooled for tie in ties)
    assert np.unique(tied.values).size == 3
    # one by one they are too few
    _, ties = tie_rare_values(table, CardRules(), 30)
    assert {tie.value for tie in ties} == {"x", "y", "z"}
    assert {tie.stands_for for tie in ties} <= {"a", "b"}
    assert not any(tie.is_pooled for tie in ties)


def test_a_column_of_rare_levels_alone_is_one_level():
    """Otherwise many levels without any meaning would be divided as chance has it."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(20, 80, 400), "month": rng.integers(0, 40, 400)})
    X["month"] = X["month"].map("m{}".format)
    X.loc[:4, "month"] = None
    y = (X["age"] + rng.normal(0, 15, 400) > 60).astype(int)
    table = make_table(X, y)
    tied, ties = tie_rare_values(table, CardRules(), 20)
    assert np.unique(tied.values[:, 1]).size == 1
    assert {tie.value for tie in ties if not tie.is_pooled} == {None}
    card = RiskScoreClassifier(3).fit(X, y).card_
    assert [feature.name for feature in card.features] == ["age"]


def test_common_values_are_left_alone():
    X, y = rows_with_rare_values(1)
    table = make_table(X.iloc[3:], y[3:])
    tied, ties = tie_rare_values(table, RULES, 20)
    assert tied is table
    assert ties == ()


@pytest.mark.parametrize(
    ("n_rows", "n_events", "least"),
    [(100, 50, 5), (400, 200, 20), (600, 300, 30), (100_000, 50_000, 30), (100_000, 100, 1000),
     (100_000, 99_900, 1000), (2000, 100, 30), (10, 5, 1)],
)  # fmt: skip
def test_how_many_rows_are_enough(n_rows, n_events, least):
    labels = np.repeat([1, -1], [n_events, n_rows - n_events]).astype(np.int8)
    assert fitting_line_rows(labels) == least
