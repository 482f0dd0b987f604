"""Good input of every kind becomes the same table; bad input gets one clear sentence."""

from __future__ import annotations

import datetime
import warnings
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from scipy import sparse

from optional import pa, pd, pl
from riskcard import DataError, ParameterError, RiskcardWarning
from riskcard.data.features import read_features, read_numbers
from riskcard.data.levels import BOOLEAN, Levels
from riskcard.data.rows_to_score import as_labels, as_numbers
from riskcard.data.table import Table, make_table, require_plain
from riskcard.data.target import class_factors, weigh_classes

Y = [0, 1, 0, 1]
FRAME = pd.DataFrame(
    {"age": [1.5, 2, 3, 4], "count": [1, 0, 1, 0], "flag": [True, False, True, True]}
)
EXPECTED = [[1.5, 1, 1], [2, 0, 0], [3, 1, 1], [4, 0, 1]]


@pytest.mark.parametrize(
    "X",
    [
        FRAME,
        FRAME.convert_dtypes(),
        FRAME.convert_dtypes(dtype_backend="pyarrow"),
        FRAME.astype(object),
        pl.from_pandas(FRAME),
        pa.Table.from_pandas(FRAME),
    ],
    ids=["pandas", "nullable", "arrow-backed", "objects", "polars", "pyarrow"],
)
def test_frames_of_every_kind_are_read_with_their_names(X):
    table = make_table(X, Y)
    assert table.names == ("age", "count", "flag")
    assert table.values.tolist() == EXPECTED
    assert table.values.dtype == np.float64
    assert table.levels == (None, None, BOOLEAN)
    assert table.labels.tolist() == [-1, 1, -1, 1]
    assert table.weights.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("X", [EXPECTED, np.array(EXPECTED), np.array(EXPECTED, dtype=object)])
def test_arrays_and_lists_get_numbered_names(X):
    table = make_table(X, Y)
    assert table.names == ("x0", "x1", "x2")
    assert table.values.tolist() == EXPECTED
    assert table.levels == (None, None, None)
    assert make_table(X, Y, names=["a", "b", "c"]).names == ("a", "b", "c")


@pytest.mark.parametrize("order", ["C", "F"])
def test_float64_is_not_copied(order):
    X = np.array(EXPECTED, order=order)
    assert np.shares_memory(make_table(X, Y).values, X)
    frame = pd.DataFrame(X)
    assert np.shares_memory(make_table(frame, Y).values, frame.to_numpy())


def test_numbers_as_column_names_become_text():
    assert make_table(pd.DataFrame(EXPECTED), Y).names == ("0", "1", "2")


@pytest.mark.parametrize("name", ["column_names", "tocsr", "tocoo", "dtypes"])
def test_a_column_may_have_the_name_of_an_attribute(name):
    frame = pd.DataFrame({name: [1.5, 2, 3, 4], "age": [4.0, 3, 2, 1]})
    table = make_table(frame, Y)
    assert table.names == (name, "age")
    assert table.values[:, 0].tolist() == [1.5, 2, 3, 4]


def test_huge_values_whose_sum_overflows_are_fine():
    X = np.array([[1.7e308], [1.7e308], [-1.7e308], [1e308]])
    assert make_table(X, Y).values.shape == (4, 1)


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (["a", "b", "a", "b"], ("a", "b")),
        (pd.Series(["a", "b", "a", "b"], dtype="category"), ("a", "b")),
        (pd.Series([3, 7, 3, 7], dtype="Int64"), (3, 7)),
        (pl.Series([3, 7, 3, 7]), (3, 7)),
        (pl.Series(["a", "b", "a", "b"], dtype=pl.Categorical), ("a", "b")),
        (pa.chunked_array([["a", "b"], ["a", "b"]]).dictionary_encode(), ("a", "b")),
        ([False, True, False, True], (False, True)),
        (np.array([[0.5], [1.5], [0.5], [1.5]]), (0.5, 1.5)),
    ],
)
def test_any_two_labels_are_accepted(y, classes):
    table = make_table(EXPECTED, y, event=classes[1])
    assert table.classes == classes
    assert table.labels.tolist() == [-1, 1, -1, 1]


def test_weights_of_every_kind_are_read():
    for weights in ([1, 2, 3, 4], pd.Series([1.0, 2, 3, 4]), pl.Series([1, 2, 3, 4])):
        assert make_table(EXPECTED, Y, weights).weights.tolist() == [1, 2, 3, 4]


def test_rows_of_weight_zero_can_be_dropped():
    table = make_table(EXPECTED, Y, [1, 2, 0, 3], drop_zero_weights=True)
    assert table.values.tolist() == [EXPECTED[i] for i in (0, 1, 3)]
    assert table.weights.tolist() == [1, 2, 3]
    with pytest.raises(DataError, match="one class only: y is 1"):
        make_table(EXPECTED, Y, [0, 1, 0, 1], drop_zero_weights=True)
    with pytest.raises(DataError, match="zero in 4 rows"):
        make_table(EXPECTED, Y, [0, 0, 0, 0], drop_zero_weights=True)


# --- missing values -----------------------------------------------------------------------------

GAPS = [1.5, None, 3.0, None]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1.5, np.nan, 3.0, np.nan]),
        pd.Series([1.5, None, 3.0, None], dtype="Float64"),
        pd.Series([1.5, None, 3.0, None], dtype="double[pyarrow]"),
        pd.Series([1.5, pd.NA, 3.0, pd.NaT], dtype=object),
        pd.Series([Decimal("1.5"), None, 3, float("nan")], dtype=object),
        pl.Series(GAPS),
        pl.Series([Decimal("1.5"), None, Decimal("3.0"), None]),
        pa.array(GAPS),
        pa.chunked_array([GAPS[:1], GAPS[1:]]),
        np.array(GAPS, dtype=object),
        np.array(GAPS, dtype=np.float32),
    ],
    ids=lambda column: f"{type(column).__module__.split('.')[0]}-{getattr(column, 'dtype', '')}",
)
def test_missing_numbers_of_every_kind_are_nan(column):
    frame = column_frame(column)
    features = read_features(frame, names=["x"])
    np.testing.assert_array_equal(features.values, [[1.5], [np.nan], [3.0], [np.nan]])
    assert features.levels == (None,)


def column_frame(column):
    """A table of one column, of the kind that the column is."""
    if isinstance(column, pd.Series):
        return pd.DataFrame({"x": column})
    if isinstance(column, pl.Series):
        return pl.DataFrame({"x": column})
    if isinstance(column, (pa.Array, pa.ChunkedArray)):
        return pa.table({"x": column})
    return column.reshape(-1, 1)


def test_float64_with_missing_values_is_not_copied_either():
    X = np.array([[1.0, np.nan], [2, 3], [np.nan, 4], [5, 6]])
    table = make_table(X, Y)
    assert np.shares_memory(table.values, X)
    np.testing.assert_array_equal(table.values, X)


@pytest.mark.parametrize(
    "nothing",
    [
        pd.Series([None] * 4, dtype=object),
        pd.Series([np.nan] * 4),
        pl.Series([None] * 4),
        pa.nulls(4),
        np.full(4, None),
    ],
    ids=["objects", "pandas", "polars", "pyarrow", "numpy"],
)
def test_a_feature_that_is_always_missing_is_kept(nothing):
    table = make_table(column_frame(nothing), Y, names=["x"])
    assert np.isnan(table.values).all()
    assert table.levels == (None,)


def test_masked_values_are_missing():
    X = np.ma.masked_array([[1.0, 2], [3, 4], [5, 6], [7, 8]], mask=False)
    X[1, 0] = np.ma.masked
    expected = [[1, 2], [np.nan, 4], [5, 6], [7, 8]]
    np.testing.assert_array_equal(make_table(X, Y).values, expected)


# --- categories ---------------------------------------------------------------------------------

TEXTS = ["b", None, "a", "b"]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(TEXTS),
        pd.Series(TEXTS, dtype=object),
        pd.Series(["b", pd.NA, "a", "b"], dtype="string"),
        pd.Series(TEXTS, dtype="string[pyarrow]"),
        pd.Series(TEXTS, dtype="category"),
        pd.Series(TEXTS, dtype=pd.CategoricalDtype(["b", "a", "z"])),
        pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
        pl.Series(TEXTS),
        pl.Series(TEXTS, dtype=pl.Categorical),
        pa.array(TEXTS),
        pa.array(TEXTS).dictionary_encode(),
        pa.chunked_array(
            [pa.array(TEXTS[:2]).dictionary_encode(), pa.array(TEXTS[2:]).dictionary_encode()]
        ),
        np.array(TEXTS, dtype=object),
    ],
    ids=lambda column: (
        f"{type(column).__module__.split('.')[0]}-{getattr(column, 'dtype', getattr(column, 'type', ''))}"
    ),
)
def test_texts_of_every_kind_become_sorted_levels_that_occur(column):
    features = read_features(column_frame(column), names=["x"])
    np.testing.assert_array_equal(features.values, [[1], [np.nan], [0], [1]])
    assert features.levels == (Levels(("a", "b")),)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(
            ["mid", None, "low", "mid"], dtype=pd.CategoricalDtype(["low", "mid", "top"], True)
        ),
        pl.Series(["mid", None, "low", "mid"], dtype=pl.Enum(["low", "mid", "top"])),
        pa.DictionaryArray.from_arrays(
            pa.array([1, None, 0, 1], pa.int8()), ["low", "mid", "top"], ordered=True
        ),
    ],
    ids=["pandas", "polars", "pyarrow"],
)
def test_ordered_categories_keep_their_order_and_all_their_levels(column):
    features = read_features(column_frame(column), names=["x"])
    np.testing.assert_array_equal(features.values, [[1], [np.nan], [0], [1]])
    assert features.levels == (Levels(("low", "mid", "top"), is_ordered=True),)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([True, None, False, True], dtype=object),
        pd.Series([True, np.nan, False, True], dtype=object),
        pd.Series([True, None, False, True], dtype="boolean"),
        pd.Series([True, None, False, True], dtype="bool[pyarrow]"),
        pd.Series([True, None, False, True], dtype="category"),
        pl.Series([True, None, False, True]),
        pa.array([True, None, False, True]),
        np.array([True, None, False, True], dtype=object),
    ],
    ids=lambda column: f"{type(column).__module__.split('.')[0]}-{getattr(column, 'dtype', '')}",
)
def test_booleans_of_every_kind_are_false_before_true(column):
    features = read_features(column_frame(column), names=["x"])
    np.testing.assert_array_equal(features.values, [[1], [np.nan], [0], [1]])
    assert features.levels == (BOOLEAN,)


def test_a_boolean_that_is_always_true_has_both_levels():
    table = make_table(np.ones((4, 1), dtype=bool), Y)
    assert table.levels == (BOOLEAN,)
    assert table.values.tolist() == [[1]] * 4


def test_categories_of_numbers_stay_numbers_and_are_sorted():
    column = pd.Series([10, 2, 2, 10]).astype("category").cat.reorder_categories([10, 2])
    table = make_table(pd.DataFrame({"x": column}), Y)
    assert table.levels == (Levels((2, 10)),)
    assert table.values[:, 0].tolist() == [1, 0, 0, 1]
    assert all(type(level) is int for level in table.levels[0].names)


def test_intervals_become_their_texts():
    table = make_table(pd.DataFrame({"x": pd.cut([1, 2, 3, 4], [0, 2, 4])}), Y)
    assert table.levels == (Levels(("(0, 2]", "(2, 4]"), is_ordered=True),)


def test_numbers_next_to_texts_in_a_list_of_rows_stay_numbers():
    table = make_table([[1, "b"], [2.5, "a"], [3, "b"], [None, None]], Y)
    np.testing.assert_array_equal(table.values, [[1, 1], [2.5, 0], [3, 1], [np.nan, np.nan]])
    assert table.levels == (None, Levels(("a", "b")))


def test_texts_that_are_numbers_are_levels_in_the_order_of_the_numbers_with_a_warning():
    with pytest.warns(RiskcardWarning, match="'x0' holds numbers written as texts, such as '-1'"):
        table = make_table(np.array([["10"], ["9"], ["10"], ["-1"]]), Y)
    assert table.levels == (Levels(("-1", "9", "10")),)


def test_texts_that_identify_rows_are_warned_of():
    names = [f"patient {i}" for i in range(30)]
    with pytest.warns(RiskcardWarning, match="'x0', since most rows have a text of their own"):
        make_table([[name] for name in names], [0, 1] * 15, identifiers="auto")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make_table([[name] for name in names * 2], [0, 1] * 30, identifiers="auto")
        make_table([[name] for name in names[:20]], [0, 1] * 10, identifiers="auto")


def test_levels_of_dropped_rows_are_forgotten():
    X = pd.DataFrame({"x": ["a", "b", "c", "b"], "y": [True, True, False, True]})
    table = make_table(X, [0, 1, 0, 0], [0, 1, 1, 1], drop_zero_weights=True)
    assert table.levels == (Levels(("b", "c")), BOOLEAN)
    assert table.values.tolist() == [[0, 1], [1, 0], [0, 1]]


def test_plain_methods_refuse_missing_values_and_categories_in_words():
    booleans = make_table([[True], [False], [True], [True]], Y)
    require_plain(booleans)
    require_plain(make_table(EXPECTED, Y))
    incomplete = make_table([[1, 2], [3, np.nan], [5, np.nan], [7, 8]], Y)
    with pytest.raises(DataError, match=r"'x1' is missing \(NaN\) in 2 rows, the first is row 1"):
        require_plain(incomplete)
    texts = make_table([[1, None], [3, "a"], [5, "b"], [7, "a"]], Y)
    with pytest.raises(DataError, match="'x1' is not numeric: row 1 holds 'a'"):
        require_plain(texts)
    with pytest.raises(DataError, match=r"'flag' is missing \(NaN\) in row 1"):
        read_numbers(pd.DataFrame({"flag": pd.array([True, None], dtype="boolean")}))


def test_a_table_without_levels_is_numeric():
    table = Table(np.ones((2, 3)), ("a", "b", "c"), np.array([1, -1]), np.ones(2), (0, 1))
    assert table.levels == (None, None, None)


def test_a_level_has_one_name():
    with pytest.raises(DataError, match="level 'a' is listed twice"):
        Levels(("a", "b", "a"))
    with pytest.raises(DataError, match="True equals 1"):
        Levels((1, True))
    with pytest.raises(DataError, match="level is nan"):
        Levels((float("nan"),))


# --- what is refused ----------------------------------------------------------------------------


def with_column(values):
    return FRAME.assign(odd=values)


DAY = datetime.date(2020, 1, 31)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (with_column([1, np.inf, 2, 3]), "'odd' is infinite in row 1"),
        (with_column(pd.Series([1, 10**400, 2, 3], dtype=object)), "'odd' is infinite in row 1"),
        (with_column([np.nan, 1, -np.inf, -np.inf]), "'odd' is infinite in 2 rows.*first is row 2"),
        (with_column([1, "2", 3, 4]), "'odd' mixes texts .* row 0 holds 1 and row 1 holds '2'"),
        (
            with_column(["a", None, True, 4]),
            "'odd' mixes texts .* row 2 holds True and row 0 holds 'a'",
        ),
        (with_column(["a", None, {}, "b"]), r"row 2 holds \{\} and row 0 holds 'a'"),
        (with_column(pd.Timestamp("2020-01-31")), "row 0 holds 2020-01-31.*a number of days"),
        (with_column(pd.Timedelta(days=2)), "row 0 holds 2 days.*a number of days"),
        (with_column([1, 2, DAY, 3]), "row 2 holds 2020-01-31.*a number of days"),
        (
            with_column(pd.period_range("2020-01-31", periods=4)),
            "row 0 holds Period.*number of days",
        ),
        (pl.DataFrame({"odd": [None, DAY, DAY, DAY]}), "row 1 holds 2020-01-31.*a number of days"),
        (pa.table({"odd": [None, DAY, DAY, DAY]}), "row 1 holds 2020-01-31.*a number of days"),
        (pl.DataFrame({"odd": [[1, 2]] * 4}), r"'odd' is not numeric: row 0 holds \[1, 2\]"),
        (
            with_column([[1], 2, 3, 4]),
            r"row 0 holds \[1\].*must be a string, a boolean or a number",
        ),
        (with_column([{}, 1, 2, 3]), r"'odd' is not numeric: row 0 holds \{\}"),
        (with_column([b"1", 1, 2, 3]), "row 0 holds b'1', which is bytes. Decode"),
        (np.array([[b"1"]] * 4), "row 0 holds .*b'1'.*, which is bytes. Decode"),
        (with_column(1j), "Complex data not supported: feature 'odd'"),
        (with_column([1j, None, 1, 2]), "Complex data not supported: feature 'odd'"),
        (with_column(pd.Categorical([1.0, float("inf"), 1, 1])), "'odd': A level is inf"),
        (FRAME.rename(columns={"flag": "age"}), "Columns 0 and 2 are both named 'age'"),
        (FRAME.rename(columns={"flag": ""}), "Column 2 has no name"),
        (FRAME.rename(columns={"flag": None}), "Column 2 has no name"),
        (FRAME[[]], r"0 feature\(s\) \(shape=\(4, 0\)\)"),
        ([[1], [2, 3], [4], [5]], "rows of X differ in length"),
        ([["a"], ["b", "c"], ["d"], ["e"]], "rows of X differ in length"),
        ([1, 2, 3, 4], "X has 1 dimension.*Reshape your data"),
        (["a", "b", "c", "d"], "X has 1 dimension.*Reshape your data"),
        (np.zeros((4, 1, 1)), "X has 3 dimensions"),
        (np.zeros((1, 2)), "has 1 sample"),
        (np.zeros((0, 2)), "has 0 samples"),
        (pd.DataFrame({"a": pd.Series([], dtype="datetime64[ns]")}), "has 0 samples"),
        (sparse.csr_array(np.eye(4)), "sparse"),
    ],
)
def test_bad_features_are_named(X, message):
    with pytest.raises(DataError, match=message):
        make_table(X, Y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1, 1, 1, 1], "one class only: y is 1 in all 4 rows"),
        ([0, 1, 2, 3], r"multiclass: y has 4 different values \(0, 1, 2, \.\.\.\)"),
        ([0.1, 0.2, 0.3, 0.4], "Unknown label type: continuous"),
        ([0, 1], "X has 4 rows and y has 2"),
        ([0, 1, None, 1], r"y is missing \(NaN\) in row 2"),
        ([0, 1, np.inf, 1], r"y is infinite \(inf\) in row 2"),
        (pa.array(["a", "b", None, "b"]).dictionary_encode(), r"y is missing \(NaN\) in row 2"),
        (pd.Series(["a", "b", None, "b"], dtype="category"), r"y is missing \(NaN\) in row 2"),
        (pl.Series(["a", "b", None, "b"]), r"y is missing \(NaN\) in row 2"),
        (pd.Series([0, 1, None, 1], dtype="Int64"), r"y is missing \(NaN\) in row 2"),
        (np.array(["a", 1, "b", 1], dtype=object), "mixes labels of types int and str"),
        ([[0, 1]] * 4, "should be a 1d array"),
        (None, "requires y to be passed"),
    ],
)
def test_bad_targets_are_named(y, message):
    with pytest.raises(DataError, match=message):
        make_table(EXPECTED, y)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 0, 0, 1], "zero in 2 rows, the first is row 1"),
        ([1, -2, 1, 1], r"negative in row 1 \(-2\)"),
        ([1, np.nan, 1, 1], r"missing \(NaN\) in row 1"),
        ([1, np.inf, 1, 1], "infinite in row 1"),
        ([1, 2], r"shape \(2,\) and X has 4 rows"),
        ([[1], [1], [1], [1]], r"shape \(4, 1\)"),
        (["a", "b", "c", "d"], "not numeric"),
    ],
)
def test_bad_weights_are_named(weights, message):
    with pytest.raises(DataError, match=message):
        make_table(EXPECTED, Y, weights)


@pytest.mark.parametrize(
    ("names", "message"),
    [(["a"], "1 names for 3 columns"), (["a", "b", "a"], "Columns 0 and 2 are both named 'a'")],
)
def test_bad_names_are_named(names, message):
    with pytest.raises(DataError, match=message):
        make_table(EXPECTED, Y, names=names)


# --- weights of classes -------------------------------------------------------------------------


def weighted_table(X, y, sample_weight=None, *, class_weight):
    table = make_table(X, y, sample_weight)
    factors = class_factors(table.weights, table.labels, table.classes, class_weight)
    weights = weigh_classes(table.weights, table.labels, factors)
    return replace(table, weights=weights)


def test_balanced_classes_weigh_the_same_and_the_total_stays():
    weights = [1.0, 2.0, 3.0, 6.0]
    table = weighted_table(EXPECTED, ["yes", "no", "no", "no"], weights, class_weight="balanced")
    assert table.weights[table.labels == 1].sum() == pytest.approx(6)
    assert table.weights[table.labels == -1].sum() == pytest.approx(6)
    np.testing.assert_allclose(table.weights[1:] / table.weights[1], [1, 1.5, 3])


def test_repeated_rows_and_weights_are_balanced_alike():
    repeated = weighted_table([[1.0], [2.0], [2.0], [3.0]], [0, 1, 1, 1], class_weight="balanced")
    weighted = weighted_table([[1.0], [2.0], [3.0]], [0, 1, 1], [1, 2, 1], class_weight="balanced")
    assert weighted.weights.tolist() == pytest.approx([2, 4 / 3, 2 / 3])
    assert repeated.weights.tolist() == pytest.approx([2, 2 / 3, 2 / 3, 2 / 3])


def test_class_weights_multiply_sample_weights():
    table = weighted_table(EXPECTED, ["n", "y", "n", "y"], [1, 2, 3, 4], class_weight={"y": 10})
    assert table.weights.tolist() == [1, 20, 3, 40]
    table = weighted_table(EXPECTED, [False, True, False, True], class_weight={0: 2, 1: 0.5})
    assert table.weights.tolist() == [2, 0.5, 2, 0.5]


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({2: 1.0}, "names the label 2, but the target has 0 and 1"),
        ({1: 0}, "class_weight of 1 is 0. Use a positive number"),
        ({1: "big"}, "class_weight of 1 is 'big'"),
        ("heavy", "class_weight is 'heavy'. Use None, 'balanced'"),
        ([1, 2], r"class_weight is \[1, 2\]"),
    ],
)
def test_bad_class_weights_are_named(class_weight, message):
    with pytest.raises(ParameterError, match=message):
        weighted_table(EXPECTED, Y, class_weight=class_weight)


@pytest.mark.parametrize(
    "form",
    [np.array, pd.DataFrame, pl.DataFrame, pa.table],
    ids=["numpy", "pandas", "polars", "pyarrow"],
)
def test_whole_numbers_that_floats_cannot_tell_apart_are_warned_of(form):
    def table(first):
        numbers = [first + i for i in range(20)]
        return form([[one] for one in numbers]) if form is np.array else form({"x0": numbers})

    with pytest.warns(RiskcardWarning, match="'x0' has whole numbers so large"):
        read_features(table(2**62))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_features(table(2**53 - 30))


# --- one reader for learning and for scoring ----------------------------------------------------


def test_a_mapping_from_name_to_column_is_a_table():
    table = make_table({"age": [1.5, 2, None, 4], "shape": pa.array(["b", "a", None, "b"])}, Y)
    assert table.names == ("age", "shape")
    np.testing.assert_array_equal(table.values, [[1.5, 1], [2, 0], [np.nan, np.nan], [4, 1]])
    with pytest.raises(DataError, match="'shape' has 2 values, but the table has 4 rows"):
        make_table({"age": [1, 2, 3, 4], "shape": ["a", "b"]}, Y)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([3, None, 2], dtype="Int64"),
        pd.Series([3, None, 2], dtype="category"),
        pd.Series(["3", None, "2"], dtype="string"),
        pl.Series([3, None, 2]),
        pl.Series(["3", None, "2"], dtype=pl.Categorical),
        pa.array([3, None, 2]),
        pa.array(["3", None, "2"]).dictionary_encode(),
        np.ma.masked_array([3, 0, 2], mask=[False, True, False]),
        [3, None, 2],
        (3, float("nan"), 2),
    ],
    ids=lambda column: f"{type(column).__module__.split('.')[0]}-{getattr(column, 'dtype', '')}",
)
def test_columns_of_every_kind_can_be_scored(column):
    np.testing.assert_array_equal(as_numbers("x", column), [3, np.nan, 2])
    labels, rows = as_labels("x", column)
    assert [None if label is None else int(label) for label in labels] == [3, None, 2]
    assert rows.tolist() == [0, 1, 2]


def test_booleans_next_to_numbers_in_a_list_of_rows_stay_booleans():
    assert make_table([[True, 1.5], [False, 2], [True, 3], [None, 4]], Y).levels == (BOOLEAN, None)


@pytest.mark.parametrize("form", ["Int64", object], ids=["nullable", "objects"])
def test_digits_that_are_lost_next_to_missing_values_are_warned_of(form):
    numbers = [None, *(2**62 + i for i in range(20))]
    with pytest.warns(RiskcardWarning, match="'x' has whole numbers so large"):
        read_features(pd.DataFrame({"x": pd.Series(numbers, dtype=form)}))
