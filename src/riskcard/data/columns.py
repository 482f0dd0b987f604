"""One column of training data as floats: numbers, or indices of levels."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riskcard.data.frames import NotANumber
from riskcard.data.levels import BOOLEAN, Label, Levels, are_numbers, sort_labels
from riskcard.data.raw_columns import LARGEST_EXACT, as_float, distinct_values, is_missing, read_raw
from riskcard.errors import DataError, warn

#: A category with at most this many levels is never taken for an identifier.
MANY_LEVELS = 20

_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
#: Types that numpy turns into floats as ``float`` does, None into NaN.
_NUMBERS = {int, float, type(None)}


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

    def codes(self) -> NDArray[np.int64]:
        """For each row the index of its level; missing values come after the last level."""
        after_last = 0 if self.levels is None else len(self.levels.names)
        return np.where(np.isnan(self.values), after_last, self.values).astype(np.int64)

    def by_name(self) -> NDArray[Any]:
        """Numbers as they are; levels by their names, None where missing."""
        if self.levels is None:
            return self.values
        return np.array([*self.levels.names, None], dtype=object)[self.codes()]

    def forget_unseen(self) -> FeatureValues:
        """Without the levels that no row has; ordered ones are kept, as they were declared."""
        if self.levels is None or self.levels.is_ordered:
            return self
        names, codes = [*self.levels.names, None], self.codes()
        occurs = np.bincount(codes, minlength=len(names)) > 0
        return levels_from([name if occurs[i] else None for i, name in enumerate(names)], codes)


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
        return column.forget_unseen()
    values, levels, is_ordered = read_raw(column)
    if levels is not None:
        return _from_category(values, levels, is_ordered, name)
    kind = values.dtype.kind
    if kind == "O":
        return _from_objects(values.tolist(), name)
    if kind in "iu":
        warn_of_lost_digits(values, name)
    return FeatureValues(values.astype(np.float64), BOOLEAN if kind == "b" else None)


def is_identifier(feature: FeatureValues) -> bool:
    """Whether most rows have a level of their own, as with names of people, so that levels form no groups."""
    values, levels = feature
    if levels is None or levels.is_ordered or len(levels.names) <= MANY_LEVELS:
        return False
    return len(levels.names) > int(np.count_nonzero(~np.isnan(values))) / 2


def warn_of_lost_digits(whole: NDArray[Any], name: str) -> None:
    """Warn if whole numbers become equal as floats, which have 53 binary digits."""
    if whole.size == 0 or max(abs(int(whole.min())), abs(int(whole.max()))) <= LARGEST_EXACT:
        return
    n_lost = np.unique(whole).size - np.unique(whole.astype(np.float64)).size
    if n_lost > 0:
        warn(
            f"Feature {name!r} has whole numbers so large that floats cannot tell all of them "
            f"apart: {n_lost} of them count as equal to others, on the card and in its proof. "
            "Subtract a constant, or leave the feature out if it is an identifier."
        )


def levels_from(labels: Sequence[Label | None], codes: NDArray[np.int64]) -> FeatureValues:
    """A categorical feature from the label of each code; None is missing."""
    present = {label for label in labels if label is not None}
    are_booleans = bool(present) and all(isinstance(label, bool) for label in present)
    levels = BOOLEAN if are_booleans else Levels(sort_labels(present))
    place = {label: float(index) for index, label in enumerate(levels.names)}
    values = np.array([np.nan if label is None else place[label] for label in labels])
    return FeatureValues(values[codes], levels)


# --- by kind of value ---------------------------------------------------------------------------


def _from_objects(values: list[Any], name: str) -> FeatureValues:
    """Texts, booleans or numbers, with missing values; texts mixed with others are refused."""
    kinds = set(map(type, values))
    if kinds != {str} and not kinds <= _NUMBERS:
        kinds = {type(value) for value in values if not is_missing(value)}
    is_text = [issubclass(kind, str) for kind in kinds]
    if any(is_text):
        if not all(is_text):
            raise _mixed(values, name)
        return _from_texts(values, name)
    floats = _as_floats(values, kinds, name)
    if LARGEST_EXACT <= np.nanmax(np.abs(floats), initial=0.0) < np.inf:
        whole = [value for value in values if isinstance(value, (int, np.integer))]
        warn_of_lost_digits(np.array(whole, dtype=object), name)
    is_boolean = bool(kinds) and kinds <= {bool, np.bool_}
    return FeatureValues(floats, BOOLEAN if is_boolean else None)


def _as_floats(values: list[Any], kinds: set[type], name: str) -> NDArray[np.float64]:
    if kinds <= _NUMBERS | {bool}:
        try:
            return np.array(values, dtype=np.float64)
        except (OverflowError, TypeError):
            pass  # NA, or a number beyond all floats
    floats = [_as_float(value, row, name) for row, value in enumerate(values)]
    return np.array(floats, dtype=np.float64)


def _from_texts(values: list[Any], name: str) -> FeatureValues:
    different, codes = distinct_values(values)
    texts = [None if is_missing(value) else str(value) for value in different]
    names = sort_labels({text for text in texts if text is not None})
    if len(names) > 2 and are_numbers(names):
        warn(
            f"Feature {name!r} holds numbers written as texts, such as {names[0]!r}, and is taken "
            "for a category. Turn it into numbers if larger means more of something."
        )
    return levels_from(texts, codes)


def _from_category(
    codes: NDArray[np.int64], levels: tuple[Any, ...], is_ordered: bool, name: str
) -> FeatureValues:
    try:
        feature = FeatureValues(np.where(codes < 0, np.nan, codes), Levels(levels, is_ordered))
    except DataError as error:
        raise DataError(f"Feature {name!r}: {error}") from None
    return feature.forget_unseen()


def _as_float(value: Any, row: int, name: str) -> float:
    if isinstance(value, (*_DATES, bytes, complex)) and not is_missing(value):
        raise _unusable(value, row, name)
    try:
        return as_float(value)
    except (TypeError, ValueError):
        raise _unusable(value, row, name) from None


def _mixed(values: list[Any], name: str) -> DataError:
    """The error for texts mixed with other values, with the first of each."""
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
        return DataError(
            f"Complex data not supported: feature {name!r} holds {shown} in row {row}. "
            "Give its real part, or leave it out."
        )
    return NotANumber(
        f"{what}, where the argument must be a string, a boolean or a number. "
        "Turn it into one of them, or leave it out."
    )
