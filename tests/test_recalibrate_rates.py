"""Cards of times and of counts on new rows: the baseline or the rate, and the slope, are refitted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import chi2

from optional import find
from riskcard import (
    DataError,
    ParameterError,
    RiskCard,
    RiskcardWarning,
    RiskScoreClassifier,
    RiskScoreRegressor,
    RiskScoreSurvival,
    audit_card,
    make_report,
    recalibrate,
)
from riskcard.cli.main import main
from riskcard.estimators.cross_validation.kind_rows import read_kind_rows
from riskcard.estimators.other_outcomes.recalibrate_rates import choose_rate_update
from riskcard.outcomes.hazards import FollowUp, cumulative_hazard
from survival_rows import draw_rows

glm = find("statsmodels.api")
X, Y, ENTRY = draw_rows(300, seed=2)
FASTER = np.column_stack([Y[:, 0], np.ceil(Y[:, 1] / 3)])
EXPOSURE = 0.5 + np.arange(300) % 4
COUNTS = np.random.default_rng(3).poisson(EXPOSURE * np.exp(X[:, 0] > 0))


@pytest.fixture(scope="module")
def timed():
    X, y, _ = draw_rows(300)
    return RiskScoreSurvival(2, horizons=[5, 10], certify=True).fit(X, y).card_


@pytest.fixture(scope="module")
def counted():
    rng = np.random.default_rng(0)
    return RiskScoreRegressor(2).fit(X, rng.poisson(np.exp(0.5 * (X[:, 0] > 0)))).card_


def test_the_offset_is_the_baseline_of_the_new_rows(timed):
    new = recalibrate(timed, X, FASTER, update="offset")
    assert new.features[0].points == timed.features[0].points
    assert new.multiplier == timed.multiplier
    totals = timed.total_points(X)
    relative = np.exp(timed.linear_of_total(totals))
    rows = FollowUp(FASTER[:, 1], FASTER[:, 0] > 0)
    expected = cumulative_hazard(rows, np.ones(300), relative)
    for horizon in (5, 10):
        hazard = expected.at(np.array([horizon]))[0]
        assert new.risk_by(X, horizon) == pytest.approx(1 - np.exp(-hazard * relative))
    assert new.certificate is None
    assert new.training.points_rows == 300
    assert "the baseline was then fitted to 300 rows" in " ".join(str(new).split())
    assert "time that training rows" not in " ".join(str(new).split())


def test_both_is_the_poisson_regression_on_what_the_card_says(counted):
    new = recalibrate(counted, X, COUNTS, update="both", exposure=EXPOSURE)
    linear = counted.linear_of_total(counted.total_points(X))
    model = glm.GLM(
        COUNTS, glm.add_constant(linear), family=glm.families.Poisson(), offset=np.log(EXPOSURE)
    ).fit()
    found = new.linear_of_total(new.total_points(X))
    assert found == pytest.approx(model.params[0] + model.params[1] * linear, rel=1e-5)
    assert new.kind.events == COUNTS.sum()
    assert "the rate was then fitted to 300 rows" in " ".join(str(new).split())


def test_auto_takes_the_least_that_the_rows_support(timed, counted):
    assert recalibrate(timed, *draw_rows(300)[:2]) is timed  # the rows that it was learned from
    moved = choose_rate_update(timed, read_kind_rows(RiskScoreSurvival(), X, FASTER, None, {}))
    assert moved.choice != "none"
    assert moved.ratio > 1.5
    rows = read_kind_rows(RiskScoreRegressor(), X, COUNTS, None, {"exposure": EXPOSURE})
    found = choose_rate_update(counted, rows)
    linear = counted.linear_of_total(counted.total_points(X))
    design, offset = glm.add_constant(linear), np.log(EXPOSURE)
    poisson = glm.families.Poisson()
    whole = glm.GLM(COUNTS, design, family=poisson, offset=offset).fit().deviance
    moved_only = (
        glm.GLM(COUNTS, design[:, :1], family=poisson, offset=offset + linear).fit().deviance
    )
    stated = poisson.deviance(COUNTS, EXPOSURE * np.exp(linear))
    assert found.p_slope == pytest.approx(chi2.sf(moved_only - whole, 1), rel=1e-4)
    assert found.p_value == pytest.approx(chi2.sf(stated - whole, 2), rel=1e-4, abs=1e-12)
    assert found.ratio == pytest.approx(COUNTS.sum() / (EXPOSURE @ np.exp(linear)))


def test_of_tables_that_follow_the_card_about_one_in_twenty_is_updated(counted):
    rng, updated = np.random.default_rng(1), 0
    rates = np.exp(counted.linear_of_total(counted.total_points(X)))
    for _ in range(200):
        rows = read_kind_rows(RiskScoreRegressor(), X, rng.poisson(rates), None, {})
        updated += choose_rate_update(counted, rows).choice != "none"
    assert 2 <= updated <= 20


def test_rows_of_points_and_of_scale_are_told_apart(timed):
    new = recalibrate(timed, X, FASTER, update="both")
    found = audit_card(new, X, FASTER)
    assert not found.failures, str(found)
    assert "those that the scale of the card was fitted to" in str(found)
    old_X, old_y, _ = draw_rows(300)
    found = audit_card(new, old_X, old_y)
    assert not found.failures, str(found)
    assert "those that the points of the card were learned from" in str(found)
    pytest.importorskip("matplotlib")
    quick = {"cv": 0, "n_bootstraps": 0}
    assert "too good" in str(make_report(new, X, FASTER, **quick))
    assert "fit before that" in " ".join(str(make_report(new, old_X, old_y, **quick)).split())
    assert RiskCard.from_json(new.to_json()) == new


def test_late_entry_and_weights_count(timed):
    weights = 1.0 + np.arange(300) % 2
    late = np.where(FASTER[:, 1] > ENTRY, ENTRY, 0)
    new = recalibrate(timed, X, FASTER, weights, update="offset", entry=late)
    found = audit_card(new, X, FASTER, weights, entry=late)
    assert not found.failures, str(found)
    assert "baseline" not in {one.name for one in found.not_checked}


def test_what_cannot_be_fitted_is_refused(timed, counted):
    few = np.column_stack([np.arange(300) < 5, Y[:, 1]])
    with pytest.raises(DataError, match="too few for the update 'offset'"):
        recalibrate(timed, X, few, update="offset")
    assert recalibrate(timed, X, few) is timed
    with pytest.warns(RiskcardWarning, match="which is few for this update"):
        recalibrate(timed, X, np.column_stack([np.arange(300) < 30, Y[:, 1]]), update="offset")
    with pytest.raises(DataError, match="the first horizon of the card is 5"):
        recalibrate(timed, X, np.column_stack([Y[:, 0], np.minimum(Y[:, 1], 4)]), update="offset")
    with pytest.warns(RiskcardWarning, match="no risk by later horizons"):
        recalibrate(timed, X, np.column_stack([Y[:, 0], np.minimum(Y[:, 1], 8)]), update="offset")
    with pytest.raises(DataError, match="does not rise with the hazard or rate"):
        recalibrate(counted, X, np.where(X[:, 0] > 0, 0, 3), update="both")
    with pytest.raises(ParameterError, match="groups are for outcomes of yes or no"):
        recalibrate(timed, X, Y, groups=np.arange(300))
    with pytest.raises(ParameterError, match="Use 'auto', 'none', 'offset' or 'both'"):
        recalibrate(timed, X, Y, update="all")
    card = RiskScoreClassifier(1).fit(X, Y[:, 0]).card_
    with pytest.raises(
        ParameterError, match="entry is given, but the outcome of this card is yes or no"
    ):
        recalibrate(card, X, Y[:, 0], entry=ENTRY)


def test_the_command_line_recalibrates(tmp_path, capsys):
    path, card, new = tmp_path / "rows.csv", tmp_path / "card.json", tmp_path / "new.json"
    frame = find("pandas").DataFrame(X, columns=["age", "marker", "size"])
    frame.assign(days=Y[:, 1], died=Y[:, 0]).to_csv(path, index=False)
    fit = ["fit", path, "--target", "died", "--time", "days", "--horizon", "5", "-q", "-o", card]
    assert main([str(one) for one in fit]) == 0
    frame.assign(days=FASTER[:, 1], died=FASTER[:, 0]).to_csv(path, index=False)
    arguments = ["recalibrate", card, path, "-o", new, "--update", "offset"]
    assert main([str(one) for one in arguments]) == 0
    assert "the rows support the update" in capsys.readouterr().err
    expected = recalibrate(RiskCard.load(card), frame, FASTER, update="offset")
    assert RiskCard.load(new).kind == expected.kind
    assert math.isclose(RiskCard.load(new).offset, expected.offset)
