"""The search for good cards: conditions first, then whole points, then every cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from riskcard.problem.objective import loss_of, violations
from riskcard.problem.problem import Problem
from riskcard.problem.solution import Solution
from riskcard.search.bins import Rows, all_cuts, few_cuts
from riskcard.search.descent import complete_card, descend_card, polish_cuts, search_cards
from riskcard.search.draft import Draft, finish, measure, round_support
from riskcard.search.effort import Deadline, Effort, effort_of
from riskcard.search.options import Options
from riskcard.search.rules import Rules, keep_allowed, rules_of
from riskcard.search.support import (
    Support,
    descend_support,
    fit_support,
    grow_support,
    search_supports,
)

__all__ = ["find_cards"]

Item = TypeVar("Item")
Made = TypeVar("Made")


def find_cards(problem: Problem, options: Options) -> list[Solution]:
    """Good cards, the best first.

    The same cards come out for the same ``random_state``, whatever ``n_jobs`` is, unless the time
    limit cuts the search short.

    Returns
    -------
    list of Solution
        Distinct feasible cards, at least one; the empty card when no feature can be used.
    """
    # with real multipliers and offsets whole points lose little, and a short search does
    is_thorough = options.certify or problem.scale.kind != "calibrated"
    effort = effort_of(problem, is_thorough and not options.is_brief)
    if options.pool_tolerance is not None:
        wanted = options.pool_size
        effort = replace(effort, n_refined=max(effort.n_refined, 2 * wanted), n_kept=wanted)
    rules, whole = rules_of(problem), all_cuts(problem)
    empty = measure(whole, rules, np.zeros((3, 0), dtype=np.int64), np.array([1.0, 0.0]))
    drafts = [empty]
    if rules.is_usable.any():
        rows = few_cuts(problem, effort.more_cuts, effort.more_rows, options.random_state)
        search = _Search(problem, rules, effort, options, Deadline(options.time_limit), whole, rows)
        drafts += search.run()
        drafts += [complete_card(whole, rules, empty)] if rules.restrictions.must_use.any() else []
    cards = [finish(whole, rules, draft, problem) for draft in _distinct([drafts])]
    return _ranked(problem, cards)[: effort.n_kept]


@dataclass(frozen=True, slots=True)
class _Search:
    """One search: what is asked, how hard to work, all rows, and the rows of the second look."""

    problem: Problem
    rules: Rules
    effort: Effort
    options: Options
    deadline: Deadline
    whole: Rows
    rows: Rows

    def run(self) -> list[Draft]:
        """Sets of conditions first, then whole points, then every cut."""
        effort, n_jobs = self.effort, self.options.n_jobs
        supports = _first_look(self.problem, self.rules, effort, self.options, self.deadline)
        refined = _on_threads(self.refine, supports[: effort.n_refined], n_jobs)
        if effort.more_support_steps > 0:
            terms = self.rows.restore(min(refined, key=lambda support: support.loss).terms)
            look = self.problem, self.rules, terms, effort, self.options, self.deadline
            refined += _on_threads(self.refine, _look_again(*look), n_jobs)
        found = _distinct([_on_threads(self.round, refined, n_jobs)])
        found = _distinct([found, _on_threads(self.descend, found[: effort.n_descended], n_jobs)])
        given = self.start()
        found = _distinct([found, [self.descend(self.on_rows(draft)) for draft in given]])
        if effort.card_steps > 0:

            def kick(chain: int) -> list[Draft]:
                rng = np.random.default_rng([self.options.random_state, chain, 1])
                return search_cards(self.rows, self.rules, found[0], effort, rng, self.deadline)

            found = _distinct([found, *_on_threads(kick, range(effort.n_chains), n_jobs)])
        return given + _on_threads(self.polish, found[: effort.n_kept], n_jobs)

    def refine(self, terms: NDArray[np.int64]) -> Support:
        """Fit a set of conditions at the second look, and improve it if the first saw less."""
        allowed = keep_allowed(self.rules, self.rows, self.rows.replace(terms))
        support = fit_support(self.rows, allowed)
        if self.effort.looks_once:
            return support
        limit = self.effort.longest_refinement
        return descend_support(self.rows, self.rules, support, self.effort.n_tries, limit)[0]

    def round(self, support: Support) -> Draft:
        """Whole points for a set of conditions."""
        return round_support(self.rows, self.rules, support)

    def descend(self, draft: Draft) -> Draft:
        """The card at the end of a descent."""
        return descend_card(self.rows, self.rules, draft, self.effort)[0]

    def polish(self, draft: Draft) -> Draft:
        """The card on all rows, each cut chosen among all."""
        terms = self.rows.restore(draft.terms)
        restored = measure(self.whole, self.rules, terms, draft.scale)
        completed = complete_card(self.whole, self.rules, restored)
        return polish_cuts(self.whole, self.rules, completed, self.deadline)

    def start(self) -> list[Draft]:
        """The card to start from, as far as it is allowed; none when none is given."""
        if not self.options.start:
            return []
        terms = np.array(self.options.start, dtype=np.int64).T
        terms[2] = np.clip(terms[2], self.rules.low[terms[0]], self.rules.high[terms[0]])
        terms = keep_allowed(self.rules, self.whole, terms[:, terms[2] != 0])
        terms = np.ascontiguousarray(terms[:, : self.rules.max_terms])
        return [measure(self.whole, self.rules, terms, np.array([1.0, 0.0]))]

    def on_rows(self, draft: Draft) -> Draft:
        """A draft on all rows as one on those of the second look."""
        terms = keep_allowed(self.rules, self.rows, self.rows.replace(draft.terms))
        return measure(self.rows, self.rules, terms, draft.scale)


def _first_look(
    problem: Problem, rules: Rules, effort: Effort, options: Options, deadline: Deadline
) -> list[NDArray[np.int64]]:
    """Sets of conditions (2, terms), best first, from chains that look at few rows and cuts."""
    rows = few_cuts(problem, effort.max_cuts, effort.max_rows, options.random_state)
    nothing = fit_support(rows, np.zeros((2, 0), dtype=np.int64))
    start = grow_support(rows, rules, nothing, effort.n_tries)

    def run(chain: int) -> list[Support]:
        rng = np.random.default_rng([options.random_state, chain])
        return search_supports(rows, rules, start, effort, effort.support_steps, rng, deadline)

    chains = _on_threads(run, range(effort.n_chains), options.n_jobs)
    found = [support for chain in chains for support in chain]
    found.sort(key=lambda support: (support.loss, support.key))
    # one for each set of features: the cuts are chosen again on all rows
    by_features = {tuple(f for f, _ in support.key): support for support in reversed(found)}
    best = sorted(by_features.values(), key=lambda support: (support.loss, support.key))
    return [rows.restore(support.terms) for support in best]


def _look_again(
    problem: Problem,
    rules: Rules,
    terms: NDArray[np.int64],
    effort: Effort,
    options: Options,
    deadline: Deadline,
) -> list[NDArray[np.int64]]:
    """Kick a set of conditions at the rows of the second look and few cuts; the best that is found.

    Few rows may rank sets wrongly that differ by little: what is best on all of them need not be near
    the best on some.
    """
    rows = few_cuts(problem, effort.kick_cuts, effort.more_rows, options.random_state)
    start = fit_support(rows, keep_allowed(rules, rows, rows.replace(terms)))
    rng = np.random.default_rng([options.random_state, 2])
    steps = effort.more_support_steps
    found = search_supports(rows, rules, start, effort, steps, rng, deadline)
    return [rows.restore(support.terms) for support in found[:1]]


def _on_threads(work: Callable[[Item], Made], items: Iterable[Item], n_jobs: int) -> list[Made]:
    """Results in the order of the items."""
    if n_jobs == 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(n_jobs if n_jobs > 0 else None) as threads:
        return list(threads.map(work, items))


def _distinct(groups: list[list[Draft]]) -> list[Draft]:
    """One draft for each card, the best first."""
    by_key = {draft.key: draft for group in groups for draft in group}
    return sorted(by_key.values(), key=lambda draft: (draft.loss, draft.key))


def _ranked(problem: Problem, cards: list[Solution]) -> list[Solution]:
    """Distinct cards that the referee allows, in the order of their losses."""
    losses = {card: loss_of(card, problem) for card in cards if not violations(card, problem)}
    return sorted(losses, key=lambda card: (losses[card], card.terms))
