"""The search for good cards: conditions first, then whole points, then every cut."""

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from riskcard.arrays import Integers
from riskcard.problem.objective import order_of, violations
from riskcard.problem.problem import Problem
from riskcard.problem.solution import Solution
from riskcard.search.heuristic.binned_rows import Rows, all_cuts, few_cuts
from riskcard.search.heuristic.card_room import Rules, keep_allowed, required_conditions, rules_of
from riskcard.search.heuristic.descent import (
    complete_card,
    descend_card,
    is_seen_whole,
    polish_cuts,
    search_cards,
)
from riskcard.search.heuristic.draft import (
    Draft,
    as_solution,
    measure,
    rescale_points,
    round_support,
)
from riskcard.search.heuristic.effort import Effort, effort_of
from riskcard.search.heuristic.support import (
    Support,
    explore_supports,
    fit_support,
    is_nearly_separated,
    search_supports,
    second_ridge,
)
from riskcard.search.options import SearchOptions
from riskcard.search.shortlist import open_conditions
from riskcard.threads import Item, Made, map_on_threads


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
        effort = replace(
            effort,
            n_fitted=most,
            n_refined=most,
            refine_steps=most,
            n_rounded=most,
            n_kept=options.n_wanted,
        )
    rules, whole = rules_of(problem, plan), all_cuts(problem, effort.has_one_pass, plan)
    empty = measure(whole, rules, np.zeros((3, 0), dtype=np.int64))
    drafts = [empty]
    if rules.is_usable.any():
        rows = whole
        if not effort.has_one_pass:
            rows = few_cuts(
                problem, effort.second_cuts, effort.second_rows, options.random_state, plan
            )
        drafts += _Search(problem, rules, effort, options, whole, rows).run()
        drafts += [complete_card(whole, rules, empty)] if rules.restrictions.must_use.any() else []
    cards = [as_solution(whole, rules, draft, problem) for draft in _distinct(drafts)]
    return _ranked(problem, cards)[: effort.n_kept]


@dataclass(frozen=True, slots=True)
class _Search:
    """One search: the problem, how hard to work, all rows, and the rows of the second pass."""

    problem: Problem
    rules: Rules
    effort: Effort
    options: SearchOptions
    whole: Rows
    rows: Rows

    def run(self) -> list[Draft]:
        """Sets of conditions first, then whole points, then every cut."""
        effort = self.effort
        supports, is_separated = self.first_pass()
        every = self.map(self.fit_terms, self.all_sets())
        found = _distinct(self.round_all(self.second_pass(supports), every))
        given = self.start()
        rescaled = self.map(self.rescale, found[: self.rules.plan.n_descended])
        found = _distinct([*found, *rescaled])
        begun = [*found[: effort.n_descended], *map(self.on_rows, given)]
        found = _distinct([*found, *self.map(self.descend, begun)])
        more_steps = effort.card_steps_if_separated if is_separated else 0
        steps = max(effort.card_steps, more_steps)
        if steps > 0:
            best, chains = found[0], range(effort.n_chains)
            perturbed = self.map(lambda chain: self.perturb(best, steps, chain), chains)
            found = _distinct([*found, *itertools.chain(*perturbed)])
        return given + self.map(self.polish, found[: effort.n_kept])

    def map(self, work: Callable[[Item], Made], items: Iterable[Item]) -> list[Made]:
        """Results in the order of the items, made by several threads."""

        def one(item: Item) -> Made:
            self.options.deadline.require_no_interrupt()
            return work(item)

        return map_on_threads(one, items, self.options.n_jobs)

    def first_pass(self) -> tuple[list[Support], bool]:
        """Sets of conditions of the problem, best first, from chains that see few rows and cuts.

        Also whether they nearly separate the classes.
        """
        effort, plan, rows = self.effort, self.rules.plan, self.rows
        if not effort.has_one_pass:
            seed = self.options.random_state
            rows = few_cuts(self.problem, effort.first_cuts, effort.first_rows, seed, plan)
        start = fit_support(rows, self.rules, required_conditions(self.rules, rows))

        def search(ridge: float) -> list[Support]:
            chains = self.map(lambda chain: run(chain, ridge), range(effort.n_chains))
            return _by_features(list(itertools.chain(*chains)))

        def run(chain: int, ridge: float) -> list[Support]:
            rng = np.random.default_rng([self.options.random_state, chain])
            work = effort.n_tries, effort.set_steps, rng, self.options.deadline
            return search_supports(rows, self.rules, start, *work, ridge)

        found = search(plan.ridge)
        is_separated = is_nearly_separated(found[0], start, plan)
        if is_separated:
            found = _in_turns(found, search(second_ridge(self.problem.scale.limit, plan)))
        if rows.original is not None:
            found = [replace(support, terms=rows.restore(support.terms)) for support in found]
        return found, is_separated

    def second_pass(self, supports: list[Support]) -> list[Support]:
        """The best sets of the first pass and their neighbours, on the rows of the second."""
        effort = self.effort
        if effort.has_one_pass:
            return supports
        fitted = self.map(self.fit, supports[: effort.n_fitted])
        work = effort.n_tries, effort.n_refined, effort.refine_steps
        return explore_supports(self.rows, self.rules, fitted, *work)

    def fit(self, support: Support) -> Support:
        """A set of conditions of the problem, fitted to the rows of the second pass."""
        terms = keep_allowed(self.rules, self.rows, self.rows.replace(support.terms))
        return fit_support(self.rows, self.rules, terms)

    def all_sets(self) -> list[Integers]:
        """Every full set of conditions, where these are few; none otherwise.

        Of a short list of candidates, chains on real-valued points leave out sets that are best once
        points are whole.
        """
        size = self.rules.max_terms
        columns, cuts = open_conditions(self.problem)
        if not self.effort.has_one_pass:
            return []
        if math.comb(columns.size, size) > self.rules.plan.most_sets:
            return []
        places = [list(chosen) for chosen in itertools.combinations(range(columns.size), size)]
        sets = (np.stack([columns[own], cuts[own]]) for own in places)
        allowed = (keep_allowed(self.rules, self.rows, terms) for terms in sets)
        return [terms for terms in allowed if terms.shape[1] == size]

    def fit_terms(self, terms: Integers) -> Support:
        """A set of conditions with its best real-valued points."""
        return fit_support(self.rows, self.rules, terms)

    def round_all(self, supports: list[Support], every: list[Support]) -> list[Draft]:
        """Whole points for the best set, and for others that could be better than it is then."""
        first = self.round(supports[0])
        left = [support for support in supports[1:] if support.loss < first.loss]
        known = {support.digest for support in supports[: self.effort.n_rounded]}
        others = [one for one in every if one.loss < first.loss and one.digest not in known]
        return [first, *self.map(self.round, left[: self.effort.n_rounded - 1] + others)]

    def round(self, support: Support) -> Draft:
        """Whole points for a set, and a term on every feature that must be used."""
        draft = round_support(self.rows, self.rules, support)
        return complete_card(self.rows, self.rules, draft)

    def rescale(self, draft: Draft) -> Draft:
        """A card with points of another size, where that is better."""
        return rescale_points(self.rows, self.rules, draft)

    def descend(self, draft: Draft) -> Draft:
        """The card at the end of a descent; in large tables that would take too long."""
        if self.effort.n_descended == 0:
            return draft
        return descend_card(self.rows, self.rules, draft, self.effort.n_tries)[0]

    def perturb(self, draft: Draft, max_steps: int, chain: int) -> list[Draft]:
        """Cards found by perturbing one with whole points."""
        rng = np.random.default_rng([self.options.random_state, chain, 1])
        work = self.effort.n_tries, max_steps, rng, self.options.deadline
        return search_cards(self.rows, self.rules, draft, *work)

    def polish(self, draft: Draft) -> Draft:
        """The card on all rows, each cut chosen among all."""
        terms = self.rows.restore(draft.terms)
        restored = measure(self.whole, self.rules, terms, draft.scale)
        completed = complete_card(self.whole, self.rules, restored)
        has_descended = self.effort.has_one_pass and self.effort.n_descended > 0
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
        """A draft on all rows as one on the rows of the second pass."""
        terms = keep_allowed(self.rules, self.rows, self.rows.replace(draft.terms))
        return measure(self.rows, self.rules, terms, draft.scale)


def _by_features(supports: list[Support]) -> list[Support]:
    """Sets in order, the best of each set of features first: like sets round to like cards."""
    firsts, others = dict[tuple[int, ...], Support](), list[Support]()
    for support in sorted(supports, key=lambda support: (support.loss, support.key)):
        features = tuple(sorted(support.terms[0].tolist()))
        if firsts.setdefault(features, support) is not support:
            others.append(support)
    return [*firsts.values(), *others]


def _in_turns(one: list[Support], other: list[Support]) -> list[Support]:
    """The sets of two lists in turns, each set once."""
    pairs = itertools.zip_longest(one, other)
    found = [support for pair in pairs for support in pair if support is not None]
    return list({support.digest: support for support in reversed(found)}.values())[::-1]


def _distinct(drafts: list[Draft]) -> list[Draft]:
    """One draft for each card, the best first."""
    by_key = {draft.key: draft for draft in drafts}
    return sorted(by_key.values(), key=lambda draft: (draft.loss, draft.key))


def _ranked(problem: Problem, cards: list[Solution]) -> list[Solution]:
    """Distinct cards that the referee allows, in the order of their losses."""
    allowed = [card for card in dict.fromkeys(cards) if not violations(card, problem)]
    return sorted(allowed, key=lambda card: order_of(card, problem))
