"""One column of the user's table, of whatever kind, as floats: numbers, or indices of levels."""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riskcard.data.levels import BOOLEAN, Levels, are_numbers, as_label, sort_labels
from riskcard.errors import DataError, RiskcardWarning

#: Categories of at most so many levels are never taken for identifiers.
MANY_LEVELS = 20

#: Up to this every whole number is a float.
LARGEST_EXACT = 2**53

_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
_ARROW_NUMBERS = ("int", "uint", "float", "double", "halffloat", "null")


class NotANumber(DataError, TypeError):
    """A value is of a type that neither a number nor a level can be made of."""


class FeatureValues(NamedTuple):
    """The values of one feature.

    Attributes
    ----------
    values
        Numbers; for a categorical feature the index of the level. NaN where missing.
    levels
        None for a numeric feature.
    """

    values: NDArray[np.float64]
    levels: Levels | None


def read_column(column: Any, name: str) -> FeatureValues:
    """Read one column: numbers, texts, categories or booleans, any of them missing.

    Parameters
    ----------
    column
        A numpy array, a sequence, a column of pandas, polars or pyarrow, or ``FeatureValues``.
    name
        The name of the feature, for error messages.

    Examples
    --------
    >>> read_column(["b", None, "a"], "shape")
    FeatureValues(values=array([ 1., nan,  0.]), levels=Levels(names=('a', 'b'), is_ordered=False))
    """
    if isinstance(column, FeatureValues):
        return keep_occurring(column)
    if hasattr(column, "iloc"):
        return _from_pandas(column, name)
    if hasattr(column, "to_pylist"):
        return _from_arrow(column, name)
    if hasattr(column, "to_physical"):
        return _from_polars(column, name)
    return _from_numpy(np.asarray(column), name)


def is_missing(value: Any) -> bool:
    """None, NaN, pandas' NA or NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(value != value)


def is_identifier(feature: FeatureValues) -> bool:
    """Most rows have a level of their own, as with names: it tells rows apart, but no groups."""
    values, levels = feature
    if levels is None or levels.is_ordered or len(levels.names) <= MANY_LEVELS:
        return False
    return len(levels.names) > int(np.count_nonzero(~np.isnan(values))) / 2


# --- by kind of column --------------------------------------------------------------------------


def _from_pandas(column: Any, name: str) -> FeatureValues:
    kind = getattr(column.dtype, "kind", "O")
    if hasattr(column, "cat"):
        return _from_categories(column.cat, name)
    if kind in "fiub":
        # nullable numbers would become objects otherwise
        floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
        if kind in "iu":
            warn_of_lost_digits(column.dropna().to_numpy(), name)
        return FeatureValues(floats, BOOLEAN if kind == "b" else None)
    if kind == "O":
        return _from_objects(list(column), name)
    return _from_numpy(column.to_numpy(), name)


def warn_of_lost_digits(whole: NDArray[Any], name: str) -> None:
    """Floats have 53 binary digits: different whole numbers beyond that may become one."""
    if whole.size == 0 or max(abs(int(whole.min())), abs(int(whole.max()))) <= LARGEST_EXACT:
        return
    n_lost = np.unique(whole).size - np.unique(whole.astype(np.float64)).size
    if n_lost > 0:
        warnings.warn(
            f"Feature {name!r} has whole numbers so large that floats cannot tell all of them apart: "
            f"{n_lost} of them count as equal to others, on the card and in its proof. Subtract a "
            "constant, or leave the feature out if it is an identifier.",
            RiskcardWarning,
            stacklevel=2,
        )


def _from_categories(categories: Any, name: str) -> FeatureValues:
    """A pandas category: its codes are at hand."""
    codes = categories.codes.to_numpy().astype(np.float64)
    codes[codes < 0] = np.nan
    levels = _declared_levels(list(categories.categories), bool(categories.ordered), name)
    return keep_occurring(FeatureValues(codes, levels))


def _from_arrow(column: Any, name: str) -> FeatureValues:
    kind = str(column.type)
    if kind.startswith(_ARROW_NUMBERS):
        if kind.startswith(("int", "uint")):
            warn_of_lost_digits(np.asarray(column.drop_null()), name)
        return FeatureValues(np.asarray(column).astype(np.float64), None)
    if not (kind.startswith("dictionary") and column.type.ordered):
        return _from_objects(column.to_pylist(), name)
    chunks = getattr(column.unify_dictionaries(), "chunks", [column])
    declared = chunks[0].dictionary.to_pylist() if chunks else []
    return _from_ordered(column.to_pylist(), declared, name)


def _from_polars(column: Any, name: str) -> FeatureValues:
    kind = str(column.dtype)
    if column.dtype.is_numeric() or kind == "Null":
        if column.dtype.is_integer():
            warn_of_lost_digits(column.drop_nulls().to_numpy(), name)
        return FeatureValues(column.cast(float).to_numpy().astype(np.float64), None)
    if kind.startswith("Enum"):
        return _from_ordered(column.to_list(), list(column.dtype.categories), name)
    return _from_objects(column.to_list(), name)


def _from_numpy(array: NDArray[Any], name: str) -> FeatureValues:
    kind = array.dtype.kind
    if kind in "fiub":
        if kind in "iu":
            warn_of_lost_digits(array, name)
        return FeatureValues(array.astype(np.float64), BOOLEAN if kind == "b" else None)
    if kind == "c":
        raise DataError(
            f"Complex data not supported: feature {name!r} holds complex numbers. "
            "Give its real part, or leave it out."
        )
    if kind in "OU":
        return _from_objects(array.tolist(), name)
    if array.size == 0:
        return FeatureValues(np.empty(0), None)
    raise _unusable(array[0], 0, name)


# --- by kind of value ---------------------------------------------------------------------------


def _from_objects(values: list[Any], name: str) -> FeatureValues:
    """Texts, booleans or numbers, and missing values among them; not texts and others together."""
    kinds = set(map(type, values))
    if kinds != {str}:
        kinds = {type(value) for value in values if not is_missing(value)}
    is_text = [issubclass(kind, str) for kind in kinds]
    if any(is_text):
        if not all(is_text):
            raise _mixed(values, name)
        return _from_texts(values, name)
    floats = np.array([_as_float(value, row, name) for row, value in enumerate(values)])
    is_boolean = bool(kinds) and kinds <= {bool, np.bool_}
    return FeatureValues(floats.astype(np.float64), BOOLEAN if is_boolean else None)


def _from_texts(values: list[Any], name: str) -> FeatureValues:
    names = sort_labels({str(value) for value in values if isinstance(value, str)})
    if len(names) > 2 and are_numbers(names):
        warnings.warn(
            f"Feature {name!r} holds numbers written as texts, such as {names[0]!r}, and is taken "
            "for a category. Turn it into numbers if they mean more or less of something.",
            RiskcardWarning,
            stacklevel=2,
        )
    place = {text: float(index) for index, text in enumerate(names)}
    codes = np.array([place.get(value, np.nan) for value in values])
    return FeatureValues(codes, Levels(names))


def _from_ordered(values: list[Any], declared: Sequence[Any], name: str) -> FeatureValues:
    place = {value: float(index) for index, value in enumerate(declared)}
    codes = np.array([place.get(value, np.nan) for value in values], dtype=np.float64)
    return FeatureValues(codes, _declared_levels(declared, True, name))


def _declared_levels(declared: Sequence[Any], is_ordered: bool, name: str) -> Levels:
    try:
        return Levels(tuple(as_label(value) for value in declared), is_ordered)
    except DataError as error:
        raise DataError(f"Feature {name!r}: {error}") from None


def keep_occurring(feature: FeatureValues) -> FeatureValues:
    """Sort levels without an order, and forget those that no row has; leave others as they are."""
    values, levels = feature
    if levels is None or levels.is_ordered:
        return feature
    is_known = ~np.isnan(values)
    codes = values[is_known].astype(np.int64)
    occurs = np.bincount(codes, minlength=len(levels.names)) > 0
    kept = Levels(
        sort_labels(level for level, is_seen in zip(levels.names, occurs, strict=True) if is_seen)
    )
    if kept.names and all(isinstance(level, bool) for level in kept.names):
        kept = BOOLEAN
    if kept == levels:
        return feature
    place = {level: float(index) for index, level in enumerate(kept.names)}
    new_codes = np.array([place.get(level, np.nan) for level in levels.names])
    renumbered = np.full(values.size, np.nan)
    renumbered[is_known] = new_codes[codes]
    return FeatureValues(renumbered, kept)


def _as_float(value: Any, row: int, name: str) -> float:
    if is_missing(value):
        return float("nan")
    if isinstance(value, (*_DATES, bytes, complex)):
        raise _unusable(value, row, name)
    try:
        return float(value)
    except OverflowError:
        return float("inf")
    except (TypeError, ValueError):
        raise _unusable(value, row, name) from None


def _mixed(values: list[Any], name: str) -> DataError:
    """The error for a column of texts and others: the first of each."""
    first: dict[bool, tuple[int, Any]] = {}
    for row, value in enumerate(values):
        if not is_missing(value):
            first.setdefault(isinstance(value, str), (row, value))
    (row, value), (text_row, text) = first[False], first[True]
    return DataError(
        f"Feature {name!r} mixes texts with other values: row {row} holds {value!r} and row "
        f"{text_row} holds {text!r}. Turn all of them into numbers (missing where there is none), "
        "or all of them into texts."
    )


def _unusable(value: Any, row: int, name: str) -> DataError:
    shown = str(value) if isinstance(value, _DATES) else repr(value)
    what = f"Feature {name!r} is not numeric: row {row} holds {shown}"
    if isinstance(value, _DATES) or type(value).__name__ == "Period":
        return DataError(
            f"{what}, and dates and times are not read. Turn it into a number, such as a number of "
            "days since a fixed date, or leave it out."
        )
    if isinstance(value, bytes):
        return DataError(f"{what}, which is bytes. Decode it into texts, or leave it out.")
    if isinstance(value, complex):
        return DataError(f"Complex data not supported: {what}. Give its real part.")
    return NotANumber(
        f"{what}, where the argument must be a string, a boolean or a number. "
        "Turn it into one of them, or leave it out."
    )
