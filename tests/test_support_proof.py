"""The proof for few conditions against enumeration, and each of its claims by itself."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from numba import njit
from scipy.special import entr, expit

import riskcard.kernels.proof.supports.records as at
import riskcard.search.proof.support_tree as support_tree
from oracle.enumerate_cards import enumerate_cards
from random_problems import SCALES, random_problem
from random_tables import random_ruled_problem
from riskcard.data.table import make_table
from riskcard.encoding.rank_table import rank_table
from riskcard.kernels.proof.rounding import ROUNDING, ROUNDING_PER_ROW
from riskcard.kernels.proof.supports.family_bound import (
    NEAR_END,
    SHORT_WAY,
    change_of_entropy,
    family_bound,
)
from riskcard.kernels.proof.supports.records import Family
from riskcard.logistic import log_loss
from riskcard.problem.objective import loss_of, violations
from riskcard.problem.problem import Limits, Problem, Scale, make_problem
from riskcard.problem.ranked_data import RankedData
from riskcard.search.empty_card import best_empty_card
from riskcard.search.proof.chains import Chains, arrange_chains
from riskcard.search.proof.support_tree import (
    _Families,
    prove_by_supports,
    suits_supports,
)
from riskcard.search.proof.tree import Stops, prove
from riskcard.search.solve import Options, solve
from riskcard.status import Status

TOLERANCE = 1e-7
FREE_SCALES = [scale for scale in SCALES if scale.kind != "fixed"]


def free_problem(seed: int) -> Problem:
    return random_problem(seed, FREE_SCALES[seed % len(FREE_SCALES)])


def faults(problem: Problem) -> list[str]:
    """Everything that is wrong with a proof from the empty card, whole and cut short."""
    optimum = enumerate_cards(problem).loss
    start = best_empty_card(problem)
    proof = prove_by_supports(problem, start, Stops())
    found = violations(proof.solution, problem)
    if proof.status is not Status.OPTIMAL:
        found.append(f"status {proof.status}")
    if abs(proof.loss - optimum) > TOLERANCE * optimum:
        found.append(f"loss {proof.loss}, the optimum is {optimum}")
    if abs(proof.loss - loss_of(proof.solution, problem)) > 1e-12 * optimum:
        found.append("the loss is not that of the card")
    stops = Stops(node_limit=1), Stops(node_limit=7), Stops(gap=0.2), Stops(deadline=0.0)
    for bound in [proof.bound] + [prove_by_supports(problem, start, one).bound for one in stops]:
        if not 0.0 <= bound <= optimum * (1 + TOLERANCE):
            found.append(f"bound {bound}, the optimum is {optimum}")
    return found


@pytest.mark.parametrize("seed", range(20))
def test_a_proof_ends_at_the_optimum(seed):
    assert faults(free_problem(seed)) == []


@pytest.mark.slow
@pytest.mark.parametrize("block", range(8))
def test_proofs_end_at_the_optimum(block):
    seeds = range(5000 + 40 * block, 5000 + 40 * (block + 1))
    assert {seed: found for seed in seeds if (found := faults(free_problem(seed)))} == {}


@pytest.mark.slow
@pytest.mark.parametrize("block", range(5))
def test_proofs_with_missing_values_and_levels_end_at_the_optimum(block):
    tried = 0
    for seed in range(7000 + 60 * block, 7000 + 60 * (block + 1)):
        made = random_ruled_problem(seed)
        if made is None or not suits_supports(made[0]):
            continue
        tried += 1
        assert faults(made[0]) == [], seed
    assert tried >= 3


@pytest.mark.slow
def test_lower_bounds_proven_on_the_side_are_valid(monkeypatch):
    monkeypatch.setattr(support_tree, "WORK_ALONE", 0.0)
    monkeypatch.setattr(support_tree, "WORK_A_ROUND", 1.0)
    monkeypatch.setattr(support_tree, "PART_OF_WORK", 10.0)
    for seed in range(6000, 6040):
        assert faults(free_problem(seed)) == [], seed


def chains_of(seed: int) -> tuple[Problem, Chains]:
    for more in itertools.count():
        problem = free_problem(seed + 1000 * more)
        chains = arrange_chains(problem)
        if chains is not None:
            return problem, chains
    raise AssertionError


def holds_of(chains: Chains) -> np.ndarray:
    """(conditions, rows) where each condition holds."""
    return chains.holds(np.arange(chains.family.chain_of.size))


def chains_with_groups(seed: int) -> tuple[Problem, Chains]:
    """Those of a problem that has a feature with several chains: levels, or missing values."""
    for more in itertools.count():
        made = random_ruled_problem(seed + 1000 * more, Scale("calibrated"))
        chains = None if made is None else arrange_chains(made[0])
        if made is not None and chains is not None:
            family = chains.family
            if family.group_of.size > family.codes.shape[0] and family.chain_of.size < 16:
                return made[0], chains
    raise AssertionError


CHAINS = pytest.mark.parametrize("make", [chains_of, chains_with_groups])


@CHAINS
@pytest.mark.parametrize("seed", range(20))
def test_conditions_in_chains_hold_where_those_of_the_problem_do(make, seed):
    problem, chains = make(seed)
    data, family = problem.data, chains.family
    # every row of the problem is one of the merged rows; weights are kept but for rounding
    for label, weights in zip((1, -1), family.weights, strict=True):
        own = data.labels == label
        for c, holds in enumerate(holds_of(chains)):
            original = (data.codes[chains.columns[c]] <= chains.cuts[c]) ^ chains.is_turned[c]
            expected = data.weights[own & original].sum()
            assert weights[holds].sum() == pytest.approx(expected, rel=1e-12, abs=1e-12)
    nested = holds_of(chains)
    for c in range(1, len(nested)):
        if family.chain_of[c] == family.chain_of[c - 1]:
            assert not (nested[c - 1] & ~nested[c]).any()


@CHAINS
def test_families_are_of_one_type_so_that_kernels_are_compiled_once(make):
    kinds = {
        tuple((part.dtype, part.flags.c_contiguous) for part in make(seed)[1].family[:-1])
        for seed in range(40)
    }
    assert len(kinds) == 1
    assert all(is_contiguous for _, is_contiguous in kinds.pop())


def random_node(rng: np.random.Generator, chains: Chains) -> tuple[np.ndarray, np.ndarray]:
    """Slots and terms: every sign of every condition in a random slot, or in none."""
    family = chains.family
    n, most = family.chain_of.size, family.max_terms
    slots = rng.integers(-1, most, (2, n)).astype(np.int8)
    slots[at.RISING][family.ends[at.MOST] == 0] = at.NOWHERE
    slots[at.FALLING][family.ends[at.LEAST] == 0] = at.NOWHERE
    terms = rng.integers(0, most + 1, most).astype(np.int8)
    return slots, terms


def random_coefficients(
    rng: np.random.Generator,
    chains: Chains,
    slots: np.ndarray,
    terms: np.ndarray,
    shares: tuple[float, ...] = (0.1, 0.5, 1.0),
) -> np.ndarray:
    """Real coefficients of a card of the node: at most as many of a slot as it has terms."""
    family = chains.family
    theta = np.zeros(family.chain_of.size)
    for slot, most in enumerate(terms):
        signed = np.argwhere(slots == slot)
        for sign, c in rng.permutation(signed)[:most]:
            end = family.ends[at.MOST if sign == at.RISING else at.LEAST, c]
            theta[c] += end * rng.choice(shares)
    return theta


@njit
def call_family_bound(value, steep, furthest, n_rows, ends, offsets, slots, terms, gradient, gains):
    return family_bound(
        value, steep, furthest, n_rows, ends, offsets, slots, terms, gradient, gains
    )


def bound_of_chances(
    family: Family, slots: np.ndarray, terms: np.ndarray, chances: np.ndarray, holds: np.ndarray
) -> float:
    """The bound that follows from given chances of all rows."""
    events, others = family.weights
    rest = 1.0 - chances
    slopes = others * chances - events * rest
    value = -((events + others) * (chances * np.log(chances) + rest * np.log(rest))).sum()
    gradient = np.append(holds @ slopes, slopes.sum())
    steep = (others * chances + events * rest).sum()
    gains = np.zeros((family.max_terms, family.max_terms))
    return call_family_bound(
        value, steep, 0.0, chances.size, family.ends, family.offsets, slots, terms, gradient, gains
    )


@pytest.mark.parametrize("seed", range(60))
def test_the_bound_from_any_chances_is_below_every_card_of_the_node(seed):
    rng = np.random.default_rng(seed)
    _, chains = chains_of(seed)
    family = chains.family
    slots, terms = random_node(rng, chains)
    holds = holds_of(chains)
    events = family.weights[at.EVENT]
    wide = rng.choice([0.1, 1.0, 5.0])
    for _ in range(10):
        chances = 1 / (1 + np.exp(-rng.normal(chains.rate, wide, events.size)))
        bound = bound_of_chances(family, slots, terms, chances, holds)
        for _ in range(20):
            theta = random_coefficients(rng, chains, slots, terms)
            log_odds = theta @ holds
            labels = np.repeat([1, -1], events.size)
            losses = [
                log_loss(np.tile(log_odds + offset, 2), labels, family.weights.ravel())
                for offset in np.linspace(*family.offsets, 41)
            ]
            assert bound <= min(losses) * (1 + 1e-12)


def least_by_hand(
    family: Family, slots: np.ndarray, terms: np.ndarray, gradient: np.ndarray
) -> float:
    """The least sum of slopes times coefficients that cards of a node have, and of the offset."""
    total = min(gradient[-1] * family.offsets)
    for s, n_terms in enumerate(terms):
        gains = np.zeros(gradient.size - 1)
        for sign, end in ((at.RISING, at.MOST), (at.FALLING, at.LEAST)):
            own = np.where(slots[sign] == s, gradient[:-1] * family.ends[end], 0.0)
            gains = np.minimum(gains, own)
        total += np.sort(gains)[:n_terms].sum()
    return float(total)


@CHAINS
@pytest.mark.parametrize("seed", range(20))
def test_the_bound_of_a_family_is_its_formula_less_the_margin(make, seed):
    """With slopes of 0 the margin alone is left: a part of all that is added up."""
    rng = np.random.default_rng(seed)
    _, chains = make(seed)
    family = chains.family
    slots, terms = random_node(rng, chains)
    gains = np.full((family.max_terms, family.max_terms), -9.0)
    fixed = family.ends, family.offsets, slots, terms
    value, steep, furthest, n_rows = 7.0, 3.0, 2.5, 1000
    for _ in range(5):
        gradient = rng.normal(size=family.chain_of.size + 1)
        found = call_family_bound(value, 0.0, 0.0, 1, *fixed, gradient, gains)
        by_hand = value + least_by_hand(family, slots, terms, gradient)
        assert found == pytest.approx(by_hand, abs=1e-8)
    is_open = slots[at.FALLING] != at.NOWHERE
    longest = np.ptp(family.ends, axis=0)[is_open].max(initial=0.0)
    size = steep * (furthest + np.abs(family.offsets).sum() + terms.size * longest)
    found = call_family_bound(0.0, steep, furthest, n_rows, *fixed, 0.0 * gradient, gains)
    assert found == pytest.approx(-(ROUNDING + ROUNDING_PER_ROW * n_rows) * size, rel=1e-12)
    lower = call_family_bound(1e9, 0.0, 0.0, 0, *fixed, 0.0 * gradient, gains) - 1e9
    assert lower == pytest.approx(-ROUNDING * 1e9, rel=1e-3)


@njit
def call_change_of_entropy(begin, weights, rows):
    return change_of_entropy(begin, weights, rows)


@pytest.mark.parametrize("size", [0.01, 0.5, 20.0])
def test_chances_that_a_step_aims_at_have_at_least_the_entropy_that_is_counted(size):
    """Exactly that, unless the step is short: then up to a small part of its second-order term."""
    rng = np.random.default_rng(0)
    n, begin = 400, 3
    z, x = rng.normal(0, 3, n), rng.normal(0, size, n)
    weights = rng.uniform(0, 2, (2, begin + n))
    events, others = weights[:, begin:]
    p, every = expit(z), events + others
    rows = np.zeros((at.N_ROW_VECTORS, n))
    rows[at.RISK], rows[at.LOG_ODDS], rows[at.CHANGE] = p, z, x
    rows[at.SLOPE], rows[at.CURVE] = others * p - events * (1 - p), every * p * (1 - p)
    fall, moved, total = call_change_of_entropy(begin, weights, rows)
    x = np.clip(x, -NEAR_END / (1 - p), NEAR_END / p)
    way = p * (1 - p) * x
    q = p + way
    assert ((q > 0) & (q < 1)).all()
    assert rows[at.CHANGE] == pytest.approx(others * q - events * (1 - q))
    assert total == pytest.approx((others * q - events * (1 - q)).sum())
    assert moved == pytest.approx((every * np.abs(way) * (1 + np.abs(z))).sum())
    entropy = every @ (entr(q) + entr(1 - q) - entr(p) - entr(1 - p))
    short = np.abs(x) < SHORT_WAY
    spare = SHORT_WAY * (every * p * (1 - p) * x**2 / 2)[short].sum()
    assert -1e-9 <= entropy + fall <= spare + 1e-9


@pytest.mark.parametrize("seed", range(40))
def test_the_bound_at_the_risks_of_a_good_card_is_below_every_card(seed):
    """Steps are short, so that the best cards have the largest: there the bound is nearly tight."""
    rng = np.random.default_rng(seed)
    problem = random_problem(seed, Scale("calibrated", limit=0.05))
    chains = arrange_chains(problem)
    assert chains is not None
    family = chains.family
    slots, terms = random_node(rng, chains)
    holds = holds_of(chains)
    events = family.weights[at.EVENT]
    labels, offsets = np.repeat([1, -1], events.size), np.linspace(-1, 1, 401) + chains.rate
    losses, log_odds = [], []
    for _ in range(40):
        theta = random_coefficients(rng, chains, slots, terms, shares=(1.0,))
        trials = [theta @ holds + offset for offset in offsets]
        own = [log_loss(np.tile(z, 2), labels, family.weights.ravel()) for z in trials]
        losses.append(min(own))
        log_odds.append(trials[int(np.argmin(own))])
    chances = 1 / (1 + np.exp(-log_odds[int(np.argmin(losses))]))
    assert bound_of_chances(family, slots, terms, chances, holds) <= min(losses) * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_every_open_node_is_below_the_optimum_of_its_conditions(seed):
    rng = np.random.default_rng(seed)
    problem, chains = chains_of(seed + 300)
    families = _Families(chains)
    cutoff = loss_of(best_empty_card(problem), problem) * 0.95
    holds = holds_of(chains)
    labels = np.repeat([1, -1], chains.family.weights.shape[1])
    for _ in range(30):
        families.run(cutoff, math.inf, 1.0)
        for node in range(int(families.counts[at.N_OPEN])):
            slots, terms = families.stack.slots[node], families.stack.terms[node]
            theta = random_coefficients(rng, chains, slots, terms)
            losses = [
                log_loss(np.tile(theta @ holds + offset, 2), labels, chains.family.weights.ravel())
                for offset in np.linspace(*chains.family.offsets, 41)
            ]
            assert families.stack.bounds[node] <= min(losses) * (1 + 1e-12)


@CHAINS
@pytest.mark.parametrize("seed", range(20))
def test_no_set_of_conditions_gets_lost(make, seed):
    """Without a cutoff nothing is closed: the leaves have all sets of conditions."""
    _, chains = make(seed + 600)
    family = chains.family
    n, k = family.chain_of.size, min(family.max_terms, family.chain_of.size)
    families, found = _Families(chains), set()
    while not families.is_done:
        leaves = families.run(math.inf, math.inf, math.inf)
        for leaf in range(int(families.counts[at.N_LEAVES])):
            slots = leaves.slots[leaf]
            found.add(frozenset(np.flatnonzero((slots != at.NOWHERE).any(axis=0)).tolist()))
    usable = np.flatnonzero(family.ends[at.MOST] > family.ends[at.LEAST]).tolist()
    assert make is chains_with_groups or len(usable) == n
    assert {frozenset(one) for one in itertools.combinations(usable, k)} <= found


@pytest.mark.parametrize("seed", range(4))
def test_conditions_of_the_basis_say_what_all_of_a_group_say(seed):
    _, chains = chains_with_groups(seed)
    family, holds = chains.family, holds_of(chains).astype(float)
    for group in range(family.codes.shape[0]):
        own = family.group_of[family.chain_of] == group
        basis = holds[own & (family.is_basis == 1)]
        constant = np.ones((1, holds.shape[1]))
        spanned = np.linalg.matrix_rank(np.concatenate([constant, basis]))
        assert spanned == 1 + len(basis)
        assert np.linalg.matrix_rank(np.concatenate([constant, holds[own]])) == spanned


def many_conditions(n_rows: int, n_features: int, max_terms: int) -> Problem:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_features)).round(2)
    y = X[:, 0] - X[:, 1] + rng.normal(size=n_rows) > 0
    data, _ = rank_table(make_table(X, y), 80)
    return make_problem(data, max_terms, scale="calibrated")


@pytest.mark.parametrize("terms", [1, 2])
def test_with_many_conditions_both_proofs_end_at_the_same_loss(terms):
    """More than are solved at once: conjugate gradients lead to the bound."""
    problem = many_conditions(400, 3, terms)
    start = best_empty_card(problem)
    one, other = prove_by_supports(problem, start, Stops()), prove(problem, start, Stops())
    assert one.status is other.status is Status.OPTIMAL
    assert one.loss == pytest.approx(other.loss, rel=1e-6)


def test_long_columns_are_left_to_hulls_where_there_are_few_features_or_rows():
    assert not suits_supports(many_conditions(9000, 11, 3))
    assert suits_supports(many_conditions(9000, 12, 3))
    assert not suits_supports(many_conditions(900, 12, 3))
    assert not suits_supports(many_conditions(19000, 40, 3))


def test_what_it_is_for():
    problem = replace(random_problem(0, Scale("calibrated")), limits=Limits(3, 3, 3))
    data = problem.data
    assert suits_supports(problem)
    assert not suits_supports(replace(problem, scale=Scale("fixed", 1.0)))
    assert not suits_supports(replace(problem, limits=Limits(13, 13, 13)))
    assert not suits_supports(replace(problem, kept=((0, 0, 1),)))
    assert not suits_supports(replace(problem, limits=Limits(3, 1, 3)))
    rules = replace(problem.restrictions, must_use=np.ones(data.n_features, dtype=bool))
    assert not suits_supports(replace(problem, restrictions=rules))


def test_many_conditions_that_explain_nearly_everything_are_left_to_hulls(monkeypatch):
    labels = np.repeat([-1, 1], 20).astype(np.int8)
    codes = np.stack([labels > 0, np.arange(40) % 2 > 0]).astype(np.int32)
    codes[0, 0] = 1  # not quite separated
    data = RankedData(codes, np.array([1, 1]), labels, np.ones(40))
    problem = make_problem(data, 2)
    empty, good = best_empty_card(problem), solve(problem).solution
    assert support_tree.suits_card(problem, good)
    monkeypatch.setattr(support_tree, "MANY_CONDITIONS", 1)
    assert problem.n_conditions == 2
    assert support_tree.suits_card(problem, empty)
    assert not support_tree.suits_card(problem, good)


def test_a_proof_of_few_conditions_is_the_same_with_any_number_of_threads():
    problem = free_problem(11)
    results = [solve(problem, Options(certify=True, n_jobs=jobs)) for jobs in (1, 2)]
    assert results[0].solution == results[1].solution
    assert results[0].nodes == results[1].nodes
