"""Cards for the time to an event on other rows: figures are those of scikit-survival, and of counting."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from optional import find
from riskcard import ParameterError, RiskScoreClassifier, RiskScoreSurvival, validate_survival
from riskcard.evaluation.other_outcomes.survival import (
    brier_score,
    concordance,
    concordance_figure,
    risk_figure,
    risk_groups,
)
from riskcard.outcomes.hazards import FollowUp
from survival_rows import draw_rows, structured

metrics, nonparametric = find("sksurv.metrics"), find("sksurv.nonparametric")


def continuous(n_rows: int = 200, seed: int = 0):
    """Rows whose times are all different."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 2))
    time, lost = rng.exponential(np.exp(-X[:, 0])), rng.exponential(2.0, n_rows)
    return X, FollowUp(np.minimum(time, lost), time <= lost)


def test_the_brier_score_is_that_of_scikit_survival():
    X, rows = continuous()
    y = structured(np.column_stack([rows.is_event, rows.time]))
    for horizon in (0.3, 0.8, 1.5):
        risks = 1 - np.exp(-horizon * np.exp(X[:, 0]))
        _, theirs = metrics.brier_score(y, y, 1 - risks[:, None], [horizon])
        own = brier_score(rows, risks, horizon)
        assert own.value == pytest.approx(theirs[0])
        assert own.of_average > own.value
        assert own.explained == pytest.approx(1 - own.value / own.of_average)


def test_the_brier_score_without_censoring_is_the_mean_squared_error():
    _, y, _ = draw_rows(80)
    rows = FollowUp(y[:, 1], np.ones(80, dtype=bool))
    risks = np.random.default_rng(0).random(80)
    expected = np.mean(((rows.time <= 10) - risks) ** 2)
    assert brier_score(rows, risks, 10.0).value == pytest.approx(expected)


def test_kaplan_meier_s_risk_has_the_interval_of_scikit_survival():
    _, y, _ = draw_rows(120, 5)
    rows = FollowUp(y[:, 1], y[:, 0] > 0)
    times, shares, ends = nonparametric.kaplan_meier_estimator(
        rows.is_event, rows.time, conf_type="log-log"
    )
    for horizon in (5.0, 12.0, 25.0):
        place = np.searchsorted(times, horizon, side="right") - 1
        own = risk_figure(rows, horizon)
        assert own.value == pytest.approx(1 - shares[place])
        assert own.interval == pytest.approx((1 - ends[1][place], 1 - ends[0][place]))


def test_nothing_is_known_beyond_the_follow_up():
    rows = FollowUp(np.array([1.0, 2.0]), np.array([True, False]))
    assert np.isnan(risk_figure(rows, 3.0).value)
    assert risk_figure(rows, 0.5).interval is None


def test_the_interval_of_the_concordance_is_that_of_the_jackknife():
    X, rows = continuous(150, 3)
    predicted = X[:, 0].round(1)
    figure = concordance_figure(rows, predicted)
    assert figure.value == pytest.approx(concordance(rows, predicted))
    values = []
    for row in range(150):
        rest = np.arange(150) != row
        values.append(concordance(rows.take(rest), predicted[rest]))
    error = np.sqrt(149 / 150 * np.sum((values - np.mean(values)) ** 2))
    low, high = figure.interval
    assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.03)


def test_groups_of_risk_are_ascending_and_keep_equal_risks_together():
    risks = np.repeat([0.1, 0.2, 0.3, 0.9], [50, 10, 30, 10])
    groups = risk_groups(risks, 5)
    assert sum(own.sum() for own in groups) == 100
    for before, after in itertools.pairwise(groups):
        assert risks[before].max() < risks[after].min()


def test_a_validation_says_what_its_figures_say():
    X, y, _ = draw_rows(300)
    model = RiskScoreSurvival(3, horizons=[10, 30]).fit(X[:150], y[:150])
    found = validate_survival(model, X[150:], y[150:])
    assert found.concordance.value == pytest.approx(model.score(X[150:], y[150:]))
    risks = model.predict_risk(X[150:])
    for place, at in enumerate(found.at):
        assert at.mean_risk == pytest.approx(risks[:, place].mean())
        assert sum(one.rows for one in at.groups) == 150
    text = str(found)
    assert f"Harrell's concordance index is {found.concordance.value:.3f}" in text
    assert "By time 10" in text
    assert f"Observed divided by expected is {found.at[1].ratio:.2f}" in text
    assert found.to_dict()["at"][0]["brier"]["value"] == found.at[0].brier.value
    assert "Kaplan-Meier" in found.to_html()


def test_late_entry_has_no_brier_score_and_other_cards_are_refused():
    X, y, entry = draw_rows(200)
    model = RiskScoreSurvival(2, horizons=10).fit(X, y, entry=entry)
    found = validate_survival(model.card_, X, y, entry=entry)
    assert found.at[0].brier is None
    assert "because some rows entered late" in " ".join(str(found).split())
    binary = RiskScoreClassifier(2).fit(X, y[:, 0]).card_
    with pytest.raises(ParameterError, match="needs a card for the time to an event"):
        validate_survival(binary, X, y)
    with pytest.raises(ParameterError, match="The horizon is 9999"):
        validate_survival(model, X, y, horizons=9999)
