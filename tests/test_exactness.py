"""The proof against the oracle: on random tiny problems the certified optimum is the optimum."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from oracle.enumerate_cards import enumerate_cards
from random_problems import SCALES, random_problem, tiny_problems
from riskcard.problem.objective import loss_of, violations
from riskcard.problem.problem import Problem
from riskcard.search.solve import Options, solve
from riskcard.status import OPTIMALITY_TOLERANCE, Status

#: The oracle's own precision, with room.
TOLERANCE = 1e-7
BLOCK = 30


def faults(problem: Problem, options: Options) -> list[str]:
    """Everything that is wrong with the certified answer to a problem."""
    optimum = enumerate_cards(problem).loss
    result = solve(problem, options)
    found = violations(result.solution, problem)
    stated = loss_of(result.solution, problem)
    if abs(result.loss - stated) > TOLERANCE * stated:
        found.append(f"loss {result.loss} stated, {stated} on the rows")
    if result.status != Status.OPTIMAL:
        found.append(f"status {result.status}")
    if abs(result.loss - optimum) > TOLERANCE * optimum:
        found.append(f"loss {result.loss}, the optimum is {optimum}")
    if result.bound > optimum * (1 + TOLERANCE):
        found.append(f"bound {result.bound} above the optimum {optimum}")
    if result.bound < result.loss * (1 - OPTIMALITY_TOLERANCE * (1 + 1e-9)):
        found.append(f"bound {result.bound} too low for the loss {result.loss}")
    return found


def faults_of_search(problem: Problem, options: Options) -> list[str]:
    """Everything that is wrong with the answer of the search alone."""
    result = solve(problem, options)
    found = violations(result.solution, problem)
    optimum = enumerate_cards(problem).loss
    if result.loss < optimum * (1 - TOLERANCE):
        found.append(f"loss {result.loss} below the optimum {optimum}")
    if (result.status, result.bound) != (Status.HEURISTIC, 0.0):
        found.append(f"{result.status} with bound {result.bound}")
    return found


def check_proofs_cut_short(problem: Problem) -> None:
    """A proof that ends early has an allowed card and a valid bound, and says why it ended."""
    optimum = enumerate_cards(problem).loss
    for options in (
        Options(certify=True, time_limit=0.0),
        Options(certify=True, node_limit=1),
        Options(certify=True, node_limit=10),
        Options(certify=True, gap=0.2),
    ):
        result = solve(problem, options)
        assert violations(result.solution, problem) == []
        assert 0 <= result.bound <= optimum * (1 + TOLERANCE)
        assert result.loss >= optimum * (1 - TOLERANCE)
        if result.status == Status.OPTIMAL:
            assert result.gap <= OPTIMALITY_TOLERANCE
        if result.status == Status.GAP_REACHED:
            assert result.gap <= max(options.gap, OPTIMALITY_TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_the_certified_optimum_is_the_optimum(block):
    wrong = {}
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        found = faults(random_problem(seed), Options(certify=True, random_state=seed))
        if found:
            wrong[seed] = found
    assert wrong == {}


@pytest.mark.slow
@pytest.mark.parametrize("block", range(5))
def test_the_search_alone_gives_allowed_cards_and_is_never_below_the_optimum(block):
    wrong = {}
    for seed in range(3000 + block * BLOCK, 3000 + (block + 1) * BLOCK):
        found = faults_of_search(random_problem(seed), Options(random_state=seed))
        if found:
            wrong[seed] = found
    assert wrong == {}


@pytest.mark.slow
@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_the_certified_optimum_is_the_optimum_of_shrinking_problems(scale):
    @settings(
        max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    @given(tiny_problems(scale))
    def claim(problem):
        assert faults(problem, Options(certify=True)) == []

    claim()


@pytest.mark.parametrize("seed", range(1000, 1020))
def test_threads_do_not_change_the_proof(seed):
    assert faults(random_problem(seed), Options(certify=True, n_jobs=2)) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2000, 2040))
def test_a_proof_cut_short_still_has_a_valid_bound(seed):
    check_proofs_cut_short(random_problem(seed))
