"""The methods that the paper names, each against brute force or the same problem in another form."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from sklearn.utils.estimator_checks import parametrize_with_checks

import test_estimator  # its repair of an old check of scikit-learn holds here too
from riskcard import ParameterError, audit_card
from riskcard.baselines import (
    FasterRiskClassifier,
    FusedLassoClassifier,
    HingeRoundClassifier,
    IntervalCodedClassifier,
    ProbitRoundClassifier,
    ScaleSweepClassifier,
    SlimClassifier,
)
from riskcard.baselines.faster_risk import fit_in_box, losses_with_one_more
from riskcard.baselines.hinge import HingeLoss, round_by_expectation
from riskcard.baselines.mistakes import Programme
from riskcard.baselines.probit import fit_probit
from riskcard.baselines.scale_sweep import every_rounding
from riskcard.baselines.step_functions import densest, with_real_limits, without_remains
from riskcard.baselines.steps.columns import Columns
from test_docs import ROOT

assert test_estimator.SCALES
METHODS = [
    FasterRiskClassifier(max_terms=3, grid=5, beam=3, swaps=3, n_multipliers=5),
    FusedLassoClassifier(max_terms=3, grid=5),
    HingeRoundClassifier(max_terms=3, grid=5),
    IntervalCodedClassifier(max_terms=3, grid=2, reweightings=1),
    ProbitRoundClassifier(max_terms=3, grid=5),
    ScaleSweepClassifier(max_terms=3, grid=5),
    SlimClassifier(max_terms=1, max_points=2, grid=2, time_limit=2),
]


def columns_of(seed: int, n_columns: int = 3, n_rows: int = 14, most: int = 2) -> Columns:
    """Conditions at random, each a feature of its own, with labels that follow some of them."""
    rng = np.random.default_rng(seed)
    holds = rng.integers(0, 2, (n_rows, n_columns)).astype(float)
    score = holds @ rng.integers(-2, 3, n_columns) + rng.normal(0, 1, n_rows)
    labels = np.where(score > np.median(score), 1.0, -1.0)
    labels[:2] = -1.0, 1.0
    weights = rng.integers(1, 4, n_rows) * 0.5 if seed % 2 else np.ones(n_rows)
    limits = np.full(n_columns, most)
    return Columns(
        np.arange(n_columns), np.zeros(n_columns, int), holds, labels, weights, -limits, limits
    )


def all_points(columns: Columns) -> np.ndarray:
    ranges = [range(low, high + 1) for low, high in zip(columns.low, columns.high, strict=True)]
    return np.array(list(itertools.product(*ranges)))


# --- the interface ------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The target has the values")
@parametrize_with_checks(METHODS)
def test_every_check_of_scikit_learn_passes(estimator, check, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    check(estimator)


@pytest.mark.parametrize("method", METHODS, ids=lambda one: type(one).__name__)
def test_every_card_keeps_its_limits_and_passes_the_audit(method):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 4))
    y = (X[:, 0] - X[:, 1] + rng.normal(0, 1, 120) > 0).astype(int)
    weights = rng.integers(0, 3, 120)
    method.fit(X, y, sample_weight=weights)
    report = audit_card(method, X, y, sample_weight=weights)
    assert report.passed, str(report)
    assert 1 <= len(method.card_.terms) <= method.max_terms
    assert (method.status_, method.lower_bound_) == ("heuristic", 0.0)
    constant = method.fit(np.ones((8, 2)), [0, 0, 0, 1] * 2)
    assert constant.card_.terms == ()


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (SlimClassifier(event_weight=0), "event_weight is 0"),
        (SlimClassifier(max_false_positives=2), "max_false_positives is 2"),
        (HingeRoundClassifier(scheme="up"), "scheme is 'up'. Use 'derandomised' or 'randomised'"),
        (HingeRoundClassifier(max_terms=13), "Use at most 12, or scheme='randomised'"),
        (ScaleSweepClassifier(ridge=0), "ridge is 0"),
        (ScaleSweepClassifier(least_efficiency=1.5), "least_efficiency is 1.5"),
        (FasterRiskClassifier(beam=0), "beam is 0"),
        (IntervalCodedClassifier(reweightings=-1), "reweightings is -1"),
    ],
)
def test_impossible_parameters_are_named(method, message):
    with pytest.raises(ParameterError, match=message):
        method.fit([[0.0], [1.0]] * 10, [0, 1] * 10)


def test_every_parameter_is_in_the_docs():
    page = (ROOT / "docs/baselines.md").read_text(encoding="utf-8")
    for method in METHODS:
        assert f"`{type(method).__name__}`" in page
        for name in method.get_params():
            assert name in page, f"{type(method).__name__}: {name}"


# --- SLIM ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [None, 0.2])
@pytest.mark.parametrize("seed", range(10))
def test_the_fewest_mistakes_equal_enumeration(seed, limit):
    columns = columns_of(seed)
    factors = columns.weights * np.where(columns.labels > 0, 1 + seed % 3, 1.0)
    programme = Programme(columns, 1 + seed % 3, (0.0, 0.3)[seed % 2], factors, limit)
    best = np.inf
    others = columns.labels < 0
    for points in all_points(columns):
        if np.count_nonzero(points) > programme.max_terms:
            continue
        for base in range(
            -12, 13
        ):  # further than points reach, so that the bounds on the base are tested
            score = columns.holds @ points + base
            wrong = columns.labels * score <= 0
            if limit is not None:
                share = columns.weights[wrong & others].sum() / columns.weights[others].sum()
                if share > limit + 1e-12:
                    continue
            best = min(best, factors[wrong].sum() + programme.penalty * np.count_nonzero(points))
    point, bound, status = programme.solve(None)
    assert status == "optimal"
    assert programme.allows(point)
    assert programme.objective(point) == pytest.approx(best, abs=1e-9)
    assert best - 1e-4 <= bound <= best + 1e-12
    assert programme.objective(programme.greedy()) >= best - 1e-9


def test_a_total_of_zero_is_a_mistake_on_both_sides():
    columns = columns_of(0)
    programme = Programme(columns, 3, 0.5, columns.weights, None)
    assert programme.mistakes(np.zeros(4, int)) == columns.weights.sum()
    for points in all_points(columns):
        objective, base = programme._with_best_base(points)
        own = [programme.objective(np.append(points, b)) for b in range(-8, 9)]
        assert objective == programme.objective(np.append(points, base)) == min(own)


def test_a_slim_card_predicts_the_side_of_its_total_and_a_bound_holds_when_it_stops():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = (X[:, 0] + X[:, 1] > 0.3).astype(int)
    model = SlimClassifier(2, 2, 5, time_limit=20).fit(X, y)
    result = model.result_
    predicted = model.predict(X)
    assert np.array_equal(predicted, (model.card_.total_points(X) > 0).astype(int))
    assert (predicted != y).sum() <= result.mistakes
    assert result.objective_bound <= result.mistakes
    stopped = SlimClassifier(2, 2, 5, time_limit=0).fit(X, y).result_
    assert stopped.objective_bound <= result.mistakes <= stopped.mistakes


# --- hinge --------------------------------------------------------------------------------------


def hinge_of(columns: Columns, points: np.ndarray) -> float:
    """The hinge loss with the best offset, by a linear programme in the offset and the slacks."""
    n = columns.labels.size
    scores = columns.labels * (columns.holds @ points)
    found = linprog(
        np.concatenate([[0.0], columns.weights]),
        A_ub=-np.column_stack([columns.labels, np.eye(n)]),
        b_ub=scores - 1,
        bounds=[(None, None)] + [(0, None)] * n,
    )
    return float(found.fun)


@pytest.mark.parametrize("seed", range(6))
def test_the_hinge_loss_and_its_bound_equal_other_ways(seed):
    columns = columns_of(seed, most=1)
    hinge = HingeLoss(columns)
    real, bound = hinge.relax()
    charges = np.full(columns.n_columns, 0.7)
    charged_real, charged_bound = hinge.relax(charges)
    for points in all_points(columns):
        loss = hinge_of(columns, points)
        assert hinge.loss(points) == pytest.approx(loss, abs=1e-8)
        margins = columns.labels * (columns.holds @ points + hinge.offset(points))
        assert columns.weights @ np.maximum(0, 1 - margins) == pytest.approx(loss, abs=1e-8)
        assert bound <= loss + 1e-9
        assert charged_bound <= loss + 0.7 * np.abs(points).sum() + 1e-9
    # strong duality: the bound is the loss at the real optimum
    assert bound == pytest.approx(hinge_of(columns, real), abs=1e-6)
    charged = hinge_of(columns, charged_real) + 0.7 * np.abs(charged_real).sum()
    assert charged_bound == pytest.approx(charged, abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_a_bound_holds_for_any_shares(seed):
    columns = columns_of(seed, most=2)
    hinge, rng = HingeLoss(columns), np.random.default_rng(seed)
    shares = rng.uniform(0, 1, columns.labels.size) * columns.weights
    high = columns.high.astype(float), -columns.low.astype(float)
    bound = hinge.bound(shares, np.zeros(3), high, 1.0 + high[0].sum())
    assert all(bound <= hinge.loss(points) + 1e-12 for points in all_points(columns))


def test_a_bound_allows_for_the_offset():
    """Shares on rows without any condition: only the offset can serve them, and it does."""
    holds, labels = np.array([[0.0], [0.0], [1.0]]), np.array([1.0, 1.0, -1.0])
    limit = np.array([2])
    hinge = HingeLoss(
        Columns(np.zeros(1, int), np.zeros(1, int), holds, labels, np.ones(3), -limit, limit)
    )
    assert hinge.loss(np.array([-2])) == 0
    high = np.array([2.0]), np.array([2.0])
    assert hinge.bound(np.array([1.0, 1.0, 0.0]), np.zeros(1), high, 3.0) == 0


@pytest.mark.parametrize("seed", range(8))
def test_conditional_expectations_never_exceed_the_mean_of_all_roundings(seed):
    columns = columns_of(seed, n_columns=4)
    hinge, rng = HingeLoss(columns), np.random.default_rng(seed)
    real = rng.uniform(-2, 2, 4)
    real[seed % 4] = 1.0
    points, expected = round_by_expectation(hinge, real)
    floor = np.floor(real)
    mean = sum(
        np.prod([f if up else 1 - f for f, up in zip(real - floor, ups, strict=True)])
        * hinge_of(columns, floor + ups)
        for ups in itertools.product((0, 1), repeat=4)
    )
    assert expected == pytest.approx(mean)
    assert hinge.loss(points) <= expected + 1e-9
    assert np.all(np.abs(points - real) < 1)


# --- total variation ------------------------------------------------------------------------------


def test_steps_on_cuts_are_differences_of_neighbouring_bins():
    """The programme of interval-coded scoring, in bins with D_p, has the optimum of ours in cuts."""
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 4, (30, 2))
    labels = np.where(codes[:, 0] + rng.normal(0, 1.5, 30) > 1.5, 1.0, -1.0)
    holds = np.column_stack([codes[:, [f]] <= [0, 1, 2] for f in (0, 1)]).astype(float)
    limits = np.full(6, 2)
    columns = Columns(
        np.repeat([0, 1], 3), np.tile([0, 1, 2], 2), holds, labels, np.ones(30), -limits, limits
    )
    charge = 1.5
    ours = HingeLoss(with_real_limits(columns)).relax(np.full(6, charge))[1]
    bins = np.column_stack([codes[:, [f]] == [0, 1, 2, 3] for f in (0, 1)]).astype(float)
    D = np.kron(np.eye(2), np.diff(np.eye(4), axis=0))
    # variables: 8 bins, offset, 6 absolute differences, 30 slacks
    costs = np.concatenate([np.zeros(9), np.full(6, charge), np.ones(30)])
    signed = labels[:, None] * np.column_stack([bins, np.ones(30)])
    rows = [
        np.hstack([-signed, np.zeros((30, 6)), -np.eye(30)]),
        *(np.hstack([s * D, np.zeros((6, 1)), -np.eye(6), np.zeros((6, 30))]) for s in (1, -1)),
    ]
    limits_of_rows = np.concatenate([-np.ones(30), np.zeros(12)])
    free = [(None, None)] * 9 + [(0, None)] * 36
    theirs = linprog(costs, A_ub=np.vstack(rows), b_ub=limits_of_rows, bounds=free).fun
    assert ours == pytest.approx(theirs, rel=1e-7)


def test_the_densest_steps_keep_the_limit_and_remains_are_no_steps():
    columns = with_real_limits(columns_of(4, n_columns=6, n_rows=40))
    hinge = HingeLoss(columns)

    def steps_at(charge: float) -> np.ndarray:
        return without_remains(hinge.relax(np.full(6, charge))[0])

    weight = float(columns.weights.sum())
    counts = [np.count_nonzero(densest(steps_at, weight, most)) for most in (0, 1, 2, 6)]
    assert counts[0] == 0
    assert all(count <= most for count, most in zip(counts, (0, 1, 2, 6), strict=True))
    assert counts[-1] > 2
    assert without_remains(np.array([1.0, 1e-9, -0.5])).tolist() == [1.0, 0.0, -0.5]


# --- Cole, probit ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_the_sweep_sees_every_rounding(seed):
    beta = np.random.default_rng(seed).normal(size=4)
    found = {tuple(points) for points in every_rounding(beta, 4)}
    scales = np.linspace(0, 4.5 / np.abs(beta).max(), 20_001)[1:-1]
    dense = {tuple(np.rint(scale * beta).astype(int)) for scale in scales}
    assert {points for points in dense if any(points)} <= found
    assert max(np.abs(points).max() for points in found) == 4


def test_the_sweep_is_a_table_of_largest_point_and_loss():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (200, 4)).astype(float)
    y = (rng.random(200) < 1 / (1 + np.exp(2 - X @ [2.1, 1.2, 0.8, 0.4]))).astype(int)
    model = ScaleSweepClassifier(max_terms=4, max_points=6, least_efficiency=0.98).fit(X, y)
    sweep = model.result_.sweep
    assert [row.largest for row in sweep] == [1, 2, 3, 4, 5, 6]
    used = max(abs(term.above - term.below) for term in model.card_.terms)
    chosen = next(row for row in sweep if row.efficiency >= 0.98)
    assert used <= chosen.largest
    assert model.loss_ == pytest.approx(chosen.loss)
    assert all(row.loss >= model.result_.real_loss - 1e-2 for row in sweep)


@pytest.mark.parametrize("seed", range(4))
def test_the_probit_regression_is_where_its_likelihood_is_flat(seed):
    from scipy.stats import norm

    columns = columns_of(seed, n_rows=60)
    coefficients, intercept = fit_probit(columns, 0.1)

    def objective(at: np.ndarray) -> float:
        margins = columns.labels * (columns.holds @ at[:-1] + at[-1])
        return float(-columns.weights @ norm.logcdf(margins) + 0.05 * at[:-1] @ at[:-1])

    at = np.append(coefficients, intercept)
    best = minimize(
        objective, at + 0.1, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}
    )
    assert objective(at) <= best.fun + 1e-7


# --- FasterRisk -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_one_more_column_is_between_the_fit_and_the_refit(seed):
    columns = columns_of(seed, n_columns=5, n_rows=60)
    fit = fit_in_box(columns, (1,))
    losses = losses_with_one_more(columns, fit)
    assert losses[1] == np.inf
    for column in (0, 2, 3, 4):
        refit = fit_in_box(columns, tuple(sorted((1, column))))
        assert refit.loss - 1e-7 <= losses[column] <= fit.loss + 1e-7


def test_the_beam_finds_the_best_support_when_it_keeps_all():
    columns = columns_of(1, n_columns=6, n_rows=80)
    best = min(fit_in_box(columns, pair).loss for pair in itertools.combinations(range(6), 2))
    wide = FasterRiskClassifier(max_terms=2, beam=20)._beam_search(columns, 2)
    assert wide.loss == pytest.approx(best, rel=1e-9)


def test_the_pool_is_never_worse_than_its_start_and_within_its_tolerance():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 5))
    y = (X @ [1, -1, 0.8, 0.2, 0] + rng.logistic(size=200) > 0).astype(int)
    settings = {"max_terms": 3, "grid": 4, "beam": 4, "swaps": 6}
    full = FasterRiskClassifier(**settings).fit(X, y)
    start = FasterRiskClassifier(**settings, pool_tolerance=0.0).fit(X, y)
    result = full.result_
    assert full.loss_ == pytest.approx(min(result.card_losses))
    assert full.loss_ <= start.loss_ * (1 + 1e-12)
    assert result.pool_losses[0] <= start.result_.pool_losses[0] * (1 + 1e-12)
    assert max(result.pool_losses) <= min(result.pool_losses) * 1.05
    assert len(result.pool_losses) > 1
    one = FasterRiskClassifier(**settings, n_multipliers=1).fit(X, y)
    assert full.loss_ <= one.loss_ * (1 + 1e-12)
    # a card is no better than real coefficients on its columns but for their box
    assert full.loss_ >= min(result.pool_losses) * 0.98
