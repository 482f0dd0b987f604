"""Smooth risks: the regression leaves rows out rightly, and depends on nothing that it should not."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from riskcard import RiskScoreClassifier
from riskcard.data.columns import FeatureValues
from riskcard.data.files.feature_table import FeatureTable
from riskcard.data.levels import Levels
from riskcard.data.table import Table, make_table
from riskcard.estimators import learning
from riskcard.estimators.regularization import Regularization, worth_of
from riskcard.smoothing import ridge
from riskcard.smoothing.ridge import PENALTIES, YesOrNo, fit_ridge
from riskcard.smoothing.smooth_risks import MOST_COLUMNS, choose_rows, smooth_risks
from riskcard.threads import one_blas_thread


def draw(n_rows, seed=0, n_features=3):
    """Numbers of which the first two matter."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_rows, n_features))
    y = rng.random(n_rows) < 1 / (1 + np.exp(0.5 - 1.5 * values[:, 0] - values[:, 1]))
    return values, y.astype(int)


def test_the_ridge_regression_is_the_minimum_of_its_loss(monkeypatch):
    values, y = draw(80)
    weights = np.random.default_rng(1).uniform(0.5, 2, 80)
    monkeypatch.setattr(ridge, "PENALTIES", (10.0,))
    at = fit_ridge(values, YesOrNo(y.astype(float), weights)).coefficients

    def loss(point):
        log_odds = point[0] + values @ point[1:]
        losses = np.logaddexp(0, np.where(y > 0, -log_odds, log_odds))
        return float(weights @ losses + 5.0 * np.sum(point[1:] ** 2))

    for step in np.vstack([np.eye(4), -np.eye(4)]):
        assert loss(at + 1e-3 * step) > loss(at)


def test_a_risk_left_out_is_that_of_a_fit_without_the_row(monkeypatch):
    values, y = draw(60)
    is_event, weights = y.astype(float), np.ones(60)
    monkeypatch.setattr(ridge, "PENALTIES", (3.0,))
    left_out = fit_ridge(values, YesOrNo(is_event, weights)).left_out
    for row in range(0, 60, 7):
        rest = np.arange(60) != row
        exact = fit_ridge(values[rest], YesOrNo(is_event[rest], weights[rest])).risks(
            values[[row]]
        )[0]
        own = fit_ridge(values, YesOrNo(is_event, weights)).risks(values[[row]])[0]
        # much nearer to the exact one than the risk with the row is
        assert abs(left_out[row] - exact) < 0.2 * abs(own - exact) + 1e-4


def test_the_penalty_is_the_one_with_the_lowest_loss_left_out(monkeypatch):
    values, y = draw(200)
    is_event, weights = y.astype(float), np.ones(200)
    chosen = fit_ridge(values, YesOrNo(is_event, weights))
    losses = []
    for penalty in PENALTIES:
        monkeypatch.setattr(ridge, "PENALTIES", (penalty,))
        fitted = fit_ridge(values, YesOrNo(is_event, weights))
        given = np.where(y > 0, fitted.left_out, 1 - fitted.left_out)
        losses.append((-np.log(given).sum(), fitted.coefficients.tolist()))
    assert chosen.coefficients == pytest.approx(np.array(min(losses)[1]), abs=1e-4)


def test_neither_the_order_of_rows_nor_units_nor_weights_in_common_matter():
    values, y = draw(150)
    values[::11, 2] = np.nan
    risks = smooth_risks(make_table(values, y)).risks
    order = np.random.default_rng(3).permutation(150)
    assert np.array_equal(smooth_risks(make_table(values[order], y[order])).risks, risks[order])
    bent = values.copy()
    bent[:, 0] = np.exp(values[:, 0])
    assert np.array_equal(smooth_risks(make_table(bent, y)).risks, risks)
    for factor in (1e-3, 1e3):
        weighted = smooth_risks(make_table(values, y, np.full(150, factor)))
        assert np.array_equal(weighted.risks, risks)


def test_noise_explains_nothing_and_a_clear_feature_nearly_all():
    rng = np.random.default_rng(5)
    noise = smooth_risks(make_table(rng.normal(size=(300, 4)), rng.integers(0, 2, 300)))
    assert noise.explained < 0.02
    values = rng.normal(size=(300, 2))
    clear = smooth_risks(make_table(values, (values[:, 0] > 0).astype(int)))
    assert clear.explained > 0.7


def test_levels_missing_values_and_codes_have_coefficients_of_their_own():
    rng = np.random.default_rng(6)
    level = rng.integers(0, 3, 400)
    number = rng.normal(size=400)
    number[::4] = -9.0
    number[1::4] = np.nan
    y = rng.random(400) < np.where(level == 1, 0.8, 0.2) * np.where(np.isnan(number), 0.3, 1.0)
    features = {
        "level": FeatureValues(level.astype(float), Levels(("a", "b", "c"))),
        "number": FeatureValues(number, None),
    }
    risks = smooth_risks(make_table(FeatureTable(features, 400), y.astype(int))).risks
    plain = ~np.isnan(number) & (number != -9)
    assert risks[(level == 1) & plain].mean() > risks[(level != 1) & plain].mean() + 0.3
    assert risks[(level == 1) & np.isnan(number)].mean() < risks[(level == 1) & plain].mean() - 0.2


def test_the_label_of_one_row_moves_the_risk_of_its_level_little():
    values, y = draw(300)
    level = np.zeros(300)
    level[7] = 1.0
    names, levels = ("x0", "x1", "x2", "level"), (None, None, None, Levels(("a", "b")))
    labels = np.where(y > 0, np.int8(1), np.int8(-1))
    found = []
    for label in (1, -1):
        labels[7] = label
        table = Table(
            np.column_stack([values, level]), names, labels.copy(), np.ones(300), (0, 1), levels
        )
        found.append(smooth_risks(table).risks[7])
    assert abs(found[0] - found[1]) < 0.2


def test_a_part_of_a_long_table_is_drawn_whatever_its_order():
    values, y = draw(500)
    table = make_table(values, y)
    rows = choose_rows(table, 100)
    assert rows.size == 100
    assert (np.diff(rows) > 0).all()
    order = np.random.default_rng(0).permutation(500)
    moved = choose_rows(make_table(values[order], y[order]), 100)
    assert sorted(order[moved]) == rows.tolist()
    assert abs(values[rows].mean()) < 0.2
    assert np.array_equal(choose_rows(table, 500), np.arange(500))


def test_equal_rows_are_drawn_one_by_one():
    rng = np.random.default_rng(0)
    values, y = rng.integers(0, 2, (4000, 2)).astype(float), rng.integers(0, 2, 4000)
    is_taken = np.zeros(4000, dtype=bool)
    is_taken[choose_rows(make_table(values, y), 2500)] = True
    group = (values @ [1, 2] + 4 * y).astype(int)
    for one in range(8):
        # four standard errors about the share of all rows
        assert abs(is_taken[group == one].mean() - 0.625) < 0.09


def test_whether_a_row_is_drawn_says_nothing_of_its_twin_with_the_other_label():
    values = np.repeat(np.arange(2000.0), 2)[:, None]
    rows = choose_rows(make_table(values, np.tile([0, 1], 2000)), 2000)
    twins = np.bincount(rows // 2, minlength=2000)
    # half of the pairs are divided, a quarter is taken whole
    assert abs(np.mean(twins == 1) - 0.5) < 0.05
    assert abs(np.mean(twins == 2) - 0.25) < 0.05


def test_equal_rows_of_different_weight_are_drawn_whatever_their_order():
    rng = np.random.default_rng(0)
    values, y = rng.integers(0, 2, (600, 2)).astype(float), rng.integers(0, 2, 600)
    weights, order = rng.uniform(1, 2, 600), rng.permutation(600)
    rows = choose_rows(make_table(values, y, weights), 200)
    moved = choose_rows(make_table(values[order], y[order], 1000 * weights[order]), 200)
    assert sorted(order[moved]) == rows.tolist()


def test_of_a_wide_table_the_features_with_the_strongest_pull_are_taken():
    values, y = draw(200, n_features=MOST_COLUMNS)
    found = smooth_risks(make_table(values, y))
    assert np.corrcoef(found.risks, 1.5 * values[:, 0] + values[:, 1])[0, 1] > 0.5


def test_a_table_is_worth_less_with_rare_events_and_unequal_weights():
    values, _ = draw(400)
    half, tenth = np.arange(400) % 2, (np.arange(400) % 10 == 0).astype(int)
    assert worth_of(make_table(values, half)) == pytest.approx(400)
    assert worth_of(make_table(values, tenth)) == pytest.approx(4 * 0.1 * 0.9 * 400)
    assert worth_of(make_table(values, half, np.full(400, 7.0))) == pytest.approx(400)
    uneven = np.where(np.arange(400) < 200, 1.0, 3.0)
    assert worth_of(make_table(values, half, uneven)) == pytest.approx(800**2 / 2000)
    assert Regularization().cuts_for(make_table(values, tenth)) == 9


def test_linear_algebra_has_one_thread_on_every_thread_and_the_old_number_afterwards():
    def limits():
        return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

    def number_inside(_):
        with one_blas_thread():
            return limits()

    def enter_and_stay(context):
        context.__enter__()

    with threadpool_limits(limits=2, user_api="blas"):
        assert number_inside(0) == {1}  # this thread is the first to set a number
        with ThreadPoolExecutor(2) as threads:
            assert list(threads.map(number_inside, range(4))) == [{1}] * 4
            assert limits() == {2}
            first = one_blas_thread()
            threads.submit(enter_and_stay, first).result()
            assert limits() == {1}
            first.__exit__(None, None, None)  # another thread than the one that set it
            assert limits() == {2}


def test_linear_algebra_has_one_thread_until_the_last_one_leaves():
    def limits():
        return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

    with threadpool_limits(limits=2, user_api="blas"):
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert limits() == {1}
        second.__exit__(None, None, None)
        assert limits() == {2}


@pytest.mark.parametrize(("most_rows", "threads"), [(1000, 1), (10, 2)])
def test_all_regressions_of_a_small_table_have_one_thread(monkeypatch, most_rows, threads):
    """The shortlist's lasso too: on a busy machine its threads took ten times as long as its work."""
    seen, apply = [], Regularization.apply

    def look_and_apply(self, *given):
        seen.append({one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"})
        return apply(self, *given)

    monkeypatch.setattr(Regularization, "apply", look_and_apply)
    monkeypatch.setattr(learning, "MOST_ROWS_ALONE", most_rows)
    with threadpool_limits(limits=2, user_api="blas"):
        RiskScoreClassifier(1).fit(*draw(60))
    assert seen == [{threads}]
