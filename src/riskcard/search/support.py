"""Which conditions to use: a search over sets of terms with real-valued points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.kernels.rows import Rows, Rules
from riskcard.kernels.support import descend_support
from riskcard.search.effort import Deadline, Effort

__all__ = ["Support", "search_supports", "start_support"]


@dataclass(frozen=True, slots=True)
class Support:
    """A set of conditions and the least loss that real-valued points reach with them."""

    features: NDArray[np.int64]
    cuts: NDArray[np.int64]
    loss: float

    @property
    def key(self) -> tuple[tuple[int, int], ...]:
        """The conditions in order: equal for equal sets."""
        return tuple(sorted(zip(self.features.tolist(), self.cuts.tolist(), strict=True)))


def start_support(rows: Rows, rules: Rules, n_tries: int) -> Support:
    """Grow a set of conditions from nothing and descend."""
    return _descend(rows, rules, None, n_tries, 10 * rules.max_terms)[0]


def search_supports(
    rows: Rows,
    rules: Rules,
    start: Support,
    effort: Effort,
    rng: np.random.Generator,
    deadline: Deadline,
) -> list[Support]:
    """Kick the best set and descend again, as long as steps are left; all local optima, best first."""
    best, used = start, 0
    found = {start.key: start}
    while used < effort.support_steps and start.features.size > 0 and not deadline.is_over():
        kicked = _kick(best, rows, rules, rng)
        reached, steps = _descend(rows, rules, kicked, effort.n_tries, 10 * rules.max_terms)
        used += max(steps, 1)
        found.setdefault(reached.key, reached)
        if reached.loss < best.loss:
            best = reached
    return sorted(found.values(), key=lambda support: (support.loss, support.key))


def _descend(
    rows: Rows, rules: Rules, start: Support | None, n_tries: int, max_steps: int
) -> tuple[Support, int]:
    features = np.zeros(rules.max_terms, dtype=np.int64)
    cuts = np.zeros(rules.max_terms, dtype=np.int64)
    n_terms = 0 if start is None else start.features.size
    if start is not None:
        features[:n_terms] = start.features
        cuts[:n_terms] = start.cuts
    n_terms, loss, steps = descend_support(
        rows, rules, features, cuts, n_terms, n_tries, max_steps
    )
    return Support(features[:n_terms].copy(), cuts[:n_terms].copy(), float(loss)), steps


def _kick(support: Support, rows: Rows, rules: Rules, rng: np.random.Generator) -> Support:
    """Put random conditions in the place of some terms.

    They come last: the descent first fits the other terms to them, which is what leads away.
    """
    size = support.features.size
    order = rng.permutation(size)
    features, cuts = support.features[order], support.cuts[order]
    n_out = int(rng.integers(1, max(2, min(4, size))))
    for slot in range(size - n_out, size):
        usable = np.flatnonzero((rows.n_cuts > 0) & (rules.low < rules.high))
        f = int(rng.choice(usable))
        features[slot], cuts[slot] = f, rng.integers(rows.n_cuts[f])
    return Support(features, cuts, np.inf)
