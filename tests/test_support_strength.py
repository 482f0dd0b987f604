"""The proof for few conditions closes what is above a cutoff, and nothing below it.

Real coefficients within their ends, and any real offset, are what its regressions allow. So the best
set of conditions under these is a sharp test of its bounds: they come as near to its loss as the
nodes get small.
"""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pytest
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

import riskcard.kernels.proof.supports.records as at
from random_problems import KINDS_OF_WEIGHTS, random_labels, random_weights
from riskcard.data.table import Table
from riskcard.encoding.rank_table import rank_table
from riskcard.problem.problem import Limits, Problem
from riskcard.search.proof.chains import Chains, arrange_chains
from riskcard.search.proof.support_tree import _Families
from test_support_proof import FREE_SCALES, free_problem, holds_of

#: All sets of conditions are tried, so they must be few.
MOST_SETS = 60
NUMBER = 40
#: This many of them have enough rows that those of a node are merged.
LONG = 12


def long_problem(seed: int) -> Problem:
    """Five features with three values each: 10 conditions, and more rows than the other problems have."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3, (200, 5)).astype(float)
    labels = random_labels(rng, values, ("signal", "random")[seed % 2])
    weights = random_weights(rng, 200, KINDS_OF_WEIGHTS[seed % 3])
    data, _ = rank_table(Table(values, tuple("abcde"), labels, weights, (0, 1)))
    highest = np.full(5, 3)
    return Problem(data, Limits(3, 3, 3), FREE_SCALES[seed % 4], -highest, highest)


@cache
def small_families() -> tuple[Chains, ...]:
    found = [arrange_chains(long_problem(seed)) for seed in range(LONG)]
    for seed in itertools.count(20_000):
        chains = arrange_chains(free_problem(seed))
        if chains is not None:
            n, k = chains.family.chain_of.size, chains.family.max_terms
            found += [chains] if k < n and 10 <= math.comb(n, k) <= MOST_SETS else []
        if len(found) == NUMBER:
            return tuple(one for one in found if one is not None)
    raise AssertionError


def least_loss(chains: Chains, holds: np.ndarray, conditions: tuple[int, ...]) -> float:
    """The least loss of a regression on some conditions, each within its ends."""
    family, chosen = chains.family, list(conditions)
    design = np.vstack([holds[chosen], np.ones(family.codes.shape[1])])
    events, others = family.weights

    def loss_and_slopes(theta):
        log_odds = theta @ design
        risks = 1 / (1 + np.exp(-log_odds))
        loss = events @ np.logaddexp(0, -log_odds) + others @ np.logaddexp(0, log_odds)
        return loss, design @ (others * risks - events * (1 - risks))

    ends = [*family.ends[:, chosen].T, family.offsets]
    start = np.append(np.zeros(len(chosen)), chains.rate)
    options = {"ftol": 1e-12, "gtol": 1e-8}
    found = minimize(loss_and_slopes, start, jac=True, bounds=ends, options=options)
    return float(found.fun)


@cache
def best_set(place: int) -> tuple[frozenset[int], float]:
    chains = small_families()[place]
    holds, n = holds_of(chains), chains.family.chain_of.size
    sets = itertools.combinations(range(n), chains.family.max_terms)
    with threadpool_limits(1):  # threads of the linear algebra would wait for each other
        losses = {frozenset(one): least_loss(chains, holds, one) for one in sets}
    best = min(losses, key=losses.__getitem__)
    return best, losses[best]


def explored(chains: Chains, cutoff: float) -> tuple[set[frozenset[int]], int]:
    """The sets of conditions that are left with a cutoff, and the nodes that were looked at."""
    families, found = _Families(chains), set()
    while not families.is_done:
        leaves = families.run(cutoff, math.inf, math.inf)
        for leaf in range(int(families.counts[at.N_LEAVES])):
            is_used = (leaves.slots[leaf] != at.NOWHERE).any(axis=0)
            assert is_used.any()
            found.add(frozenset(np.flatnonzero(is_used).tolist()))
    return found, int(families.counts[at.N_NODES])


@pytest.mark.parametrize("place", range(NUMBER))
def test_the_best_set_is_left_where_the_cutoff_is_just_above_its_loss(place):
    best, loss = best_set(place)
    found, _ = explored(small_families()[place], loss * (1 + 1e-7))
    assert any(best <= one for one in found)


def test_few_nodes_are_needed_where_the_cutoff_is_just_below_the_loss_of_the_best_set():
    """Bounds that do not get near the least loss of a regression would need more."""
    losses = [best_set(place)[1] for place in range(NUMBER)]
    runs = zip(small_families(), losses, strict=True)
    nodes = [explored(chains, loss * (1 - 1e-4))[1] for chains, loss in runs]
    assert sum(nodes) <= 990, nodes
