"""A card scores rows as a person would, and says the same in all its forms."""

import math
import pickle
import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards import heart_card, mass_card, risk_cards, values_of
from optional import pa, pd, pl
from riskcard.data.table import Table
from riskcard.encoding.decode_solution import Layout, card_from_solution
from riskcard.encoding.rank_table import rank_table
from riskcard.errors import DataError, ParameterError, RiskcardWarning
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.model.terms import Term
from riskcard.problem.objective import log_odds_of
from riskcard.problem.problem import Scale
from riskcard.problem.solution import Solution
from riskcard.rules.card_rules import CardRules
from riskcard.rules.least_bins import LeastBins

ROWS = [[1.8, 0.125, 60.0], [1.7, 0.2, 60.5], [1.6, -3.0, 75.0], [1.5, 0.1, 75.1]]
TOTALS = [-1 + 5 + 0, -1 + 0 + 2, -1 + 5 + 2, -1 + 5 + 3]


def points_by_hand(feature: FeaturePoints | LevelPoints, value) -> int:
    if value is None:
        return feature.missing
    if isinstance(feature, LevelPoints):
        for group, points in zip(feature.groups, feature.points, strict=True):
            if any(level == value and type(level) is type(value) for level in group):
                return points
        raise AssertionError(f"{value!r} is in no group")
    for code, points in feature.codes:
        if value == code:
            return points
    for cut, points in zip(feature.cuts, feature.points, strict=False):
        if value <= cut:
            return points
    return feature.points[-1]


def rows_of(card: RiskCard) -> list[list]:
    """Every value that matters of each feature, all features taken in turn."""
    values = {name: [0.0] for name in card.feature_names}
    values |= {feature.name: values_of(feature) for feature in card.features}
    longest = max(map(len, values.values()))
    return [[values[n][i % len(values[n])] for n in card.feature_names] for i in range(longest)]


@given(risk_cards())
def test_the_total_is_the_base_and_one_bin_per_feature(card):
    rows = rows_of(card)
    place = {name: i for i, name in enumerate(card.feature_names)}
    by_hand = [
        card.base + sum(points_by_hand(f, row[place[f.name]]) for f in card.features)
        for row in rows
    ]
    assert card.total_points(rows).tolist() == by_hand
    assert set(by_hand) <= set(card.reachable_totals())


def holds_by_hand(term: Term, value) -> bool:
    """Whether a value fulfils a condition, read off its fields."""
    if value is None:
        return term.has_missing
    if any(
        value == level and isinstance(value, bool) == isinstance(level, bool)
        for level in term.levels
    ):
        return True
    return term.cut is not None and value <= term.cut and value not in term.excluded


@settings(max_examples=300)
@given(risk_cards())
def test_one_sided_and_two_sided_terms_add_up_to_the_total(card):
    rows = rows_of(card)
    place = {name: i for i, name in enumerate(card.feature_names)}
    for terms in (card.terms, card.two_sided_terms):
        by_hand = [
            card.intercept_of(terms)
            + sum(t.below if holds_by_hand(t, row[place[t.feature]]) else t.above for t in terms)
            for row in rows
        ]
        assert by_hand == card.total_points(rows).tolist()
        assert all(
            t.holds(row[place[t.feature]]) == holds_by_hand(t, row[place[t.feature]])
            for t in terms
            for row in rows
        )
    for one, two in zip(card.terms, card.two_sided_terms, strict=True):
        jump = one.below - one.above
        assert jump != 0
        assert min(one.below, one.above) == 0
        assert (two.below, two.above) == (math.ceil(jump / 2), -math.floor(jump / 2))


@given(risk_cards())
def test_there_are_no_more_terms_than_the_groups_of_values_need(card):
    for feature in card.features:
        n_terms = sum(term.feature == feature.name for term in card.terms)
        special = {points for _, points in getattr(feature, "codes", ())}
        special |= set() if feature.missing is None else {feature.missing}
        changes = sum(left != right for left, right in pairwise(feature.points))
        if isinstance(feature, LevelPoints) and not feature.is_ordered:
            assert n_terms == len({*feature.points, *special}) - 1
        elif isinstance(feature, FeaturePoints):
            assert n_terms == changes + len(special - set(feature.points))
        else:
            assert changes <= n_terms <= changes + len(special - set(feature.points))


@given(risk_cards())
def test_risk_is_the_sigmoid_of_total_over_multiplier_and_offset(card):
    for row in card.risk_table():
        log_odds = row.total / card.multiplier + card.offset
        assert row.log_odds == pytest.approx(log_odds)
        assert row.risk == pytest.approx(1 / (1 + math.exp(-log_odds)), rel=1e-12)


def test_only_totals_that_a_row_can_reach_are_listed():
    card = RiskCard([FeaturePoints("a", [1], [0, 2]), FeaturePoints("b", [1], [0, 5])], base=1)
    assert card.reachable_totals() == [1, 3, 6, 8]


def test_a_value_at_the_cut_is_below_it():
    assert heart_card().total_points(ROWS).tolist() == TOTALS


@pytest.mark.parametrize(
    "as_table",
    [
        np.array,
        lambda rows: pd.DataFrame(rows, columns=["height", "pressure", "age"]),
        lambda rows: pd.DataFrame(rows),
        lambda rows: pl.DataFrame(rows, schema=["height", "pressure", "age"], orient="row"),
        lambda rows: pa.table(np.array(rows).T.tolist(), ["height", "pressure", "age"]),
        lambda rows: {"age": [row[2] for row in rows], "pressure": [row[1] for row in rows]},
    ],
    ids=["array", "pandas", "pandas without names", "polars", "pyarrow", "mapping"],
)
def test_every_kind_of_table_gives_the_same_totals(as_table):
    assert heart_card().total_points(as_table(ROWS)).tolist() == TOTALS


def test_names_are_looked_up_whatever_their_order_and_extra_columns_are_ignored():
    frame = pd.DataFrame(ROWS, columns=["height", "pressure", "age"])
    mixed = frame[["age", "height", "pressure"]].assign(colour="red")
    assert heart_card().total_points(mixed).tolist() == TOTALS


def test_one_record_can_be_scored():
    assert heart_card().total_points({"age": 61, "pressure": 0.1}).tolist() == [6]


MASS_ROWS = pd.DataFrame(
    {
        "age": [45.0, 46.0, np.nan, -9.0],
        "shape": ["oval", "lobular", "irregular", "round"],
        "density": ["low", "high", None, "medium"],
        "palpable": [True, False, True, False],
    }
)
MASS_TOTALS = [0 + 0 + 2 + 1, 1 + 3 + 0 + 0, 1 + 3 + 1 + 1, 2 + 0 + 2 + 0]


@pytest.mark.parametrize(
    "as_table",
    [
        lambda frame: frame,
        lambda frame: frame.astype({"shape": "category", "density": "category"}),
        lambda frame: frame.astype({"age": "Float64", "palpable": "boolean", "shape": "string"}),
        lambda frame: frame.astype(object),
        lambda frame: frame.to_numpy(),
        lambda frame: frame.to_numpy().tolist(),
        lambda frame: np.ma.masked_array(frame.to_numpy(), mask=frame.isna().to_numpy()),
        lambda frame: frame.to_dict("list"),
        pl.from_pandas,
        lambda frame: pl.from_pandas(frame).cast({"shape": pl.Categorical}),
        lambda frame: pa.Table.from_pandas(frame),
        lambda frame: pa.Table.from_pandas(frame.astype({"density": "category"})),
    ],
)
def test_missing_values_codes_and_levels_are_found_in_every_kind_of_table(as_table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mass_card().total_points(as_table(MASS_ROWS)).tolist() == MASS_TOTALS


def test_one_record_may_have_texts_booleans_and_missing_values():
    record = {"age": None, "shape": "lobular", "density": "high", "palpable": True}
    assert mass_card().total_points(record).tolist() == [1 + 3 + 0 + 1]


def test_what_training_did_not_have_gets_the_usual_points_and_one_warning():
    rows = MASS_ROWS.assign(
        shape=["spiky", "odd", None, "round"], palpable=[None, True, None, None]
    )
    with pytest.warns(RiskcardWarning) as caught:
        totals = mass_card().total_points(rows)
    assert totals.tolist() == [0 + 0 + 2 + 0, 1 + 0 + 0 + 1, 1 + 0 + 1 + 0, 2 + 0 + 2 + 0]
    (warning,) = caught
    assert str(warning.message) == (
        "Feature 'shape' is missing in 1 row and has unseen levels in 2 rows (the first is "
        "'spiky'), feature 'palpable' is missing in 3 rows. Training had no such values: they get "
        "the points of the bin with most training rows."
    )


def test_every_way_of_scoring_warns_once():
    card = heart_card(features=(FeaturePoints("age", (60.0,), (0, 2), usual=1),))
    for score in (card.total_points, card.log_odds, card.risk):
        with pytest.warns(RiskcardWarning, match="'age' is missing in 2 rows") as caught:
            score({"age": [None, 1, np.nan]})
        (warning,) = caught
        assert warning.filename == __file__


def test_every_kind_of_points_is_among_the_reachable_totals():
    assert RiskCard(mass_card().features[:1]).reachable_totals() == [0, 1, 2, 3]
    assert RiskCard(mass_card().features[2:3]).reachable_totals() == [0, 1, 2]


def test_no_term_is_worth_more_than_the_steps_that_a_card_needs():
    shape = LevelPoints("shape", [["a"], ["b", "c"], ["d"]], [0, 2, 3], missing=5)
    age = FeaturePoints("age", [60], [0, 4], codes=[(-9, 6), (-8, 8)], missing=-3)
    card = RiskCard([shape, age])
    assert [str(term) for term in card.terms] == [
        "shape in {b, c, d, missing}: 2",
        "shape in {d, missing}: 1",
        "shape is missing: 2",
        "age > 60 (not missing) or -9 or -8: 4",
        "age not (is missing): 3",
        "age in {-9, -8}: 2",
        "age = -8: 2",
    ]


def test_terms_are_printed_as_conditions():
    assert [str(term) for term in mass_card().terms] == [
        "age > 45 or -9 or missing: 1",
        "age > 60 (not missing): 2",
        "age = -9: 1",
        "shape in {irregular, lobular}: 3",
        "density in {low, medium}: 2",
        "density is missing: 1",
        "palpable = True: 1",
    ]


def test_a_card_without_features_gives_everyone_the_base():
    card = RiskCard([], base=2, feature_names=["a"])
    assert card.total_points([[1.0], [2.0]]).tolist() == [2, 2]
    assert card.total_points({"a": [1, 2, 3]}).tolist() == [2, 2, 2]
    assert card.reachable_totals() == [2]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1.0, 2.0]], r"shape \(1, 2\), but the card was made for 3 columns"),
        ([1.0, 2.0, 3.0], "X has 1 dimension, but 2 are needed"),
        ({"height": [1.0]}, "needs columns 'age', 'pressure', which the rows do not have"),
        ({"pressure": [1.0]}, "needs column 'age'"),
        ({"age": ["old"], "pressure": [1]}, "'age' is not numeric: 'old' is not a number"),
        ([[1.0, 1.0, 1.0], [1.0, 1.0]], "rows of X differ in length"),
        ({"age": [1, None], "pressure": [1, 1]}, "'age' is missing in row 1"),
        ({"age": [1, np.inf], "pressure": [1, 1]}, "'age' is infinite in row 1"),
        ({"age": [1, 2], "pressure": [1]}, "'age' has 2, 'pressure' has 1"),
        (pd.DataFrame([[1, 2, 3]], columns=["age", "age", "pressure"]), "2 columns named 'age'"),
    ],
)
def test_rows_that_cannot_be_scored_are_refused(rows, message):
    with pytest.raises(DataError, match=message):
        heart_card().total_points(rows)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"multiplier": 0}, "multiplier is 0. Use a positive or a negative"),
        ({"multiplier": float("nan")}, "multiplier is nan"),
        ({"offset": math.inf}, "offset is inf"),
        ({"base": 1.5}, "base is 1.5. Use a whole number"),
        ({"base": True}, "base is True"),
        ({"classes": (1, 1)}, "two different values"),
        ({"classes": (1, 2, 3)}, "two different values"),
        ({"classes": (None, 1)}, "class None is not"),
        ({"feature_names": ("age",)}, "'pressure' is used but not among feature_names"),
        ({"feature_names": ("age", "pressure", "age")}, "'age' twice"),
        ({"features": [FeaturePoints("age", [], [0])] * 2}, "'age' twice"),
        ({"features": ["age"]}, "Use FeaturePoints, or LevelPoints for a category"),
    ],
)
def test_impossible_cards_are_refused(changes, message):
    with pytest.raises(ParameterError, match=message):
        heart_card(**changes)


@pytest.mark.parametrize(
    ("cuts", "points", "message"),
    [
        ([2, 1], [0, 1, 2], "ascending order"),
        ([1, 1], [0, 1, 2], "ascending order"),
        ([1], [0, 1, 2], "1 cuts and points for 3 bins. Give 2"),
        ([math.nan], [0, 1], "cut of 'age' is nan"),
        ([10**400], [0, 1], "more than 30 digits. Use a finite number"),
        (["1"], [0, 1], "cut of 'age' is '1'"),
        ([1], [0, 1.0], "bin of 'age' is 1.0. Use a whole number"),
        ([1], [0, 10**12], "at most 1,000,000,000"),
    ],
)
def test_impossible_points_are_refused(cuts, points, message):
    with pytest.raises(ParameterError, match=message):
        FeaturePoints("age", cuts, points)


def test_a_feature_needs_a_name():
    with pytest.raises(ParameterError, match="named ''"):
        FeaturePoints("", [], [0])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"status": "perfect"}, "'perfect' is not a valid"),
        ({"max_terms": -1}, "max_terms is -1"),
        ({"loss": math.nan}, "loss is nan"),
        ({"scale": "big"}, "scale is 'big'"),
    ],
)
def test_impossible_certificates_are_refused(changes, message):
    from cards import certificate

    with pytest.raises(ValueError, match=message):
        certificate(**changes)


def test_numpy_scalars_become_plain_numbers():
    card = RiskCard(
        [FeaturePoints(np.str_("a"), np.array([1.5]), np.array([0, 2]))],
        base=np.int64(-1),
        multiplier=np.float32(2),
        classes=(np.int64(0), np.int64(1)),
    )
    feature = card.features[0]
    assert {type(card.base), type(feature.points[0]), type(card.classes[1])} == {int}
    assert {type(card.multiplier), type(feature.cuts[0])} == {float}
    assert type(feature.name) is str


def test_cards_are_frozen_hashable_and_can_be_pickled():
    card = heart_card()
    with pytest.raises(AttributeError):
        card.base = 3
    assert hash(card) == hash(heart_card())
    assert pickle.loads(pickle.dumps(card)) == card


@st.composite
def _solved(draw):
    """A table on a small grid, and a solution on its candidate cuts."""
    n_rows, n_features = draw(st.integers(2, 12)), draw(st.integers(1, 3))
    cell = st.sampled_from([-2.5, -1.0, 0.0, 0.1, 0.3, 1.0, 60.0, 61.0, 1e6])
    rows = draw(
        st.lists(
            st.lists(cell, min_size=n_features, max_size=n_features),
            min_size=n_rows,
            max_size=n_rows,
        )
    )
    labels = np.array([1, -1] * n_rows, dtype=np.int8)[:n_rows]
    table_names = tuple(f"x{f}" for f in range(n_features))
    table = Table(np.array(rows), table_names, labels, np.ones(n_rows), (0, 1))
    data, grid = rank_table(table)
    places = [(f, c) for f in range(n_features) for c in range(data.n_cuts[f])]
    chosen = draw(st.lists(st.sampled_from(places), max_size=4, unique=True)) if places else []
    terms = [(f, c, draw(st.integers(1, 10)) * draw(st.sampled_from([-1, 1]))) for f, c in chosen]
    kind = draw(st.sampled_from(["fixed", "multiplier", "calibrated"]))
    base = 0 if kind == "calibrated" else draw(st.integers(-9, 9))
    offset = draw(st.floats(-5, 5)) if kind == "calibrated" else 0.0
    multiplier = 1.0 if kind == "fixed" else draw(st.floats(0.3, 20))
    return table, data, grid, Solution.of(terms, base, multiplier, offset), Scale(kind)


@settings(max_examples=200)
@given(_solved())
def test_the_card_of_a_solution_gives_its_log_odds(solved):
    table, data, grid, solution, scale = solved
    layout = Layout(table, data, grid, CardRules(), LeastBins())
    card = card_from_solution(solution, layout, scale)
    expected = log_odds_of(solution, data.codes)
    assert card.log_odds(table.values) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    if scale.kind == "fixed":
        assert card.log_odds(table.values).tolist() == expected.tolist()
    assert all(min(feature.points) == 0 for feature in card.features)
    assert card.base == 0 or scale.kind != "calibrated"
    assert card.offset == 0 or scale.kind == "calibrated"
    assert len(card.terms) == len(solution.terms)


def test_a_common_divisor_goes_into_a_free_scale():
    table = Table(np.array([[1.0], [3.0]]), ("x",), np.array([1, -1]), np.ones(2), (0, 1))
    layout = Layout(table, *rank_table(table), CardRules(), LeastBins())
    solution = Solution.of([(0, 0, 4)], multiplier=8.0)
    card = card_from_solution(solution, layout, Scale("calibrated"))
    assert card.features[0].points == (1, 0)
    assert card.multiplier == 2.0
