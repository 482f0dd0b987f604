"""Areas, decisions and constancy of effects by time: those of scikit-survival, statsmodels and of counting."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import chi2

from optional import find
from riskcard import RiskScoreSurvival, validate_survival
from riskcard.evaluation.decision import decision_curve
from riskcard.evaluation.other_outcomes.by_time import area_by, benefit_by, constancy_of
from riskcard.evaluation.outcomes import read_outcomes
from riskcard.outcomes.hazards import FollowUp
from survival_rows import draw_rows, structured

metrics, phreg = find("sksurv.metrics"), find("statsmodels.duration.hazard_regression")


def random_rows(seed: int = 0, n_rows: int = 150, *, is_censored: bool = True):
    rng = np.random.default_rng(seed)
    linear = rng.normal(size=n_rows).round(1)
    time, lost = rng.exponential(np.exp(-linear)), rng.exponential(2.0, n_rows)
    if not is_censored:
        return linear, FollowUp(time, np.ones(n_rows, dtype=bool))
    return linear, FollowUp(np.minimum(time, lost), time <= lost)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_area_is_that_of_scikit_survival(seed):
    linear, rows = random_rows(seed)
    y = structured(np.column_stack([rows.is_event, rows.time]))
    for horizon in (0.3, 1.0):
        theirs, _ = metrics.cumulative_dynamic_auc(y, y, linear, [horizon])
        assert area_by(rows, linear, horizon).value == pytest.approx(theirs[0])


def test_without_censoring_the_area_has_the_interval_of_hanley_and_delong():
    linear, rows = random_rows(3, is_censored=False)
    found = area_by(rows, linear, 0.7)
    cases, controls = linear[rows.time <= 0.7], linear[rows.time > 0.7]
    agrees = (cases[:, None] > controls) + 0.5 * (cases[:, None] == controls)
    spread = agrees.mean(axis=1).var() / cases.size + agrees.mean(axis=0).var() / controls.size
    assert found.value == pytest.approx(agrees.mean())
    width = found.interval[1] - found.interval[0]
    spread *= rows.time.size / (rows.time.size - 1)  # as of all intervals from influences
    assert width == pytest.approx(2 * 1.959964 * math.sqrt(spread), rel=1e-6)


def test_the_interval_of_the_area_holds():
    held = 0
    truth = np.mean(
        [area_by(*reversed(random_rows(seed, 400)), 0.7).value for seed in range(100, 160)]
    )
    for seed in range(60):
        low, high = area_by(*reversed(random_rows(seed, 150)), 0.7).interval
        held += low <= truth <= high
    assert 52 <= held <= 60


def test_where_nobody_is_lost_net_benefit_is_that_of_counting():
    linear, rows = random_rows(1, is_censored=False)
    risks, at = 1 - np.exp(-0.5 * np.exp(linear)), np.array([0.1, 0.3, 0.6])
    expected = decision_curve(read_outcomes(risks, (rows.time <= 0.5).astype(int)), at)
    found = benefit_by(rows, risks, 0.5, at)
    assert found.net_benefit == pytest.approx(expected.net_benefit.tolist())
    assert found.act_on_all == pytest.approx(expected.act_on_all.tolist())


def partial_likelihood(rows, covariates, slopes):
    """Breslow's, by its definition; covariates may change with time."""
    found = 0.0
    entry = np.zeros(rows.time.size) if rows.entry is None else rows.entry
    for i in np.flatnonzero(rows.is_event):
        at_risk = (rows.time >= rows.time[i]) & ((entry < rows.time[i]) | (entry == 0))
        linear = covariates(rows.time[i]) @ slopes
        found += linear[i] - np.log(np.exp(linear[at_risk]).sum())
    return found


@pytest.mark.parametrize("has_entry", [False, True])
def test_effects_over_time_are_tested_by_the_score_of_the_partial_likelihood(has_entry):
    X, y, entry = draw_rows(120, seed=5)
    rows = FollowUp(y[:, 1], y[:, 0] > 0, entry if has_entry else None)
    Z = np.column_stack([X[:, 0] > 0, X[:, 1], X[:, 2]]).astype(float)
    found = constancy_of(rows, Z, ["a", "b", "c"])
    slopes = np.array([one.slope for one in found])
    if not has_entry:
        model = phreg.PHReg(rows.time, Z, status=rows.is_event.astype(int), ties="breslow").fit()
        assert slopes == pytest.approx(model.params, rel=1e-6)
    times, number = np.unique(rows.time[rows.is_event], return_counts=True)
    rank = np.cumsum(number) - number / 2
    rank = dict(
        zip(times.tolist(), (rank - np.average(rank, weights=number)).tolist(), strict=True)
    )
    size = max(rank.values())
    for place, one in enumerate(found):

        def likelihood(extra, place=place):
            def at(time):
                return np.column_stack([Z, Z[:, place] * rank[time] / size])

            return partial_likelihood(rows, at, np.concatenate([slopes + extra[:3], extra[3:]]))

        step, n = 1e-3, 4
        unit = np.eye(n) * step
        slope = np.array([(likelihood(u) - likelihood(-u)) / (2 * step) for u in unit])
        curve = np.array(
            [
                [
                    (likelihood(u + v) - likelihood(u - v) - likelihood(v - u) + likelihood(-u - v))
                    / (4 * step**2)
                    for v in unit
                ]
                for u in unit
            ]
        )
        expected = slope @ np.linalg.solve(-curve, slope)
        assert one.statistic == pytest.approx(expected, rel=1e-3, abs=1e-4)
        assert one.p_value == pytest.approx(chi2.sf(one.statistic, 1))
        assert one.direction == np.sign(slope[3])


def test_an_effect_that_wanes_is_found():
    rng = np.random.default_rng(0)
    z = rng.integers(0, 2, 600).astype(float)
    early = rng.exponential(1 / np.where(z > 0, 3.0, 1.0))
    later = 0.5 + rng.exponential(1.0, 600)
    rows = FollowUp(np.where(early < 0.5, early, later), np.ones(600, dtype=bool))
    (found,) = constancy_of(rows, z[:, None], ["z"])
    assert found.p_value < 0.001
    assert found.direction < 0
    (same,) = constancy_of(FollowUp(rng.exponential(1 / (1 + z)), rows.is_event), z[:, None], ["z"])
    assert same.p_value > 0.01
    assert constancy_of(rows, np.ones((600, 1)), ["z"]) == []


def test_a_validation_has_areas_decisions_curves_and_the_test():
    X, y, _ = draw_rows(250)
    model = RiskScoreSurvival(3, horizons=[10, 30]).fit(X[:150], y[:150])
    found = validate_survival(model, X[150:], y[150:])
    rows = FollowUp(y[150:, 1], y[150:, 0] > 0)
    for place, at in enumerate(found.at):
        risks = model.predict_risk(X[150:])[:, place]
        assert at.area == area_by(rows, risks, at.horizon)
        assert len(at.benefit.thresholds) == 99
    assert sum(one.rows for one in found.curves) == 100
    whole = constancy_of(rows, model.predict(X[150:])[:, None], ["the card"])[0]
    assert found.constancy[0].statistic == pytest.approx(whole.statistic)
    text = str(found)
    for heading in ("Do effects change with time?", "Groups of risk over time", "Net benefit"):
        assert heading in text
    assert found.to_dict()["at"][0]["benefit"]["thresholds"][0] == 0.01
    find("matplotlib")
    assert found.to_html().count("data:image/svg+xml") == 5


def test_an_event_counts_before_what_is_lost_at_the_same_time():
    rows = FollowUp(np.array([1.0, 1.0, 2.0, 3.0]), np.array([True, False, True, False]))
    # by then a third of three rows is lost, so that the second case weighs 1.5
    found = area_by(rows, np.array([0.0, 5.0, 2.0, 1.0]), 2.0)
    assert found.value == pytest.approx((1.0 * 0 + 1.5 * 1) / 2.5)
