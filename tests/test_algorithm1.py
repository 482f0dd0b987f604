"""Algorithm 1 rounds as the paper says, its cards pass referee and audit, its relaxation is blind."""

from __future__ import annotations

import numpy as np
import pytest
from tests.random_problems import random_labels, random_values, random_weights

from riskcard.audit.audit import audit_card
from riskcard.data.table import Table, make_table
from riskcard.encoding.decode_solution import Layout, card_from_solution
from riskcard.encoding.write_certificate import certificate_of
from riskcard.errors import ParameterError
from riskcard.paper.algorithm1 import (
    nearest_integer,
    round_relaxation,
    run_algorithm1,
    uninformative_point,
)
from riskcard.paper.formulations import linear
from riskcard.paper.formulations.evaluate import objective_at, violation_at
from riskcard.paper.formulations.instance import Instance, make_instance
from riskcard.paper.solvers.answer import SolverOptions
from riskcard.paper.synthetic_data import paper_data
from riskcard.problem.objective import loss_of, violations
from riskcard.problem.solution import Solution
from riskcard.rules.card_rules import CardRules
from riskcard.rules.least_bins import LeastBins
from riskcard.status import Status


def paper_instance(n_rows: int, n_features: int, k: int | None = None) -> Instance:
    data = paper_data(n_rows, n_features)
    return make_instance(make_table(data.X, data.y), k)


def random_instance(seed: int, k: int | None = None) -> Instance:
    rng = np.random.default_rng(seed)
    kind = ("random", "signal", "separable", "constant")[seed % 4]
    values = random_values(rng, kind) * 10.0 - 3.0
    labels = random_labels(rng, values, kind)
    weights = random_weights(rng, len(values), ("equal", "real")[seed % 2])
    names = tuple(f"x{j}" for j in range(values.shape[1]))
    return make_instance(Table(values, names, labels, weights, (0, 1)), k)


def point_of(model, **parts: object) -> np.ndarray:
    """A point of the relaxation from the parts that the rounding looks at."""
    values = np.zeros(model.n_variables)
    for name, part in parts.items():
        block = model.block(name)
        values[block.start : block.start + block.size] = part
    return values


@pytest.fixture
def three_features() -> tuple[Instance, object]:
    x = np.array([[1.0, 1, 1], [2, 2, 2], [3, 3, 3], [4, 4, 4]])
    instance = make_instance(make_table(x, [0, 0, 1, 1]), k=2)
    return instance, linear.build(instance, "paper")


# --- the rounding -------------------------------------------------------------------------------


def test_the_first_k_features_by_alpha_are_used(three_features):
    instance, model = three_features
    point = point_of(
        model,
        w0=0.6,
        alpha=[0.2, 0.9, 0.5],
        w_below=[5, 1.4, -2.6],
        w_above=[0, -1.5, 0],
        t=[2.5, 2.5, 3.0],
    )
    card = round_relaxation(model, instance, point)
    # feature 1: 1 and -2 points, cut between 2 and 3; feature 2: -3 and 0 points, 3 is below its cut
    assert card == Solution.of([(1, 1, 3), (2, 2, -3)], base=1 - 2)


def test_of_equal_alphas_the_first_features_are_used(three_features):
    instance, model = three_features
    point = point_of(model, alpha=[0.4, 0.4 + 1e-12, 0.4], w_below=[3, 2, 1], t=[2.5] * 3)
    assert round_relaxation(model, instance, point) == Solution.of([(0, 1, 3), (1, 1, 2)])


def test_the_selection_stops_at_an_alpha_of_zero(three_features):
    instance, model = three_features
    point = point_of(model, alpha=[1e-9, 0.0, 0.7], w_below=[3, 2, 1], t=[2.5] * 3)
    assert round_relaxation(model, instance, point) == Solution.of([(2, 1, 1)])


@pytest.mark.parametrize(
    ("value", "nearest"), [(0.49, 0), (0.5, 1), (-0.5, -1), (2.5, 3), (-2.5, -3), (-0.2, 0)]
)
def test_halves_are_rounded_away_from_zero(value, nearest):
    assert nearest_integer(value) == nearest


def test_the_published_rounding_takes_weights_below_zero_down_and_nothing_else(three_features):
    instance, model = three_features
    point = point_of(
        model,
        w0=-1.4,
        alpha=[0.9, 0.8, 0.1],
        w_below=[0.4, -0.2, 0],
        w_above=[-0.1, 0.6, 0],
        t=[2.5, 2.5, 2.5],
    )
    card = round_relaxation(model, instance, point, "published")
    # feature 0: 0 and -1 points, feature 1: -1 and 1 points; the base stays at its nearest integer
    assert card == Solution.of([(0, 1, 1), (1, 1, -2)], base=-1 - 1 + 1)


@pytest.mark.parametrize(("t", "base"), [(0.5, -2), (4.0, 3), (9.0, 3)])
def test_a_threshold_with_all_rows_on_one_side_goes_to_the_base(three_features, t, base):
    instance, model = three_features
    point = point_of(model, alpha=[1, 0, 0], w_below=[3, 0, 0], w_above=[-2, 0, 0], t=[t, 2, 2])
    assert round_relaxation(model, instance, point) == Solution.of([], base=base)


@pytest.mark.parametrize("seed", range(8))
def test_any_point_gives_a_card_within_the_limits_that_scores_as_the_rounding_says(seed):
    instance = random_instance(seed, k=2)
    model = linear.build(instance, "paper")
    rng = np.random.default_rng(seed)
    p = instance.x.shape[1]
    low, high = instance.x.min(axis=0), instance.x.max(axis=0)
    part = {
        "w0": rng.normal(scale=3),
        "alpha": rng.random(p),
        "w_below": rng.uniform(-5, 5, p),
        "w_above": rng.uniform(-5, 5, p),
        "t": rng.uniform(low, high),
    }
    card = round_relaxation(model, instance, point_of(model, **part))
    assert violations(card, instance.problem) == []
    used = np.argsort(-part["alpha"], kind="stable")[:2]
    scores = np.full(len(instance.x), nearest_integer(part["w0"]))
    for j in used:
        sides = nearest_integer(part["w_below"][j]), nearest_integer(part["w_above"][j])
        scores += np.where(instance.x[:, j] <= part["t"][j], *sides)
    loss = np.sum(instance.table.weights * np.logaddexp(0, -instance.y * scores))
    assert loss_of(card, instance.problem) == pytest.approx(loss)


# --- with ipopt ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_the_card_is_feasible_and_passes_the_audit(seed):
    pytest.importorskip("casadi")
    instance = random_instance(seed, k=2)
    table = instance.table
    result = run_algorithm1(instance).result
    assert violations(result.solution, instance.problem) == []
    assert result.loss == loss_of(result.solution, instance.problem)
    assert result.status is Status.HEURISTIC
    assert result.bound == 0
    data = instance.problem.data
    layout = Layout(table, data, instance.grid, CardRules(), LeastBins())
    certificate = certificate_of(result, instance.problem, layout, result.loss)
    scale, details = instance.problem.scale, {"certificate": certificate}
    card = card_from_solution(result.solution, layout, scale, details)
    y = np.where(table.labels == 1, *reversed(table.classes))
    report = audit_card(card, table.values, y, table.weights)
    assert report.passed, [str(check) for check in report.failures]


@pytest.mark.parametrize("rounding", ["nearest", "published"])
@pytest.mark.parametrize(("n_rows", "published"), [(200, 81.65), (1000, 412.26)])
def test_one_feature_of_the_paper_gives_the_published_loss(n_rows, published, rounding):
    pytest.importorskip("casadi")
    result = run_algorithm1(paper_instance(n_rows, 1), rounding=rounding).result
    assert result.loss == pytest.approx(published, abs=0.01)


@pytest.mark.parametrize(
    ("n_features", "k", "published"),
    [
        (2, 2, 43.34),
        (3, 3, 72.44),
        (5, 1, 124.76),
        (5, 2, 105.58),
        (5, 3, 92.29),
        (5, 4, 95.57),
        (5, 5, 109.11),
    ],
)
def test_the_published_losses_come_out_with_negative_weights_rounded_down(n_features, k, published):
    pytest.importorskip("casadi")
    result = run_algorithm1(paper_instance(200, n_features, k), rounding="published").result
    assert result.loss == pytest.approx(published, abs=0.01)  # the paper cuts digits off


def test_four_features_give_the_published_loss_with_the_nearest_integers_only():
    pytest.importorskip("casadi")
    instance = paper_instance(200, 4)
    assert run_algorithm1(instance).result.loss == pytest.approx(70.44, abs=0.01)
    assert run_algorithm1(instance, rounding="published").result.loss > 90


def test_a_rounding_that_does_not_exist_is_refused():
    with pytest.raises(ParameterError, match=r"rounding is 'up'\. Use 'nearest' or 'published'"):
        run_algorithm1(paper_instance(200, 1), rounding="up")


def test_without_time_there_is_still_a_card():
    pytest.importorskip("casadi")
    instance = paper_instance(200, 2)
    result = run_algorithm1(instance, SolverOptions(time_limit=0.0)).result
    assert violations(result.solution, instance.problem) == []
    assert result.loss == loss_of(result.solution, instance.problem)


# --- the relaxation says nothing about the data -------------------------------------------------


@pytest.mark.parametrize("n_features", [1, 2, 3])
def test_the_relaxation_separates_any_labels(n_features):
    rng = np.random.default_rng(n_features)
    x = rng.normal(size=(50, n_features)) * 7 + 3
    for y in (rng.random(50) < 0.5, x[:, 0] > 0):
        instance = make_instance(make_table(x, y))
        model = linear.build(instance, "paper")
        point = uninformative_point(model, instance)
        assert violation_at(model, point, is_relaxed=True)[0] < 1e-12
        loss = 50 * np.log1p(np.exp(-5 * n_features))
        assert objective_at(model, point) == pytest.approx(loss)


def test_the_value_of_the_relaxation_is_below_that_of_the_point_that_knows_no_data():
    pytest.importorskip("casadi")
    record = run_algorithm1(paper_instance(200, 2))
    assert record.relaxation.claim.ending == "optimal"
    assert record.relaxation.claim.objective <= 200 * np.log1p(np.exp(-10)) + 1e-6
