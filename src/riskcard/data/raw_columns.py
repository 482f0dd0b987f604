"""The one reader of columns in memory: a column of any library as a numpy array."""

import math
import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Up to this size every whole number is exact as a float.
LARGEST_EXACT = 2**53


class RawColumn(NamedTuple):
    """The values of one column.

    Attributes
    ----------
    values
        Numbers, with NaN for missing values; booleans, if none is missing; or objects, in which
        None, NaN, NA and NaT are missing. For a categorical column the index of each row's level,
        -1 where missing.
    levels
        The levels of a column that its library calls categorical; None for any other column.
    is_ordered
        The levels were declared in an order that means something.
    """

    values: NDArray[Any]
    levels: tuple[Any, ...] | None = None
    is_ordered: bool = False

    def as_array(self) -> NDArray[Any]:
        """The values themselves, levels included; None where a level is missing."""
        if self.levels is None:
            return self.values
        known: NDArray[Any] = _as_objects([*self.levels, None])
        chosen: NDArray[Any] = known[self.values]
        return chosen


def read_raw(column: Any) -> RawColumn:
    """Read a column of numpy, pandas, polars or pyarrow, a list, or a single value.

    Examples
    --------
    >>> read_raw([1, 2.5]).values, read_raw([True, 2.5]).values
    (array([1. , 2.5]), array([True, 2.5], dtype=object))
    """
    if isinstance(column, np.ndarray):
        return RawColumn(_from_array(column))
    if isinstance(column, (list, tuple)):
        return RawColumn(_from_list(list(column)))
    is_array = hasattr(column, "__array__")
    is_single = isinstance(column, (str, bytes, np.generic))
    if is_single or not (is_array or isinstance(column, Iterable)):
        return RawColumn(_as_objects([column]))
    # numbers of pandas are numpy's as a rule, and one row should not take the time of narwhals
    is_numpy = isinstance(getattr(column, "dtype", None), np.dtype) and column.dtype.kind in "fiub"
    series = None if is_numpy else _as_series(column)
    if series is not None:
        return _from_series(series)
    return RawColumn(_from_array(np.asarray(column)) if is_array else _from_list(list(column)))


def is_missing(value: Any) -> bool:
    """None, NaN, pandas' NA or NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(value != value)


def is_masked(array: Any) -> bool:
    """Whether an array hides values; numpy loads such arrays only when someone uses them."""
    return "numpy.ma" in sys.modules and isinstance(array, np.ma.MaskedArray)


def as_float(value: Any) -> float:
    """One value as a float: NaN where missing, infinity beyond the largest float."""
    if is_missing(value):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def distinct_values(values: list[Any]) -> tuple[list[Any], NDArray[np.int64]]:
    """The different values in order of appearance, and the index of the value in each row.

    True and 1 are different. Raises TypeError for values that cannot be hashed.
    """
    kinds = set(map(type, values))
    # True equals 1, so values are paired with their types, but only if needed: it takes twice the time
    is_mixed = len(kinds) > 1 and not kinds.isdisjoint({bool, np.bool_})
    keys = list(zip(map(type, values), values, strict=True)) if is_mixed else values
    index = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    codes = np.fromiter(map(index.__getitem__, keys), dtype=np.int64, count=len(keys))
    return ([key[1] for key in index] if is_mixed else list(index)), codes


def rows_in_words(is_meant: NDArray[np.bool_]) -> str:
    """Which rows: their number, and the first of them."""
    rows = np.flatnonzero(is_meant)
    if rows.size == 1:
        return f"row {rows[0]}"
    return f"{rows.size:,} rows, the first is row {rows[0]}"


# --- by kind of column --------------------------------------------------------------------------


def _from_array(array: NDArray[Any]) -> NDArray[Any]:
    array = np.atleast_1d(array)
    if is_masked(array):
        return np.array(array.tolist(), dtype=object)  # None where masked
    if array.dtype.kind in "mM":  # dates in nanoseconds would become whole numbers
        array = array.astype(f"{array.dtype.kind}8[us]")
    return array if array.dtype.kind in "fiub" else array.astype(object, copy=False)


def _from_list(values: list[Any]) -> NDArray[Any]:
    """Numbers or booleans if all values are; otherwise objects, as True next to 2.5 stays True."""
    kinds = set(map(type, values))
    if kinds and (kinds <= {int, float} or kinds == {bool}):
        try:
            array = np.array(values)
        except OverflowError:
            return _as_objects(values)
        return array if array.dtype.kind in "fiub" else array.astype(object)
    return np.array(values, dtype=object)


def _as_objects(values: Any) -> NDArray[Any]:
    """An array of one dimension, even if the values are lists."""
    return np.fromiter(values, dtype=object, count=len(values))


def _as_series(column: Any) -> Any:
    """The column as a narwhals series; None if narwhals does not know its library."""
    import narwhals.stable.v2 as nw

    if hasattr(column, "to_pylist") and not hasattr(column, "chunks"):
        import pyarrow  # narwhals knows its chunked arrays only

        column = pyarrow.chunked_array([column])
    series = nw.from_native(column, series_only=True, pass_through=True)
    return series if isinstance(series, nw.Series) else None


def _from_series(series: Any) -> RawColumn:
    import narwhals.stable.v2 as nw

    dtype = series.dtype
    if isinstance(dtype, (nw.Categorical, nw.Enum)):
        return _from_category(series, getattr(dtype, "categories", None))
    if isinstance(dtype, nw.Decimal):
        series, dtype = series.cast(nw.Float64), nw.Float64()
    if dtype.is_integer() and series.null_count() and _is_beyond_floats(series):
        return RawColumn(_as_objects(series.to_list()))
    if dtype.is_numeric() or (dtype == nw.Boolean and not series.null_count()):
        return RawColumn(series.to_numpy())
    return RawColumn(_as_objects(series.to_list()))


def _from_category(series: Any, declared: Any) -> RawColumn:
    """Indices and levels, which pandas and pyarrow have at hand, though narwhals gives neither."""
    native = series.to_native()
    pandas_category: Any = getattr(native, "cat", None)
    if hasattr(pandas_category, "codes"):
        codes, levels = pandas_category.codes.to_numpy(), pandas_category.categories
        return RawColumn(codes.astype(np.int64), tuple(levels), bool(pandas_category.ordered))
    if hasattr(native, "unify_dictionaries"):
        whole = native.unify_dictionaries().combine_chunks()
        if not whole.dictionary.null_count:
            codes = whole.indices.cast("int64").fill_null(-1).to_numpy()
            return RawColumn(codes, tuple(whole.dictionary.to_pylist()), whole.type.ordered)
    values = series.to_list()
    levels = declared or dict.fromkeys(value for value in values if not is_missing(value))
    place = {level: index for index, level in enumerate(levels)}
    codes = np.array([place.get(value, -1) for value in values], dtype=np.int64)
    return RawColumn(codes, tuple(levels), is_ordered=declared is not None)


def _is_beyond_floats(series: Any) -> bool:
    """Whether some whole number loses digits as a float."""
    known = series.drop_nulls()
    return len(known) > 0 and max(abs(int(known.min())), abs(int(known.max()))) > LARGEST_EXACT
