"""The points of one feature: found in any kind of column, and refused when they make no sense."""

import decimal
import math

import numpy as np
import pytest

from optional import pa, pd, pl
from riskcard import DataError, FeaturePoints, LevelPoints, ParameterError

NAN = float("nan")
AGE = FeaturePoints("age", [1.5, 4], [0, 2, 5], missing=7, codes=[(-9, 3), (9, 4)])
AGES = [1.5, 2, None, -9, 9, 10]
AGE_POINTS = [0, 2, 7, 3, 4, 5]


@pytest.mark.parametrize(
    "column",
    [
        AGES,
        tuple(AGES),
        np.array(AGES, dtype=float),
        np.array(AGES, dtype=object),
        np.array(AGES, dtype=np.float32),
        np.ma.masked_invalid(np.array(AGES, dtype=float)),
        np.array(["1.5", "2", "nan", "-9", "9", "10"]),
        [1.5, np.float64(2), pd.NA, -9, np.int8(9), decimal.Decimal(10)],
        pd.Series(AGES),
        pd.Series(AGES, dtype="Float64"),
        pd.Series(AGES, dtype="category"),
        pd.Series([1.5, 2, pd.NA, -9, 9, 10], dtype=object),
        pl.Series(AGES),
        pa.array(AGES),
        pa.chunked_array([AGES[:3], AGES[3:]]),
        pa.chunked_array([pa.array(AGES).dictionary_encode()]),
    ],
    ids=lambda column: f"{type(column).__module__}.{type(column).__name__}",
)
def test_numbers_are_found_in_any_kind_of_column(column):
    assert AGE.points_of(column).tolist() == AGE_POINTS


def test_whole_numbers_booleans_and_single_values_are_numbers():
    smoker = FeaturePoints("smoker", [0.5], [0, 2])
    assert smoker.points_of(np.array([0, 1], dtype=np.uint8)).tolist() == [0, 2]
    assert smoker.points_of([False, True]).tolist() == [0, 2]
    assert smoker.points_of(pl.Series([False, True])).tolist() == [0, 2]
    assert smoker.points_of(1).tolist() == [2]
    assert smoker.points_of(np.array(1.0)).tolist() == [2]
    assert smoker.points_of([]).tolist() == []


SHAPE = LevelPoints("shape", [["round", "oval"], ["spiky"]], [0, 3], missing=1, usual=0)
SHAPES = ["spiky", None, "oval", "round"]
SHAPE_POINTS = [3, 1, 0, 0]


@pytest.mark.parametrize(
    "column",
    [
        SHAPES,
        ["spiky", NAN, "oval", "round"],
        ["spiky", pd.NA, "oval", np.str_("round")],
        ["spiky", pd.NaT, "oval", "round"],
        np.array(SHAPES, dtype=object),
        pd.Series(SHAPES),
        pd.Series(SHAPES, dtype=object),
        pd.Series(SHAPES, dtype="string"),
        pd.Series(SHAPES, dtype="category"),
        pl.Series(SHAPES),
        pl.Series(SHAPES, dtype=pl.Categorical),
        pl.Series(SHAPES, dtype=pl.Enum(["oval", "round", "spiky"])),
        pa.array(SHAPES),
        pa.array(SHAPES).dictionary_encode(),
        pa.chunked_array([SHAPES[:2], SHAPES[2:]]),
        pa.chunked_array([pa.array(SHAPES).dictionary_encode()]),
    ],
    ids=lambda column: f"{type(column).__module__}.{type(column).__name__}",
)
def test_levels_are_found_in_any_kind_of_column(column):
    found = SHAPE.look_up(column)
    assert found.points.tolist() == SHAPE_POINTS
    assert (found.n_missing, found.n_unseen) == (0, 0)


def test_texts_without_missing_values_in_an_array_are_levels():
    assert SHAPE.points_of(np.array(["oval", "spiky"])).tolist() == [0, 3]
    assert SHAPE.points_of("spiky").tolist() == [3]


def test_true_is_not_1_and_1_is_not_a_text():
    mixed = LevelPoints("x", [[True], [1], ["1"], [0, "True"]], [1, 2, 3, 4], usual=0)
    assert mixed.points_of([True, 1, 1.0, "1", 0, "True", np.True_, np.int8(1)]).tolist() == [
        *(1, 2, 2, 3),
        *(4, 4, 1, 2),
    ]
    assert mixed.look_up([False]).n_unseen == 1


def test_numbers_stand_for_booleans_only_where_all_levels_are_booleans():
    smoker = LevelPoints("smoker", [[False], [True]], [0, 2])
    for column in ([0, 1], [0.0, 1.0], np.array([0, 1]), [False, True], np.array([False, True])):
        assert smoker.points_of(column).tolist() == [0, 2]
    with pytest.raises(DataError, match="unknown level 2 in row 0"):
        smoker.points_of([2])
    with pytest.raises(DataError, match="unknown level True"):
        LevelPoints("x", [[0], [1]], [0, 2]).points_of([True])


def test_other_values_go_by_their_text():
    ages = pd.cut(pd.Series([20, 50, 80]), [0, 40, 100])
    feature = LevelPoints("age", [["(0, 40]"], ["(40, 100]"]], [0, 2])
    assert feature.points_of(ages).tolist() == [0, 2, 2]


def test_guesses_are_counted():
    found = SHAPE.look_up(["square", "flat", None, "spiky"])
    assert found.points.tolist() == [0, 0, 1, 3]
    assert (found.n_missing, found.n_unseen, found.unseen) == (0, 2, "square")
    found = LevelPoints("shape", [["a"], ["b"]], [0, 3], usual=1).look_up([None, "a", "c"])
    assert found.points.tolist() == [3, 0, 3]
    assert (found.n_missing, found.n_unseen, found.unseen) == (1, 1, "c")
    found = FeaturePoints("age", [1.0], [0, 3], usual=1).look_up([NAN, 0.0, None])
    assert found.points.tolist() == [3, 0, 3]
    assert (found.n_missing, found.n_unseen) == (2, 0)


@pytest.mark.parametrize(
    ("feature", "column", "message"),
    [
        (
            FeaturePoints("age", [1], [0, 1]),
            [1, None, NAN],
            r"'age' is missing in 2 rows, the first is row 1",
        ),
        (AGE, [1, math.inf], "'age' is infinite in row 1"),
        (AGE, [1, 10**400], "'age' is infinite in row 1"),
        (AGE, [1, "old"], "'age' is not numeric: 'old' is not a number"),
        (AGE, [1, ""], "'age' is not numeric: '' is not a number"),
        (AGE, [1j], "'age' is not numeric: 1j"),
        (AGE, np.array(["2020-01-01"], dtype="datetime64[D]"), "'age' is not numeric"),
        (SHAPE, ["oval", -math.inf], "'shape' is infinite in row 1"),
        (
            LevelPoints("shape", [["a", "b"], ["c"]], [0, 1]),
            ["a", "d", "e"],
            r"unknown level 'd' in 2 rows, the first is row 1\. The card has points for 'a', 'b', 'c':",
        ),
        (LevelPoints("shape", [["a"]], [0]), ["a", None], "'shape' is missing in row 1"),
    ],
)
def test_columns_that_cannot_be_scored_are_refused(feature, column, message):
    with pytest.raises(DataError, match=message):
        feature.points_of(column)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"missing": 1.5}, r"points of a missing 'age' is 1\.5"),
        ({"missing": True}, "points of a missing 'age' is True"),
        ({"codes": [(-9,)]}, r"code of 'age' is \(-9,\)\. Give a pair"),
        ({"codes": [-9]}, "code of 'age' is -9"),
        ({"codes": [(NAN, 1)]}, "special value of 'age' is nan"),
        ({"codes": [("a", 1)]}, "special value of 'age' is 'a'"),
        ({"codes": [(-9, 1.5)]}, r"points of -9 of 'age' is 1\.5"),
        ({"codes": [(0.0, 1), (-0.0, 2)]}, "special value 0 of 'age' is listed twice"),
        ({"usual": 2}, "usual of 'age' is 2, but it has 2 bins. .* from 0 to 1"),
        ({"usual": -1}, "usual of 'age' is -1"),
    ],
)
def test_impossible_special_values_are_refused(changes, message):
    with pytest.raises(ParameterError, match=message):
        FeaturePoints("age", [1], [0, 1], **changes)


@pytest.mark.parametrize(
    ("groups", "points", "message"),
    [
        (
            ["red", "blue"],
            [0, 1],
            r"group of 'c' is 'red'\. Give a list of levels, such as \['red'\]",
        ),
        ([1, 2], [0, 1], "group of 'c' is 1"),
        ([["red"], []], [0, 1], "group of 'c' has no levels"),
        ([], [], "'c' has no groups"),
        ([["red"], ["blue", "red"]], [0, 1], "'red' of 'c' is listed twice"),
        ([[1], [1.0]], [0, 1], r"level 1\.0 of 'c' is listed twice"),
        ([["red"], [None]], [0, 1], "level of 'c' is None, which is a missing value"),
        ([["red"], [NAN]], [0, 1], "level of 'c' is nan, which is a missing value"),
        ([["red"], [math.inf]], [0, 1], "level of 'c' is inf. Use a text, a finite"),
        ([["red"], [("a",)]], [0, 1], "Use a text, a finite number or a boolean"),
        ([["red"], ["blue"]], [0], "2 groups of levels and points for 1"),
        ([["red"], ["blue"]], [0, 1.5], r"points of a group of 'c' is 1\.5"),
    ],
)
def test_impossible_groups_are_refused(groups, points, message):
    with pytest.raises(ParameterError, match=message):
        LevelPoints("c", groups, points)


def test_the_usual_group_and_the_name_are_checked():
    with pytest.raises(ParameterError, match="usual of 'c' is 1, but it has 1 groups"):
        LevelPoints("c", [["red"]], [0], usual=1)
    with pytest.raises(ParameterError, match="named ''"):
        LevelPoints("", [["red"]], [0])


def test_numpy_scalars_become_plain_values():
    feature = LevelPoints("c", [[np.int64(1), np.str_("a")], [np.True_]], np.array([0, 2]))
    assert [type(level) for level in feature.levels] == [int, str, bool]
    assert [type(points) for points in feature.points] == [int, int]
    codes = FeaturePoints("x", [], [0], codes={np.int64(-9): np.int64(1)}).codes
    assert codes == ((-9.0, 1),)
    assert [type(value) for value in codes[0]] == [float, int]
