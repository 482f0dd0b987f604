"""The pool: cards about as good as the best, found or proven to be all."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from riskcard.problem.objective import loss_of, violations
from riskcard.problem.problem import Problem
from riskcard.problem.result import Pool, SolveResult
from riskcard.problem.solution import Solution
from riskcard.search.heuristic.binned_rows import Rows, all_cuts
from riskcard.search.heuristic.card_room import Rules, rules_of
from riskcard.search.heuristic.descent import offers_for_slot, whole_windows
from riskcard.search.heuristic.draft import Draft, finish, measure
from riskcard.search.heuristic.find_cards import find_cards
from riskcard.search.options import Options
from riskcard.search.proof.tree import MAX_PROVEN_TERMS, Choice, Stops, collect

#: Cards whose neighbours are looked at, and how many places a cut is moved.
MOST_EXPANDED, FURTHEST_MOVE = 20, 3


def find_pool(problem: Problem, result: SolveResult, options: Options) -> Pool:
    """Cards within a tolerance of the best one, the best card of each choice of conditions.

    With ``certify`` the tree is searched for all choices; it says whether it came to its end.
    """
    begin = time.perf_counter()
    tolerance = float(options.pool_tolerance or 0.0)
    most_loss = result.loss * (1.0 + tolerance)
    cards = [result.solution, *find_cards(problem, replace(options, start=()))]
    cards += _neighbours(problem, cards, most_loss, options)
    is_complete = False
    if options.certify and problem.limits.max_terms <= MAX_PROVEN_TERMS:
        deadline = None if options.time_limit is None else begin + options.time_limit
        stops = Stops(deadline, options.node_limit)
        found = collect(problem, result.solution, most_loss, stops, options.n_jobs)
        cards += found.cards
        is_complete = found.is_complete
    best = _best_of_each_choice(problem, cards, most_loss)
    kept = _different_features_first(problem, best)[: options.pool_size]
    return Pool(
        cards=tuple(card for card, _ in kept),
        losses=tuple(loss for _, loss in kept),
        most_loss=most_loss,
        is_complete=is_complete and len(kept) == len(best),
        n_found=len(best),
    )


def _neighbours(
    problem: Problem, cards: list[Solution], most_loss: float, options: Options
) -> list[Solution]:
    """Cards within the loss that differ in one term from the best ones: by its feature, or by its cut."""
    rules, rows = rules_of(problem), all_cuts(problem)
    windows, n_columns = whole_windows(rows, rules), problem.data.n_columns
    found: list[Draft] = []
    for card, _ in _best_of_each_choice(problem, cards, most_loss)[:MOST_EXPANDED]:
        terms = np.array(card.terms, dtype=np.int64).reshape(-1, 3).T
        draft = measure(rows, rules, np.ascontiguousarray(terms), np.array([1.0, 0.0]))
        for slot in range(draft.n_terms):
            found += offers_for_slot(rows, rules, draft, slot, windows, n_columns)
            found += _moved(rows, rules, draft, slot)
    found.sort(key=lambda draft: draft.loss)
    close = [draft for draft in found if draft.loss <= most_loss]
    finished = [finish(rows, rules, draft, problem) for draft in close[: 4 * options.pool_size]]
    return [card for card in finished if not violations(card, problem)]


def _moved(rows: Rows, rules: Rules, draft: Draft, slot: int) -> list[Draft]:
    """The draft with one cut moved by a few places."""
    moved = []
    column, cut = int(draft.terms[0, slot]), int(draft.terms[1, slot])
    for step in range(-FURTHEST_MOVE, FURTHEST_MOVE + 1):
        if step != 0 and 0 <= cut + step < rows.n_cuts[column]:
            terms = draft.terms.copy()
            terms[1, slot] = cut + step
            moved.append(measure(rows, rules, terms, draft.scale))
    return moved


def _best_of_each_choice(
    problem: Problem, cards: list[Solution], most_loss: float
) -> list[tuple[Solution, float]]:
    """The best card of each choice of conditions that is within the loss, by loss."""
    best: dict[Choice, tuple[Solution, float]] = {}
    for card in cards:
        loss = loss_of(card, problem)
        choice = tuple(zip(card.features, card.cuts, strict=True))
        # the first one stays unless another is really better: scales may differ by rounding
        is_better = choice not in best or loss < best[choice][1] * (1 - 1e-9)
        if loss <= most_loss and is_better:
            best[choice] = card, loss
    return sorted(best.values(), key=lambda one: (one[1], one[0].terms))


def _different_features_first(
    problem: Problem, cards: list[tuple[Solution, float]]
) -> list[tuple[Solution, float]]:
    """The best card of each set of features, then all others, both by loss."""
    first: list[tuple[Solution, float]] = []
    others: list[tuple[Solution, float]] = []
    seen: set[frozenset[int]] = set()
    for card, loss in cards:
        features = frozenset(problem.data.feature_of[list(card.features)].tolist())
        (others if features in seen else first).append((card, loss))
        seen.add(features)
    return first + others
