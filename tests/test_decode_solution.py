"""The printed card is the solver's card: it gives the same log-odds on raw rows."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache

import numpy as np
import pytest

from random_problems import SCALES
from random_tables import CODES, Size, random_ruled_problem
from riskcard import CardRules, FeaturePoints, FeatureRule, LevelPoints, RiskCard
from riskcard.data.levels import BOOLEAN, Levels
from riskcard.data.table import Table
from riskcard.encoding.decode_solution import Layout, card_from_solution, raw_columns
from riskcard.encoding.rank_table import rank_table
from riskcard.model.value_range import ValueRange
from riskcard.problem.objective import log_odds_of, violations_of_terms
from riskcard.problem.problem import Problem, Scale
from riskcard.problem.solution import Solution
from riskcard.rules.least_bins import LeastBins

NAN = float("nan")
MANY = 10**9
SIZE = Size(
    most_rows=30,
    most_values=6,
    most_codes=3,
    max_terms=(3, 4, 5),
    most_term_sets=MANY,
    most_cards=MANY,
)


def random_solution(problem: Problem, rng: np.random.Generator) -> Solution:
    """A card that the referee allows but for features that must be used, with any points."""
    data, chosen = problem.data, []
    terms = [(v, cut) for v in range(data.n_columns) for cut in range(int(data.n_cuts[v]))]
    for v, cut in rng.permutation(np.array(terms).reshape(-1, 2))[:25].tolist():
        wrong = violations_of_terms([*chosen, (v, cut)], problem)
        if not [fault for fault in wrong if "must be" not in fault] and problem.is_usable[v]:
            chosen.append((v, cut))
    jumps = [
        int(rng.integers(1, problem.jump_high[v] + 1)) * 2
        if problem.jump_high[v] > 0
        else -int(rng.integers(1, -problem.jump_low[v] + 1)) * 2
        for v, _ in chosen
    ]
    scale = problem.scale
    return Solution.of(
        [(v, cut, jump) for (v, cut), jump in zip(chosen, jumps, strict=True)],
        base=0 if scale.kind == "calibrated" else 2 * int(rng.integers(-3, 4)),
        multiplier=scale.multiplier if scale.kind == "fixed" else float(rng.uniform(0.5, 3)),
        offset=float(rng.normal()) if scale.kind == "calibrated" else 0.0,
    )


@cache
def random_cards() -> list[tuple[RiskCard, Problem, Table, Solution]]:
    """Cards of random solutions with the problem, the table and the solution that they are of."""
    found = []
    for seed in range(150):
        made = random_ruled_problem(seed, size=SIZE)
        if made is None:
            continue
        problem, table, grid, rules = made
        solution = random_solution(problem, np.random.default_rng(seed))
        layout = Layout(table, problem.data, grid, rules, LeastBins())
        card = card_from_solution(solution, layout, problem.scale)
        found.append((card, problem, table, solution))
    return found


def raw_rows(table: Table) -> dict[str, list]:
    """The rows as a user has them."""
    rows = {}
    for name, levels, values in zip(table.names, table.levels, table.values.T, strict=True):
        rows[name] = [
            None if math.isnan(value) else value if levels is None else levels.names[int(value)]
            for value in values.tolist()
        ]
    return rows


def log_odds(card: RiskCard, rows: dict) -> np.ndarray:
    return card.total_points(rows) / card.multiplier + card.offset


@pytest.mark.slow
@pytest.mark.filterwarnings("error")  # no row of the training table is a guess
def test_the_card_gives_the_log_odds_of_the_solution_on_raw_rows():
    kinds = Counter()
    for card, problem, table, solution in random_cards():
        wanted = log_odds_of(solution, problem.data.codes)
        for rows in (raw_rows(table), raw_columns(table, table.names)):
            np.testing.assert_allclose(log_odds(card, rows), wanted, rtol=1e-12, atol=1e-12)
        for feature in card.features:
            is_number = isinstance(feature, FeaturePoints)
            kinds["codes"] += is_number and bool(feature.codes)
            kinds["missing"] += feature.missing is not None
            kinds["ordered"] += not is_number and feature.is_ordered
            kinds["levels"] += not is_number and not feature.is_ordered
            kinds["several cuts"] += is_number and len(feature.cuts) > 1
    assert min(kinds.values()) > 20
    assert len(kinds) == 5


def test_the_lowest_points_of_a_feature_are_0():
    for card, problem, _, _ in random_cards():
        for feature in card.features:
            assert min(feature.possible_points) == 0
        assert (card.base == 0) or problem.scale.kind != "calibrated"
        assert (card.offset == 0) or problem.scale.kind == "calibrated"


def test_a_common_divisor_goes_into_a_scale_that_is_free():
    for card, problem, _, solution in random_cards():
        divisor = math.gcd(*solution.jumps, solution.base)
        if problem.scale.kind == "fixed" or not solution.jumps:
            assert card.multiplier == solution.multiplier
        else:
            assert divisor >= 2
            assert card.multiplier == solution.multiplier / divisor


def test_the_usual_bin_is_that_of_most_rows():
    for card, _, table, _ in random_cards():
        rows = raw_rows(table)
        for feature in card.features:
            places = [place_of(feature, value) for value in rows[feature.name]]
            counts = Counter(place for place in places if place is not None)
            most = max(counts.values(), default=0)
            assert counts[feature.usual] == most


def place_of(feature: FeaturePoints | LevelPoints, value: object) -> int | None:
    """The bin or group of a raw value; None for special ones."""
    if value is None:
        return None
    if isinstance(feature, LevelPoints):
        return next(i for i, group in enumerate(feature.groups) if value in group)
    if value in dict(feature.codes):
        return None
    return sum(value > cut for cut in feature.cuts)


def test_ordered_levels_keep_their_order_whether_they_occur_or_not():
    n_absent = 0
    for card, _, table, _ in random_cards():
        for feature in card.features:
            levels = table.levels[table.names.index(feature.name)]
            if not (isinstance(feature, LevelPoints) and feature.is_ordered):
                continue
            assert feature.levels == levels.names
            occurring = set(raw_rows(table)[feature.name])
            points = feature.points_of(list(levels.names)).tolist()
            for place, name in enumerate(levels.names):
                if name in occurring:
                    continue
                n_absent += 1
                beside = [
                    next((points[i] for i in places if levels.names[i] in occurring), None)
                    for places in (range(place, -1, -1), range(place, len(points)))
                ]
                assert points[place] in beside
    assert n_absent > 20


# --- single cases -------------------------------------------------------------------------------


def card_of_terms(
    table: Table, rules: CardRules, terms: list[tuple[int, int, int]], scale: Scale = SCALES[0]
) -> RiskCard:
    data, grid = rank_table(table, rules=rules)
    layout = Layout(table, data, grid, rules, LeastBins())
    return card_from_solution(Solution.of(terms), layout, scale)


def one_feature(values: list[float], levels: Levels | None = None) -> Table:
    labels = np.where(np.arange(len(values)) % 2, 1, -1).astype(np.int8)
    column = np.array(values, dtype=float)[:, None]
    return Table(column, ("x",), labels, np.ones(len(values)), (0, 1), (levels,))


def test_missing_and_codes_have_rows_of_their_own():
    table = one_feature([1, 2, 3, NAN, -9, -8, 2, 2])
    rules = CardRules({"x": FeatureRule(codes=[-9, -8, -7])})
    # the first column is -9, then -8 too, then missing too, then all of them and numbers
    terms = [(0, 0, 4), (0, 1, 1), (0, 4, 2)]
    [feature] = card_of_terms(table, rules, terms).features
    codes, seen = [(-9, 7), (-8, 3)], ValueRange(1, 3, is_whole=True)
    assert feature == FeaturePoints("x", [2], [2, 0], 2, codes, usual=0, training_range=seen)


def test_a_feature_without_a_single_number_has_one_bin():
    table = one_feature([-9, -9, NAN, -9])
    rules = CardRules({"x": FeatureRule(codes=[-9])})
    [feature] = card_of_terms(table, rules, [(0, 0, 2)]).features
    assert feature == FeaturePoints("x", [], [0], missing=0, codes=[(-9, 2)], usual=0)


def test_booleans_are_ordered_levels():
    [feature] = card_of_terms(one_feature([0, 1, 1], BOOLEAN), CardRules(), [(0, 0, -3)]).features
    assert feature == LevelPoints("x", [[False], [True]], [0, 3], usual=1, is_ordered=True)


def test_groups_of_levels_come_by_points_and_leave_missing_apart():
    table = one_feature([0, 0, 1, 2, NAN, NAN, NAN, 1], Levels(("a", "b", "c")))
    data, grid = rank_table(table)
    atoms = [list(own) for own in grid.groups[0].levels]
    place = {own[0]: atom for atom, own in enumerate(atoms)}
    wanted = {0: 3, 1: 0, 2: 3, -1: 5}
    by_atom = [wanted[own] for own in sorted(place, key=place.get)]
    # the points of each atom as a sum over the first chain, which takes one atom after another
    terms = [(0, cut, by_atom[cut] - by_atom[cut + 1]) for cut in range(len(by_atom) - 1)]
    [feature] = card_of_terms(table, CardRules(), terms).features
    assert feature == LevelPoints("x", [["b"], ["a", "c"]], [0, 3], missing=5, usual=1)
    assert data.n_cuts[0] == 3


def test_every_level_is_on_the_card_where_levels_were_merged():
    rng = np.random.default_rng(0)
    levels = Levels(tuple(f"level {i:02d}" for i in range(30)))
    table = one_feature([*range(30), *rng.integers(30, size=300).tolist(), NAN], levels)
    data, grid = rank_table(table)
    assert grid.merged == (0,)
    terms = [(0, cut, 1) for cut in range(int(data.n_cuts[0]))]
    card = card_of_terms(table, CardRules(), terms)
    assert sorted(card.features[0].levels) == sorted(levels.names)
    np.testing.assert_allclose(
        card.total_points(raw_rows(table)), log_odds_of(Solution.of(terms), data.codes)
    )


def test_the_codes_of_the_tables_are_below_all_numbers():
    assert max(CODES) < 0  # so that a code taken for a number would be in the lowest bin
