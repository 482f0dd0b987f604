"""The bound on all cards at once: never above a card, as good as the hull allows, and stated by short proofs."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import riskcard.search.proof.root_bound as root_module
import riskcard.search.proof.tree as tree_module
import riskcard.search.proof.write_tree as write_module
from oracle.enumerate_cards import enumerate_cards
from random_problems import random_problem
from random_tables import random_ruled_problem
from riskcard import ProofNotes, RiskScoreClassifier, write_proof
from riskcard.errors import ParameterError
from riskcard.model.card_json import card_to_json
from riskcard.problem.objective import loss_of
from riskcard.proof_check.check_proof import Rows, check
from riskcard.search.deadline import Deadline
from riskcard.search.empty_card import best_empty_card
from riskcard.search.proof.conditions import arrange_conditions
from riskcard.search.proof.root_bound import _project, _Search, bound_root
from riskcard.search.proof.tree import Stops, prove
from riskcard.status import Status
from test_hull_strength import open_problem


@pytest.mark.parametrize("seed", range(0, 120, 2))
def test_no_card_is_below_it_wherever_the_model_is(seed):
    """Not only where the search ends: the offset and the shares are moved at random."""
    made = random_problem(seed) if seed % 4 else random_ruled_problem(seed)
    problem = made if made is None or seed % 4 else made[0]
    conditions = None if problem is None or problem.kept else arrange_conditions(problem)
    if conditions is None:
        pytest.skip("no conditions, or kept terms")
    try:
        optimum = enumerate_cards(problem).loss
    except ParameterError:
        pytest.skip("too many cards to enumerate")
    limit = optimum * (1 + 1e-9)
    assert bound_root(conditions, Deadline()).bound <= limit
    rng, search = np.random.default_rng(seed), _Search(conditions)
    for _ in range(4):
        search.add_columns()
        search.offset = float(rng.normal(0, 2))
        search.shares = rng.exponential(1.0, search.shares.size)
        search._look()
        assert search.bound().bound <= limit


def test_it_is_as_good_as_the_hull():
    """The model is a point of the hull, so no bound is above its loss."""
    conditions = arrange_conditions(open_problem())
    found = bound_root(conditions, Deadline())
    room = conditions.limits.max_terms * conditions.steepest
    assert (found.steps >= 0).all()
    assert found.steps.sum() <= room * (1 + 1e-12)
    columns = zip(found.columns, found.steps, strict=True)
    codes = conditions.patterns.codes
    z = found.offset + sum(
        step * ((codes[side >> 1] > cut) if side & 1 else (codes[side >> 1] <= cut))
        for (side, cut), step in columns
    )
    own = conditions.patterns
    loss = own.others @ np.logaddexp(0, z) + own.events @ np.logaddexp(0, -z)
    assert 0.999 * loss < found.bound < loss


def test_few_columns_are_kept_where_rows_are_many(monkeypatch):
    conditions = arrange_conditions(open_problem())
    best = bound_root(conditions, Deadline())
    monkeypatch.setattr(root_module, "MOST_NUMBERS", 7 * conditions.patterns.events.size)
    few = bound_root(conditions, Deadline())
    assert few.steps.size <= 7 < best.steps.size
    assert few.bound < best.bound


def test_a_goal_is_reached_or_given_up_where_a_model_has_a_lower_loss(monkeypatch):
    conditions, rounds = arrange_conditions(open_problem()), []
    best = bound_root(conditions, Deadline()).bound
    add_columns = _Search.add_columns

    def add_and_count(search):
        rounds.append(search.loss)
        return add_columns(search)

    monkeypatch.setattr(_Search, "add_columns", add_and_count)
    assert bound_root(conditions, Deadline(), best * 0.99).bound >= best * 0.99
    rounds.clear()
    too_much = best * 1.01
    assert bound_root(conditions, Deadline(), too_much).bound < too_much
    assert min(rounds) >= too_much
    assert 0 < len(rounds) < root_module.MOST_ROUNDS


@pytest.mark.parametrize("room", [0.5, 2.0, 100.0])
def test_a_projection_is_the_nearest_point_of_the_shares_that_are_allowed(room):
    rng = np.random.default_rng(0)
    for _ in range(50):
        point = rng.normal(0, 2, 5)
        found = _project(point, room)
        assert found.min() >= 0
        assert found.sum() <= room * (1 + 1e-12)
        others = rng.dirichlet(np.ones(6), 200)[:, :5] * room
        distances = ((others - point) ** 2).sum(axis=1)
        assert ((found - point) ** 2).sum() <= distances.min() + 1e-12


def test_a_proof_that_is_cut_short_states_at_least_this_bound(monkeypatch):
    problem, stops = open_problem(), Stops(node_limit=1)
    early = prove(problem, best_empty_card(problem), stops)
    monkeypatch.setattr(tree_module, "WORK_DEPTH_FIRST", 0.0)
    monkeypatch.setattr(tree_module, "TIME_FOR_ROOT", 1e9)
    late = prove(problem, best_empty_card(problem), stops)
    at_once = bound_root(arrange_conditions(problem), Deadline())
    assert early.bound < late.bound
    assert at_once.stated <= late.bound < loss_of(late.solution, problem)


@pytest.mark.parametrize("has_notes", [False, True])
def test_its_file_is_a_single_node_and_is_accepted(monkeypatch, tmp_path, has_notes):
    monkeypatch.setattr(tree_module, "WORK_DEPTH_FIRST", 0.0)
    monkeypatch.setattr(tree_module, "TIME_FOR_ROOT", 1e9)
    monkeypatch.setattr(tree_module, "_reason_to_stop", lambda *_: Status.TIME_LIMIT)
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.integers(0, 60, 400).astype(float) for name in "abcd"})
    y = (rng.random(400) < 1 / (1 + np.exp(2.0 - X["a"] / 20 - X["b"] / 40))).astype(int)
    with ProofNotes() as notes:
        model = RiskScoreClassifier(5, regularization=None, certify=True).fit(X, y)
    assert model.status_ == "time_limit"
    if has_notes:  # it is not looked for again
        monkeypatch.setattr(write_module, "bound_root", None)
    written = write_proof(
        tmp_path / "card.proof", model.card_, X, y, notes=notes if has_notes else None
    )
    assert (written.records, written.closed) == (1, 1)
    rows = Rows({name: X[name].tolist() for name in X}, (y == model.event_).tolist())
    card = json.loads(card_to_json(model.card_))
    assert check(card, rows, (tmp_path / "card.proof").read_bytes()).checked_share == 1
