"""The rows as the search sees them: every cut, or few enough cuts to look at all of them often."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.kernels.rows import CALIBRATED, FIXED, MULTIPLIER, Rows, Rules
from riskcard.problem.problem import LOG_ODDS_LIMIT, Problem

__all__ = ["BinnedRows", "all_cuts", "few_cuts", "rules_of"]


@dataclass(frozen=True, slots=True)
class BinnedRows:
    """Rows for the kernels, and the cut of the problem that each of their cuts stands for."""

    rows: Rows
    cuts: tuple[NDArray[np.int64], ...]

    def restore(self, terms: NDArray[np.int64]) -> NDArray[np.int64]:
        """Terms (3, terms) with the cuts of the problem."""
        cuts = [self.cuts[f][cut] for f, cut in zip(terms[0], terms[1], strict=True)]
        return np.stack([terms[0], np.array(cuts, dtype=np.int64), terms[2]])


def rules_of(problem: Problem) -> Rules:
    """The limits and the scale of a problem as kernels read them."""
    kinds = {"fixed": FIXED, "multiplier": MULTIPLIER, "calibrated": CALIBRATED}
    limits, scale = problem.limits, problem.scale
    return Rules(
        max_terms=limits.max_terms,
        max_features=limits.max_features,
        max_cuts=limits.max_cuts_per_feature,
        low=problem.jump_low.astype(np.int64),
        high=problem.jump_high.astype(np.int64),
        kind=kinds[scale.kind],
        multiplier=float(scale.multiplier),
        log_odds_limit=LOG_ODDS_LIMIT,
    )


def all_cuts(problem: Problem) -> BinnedRows:
    """Every row and every candidate cut."""
    data = problem.data
    rows = Rows(data.codes, data.n_cuts, (data.labels > 0).astype(np.int8), data.weights)
    return BinnedRows(rows, tuple(np.arange(n) for n in data.n_cuts))


def few_cuts(problem: Problem, max_cuts: int, chosen: NDArray[np.int64] | None) -> BinnedRows:
    """At most ``max_cuts`` cuts a feature, spread evenly over rows; the ``chosen`` rows, or all."""
    data = problem.data
    codes = data.codes if chosen is None else data.codes[:, chosen]
    cuts = tuple(_spread_cuts(codes[f], int(data.n_cuts[f]), max_cuts) for f in range(len(codes)))
    bins = np.empty(codes.shape, dtype=np.int32)
    for f, kept in enumerate(cuts):
        if kept.size == data.n_cuts[f]:
            bins[f] = codes[f]
        else:
            bin_of_code = np.searchsorted(kept, np.arange(data.n_cuts[f] + 1)).astype(np.int32)
            np.take(bin_of_code, codes[f], out=bins[f])
    is_event = (data.labels > 0).astype(np.int8)
    rows = Rows(
        bins,
        np.array([kept.size for kept in cuts], dtype=np.int64),
        is_event if chosen is None else is_event[chosen],
        data.weights if chosen is None else data.weights[chosen],
    )
    return BinnedRows(rows, cuts)


def _spread_cuts(codes: NDArray[np.int32], n_cuts: int, max_cuts: int) -> NDArray[np.int64]:
    """Indices of at most ``max_cuts`` cuts with about as many rows between neighbours."""
    if n_cuts <= max_cuts:
        return np.arange(n_cuts)
    rows_below = np.cumsum(np.bincount(codes, minlength=n_cuts + 1))[:-1]
    wanted = codes.size * np.arange(1, max_cuts + 1) / (max_cuts + 1)
    return np.unique(np.minimum(np.searchsorted(rows_below, wanted), n_cuts - 1))
