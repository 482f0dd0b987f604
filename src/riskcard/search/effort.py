"""How hard to search: counts of work, chosen from the size of the problem and never from a clock."""

from __future__ import annotations

import time
from dataclasses import dataclass

from riskcard.problem.problem import Problem

__all__ = ["Deadline", "Effort", "effort_of"]

#: Work, in row visits, for a search on its own and for one that a proof follows.
WORK_ALONE, WORK_BEFORE_PROOF = 9.0e6, 1.2e8
#: Work added for each value of the table, so that large tables get a search as deep.
WORK_PER_VALUE = 40.0


@dataclass(frozen=True, slots=True)
class Effort:
    """Counts of work.

    Attributes
    ----------
    max_rows, max_cuts
        The search looks at this many rows, and at this many cuts a feature, before it looks at all.
    n_chains
        Independent searches, whatever the number of threads.
    support_steps, card_steps
        Steps of each chain on real-valued and on whole points.
    n_rounded, n_descended
        Sets of conditions that are rounded, and cards that descend, in each chain.
    n_tries
        Candidates fitted exactly in a step.
    n_kept
        Cards that leave the search.
    """

    max_rows: int
    max_cuts: int
    n_chains: int
    support_steps: int
    card_steps: int
    n_rounded: int
    n_descended: int
    n_tries: int
    n_kept: int


class Deadline:
    """A moment after which no new step begins."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.perf_counter() + seconds

    def is_over(self) -> bool:
        return self._end is not None and time.perf_counter() > self._end


def effort_of(problem: Problem, is_before_proof: bool) -> Effort:
    """The counts for a problem."""
    data, terms = problem.data, problem.limits.max_terms
    n_rows = min(data.n_rows, 8192)
    work = WORK_BEFORE_PROOF if is_before_proof else WORK_ALONE
    work += WORK_PER_VALUE * data.n_rows * data.n_features
    n_chains = 8 if is_before_proof else 2
    per_step = n_rows * data.n_features + 4.0 * n_rows + 300.0 * terms * terms + 4000.0
    steps = int(0.6 * work / per_step / n_chains)
    return Effort(
        max_rows=n_rows,
        max_cuts=128,
        n_chains=n_chains,
        support_steps=max(steps, 2 * terms),
        card_steps=max(int(0.3 * work / (3.0 * per_step) / n_chains), 2 * terms),
        n_rounded=20,
        n_descended=3,
        n_tries=4,
        n_kept=max(2, min(12, 200_000 // data.n_rows)),
    )
