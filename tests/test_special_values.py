"""Special values: every one may be on either side of a cut, in whatever order they are listed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from riskcard import (
    CardRules,
    FeaturePoints,
    FeatureRule,
    RiskCard,
    RiskScoreClassifier,
    audit_card,
    recalibrate,
)
from riskcard.encoding.special_values import most_specials

NAN = float("nan")


def fit(x, y, codes, **settings):
    rules = CardRules({"x0": FeatureRule(codes=codes)})
    model = RiskScoreClassifier(1, certify=True, rules=rules, regularization=None, **settings)
    return model.fit(x[:, None], y)


def test_no_card_with_special_values_on_either_side_of_its_cut_refutes_the_bound():
    rng = np.random.default_rng(0)
    x = rng.choice([*range(8), -7, -8, NAN], 400)
    y = (rng.random(400) < np.where((x == -7) | ((x >= 0) & (x <= 4)), 0.15, 0.6)).astype(int)
    model = fit(x, y, [-7, -8])
    assert model.status_ == "optimal"
    by_hand = RiskCard([FeaturePoints("x0", [4], [0, 1], missing=1, codes=[(-7, 0), (-8, 1)])])
    refitted = recalibrate(by_hand, {"x0": x}, y)
    log_odds = refitted.log_odds({"x0": x})
    loss = float(np.logaddexp(0.0, np.where(y == 1, -log_odds, log_odds)).sum())
    assert model.lower_bound_ <= loss
    assert model.loss_ == pytest.approx(loss, rel=1e-6)


@pytest.mark.parametrize("codes", [[-9, -8, -7], [-9, -8, -7, -6, -5, -4]])
def test_the_order_in_which_special_values_are_listed_does_not_matter(codes):
    rng = np.random.default_rng(5)
    x = rng.choice([*codes, 0.0, 1.0, 2.0, 3.0], 200)
    y = (rng.random(200) < np.where(np.isin(x, [-8, -7]), 0.8, 0.25)).astype(int)
    orders = list(itertools.permutations(codes))[:: 1 if len(codes) == 3 else 180]
    models = [fit(x, y, order) for order in orders]
    assert {model.status_ for model in models} == {"optimal"}
    assert len({model.loss_ for model in models}) == 1
    assert len({model.card_.features for model in models}) == 1


def test_more_special_values_than_can_be_told_apart_are_merged_and_the_card_says_so():
    rng = np.random.default_rng(2)
    codes = [-1.0, -2.0, -3.0, -4.0, -5.0]
    x = rng.choice([*codes, NAN, 0.0, 1.0], 600)
    risky = np.isin(x, [-1, -4]) | (x == 1)
    y = (rng.random(600) < np.where(risky, 0.8, 0.2)).astype(int)
    model = fit(x, y, codes)
    assert any("special values with similar event rates" in note for note in model.result_.notes)
    [feature] = model.card_.features
    worth = dict(feature.codes)
    assert set(worth) == set(codes)
    assert worth[-1] == worth[-4] == feature.points[-1] != feature.points[0] == worth[-2]
    assert feature.missing == feature.points[0]
    assert audit_card(model, x[:, None], y).passed


@pytest.mark.parametrize(
    ("n_rows", "n_bins", "most"),
    [(100, 10, 4), (100, 1251, 3), (100, 2501, 2), (100_000, 10, 3), (10**6, 10, 2)],
)
def test_fewer_special_values_are_told_apart_where_that_takes_many_conditions(n_rows, n_bins, most):
    assert most_specials(n_rows, n_bins) == most


def test_missing_values_do_not_make_a_bin_large_enough():
    """200 rows are missing and have the points of 6 rows above 90, which are no bin of 50 rows."""
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(0, 90, 400), np.full(6, 95.0), np.full(200, np.nan)])
    y = rng.random(x.size) < np.where(np.isnan(x) | (x > 90), 0.9, np.where(x > 45, 0.5, 0.1))
    rules = CardRules(min_bin_rows=50)
    model = RiskScoreClassifier(4, regularization=None, rules=rules, certify=True).fit(
        x[:, None], y
    )
    assert model.status_ == "optimal"
    for feature in model.card_.features:
        bins = [line for line in feature.lines() if line.is_ordinary]
        assert len(bins) > 1
        assert min(line.rows for line in bins) >= 50
