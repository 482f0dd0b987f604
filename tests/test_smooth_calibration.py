"""The smooth calibration curve: the same as a regression by statsmodels, and sensible ICI, E50 and E90."""

import math

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import chi2, f, norm, t

from riskcard.errors import DataError
from riskcard.evaluation.outcomes import read_outcomes
from riskcard.evaluation.smooth_calibration import (
    _interval,
    _may_be_right,
    _Spline,
    smooth_calibration,
)


def rows_of(seed=0, n_rows=600, bend=0.3, n_totals=13):
    rng = np.random.default_rng(seed)
    totals = rng.binomial(n_totals - 1, 0.4, n_rows)
    log_odds = -2.5 + 0.5 * totals
    y = rng.random(n_rows) < expit(log_odds - bend * (log_odds + 0.5) ** 2)
    return expit(log_odds), y.astype(int), rng


def natural_spline(values, knots):
    """Columns that span the natural cubic splines: by numbers of patsy."""
    cr = pytest.importorskip("patsy").cr
    inner, ends = knots[1:-1], (knots[0], knots[-1])
    return np.asarray(cr(values, knots=inner, lower_bound=ends[0], upper_bound=ends[1]))


def knots_of(log_odds, weights=None):
    order = np.argsort(log_odds, kind="stable")
    weights = np.ones(log_odds.size) if weights is None else weights
    shares = np.cumsum(weights[order]) / weights.sum()
    return np.array(
        [log_odds[order][np.searchsorted(shares, at - 1e-9)] for at in (0.05, 0.35, 0.65, 0.95)]
    )


def inside(found, knots):
    """Patsy does not continue its splines beyond the outer knots as lines."""
    at = logit(found.risks)
    return (at >= knots[0]) & (at <= knots[-1])


@pytest.mark.parametrize("design", ["plain", "weighted", "clustered"])
def test_curve_and_band_are_those_of_statsmodels(design):
    statsmodels = pytest.importorskip("statsmodels.api")
    risks, y, rng = rows_of(1, n_totals=13)
    # within the outer knots only, so that patsy's columns span the same curves
    log_odds = np.clip(logit(risks), *np.quantile(logit(risks), [0.05, 0.95]))
    risks = expit(log_odds)
    weights = rng.uniform(0.5, 2, y.size) if design == "weighted" else np.ones(y.size)
    clusters = np.repeat(np.arange(100), 6) if design == "clustered" else None
    rows = read_outcomes(risks, y, None if design != "weighted" else weights, clusters=clusters)
    found = smooth_calibration(rows, 0)
    knots = knots_of(rows.log_odds, weights)
    assert found.knots == 4
    columns = natural_spline(rows.log_odds, knots)
    model = statsmodels.GLM(
        y, columns, family=statsmodels.families.Binomial(), freq_weights=weights
    )
    fit = model.fit(tol=1e-12)
    curve = inside(found, knots)
    at = natural_spline(logit(found.risks[curve]), knots)
    np.testing.assert_allclose(found.rates[curve], expit(at @ fit.params), atol=1e-6)
    fitted = fit.fittedvalues
    bread = np.linalg.inv((columns.T * (weights * fitted * (1 - fitted))) @ columns)
    quantile, covariance = 1.959963984540054, bread
    if design != "plain":
        own = np.arange(y.size) if clusters is None else clusters
        scores = columns * (weights * (y - fitted))[:, None]
        sums = np.array([np.bincount(own, column) for column in scores.T])
        base = np.bincount(own, weights)
        units = base.sum() ** 2 / (base**2).sum()
        covariance = bread @ sums @ sums.T @ bread * units / (units - 1)
        quantile = t.ppf(0.975, units - 1)
    reach = quantile * np.sqrt(np.einsum("ij,jk,ik->i", at, covariance, at))
    np.testing.assert_allclose(found.low[curve], expit(at @ fit.params - reach), atol=1e-6)
    np.testing.assert_allclose(found.high[curve], expit(at @ fit.params + reach), atol=1e-6)


def test_the_errors_are_mean_median_and_90th_percentile_of_distances():
    risks, y, _ = rows_of(2)
    found = smooth_calibration(read_outcomes(risks, y), 0)
    distances = np.abs(np.interp(risks, found.risks, found.rates) - risks)
    # the curve is a line between its points here
    assert found.mean_error.value == pytest.approx(distances.mean(), abs=1e-4)
    assert found.median_error.value == pytest.approx(
        np.quantile(distances, 0.5, method="inverted_cdf"), abs=1e-4
    )
    assert found.high_error.value == pytest.approx(
        np.quantile(distances, 0.9, method="inverted_cdf"), abs=1e-4
    )
    assert found.mean_error.interval is None


def test_beyond_the_outer_knots_the_curve_is_a_line_in_log_odds():
    risks, y, _ = rows_of(3, n_rows=2000)
    found = smooth_calibration(read_outcomes(risks, y), 0)
    at, height = logit(found.risks), logit(found.rates)
    last = knots_of(logit(risks))[-1]
    slopes = np.diff(height[at >= last]) / np.diff(at[at >= last])
    assert slopes.size > 5
    np.testing.assert_allclose(slopes, slopes[0], rtol=1e-8)


def test_right_risks_have_errors_that_may_be_0_and_wrong_ones_do_not():
    rng = np.random.default_rng(4)
    risks = rng.integers(1, 12, 800) / 13
    y = rng.random(800) < risks
    right = smooth_calibration(read_outcomes(risks, y), 100)
    for figure in (right.mean_error, right.median_error, right.high_error):
        assert figure.interval[0] == 0
        assert figure.value <= figure.interval[1]
    wrong = smooth_calibration(read_outcomes(risks / 2, y), 100)
    assert wrong.mean_error.interval[0] > 0.1
    assert wrong.mean_error.value == pytest.approx(np.mean(risks / 2), abs=0.05)


@pytest.mark.parametrize("degrees", [math.inf, 40.0, 4.5])
def test_the_diagonal_is_rejected_where_hotellings_test_does(degrees):
    spline = _Spline(np.empty(0), centre=0.3, spread=1.7)
    if math.isinf(degrees):
        limit = chi2.ppf(0.95, 2)
    else:  # with 2 coefficients, 2 and degrees - 1 degrees of freedom
        limit = 2 * degrees / (degrees - 1) * f.ppf(0.95, 2, degrees - 1)
    covariance = np.array([[0.5, 0.1], [0.1, 0.2]])
    direction = np.linalg.cholesky(covariance) @ [0.6, 0.8]  # a statistic of 1
    for factor, is_right in ((0.99, True), (1.01, False)):
        away = factor * math.sqrt(limit) * direction
        found = _may_be_right(spline, np.array([0.3, 1.7]) + away, covariance, degrees)
        assert found is is_right


@pytest.mark.parametrize("degrees", [0.5, 1.0])
def test_too_few_units_reject_no_curve(degrees):
    spline = _Spline(np.empty(0), centre=0.0, spread=1.0)
    assert _may_be_right(spline, np.array([50.0, 50.0]), np.eye(2), degrees)


def test_whole_clusters_are_resampled():
    """Copies of rows in clusters give wider intervals than as many independent rows."""
    risks, y, _ = rows_of(5, n_rows=150)
    many = (np.repeat(one, 8) for one in (risks, y))
    together = read_outcomes(*many, clusters=np.repeat(np.arange(150), 8))
    apart = read_outcomes(together.risks, together.is_event)
    clustered, alone = (
        smooth_calibration(one, 100).mean_error.interval for one in (together, apart)
    )
    assert clustered[1] - clustered[0] > 1.5 * (alone[1] - alone[0])


def test_an_interval_that_begins_at_0_leaves_out_5_percent_at_its_other_end():
    resampled = np.random.default_rng(0).normal(0.05, 0.01, 400)
    spread = resampled.std(ddof=1)
    assert _interval(0.05, resampled, True, norm.ppf(0.975)) == pytest.approx(
        (0, max(0.05 + norm.ppf(0.95) * spread, np.quantile(resampled, 0.95)))
    )
    low, high = _interval(0.05, resampled, False, norm.ppf(0.975))
    most = np.quantile(resampled, 0.975)
    assert high == pytest.approx(max(0.05 + norm.ppf(0.975) * spread, most))
    assert low == pytest.approx(min(0.05 - norm.ppf(0.975) * spread, 0.1 - most))


@pytest.mark.parametrize("resampled", [[0.3, 0.5], [0.1] * 30 + [0.9], [0.39, 0.4, 0.41] * 9])
@pytest.mark.parametrize("quantile", [norm.ppf(0.975), 4.0])
def test_an_interval_above_0_is_as_wide_as_the_wider_of_two(resampled, quantile):
    """The standard error of the resamples, and their quantile with the bias turned round."""
    reach, most = quantile * np.std(resampled, ddof=1), np.quantile(resampled, 0.975)
    low, high = _interval(0.4, np.array(resampled), False, quantile)
    assert low == pytest.approx(max(0, min(0.4 - reach, 0.8 - most)))
    assert high == pytest.approx(max(0.4 + reach, most))


def test_by_default_there_are_500_resamples_of_seed_0():
    risks, y, _ = rows_of(6, n_rows=60)
    rows = read_outcomes(risks, y)
    usual, asked = smooth_calibration(rows), smooth_calibration(rows, 500, 0)
    for name in ("mean_error", "median_error", "high_error"):
        assert getattr(usual, name) == getattr(asked, name)


def test_one_resample_has_no_interval():
    assert _interval(0.4, np.array([0.4]), False, 2.0) is None
    assert _interval(0.4, np.array([0.4, 0.5]), True, 2.0) is not None


def test_the_same_seed_gives_the_same_intervals():
    risks, y, _ = rows_of(6, n_rows=200)
    rows = read_outcomes(risks, y)
    one, same, other = (smooth_calibration(rows, 30, seed).mean_error for seed in (1, 1, 2))
    assert one == same
    assert one.interval != other.interval


def test_few_rows_or_few_risks_get_fewer_knots():
    risks, y, _ = rows_of(7, n_rows=60)
    few = smooth_calibration(read_outcomes(risks, y), 0)
    assert few.knots == 3
    two = read_outcomes(np.repeat([0.2, 0.6], 100), np.r_[np.arange(100) < 30, np.arange(100) < 50])
    line = smooth_calibration(two, 20)
    assert line.knots == 2
    assert line.rates[[0, -1]] == pytest.approx([0.3, 0.5])
    assert line.mean_error.value == pytest.approx(0.1)


@pytest.mark.parametrize("is_rarer_the_event", [True, False])
@pytest.mark.parametrize(("rarer", "knots"), [(19, 2), (20, 3), (99, 3), (100, 4)])
def test_knots_need_rows_of_the_rarer_outcome(rarer, knots, is_rarer_the_event):
    y = np.zeros(400, dtype=bool)
    y[np.linspace(5, 395, rarer).astype(int)] = True
    rows = read_outcomes(np.linspace(0.1, 0.9, 400), y == is_rarer_the_event)
    assert smooth_calibration(rows, 0).knots == knots


def test_equal_risks_have_a_curve_of_one_point():
    found = smooth_calibration(read_outcomes([0.3] * 40, [1] * 10 + [0] * 30), 20)
    assert found.risks.tolist() == [0.3]
    assert found.rates == pytest.approx([0.25])
    assert found.mean_error.value == pytest.approx(0.05)


def test_separated_classes_have_a_steep_curve():
    found = smooth_calibration(read_outcomes([0.2] * 30 + [0.8] * 30, [0] * 30 + [1] * 30), 20)
    assert found.rates[0] < 0.01
    assert found.rates[-1] > 0.99
    assert math.isfinite(found.mean_error.value)


def test_continuous_risks_are_resampled_in_groups():
    rng = np.random.default_rng(8)
    risks = rng.uniform(0.05, 0.9, 1500)
    y = rng.random(1500) < risks**1.5
    found = smooth_calibration(read_outcomes(risks, y), 60)
    assert found.mean_error.interval[0] > 0
    assert found.mean_error.value == pytest.approx(np.mean(risks - risks**1.5), abs=0.03)


def test_one_class_has_no_curve():
    rows = read_outcomes([0.2, 0.4, 0.6], [0, 1, 1]).take(np.array([1, 2]))
    with pytest.raises(DataError, match="with and without the event"):
        smooth_calibration(rows)
