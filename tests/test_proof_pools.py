"""Proof files of complete pools: against enumeration, and false claims about pools are refused."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pool_cases import false_pools, listed, make_pool_case, with_pool
from proof_cases import Case, put_together, take_apart
from riskcard import ParameterError, RiskScoreClassifier, find_pool, write_proof
from riskcard.cli.main import main
from riskcard.proof_check.check_proof import (
    Body,
    Checker,
    Node,
    Refused,
    Rows,
    Table,
    check,
    describe,
)
from test_proof_file import answers_of_node, sentence_of

NODE = shutil.which("node")
#: In 279 cards that are worse than log-odds of 0 everywhere are good enough; in 331 cards of three conditions have
#: totals that two of them decide on.
SEEDS = (*range(12), 279, 331)


@pytest.fixture(scope="module")
def pools():
    return [found for seed in SEEDS if (found := make_pool_case(seed)) is not None]


def test_every_choice_that_is_good_enough_is_listed(pools):
    """Enumeration finds no other choice of conditions with a card below the loss of the pool."""
    assert len(pools) >= 10
    for found in pools:
        below, own = take_apart(found.case.proof)[0]["pool"]["below"], set(listed(found.case))
        good = {choice for choice, price in found.prices.items() if price < below * (1 - 1e-9)}
        assert good <= own
        assert all(found.prices[choice] < below * (1 + 1e-6) for choice in own)


def test_the_file_of_a_pool_verifies_each_of_its_cards(pools):
    for found in pools:
        for card in found.cards:
            verdict = check(card, found.case.rows, found.case.proof)
            number = len(listed(found.case))
            assert f"one of {number} choices" in verdict.pool[0]
            assert len(verdict.pool) == 1 + number
            assert verdict.pool[0] in list(describe(verdict))


def test_false_claims_about_a_pool_are_refused(pools):
    names = set()
    for seed, found in enumerate(pools):
        for name, false in false_pools(found, np.random.default_rng(seed)):
            names.add(name)
            assert not false.is_accepted(), name
    assert len(names) == 4


@pytest.mark.skipif(NODE is None, reason="needs Node.js")
def test_the_second_checker_says_the_same_of_pools(pools):
    cases = [replace(found.case, card=card) for found in pools for card in found.cards]
    for case, answer in zip(cases, answers_of_node(cases), strict=True):
        sentences = check(case.card, case.rows, case.proof).pool
        assert answer["pool"] == list(sentences)
    false = [one for found in pools for _, one in false_pools(found, np.random.default_rng(3))]
    assert all(isinstance(answer, str) for answer in answers_of_node(false))


@pytest.fixture(scope="module")
def fever(tmp_path_factory):
    """A pool of two cards with one term each, of three that there are."""
    X = pd.DataFrame({"a": [0, 0, 0, 0, 1, 1, 1, 1] * 3, "b": [0, 0, 1, 1, 0, 1, 0, 1] * 3})
    X["c"] = [1, 1, 0, 1, 0, 1, 0, 0] * 3
    y = np.array([0, 0, 0, 1, 0, 1, 1, 1] * 3)
    model = RiskScoreClassifier(1, regularization=None, certify=True, identifiers=None)
    pool = find_pool(model, X, y, tolerance=0.1)
    folder = tmp_path_factory.mktemp("fever")
    X.assign(y=y).to_csv(folder / "data.csv", index=False)
    return pool, X, y, folder


@pytest.fixture(scope="module")
def fever_case(fever):
    """The file of this pool, with its first card."""
    pool, X, y, folder = fever
    write_proof(folder / "pool.proof", pool[0], X, y, pool=pool)
    rows = Rows({name: X[name].tolist() for name in X}, [bool(one) for one in y])
    proof, loss = (folder / "pool.proof").read_bytes(), pool[0].certificate.loss
    return Case(json.loads(pool[0].to_json()), rows, proof, loss)


def test_a_pool_that_may_lack_a_card_has_no_file(fever):
    pool, X, y, folder = fever
    unproven = replace(pool, is_complete=False)
    with pytest.raises(ParameterError, match="not proven to be complete"):
        write_proof(folder / "none.proof", pool[0], X, y, pool=unproven)
    assert not (folder / "none.proof").exists()


def test_choices_are_named_by_their_values(fever_case):
    sentences = check(fever_case.card, fever_case.rows, fever_case.proof).pool
    assert sentences[1:] == ("1. a <= 0", "2. b <= 0")


def test_a_card_that_is_not_of_the_pool_is_refused(fever, fever_case):
    X = fever[1]
    model = RiskScoreClassifier(1, regularization=None, certify=True, identifiers=None)
    card = json.loads(model.fit(X, X["c"]).card_.to_json())
    assert [one["name"] for one in card["features"]] == ["c"]
    card["certificate"]["bound"] = fever_case.bound
    assert "not in its pool" in sentence_of(replace(fever_case, card=card))


def test_a_choice_says_nothing_of_nodes_that_are_still_open(fever_case):
    """The root called a choice of the pool, or a choice named twice: cards would need no bound."""
    case = fever_case
    header, tree = take_apart(case.proof)
    for first in (b"\6\0", b"\6\0\6\0"):
        forged = put_together(
            header | {"records": header["records"] + len(first) // 2}, first + tree
        )
        assert "not all conditions are chosen" in sentence_of(replace(case, proof=forged))
    table = Table(header, case.rows)
    checker = Checker(header, table, Body(b"\0"))
    column, cut = header["pool"]["choices"][0][0]
    node = Node(((2 * column, cut, cut, 1),), 0)
    inside = checker.in_pool(node)
    assert inside.is_in_pool
    assert checker.cutoff_of(node) - checker.cutoff_of(inside) == checker.beyond
    checker.body = Body(b"\0")
    with pytest.raises(Refused, match="or twice"):
        checker.in_pool(inside)


@pytest.mark.parametrize(
    "entries",
    [
        {"below": 0.0},
        {"below": "9"},
        {"below": True},
        {"choices": [[[0]]]},
        {"choices": [[[-1, 0]]]},
        {"choices": [[[0, 9]]]},
        {"choices": [[[0, 0.0]]]},
        {"choices": None},
        {"choices": {}},
    ],
)
def test_headers_of_pools_are_read_strictly_by_both_checkers(fever_case, entries):
    case = with_pool(fever_case, **entries)
    assert not case.is_accepted()
    if NODE is not None:
        assert isinstance(answers_of_node([case])[0], str)


def test_the_commands_write_and_verify_a_pool(fever, capsys):
    *_, folder = fever
    paths = [str(folder / name) for name in ("data.csv", "card.json", "fit.proof")]
    arguments = ["--target", "y", "--max-terms", "1", "--certify", "--lowest-loss", "-q"]
    pool = ["--pool-tolerance", "0.1", "--choose", "1"]
    assert main(["fit", paths[0], *arguments, *pool, "-o", paths[1], "--proof", paths[2]]) == 0
    capsys.readouterr()
    assert main(["verify", paths[1], paths[0], paths[2]]) == 0
    shown = capsys.readouterr().out
    assert (
        "has the conditions of one of 2 choices. The points of this card follow from those of number 2."
        in shown
    )
    assert shown.count("<= 0\n") == 2
