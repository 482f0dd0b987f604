"""Error rates by group in a validation: recomputed by hand, on the page, as text and as a table."""

from __future__ import annotations

import json

import numpy as np
import pytest

from riskcard import FeaturePoints, RiskCard, validate
from riskcard.errors import ParameterError

CARD = RiskCard([FeaturePoints("age", [50, 60], [0, 2, 4])], base=-2, multiplier=2)


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(5)
    age = random.integers(30, 80, 600).astype(float)
    sex = random.choice(["f", "m", "m"], 600)
    y = random.random(600) < 1 / (1 + np.exp(-(age - 55) / 12 - (sex == "m") / 2))
    return {"age": age, "sex": sex.tolist()}, y, sex


def test_rates_and_differences_are_those_counted_by_hand(rows):
    X, y, sex = rows
    table = validate(CARD, X, y, by="sex", flag_from=[0.5], n_bootstraps=20).tables()["fairness"]
    flagged = CARD.risk(X) >= 0.5
    rates = {}
    for row in table:
        own = sex == row["group"]
        rates[row["group"]] = flagged[own & ~y].mean(), (~flagged)[own & y].mean()
        assert row["flagged"] == pytest.approx(flagged[own].mean())
        assert row["positive_value"] == pytest.approx(y[own & flagged].mean())
        assert (row["false_positive"], row["false_negative"]) == pytest.approx(rates[row["group"]])
        assert row["false_positive_low"] < row["false_positive"] < row["false_positive_high"]
    female, male = table
    assert male["reference"] == "m"
    assert male["false_positive_difference"] is None
    gap = rates["f"][0] - rates["m"][0]
    assert female["false_positive_difference"] == pytest.approx(gap)


def test_ranges_are_in_their_order(rows):
    X, y, _ = rows
    found = validate(CARD, X, y, by="age", cuts={"age": [40, 60]}, flag_from=[0.5], n_bootstraps=20)
    names = [row["group"] for row in found.tables()["fairness"]]
    assert names == ["≤ 40", "> 40 to ≤ 60", "> 60"]


def test_errors_are_shown_as_text_and_on_the_page(rows):
    X, y, _ = rows
    found = validate(CARD, X, y, by="sex", flag_from=[0.3, 0.5], n_bootstraps=20)
    assert "Errors by sex" in str(found)
    assert len(json.loads(found.to_json())["fairness"]) == 1
    pytest.importorskip("matplotlib")
    page = found.to_html()
    assert "Errors in each group" in page
    assert page.count("acting from a risk of") == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"flag_from": [0.5]}, "none are named"),
        ({"flag_from": [1.5], "by": "sex"}, "between 0 and 1"),
        ({"flag_from": [0.5], "by": {"all": ["a"] * 600}}, "nothing to compare"),
    ],
)
def test_comparisons_that_make_no_sense_are_refused(rows, options, words):
    X, y, _ = rows
    with pytest.raises(ParameterError, match=words):
        validate(CARD, X, y, n_bootstraps=20, **options)
