"""A card that exists already, improved by changing few of its terms.

A change takes a term out, puts one in, or does both. So with at most ``m`` changes some ``r <= m``
terms of the card are given up, the others stay with their points, and at most ``m`` new terms are
added, as far as the size of the card allows. Every choice of terms to give up is a problem of its
own with the others kept, and they are solved one after another.

Giving a term up and adding it again is no change. So where one more given up leaves room for one
more new term, the choices of ``r`` are among those of ``r + 1``: it is enough to begin at the least
``r`` with room for ``m`` new terms.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from riskcard.errors import ParameterError
from riskcard.logistic import residuals
from riskcard.problem.objective import log_odds_of, loss_of, violations
from riskcard.problem.problem import Limits, Problem
from riskcard.problem.result import SolveResult
from riskcard.problem.solution import Solution
from riskcard.search.empty_card import best_empty_card
from riskcard.search.heuristic.binned_rows import Rows, all_cuts
from riskcard.search.heuristic.card_room import Rules, rules_of
from riskcard.search.heuristic.descent import exchange, is_lower, whole_windows, zoom_cut
from riskcard.search.heuristic.draft import Draft, finish, measure
from riskcard.search.options import Options
from riskcard.search.proof.tree import CLOSE_ENOUGH, MAX_PROVEN_TERMS, Stops, prove
from riskcard.search.solve_plain import TOO_MANY_TERMS
from riskcard.status import OPTIMALITY_TOLERANCE, Status, relative_gap

#: More ways to choose the terms to give up than this are refused.
MOST_CHOICES = 5000
#: Bases as large as this are not tried one by one.
LARGEST_BASE = 10**6 - 100


def solve_with_few_changes(problem: Problem, options: Options) -> SolveResult:
    """The best card that differs from the start in few terms."""
    begin = time.perf_counter()
    deadline = None if options.time_limit is None else begin + options.time_limit
    _require_allowed(problem, options)
    parts = list(_choices(problem, options))
    if not parts:
        raise ParameterError(
            f"The card to start from has {len(options.start)} terms, too many for max_terms="
            f"{problem.limits.max_terms} with {options.max_changes} changes. Raise either."
        )
    rules, rows = rules_of(problem), all_cuts(problem)
    cards = [_improve(rows, rules, part) for part in parts]
    cards += [_as_kept(rows, rules, part) for part in (*parts, _unchanged(problem, options))]
    allowed = [card for card in cards if not violations(card, problem)]
    if not allowed:
        raise ParameterError(
            "No card was found that keeps all rules and changes so few terms of the start. Allow "
            "more changes, or relax the rules."
        )
    best = min(allowed, key=lambda card: loss_of(card, problem))
    loss, note = loss_of(best, problem), _note(options)
    if not options.certify or problem.limits.max_terms > MAX_PROVEN_TERMS:
        notes = (note, *((TOO_MANY_TERMS,) if options.certify else ()))
        seconds = time.perf_counter() - begin
        return SolveResult(best, loss, 0.0, Status.HEURISTIC, seconds=seconds, notes=notes)
    bound, status, nodes = math.inf, Status.OPTIMAL, 0
    for part in parts:
        left = None if options.node_limit is None else max(options.node_limit - nodes, 1)
        alone = _as_kept(rows, rules, part)
        if not violations(alone, problem):
            bound = min(bound, _bound_of_kept(alone, problem))
        if part.limits.max_terms == len(part.kept):
            continue
        # the best card so far need not be one of this part: it says what is of no interest
        proof = prove(part, best, Stops(deadline, left, options.gap), options.n_jobs)
        nodes += proof.nodes
        bound = min(bound, proof.bound)
        status = proof.status if status is Status.OPTIMAL else status
        if proof.loss < loss and not violations(proof.solution, problem):
            best, loss = proof.solution, proof.loss
    seconds = time.perf_counter() - begin
    bound = min(bound, loss)
    if status is Status.OPTIMAL and relative_gap(loss, bound) > OPTIMALITY_TOLERANCE:
        status = Status.ROUNDING
    return SolveResult(best, loss, bound, status, nodes=nodes, seconds=seconds, notes=(note,))


def _note(options: Options) -> str:
    return f"At most {options.max_changes} terms of the card that it started from were changed."


def _require_allowed(problem: Problem, options: Options) -> None:
    """The terms that stay must be allowed; nothing is said of what changes may mend."""
    for column, cut, jump in options.start:
        if not problem.jump_low[column] <= jump <= problem.jump_high[column]:
            raise ParameterError(
                f"A term of the card to start from has a jump of {abs(jump)} points, which is not "
                "allowed. Raise max_points, or change the rule of its feature."
            )
        if problem.restrictions.is_closed[column][cut]:
            raise ParameterError(
                "A term of the card to start from divides the rows into bins that are too small. "
                "Lower min_bin_rows or min_bin_events."
            )


def _choices(problem: Problem, options: Options) -> Iterator[Problem]:
    """The problem with each choice of terms kept."""
    terms = [(int(column), int(cut), int(jump)) for column, cut, jump in options.start]
    n_changes = int(options.max_changes or 0)
    limits = problem.limits
    most = min(n_changes, len(terms))
    least = min(most, max(0, n_changes - (limits.max_terms - len(terms))))
    n_choices = sum(math.comb(len(terms), given_up) for given_up in range(least, most + 1))
    if n_choices > MOST_CHOICES:
        raise ParameterError(
            f"There are {n_choices} ways to change {n_changes} of {len(terms)} terms. Allow fewer "
            "changes, or start without max_changes."
        )
    for given_up in range(least, most + 1):
        for kept in itertools.combinations(terms, len(terms) - given_up):
            size = min(limits.max_terms, len(kept) + n_changes)
            if size >= len(kept):
                smaller = Limits(size, min(limits.max_features, size), limits.max_cuts_per_feature)
                yield replace(problem, limits=smaller, kept=kept)


def _improve(rows: Rows, rules: Rules, part: Problem) -> Solution:
    """Add terms to those kept, then exchange and move the new ones while that helps."""
    draft = _kept_draft(rows, rules, part)
    windows, n_kept = whole_windows(rows, rules), len(part.kept)
    while draft.n_terms < part.limits.max_terms:
        larger = exchange(rows, rules, draft, draft.n_terms, windows, rules.plan.thorough_tries)
        if larger.n_terms == draft.n_terms or not is_lower(larger, draft, rules.plan):
            break
        draft = larger
    slot, settled = n_kept, 0
    while settled < draft.n_terms - n_kept:
        changed = exchange(rows, rules, draft, slot, windows, rules.plan.thorough_tries)
        moved = zoom_cut(rows, rules, min(changed, draft, key=lambda one: one.loss), slot)
        settled = 1 if is_lower(moved, draft, rules.plan) else settled + 1
        draft = moved if is_lower(moved, draft, rules.plan) else draft
        slot = slot + 1 if slot + 1 < draft.n_terms else n_kept
    return finish(rows, rules, draft, part)


def _kept_draft(rows: Rows, rules: Rules, part: Problem) -> Draft:
    kept = np.array(part.kept, dtype=np.int64).reshape(-1, 3).T
    return measure(rows, rules, np.ascontiguousarray(kept), np.array([1.0, 0.0]))


def _unchanged(problem: Problem, options: Options) -> Problem:
    """The problem with all terms kept and nothing else."""
    terms = tuple((int(column), int(cut), int(jump)) for column, cut, jump in options.start)
    size, limits = len(terms), problem.limits
    smaller = Limits(size, min(limits.max_features, size), limits.max_cuts_per_feature)
    return replace(problem, limits=smaller, kept=terms)


def _as_kept(rows: Rows, rules: Rules, part: Problem) -> Solution:
    """The card of the terms that are kept, with its best scale."""
    return finish(rows, rules, _kept_draft(rows, rules, part), part)


def _bound_of_kept(card: Solution, problem: Problem) -> float:
    """A lower bound on the loss of cards with these terms and points, whatever their scale.

    With real scale and offset it is that of a tangent, however well they were fitted. Whole bases are
    tried one by one: with a given multiplier the loss is convex in the base, and with a free one
    quasi-convex (`fit_scale`), so that the best one is that whose neighbours are no better. Only where
    points had better count for nothing a free multiplier has no best value: the larger it is, the
    closer the loss comes to that of the empty card, which is therefore a bound too.
    """
    if problem.scale.kind == "calibrated" or abs(card.base) >= LARGEST_BASE:
        return tangent_of_scale(card, problem) * (1.0 - CLOSE_ENOUGH)
    loss = loss_of(card, problem)
    if problem.scale.kind == "multiplier":
        loss = min(loss, loss_of(best_empty_card(problem), problem))
    return loss * (1.0 - CLOSE_ENOUGH)


def tangent_of_scale(card: Solution, problem: Problem) -> float:
    """A lower bound on the loss of a card's terms with any slope, within its limit, and any offset.

    Proof. The loss is convex in slope and offset, so it lies above its tangent at those of the card.
    The slope is between 0 and the limit over the largest jump. For each slope the best offset lies
    between the log-odds of the base rate less slope times the largest and the smallest score:
    beyond, all risks are above the base rate, or all below it, and a step towards it lowers the loss.
    So the least of the tangent over slopes and these offsets is a bound; it is lowered by more than
    the rounding of its sums.
    """
    data, scale = problem.data, problem.scale
    scores = log_odds_of(Solution.of(card.terms), data.codes)
    log_odds = scores / card.multiplier + card.base / card.multiplier + card.offset
    rows = -residuals(log_odds, data.labels.astype(np.float64), data.weights)
    loss, by_slope, by_offset = loss_of(card, problem), float(rows @ scores), float(rows.sum())
    steepest = scale.limit / max((abs(jump) for jump in card.jumps), default=1)
    if scale.kind == "fixed":
        steepest = 1.0 / scale.multiplier
    is_event = data.labels > 0
    rate = math.log(data.weights[is_event].sum() / data.weights[~is_event].sum())
    lowest = rate - steepest * max(float(scores.max()), 0.0)
    highest = rate - steepest * min(float(scores.min()), 0.0)
    slope, offset = 1.0 / card.multiplier, card.base / card.multiplier + card.offset
    fall = max(by_slope * slope, by_slope * (slope - steepest), 0.0)
    fall += max(by_offset * (offset - lowest), by_offset * (offset - highest), 0.0)
    reach = steepest * float(np.abs(scores).max()) + abs(rate) + abs(offset)
    rounding = 4 * data.n_rows * np.finfo(float).eps * float(data.weights.sum()) * (1.0 + reach)
    return max(0.0, loss - fall - rounding)
