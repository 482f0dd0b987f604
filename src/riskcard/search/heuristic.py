"""The search for good cards: a greedy card, rounded and given the best scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riskcard.problem.objective import loss_of
from riskcard.problem.problem import LOG_ODDS_LIMIT, Problem
from riskcard.problem.solution import Solution

if TYPE_CHECKING:
    from riskcard.search.pipeline import Options

__all__ = ["find_cards"]


def find_cards(problem: Problem, options: Options) -> list[Solution]:
    """Distinct feasible cards, the best first."""
    terms: list[tuple[int, int]] = []
    coefficients = _fit(problem, terms)
    while len(terms) < problem.limits.max_terms:
        best = _best_addition(problem, terms, coefficients)
        if best is None:
            break
        terms.append(best)
        coefficients = _fit(problem, terms)
    cards = {
        card
        for largest in range(1, problem.max_points + 1)
        for card in [_round(problem, terms, coefficients[1:], largest)]
    } | {_scaled(problem, [])}
    return sorted(cards, key=lambda card: (loss_of(card, problem), card.terms))


def _columns(problem: Problem, terms: list[tuple[int, int]]) -> NDArray[np.float64]:
    rows = problem.data.n_rows
    return np.stack([np.ones(rows), *[problem.data.codes[f] <= c for f, c in terms]], axis=1)


def _fit(problem: Problem, terms: list[tuple[int, int]]) -> NDArray[np.float64]:
    columns = _columns(problem, terms)
    return _newton(columns, problem.data.labels, problem.data.weights)


def _newton(
    columns: NDArray[np.float64], labels: NDArray[np.int8], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    coefficients = np.zeros(columns.shape[1])

    def loss(values: NDArray[np.float64]) -> float:
        return float(weights @ np.logaddexp(0, -labels * (columns @ values)))

    current = loss(coefficients)
    for _ in range(30):
        risk = 1 / (1 + np.exp(-np.clip(columns @ coefficients, -500, 500)))
        gradient = columns.T @ (weights * (risk - (labels > 0)))
        hessian = (columns * (weights * risk * (1 - risk))[:, None]).T @ columns
        step = np.linalg.solve(hessian + 1e-9 * np.eye(len(gradient)), gradient)
        size = 1.0
        while size > 1e-6 and loss(coefficients - size * step) > current:
            size /= 2
        coefficients = coefficients - size * step
        previous, current = current, loss(coefficients)
        if previous - current < 1e-12 * (1 + current):
            break
    return coefficients


def _best_addition(
    problem: Problem, terms: list[tuple[int, int]], coefficients: NDArray[np.float64]
) -> tuple[int, int] | None:
    data, limits = problem.data, problem.limits
    risk = 1 / (1 + np.exp(-np.clip(_columns(problem, terms) @ coefficients, -500, 500)))
    gradient = data.weights * (risk - (data.labels > 0))
    hessian = data.weights * risk * (1 - risk)
    used = [f for f, _ in terms]
    best, best_gain = None, 1e-9
    for f in range(data.n_features):
        is_full = len(set(used)) >= limits.max_features and f not in used
        if data.n_cuts[f] == 0 or is_full or used.count(f) >= limits.max_cuts_per_feature:
            continue
        g = np.cumsum(np.bincount(data.codes[f], gradient, minlength=data.n_cuts[f] + 1))[:-1]
        h = np.cumsum(np.bincount(data.codes[f], hessian, minlength=data.n_cuts[f] + 1))[:-1]
        total = hessian.sum()
        gain = g**2 / (h * (total - h) / max(total, 1e-12) + 1e-6)
        gain[(-g > 0) & (problem.jump_high[f] == 0) | (-g < 0) & (problem.jump_low[f] == 0)] = 0
        gain[[c for used_feature, c in terms if used_feature == f]] = 0
        if gain.max() > best_gain:
            best, best_gain = (f, int(gain.argmax())), float(gain.max())
    return best


def _round(
    problem: Problem, terms: list[tuple[int, int]], jumps: NDArray[np.float64], largest: int
) -> Solution:
    if not terms:
        return _scaled(problem, [])
    factor = largest / max(np.abs(jumps).max(), 1e-9)
    if problem.scale.kind == "fixed":
        factor = problem.scale.multiplier
    features = [f for f, _ in terms]
    whole = np.clip(np.rint(jumps * factor), problem.jump_low[features], problem.jump_high[features])
    return _scaled(problem, [(f, c, int(j)) for (f, c), j in zip(terms, whole, strict=True)])


def _scaled(problem: Problem, terms: list[tuple[int, int, int]]) -> Solution:
    """The card with these terms and the best scale, offset or base for them."""
    data, kind = problem.data, problem.scale.kind
    terms = [term for term in terms if term[2] != 0]
    score = np.zeros(data.n_rows)
    for f, c, jump in terms:
        score += jump * (data.codes[f] <= c)
    ones = np.ones(data.n_rows)
    columns = np.stack([ones, score], axis=1) if terms else ones[:, None]
    offset, *slope = _newton(columns, data.labels, data.weights)
    factor = slope[0] if slope else 1.0
    if kind == "fixed":
        factor = 1 / problem.scale.multiplier
    elif factor <= 1e-9:
        return _scaled(problem, [])
    elif terms:
        factor = min(factor, LOG_ODDS_LIMIT / max(abs(j) for _, _, j in terms))
    if kind == "calibrated":
        return Solution.of(terms, 0, 1 / factor, offset)
    bases = range(int(offset / factor) - 3, int(offset / factor) + 4)
    cards = [Solution.of(terms, base, _multiplier(problem, factor), 0.0) for base in bases]
    return min(cards, key=lambda card: loss_of(card, problem))


def _multiplier(problem: Problem, factor: float) -> float:
    return problem.scale.multiplier if problem.scale.kind == "fixed" else 1 / factor
