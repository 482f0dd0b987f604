"""Every form holds every card with its loss, and the exact linear form has the oracle's optimum."""

from __future__ import annotations

import itertools
import re
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp
from tests.random_problems import (
    KINDS_OF_DATA,
    KINDS_OF_WEIGHTS,
    random_labels,
    random_values,
    random_weights,
)

from oracle.enumerate_cards import enumerate_cards
from riskcard.data.table import Table, make_table
from riskcard.errors import DataError, ParameterError
from riskcard.paper.formulations import (
    bilinear,
    binary,
    linear,
    secants,
    strengthened,
)
from riskcard.paper.formulations.card_variables import solution_of, values_of
from riskcard.paper.formulations.evaluate import (
    count,
    describe,
    objective_at,
    scores_at,
    violation_at,
)
from riskcard.paper.formulations.forms import FORMS, form_of
from riskcard.paper.formulations.instance import Instance, make_instance
from riskcard.paper.formulations.mip_model import Model
from riskcard.paper.formulations.ranges import base_range, score_range, with_best_base
from riskcard.paper.formulations.secants import Secants, linearise
from riskcard.paper.formulations.strengthened import PLAIN, Strengthening
from riskcard.problem.objective import log_odds_of, loss_of, violations
from riskcard.problem.solution import Solution

pytestmark = pytest.mark.slow

SWITCHES = [field.name for field in fields(Strengthening)]
#: The linear form with one strengthening, and all strengthenings with one or more switched off.
STRENGTHENINGS = {
    "plain": PLAIN,
    **{f"only {name}": replace(PLAIN, **{name: True}) for name in SWITCHES if name != "hull"},
    "shared and ordered": replace(PLAIN, shared=True, ordered=True),
    "no hull": Strengthening(hull=False),
    "no hull or link": Strengthening(hull=False, linked=False),
    "no hull or order": Strengthening(hull=False, ordered=False),
    "no hull or sharing": Strengthening(hull=False, shared=False),
    "two weights": Strengthening(hull=False, one_jump=False),
    "free base": Strengthening(bounded_base=False),
    "all": Strengthening(),
}
BUILDERS = {
    "bilinear": bilinear.build,
    "bilinear, paper's ties": lambda instance: bilinear.build(instance, "paper"),
    "linear": linear.build,
    "linear, paper's ties": lambda instance: linear.build(instance, "paper"),
    **{
        f"strengthened, {name}": lambda instance, chosen=chosen: strengthened.build(
            instance, chosen
        )
        for name, chosen in STRENGTHENINGS.items()
    },
    "secants": lambda instance: secants.build(instance, None, Secants(tail=0.0)),
    "secants, thin": lambda instance: secants.build(instance, None, Secants(0.0, thin=True)),
    "secants, plain": lambda instance: secants.build(instance, PLAIN, Secants(tail=0.0)),
}
BINARY_BUILDERS = {
    "binary": binary.build,
    "reformulation": binary.build_reformulation,
    "reformulation, secants": lambda instance: linearise(
        binary.build_reformulation(instance), instance, Secants(tail=0.0)
    ),
}


def random_instance(seed: int, is_binary: bool = False) -> Instance:
    """Ties, weights, bounds that differ by feature and sign, values in no particular range."""
    rng = np.random.default_rng(seed)
    kind = KINDS_OF_DATA[seed % len(KINDS_OF_DATA)]
    values = random_values(rng, kind)
    if is_binary:
        values = (values > np.median(values, axis=0)).astype(float)
    labels = random_labels(rng, values, kind)
    weights = random_weights(rng, len(values), KINDS_OF_WEIGHTS[rng.integers(3)])
    n_features = values.shape[1]
    if not is_binary:
        values = values * rng.choice([0.01, 1.0, 300.0], n_features) + rng.normal(size=n_features)
    names = tuple(f"x{j}" for j in range(n_features))
    low, high = -rng.integers(0, 3, n_features), rng.integers(0, 3, n_features)
    high[0] = max(high[0], 1)
    k = int(rng.integers(1, n_features + 1))
    table = Table(values, names, labels, weights, (0, 1))
    return make_instance(table, k, low, high, is_one_sided=bool(rng.random() < 0.3))


def random_card(instance: Instance, rng: np.random.Generator) -> Solution:
    """A feasible card of the instance, with any base."""
    problem = instance.problem
    usable = np.flatnonzero(problem.data.n_cuts > 0)
    chosen = rng.permutation(usable)[: rng.integers(0, instance.k + 1)]
    terms = [
        (
            int(j),
            int(rng.integers(problem.data.n_cuts[j])),
            int(rng.integers(problem.jump_low[j], problem.jump_high[j] + 1)),
        )
        for j in chosen
    ]
    return Solution.of(terms, int(rng.integers(-4, 5)))


def solve(model: Model, is_relaxed: bool = False) -> tuple[float, np.ndarray]:
    """The optimum of a linear model, by HiGHS as scipy has it."""
    rows = model.constraints
    constraint = LinearConstraint(
        sparse.vstack([block.matrix for block in rows]),
        np.concatenate([block.lower for block in rows]),
        np.concatenate([block.upper for block in rows]),
    )
    blocks = model.variables
    bounds = Bounds(
        np.concatenate([block.lower.ravel() for block in blocks]),
        np.concatenate([block.upper.ravel() for block in blocks]),
    )
    is_whole = [np.full(block.size, block.kind != "continuous") for block in blocks]
    answer = milp(
        model.objective.coefficients,
        constraints=constraint,
        bounds=bounds,
        integrality=None if is_relaxed else np.concatenate(is_whole),
        options={"mip_rel_gap": 0.0},
    )
    assert answer.status == 0, answer.message
    return answer.fun + model.objective.constant, answer.x


# --- instances ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k is 0"),
        ({"k": 1.5}, "k is 1.5"),
        ({"k": True}, "k is True"),
        ({"low": 1}, "low is 1 for feature 'age'"),
        ({"high": [3, -1]}, "high is -1 for feature 'weight'"),
        ({"low": [-1, -1, -1]}, r"low has shape \(3,\) and the table 2 features"),
        ({"high": 2.5}, "high is 2.5. Use a whole number"),
        ({"low": "few"}, "low is 'few'"),
        ({"high": np.inf}, "high is inf"),
    ],
)
def test_an_instance_refuses_parameters_that_make_no_sense(options, message):
    table = make_table([[1.0, 2.0], [3.0, 4.0]], [0, 1], names=["age", "weight"])
    with pytest.raises(ParameterError, match=message):
        make_instance(table, **options)


def test_the_jump_is_the_difference_of_the_weights():
    table = make_table([[1.0, 2.0], [3.0, 4.0]], [0, 1])
    problem = make_instance(table, low=[-5, -1], high=[5, 3]).problem
    assert (problem.jump_low.tolist(), problem.jump_high.tolist()) == ([-10, -4], [10, 4])
    problem = make_instance(table, low=[-5, -1], high=[5, 3], is_one_sided=True).problem
    assert (problem.jump_low.tolist(), problem.jump_high.tolist()) == ([-5, -3], [5, 1])


# --- size ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("ties", ["library", "paper"])
@pytest.mark.parametrize(("n", "p"), [(2, 1), (7, 1), (10, 3), (25, 5)])
def test_the_linear_form_has_the_papers_size(n, p, ties):
    rng = np.random.default_rng(n)
    table = make_table(rng.random((n, p)), np.arange(n) % 2)
    size = count(linear.build(make_instance(table, k=1), ties))
    assert size.constraints == 1 + (2 + 9 * n) * p
    assert size.binaries == p * (1 + n)
    assert size.integers == 1 + 2 * p * (1 + n)
    assert size.continuous == p


def test_the_bilinear_form_has_the_products_and_not_the_inequalities():
    table = make_table(np.random.default_rng(0).random((10, 3)), np.arange(10) % 2)
    size = count(bilinear.build(make_instance(table)))
    assert (size.constraints, size.products) == (1 + (2 + 10) * 3, 2 * 10 * 3)
    assert (size.binaries, size.integers, size.continuous) == (3 * 11, 1 + 2 * 3, 3)


def test_the_binary_forms_differ_by_alpha():
    table = make_table(np.random.default_rng(0).integers(0, 2, (10, 3)), np.arange(10) % 2)
    instance = make_instance(table, k=2, is_one_sided=True)
    original, with_alpha = binary.build(instance), binary.build_reformulation(instance)
    assert (original.cardinality.most, original.cardinality.members.size) == (2, 3)
    assert with_alpha.cardinality is None
    assert (count(original).constraints, count(original).integers) == (0, 4)
    assert (count(with_alpha).constraints, count(with_alpha).binaries) == (1 + 3, 3)


def test_a_model_describes_itself():
    table = make_table([[0.1], [0.5], [0.9]], [0, 1, 1])
    text = describe(linear.build(make_instance(table)))
    assert "beta_above     integer            3 x 1   in -5 .. 5" in text
    assert "total: 4 binaries, 9 integers, 1 continuous, 30 constraints (32 rows" in text
    text = describe(binary.build(make_instance(make_table([[0], [1]], [0, 1]))))
    assert "at most 1 of 1 differ from 0" in text


def test_the_example_of_the_docs_runs(capsys):
    page = Path(__file__).parents[1] / "docs" / "formulations.md"
    (example,) = re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
    exec(example, {})
    assert "beta_below by weight" in capsys.readouterr().out


# --- cards in models ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*BUILDERS, *BINARY_BUILDERS])
def test_every_card_is_feasible_with_its_loss_and_is_read_back(name):
    for seed in range(12):
        instance = random_instance(seed, is_binary=name in BINARY_BUILDERS)
        model = (BUILDERS | BINARY_BUILDERS)[name](instance)
        rng = np.random.default_rng(seed)
        for _ in range(5):
            card = random_card(instance, rng)
            if "secants" in name or name not in ("bilinear", "linear", *BINARY_BUILDERS):
                card = with_best_base(instance, card)
            values = values_of(model, instance, card)
            assert violation_at(model, values)[0] <= 1e-9, (seed, violation_at(model, values))
            assert objective_at(model, values) == pytest.approx(
                loss_of(card, instance.problem), rel=1e-9, abs=1e-12
            )
            assert solution_of(model, instance, values) == card


@pytest.mark.parametrize("name", list(BUILDERS))
def test_a_card_is_read_back_despite_a_solvers_tolerance(name):
    for seed in range(6):
        instance = random_instance(seed)
        model = BUILDERS[name](instance)
        rng = np.random.default_rng(seed)
        card = with_best_base(instance, random_card(instance, rng))
        values = values_of(model, instance, card)
        noisy = values + rng.uniform(-1e-6, 1e-6, values.size)
        if model.has("t"):  # exactly on the value below the cut, and a little too low
            block = model.block("t")
            for j, cut, _ in card.terms:
                noisy[block.start + j] = np.nextafter(instance.grid.gaps[j].ends(cut)[0], -np.inf)
        assert solution_of(model, instance, noisy) == card


def test_points_of_a_feature_with_all_rows_on_one_side_go_to_the_base():
    instance = make_instance(make_table([[0.1], [0.5], [0.9]], [0, 1, 1]))
    model = linear.build(instance)
    values = values_of(model, instance, Solution.of([(0, 1, 4)], base=1))
    for name in ("b", "beta_below", "beta_above"):
        block = model.block(name)
        whole = {"b": 1.0, "beta_below": 2.0, "beta_above": 0.0}[name]
        values[block.start : block.start + block.size] = whole
    values[model.block("t").start] = 0.9
    assert violation_at(model, values)[0] <= 1e-12
    read = solution_of(model, instance, values)
    assert read == Solution.of([], base=5)
    assert objective_at(model, values) == pytest.approx(loss_of(read, instance.problem))


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_constant_binary_feature_gives_its_points_to_all_or_to_none(value):
    x = np.column_stack([np.full(4, value), [0, 1, 0, 1]])
    instance = make_instance(make_table(x, [0, 1, 1, 0]), is_one_sided=True)
    model = binary.build_reformulation(instance)
    values = np.zeros(model.n_variables)
    values[model.block("alpha").start + np.arange(2)] = 1.0
    values[model.block("w").start + np.arange(2)] = [3.0, -2.0]
    read = solution_of(model, instance, values)
    assert (
        log_odds_of(read, instance.problem.data.codes).tolist() == scores_at(model, values).tolist()
    )
    assert not violations(read, instance.problem)


def test_a_card_out_of_range_is_refused():
    instance = make_instance(make_table([[0.1], [0.5], [0.9]], [0, 1, 1]))
    card = Solution.of([], base=400)
    for build, start in ((secants.build, "has a score"), (strengthened.build, "has the base 400")):
        with pytest.raises(ParameterError, match=f"{start}.* outside the range of the model"):
            values_of(build(instance), instance, card)
    free = linear.build(instance)
    assert violation_at(free, values_of(free, instance, card))[0] == 0
    two_cuts = Solution.of([(0, 0, 1), (0, 1, 1)])
    with pytest.raises(ParameterError, match="not feasible: 2 terms, 1 allowed"):
        values_of(linear.build(instance), instance, two_cuts)


# --- bilinear and linear ------------------------------------------------------------------------


def feasible_bilinear_points(model: Model, instance: Instance, ties: str):
    """All integer points of a tiny instance with one feature, t at values and between them."""
    x = instance.x[:, 0]
    distinct = np.unique(x)
    thresholds = np.concatenate([distinct, (distinct[1:] + distinct[:-1]) / 2])
    values = np.zeros(model.n_variables)
    start = {block.name: block.start for block in model.variables}
    weights = range(int(instance.low[0]), int(instance.high[0]) + 1)
    for t, below, above, w0 in itertools.product(thresholds, weights, weights, (-1, 0, 2)):
        for b in itertools.product((0, 1), repeat=x.size):
            values[start["alpha"]] = 1
            values[start["w0"]], values[start["t"]] = w0, t
            values[start["w_below"]], values[start["w_above"]] = below, above
            values[start["b"] : start["b"] + x.size] = b
            if violation_at(model, values)[0] <= 1e-12:
                yield values.copy()


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["library", "paper"])
def test_bilinear_and_linear_form_agree_at_every_feasible_point(ties):
    table = make_table([[3.0], [5.0], [5.0], [9.0]], [0, 1, 0, 1], sample_weight=[1, 2, 3, 0.5])
    instance = make_instance(table, low=-1, high=2)
    product_form, linear_form = bilinear.build(instance, ties), linear.build(instance, ties)
    points = 0
    for values in feasible_bilinear_points(product_form, instance, ties):
        b = values[product_form.block("b").start :][:4]
        below = values[product_form.block("w_below").start] * b
        above = values[product_form.block("w_above").start] * (1 - b)
        both = np.concatenate([values, below, above])
        assert violation_at(linear_form, both)[0] <= 1e-12
        assert objective_at(linear_form, both) == objective_at(product_form, values)
        # no other products are feasible, so that the linear form has no further points
        for q in range(values.size, both.size):
            for change in (-0.5, 0.5):
                other = both.copy()
                other[q] += change
                assert violation_at(linear_form, other, is_relaxed=True)[0] >= 0.5
        points += 1
    assert points >= 4 * 4 * 3 * 5


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_bilinear_and_linear_scores_agree_at_random_points(seed, is_paper):
    instance = random_instance(seed)
    ties = "paper" if is_paper else "library"
    product_form, linear_form = bilinear.build(instance, ties), linear.build(instance, ties)
    card = random_card(instance, np.random.default_rng(seed))
    left = values_of(product_form, instance, card)
    right = values_of(linear_form, instance, card)
    assert violation_at(product_form, left)[0] <= 1e-9
    assert violation_at(linear_form, right)[0] <= 1e-9
    assert scores_at(product_form, left).tolist() == scores_at(linear_form, right).tolist()


# --- ties ---------------------------------------------------------------------------------------


def test_only_the_papers_rule_lets_equal_values_be_on_different_sides():
    instance = make_instance(make_table([[1.0], [2.0], [2.0], [3.0]], [1, 1, 0, 0]), high=5)
    for ties, is_allowed in (("paper", True), ("library", False)):
        model = linear.build(instance, ties)
        values = np.zeros(model.n_variables)
        parts = {"alpha": [1], "t": [2.0], "w_below": [5], "w_above": [-5], "b": [1, 1, 0, 0]}
        parts |= {"beta_below": [5, 5, 0, 0], "beta_above": [0, 0, -5, -5]}
        for name, part in parts.items():
            start = model.block(name).start
            values[start : start + len(part)] = part
        assert (violation_at(model, values)[0] <= 1e-12) is is_allowed
        # no card tells the two rows apart: the point is better than every card
        assert objective_at(model, values) < 0.1 < enumerate_cards(instance.problem).loss


def test_at_the_threshold_the_librarys_rule_leaves_one_side():
    instance = make_instance(make_table([[1.0], [2.0], [4.0]], [1, 1, 0]))
    model = bilinear.build(instance)
    card = Solution.of([(0, 1, 3)])
    values = values_of(model, instance, card)
    for t in (2.0, 2.5, 3.0):
        values[model.block("t").start] = t
        assert violation_at(model, values)[0] == 0
    values[model.block("t").start] = 2.0
    values[model.block("b").start + 1] = 0  # 2 <= t, yet above
    assert violation_at(model, values)[0] > 0
    with pytest.raises(ParameterError, match="ties is 'either'"):
        bilinear.build(instance, "either")


# --- ranges -------------------------------------------------------------------------------------


def test_the_best_base_and_the_scores_are_within_their_ranges():
    for seed in range(30):
        instance = random_instance(seed)
        low, high = base_range(instance)
        lowest, highest = score_range(instance)
        rng = np.random.default_rng(seed)
        for _ in range(5):
            card = random_card(instance, rng)
            by_loss = {
                base: loss_of(Solution.of(card.terms, base), instance.problem)
                for base in range(low - 30, high + 31)
            }
            best = with_best_base(instance, card)
            assert by_loss[best.base] == min(by_loss.values())
            scores = log_odds_of(best, instance.problem.data.codes)
            assert lowest <= scores.min() <= scores.max() <= highest


def test_with_two_weights_the_base_is_bounded_and_not_w0():
    instance = make_instance(make_table([[0.1], [0.5], [0.9]], [0, 1, 1]))
    model = strengthened.build(instance, Strengthening(hull=False, one_jump=False))
    low, high = base_range(instance)
    for jump, base, is_inside in (
        (10, high, True),
        (-10, low, True),
        (10, high + 1, False),
        (-10, low - 1, False),
    ):
        values = values_of(model, instance, Solution.of([(0, 0, jump)], base))
        assert not low <= values[model.block("w0").start] <= high
        assert (violation_at(model, values)[0] == 0) is is_inside


# --- optima -------------------------------------------------------------------------------------


def check_optimum(model: Model, instance: Instance, optimum: float) -> None:
    found, values = solve(model)
    card = solution_of(model, instance, values)
    assert not violations(card, instance.problem)
    assert found == pytest.approx(optimum, rel=1e-5, abs=1e-5)
    assert loss_of(card, instance.problem) == pytest.approx(optimum, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("seed", range(30))
def test_the_optimum_with_secants_is_the_oracles(seed):
    instance = random_instance(seed)
    check_optimum(secants.build(instance), instance, enumerate_cards(instance.problem).loss)


@pytest.mark.parametrize("name", list(STRENGTHENINGS))
def test_each_strengthening_keeps_an_optimum(name):
    for seed in (1, 2, 4, 10, 11):
        instance = random_instance(seed)
        model = secants.build(instance, STRENGTHENINGS[name])
        check_optimum(model, instance, enumerate_cards(instance.problem).loss)


@pytest.mark.parametrize("seed", range(6))
def test_thin_secants_and_a_cutoff_keep_an_optimum(seed):
    instance = random_instance(seed)
    optimum = enumerate_cards(instance.problem).loss
    for chosen in (Secants(thin=True), Secants(cutoff=optimum), Secants(0.0, True, optimum)):
        check_optimum(secants.build(instance, None, chosen), instance, optimum)


@pytest.mark.parametrize("seed", range(6))
def test_the_binary_forms_have_the_oracles_optimum(seed):
    instance = random_instance(seed, is_binary=True)
    model = linearise(binary.build_reformulation(instance), instance)
    check_optimum(model, instance, enumerate_cards(instance.problem).loss)


# --- secants ------------------------------------------------------------------------------------


def test_the_tail_understates_by_no_more_than_it_says():
    instance = make_instance(make_table([[0.1], [0.5], [0.9]], [0, 1, 1], sample_weight=[1, 2, 9]))
    for tail in (1e-9, 1e-3, 0.5):
        model = secants.build(instance, None, Secants(tail))
        for jump in range(-10, 11):
            card = with_best_base(instance, Solution.of([(0, 0, jump)]))
            shortfall = loss_of(card, instance.problem) - objective_at(
                model, values_of(model, instance, card)
            )
            assert -1e-12 <= shortfall <= tail + 1e-12


def test_the_objective_with_secants_is_no_difference_of_large_numbers():
    instance = random_instance(7)
    model = secants.build(instance)
    assert model.objective.coefficients.min() >= 0
    assert 0 <= model.objective.constant <= enumerate_cards(instance.problem).loss


def test_equal_rows_of_both_labels_are_one_score():
    x, y = [[1.0], [1.0], [2.0], [2.0], [2.0]], [0, 1, 1, 1, 0]
    model = secants.build(make_instance(make_table(x, y)))
    scores = next(rows for rows in model.constraints if rows.name == "score in pieces")
    assert scores.lower.size == 2


def test_secants_refuse_what_they_cannot_be_exact_for():
    instance = make_instance(make_table([[0.1], [0.5], [0.5]], [0, 1, 0]))
    with pytest.raises(ParameterError, match="no log-loss of linear scores"):
        linearise(bilinear.build(instance), instance)
    with pytest.raises(ParameterError, match="no card is as good as that"):
        secants.build(instance, None, Secants(cutoff=0.01))
    with pytest.raises(ParameterError, match="tail is -1"):
        Secants(tail=-1)
    with pytest.raises(ParameterError, match="cutoff is 0"):
        Secants(cutoff=0)


# --- relaxations --------------------------------------------------------------------------------


def weak_point(model: Model, instance: Instance) -> np.ndarray:
    """No weight, no feature, b = 1/2: and each row has 5 p points in its own favour."""
    values = np.zeros(model.n_variables)
    half = 2.5 * instance.y[:, None] * np.ones(instance.x.shape)
    middle = (instance.x.min(axis=0) + instance.x.max(axis=0)) / 2
    parts = {"b": np.full(instance.x.shape, 0.5), "t": middle}
    for name, part in (parts | {"beta_below": half, "beta_above": half}).items():
        start = model.block(name).start
        values[start : start + part.size] = part.ravel()
    return values


@pytest.mark.parametrize("seed", range(4))
def test_the_relaxed_linear_form_knows_nothing_of_the_data(seed):
    rng = np.random.default_rng(seed)
    n, p = 12, 1 + seed % 3
    table = make_table(300 * rng.random((n, p)) - 7, rng.permutation(np.arange(n) % 2))
    instance = make_instance(table)
    model = linear.build(instance, ties="paper")
    values = weak_point(model, instance)
    assert violation_at(model, values, is_relaxed=True)[0] <= 1e-9
    weak = n * np.log1p(np.exp(-5 * p))
    assert objective_at(model, values) == pytest.approx(weak)
    # with beta bounded by alpha the point is gone, by the whole of its products
    linked = strengthened.build(instance, replace(PLAIN, linked=True))
    link = [rows for rows in linked.constraints if rows.name.startswith("beta_below within")]
    only_link = replace(linked, constraints=tuple(link))
    gone = violation_at(only_link, weak_point(linked, instance), is_relaxed=True)
    assert gone == (2.5, "beta_below within alpha")
    # and all strengthenings together leave nothing as good
    bound, _ = solve(secants.build(instance, None, Secants(tail=0.0)), is_relaxed=True)
    assert bound > 2 * weak
    assert bound <= enumerate_cards(make_instance(table, k=1).problem).loss + 1e-6


def test_no_strengthening_lowers_the_root_bound():
    rng = np.random.default_rng(3)
    x = np.round(rng.random((14, 2)), 1)
    instance = make_instance(make_table(x, rng.permutation(np.arange(14) % 2)), low=-2, high=2)

    def bound(chosen: Strengthening) -> float:
        return solve(secants.build(instance, chosen), is_relaxed=True)[0]

    chosen = PLAIN
    bounds = [bound(chosen)]
    for name in ("bounded_base", "shared", "linked", "ordered", "one_jump", "hull"):
        chosen = replace(chosen, **{name: True})
        bounds.append(bound(chosen))
    assert all(right >= left - 1e-7 for left, right in itertools.pairwise(bounds))
    assert bounds[-1] > bounds[0] + 0.1
    assert bounds[-1] <= enumerate_cards(instance.problem).loss + 1e-7


def test_the_hull_needs_a_step_function():
    with pytest.raises(ParameterError, match="hull needs shared, ordered and one_jump"):
        Strengthening(ordered=False)


# --- the registry -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(FORMS))
def test_a_form_is_what_it_says(name):
    form = form_of(name)
    instance = random_instance(3, is_binary=form.data == "binary")
    model = form.build(instance)
    size = count(model)
    assert model.name == name
    assert (size.products > 0) is form.has_products
    assert (size.loss_rows > 0) is (form.objective == "log_loss")
    assert (model.cardinality is not None) is form.has_cardinality
    lower, upper = model.block("w0").lower[0], model.block("w0").upper[0]
    assert bool(np.isfinite([lower, upper]).all()) is form.bounds_base


def test_a_form_for_binary_data_refuses_other_data():
    table = make_table([[0, 0.5], [1, 0]], [0, 1], names=["a", "b"])
    for name in ("binary", "reformulation"):
        with pytest.raises(DataError, match=r"Feature 'b' is 0.5 in row 0"):
            form_of(name).build(make_instance(table))


def test_an_unknown_form_is_refused():
    with pytest.raises(ParameterError, match=r"There is no form 'cubic'. Use one of binary"):
        form_of("cubic")


def test_too_many_weights_break_the_cardinality():
    table = make_table([[0, 1], [1, 0]], [0, 1])
    model = binary.build(make_instance(table, k=1))
    values = np.array([0.0, 1.0, 1.0])
    assert violation_at(model, values) == (1.0, "at most k features")
    with pytest.raises(TypeError, match="is linear and has no scores"):
        scores_at(secants.build(make_instance(table)), values)
