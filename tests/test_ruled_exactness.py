"""The proof against the oracle on tables with missing values, special values and levels, under rules."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from oracle.enumerate_cards import enumerate_cards
from random_problems import random_labels, random_weights
from random_tables import SMALL, Size, random_ruled_problem
from raw_cards import Points, RawFeature, best_loss, points_and_terms
from riskcard.data.levels import Levels
from riskcard.data.table import Table
from riskcard.encoding.encode_rules import apply_rules
from riskcard.encoding.rank_table import rank_table
from riskcard.errors import ParameterError
from riskcard.problem.objective import violations_of_terms
from riskcard.problem.problem import Problem, make_problem
from riskcard.problem.result import SolveResult
from riskcard.rules.card_rules import CardRules, FeatureRule
from riskcard.rules.least_bins import LeastBins
from riskcard.search.shortlist import close_all_but, shortlist
from riskcard.search.solve import Options, solve
from test_exactness import check_proofs_cut_short, faults, faults_of_search

pytestmark = pytest.mark.slow

BLOCK = 30
NAN = float("nan")
#: More levels, more special values and more terms; few enough cards for a test.
WIDE = Size(
    most_rows=20,
    most_values=6,
    most_codes=3,
    max_terms=(2, 3, 4),
    most_term_sets=2500,
    most_cards=200_000,
)


def problems(first: int, size: Size = SMALL) -> list[tuple[int, Problem]]:
    """The problems of a block of seeds, without those that are refused."""
    found = [(seed, random_ruled_problem(seed, size=size)) for seed in range(first, first + BLOCK)]
    return [(seed, problem[0]) for seed, problem in found if problem is not None]


def is_refused(solver: Callable[[], SolveResult]) -> bool:
    try:
        solver()
    except ParameterError as error:
        return "keep" in str(error)
    return False


def faults_or_refusal(
    find_faults: Callable[[Problem, Options], list[str]], problem: Problem, options: Options
) -> list[str]:
    """Faults; where no card keeps all rules, both the solver and the oracle must say so."""
    try:
        return find_faults(problem, options)
    except ParameterError:
        says = {
            "the oracle": is_refused(lambda: enumerate_cards(problem)),
            "the solver": is_refused(lambda: solve(problem, options)),
        }
        return [f"only {who} has a card" for who, refuses in says.items() if not refuses]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "size"),
    [*((block * BLOCK, SMALL) for block in range(8)), (1000, WIDE), (1000 + BLOCK, WIDE)],
)
def test_the_certified_optimum_is_the_optimum_under_rules(first, size):
    wrong = {}
    for seed, problem in problems(first, size):
        options = Options(certify=True, random_state=seed)
        wrong[seed] = faults_or_refusal(faults, problem, options)
    assert {seed: found for seed, found in wrong.items() if found} == {}


@pytest.mark.parametrize("first", [block * BLOCK for block in range(4)])
def test_the_certified_optimum_is_that_of_a_shortlist_under_rules(first):
    wrong = {}
    for seed, problem in problems(first):
        short = problem.without(close_all_but(problem, shortlist(problem, 2 + seed % 5)))
        options = Options(certify=True, random_state=seed)
        wrong[seed] = faults_or_refusal(faults, short, options)
    assert {seed: found for seed, found in wrong.items() if found} == {}


@pytest.mark.slow
@pytest.mark.parametrize("block", range(3))
def test_the_search_alone_keeps_the_rules_and_is_never_below_the_optimum(block):
    wrong = {}
    for seed, problem in problems(3000 + block * BLOCK):
        options = Options(random_state=seed)
        wrong[seed] = faults_or_refusal(faults_of_search, problem, options)
    assert {seed: found for seed, found in wrong.items() if found} == {}


@pytest.mark.slow
def test_a_proof_under_rules_cut_short_still_has_a_valid_bound():
    for _, problem in problems(2000):
        if not is_refused(lambda p=problem: enumerate_cards(p)):
            check_proofs_cut_short(problem)


def test_threads_do_not_change_the_proof_under_rules():
    for seed, problem in problems(4000)[:10]:
        one, two = (
            solve(problem, Options(certify=True, random_state=seed, n_jobs=n_jobs))
            for n_jobs in (1, 2)
        )
        assert (one.solution, one.bound, one.nodes) == (two.solution, two.bound, two.nodes), seed


@pytest.mark.parametrize("scale", ["calibrated", 1.0])
def test_a_special_value_of_few_rows_is_told_apart_in_a_long_table(scale):
    # so long that the search looks at some of the cuts only
    rng = np.random.default_rng(0)
    values, labels = rng.normal(size=(5000, 1)), np.where(np.arange(5000) % 8, -1, 1)
    values[:12], labels[:12] = NAN, 1
    table = Table(values, ("x",), labels.astype(np.int8), np.ones(5000), (0, 1))
    data, _ = rank_table(table)
    result = solve(make_problem(data, max_terms=1, scale=scale), Options())
    assert (
        np.flatnonzero(data.codes[result.solution.features[0]] <= result.solution.cuts[0]).size
        == 12
    )


# --- against cards given by the points of raw values ------------------------------------

#: Values, how many of them (the last) are special; texts are levels.
KINDS_OF_VALUES: tuple[tuple[tuple[object, ...], int], ...] = (
    ((0.0, 1.0, 2.0), 0),
    ((0.0, 1.0, NAN), 1),
    ((0.0, 1.0, 2.0, 3.0, -9.0), 1),
    ((0.0, NAN), 1),
    ((0.0, -9.0, NAN), 2),
    ((0.0, 1.0, 2.0, -9.0, NAN), 2),
    ((-9.0, NAN), 2),
    ((0.0, 1.0, -9.0, -8.0, NAN), 3),
    ((0.0, -7.0, -8.0, -9.0), 3),
    (("a", "b"), 0),
    (("a", "b", "c"), 0),
    (("a", "b", "c", "d"), 0),
    (("a", "b", NAN), 0),
    (("a", "b", "c", NAN), 0),
)
#: Rules, and what crossing a cut may add by them where a term is worth at most 2 points.
RULES = (
    (FeatureRule(), (-2, 2)),
    (FeatureRule(points=(-1, 1)), (-1, 1)),
    (FeatureRule(points=(-1, 2)), (-1, 2)),
    (FeatureRule(direction="rises"), (0, 2)),
    (FeatureRule(direction="falls", points=(-1, 3)), (-1, 0)),
)


def raw_table(
    kinds: list[tuple[tuple[object, ...], int]], rules: list[int], seed: int
) -> tuple[list[RawFeature], Table, CardRules]:
    """Features of these kinds in which every value occurs, as raw values and as a table with rules."""
    rng = np.random.default_rng(seed)
    n_rows = max(9, max(len(values) for values, _ in kinds))
    features, columns, all_levels, by_name = [], [], [], {}
    for feature, ((values, n_specials), number) in enumerate(zip(kinds, rules, strict=True)):
        some = rng.integers(len(values), size=n_rows - len(values))
        rows = rng.permutation([*range(len(values)), *some])
        is_nominal = isinstance(values[0], str)
        numbers = [float(i) if isinstance(v, str) else v for i, v in enumerate(values)]
        names = tuple(value for value in values if isinstance(value, str))
        rule, steps = RULES[number % 3 if is_nominal else number]
        features.append(RawFeature(len(values), n_specials, is_nominal, tuple(rows), steps))
        columns.append(np.array(numbers, dtype=float)[rows])
        all_levels.append(Levels(names) if is_nominal else None)
        codes = () if is_nominal else (-9.0, -8.0, -7.0)
        by_name[f"x{feature}"] = FeatureRule(rule.direction, rule.points, codes=codes)
    values = np.column_stack(columns)
    labels = random_labels(rng, np.nan_to_num(values, nan=1.5), "signal")
    weights = random_weights(rng, n_rows, "real")
    table = Table(values, tuple(by_name), labels, weights, (0, 1), tuple(all_levels))
    return features, table, CardRules(by_name)


def ruled(table: Table, rules: CardRules, max_terms: int, multiplier: float) -> Problem:
    data, _ = rank_table(table, rules=rules)
    problem = make_problem(data, max_terms, max_points=2, scale=multiplier)
    return apply_rules(problem, table.names, table.levels, rules, LeastBins())


def points_of_allowed_cards(problem: Problem) -> set[Points]:
    """The points of the rows under every card that the referee allows, the lowest 0."""
    data, found = problem.data, set()
    conditions = [(v, cut) for v in range(data.n_columns) for cut in range(int(data.n_cuts[v]))]
    for size in range(problem.limits.max_terms + 1):
        for chosen in itertools.combinations(conditions, size):
            if violations_of_terms(chosen, problem):
                continue
            spans = [range(problem.jump_low[v], problem.jump_high[v] + 1) for v, _ in chosen]
            for jumps in itertools.product(*spans):
                if 0 in jumps:
                    continue
                points = np.zeros(data.n_rows, dtype=int)
                for (v, cut), jump in zip(chosen, jumps, strict=True):
                    points += jump * (data.codes[v] <= cut)
                found.add(tuple((points - points.min()).tolist()))
    return found


@pytest.mark.parametrize("kind", KINDS_OF_VALUES, ids=str)
def test_cards_on_one_feature_are_known_by_the_points_of_its_values(kind):
    for number in range(len(RULES)):
        [feature], table, rules = raw_table([kind], [number], seed=number)
        for max_terms in (1, 2, 3):
            wanted = points_and_terms(feature, max_terms)
            by_row = {tuple(points[value] for value in feature.rows) for points in wanted}
            assert points_of_allowed_cards(ruled(table, rules, max_terms, 1.0)) == by_row


@pytest.mark.parametrize("max_terms", [1, 2])
def test_the_optimum_is_that_of_all_points_of_raw_values(max_terms):
    rng = np.random.default_rng(max_terms)
    for seed in range(30):
        kinds = [KINDS_OF_VALUES[i] for i in rng.integers(len(KINDS_OF_VALUES), size=2)]
        numbers = rng.integers(len(RULES), size=2).tolist()
        multiplier = float(rng.choice([0.7, 1.0, 2.5]))
        features, table, rules = raw_table(kinds, numbers, seed)
        wanted = best_loss(features, table.labels, table.weights, max_terms, multiplier)
        found = enumerate_cards(ruled(table, rules, max_terms, multiplier)).loss
        assert found == pytest.approx(wanted, rel=1e-9), (seed, kinds)
