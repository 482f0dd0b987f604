"""From a problem to a result: search first, then, when asked, prove."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from riskcard.problem.objective import loss_of
from riskcard.problem.problem import Problem
from riskcard.problem.result import Progress, SolveResult, Status
from riskcard.search.empty import best_empty_card
from riskcard.search.heuristic import find_cards
from riskcard.search.tree import MAX_PROVEN_TERMS, Stops, prove

__all__ = ["Options", "solve"]

TOO_MANY_TERMS = f"The proof is made for at most {MAX_PROVEN_TERMS} terms; this card comes from the search alone."


@dataclass(frozen=True, slots=True)
class Options:
    """How long and how hard to work.

    Attributes
    ----------
    certify
        Prove a bound after the search.
    time_limit
        Seconds for everything; None for no limit.
    node_limit
        Nodes of the proof; None for no limit.
    gap
        Stop when the relative gap is at most this.
    n_jobs
        Threads.
    random_state
        Seed of the search.
    progress
        Called with a ``Progress`` a few times a second while the proof runs.
    """

    certify: bool = False
    time_limit: float | None = 60.0
    node_limit: int | None = None
    gap: float = 0.0
    n_jobs: int = 1
    random_state: int = 0
    progress: Callable[[Progress], None] | None = None


def solve(problem: Problem, options: Options | None = None) -> SolveResult:
    """Find a good card and, when asked, prove how far from optimal it can at most be."""
    options = options or Options()
    start = time.perf_counter()
    card = min(
        find_cards(problem, options)[0],
        best_empty_card(problem),
        key=lambda card: loss_of(card, problem),
    )
    if not options.certify or problem.limits.max_terms > MAX_PROVEN_TERMS:
        notes = (TOO_MANY_TERMS,) if options.certify else ()
        loss, seconds = loss_of(card, problem), time.perf_counter() - start
        return SolveResult(card, loss, 0.0, Status.HEURISTIC, seconds=seconds, notes=notes)
    deadline = None if options.time_limit is None else start + options.time_limit
    history: list[Progress] = []

    def record(loss: float, bound: float, nodes: int) -> None:
        history.append(Progress(time.perf_counter() - start, loss, bound, nodes))
        if options.progress is not None:
            options.progress(history[-1])

    stops = Stops(deadline, options.node_limit, options.gap)
    proof = prove(problem, card, stops, options.n_jobs, record)
    return SolveResult(
        proof.solution,
        proof.loss,
        proof.bound,
        proof.status,
        nodes=proof.nodes,
        seconds=time.perf_counter() - start,
        history=tuple(history),
    )
