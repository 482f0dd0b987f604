"""A proof file is written whole or not at all, and proves what was reached where the proof was ended."""

from __future__ import annotations

import json
import signal

import numpy as np
import pytest

import riskcard.proof_file.write_proof as writing
import riskcard.search.proof.tree as tree_module
from optional import pd
from riskcard import RiskScoreClassifier, write_proof
from riskcard.cli.main import main
from riskcard.status import Status


def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.integers(0, 60, 400).astype(float) for name in "abcd"})
    y = rng.random(400) < 1 / (1 + np.exp(2.0 - X["a"] / 20 - X["b"] / 40))
    return X, y.to_numpy().astype(int)


@pytest.fixture(scope="module")
def fitted():
    X, y = table()
    return RiskScoreClassifier(1, regularization=None, certify=True).fit(X, y).card_, X, y


@pytest.fixture
def pressed(monkeypatch, interruptible):
    """Ctrl-C after the first bytes of a tree."""
    write_tree = writing.write_tree

    def press(problem, claim, put, *more):
        put(b"the first bytes")
        signal.raise_signal(signal.SIGINT)
        return write_tree(problem, claim, put, *more)

    monkeypatch.setattr(writing, "write_tree", press)


def test_ctrl_c_leaves_the_older_file_and_nothing_else(tmp_path, fitted, pressed):
    (tmp_path / "card.proof").write_bytes(b"older")
    with pytest.raises(KeyboardInterrupt):
        write_proof(tmp_path / "card.proof", *fitted)
    assert (tmp_path / "card.proof").read_bytes() == b"older"
    assert [path.name for path in tmp_path.iterdir()] == ["card.proof"]


def test_ctrl_c_at_the_last_moment_leaves_nothing(tmp_path, fitted, monkeypatch, interruptible):
    write_tree = writing.write_tree

    def press(*arguments):
        written = write_tree(*arguments)
        signal.raise_signal(signal.SIGINT)
        return written

    monkeypatch.setattr(writing, "write_tree", press)
    with pytest.raises(KeyboardInterrupt):
        write_proof(tmp_path / "card.proof", *fitted)
    assert list(tmp_path.iterdir()) == []


def test_a_card_whose_proof_was_ended_by_ctrl_c_is_kept_and_names_no_file(
    tmp_path, pressed, capsys
):
    X, y = table()
    X.assign(y=y).to_csv(tmp_path / "data.csv", index=False)
    data, card, proof = (str(tmp_path / name) for name in ("data.csv", "card.json", "card.proof"))
    options = ["--max-terms", "1", "--lowest-loss", "--certify"]
    assert main(["fit", data, "--target", "y", *options, "-o", card, "--proof", proof]) == 130
    assert f"Interrupted: {proof} was not written." in capsys.readouterr().err
    assert json.loads((tmp_path / "card.json").read_text())["certificate"]["proof"] is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["card.json", "data.csv"]


def end_after_a_round(monkeypatch, status):
    monkeypatch.setattr(tree_module, "_reason_to_stop", lambda *_: status)


def test_where_no_bound_was_reached_the_card_is_kept_without_a_file(tmp_path, monkeypatch, capsys):
    end_after_a_round(monkeypatch, Status.TIME_LIMIT)
    X, y = table()
    X.assign(y=y).to_csv(tmp_path / "data.csv", index=False)
    data, card, proof = (str(tmp_path / name) for name in ("data.csv", "card.json", "card.proof"))
    options = ["--max-terms", "4", "--lowest-loss", "--certify"]
    assert main(["fit", data, "--target", "y", *options, "-o", card, "--proof", proof]) == 2
    assert "ended before it reached any bound" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["card.json", "data.csv"]


@pytest.mark.parametrize(("status", "code"), [(Status.INTERRUPTED, 130), (Status.TIME_LIMIT, 0)])
def test_the_file_of_a_proof_that_was_ended_proves_the_bound_that_was_reached(
    tmp_path, monkeypatch, capsys, status, code
):
    end_after_a_round(monkeypatch, status)
    # the bound on all cards at once
    monkeypatch.setattr(tree_module, "WORK_DEPTH_FIRST", 0.0)
    monkeypatch.setattr(tree_module, "TIME_FOR_ROOT", 1e9)
    X, y = table()
    X.assign(y=y).to_csv(tmp_path / "data.csv", index=False)
    data, card, proof = (str(tmp_path / name) for name in ("data.csv", "card.json", "card.proof"))
    options = ["--max-terms", "4", "--lowest-loss", "--certify"]
    assert main(["fit", data, "--target", "y", *options, "-o", card, "--proof", proof]) == code
    certificate = json.loads((tmp_path / "card.json").read_text())["certificate"]
    assert certificate["status"] == status.value
    assert 0 < certificate["bound"] < certificate["loss"] * (1 - 1e-6)
    capsys.readouterr()
    assert main(["verify", card, data, proof]) == 0
    assert repr(certificate["bound"]) in capsys.readouterr().out


def test_a_file_may_be_larger_than_what_is_in_the_memory_at_once(tmp_path, fitted, monkeypatch):
    whole = write_proof(tmp_path / "whole", *fitted)
    monkeypatch.setattr(writing, "PIECE", 16)
    assert write_proof(tmp_path / "pieces", *fitted) == whole
    assert (tmp_path / "pieces").read_bytes() == (tmp_path / "whole").read_bytes()
    assert whole.size == len((tmp_path / "whole").read_bytes())


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--improve", "card.json"], "--improve"),
        (["--limit-groups", "d", "--max-difference", "mean_risk=0.1"], "--max-difference"),
    ],
)
def test_what_has_no_file_is_refused_before_the_fit(tmp_path, monkeypatch, capsys, options, named):
    monkeypatch.chdir(tmp_path)
    for name in ("data.csv", "card.json"):
        (tmp_path / name).write_text("never read")
    assert main(["fit", "data.csv", "--target", "y", "--certify", "--proof", "p", *options]) == 2
    assert f"--proof cannot be used together with {named}:" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["card.json", "data.csv"]
