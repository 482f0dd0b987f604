"""Terms that pay: each must lower the loss by some amount, or it stays out.

The card sought has the lowest *price*: its loss and a charge for every term. With ``L_k`` the
lowest loss of a card with at most ``k`` terms, the lowest price is the least of ``L_k + charge *
k``: a card with ``t`` terms has a loss of at least ``L_t``. So one size after another is searched
and proven, and a proof may give up all cards whose price is known to be too high.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from riskcard.problem.objective import loss_of, violations
from riskcard.problem.problem import Limits, Problem
from riskcard.problem.result import SolveResult
from riskcard.problem.solution import Solution
from riskcard.search.empty_card import best_empty_card
from riskcard.search.options import Options
from riskcard.search.proof.tree import CLOSE_ENOUGH, MAX_PROVEN_TERMS, Stops, prove
from riskcard.search.solve_plain import TOO_MANY_TERMS, find_card
from riskcard.status import OPTIMALITY_TOLERANCE, Status, relative_gap

#: Up to so many rows cards of every size are looked for, proof or not.
MOST_ROWS_FOR_ALL_SIZES = 5000


@dataclass(frozen=True, slots=True)
class _Offer:
    """A card, its loss, and its loss with the charge for its terms."""

    card: Solution
    loss: float
    price: float


def solve_with_paying_terms(problem: Problem, options: Options) -> SolveResult:
    """The card of the lowest price; the bound is that on the price, less the charge for the card.

    So loss and bound differ by what any other card could win at most, its charge included.
    """
    begin = time.perf_counter()
    deadline = None if options.time_limit is None else begin + options.time_limit
    sizes = [_with_terms(problem, size) for size in _sizes(problem)]
    is_small = problem.data.n_rows <= MOST_ROWS_FOR_ALL_SIZES
    search = _search if options.certify or is_small else _search_down
    offers = search(sizes, options, deadline)
    empty = best_empty_card(problem)
    bare = [] if violations(empty, problem) else [_offer(empty, problem, options.min_gain)]
    best = min([*bare, *offers], key=lambda offer: offer.price)
    charge = options.min_gain
    note = (
        f"A term had to lower the loss by {charge:g}; loss and bound are compared with that charge."
    )
    if not options.certify or problem.limits.max_terms > MAX_PROVEN_TERMS:
        notes = (note, *((TOO_MANY_TERMS,) if options.certify else ()))
        seconds = time.perf_counter() - begin
        return SolveResult(
            best.card, best.loss, 0.0, Status.HEURISTIC, seconds=seconds, notes=notes
        )
    bound = min((offer.price for offer in bare), default=float("inf"))
    status, nodes = Status.OPTIMAL, 0
    for sized, offer in zip(sizes, offers, strict=True):
        cost = charge * sized.limits.max_terms
        if best.price <= cost:
            bound = min(bound, cost)  # a loss is not negative
            continue
        left = None if options.node_limit is None else max(options.node_limit - nodes, 1)
        # what a proof leaves open of this would be much of a small loss: it may end at the price itself
        worth = (best.price - cost) * (1.0 - 1e-12) / (1.0 - CLOSE_ENOUGH)
        stops = Stops(deadline, left, options.gap, worth)
        proof = prove(sized, offer.card, stops, options.n_jobs)
        nodes += proof.nodes
        bound = min(bound, proof.bound + cost)
        status = proof.status if status is Status.OPTIMAL else status
        best = min(best, _offer(proof.solution, sized, charge), key=lambda offer: offer.price)
    bound = max(0.0, min(bound, best.price) - (best.price - best.loss))
    if status is Status.OPTIMAL and relative_gap(best.loss, bound) > OPTIMALITY_TOLERANCE:
        status = Status.ROUNDING
    return SolveResult(
        best.card,
        best.loss,
        bound,
        status,
        nodes=nodes,
        seconds=time.perf_counter() - begin,
        notes=(note,),
    )


def _search(sizes: list[Problem], options: Options, deadline: float | None) -> list[_Offer]:
    """A card of each size, each a start for the next."""
    offers: list[_Offer] = []
    for sized in sizes:
        left = None if deadline is None else max(0.0, deadline - time.perf_counter())
        start = tuple(offers[-1].card.terms) if offers else options.start
        card = find_card(sized, replace(options, time_limit=left, start=start))
        offers.append(_offer(card, sized, options.min_gain))
    return offers


def _search_down(sizes: list[Problem], options: Options, deadline: float | None) -> list[_Offer]:
    """Cards from the largest size down, as long as the price falls.

    Each further term mostly gains less than the one before, so that once a smaller card is dearer,
    the ones that are smaller still are too. With many rows this holds well enough, and saves time.
    """
    offers: list[_Offer] = []
    for sized in reversed(sizes):
        left = None if deadline is None else max(0.0, deadline - time.perf_counter())
        card = find_card(sized, replace(options, time_limit=left))
        offers.append(_offer(card, sized, options.min_gain))
        if len(offers) > 1 and offers[-1].price > offers[-2].price:
            break
    return offers


def _offer(card: Solution, problem: Problem, charge: float) -> _Offer:
    loss = loss_of(card, problem)
    return _Offer(card, loss, loss + charge * len(card.terms))


def _sizes(problem: Problem) -> range:
    """The numbers of terms that a card may have, from the least that all features it must use need."""
    least = max(1, int(problem.restrictions.must_use.sum()))
    return range(least, problem.limits.max_terms + 1)


def _with_terms(problem: Problem, size: int) -> Problem:
    """The problem for at most so many terms."""
    limits = problem.limits
    smaller = Limits(size, min(limits.max_features, size), min(limits.max_cuts_per_feature, size))
    return replace(problem, limits=smaller)
