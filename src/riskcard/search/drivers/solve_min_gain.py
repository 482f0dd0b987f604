"""Terms that pay for themselves: each must lower the loss by a given amount, or it stays out.

The card sought has the lowest *price*: its loss plus a charge for every term. With ``L_k`` the
lowest loss of a card with at most ``k`` terms, the lowest price is the least of ``L_k + charge *
k``: a card with ``t`` terms has a loss of at least ``L_t``. So one size after another is searched,
and each is a part of the proof.
"""

import math
from dataclasses import replace

from riskcard.problem.objective import violations
from riskcard.problem.problem import Limits, Problem
from riskcard.search.drivers.prove_parts import Found, Offer, Part
from riskcard.search.drivers.solve_plain import find_card
from riskcard.search.empty_card import best_empty_card
from riskcard.search.options import SearchOptions


def find_paying_terms(
    problem: Problem, search: SearchOptions, charge: float, certify: bool
) -> Found:
    """The card of the lowest price, and a part for each size where that is to be proven."""
    sizes = problems_by_size(problem)
    is_small = problem.data.n_rows <= search.plan.all_sizes_rows
    by_size = _search_up if certify or is_small else _search_down
    offers = by_size(sizes, search, charge)
    empty = best_empty_card(problem)
    bare = [] if violations(empty, problem) else [Offer.of(empty, problem)]
    parts = [Part(None, left_out=min((offer.price for offer in bare), default=math.inf))]
    if certify:
        parts += [
            Part(sized, offer.card, charge * sized.limits.max_terms)
            for sized, offer in zip(sizes, offers, strict=True)
        ]
    best = min([*bare, *offers], key=lambda offer: offer.price)
    return Found(best, tuple(parts), charge)


def _search_up(sizes: list[Problem], search: SearchOptions, charge: float) -> list[Offer]:
    """A card of each size, each a start for the next."""
    offers: list[Offer] = []
    for sized in sizes:
        card = find_card(sized, search)
        search = replace(search, start=tuple(card.terms))
        offers.append(Offer.of(card, sized, charge))
    return offers


def _search_down(sizes: list[Problem], search: SearchOptions, charge: float) -> list[Offer]:
    """Cards from the largest size down, as long as the price falls.

    A further term usually gains less than the one before, so that once a smaller card is dearer,
    still smaller ones are too. With many rows this holds well enough, and saves time.
    """
    offers: list[Offer] = []
    for sized in reversed(sizes):
        offers.append(Offer.of(find_card(sized, search), sized, charge))
        if len(offers) > 1 and offers[-1].price > offers[-2].price:
            break
    return offers


def problems_by_size(problem: Problem) -> list[Problem]:
    """The problem with fewer terms, for each number that a card may have, ascending.

    It is at least one per feature that must be used.
    """
    least = max(1, int(problem.restrictions.must_use.sum()))
    return [_with_terms(problem, size) for size in range(least, problem.limits.max_terms + 1)]


def _with_terms(problem: Problem, size: int) -> Problem:
    """The problem with at most ``size`` terms."""
    limits = problem.limits
    smaller = Limits(size, min(limits.max_features, size), min(limits.max_cuts_per_feature, size))
    return replace(problem, limits=smaller)
