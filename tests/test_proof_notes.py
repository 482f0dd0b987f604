"""Notes of a proof: they save work where its file is written, and nothing rests on them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from riskcard import CardRules, FeatureRule, ProofNotes, RiskScoreClassifier, write_proof
from riskcard.estimators import learning
from riskcard.model.card_json import card_to_json
from riskcard.proof_check.check_proof import Rows, check
from riskcard.proof_file import write_proof as writing
from riskcard.search.proof import notes as noting


def table(seed=0):
    """Two numbers with too many cuts for a proof by supports."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({name: rng.integers(0, 45, 150).astype(float) for name in "ab"})
    chance = 1 / (1 + np.exp(1.5 - (X["a"] > 20) - 2.0 * (X["b"] < 12)))
    return X, (rng.random(150) < chance).astype(int)


def noted_fit(seed=0, **settings):
    X, y = table(seed)
    model = RiskScoreClassifier(3, max_points=2, regularization=None, certify=True, **settings)
    with ProofNotes() as notes:
        model.fit(X, y)
    return model, X, y, notes


@pytest.fixture(scope="module")
def noted():
    return noted_fit()


@pytest.fixture
def written(monkeypatch):
    """The counts of every tree that is written."""
    found, write_tree = [], writing.write_tree

    def write_and_count(*arguments):
        found.append(write_tree(*arguments))
        return found[-1]

    monkeypatch.setattr(writing, "write_tree", write_and_count)
    return found


def is_accepted(path, model, X, y):
    import json

    rows = Rows({name: X[name].tolist() for name in X}, (y == model.event_).tolist())
    return check(json.loads(card_to_json(model.card_)), rows, path.read_bytes()).checked_share == 1


def test_with_notes_few_nodes_are_bounded_again(tmp_path, noted, written):
    model, X, y, notes = noted
    write_proof(tmp_path / "plain", model.card_, X, y)
    write_proof(tmp_path / "noted", model.card_, X, y, notes=notes)
    plain, own = written
    assert own.bounded < 0.3 * plain.bounded
    assert own.records <= 1.1 * plain.records
    assert is_accepted(tmp_path / "noted", model, X, y)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_models_are_noted_the_file_holds(tmp_path, noted, seed):
    model, X, y, _ = noted
    _, _, _, notes = noted_fit()
    rng = np.random.default_rng(seed)
    for numbers in notes._numbers:
        numbers *= rng.choice([0.0, 0.5, 1.0, 2.0], numbers.size)
    write_proof(tmp_path / "card.proof", model.card_, X, y, notes=notes)
    assert is_accepted(tmp_path / "card.proof", model, X, y)


def test_a_part_of_the_notes_is_enough(tmp_path, noted, monkeypatch):
    model, X, y, notes = noted
    monkeypatch.setattr(noting, "MOST_ENTRIES", len(notes) // 2)
    monkeypatch.setattr("riskcard.search.proof.tasks.ROOM_FOR_NOTES", 2000)
    _, _, _, fewer = noted_fit()
    assert 0 < len(fewer) <= len(notes) // 2
    write_proof(tmp_path / "card.proof", model.card_, X, y, notes=fewer)
    assert is_accepted(tmp_path / "card.proof", model, X, y)


def test_notes_on_another_problem_change_nothing(tmp_path, noted, written):
    model, X, y, _ = noted
    _, _, _, other = noted_fit(seed=1)
    write_proof(tmp_path / "plain", model.card_, X, y)
    write_proof(tmp_path / "other", model.card_, X, y, notes=other)
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "other").read_bytes()


def test_notes_of_a_proof_that_ended_early_serve_too(tmp_path):
    model, X, y, notes = noted_fit(gap=0.02)
    assert model.status_ == "gap_reached"
    write_proof(tmp_path / "card.proof", model.card_, X, y, notes=notes)
    assert is_accepted(tmp_path / "card.proof", model, X, y)


def test_only_proofs_within_the_block_are_noted(noted):
    X, y = table()
    with ProofNotes() as notes:
        pass
    RiskScoreClassifier(2, max_points=2, regularization=None, certify=True).fit(X, y)
    assert len(notes) == 0


def test_notes_do_not_change_the_proof(noted):
    model, X, y, _ = noted
    plain = RiskScoreClassifier(3, max_points=2, regularization=None, certify=True).fit(X, y)
    own, other = model.card_.certificate, plain.card_.certificate
    assert (own.nodes, own.bound, own.loss) == (other.nodes, other.bound, other.loss)


@pytest.fixture
def poses(monkeypatch):
    """How often a problem was posed from its rows."""
    found, pose = [], learning._pose

    def pose_and_count(*arguments):
        found.append(arguments)
        return pose(*arguments)

    monkeypatch.setattr(learning, "_pose", pose_and_count)
    return found


def test_the_problem_of_the_fit_is_not_posed_again(tmp_path, noted, poses):
    model, X, y, notes = noted
    write_proof(tmp_path / "kept", model.card_, X, y, notes=notes)
    assert poses == []
    notes.posed = None
    write_proof(tmp_path / "again", model.card_, X, y, notes=notes)
    assert len(poses) == 1
    assert (tmp_path / "kept").read_bytes() == (tmp_path / "again").read_bytes()


@pytest.mark.parametrize("what", ["value", "label", "weight", "name", "level", "points", "rule"])
def test_another_problem_is_posed_again(what, poses):
    X, y = table()
    X, weights = X.assign(c=["u", "v"] * 75), np.ones(150)
    model = RiskScoreClassifier(2, max_points=2, regularization=None)
    with ProofNotes() as notes:
        model.pose(X, y, weights)
        model.pose(X.copy(), y.copy(), weights.copy())
        assert len(poses) == 1
        if what == "value":
            X.loc[3, "a"] += 0.5
        if what == "label":
            y[3] = 1 - y[3]
        if what == "weight":
            weights[3] = 2.0
        if what == "name":
            X = X.rename(columns={"a": "d"})
        if what == "level":
            X.loc[3, "c"] = "w"
        if what == "points":
            model.set_params(max_points=3)
        if what == "rule":
            model.set_params(rules=CardRules(features={"a": FeatureRule(direction="rises")}))
        layout, problem = model.pose(X, y, weights)[1:]
        assert len(poses) == 2
    assert notes.posed.layout is layout
    assert notes.posed.problem is problem
    assert model.pose(X, y, weights)[1] is not layout  # outside of the block nothing is kept


def test_blocks_of_notes_may_lie_in_each_other():
    with ProofNotes() as notes:
        with notes:
            pass
        assert noting.current_notes() is notes
    assert noting.current_notes() is None
