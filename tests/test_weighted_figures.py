"""Weights: risks, counts, rates and intervals follow one rule; class weights choose points only."""

import numpy as np
import pytest
from scipy.special import expit

from riskcard import RiskCard, RiskScoreClassifier, audit_card, find_pool, recalibrate
from riskcard.encoding.fit_card_scale import CardScale, fit_card_scale
from riskcard.errors import ParameterError
from riskcard.evaluation.calibration import calibration_of
from riskcard.evaluation.discrimination import roc_curve
from riskcard.evaluation.measures import Tally, fit_intercept, fit_slope
from riskcard.evaluation.outcomes import Outcomes, read_outcomes
from riskcard.model.origin.certificate import ClassWeights, TrainingFacts


def rare_rows(n_rows: int = 400, seed: int = 0):
    """Rows with an event that about one in seven has."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (n_rows, 3)).astype(float)
    y = (rng.random(n_rows) < expit(-3.5 + 0.8 * X[:, 0] + 0.4 * X[:, 1])).astype(int)
    return X, y


@pytest.mark.parametrize("scale", ["calibrated", "multiplier", 1])
@pytest.mark.parametrize("class_weight", ["balanced", {0: 0.5, 1: 4.0}])
def test_class_weights_choose_points_and_the_risks_are_those_of_the_rows(scale, class_weight):
    X, y = rare_rows()
    model = RiskScoreClassifier(
        3, scale=scale, class_weight=class_weight, certify=True, regularization=None
    ).fit(X, y)
    card, weights = model.card_, model.card_.certificate.class_weights
    assert card.risk(X).mean() == pytest.approx(y.mean(), rel=1e-6)
    # the points are those of rows with these weights, and so are loss and bound
    factors = np.where(y == 1, weights.event, weights.no_event)
    as_weights = RiskScoreClassifier(3, scale=scale, certify=True, regularization=None).fit(
        X, y, factors
    )
    assert card.features == as_weights.card_.features
    assert model.loss_ == pytest.approx(as_weights.loss_)
    assert (weights.multiplier, weights.offset) == pytest.approx(
        (as_weights.card_.multiplier, as_weights.card_.offset)
    )
    if scale == "calibrated":
        line = Tally.of(card.log_odds(X), y == 1, np.ones(y.size))
        assert fit_slope(line).value == pytest.approx(1, abs=1e-5)
    elif scale == 1:
        assert card.multiplier == 1
    assert audit_card(card, X, y).passed


def test_a_card_with_class_weights_says_so_everywhere():
    X, y = rare_rows()
    card = RiskScoreClassifier(2, class_weight="balanced", regularization=None).fit(X, y).card_
    again = RiskCard.from_json(card.to_json())
    assert again == card
    assert again.certificate.class_weights.event == pytest.approx(y.size / (2 * y.sum()))
    for text in (card.to_text(), card.to_html(), card.to_markdown(), card.to_latex()):
        assert "chosen with class weights" in " ".join(text.split())
    # what was observed is counted as it is
    assert not card.training.is_weighted
    assert card.training.event_weight == card.training.events == y.sum()
    for one in card.training.totals:
        assert one.rate == one.events / one.rows


def test_class_weights_move_the_decision_but_not_the_risk():
    X, y = rare_rows()
    model = RiskScoreClassifier(2, class_weight="balanced", regularization=None).fit(X, y)
    weights = model.card_.certificate.class_weights
    moved = model.card_.log_odds(X) + np.log(weights.event / weights.no_event)
    np.testing.assert_allclose(model.decision_function(X), moved)
    np.testing.assert_array_equal(model.predict(X), (moved > 0).astype(int))
    assert model.predict(X).sum() > (model.predict_proba(X)[:, 1] > 0.5).sum()


def test_class_weights_next_to_sample_weights_and_pseudo_observations():
    X, y = rare_rows()
    weights = np.random.default_rng(1).uniform(0.2, 3, y.size)
    settings = {"class_weight": "balanced", "regularization": "auto"}
    model = RiskScoreClassifier(3, **settings).fit(X, y, weights)
    rate = weights[y == 1].sum() / weights.sum()
    assert np.average(model.card_.risk(X), weights=weights) == pytest.approx(rate, rel=1e-6)
    assert audit_card(model.card_, X, y, weights).passed
    pool = find_pool(RiskScoreClassifier(1, class_weight="balanced", certify=True), X, y)
    assert all(card.risk(X).mean() == pytest.approx(y.mean(), rel=1e-6) for card in pool.cards)


def test_a_recalibrated_card_has_no_class_weights():
    X, y = rare_rows()
    card = RiskScoreClassifier(2, class_weight="balanced", regularization=None).fit(X, y).card_
    again = recalibrate(card, X, y, update="both")
    assert again.certificate is None
    assert (again.multiplier, again.offset) == pytest.approx(
        (card.multiplier, card.offset), rel=1e-5
    )


def test_wrong_class_weights_are_refused():
    with pytest.raises(ParameterError, match="event of the class weights is 0"):
        ClassWeights(1.0, 0.0, 1.0, 0.0)


def test_an_offset_alone_gives_as_many_events_as_there_are():
    totals, is_event = np.array([0, 1, 1, 5]), np.array([False, True, False, True])
    weights = np.array([3.0, 1.0, 2.0, 0.5])
    scale = fit_card_scale(totals, is_event, weights, CardScale(0.7, 0.0), is_slope_given=True)
    risks = expit(0.7 * totals + scale.offset)
    assert scale.slope == 0.7
    assert weights @ risks == pytest.approx(weights @ is_event)


def test_whether_rows_were_weighted_is_stored_not_guessed():
    """Weights that average 1 in each class are weights all the same."""
    X, y = rare_rows()
    weights = np.ones(y.size)
    for label in (0, 1):
        own = np.flatnonzero(y == label)
        own = own[: 2 * (own.size // 2)]
        weights[own[::2]], weights[own[1::2]] = 1.75, 0.25
    card = RiskScoreClassifier(2).fit(X, y, weights).card_
    assert (card.training.weight, card.training.event_weight) == (y.size, y.sum())
    assert card.training.is_weighted
    assert "by weight" in card.to_text()
    assert RiskCard.from_json(card.to_json()) == card
    with pytest.raises(ParameterError, match="say is_weighted=True"):
        TrainingFacts(10, 4, 12.5, 4)


def test_the_unit_of_weights_changes_no_figure():
    rng = np.random.default_rng(3)
    risks = rng.uniform(0.05, 0.95, 300).round(1)
    y, weights = (rng.random(300) < risks).astype(int), rng.uniform(0.5, 2, 300)
    plain, scaled = (read_outcomes(risks, y, unit * weights) for unit in (1.0, 1000.0))
    for name in ("slope_interval", "intercept_interval"):
        pair = [getattr(calibration_of(rows), name) for rows in (plain, scaled)]
        assert pair[1] == pytest.approx(pair[0])
    assert roc_curve(scaled).interval == pytest.approx(roc_curve(plain).interval)
    ones, thousands = (read_outcomes(risks, y, np.full(300, unit)) for unit in (1.0, 1000.0))
    assert calibration_of(thousands).slope_interval == pytest.approx(
        calibration_of(ones).slope_interval
    )


def _coverage(draw, truth, n_draws: int = 300) -> np.ndarray:
    """How often intervals hold what they are about."""
    rng = np.random.default_rng(0)
    held = np.zeros(len(truth))
    for _ in range(n_draws):
        intervals = draw(rng)
        held += [low <= one <= high for one, (low, high) in zip(truth, intervals, strict=True)]
    return held / n_draws


def test_intervals_hold_under_case_control_weights():
    """One in ten rows without the event is kept, with ten times the weight."""

    def draw(rng):
        risks = expit(rng.normal(-2.5, 1.0, 3000))
        is_event = rng.random(3000) < risks
        kept = is_event | (rng.random(3000) < 0.1)
        rows = Outcomes(risks[kept], is_event[kept], np.where(is_event, 1.0, 10.0)[kept])
        figures = calibration_of(rows)
        return figures.slope_interval, figures.intercept_interval

    assert _coverage(draw, (1.0, 0.0)) == pytest.approx([0.95, 0.95], abs=0.03)


def test_the_interval_of_a_weighted_area_holds_where_high_risks_were_oversampled():
    everyone = np.random.default_rng(1)
    risks = expit(everyone.normal(-1.0, 1.2, 200_000))
    is_event = everyone.random(risks.size) < risks
    truth = roc_curve(Outcomes(risks, is_event, np.ones(risks.size))).area

    def draw(rng):
        chances = np.clip(3 * risks, 0.1, 2.0)
        rows = np.flatnonzero(rng.random(risks.size) < 0.01 * chances)
        weights = 1 / chances[rows]
        return [roc_curve(Outcomes(risks[rows], is_event[rows], weights)).interval]

    assert _coverage(draw, [truth]) == pytest.approx([0.95], abs=0.03)


def test_the_intercept_is_what_makes_the_rows_add_up():
    risks, is_event = np.array([0.2, 0.4, 0.6]), np.array([False, True, True])
    rows = Outcomes(risks, is_event, np.array([1.0, 2.0, 3.0]))
    shift = fit_intercept(rows.tally(rows.log_odds)).value
    assert rows.weights @ expit(rows.log_odds + shift) == pytest.approx(5.0)
