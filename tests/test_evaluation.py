"""The figures about risks agree with scikit-learn, with slow and obvious code, and by hand."""

import itertools
import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score
from sklearn.metrics import roc_curve as sklearn_roc

from riskcard import DataError, ParameterError
from riskcard.evaluation.calibration import calibration_bins, calibration_of
from riskcard.evaluation.decision import THRESHOLDS, decision_curve
from riskcard.evaluation.discrimination import roc_curve
from riskcard.evaluation.intervals import wilson_interval
from riskcard.evaluation.outcomes import effective_rows, rate_interval, read_outcomes
from riskcard.evaluation.summary import evaluate


def random_rows(seed, n_rows=80, with_weights=True, n_risks=9):
    """Rows with ties among their risks."""
    rng = np.random.default_rng(seed)
    risks = rng.integers(1, n_risks + 1, n_rows) / (n_risks + 1)
    y = (rng.random(n_rows) < risks**1.5).astype(int)
    weights = rng.integers(1, 4, n_rows).astype(float) if with_weights else np.ones(n_rows)
    return risks, y, weights


def copied(risks, y, weights):
    """Every row as often as its weight says."""
    times = weights.astype(int)
    return np.repeat(risks, times), np.repeat(y, times)


# --- input --------------------------------------------------------------------------------------


def test_the_event_is_the_larger_label_or_the_one_that_is_named():
    assert read_outcomes([0.1, 0.2], ["b", "a"]).is_event.tolist() == [True, False]
    assert read_outcomes([0.1, 0.2], ["b", "a"], event="a").is_event.tolist() == [False, True]


def test_what_predict_proba_gives_is_taken():
    assert read_outcomes([[0.9, 0.1], [0.2, 0.8]], [0, 1]).risks.tolist() == [0.1, 0.8]


def test_rows_without_weight_are_left_out():
    found = read_outcomes([0.1, 0.2, 0.3], [0, 1, 1], sample_weight=[1, 2, 0])
    assert (found.risks.tolist(), found.weights.tolist()) == ([0.1, 0.2], [1, 2])


@pytest.mark.parametrize(
    ("risks", "y", "more", "message"),
    [
        ([0.1, 1.2], [0, 1], {}, "The risk of row 1 is 1.2"),
        ([0.1, math.nan], [0, 1], {}, "The risk of row 1 is nan"),
        ([[0.1, 0.2, 0.7]] * 2, [0, 1], {}, r"The risks have shape \(2, 3\)"),
        (["low", "high"], [0, 1], {}, "The risks are not numbers"),
        ([0.1, 0.2], [1, 1], {}, "one class only"),
        ([0.1, 0.2, 0.3], [0, 1, 1], {"sample_weight": [0, 1, 1]}, "one class only"),
        ([0.1, 0.2], [0, 1, 1], {}, "X has 2 rows and y has 3"),
    ],
)
def test_what_is_no_risk_is_refused(risks, y, more, message):
    with pytest.raises(DataError, match=message):
        read_outcomes(risks, y, **more)


def test_an_event_that_is_no_label_is_refused():
    with pytest.raises(ParameterError, match="event is 'c', but the labels are 'a' and 'b'"):
        read_outcomes([0.1, 0.2], ["a", "b"], event="c")


# --- ROC ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_the_roc_curve_is_that_of_scikit_learn(seed):
    risks, y, weights = random_rows(seed)
    curve = roc_curve(read_outcomes(risks, y, weights))
    expected = sklearn_roc(y, risks, sample_weight=weights, drop_intermediate=False)
    for found, wanted in zip(
        (curve.false_positive, curve.true_positive, curve.thresholds), expected, strict=True
    ):
        np.testing.assert_allclose(found, wanted, atol=1e-12)
    assert curve.area == pytest.approx(roc_auc_score(y, risks, sample_weight=weights), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_the_interval_of_the_area_is_delongs(seed):
    risks, y, _ = random_rows(seed)
    kernel = np.array(
        [
            [(event > other) + (event == other) / 2 for other in risks[y == 0]]
            for event in risks[y == 1]
        ]
    )
    area = kernel.mean()
    variance = (
        kernel.mean(axis=1).var(ddof=1) / kernel.shape[0]
        + kernel.mean(axis=0).var(ddof=1) / kernel.shape[1]
    )
    reach = 1.959963984540054 * math.sqrt(variance) / (area * (1 - area))
    middle = math.log(area / (1 - area))
    wanted = [1 / (1 + math.exp(-(middle + side * reach))) for side in (-1, 1)]
    assert roc_curve(read_outcomes(risks, y)).interval == pytest.approx(wanted, abs=1e-12)


def test_equal_weights_change_nothing_and_unequal_ones_widen_the_interval():
    risks, y, weights = random_rows(1)
    plain, tripled = (roc_curve(read_outcomes(risks, y, w)) for w in (None, np.full(y.size, 3.0)))
    assert tripled.interval == pytest.approx(plain.interval)
    weighted = roc_curve(read_outcomes(risks, y, weights)).interval
    copies = roc_curve(read_outcomes(*copied(risks, y, weights))).interval
    assert weighted[1] - weighted[0] > copies[1] - copies[0]


def test_an_area_of_one_or_a_class_of_one_row_has_no_interval():
    assert roc_curve(read_outcomes([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1])).interval is None
    assert roc_curve(read_outcomes([0.1, 0.9, 0.8, 0.7], [0, 0, 0, 1])).interval is None


# --- calibration --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_slope_and_intercept_are_those_of_a_logistic_regression(seed):
    risks, y, weights = random_rows(seed, n_rows=200)
    found = calibration_of(read_outcomes(risks, y, weights))
    log_odds = np.log(risks / (1 - risks))[:, None]
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
    slope = model.fit(log_odds, y, sample_weight=weights).coef_[0, 0]
    assert found.slope == pytest.approx(slope, abs=1e-5)
    shifted = 1 / (1 + np.exp(-(log_odds[:, 0] + found.intercept)))
    assert weights @ shifted == pytest.approx(weights @ y, rel=1e-10)
    assert found.expected == pytest.approx(weights @ risks)
    assert found.ratio == pytest.approx((weights @ risks) / (weights @ y))


def test_intervals_of_slope_and_intercept_come_from_the_curvature_of_the_likelihood():
    risks, y, _ = random_rows(2, n_rows=300, with_weights=False)
    found = calibration_of(read_outcomes(risks, y))
    log_odds = np.log(risks / (1 - risks))

    def loss(intercept, slope):
        return np.sum(np.logaddexp(0, np.where(y == 1, -1, 1) * (intercept + slope * log_odds)))

    step = 1e-3
    curvature = (
        loss(found.intercept + step, 1) - 2 * loss(found.intercept, 1)
        + loss(found.intercept - step, 1)
    ) / step**2  # fmt: skip
    reach = 1.959963984540054 / math.sqrt(curvature)
    assert np.diff(found.intercept_interval)[0] == pytest.approx(2 * reach, rel=1e-5)
    best = _least(loss, found.slope)
    hessian = np.zeros((2, 2))
    for i, j in itertools.product(range(2), repeat=2):
        a, b = np.eye(2)[i] * step, np.eye(2)[j] * step
        hessian[i, j] = (
            loss(*(best + a + b)) - loss(*(best + a)) - loss(*(best + b)) + loss(*best)
        ) / step**2
    reach = 1.959963984540054 * math.sqrt(np.linalg.inv(hessian)[1, 1])
    assert np.diff(found.slope_interval)[0] == pytest.approx(2 * reach, rel=1e-2)


def _least(loss, slope):
    grid = np.linspace(-2, 2, 4_001)
    return np.array([grid[np.argmin([loss(a, slope) for a in grid])], slope])


def test_perfect_risks_have_slope_1_intercept_0_and_the_events_expected():
    risks = np.repeat([0.25, 0.75], 4)
    found = calibration_of(read_outcomes(risks, [1, 0, 0, 0, 1, 1, 1, 0]))
    assert (found.slope, found.intercept) == (pytest.approx(1), pytest.approx(0, abs=1e-12))
    assert found.ratio == pytest.approx(1)


def test_slopes_that_do_not_exist_have_no_interval():
    equal = calibration_of(read_outcomes([0.3] * 4, [0, 0, 0, 1]))
    assert math.isnan(equal.slope)
    assert equal.slope_interval is None
    assert equal.intercept == pytest.approx(math.log(1 / 3) - math.log(0.3 / 0.7))
    apart = calibration_of(read_outcomes([0.0, 0.2, 0.8, 1.0], [0, 0, 1, 1]))
    assert apart.slope == math.inf
    assert apart.slope_interval is None


def test_few_risks_have_a_bin_each():
    bins = calibration_bins(read_outcomes([0.1, 0.1, 0.6, 0.6, 0.6], [0, 1, 0, 1, 1]))
    assert [(one.low, one.high, one.rows, one.events) for one in bins] == [
        (0.1, 0.1, 2, 1),
        (0.6, 0.6, 3, 2),
    ]
    assert bins[1].rate == pytest.approx(2 / 3)
    assert bins[1].interval == pytest.approx(wilson_interval(2, 3))


def test_many_risks_are_divided_into_bins_of_about_equal_numbers():
    risks = np.arange(1, 101) / 101
    y = np.arange(100) % 2
    bins = calibration_bins(read_outcomes(risks, y), 4)
    assert [one.rows for one in bins] == [25] * 4
    assert bins[0].mean_risk == pytest.approx(risks[:25].mean())
    lumped = np.concatenate([np.full(90, 0.2), risks[90:]])
    bins = calibration_bins(read_outcomes(lumped, y), 4)
    assert sum(one.rows for one in bins) == 100
    assert bins[0].rows == 90  # equal risks stay together
    with pytest.raises(ParameterError, match="n_bins is 0"):
        calibration_bins(read_outcomes(risks, y), 0)


def test_weights_count_in_the_rate_and_shrink_what_is_known():
    rows = read_outcomes([0.5] * 4, [1, 0, 0, 0], [9, 1, 1, 1])
    (one,) = calibration_bins(rows)
    assert (one.rate, one.rows) == (0.75, 4)
    assert effective_rows(rows.weights) == pytest.approx(144 / 84)
    assert rate_interval(rows) == pytest.approx(wilson_interval(0.75 * 144 / 84, 144 / 84))


# --- decisions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_net_benefit_counts_true_positives_less_false_ones_at_their_price(seed):
    risks, y, weights = random_rows(seed)
    curve = decision_curve(read_outcomes(risks, y, weights))
    for at, found, everyone in zip(
        curve.thresholds, curve.net_benefit, curve.act_on_all, strict=True
    ):
        price = at / (1 - at)
        acts = risks >= at
        true, false = weights[acts & (y == 1)].sum(), weights[acts & (y == 0)].sum()
        assert found == pytest.approx((true - false * price) / weights.sum(), abs=1e-12)
        rate = weights @ y / weights.sum()
        assert everyone == pytest.approx(rate - (1 - rate) * price)
    np.testing.assert_array_equal(curve.thresholds, THRESHOLDS)


def test_the_useful_range_is_where_both_simple_ways_are_beaten():
    perfect = read_outcomes([0.3, 0.3, 0.7, 0.7], [0, 0, 1, 1])
    low, high = decision_curve(perfect).useful
    assert (low, high) == (pytest.approx(0.31), pytest.approx(0.7))
    useless = read_outcomes([0.5, 0.5], [0, 1])
    assert decision_curve(useless).useful is None


@pytest.mark.parametrize("thresholds", [[0.0], [1.0], [], [[0.5]]])
def test_thresholds_lie_between_0_and_1(thresholds):
    with pytest.raises(ParameterError, match="between 0 and 1"):
        decision_curve(read_outcomes([0.5, 0.5], [0, 1]), thresholds)


# --- together -----------------------------------------------------------------------------------


def test_losses_are_those_of_scikit_learn():
    risks, y, weights = random_rows(7)
    found = evaluate(read_outcomes(risks, y, weights))
    assert found.log_loss == pytest.approx(log_loss(y, risks, sample_weight=weights))
    assert found.brier == pytest.approx(brier_score_loss(y, risks, sample_weight=weights))
    assert (found.rows, found.events) == (80, y.sum())
    assert found.base_rate == pytest.approx(weights @ y / weights.sum())


def test_giving_everyone_the_base_rate_has_a_scaled_brier_score_of_0():
    found = evaluate(read_outcomes([0.25] * 4, [1, 0, 0, 0]))
    assert found.scaled_brier == pytest.approx(0)
    assert evaluate(read_outcomes([1.0, 0.0], [1, 0])).scaled_brier == 1


def test_integer_weights_are_copies_of_rows():
    risks, y, weights = random_rows(3)
    weighted = evaluate(read_outcomes(risks, y, weights))
    copies = evaluate(read_outcomes(*copied(risks, y, weights)))
    for name in ("base_rate", "log_loss", "brier"):
        assert getattr(weighted, name) == pytest.approx(getattr(copies, name))
    assert weighted.roc.area == pytest.approx(copies.roc.area)
    assert weighted.calibration.slope == pytest.approx(copies.calibration.slope)
    np.testing.assert_allclose(weighted.decision.net_benefit, copies.decision.net_benefit)
