"""Proofs with hulls agree with those by regressions on all conditions, and need no more nodes than measured.

Where a node is divided bears on no bound, so only the number of nodes shows a fault there. A better
division may lower these numbers.
"""

from __future__ import annotations

import numpy as np
import pytest

import riskcard.search.proof.tree as tree_module
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


def open_problem() -> Problem:
    """Two hundred rows, three features and six terms: far too many cards for a short proof."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 40, (200, 3)).astype(float)
    log_odds = (values[:, 0] - values[:, 1]) / 20
    labels = np.where(rng.random(200) < 1 / (1 + np.exp(-log_odds)), 1, -1).astype(np.int8)
    data, _ = rank_table(Table(values, ("a", "b", "c"), labels, np.ones(200), (0, 1)))
    highest = np.full(3, 5)
    scale = Scale("calibrated", limit=float(np.log(1000)))
    return Problem(data, Limits(6, 3, 6), scale, -highest, highest)


def test_bounds_of_open_nodes_are_brought_nearer_to_their_losses_in_short_tables(monkeypatch):
    monkeypatch.setattr(tree_module, "WORK_DEPTH_FIRST", 0.0)
    problem, stops = open_problem(), Stops(node_limit=400)
    short = prove(problem, best_empty_card(problem), stops)
    monkeypatch.setattr(tree_module, "SHORT", problem.data.n_rows - 1)
    long = prove(problem, best_empty_card(problem), stops)
    assert short.status is long.status is Status.NODE_LIMIT
    assert 1.1 * long.bound < short.bound < short.loss


@pytest.mark.parametrize("most_rows", [0, 2000])
def test_a_proof_of_the_lowest_bounds_first_ends_at_the_same_loss(monkeypatch, most_rows):
    problem = wavy_problem(Scale("calibrated"), 0)
    start = best_empty_card(problem)
    depth_first = prove(problem, start, Stops())
    monkeypatch.setattr(tree_module, "WORK_DEPTH_FIRST", 0.0)
    monkeypatch.setattr(tree_module, "SHORT", most_rows)
    proof = prove(problem, start, Stops())
    assert proof.status is depth_first.status is Status.OPTIMAL
    assert proof.loss == pytest.approx(depth_first.loss, rel=1e-7)
    assert proof.nodes != depth_first.nodes
