"""Forged counts: a header or a tree of a few bytes that states a size which no file of its length can have.

Each was a loop or a list of that size in a checker. What is refused, and what is just not, is compared with both.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import test_proof_file
from proof_cases import put_together, take_apart
from riskcard.proof_check import check_proof
from riskcard.proof_check.check_proof import MOST_SLOTS
from test_proof_file import answers_of_node
from test_proof_forgeries import NODE, fitted_case, refusals, with_table

MANY = 10**6


@pytest.fixture(scope="module")
def of_levels(tmp_path_factory):
    """A card of three levels, which its header lists as values, each with a code in every column."""
    words = np.repeat(["x", "y", "z"], 12)
    y = ((words == "y") ^ (np.arange(36) % 6 == 0)).astype(int).tolist()
    return fitted_case(tmp_path_factory.mktemp("levels"), {"word": words}, y)


@pytest.fixture(scope="module")
def of_numbers(tmp_path_factory):
    """A card of one number with four values, and so three cuts."""
    values = np.tile([0.0, 1.0, 2.0, 3.0], 10)
    y = ((values > 1.0) ^ (np.arange(40) % 7 == 0)).astype(int).tolist()
    return fitted_case(tmp_path_factory.mktemp("numbers"), {"a": values}, y)


def with_codes(case, **entries):
    """The case with other entries of its feature, and the hash of the table that follows from them."""
    header, tree = take_apart(case.proof)
    (feature,) = header["features"]
    header["features"] = [feature | entries]
    return replace(case, proof=put_together(with_table(header, case.rows), tree))


def with_tree(case, max_terms, tree):
    """The case with any number of terms and a tree."""
    header, _ = take_apart(case.proof)
    card = copy.deepcopy(case.card)
    header["kind"]["max_terms"] = card["certificate"]["max_terms"] = max_terms
    return replace(case, card=card, proof=put_together(header, tree))


@pytest.mark.parametrize("code", [5, MANY])
def test_a_code_is_below_the_number_of_bins_and_values(of_numbers, code):
    """A value that no row has may have any code without a trace in the table, and as many conditions as it likes."""
    told = refusals(with_codes(of_numbers, values=[["never", [code]]]))
    sentence = f"'a' has the code {code} in its column 0, but only 5 bins and values"
    assert all(sentence in one for one in told)
    last = with_codes(of_numbers, values=[["never", [4]]])
    assert last.is_accepted()
    assert NODE is None or isinstance(answers_of_node([last])[0], dict)


def test_a_code_of_a_bin_without_rows_is_below_the_number_of_bins(of_numbers):
    header, _ = take_apart(of_numbers.proof)
    cuts, bins = [*header["features"][0]["cuts"], 9.0], [[0], [1], [2], [3], [MANY]]
    told = refusals(with_codes(of_numbers, cuts=cuts, bins=bins))
    sentence = f"'a' has the code {MANY} in its column 0, but only 5 bins and values"
    assert all(sentence in one for one in told)


def test_the_column_of_a_code_that_is_too_large_is_named(of_levels):
    header, _ = take_apart(of_levels.proof)
    values = copy.deepcopy(header["features"][0]["values"])
    values[0][1][1] = 3
    told = refusals(with_codes(of_levels, values=values))
    assert all("has the code 3 in its column 1, but only 3 bins" in one for one in told)


def test_a_list_has_no_more_children_than_bytes_follow(of_numbers):
    tree = bytes([2, 0])
    for max_terms, rest in [(MANY, 9), (9, 9), (2**53 - 1, 1)]:
        told = refusals(with_tree(of_numbers, max_terms, tree + bytes([9] * rest)))
        assert all("byte 0 of the tree: the node has more children than" in one for one in told)
    told = refusals(with_tree(of_numbers, 8, tree + bytes([9] * 9)))
    assert all("there is no record of kind 9" in one for one in told)


def divided_twice(case, rest):
    """Two terms of the first side of all: two children are closed, since the claim is next to nothing; the slot of the
    third is divided into three, whose records would begin with the rest.
    """
    header, _ = take_apart(case.proof)
    card = copy.deepcopy(case.card)
    header["bound"] = card["certificate"]["bound"] = -1e9
    closed = bytes([1, 0, 0, 0])
    tree = bytes([2, 0]) + closed + closed + bytes([3, 0, 0]) + rest
    return with_tree(replace(case, card=card, proof=put_together(header, b"")), 2, tree)


def test_a_slot_has_no_more_children_than_bytes_follow(of_numbers):
    told = refusals(divided_twice(of_numbers, bytes([9, 9])))
    assert all("byte 10 of the tree: the node has more children than" in one for one in told)
    told = refusals(divided_twice(of_numbers, bytes([9, 9, 9])))
    assert all("byte 13 of the tree: there is no record of kind 9" in one for one in told)


@pytest.mark.parametrize(
    ("most", "sentence"),
    [(3, "all nodes still to be read have more than 3 slots"), (4, "there is no record of kind 9")],
)
def test_nodes_have_no_more_slots_together_than_a_checker_holds(
    of_numbers, monkeypatch, tmp_path, most, sentence
):
    monkeypatch.setattr(check_proof, "MOST_SLOTS", most)
    script = Path(test_proof_file.CHECKER.replace(".py", ".js")).read_text(encoding="utf-8")
    limit = f"MOST_SLOTS = {MOST_SLOTS};"
    assert limit in script
    copied = tmp_path / "check_proof.js"
    copied.write_text(script.replace(limit, f"MOST_SLOTS = {most};"), encoding="utf-8")
    monkeypatch.setattr(test_proof_file, "CHECKER", str(copied))
    told = refusals(divided_twice(of_numbers, bytes([9] * 6)))
    assert all(sentence in one for one in told)


@pytest.mark.parametrize(("place", "value"), [("digits", False), ("records", True)])
def test_counts_are_numbers(tmp_path, place, value):
    """Python's False is 0, and its True is 1."""
    case = fitted_case(tmp_path, {"a": [0.0, 1.0] * 6}, [0, 1, 0, 1, 1, 0] * 2)
    header, tree = take_apart(case.proof)
    owner = header["weights"] if place == "digits" else header
    if place == "records":
        header["bound"] = case.card["certificate"]["bound"] = -1e9
        case.card["certificate"]["status"] = "gap_reached"
        header["records"], header["closed"], tree = 1, 1, bytes([1, 0, 0, 0])
    assert owner[place] == value
    assert replace(case, proof=put_together(header, tree)).is_accepted()
    owner[place] = value
    refusals(replace(case, proof=put_together(header, tree)))


def test_one_term_is_not_true_terms(of_numbers):
    card = copy.deepcopy(of_numbers.card)
    assert card["certificate"]["max_terms"] == 1
    card["certificate"]["max_terms"] = True
    refusals(replace(of_numbers, card=card))


def test_bins_are_a_list_or_null(of_levels):
    assert take_apart(of_levels.proof)[0]["features"][0]["bins"] == []
    told = refusals(with_codes(of_levels, bins={}))
    assert all("bins of the header is" in one for one in told)


def test_cuts_are_numbers(of_numbers):
    header, _ = take_apart(of_numbers.proof)
    cuts = header["features"][0]["cuts"]
    assert cuts[:2] == [0, 1]
    refusals(with_codes(of_numbers, cuts=[cuts[0], True, *cuts[2:]]))
