"""Ranks of numbers among the distinct ones, without a sort where none is needed."""

from typing import NamedTuple

import numpy as np

from riskcard.arrays import Booleans, Codes, Floats, Integers
from riskcard.kernels.ranks import rank_by_digits

#: Where this share of the rows has the lowest value, only the others are sorted: ties slow a sort.
OFTEN = 0.25
#: Whole numbers are counted, not sorted, if their range is at most this, or the number of rows.
SHORT_SPAN = 4096
#: With up to this many rows all columns are examined together.
FEW_ROWS = 4096
#: With up to this many rows a sort takes less time than compiling the kernel would ever save.
MOST_ROWS_SORTED = 10_000

#: The rank of each value among the distinct ones, and the distinct ones in order.
Ranks = tuple[Codes, Floats]


def have_missing(values: Floats) -> Booleans:
    """Which columns have a missing value: their sums are missing too."""
    with np.errstate(over="ignore", invalid="ignore"):
        found: Booleans = np.isnan(values.sum(axis=0))
    for column in np.flatnonzero(found).tolist():
        found[column] = np.isnan(values[:, column]).any()  # or huge numbers have cancelled out
    return found


class TwoValued(NamedTuple):
    """The columns of a table that have at most two values.

    ``is_two`` says which they are, ``is_above`` which values are not the lowest of their column;
    ``n_cuts`` is 1 for two values and 0 for one.
    """

    is_two: Booleans
    is_above: Booleans
    n_cuts: Integers


def find_two_valued(values: Floats) -> TwoValued:
    """Examine all columns at once, which is faster on short tables; on tall ones none is found."""
    n_rows, n_columns = values.shape
    if n_rows > FEW_ROWS:
        none, nothing = np.zeros(n_columns, dtype=bool), np.zeros((0, n_columns), dtype=bool)
        return TwoValued(none, nothing, none.astype(np.int64))
    lowest, highest = values.min(axis=0), values.max(axis=0)
    is_above = values > lowest
    is_between = is_above & (values < highest)
    return TwoValued(~is_between.any(axis=0), is_above, (lowest < highest).astype(np.int64))


def rank_by_sorting(values: Floats) -> Ranks:
    """Rank any values: by a kernel, in a third of the time, where there are many.

    Examples
    --------
    >>> codes, distinct = rank_by_sorting(np.array([2.5, -1.0, 2.5]))
    >>> codes.tolist(), distinct.tolist()
    ([1, 0, 1], [-1.0, 2.5])
    """
    codes = np.empty(values.size, dtype=np.int32)
    if values.size > MOST_ROWS_SORTED:
        bits = (values + 0.0).view(np.uint64)  # a copy, in which -0.0 is 0.0
        return codes, values[rank_by_digits(bits, codes)]
    # as numpy.unique does, in two thirds of its time for a few hundred values
    order = np.argsort(values)
    ordered, is_new = values[order], np.ones(values.size, dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    codes[order] = np.cumsum(is_new, dtype=np.int32) - 1
    return codes, ordered[is_new]


def rank_values(values: Floats) -> Ranks:
    """Rank values, and sort only what needs it.

    Examples
    --------
    >>> codes, distinct = rank_values(np.array([2.5, 0.0, 2.5, 1.0]))
    >>> codes.tolist(), distinct.tolist()
    ([2, 0, 2, 1], [0.0, 1.0, 2.5])
    """
    lowest, highest = float(values.min()), float(values.max())
    is_low, is_high = values == lowest, values == highest
    if (is_low | is_high).all():  # two values, or one, as many columns have
        ends = [lowest, highest] if lowest < highest else [lowest]
        return (is_high & ~is_low).astype(np.int32), np.array(ends)
    whole = _rank_whole_numbers(values, lowest, highest)
    if whole is not None:
        return whole
    if np.count_nonzero(is_low) < OFTEN * values.size:
        return rank_by_sorting(values)
    # such as zero, in many columns of amounts
    rest = np.flatnonzero(~is_low)
    codes = np.zeros(values.size, dtype=np.int32)
    codes_of_rest, distinct = rank_by_sorting(values[rest])
    codes[rest] = codes_of_rest + 1
    return codes, np.concatenate([[lowest], distinct])


def _rank_whole_numbers(values: Floats, lowest: float, highest: float) -> Ranks | None:
    """Rank whole numbers that lie close together by counting them; None for other values."""
    if max(abs(lowest), abs(highest)) > 2**53 or highest - lowest > max(values.size, SHORT_SPAN):
        return None
    places = values.astype(np.int64)
    if not np.array_equal(places, values):
        return None
    places -= int(lowest)
    occurs = np.bincount(places) > 0
    rank = np.cumsum(occurs, dtype=np.int32)
    rank -= 1
    return rank.take(places), np.flatnonzero(occurs).astype(np.float64) + lowest
