"""Cards of other outcomes than yes or no on new rows: baseline, rate, levels or mean, and slope, are refitted."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import chi2

from optional import find
from other_rows import KINDS, draw_kinds, model_of
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
from riskcard.estimators.cross_validation.rows_of_kinds import read_kind_rows, read_rows_for
from riskcard.estimators.other_outcomes.recalibrate_kinds import choose_kind_update
from riskcard.outcomes.hazards import FollowUp, cumulative_hazard
from riskcard.outcomes.incidence import subdistribution_rows
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
    moved = choose_kind_update(timed, read_kind_rows(RiskScoreSurvival(), X, FASTER, None, {}))
    assert moved.choice != "none"
    assert moved.ratio > 1.5
    rows = read_kind_rows(RiskScoreRegressor(), X, COUNTS, None, {"exposure": EXPOSURE})
    found = choose_kind_update(counted, rows)
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
        updated += choose_kind_update(counted, rows).choice != "none"
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


OTHER, TARGETS = draw_kinds(300, seed=4)
WEIGHTS = 1.0 + np.arange(300) % 3


@pytest.fixture(scope="module")
def others():
    X, targets = draw_kinds(300)
    return {kind: model_of(kind).fit(X, targets[kind]).card_ for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("update", ["offset", "both"])
def test_every_kind_of_card_keeps_its_points_and_passes_its_audit(others, kind, update):
    card = others[kind]
    new = recalibrate(card, OTHER, TARGETS[kind], WEIGHTS, update=update)
    assert [one.points for one in new.features] == [one.points for one in card.features]
    assert (new.multiplier == card.multiplier) is (update == "offset")
    found = audit_card(new, OTHER, TARGETS[kind], WEIGHTS)
    assert not found.failures, str(found)
    assert "those that the scale of the card was fitted to" in str(found)
    assert {one.name for one in found.not_checked} == {"certificate"}
    first, targets = draw_kinds(300)
    found = audit_card(new, first, targets[kind])
    assert not found.failures, str(found)
    assert "those that the points of the card were learned from" in str(found)
    assert "fitted to 300 rows" in " ".join(str(new).split())
    assert RiskCard.from_json(new.to_json()) == new


def test_numbers_are_fitted_by_least_squares_and_tested_with_robust_errors(others):
    card, y = others["numbers"], TARGETS["numbers"]
    linear = card.expected(OTHER)
    fit = glm.WLS(y - linear, glm.add_constant(linear - linear.mean()), WEIGHTS * 0 + 1)
    robust = fit.fit(cov_type="HC1", use_t=True)
    found = choose_kind_update(card, read_rows_for(card, OTHER, y, None, {}))
    assert found.slope == pytest.approx(1 + robust.params[1])
    assert found.p_value == pytest.approx(float(robust.f_test(np.eye(2)).pvalue))
    assert found.p_slope == pytest.approx(float(robust.pvalues[1]))
    least = glm.WLS(y, glm.add_constant(linear), WEIGHTS).fit().params
    new = recalibrate(card, OTHER, y, WEIGHTS, update="both")
    assert new.expected(OTHER) == pytest.approx(least[0] + least[1] * linear)
    new = recalibrate(card, OTHER, y, WEIGHTS, update="offset")
    assert new.expected(OTHER) == pytest.approx(linear + np.average(y - linear, weights=WEIGHTS))


def test_levels_are_fitted_by_maximum_likelihood(others):
    card, codes = others["levels"], TARGETS["levels"] - 9
    linear = card.linear_of_total(card.total_points(OTHER))

    def loss(parameters):
        above = [1 - np.exp(-np.exp(parameters[0] * linear + one)) for one in parameters[1:]]
        ends = np.column_stack([np.ones(300), *above, np.zeros(300)])
        likelihood = (ends[:, :-1] - ends[:, 1:])[np.arange(300), codes]
        return -np.log(np.maximum(likelihood, 1e-300)).sum()

    options = {"xatol": 1e-8, "fatol": 1e-9, "maxiter": 4000}
    start = np.log(card.kind.hazards)
    whole = minimize(loss, [1.0, *start], method="Nelder-Mead", options=options)
    moved = minimize(lambda one: loss([1.0, *one]), start, method="Nelder-Mead", options=options)
    found = choose_kind_update(card, read_rows_for(card, OTHER, TARGETS["levels"], None, {}))
    assert found.p_value == pytest.approx(
        chi2.sf(2 * (loss([1.0, *start]) - whole.fun), 4), rel=1e-4
    )
    assert found.p_slope == pytest.approx(chi2.sf(2 * (moved.fun - whole.fun), 1), rel=1e-4)
    new = recalibrate(card, OTHER, TARGETS["levels"], update="both")
    above = 1 - np.exp(-np.exp(whole.x[0] * linear[:, None] + whole.x[1:]))
    assert new.kind.at_least(new.linear_of_total(new.total_points(OTHER))) == pytest.approx(
        above, abs=1e-4
    )


def test_the_baseline_of_competing_events_is_that_of_the_subdistribution(others):
    card, y = others["competing"], TARGETS["competing"]
    new = recalibrate(card, OTHER, y, update="offset")
    same = model_of("competing").fit(OTHER, y)
    rows = FollowUp(y[:, 1], y[:, 0] == 3, None, y[:, 0] == 7)
    relative = np.exp(card.linear_of_total(card.total_points(OTHER)))
    at_risk = subdistribution_rows(rows, np.ones(300))
    for horizon in (10, 30):
        hazard = at_risk.hazard(np.ones(300), relative).at(np.array([horizon]))[0]
        assert new.risk_by(OTHER, horizon) == pytest.approx(1 - np.exp(-hazard * relative))
    assert new.kind.times == same.card_.kind.times
    assert new.kind.competing == card.kind.competing


def with_known_incidence(card):
    """A card whose cumulative hazard is ``0.6 (1 - exp(-t / 20))``."""
    times = np.arange(1.0, 59.0)
    hazards = 0.6 * (1 - np.exp(-times / 20))
    kind = replace(card.kind, times=tuple(times), hazards=tuple(hazards), last=60.0)
    return replace(card, kind=kind, recipe=None)


def draw_incidence(rng, relative):
    """Times in whole units of rows that follow it, censored; other events have the code 2."""
    drawn = rng.random(relative.size)
    has_event = drawn < 1 - np.exp(-0.6 * relative)
    hazard = -np.log1p(-np.where(has_event, drawn, 0.0)) / relative
    time = np.where(has_event, -20 * np.log1p(-hazard / 0.6), rng.exponential(20, drawn.size))
    lost = rng.uniform(1, 60, drawn.size)
    code = np.where(time <= lost, np.where(has_event, 1, 2), 0)
    return np.column_stack([code, np.ceil(np.minimum(time, lost))])


def test_of_tables_that_follow_the_card_few_are_updated(others):
    rng, updated = np.random.default_rng(1), dict.fromkeys(KINDS, 0)
    cards = others | {"competing": with_known_incidence(others["competing"])}
    relative = np.exp(cards["competing"].linear_of_total(cards["competing"].total_points(OTHER)))
    expected = others["numbers"].expected(OTHER)
    below = others["levels"].level_probabilities(OTHER).cumsum(axis=1)[:, :-1]
    for _ in range(100):
        drawn = {
            "numbers": expected + rng.exponential(30, 300) - 30,
            "levels": (rng.random(300)[:, None] > below).sum(axis=1) + 9,
            "competing": draw_incidence(rng, relative),
        }
        for kind, y in drawn.items():
            rows = read_rows_for(cards[kind], OTHER, y, None, {})
            updated[kind] += choose_kind_update(cards[kind], rows).choice != "none"
    assert all(0 < number <= 12 for number in updated.values())


def test_rows_of_one_number_or_without_a_level_are_refused(others):
    with pytest.raises(DataError, match="every number is the same, so that no scale"):
        recalibrate(others["numbers"], OTHER, np.ones(300))
    kept = TARGETS["levels"] != 10
    with pytest.raises(DataError, match="no row has the level '10', so that no scale"):
        recalibrate(others["levels"], OTHER[kept], TARGETS["levels"][kept])
    with pytest.raises(DataError, match="the level '8', but the card knows the levels '9', '10'"):
        recalibrate(others["levels"], OTHER, TARGETS["levels"] - 1)
    with pytest.raises(DataError, match="8 rows: too few for the update 'offset'"):
        recalibrate(others["numbers"], OTHER[:8], TARGETS["numbers"][:8], update="offset")


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
    with pytest.raises(DataError, match="does not rise with the outcome"):
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
