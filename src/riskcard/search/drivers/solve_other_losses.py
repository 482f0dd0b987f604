"""Losses other than that of yes or no: a search with a rough form, a proof with a fine one."""

from __future__ import annotations

from dataclasses import replace

from riskcard.problem.objective import log_odds_of, loss_of
from riskcard.problem.other_losses import OtherLoss
from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult
from riskcard.search.options import Options
from riskcard.search.plan import PLAN, SearchPlan
from riskcard.search.solve import solve

#: The loss may still fall by this part before the gap that was asked for is not reached.
LEFT_OF_GAP = 0.9


def solve_other_loss(
    problem: Problem, rough: Problem, rows: OtherLoss, options: Options
) -> SolveResult:
    """Find a good card of another loss and, if asked, prove how far from optimal it can be at most.

    The rows weigh, all together, many times what they weigh for yes and no. Tolerances and ridge of a
    search are relative to that, so it is given a rough form. On a table of 1,900 rows, eight terms had a
    deviance 4 % above the best known before. Tolerances and gap of the proof are relative to what the
    loss is above its floor, which is what is lost by every card.

    Parameters
    ----------
    problem
        Of the form for a proof: the loss of its cards bounds that of ``rows``.
    rough
        The same of the form for a search.
    rows
        The rows and their loss.
    options
        What is asked; the gap is that of the loss of ``rows``.
    """
    fine, coarse = rows.form(), rows.form(is_rough=True)
    found = solve(rough, replace(options, certify=False, gap=0.0), _plan(coarse.heaviness))
    card = fine.from_other(found.solution, coarse)
    loss = loss_of(card, problem)
    if not options.certify:
        return replace(found, solution=card, loss=loss)
    data = problem.data
    own = rows.loss_from(loss, log_odds_of(card, data.codes), data.weights)
    lost = (own - rows.bound(loss)) / rows.loss_unit
    within = replace(
        _telling_its_own(options, lost),
        start=tuple(card.terms),
        gap=LEFT_OF_GAP * options.gap,
        floor=fine.floor,
    )
    if not options.is_plain:
        # parts are proven relative to the whole loss of the solver
        whole = rows.bound(loss) / rows.loss_unit / loss
        within = replace(within, gap=within.gap * whole, floor=0.0)
    proven = solve(problem, within, _plan(fine.heaviness))
    charge = proven.min_gain * len(card.terms)
    if loss + charge < proven.objective:
        return replace(proven, solution=card, loss=loss)
    return proven


def _telling_its_own(options: Options, lost: float) -> Options:
    """Options by which progress is told with the loss of the card and not with the bound on it.

    What the form loses is nearly the same for all good cards; what is told is no claim.
    """
    tell = options.progress
    if tell is None:
        return options
    return replace(options, progress=lambda now: tell(replace(now, loss=now.loss + lost)))


def _plan(heaviness: float) -> SearchPlan:
    """The plan with the ridge that rows have without their weight in the solver."""
    return replace(PLAN, ridge=PLAN.ridge / heaviness, small_ridge=PLAN.small_ridge / heaviness)
