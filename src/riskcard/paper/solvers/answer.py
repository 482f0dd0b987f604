"""What a solver is asked and what it answers, in the same words for all of them."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from riskcard.errors import ParameterError
from riskcard.paper.formulations.mip_model import Floats

#: Why a solver says that it stopped. "optimal" is its own word, nothing that was proven here.
Ending = Literal["optimal", "time_limit", "node_limit", "infeasible", "failed"]


@dataclass(frozen=True, slots=True)
class SolverOptions:
    """What any solver is asked.

    Attributes
    ----------
    time_limit
        Seconds of wall-clock time, building the solver's own model included; None for no limit.
    node_limit
        Nodes of the tree; None for no limit.
    start
        A point of the model to start from, such as ``cards.values_of`` makes of a card. SCIP and
        HiGHS take it as their first solution, BONMIN and IPOPT as the first point of their
        iterations.
    threads
        Threads that the solver may use; BONMIN and SCIP use one.
    show_log
        Let the solver write to the terminal; it is silent otherwise.
    log_file
        Keep what the solver says in this file.
    parameters
        The solver's own parameters by their own names; they win over what riskcard sets.
    """

    time_limit: float | None = None
    node_limit: int | None = None
    start: Floats | None = None
    threads: int = 1
    show_log: bool = False
    log_file: str | Path | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        limit = self.time_limit
        if limit is not None and not (0 <= limit < math.inf):
            raise ParameterError(f"time_limit is {limit!r}. Use seconds, 0 or more, or None.")
        if self.node_limit is not None and self.node_limit < 0:
            raise ParameterError(f"node_limit is {self.node_limit!r}. Use 0 or more, or None.")
        if self.threads < 1:
            raise ParameterError(f"threads is {self.threads!r}. Use at least 1.")


@dataclass(frozen=True, slots=True)
class Incumbent:
    """A moment at which a solver had a better solution: seconds since the start, its objective."""

    seconds: float
    objective: float


#: Is called at each better solution: when it was found, its objective, and the point.
Note = Callable[[Incumbent, Floats], None]


@dataclass(frozen=True, slots=True)
class Claim:
    """What a solver says, unchecked.

    Attributes
    ----------
    ending
        Why it stopped, by its own account.
    word
        Its own word for that.
    objective
        Of its best solution; None when it has none.
    bound
        No solution is below it, it says; None when it says nothing. Solvers prove their bounds in
        floating point, up to their tolerances.
    nodes
        Of its tree.
    """

    ending: Ending
    word: str
    objective: float | None = None
    bound: float | None = None
    nodes: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """A solver's answer to a model.

    Attributes
    ----------
    values
        The best point found, one number per variable of the model; None when there is none.
    seconds
        Wall-clock time of all, building the solver's own model included.
    history
        When better solutions were found, as far as the solver reports it; the last one is ``values``.
    is_relaxation
        Integer variables may have any value within their bounds.
    log
        What a solver in a process of its own printed.
    """

    solver: str
    values: Floats | None
    claim: Claim
    seconds: float
    history: tuple[Incumbent, ...] = ()
    is_relaxation: bool = False
    log: str = ""

    @property
    def seconds_to_best(self) -> float | None:
        """When the best solution was found; None without a solution."""
        return self.history[-1].seconds if self.history else None
