"""Intervals under weights and clusters: influences by numerical derivatives, variances by other packages."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import norm, t
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from riskcard.errors import DataError
from riskcard.evaluation.calibration import (
    calibration_bins,
    calibration_of,
    intercept_linearised,
    ratio_linearised,
    slope_linearised,
)
from riskcard.evaluation.comparison import compare, net_benefit_linearised
from riskcard.evaluation.decision import _largest_error, decision_curve
from riskcard.evaluation.discrimination import area_linearised, roc_curve
from riskcard.evaluation.linearisation import Cells, Linearised, effective_units
from riskcard.evaluation.measures import fit_slope
from riskcard.evaluation.outcomes import Outcomes, read_clusters, read_outcomes
from riskcard.evaluation.summary import (
    brier_linearised,
    evaluate,
    loss_linearised,
    scaled_brier_linearised,
)

Q = 1.959963984540054


def rows_of(seed=0, n_rows=60, weighted=True, clustered=False):
    rng = np.random.default_rng(seed)
    risks = rng.integers(1, 12, n_rows) / 12.5
    y = (rng.random(n_rows) < risks**1.3).astype(int)
    y[:2] = 0, 1
    weights = rng.uniform(0.3, 4, n_rows) if weighted else None
    clusters = rng.integers(0, n_rows // 4, n_rows) if clustered else None
    return risks, y, weights, clusters


def line_of(y, design, weights):
    """Logistic regression by plain Newton steps."""
    found = np.zeros(design.shape[1])
    for _ in range(50):
        fitted = 1 / (1 + np.exp(-design @ found))
        curvature = (design.T * (weights * fitted * (1 - fitted))) @ design
        found = found + np.linalg.solve(curvature, design.T @ (weights * (y - fitted)))
    return found


def slope(risks, y, w):
    return line_of(y, np.column_stack([np.ones(y.size), np.log(risks / (1 - risks))]), w)[1]


def intercept(risks, y, w):
    low, high = -20.0, 20.0
    for _ in range(200):
        middle = (low + high) / 2
        odds = risks / (1 - risks) * math.exp(middle)
        low, high = (middle, high) if w @ (odds / (1 + odds)) < w @ y else (low, middle)
    return low


def scaled_brier(risks, y, w):
    rate = w @ y / w.sum()
    return 1 - brier_score_loss(y, risks, sample_weight=w) / (rate * (1 - rate))


def net_benefit(risks, y, w):
    acts = risks >= 0.4
    return (w[acts & (y == 1)].sum() - w[acts & (y == 0)].sum() * 0.4 / 0.6) / w.sum()


FIGURES = {
    area_linearised: lambda risks, y, w: roc_auc_score(y, risks, sample_weight=w),
    loss_linearised: lambda risks, y, w: log_loss(y, risks, sample_weight=w),
    brier_linearised: lambda risks, y, w: brier_score_loss(y, risks, sample_weight=w),
    scaled_brier_linearised: scaled_brier,
    slope_linearised: slope,
    intercept_linearised: intercept,
    ratio_linearised: lambda risks, y, w: (w @ risks) / (w @ y),
    (lambda rows: net_benefit_linearised(rows, 0.4)): net_benefit,
}


@pytest.mark.parametrize(("ours", "theirs"), FIGURES.items())
@pytest.mark.parametrize("clustered", [False, True])
def test_the_variance_is_that_of_numerical_derivatives_by_the_weights(ours, theirs, clustered):
    """The influence of a row is its weight times the derivative of the figure by it."""
    risks, y, weights, clusters = rows_of(3, clustered=clustered)
    rows = read_outcomes(risks, y, weights, clusters=clusters)
    found = ours(rows)
    assert found.value == pytest.approx(theirs(risks, y, weights), rel=1e-8)
    moves = np.empty(y.size)
    for row in range(y.size):
        step = np.zeros(y.size)
        step[row] = 1e-4 * weights[row]
        up, down = theirs(risks, y, weights + step), theirs(risks, y, weights - step)
        moves[row] = weights[row] * (up - down) / (2 * step[row])
    own = np.arange(y.size) if clusters is None else clusters
    sums = np.bincount(own, moves)
    if ours is area_linearised:  # each class has its own correction
        parts, degrees = [], []
        for label in (0, 1):
            base = np.bincount(own, weights * (y == label))
            units = base.sum() ** 2 / (base**2).sum()
            parts.append(np.bincount(own, moves * (y == label)) * math.sqrt(units / (units - 1)))
            degrees.append(units - 1)
        expected = (parts[0] + parts[1]) @ (parts[0] + parts[1])
        assert found.degrees == pytest.approx(min(degrees))
    else:
        base = np.bincount(own, weights)
        units = base.sum() ** 2 / (base**2).sum()
        expected = sums @ sums * units / (units - 1)
        assert found.degrees == pytest.approx(units - 1)
    assert found.variance == pytest.approx(expected, rel=1e-5)


def test_slope_and_intercept_are_those_of_statsmodels_with_clusters():
    statsmodels = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(1)
    clusters = np.repeat(np.arange(40), 5)  # of one size, so that the corrections agree
    risks = rng.integers(1, 10, 200) / 11
    y = (rng.random(200) < risks).astype(int)
    log_odds = np.log(risks / (1 - risks))
    rows = read_outcomes(risks, y, clusters=clusters)
    options = {"cov_type": "cluster", "cov_kwds": {"groups": clusters, "use_correction": False}}
    family = statsmodels.families.Binomial()
    fit = statsmodels.GLM(y, statsmodels.add_constant(log_odds), family=family).fit(
        tol=1e-12, **options
    )
    quantile = t.ppf(0.975, 39) * math.sqrt(40 / 39)
    found = calibration_of(rows)
    reach = quantile * fit.bse[1]
    assert found.slope_interval == pytest.approx((fit.params[1] - reach, fit.params[1] + reach))
    fit = statsmodels.GLM(y, np.ones(200), offset=log_odds, family=family).fit(tol=1e-12, **options)
    reach = quantile * fit.bse[0]
    assert found.intercept_interval == pytest.approx((fit.params[0] - reach, fit.params[0] + reach))


def test_plain_slope_and_intercept_are_walds():
    statsmodels = pytest.importorskip("statsmodels.api")
    risks, y, _, _ = rows_of(5, n_rows=150)
    log_odds = np.log(risks / (1 - risks))
    found = calibration_of(read_outcomes(risks, y))
    family = statsmodels.families.Binomial()
    fit = statsmodels.GLM(y, statsmodels.add_constant(log_odds), family=family).fit(tol=1e-12)
    assert found.slope_interval == pytest.approx(fit.conf_int()[1])
    fit = statsmodels.GLM(y, np.ones(150), offset=log_odds, family=family).fit(tol=1e-12)
    assert found.intercept_interval == pytest.approx(fit.conf_int()[0])


def test_plain_losses_have_the_interval_of_a_mean():
    risks, y, _, _ = rows_of(2, n_rows=90)
    found = evaluate(read_outcomes(risks, y))
    for values, interval in (
        (-np.log(np.where(y == 1, risks, 1 - risks)), found.log_loss_interval),
        ((y - risks) ** 2, found.brier_interval),
    ):
        wanted = norm.interval(0.95, values.mean(), values.std(ddof=1) / math.sqrt(90))
        assert interval == pytest.approx(wanted)


def test_the_interval_of_expected_over_observed_is_symmetric_in_the_logarithm():
    risks, y, _, _ = rows_of(2, n_rows=90)
    found = calibration_of(read_outcomes(risks, y))
    moves = risks / risks.sum() - y / y.sum()
    reach = Q * math.sqrt(moves @ moves * 90 / 89)
    assert np.log(found.ratio_interval) == pytest.approx(
        [math.log(found.ratio) - reach, math.log(found.ratio) + reach]
    )


@pytest.mark.parametrize(
    ("risks", "is_event", "value"),
    [([0.0, 0.0], [True, False], math.nan), ([0.2, 0.4], [False, False], math.inf)],
)
def test_without_expected_or_observed_events_their_ratio_is_not_known(risks, is_event, value):
    found = ratio_linearised(Outcomes(np.array(risks), np.array(is_event), np.ones(2)))
    assert found.value == pytest.approx(value, nan_ok=True)
    assert found.variance == math.inf
    assert found.interval() is found.log_interval() is None


# --- clusters -----------------------------------------------------------------------------------


def test_rows_that_are_repeated_in_clusters_say_no_more_than_once():
    """Ten copies of each row, as in ten repeats of folds, have the intervals of one."""
    risks, y, _, _ = rows_of(4, n_rows=200)
    once = evaluate(read_outcomes(risks, y, 1 + 1e-12 * np.arange(200)))
    tenfold = evaluate(
        read_outcomes(
            np.repeat(risks, 10), np.repeat(y, 10), clusters=np.repeat(np.arange(200), 10)
        )
    )
    for one in (
        lambda found: found.roc.interval,
        lambda found: found.log_loss_interval,
        lambda found: found.scaled_brier_interval,
        lambda found: found.calibration.slope_interval,
        lambda found: found.calibration.intercept_interval,
        lambda found: found.calibration.ratio_interval,
        lambda found: found.decision.low,
        lambda found: np.ravel([bin.interval for bin in found.bins]),
    ):
        assert one(tenfold) == pytest.approx(one(once), rel=1e-7, abs=1e-9)
    assert tenfold.decision.supported == once.decision.supported


def test_clusters_of_one_row_are_not_clusters():
    risks, y, _, _ = rows_of(4)
    rows = read_outcomes(risks, y, clusters=[f"row {i}" for i in range(y.size)])
    assert rows.clusters is None
    assert rows.is_plain


def test_clusters_stay_with_their_rows():
    rows = read_outcomes([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1], [1, 0, 1, 1], clusters=list("baba"))
    assert rows.clusters.tolist() == [1, 1, 0]
    assert rows.take(np.array([2, 0])).clusters.tolist() == [0, 1]
    assert not rows.is_plain
    assert effective_units(rows) == pytest.approx(9 / 5)


@pytest.mark.parametrize(
    ("clusters", "words"),
    [
        ([1, 2], "3 rows, but the clusters have shape"),
        ([1, None, 2], "cluster is missing in row 1"),
        ([7, 7, 7], "All rows are in the cluster"),
    ],
)
def test_wrong_clusters_are_refused(clusters, words):
    with pytest.raises(DataError, match=words):
        read_clusters(clusters, 3)


def test_labels_of_several_types_are_clusters():
    assert read_clusters(["a", 1, "a", 2.5], 4).tolist() == [2, 0, 2, 1]


def test_one_effective_unit_has_no_interval():
    heavy = [1e12, 1.0, 1.0, 1.0]
    rows = read_outcomes([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1], heavy)
    found = evaluate(rows)
    assert found.roc.interval is None
    assert found.log_loss_interval is None
    assert found.calibration.slope_interval is None
    assert calibration_bins(rows, 1)[0].interval == (0.0, 1.0)


@pytest.mark.parametrize("others", [0.0, 0.3, 1.0])
def test_two_units_say_something_about_chance_however_unequal_and_one_does_not(others):
    """The units are two clusters; without weights in the second there is one."""
    clusters = np.tile([0, 1], 6)
    weights = np.where(clusters == 0, 1.0, others or 1e-12)
    rows = Outcomes(np.linspace(0.1, 0.9, 12), np.arange(12) % 4 < 2, weights, clusters)
    degrees = (1 + others) ** 2 / (1 + others**2) - 1
    for measure in (area_linearised, ratio_linearised, loss_linearised, brier_linearised):
        found = measure(rows)
        assert found.degrees == pytest.approx(degrees, abs=1e-9)
        assert (found.interval() is None) == (others == 0)
    assert np.isfinite(decision_curve(rows, [0.5]).high).all() == (others > 0)
    (one,) = calibration_bins(rows, 1)
    assert (one.interval == (0.0, 1.0)) == (others == 0)


# --- rates --------------------------------------------------------------------------------------


def test_a_clustered_rate_has_wilsons_interval_of_its_effective_rows():
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(30), 4)
    y = rng.random(120) < np.repeat(rng.uniform(0.1, 0.7, 30), 4)
    rows = Outcomes(np.full(120, 0.4), y, np.ones(120), clusters)
    (one,) = calibration_bins(rows)
    means = y.reshape(30, 4).mean(axis=1)
    variance = means.var(ddof=1) / 30
    quantile, rate = t.ppf(0.975, 29), y.mean()
    n = rate * (1 - rate) / variance * (Q / quantile) ** 2
    middle = (rate + Q**2 / (2 * n)) / (1 + Q**2 / n)
    reach = Q / (1 + Q**2 / n) * math.sqrt(rate * (1 - rate) / n + Q**2 / (4 * n**2))
    assert one.interval == pytest.approx((middle - reach, middle + reach))


def test_cells_count_as_rows_do():
    risks, y, weights, _ = rows_of(8)
    rows = read_outcomes(risks, y, weights)
    places = (risks > 0.5).astype(np.intp)
    rate = Cells.of(rows, places, 2).rate(
        np.array([0, 1, 0, 1], bool), np.array([0, 0, 1, 1], bool)
    )
    above = risks > 0.5
    value = weights[above] @ y[above] / weights[above].sum()
    moves = weights[above] / weights[above].sum() * (y[above] - value)
    assert rate.value == pytest.approx(value)
    assert rate.influence @ rate.influence == pytest.approx(moves @ moves)
    units = weights[above].sum() ** 2 / (weights[above] ** 2).sum()
    assert rate.units == pytest.approx(units)
    found = rate.linearised()
    assert found.degrees == pytest.approx(units - 1)
    assert found.variance == pytest.approx(moves @ moves * units / (units - 1))


@pytest.mark.parametrize("clusters", [None, np.array([0, 1, 2, 0, 1])])
def test_every_rate_has_one_influence_per_unit_also_one_without_rows(clusters):
    """Units are clusters; without clusters they are the cells."""
    y = np.array([True, False, True, False, True])
    rows = Outcomes(np.linspace(0.1, 0.9, 5), y, np.ones(5), clusters)
    cells = Cells.of(rows, np.array([0, 0, 1, 1, 1]), 4)
    everyone, nobody = np.ones(8, dtype=bool), np.arange(8) >= 6
    n_units = 8 if clusters is None else 3
    for among in (everyone, nobody):
        assert cells.rate(cells.is_event, among).influence.shape == (n_units,)
    assert math.isnan(cells.rate(everyone, nobody).value)
    assert cells.rate(everyone, nobody).interval() is None


@pytest.mark.parametrize("value", [-1.0, 0.0, math.inf, math.nan])
def test_only_positive_figures_have_an_interval_on_the_scale_of_logarithms(value):
    assert Linearised(value, np.array([0.1])).log_interval() is None
    low, high = Linearised(2.0, np.array([0.1])).log_interval()
    assert low * high == pytest.approx(4)


@pytest.mark.parametrize("value", [-0.5, 0.0, 1.0, 1.5, math.nan])
def test_only_shares_have_an_interval_on_the_scale_of_log_odds(value):
    assert Linearised(value, np.array([0.1])).logit_interval() is None
    low, high = Linearised(0.5, np.array([0.1])).logit_interval()
    assert low + high == pytest.approx(1)


# --- decisions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("clustered", [False, True])
def test_the_band_of_net_benefit_is_that_of_a_mean(clustered):
    risks, y, weights, clusters = rows_of(9, clustered=clustered)
    rows = read_outcomes(risks, y, weights, clusters=clusters)
    curve = decision_curve(rows, [0.2, 0.4, 0.7])
    for j, at in enumerate(curve.thresholds):
        found = net_benefit_linearised(rows, at)
        assert curve.net_benefit[j] == pytest.approx(found.value)
        assert (curve.low[j], curve.high[j]) == pytest.approx(found.interval())


def test_noise_supports_no_threshold_and_a_good_score_does():
    claims = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        risks = 1 / (1 + np.exp(1 - rng.normal(0, 1, 300)))
        claims += bool(decision_curve(read_outcomes(risks, rng.random(300) < 0.28)).supported)
    assert claims <= 2  # the announced range of the old rule came in 87 % of such tables
    risks = np.random.default_rng(0).uniform(0.02, 0.9, 2000)
    good = read_outcomes(risks, np.random.default_rng(1).random(2000) < risks)
    ((low, high),) = decision_curve(good).supported
    assert low < 0.2
    assert high > 0.7


@pytest.mark.parametrize("thresholds", [[0.5], [0.2, 0.8], [0.3, 0.5, 0.75]])
def test_together_statements_on_thresholds_are_wrong_in_5_percent(thresholds):
    """By the normal distribution of all errors, with the correlations of the rows themselves."""
    risks, y, weights, _ = rows_of(12)
    at, rows = np.array(thresholds), read_outcomes(risks, y, weights)
    cells = Cells.of(rows, np.searchsorted(at, risks, side="right"), at.size + 1)
    flags = (np.arange(at.size + 1)[:, None] > np.arange(at.size)).repeat(2, axis=0)
    found = _largest_error(cells, at, flags)
    shares = weights / weights.sum()
    acts = risks[:, None] >= at
    worth = np.hstack([acts * (y[:, None] - at), ~acts * (y[:, None] - at)])
    moves = shares[:, None] * (worth - shares @ worth)
    errors = np.sqrt((moves**2).sum(axis=0))
    # sums of the moves times independent normal numbers have their covariance
    drawn = np.random.default_rng(1).standard_normal((40_000, y.size)) @ (moves / errors)
    assert np.mean(np.abs(drawn).max(axis=1) <= found) == pytest.approx(0.95, abs=0.012)


def test_thresholds_ascend():
    with pytest.raises(ValueError, match="ascending"):
        decision_curve(read_outcomes([0.5, 0.5], [0, 1]), [0.5, 0.4])


# --- comparisons --------------------------------------------------------------------------------


def test_the_difference_of_areas_has_delongs_paired_interval():
    rng = np.random.default_rng(3)
    y = (rng.random(70) < 0.4).astype(int)
    scores = [np.clip(rng.normal(0.4 + 0.2 * y, 0.2).round(1), 0, 1) for _ in range(2)]
    kernels = [
        (one[y == 1][:, None] > one[y == 0]) + 0.5 * (one[y == 1][:, None] == one[y == 0])
        for one in scores
    ]
    areas = [kernel.mean() for kernel in kernels]
    by_event, by_other = ([kernel.mean(axis=axis) for kernel in kernels] for axis in (1, 0))
    covariance = np.cov(by_event) / by_event[0].size + np.cov(by_other) / by_other[0].size
    reach = Q * math.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    found = compare(*(read_outcomes(one, y) for one in scores)).auc
    assert found.value == pytest.approx(areas[0] - areas[1])
    assert found.interval == pytest.approx((found.value - reach, found.value + reach))


def test_paired_differences_of_losses_are_those_of_a_paired_test():
    risks, y, _, _ = rows_of(2, n_rows=90)
    other = np.clip(risks * 0.8 + 0.05, 0, 1)
    found = compare(read_outcomes(risks, y), read_outcomes(other, y), [0.6])
    per_row = {
        "brier": (y - risks) ** 2 - (y - other) ** 2,
        "log_loss": np.where(y == 1, np.log(other / risks), np.log((1 - other) / (1 - risks))),
    }
    for name, values in per_row.items():
        wanted = norm.interval(0.95, values.mean(), values.std(ddof=1) / math.sqrt(90))
        assert getattr(found, name).interval == pytest.approx(wanted)
    worth = np.where(y == 1, 1, -1.5)
    values = ((risks >= 0.6) * 1.0 - (other >= 0.6)) * worth
    assert found.net_benefit[0].value == pytest.approx(values.mean())
    reach = Q * values.std(ddof=1) / math.sqrt(90)
    assert np.diff(found.net_benefit[0].interval)[0] == pytest.approx(2 * reach)
    assert found.thresholds == (0.6,)


def test_only_the_same_rows_are_compared():
    one = read_outcomes([0.1, 0.9], [0, 1])
    for other in (
        read_outcomes([0.1, 0.9], [1, 0]),
        read_outcomes([0.1, 0.9], [0, 1], [1, 2]),
        read_outcomes([0.1, 0.9, 0.4], [0, 1, 1]),
    ):
        with pytest.raises(DataError, match="not of the same rows"):
            compare(one, other)
    clustered = [
        read_outcomes([0.1, 0.9, 0.5], [0, 1, 1], clusters=c) for c in (list("aab"), list("abb"))
    ]
    with pytest.raises(DataError, match="not of the same rows"):
        compare(*clustered)
    with pytest.raises(ValueError, match="between 0 and 1"):
        compare(one, one, [1.0])


# --- coverage, in small; benchmarks/interval_coverage.py has the table ---------------------------


def test_clustered_noise_is_not_taken_for_knowledge():
    """60 patients with 8 visits each; risk and outcome belong to the patient, and have no relation."""
    missed = {"clusters": 0, "rows": 0}
    for seed in range(60):
        rng = np.random.default_rng(seed)
        clusters = np.repeat(np.arange(60), 8)
        risks = np.repeat(rng.uniform(0.1, 0.6, 60), 8)
        y = np.repeat(rng.random(60) < 0.35, 8)
        for name, own in (("clusters", clusters), ("rows", None)):
            low, high = roc_curve(read_outcomes(risks, y, clusters=own)).interval
            missed[name] += not low <= 0.5 <= high
    assert missed["clusters"] <= 7
    assert missed["rows"] > 20


def test_every_interval_holds_its_figure():
    for seed, weighted, clustered in itertools.product(range(5), (False, True), (False, True)):
        risks, y, weights, clusters = rows_of(seed, 120, weighted, clustered)
        found = evaluate(read_outcomes(risks, y, weights, clusters=clusters))
        calibration = found.calibration
        for value, interval in (
            (found.roc.area, found.roc.interval),
            (found.log_loss, found.log_loss_interval),
            (found.brier, found.brier_interval),
            (found.scaled_brier, found.scaled_brier_interval),
            (calibration.slope, calibration.slope_interval),
            (calibration.intercept, calibration.intercept_interval),
            (calibration.ratio, calibration.ratio_interval),
        ):
            assert interval[0] < value < interval[1]
        assert (found.decision.low <= found.decision.net_benefit).all()
        rows = read_outcomes(risks, y, weights, clusters=clusters)
        assert fit_slope(rows.tally(rows.log_odds)).value == calibration.slope
