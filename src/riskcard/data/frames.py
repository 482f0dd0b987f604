"""Any table in memory: its columns by name or by position, and some of its rows."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from riskcard.data.raw_columns import is_masked, read_raw
from riskcard.errors import DataError, ParameterError, SolverMissing

#: Of a new frame: by name the type of the values (``str``, ``int`` or ``float``), and the values.
Columns = Mapping[str, tuple[type, Sequence[Any]]]
#: The libraries whose frames can be made.
FRAMES = ("pandas", "polars", "pyarrow")


class NotANumber(DataError, TypeError):
    """A value is of a type that can be neither a number nor a level."""


def column_names(table: Any) -> list[Any] | None:
    """The names of the columns; None for arrays and lists of rows, which have none.

    A column is then ``table[name]`` in every library. Sparse matrices are refused here, because
    some of them pass for mappings. Attributes are looked up on the class: a frame of pandas would
    search its columns for the name, which is slow, and may have one of that name.
    """
    kind = type(table)
    if hasattr(kind, "tocsr") or hasattr(kind, "tocoo"):
        raise NotANumber(
            "X is a sparse matrix, and sparse data are not supported. Use X.toarray()."
        )
    if isinstance(table, Mapping):
        return list(table)
    if hasattr(kind, "column_names"):  # pyarrow
        return list(table.column_names)
    return list(table.columns) if hasattr(kind, "columns") else None  # pandas, polars


def rows_as_array(rows: Any) -> NDArray[Any]:
    """An array or a list of rows as an array of two dimensions; masked values become None."""
    if is_masked(rows):
        rows = rows.tolist()
    try:
        # lists become objects, or True next to 2.5 would become 1.0, and 1 next to "a" a text
        array = np.asarray(rows) if hasattr(rows, "__array__") else np.array(rows, dtype=object)
        is_ragged = array.ndim == 1 and any(isinstance(row, (list, tuple)) for row in array)
    except ValueError:
        is_ragged = True
    if is_ragged:
        raise DataError(
            "The rows of X differ in length. Give every row one value for each feature."
        )
    if array.ndim != 2:
        raise DataError(
            f"X has {array.ndim} dimension{'' if array.ndim == 1 else 's'}, but 2 are needed: rows "
            "by features. Reshape your data: X.reshape(-1, 1) makes it a single feature and "
            "X.reshape(1, -1) a single row."
        )
    return array


def find_columns(table: Any, feature_names: Sequence[str], wanted: Sequence[str]) -> dict[str, Any]:
    """The wanted columns as the table has them, by name where it has names.

    Parameters
    ----------
    table
        An array or a list of rows whose columns follow ``feature_names``; or a data frame (pandas,
        polars, pyarrow); or a mapping from name to column or to one value.
    feature_names
        The columns of the training table, in order.
    wanted
        The names to return; no other column is touched.
    """
    names = column_names(table)
    if names is None or not all(isinstance(name, str) for name in names):
        return columns_in_order(table, feature_names, wanted)
    missing = [name for name in wanted if name not in names]
    if missing:
        listed = ", ".join(repr(name) for name in missing)
        raise DataError(
            f"The card needs {'columns' if len(missing) > 1 else 'column'} {listed}, which the "
            "rows do not have. Add what is missing, or rename the columns as in training."
        )
    return {name: table[name] for name in wanted}


def columns_in_order(
    table: Any, feature_names: Sequence[str], wanted: Sequence[str]
) -> dict[str, Any]:
    """The wanted columns by their position in ``feature_names``, whatever the table calls them."""
    place = {name: position for position, name in enumerate(feature_names)}
    names = column_names(table)
    if names is None:
        array = rows_as_array(table)
        _require_width(array.shape, len(feature_names))
        return {name: array[:, place[name]] for name in wanted}
    _require_width((count_rows(table), len(names)), len(feature_names))
    return {name: table[names[place[name]]] for name in wanted}


def take_rows(table: Any, positions: NDArray[np.intp]) -> Any:
    """The rows at the given positions, in that order; a position may be repeated.

    Parameters
    ----------
    table
        A pandas, polars or pyarrow table, an array, a list of rows, or a mapping from name to column.
    positions
        Counted from 0.

    Returns
    -------
    object
        A table of the same kind, so that types, categories and missing values stay as they are.

    Examples
    --------
    >>> take_rows([[1, "a"], [3, "b"]], np.array([1, 1, 0]))
    [[3, 'b'], [3, 'b'], [1, 'a']]
    """
    if isinstance(table, (list, tuple)):
        return [table[position] for position in positions]
    if isinstance(table, Mapping):
        return {
            name: column.take(positions)
            if hasattr(column, "take")
            else take_rows(column, positions)
            for name, column in table.items()
        }
    if hasattr(table, "column_names"):  # pyarrow, or a FeatureTable
        return table.take(positions)
    if column_names(table) is None:
        return np.asanyarray(table)[positions]
    import narwhals.stable.v2 as nw

    return nw.from_native(table, eager_only=True)[positions].to_native()


def make_frame(columns: Columns, backend: str) -> Any:
    """A new data frame.

    Parameters
    ----------
    columns
        Types and values. None is a missing value; whole numbers become floats where there is one.
    backend
        The library of the frame: "pandas", "polars" or "pyarrow".

    Raises
    ------
    SolverMissing
        The library is not installed.
    """
    import narwhals.stable.v2 as nw

    if backend not in FRAMES:
        known = ", ".join(map(repr, FRAMES))
        raise ParameterError(f"backend is {backend!r}. Use one of {known}.")
    try:
        import_module(backend)
    except ImportError:
        raise SolverMissing(
            f"A frame needs {backend}, which is not installed. Install it, or name another backend."
        ) from None
    kinds = {str: nw.String, int: nw.Int64, float: nw.Float64}
    data, schema = {}, {}
    for name, (kind, values) in columns.items():
        data[name] = list(values)
        schema[name] = kinds[float if kind is int and None in data[name] else kind]()
    return nw.from_dict(data, schema, backend=cast(Any, backend)).to_native()


def count_rows(table: Any) -> int:
    """The number of rows of a table."""
    if isinstance(table, Mapping):
        return read_raw(next(iter(table.values()))).values.shape[0] if table else 0
    return len(table if hasattr(table, "__len__") else np.asarray(table))


def _require_width(shape: tuple[int, ...], n_columns: int) -> None:
    if len(shape) != 2 or shape[1] != n_columns:
        raise DataError(
            f"The rows have shape {shape}, but the card was made for {n_columns} columns. "
            "Give a 2-D array with the columns of training, or a data frame with names."
        )
