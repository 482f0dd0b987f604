"""One problem, one card: a search, then, when asked, a proof."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from riskcard.errors import ParameterError
from riskcard.kernels.proof.slots import Conditions
from riskcard.problem.objective import loss_of, order_of, violations, violations_of_terms
from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult
from riskcard.problem.solution import Solution
from riskcard.search.empty_card import best_empty_card
from riskcard.search.heuristic.binned_rows import all_cuts
from riskcard.search.heuristic.card_room import rules_of
from riskcard.search.heuristic.draft import finish, measure
from riskcard.search.heuristic.find_cards import find_cards
from riskcard.search.options import Options
from riskcard.search.proof.bounded_steps import bound_moderate_cards, seconds_for_moderate_cards
from riskcard.search.proof.conditions import arrange_conditions
from riskcard.search.proof.tree import MAX_PROVEN_TERMS, Proof, Stops, prove
from riskcard.status import Progress, Status

#: Nodes of the short proof times rows of the table, and nodes at most.
FEW_NODES_TIMES_ROWS, MOST_FEW_NODES = 1e7, 10_000
#: Cards tried one by one where the search finds none that is allowed.
MOST_TRIED = 20_000
TOO_MANY_TERMS = f"The proof is made for at most {MAX_PROVEN_TERMS} terms; this card comes from the search alone."


def solve_once(problem: Problem, options: Options) -> SolveResult:
    """Find a good card and, when asked, prove how far from optimal it can at most be.

    Most small problems are proven before a thorough search would be done. So a short search comes
    first, then a short proof, and only where that does not end both at full length.
    """
    start = time.perf_counter()
    card = find_card(problem, replace(options, is_brief=options.certify))
    if not options.certify or problem.limits.max_terms > MAX_PROVEN_TERMS:
        notes = (TOO_MANY_TERMS,) if options.certify else ()
        loss, seconds = loss_of(card, problem), time.perf_counter() - start
        return SolveResult(card, loss, 0.0, Status.HEURISTIC, seconds=seconds, notes=notes)
    diary = _Diary(start, options.progress)
    conditions = arrange_conditions(problem)
    reserved = seconds_for_moderate_cards(card, problem, options.time_limit)
    limit = None if options.time_limit is None else options.time_limit - reserved
    proof = _prove_twice(problem, card, replace(options, time_limit=limit), diary, conditions)
    bound, moderate = max(proof.bound, diary.bound), None
    if reserved > 0 and proof.status is Status.TIME_LIMIT and conditions is not None:
        most = options.node_limit
        left = None if most is None else max(most - diary.nodes - proof.nodes, 1)
        stops = Stops(_deadline(start, options), left, options.gap)
        proof, moderate = bound_moderate_cards(
            problem, replace(proof, bound=bound), conditions, stops, options.n_jobs, diary.go_on
        )
    return SolveResult(
        proof.solution,
        proof.loss,
        bound,
        proof.status,
        nodes=diary.nodes + proof.nodes,
        seconds=time.perf_counter() - start,
        history=tuple(diary.history),
        moderate=moderate,
    )


def _prove_twice(
    problem: Problem,
    card: Solution,
    options: Options,
    diary: _Diary,
    conditions: Conditions | None,
) -> Proof:
    """A short proof; where that does not end it, a thorough search and a proof at full length."""
    deadline = _deadline(diary.start, options)
    few, most = _few_nodes(problem), options.node_limit
    stops = Stops(deadline, few if most is None else min(few, most), options.gap)
    proof = prove(problem, card, stops, options.n_jobs, diary.write, conditions)
    if proof.status is not Status.NODE_LIMIT or (most is not None and proof.nodes >= most):
        return proof
    diary.turn_page(proof)
    time_left = None if deadline is None else max(0.0, deadline - time.perf_counter())
    thorough = find_card(problem, replace(options, time_limit=time_left))
    card = min(thorough, proof.solution, key=lambda card: order_of(card, problem))
    stops = Stops(deadline, None if most is None else most - proof.nodes, options.gap)
    return prove(problem, card, stops, options.n_jobs, diary.write, conditions)


def _deadline(start: float, options: Options) -> float | None:
    """The moment at which all work ends; None for never."""
    return None if options.time_limit is None else start + options.time_limit


@dataclass(slots=True)
class _Diary:
    """What is known at every moment: a bound that was proven once stays proven."""

    start: float
    tell: Callable[[Progress], None] | None
    history: list[Progress] = field(default_factory=list)
    bound: float = 0.0
    nodes: int = 0

    def write(self, loss: float, bound: float, nodes: int) -> None:
        seconds = time.perf_counter() - self.start
        now = Progress(seconds, loss, max(bound, self.bound), nodes + self.nodes)
        self.history.append(now)
        if self.tell is not None:
            self.tell(now)

    def go_on(self, loss: float, bound: float, nodes: int) -> None:
        """The same while something else is proven: the bound stays what it was."""
        last = self.history[-1]
        self.write(min(loss, last.loss), last.bound, last.nodes - self.nodes)

    def turn_page(self, proof: Proof) -> None:
        """Keep what a proof reached that was cut short; the next one begins anew."""
        self.bound, self.nodes = proof.bound, proof.nodes


def find_card(problem: Problem, options: Options) -> Solution:
    """The best card of a search, or the empty one."""
    empty = best_empty_card(problem)
    cards = find_cards(problem, options)[:1]
    if not violations(empty, problem):
        cards.append(empty)
    if not cards:
        cards = _any_card(problem)
    if not cards:
        raise ParameterError(
            "No card was found that keeps all rules together. Relax some of them: allow more terms, "
            "a larger budget or smaller bins, or require fewer features."
        )
    return min(cards, key=lambda card: loss_of(card, problem))


def _any_card(problem: Problem) -> list[Solution]:
    """A card with one term on every feature that must be used, the first that is allowed."""
    rules, rows = rules_of(problem), all_cuts(problem)
    musts = np.flatnonzero(problem.restrictions.must_use)
    choices = [
        [
            (int(v), int(cut))
            for v in np.flatnonzero(rules.is_usable & (rules.feature_of == f))
            for cut in np.flatnonzero(~problem.restrictions.is_closed[v])
        ]
        for f in musts
    ]
    for chosen in itertools.islice(itertools.product(*choices), MOST_TRIED):
        if musts.size and not violations_of_terms(chosen, problem):
            terms = [(v, cut, 1 if rules.high[v] > 0 else -1) for v, cut in chosen]
            start = np.ascontiguousarray(np.array(terms, dtype=np.int64).T)
            draft = measure(rows, rules, start, np.array([1.0, 0.0]))
            return [finish(rows, rules, draft, problem)]
    return []


def _few_nodes(problem: Problem) -> int:
    """Nodes of a short proof: about a tenth of a second."""
    return int(np.clip(FEW_NODES_TIMES_ROWS / problem.data.n_rows, 100, MOST_FEW_NODES))
