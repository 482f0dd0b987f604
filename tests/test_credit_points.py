"""Credit points double the odds as asked, and the cost of rounding them is the one told."""

import math
import sqlite3

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards import heart_card, mass_card, risk_cards
from export_rows import rows_of, scores_of
from riskcard import RiskScoreClassifier
from riskcard.credit.scaling import to_credit_points
from riskcard.errors import DataError, ParameterError
from riskcard.estimators.existing_card.recalibrate import recalibrate
from riskcard.export.pmml import card_to_pmml
from riskcard.export.sql import card_to_sql
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints


@pytest.mark.parametrize("higher_is_safer", [True, False])
def test_the_odds_are_as_asked_and_double_as_asked(higher_is_safer):
    scaling = to_credit_points(mass_card(), 15, 30, 500, higher_is_safer)
    odds = np.exp(scaling.card.log_odds_of_total([500, 515, 530, 485]))
    odds = 1 / odds if higher_is_safer else odds
    assert odds == pytest.approx([30, 60, 120, 15], rel=1e-12)
    assert scaling.card.higher_is_safer is higher_is_safer


LOAN = RiskCard(
    [
        FeaturePoints("debts", [2, 5], [0, 2, 4]),
        FeaturePoints("income", [20], [3, 0], missing=2),
        LevelPoints("job", [["yes"], ["no"]], [0, 1]),
    ],
    multiplier=1.5,
    offset=-3.0,
    classes=("paid", "default"),
    outcome="loan",
)
GOOD = {"debts": 0, "income": 40, "job": "yes"}
WORST = {"debts": 9, "income": 10, "job": "no"}


def test_the_event_and_its_risk_are_those_of_the_first_card():
    scaled = to_credit_points(LOAN).card
    assert (scaled.classes, scaled.outcome, scaled.title) == (
        LOAN.classes,
        "loan",
        "Risk of loan = default",
    )
    for row in (GOOD, WORST):
        assert scaled.risk(row)[0] == pytest.approx(LOAN.risk(row)[0], abs=0.02)
    assert scaled.total_points(GOOD)[0] > scaled.total_points(WORST)[0]
    assert "higher total is safer" in scaled.to_text()


def test_reasons_name_the_worst_features_of_an_applicant_either_way():
    scaled = to_credit_points(LOAN).card
    assert scaled.explain(GOOD).reasons == ()
    assert "Reasons: none; no bin of any feature has a lower risk." in str(scaled.explain(GOOD))
    for card in (LOAN, scaled):
        why = card.explain(WORST)
        assert [one.feature for one in why.reasons] == ["debts", "income", "job"]
        assert all(one.lost > 0 for one in why.reasons)
    assert "points below the best bin" in str(scaled.explain(WORST))


def test_sql_of_a_scaled_card_gives_the_risk_of_the_event():
    scaled = to_credit_points(LOAN).card
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE data (debts, income, job)")
    for row in (GOOD, WORST):
        database.execute("INSERT INTO data VALUES (?, ?, ?)", tuple(row.values()))
    found = database.execute(card_to_sql(scaled, dialect="sqlite")).fetchall()
    risks = [row[-1] for row in found]
    assert risks == pytest.approx([scaled.risk(GOOD)[0], scaled.risk(WORST)[0]])
    assert risks[0] < 0.1 < risks[1]


@pytest.mark.parametrize("higher_is_safer", [True, False])
def test_reason_codes_count_from_the_points_of_the_best_bin(higher_is_safer):
    scaled = to_credit_points(LOAN, higher_is_safer=higher_is_safer).card
    text = card_to_pmml(scaled, reasons=3)
    ways = ("pointsBelow", "max") if higher_is_safer else ("pointsAbove", "min")
    assert f'reasonCodeAlgorithm="{ways[0]}" baselineMethod="{ways[1]}"' in text
    for one in scaled.explain(GOOD).features:
        assert f'reasonCode="{one.feature}" baselineScore="{one.best}"' in text


def test_a_scaled_card_can_be_recalibrated():
    scaled = to_credit_points(LOAN).card
    rows = {name: [GOOD[name]] * 400 + [WORST[name]] * 400 for name in GOOD}
    labels = np.array((["paid"] * 9 + ["default"]) * 40 + (["default"] * 9 + ["paid"]) * 40)
    fitted = recalibrate(scaled, rows, labels, update="both")
    assert fitted.risk(GOOD)[0] == pytest.approx(0.1)
    assert fitted.risk(WORST)[0] == pytest.approx(0.9)
    with pytest.raises(DataError, match="does not fall with the risk"):
        recalibrate(scaled, rows, labels[::-1], update="both")


@settings(max_examples=60)
@given(risk_cards(), st.floats(1, 100), st.floats(0.1, 1000), st.integers(-500, 900), st.booleans())
def test_no_row_is_moved_farther_than_stated(card, doubling, odds, at, higher_is_safer):
    scaling = to_credit_points(card, doubling, odds, at, higher_is_safer)
    rows = rows_of(card)
    worst = 0.0
    for before, after in zip(scores_of(card, rows), scores_of(scaling.card, rows), strict=True):
        assert (before is None) == (after is None)
        if before is not None:
            new = scaling.card.log_odds_of_total(after[0])
            worst = max(worst, abs(new - card.log_odds_of_total(before[0])))
    assert worst <= scaling.largest_error + 1e-9
    n_parts = len(card.features) + 1
    assert scaling.largest_error <= n_parts * 0.5 * math.log(2) / doubling + 1e-9


def test_the_largest_error_is_reached():
    card = heart_card()
    scaling = to_credit_points(card, points_to_double_odds=3)
    rows = rows_of(card)
    errors = [
        abs(scaling.card.log_odds_of_total(after[0]) - card.log_odds_of_total(before[0]))
        for before, after in zip(scores_of(card, rows), scores_of(scaling.card, rows), strict=True)
        if before is not None
    ]
    assert max(errors) == pytest.approx(scaling.largest_error, rel=1e-9)


@given(risk_cards())
@settings(max_examples=40)
def test_points_are_from_0_and_the_card_is_otherwise_the_same(card):
    scaled = to_credit_points(card).card
    for old, new in zip(card.features, scaled.features, strict=True):
        assert min(new.possible_points) == 0
        assert (new.name, new.usual) == (old.name, old.usual)
        assert (new.missing is None) == (old.missing is None)
    assert scaled.feature_names == card.feature_names
    assert RiskCard.from_json(scaled.to_json()) == scaled


def test_a_finer_scale_costs_less_loss(mixed):
    X, y = mixed
    card = mass_card(features=mass_card().features[:2], classes=(0, 1))
    rows = {"age": X["age"], "shape": X["shape"].fillna("round")}
    losses = [to_credit_points(card, doubling).losses(rows, y) for doubling in (1.5, 20, 2000)]
    before = {loss.before for loss in losses}
    assert len(before) == 1
    log_odds, signs = card.log_odds(rows), np.where(y == 1, 1, -1)
    assert before.pop() == pytest.approx(np.logaddexp(0, -signs * log_odds).sum(), rel=1e-12)
    costs = [abs(loss.after - loss.before) for loss in losses]
    assert costs[0] > costs[1] > costs[2]
    assert costs[2] < 1e-2 * y.size


@pytest.mark.parametrize("higher_is_safer", [True, False])
def test_losses_take_labels_and_weights_of_the_original_card(higher_is_safer):
    card = heart_card()
    scaling = to_credit_points(card, 4, higher_is_safer=higher_is_safer)
    rows = {"age": [50, 70, 80], "pressure": [0.1, 0.2, 0.1]}
    y, weights = np.array(["no", "yes", "yes"]), [1.0, 2.0, 0.5]
    loss = scaling.losses(rows, y, weights)
    for found, one in ((loss.before, card), (loss.after, scaling.card)):
        risk = one.risk(rows)
        chance = np.where(y == one.classes[1], risk, 1 - risk)
        assert found == pytest.approx(-(weights * np.log(chance)).sum(), rel=1e-9)
    with pytest.raises(DataError, match="The label of row 1 is 'maybe'"):
        scaling.losses(rows, ["no", "maybe", "yes"])


def test_what_was_learned_from_stays_true():
    for is_safer in (True, False):
        training = to_credit_points(heart_card(), higher_is_safer=is_safer).card.training
        assert (training.rows, training.events, training.event_weight) == (569, 212, 212.0)
    assert to_credit_points(heart_card()).card.certificate is None


def test_it_says_what_the_scale_is():
    words = str(to_credit_points(mass_card()))
    assert words.startswith(
        "50 to 1 against the event (mass = malignant) at 600 points, and twice these odds for every 20"
    )
    assert "a higher total is riskier" in str(to_credit_points(mass_card(), higher_is_safer=False))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"points_to_double_odds": 0}, "points_to_double_odds is 0. Use a positive number"),
        ({"odds": -1}, "odds is -1. Use a positive number"),
        ({"odds": "50"}, "odds is '50'. Use a finite number"),
        ({"at": math.inf}, "at is inf. Use a finite number"),
        ({"points_to_double_odds": 1e12}, "Use a whole number of at most 1,000,000,000"),
    ],
)
def test_a_scale_that_makes_no_sense_is_refused(options, words):
    with pytest.raises(ParameterError, match=words):
        to_credit_points(mass_card(), **options)


def test_counts_of_the_new_totals_are_those_of_the_training_rows(mixed):
    X, y = mixed
    card = RiskScoreClassifier(3).fit(X, y).card_
    scaling = to_credit_points(card)
    counted = scaling.counted(X, y)
    assert counted.features == scaling.card.features
    totals = counted.total_points(X)
    assert sum(one.rows for one in counted.training.totals) == y.size
    for one in counted.training.totals:
        own = (totals >= one.low) & (totals <= one.high)
        assert (one.rows, one.events) == (own.sum(), (y[own] == card.classes[1]).sum())
    assert RiskCard.from_json(counted.to_json()) == counted
    # other rows are not taken for those of training
    assert scaling.counted(X[:-1], y[:-1]) is scaling.card
    assert (
        to_credit_points(LOAN).counted({k: [v] for k, v in GOOD.items()}, ["paid"]).training is None
    )
