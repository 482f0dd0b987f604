"""A card while it is being improved: whole points and a scale."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from riskcard.arrays import Floats, Integers
from riskcard.kernels.heuristic.cells import divide_into_cells
from riskcard.kernels.heuristic.integer_points import choose_points
from riskcard.kernels.scale import CALIBRATED, FIXED, fit_scale
from riskcard.kernels.scores import score_rows
from riskcard.problem.problem import Problem
from riskcard.problem.solution import Solution
from riskcard.search.heuristic.binned_rows import Rows
from riskcard.search.heuristic.card_room import Rules
from riskcard.search.heuristic.support import Support

#: Slope and offset from which the fit of a scale begins where nothing better is known.
ANY_SCALE = np.array([1.0, 0.0])
#: How closely a scale is fitted while drafts are compared, and in the end.
SCALE_TOLERANCE, FINAL_TOLERANCE = 1e-9, 1e-15
#: Up to this size of the largest points all are tried: with larger ones rounding hardly matters.
MOST_SIZES = 10


@dataclass(frozen=True, slots=True)
class Draft:
    """Features, cuts and jumps (shape (3, terms)), the scale (slope, offset) and the loss."""

    terms: Integers
    scale: Floats
    loss: float

    @property
    def n_terms(self) -> int:
        return int(self.terms.shape[1])

    @property
    def key(self) -> tuple[tuple[int, ...], ...]:
        """The terms in order: equal for equal cards."""
        return tuple(sorted(map(tuple, self.terms.T.tolist())))


def round_support(rows: Rows, rules: Rules, support: Support) -> Draft:
    """Whole points for a set of conditions, at the best of many scales."""
    terms = np.concatenate([support.terms, np.zeros_like(support.terms[:1])])
    return _choose(_cells(rows, terms), rules, terms, support.coefficients, np.ones(2))


def balance_points(rows: Rows, rules: Rules, draft: Draft) -> Draft:
    """Move points on one term, or on two at a time, as long as that lowers the loss.

    Terms on features that must be used keep their sign, so that no feature is lost.
    """
    return _choose(_cells(rows, draft.terms), rules, draft.terms, np.empty(0), draft.scale)


def rescale_points(rows: Rows, rules: Rules, draft: Draft) -> Draft:
    """Balance the points from several starts, in which the largest of them has each size.

    Where classes are nearly separated, real points are far from all that a card can have, and
    rounding them says little about the best size of points.
    """
    largest = int(np.abs(draft.terms[2]).max(initial=0))
    if rules.kind == FIXED or largest == 0:
        return draft
    cells, best = _cells(rows, draft.terms), draft
    low, high = _bounds(rules, draft.terms)
    most = min(int(max(high.max(), -low.min())), MOST_SIZES)
    for size in range(1, most + 1):
        jumps = np.floor(draft.terms[2] * (size / largest) + 0.5).astype(np.int64)
        terms = np.stack([draft.terms[0], draft.terms[1], np.clip(jumps, low, high)])
        scale = np.array([draft.scale[0] * largest / size, draft.scale[1]])
        moved = _choose(cells, rules, terms, np.empty(0), scale)
        best = moved if moved.loss < best.loss else best
    return best


def measure(
    rows: Rows,
    rules: Rules,
    terms: Integers,
    scale: Floats = ANY_SCALE,
    tolerance: float = SCALE_TOLERANCE,
) -> Draft:
    """Terms with the best scale for them.

    The fit begins at ``scale``, and ``tolerance`` is relative to the total weight of the rows.
    """
    lowest = int(np.minimum(terms[2], 0).sum())
    n_scores = int(np.abs(terms[2]).sum()) + 1
    keys = np.empty(rows.is_event.size, dtype=np.int32)
    score_rows(rows.codes, terms, lowest, rows.is_event, keys)
    tally = np.bincount(keys, rows.weights, minlength=2 * n_scores)
    scale, largest = scale.copy(), int(np.abs(terms[2]).max(initial=0))
    accuracy = tolerance * float(tally.sum())
    loss = fit_scale(tally, lowest, largest, rules.kind, rules.bound, scale, accuracy)
    return Draft(terms, scale, loss)


def draft_of(rows: Rows, rules: Rules, terms: Sequence[tuple[int, int, int]]) -> Draft:
    """The draft of a card's terms (column, cut, jump)."""
    lines = np.array(terms, dtype=np.int64).reshape(-1, 3).T
    return measure(rows, rules, np.ascontiguousarray(lines))


def as_solution(rows: Rows, rules: Rules, draft: Draft, problem: Problem) -> Solution:
    """The draft as a card, its scale fitted as closely as floating point allows."""
    slope, offset = measure(rows, rules, draft.terms, draft.scale, FINAL_TOLERANCE).scale
    is_fixed = problem.scale.kind == "fixed"
    multiplier = problem.scale.multiplier if is_fixed else 1.0 / float(slope)
    terms = [(int(f), int(cut), int(jump)) for f, cut, jump in draft.terms.T]
    if rules.kind == CALIBRATED:
        return Solution.of(terms, 0, multiplier, offset)
    return Solution.of(terms, round(offset / slope), multiplier, 0.0)


def _cells(rows: Rows, terms: Integers) -> tuple[Floats, Floats]:
    """The design and the tally of the rows divided by all terms."""
    keys = np.empty(rows.is_event.size, dtype=np.int32)
    cells: tuple[Floats, Floats] = divide_into_cells(
        rows.codes, terms, rows.is_event, rows.weights, keys
    )
    return cells


def _bounds(rules: Rules, terms: Integers) -> tuple[Integers, Integers]:
    """The least and the largest jump of each term; those that must be used keep their sign."""
    low, high = rules.low[terms[0]], rules.high[terms[0]]
    is_required = rules.restrictions.must_use[rules.feature_of[terms[0]]]
    low = np.where(is_required & (terms[2] > 0), np.maximum(low, 1), low)
    return low, np.where(is_required & (terms[2] < 0), np.minimum(high, -1), high)


def _choose(
    cells: tuple[Floats, Floats], rules: Rules, terms: Integers, wanted: Floats, scale: Floats
) -> Draft:
    """Whole points by the kernel; terms without points are left out."""
    jumps, scale, moves_pairs = terms[2].copy(), scale.copy(), wanted.size == 0
    bounds = *_bounds(rules, terms), rules.kind, rules.bound
    loss = choose_points(*cells, wanted, *bounds, jumps, scale, moves_pairs)
    chosen = np.stack([terms[0], terms[1], jumps])[:, jumps != 0]
    return Draft(np.ascontiguousarray(chosen), scale, loss)
