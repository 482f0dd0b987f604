"""Rules become restrictions that mean what the rules say; those that cannot hold are refused."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from riskcard import CardRules, FeatureGroup, FeatureRule, ParameterError, RiskCard
from riskcard.data.levels import BOOLEAN, Levels
from riskcard.data.table import Table
from riskcard.encoding.decode_solution import Layout, card_from_solution
from riskcard.encoding.encode_rules import apply_rules
from riskcard.encoding.rank_table import rank_table
from riskcard.problem.problem import Problem, make_problem
from riskcard.problem.solution import Solution
from riskcard.rules.least_bins import LeastBins
from riskcard.search.solve import Options, solve

NAN = float("nan")
ORDERED = Levels(("low", "medium", "high"), is_ordered=True)
SHAPE = Levels(("oval", "round", "spiked"))


def table_of(labels: list[int], levels: dict[str, Levels] | None = None, **columns: list) -> Table:
    known = levels or {}
    return Table(
        values=np.array(list(columns.values()), dtype=float).T,
        names=tuple(columns),
        labels=np.array(labels, dtype=np.int8),
        weights=np.ones(len(labels)),
        classes=(0, 1),
        levels=tuple(known.get(name) for name in columns),
    )


LABELS = [1, -1, 1, -1, 1, -1, -1, 1]
TABLE = table_of(
    LABELS,
    {"shape": SHAPE, "grade": ORDERED, "smoker": BOOLEAN},
    age=[30, 40, 50, 60, 70, 80, 35, 45],
    income=[1, 2, NAN, -9, 3, -9, NAN, 2],
    shape=[0, 1, 2, 0, 1, 2, 0, 1],
    grade=[0, 1, 2, 0, 1, 2, 2, 1],
    smoker=[0, 1, 1, 0, 1, 0, 1, 0],
    same=[7] * 8,
)


def ruled(
    rules: CardRules, table: Table = TABLE, least: LeastBins | None = None, **limits: object
) -> Problem:
    least = least or LeastBins()
    data, _ = rank_table(table, rules=rules, needs_atoms=True)
    problem = make_problem(data, **({"max_terms": 3, "max_points": 3} | limits))
    return apply_rules(problem, table.names, table.levels, rules, least)


def best_card(
    rules: CardRules, table: Table = TABLE, least: LeastBins | None = None, **limits: object
) -> RiskCard:
    problem = ruled(rules, table, least, **limits)
    _, grid = rank_table(table, rules=rules, needs_atoms=True)
    solution = solve(problem, Options(certify=True)).solution
    layout = Layout(table, problem.data, grid, rules, least or LeastBins())
    return card_from_solution(solution, layout, problem.scale)


def cards_of_one_term(rules: CardRules, table: Table, feature: str) -> list[RiskCard]:
    """A card for every allowed term on a feature, with a jump of one point."""
    problem = ruled(rules, table)
    data, low, high = problem.data, problem.jump_low, problem.jump_high
    _, grid = rank_table(table, rules=rules, needs_atoms=True)
    layout = Layout(table, data, grid, rules, LeastBins())
    return [
        card_from_solution(Solution.of([(column, cut, jump)]), layout, problem.scale)
        for column in np.flatnonzero(data.feature_of == table.names.index(feature)).tolist()
        for cut in range(int(data.n_cuts[column]))
        for jump in range(int(low[column]), int(high[column]) + 1)
        if abs(jump) == 1
    ]


# --- what is refused ----------------------------------------------------------------------------

MUST = FeatureRule(use="must")


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ({"aeg": MUST}, "The rules name 'aeg', but no feature has that name.*'age'"),
        ({"shape": FeatureRule(direction="rises")}, "'shape' has direction, but 'shape' is a cat"),
        ({"shape": FeatureRule(cuts=[1])}, "'shape' has cuts, but .* without an order"),
        ({"shape": FeatureRule(fixed_cuts=[1])}, "'shape' has fixed_cuts, .* ordered category or"),
        ({"shape": FeatureRule(codes=[1])}, "'shape' has codes, but 'shape' is a category"),
        ({"grade": FeatureRule(codes=[1])}, "'grade' has codes, but .* every level can have"),
        ({"smoker": FeatureRule(codes=[0])}, "'smoker' has codes, but 'smoker' is a category"),
        ({"age": FeatureRule(points=(2, 4))}, r"'age' are from 2 to 4: .* at least 2.*\(0, 4\)"),
        ({"age": FeatureRule(points=(-4, -3))}, r"from -4 to -3: .* at least 3.* use \(-4, 0\)"),
        ({"same": MUST}, "'same' must be used, but cannot be: it has the same value in all rows"),
        (
            {"age": FeatureRule(use="must", cuts=[5, 10, 99])},
            "'age' must be used, but cannot be: .*no allowed cut divides them",
        ),
        (
            dict.fromkeys(["age", "income", "shape", "grade"], MUST),
            "'age', 'income', 'shape', 'grade' must be used, but max_terms is 3. Raise it to 4",
        ),
    ],
)
def test_rules_that_do_not_fit_the_table_are_refused(features, message):
    with pytest.raises(ParameterError, match=message):
        ruled(CardRules(features))


def test_more_musts_than_features_are_refused():
    rules = CardRules({"age": MUST, "grade": MUST})
    with pytest.raises(ParameterError, match="'age', 'grade' must be used, but max_features is 1"):
        ruled(rules, max_features=1)


def test_a_must_whose_bins_are_all_too_small_is_refused():
    rules = CardRules({"smoker": MUST})
    ruled(rules, least=LeastBins(4, 2))
    message = "'smoker' must be used, but cannot be: no cut leaves 5 rows and 1 events"
    with pytest.raises(ParameterError, match=message):
        ruled(rules, least=LeastBins(5, 1))


def test_groups_name_features_of_the_table():
    with pytest.raises(ParameterError, match="The rules name 'scan', but no feature"):
        ruled(CardRules(groups=[FeatureGroup(["age", "scan"], 1)]))


# --- the smallest bins --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "events", "expected"),
    [
        (0, 0, (1, 0)),
        (3, 2, (3, 2)),
        (1, 1, (1, 1)),
        (1.0, 1.0, (1, 1)),
        (np.int64(4), np.float64(2.0), (4, 2)),
        (0.1, 0.25, (1, 1)),
        (0.25, 0.5, (2, 2)),
        (0.26, 0.51, (3, 3)),
        (0.001, 0.001, (1, 1)),
        (100, 50, (100, 50)),
    ],
)
def test_smallest_bins_are_counts_or_shares(rows, events, expected):
    rules = CardRules(min_bin_rows=rows, min_bin_events=events)
    least = LeastBins.of(rules, np.array(LABELS, dtype=np.int8))
    assert (least.rows, least.events) == expected


def test_a_share_is_not_raised_by_rounding():
    labels = np.array([1] * 10 + [-1] * 90, dtype=np.int8)
    rules = CardRules(min_bin_rows=0.07, min_bin_events=0.3)
    assert LeastBins.of(rules, labels) == LeastBins(7, 3)  # 100 * 0.07 is above 7


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (-1, "is -1. Use a whole number of at least 0, or a share"),
        (NAN, "is nan. Use a whole number of at least 0, or a share"),
        (math.inf, "is inf. Use a whole number of at least 0, or a share"),
        (True, "is True. Use a whole number of at least 0, or a share"),
        ("3", "is '3'. Use a whole number of at least 0, or a share"),
        (1.5, "is 1.5. Use a whole number of at least 0, or a share below 1"),
    ],
)
def test_least_bins_that_are_not_numbers_are_refused(value, message):
    with pytest.raises(ParameterError, match=f"min_bin_rows {message}"):
        CardRules(min_bin_rows=value)
    with pytest.raises(ParameterError, match=f"min_bin_events {message}"):
        CardRules(min_bin_events=value)


def test_bins_of_the_best_card_are_as_large_as_asked_for():
    age = np.arange(12.0)
    labels = [1, -1, -1, -1, 1, 1, -1, 1, 1, -1, 1, 1]
    table = table_of(labels, age=age.tolist())
    sizes = {}
    for least in (LeastBins(), LeastBins(4, 0), LeastBins(3, 2)):
        [feature] = best_card(CardRules(), table, least, scale=1.0).features
        bins = np.searchsorted(feature.cuts, age)
        rows, events = np.bincount(bins), np.bincount(bins[np.array(labels) > 0])
        assert rows.min() >= least.rows
        assert events.min() >= least.events
        sizes[least] = rows.min()
    assert sizes[LeastBins()] < 3  # so that the others mean something


# --- directions and points ----------------------------------------------------------------------


def kinds_of_columns(problem: Problem, feature: int) -> dict[str, list[int]]:
    """The columns of a feature that divide numbers, that divide special values, and both."""
    atoms, first = problem.data.atoms[feature], int(problem.data.first_columns[feature])
    kinds: dict[str, list[int]] = {"numbers": [], "specials": [], "both": []}
    for column, ids in enumerate(atoms.thresholds):
        kind = "numbers" if (ids >= 0).all() else "specials" if (ids < 0).all() else "both"
        kinds[kind].append(first + column)
    return kinds


@pytest.mark.parametrize(
    ("rule", "numbers", "either"),
    [
        (FeatureRule(codes=[-9], direction="rises"), (-3, 0), 3),
        (FeatureRule(codes=[-9], direction="falls"), (0, 3), 3),
        (FeatureRule(codes=[-9], direction="rises", points=(-3, 2)), (-2, 0), 2),
        (FeatureRule(codes=[-9], direction="falls", points=(-1, 2)), (0, 1), 1),
        (FeatureRule(codes=[-9], points=(-1, 2)), (-2, 1), 2),
        (FeatureRule(codes=[-9], points=(1, 2)), (-2, 0), 2),
        (FeatureRule(codes=[-9], points=(-9, -1)), (0, 3), 3),
        (FeatureRule(codes=[-9], points=(-9, 2)), (-2, 3), 3),
    ],
)
def test_a_direction_binds_numbers_and_leaves_special_values_free(rule, numbers, either):
    problem = ruled(CardRules({"income": rule}))
    kinds = kinds_of_columns(problem, TABLE.names.index("income"))
    assert len(kinds["numbers"]) == 4  # missing and -9, each below or above the cut
    assert problem.data.n_cuts[kinds["specials"]].sum() == 3  # either of them, or both
    for kind, (low, high) in (
        ("numbers", numbers),
        ("specials", (-either, either)),
        ("both", (0, 0)),
    ):
        assert set(problem.jump_low[kinds[kind]].tolist()) == {low}
        assert set(problem.jump_high[kinds[kind]].tolist()) == {high}


@pytest.mark.parametrize("direction", ["rises", "falls"])
def test_a_card_follows_its_direction_and_gives_missing_values_what_they_are_worth(direction):
    # the risk falls with the number; values that are missing have the highest, or the lowest
    values = [1, 1, 1, 2, 2, 2, 3, 3, 3, NAN, NAN, NAN]
    labels = [1, 1, 1, 1, -1, -1, -1, -1, -1, *([1] * 3 if direction == "rises" else [-1] * 3)]
    rules = CardRules({"x": FeatureRule(direction=direction)})
    card = best_card(rules, table_of(labels, x=values), scale=1.0)
    [feature] = card.features
    steps = [after - before for before, after in itertools.pairwise(feature.points)]
    if direction == "falls":
        assert steps
        assert max(steps) < 0
        assert feature.missing < min(feature.points)
    else:
        assert steps == []
        assert feature.missing > max(feature.points)


def test_the_best_card_keeps_a_direction_over_several_cuts():
    x = np.repeat(np.arange(6.0), 4)
    risk = np.array([0, 4, 1, 1, 4, 4])
    labels = np.where(np.tile(np.arange(4), 6) < np.repeat(risk, 4), 1, -1).tolist()
    table = table_of(labels, x=x.tolist())
    free = best_card(CardRules(), table, scale=1.0).features[0].points
    assert list(free) != sorted(free)
    rules = CardRules({"x": FeatureRule(direction="rises")})
    rising = best_card(rules, table, scale=1.0).features[0].points
    assert list(rising) == sorted(rising)
    assert len(rising) > 2


def test_points_of_a_rule_bind_each_cut():
    x, labels = [0, 0, 1, 1, 2, 2, 3, 3], [-1, -1, -1, -1, 1, 1, 1, 1]
    table = table_of(labels, x=x)
    for points, most in (((-3, 1), 1), ((0, 2), 2), ((-3, 3), 3)):
        rules = CardRules({"x": FeatureRule(points=points)})
        [feature] = best_card(rules, table, max_terms=1, scale=1.0).features
        assert feature.points == (0, most)
    rules = CardRules({"x": FeatureRule(points=(-3, 0), use="must")})
    [feature] = best_card(rules, table, max_terms=1, scale=1.0).features
    assert feature.points == (1, 0)


def test_points_of_a_rule_bind_each_term_on_levels():
    problem = ruled(CardRules({"shape": FeatureRule(points=(-2, 1))}))
    own = problem.data.feature_of == TABLE.names.index("shape")
    assert set(problem.jump_low[own].tolist()) == {-2}
    assert set(problem.jump_high[own].tolist()) == {2}


def test_a_feature_that_must_not_be_used_has_no_points():
    problem = ruled(CardRules({"income": FeatureRule(use="never", direction="rises")}))
    own = problem.data.feature_of == TABLE.names.index("income")
    assert not problem.is_usable[own].any()
    assert problem.is_usable[~own].sum() == (~own).sum() - 1  # but for the constant one


# --- cuts ---------------------------------------------------------------------------------------

AWKWARD = (-0.1, 1e-7, 0.1 + 0.2, 1 / 3, 2.675, 1e15 + 0.3, 1e300)


def awkward_table(*specials: float) -> Table:
    """Every cut has a value at it, and the next number above it."""
    beside = [(cut, float(np.nextafter(cut, math.inf))) for cut in AWKWARD]
    values = [*itertools.chain.from_iterable(beside), *specials]
    return table_of([1, -1] * (len(values) // 2) + [1] * (len(values) % 2), x=values)


@pytest.mark.parametrize("specials", [(), (NAN,), (-9.0, NAN)])
def test_allowed_cuts_are_printed_exactly_as_given(specials):
    rules = CardRules({"x": FeatureRule(cuts=AWKWARD, codes=[-9])})
    cards = cards_of_one_term(rules, awkward_table(*specials), "x")
    printed = {cut for card in cards for cut in card.features[0].cuts}
    assert printed == set(AWKWARD)


@pytest.mark.parametrize("specials", [(), (NAN,), (-9.0, NAN)])
def test_fixed_bins_are_all_shown_exactly_as_given(specials):
    rules = CardRules({"x": FeatureRule(fixed_cuts=(-5.0, *AWKWARD, 1e305), codes=[-9])})
    table = awkward_table(*specials)
    cards = cards_of_one_term(rules, table, "x")
    assert len(cards) > 7
    for card in cards:
        assert card.features[0].cuts == (-5.0, *AWKWARD, 1e305)
        # a bin without rows has the points of a neighbour
        assert card.features[0].points[0] == card.features[0].points[1]
        assert card.features[0].points[-1] == card.features[0].points[-2]


def test_of_allowed_cuts_with_nothing_between_them_one_is_kept():
    table = table_of([1, -1, 1, -1], x=[1, 2, 8, 9])
    rules = CardRules({"x": FeatureRule(cuts=[0, 1.5, 3, 4, 5, 8, 20])})
    cards = cards_of_one_term(rules, table, "x")
    assert {card.features[0].cuts for card in cards} == {(1.5,), (3.0,), (8.0,)}


def test_fixed_bins_count_as_cuts_only_where_points_change():
    x, labels = [0, 0, 1, 1, 2, 2, 3, 3], [-1, -1, -1, -1, 1, 1, 1, 1]
    rules = CardRules({"x": FeatureRule(fixed_cuts=[0.5, 1.5, 2.5])})
    [feature] = best_card(rules, table_of(labels, x=x), max_terms=1, scale=1.0).features
    assert (feature.cuts, feature.points) == ((0.5, 1.5, 2.5), (0, 0, 3, 3))


def test_the_fewest_cuts_of_rule_and_card_are_kept():
    rules = CardRules({"age": FeatureRule(max_cuts=1), "grade": FeatureRule(max_cuts=5)})
    most = ruled(rules, max_cuts_per_feature=2).restrictions.max_cuts
    assert (most[TABLE.names.index("age")], most[TABLE.names.index("grade")]) == (1, 2)


# --- the whole card -----------------------------------------------------------------------------


def names_of(card: RiskCard) -> set[str]:
    return {feature.name for feature in card.features}


#: Rows that x1 tells apart best, then x2, then x3.
LADDER = table_of(
    [1] * 8 + [-1] * 8,
    x1=[1] * 8 + [0] * 8,
    x2=[1] * 7 + [0] * 8 + [1],
    x3=[1] * 6 + [0] * 8 + [1] * 2,
)


@pytest.mark.parametrize(
    ("rules", "max_terms", "expected"),
    [
        (CardRules(), 1, {"x1"}),
        (CardRules({"x1": FeatureRule(use="never")}), 1, {"x2"}),
        (CardRules({"x3": MUST}), 1, {"x3"}),
        (CardRules({"x3": MUST}), 2, {"x1", "x3"}),
        (CardRules({"x2": MUST, "x3": MUST}), 2, {"x2", "x3"}),
        (CardRules({"x1": FeatureRule(cost=3)}, budget=2), 1, {"x2"}),
        (CardRules({"x1": FeatureRule(cost=0.1), "x2": FeatureRule(cost=0.2)}, budget=0.3), 2, 2),
        (CardRules({"x1": FeatureRule(cost=2), "x2": FeatureRule(cost=2)}, budget=3), 2, 2),
        (CardRules({"x1": FeatureRule(cost=0)}, budget=0), 1, {"x1"}),
        (CardRules({"x2": MUST}, [FeatureGroup(["x1", "x2"], 1)]), 2, {"x2", "x3"}),
        (CardRules({}, [FeatureGroup(["x1"], 1), FeatureGroup(["x2", "x3"], 1)]), 3, 2),
    ],
)
def test_the_best_card_keeps_the_rules_for_the_whole_card(rules, max_terms, expected):
    limits = {"max_terms": max_terms, "max_points": 1, "scale": 1.0}
    names = names_of(best_card(rules, LADDER, **limits))
    assert (len(names) if isinstance(expected, int) else names) == expected
    costs = sum(rules.rule_of(name).cost for name in names)
    assert rules.budget is None or costs <= rules.budget + 1e-12
    for group in rules.groups:
        assert len(names & set(group.features)) <= group.at_most
