"""A card while it is being improved: whole points and a scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.kernels.heuristic.integer_points import choose_points
from riskcard.kernels.scale import CALIBRATED, fit_scale
from riskcard.kernels.scores import score_rows
from riskcard.problem.problem import Problem
from riskcard.problem.solution import Solution
from riskcard.search.heuristic.binned_rows import Rows
from riskcard.search.heuristic.card_room import Rules, missing_features
from riskcard.search.heuristic.support import Support, cells_of


@dataclass(frozen=True, slots=True)
class Draft:
    """Features, cuts and jumps (shape (3, terms)), the scale (slope, offset) and the loss."""

    terms: NDArray[np.int64]
    scale: NDArray[np.float64]
    loss: float

    @property
    def n_terms(self) -> int:
        return int(self.terms.shape[1])

    @property
    def key(self) -> tuple[tuple[int, ...], ...]:
        """The terms in order: equal for equal cards."""
        return tuple(sorted(map(tuple, self.terms.T.tolist())))


def round_support(rows: Rows, rules: Rules, support: Support, n_bands: int = 1) -> list[Draft]:
    """Whole points for a set of conditions, from its real-valued ones: the best of each band of scales."""
    terms = np.concatenate([support.terms, np.zeros_like(support.terms[:1])])
    cells = cells_of(rows, terms)
    bands = [(band, n_bands) for band in range(n_bands)]
    return [_choose(cells, rules, terms, support.coefficients, np.ones(2), band) for band in bands]


def balance_points(rows: Rows, rules: Rules, draft: Draft) -> Draft:
    """Move points on one term, or on two at a time, as long as that lowers the loss.

    A draft that would lose a feature that must be used stays as it is.
    """
    cells = cells_of(rows, draft.terms)
    moved = _choose(cells, rules, draft.terms, np.empty(0), draft.scale)
    n_missing = missing_features(rules, draft.terms[0]).size
    return draft if missing_features(rules, moved.terms[0]).size > n_missing else moved


def measure(
    rows: Rows,
    rules: Rules,
    terms: NDArray[np.int64],
    scale: NDArray[np.float64],
    tolerance: float = 1e-9,
) -> Draft:
    """Terms with the best scale for them; ``tolerance`` is relative to the weight of all rows."""
    lowest = int(np.minimum(terms[2], 0).sum())
    n_scores = int(np.abs(terms[2]).sum()) + 1
    keys = np.empty(rows.is_event.size, dtype=np.int32)
    score_rows(rows.codes, terms, terms.shape[1], lowest, rows.is_event, keys)
    tally = np.bincount(keys, rows.weights, minlength=2 * n_scores)
    scale, largest = scale.copy(), int(np.abs(terms[2]).max(initial=0))
    accuracy = tolerance * float(tally.sum())
    loss = fit_scale(tally, lowest, largest, rules.kind, rules.bound, scale, accuracy)
    return Draft(terms, scale, loss)


def finish(rows: Rows, rules: Rules, draft: Draft, problem: Problem) -> Solution:
    """The draft as a card, its scale fitted as closely as floating point allows."""
    slope, offset = measure(rows, rules, draft.terms, draft.scale, 1e-15).scale
    is_fixed = problem.scale.kind == "fixed"
    multiplier = problem.scale.multiplier if is_fixed else 1.0 / float(slope)
    terms = [(int(f), int(cut), int(jump)) for f, cut, jump in draft.terms.T]
    if rules.kind == CALIBRATED:
        return Solution.of(terms, 0, multiplier, offset)
    return Solution.of(terms, round(offset / slope), multiplier, 0.0)


def _choose(
    cells: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]],
    rules: Rules,
    terms: NDArray[np.int64],
    wanted: NDArray[np.float64],
    scale: NDArray[np.float64],
    band: tuple[int, int] = (0, 1),
) -> Draft:
    """Whole points by the kernel, terms that got none left out."""
    design, tally, _ = cells
    low, high = rules.low[terms[0]], rules.high[terms[0]]
    jumps, scale, moves_pairs = terms[2].copy(), scale.copy(), wanted.size == 0
    bounds = low, high, rules.kind, rules.bound
    loss = choose_points(design, tally, wanted, *bounds, jumps, scale, moves_pairs, band)
    chosen = np.stack([terms[0], terms[1], jumps])[:, jumps != 0]
    return Draft(np.ascontiguousarray(chosen), scale, loss)
