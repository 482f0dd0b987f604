"""The oracle: tiny problems solved by looking at every card, in plain numpy."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from oracle.scale_fits import Cells, Floats, Integers, fit_calibrated, fit_slope, losses
from riskcard.errors import ParameterError
from riskcard.problem.objective import loss_of, violations, violations_of_terms
from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult
from riskcard.problem.solution import Solution
from riskcard.status import Status

__all__ = ["best_of_each_choice", "enumerate_cards"]

#: More cards (terms and jumps; scales not counted) than this are not enumerated.
MOST_CARDS = 20_000_000
#: Cards judged at once.
BATCH = 100_000


@dataclass(frozen=True, slots=True)
class _Batch:
    """Scores of many cards, one row a card, one column a cell, with all that a fit needs.

    ``scores`` start at 0 in every row: an integer shift is absorbed by the base or the offset.
    ``largest_slope`` is the cap on 1 / multiplier. ``cards`` names a card for each row.
    """

    scores: Integers
    shifts: Integers
    largest_slope: Floats
    cards: Integers  # indices into the list of (terms, jumps)


def enumerate_cards(problem: Problem) -> SolveResult:
    """Solve a tiny problem by brute force: every set of terms, every jump, the best scale of each.

    Parameters
    ----------
    problem
        Small: the number of term sets times jump vectors must not exceed ``MOST_CARDS``.

    Returns
    -------
    SolveResult
        Status optimal and the bound equal to the loss.

    Notes
    -----
    What is left out of the brute force, and why nothing is lost. Let a card have scores ``s_i``,
    slope ``a = 1 / multiplier`` and offset ``o``, and let ``f(a, o)`` be its loss: convex in both.
    Let ``r`` be the log-odds of the base rate, the best offset of the empty card.

    *Fixed scale.* The loss is convex in the base ``b``. Where every ``(b + s_i) / m >= r`` each
    risk is at least the base rate, so the derivative is not negative; likewise below. The real
    minimiser is therefore in ``[m r - max s, m r - min s]``, and an integer minimiser of a convex
    function is a neighbour of a real one. All integers of that interval, rounded outwards, are
    tried.

    *Calibrated.* Jump vectors with a common divisor g > 1 are left out: dividing jumps and
    multiplier by g gives the same log-odds, the same cap, and jumps that are allowed.

    *Multiplier.* A base ``b`` restricts ``(a, o)`` to the ray ``o = b a``. The set of ``b`` whose
    ray meets ``{f <= L, 0 < a <= cap}`` is the image of a convex set under ``o / a``, hence an
    interval; so the best loss on a ray is quasi-convex in ``b`` and smallest at ``o* / a*``, where
    ``(a*, o*)`` is the calibrated optimum. The best integer base is therefore a neighbour of
    ``o* / a*``; two on either side are tried. A common divisor must *not* be removed here: the base
    would have to be divided too. If ``a* = 0`` the card is no better than the empty one.

    *The slope of a calibrated fit.* If ``df/da >= 0`` at ``(0, r)`` then ``(0, r)`` is optimal, and
    the card no better than the empty one. If every positive row scores at least as much as every
    negative row, ``min over o of f(a, o)`` is convex in ``a`` and reaches its infimum only as a
    grows for ever, so it falls and the slope is at its cap. Otherwise the unrestricted optimum is
    finite; if its slope is beyond the cap the best allowed slope is the cap, again by convexity.
    """
    start = time.perf_counter()
    cells = _merge_rows(problem)
    best = _empty_card(problem, cells)
    best_loss = math.inf if violations(best, problem) else loss_of(best, problem)
    n_cards = 1
    for cards, scores in _batches(problem, cells):
        n_cards += len(cards)
        batch = _distinct(problem, cards, scores)
        choose = {"fixed": _best_fixed, "calibrated": _best_calibrated}.get(
            problem.scale.kind, _best_multiplier
        )
        found = choose(problem, cells, batch, best_loss)
        if found is None:
            continue
        row, base, multiplier, offset = found
        terms = cards[batch.cards[row]]
        candidate = Solution.of(terms, base, multiplier, offset)
        loss = loss_of(candidate, problem)
        if loss < best_loss:
            best, best_loss = candidate, loss
    seconds = time.perf_counter() - start
    if best_loss == math.inf:
        best = _flat_card(problem, cells)
        best_loss = loss_of(best, problem)
    return SolveResult(best, best_loss, best_loss, Status.OPTIMAL, nodes=n_cards, seconds=seconds)


def best_of_each_choice(problem: Problem) -> dict[frozenset[tuple[int, int]], float]:
    """The least loss of the cards of every set of conditions; those without a fit of their own are left out."""
    cells, found = _merge_rows(problem), {}
    empty = _empty_card(problem, cells)
    if not violations(empty, problem):
        found[frozenset()] = loss_of(empty, problem)
    choose = {"fixed": _best_fixed, "calibrated": _best_calibrated}
    for chosen in _allowed_term_sets(problem):
        jumps = _jump_vectors(problem, tuple(f for f, _ in chosen))
        holds = np.array([cells.codes[f] <= c for f, c in chosen], dtype=np.int64)
        cards = [
            [(f, c, jump) for (f, c), jump in zip(chosen, vector, strict=True)]
            for vector in jumps.tolist()
        ]
        if not cards:
            continue
        batch = _distinct(problem, cards, jumps @ holds)
        own = choose.get(problem.scale.kind, _best_multiplier)(problem, cells, batch, math.inf)
        if own is not None:
            row, base, multiplier, offset = own
            card = Solution.of(cards[batch.cards[row]], base, multiplier, offset)
            if not violations(card, problem):
                found[frozenset(chosen)] = loss_of(card, problem)
    return found


# --- every card ---------------------------------------------------------------------------------


def _merge_rows(problem: Problem) -> Cells:
    data = problem.data
    codes, cell = np.unique(data.codes, axis=1, return_inverse=True)
    cell = cell.ravel()
    by_label = {label: np.zeros(codes.shape[1]) for label in (1, -1)}
    for label, weight in by_label.items():
        is_label = data.labels == label
        np.add.at(weight, cell[is_label], data.weights[is_label])
    return Cells(codes, by_label[1], by_label[-1])


def _allowed_term_sets(problem: Problem) -> Iterator[tuple[tuple[int, int], ...]]:
    """Every non-empty set of (column, cut) pairs that the referee allows."""
    usable = [
        (v, c)
        for v in range(problem.data.n_columns)
        for c in range(int(problem.data.n_cuts[v]))
        if problem.jump_low[v] < 0 or problem.jump_high[v] > 0
    ]
    for size in range(1, min(problem.limits.max_terms, len(usable)) + 1):
        for chosen in itertools.combinations(usable, size):
            if not violations_of_terms(chosen, problem):
                yield chosen


def _jump_vectors(problem: Problem, features: tuple[int, ...]) -> Integers:
    """Every vector of allowed non-zero jumps; without common divisor when that loses nothing."""
    choices = [
        [j for j in range(int(problem.jump_low[f]), int(problem.jump_high[f]) + 1) if j != 0]
        for f in features
    ]
    jumps = np.array(list(itertools.product(*choices)), dtype=np.int64).reshape(-1, len(features))
    if problem.scale.kind == "calibrated":
        jumps = jumps[np.gcd.reduce(jumps, axis=1) == 1]
    return jumps


def _batches(
    problem: Problem, cells: Cells
) -> Iterator[tuple[list[list[tuple[int, int, int]]], Integers]]:
    """Cards as lists of (feature, cut, jump), with their scores by cell, a batch at a time."""
    cards: list[list[tuple[int, int, int]]] = []
    scores: list[Integers] = []
    total = 0
    jumps_of: dict[tuple[int, ...], Integers] = {}
    for chosen in _allowed_term_sets(problem):
        features = tuple(f for f, _ in chosen)
        if features not in jumps_of:
            jumps_of[features] = _jump_vectors(problem, features)
        jumps = jumps_of[features]
        total += len(jumps)
        if total > MOST_CARDS:
            raise ParameterError(
                f"This problem has more than {MOST_CARDS} cards, too many to look at each. "
                "Use fewer rows, terms or points, or solve it with certify=True."
            )
        holds = np.array([cells.codes[f] <= c for f, c in chosen], dtype=np.int64)
        scores.append(jumps @ holds)
        cards.extend(
            [(f, c, jump) for (f, c), jump in zip(chosen, vector, strict=True)]
            for vector in jumps.tolist()
        )
        if len(cards) >= BATCH:
            yield cards, np.concatenate(scores)
            cards, scores = [], []
    if cards:
        yield cards, np.concatenate(scores)


def _distinct(
    problem: Problem, cards: list[list[tuple[int, int, int]]], scores: Integers
) -> _Batch:
    """One card for each pattern of scores and largest jump: the others have the same loss."""
    largest_jump = np.array([max(abs(jump) for _, _, jump in card) for card in cards])
    shifts = scores.min(axis=1)
    pattern = np.column_stack([scores - shifts[:, None], largest_jump])
    if pattern.max() < 256:  # the same thing, sorted faster
        pattern = pattern.astype(np.uint8)
    _, first = np.unique(pattern, axis=0, return_index=True)
    return _Batch(
        scores=scores[first] - shifts[first, None],
        shifts=shifts[first],
        largest_slope=problem.scale.limit / largest_jump[first],
        cards=first,
    )


# --- the best scale of each card ----------------------------------------------------------------

Found = tuple[int, int, float, float]  # row of the batch, base, multiplier, offset


def _empty_card(problem: Problem, cells: Cells) -> Solution:
    rate = cells.base_rate_log_odds
    if problem.scale.kind == "calibrated":
        return Solution.of([], offset=rate)
    if problem.scale.kind == "multiplier":
        if rate == 0:
            return Solution.of([])
        return Solution.of([], base=int(math.copysign(1, rate)), multiplier=1 / abs(rate))
    multiplier = problem.scale.multiplier
    candidates = [
        Solution.of([], base=base, multiplier=multiplier)
        for base in range(math.floor(multiplier * rate), math.ceil(multiplier * rate) + 1)
    ]
    return min(candidates, key=lambda card: loss_of(card, problem))


def _flat_card(problem: Problem, cells: Cells) -> Solution:
    """A card for a problem in which terms must be used though none helps: a slope of next to 0."""
    slope, rate = 1e-9, cells.base_rate_log_odds
    for chosen in _allowed_term_sets(problem):
        terms = [(v, cut, 1 if problem.jump_high[v] > 0 else -1) for v, cut in chosen]
        if problem.scale.kind == "calibrated":
            return Solution.of(terms, 0, 1 / slope, rate)
        return Solution.of(terms, round(rate / slope), 1 / slope, 0.0)
    raise ParameterError("No card keeps all restrictions of this problem. Relax some of them.")


def _best_fixed(problem: Problem, cells: Cells, batch: _Batch, to_beat: float) -> Found | None:
    multiplier = problem.scale.multiplier
    centre = multiplier * cells.base_rate_log_odds
    largest = int(batch.scores.max())
    bases = np.arange(math.floor(centre) - largest, math.ceil(centre) + 1)
    # Rows with the same score have the same loss: total weight by card and score is enough.
    values = np.arange(largest + 1)
    log_odds = (values[:, None] + bases) / multiplier
    loss = np.zeros((len(batch.scores), bases.size))
    for weights, side in ((cells.positive, -1), (cells.negative, 1)):
        by_score = np.stack([(batch.scores == v) @ weights for v in values], axis=1)
        loss += by_score @ np.logaddexp(0.0, side * log_odds)
    row, column = np.unravel_index(np.argmin(loss), loss.shape)
    if loss[row, column] >= to_beat:
        return None
    return int(row), int(bases[column] - batch.shifts[row]), multiplier, 0.0


def _best_calibrated(problem: Problem, cells: Cells, batch: _Batch, to_beat: float) -> Found | None:
    slope, offset, loss = fit_calibrated(cells, batch.scores, batch.largest_slope)
    row = int(np.argmin(loss))
    if loss[row] >= to_beat:
        return None
    # the batch's scores were shifted to start at 0; the card's were not
    unshifted = offset[row] - slope[row] * batch.shifts[row]
    return row, 0, float(1 / slope[row]), float(unshifted)


def _best_multiplier(problem: Problem, cells: Cells, batch: _Batch, to_beat: float) -> Found | None:
    slope, offset, bound = fit_calibrated(cells, batch.scores, batch.largest_slope)
    best: Found | None = None
    order = np.argsort(bound)
    for rows in np.array_split(order, max(1, order.size // 200)):
        # an integer base is one of the offsets the calibrated fit could choose
        rows = rows[bound[rows] < to_beat]
        if rows.size == 0:
            break
        nearest = np.floor(offset[rows] / slope[rows]).astype(np.int64)
        for base in (nearest - 1, nearest, nearest + 1, nearest + 2):
            scores = (batch.scores[rows] + base[:, None]).astype(np.float64)
            fitted = fit_slope(cells, scores, batch.largest_slope[rows])
            loss = losses(cells, fitted[:, None] * scores)
            loss[fitted <= 0] = np.inf
            k = int(np.argmin(loss))
            if loss[k] < to_beat:
                to_beat = float(loss[k])
                row = int(rows[k])
                best = row, int(base[k] - batch.shifts[row]), float(1 / fitted[k]), 0.0
    return best
