"""A hash of rows as a set: the same rows have the same hash in any order and from any source.

Every cell is mixed with the name of its column, the cells of a row are added up and mixed again,
and the rows are added up: two sums of 64 bits, which depend neither on the order of rows nor on
that of columns, and in which a row counts as often as it occurs. This detects rows that differ by
accident; it is no protection against someone who looks for other rows with the same hash.
"""

import hashlib
import struct
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from riskcard.data.columns import FeatureValues
from riskcard.data.levels import Label

#: Cells at a time, so that the work stays in the processor's cache.
CHUNK = 32_768
#: The multipliers and shifts of the finaliser of splitmix64, a bijection that changes half of all bits.
FIRST_FACTOR, SECOND_FACTOR = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
#: The bits of every missing value, whether of a number or a level.
MISSING = np.uint64(0x7FF8000000000000)

Bits = NDArray[np.uint64]


def hash_rows(
    features: Mapping[str, FeatureValues],
    is_event: NDArray[np.bool_],
    weights: NDArray[np.float64],
) -> str:
    """The hash of rows as 32 hexadecimal digits.

    Parameters
    ----------
    features
        From name to values and levels.
    is_event
        Which rows have the event.
    weights
        The weight of each row as the user gave it, 1 where there are none.

    Examples
    --------
    >>> age = FeatureValues(np.array([61.0, 50.0]), None)
    >>> one = hash_rows({"age": age}, np.array([True, False]), np.ones(2))
    >>> age = FeatureValues(np.array([50.0, 61.0]), None)
    >>> one == hash_rows({"age": age}, np.array([False, True]), np.ones(2))
    True
    """
    return hash_choices(features, [list(features)], is_event, weights)[0]


def hash_choices(
    features: Mapping[str, FeatureValues],
    choices: Sequence[Sequence[str]],
    is_event: NDArray[np.bool_],
    weights: NDArray[np.float64],
) -> list[str]:
    """The hash of rows with each of several choices of their features; every cell is mixed once."""
    columns = {
        "event": FeatureValues(is_event.astype(np.float64), None),
        "weight": FeatureValues(weights, None),
    } | {f"feature {name}": feature for name, feature in features.items()}
    place = {name: index for index, name in enumerate(features, start=2)}
    chosen = [[0, 1, *(place[name] for name in names)] for names in choices]
    keys = np.array([_keys_of(name) for name in columns], dtype=np.uint64).T[:, :, None]
    level_bits = [_bits_of_levels(column) for column in columns.values()]
    sums = [[0, 0] for _ in choices]
    step = max(1, CHUNK // (2 * len(columns)))
    for start in range(0, is_event.size, step):
        values = np.stack([column.values[start : start + step] for column in columns.values()])
        mixed = _mix(_bits_of_cells(values, level_bits) ^ keys)
        for total, own in zip(sums, chosen, strict=True):
            of_rows = _mix(mixed[:, own].sum(axis=1))
            for lane, more in enumerate(of_rows.sum(axis=1).tolist()):
                total[lane] += more
    return ["".join(f"{one % 2**64:016x}" for one in total) for total in sums]


def hash_each_row(features: Mapping[str, FeatureValues], is_event: NDArray[np.bool_]) -> Bits:
    """A number of 64 bits for each row, the same for rows with equal features and outcome.

    Examples
    --------
    >>> age = FeatureValues(np.array([61.0, 50.0, 61.0, 61.0]), None)
    >>> first, second, third, last = hash_each_row({"age": age}, np.array([True, True, True, False]))
    >>> first == third, first == second, first == last
    (np.True_, np.False_, np.False_)
    """
    total = np.zeros(is_event.size, dtype=np.uint64)
    columns = {"event": FeatureValues(is_event.astype(np.float64), None)} | {
        f"feature {name}": feature for name, feature in features.items()
    }
    for name, column in columns.items():
        bits = _bits_of_cells(column.values[None, :], [_bits_of_levels(column)])[0]
        total += _mix(bits ^ np.uint64(_keys_of(name)[0]))
    return _mix(total)


@lru_cache(maxsize=1000)
def _keys_of(name: str) -> tuple[int, ...]:
    """Two numbers that represent a column."""
    return struct.unpack("<QQ", hashlib.blake2b(name.encode(), digest_size=16).digest())


def _bits_of_levels(feature: FeatureValues) -> Bits | None:
    """64 bits for each level; None for a number."""
    if feature.levels is None:
        return None
    found = [
        hashlib.blake2b(_as_bytes(name), digest_size=8).digest() for name in feature.levels.names
    ]
    return np.array([*struct.unpack(f"<{len(found)}Q", b"".join(found)), MISSING], dtype=np.uint64)


def _as_bytes(level: Label) -> bytes:
    """The type and the text of a level; 1 and 1.0 are one level."""
    if isinstance(level, str):
        return b"text " + level.encode("utf-8", "surrogatepass")
    return (
        b"true" if level is True else b"false" if level is False else struct.pack("<d", level + 0.0)
    )


def _bits_of_cells(values: NDArray[np.float64], of_levels: Sequence[Bits | None]) -> Bits:
    """64 bits for each cell, column by column: of the number, with one zero and one missing value."""
    is_missing = np.isnan(values)
    bits = np.add(values, 0.0, dtype=np.float64).view(np.uint64)  # -0.0 becomes 0.0
    bits[is_missing] = MISSING
    for column, own in enumerate(of_levels):
        if own is not None:
            places = np.where(is_missing[column], own.size - 1, values[column])
            bits[column] = own[places.astype(np.int64)]
    return bits


def _mix(bits: Bits) -> Bits:
    """Every bit of the result depends on every bit; the array itself is overwritten."""
    bits ^= bits >> SHIFTS[0]
    bits *= FIRST_FACTOR
    bits ^= bits >> SHIFTS[1]
    bits *= SECOND_FACTOR
    bits ^= bits >> SHIFTS[2]
    return bits
