"""From a problem to a result: search, then prove if asked, then collect a pool if asked."""

import math
import time
from dataclasses import replace

from riskcard.problem.objective import order_of
from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult
from riskcard.search.deadline import Deadline
from riskcard.search.drivers.near_optimal import find_near_optimal
from riskcard.search.drivers.prove_parts import Found, Offer, prove_parts
from riskcard.search.drivers.solve_max_changes import find_few_changes
from riskcard.search.drivers.solve_min_gain import find_paying_terms
from riskcard.search.drivers.solve_plain import History, find_card, prove_whole
from riskcard.search.interrupt import catch_interrupt
from riskcard.search.options import Options, SearchOptions
from riskcard.search.plan import PLAN, SearchPlan
from riskcard.search.proof.support_tree import (
    MANY_CONDITIONS,
    suits_supports,
)
from riskcard.search.proof.tree import MAX_PROVEN_TERMS, Stops
from riskcard.search.shortlist import are_too_many, close_all_but, shortlist_for_proof
from riskcard.search.warmup import make_ready
from riskcard.status import Status

TOO_MANY_TERMS = (
    f"The proof is made for at most {MAX_PROVEN_TERMS} terms; "
    "this card comes from the search alone."
)
CUT_SHORT = "The time limit ended the search; a longer one may find a better card."


def solve(problem: Problem, options: Options | None = None, plan: SearchPlan = PLAN) -> SolveResult:
    """Find a good card and, if asked, prove how far from optimal it can be at most."""
    options = options or Options()
    is_by_supports = options.certify and _is_by_supports(problem, options)
    make_ready(problem.scale.kind, options.certify, is_by_supports)
    with catch_interrupt() as interrupt:
        history = History(time.perf_counter(), options.progress)
        search = SearchOptions(
            is_thorough=True if options.certify else None,
            deadline=Deadline.after(options.time_limit, interrupt),
            n_jobs=options.n_jobs,
            random_state=options.random_state,
            start=options.start,
            n_wanted=None if options.pool_tolerance is None else options.pool_size,
            plan=plan,
        )
        result = _solve(problem, options, search, history)
    return replace(result, seconds=time.perf_counter() - history.start)


def _is_by_supports(problem: Problem, options: Options) -> bool | None:
    """Whether a proof is one by supports alone: parts and pools are proven by slots.

    None if that depends on the card that is found.
    """
    if has_too_many_conditions(problem, options):
        return None
    if not options.is_plain or not suits_supports(problem):
        return False
    return True if problem.n_conditions <= MANY_CONDITIONS else None


def has_too_many_conditions(problem: Problem, options: Options) -> bool:
    """Whether a proof is to be about fewer conditions than a problem has."""
    max_terms = problem.limits.max_terms
    is_wanted = options.preselects and options.certify and options.is_plain
    if not is_wanted or max_terms > MAX_PROVEN_TERMS:
        return False
    return are_too_many(problem.n_conditions, max_terms)


def _solve(
    problem: Problem, options: Options, search: SearchOptions, history: History
) -> SolveResult:
    """Search, then prove, then collect."""
    deadline = search.deadline
    most_nodes = math.inf if options.node_limit is None else options.node_limit
    floor = (
        options.floor if options.is_plain else 0.0
    )  # parts and pools have prices and losses of their own
    stops = Stops(deadline.moment, most_nodes, options.gap, floor=floor)
    is_proven = options.certify and problem.limits.max_terms <= MAX_PROVEN_TERMS
    found = _search(problem, search, options)
    deadline.require_no_interrupt()
    notes = found.notes if is_proven or not options.certify else (*found.notes, TOO_MANY_TERMS)
    if is_proven and found.parts:
        result = prove_parts(found, stops, options.n_jobs)
    elif has_too_many_conditions(problem, options):
        result = _prove_about_few(problem, found, search, stops, history)
    elif is_proven:
        result = prove_whole(problem, found.best.card, search, stops, history)
    else:
        best, charge = found.best, found.charge
        result = SolveResult(best.card, best.loss, 0.0, Status.HEURISTIC, min_gain=charge)
        notes = (*notes, CUT_SHORT) if deadline.is_over() else notes
    pool = None
    if options.pool_tolerance is not None:
        most_price = result.objective * (1.0 + options.pool_tolerance)
        pool = find_near_optimal(problem, result, most_price, search, stops if is_proven else None)
    return replace(result, notes=notes, pool=pool)


def _prove_about_few(
    problem: Problem,
    found: Found,
    search: SearchOptions,
    stops: Stops,
    history: History,
) -> SolveResult:
    """Search thoroughly among all conditions, then prove about the best card's and some others.

    What is stated in the end is about the preselected conditions and those of the final card. The
    proof is about those of the card that it began with as well, so it is valid for fewer of them.
    """
    card = min(
        (found.best.card, find_card(problem, search)), key=lambda card: order_of(card, problem)
    )
    some = shortlist_for_proof(problem)
    few = close_all_but(problem, [*some, *card.conditions])
    result = prove_whole(problem.without(few), card, search, stops, history)
    return replace(result, preselected=tuple(some))


def _search(problem: Problem, search: SearchOptions, options: Options) -> Found:
    """The best card for the question that is asked, and the parts of its proof."""
    if options.max_changes is not None:
        return find_few_changes(problem, options.start, options.max_changes, search.plan)
    if options.min_gain > 0:
        return find_paying_terms(problem, search, options.min_gain, options.certify)
    # most small problems are proven before a thorough search would be done: see `prove_whole`
    first = replace(search, is_thorough=False) if options.certify else search
    return Found(Offer.of(find_card(problem, first), problem))
