"""The shortlist: conditions preselected with a lasso, for cards that hold on new data.

Choosing from more conditions makes more of the choice a matter of chance, above all where rows are
few. The lasso chooses more steadily than the lowest loss does: its coefficients are kept small, so
that a condition comes in because it explains many rows, and not because it completes a few others.
Which conditions of the shortlist are on the card, and with how many points, is then decided by the
loss as usual, and can be proven.
"""

import math
from collections.abc import Hashable
from dataclasses import replace

import numpy as np

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.problem.atoms import Atoms
from riskcard.problem.problem import Problem
from riskcard.search.lasso import Candidates, lasso_path
from riskcard.threads import one_blas_thread

#: A shortlist has this many conditions more than a card may have terms, ...
SPARE = 2
#: ... and where half of the variance of the labels is explained, one more per this many pairs of
#: rows.
PAIRS_PER_CONDITION = 7000
#: A list with more extra conditions than this would hardly differ from all of them.
MOST_EXTRA = 50
#: Where conditions can be chosen in more ways than this, a proof about all of them rarely ends
#: within a minute, ...
MOST_SETS = 10_000_000_000
#: ... and where there are no more than this, it does within seconds.
FEW_SETS = 10_000_000
#: A lasso for a proof sees at most this many rows: it only decides what the proof is about.
MOST_LASSO_ROWS = 10_000


def fitting_shortlist(explained: float, max_terms: int, n_rows: float) -> int | None:
    """How many conditions cards of a size should choose from; None for all of them.

    With fewer rows, and with less that can be explained, more of a choice is chance.

    Parameters
    ----------
    explained
        The share of the variance of the labels that a regression explains.
    max_terms
        Of the cards.
    n_rows
        What the training rows are worth.
    """
    # 1 where half is explained
    clarity = 2 * explained**2 / max(1 - explained, 1e-9)
    extra = clarity * n_rows**2 / 2 / PAIRS_PER_CONDITION
    return max_terms + SPARE + int(extra) if extra <= MOST_EXTRA else None


def are_too_many(n_conditions: int, max_terms: int) -> bool:
    """Whether a proof about the cards of a size should be about fewer conditions.

    Examples
    --------
    >>> are_too_many(250, 5), are_too_many(300, 5), are_too_many(75, 8)
    (False, True, True)
    """
    return math.comb(n_conditions, max_terms) > MOST_SETS


def conditions_for_proof(max_terms: int) -> int:
    """How many conditions a proof about the cards of a size can be about within seconds.

    Examples
    --------
    >>> [conditions_for_proof(terms) for terms in (3, 4, 5, 6, 8, 10)]
    [392, 125, 67, 46, 31, 27]
    """
    if max_terms == 1:
        return FEW_SETS
    count = max_terms
    while math.comb(count + 1, max_terms) <= FEW_SETS:
        count += 1
    return count


def shortlist_for_proof(problem: Problem) -> list[tuple[int, int]]:
    """A shortlist on which a proof ends within seconds, from equally spaced rows of a long table."""
    return shortlist_from_some(problem, conditions_for_proof(problem.limits.max_terms))


def shortlist_from_some(problem: Problem, count: int) -> list[tuple[int, int]]:
    """``count`` conditions from equally spaced rows of a long table."""
    data = problem.data
    if data.n_rows > MOST_LASSO_ROWS:
        rows = np.linspace(0, data.n_rows - 1, MOST_LASSO_ROWS).astype(np.int64)
        some = replace(
            data,
            codes=np.ascontiguousarray(data.codes[:, rows]),
            labels=data.labels[rows],
            weights=data.weights[rows],
        )
        problem = replace(problem, data=some)
    with one_blas_thread():
        return shortlist(problem, count)


def shortlist(problem: Problem, count: int) -> list[tuple[int, int]]:
    """``count`` conditions, as (column, cut), or all where a problem has fewer.

    The path of the lasso ends where ``count`` conditions have a coefficient, and those that matter
    most are taken. Where it never gets there, which is rare, the first of the others fill the list.
    Conditions are standardised: a coefficient counts as its average effect on the log-odds. Only
    conditions and signs that the problem allows are considered. Conditions that exclude each other,
    because they are the same cut or the same group of levels, count as one and are all taken.
    """
    columns, cuts = open_conditions(problem)
    kinds = _kinds(problem, columns, cuts)
    worth = np.zeros(int(kinds.max(initial=-1)) + 1)
    if worth.size > count:
        candidates = _candidates(problem, columns, cuts)
        for coefficients in lasso_path(candidates):
            worth[:] = 0.0
            np.maximum.at(worth, kinds, np.abs(coefficients) * candidates.factors)
            if np.count_nonzero(worth) >= count:
                break
    best = np.argsort(-worth, kind="stable")[:count]
    chosen = np.flatnonzero(np.isin(kinds, best))
    return list(zip(columns[chosen].tolist(), cuts[chosen].tolist(), strict=True))


def close_all_but(problem: Problem, open_ones: list[tuple[int, int]]) -> list[Booleans]:
    """For each column which conditions are closed; features that must be used stay open."""
    must = problem.restrictions.must_use[problem.data.feature_of]
    closed = [
        np.full(int(n), not stays) for n, stays in zip(problem.data.n_cuts, must, strict=True)
    ]
    for column, cut in open_ones:
        closed[column][cut] = False
    return closed


def open_conditions(problem: Problem) -> tuple[Integers, Integers]:
    """Columns and cuts of all conditions that may be on a card."""
    parts = [
        np.flatnonzero(~closed) if usable else np.zeros(0, dtype=np.int64)
        for closed, usable in zip(problem.restrictions.is_closed, problem.is_usable, strict=True)
    ]
    columns = np.repeat(np.arange(len(parts)), [part.size for part in parts])
    return columns, np.concatenate(parts).astype(np.int64) if parts else columns


def _kinds(problem: Problem, columns: Integers, cuts: Integers) -> Integers:
    """Numbers that are equal for conditions that exclude each other as the same."""
    data, known = problem.data, dict[Hashable, int]()
    firsts = data.first_columns
    kinds = np.empty(columns.size, dtype=np.int64)
    for place, (column, cut) in enumerate(zip(columns.tolist(), cuts.tolist(), strict=True)):
        feature = int(data.feature_of[column])
        key = _key(data.atoms[feature], column - int(firsts[feature]), cut)
        kinds[place] = known.setdefault((feature, key), len(known))
    return kinds


def _key(atoms: Atoms | None, column: int, cut: int) -> Hashable:
    """What a condition of a feature has in common with those that it excludes as the same."""
    if atoms is None:
        return cut
    threshold = int(atoms.thresholds[column][cut])
    holds = atoms.codes[column] <= cut
    # a group of levels and its complement are the same
    return threshold if threshold >= 0 else (holds ^ holds[0]).tobytes()


def _candidates(problem: Problem, columns: Integers, cuts: Integers) -> Candidates:
    """The conditions as columns of the lasso, by sums over codes: none is written out."""
    data = problem.data
    starts = np.concatenate([[0], np.cumsum(data.n_cuts + 1)]).astype(np.int64)
    places = (data.codes + starts[:-1, None]).ravel()

    def add_up(numbers: Floats) -> Floats:
        repeated = np.broadcast_to(numbers, data.codes.shape).ravel()
        by_code = np.bincount(places, repeated, minlength=starts[-1])
        below = np.concatenate([[0.0], np.cumsum(by_code)])
        sums: Floats = below[starts[columns] + cuts + 1] - below[starts[columns]]
        return sums

    def take(chosen: Integers) -> Floats:
        return (data.codes[columns[chosen]] <= cuts[chosen, None]).T.astype(np.float64)

    share = add_up(data.weights) / data.weights.sum()
    return Candidates(
        labels=data.labels.astype(np.float64),
        weights=data.weights,
        add_up=add_up,
        take=take,
        factors=np.sqrt(np.maximum(share * (1 - share), 1e-12)),
        may_fall=problem.jump_low[columns] < 0,
        may_rise=problem.jump_high[columns] > 0,
    )
