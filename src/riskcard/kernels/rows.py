"""What every search kernel reads: the rows as bins, and the rules a card keeps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from riskcard.kernels.jit import inner_kernel
from numpy.typing import NDArray

__all__ = ["CALIBRATED", "FIXED", "MULTIPLIER", "Rows", "Rules", "open_features"]

#: How a score becomes log-odds, as kernels spell it.
FIXED, MULTIPLIER, CALIBRATED = 0, 1, 2


class Rows(NamedTuple):
    """Rows in bins: a row is below cut ``c`` of feature ``f`` iff ``codes[f, row] <= c``."""

    codes: NDArray[np.int32]  # (features, rows)
    n_cuts: NDArray[np.int64]  # (features,)
    is_event: NDArray[np.int8]  # (rows,), 0 or 1
    weights: NDArray[np.float64]  # (rows,)


class Rules(NamedTuple):
    """The limits of a card and its scale."""

    max_terms: int
    max_features: int
    max_cuts: int  # on one feature
    low: NDArray[np.int64]  # (features,), smallest jump
    high: NDArray[np.int64]  # (features,), largest jump
    kind: int  # FIXED, MULTIPLIER or CALIBRATED
    multiplier: float  # when the kind is FIXED
    log_odds_limit: float  # of one term, unless the kind is FIXED


@inner_kernel
def open_features(rules, n_cuts, features, n_terms, skip):
    """Whether each feature may take one more cut beside the terms other than ``skip``."""
    used = np.zeros(n_cuts.size, dtype=np.int64)
    distinct = 0
    for term in range(n_terms):
        if term != skip:
            if used[features[term]] == 0:
                distinct += 1
            used[features[term]] += 1
    is_open = np.zeros(n_cuts.size, dtype=np.bool_)
    for f in range(n_cuts.size):
        room = used[f] < rules.max_cuts and (used[f] > 0 or distinct < rules.max_features)
        is_open[f] = room and n_cuts[f] > 0 and rules.low[f] < rules.high[f]
    return is_open
