"""Sample size and instability: published figures, the defining equations, and loops."""

import math

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from riskcard.errors import DataError, ParameterError
from riskcard.evaluation.development.instability import (
    calibration_instability,
    changed_decisions,
    instability,
)
from riskcard.evaluation.development.sample_size import (
    expected_shrinkage,
    largest_r_squared,
    r_squared_of_auc,
    sample_size,
)
from riskcard.evaluation.outcomes import read_outcomes

# --- sample size --------------------------------------------------------------------------------


def test_the_example_of_pmsampsize():
    """24 parameters, prevalence 0.174, R-squared 0.288: the example of the program of its authors."""
    found = sample_size(24, 0.174, 0.288)
    assert (found.for_shrinkage, found.for_optimism, found.for_overall_risk) == (623, 662, 221)
    assert (found.rows, found.events) == (662, 116)
    assert found.events_per_parameter == pytest.approx(4.8, abs=0.05)
    assert found.shrinkage == pytest.approx(0.905, abs=5e-4)


@pytest.mark.parametrize(
    ("parameters", "prevalence", "r_squared"), [(10, 0.3, 0.1), (40, 0.05, 0.02), (1, 0.5, 0.3)]
)
def test_the_rows_are_the_fewest_that_meet_each_criterion(parameters, prevalence, r_squared):
    found = sample_size(parameters, prevalence, r_squared)
    for rows, is_met in ((found.for_shrinkage, True), (found.for_shrinkage - 1, False)):
        # van Houwelingen's heuristic factor, from the apparent R-squared
        shrinkage = 1 + parameters / (rows * math.log(1 - r_squared / 0.9))
        assert (shrinkage >= 0.9) == is_met
    most = 1 - (prevalence**prevalence * (1 - prevalence) ** (1 - prevalence)) ** 2
    assert largest_r_squared(prevalence) == pytest.approx(most)
    for rows, is_met in ((found.for_optimism, True), (found.for_optimism - 1, False)):
        shrinkage = expected_shrinkage(rows, parameters, r_squared)
        optimism = (r_squared / shrinkage - r_squared) / most
        assert (optimism <= 0.05 + 1e-12) == is_met
    for rows, is_met in ((found.for_overall_risk, True), (found.for_overall_risk - 1, False)):
        reach = 1.959963984540054 * math.sqrt(prevalence * (1 - prevalence) / rows)
        assert (reach <= 0.05) == is_met
    assert found.rows == max(found.for_shrinkage, found.for_optimism, found.for_overall_risk)


def test_more_candidates_need_more_rows_in_proportion():
    few, many = sample_size(10, 0.2, 0.1), sample_size(1000, 0.2, 0.1)
    assert many.for_shrinkage == pytest.approx(100 * few.for_shrinkage, rel=0.01)


def test_the_r_squared_of_an_auc_is_that_of_normal_log_odds():
    rng = np.random.default_rng(0)
    y = np.arange(200_000) < 40_000
    x = rng.normal(y * math.sqrt(2) * 0.8416212335729143, 1)  # AUC 0.8
    risks = LogisticRegression(C=np.inf).fit(x[:, None], y).predict_proba(x[:, None])[:, 1]
    gain = np.log(np.where(y, risks, 1 - risks)).mean() - (
        0.2 * math.log(0.2) + 0.8 * math.log(0.8)
    )
    assert r_squared_of_auc(0.8, 0.2) == pytest.approx(1 - math.exp(-2 * gain), abs=0.003)
    assert r_squared_of_auc(0.8, 0.2) < largest_r_squared(0.2)
    assert r_squared_of_auc(0.9999, 0.2) == pytest.approx(largest_r_squared(0.2), abs=0.02)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 0.2, 0.1), "parameters is 0"),
        ((1.5, 0.2, 0.1), "parameters is 1.5"),
        ((5, 0.0, 0.1), "prevalence is 0.0"),
        ((5, 1.0, 0.1), "prevalence is 1.0"),
        ((5, 0.2, 0.7), "between 0 and 0.6"),
        ((5, 0.2, largest_r_squared(0.2)), "between 0 and 0.6"),
        ((5, 0.2, 0.0), "r_squared is 0.0"),
    ],
)
def test_impossible_sizes_are_refused(arguments, words):
    with pytest.raises(ParameterError, match=words):
        sample_size(*arguments)


def test_shrinkage_below_r_squared_cannot_be_asked_for():
    with pytest.raises(ParameterError, match="cannot be asked for"):
        sample_size(5, 0.5, 0.5, shrinkage=0.4)
    for shrinkage in (0.5, 1.0):
        with pytest.raises(ParameterError, match="cannot be asked for"):
            sample_size(5, 0.5, 0.5, shrinkage=shrinkage)


@pytest.mark.parametrize(
    ("auc", "prevalence", "words"),
    [
        (0.5, 0.2, "auc is 0.5"),
        (1.0, 0.2, "auc is 1.0"),
        (0.8, 0.0, "prevalence is 0.0"),
        (0.8, 1.0, "prevalence is 1.0"),
    ],
)
def test_impossible_aucs_are_refused(auc, prevalence, words):
    with pytest.raises(ParameterError, match=words):
        r_squared_of_auc(auc, prevalence)


# --- instability --------------------------------------------------------------------------------


def resampled_rows(seed=0, n_rows=80, n_cards=12):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n_rows)
    y = rng.random(n_rows) < expit(x)
    others = np.array([expit(rng.normal(0, 0.3) + x * rng.normal(1, 0.2)) for _ in range(n_cards)])
    return read_outcomes(expit(x), y, rng.uniform(0.5, 2, n_rows)), others


def test_errors_are_mean_absolute_differences():
    rows, others = resampled_rows()
    found = instability(rows, others)
    for row in (0, 17):
        assert found.errors[row] == pytest.approx(
            np.mean([abs(card[row] - rows.risks[row]) for card in others])
        )
        assert found.low[row] == pytest.approx(np.percentile(others[:, row], 2.5))
        assert found.high[row] == pytest.approx(np.percentile(others[:, row], 97.5))
    assert found.mean_error == pytest.approx(np.average(found.errors, weights=rows.weights))
    assert found.largest_error == max(found.errors)
    same = instability(rows, np.tile(rows.risks, (3, 1)))
    assert same.mean_error == 0


def test_changed_decisions_are_counted():
    rows, others = resampled_rows(1)
    found = changed_decisions(rows, others, 0.5)
    row = int(np.argmin(np.abs(rows.risks - 0.5)))
    side = rows.risks[row] >= 0.5
    assert found[row] == pytest.approx(np.mean([(card[row] >= 0.5) != side for card in others]))
    assert found[np.argmax(rows.risks)] == 0
    with pytest.raises(ParameterError, match="threshold is 1"):
        changed_decisions(rows, others, 1)


def test_each_card_is_calibrated_on_the_original_rows():
    rows, others = resampled_rows(2, n_rows=300)
    found = calibration_instability(rows, others)
    assert found.rates.shape == (12, found.risks.size)
    x = np.log(others[3] / (1 - others[3]))
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
    model.fit(x[:, None], rows.is_event, sample_weight=rows.weights)
    assert found.slopes[3] == pytest.approx(model.coef_[0, 0], abs=1e-4)
    inside = np.isfinite(found.rates[3])
    at = np.log(found.risks / (1 - found.risks))[inside]
    assert found.rates[3][inside] == pytest.approx(model.predict_proba(at[:, None])[:, 1], abs=1e-4)
    assert found.risks[inside].min() >= others[3].min()
    shifted = expit(x + found.intercepts[3])
    assert rows.weights @ shifted == pytest.approx(rows.weights @ rows.is_event)


def test_cards_of_equal_risks_have_no_line():
    rows, _ = resampled_rows()
    found = calibration_instability(rows, [np.full(80, 0.3)])
    assert np.isnan(found.slopes[0])
    assert np.isnan(found.rates).all()


@pytest.mark.parametrize(
    ("resampled", "words"),
    [
        ([[0.1, 0.2]], "one column for each of the 80 rows"),
        (np.full((2, 80), 1.5), "between 0 and 1"),
    ],
)
def test_wrong_risks_of_resamples_are_refused(resampled, words):
    rows, _ = resampled_rows()
    with pytest.raises(DataError, match=words):
        instability(rows, resampled)
