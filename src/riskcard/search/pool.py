"""The pool: cards about as good as the best, found or proven to be all."""

from __future__ import annotations

import time
from dataclasses import replace

from riskcard.problem.objective import loss_of
from riskcard.problem.problem import Problem
from riskcard.problem.result import Pool, SolveResult
from riskcard.problem.solution import Solution
from riskcard.search.heuristic import find_cards
from riskcard.search.options import Options
from riskcard.search.tree import MAX_PROVEN_TERMS, Choice, Stops, collect

__all__ = ["find_pool"]


def find_pool(problem: Problem, result: SolveResult, options: Options) -> Pool:
    """Cards within a tolerance of the best one, the best card of each choice of conditions.

    With ``certify`` the tree is searched for all choices; it says whether it came to its end.
    """
    begin = time.perf_counter()
    tolerance = float(options.pool_tolerance or 0.0)
    most_loss = result.loss * (1.0 + tolerance)
    cards = [result.solution, *find_cards(problem, replace(options, start=()))]
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


def _best_of_each_choice(
    problem: Problem, cards: list[Solution], most_loss: float
) -> list[tuple[Solution, float]]:
    """The best card of each choice of conditions that is within the loss, by loss."""
    best: dict[Choice, tuple[Solution, float]] = {}
    for card in cards:
        loss = loss_of(card, problem)
        choice = tuple(zip(card.features, card.cuts, strict=True))
        if loss <= most_loss and (choice not in best or loss < best[choice][1]):
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
