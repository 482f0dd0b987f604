"""The figures about risks agree with scikit-learn, with slow and obvious code, and by hand."""

import itertools
import math
from dataclasses import astuple, replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score
from sklearn.metrics import roc_curve as sklearn_roc

from riskcard import DataError, ParameterError
from riskcard.evaluation.calibration import (
    calibration_bins,
    calibration_of,
    end_of_scale,
    risk_histogram,
    slope_linearised,
)
from riskcard.evaluation.decision import THRESHOLDS, decision_curve
from riskcard.evaluation.discrimination import roc_curve
from riskcard.evaluation.intervals import wilson_interval
from riskcard.evaluation.measures import Performance, Tally, fit_intercept, fit_slope, measure
from riskcard.evaluation.outcomes import Outcomes, effective_rows, read_outcomes
from riskcard.evaluation.summary import evaluate

TIED = np.array([0.1, 0.1, 0.3, 0.3, 0.3, 0.8, 0.8, 0.8])
TIED_LABELS = np.array([0, 0, 0, 1, 0, 1, 1, 0])


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


def test_the_event_is_the_one_that_is_named_or_known():
    assert read_outcomes([0.1, 0.2], ["bad", "good"]).is_event.tolist() == [True, False]
    assert read_outcomes([0.1, 0.2], ["b", "a"], event="a").is_event.tolist() == [False, True]


def test_what_predict_proba_gives_is_taken():
    assert read_outcomes([[0.9, 0.1], [0.2, 0.8]], [0, 1]).risks.tolist() == [0.1, 0.8]
    assert read_outcomes([[0.9, 0.1], [0.2, 0.8]], ["bad", "good"]).risks.tolist() == [0.9, 0.2]
    labels = ["a", "b"]
    assert read_outcomes([[0.9, 0.1], [0.2, 0.8]], labels, event="a").risks.tolist() == [0.9, 0.2]


def test_risks_at_either_end_are_accepted():
    assert read_outcomes([0.0, 1.0], [0, 1]).risks.tolist() == [0, 1]


def test_rows_without_weight_are_left_out():
    found = read_outcomes([0.1, 0.2, 0.3], [0, 1, 1], sample_weight=[1, 2, 0])
    assert (found.risks.tolist(), found.weights.tolist()) == ([0.1, 0.2], [1, 2])


@pytest.mark.parametrize(
    ("risks", "y", "more", "message"),
    [
        ([0.1, 1.2], [0, 1], {}, "The risk of row 1 is 1.2"),
        ([-0.1, 1.2], [0, 1], {}, "The risk of row 0 is -0.1"),
        ([0.1, math.nan], [0, 1], {}, "The risk of row 1 is nan"),
        ([[0.1, 0.2, 0.7]] * 2, [0, 1], {}, r"The risks have shape \(2, 3\)"),
        (["low", "high"], [0, 1], {}, "The risks are not numbers"),
        ([0.1, 0.2], [1, 1], {}, "one class only"),
        ([0.1, 0.2, 0.3], [0, 1, 1], {"sample_weight": [0, 1, 1]}, "one class only"),
        ([0.1, 0.2], [0, 1, 1], {}, "X has 2 rows and y has 3"),
        (0.1, [0, 1], {}, "X has 1 rows and y has 2"),
    ],
)
def test_what_is_not_a_risk_is_refused(risks, y, more, message):
    with pytest.raises(DataError, match=message):
        read_outcomes(risks, y, **more)


def test_an_event_that_is_not_a_label_is_refused():
    with pytest.raises(ParameterError, match="event is 'c', but the labels are 'a' and 'b'"):
        read_outcomes([0.1, 0.2], ["a", "b"], event="c")


# --- three figures at once --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_auc_log_loss_and_slope_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    log_odds = rng.integers(-4, 5, 200) / 2
    is_event = rng.random(200) < 1 / (1 + np.exp(-1.5 * log_odds + 0.3))
    weights = rng.integers(0, 3, 200).astype(float)
    found = measure(log_odds, is_event, weights)
    assert found.auc == pytest.approx(roc_auc_score(is_event, log_odds, sample_weight=weights))
    risks = 1 / (1 + np.exp(-log_odds))
    assert found.log_loss == pytest.approx(log_loss(is_event, risks, sample_weight=weights))
    free = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
    free.fit(log_odds.reshape(-1, 1), is_event, weights)
    assert found.slope == pytest.approx(free.coef_[0, 0], rel=1e-4)


def test_the_slope_of_two_groups_is_a_ratio_of_log_odds():
    # at -1 one row in four has the event, at 1 three in four: log-odds -log 3 and log 3
    log_odds = np.repeat([-1.0, 1.0], 4)
    is_event = np.array([True, False, False, False, True, True, True, False])
    found = measure(log_odds, is_event, np.ones(8))
    assert found.slope == pytest.approx(np.log(3), rel=1e-12)
    assert measure(-log_odds, is_event, np.ones(8)).slope == pytest.approx(-np.log(3), rel=1e-12)
    assert measure(100 + 10 * log_odds, is_event, np.ones(8)).slope == pytest.approx(
        np.log(3) / 10, rel=1e-9
    )


@pytest.mark.parametrize(
    ("log_odds", "slope"),
    [
        ([0.0, 0, 0, 0], np.nan),
        ([-1.0, 0, 1, 2], np.inf),
        ([-1.0, 0, 0, 2], np.inf),
        ([2.0, 1, 1, 0], -np.inf),
    ],
)
def test_a_slope_that_does_not_exist_is_not_made_up(log_odds, slope):
    is_event = np.array([False, False, True, True])
    found = measure(np.array(log_odds), is_event, np.ones(4)).slope
    np.testing.assert_equal(found, slope)
    assert fit_slope(Tally.of(np.array(log_odds), is_event, np.ones(4))).information == 0


def test_figures_are_subtracted_one_by_one():
    found = Performance(0.9, 0.2, 1.5) - Performance(0.7, 0.5, 0.5)
    assert astuple(found) == pytest.approx((0.2, -0.3, 1.0))


def test_rows_without_weight_do_not_decide_whether_a_slope_exists():
    is_event = np.array([False, False, True, True, True])
    weights = np.array([1.0, 1, 1, 1, 0])
    assert measure(np.array([-1.0, 0, 1, 2, -5]), is_event, weights).slope == np.inf


def test_slopes_are_found_where_a_plain_newton_step_overshoots():
    """The derivative of the likelihood by slope and by intercept is 0."""
    rng = np.random.default_rng(0)
    n_checked = 0
    for _ in range(500):
        values = np.sort(rng.normal(size=3) * 10 ** rng.uniform(-1, 2, 3))
        events, others = 10 ** rng.uniform(-3, 3, (2, 3)) * rng.integers(0, 2, (2, 3))
        if not events.any() or not others.any():
            continue
        slope = fit_slope(Tally(values, events, others)).value
        if math.isfinite(slope):
            shift = fit_intercept(Tally(slope * values, events, others)).value
            risks = np.exp(-np.logaddexp(0, -(slope * values + shift)))
            excess = (events + others) * risks - events
            scale = min(events.sum(), others.sum())
            assert excess.sum() == pytest.approx(0, abs=1e-9 * scale)
            assert excess @ values == pytest.approx(0, abs=1e-5 * scale * np.abs(values).max())
            n_checked += 1
    assert n_checked > 100


def test_the_intercept_is_found_for_risks_of_0_and_1():
    # log-odds of -34.5 and 34.5, each with one wrong row in four
    rows = read_outcomes([0.0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 0])
    assert calibration_of(rows).intercept == pytest.approx(0, abs=1e-9)
    # all risks are 0, half of the rows have the event
    rows = read_outcomes([0.0] * 4, [0, 1, 0, 1])
    assert calibration_of(rows).intercept == pytest.approx(-math.log(1e-15), rel=1e-9)


def test_log_odds_of_0_and_1_are_those_of_the_nearest_risks():
    rows = read_outcomes([0.0, 1.0, 0.5], [0, 1, 1])
    assert rows.log_odds == pytest.approx([math.log(1e-15), -math.log(1e-15), 0], rel=1e-2)


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


def test_an_area_of_one_or_a_class_of_one_row_or_equal_risks_have_no_interval():
    assert roc_curve(read_outcomes([0.3] * 4, [0, 0, 1, 1])).interval is None
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


def test_by_default_there_are_ten_bins_of_risk():
    rows = read_outcomes(np.linspace(0.01, 0.99, 200), np.arange(200) % 3 == 0)
    assert [one.rows for one in calibration_bins(rows)] == [20] * 10
    assert evaluate(rows).bins == calibration_bins(rows, 10)


def test_slopes_that_do_not_exist_have_no_interval():
    equal = calibration_of(read_outcomes([0.3] * 4, [0, 0, 0, 1]))
    assert math.isnan(equal.slope)
    assert equal.slope_interval is None
    assert equal.intercept == pytest.approx(math.log(1 / 3) - math.log(0.3 / 0.7))
    apart = calibration_of(read_outcomes([0.0, 0.2, 0.8, 1.0], [0, 0, 1, 1]))
    assert apart.slope == math.inf
    assert apart.slope_interval is None
    for rows in (read_outcomes([0.3] * 4, [0, 0, 0, 1]), read_outcomes([0.2, 0.8], [0, 1])):
        found = slope_linearised(rows)
        assert (found.variance, found.degrees) == (math.inf, 0)


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((0.9, 1.2), "it is not shown"),
        ((1.0, 1.3), "it is not shown"),
        ((0.8, 1.0), "it is not shown"),
        ((0.7, 1.2), "too few to tell"),
        ((1.0, 1.5), "too few to tell"),
        ((0.5, 1.0), "too few to tell"),
        ((0.3, 0.9), "too extreme"),
        ((1.1, 1.3), "too cautious"),
        ((1.1, 2.3), "too cautious"),
        ((-0.2, 0.5), "do not show that higher risks go with more events"),
        ((0.0, 0.5), "do not show that higher risks go with more events"),
        ((-2.0, -0.5), "higher risks go with fewer events"),
        ((-0.5, 0.0), "higher risks go with fewer events"),
        (None, "nothing follows"),
    ],
)
def test_a_slope_in_words_says_what_its_interval_shows(ends, words):
    found = calibration_of(read_outcomes(TIED, TIED_LABELS))
    assert words in replace(found, slope_interval=ends).slope_in_words
    for slope in (math.nan, math.inf):
        endless = replace(found, slope=slope, slope_interval=ends)
        assert "no finite slope" in endless.slope_in_words


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
    # the event is that of the heavy row: what is known is what its influence leaves
    assert one.interval[0] < wilson_interval(0.75 * 144 / 84, 144 / 84)[0]


def test_the_histogram_counts_rows_with_and_without_the_event():
    rows = read_outcomes(TIED, TIED_LABELS, sample_weight=[1, 2, 1, 1, 1, 1, 1, 3])
    events, others = risk_histogram(rows)
    assert events.size == others.size == 40
    assert (events.sum(), others.sum()) == (3, 8)
    assert (events[11:13].sum(), others[3:5].sum(), others[31:33].sum()) == (1, 3, 3)


@pytest.mark.parametrize(("risks", "end"), [([0.01, 0.02] * 200, 0.1), ([0.5, 0.95], 1.0)])
def test_the_scale_ends_where_risks_and_intervals_do(risks, end):
    labels = np.arange(len(risks)) % 200 == 1
    assert end_of_scale(calibration_bins(read_outcomes(risks, labels))) == end


def test_weighted_intervals_are_those_of_as_many_effective_rows():
    """Weights that say nothing about the rows widen an interval by the square root of their spread."""
    risks, y, _ = random_rows(4, n_rows=200, with_weights=False)
    # every row twice: once with the weight 1, once with the weight 3; or with hardly different ones
    weights, nearly = np.repeat([1.0, 3.0], 200), np.repeat([1.0, 1.0 + 1e-9], 200)
    plain = calibration_of(read_outcomes(np.tile(risks, 2), np.tile(y, 2), nearly))
    rows = read_outcomes(np.tile(risks, 2), np.tile(y, 2), weights)
    weighted = calibration_of(rows)
    wider = math.sqrt(400 / effective_rows(weights))
    assert effective_rows(weights) == pytest.approx(800**2 / 2000)
    for name in ("slope", "intercept"):
        assert getattr(weighted, name) == pytest.approx(getattr(plain, name), abs=1e-9)
        before, after = (np.diff(getattr(one, f"{name}_interval"))[0] for one in (plain, weighted))
        assert after == pytest.approx(wider * before, rel=3e-3)  # but for degrees of freedom
    area = [roc_curve(one).interval for one in (read_outcomes(risks, y), rows)]
    assert np.diff(area[1])[0] < np.diff(area[0])[0]


def test_weights_decide_which_bin_a_risk_is_in():
    risks = [0.1, 0.2, 0.3, 0.4, 0.5]
    rows = read_outcomes(risks, [0, 1, 0, 1, 1], [1, 1, 6, 1, 1])
    # middles of the weights at 5, 15, 50, 85 and 95 % of all
    assert [one.rows for one in calibration_bins(rows, 2)] == [2, 3]
    assert [one.rows for one in calibration_bins(rows, 3)] == [2, 1, 2]
    assert [one.rows for one in calibration_bins(rows, 4)] == [2, 1, 2]
    assert [one.rows for one in calibration_bins(rows, 5)] == [1] * 5
    (one,) = calibration_bins(rows, 1)
    assert (one.low, one.high, one.rows, one.events) == (0.1, 0.5, 5, 3)
    assert one.mean_risk == pytest.approx((0.1 + 0.2 + 6 * 0.3 + 0.4 + 0.5) / 10)
    last = read_outcomes(risks, [0, 1, 0, 1, 1], [1, 1, 1, 1, 96])
    assert [one.rows for one in calibration_bins(last, 2)] == [4, 1]
    # the middle of the second weight is at 4/9
    middle = read_outcomes([0.1, 0.2, 0.3], [0, 1, 0], [1, 6, 2])
    assert [one.rows for one in calibration_bins(middle, 2)] == [2, 1]
    # a weight that vanishes next to the others is in the last bin, not in one of its own
    tiny = read_outcomes([0.1, 0.2, 0.3], [0, 1, 0], [1, 1, 1e-20])
    assert [one.rows for one in calibration_bins(tiny, 2)] == [1, 2]


@pytest.mark.parametrize(
    ("weights", "rows"), [([1, 1, 1], 3), ([2, 2], 2), ([1, 3], 1.6), ([5], 1), ([0, 0], 0)]
)
def test_effective_rows_are_kishs(weights, rows):
    assert effective_rows(np.array(weights, dtype=float)) == pytest.approx(rows)


# --- decisions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_net_benefit_is_true_positives_minus_false_ones_at_their_cost(seed):
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


def test_ranges_are_supported_where_the_rows_show_that_both_simple_strategies_are_beaten():
    perfect = read_outcomes(np.repeat([0.3, 0.7], 200), np.repeat([0, 1], 200))
    ((low, high),) = decision_curve(perfect).supported
    assert (low, high) == (pytest.approx(0.31), pytest.approx(0.7))
    # four such rows show nothing, though the net benefit is the same
    assert decision_curve(read_outcomes([0.3, 0.3, 0.7, 0.7], [0, 0, 1, 1])).supported == ()
    assert decision_curve(read_outcomes([0.5, 0.5], [0, 1])).supported == ()


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
    half = evaluate(read_outcomes([0.5, 0.5, 0.5, 0.5], [1, 0, 0, 0]))  # 0.25 against 3 / 16
    assert half.scaled_brier == pytest.approx(-1 / 3)


def test_the_loss_of_the_base_rate_is_that_of_giving_it_to_everyone():
    weights = [3.0, 1.0, 2.0, 4.0]
    found = evaluate(read_outcomes([0.3] * 4, [1, 0, 0, 0], weights))
    assert found.base_rate_loss == pytest.approx(found.log_loss, rel=1e-12)
    assert found.base_rate_loss == pytest.approx(0.6108643020548935)


def test_the_number_of_bins_is_handed_on():
    risks, y, weights = random_rows(7, n_risks=60)
    rows = read_outcomes(risks, y, weights)
    assert evaluate(rows).bins == calibration_bins(rows, 10)
    assert evaluate(rows, 4).bins == calibration_bins(rows, 4)
    assert len(evaluate(rows).bins) == 10


def test_integer_weights_are_copies_of_rows():
    risks, y, weights = random_rows(3)
    weighted = evaluate(read_outcomes(risks, y, weights))
    copies = evaluate(read_outcomes(*copied(risks, y, weights)))
    for name in ("base_rate", "log_loss", "brier"):
        assert getattr(weighted, name) == pytest.approx(getattr(copies, name))
    assert weighted.roc.area == pytest.approx(copies.roc.area)
    assert weighted.calibration.slope == pytest.approx(copies.calibration.slope)
    np.testing.assert_allclose(weighted.decision.net_benefit, copies.decision.net_benefit)


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_no_figure_depends_on_the_unit_of_the_weights_however_extreme(unit):
    risks, y, weights = random_rows(3)
    one, other = (evaluate(read_outcomes(risks, y, weights * factor)) for factor in (1, unit))
    for name in ("log_loss", "brier", "scaled_brier", "log_loss_interval", "brier_interval"):
        assert getattr(other, name) == pytest.approx(getattr(one, name))
    assert other.roc.interval == pytest.approx(one.roc.interval)
    for name in ("slope", "intercept", "ratio", "slope_interval", "intercept_interval"):
        assert getattr(other.calibration, name) == pytest.approx(getattr(one.calibration, name))
    for mine, theirs in zip(one.bins, other.bins, strict=True):
        assert astuple(theirs)[2:-1] == pytest.approx(astuple(mine)[2:-1])
        assert theirs.interval == pytest.approx(mine.interval)
    assert other.decision.low == pytest.approx(one.decision.low)
    assert other.decision.supported == one.decision.supported


@pytest.mark.parametrize(
    ("labels", "both"), [([1, 1], False), ([0, 0], False), ([0, 1], True), ([1, 0], True)]
)
def test_rows_have_both_classes_or_not(labels, both):
    rows = Outcomes(np.array([0.2, 0.6]), np.array(labels, dtype=bool), np.ones(2))
    assert rows.has_both is both


def test_rows_without_weight_are_not_effective_rows():
    with np.errstate(all="raise"):
        assert effective_rows(np.zeros(3)) == 0
        assert effective_rows(np.empty(0)) == 0
