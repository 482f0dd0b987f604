"""Rows as a set: equal rows merged, in an order that is not the order of the input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from riskcard.problem.ranked import RankedData

__all__ = ["MOST_ROWS_SORTED", "merge_equal_rows"]

#: Longer tables are left as they are: sorting them takes as long as solving them.
MOST_ROWS_SORTED = 20_000


def merge_equal_rows(data: RankedData) -> RankedData:
    """The same problem on sorted rows, each pattern of codes and label once, with its total weight.

    Repeated rows and doubled weights, and the same rows in another order, become the same bits, so
    that even among equally good cards the same one is found. Weights are added up in ascending
    order for the same reason.
    """
    if data.n_rows > MOST_ROWS_SORTED:
        return data
    order = np.lexsort((data.weights, data.labels, *data.codes))
    codes, labels = data.codes[:, order], data.labels[order]
    is_new = np.ones(data.n_rows, dtype=bool)
    is_new[1:] = (labels[1:] != labels[:-1]) | (codes[:, 1:] != codes[:, :-1]).any(axis=0)
    return replace(
        data,
        codes=np.ascontiguousarray(codes[:, is_new]),
        labels=labels[is_new],
        weights=np.add.reduceat(data.weights[order], np.flatnonzero(is_new)),
    )
