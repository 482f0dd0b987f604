"""One method on one row: make the data, solve, and measure the card on the raw rows."""

import time
from dataclasses import replace
from statistics import median

from sklearn.metrics import roc_auc_score

from riskcard.data.table import make_table
from riskcard.errors import RiskcardError
from riskcard.estimators.classifier import RiskScoreClassifier
from riskcard.paper.algorithm1 import run_algorithm1
from riskcard.paper.experiments.methods import OURS, Method
from riskcard.paper.experiments.runs.run_outcome import Ending, Outcome
from riskcard.paper.experiments.table_rows import Row
from riskcard.paper.formulations.instance import Instance, make_instance
from riskcard.paper.solvers.answer import SolverOptions
from riskcard.paper.solvers.registry import SolveRecord, solve_form
from riskcard.paper.synthetic_data import PaperData, paper_data
from riskcard.problem.objective import log_odds_of
from riskcard.problem.result import SolveResult
from riskcard.status import OPTIMALITY_TOLERANCE

#: Our own fits take milliseconds, so that the median of several is shown.
REPEATS = 3
#: A loss this near to the best one, relatively, is the best one.
SAME_LOSS = 1e-9

History = tuple[tuple[float, float], ...]


def solve_row(row: Row, method: Method, limit: float) -> Outcome:
    """Run a method on a row of the paper's tables.

    Parameters
    ----------
    limit
        Seconds that the method has.
    """
    data = paper_data(row.n_rows, row.n_features)
    if method.name == OURS:
        return _certify(data, row, limit)
    instance = make_instance(make_table(data.X, data.y), row.k)
    try:
        if method.form is None:
            return _run_algorithm1(instance, method, limit)
        if method.starts_from_algorithm1:
            return _run_started(instance, method, limit)
        record = solve_form(instance, method.form, str(method.solver), SolverOptions(limit))
    except RiskcardError as error:
        return Outcome(0.0, None, None, None, "failed", " ".join(str(error).split()))
    return _outcome_of(record, instance)


def _certify(data: PaperData, row: Row, limit: float) -> Outcome:
    """Our own search and proof, warm: the row is solved once before the clock starts.

    The first fit of a process loads or compiles the kernels, which says nothing of the method.
    """
    model = RiskScoreClassifier.paper(row.k, time_limit=limit).fit(data.X, data.y)
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        model = RiskScoreClassifier.paper(row.k, time_limit=limit).fit(data.X, data.y)
        times.append(time.perf_counter() - begin)
    seconds = median(times)
    history = _improvements(tuple((one.seconds, one.loss) for one in model.result_.history))
    ending: Ending = "proven" if model.status_ == "optimal" else "limit"
    return Outcome(
        seconds=seconds,
        seconds_to_best=min(seconds, _time_of(history, model.loss_, seconds)),
        loss=model.loss_,
        auc=float(roc_auc_score(data.y, model.decision_function(data.X))),
        ending=ending,
        word=model.status_,
        claimed_loss=model.loss_,
        claimed_bound=model.lower_bound_,
        tolerance=OPTIMALITY_TOLERANCE * model.loss_,
        nodes=model.result_.nodes,
        history=history,
    )


def _run_algorithm1(instance: Instance, method: Method, limit: float) -> Outcome:
    record = run_algorithm1(instance, SolverOptions(limit), rounding=method.rounding)
    claim, result = record.relaxation.claim, record.result
    return Outcome(
        seconds=record.seconds,
        seconds_to_best=record.seconds,
        loss=result.loss,
        auc=_auc(result, instance),
        ending="limit" if claim.ending == "time_limit" else "heuristic",
        word=claim.word,
        history=((record.seconds, result.loss),),
    )


def _run_started(instance: Instance, method: Method, limit: float) -> Outcome:
    """Algorithm 1, then a solver that starts from its card, in one limit.

    The card is the first of the run, so that its outcome is never worse than Algorithm 1's. A solver
    that finds the problem infeasible with this card as a cutoff says that there is no better one.
    """
    first = run_algorithm1(instance, SolverOptions(limit))
    left = SolverOptions(max(limit - first.seconds, 0.0))
    card = first.result.solution
    record = solve_form(instance, str(method.form), str(method.solver), left, start=card)
    outcome = _outcome_of(record, instance)
    later = [(first.seconds + seconds, loss) for seconds, loss in outcome.history]
    return replace(
        outcome,
        seconds=first.seconds + outcome.seconds,
        seconds_to_best=first.seconds + (outcome.seconds_to_best or 0.0),
        ending="optimal" if record.claim.ending == "infeasible" else outcome.ending,
        history=_improvements(((first.seconds, first.result.loss), *later)),
    )


def _outcome_of(record: SolveRecord, instance: Instance) -> Outcome:
    endings: dict[str, Ending] = {"optimal": "optimal", "time_limit": "limit"}
    claim, result = record.claim, record.result
    loss, history = None, []
    if result is not None:
        loss, found = result.loss, record.seconds_to_best
        found = record.seconds if found is None else found
        # the solver's own objectives on the way, the referee's loss at the end
        history = [(one.seconds, one.loss) for one in result.history if one.seconds < found]
        history.append((found, loss))
    return Outcome(
        seconds=record.seconds,
        seconds_to_best=record.seconds_to_best,
        loss=loss,
        auc=None if result is None else _auc(result, instance),
        ending=endings.get(claim.ending, "failed"),
        word=claim.word,
        claimed_loss=claim.objective,
        claimed_bound=claim.bound,
        tolerance=record.tolerance,
        nodes=claim.nodes,
        history=_improvements(tuple(history)),
    )


def _auc(result: SolveResult, instance: Instance) -> float:
    scores = log_odds_of(result.solution, instance.problem.data.codes)
    return float(roc_auc_score(instance.y, scores))


def _improvements(history: History) -> History:
    """Only the moments at which the loss fell; the last one always."""
    kept: list[tuple[float, float]] = []
    for seconds, loss in history:
        if not kept or loss < kept[-1][1]:
            kept.append((seconds, loss))
    if history and kept[-1][1] != history[-1][1]:
        kept.append(history[-1])
    return tuple(kept)


def _time_of(history: History, loss: float, otherwise: float) -> float:
    """When a loss was reached first."""
    same = loss * (1 + SAME_LOSS)
    return next((seconds for seconds, value in history if value <= same), otherwise)
