"""One problem, one card: a search for it, and a proof about the problem as a whole."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from riskcard.errors import ParameterError
from riskcard.kernels.proof.layout import Conditions
from riskcard.problem.objective import loss_of, order_of, violations, violations_of_terms
from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult
from riskcard.problem.solution import Solution
from riskcard.search.deadline import OutOfTime
from riskcard.search.empty_card import best_empty_card
from riskcard.search.heuristic.binned_rows import all_cuts
from riskcard.search.heuristic.card_room import rules_of
from riskcard.search.heuristic.draft import as_solution, draft_of
from riskcard.search.heuristic.find_cards import find_cards
from riskcard.search.options import SearchOptions
from riskcard.search.plan import SearchPlan
from riskcard.search.proof.conditions import arrange_conditions
from riskcard.search.proof.support_tree import prove_by_supports, suits_card, suits_supports
from riskcard.search.proof.tree import CLOSE_ENOUGH, Proof, Stops, go_on, prove
from riskcard.status import Progress, Status


def find_card(problem: Problem, search: SearchOptions) -> Solution:
    """The best card of a search, or the empty one."""
    empty = best_empty_card(problem)
    cards = find_cards(problem, search)[:1]
    if not violations(empty, problem):
        cards.append(empty)
    if not cards:
        cards = _any_card(problem, search.plan)
    if not cards:
        raise ParameterError(
            "No card was found that keeps all rules together. Relax some of them: allow more "
            "terms, a larger budget or smaller bins, or require fewer features."
        )
    return min(cards, key=lambda card: loss_of(card, problem))


def _any_card(problem: Problem, plan: SearchPlan) -> list[Solution]:
    """A card with one term on every feature that must be used: the first that is allowed."""
    rules, rows = rules_of(problem, plan), all_cuts(problem)
    musts = np.flatnonzero(problem.restrictions.must_use)
    choices = [
        [
            (int(v), int(cut))
            for v in np.flatnonzero(rules.is_usable & (rules.feature_of == f))
            for cut in np.flatnonzero(~problem.restrictions.is_closed[v])
        ]
        for f in musts
    ]
    for chosen in itertools.islice(itertools.product(*choices), plan.most_cards_tried):
        if musts.size and not violations_of_terms(chosen, problem):
            terms = [(v, cut, 1 if rules.high[v] > 0 else -1) for v, cut in chosen]
            return [as_solution(rows, rules, draft_of(rows, rules, terms), problem)]
    return []


def prove_whole(
    problem: Problem, card: Solution, search: SearchOptions, stops: Stops, history: History
) -> SolveResult:
    """Prove how far from optimal a card can be at most, and improve it where possible."""
    try:
        conditions = arrange_conditions(problem, deadline=search.deadline)
    except OutOfTime:
        search.deadline.require_no_interrupt()
        return SolveResult(card, loss_of(card, problem), 0.0, Status.TIME_LIMIT)
    proof = WholeProof(problem, search, history, conditions).in_two_rounds(card, stops)
    return SolveResult(
        proof.solution,
        proof.loss,
        proof.bound,
        proof.status,
        nodes=proof.nodes,
        history=tuple(history.moments),
    )


def prove_below(problem: Problem, goal: float, search: SearchOptions) -> SolveResult:
    """What is known of the cards of a problem below a loss: if there is none, the bound is `reached` by then."""
    card, stops = best_empty_card(problem), Stops(search.deadline.moment, worth=goal)
    return prove_whole(problem, card, search, stops, History(time.perf_counter()))


def reached(goal: float) -> float:
    """A bound that is as near to a goal as a proof gets to it."""
    return goal * (1.0 - 2 * CLOSE_ENOUGH)


@dataclass(frozen=True, slots=True)
class WholeProof:
    """A proof about all cards of a problem."""

    problem: Problem
    search: SearchOptions
    history: History
    conditions: Conditions | None

    def in_two_rounds(self, card: Solution, stops: Stops) -> Proof:
        """A short proof; where that does not end it, a thorough search and a proof at full length.

        Most small problems are proven before a thorough search would be done.
        """
        few = min(self._short_proof_nodes(), stops.node_limit)
        short = self._prove(card, replace(stops, node_limit=few))
        if short.status is not Status.NODE_LIMIT or short.nodes >= stops.node_limit:
            return short
        search = replace(self.search, deadline=self.search.deadline.until(stops.deadline))
        try:
            cards = find_card(self.problem, search), short.solution
        except KeyboardInterrupt:
            return replace(short, status=Status.INTERRUPTED)
        best = min(cards, key=lambda card: order_of(card, self.problem))
        n_jobs, tell = self.search.n_jobs, self.history.add
        return go_on(replace(short, solution=best), stops, n_jobs, tell)

    def _prove(self, card: Solution, stops: Stops) -> Proof:
        n_jobs, tell = self.search.n_jobs, self.history.add
        if suits_supports(self.problem) and suits_card(self.problem, card):
            return prove_by_supports(self.problem, card, stops, n_jobs, tell)
        return prove(self.problem, card, stops, n_jobs, tell, self.conditions)

    def _short_proof_nodes(self) -> int:
        """Nodes of the short proof: about a tenth of a second."""
        plan = self.search.plan
        nodes = plan.short_proof_work / self.problem.data.n_rows
        return int(np.clip(nodes, plan.short_proof_fewest_nodes, plan.short_proof_most_nodes))


@dataclass(slots=True)
class History:
    """What was known at every moment of a proof."""

    start: float
    tell: Callable[[Progress], None] | None = None
    moments: list[Progress] = field(default_factory=list)

    def add(self, loss: float, bound: float, nodes: int) -> None:
        """Note where a proof is."""
        seconds = time.perf_counter() - self.start
        now = Progress(seconds, loss, bound, nodes)
        self.moments.append(now)
        if self.tell is not None:
            self.tell(now)
