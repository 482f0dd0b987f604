"""A piece of a table as numbers: features, events and weights of its rows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.errors import DataError

#: Whole numbers from here on are not all floats, so that sums of weights would lose digits.
MOST_WEIGHT = 2**53


class Kind(str, Enum):
    """What the cells of a column are."""

    NUMBER = "number"
    BOOLEAN = "yes or no"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is read of each row.

    Attributes
    ----------
    features
        From name to kind, in the order of the columns.
    target
        The column with the label.
    event
        The label of the event; None before it is known.
    weights
        The column with the weights; None where every row weighs 1.
    codes
        For some features the numbers that are codes.
    sample_rows
        The most different rows of a sample.
    """

    features: Mapping[str, Kind]
    target: str
    event: Any = None
    weights: str | None = None
    codes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    sample_rows: int = 0

    @property
    def columns(self) -> list[str]:
        """All columns that are read."""
        further = [self.target, *([] if self.weights is None else [self.weights])]
        return list(dict.fromkeys([*self.features, *further]))


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a piece, without those of weight 0.

    Attributes
    ----------
    values
        One array per feature: numbers, NaN where missing; of texts the place in ``texts``.
    texts
        For each feature of texts the different ones.
    is_event
        Which rows have the event.
    weights
        Whole numbers.
    """

    values: tuple[Floats, ...]
    texts: Mapping[int, tuple[str, ...]]
    is_event: Booleans
    weights: Integers


def divide_columns(schema: Any) -> tuple[dict[str, Kind], dict[str, str]]:
    """From each usable column to its kind, and from each other one to its type."""
    kinds, unusable = {}, {}
    for column in schema:
        kind = kind_of(column.type)
        if kind is None:
            unusable[column.name] = str(column.type)
        else:
            kinds[column.name] = kind
    return kinds, unusable


def kind_of(type_: Any) -> Kind | None:
    """The kind of a type of Arrow; None for dates and what else is no feature."""
    from pyarrow import types

    if types.is_dictionary(type_):
        return kind_of(type_.value_type)
    if types.is_boolean(type_):
        return Kind.BOOLEAN
    is_number = types.is_integer(type_) or types.is_floating(type_) or types.is_decimal(type_)
    if is_number or types.is_null(type_):
        return Kind.NUMBER
    is_text = (types.is_string, types.is_large_string, getattr(types, "is_string_view", None))
    return Kind.TEXT if any(test is not None and test(type_) for test in is_text) else None


def read_rows(piece: Any, wanted: Wanted) -> Rows:
    """The rows of a piece, a table of pyarrow."""
    import pyarrow.compute as pc

    weights = read_weights(piece, wanted)
    if weights is not None and not weights.all():
        piece, weights = piece.filter(weights > 0), weights[weights > 0]
    n_rows = piece.num_rows
    values, texts = [], {}
    for f, (name, kind) in enumerate(wanted.features.items()):
        if kind is Kind.TEXT:
            places, texts[f] = _read_texts(piece.column(name))
            values.append(places)
        else:
            values.append(read_numbers(piece.column(name), name))
    target = piece.column(wanted.target)
    is_event = np.zeros(n_rows, dtype=bool)
    if n_rows:
        is_same = pc.equal(_plain_texts(target), wanted.event)
        is_event = is_same.combine_chunks().to_numpy(zero_copy_only=False).astype(bool)
    if weights is None:
        weights = np.ones(n_rows, dtype=np.int64)
    return Rows(tuple(values), texts, is_event, weights)


def read_numbers(column: Any, name: str) -> Floats:
    """A column of numbers as floats, NaN where missing; infinite ones are refused."""
    import pyarrow as pa

    try:
        if pa.types.is_boolean(column.type):
            column = column.cast(pa.uint8())
        numbers = column.cast(pa.float64(), safe=False).to_numpy()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise DataError(f"Feature {name!r} is not numeric: {_first_line(error)}.") from None
    numbers = np.asarray(numbers, dtype=np.float64) + 0.0  # -0.0 is 0.0
    if np.isinf(numbers).any():
        raise infinite(name)
    return numbers


def infinite(name: str) -> DataError:
    """The error for a column with infinite numbers."""
    return DataError(
        f"Feature {name!r} is infinite in some rows. Replace infinities by a large finite value, or "
        "leave the feature out."
    )


def read_weights(piece: Any, wanted: Wanted) -> Integers | None:
    """The weights of a piece; None without any."""
    if wanted.weights is None:
        return None
    weights = read_numbers(piece.column(wanted.weights), wanted.weights)
    is_bad = ~(weights >= 0) | (weights != np.floor(weights)) | (weights >= MOST_WEIGHT)
    if is_bad.any():
        raise bad_weight(wanted.weights, float(weights[is_bad][0]))
    return weights.astype(np.int64)


def bad_weight(name: str, value: float) -> DataError:
    """The error for a weight that cannot be added up exactly."""
    return DataError(
        f"The weight {name!r} is {value:g} in some rows. Weights of a table that is read in pieces are "
        "whole numbers of at least 0, so that their sums are exact: multiply all of them by one factor and "
        "round."
    )


def text_bits(texts: tuple[str, ...]) -> Integers:
    """32 bits of each text, which databases can compute as well."""
    digests = [
        hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
        for text in texts
    ]
    return np.array([int(one[:8], 16) for one in digests], dtype=np.int64)


def label_counts(piece: Any, wanted: Wanted) -> dict[Any, Integers]:
    """For each label of a piece its rows, their weight and the sum of the squares of weights."""
    weights = read_weights(piece, wanted)
    target = _plain_texts(piece.column(wanted.target)).combine_chunks().dictionary_encode()
    places = target.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    if weights is None:
        weights = np.ones(places.size, dtype=np.int64)
    labels, found = [*target.dictionary.to_pylist(), None], {}
    for place, label in enumerate(labels):
        own = weights[(places == (place if label is not None else -1)) & (weights > 0)]
        if own.size:
            squares = int((own.astype(object) ** 2).sum()) if own.max() > 1 else own.size
            found[label] = np.array([own.size, int(own.sum()), squares], dtype=object)
    return found


def _read_texts(column: Any) -> tuple[Floats, tuple[str, ...]]:
    import pyarrow as pa

    column = _plain_texts(column)
    if not pa.types.is_string(column.type) and not pa.types.is_large_string(column.type):
        column = column.cast(pa.string())
    coded = column.combine_chunks().dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    places = coded.indices.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return np.asarray(places, dtype=np.float64), tuple(coded.dictionary.to_pylist())


def _plain_texts(column: Any) -> Any:
    """A column without a dictionary: those of pieces differ."""
    import pyarrow as pa

    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".")
