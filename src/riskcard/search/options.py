"""What is asked of `solve`, and what of it the search reads."""

from collections.abc import Callable
from dataclasses import dataclass, field

from riskcard.search.deadline import Deadline
from riskcard.search.plan import PLAN, SearchPlan
from riskcard.status import Progress

#: Column, cut and jump of each term of a card to start from.
Start = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked of `solve`.

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
    floor
        A number that the loss of no card is below, known beforehand. Tolerances and the gap are relative to
        what a loss is above it.
    n_jobs
        Threads.
    random_state
        Seed of the search.
    progress
        Called with a ``Progress`` a few times per second while the proof runs.
    start
        Terms of a card to start from. Terms that the problem does not allow are left out.
    max_changes
        Change at most this many terms of the start; None for any number.
    min_gain
        A term must lower the loss by at least this much.
    pool_tolerance, pool_size
        Look for all cards whose loss is at most this part above the best, and keep at most this
        many; None for no pool.
    preselects
        Where there are too many conditions for a proof, prove about some of them: those of the best
        card that a search among all finds, and those that a lasso chooses.
    """

    certify: bool = False
    time_limit: float | None = 60.0
    node_limit: int | None = None
    gap: float = 0.0
    floor: float = 0.0
    n_jobs: int = 1
    random_state: int = 0
    progress: Callable[[Progress], None] | None = None
    start: Start = ()
    max_changes: int | None = None
    min_gain: float = 0.0
    pool_tolerance: float | None = None
    pool_size: int = 100
    preselects: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the best of all cards of a problem is wanted, and nothing else."""
        return self.max_changes is None and self.min_gain <= 0 and self.pool_tolerance is None


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What the search reads.

    Attributes
    ----------
    is_thorough
        Search as long as is worthwhile before a long proof. None: only where the scale is given,
        since a free scale makes up for most of what whole points lose.
    deadline
        When to stop.
    n_jobs
        Threads.
    random_state
        Seed.
    start
        Terms of a card to start from.
    n_wanted
        Cards to return; None for a few.
    plan
        How hard to search, and where.
    """

    is_thorough: bool | None = None
    deadline: Deadline = field(default_factory=Deadline)
    n_jobs: int = 1
    random_state: int = 0
    start: Start = ()
    n_wanted: int | None = None
    plan: SearchPlan = PLAN
