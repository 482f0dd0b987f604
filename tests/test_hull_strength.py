"""Proofs with hulls agree with those by regressions on all conditions, and need no more nodes than measured.

Where a node is divided bears on no bound, so only the number of nodes shows a fault there. A better
division may lower these numbers.
"""

from __future__ import annotations

import numpy as np
import pytest

from riskcard.data.table import Table
from riskcard.encoding.rank_table import rank_table
from riskcard.problem.problem import Limits, Problem, Scale
from riskcard.search.empty_card import best_empty_card
from riskcard.search.proof.support_tree import prove_by_supports
from riskcard.search.proof.tree import Stops, prove
from riskcard.status import Status

#: Other machines round differently, and may need another node here or there.
SLACK = 1.02


def wavy_problem(scale: Scale, seed: int, size: float = 1.0, shift: float = -2.0) -> Problem:
    """Sixty rows of two features whose effects rise and fall, so that both sides have terms."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 12, (60, 2)).astype(float)
    waves = 1.5 * np.abs(values[:, 0] - 6) - 0.5 * np.abs(values[:, 1] - 4)
    log_odds = size * waves + shift
    labels = np.where(rng.random(60) < 1 / (1 + np.exp(-log_odds)), 1, -1).astype(np.int8)
    data, _ = rank_table(Table(values, ("a", "b"), labels, np.ones(60), (0, 1)))
    highest = np.full(2, 3)
    return Problem(data, Limits(3, 2, 3), scale, -highest, highest)


@pytest.mark.parametrize(
    ("scale", "most_nodes"), [(Scale("calibrated"), 7645), (Scale("fixed", 1.0), 23191)], ids=str
)
def test_a_proof_with_hulls_needs_no_more_nodes(scale, most_nodes):
    proofs = []
    for seed in range(3):
        problem = wavy_problem(scale, seed)
        proofs.append(prove(problem, best_empty_card(problem), Stops()))
    assert {proof.status for proof in proofs} == {Status.OPTIMAL}
    assert sum(proof.nodes for proof in proofs) <= SLACK * most_nodes


@pytest.mark.parametrize("shift", [-2.5, 2.5])
def test_both_proofs_find_the_same_loss_whether_the_event_is_rare_or_common(shift):
    for seed in range(2):
        problem = wavy_problem(Scale("calibrated", limit=1.0), seed, 0.2, shift)
        start = best_empty_card(problem)
        proofs = prove(problem, start, Stops()), prove_by_supports(problem, start, Stops())
        assert {proof.status for proof in proofs} == {Status.OPTIMAL}
        assert proofs[0].loss == pytest.approx(proofs[1].loss, rel=1e-7)
