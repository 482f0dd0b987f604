"""A second bound, for cards with bounded steps: no term multiplies the odds by more than a factor.

With a free scale a term may multiply the odds by 1,000, or by far more if the user says so. What
cards with such steps can do is hard to bound, and few people want one. So where a proof is going to
run out of time, the last part of the time goes to cards whose terms are no steeper than those of
the card at hand. The gap to these is usually far smaller.
"""

import math
from collections.abc import Callable
from dataclasses import replace

from riskcard.kernels.proof.layout import Conditions
from riskcard.problem.problem import Problem
from riskcard.problem.result import BoundedSteps
from riskcard.problem.solution import Solution
from riskcard.search.proof.conditions import with_other_limit
from riskcard.search.proof.tree import Proof, Stops, prove
from riskcard.status import Status

#: The factor by which a step may multiply the odds is at least this.
LEAST_ODDS = 10.0
#: In log-odds, the factor must be at most this part of what the problem allows; otherwise the
#: second proof is not worth its time.
LARGEST_PART = 0.75
#: The share of the time that goes to the second proof, and the least time that it is begun with.
SHARE, LEAST_SECONDS = 0.15, 0.3
#: The second bound is reported when it is above the first, and above 0, by these parts of the loss.
LEAST_RISE, LEAST_PART = 0.001, 0.2


def step_limit(card: Solution, problem: Problem) -> float | None:
    """The factor by which a bounded step may multiply the odds; None if that hardly limits cards.

    It is the factor of the steepest term of the card, rounded up to two digits, and at least ten.
    """
    if problem.scale.kind == "fixed" or problem.kept or not card.terms:
        return None
    steepest = max(map(abs, card.jumps)) / card.multiplier
    if steepest > LARGEST_PART * problem.scale.limit:
        return None
    odds = max(LEAST_ODDS, _rounded_up(math.exp(steepest)))
    return odds if math.log(odds) <= LARGEST_PART * problem.scale.limit else None


def _rounded_up(number: float) -> float:
    """The least number of two digits that is not below a given one, which is at least 1.

    Examples
    --------
    >>> _rounded_up(12.3), _rounded_up(12.0), _rounded_up(186.8)
    (13.0, 12.0, 190.0)
    """
    unit = 10.0 ** (math.floor(math.log10(number)) - 1)
    tens = math.floor(number / unit)
    while tens * unit < number:
        tens += 1
    return tens * unit


def seconds_for_bounded_steps(card: Solution, problem: Problem, time_limit: float) -> float:
    """How much of its time a proof leaves to the second one."""
    seconds = SHARE * time_limit
    is_worthwhile = LEAST_SECONDS <= seconds < math.inf and step_limit(card, problem) is not None
    return seconds if is_worthwhile else 0.0


def bound_cards_with_bounded_steps(
    problem: Problem,
    proof: Proof,
    conditions: Conditions,
    stops: Stops,
    n_jobs: int,
    progress: Callable[[float, float, int], None] | None = None,
) -> tuple[Proof, BoundedSteps | None]:
    """A bound for cards with bounded steps, after a proof about all cards that was cut short.

    These are the cards of the problem with a lower limit on what a term may do, so the bound is
    that of `prove` for this problem. Each of them is a card of the problem itself as well: the
    bound of the first proof holds for it too, and a better card that is found on the way is better
    there.

    Returns
    -------
    proof, bound
        The first proof, with a better card if one was found, and interrupted if the second was; and
        the factor with its bound, or None where there is nothing to report.
    """
    odds = step_limit(proof.solution, problem)
    if odds is None:
        return proof, None
    limited = replace(problem, scale=replace(problem.scale, limit=math.log(odds)))
    second = prove(
        limited, proof.solution, stops, n_jobs, progress, with_other_limit(conditions, limited)
    )
    is_interrupted = second.status is Status.INTERRUPTED
    better = replace(
        proof,
        solution=second.solution,
        loss=second.loss,
        status=second.status if is_interrupted else proof.status,
        nodes=proof.nodes + second.nodes,
    )
    if second.bound < LEAST_PART * second.loss:
        return better, None
    return better, still_said(BoundedSteps(odds, second.bound), better, proof.bound)


def still_said(steps: BoundedSteps, proof: Proof, bound: float) -> BoundedSteps | None:
    """The second bound, if it says more than that on all cards; None otherwise."""
    is_open = proof.status in (Status.TIME_LIMIT, Status.INTERRUPTED)
    is_little = steps.bound - bound < LEAST_RISE * proof.loss
    return steps if is_open and not is_little else None
