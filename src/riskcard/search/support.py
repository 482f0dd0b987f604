"""Which conditions to use: a search over sets of terms with real-valued points."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from riskcard.kernels.cells import divide_into_cells, fit_cells
from riskcard.kernels.scores import tally_scores
from riskcard.kernels.screen import screen_terms
from riskcard.search.bins import Rows
from riskcard.search.effort import Deadline, Effort
from riskcard.search.rules import Rules, closed_cuts, room_for_terms

__all__ = [
    "Support",
    "cells_of",
    "descend_support",
    "fit_support",
    "grow_support",
    "search_supports",
]

#: A set of conditions counts as better when its loss is lower by this part of itself.
LEAST_GAIN = 1e-7
#: Terms by which a set is enlarged on the way to another.
SWING = 2


@dataclass(frozen=True, slots=True)
class Support:
    """Conditions (features and cuts, shape (2, terms)) and their best real-valued points.

    ``coefficients`` are the offset and one jump a term, and ``loss`` is what they reach.
    """

    terms: NDArray[np.int64]
    coefficients: NDArray[np.float64]
    loss: float

    @property
    def n_terms(self) -> int:
        return self.terms.shape[1]

    @property
    def key(self) -> tuple[tuple[int, ...], ...]:
        """The conditions in order: equal for equal sets."""
        return tuple(sorted(map(tuple, self.terms.T.tolist())))


def fit_support(rows: Rows, terms: NDArray[np.int64]) -> Support:
    """Conditions with their best real-valued points."""
    design, tally, _ = cells_of(rows, terms)
    coefficients = np.zeros(design.shape[1])
    factor = np.empty((coefficients.size, coefficients.size))
    return Support(terms, coefficients, fit_cells(design, tally, coefficients, factor, np.inf))


def grow_support(rows: Rows, rules: Rules, start: Support, n_tries: int) -> Support:
    """Add the best condition, again and again, to the largest size."""
    support = start
    while support.n_terms < rules.max_terms:
        larger = _change_last(rows, rules, support, support.n_terms, n_tries)
        if larger is None or not _is_lower(larger, support):
            break
        support = larger
    return support


def search_supports(
    rows: Rows,
    rules: Rules,
    start: Support,
    effort: Effort,
    max_steps: int,
    rng: np.random.Generator,
    deadline: Deadline,
) -> list[Support]:
    """Kick the best and descend again, as long as steps are left; all optima, best first.

    Kicks are random, but the second away from an optimum goes through larger sets: that finds
    changes of two conditions, such as one cut of a feature that becomes two.
    """
    limit, n_tries = effort.longest_descent, effort.n_tries
    best, used = descend_support(rows, rules, start, n_tries, limit)
    found, failed = {best.key: best}, 0
    while used < max_steps and failed < effort.patience and not deadline.is_over():
        if failed == 1:
            away, steps = _swing(rows, rules, best, n_tries)
        else:
            away, steps = _kick(best, rows, rules, rng), 2
        grown = grow_support(rows, rules, away, n_tries)
        used += steps + grown.n_terms - away.n_terms
        reached, steps = descend_support(rows, rules, grown, n_tries, limit, found)
        used += steps
        found.setdefault(reached.key, reached)
        failed += 1
        if _is_lower(reached, best):
            best, failed = reached, 0
    return sorted(found.values(), key=lambda support: (support.loss, support.key))


def cells_of(
    rows: Rows, terms: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
    """The cells of the rows under terms: what holds in each, its tally, and the key of each row."""
    keys = np.empty(rows.is_event.size, dtype=np.int32)
    design, tally = divide_into_cells(rows.codes, terms, rows.is_event, rows.weights, keys)
    return design, tally, keys


def descend_support(
    rows: Rows,
    rules: Rules,
    support: Support,
    n_tries: int,
    max_steps: int,
    known: Container[tuple[tuple[int, ...], ...]] = (),
) -> tuple[Support, int]:
    """Replace single conditions by better ones until none can be; also the steps taken.

    Ends early at a set whose key is ``known``.
    """
    settled, steps = 0, 0
    while settled < support.n_terms and steps < max_steps:
        support = _turn(support)
        changed = _change_last(rows, rules, support, support.n_terms - 1, n_tries)
        steps += 1
        settled += 1
        if changed is not None and _is_lower(changed, support):
            support, settled = changed, 1
            if support.key in known:
                break
    return support, steps


def _turn(support: Support) -> Support:
    """The same set with the first condition moved to the end."""
    terms, jumps = support.terms, support.coefficients[1:]
    coefficients = np.concatenate([support.coefficients[:1], jumps[1:], jumps[:1]])
    return Support(np.concatenate([terms[:, 1:], terms[:, :1]], axis=1), coefficients, support.loss)


@dataclass(frozen=True, slots=True)
class _Look:
    """What can be seen from a set of conditions: the best new condition of every feature.

    ``found`` are the lines of ``screen_terms``, and ``least`` is the promise below which none is
    worth a fit. The rest describes the conditions kept: their terms, the key of every row, the
    cells with one more term, and the coefficients at which to start.
    """

    found: NDArray[np.float64]
    least: float
    kept: NDArray[np.int64]
    keys: NDArray[np.int32]
    wide: NDArray[np.float64]
    coefficients: NDArray[np.float64]

    def fit(self, rows: Rows, feature: int, target: float) -> Support:
        """The kept conditions and the best new one of a feature, fitted while there is hope."""
        n_cells, width = self.wide.shape[0] // 2, self.wide.shape[1]
        cut, coefficients = int(self.found[feature, 1]), np.empty(width)
        coefficients[:-1] = self.coefficients[: width - 1]
        coefficients[-1] = self.found[feature, 2]
        tally = tally_scores(rows.codes[feature], cut, n_cells, self.keys, rows.weights, n_cells)
        loss = fit_cells(self.wide, tally, coefficients, np.empty((width, width)), target)
        terms = np.concatenate([self.kept, np.array([[feature], [cut]])], axis=1)
        return Support(terms, coefficients, loss)


def _look(rows: Rows, rules: Rules, support: Support, n_kept: int) -> _Look:
    """Screen for one more condition beside the first ``n_kept``, around the fit of the whole set."""
    kept = np.ascontiguousarray(support.terms[:, :n_kept])
    design, tally, keys = cells_of(rows, kept)
    n_cells, wide, present = design.shape[0], _with_one_more(design), keys
    if n_kept < support.n_terms:
        column, cut = rows.codes[support.terms[0, n_kept]], support.terms[1, n_kept]
        design, tally = wide, tally_scores(column, cut, n_cells, keys, rows.weights, n_cells)
        present = keys + np.where(column <= cut, np.int32(2 * n_cells), np.int32(0))
    coefficients = support.coefficients.copy()
    factor = np.empty((coefficients.size, coefficients.size))
    fit_cells(design, tally, coefficients, factor, np.inf)
    # half of what the replaced term is worth: below that, a promise is too far from enough
    worth = coefficients[-1] * factor[-1, -1] if n_kept < support.n_terms else 0.0
    signs = rules.signs * room_for_terms(rules, kept[0])
    closed = closed_cuts(rules, rows, kept)
    columns = rows.codes, rows.n_cuts, rows.common, signs, rows.folds, rows.maps, closed
    fit = design, coefficients, factor, n_kept + 1
    found = screen_terms(columns, present, rows.weights, *fit)
    return _Look(found, 0.25 * float(worth) ** 2, kept, keys, wide, coefficients)


def _with_one_more(design: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every cell twice: first without, then with one more term."""
    n_cells, width = design.shape
    wide = np.empty((2 * n_cells, width + 1))
    wide[:n_cells, :width] = wide[n_cells:, :width] = design
    wide[:n_cells, width], wide[n_cells:, width] = 0.0, 1.0
    return wide


def _change_last(
    rows: Rows, rules: Rules, support: Support, n_kept: int, n_tries: int
) -> Support | None:
    """The best set of the first ``n_kept`` conditions and a new one, if any lowers the loss.

    The screen ranks the features by what their best cut promises; the first ``n_tries`` are
    fitted exactly.
    """
    look = _look(rows, rules, support, n_kept)
    best, target = None, support.loss
    for f in np.argsort(-look.found[:, 0], kind="stable")[:n_tries]:
        if look.found[f, 0] <= look.least:
            break
        fitted = look.fit(rows, int(f), target)
        if fitted.loss < target:
            best, target = fitted, fitted.loss
    return best


def _swing(rows: Rows, rules: Rules, support: Support, n_tries: int) -> tuple[Support, int]:
    """The set after a descent with ``SWING`` more terms, the weakest dropped; also the steps taken."""
    size = rules.max_terms + SWING
    wide = _with_room(rules, size)
    grown = grow_support(rows, wide, support, n_tries)
    swung, steps = descend_support(rows, wide, grown, n_tries, size)
    while swung.n_terms > rules.max_terms:
        swung = _drop_weakest(rows, swung, swung.n_terms)
    return swung, steps + grown.n_terms - support.n_terms


def _with_room(rules: Rules, size: int) -> Rules:
    """The rules for cards of another size; limits that bind on cards of this one stay."""
    extra = size - rules.max_terms
    return replace(
        rules,
        max_terms=size,
        max_features=rules.max_features + extra * (rules.max_features >= rules.max_terms),
        max_cuts=rules.max_cuts + extra * (rules.max_cuts >= rules.max_terms),
    )


def _kick(support: Support, rows: Rows, rules: Rules, rng: np.random.Generator) -> Support:
    """Force in the best conditions of random features, and take as many others out.

    Either random ones go first, or the weakest go afterwards. The new ones come last: the descent
    first fits the others to them, which is what leads away.
    """
    size = support.n_terms
    n_out = int(rng.integers(1, max(2, min(4, size))))
    goes_first = bool(rng.integers(2))
    kept = rng.permutation(size)[n_out:] if goes_first else rng.permutation(size)
    kicked = fit_support(rows, np.ascontiguousarray(support.terms[:, kept]))
    for _ in range(n_out):
        look = _look(rows, rules, kicked, kicked.n_terms)
        promising = np.flatnonzero(look.found[:, 0] > 0.0)
        if promising.size == 0:
            break
        kicked = look.fit(rows, int(rng.choice(promising)), np.inf)
    while kicked.n_terms > size:
        kicked = _drop_weakest(rows, kicked, 2 * size - kicked.n_terms)
    return kicked


def _drop_weakest(rows: Rows, support: Support, n_old: int) -> Support:
    """The set without that one of its first ``n_old`` conditions which is worth the least."""
    design, tally, _ = cells_of(rows, support.terms)
    coefficients = support.coefficients.copy()
    factor = np.zeros((coefficients.size, coefficients.size))
    fit_cells(design, tally, coefficients, factor, np.inf)
    variance = np.square(np.linalg.inv(np.tril(factor))).sum(axis=0)
    weakest = int(np.argmin((coefficients**2 / variance)[1 : 1 + max(n_old, 1)]))
    return fit_support(rows, np.delete(support.terms, weakest, axis=1))


def _is_lower(one: Support, other: Support) -> bool:
    return one.loss < other.loss * (1.0 - LEAST_GAIN)
