"""The search for good cards: conditions first, then whole points, then every cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from riskcard.kernels.rows import Rows, Rules
from riskcard.problem.objective import loss_of
from riskcard.problem.problem import Problem
from riskcard.problem.solution import Solution
from riskcard.search.bins import BinnedRows, all_cuts, few_cuts, rules_of
from riskcard.search.descent import descend_card, polish_cuts, search_cards
from riskcard.search.draft import Draft, draft_of_support, empty_draft, finish
from riskcard.search.effort import Deadline, Effort, effort_of
from riskcard.search.support import Support, search_supports, start_support

if TYPE_CHECKING:
    from riskcard.search.pipeline import Options

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
    effort, rules = effort_of(problem, options.certify), rules_of(problem)
    deadline = Deadline(options.time_limit)
    whole = all_cuts(problem)
    drafts = [empty_draft(whole.rows, rules)]
    if np.any((problem.data.n_cuts > 0) & (rules.low < rules.high)):
        small = _small_rows(problem, effort, options.random_state)
        start = start_support(small.rows, rules, effort.n_tries)

        def run(chain: int) -> list[Draft]:
            rng = np.random.default_rng([options.random_state, chain])
            return _run_chain(small.rows, rules, start, effort, rng, deadline)

        found = _distinct(_on_threads(run, range(effort.n_chains), options.n_jobs))
        drafts += _at_full_resolution(whole.rows, rules, small, found, effort, options, deadline)
    return _ranked(problem, whole.rows, rules, drafts, effort.n_kept)


def _small_rows(problem: Problem, effort: Effort, seed: int) -> BinnedRows:
    """The rows and cuts that the chains look at."""
    n_rows = problem.data.n_rows
    chosen = None
    if n_rows > effort.max_rows:
        rng = np.random.default_rng(seed)
        chosen = np.sort(rng.choice(n_rows, effort.max_rows, replace=False, shuffle=False))
    return few_cuts(problem, effort.max_cuts, chosen)


def _run_chain(
    rows: Rows,
    rules: Rules,
    start: Support,
    effort: Effort,
    rng: np.random.Generator,
    deadline: Deadline,
) -> list[Draft]:
    """Search for conditions, round the best of them, and improve the best cards."""
    supports = search_supports(rows, rules, start, effort, rng, deadline)
    rounded = _distinct([[draft_of_support(rows, rules, s) for s in supports[: effort.n_rounded]]])
    return search_cards(rows, rules, rounded[: effort.n_descended], effort, rng, deadline)


def _at_full_resolution(
    rows: Rows,
    rules: Rules,
    small: BinnedRows,
    found: list[Draft],
    effort: Effort,
    options: Options,
    deadline: Deadline,
) -> list[Draft]:
    """The best of the chains' cards on all rows, with their cuts chosen among all cuts."""

    def refine(draft: Draft) -> Draft:
        return polish_cuts(rows, rules, small.restore(draft.terms), draft.scale, deadline)

    return _distinct([_on_threads(refine, found[: effort.n_kept], options.n_jobs)])


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


def _ranked(
    problem: Problem, rows: Rows, rules: Rules, drafts: list[Draft], n_kept: int
) -> list[Solution]:
    """Finished cards in the order of their losses as the referee sees them."""
    best = sorted(drafts, key=lambda draft: (draft.loss, draft.key))[:n_kept]
    cards = {finish(rows, rules, draft) for draft in best}
    losses = {card: loss_of(card, problem) for card in cards}
    return sorted(cards, key=lambda card: (losses[card], card.terms))
