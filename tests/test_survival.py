"""Cards for times to an event: what they say is what Nelson, Aalen and Breslow say, and is proven."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from optional import find
from riskcard import (
    CardRules,
    DataError,
    ParameterError,
    Regularization,
    RiskCard,
    RiskScoreSurvival,
    find_pool,
    to_credit_points,
    validate,
)
from riskcard.errors import FormatError
from riskcard.evaluation.other_outcomes.survival import concordance
from riskcard.outcomes.hazards import FollowUp, cumulative_hazard, exposure, kaplan_meier
from survival_rows import draw_rows, structured

metrics, nonparametric = find("sksurv.metrics"), find("sksurv.nonparametric")
cox = find("sksurv.linear_model")


def follow_up(y, entry=None):
    return FollowUp(y[:, 1], y[:, 0] > 0, entry)


def fitted(**options):
    X, y, _ = draw_rows()
    return RiskScoreSurvival(**{"max_terms": 3, "horizons": [10, 30], **options}).fit(X, y), X, y


# --- hazards ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_exposures_add_up_to_the_events_with_weights_and_late_entry(seed):
    _, y, entry = draw_rows(80, seed)
    rows, weights = follow_up(y, entry), np.random.default_rng(seed).uniform(0.5, 2, 80)
    exposed = exposure(rows, cumulative_hazard(rows, weights))
    assert weights @ exposed == pytest.approx(weights @ rows.is_event)
    assert (exposed[rows.is_event] > 0).all()


def test_the_cumulative_hazard_is_the_sum_over_times_by_hand():
    _, y, entry = draw_rows(60, 3)
    rows, weights = follow_up(y, entry), np.random.default_rng(0).uniform(0.5, 2, 60)
    relative = np.random.default_rng(1).uniform(0.5, 2, 60)
    found = cumulative_hazard(rows, weights, relative)
    total = 0.0
    for place, time in enumerate(sorted(set(rows.time[rows.is_event]))):
        at_risk = ((entry < time) | (entry == 0)) & (rows.time >= time)
        events = rows.is_event & (rows.time == time)
        total += weights[events].sum() / (weights * relative)[at_risk].sum()
        assert found.times[place] == time
        assert found.values[place] == pytest.approx(total)


def test_small_weights_at_the_end_do_not_vanish_next_to_large_ones():
    time, is_event = np.arange(1.0, 5.0), np.ones(4, dtype=bool)
    weights = np.array([1e9, 3e-9, 2e-9, 1e-9])
    found = cumulative_hazard(FollowUp(time, is_event), weights)
    assert np.diff(found.values) == pytest.approx([1 / 2, 2 / 3, 1])
    late = FollowUp(time, is_event, np.array([0.0, 0.0, 0.0, 2.5]))
    found = cumulative_hazard(late, weights)
    assert np.diff(found.values) == pytest.approx([3 / 5, 2 / 3, 1])


def test_rows_at_risk_that_weigh_nothing_next_to_later_ones_are_refused():
    rows = FollowUp(np.array([1.0, 5.0]), np.array([True, True]), np.array([0.0, 2.0]))
    with pytest.raises(DataError, match="At the time 1 the rows at risk weigh less than 1e-09"):
        cumulative_hazard(rows, np.array([1e-9, 1e9]))


def test_curves_are_those_of_scikit_survival():
    _, y, entry = draw_rows(150, 1)
    event, time = y[:, 0] > 0, y[:, 1]
    for late in (None, entry):
        own = kaplan_meier(follow_up(y, late), np.ones(150))
        times, shares = nonparametric.kaplan_meier_estimator(event, time, time_enter=late)
        assert own.at(times) == pytest.approx(shares)
    times, hazards = nonparametric.nelson_aalen_estimator(event, time)
    assert cumulative_hazard(follow_up(y), np.ones(150)).at(times) == pytest.approx(hazards)


def test_breslow_s_baseline_is_that_of_scikit_survival():
    X, y, _ = draw_rows(150, 2)
    model = cox.CoxPHSurvivalAnalysis(ties="breslow").fit(X, structured(y))
    relative = np.exp(model.predict(X))
    own = cumulative_hazard(follow_up(y), np.ones(150), relative)
    theirs = model.cum_baseline_hazard_
    assert own.at(theirs.x) == pytest.approx(theirs.y)


@pytest.mark.parametrize("seed", range(4))
def test_the_concordance_is_that_of_scikit_survival(seed):
    X, y, _ = draw_rows(150, seed)
    for predicted in (X[:, 0], np.round(X[:, 0])):
        own = concordance(follow_up(y), predicted)
        theirs = metrics.concordance_index_censored(y[:, 0] > 0, y[:, 1], predicted)[0]
        assert own == pytest.approx(theirs)


# --- the card -----------------------------------------------------------------------------------


@pytest.mark.parametrize("regularization", [None, "auto"])
def test_loss_bound_and_risks_are_recomputed_by_hand(regularization):
    model, X, y = fitted(certify=True, regularization=regularization)
    card, rows = model.card_, follow_up(y)
    linear = card.total_points(X) / card.multiplier + card.offset
    assert model.predict(X) == pytest.approx(linear)
    if regularization is None:
        exposed = exposure(rows, cumulative_hazard(rows, np.ones(len(y))))
        expected = exposed * np.exp(linear)
        surplus = -np.log(expected[rows.is_event]).sum()
        assert model.loss_ == pytest.approx(np.sum(expected) - rows.is_event.sum() + surplus)
        assert np.sum(expected) == pytest.approx(rows.is_event.sum())
    assert model.status_ == "optimal"
    assert model.lower_bound_ <= model.loss_ <= model.lower_bound_ * (1 + 1e-4)
    baseline = cumulative_hazard(rows, np.ones(len(y)), np.exp(linear))
    for place, horizon in enumerate((10.0, 30.0)):
        risk = 1 - np.exp(-baseline.at(np.array([horizon]))[0] * np.exp(linear))
        assert model.predict_risk(X)[:, place] == pytest.approx(risk)
        assert card.risk_by(X, horizon) == pytest.approx(risk)
        survival = [one(horizon) for one in model.predict_survival_function(X)]
        assert 1 - np.array(survival) == pytest.approx(risk)


def test_a_card_with_more_terms_or_without_regularization_is_not_worse():
    losses = [fitted(max_terms=k, certify=True, regularization=None)[0].loss_ for k in (1, 2, 3)]
    assert losses == sorted(losses, reverse=True)
    regularised = fitted(certify=True)[0]
    rows = follow_up(draw_rows()[1])
    exposed = exposure(rows, cumulative_hazard(rows, np.ones(rows.time.size)))
    linear = regularised.predict(draw_rows()[0])
    plain = exposed @ np.exp(linear) - linear[rows.is_event].sum()
    plain -= np.sum(1 + np.log(exposed[rows.is_event]))
    assert plain >= losses[-1]


def test_doubled_rows_are_weights_of_two_and_order_does_not_matter():
    X, y, entry = draw_rows(120)
    weights = np.where(np.arange(120) % 3 == 0, 2.0, 1.0)
    copies = np.repeat(np.arange(120), weights.astype(int))
    order = np.random.default_rng(0).permutation(copies)
    model = RiskScoreSurvival(2, regularization=None, horizons=20)
    once = clone(model).fit(X, y, sample_weight=weights, entry=entry).card_
    twice = clone(model).fit(X[order], y[order], entry=entry[order]).card_
    assert [one.points for one in once.features] == [one.points for one in twice.features]
    assert once.multiplier == pytest.approx(twice.multiplier)
    assert once.kind.hazards == pytest.approx(twice.kind.hazards)


def test_targets_may_be_structured_arrays_frames_and_columns():
    X, y, _ = draw_rows(120)
    pandas = find("pandas")
    model = RiskScoreSurvival(2, horizons=20)
    plain = clone(model).fit(X, y).card_
    named = clone(model).fit(X, structured(y)).card_
    frame = clone(model).fit(X, pandas.DataFrame({"days": y[:, 1], "died": y[:, 0] > 0})).card_
    assert plain.features == named.features == frame.features
    assert named.kind.time == frame.kind.time == "days"
    assert named.title == frame.title == "Risk of died"
    assert plain.title == "Risk of the event"


def test_every_row_may_have_the_event():
    X, y, _ = draw_rows(100)
    y[:, 0] = 1
    model = RiskScoreSurvival(2, certify=True).fit(X, y)
    assert model.status_ == "optimal"
    assert model.score(X, y) > 0.5


def test_scikit_learn_cross_validates_it():
    X, y, _ = draw_rows(150)
    scores = cross_val_score(RiskScoreSurvival(2), X, structured(y), cv=3)
    assert (scores > 0.5).all()


def test_a_gap_that_was_asked_for_is_reached():
    X, y, _ = draw_rows(300, 4)
    model = RiskScoreSurvival(4, certify=True, regularization=None, gap=0.05).fit(X, y)
    assert model.status_ in ("gap_reached", "optimal")
    assert model.gap_ <= 0.05


def test_pseudo_observations_pull_hazards_towards_their_average():
    X, y, _ = draw_rows()
    spread = [
        np.ptp(
            RiskScoreSurvival(2, regularization=Regularization.only(pseudo_rows=number))
            .fit(X, y)
            .predict(X)
        )
        for number in (None, 50, 500)
    ]
    assert spread[0] > spread[1] > spread[2]


def test_a_card_is_the_same_after_a_round_trip_and_states_its_kind():
    card = fitted(certify=True)[0].card_
    text = card.to_json()
    assert '"format_version": 9' in text
    assert '"name": "time_to_event"' in text
    assert RiskCard.from_json(text) == card
    with pytest.raises(FormatError, match='must be "time_to_event"'):
        RiskCard.from_json(text.replace("time_to_event", "other"))


def test_the_printed_card_names_outcome_horizons_and_what_is_proven():
    card = fitted(certify=True)[0].card_
    text = str(card)
    assert text.startswith("Risk of the event by time 10 and 30\n")
    assert "Risk by time 10" in text
    assert "Relative hazard" in text
    assert "no other card of this size and kind has a" in text
    assert "odds" not in text
    assert "Risk by time 30" in card.to_html()
    row = {"x0": 1.0, "x1": 0.0, "x2": 0.0}
    why = card.explain(row)
    total = int(card.total_points(row)[0])
    assert why.risk is None
    assert f"{100 * card.risk_by_of_total(total, 10):.1f} % by time 10" in str(why)
    assert "risk" not in str(why).replace("Risk of the event", "").split("\n")[0]


# --- what is refused ----------------------------------------------------------------------------


def test_nothing_takes_a_card_of_horizons_for_one_of_yes_or_no(tmp_path):
    model, X, y = fitted()
    card, labels = model.card_, y[:, 0]
    uses = {
        "risk": lambda: card.risk(X),
        "log-odds": lambda: card.log_odds(X),
        "table": lambda: card.risk_table(),
        "frame": lambda: card.totals_frame(),
        "SHAP": lambda: card.shap_values(X),
        "validation": lambda: validate(card, X, labels),
        "credit": lambda: to_credit_points(card),
        **{
            ending: lambda ending=ending: card.export(tmp_path / f"card.{ending}")
            for ending in ("pmml", "onnx", "cql")
        },
    }
    for use in uses.values():
        with pytest.raises(
            ParameterError, match="yes or no, but this card gives risks by horizons"
        ):
            use()
    with pytest.raises(DataError, match="y has the shape"):
        find_pool(model, X, labels)


def test_wrong_targets_are_refused_with_the_place():
    X, y, _ = draw_rows(20)
    cases = [
        (y[:, 1], "y has the shape"),
        (np.where(np.arange(40).reshape(20, 2) == 6, 7, y), "The event is 7 in row 3"),
        (np.where(np.arange(40).reshape(20, 2) == 7, -1, y), "The time is negative in row 3"),
        (np.where(np.arange(40).reshape(20, 2) == 7, np.nan, y), "The time is missing or infinite"),
        (y * [0, 1], "No row has the event"),
        (y[:10], "X has 20 rows and y has 10"),
    ]
    for target, match in cases:
        with pytest.raises(DataError, match=match):
            RiskScoreSurvival(2).fit(X, target)
    with pytest.raises(DataError, match="not before the time, in row 2"):
        RiskScoreSurvival(2).fit(X, y, entry=np.where(np.arange(20) == 2, 1000, 0))


def test_horizons_beyond_the_follow_up_are_refused():
    X, y, _ = draw_rows(50)
    for horizon in (0, 1e6, "later", [10, -1]):
        with pytest.raises(ParameterError, match=r"horizons has .* Use positive numbers up to"):
            RiskScoreSurvival(2, horizons=horizon).fit(X, y)
    card = RiskScoreSurvival(2, horizons=10).fit(X, y).card_
    with pytest.raises(ParameterError, match="followed up to time ="):
        card.risk_by(X, 1e6)


# --- shares of the deviance ---------------------------------------------------------------------


def test_rounder_cuts_cost_the_share_of_the_deviance_that_the_card_says():
    X, y, _ = draw_rows(200)
    X = X + np.random.default_rng(1).uniform(-0.05, 0.05, X.shape)
    options = {"max_terms": 3, "regularization": None, "certify": True}
    exact = RiskScoreSurvival(**options).fit(X, y)
    rounded = RiskScoreSurvival(**options, rules=CardRules(round_cuts=0.01)).fit(X, y)
    share = rounded.loss_ / exact.loss_ - 1
    assert 0 < share <= 0.01
    assert f"the loss is {100 * share:.2g} % above" in str(rounded.card_)


def test_progress_shows_the_deviance_and_its_gap(capsys):
    model, *_ = fitted(certify=True, verbose=True)
    last = capsys.readouterr().err.strip().splitlines()[-1]
    shown = re.search(r"best loss (\S+) +bound (\S+) ", last)
    assert float(shown[1]) == pytest.approx(model.loss_, rel=1e-3)
    assert float(shown[2]) == pytest.approx(model.lower_bound_, rel=1e-3)


def test_a_card_with_a_charge_per_term_says_loss_and_charge_apart():
    model, *_ = fitted(certify=True, rules=CardRules(min_gain=0.01))
    certificate, text = model.card_.certificate, str(model.card_)
    text = " ".join(text.split())
    assert certificate.objective == pytest.approx(model.loss_ + 0.01 * 3)
    assert f"over the time at risk: {model.loss_:.4f}." in text
    assert f"The search minimised the loss plus 0.01 per term: {certificate.objective:.4f}." in text
    assert "can have a loss plus 0.01 per term below" in text


def test_relative_hazards_have_the_average_1_over_the_time_at_risk():
    model, X, y = fitted(regularization=None)
    exposed = exposure(follow_up(y), cumulative_hazard(follow_up(y), np.ones(len(y))))
    relative = np.exp(model.predict(X))
    assert np.average(relative, weights=exposed) == pytest.approx(1)
    assert abs(relative.mean() - 1) > 0.05
    assert "the average over the time that training rows were at risk" in " ".join(
        str(model.card_).split()
    )
