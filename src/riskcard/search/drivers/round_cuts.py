"""Rounder cuts: a cut is moved to a shorter number as long as the loss stays within a tolerance."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from riskcard.formatting.numbers import format_number
from riskcard.problem.objective import loss_of, violations
from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult
from riskcard.problem.solution import Solution
from riskcard.search.heuristic.binned_rows import all_cuts
from riskcard.search.heuristic.card_room import rules_of
from riskcard.search.heuristic.draft import as_solution, measure
from riskcard.search.options import Start
from riskcard.search.plan import PLAN

#: From a column and a cut to the number on the card; None for conditions that have none.
Printed = Callable[[int, int], float | None]


def round_cuts(
    result: SolveResult,
    problem: Problem,
    printed: Printed,
    tolerance: float,
    kept: Start = (),
    whole: float | None = None,
) -> SolveResult:
    """Move cuts to rounder numbers while the loss rises by at most ``tolerance`` times ``whole``.

    One term at a time: the nearest cuts with the fewest digits come first, and the scale is fitted
    again. A note says what this cost, and a card that is no longer the best is not called so. The
    terms in ``kept`` stay where they are. ``whole`` is the loss that shares are of: None for that of the
    solver, which for rates is larger than the deviance by a constant (``problem.rates``).
    """
    whole = result.loss if whole is None else whole
    most = result.loss + tolerance * whole
    card, is_moving = result.solution, True
    while is_moving:
        is_moving = False
        for term in range(len(card.terms)):
            if card.terms[term] in kept:
                continue
            rounder = _round_term(card, term, problem, printed, most)
            if rounder is not None:
                card, is_moving = rounder, True
    if card == result.solution:
        return result
    loss = loss_of(card, problem)
    change = (loss - result.loss) / whole if whole > 0 else 0.0
    where = "above" if change >= 0 else "below"
    note = f"Cuts were rounded: the loss is {100 * abs(change):.2g} % {where} what it was before."
    return replace(result.with_card(card, loss), notes=(*result.notes, note))


def _round_term(
    card: Solution, term: int, problem: Problem, printed: Printed, most: float
) -> Solution | None:
    """The card with one cut at the roundest number that the loss allows; None if unchanged."""
    column, cut, _ = card.terms[term]
    number = printed(column, cut)
    if number is None:
        return None
    nearest = _nearest_by_digits(card, term, problem, printed, count_digits(number))
    for _, places in sorted(nearest.items()):
        moved = [_move(card, term, place, problem) for place in places]
        allowed = [one for one in moved if not violations(one, problem)]
        best = min(allowed, key=lambda one: loss_of(one, problem), default=None)
        if best is not None and loss_of(best, problem) <= most:
            return best
    return None


def _nearest_by_digits(
    card: Solution, term: int, problem: Problem, printed: Printed, digits: int
) -> dict[int, list[int]]:
    """For each smaller number of digits, the nearest cuts below and above.

    A cut that has a term is passed over: two terms at one cut would become one.
    """
    column, cut, _ = card.terms[term]
    taken = {c for v, c, _ in card.terms if v == column}
    nearest: dict[int, list[int]] = {}
    n_cuts, furthest = int(problem.data.n_cuts[column]), PLAN.rounded_cut_reach
    for side in (
        range(cut - 1, max(cut - furthest, 0) - 1, -1),
        range(cut + 1, min(cut + furthest, n_cuts)),
    ):
        fewest = digits
        for place in side:
            if place in taken:
                continue
            number = printed(column, place)
            found = digits if number is None else count_digits(number)
            if found < fewest:
                nearest.setdefault(found, []).append(place)
                fewest = found
            if fewest == 1:
                break
    return nearest


def _move(card: Solution, term: int, place: int, problem: Problem) -> Solution:
    """The card with one cut moved, and its scale fitted again."""
    rows, rules = all_cuts(problem), rules_of(problem)
    terms = np.array(card.terms, dtype=np.int64).T.copy()
    terms[1, term] = place
    scale = np.array([1.0 / card.multiplier, card.offset + card.base / card.multiplier])
    return as_solution(rows, rules, measure(rows, rules, terms, scale), problem)


def count_digits(number: float) -> int:
    """How many digits a reader of a number has to keep in mind; zeros at either end do not count.

    Examples
    --------
    >>> count_digits(60.0), count_digits(0.126), count_digits(1250)
    (1, 3, 3)
    """
    text = format_number(abs(number)).split("e")[0].replace(".", "").strip("0")
    return max(1, len(text))
