"""From a problem to a result: search first, then, when asked, prove."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from riskcard.problem.objective import loss_of
from riskcard.problem.problem import Problem
from riskcard.problem.result import Progress, SolveResult, Status
from riskcard.search.heuristic import find_cards

__all__ = ["Options", "solve"]


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
    cards = find_cards(problem, options)
    loss = loss_of(cards[0], problem)
    return SolveResult(cards[0], loss, 0.0, Status.HEURISTIC, seconds=time.perf_counter() - start)
