"""Good input of every kind becomes the same table; bad input gets one clear sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from riskcard import DataError
from riskcard.problem.table import make_table

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
    assert table.labels.tolist() == [-1, 1, -1, 1]
    assert table.weights.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("X", [EXPECTED, np.array(EXPECTED), np.array(EXPECTED, dtype=object)])
def test_arrays_and_lists_get_numbered_names(X):
    table = make_table(X, Y)
    assert table.names == ("x0", "x1", "x2")
    assert table.values.tolist() == EXPECTED
    assert make_table(X, Y, names=["a", "b", "c"]).names == ("a", "b", "c")


@pytest.mark.parametrize("order", ["C", "F"])
def test_float64_is_not_copied(order):
    X = np.array(EXPECTED, order=order)
    assert np.shares_memory(make_table(X, Y).values, X)
    frame = pd.DataFrame(X)
    assert np.shares_memory(make_table(frame, Y).values, frame.to_numpy())


def test_numbers_as_column_names_become_text():
    assert make_table(pd.DataFrame(EXPECTED), Y).names == ("0", "1", "2")


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
        ([False, True, False, True], (False, True)),
        (np.array([[0.5], [1.5], [0.5], [1.5]]), (0.5, 1.5)),
    ],
)
def test_any_two_labels_are_accepted(y, classes):
    table = make_table(EXPECTED, y)
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


def with_column(values):
    return FRAME.assign(odd=values)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (
            with_column([1, np.nan, 2, np.nan]),
            r"'odd' is missing \(NaN\) in 2 rows.*first is row 1",
        ),
        (with_column([1, np.inf, 2, 3]), "'odd' is infinite in row 1"),
        (with_column(pd.array([1, None, 2, 3], dtype="Int64")), "'odd' is missing.* row 1"),
        (pl.DataFrame({"u": [True, None, False, True]}), "'u' is missing.* row 1"),
        (with_column([1, "2", 3, 4]), "'odd' is not numeric: row 1 holds '2'"),
        (with_column(["a", "b", "c", "d"]), "'odd' is not numeric: row 0 holds 'a'"),
        (with_column(pd.Timestamp("2020-01-01")), "'odd' is not numeric: row 0"),
        (with_column([{}, 1, 2, 3]), r"'odd' is not numeric: row 0 holds \{\}"),
        (with_column(1j), "Complex data not supported: feature 'odd'"),
        (np.array([["1"], ["2"], ["3"], ["4"]]), "'x0' is not numeric: row 0 holds '1'"),
        (FRAME.rename(columns={"flag": "age"}), "Columns 0 and 2 are both named 'age'"),
        (FRAME.rename(columns={"flag": ""}), "Column 2 has no name"),
        (FRAME.rename(columns={"flag": None}), "Column 2 has no name"),
        (FRAME[[]], r"0 feature\(s\) \(shape=\(4, 0\)\)"),
        ([[1], [2, 3], [4], [5]], "rows of X differ in length"),
        ([1, 2, 3, 4], "X has 1 dimension.*Reshape your data"),
        (np.zeros((4, 1, 1)), "X has 3 dimensions"),
        (np.zeros((1, 2)), "has 1 sample"),
        (np.zeros((0, 2)), "has 0 samples"),
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
