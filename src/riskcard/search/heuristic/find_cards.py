"""The search for good cards: conditions first, then whole points, then every cut."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from riskcard.problem.objective import order_of, violations
from riskcard.problem.problem import Problem
from riskcard.problem.solution import Solution
from riskcard.search.heuristic.binned_rows import Rows, all_cuts, few_cuts
from riskcard.search.heuristic.card_room import Rules, keep_allowed, rules_of
from riskcard.search.heuristic.descent import (
    complete_card,
    descend_card,
    is_seen_whole,
    polish_cuts,
    search_cards,
)
from riskcard.search.heuristic.draft import Draft, finish, measure, round_support
from riskcard.search.heuristic.effort import Effort, effort_of
from riskcard.search.heuristic.support import (
    Support,
    Walk,
    fit_support,
    improve_support,
    is_nearly_separated,
    search_supports,
    second_ridge,
)
from riskcard.search.options import SearchOptions

Item = TypeVar("Item")
Made = TypeVar("Made")


def find_cards(problem: Problem, options: SearchOptions) -> list[Solution]:
    """Good cards, the best first.

    The same cards come out for the same ``random_state``, whatever ``n_jobs`` is, unless the time
    limit cuts the search short.

    Returns
    -------
    list of Solution
        Distinct feasible cards, at least one; the empty card when no feature can be used.
    """
    plan, is_thorough = options.plan, options.is_thorough
    effort = effort_of(
        problem, not problem.scale.is_free if is_thorough is None else is_thorough, plan
    )
    if options.n_wanted is not None:
        most = max(effort.n_refined, plan.sets_per_wanted_card * options.n_wanted)
        effort = replace(effort, n_fitted=most, n_refined=most, n_kept=options.n_wanted)
    rules, whole = rules_of(problem, plan), all_cuts(problem, effort.looks_once, plan)
    empty = measure(whole, rules, np.zeros((3, 0), dtype=np.int64))
    drafts = [empty]
    if rules.is_usable.any():
        rows = whole
        if not effort.looks_once:
            rows = few_cuts(problem, effort.more_cuts, effort.more_rows, options.random_state, plan)
        drafts += _Search(problem, rules, effort, options, whole, rows).run()
        drafts += [complete_card(whole, rules, empty)] if rules.restrictions.must_use.any() else []
    cards = [finish(whole, rules, draft, problem) for draft in _distinct([drafts])]
    return _ranked(problem, cards)[: effort.n_kept]


@dataclass(frozen=True, slots=True)
class _Search:
    """One search: what is asked, how hard to work, all rows, and the rows of the second look."""

    problem: Problem
    rules: Rules
    effort: Effort
    options: SearchOptions
    whole: Rows
    rows: Rows

    def run(self) -> list[Draft]:
        """Sets of conditions first, then whole points, then every cut."""
        effort, n_jobs = self.effort, self.options.n_jobs
        supports, is_separated = self.first_look()
        fitted = _on_threads(self.fit, supports[: effort.n_fitted], n_jobs)
        fitted.sort(key=lambda support: (support.loss, support.key))
        refined = _on_threads(self.refine, fitted[: effort.n_refined], n_jobs)
        if effort.more_support_steps > 0:
            best = min(refined, key=lambda support: support.loss)
            again = _on_threads(self.fit, self.look_again(best), n_jobs)
            refined += _on_threads(self.refine, again, n_jobs)
        refined += fitted[effort.n_refined :]
        found = _distinct(_on_threads(self.round, refined, n_jobs))
        found = _distinct([found, _on_threads(self.descend, found[: effort.n_descended], n_jobs)])
        given = self.start()
        found = _distinct([found, [self.descend(self.on_rows(draft)) for draft in given]])
        more_steps = effort.card_steps_if_separated if is_separated else 0
        card_steps = max(effort.card_steps, more_steps)
        if card_steps > 0:

            def kick(chain: int) -> list[Draft]:
                rng = np.random.default_rng([self.options.random_state, chain, 1])
                work = effort, card_steps, rng, self.options.deadline
                return search_cards(self.rows, self.rules, found[0], *work)

            found = _distinct([found, *_on_threads(kick, range(effort.n_chains), n_jobs)])
        return given + _on_threads(self.polish, found[: effort.n_kept], n_jobs)

    def first_look(self) -> tuple[list[Support], bool]:
        """Sets of conditions of the problem, best first, from chains that look at few rows and cuts.

        Also whether they nearly separate the classes.
        """
        effort, options = self.effort, self.options
        rows = self.look_at(effort.max_cuts, effort.max_rows)
        start = fit_support(rows, self.rules, np.zeros((2, 0), dtype=np.int64))

        def run(chain: int, ridge: float) -> list[Support]:
            rng = np.random.default_rng([options.random_state, chain])
            work = effort, effort.support_steps, rng, self.options.deadline
            return search_supports(rows, self.rules, start, *work, ridge)

        def search(ridge: float) -> list[Support]:
            chains = range(effort.n_chains)
            found = _on_threads(lambda chain: run(chain, ridge), chains, options.n_jobs)
            return _by_features([support for chain in found for support in chain])

        found = search(self.rules.plan.ridge)
        is_separated = is_nearly_separated(found[0], start, self.rules.plan)
        if is_separated:
            found = _in_turns(
                found, search(second_ridge(self.problem.scale.limit, self.rules.plan))
            )
        found = [replace(support, terms=rows.restore(support.terms)) for support in found]
        return found, is_separated

    def look_again(self, support: Support) -> list[Support]:
        """Kick a set at the rows of the second look and few cuts; the best that is found.

        Few rows may rank sets wrongly that differ by little: what is best on all of them need not be
        near the best on some.
        """
        effort = self.effort
        rows = self.look_at(effort.kick_cuts, effort.more_rows)
        terms = rows.replace(self.rows.restore(support.terms))
        start = fit_support(rows, self.rules, keep_allowed(self.rules, rows, terms))
        rng = np.random.default_rng([self.options.random_state, 2])
        work = effort, effort.more_support_steps, rng, self.options.deadline
        found = search_supports(rows, self.rules, start, *work)
        return [replace(found[0], terms=rows.restore(found[0].terms))]

    def look_at(self, max_cuts: int, max_rows: int) -> Rows:
        """Few rows and cuts; those of the second look where they are the same."""
        if self.effort.looks_once:
            return self.rows
        return few_cuts(
            self.problem, max_cuts, max_rows, self.options.random_state, self.rules.plan
        )

    def fit(self, support: Support) -> Support:
        """A set of conditions of the problem at the second look."""
        if self.effort.looks_once:
            return support
        terms = keep_allowed(self.rules, self.rows, self.rows.replace(support.terms))
        return fit_support(self.rows, self.rules, terms)

    def refine(self, support: Support) -> Support:
        """A set at the second look, improved if the first saw less."""
        if self.effort.looks_once:
            return support
        walk = Walk(support.n_terms, self.effort.n_tries, self.effort.longest_refinement)
        return improve_support(self.rows, self.rules, support, walk)[0]

    def round(self, support: Support) -> list[Draft]:
        """Whole points for a set of conditions."""
        # where whole points are not exchanged afterwards, there must be more to choose from
        n_bands = self.rules.plan.rounded_sizes if self.effort.longest_exchange == 0 else 1
        return round_support(self.rows, self.rules, support, n_bands)

    def descend(self, draft: Draft) -> Draft:
        """The card at the end of a descent."""
        return descend_card(self.rows, self.rules, draft, self.effort)[0]

    def polish(self, draft: Draft) -> Draft:
        """The card on all rows, each cut chosen among all."""
        terms = self.rows.restore(draft.terms)
        restored = measure(self.whole, self.rules, terms, draft.scale)
        completed = complete_card(self.whole, self.rules, restored)
        has_descended = self.effort.looks_once and self.effort.longest_exchange > 0
        if has_descended and is_seen_whole(self.whole, self.rules, completed):
            return completed
        return polish_cuts(self.whole, self.rules, completed, self.options.deadline)

    def start(self) -> list[Draft]:
        """The card to start from, as far as it is allowed; none when none is given."""
        if not self.options.start:
            return []
        terms = np.array(self.options.start, dtype=np.int64).T
        terms[2] = np.clip(terms[2], self.rules.low[terms[0]], self.rules.high[terms[0]])
        terms = keep_allowed(self.rules, self.whole, terms[:, terms[2] != 0])
        terms = np.ascontiguousarray(terms[:, : self.rules.max_terms])
        return [measure(self.whole, self.rules, terms)]

    def on_rows(self, draft: Draft) -> Draft:
        """A draft on all rows as one on those of the second look."""
        terms = keep_allowed(self.rules, self.rows, self.rows.replace(draft.terms))
        return measure(self.rows, self.rules, terms, draft.scale)


def _by_features(supports: list[Support]) -> list[Support]:
    """Sets in order, the best of each set of features first: sets that differ by little round to like cards."""
    found = sorted(supports, key=lambda support: (support.loss, support.key))
    firsts = {tuple(f for f, _ in support.key): support for support in reversed(found)}
    is_first = {id(support) for support in firsts.values()}
    return sorted(found, key=lambda support: id(support) not in is_first)


def _in_turns(one: list[Support], other: list[Support]) -> list[Support]:
    """The sets of two lists in turns, each set once."""
    pairs = itertools.zip_longest(one, other)
    found = [support for pair in pairs for support in pair if support is not None]
    return list({support.digest: support for support in reversed(found)}.values())[::-1]


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
    allowed = [card for card in dict.fromkeys(cards) if not violations(card, problem)]
    return sorted(allowed, key=lambda card: order_of(card, problem))
