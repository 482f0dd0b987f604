"""The limits of a card, and which features still have room for a term."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.kernels.scale import CALIBRATED, FIXED, MULTIPLIER
from riskcard.problem.problem import LOG_ODDS_LIMIT, Problem

__all__ = ["Rules", "keep_allowed", "room_for_terms", "rules_of"]


@dataclass(frozen=True, slots=True)
class Rules:
    """The limits and the scale of a problem as the search reads them.

    ``is_usable`` says which features have a cut and a jump. ``options`` are the jumps (calibrated)
    or shifts (otherwise) that a step tries. ``kind`` and ``bound`` are those of ``fit_scale``.
    """

    max_terms: int
    max_features: int
    max_cuts: int  # on one feature
    low: NDArray[np.int64]  # smallest jump of each feature
    high: NDArray[np.int64]  # largest jump of each feature
    is_usable: NDArray[np.bool_]
    signs: NDArray[np.int64]  # 1 if a jump may be negative, plus 2 if it may be positive
    options: NDArray[np.int64]
    kind: int
    bound: float


def rules_of(problem: Problem) -> Rules:
    """The rules of a problem."""
    kinds = {"fixed": FIXED, "multiplier": MULTIPLIER, "calibrated": CALIBRATED}
    limits, scale = problem.limits, problem.scale
    low, high = problem.jump_low.astype(np.int64), problem.jump_high.astype(np.int64)
    return Rules(
        max_terms=limits.max_terms,
        max_features=limits.max_features,
        max_cuts=limits.max_cuts_per_feature,
        low=low,
        high=high,
        is_usable=(problem.data.n_cuts > 0) & (low < high),
        signs=1 * (low < 0) + 2 * (high > 0),
        options=_step_options(scale.kind, int(low.min(initial=0)), int(high.max(initial=0))),
        kind=kinds[scale.kind],
        bound=1.0 / scale.multiplier if scale.kind == "fixed" else LOG_ODDS_LIMIT,
    )


def room_for_terms(rules: Rules, features: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each feature may take one more cut beside terms on ``features``."""
    if rules.max_terms <= min(rules.max_cuts, rules.max_features):
        return rules.is_usable
    used = np.bincount(features, minlength=rules.low.size)
    is_full = np.count_nonzero(used) >= rules.max_features
    return rules.is_usable & (used < rules.max_cuts) & ((used > 0) if is_full else True)


def keep_allowed(rules: Rules, terms: NDArray[np.int64]) -> NDArray[np.int64]:
    """The terms (2 or 3, terms) that keep the limits and repeat no condition, taken in order."""
    kept: list[int] = []
    for term in range(terms.shape[1]):
        feature, cut = terms[:2, term]
        is_new = all(terms[0, k] != feature or terms[1, k] != cut for k in kept)
        if is_new and room_for_terms(rules, terms[0, kept])[feature]:
            kept.append(term)
    return np.ascontiguousarray(terms[:, kept])


def _step_options(kind: str, low: int, high: int) -> NDArray[np.int64]:
    """All jumps or shifts, or an even choice of them when there are many."""
    if kind == "calibrated":
        jumps = np.r_[low:0, 1 : high + 1]
        spread = np.linspace(0, jumps.size - 1, min(jumps.size, 12)).round().astype(np.int64)
        return jumps[spread].astype(np.int64)
    largest = max(high, -low)
    stride = 1 + (largest - 1) // 12
    return stride * np.arange(-(largest // stride) - 2, largest // stride + 3, dtype=np.int64)
