"""How long and how hard to work, and what to look for besides the best card."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from riskcard.status import Progress


@dataclass(frozen=True, slots=True)
class Options:
    """How long and how hard to work.

    Attributes
    ----------
    certify
        Prove a bound after the search.
    is_brief
        Search no longer than is needed before a short proof.
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
    start
        Terms (column, cut, jump) of a card to start from; what the problem does not allow of it is
        left out.
    max_changes
        Change at most this many terms of the start; None for any number.
    min_gain
        A term must lower the loss by at least this much.
    pool_tolerance, pool_size
        Look for all cards whose loss is at most this part above the best, and keep so many; None for
        no pool.
    """

    certify: bool = False
    is_brief: bool = False
    time_limit: float | None = 60.0
    node_limit: int | None = None
    gap: float = 0.0
    n_jobs: int = 1
    random_state: int = 0
    progress: Callable[[Progress], None] | None = None
    start: tuple[tuple[int, int, int], ...] = ()
    max_changes: int | None = None
    min_gain: float = 0.0
    pool_tolerance: float | None = None
    pool_size: int = 100
