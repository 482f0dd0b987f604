"""Rows as a set: equal rows merged, in an order that does not depend on the input order."""

from dataclasses import replace

import numpy as np

from riskcard.arrays import Booleans, Integers
from riskcard.problem.ranked_data import RankedData

#: Longer tables are not merged: sorting them takes as long as solving them.
MOST_ROWS_SORTED = 20_000


def merge_equal_rows(data: RankedData, most_rows: int | None = MOST_ROWS_SORTED) -> RankedData:
    """The same problem on sorted rows, each pattern of codes and label once, with its total weight.

    Repeated rows and doubled weights, and the same rows in another order, give the same bits, so
    that the same one of several equally good cards is found. Weights are added up in ascending
    order for the same reason. Tables of more than ``most_rows`` rows are returned unchanged; a
    proof, which visits every row very often, merges tables of any length (None).
    """
    if most_rows is not None and data.n_rows > most_rows:
        return data
    order, is_new = _order_by_digest(data)
    if not _agree(data, order[1:][~is_new[1:]], order[:-1][~is_new[1:]]):
        order, is_new = _order_by_codes(data)
    kept = order[is_new]
    return replace(
        data,
        codes=np.take(data.codes, kept, axis=1),
        labels=data.labels[kept],
        weights=np.add.reduceat(data.weights[order], np.flatnonzero(is_new)),
    )


def _order_by_digest(data: RankedData) -> tuple[Integers, Booleans]:
    """The rows in the order of one number made of all codes, and which differ from the one before.

    One sort is much faster than a sort by every feature. Unequal rows rarely share a number; the
    caller detects when they do.
    """
    factors = np.random.default_rng(0).integers(2**63, size=data.n_features, dtype=np.uint64)
    digest = data.labels.astype(np.uint64)
    # the first column of a feature distinguishes all values that its other columns do
    for column, factor in zip(data.first_columns, 2 * factors + 1, strict=True):
        digest += data.codes[column].astype(np.uint64) * factor
    order = np.argsort(digest)
    is_new = np.ones(data.n_rows, dtype=bool)
    np.not_equal(digest[order[1:]], digest[order[:-1]], out=is_new[1:])
    if not is_new.all():
        order = np.lexsort((data.weights, digest))
    return order, is_new


def _order_by_codes(data: RankedData) -> tuple[Integers, Booleans]:
    """The rows in the order of their codes, and which differ from the one before."""
    order = np.lexsort((data.weights, data.labels, *data.codes[data.first_columns]))
    is_new = np.ones(data.n_rows, dtype=bool)
    codes, labels = data.codes[:, order], data.labels[order]
    is_new[1:] = (labels[1:] != labels[:-1]) | (codes[:, 1:] != codes[:, :-1]).any(axis=0)
    return order, is_new


def _agree(data: RankedData, rows: Integers, others: Integers) -> bool:
    """Whether each of the rows has the codes and the label of its other row."""
    is_same = np.array_equal(data.labels[rows], data.labels[others])
    return is_same and np.array_equal(data.codes[:, rows], data.codes[:, others])
