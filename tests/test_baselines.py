"""The older methods do what they say: whole points, valid bounds, the same interface."""

from __future__ import annotations

import itertools
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import test_estimator  # its repair of an old check of scikit-learn holds here too
from oracle.enumerate_cards import enumerate_cards
from random_problems import random_problem
from riskcard import DataError, ParameterError, RiskCard, SolverMissing, audit_card
from riskcard.baselines import (
    LatticeCuttingPlaneClassifier,
    SelectRegressRoundClassifier,
    UnitWeightsClassifier,
)
from riskcard.baselines.lattice_method.answer import Stops
from riskcard.baselines.lattice_method.cuts import SOLVERS
from riskcard.baselines.lattice_method.lattice import Box, bound_of_box, make_lattice, tangent_at
from riskcard.baselines.plain_cards import ROUNDINGS, SELECTIONS
from riskcard.baselines.steps.columns import candidate_columns
from riskcard.baselines.steps.polish import polish
from riskcard.baselines.steps.regression import fit_logistic
from riskcard.baselines.steps.rounding import (
    RealCard,
    round_at_random,
    round_in_random_order,
    round_nearest,
    round_sequentially,
)
from riskcard.baselines.steps.scaling import with_best_scale
from riskcard.baselines.steps.selection import (
    as_candidates,
    associations,
    select_by_lasso,
    select_forward,
)
from riskcard.logistic import log_loss, residuals
from riskcard.problem.objective import loss_of, violations
from riskcard.problem.problem import Limits, Problem, Scale
from riskcard.problem.solution import Solution
from riskcard.search.lasso import TOLERANCE, fit_lasso
from test_docs import ROOT, blocks

pytestmark = pytest.mark.slow

assert test_estimator.SCALES
MODULES = {"highs": "highspy", "scip": "pyscipopt"}
FIXED = (Scale("fixed", 1.0), Scale("fixed", 0.7), Scale("fixed", 2.5))
NO_STOPS = Stops(None, None, 0.0)


def lattice_problem(seed: int) -> Problem:
    """A tiny problem that limits terms only, as the lattice method does, at a fixed scale."""
    problem = random_problem(seed, FIXED[seed % 3])
    most = problem.limits.max_terms
    limits = Limits(most, min(most, problem.data.n_features), most)
    return replace(problem, limits=limits)


@pytest.fixture(params=list(SOLVERS))
def solver(request):
    pytest.importorskip(MODULES[request.param])
    return request.param


# --- the interface ------------------------------------------------------------------------------

ESTIMATORS = [SelectRegressRoundClassifier(rounding="sequential"), UnitWeightsClassifier()]
ESTIMATORS += [
    LatticeCuttingPlaneClassifier(
        max_terms=2, grid=2, node_limit=3, time_limit=None, solver="highs"
    )
]


@pytest.mark.filterwarnings("ignore:The target has the values")  # such as 1 and 2
@parametrize_with_checks(ESTIMATORS)
def test_every_check_of_scikit_learn_passes(estimator, check, monkeypatch):
    if isinstance(estimator, LatticeCuttingPlaneClassifier):
        pytest.importorskip("highspy")
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # one check is skipped without it
    check(estimator)


@pytest.mark.parametrize("scale", ["calibrated", "multiplier", 1, 2.5])
@pytest.mark.parametrize("kind", ["rounded", "as regressed", "unit"])
def test_every_heuristic_result_passes_the_audit_and_can_be_saved(cancer, tmp_path, scale, kind):
    X, y = cancer
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    classifier = {
        "rounded": SelectRegressRoundClassifier(4, scale=scale, rounding="randomised"),
        "as regressed": SelectRegressRoundClassifier(4, scale=scale, refit=False),
        "unit": UnitWeightsClassifier(4, scale=scale),
    }[kind].fit(X, y, sample_weight=weights)
    report = audit_card(classifier, X, y, sample_weight=weights)
    assert report.passed, str(report)
    assert (classifier.status_, classifier.lower_bound_) == ("heuristic", 0.0)
    classifier.card_.save(tmp_path / "card.json")
    loaded = RiskCard.load(tmp_path / "card.json")
    assert np.array_equal(loaded.risk(X), classifier.predict_proba(X)[:, 1])


def test_every_lattice_result_passes_the_audit_and_can_be_saved(cancer, tmp_path, solver):
    X, y = cancer
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    classifier = LatticeCuttingPlaneClassifier(3, grid=2, node_limit=20, solver=solver)
    classifier.fit(X, y, sample_weight=weights)
    report = audit_card(classifier, X, y, sample_weight=weights)
    assert report.passed, str(report)
    assert classifier.status_ == "node_limit"
    assert 0 < classifier.lower_bound_ < classifier.loss_
    certificate = classifier.card_.certificate
    assert "60 columns made beforehand" in certificate.notes[0]
    classifier.card_.save(tmp_path / "card.json")
    assert RiskCard.load(tmp_path / "card.json").certificate == certificate


@pytest.mark.parametrize(
    ("classifier", "message"),
    [
        (SelectRegressRoundClassifier(max_terms=0), "max_terms is 0"),
        (SelectRegressRoundClassifier(max_points=1.5), "max_points is 1.5"),
        (SelectRegressRoundClassifier(grid=0), "grid is 0"),
        (
            SelectRegressRoundClassifier(selection="best"),
            "selection is 'best'. Use 'lasso' or 'forward'",
        ),
        (
            SelectRegressRoundClassifier(rounding="up"),
            "rounding is 'up'. Use 'nearest', 'randomised'",
        ),
        (SelectRegressRoundClassifier(ridge=0), "ridge is 0. Use a positive number"),
        (SelectRegressRoundClassifier(n_draws=0), "n_draws is 0"),
        (SelectRegressRoundClassifier(random_state="x"), "random_state is 'x'"),
        (UnitWeightsClassifier(least_chi_square=-1), "least_chi_square is -1"),
        (UnitWeightsClassifier(scale="odds"), "scale is 'odds'"),
        (LatticeCuttingPlaneClassifier(scale="calibrated"), "needs a given multiplier"),
        (LatticeCuttingPlaneClassifier(scale=-1), "scale is -1"),
        (LatticeCuttingPlaneClassifier(solver="cplex"), "solver is 'cplex'"),
        (LatticeCuttingPlaneClassifier(term_penalty=-1), "term_penalty is -1"),
        (LatticeCuttingPlaneClassifier(node_limit=-1), "node_limit is -1"),
        (LatticeCuttingPlaneClassifier(time_limit="1"), "time_limit is '1'"),
        (LatticeCuttingPlaneClassifier(gap=2), "gap is 2"),
    ],
)
def test_impossible_parameters_are_named(small, classifier, message):
    with pytest.raises(ParameterError, match=message):
        classifier.fit(*small)


@pytest.mark.parametrize("name", list(SOLVERS))
def test_a_missing_solver_names_its_extra(small, monkeypatch, name):
    monkeypatch.setitem(sys.modules, MODULES[name], None)
    with pytest.raises(SolverMissing, match=rf'pip install "riskcard\[{name}\]"'):
        LatticeCuttingPlaneClassifier(solver=name).fit(*small)


def test_too_many_columns_ask_for_a_grid(small, monkeypatch):
    monkeypatch.setattr("riskcard.baselines.steps.columns.MOST_NUMBERS", 100)
    with pytest.raises(ParameterError, match="Use fewer cuts per feature"):
        UnitWeightsClassifier().fit(*small)


def test_too_few_rows_are_refused():
    with pytest.raises(DataError, match="fewer than the 5 terms"):
        UnitWeightsClassifier().fit([[1.0], [2.0], [3.0]], [0, 1, 1])


def test_importing_the_package_does_not_import_the_baselines():
    code = "import riskcard, sys; "
    code += "sys.exit(any(name.startswith('riskcard.baselines') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    "classifier", [SelectRegressRoundClassifier(2), UnitWeightsClassifier(2)], ids=["srr", "unit"]
)
def test_constant_features_give_the_base_rate(classifier):
    X, y = np.ones((8, 2)), np.array([0, 0, 0, 1] * 2)
    classifier.fit(X, y)
    assert classifier.card_.terms == ()
    assert classifier.predict_proba(X)[:, 1] == pytest.approx(0.25)


# --- columns, selection, regression ---------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_columns_say_which_rows_are_below_which_cut(seed):
    problem = random_problem(seed)
    columns = candidate_columns(problem)
    for column in range(columns.n_columns):
        feature, cut = columns.features[column], columns.cuts[column]
        assert np.array_equal(columns.holds[:, column], problem.data.codes[feature] <= cut)
    chosen = np.arange(columns.n_columns)[::2]
    few, points = columns.take(chosen), np.arange(chosen.size) - 1.0
    before = log_loss(columns.holds[:, chosen] @ points, columns.labels, columns.weights)
    assert log_loss(few.holds @ points, few.labels, few.weights) == pytest.approx(before)


def test_a_two_valued_feature_is_one_column_and_a_grid_limits_the_others(small):
    X, y = small
    X = np.column_stack([X[:, 0], X[:, 1] > 2])
    classifier = LatticeCuttingPlaneClassifier(1, grid=3, node_limit=0)
    pytest.importorskip("highspy")
    assert "on 4 columns" in classifier.fit(X, y).result_.notes[0]


@pytest.mark.parametrize("seed", range(5))
def test_the_regression_is_where_its_gradient_is_zero(seed):
    columns = candidate_columns(random_problem(seed))
    labels, weights, ridge = columns.labels, columns.weights, 0.01
    coefficients, intercept = fit_logistic(columns.holds, labels, weights, ridge)
    rest = residuals(columns.holds @ coefficients + intercept, labels, weights)
    assert columns.holds.T @ rest == pytest.approx(ridge * coefficients, abs=1e-4)
    assert rest.sum() == pytest.approx(0, abs=1e-4)


def test_the_association_is_pearsons_chi_square(small):
    X, y = small
    problem = problem_of(X, y)
    columns = candidate_columns(problem)
    strengths, directions = associations(columns)
    is_event, n = columns.labels > 0, columns.weights.sum()
    for column in range(columns.n_columns):
        holds = columns.holds[:, column] > 0
        seen = np.array(
            [
                [columns.weights[(holds == h) & (is_event == e)].sum() for e in (False, True)]
                for h in (False, True)
            ]
        )
        expected = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / n
        assert strengths[column] == pytest.approx(((seen - expected) ** 2 / expected).sum())
        assert (directions[column] > 0) == (seen[1, 1] > expected[1, 1])


def problem_of(X, y, max_terms=3, scale="calibrated") -> Problem:
    from riskcard.data.table import make_table
    from riskcard.encoding.rank_table import rank_table
    from riskcard.problem.problem import make_problem

    data, _ = rank_table(make_table(X, y))
    return make_problem(data, max_terms=max_terms, scale=scale)


def test_the_lasso_meets_its_optimality_conditions(small):
    columns = candidate_columns(problem_of(*small))
    _, gradient = associations(columns)
    for share in (0.8, 0.3, 0.05):
        penalty = share * np.abs(gradient).max()
        start = np.zeros(columns.n_columns)
        coefficients, intercept = fit_lasso(as_candidates(columns), penalty, start, 0.0)
        rest = residuals(columns.holds @ coefficients + intercept, columns.labels, columns.weights)
        slopes, is_used = columns.holds.T @ rest, coefficients != 0
        tolerance = 2 * TOLERANCE * penalty
        assert np.abs(slopes).max() <= penalty + tolerance
        assert slopes[is_used] == pytest.approx(
            penalty * np.sign(coefficients[is_used]), abs=tolerance
        )
        assert is_used.any()


def test_selections_take_as_many_columns_as_asked_and_the_strongest_first(small):
    columns = candidate_columns(problem_of(*small))
    strongest = int(np.argmax(associations(columns)[0]))
    assert select_forward(columns, 1, 0.001).tolist() == [strongest]
    for count in (1, 3, 5):
        for chosen in (select_forward(columns, count, 0.001), select_by_lasso(columns, count)):
            assert chosen.size == count == len(set(chosen.tolist()))


def test_unit_weights_give_one_point_on_the_side_of_the_event(small):
    X, y = small
    card = UnitWeightsClassifier(3, grid=None, least_chi_square=3.84).fit(X, y).card_
    by_feature = {term.feature: term for term in card.terms}
    assert len(by_feature) == len(card.terms)
    assert by_feature["x0"].above == 1  # the event is more common where x0 is large
    assert by_feature["x1"].below == 1
    assert "x2" not in by_feature  # noise
    assert len(UnitWeightsClassifier(3, least_chi_square=0).fit(X, y).card_.terms) == 3


# --- rounding -------------------------------------------------------------------------------------


def real_card(seed: int, size: int = 4) -> RealCard:
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 2, (40, size)).astype(float)
    labels = np.where(rng.random(40) < 0.4, 1.0, -1.0)
    weights = rng.uniform(0.5, 2, 40)
    return RealCard(matrix, labels, weights, rng.uniform(-5, 5, size), 1.7, 0.3)


@pytest.mark.parametrize("seed", range(10))
def test_every_rounding_goes_to_a_neighbour(seed):
    card, rng = real_card(seed), np.random.default_rng(seed)
    for rounded in (
        round_nearest(card),
        round_at_random(card, rng, 7),
        round_sequentially(card),
        round_in_random_order(card, rng, 7),
    ):
        assert rounded.dtype == np.int64
        assert np.all((rounded >= np.floor(card.points)) & (rounded <= np.ceil(card.points)))
    assert np.abs(round_nearest(card)[0] - card.points).max() <= 0.5


def test_whole_points_stay_as_they_are():
    card = replace(real_card(0), points=np.array([3.0, -2.0, 0.0, 5.0]))
    rng = np.random.default_rng(0)
    for rounded in (
        round_nearest(card),
        round_at_random(card, rng, 3),
        round_sequentially(card),
        round_in_random_order(card, rng, 3),
    ):
        assert np.all(rounded == card.points)


def test_the_expected_value_of_randomised_rounding_is_the_real_number():
    card, n_draws = real_card(1), 20_000
    drawn = round_at_random(card, np.random.default_rng(0), n_draws)
    fraction = card.points - np.floor(card.points)
    error = np.sqrt(fraction * (1 - fraction) / n_draws)
    assert np.all(np.abs(drawn.mean(axis=0) - card.points) <= 5 * error)


@pytest.mark.parametrize("seed", range(20))
def test_sequential_rounding_of_one_number_is_the_better_neighbour(seed):
    card = real_card(seed, size=1)
    neighbours = [card.loss(np.array([side(card.points[0])])) for side in (np.floor, np.ceil)]
    for rounded in (
        round_sequentially(card),
        round_in_random_order(card, np.random.default_rng(0), 1),
    ):
        assert card.loss(rounded[0]) == min(neighbours) <= card.loss(round_nearest(card)[0])


@pytest.mark.parametrize("seed", range(10))
def test_the_first_sequential_step_is_the_best_of_all(seed):
    card = real_card(seed)
    steps = []
    for place, side in itertools.product(range(card.points.size), (np.floor, np.ceil)):
        points = card.points.copy()
        points[place] = side(points[place])
        steps.append((card.loss(points), place, points[place]))
    _, place, value = min(steps)
    assert round_sequentially(card)[0][place] == value


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("selection", SELECTIONS)
def test_a_seed_gives_one_card_and_points_are_within_bounds(cancer, selection, rounding):
    X, y = cancer
    made = SelectRegressRoundClassifier(
        5, max_points=3, selection=selection, rounding=rounding, random_state=7, n_draws=5
    )
    first, second = made.fit(X, y).card_, made.fit(X, y).card_
    assert first.terms == second.terms
    assert all(0 < max(term.below, term.above) <= 3 for term in first.terms)
    assert len(first.terms) <= 5


@pytest.mark.parametrize("rounding", ["randomised", "randomised_sequential"])
def test_more_draws_and_a_polish_never_hurt(cancer, rounding):
    X, y = cancer
    settings = {"scale": 1, "rescale": False, "refit": False, "rounding": rounding}
    losses = [
        SelectRegressRoundClassifier(5, n_draws=n, **settings).fit(X, y).loss_ for n in (1, 4, 16)
    ]
    assert losses == sorted(losses, reverse=True)
    polished = SelectRegressRoundClassifier(5, n_draws=16, polish=True, **settings).fit(X, y).loss_
    assert polished <= losses[-1] * (1 + 1e-12)


def test_naive_rounding_rounds_the_coefficients_themselves(small):
    X, y = small
    settings = {"scale": 1, "rescale": False, "refit": False, "grid": 1, "max_points": 9}
    classifier = SelectRegressRoundClassifier(3, **settings).fit(X, y)
    columns = candidate_columns(problem_of(np.median(X, axis=0) < X, y))
    coefficients, intercept = fit_logistic(columns.holds, columns.labels, columns.weights, 0.001)
    whole, base = np.floor(coefficients + 0.5), np.floor(intercept + 0.5)
    holds = np.median(X, axis=0) >= X
    assert np.array_equal(classifier.decision_function(X), holds @ whole + base)


@pytest.mark.parametrize("seed", range(30))
def test_the_best_scale_is_the_oracles(seed):
    problem = random_problem(seed)
    oracle = enumerate_cards(problem)
    if not oracle.solution.terms:
        return
    card = with_best_scale(problem, oracle.solution.terms)
    assert violations(card, problem) == []
    assert loss_of(card, problem) == pytest.approx(oracle.loss, rel=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_no_single_change_improves_a_polished_card(seed):
    problem = random_problem(seed)
    columns, rng = candidate_columns(problem), np.random.default_rng(seed)
    points = np.zeros(columns.n_columns, dtype=np.int64)
    points[: problem.limits.max_terms] = rng.integers(columns.low, columns.high + 1)[
        : problem.limits.max_terms
    ]
    before = with_best_scale(problem, columns.terms(points))
    card = polish(problem, before)
    loss = loss_of(card, problem)
    assert loss <= loss_of(before, problem)
    for feature, cut, _ in card.terms:
        rest = [term for term in card.terms if term[:2] != (feature, cut)]
        for jump in range(problem.jump_low[feature], problem.jump_high[feature] + 1):
            other = with_best_scale(problem, [*rest, (feature, cut, jump)])
            assert loss_of(other, problem) >= loss * (1 - 1e-9)


# --- the lattice ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_the_lattice_method_equals_enumeration(solver, seed):
    problem = lattice_problem(seed)
    best = enumerate_cards(problem).loss
    lattice = make_lattice(problem, 0.0)
    answer = SOLVERS[solver](problem, lattice, NO_STOPS)
    card = lattice.card(answer.point)
    assert violations(card, problem) == []
    assert loss_of(card, problem) == pytest.approx(best, rel=1e-9)
    assert answer.bound <= best * (1 + 1e-12)
    assert answer.bound == pytest.approx(best, rel=1e-5)
    # SCIP's margin may be too wide for the word when the loss is small
    assert str(answer.status) in (("optimal",) if solver == "highs" else ("optimal", "rounding"))


@pytest.mark.parametrize("seed", range(20))
def test_a_bound_holds_however_early_it_stops(solver, seed):
    problem = lattice_problem(seed)
    best = enumerate_cards(problem).loss
    lattice = make_lattice(problem, 0.0)
    for stops in (
        Stops(0.0, None, 0.0),
        Stops(None, 0, 0.0),
        Stops(None, 2, 0.0),
        Stops(None, None, 0.3),
    ):
        answer = SOLVERS[solver](problem, lattice, stops)
        assert 0 <= answer.bound <= best * (1 + 1e-12)
        assert violations(lattice.card(answer.point), problem) == []
        assert answer.objective >= best * (1 - 1e-12)
        if stops.deadline is not None:
            assert str(answer.status) == "time_limit"


@pytest.mark.parametrize("seed", range(12))
def test_penalties_are_part_of_the_objective(solver, seed):
    problem = lattice_problem(seed)
    penalty = 0.3
    best = min(
        enumerate_cards(with_terms(problem, count)).loss + penalty * count
        for count in range(1, problem.limits.max_terms + 1)
    )
    best = min(best, loss_of(with_best_scale(problem, []), problem))
    answer = SOLVERS[solver](problem, make_lattice(problem, penalty), NO_STOPS)
    assert answer.objective == pytest.approx(best, rel=1e-9)
    assert answer.bound <= best * (1 + 1e-12)
    assert answer.bound == pytest.approx(best, rel=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_penalties_of_features_equal_enumeration(solver, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (16, 2)).astype(float)
    y = np.append([0, 1], (rng.random(14) < 0.3 + 0.2 * X[2:, 0]).astype(int))
    penalties = {"x0": float(rng.choice([0.1, 0.8])), "x1": float(rng.choice([0.0, 0.4]))}
    classifier = LatticeCuttingPlaneClassifier(
        3, 2, grid=None, solver=solver, feature_penalties=penalties, term_penalty=9.0
    ).fit(X, y)
    holds = np.column_stack([X[:, [f]] <= [0, 1] for f in (0, 1)]).astype(float)
    cost = np.repeat(list(penalties.values()), 2)
    points = np.array(list(itertools.product(range(-2, 3), repeat=4)))
    points = points[(points != 0).sum(axis=1) <= 3]
    scores = (points @ holds.T)[:, None] + np.arange(-9, 10)[None, :, None]
    losses = np.logaddexp(0, np.where(y > 0, -scores, scores)).sum(axis=2)
    best = (losses + ((points != 0) @ cost)[:, None]).min()
    result = classifier.result_
    assert result.objective == pytest.approx(best, rel=1e-9)
    assert best * (1 - 1e-5) <= result.objective_bound <= best * (1 + 1e-9)
    assert result.objective_status == "optimal"
    assert classifier.lower_bound_ <= losses.min()


def test_penalties_of_unknown_features_are_refused(small):
    for given, message in (({"x9": 1}, "names 'x9'"), ({"x0": -1}, "penalty of 'x0' is -1")):
        with pytest.raises(ParameterError, match=message):
            LatticeCuttingPlaneClassifier(feature_penalties=given).fit(*small)


def with_terms(problem: Problem, count: int) -> Problem:
    return replace(problem, limits=Limits(count, min(count, problem.data.n_features), count))


def all_points(lattice, box):
    """Every allowed point of a box."""
    ranges = [range(low, high + 1) for low, high in zip(box.low, box.high, strict=True)]
    for values in itertools.product(*ranges):
        point = np.array(values)
        if np.count_nonzero((point[:-1] != 0) | box.is_term) <= lattice.max_terms:
            yield point


@pytest.mark.parametrize("seed", range(15))
def test_no_point_of_a_box_is_below_its_bound(seed):
    rng = np.random.default_rng(seed)
    problem = lattice_problem(seed)
    penalties = rng.choice([0.0, 0.2, 0.5], problem.data.n_features)
    lattice = make_lattice(problem, penalties)
    low, high = lattice.low.copy(), lattice.high.copy()
    far = rng.permutation(lattice.n_columns)[3:]
    low[far], high[far] = 0, 0  # few enough points to try them all
    middle = int(rng.integers(low[-1], high[-1] + 1))
    low[-1], high[-1] = max(low[-1], middle - 2), min(high[-1], middle + 2)
    box = Box(low, high, (rng.random(lattice.n_columns) < 0.2) & (high[:-1] > low[:-1]))
    if np.count_nonzero(box.is_term) > lattice.max_terms:
        box = replace(box, is_term=np.zeros_like(box.is_term))
    tangents = [tangent_at(lattice, rng.uniform(low, high))[1] for _ in range(4)]
    bound = bound_of_box(lattice, box, tangents, rng.uniform(-0.2, 1, 4))
    for point in all_points(lattice, box):
        penalties = lattice.penalties[(point[:-1] != 0) | box.is_term].sum()
        assert lattice.loss(point) + penalties >= bound
        for tangent in tangents:
            assert tangent.constant + tangent.slopes @ point <= lattice.loss(point) + 1e-9


def test_a_tangent_touches_the_loss(small):
    lattice = make_lattice(problem_of(*small, scale=1), 0.0)
    point = np.random.default_rng(0).uniform(-1, 1, lattice.n_columns + 1)
    loss, tangent = tangent_at(lattice, point)
    assert loss == pytest.approx(lattice.loss(point))
    for place in range(point.size):
        step = np.zeros(point.size)
        step[place] = 1e-6
        slope = (lattice.loss(point + step) - lattice.loss(point - step)) / 2e-6
        assert tangent.slopes[place] == pytest.approx(slope, abs=1e-4)


def test_a_card_becomes_a_point_and_a_card_again(small):
    lattice = make_lattice(problem_of(*small, scale=1), 0.0)
    card = Solution.of([(0, 1, 3), (2, 0, -2)], base=4)
    assert lattice.card(lattice.point(card)) == card


def test_with_a_penalty_the_status_does_not_claim_too_much(solver):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (40, 3)).astype(float)
    y = (X[:, 0] + 0.3 * rng.normal(size=40) > 0.5).astype(int)
    classifier = LatticeCuttingPlaneClassifier(3, term_penalty=2.0, solver=solver).fit(X, y)
    result = classifier.result_
    assert str(result.objective_status) == "optimal"
    assert len(classifier.card_.terms) < 3
    assert classifier.status_ == "heuristic"
    assert result.objective == pytest.approx(classifier.loss_ + 2.0 * len(classifier.card_.terms))
    assert audit_card(classifier, X, y).passed
    assert "proven not to be below" in classifier.card_.certificate.notes[1]


def test_a_gap_that_was_asked_for_is_enough(small, solver):
    classifier = LatticeCuttingPlaneClassifier(2, gap=0.5, solver=solver).fit(*small)
    assert classifier.status_ in ("gap_reached", "optimal")
    assert classifier.gap_ <= 0.5
    assert audit_card(classifier, *small).passed


def test_the_example_of_the_docs_runs(capsys):
    pytest.importorskip("highspy")
    (block,) = blocks("docs/baselines.md", "python")
    names: dict[str, object] = {}
    exec(block, names)
    assert names["proven"].status_ == "optimal"
    assert capsys.readouterr().out.count("True") == 3


def test_every_parameter_of_a_baseline_is_in_the_docs():
    page = (ROOT / "docs/baselines.md").read_text(encoding="utf-8")
    for classifier in ESTIMATORS:
        for name in classifier.get_params():
            assert name in page, f"{type(classifier).__name__}: {name}"
