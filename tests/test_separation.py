"""Gini, KS, CAP and lift: equal to other implementations, and intervals that hold what they say."""

import numpy as np
import pytest
from scipy.stats import ks_2samp, norm
from sklearn.metrics import roc_auc_score

from riskcard.evaluation.outcomes import read_outcomes
from riskcard.evaluation.separation import separation_of


def drawn(seed: int, n_rows: int = 300, n_values: int = 12, is_weighted: bool = False):
    rng = np.random.default_rng(seed)
    y = rng.random(n_rows) < 0.3
    risks = np.clip(rng.normal(0.4 + 0.15 * y, 0.2), 0.01, 0.99)
    risks = np.round(risks * n_values) / n_values
    return risks, y.astype(int), rng.integers(1, 5, n_rows) if is_weighted else np.ones(n_rows)


@pytest.mark.parametrize("seed", range(6))
def test_gini_and_ks_are_those_of_scikit_learn_and_scipy(seed):
    risks, y, _ = drawn(seed)
    found = separation_of(read_outcomes(risks, y))
    assert found.gini == pytest.approx(2 * roc_auc_score(y, risks) - 1, abs=1e-12)
    other = ks_2samp(risks[y == 1], risks[y == 0])
    assert found.ks.distance == pytest.approx(other.statistic, abs=1e-12)
    at = found.ks.risk
    above = [np.mean(risks[y == label] >= at) for label in (1, 0)]
    assert [found.ks.events_above, found.ks.others_above] == pytest.approx(above)
    assert abs(above[0] - above[1]) == pytest.approx(found.ks.distance)


def test_a_score_that_is_the_wrong_way_round_has_the_same_ks_and_the_opposite_gini():
    risks, y, _ = drawn(1)
    right, wrong = (separation_of(read_outcomes(one, y)) for one in (risks, 1 - risks))
    assert wrong.gini == pytest.approx(-right.gini)
    assert wrong.ks.distance == pytest.approx(right.ks.distance)
    assert wrong.ks.interval == pytest.approx(right.ks.interval)


@pytest.mark.parametrize("seed", range(4))
def test_the_accuracy_ratio_of_the_curve_is_the_gini(seed):
    risks, y, weights = drawn(seed, is_weighted=True)
    found = separation_of(read_outcomes(risks, y, weights))
    assert found.cap.accuracy_ratio == pytest.approx(found.gini, abs=1e-12)
    assert found.cap.rows[[0, -1]].tolist() == found.cap.events[[0, -1]].tolist() == [0, 1]


def test_lift_is_the_mean_over_all_orders_of_rows_of_equal_risk():
    risks, y, _ = drawn(2, n_rows=200, n_values=6)
    rng = np.random.default_rng(0)
    captured = np.zeros(10)
    n_orders = 2000
    for _ in range(n_orders):
        order = np.lexsort((rng.random(y.size), -risks))
        captured += np.cumsum(y[order])[19::20] / y.sum() / n_orders
    lift = separation_of(read_outcomes(risks, y)).lift
    assert [one.captured for one in lift] == pytest.approx(captured.tolist(), abs=0.004)
    assert sum(one.rate for one in lift) / 10 == pytest.approx(y.mean())
    assert [one.tenth for one in lift] == list(range(1, 11))
    assert lift[0].lift == pytest.approx(lift[0].cumulative_lift)
    assert lift[-1].cumulative_lift == pytest.approx(1)


def test_lift_without_ties_is_counted_by_hand():
    rng = np.random.default_rng(5)
    risks = rng.permutation(np.linspace(0.01, 0.99, 100))
    y = (rng.random(100) < risks).astype(int)
    lift = separation_of(read_outcomes(risks, y)).lift
    by_risk = y[np.argsort(-risks)].reshape(10, 10)
    assert [one.rate for one in lift] == pytest.approx(by_risk.mean(axis=1).tolist())
    assert [one.lift for one in lift] == pytest.approx((by_risk.mean(axis=1) / y.mean()).tolist())


def test_whole_weights_are_copies_of_rows():
    risks, y, weights = drawn(3, is_weighted=True)
    weighted = separation_of(read_outcomes(risks, y, weights))
    copied = separation_of(read_outcomes(np.repeat(risks, weights), np.repeat(y, weights)))
    assert weighted.gini == pytest.approx(copied.gini)
    assert weighted.ks.distance == pytest.approx(copied.ks.distance)
    assert [one.rate for one in weighted.lift] == pytest.approx([one.rate for one in copied.lift])
    # but they know less
    assert np.ptp(weighted.ks.interval) > np.ptp(copied.ks.interval)


def test_perfect_and_useless_scores_are_the_ends_of_the_scale():
    perfect = separation_of(read_outcomes([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1]))
    assert perfect.gini == perfect.ks.distance == perfect.cap.accuracy_ratio == 1
    assert perfect.gini_interval is None
    useless = separation_of(read_outcomes([0.3, 0.3, 0.3, 0.3], [0, 0, 1, 1]))
    assert useless.gini == useless.ks.distance == useless.cap.accuracy_ratio == 0
    assert [one.lift for one in useless.lift] == pytest.approx([1] * 10)


@pytest.mark.slow
def test_intervals_of_a_card_hold_the_truth_19_times_in_20():
    rng = np.random.default_rng(7)
    cuts, shift, n_rows = np.linspace(-2, 3, 12), 0.8, 800
    with_event = np.diff([0, *norm.cdf(cuts - shift), 1])
    without = np.diff([0, *norm.cdf(cuts), 1])
    ks = np.abs(np.cumsum(with_event - without)).max()
    gini = 2 * with_event @ (np.cumsum(without) - without / 2) - 1
    held = np.zeros(2)
    for _ in range(1000):
        y = rng.random(n_rows) < 0.2
        score = np.searchsorted(cuts, rng.normal(shift * y))
        found = separation_of(read_outcomes((score + 1) / 14, y.astype(int)))
        ends = np.array([found.ks.interval, found.gini_interval])
        held += (ends[:, 0] <= [ks, gini]) & ([ks, gini] <= ends[:, 1])
    assert (held / 1000 >= 0.93).all()
    assert (held / 1000 <= 0.97).all()


def test_copies_of_a_row_in_one_cluster_say_no_more_than_the_row():
    risks, y, _ = drawn(4)
    rows = np.arange(y.size)
    once = separation_of(read_outcomes(risks, y)).ks
    copies = np.concatenate([risks, risks]), np.concatenate([y, y])
    clustered = separation_of(read_outcomes(*copies, clusters=np.concatenate([rows, rows]))).ks
    naive = separation_of(read_outcomes(*copies)).ks
    assert clustered.distance == pytest.approx(once.distance)
    # nearly as wide as for single rows, and wider than for twice as many people
    assert np.ptp(clustered.interval) == pytest.approx(np.ptp(once.interval), rel=0.06)
    assert np.ptp(clustered.interval) > 1.3 * np.ptp(naive.interval)
