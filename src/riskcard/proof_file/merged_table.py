"""The table of a proof: from the user's values to codes, and whole weights of each pattern of codes.

A checker rebuilds all of it from the rows and the description in the header, so the description says what
every value becomes, and not how riskcard came to it.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.arrays import Booleans, Integers
from riskcard.data.levels import as_label
from riskcard.encoding.decode_solution import Layout, raw_columns
from riskcard.errors import ParameterError
from riskcard.estimators.fitted import Training
from riskcard.problem.problem import Problem
from riskcard.search.proof.write_tree import most_points

#: All weights together are below two to this power, so that every sum of them is exact.
WEIGHT_DIGITS = 47


@dataclass(frozen=True, slots=True)
class MergedTable:
    """What the header says of the rows, and the problem on them with whole weights.

    Attributes
    ----------
    features, weights, rules, digest
        Entries of the header.
    digits
        A weight of 1 is ``2**digits`` here.
    problem
        What is to be proven.
    """

    features: list[dict[str, Any]]
    weights: dict[str, Any]
    rules: dict[str, Any]
    digest: str
    digits: int
    problem: Problem


def merge_table(training: Training, layout: Layout, problem: Problem) -> MergedTable:
    """Describe the rows of a problem for a proof file."""
    codes = _open_codes(layout, problem)
    factors = training.class_factors or (1.0, 1.0)
    digits = _digits(training, layout)
    own = _whole_weights(training, factors, digits)
    extra = _extra_weights(layout, digits)
    is_event = training.table.labels > 0
    events, others = np.where(is_event, own, 0) + extra[0], np.where(is_event, 0, own) + extra[1]
    patterns, place = np.unique(codes.T, axis=0, return_inverse=True)
    sums = [_sum_up(place.ravel(), part, len(patterns)) for part in (events, others, *extra)]
    text = "".join(
        f"{','.join(map(str, pattern))}:{event},{other}\n"
        for pattern, event, other in zip(patterns.tolist(), sums[0], sums[1], strict=True)
    )
    has_extra = layout.pseudo.number > 0
    return MergedTable(
        features=[
            _feature(training, layout, problem, codes, f) for f in range(layout.data.n_features)
        ],
        weights={
            "digits": digits,
            "factors": [float(factor) for factor in factors],
            "extra": sums[2:] if has_extra else None,
        },
        rules=_rules_of(problem),
        digest=hashlib.sha256(text.encode()).hexdigest(),
        digits=digits,
        problem=_with_weights(problem, layout, events, others),
    )


def _open_codes(layout: Layout, problem: Problem) -> NDArray[np.int64]:
    """(columns, rows) The codes of the rows, where only conditions that may be on a card count."""
    closed, points = problem.restrictions.is_closed, most_points(problem)
    codes = np.zeros(layout.data.codes.shape, dtype=np.int64)
    for column, own in enumerate(layout.data.codes):
        if points[2 * column : 2 * column + 2].max() > 0:
            codes[column] = np.searchsorted(np.flatnonzero(~closed[column]), own)
    return codes


def _digits(training: Training, layout: Layout) -> int:
    """How many binary digits of the weights count."""
    weights = training.table.weights
    is_whole = bool((weights == np.floor(weights)).all()) and layout.pseudo.number == 0
    total = float(weights.sum()) * (1.0 + layout.pseudo.number / weights.size)
    room = WEIGHT_DIGITS - math.frexp(total)[1]
    if room < 0:
        raise ParameterError(
            f"The weights add up to {total:g}. Proof files are made for weights that add up to less "
            f"than 2^{WEIGHT_DIGITS}: divide all weights by the same number, and fit again."
        )
    return 0 if is_whole else room


def _whole_weights(training: Training, factors: tuple[float, float], digits: int) -> Integers:
    """The weights of the rows, rounded down."""
    if digits == 0:
        return training.table.weights.astype(np.int64)
    distinct, place = np.unique(training.given_weights, return_inverse=True)
    both: Integers = np.array(
        [
            [math.floor(Fraction(weight) * Fraction(factor) * (1 << digits)) for weight in distinct]
            for factor in factors
        ]
    )
    return both[(training.table.labels > 0).astype(np.int64), place.ravel()]


def _extra_weights(layout: Layout, digits: int) -> tuple[Integers, Integers]:
    """What pseudo-observations add at every row: with the event, and without it; rounded down."""
    table, pseudo = layout.table, layout.pseudo
    extra = np.zeros((2, table.labels.size), dtype=np.int64)
    if pseudo.number > 0:
        rows = np.arange(table.labels.size) if pseudo.rows is None else pseudo.rows
        own, other = (
            np.floor(np.ldexp(part, digits)).astype(np.int64)
            for part in pseudo.weigh(table.labels, table.weights)
        )
        is_event = table.labels[rows] > 0
        np.add.at(extra[0], rows, np.where(is_event, own, other))
        np.add.at(extra[1], rows, np.where(is_event, other, own))
    return extra[0], extra[1]


def _sum_up(place: Integers, weights: Integers, size: int) -> list[int]:
    sums = np.zeros(size, dtype=np.int64)
    np.add.at(sums, place, weights)
    return [int(one) for one in sums]


def _with_weights(problem: Problem, layout: Layout, events: Integers, others: Integers) -> Problem:
    """The problem on all rows with either label, at their whole weights."""
    data, n_rows = layout.data, layout.data.n_rows
    weights = np.concatenate([events, others])
    is_there: Booleans = weights > 0
    rows = replace(
        data,
        codes=np.ascontiguousarray(np.tile(data.codes, 2)[:, is_there]),
        labels=np.repeat(np.array([1, -1], dtype=np.int8), n_rows)[is_there],
        weights=weights[is_there].astype(np.float64),
    )
    return replace(problem, data=rows)


def _feature(
    training: Training, layout: Layout, problem: Problem, codes: NDArray[np.int64], f: int
) -> dict[str, Any]:
    """A feature of the header: what becomes of its values, and how many points it may have."""
    data, table = layout.data, training.table
    own = np.flatnonzero(data.feature_of == f)
    name, points, found = table.names[f], most_points(problem), codes[own]
    values = raw_columns(table, [name])[name]
    if table.levels[f] is None:
        is_missing = np.isnan(values.astype(np.float64))
        cuts, bins = _bins(values[~is_missing].astype(np.float64), found[:, ~is_missing])
        known = {}
    else:
        is_missing = np.array([value is None for value in values])
        cuts, bins = [], []
        # all rows with a level have the same codes
        first: dict[Any, int] = {}
        for row in np.flatnonzero(~is_missing).tolist():
            first.setdefault(values[row], row)
        known = {as_label(value): found[:, row].tolist() for value, row in first.items()}
    listed: list[list[Any]] = [[value, own_codes] for value, own_codes in known.items()]
    if is_missing.any():
        listed.append([None, found[:, int(is_missing.argmax())].tolist()])
    return {
        "name": name,
        "cuts": cuts,
        "bins": bins,
        "values": listed,
        "most": [[int(one) for one in points[2 * column : 2 * column + 2]] for column in own],
        "most_terms": min(
            int(problem.restrictions.max_cuts[f]), problem.limits.max_cuts_per_feature
        ),
    }


def _rules_of(problem: Problem) -> dict[str, Any]:
    """The rules for the card as a whole; features are numbered in their order."""
    rules = problem.restrictions
    return {
        "least": [int(one) for one in rules.least],
        "must_use": np.flatnonzero(rules.must_use).tolist(),
        "costs": [float(cost) for cost in rules.costs],
        "budget": float(rules.budget) if math.isfinite(rules.budget) else None,
        "groups": [
            [np.flatnonzero(members).tolist(), int(most)]
            for members, most in zip(rules.groups, rules.at_most, strict=True)
        ],
    }


def _bins(
    values: NDArray[np.float64], found: NDArray[np.int64]
) -> tuple[list[float], list[Any] | None]:
    """The last value of every group of neighbouring values with the same codes, and the codes.

    None where bin ``i`` has the code ``i``.
    """
    if values.size == 0:
        return [], []
    distinct, first = np.unique(values, return_index=True)
    codes = found[:, first]
    is_last = np.append((codes[:, 1:] != codes[:, :-1]).any(axis=0), True)
    bins = codes[:, is_last].T
    is_plain = np.array_equal(bins, np.arange(len(bins))[:, None])
    return distinct[is_last][:-1].tolist(), None if is_plain else bins.tolist()
