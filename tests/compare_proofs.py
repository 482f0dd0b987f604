"""Both proofs against enumeration on any number of random tiny problems: none may be wrong.

    python tests/compare_proofs.py --problems 10000 --first 1000000

The tests do the same with the same few hundred problems in every run. Every third problem has missing values,
special values, levels and rules. Each is proven from the empty card, by the tree over slots and, where it
suits the problem, by families of conditions; whole, and cut short after a few nodes.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator

from oracle.enumerate_cards import enumerate_cards
from random_problems import random_problem
from random_tables import random_ruled_problem
from riskcard.errors import ParameterError
from riskcard.problem.objective import loss_of, violations
from riskcard.problem.problem import Problem
from riskcard.problem.solution import Solution
from riskcard.search.drivers.solve_plain import find_card
from riskcard.search.empty_card import best_empty_card
from riskcard.search.options import SearchOptions
from riskcard.search.proof.support_tree import prove_by_supports, suits_supports
from riskcard.search.proof.tree import Proof, Stops, prove
from riskcard.status import OPTIMALITY_TOLERANCE, Status

#: Relative; the oracle's own precision, with room.
TOLERANCE = 1e-7
FEW_NODES = 5

Prover = Callable[[Problem, Solution, Stops], Proof]


def problem_of(seed: int) -> Problem | None:
    """A problem; None where its rules allow no card."""
    if seed % 3:
        return random_problem(seed)
    made = random_ruled_problem(seed)
    return None if made is None else made[0]


def faults_of(prover: Prover, problem: Problem, start: Solution, optimum: float) -> Iterator[str]:
    """What is wrong with a proof, whole and cut short."""
    proof = prover(problem, start, Stops())
    if proof.status is not Status.OPTIMAL:
        yield f"status {proof.status}"
    if violations(proof.solution, problem):
        yield "the card breaks a rule"
    if abs(proof.loss - loss_of(proof.solution, problem)) > 1e-12 * optimum:
        yield "the loss is not that of the card"
    if not -TOLERANCE <= proof.loss / optimum - 1 <= OPTIMALITY_TOLERANCE:
        yield f"loss {proof.loss}, the optimum is {optimum}"
    if proof.bound < proof.loss * (1 - OPTIMALITY_TOLERANCE * (1 + 1e-9)):
        yield f"bound {proof.bound} too low for the loss {proof.loss}"
    short = prover(problem, start, Stops(node_limit=FEW_NODES))
    for bound in (proof.bound, short.bound):
        if not 0 <= bound <= optimum * (1 + TOLERANCE):
            yield f"bound {bound}, the optimum is {optimum}"


def start_of(problem: Problem) -> Solution:
    """The empty card, where the rules allow it: then the proof has to find the best one itself."""
    empty = best_empty_card(problem)
    return find_card(problem, SearchOptions()) if violations(empty, problem) else empty


def main() -> int:
    """Compare; 1 if a proof was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the seed of the first problem")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    seed = options.first - 1
    while counts["problems"] < options.problems:
        seed += 1
        problem = problem_of(seed)
        if problem is None:
            continue
        try:
            optimum, start = enumerate_cards(problem).loss, start_of(problem)
        except ParameterError:  # no card keeps all rules together
            continue
        counts["problems"] += 1
        provers: dict[str, Prover] = {"tree over slots": prove}
        if suits_supports(problem):
            provers["families of conditions"] = prove_by_supports
        for name, prover in provers.items():
            counts[name] += 1
            for fault in faults_of(prover, problem, start, optimum):
                counts["wrong"] += 1
                sys.stdout.write(f"seed {seed}, {name}: {fault}\n")
        if counts["problems"] % 1000 == 0:
            sys.stdout.write(f"{dict(counts)}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{dict(counts)}; wrong: {counts['wrong']}; last seed {seed}\n")
    return int(counts["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
