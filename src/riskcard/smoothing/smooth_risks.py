"""Smooth risks: what a regression on all features says of each row, without any cut.

A card that may put its cuts anywhere follows the labels of single rows. A smooth regression on all
features cannot, and in few rows its risks are nearer to the truth than the labels are. Pseudo-
observations with these risks (``pseudo_rows``) pull the choice of features, cuts and points towards
what all rows show together.

A number enters by its rank: a change of units, or taking logarithms, changes nothing.
"""

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from riskcard.arrays import Floats, Integers
from riskcard.data.table import Table
from riskcard.smoothing.ridge import Events, Numbers, YesOrNo, fit_ridge
from riskcard.threads import one_blas_thread

#: The regression has a curve of this degree for each number.
DEGREE = 4
#: A value that this share of the rows have in common gets a coefficient of its own, since it may be
#: a code rather than a measurement.
LARGE_SHARE = 0.1
#: Rows and columns of the regression; from longer tables rows are drawn, of wider ones the features
#: that explain most alone are taken. Both bound its time to about half a second.
MOST_ROWS, MOST_COLUMNS = 5000, 200
#: Risks are rounded to multiples of this, so that the order of the rows does not matter.
UNIT = 2.0**-20
#: No relative rate of the regression is larger.
LARGEST_RATE = 100.0


@dataclass(frozen=True, slots=True)
class SmoothRisks:
    """What the regression found.

    Attributes
    ----------
    rows
        The rows that it was fitted to, ascending.
    risks
        The risk of each of them, or its relative rate, or its number.
    explained
        The share of the variance of the labels (as 0 and 1) that it explains in rows left out; 0
        where it explains nothing.
    """

    rows: Integers
    risks: Floats
    explained: float


def smooth_risks(table: Table) -> SmoothRisks:
    """Fit the regression to the rows of a table, or to a part of them."""
    rows = choose_rows(table)
    values, labels, weights = table.values[rows], table.labels[rows], table.row_weights[rows]
    # by weight as many rows as the weights are worth: their unit does not matter
    weights = weights / weights.max()
    weights *= weights.sum() / np.sum(weights**2)
    is_event = (labels > 0).astype(np.float64)
    rate = float(np.average(is_event, weights=weights))
    columns = _columns(table, values, weights, weights * (is_event - rate))
    with one_blas_thread():
        regression = fit_ridge(columns, YesOrNo(is_event, weights))
    variance = rate * (1 - rate)
    missed = float(np.average((is_event - regression.left_out) ** 2, weights=weights))
    risks = np.rint(regression.risks(columns) / UNIT) * UNIT
    return SmoothRisks(
        rows=rows,
        risks=np.clip(risks, UNIT, 1 - UNIT),
        explained=max(0.0, 1 - missed / variance),
    )


def smooth_rates(table: Table, events: Floats, exposure: Floats) -> SmoothRisks:
    """Fit the Poisson regression to the rows of a table: what it says of each row is a relative rate.

    Parameters
    ----------
    table
        The rows; labels and weights are not read.
    events, exposure
        Of each row, times its weight, in a unit in which the average rate is 1.

    Returns
    -------
    SmoothRisks
        For all rows. With ``v`` the variance of relative rates that the regression explains in rows
        left out, the share of the variance explained is ``v / (1 + v)``: where a row has one expected
        event, the other part of the variance of its events is 1.
    """
    # by weight as many events as the weights are worth
    is_event = events > 0
    weights = np.where(is_event, events, 0.0)
    unit = float(np.sum(weights**2) / weights.sum())
    rows, own, exposed = choose_rows(table), events / unit, exposure / unit
    known = exposed[rows] > 0
    rows = rows[known]
    values = table.values
    columns = _columns(table, values, exposed, own - exposed)
    with one_blas_thread():
        regression = fit_ridge(columns[rows], Events(own[rows], exposed[rows]))
    left_out, at_risk, seen = regression.left_out - 1, exposed[rows], own[rows]
    gained = float(np.sum(2 * (seen - at_risk) * left_out - at_risk * left_out**2))
    explained = max(0.0, gained / float(at_risk.sum()))
    rates = np.rint(regression.risks(columns) / UNIT) * UNIT
    return SmoothRisks(
        rows=np.arange(len(values)),
        risks=np.clip(rates, UNIT, LARGEST_RATE),
        explained=explained / (1 + explained),
    )


def smooth_numbers(table: Table, numbers: Floats, weights: Floats) -> SmoothRisks:
    """Fit the linear regression to the rows of a table: what it says of each row is a number.

    Parameters
    ----------
    table
        The rows; labels and weights are not read.
    numbers, weights
        Of each row; numbers have the mean 0 and the variance 1, about.

    Returns
    -------
    SmoothRisks
        For all rows.
    """
    weights = weights / weights.max()
    weights = weights * (weights.sum() / np.sum(weights**2))
    rows = choose_rows(table)
    columns = _columns(table, table.values, weights, weights * numbers)
    own, weight = numbers[rows], weights[rows]
    with one_blas_thread():
        regression = fit_ridge(columns[rows], Numbers(own, weight))
    variance = float(np.average((own - np.average(own, weights=weight)) ** 2, weights=weight))
    missed = float(np.average((own - regression.left_out) ** 2, weights=weight))
    return SmoothRisks(
        rows=np.arange(len(table.values)),
        risks=np.rint(regression.risks(columns) / UNIT) * UNIT,
        explained=max(0.0, 1 - missed / variance) if variance > 0 else 0.0,
    )


def _columns(table: Table, values: Floats, weights: Floats, pulls: Floats) -> Floats:
    """The columns of the regression for some rows of a table."""
    blocks = [
        _columns_of(values[:, f], levels is not None and not levels.is_ordered, weights)
        for f, levels in enumerate(table.levels)
    ]
    return _take_best(blocks, pulls)


def choose_rows(table: Table, most: int = MOST_ROWS) -> Integers:
    """All rows, or a part that looks drawn at random but does not depend on their order.

    Rows of the same values, label and weight are drawn one by one: which of them is taken makes no
    difference, but were all taken or none, a group of equal rows would often lose all of one label.
    Of rows that stand for many, each is there as often as rows that it stands for were drawn.
    """
    n_rows, n_features = table.values.shape
    if table.n_rows <= most:
        return (
            np.arange(n_rows)
            if table.merged is None
            else np.repeat(np.arange(n_rows), table.merged.counts)
        )
    draw = np.random.default_rng(0).integers
    factors = [np.uint64(2 * draw(2**62) + 1) for _ in range(n_features)]
    digest = table.labels.astype(np.uint64)
    for f, factor in enumerate(factors):
        bits = np.ascontiguousarray(table.values[:, f]).view(np.uint64)
        # the lower bits of small whole numbers are all 0
        digest += (bits ^ (bits >> np.uint64(32))) * factor
    if table.merged is not None:
        return _spread_draws(_scatter(digest), table.merged.counts, most)
    digest = _scatter(digest + _occurrences(digest, table.weights) * np.uint64(2 * draw(2**62) + 1))
    return np.sort(np.argpartition(digest, most)[:most])


def _spread_draws(digest: NDArray[np.uint64], counts: Integers, most: int) -> Integers:
    """Evenly spaced rows of those that stand one after another in the order of their digests."""
    order = np.lexsort((counts, digest))
    ends = np.cumsum(counts[order])
    n_rows = int(ends[-1])
    # whole numbers throughout: the middle of each of ``most`` equal parts
    places = [(2 * part + 1) * n_rows // (2 * most) for part in range(most)]
    return np.sort(order[np.searchsorted(ends, places, side="right")])


def _occurrences(digest: NDArray[np.uint64], weights: Floats) -> NDArray[np.uint64]:
    """How many rows of the same digest come before each row, from light to heavy."""
    order = np.lexsort((weights, digest))
    places = np.arange(order.size)
    is_first = np.concatenate([[True], np.diff(digest[order]) != 0])
    occurrences = np.empty(order.size, dtype=np.uint64)
    occurrences[order] = places - np.maximum.accumulate(np.where(is_first, places, 0))
    return occurrences


def _scatter(digest: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers that look drawn at random, the same for the same digest (the end of SplitMix64)."""
    mixed = (digest ^ (digest >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _columns_of(values: Floats, is_category: bool, weights: Floats) -> Floats:
    """The columns of a feature, shape (rows, columns), centred, each of variance 1 at most."""
    is_missing = np.isnan(values)
    distinct, place, rows = np.unique(values, return_inverse=True, return_counts=True)
    n_numbers = int(np.count_nonzero(~np.isnan(distinct)))
    # yes and no are the same as texts, truth values and numbers
    if is_category or n_numbers == 2:
        columns = (place[:, None] == np.arange(distinct.size)).astype(np.float64)
        return _centred(columns, weights)
    degree = min(DEGREE, n_numbers - 1)
    parts = []
    if degree > 0:
        numbers = rows[:n_numbers]
        ranks = (np.cumsum(numbers) - numbers / 2) / numbers.sum()
        curves = legendre.legvander(2 * ranks - 1, degree)[:, 1:]
        # of variance 1 where ranks are spread evenly; wigglier curves are held back more
        orders = np.arange(1, degree + 1)
        curves = curves * np.sqrt(2 * orders + 1) / orders
        curves = np.vstack([curves, np.zeros((1, degree))])
        columns = curves[np.minimum(place, n_numbers)]
        columns = columns - np.average(columns, axis=0, weights=weights * ~is_missing)
        parts.append(np.where(is_missing[:, None], 0.0, columns))
    is_large = rows > LARGE_SHARE * values.size
    if distinct.size > degree + 1:
        parts.append((place[:, None] == np.flatnonzero(is_large)).astype(np.float64))
    if is_missing.any():
        parts.append(is_missing[:, None].astype(np.float64))
    return _centred(np.hstack(parts), weights) if parts else np.zeros((values.size, 0))


def _centred(columns: Floats, weights: Floats) -> Floats:
    centred: Floats = columns - np.average(columns, axis=0, weights=weights)
    return centred


def _take_best(blocks: list[Floats], pulls: Floats) -> Floats:
    """The columns of all features, or of those with the strongest pull on the risk of all rows."""
    widths = [block.shape[1] for block in blocks]
    if sum(widths) <= MOST_COLUMNS:
        return np.hstack(blocks)
    strengths = [
        float(np.mean((pulls @ block) ** 2 / np.maximum(np.mean(block**2, axis=0), 1e-12)))
        if block.shape[1]
        else 0.0
        for block in blocks
    ]
    taken, width = [], 0
    for f in np.argsort(-np.array(strengths), kind="stable"):
        if width + widths[f] <= MOST_COLUMNS:
            taken.append(int(f))
            width += widths[f]
    return np.hstack([blocks[f] for f in sorted(taken)])
