"""A sample of the different rows of a table: those with the smallest hashes, each with its counts.

Which rows these are depends neither on their order nor on how the table is cut into pieces. The hash
of a row is arithmetic on whole numbers below 2**63 without a sign, which every database has too::

    the sum over features of (high * A + low * B) mod P, then x -> (x ** 5 + C) mod P, twice

with P = 2**31 - 1, and ``high`` and ``low`` the halves of the 64 bits of a number. ``x ** 5`` is a
bijection modulo P, because 5 does not divide P - 1. A table with no more different rows than the
sample has room for is the sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.sources.rows import Rows, text_bits

#: The modulus, and what is added between powers.
PRIME, SHIFT = 2**31 - 1, 1_013_904_223
#: The two words that a missing value counts as.
MISSING = (0x7FF80000, 0)
#: Different rows of a sample, and the most cells that it has.
MOST_ROWS, MOST_CELLS = 100_000, 20_000_000
_ARRAYS = ("values", "is_event", "hashes", "counts", "weights")


def factors_of(n_features: int) -> list[tuple[int, int]]:
    """Two factors for each feature, below 2**30."""
    drawn = np.random.default_rng(0).integers(1, 2**30, size=(n_features, 2))
    return [(int(first), int(second)) for first, second in drawn]


def size_of_sample(most: int, n_features: int) -> int:
    """How many different rows are kept, of at most so many."""
    return min(most, MOST_CELLS // max(n_features, 1))


def hash_rows(rows: Rows) -> Integers:
    """The hash of the features of each row, from 0 to P - 1."""
    total = np.zeros(rows.is_event.size, dtype=np.uint64)
    prime = np.uint64(PRIME)
    for f, (first, second) in enumerate(factors_of(len(rows.values))):
        values = rows.values[f]
        if f in rows.texts:
            low = np.append(text_bits(rows.texts[f]), 0).astype(np.uint64)
            is_missing = np.isnan(values)
            words = low[np.where(is_missing, -1, values).astype(np.int64)] * np.uint64(second)
        else:
            bits = values.view(np.uint64)
            words = (bits >> np.uint64(32)) * np.uint64(first)
            words += (bits & np.uint64(0xFFFFFFFF)) * np.uint64(second)
            is_missing = np.isnan(values)
        if is_missing.any():
            words[is_missing] = MISSING[0] * first + MISSING[1] * second
        total += words % prime
    found = total % prime
    for _ in range(2):
        square = found * found % prime
        found = (square * square % prime * found % prime + np.uint64(SHIFT)) % prime
    return found.astype(np.int64)


@dataclass(frozen=True, slots=True)
class Sample:
    """Different rows with the smallest hashes.

    Attributes
    ----------
    values
        Shape (rows, features): numbers, NaN where missing; of texts their place among all texts.
    is_event, hashes, counts, weights
        Of each: its label and hash, and how many rows of which weight it stands for.
    is_whole
        No different row was left out.
    """

    values: Floats
    is_event: Booleans
    hashes: Integers
    counts: Integers
    weights: Integers
    is_whole: bool = True

    def take(self, chosen: Booleans | Integers) -> Sample:
        """Some of the rows."""
        return replace(self, **{name: getattr(self, name)[chosen] for name in _ARRAYS})


def join(samples: Sequence[Sample], most: int) -> Sample:
    """The sample of all rows from those of some; texts have the same places in all of them."""
    parts = {name: np.concatenate([getattr(one, name) for one in samples]) for name in _ARRAYS}
    is_whole = all(one.is_whole for one in samples)
    return _fold(replace(samples[0], **parts, is_whole=is_whole), most)


def _fold(sample: Sample, most: int) -> Sample:
    """Equal rows as one, in the order of their hashes; of too many the last are left out."""
    bits = np.ascontiguousarray(sample.values).view(np.uint64).copy()
    bits[np.isnan(sample.values)] = np.uint64(0x7FF8000000000000)
    key = np.column_stack(
        [sample.hashes.astype(np.uint64), bits, sample.is_event.astype(np.uint64)]
    )
    # big-endian bytes sort as the numbers do
    words = np.ascontiguousarray(key.astype(">u8"))
    _, first, place = np.unique(
        words.view(f"V{8 * key.shape[1]}").ravel(), return_index=True, return_inverse=True
    )
    counts, weights = (np.zeros(first.size, dtype=np.int64) for _ in range(2))
    np.add.at(counts, place, sample.counts)
    np.add.at(weights, place, sample.weights)
    folded = Sample(
        sample.values[first],
        sample.is_event[first],
        sample.hashes[first],
        counts,
        weights,
        sample.is_whole,
    )
    if first.size <= most:
        return folded
    kept = folded.take(folded.hashes <= folded.hashes[most - 1])
    return replace(kept, is_whole=sample.is_whole and kept.hashes.size == first.size)
