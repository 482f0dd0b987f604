"""The proof of a problem in parts: every card belongs to one of them, and each is proven in turn.

Some questions are no single problem for the proof. Terms that must pay for themselves make one for
each number of terms, and few changes of a given card make one for each choice of terms to keep. A
card may also have to pay a charge for its terms. What counts is then its *price*, the loss plus the
charge, and the proof of a part may give up all cards whose price is known to be too high.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from riskcard.problem.objective import loss_of
from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult
from riskcard.problem.solution import Solution
from riskcard.search.proof.tree import CLOSE_ENOUGH, Stops, prove
from riskcard.status import OPTIMALITY_TOLERANCE, Status

#: Losses that differ by less than this part are equal but for rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Offer:
    """A card, its loss, and its price."""

    card: Solution
    loss: float
    price: float

    @classmethod
    def of(cls, card: Solution, problem: Problem, charge: float = 0.0) -> Offer:
        """A card whose terms cost ``charge`` each."""
        loss = loss_of(card, problem)
        return cls(card, loss, loss + charge * len(card.terms))


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the cards.

    Attributes
    ----------
    problem
        Whose cards they are; None where all of them are left out.
    start
        The card from which its proof starts; None for the best card so far.
    charge
        What the cards of this part have to pay; those with fewer terms belong to other parts too.
    left_out
        A bound on the price of cards of this part that are no cards of the problem.
    """

    problem: Problem | None
    start: Solution | None = None
    charge: float = 0.0
    left_out: float = math.inf


@dataclass(frozen=True, slots=True)
class Found:
    """What a search hands to the proof.

    Attributes
    ----------
    best
        The card of the lowest price.
    parts
        All cards; none where the problem is proven as a whole.
    charge
        For each term.
    notes
        What is to be said of the result.
    """

    best: Offer
    parts: tuple[Part, ...] = ()
    charge: float = 0.0
    notes: tuple[str, ...] = ()


def prove_parts(found: Found, stops: Stops, n_jobs: int) -> SolveResult:
    """The card of the lowest price, and a bound on the price of every card."""
    best, bound, status, nodes = found.best, math.inf, Status.OPTIMAL, 0
    # a little less than the gap asked for, so that rounding does not leave the result just above
    gap = stops.gap * (1.0 - 1e-9)
    for part in found.parts:
        bound = min(bound, part.left_out)
        if part.problem is None:
            continue
        # the proof may give up cards that are not cheaper than the best by more than the gap
        wanted = best.price * (1.0 - gap) - part.charge
        # a loss is not negative: nothing in this part can be as cheap
        if wanted <= 0:
            bound = min(bound, part.charge)
            continue
        # the tolerance of the proof would be much of a small loss: it has to reach what is wanted
        worth = wanted * (1.0 - ROUNDING) / (1.0 - CLOSE_ENOUGH)
        within = replace(stops.with_nodes_left(nodes), worth=worth, gap=0.0)
        proof = prove(part.problem, part.start or best.card, within, n_jobs)
        nodes += proof.nodes
        bound = min(bound, proof.bound + part.charge)
        status = proof.status if status is Status.OPTIMAL else status
        offer = Offer.of(proof.solution, part.problem, found.charge)
        best = min(best, offer, key=lambda offer: offer.price)
    # what "optimal" means, and room for the rounding of a proof file
    bound = min(bound, best.price - CLOSE_ENOUGH * best.loss)
    result = SolveResult(best.card, best.loss, bound, status, nodes=nodes, min_gain=found.charge)
    return replace(result, status=_status_at(result.gap, stops.gap, status))


def _status_at(gap: float, wanted: float, status: Status) -> Status:
    """Why the parts ended: what was reached, and otherwise what stopped the first of them."""
    if gap <= OPTIMALITY_TOLERANCE:
        return Status.OPTIMAL
    if gap <= wanted:
        return Status.GAP_REACHED
    return Status.ROUNDING if status is Status.OPTIMAL else status
