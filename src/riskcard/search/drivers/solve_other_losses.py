"""Losses other than that of yes or no: a search with a rough form, a proof with a fine one."""

from __future__ import annotations

import math
from dataclasses import replace

from riskcard.problem.objective import log_odds_of, loss_of
from riskcard.problem.other_losses import OtherLoss
from riskcard.problem.problem import Problem
from riskcard.problem.result import Pool, SolveResult
from riskcard.problem.solution import Solution
from riskcard.search.deadline import Deadline
from riskcard.search.drivers.near_optimal import find_near_optimal
from riskcard.search.interrupt import catch_interrupt
from riskcard.search.options import Options, SearchOptions
from riskcard.search.plan import PLAN, SearchPlan
from riskcard.search.proof.tree import MAX_PROVEN_TERMS, Stops
from riskcard.search.solve import solve

#: The loss may still fall by this part before the gap that was asked for is not reached.
LEFT_OF_GAP = 0.9
#: The least log-loss of a choice of conditions is known up to this part: ten times what the fit of a leaf leaves.
LEAF_ROUNDING = 1e-9


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
    if options.pool_tolerance is not None:
        return _with_pool(problem, rough, rows, options)
    fine, coarse = rows.form(), rows.form(is_rough=True)
    found = solve(rough, replace(options, certify=False, gap=0.0), _plan(coarse.heaviness))
    card = fine.from_other(found.solution, coarse)
    loss = loss_of(card, problem)
    if not options.certify:
        return replace(found, solution=card, loss=loss)
    lost = (_own_loss(card, loss, problem, rows) - rows.bound(loss)) / rows.loss_unit
    within = replace(
        _telling_its_own(options, lost),
        # changes are those of the card that was given, not of the one that was found
        start=tuple(card.terms) if options.max_changes is None else options.start,
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


def _with_pool(problem: Problem, rough: Problem, rows: OtherLoss, options: Options) -> SolveResult:
    """The best card, and the cards about as good.

    Its pool has the log-losses of the cards in the form of a proof, and as the price that was allowed one of
    ``rows``. What is proven: every choice of conditions with a card of at most that price is there.

    Proof. A card with the price ``p`` has in the form of a proof at most ``logistic_of(p)``, and the tree looks for
    all choices with a card up to there. A choice that it found is left out where its card is dearer than what was
    asked for. Another card of that choice may be cheaper than this one by what the inequality loses, but no card of
    it is below ``bound`` of the least log-loss of the choice. So the price for which the pool is complete is the least
    of these bounds, if that is below what was asked for.
    """
    assert options.pool_tolerance is not None
    result = solve_other_loss(problem, rough, rows, replace(options, pool_tolerance=None))
    charge = result.min_gain * rows.loss_unit
    # where a card is right about every row, its loss is what the fit of a leaf leaves, on either side of 0
    least = 0.1 * LEAF_ROUNDING * result.loss * rows.loss_unit
    best = max(_own_loss(result.solution, result.loss, problem, rows), least)
    most = (best + charge * len(result.solution.terms)) * (1.0 + options.pool_tolerance)
    with catch_interrupt() as interrupt:
        left = options.time_limit
        left = None if left is None else max(0.0, left - result.seconds)
        is_proven = options.certify and problem.limits.max_terms <= MAX_PROVEN_TERMS
        heaviness = rows.form(is_rough=not is_proven).heaviness
        search = SearchOptions(
            deadline=Deadline.after(left, interrupt),
            n_jobs=options.n_jobs,
            random_state=options.random_state,
            plan=_plan(heaviness),
        )
        if is_proven:
            most_nodes = math.inf if options.node_limit is None else options.node_limit
            stops = Stops(search.deadline.moment, most_nodes)
            pool = find_near_optimal(problem, result, rows.logistic_of(most), search, stops)
        else:
            pool = _found_roughly(
                problem, rough, rows, result, (most - best) / rows.loss_unit, search
            )
    return replace(
        result, pool=_in_own_loss(pool, problem, rows, (most, charge), options.pool_size)
    )


def _found_roughly(
    problem: Problem,
    rough: Problem,
    rows: OtherLoss,
    result: SolveResult,
    room: float,
    search: SearchOptions,
) -> Pool:
    """The pool of a search without a proof, in the form of a proof."""
    fine, coarse = rows.form(), rows.form(is_rough=True)
    card = coarse.from_other(result.solution, fine)
    start = replace(result, solution=card, loss=loss_of(card, rough))
    pool = find_near_optimal(rough, start, start.objective + room, search, None)
    cards = tuple(fine.from_other(one, coarse) for one in pool.cards)
    return replace(pool, cards=cards, losses=tuple(loss_of(one, problem) for one in cards))


def _in_own_loss(
    pool: Pool, problem: Problem, rows: OtherLoss, allowed: tuple[float, float], size: int
) -> Pool:
    """The cards whose price in their own loss is allowed, and the price for which these are all."""
    (most, charge), kept, complete_up_to = allowed, [], allowed[0]
    for card, loss in zip(pool.cards, pool.losses, strict=True):
        charged = charge * len(card.terms)
        if _own_loss(card, loss, problem, rows) + charged <= most:
            kept.append((card, loss))
        else:  # less what the fit of a leaf may leave
            least = rows.bound(loss * (1.0 - LEAF_ROUNDING))
            complete_up_to = min(complete_up_to, least + charged)
    shown = kept[:size]
    return replace(
        pool,
        cards=tuple(card for card, _ in shown),
        losses=tuple(loss for _, loss in shown),
        most_price=complete_up_to if pool.is_complete else most,
        is_complete=pool.is_complete and len(shown) == len(kept),
        n_found=len(kept),
    )


def _own_loss(card: Solution, loss: float, problem: Problem, rows: OtherLoss) -> float:
    """The loss of a card of the form of a proof in that of the rows."""
    data = problem.data
    return rows.loss_from(loss, log_odds_of(card, data.codes), data.weights)


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
