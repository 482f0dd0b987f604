"""What people ask for in addition to the best card: pools, improved cards, round cuts, rules."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from optional import pd
from riskcard import (
    CardRules,
    DataError,
    FeaturePoints,
    FeatureRule,
    LevelPoints,
    ParameterError,
    Regularization,
    RiskCard,
    RiskScoreClassifier,
    audit_card,
    find_pool,
    improve,
    recalibrate,
)
from riskcard.data.table import make_table
from riskcard.estimators.learning import KEPT_CONDITIONS
from riskcard.logistic import log_loss
from riskcard.rules.least_bins import LeastBins
from riskcard.search.drivers.round_cuts import count_digits


@pytest.fixture(scope="module")
def table():
    """Numbers with missing values, levels and a plain number; a target that depends on all of them."""
    rng = np.random.default_rng(3)
    n = 400
    age, pressure = rng.integers(20, 90, n).astype(float), rng.normal(130.0, 15.0, n).round(1)
    colour = rng.choice(["red", "green", "blue", "grey"], n)
    score = (
        0.06 * (age - 55)
        + 0.04 * (pressure - 130)
        + np.where(np.isin(colour, ["red", "grey"]), 1, -1)
    )
    y = (score + rng.logistic(size=n) > 0).astype(int)
    age[rng.random(n) < 0.2] = np.nan
    return pd.DataFrame({"age": age, "pressure": pressure, "colour": colour}), y


def loss_of(card: RiskCard, X, y) -> float:
    return log_loss(card.log_odds(X), np.where(y == 1, 1, -1), np.ones(len(y)))


# --- starting from a card -----------------------------------------------------------------------


def test_a_start_is_never_made_worse(table):
    X, y = table
    best = RiskScoreClassifier(max_terms=4, certify=True, time_limit=None).fit(X, y)
    estimator = RiskScoreClassifier(max_terms=4, random_state=5)
    again = improve(best.card_, X, y, max_changes=None, estimator=estimator)
    assert again.certificate.loss <= best.loss_ * (1 + 1e-9)


def test_a_fitted_card_of_any_kind_comes_back_as_its_own_start(table):
    X, y = table
    for seed, terms in ((0, 3), (1, 6)):
        first = RiskScoreClassifier(max_terms=terms, random_state=seed).fit(X, y)
        estimator = RiskScoreClassifier(max_terms=terms)
        kept = improve(first.card_, X, y, max_changes=0, estimator=estimator)
        assert kept.total_points(X).std() > 0
        difference = kept.total_points(X) - first.card_.total_points(X)
        assert np.unique(difference).size == 1
        assert kept.certificate.loss == pytest.approx(first.loss_, rel=1e-9)


def test_one_change_leaves_all_other_terms_with_their_points(table):
    X, y = table
    start = RiskCard(
        [FeaturePoints("pressure", [120.0, 140.0], [0, 2, 4])],
        base=-2,
        feature_names=list(X.columns),
    )
    card = improve(start, X, y, estimator=RiskScoreClassifier(max_terms=3, certify=True))
    before, after = {str(term) for term in start.terms}, {str(term) for term in card.terms}
    assert len(before - after) <= 1
    assert len(after - before) <= 1
    assert card.certificate.status == "optimal"
    assert "terms of an earlier card that may be changed: 1" in card.certificate.rules
    assert " ".join(card.to_text().split()).count("changed: 1.") == 1
    assert audit_card(card, X, y).passed


@pytest.mark.parametrize("regularization", ["auto", Regularization(grid=3, shortlist=1)])
def test_cuts_of_a_start_that_are_not_on_the_grid_stay_where_they_are(table, regularization):
    (X, y), letters = table, "abcdefghijklmnop"
    grades = pd.Categorical.from_codes(np.arange(400) % 16, list(letters), ordered=True)
    X = X.assign(grade=grades)
    start = RiskCard(
        [
            FeaturePoints("pressure", [121.35, 137.2], [0, 2, 3]),
            LevelPoints("grade", [list(letters[:7]), list(letters[7:])], [0, 1]),
        ]
    )
    estimator = RiskScoreClassifier(4, regularization=regularization)
    kept = improve(start, X, y, max_changes=0, estimator=estimator)
    assert np.unique(kept.total_points(X) - start.total_points(X)).size == 1
    assert KEPT_CONDITIONS in kept.certificate.notes
    assert audit_card(kept, X, y).passed


def test_levels_and_codes_that_are_merged_keep_the_points_of_a_start():
    rng = np.random.default_rng(0)
    codes = np.arange(-9.0, -1.0)
    X = pd.DataFrame(
        {"town": rng.choice(list("abcdefghijkl"), 600), "mark": rng.integers(0, 4, 600)}
    )
    X["mark"] = np.where(rng.random(600) < 0.7, rng.choice(codes, 600), X["mark"])
    y = rng.random(600) < 0.3 + 0.3 * X["town"].isin(list("adgj"))
    start = RiskCard(
        [
            LevelPoints("town", [list("abcdef"), list("ghijkl")], [0, 1]),
            FeaturePoints("mark", [1.5], [0, 2], codes=[(code, int(code % 3)) for code in codes]),
        ]
    )
    rules = CardRules({"mark": FeatureRule(codes=codes)})
    estimator = RiskScoreClassifier(8, certify=True, rules=rules, regularization=None)
    kept = improve(start, X, y, max_changes=0, estimator=estimator)
    assert "'town', 'mark'" in str(kept)
    assert np.unique(kept.total_points(X) - start.total_points(X)).size == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"min_gain": -0.5}, "min_gain is -0.5"),
        ({"round_cuts": "yes"}, "round_cuts is 'yes'"),
        ({"min_bin_rows": 2.5}, "min_bin_rows is 2.5"),
    ],
)
def test_rules_that_make_no_sense_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        CardRules(**parameters)


def test_other_objects_than_rules_regularization_and_cards_are_refused(table):
    with pytest.raises(ParameterError, match="rules is 3"):
        RiskScoreClassifier(rules=3).fit(*table)
    with pytest.raises(ParameterError, match=r"regularization is 'strong'\. Use a Regularization"):
        RiskScoreClassifier(regularization="strong").fit(*table)
    with pytest.raises(ParameterError, match="Use a RiskCard"):
        improve("card.json", *table)
    with pytest.raises(ParameterError, match="max_changes is -1"):
        improve(RiskCard([FeaturePoints("age", [60.0], [0, 2])]), *table, max_changes=-1)
    with pytest.raises(ParameterError, match="tolerance is -1"):
        find_pool(RiskScoreClassifier(), *table, tolerance=-1)
    with pytest.raises(ParameterError, match="size is 0"):
        find_pool(RiskScoreClassifier(), *table, size=0)


def test_a_start_with_a_feature_that_is_not_there_is_refused(table):
    start = RiskCard([FeaturePoints("presure", [120.0], [0, 2])])
    with pytest.raises(ParameterError, match="Did you mean 'pressure'"):
        improve(start, *table)


# --- pools --------------------------------------------------------------------------------------


def test_choosing_a_card_of_the_pool_makes_it_the_model(table):
    X, y = table
    model = RiskScoreClassifier(max_terms=2, certify=True, time_limit=None, regularization=None)
    pool = find_pool(model, X, y, tolerance=0.01)
    assert pool.is_complete
    assert "Proven: no other choice" in str(pool)
    assert len(pool) > 1
    assert pool[0].features == model.fit(X, y).card_.features
    assert pool.model.card_ == pool[0]
    for index in (len(pool) - 1, 1, 0):
        model = pool.choose(index)
        assert model.card_ == pool[index]
        assert model.loss_ == pytest.approx(loss_of(pool[index], X, y), rel=1e-9)
        assert model.status_ == ("optimal" if index == 0 else "chosen")
        assert audit_card(model, X, y).passed
    assert max(pool.losses) <= pool.most_loss
    assert len(pool.to_frame()) == len(pool)
    with pytest.raises(ParameterError, match="There is no card 999"):
        pool.choose(999)


def test_a_pool_is_by_loss_and_charge_where_terms_are_charged(table):
    X, y = table
    model = RiskScoreClassifier(
        3, certify=True, rules=CardRules(min_gain=5), regularization=Regularization.only(grid=5)
    )
    pool = find_pool(model, X, y, tolerance=0.02)
    prices = [loss_of(card, X, y) + 5 * len(card.terms) for card in pool]
    assert pool.is_complete
    assert len({len(card.terms) for card in pool}) > 1
    assert pool.losses == pytest.approx(prices, rel=1e-9)
    assert max(prices) <= pool.most_loss == pytest.approx(1.02 * min(prices), rel=1e-6)
    assert "with a loss plus 5 per term of at most" in pool.summary
    assert pool.model.card_.certificate.objective == min(pool.losses)


def test_a_complete_pool_claims_no_more_than_was_proven(table):
    model = RiskScoreClassifier(2, certify=True, regularization=Regularization.only(grid=4))
    pool = find_pool(model, *table, tolerance=0.01)
    assert pool.is_complete
    for limit in (12.34567, 12.34564):
        told = replace(pool, most_loss=limit).summary
        assert told.startswith(
            "Proven: no other choice of features and cuts has a card of this kind with a loss of at most 12.3456 "
        )
        some = replace(pool, most_loss=limit, is_complete=False).summary
        assert " at most 12.3457" in some
    assert " at most 1.234567e-14 " in replace(pool, most_loss=1.23456789e-14).summary


def test_a_pool_is_of_the_regularised_problem_that_a_fit_is_of(table):
    X, y = table
    model = RiskScoreClassifier(max_terms=2, certify=True, time_limit=None)
    pool = find_pool(model, X, y, tolerance=0.05)
    recipe = model.fit(X, y).card_.recipe
    assert pool.is_complete
    assert len(pool) > 1
    assert recipe.resolved["shortlist"] is not None
    for card, loss in zip(pool, pool.losses, strict=True):
        assert card.recipe.resolved == recipe.resolved
        assert loss_of(card, X, y) < loss  # the pseudo-observations cost something
        assert audit_card(card, X, y).passed


# --- round cuts, small bins, rules --------------------------------------------------------------


def test_round_cuts_have_fewer_digits_and_cost_no_more_than_allowed(table):
    X, y = table
    settings = {"regularization": None, "certify": True, "time_limit": None}
    plain = RiskScoreClassifier(max_terms=3, **settings).fit(X, y)
    round_cuts = CardRules(round_cuts=0.01)
    rounded = RiskScoreClassifier(max_terms=3, **settings, rules=round_cuts).fit(X, y)
    assert plain.loss_ < rounded.loss_ <= 1.01 * plain.loss_
    digits = [
        sum(count_digits(term.cut) for term in model.card_.terms if term.cut is not None)
        for model in (plain, rounded)
    ]
    assert digits[1] < digits[0]
    assert rounded.status_ == "chosen"
    assert rounded.lower_bound_ == pytest.approx(plain.lower_bound_, rel=1e-6)
    assert any("Cuts were rounded" in note for note in rounded.card_.certificate.notes)
    assert audit_card(rounded, X, y).passed


def test_a_regularised_card_has_round_cuts_where_they_are_asked_for(table):
    X, y = table
    usual, rounded = (
        RiskScoreClassifier(4, rules=rules, certify=True).fit(X, y)
        for rules in (None, CardRules(round_cuts=0.01))
    )
    most_digits = [
        max(count_digits(term.cut) for term in model.card_.terms if term.cut is not None)
        for model in (usual, rounded)
    ]
    assert most_digits[1] < most_digits[0]
    assert rounded.card_.certificate.grid == usual.card_.certificate.grid == 9
    assert audit_card(rounded, X, y).passed


def test_every_group_on_the_card_has_the_rows_and_events_asked_for(table):
    X, y = table
    model = RiskScoreClassifier(
        max_terms=6, rules=CardRules(min_bin_rows=60, min_bin_events=0.1)
    ).fit(X, y)
    least = int(np.ceil(0.1 * y.sum()))
    for feature in model.card_.features:
        points = feature.points_of(X[feature.name])
        for worth in set(points.tolist()):
            assert np.count_nonzero(points == worth) >= 60
            assert y[points == worth].sum() >= least
    assert "every bin has at least 60 rows" in model.card_.certificate.rules
    assert audit_card(model, X, y).passed


@pytest.mark.parametrize(
    ("first", "why"),
    [(1.0, "Every feature is constant"), (np.nan, "No cut or group of levels is left")],
)
def test_a_card_without_terms_says_why(first, why):
    X, y = [[first]] + [[1.0]] * 5, [0, 1, 0, 1, 0, 1]
    model = RiskScoreClassifier(1, regularization=Regularization.only(min_line_rows=2)).fit(X, y)
    (note,) = model.card_.certificate.notes
    assert note.startswith(why)


def test_rules_are_kept_and_stand_on_the_card(table):
    X, y = table
    rules = CardRules(
        {
            "age": FeatureRule(direction="falls", use="must"),
            "pressure": FeatureRule(fixed_cuts=(120.0, 140.0, 160.0)),
            "colour": FeatureRule(use="never"),
        }
    )
    model = RiskScoreClassifier(max_terms=4, rules=rules, certify=True).fit(X, y)
    by_name = {feature.name: feature for feature in model.card_.features}
    assert "age" in by_name
    assert "colour" not in by_name
    assert list(by_name["age"].points) == sorted(by_name["age"].points, reverse=True)
    assert by_name["pressure"].cuts == (120.0, 140.0, 160.0)
    assert "age: must be used, falls" in model.card_.certificate.rules
    assert audit_card(model, X, y).passed


# --- recalibration ------------------------------------------------------------------------------


def test_recalibration_finds_the_scale_of_the_lowest_loss(table):
    X, y = table
    fitted = RiskScoreClassifier(max_terms=4, regularization=None).fit(X, y).card_
    new = recalibrate(fitted, X, y, update="both")
    assert new.features == fitted.features
    assert new.multiplier == pytest.approx(fitted.multiplier, rel=1e-4)
    assert new.offset == pytest.approx(fitted.offset, rel=1e-4)
    assert new.certificate is None
    assert new.training.rows == len(y)


def test_a_recalibrated_card_says_where_its_points_are_from(table):
    X, y = table
    fitted = RiskScoreClassifier(max_terms=2).fit(X, y).card_
    half = slice(0, len(y) // 2)
    first = recalibrate(fitted, X[half], y[half], update="offset")
    new = recalibrate(first, X, y, update="both")
    assert (new.training.points_rows, new.training.points_events) == (
        fitted.training.rows,
        fitted.training.events,
    )
    words = " ".join(new.to_text().split())
    assert f"Points learned from {len(y):,} rows" in words
    assert f"risks recalibrated on {len(y):,} rows" in words
    assert RiskCard.from_json(new.to_json()) == new


@pytest.mark.filterwarnings("ignore:There are [0-9]+ rows of the rarer kind")
def test_recalibration_on_other_rows_is_calibrated_there(table):
    X, y = table
    fitted = RiskScoreClassifier(max_terms=4).fit(X, y).card_
    is_event = (y == 1) & (np.arange(len(y)) % 3 == 0)  # events are rarer
    new = recalibrate(fitted, X, is_event.astype(int))
    assert new.risk(X).mean() == pytest.approx(is_event.mean(), rel=1e-5)
    weights = np.arange(len(y)) % 2
    half = recalibrate(fitted, X, y, sample_weight=weights, update="both")
    again = recalibrate(fitted, X[weights == 1], y[weights == 1], update="both")
    assert (half.multiplier, half.offset) == pytest.approx((again.multiplier, again.offset))


def test_recalibration_refuses_other_labels_and_a_card_that_points_the_wrong_way(table):
    X, y = table
    fitted = RiskScoreClassifier(max_terms=4).fit(X, y).card_
    with pytest.raises(DataError, match="but the card is about"):
        recalibrate(fitted, X, np.where(y == 1, "yes", "no"))
    with pytest.raises(DataError, match="does not rise with the risk"):
        recalibrate(fitted, X, 1 - y, update="both")


# --- regularised cards --------------------------------------------------------------------------


def test_regularised_cards_have_a_shortlist_and_pseudo_rows_and_do_better_on_new_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_400, 3))
    y = (X[:, 0] + rng.logistic(size=20_400) > 0).astype(int)
    few, new = slice(0, 400), slice(400, None)
    model = RiskScoreClassifier(6).fit(X[few], y[few])
    lowest = RiskScoreClassifier(6, regularization=None).fit(X[few], y[few])
    assert loss_of(model.card_, X[few], y[few]) > loss_of(lowest.card_, X[few], y[few])
    assert loss_of(model.card_, X[new], y[new]) < loss_of(lowest.card_, X[new], y[new])
    assert model.card_.certificate.shortlist > 0
    assert model.card_.certificate.pseudo_rows > 0
    for feature in model.card_.features:
        points = feature.points_of(X[few, int(feature.name[1:])])
        assert min(np.unique(points, return_counts=True)[1]) >= 30  # a tenth, but for ties


@pytest.mark.parametrize(
    ("n_rows", "cuts", "least"), [(200, 9, 10), (1600, 20, 80), (9000, 99, 100)]
)
def test_automatic_settings_grow_with_the_rows(n_rows, cuts, least):
    labels = np.where(np.arange(n_rows) % 2, 1, -1).astype(np.int8)
    assert Regularization().cuts_for(make_table(np.arange(n_rows)[:, None], labels)) == cuts
    assert LeastBins.of(CardRules(min_bin_rows="auto"), labels) == LeastBins(least, 0)
    with pytest.raises(ParameterError, match="grid is 'many'"):
        Regularization(grid="many")
    with pytest.raises(ParameterError, match="min_bin_rows is 'many'"):
        CardRules(min_bin_rows="many")


def test_points_that_had_better_count_for_nothing_do_not_raise_the_bound():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (2000, 5)).astype(float)
    y = (X.sum(axis=1) + rng.logistic(size=2000) > 1.8).astype(int)
    wrong_way = RiskCard([FeaturePoints(f"x{j}", [0.5], [5, 0]) for j in range(5)], base=-10)
    settings = {"scale": "multiplier", "certify": True, "regularization": None}
    estimator = RiskScoreClassifier(max_terms=5, **settings)
    card = improve(wrong_way, X, y, max_changes=0, estimator=estimator)
    # another multiplier of the same points comes as close to the base rate as one likes
    rate = np.log(y.mean() / (1 - y.mean()))
    flat = log_loss(np.full(2000, rate), np.where(y, 1, -1), np.ones(2000))
    assert card.certificate.bound < flat
    assert card.certificate.bound == pytest.approx(flat, rel=1e-6)
    assert audit_card(card, X, y).passed


def test_a_start_that_keeps_the_rules_is_a_card_however_many_changes_are_allowed():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (200, 2)).astype(float)
    y = (X.sum(axis=1) + rng.logistic(size=200) > 1).astype(int)
    start = RiskCard([FeaturePoints(f"x{j}", [0.5], [1, 0]) for j in range(2)], base=-1)
    must = FeatureRule(use="must", direction="falls")
    rules = CardRules({f"x{j}": must for j in range(2)})
    estimator = RiskScoreClassifier(max_terms=2, rules=rules)
    losses = [
        improve(start, X, y, max_changes=n, estimator=estimator).certificate.loss for n in (0, 1, 2)
    ]
    assert losses[1] <= losses[0] * (1 + 1e-12)
    assert losses[2] <= losses[0] * (1 + 1e-12)


def test_changes_never_make_a_card_worse():
    X = np.array([[4, 4, 0, 2, 4, 3, 1, 3, 0, 4, 0]], dtype=float).T
    y = [0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0]
    start = RiskCard([FeaturePoints("x0", [0.5, 1.5, 3.5], [1, 0, 1, 0])], base=-1)
    losses = [improve(start, X, y, max_changes=n).certificate.loss for n in range(4)]
    assert max(losses) <= losses[0] * (1 + 1e-12)
