"""The search for a card within limits on differences between groups, and a bound on all such cards.

A limit on the difference of mean log-odds has a Lagrangian. Give each group ``g`` a price ``p_g``, with
``sum of p_g = 0``. For every card whose largest difference of group means ``m_g`` is at most ``L``::

    loss >= (loss + sum of p_g * m_g) - L * (sum of the positive p_g)

because a sum of ``p_g * m_g`` with prices that add up to 0 is at most the positive prices times the
largest difference. What is in brackets is again a log-loss. A row of log-odds ``s`` that counts ``a``
as one with the event and ``b`` as one without has the loss ``a * log(1 + exp(-s)) + b * log(1 + exp(s))``,
and the difference of the two logarithms is ``s``. So ``d * s`` is added to the loss by moving the weight
``d`` from ``a`` to ``b``. As long as no weight becomes negative, search and proof take the priced problem
as they take any other, and its bound, less the last term, holds for all cards within the limit.
Pseudo-observations give all rows both labels, which leaves room for prices.

Where a weight would become negative it is set to 0. The priced problem then has no such bound, but its
cards are still candidates: each is fitted to the rows as they are, and kept only if it is within all
limits. The card without terms always is, since it treats everyone alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from riskcard.arrays import Floats
from riskcard.encoding.decode_solution import Layout
from riskcard.encoding.pseudo_rows import PseudoRows
from riskcard.fairness.group_limits import GroupLimits, ScoredRows
from riskcard.fairness.groups import Groups
from riskcard.problem.merge_rows import merge_equal_rows
from riskcard.problem.objective import log_odds_of, loss_of, violations
from riskcard.problem.problem import Problem
from riskcard.problem.ranked_data import RankedData
from riskcard.problem.solution import Solution
from riskcard.search.empty_card import best_empty_card
from riskcard.search.heuristic.binned_rows import Rows
from riskcard.search.heuristic.card_room import rules_of
from riskcard.search.heuristic.draft import as_solution, draft_of
from riskcard.search.options import Options
from riskcard.search.plan import PLAN
from riskcard.search.solve import solve

#: The measure whose limit is part of the proof; the search keeps limits on all of them.
PROVEN_WITH = "mean_log_odds"
#: Prices are tried from this part of the weight of the rows, and doubled, until all limits hold...
FIRST_PRICE, DOUBLINGS = 1 / 256, 10
#: ... then this many times halfway between the last that was too low and the first that was not.
HALVINGS = 4
#: Cards about as good as the best at each price are candidates as well.
POOL_TOLERANCE, POOL_SIZE = 0.02, 30
#: The most cards within the limits, and beyond, on which points are moved, and the number of rounds.
MOST_MOVED, ROUNDS_OF_MOVES = 10, 3
#: Bounds are proven at these parts of the largest price that has one.
PROVEN_PARTS = (1.0, 0.5, 0.25)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A card with the best scale for it: its loss, and the largest differences between groups."""

    solution: Solution
    loss: float
    differences: dict[str, float]

    def is_within(self, limits: dict[str, float]) -> bool:
        """Whether the card keeps some limits."""
        return all(self.differences[name] <= limit + 1e-9 for name, limit in limits.items())


@dataclass(frozen=True, slots=True)
class PricedProblem:
    """A problem on rows in groups, and the limits.

    Attributes
    ----------
    problem
        Without limits; its loss is that of the rows and their pseudo-observations.
    layout
        The rows one by one, in the order of ``groups``.
    groups, limits
        Which rows belong together, and how far a card may treat them differently.
    options
        How to work on each priced problem.
    rows
        Those of the problem, as the search takes them.
    """

    problem: Problem
    layout: Layout
    groups: Groups
    limits: GroupLimits
    options: Options
    rows: Rows

    @property
    def data(self) -> RankedData:
        """The rows one by one."""
        return self.layout.data

    def judge(self, solution: Solution) -> Candidate | None:
        """A card with the best scale for the rows as they are; None if it is not allowed."""
        if solution.terms:
            rules = rules_of(self.problem, PLAN)
            draft = draft_of(self.rows, rules, solution.terms)
            solution = as_solution(self.rows, rules, draft, self.problem)
        if violations(solution, self.problem):
            return None
        differences = self.limits.differences(self.scored(solution))
        return Candidate(solution, loss_of(solution, self.problem), differences)

    def scored(self, solution: Solution) -> ScoredRows:
        """The rows with the log-odds of a card."""
        data = self.data
        log_odds = log_odds_of(solution, data.codes)
        is_event, threshold = data.labels > 0, self.limits.threshold
        return ScoredRows(log_odds, is_event, data.weights, self.groups, threshold)

    def direction(self, solution: Solution) -> Floats:
        """Prices whose positive ones add up to 1: high for groups to which a card gives high scores."""
        rows = self.scored(solution)
        means = rows.mean_by_group(rows.log_odds)
        deviations: Floats = means - means.mean()
        total = float(deviations[deviations > 0].sum())
        if total == 0:  # the groups have the same mean score: any two are as good as any others
            deviations = np.zeros(means.size)
            deviations[:2], total = (1.0, -1.0), 1.0
        return np.divide(deviations, total)

    def with_prices(self, prices: Floats) -> tuple[Problem, bool]:
        """The priced problem, and whether its bound is one for all cards within the limit."""
        own, other = _weights_by_label(self.data, self.layout.pseudo)
        moved = self._moved(prices) * self.data.labels
        own, other = own - moved, other + moved
        is_exact = bool(min(own.min(), other.min()) >= 0)
        kept_own, kept_other = own > 0, other > 0
        data, labels = self.data, self.data.labels
        rows = replace(
            data,
            codes=np.concatenate([data.codes[:, kept_own], data.codes[:, kept_other]], axis=1),
            labels=np.concatenate([labels[kept_own], -labels[kept_other]]),
            weights=np.concatenate([own[kept_own], other[kept_other]]),
        )
        return replace(self.problem, data=merge_equal_rows(rows)), is_exact

    def largest_exact_price(self, direction: Floats) -> float:
        """The largest price along a direction that leaves all weights at 0 or above."""
        own, other = _weights_by_label(self.data, self.layout.pseudo)
        moved = self._moved(direction) * self.data.labels
        room = np.where(moved > 0, own, other)
        return float((room / np.maximum(np.abs(moved), 1e-300)).min()) * (1 - 1e-12)

    def _moved(self, prices: Floats) -> Floats:
        """What each row's log-odds are priced at: its share of its group, times the group's price."""
        weights, codes = self.data.weights, self.groups.codes
        return prices[codes] * weights / np.bincount(codes, weights)[codes]


def _weights_by_label(data: RankedData, pseudo: PseudoRows) -> tuple[Floats, Floats]:
    """What each row weighs with its own label and with the other one, pseudo-observations included."""
    own, other = data.weights.copy(), np.zeros(data.n_rows)
    if pseudo.number > 0:
        rows = slice(None) if pseudo.rows is None else pseudo.rows
        more_own, more_other = pseudo.weigh(data.labels, data.weights)
        own[rows] += more_own
        other[rows] += more_other
    return own, other


def find_candidates(priced: PricedProblem, best: Solution) -> list[Candidate]:
    """Cards that treat groups ever more alike, from the best card to the one without terms."""
    first = priced.judge(best)
    assert first is not None
    found = [first]
    empty = priced.judge(best_empty_card(priced.problem))
    found += [] if empty is None else [empty]
    given = priced.limits.given
    if first.is_within(given):
        return found
    found += _at_prices(priced, priced.direction(best))
    return found + _moved_points(priced, found)


def _at_prices(priced: PricedProblem, direction: Floats) -> list[Candidate]:
    """The cards at ever higher prices, until all limits hold; then at prices in between."""
    found, given = [], priced.limits.given
    low, high = 0.0, None
    price = FIRST_PRICE * float(priced.problem.data.weights.sum())
    for _ in range(DOUBLINGS):
        fresh = list(_at_price(priced, price * direction))
        found += fresh
        if any(one.is_within(given) for one in fresh):
            high = price
            break
        low, price = price, 2 * price
    if high is None:
        return found
    for _ in range(HALVINGS):
        price = (low + high) / 2
        fresh = list(_at_price(priced, price * direction))
        found += fresh
        low, high = (low, price) if any(one.is_within(given) for one in fresh) else (price, high)
    return found


def _moved_points(priced: PricedProblem, candidates: list[Candidate]) -> list[Candidate]:
    """The best cards beyond and within the limits with one point more or less on one term, repeatedly."""
    given, found = priced.limits.given, list(candidates)
    seen = {tuple(one.solution.terms) for one in found}
    for _ in range(ROUNDS_OF_MOVES):
        found.sort(key=lambda one: one.loss)
        within = [one for one in found if one.is_within(given)][:MOST_MOVED]
        beyond = [one for one in found if not one.is_within(given)][:MOST_MOVED]
        fresh = []
        for one in within + beyond:
            for terms in _neighbours(one.solution):
                if tuple(terms.terms) not in seen:
                    seen.add(tuple(terms.terms))
                    fresh.append(priced.judge(terms))
        if not any(fresh):
            break
        found += [one for one in fresh if one is not None]
    return found


def _neighbours(card: Solution) -> Iterator[Solution]:
    """The card with one point more or less on one of its terms."""
    for place, (column, cut, jump) in enumerate(card.terms):
        for step in (-1, 1):
            terms = list(card.terms)
            terms[place] = column, cut, jump + step
            yield Solution.of(terms, card.base, card.multiplier, card.offset)


def _at_price(priced: PricedProblem, prices: Floats) -> Iterator[Candidate]:
    """The best cards of one priced problem, fitted to the rows as they are."""
    problem, _ = priced.with_prices(prices)
    options = replace(priced.options, certify=False, pool_tolerance=POOL_TOLERANCE)
    result = solve(problem, replace(options, pool_size=POOL_SIZE, progress=None))
    cards = (result.solution,) if result.pool is None else (result.solution, *result.pool.cards)
    for card in cards:
        candidate = priced.judge(card)
        if candidate is not None:
            yield candidate


def prove_bound(priced: PricedProblem, best: Solution, bound: float) -> float:
    """A bound on the loss of all cards within the limits, at least that on the loss of all cards.

    Parameters
    ----------
    priced
        The problem; only its limit on mean log-odds can raise the bound.
    best
        The best card without limits.
    bound
        The bound on the loss of all cards.
    """
    limit = priced.limits.mean_log_odds
    if limit is None or bound <= 0:
        return bound
    direction = priced.direction(best)
    largest = priced.largest_exact_price(direction)
    seconds = priced.options.time_limit
    share = None if seconds is None else seconds / len(PROVEN_PARTS)
    options = replace(priced.options, certify=True, time_limit=share, progress=None)
    for part in PROVEN_PARTS:
        price = part * largest
        problem, is_exact = priced.with_prices(price * direction)
        if is_exact:
            # the positive prices of a direction add up to 1
            proven = solve(problem, options).bound - price * limit
            bound = max(bound, proven)
    return bound
