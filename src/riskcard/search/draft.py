"""A card while it is being improved: whole points, kernels' arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.kernels.cells import assign_cells, design_of_cells, fit_cells, tally_cells
from riskcard.kernels.points import choose_points, evaluate_points
from riskcard.kernels.rows import CALIBRATED, FIXED, Rows, Rules
from riskcard.problem.solution import Solution
from riskcard.search.support import Support

__all__ = ["Draft", "balance_points", "draft_of_support", "empty_draft", "finish", "measure"]


@dataclass(frozen=True, slots=True)
class Draft:
    """Terms as an array of (features, cuts, jumps), the scale (slope, offset) and the loss."""

    terms: NDArray[np.int64]  # (3, terms)
    scale: NDArray[np.float64]  # (2,)
    loss: float

    @property
    def n_terms(self) -> int:
        return self.terms.shape[1]

    @property
    def key(self) -> tuple[tuple[int, ...], ...]:
        """The terms in order: equal for equal cards."""
        return tuple(sorted(map(tuple, self.terms.T.tolist())))


def draft_of_support(rows: Rows, rules: Rules, support: Support) -> Draft:
    """Round the real-valued optimum of a set of conditions to whole points."""
    terms = np.stack([support.features, support.cuts, np.zeros_like(support.cuts)])
    design, tally = _cells_of(rows, terms)
    wanted = np.zeros(design.shape[1])
    factor = np.empty((wanted.size, wanted.size))
    fit_cells(design, tally, wanted, factor)
    return _choose(rules, terms, design, tally, wanted, np.ones(2), 1)


def balance_points(rows: Rows, rules: Rules, draft: Draft) -> Draft:
    """Move points on one term, or on two at a time, as long as that lowers the loss."""
    design, tally = _cells_of(rows, draft.terms)
    return _choose(rules, draft.terms, design, tally, np.empty(0), draft.scale, 2)


def empty_draft(rows: Rows, rules: Rules) -> Draft:
    """The card without terms."""
    return measure(rows, rules, np.zeros((3, 0), dtype=np.int64), np.array([1.0, 0.0]))


def measure(
    rows: Rows,
    rules: Rules,
    terms: NDArray[np.int64],
    scale: NDArray[np.float64],
    tolerance: float = 1e-9,
) -> Draft:
    """Terms with the best scale for them; ``tolerance`` is relative to the weight of all rows."""
    design, tally = _cells_of(rows, terms)
    scale = scale.copy()
    loss = evaluate_points(design, tally, terms[2], rules, scale, tolerance * tally.sum())
    return Draft(terms, scale, float(loss))


def finish(rows: Rows, rules: Rules, draft: Draft) -> Solution:
    """The draft as a card, its scale fitted as closely as floating point allows."""
    slope, offset = measure(rows, rules, draft.terms, draft.scale, 1e-15).scale
    multiplier = rules.multiplier if rules.kind == FIXED else 1.0 / slope
    terms = [(int(f), int(cut), int(jump)) for f, cut, jump in draft.terms.T]
    if rules.kind == CALIBRATED:
        return Solution.of(terms, 0, multiplier, offset)
    return Solution.of(terms, round(offset / slope), multiplier, 0.0)


def _cells_of(
    rows: Rows, terms: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The cells of the rows under a card's terms: what holds in each, and its tally."""
    n_rows, n_terms = rows.is_event.size, terms.shape[1]
    cells = np.empty(n_rows, dtype=np.int32)
    first = np.empty(n_rows + 1, dtype=np.int64)
    n_cells = assign_cells(rows.codes, terms[0], terms[1], n_terms, cells, first)
    tally = tally_cells(cells, n_cells, rows.is_event, rows.weights)
    design = design_of_cells(rows.codes, terms[0], terms[1], n_terms, first, n_cells)
    return design, tally


def _choose(
    rules: Rules,
    terms: NDArray[np.int64],
    design: NDArray[np.float64],
    tally: NDArray[np.float64],
    wanted: NDArray[np.float64],
    scale: NDArray[np.float64],
    n_moved: int,
) -> Draft:
    """Whole points by the kernel, terms that got none left out."""
    low, high = rules.low[terms[0]], rules.high[terms[0]]
    jumps, scale = terms[2].copy(), scale.copy()
    loss = choose_points(design, tally, wanted, low, high, rules, jumps, scale, n_moved)
    kept = jumps != 0
    chosen = np.ascontiguousarray(np.stack([terms[0], terms[1], jumps])[:, kept])
    return Draft(chosen, scale, float(loss))
