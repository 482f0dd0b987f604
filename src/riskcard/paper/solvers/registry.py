"""Every solver by name: hand it a model, or an instance and a form; the referee checks its answer."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from riskcard.errors import ParameterError
from riskcard.paper.formulations.card_variables import solution_of, values_of
from riskcard.paper.formulations.forms import form_of
from riskcard.paper.formulations.instance import Instance
from riskcard.paper.formulations.mip_model import Model
from riskcard.paper.formulations.ranges import base_range, with_best_base
from riskcard.paper.solvers.answer import Answer, Claim, SolverOptions
from riskcard.paper.solvers.bonmin import solve_with_bonmin, solve_with_bonmin_oa
from riskcard.paper.solvers.highs import solve_with_highs
from riskcard.paper.solvers.ipopt import relax_with_ipopt
from riskcard.paper.solvers.scip import solve_with_scip
from riskcard.paper.solvers.solve_apart import is_large, solve_apart
from riskcard.problem.objective import loss_of, violations
from riskcard.problem.result import SolveResult
from riskcard.problem.solution import Solution
from riskcard.status import OPTIMALITY_TOLERANCE, Progress, Status, relative_gap

#: A claimed objective and the referee's loss may differ by this much for each row (of weight 1):
#: solvers keep their constraints, hence the losses of single rows, up to about this.
CLAIM_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Solver:
    """A solver by name.

    Attributes
    ----------
    solve
        From a model and options to an answer.
    is_relaxing
        It solves the continuous relaxation, so that its answer is no card.
    proves_bounds
        Its bound is proven up to its tolerances. BONMIN's is not: its search rests on local
        solutions, and has been wrong (docs/solvers.md).
    takes_start
        A start is its first solution. Others only begin their iterations there.
    overruns
        It overruns its time limit on large models, which are given to a process that can be ended.
    """

    name: str
    solve: Callable[[Model, SolverOptions], Answer]
    is_relaxing: bool = False
    proves_bounds: bool = False
    takes_start: bool = False
    overruns: bool = False


#: Every solver by its name.
SOLVERS = {
    solver.name: solver
    for solver in (
        Solver("bonmin", solve_with_bonmin),
        Solver("bonmin-oa", solve_with_bonmin_oa),
        Solver("ipopt", relax_with_ipopt, is_relaxing=True),
        Solver("scip", solve_with_scip, proves_bounds=True, takes_start=True, overruns=True),
        Solver("highs", solve_with_highs, proves_bounds=True, takes_start=True, overruns=True),
    )
}


@dataclass(frozen=True, slots=True)
class SolveRecord:
    """A form of an instance, solved, and what the referee says of it.

    Attributes
    ----------
    result
        The card, its loss by the referee, and what may be believed; None when the solver found
        no card.
    claim
        What the solver itself says.
    agrees
        Whether the claimed objective is the loss of the card, up to ``tolerance``; None without
        either.
    seconds, seconds_to_best
        Of all, and until the best card was found; None without a card.
    """

    form: str
    solver: str
    result: SolveResult | None
    claim: Claim
    agrees: bool | None
    seconds: float
    seconds_to_best: float | None
    tolerance: float

    def is_refuted_by(self, loss: float) -> bool:
        """Whether a card of this loss shows that what the solver claims is false."""
        claim, most = self.claim, loss + self.tolerance
        if claim.bound is not None and claim.bound > most:
            return True
        return claim.ending == "optimal" and claim.objective is not None and claim.objective > most


def solve_model(model: Model, solver: str, options: SolverOptions | None = None) -> Answer:
    """Hand a model to a solver.

    Parameters
    ----------
    solver
        A name in ``SOLVERS``. "ipopt" solves the continuous relaxation.
    """
    chosen, options = _solver_of(solver), options or SolverOptions()
    start = options.start
    if start is not None and start.shape != (model.n_variables,):
        raise ParameterError(
            f"The start has shape {start.shape} and the model {model.n_variables} variables. "
            "Make it with riskcard.paper.formulations.card_variables.values_of for this very model."
        )
    if chosen.overruns and options.time_limit is not None and is_large(model):
        return solve_apart(chosen.name, model, options)
    return chosen.solve(model, options)


def solve_form(
    instance: Instance,
    form: str,
    solver: str,
    options: SolverOptions | None = None,
    start: Solution | None = None,
) -> SolveRecord:
    """Write an instance in a form, have it solved, and let the referee check the answer.

    Parameters
    ----------
    form
        A name in ``forms.FORMS``.
    solver
        A name in ``SOLVERS``, other than "ipopt", which finds no cards.
    start
        A card to start from, such as a heuristic's. A solver that cannot take it as a solution
        begins its iterations there, and is told to look for cards with a lower loss only; when it
        finds none, the start is the card of the result.

    Notes
    -----
    The base of the paper's forms is free. It gets its proven range (``bound_base``): without one
    BONMIN's linear programmes are unbounded.
    """
    chosen = _solver_of(solver)
    if chosen.is_relaxing:
        raise ParameterError(
            f"{solver!r} solves the continuous relaxation and finds no card. Use "
            "riskcard.paper.algorithm1, or another solver."
        )
    options = options or SolverOptions()
    model = bound_base(form_of(form).build(instance), instance)
    if start is not None:
        start = with_best_base(instance, start)
        options = replace(options, start=values_of(model, instance, start))
        if not chosen.takes_start:
            cutoff = {"cutoff": loss_of(start, instance.problem)}
            options = replace(options, parameters={**cutoff, **options.parameters})
    answer = solve_model(model, solver, options)
    return _record(instance, model, chosen, answer, start)


def bound_base(model: Model, instance: Instance) -> Model:
    """The model with its free ``w0`` in a range that holds the best cards.

    Notes
    -----
    ``ranges.base_range`` proves that the best base of every card lies in a range. In a form with two
    weights per feature the base of the card is ``w0 + sum of w_above``, in the binary forms it is
    ``w0 + sum of w`` (a value of 1 is above its cut). At most k of these weights differ from 0, so w0
    lies between the smallest base less the k largest weights and the largest base less the k
    smallest.
    """
    block = model.block("w0")
    if np.isfinite(block.lower).all() and np.isfinite(block.upper).all():
        return model
    low, high = base_range(instance)
    most = int(np.sort(instance.high)[::-1][: instance.k].sum())
    least = int(np.sort(instance.low)[: instance.k].sum())
    lower = np.maximum(block.lower, float(low - most))
    upper = np.minimum(block.upper, float(high - least))
    bounded = replace(block, lower=lower, upper=upper)
    blocks = tuple(bounded if part.name == "w0" else part for part in model.variables)
    return replace(model, variables=blocks)


def _solver_of(name: str) -> Solver:
    if name not in SOLVERS:
        raise ParameterError(f"There is no solver {name!r}. Use one of {', '.join(SOLVERS)}.")
    return SOLVERS[name]


# --- before the referee -------------------------------------------------------------------------


def _record(
    instance: Instance, model: Model, solver: Solver, answer: Answer, start: Solution | None
) -> SolveRecord:
    problem, claim = instance.problem, answer.claim
    tolerance = CLAIM_TOLERANCE * float(instance.table.weights.sum())
    card, agrees, notes = None, None, []
    if answer.values is not None:
        card = solution_of(model, instance, answer.values)
        wrong = violations(card, problem)
        if wrong:
            notes.append(f"The card that {solver.name} found is not allowed: {'; '.join(wrong)}.")
            card, agrees = None, False
        elif claim.objective is not None:
            agrees = abs(claim.objective - loss_of(card, problem)) <= tolerance
    seconds_to_best = answer.seconds_to_best if card is not None else None
    if start is not None and (card is None or loss_of(start, problem) < loss_of(card, problem)):
        card, seconds_to_best = start, 0.0
        notes.append(f"{solver.name} found no better card than the start.")
    return SolveRecord(
        form=model.name,
        solver=solver.name,
        result=None if card is None else _judge(instance, solver, answer, card, notes),
        claim=claim,
        agrees=agrees,
        seconds=answer.seconds,
        seconds_to_best=seconds_to_best,
        tolerance=tolerance,
    )


def _judge(
    instance: Instance, solver: Solver, answer: Answer, card: Solution, notes: list[str]
) -> SolveResult:
    """The card with what may be believed of the solver's claims."""
    claim, loss = answer.claim, loss_of(card, instance.problem)
    bound = 0.0
    if solver.proves_bounds and claim.bound is not None:
        bound = min(max(claim.bound, 0.0), loss)
        notes.append(f"The bound is {solver.name}'s claim, up to its tolerances.")
    status = _status(claim, solver, relative_gap(loss, bound))
    if claim.ending == "optimal" and not solver.proves_bounds:
        notes.append(f"{solver.name} says {claim.word!r}, which proves nothing here.")
    history = tuple(Progress(moment.seconds, moment.objective, 0.0, 0) for moment in answer.history)
    return SolveResult(
        card, loss, bound, status, claim.nodes, answer.seconds, history, tuple(notes)
    )


def _status(claim: Claim, solver: Solver, gap: float) -> Status:
    """A solver's ending in the library's words; never more than what was shown."""
    if claim.ending == "time_limit":
        return Status.TIME_LIMIT
    if claim.ending == "node_limit":
        return Status.NODE_LIMIT
    if claim.ending == "optimal" and solver.proves_bounds:
        return Status.OPTIMAL if gap <= OPTIMALITY_TOLERANCE else Status.ROUNDING
    return Status.HEURISTIC
