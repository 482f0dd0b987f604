"""A card that exists already, improved by changing few of its terms.

A change takes a term out, puts one in, or does both. So with at most ``m`` changes some ``r <= m``
terms of the card are given up, the others stay with their points, and at most ``m`` new terms are
added, as far as the size of the card allows. Every choice of terms to give up is a part of the
problem in which the others are kept.

Giving a term up and adding it again is no change. So where giving up one more term leaves room for
one more new term, the choices of ``r`` are among those of ``r + 1``. It is enough to begin at the
smallest ``r`` that leaves room for ``m`` new terms.
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from riskcard.errors import ParameterError
from riskcard.logistic import residuals
from riskcard.problem.objective import log_odds_of, loss_of, violations
from riskcard.problem.problem import Limits, Problem
from riskcard.problem.solution import Solution
from riskcard.search.drivers.prove_parts import Found, Offer, Part
from riskcard.search.empty_card import best_empty_card
from riskcard.search.heuristic.binned_rows import Rows, all_cuts
from riskcard.search.heuristic.card_room import Rules, rules_of
from riskcard.search.heuristic.descent import exchange, is_lower, whole_windows, zoom_cut
from riskcard.search.heuristic.draft import as_solution, draft_of
from riskcard.search.options import Start
from riskcard.search.plan import SearchPlan
from riskcard.search.proof.tree import CLOSE_ENOUGH

#: The fit of a scale does not try whole bases beyond this; see `fit_scale`.
LARGEST_BASE = 10**6 - 100


def find_few_changes(problem: Problem, start: Start, max_changes: int, plan: SearchPlan) -> Found:
    """The best card that differs from the start in few terms, and the parts of its proof."""
    _require_allowed(problem, start)
    choices = list(_choices(problem, start, max_changes, plan))
    if not choices:
        raise ParameterError(
            f"The card to start from has {len(start)} terms, too many for max_terms="
            f"{problem.limits.max_terms} with {max_changes} changes. Raise either."
        )
    rules, rows = rules_of(problem, plan), all_cuts(problem)
    kept = [_as_kept(rows, rules, choice) for choice in choices]
    cards = [_improve(rows, rules, choice) for choice in choices]
    cards += [*kept, _as_kept(rows, rules, _keep(problem, start, len(start)))]
    allowed = [card for card in cards if not violations(card, problem)]
    if not allowed:
        raise ParameterError(
            "No card was found that keeps all rules and changes so few terms of the start. Allow "
            "more changes, or relax the rules."
        )
    parts = [
        Part(
            choice if choice.limits.max_terms > len(choice.kept) else None,
            left_out=math.inf if violations(card, problem) else _bound_of_kept(card, problem),
        )
        for choice, card in zip(choices, kept, strict=True)
    ]
    best = min(allowed, key=lambda card: loss_of(card, problem))
    return Found(Offer.of(best, problem), tuple(parts))


def _require_allowed(problem: Problem, start: Start) -> None:
    """Each term must be allowed by itself; rules about several of them may be met by a change."""
    for column, cut, jump in start:
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


def _choices(
    problem: Problem, start: Start, max_changes: int, plan: SearchPlan
) -> Iterator[Problem]:
    """The problem with each choice of terms kept."""
    most_terms, n_terms = problem.limits.max_terms, len(start)
    most = min(max_changes, n_terms)
    least = min(most, max(0, max_changes - (most_terms - n_terms)))
    n_choices = sum(math.comb(n_terms, given_up) for given_up in range(least, most + 1))
    if n_choices > plan.most_choices:
        raise ParameterError(
            f"There are {n_choices} ways to change {max_changes} of {n_terms} terms. Allow fewer "
            "changes, or start without max_changes."
        )
    for given_up in range(least, most + 1):
        for kept in itertools.combinations(start, n_terms - given_up):
            size = min(most_terms, len(kept) + max_changes)
            if size >= len(kept):
                yield _keep(problem, kept, size)


def _keep(problem: Problem, terms: Start, size: int) -> Problem:
    """The problem with some terms kept, for cards of at most ``size`` terms."""
    limits = problem.limits
    smaller = Limits(size, min(limits.max_features, size), limits.max_cuts_per_feature)
    kept = tuple((int(column), int(cut), int(jump)) for column, cut, jump in terms)
    return replace(problem, limits=smaller, kept=kept)


def _improve(rows: Rows, rules: Rules, part: Problem) -> Solution:
    """Add terms to those kept, then exchange and move the new ones while that helps."""
    draft, n_kept = draft_of(rows, rules, part.kept), len(part.kept)
    windows, n_tries = whole_windows(rows, rules), rules.plan.one_pass_tries
    while draft.n_terms < part.limits.max_terms:
        larger = exchange(rows, rules, draft, draft.n_terms, windows, n_tries)
        if larger.n_terms == draft.n_terms or not is_lower(larger, draft, rules.plan):
            break
        draft = larger
    slot, settled = n_kept, 0
    while settled < draft.n_terms - n_kept:
        changed = exchange(rows, rules, draft, slot, windows, n_tries)
        moved = zoom_cut(rows, rules, min(changed, draft, key=lambda one: one.loss), slot)
        settled = 1 if is_lower(moved, draft, rules.plan) else settled + 1
        draft = moved if is_lower(moved, draft, rules.plan) else draft
        slot = slot + 1 if slot + 1 < draft.n_terms else n_kept
    return as_solution(rows, rules, draft, part)


def _as_kept(rows: Rows, rules: Rules, part: Problem) -> Solution:
    """The card of the terms that are kept, with its best scale."""
    return as_solution(rows, rules, draft_of(rows, rules, part.kept), part)


def _bound_of_kept(card: Solution, problem: Problem) -> float:
    """A lower bound on the loss of cards with these terms and points, whatever their scale.

    With a real-valued scale and offset it is that of a tangent, however well they were fitted.
    Whole bases are tried one by one: with a given multiplier the loss is convex in the base, and
    with a free one quasi-convex (`fit_scale`), so the best base is the one whose neighbours are no
    better.
    A free multiplier has no best value where points do harm: the larger it is, the closer the loss
    comes to that of the empty card, which is therefore a bound too.
    """
    if problem.scale.kind == "calibrated" or abs(card.base) >= LARGEST_BASE:
        return tangent_of_scale(card, problem) * (1.0 - CLOSE_ENOUGH)
    loss = loss_of(card, problem)
    if problem.scale.kind == "multiplier":
        loss = min(loss, loss_of(best_empty_card(problem), problem))
    return loss * (1.0 - CLOSE_ENOUGH)


def tangent_of_scale(card: Solution, problem: Problem) -> float:
    """A lower bound on the loss of a card's terms with any slope, within its limit, and any offset.

    Proof. The loss is convex in slope and offset, so it lies above its tangent at the card's own.
    The slope is between 0 and the limit divided by the largest jump. For each slope the best offset
    lies between two values: the log-odds of the base rate minus the slope times the largest score,
    and minus the slope times the smallest. Beyond them all risks are above the base rate, or all
    are below it, and a step towards it lowers the loss. So the least value of the tangent over
    these slopes and offsets is a bound; it is lowered by more than the rounding of its sums.
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
