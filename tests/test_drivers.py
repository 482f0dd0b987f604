"""Paying terms, few changes and complete pools against brute force on tiny problems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from oracle import enumerate_cards as oracle
from random_problems import SCALES, random_problem
from random_tables import random_ruled_problem
from riskcard.data.table import make_table
from riskcard.encoding.rank_table import rank_table
from riskcard.errors import ParameterError
from riskcard.problem.objective import loss_of, violations
from riskcard.problem.problem import Limits, Problem, Scale, make_problem
from riskcard.problem.ranked_data import RankedData
from riskcard.problem.result import SolveResult
from riskcard.problem.solution import Solution
from riskcard.search.drivers.round_cuts import round_cuts
from riskcard.search.drivers.solve_max_changes import tangent_of_scale
from riskcard.search.drivers.solve_plain import _any_card
from riskcard.search.options import Options
from riskcard.search.plan import PLAN
from riskcard.search.solve import solve
from riskcard.status import OPTIMALITY_TOLERANCE, Status, relative_gap

TOLERANCE = 1e-7
BLOCK = 20


def problem_of(seed: int, scale: Scale | None = None) -> Problem:
    """A plain problem for even seeds, one with missing values, levels and rules for odd ones."""
    if seed % 2:
        made = random_ruled_problem(seed, scale)
        if made is not None:
            return made[0]
    return random_problem(seed, scale)


def with_terms(problem: Problem, size: int) -> Problem:
    limits = problem.limits
    return replace(
        problem,
        limits=Limits(size, min(limits.max_features, size), limits.max_cuts_per_feature),
    )


# --- required features ---------------------------------------------------------------------------


def test_where_the_search_finds_no_card_the_first_that_is_allowed_has_every_required_feature():
    n_found = 0
    for seed in range(1, 200, 2):
        problem = problem_of(seed, Scale("calibrated"))
        must_use = np.flatnonzero(problem.restrictions.must_use)
        cards = _any_card(problem, PLAN)
        assert must_use.size or not cards
        for card in cards:
            features = problem.data.feature_of[[v for v, *_ in card.terms]]
            assert sorted(features) == must_use.tolist()
            assert not violations(card, problem)
        n_found += len(cards)
    assert n_found > 5


# --- terms that pay -----------------------------------------------------------------------------


def lowest_price(problem: Problem, charge: float) -> float:
    prices = []
    for size in range(problem.limits.max_terms + 1):
        if size == 0:
            empty = oracle._empty_card(problem, oracle._merge_rows(problem))
            if not violations(empty, problem):
                prices.append(loss_of(empty, problem))
            continue
        try:
            prices.append(oracle.enumerate_cards(with_terms(problem, size)).loss + charge * size)
        except ParameterError:
            continue
    return min(prices)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_the_card_of_the_lowest_price_is_found_and_proven(block):
    wrong = {}
    for seed in range(5000 + block * BLOCK, 5000 + (block + 1) * BLOCK):
        problem, charge = problem_of(seed), float([0.1, 0.5, 2.0][seed % 3])
        lowest = lowest_price(problem, charge)
        result = solve(problem, Options(certify=True, min_gain=charge, random_state=seed))
        price, bound = result.loss + charge * len(result.solution.terms), result.bound
        found = violations(result.solution, problem)
        if result.status is not Status.OPTIMAL or abs(price - lowest) > TOLERANCE * lowest:
            found.append(f"{result.status} at the price {price}, the lowest is {lowest}")
        if bound > lowest * (1 + TOLERANCE):
            found.append(f"bound {bound} above the lowest price {lowest}")
        if relative_gap(price, bound) > OPTIMALITY_TOLERANCE or result.objective != price:
            found.append(f"bound {bound} of the price {price}, stated as {result.objective}")
        if found:
            wrong[seed] = found
    assert wrong == {}


@pytest.mark.slow
@pytest.mark.parametrize("charge", [0.1, 0.5, 2.0])
def test_a_gap_that_is_reached_is_the_gap_of_what_is_proven(charge):
    for seed in range(5200, 5240):
        problem, gap = problem_of(seed), float([0.02, 0.1, 0.3, 0.6][seed % 4])
        options = Options(certify=True, min_gain=charge, gap=gap, random_state=seed)
        result = solve(problem, options)
        assert result.status in (Status.OPTIMAL, Status.GAP_REACHED), seed
        assert relative_gap(result.objective, result.bound) <= gap, seed
        assert result.bound <= lowest_price(problem, charge) * (1 + TOLERANCE), seed


@pytest.mark.parametrize("charge", [0.0, 0.5])
def test_a_proof_cut_short_does_not_say_that_its_gap_was_reached(charge):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    data, _ = rank_table(make_table(X, X[:, 0] + rng.normal(size=150) > 0))
    options = Options(certify=True, min_gain=charge, gap=0.05, node_limit=1, time_limit=None)
    result = solve(make_problem(data, 4), options)
    assert result.status is Status.NODE_LIMIT
    assert result.gap > 0.05


def test_a_term_that_does_not_pay_stays_out():
    problem = random_problem(8, Scale("calibrated"))
    sizes = [
        len(solve(problem, Options(min_gain=charge)).solution.terms) for charge in (1e-6, 0.5, 1e6)
    ]
    assert sizes[0] >= sizes[1] >= sizes[2] == 0


# --- few changes --------------------------------------------------------------------------------


def best_with_few_changes(problem: Problem, start: set, n_changes: int, multiplier: float) -> float:
    """By looking at every card and every base in reach, for a given multiplier."""
    cells, best = oracle._merge_rows(problem), np.inf
    empty = oracle._empty_card(problem, cells)
    if len(start) <= n_changes and not violations(empty, problem):
        best = loss_of(empty, problem)
    for cards, scores in oracle._batches(problem, cells):
        for card, score in zip(cards, scores, strict=True):
            n_out, n_in = len(start - set(card)), len(set(card) - start)
            if max(n_out, n_in) <= n_changes:
                batch = oracle._distinct(problem, [card], score[None, :])
                found = oracle._best_fixed(problem, cells, batch, best)
                if found is not None:
                    best = loss_of(Solution.of(card, found[1], multiplier), problem)
    return best


@pytest.mark.parametrize("seed", range(6000, 6060))
def test_few_changes_give_the_best_card_that_differs_in_at_most_that_many_terms(seed):
    scale = SCALES[seed % 3]
    problem = problem_of(seed, scale)
    rng = np.random.default_rng(seed)
    start = _random_terms(problem, rng)
    options = Options(certify=True, start=tuple(start), max_changes=int(rng.integers(0, 3)))
    lowest = best_with_few_changes(problem, set(start), options.max_changes, scale.multiplier)
    if lowest == np.inf:
        with pytest.raises(ParameterError):
            solve(problem, options)
        return
    result = solve(problem, options)
    assert violations(result.solution, problem) == []
    changed = set(result.solution.terms)
    assert len(set(start) - changed) <= options.max_changes
    assert len(changed - set(start)) <= options.max_changes
    assert result.loss == pytest.approx(lowest, rel=TOLERANCE)
    assert result.status is Status.OPTIMAL
    assert lowest * (1 - 1e-5) <= result.bound <= lowest * (1 + TOLERANCE)


def _random_terms(problem: Problem, rng: np.random.Generator) -> list[tuple[int, int, int]]:
    """Terms of a random allowed set, with random jumps; perhaps none."""
    sets = list(oracle._allowed_term_sets(replace_must(problem)))
    if not sets:
        return []
    chosen = sets[rng.integers(len(sets))]
    terms = []
    for column, cut in chosen:
        jumps = [j for j in range(problem.jump_low[column], problem.jump_high[column] + 1) if j]
        terms.append((int(column), int(cut), int(rng.choice(jumps))))
    return terms


def replace_must(problem: Problem) -> Problem:
    """The problem without features that must be used: a start need not have them."""
    free = replace(problem.restrictions, must_use=np.zeros_like(problem.restrictions.must_use))
    return replace(problem, restrictions=free)


# --- pools --------------------------------------------------------------------------------------


def choices_within(problem: Problem, most: float, charge: float) -> dict[tuple, float]:
    """Every set of conditions with its lowest loss, if that and its charge are within the limit."""
    cells, found = oracle._merge_rows(problem), {}
    empty = oracle._empty_card(problem, cells)
    if not violations(empty, problem) and loss_of(empty, problem) <= most:
        found[()] = loss_of(empty, problem)
    choose = {"fixed": oracle._best_fixed, "calibrated": oracle._best_calibrated}.get(
        problem.scale.kind, oracle._best_multiplier
    )
    for chosen in oracle._allowed_term_sets(problem):
        jumps = oracle._jump_vectors(problem, tuple(v for v, _ in chosen))
        holds = np.array([cells.codes[v] <= c for v, c in chosen], dtype=np.int64)
        cards = [
            [(v, c, jump) for (v, c), jump in zip(chosen, vector, strict=True)]
            for vector in jumps.tolist()
        ]
        batch = oracle._distinct(problem, cards, jumps @ holds)
        best = choose(problem, cells, batch, np.inf)
        if best is not None:
            row, base, multiplier, offset = best
            loss = loss_of(Solution.of(cards[batch.cards[row]], base, multiplier, offset), problem)
            if loss + charge * len(chosen) <= most:
                found[tuple(sorted(chosen))] = loss
    return found


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(7000, 7060))
def test_a_complete_pool_has_every_choice_of_conditions_within_the_loss(seed):
    problem = problem_of(seed)
    tolerance, charge = [0.0, 0.02, 0.1][seed % 3], [0.0, 0.0, 0.3, 1.0][seed % 4]
    options = Options(True, min_gain=charge, pool_tolerance=tolerance, pool_size=10**6)
    result = solve(problem, replace(options, random_state=seed))
    pool, most = result.pool, result.objective * (1 + tolerance)
    assert pool.is_complete
    assert pool.most_price == most
    # choices at the very limit may fall on either side of it by rounding
    surely = set(choices_within(problem, most * (1 - 1e-7), charge))
    perhaps = choices_within(problem, most * (1 + 1e-7), charge)
    found = {
        tuple(zip(card.features, card.cuts, strict=True)): loss
        for card, loss in zip(pool.cards, pool.losses, strict=True)
    }
    assert surely <= set(found) <= set(perhaps)
    for choice, loss in found.items():
        assert loss == pytest.approx(perhaps[choice], rel=TOLERANCE)


@pytest.mark.parametrize(("kind", "is_complete"), [("calibrated", True), ("multiplier", False)])
def test_a_pool_lacks_no_choice_within_the_loss_if_it_is_called_complete(kind, is_complete):
    # the second feature tells nothing: its cards are the better the larger their multiplier
    codes = np.array([[0, 0, 1, 1] * 2, [0, 1] * 4], dtype=np.int32)
    labels = np.array([1, 1, -1, -1, -1, -1, 1, 1], dtype=np.int8)
    data = RankedData(codes, np.array([1, 1]), labels, np.array([1.0] * 4 + [0.5] * 4))
    limits, points = Limits(1, 1, 1), np.array([2, 2])
    problem = Problem(data, limits, Scale(kind), -points, points)
    pool = solve(problem, Options(True, pool_tolerance=0.5)).pool
    tiny = Solution.of([(1, 0, 1)], multiplier=1e9)
    assert not violations(tiny, problem)
    assert loss_of(tiny, problem) < pool.most_price
    assert (1 in {f for card in pool.cards for f in card.features}) is is_complete
    assert pool.is_complete is is_complete


def test_a_pool_that_is_cut_off_says_so():
    problem = random_problem(20, Scale("calibrated"))
    whole = solve(problem, Options(certify=True, pool_tolerance=0.2, pool_size=10**6)).pool
    part = solve(problem, Options(certify=True, pool_tolerance=0.2, pool_size=2)).pool
    assert whole.is_complete
    assert len(whole.cards) > 2
    assert not part.is_complete
    assert (len(part.cards), part.n_found) == (2, len(whole.cards))
    # so large that no machine is done with it before it looks at the clock
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 40, (6, 400)).astype(np.int32)
    large = Problem(
        data=RankedData(
            codes, np.full(6, 39), rng.choice([-1, 1], 400).astype(np.int8), np.ones(400)
        ),
        limits=Limits(4, 4, 4),
        scale=Scale("calibrated"),
        jump_low=np.full(6, -5),
        jump_high=np.full(6, 5),
    )
    stopped = solve(large, Options(certify=True, pool_tolerance=0.2, time_limit=0.0)).pool
    assert not stopped.is_complete


def test_cards_of_different_features_come_first_in_a_pool():
    problem = random_problem(20, Scale("calibrated"))
    pool = solve(problem, Options(pool_tolerance=0.5, pool_size=50)).pool
    features = [frozenset(card.features) for card in pool.cards]
    n_kinds = len(set(features))
    assert len(set(features[:n_kinds])) == n_kinds
    assert list(pool.losses[:n_kinds]) == sorted(pool.losses[:n_kinds])


@pytest.mark.parametrize("limit", [3.0, 2.999, 1.0000001, 30.0])
def test_cards_that_may_not_change_are_bounded_whatever_the_fit_of_their_scale(limit):
    # the fit of the scale once got stuck just below a limit
    for counts in ([[18, 10], [0, 6], [0, 1]], [[90, 13], [17, 31]]):
        scores = np.repeat(np.arange(len(counts)), [sum(pair) for pair in counts])
        labels = np.concatenate([[0] * against + [1] * event for against, event in counts])
        X = np.column_stack([scores > place for place in range(len(counts) - 1)]).astype(float)
        data, _ = rank_table(make_table(X, labels))
        problem = make_problem(data, max_terms=len(counts) - 1, max_log_odds=limit)
        start = tuple((column, 0, -1) for column in range(len(counts) - 1))
        result = solve(problem, Options(certify=True, start=start, max_changes=0))

        def loss(point, signs=2 * labels - 1, scores=scores):
            return float(np.logaddexp(0, -signs * (point[0] * scores + point[1])).sum())

        best = minimize(loss, [1.0, 0.0], method="L-BFGS-B", bounds=[(0, limit), (None, None)])
        assert result.status is Status.OPTIMAL
        assert result.loss <= best.fun * (1 + 1e-7)
        assert result.bound <= best.fun * (1 + 1e-7)


@pytest.mark.parametrize("seed", range(6100, 6160))
def test_the_bound_of_a_scale_is_below_the_loss_of_any_other(seed):
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(["calibrated", "multiplier"]))
    problem = problem_of(seed, Scale(kind, limit=float(np.exp(rng.uniform(-2, 3)))))
    terms = _random_terms(problem, rng)
    if not terms:
        return
    largest = max(abs(jump) for _, _, jump in terms)
    steepest = problem.scale.limit / largest

    def card():
        return Solution.of(terms, 0, 1 / (steepest * rng.uniform(1e-6, 1)), rng.normal(0, 3))

    others = [loss_of(card(), problem) for _ in range(300)]
    for _ in range(5):
        assert tangent_of_scale(card(), problem) <= min(others)


# --- rounder cuts -------------------------------------------------------------------------------


def test_a_cut_is_not_rounded_onto_that_of_another_term():
    codes = np.array([[0, 0, 1, 1, 2, 2, 3, 3]], dtype=np.int32)
    labels = np.array([-1, -1, 1, -1, 1, -1, 1, 1], dtype=np.int8)
    problem = make_problem(RankedData(codes, np.array([3]), labels, np.ones(8)), max_terms=2)
    card = Solution.of([(0, 0, -2), (0, 1, -1)], 0, 1.0, 1.0)
    before = SolveResult(card, loss_of(card, problem), 0.0, Status.HEURISTIC)
    numbers = [1.11, 2.0, 3.33]
    rounded = round_cuts(before, problem, lambda column, cut: numbers[cut], 10.0)
    assert rounded.solution == card  # the only rounder number is taken
    numbers[2] = 3.3
    rounded = round_cuts(before, problem, lambda column, cut: numbers[cut], 10.0)
    assert rounded.solution.cuts == (1, 2)
