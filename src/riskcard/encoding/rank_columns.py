"""Ranks of the values of a column, by a kernel where there are many."""

from __future__ import annotations

import numpy as np

from riskcard.arrays import Floats
from riskcard.encoding.ranks import Ranks, rank_by_sorting
from riskcard.kernels.ranks import rank_by_digits

#: Up to so many rows a sort takes less than compiling the kernel would ever save.
FEW_ROWS = 10_000


def rank_column(values: Floats) -> Ranks:
    """The same as ``rank_by_sorting``, in a third of the time for many rows.

    Examples
    --------
    >>> codes, distinct = rank_column(np.array([2.5, -1.0, 2.5]))
    >>> codes.tolist(), distinct.tolist()
    ([1, 0, 1], [-1.0, 2.5])
    """
    if values.size <= FEW_ROWS:
        return rank_by_sorting(values)
    codes = np.empty(values.size, dtype=np.int32)
    bits = (values + 0.0).view(np.uint64)  # a copy, in which -0.0 is 0.0
    return codes, values[rank_by_digits(bits, codes)]
