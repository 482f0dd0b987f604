"""The referee: the loss of a card, and what is wrong with it, by slow and obvious code."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from riskcard.problem.problem import LOG_ODDS_LIMIT, Problem
from riskcard.problem.solution import Solution

__all__ = ["log_odds_of", "loss_of", "sum_of_log_losses", "violations"]


def log_odds_of(solution: Solution, codes: NDArray[np.int32]) -> NDArray[np.float64]:
    """Log-odds of every row of ``codes`` (features, rows)."""
    score = np.full(codes.shape[1], solution.base, dtype=np.int64)
    for feature, cut, jump in solution.terms:
        score += jump * (codes[feature] <= cut)
    return score / solution.multiplier + solution.offset


def sum_of_log_losses(
    log_odds: NDArray[np.float64], labels: NDArray[np.int8], weights: NDArray[np.float64]
) -> float:
    """The objective: ``sum of weight * log(1 + exp(-label * log-odds))``."""
    return float(np.sum(weights * np.logaddexp(0.0, -labels * log_odds)))


def loss_of(solution: Solution, problem: Problem) -> float:
    """The loss of a card on the rows of the problem."""
    data = problem.data
    return sum_of_log_losses(log_odds_of(solution, data.codes), data.labels, data.weights)


def violations(solution: Solution, problem: Problem) -> list[str]:
    """Every way in which a card is not allowed by the problem; empty when it is feasible."""
    limits, scale, found = problem.limits, problem.scale, []
    cuts_used = Counter(solution.features)
    if len(solution.terms) > limits.max_terms:
        found.append(f"{len(solution.terms)} terms, {limits.max_terms} allowed")
    if len(cuts_used) > limits.max_features:
        found.append(f"{len(cuts_used)} features, {limits.max_features} allowed")
    if len(set(zip(solution.features, solution.cuts, strict=True))) < len(solution.terms):
        found.append("two terms share a feature and a cut")
    for feature, count in cuts_used.items():
        if count > limits.max_cuts_per_feature:
            found.append(
                f"{count} cuts on feature {feature}, {limits.max_cuts_per_feature} allowed"
            )
    for feature, cut, jump in solution.terms:
        if not 0 <= cut < problem.data.n_cuts[feature]:
            found.append(f"cut {cut} of feature {feature} is not a candidate")
        if not problem.jump_low[feature] <= jump <= problem.jump_high[feature] or jump == 0:
            found.append(f"jump {jump} of feature {feature} is outside its bounds")
        if scale.kind != "fixed" and abs(jump) / solution.multiplier > LOG_ODDS_LIMIT * (1 + 1e-9):
            found.append(f"the term on feature {feature} moves the log-odds beyond the limit")
    if not (solution.multiplier > 0 and np.isfinite(solution.multiplier)):
        found.append(f"the multiplier is {solution.multiplier}")
    if scale.kind == "fixed" and solution.multiplier != scale.multiplier:
        found.append(f"the multiplier is {solution.multiplier}, not {scale.multiplier}")
    if scale.kind != "calibrated" and solution.offset != 0:
        found.append(f"the offset is {solution.offset}, not 0")
    if scale.kind == "calibrated" and solution.base != 0:
        found.append(f"the base is {solution.base}, not 0")
    return found
