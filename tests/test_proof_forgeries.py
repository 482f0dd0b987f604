"""Forged proofs: headers and certificates that would make a false claim pass, each with its refusal.

The adversary may write any card, header and tree, with hashes put right. Each forgery here claims a bound
that a card of the stated kind is below, or states something else that is not so.
"""

from __future__ import annotations

import copy
import hashlib
import json
import shutil
import subprocess
import sys
from bisect import bisect_left
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from proof_cases import Case, number, put_together, take_apart
from riskcard import RiskScoreClassifier, write_proof
from riskcard.proof_check.check_proof import (
    PARTS,
    Body,
    Checker,
    Node,
    Refused,
    Rows,
    Table,
    check,
    describe,
    loss_at,
)
from riskcard.proof_check.check_proof import __file__ as CHECKER
from test_proof_file import answers_of_node

NODE = shutil.which("node")


def fitted_case(folder, columns, y, **settings):
    """A card with its proof, made honestly."""
    X = pd.DataFrame(columns)
    model = RiskScoreClassifier(1, regularization=None, certify=True, identifiers=None, **settings)
    model.fit(X, y)
    write_proof(folder / "card.proof", model.card_, X, y)
    values = {
        name: [None if one is None or one != one else one for one in X[name].tolist()] for name in X
    }
    rows = Rows(values, [label == 1 for label in y])
    proof = (folder / "card.proof").read_bytes()
    return Case(json.loads(model.card_.to_json()), rows, proof, model.loss_)


@pytest.fixture
def two_columns():
    """The outcome follows a, and has little to do with b."""
    rng = np.random.default_rng(5)
    b, a = rng.integers(0, 3, 60).astype(float), rng.integers(0, 3, 60).astype(float)
    return {"b": b, "a": a}, ((a > 0) & (rng.random(60) < 0.9)).astype(int).tolist()


@pytest.fixture
def without_a(tmp_path, two_columns):
    """A proof about the feature b alone, whose rows and card have the feature a as well."""
    columns, y = two_columns
    case = fitted_case(tmp_path, {"b": columns["b"]}, y)
    assert fitted_case(tmp_path, columns, y).best < 0.5 * case.best
    rows = replace(case.rows, values={name: list(map(float, columns[name])) for name in columns})
    return replace(case, rows=rows, card=case.card | {"feature_names": ["b", "a"]})


def codes_of(feature, value):
    """The codes of a value in all columns of a feature."""
    for known, codes in feature["values"]:
        if known == value:
            return codes
    bins = feature["bins"] or [[code] for code in range(len(feature["cuts"]) + 1)]
    return bins[bisect_left(feature["cuts"], value)]


def with_table(header, rows):
    """The header with the hash of the table that it describes; weights are 1."""
    found = {}
    for i, is_event in enumerate(rows.is_event):
        codes = ()
        for feature in header["features"]:
            own = codes_of(feature, rows.values[feature["name"]][i])
            codes += tuple(own[: len(feature["most"])])
        found.setdefault(codes, [0, 0])[not is_event] += 1
    lines = [f"{','.join(map(str, codes))}:{e},{o}\n" for codes, (e, o) in sorted(found.items())]
    return header | {"table": hashlib.sha256("".join(lines).encode()).hexdigest()}


def with_feature(case, **entries):
    """The case with a feature more in its header."""
    header, tree = take_apart(case.proof)
    feature = {"name": "a", "cuts": [0.0, 1.0], "bins": None, "values": [], "most_terms": 1}
    header["features"].append(feature | entries)
    header["rules"]["costs"] = [0.0, 0.0]
    return replace(case, proof=put_together(with_table(header, case.rows), tree))


def refusals(case):
    """What both checkers say; fails if one accepts."""
    with pytest.raises(Refused) as refused:
        check(case.card, case.rows, case.proof)
    answers = [str(refused.value)]
    if NODE is not None:
        answers += answers_of_node([case])
        assert isinstance(answers[1], str), answers[1]
    return answers


# --- conditions that are not in the tree -----------------------------------------------------------


def test_a_column_without_points_of_two_sides_is_refused(without_a):
    """Its sides would not be in the tree, although no rule forbids them."""
    for most in ([], [5], [5, 5, 5]):
        told = refusals(with_feature(without_a, most=[most]))
        assert "points" in told[0]


def test_a_feature_without_columns_is_refused(without_a):
    told = refusals(with_feature(without_a, most=[]))
    assert set(told) == {"the cuts of 'a' do not tell all of its values apart"}


def test_the_forgeries_are_about_something(without_a):
    """With both sides of the feature, the same tree does not close."""
    told = refusals(with_feature(without_a, most=[[5, 5]]))
    assert all("close" in sentence for sentence in told)


def forged_tree(checker, node=None):
    """A tree that calls every node empty that the checker lets pass, and closes the others by a good model.

    Returns its records as bytes, their number, and how many are closed.
    """
    node = node or Node((), checker.max_terms)
    for rule in range(1, 9):
        try:
            checker.require_empty(node, rule)
        except Refused:
            continue
        return bytes([4, rule]), 1, 0
    open_sides = [side for side in checker.sides if not node.excluded >> side & 1]
    wide = [place for place, slot in enumerate(node.slots) if slot[1] < slot[2]]
    if node.listed and open_sides:
        record = bytes([2]) + number(open_sides[0])
        checker.body = Body(record[1:])
        children = checker.by_side(node)
    elif wide:
        record = bytes([3]) + number(wide[0]) + number(0)
        checker.body = Body(record[1:])
        children = checker.by_cut(node)
    else:
        return model_of(checker, node), 1, 1
    parts = [forged_tree(checker, child) for child in children]
    return (
        record + b"".join(part[0] for part in parts),
        1 + sum(part[1] for part in parts),
        sum(part[2] for part in parts),
    )


def model_of(checker, node):
    """The best log-odds for the conditions of a node with steps from 0 on, by plain steps of Newton."""
    table = checker.table
    columns = [np.ones(len(table.events))]
    for side, cut, _, _ in node.slots:
        codes = np.array(table.columns[side >> 1].codes)
        columns.append(codes > cut if side & 1 else codes <= cut)
    X, events = np.stack(columns, 1).astype(float), np.array(table.events, dtype=float)
    weights = events + np.array(table.others, dtype=float)
    is_free = np.ones(X.shape[1], dtype=bool)
    beta = np.array([0.0, *[-1.0] * len(node.slots)])
    while (beta[1:] < 0).any():
        beta = np.zeros(X.shape[1])
        for _ in range(30):
            p = 1 / (1 + np.exp(-X @ beta))
            hessian = (X * (weights * p * (1 - p))[:, None]).T @ X + 1e-9 * np.eye(len(beta))
            slope = X.T @ (events - weights * p)
            beta[is_free] += np.linalg.solve(hessian[np.ix_(is_free, is_free)], slope[is_free])
        is_free[1:] &= beta[1:] >= 0
    whole = np.round(beta * 2**24).astype(int).tolist()
    record = bytes([1, 24]) + number(2 * whole[0] if whole[0] >= 0 else -2 * whole[0] - 1)
    record += number(len(node.slots))
    for (side, cut, _, _), step in zip(node.slots, whole[1:], strict=True):
        record += number(side) + number(cut) + number(step)
    return record


@pytest.fixture
def in_between(tmp_path):
    """Values 0, 1 and 2, of which only 1 has the event often: two cuts are far better than one."""
    values = np.repeat([0.0, 1.0, 2.0], 20)
    y = ((values == 1.0) ^ (np.arange(60) % 10 == 0)).astype(int).tolist()
    return fitted_case(tmp_path, {"a": values}, y)


def forged(case, feature, **certificate):
    """The card of one term with a kind of two, the feature as given, and a tree of what passes for empty."""
    card = copy.deepcopy(case.card)
    kind = {"max_terms": 2, "max_cuts_per_feature": 2}
    card["certificate"] |= kind | certificate
    header, _ = take_apart(case.proof)
    header["kind"] |= kind
    header["features"] = [header["features"][0] | {"most_terms": 2} | feature]
    header = with_table(header, case.rows)
    try:
        checker = Checker(header, Table(header, case.rows), None)
        tree, records, closed = forged_tree(checker)
    except Refused:
        tree, records, closed = b"", 0, 0
    header |= {"records": records, "closed": closed}
    return replace(case, card=card, proof=put_together(header, tree))


def test_the_tree_of_the_adversary_is_accepted_where_its_claim_is_true(in_between):
    two = forged(in_between, {})
    assert not two.is_accepted()  # two cuts are better, and were not called empty
    header, tree = take_apart(two.proof)
    header["bound"] = two.card["certificate"]["bound"] = 0.4 * in_between.bound
    two.card["certificate"]["status"] = "gap_reached"
    assert replace(two, proof=put_together(header, tree)).is_accepted()


@pytest.mark.parametrize("is_grid_full", [True, False])
def test_numbers_with_codes_beside_their_bins_are_refused(in_between, is_grid_full):
    """Bins in which no row is would make two cuts look like one."""
    feature = {"cuts": [0.5], "bins": [[0], [2]], "values": [[0.0, [0]], [1.0, [1]], [2.0, [2]]]}
    told = refusals(forged(in_between, feature, is_grid_full=is_grid_full))
    assert all("has bins for its numbers, and other codes for one of them" in one for one in told)


def test_bins_without_rows_do_not_make_two_conditions_one(tmp_path):
    """Level x or not, and level y or not, are two conditions, wherever a number that no row has would be."""
    words = ["x"] * 20 + ["y"] * 20 + ["z"] * 20
    y = [int((word in "xy") ^ (i % 10 == 0)) for i, word in enumerate(words)]
    case = fitted_case(tmp_path, {"a": words}, y)
    # in the first column the number and x are 0, in the second the number and y are 1
    feature = {
        "cuts": [0.0],
        "bins": [[0, 1], [1, 0]],
        "values": [["x", [0, 0]], ["y", [1, 1]], ["z", [1, 0]]],
        "most": [[5, 5]] * 2,
    }
    told = refusals(forged(case, feature))
    assert all("close" in one for one in told)


def test_a_feature_that_must_be_used_counts_once(tmp_path, two_columns):
    """A list of one term has room for one feature, however often that is listed."""
    case = fitted_case(tmp_path, two_columns[0], two_columns[1])
    header, _ = take_apart(case.proof)
    header["rules"]["must_use"] = [0, 0]
    header |= {"records": 1, "closed": 0}
    card = copy.deepcopy(case.card)
    card["certificate"]["rules"] = ["'b' must be used"]
    told = refusals(replace(case, card=card, proof=put_together(header, bytes([4, 7]))))
    assert all("but keeps it" in one for one in told)


# --- what the certificate states ------------------------------------------------------------------


@pytest.mark.parametrize("entry", ["loss", "bound", "pseudo_rows", "smooth_rows", "min_gain"])
@pytest.mark.parametrize("stated", [None, "12", "x", True, [], {}])
def test_numbers_of_the_certificate_are_numbers(without_a, entry, stated):
    card = copy.deepcopy(without_a.card) | {"feature_names": ["b"]}
    assert replace(without_a, card=card).is_accepted()
    card["certificate"][entry] = stated
    refusals(replace(without_a, card=card))
    del card["certificate"][entry]
    refusals(replace(without_a, card=card))


@pytest.mark.parametrize("word", ["1e999", "-1e999"])
def test_numbers_beyond_all_bounds_are_refused(without_a, word):
    text = json.dumps(without_a.card | {"feature_names": ["b"]})
    for entry in ("loss", "bound"):
        own = json.dumps(without_a.card["certificate"][entry])
        card = json.loads(text.replace(f'"{entry}": {own}', f'"{entry}": {word}'))
        assert abs(card["certificate"][entry]) == float("inf")
        with pytest.raises(Refused):
            check(card, without_a.rows, without_a.proof)


def test_bounds_are_not_compared_as_texts(without_a):
    """As texts, 1000 is below 40.9."""
    header, tree = take_apart(without_a.proof)
    card = copy.deepcopy(without_a.card) | {"feature_names": ["b"]}
    card["certificate"]["bound"] = "1000"
    header["bound"] = str(header["bound"])
    refusals(replace(without_a, card=card, proof=put_together(header, tree)))


def test_a_card_called_optimal_has_no_gap(without_a):
    header, tree = take_apart(without_a.proof)
    card = copy.deepcopy(without_a.card) | {"feature_names": ["b"]}
    assert card["certificate"]["status"] == "optimal"
    header["bound"] = card["certificate"]["bound"] = header["bound"] * (1 - 2e-6)
    told = refusals(replace(without_a, card=card, proof=put_together(header, tree)))
    assert all("is called optimal, but the gap is" in one for one in told)


@pytest.mark.parametrize("scale", [True, None, [], "1.0", -1.0, 0])
def test_a_scale_is_a_word_that_is_known_or_a_number_above_0(without_a, scale):
    header, tree = take_apart(without_a.proof)
    card = copy.deepcopy(without_a.card) | {"feature_names": ["b"]}
    header["kind"]["scale"] = card["certificate"]["scale"] = scale
    refusals(replace(without_a, card=card, proof=put_together(header, tree)))


def test_rules_are_a_list(without_a):
    card = copy.deepcopy(without_a.card) | {"feature_names": ["b"]}
    card["certificate"]["rules"] = {"length": 1}
    refusals(replace(without_a, card=card))


@pytest.mark.skipif(NODE is None, reason="needs Node.js")
def test_both_checkers_name_the_same_things_that_they_take_as_given(tmp_path):
    rng = np.random.default_rng(2)
    words = rng.choice(list("uvwxyz"), 50)
    a = np.where(rng.random(50) < 0.1, np.nan, rng.integers(0, 4, 50))
    y = ((words > "w") ^ (rng.random(50) < 0.2)).astype(int).tolist()
    case = fitted_case(tmp_path, {"a": a, "b": words}, y)
    assert check(case.card, case.rows, case.proof).sentences == ()
    card = copy.deepcopy(case.card)
    card["certificate"] |= {"rules": ["a sign"], "is_grid_full": False}
    found = answers_of_node([case, replace(case, card=card)])
    for one, answer in zip([case, replace(case, card=card)], found, strict=True):
        assert list(check(one.card, one.rows, one.proof).sentences) == answer["sentences"]
    assert found[1]["sentences"] == [
        "That the listed conditions and points are those of this rule was not checked: a sign."
    ]


@pytest.mark.skipif(NODE is None, reason="needs Node.js")
def test_both_checkers_name_features_of_which_not_all_conditions_are_listed(tmp_path):
    """A missing value, or a text, does not make a short list of conditions a full one."""
    rng = np.random.default_rng(2)
    a = np.where(rng.random(50) < 0.1, np.nan, rng.integers(0, 4, 50))
    y = ((np.nan_to_num(a) > 1) ^ (rng.random(50) < 0.2)).astype(int).tolist()
    case = fitted_case(tmp_path, {"a": a, "b": rng.integers(0, 2, 50).astype(float)}, y)
    # no condition on a at all: the card without terms of a claims to be the best
    alone = fitted_case(tmp_path, {"b": case.rows.values["b"]}, y)
    header, tree = take_apart(alone.proof)
    feature = {"name": "a", "cuts": [], "bins": None, "values": [[None, [0]]], "most": [[5, 5]]}
    header["features"].append(feature | {"most_terms": 1})
    header["rules"]["costs"] = [0.0, 0.0]
    header = with_table(header, case.rows)
    card = alone.card | {"feature_names": ["a", "b"]}
    short = replace(case, card=card, proof=put_together(header, tree))
    told = check(card, case.rows, short.proof).sentences
    assert "does not list all that their values allow: a." in told[0]
    assert answers_of_node([short])[0]["sentences"] == list(told)


def test_a_card_with_a_scale_beyond_all_bounds_is_told_at_once(without_a):
    from fractions import Fraction

    assert loss_at(Fraction(1e300)) < Fraction(1, 2**80)
    assert loss_at(Fraction(-1e300)) >= Fraction(1e300)


def test_the_chance_to_miss_a_fault_in_a_sample_is_that_of_the_sample(without_a):
    card = without_a.card | {"feature_names": ["b"]}
    verdict = replace(check(card, without_a.rows, without_a.proof), closed=1000, checked_share=0.5)
    told = " ".join(describe(verdict))
    assert "with a chance of 0.00098; a single one with 0.5." in told
    assert told.startswith("No fault found in a part of the proof. The proof claims that no card")


def test_the_gap_is_printed_rounded_up(without_a):
    card = without_a.card | {"feature_names": ["b"]}
    verdict = replace(check(card, without_a.rows, without_a.proof), gap=0.10001)
    assert "at most 10.1 % from the best" in " ".join(describe(verdict))


# --- the rows -------------------------------------------------------------------------------------


@pytest.fixture
def on_paper(tmp_path, two_columns):
    """Card, table and proof as files."""
    case = fitted_case(tmp_path, two_columns[0], two_columns[1])
    (tmp_path / "card.json").write_text(json.dumps(case.card | {"outcome": "ill"}))
    pd.DataFrame(case.rows.values).assign(ill=two_columns[1]).to_csv(
        tmp_path / "data.csv", index=False
    )
    return tmp_path


def run_both(folder):
    """Exit code and answer of each checker on the files of a folder."""
    paths = [str(folder / name) for name in ("card.json", "data.csv", "card.proof")]
    commands = [[sys.executable, "-I", CHECKER]]
    if NODE is not None:
        commands.append([NODE, CHECKER.replace(".py", ".js")])
    for command in commands:
        done = subprocess.run([*command, *paths], capture_output=True, text=True, check=False)
        assert done.stderr == ""
        yield done.returncode, done.stdout


def test_both_checkers_accept_the_files(on_paper):
    assert [code for code, _ in run_both(on_paper)] == [0] * (1 + (NODE is not None))


@pytest.mark.skipif(NODE is None, reason="needs Node.js")
def test_the_second_checker_reads_weights(on_paper):
    columns = pd.read_csv(on_paper / "data.csv").assign(w=1.0)
    columns.to_csv(on_paper / "data.csv", index=False)
    paths = [str(on_paper / name) for name in ("card.json", "data.csv", "card.proof")]
    command = [NODE, CHECKER.replace(".py", ".js"), *paths, "ill", "w"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    columns.assign(w=-1.0).to_csv(on_paper / "data.csv", index=False)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "Refused: a weight is below 0.\n")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (",0\n", ",maybe\n", "label 'maybe'"),
        (",0\n", ",\n", "label ''"),
        (",0\n", "\n", "cells, not 3"),
        ("b,a,ill", "a,a,ill", "columns 'b', not one"),
        ("b,a,ill", "b,ill,ill", "not one"),
    ],
)
def test_rows_that_can_be_read_in_two_ways_are_refused(on_paper, old, new, told):
    path = on_paper / "data.csv"
    path.write_text(path.read_text().replace(old, new, 1))
    for code, answer in run_both(on_paper):
        assert code == 1
        assert told in answer


def test_rubbish_is_answered_with_a_sentence(on_paper):
    (on_paper / "data.csv").write_bytes(b"\xff\xfe\x00rubbish")
    for code, answer in run_both(on_paper):
        assert code > 0
        assert len(answer.splitlines()) == 1
    (on_paper / "card.json").write_text("[1, 2]")
    for code, answer in run_both(on_paper):
        assert code > 0
        assert len(answer.splitlines()) == 1


@pytest.mark.parametrize("spelled", [" 1 ", "1e0", "+1.0", "1.", "10e-1"])
def test_both_checkers_read_the_same_decimal_numbers(on_paper, spelled):
    table = pd.read_csv(on_paper / "data.csv", dtype=str)
    table["a"] = table["a"].replace({"1": spelled, "1.0": spelled})
    assert (table["a"] == spelled).any()
    table.to_csv(on_paper / "data.csv", index=False)
    assert {code for code, _ in run_both(on_paper)} == {0}


@pytest.mark.parametrize("word", ["1_0", "0x1", "inf", "nan", "Infinity", "1e", "0b1", "١"])
def test_what_only_one_language_calls_a_number_is_a_text_for_both(on_paper, word):
    table = pd.read_csv(on_paper / "data.csv", dtype=str)
    table.loc[0, "a"] = word
    table.to_csv(on_paper / "data.csv", index=False)
    for code, answer in run_both(on_paper):
        assert code == 1
        assert f"'a' has the value '{word}', which the proof does not know" in answer


def test_columns_that_are_not_used_are_not_read(on_paper):
    table = pd.read_csv(on_paper / "data.csv")
    table["name"], table["note"] = "1_0", '"quoted", and\nlong'
    table.columns = ["b", "a", "ill", "note", "note"]
    table.to_csv(on_paper / "data.csv", index=False)
    assert {code for code, _ in run_both(on_paper)} == {0}


def test_another_table_is_named_as_such(on_paper):
    table = pd.read_csv(on_paper / "data.csv")
    for other in (table.assign(a=None), table.assign(a="x"), table[1:], table.assign(a=table["b"])):
        other.to_csv(on_paper / "data.csv", index=False)
        for code, answer in run_both(on_paper):
            assert code == 1
            assert "the rows are not those of the proof" in answer


# --- entries twice ----------------------------------------------------------------------------------


def with_text(proof, change):
    """A file with a changed text of its header, and the right hash."""
    size = int.from_bytes(proof[17:21], "little")
    text = change(proof[21 : 21 + size].decode()).encode()
    content = proof[:17] + len(text).to_bytes(4, "little") + text + proof[21 + size : -32]
    return content + hashlib.sha256(content).digest()


@pytest.mark.parametrize("entry", ['"bound":1e99,', '"bo\\u0075nd":1e99,'])
def test_an_entry_of_the_header_twice_is_refused(without_a, entry):
    twice = with_text(without_a.proof, lambda text: text.replace("{", "{" + entry, 1))
    told = refusals(replace(without_a, proof=twice))
    assert set(told) <= {f"in the header the entry {q}bound{q} is there twice" for q in "'"}


def test_an_entry_of_the_card_twice_is_refused(on_paper):
    path = on_paper / "card.json"
    path.write_text(path.read_text().replace("{", '{"base": 0, ', 1))
    for code, answer in run_both(on_paper):
        assert code == 2
        assert "'base' is there twice" in answer


# --- the card itself --------------------------------------------------------------------------------


@pytest.fixture
def honest(tmp_path, two_columns):
    """A card of both columns whose proof is accepted."""
    return fitted_case(tmp_path, *two_columns)


def with_card(case, **entries):
    """The case with another card, in the file as well."""
    header, tree = take_apart(case.proof)
    own = header["card"] | entries
    own["features"] = [
        {part: one[part] for part in one if part in PARTS} for one in own["features"]
    ]
    proof = put_together(header | {"card": own}, tree)
    return replace(case, card=copy.deepcopy(case.card) | entries, proof=proof)


def test_a_card_with_more_points_than_its_kind_allows_is_refused(honest):
    features = copy.deepcopy(honest.card["features"])
    for feature in features:
        feature["points"] = [50 * points for points in feature["points"]]
    more = with_card(honest, features=features, multiplier=50 * honest.card["multiplier"])
    assert all("and its kind allows" in sentence for sentence in refusals(more))


def test_a_card_with_more_terms_than_its_kind_allows_is_refused(honest):
    features = copy.deepcopy(honest.card["features"])
    features[0] |= {"cuts": [-3.0, -2.0, -1.0, 0.0], "points": [0, 1, 0, 1, 0]}
    assert all(
        "and its kind allows" in sentence
        for sentence in refusals(with_card(honest, features=features))
    )


def test_a_card_whose_scale_falls_is_refused(honest):
    turned = with_card(honest, multiplier=-honest.card["multiplier"])
    assert set(refusals(turned)) == {"the multiplier of the card is not above 0"}


def test_a_card_that_breaks_a_rule_of_its_proof_is_refused(honest):
    case = honest
    header, tree = take_apart(case.proof)
    used = [feature["name"] for feature in case.card["features"]]
    (unused,) = [i for i, one in enumerate(header["features"]) if one["name"] not in used]
    card = copy.deepcopy(case.card)
    card["certificate"]["rules"] = ["some rule"]
    for rules in (
        {"must_use": [unused]},
        {"budget": 1.0, "costs": [2.0, 2.0]},
        {"groups": [[[0, 1], 0]]},
    ):
        proof = put_together(header | {"rules": header["rules"] | rules}, tree)
        told = refusals(replace(case, card=card, proof=proof))
        assert all("breaks a rule of the proof" in sentence for sentence in told)


@pytest.mark.parametrize("seed", range(8))
def test_a_scale_that_is_forged_everywhere_is_accepted_only_where_its_claim_is_true(seed):
    from oracle.enumerate_cards import enumerate_cards
    from proof_cases import SCALES, make_case, random_rows
    from riskcard.problem.problem import Scale

    for scale in SCALES:
        model = RiskScoreClassifier(
            2, max_points=2, scale=scale, regularization=None, certify=True, identifiers=None
        )
        case = make_case(seed, model)
        if case is None:
            continue
        header, tree = take_apart(case.proof)
        X, y = random_rows(np.random.default_rng(seed))
        for other in ("calibrated", "multiplier", 0.7, 1.0, 2.0):
            card = copy.deepcopy(case.card)
            card["certificate"]["scale"] = other
            limit = header["kind"]["max_log_odds"]
            kind = header["kind"] | {"scale": other}
            forged = replace(case, card=card, proof=put_together(header | {"kind": kind}, tree))
            if other != scale and forged.is_accepted() and not case.rows.weights:
                training, layout, problem = model.pose(X, y)
                best = enumerate_cards(replace(problem, scale=Scale.parse(other, limit))).loss
                unit = float(training.table.weights.sum() / layout.data.weights.sum())
                assert forged.bound <= best * unit


@pytest.mark.skipif(NODE is None, reason="needs Node.js")
@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("features", 0, "values"), {}),
        (("features", 0, "values"), ""),
        (("features", 0, "values"), [[None, [0], None]]),
        (("rules", "must_use"), {}),
        (("features", 0, "most_terms"), 1e300),
        (("card", "features", 0, "points", 1), True),
        (("rules", "groups"), ""),
        (("kind", "max_points"), 2**53),
        (("pool",), {}),
        (("pool",), False),
    ],
)
def test_headers_that_one_checker_once_took_are_refused_by_both(tmp_path, place, value):
    """Found by changing headers at random and comparing the two checkers."""
    case = fitted_case(tmp_path, {"a": [0.0, 1.0] * 6}, [0, 1, 0, 1, 1, 0] * 2)
    header, tree = take_apart(case.proof)
    owner = header
    for name in place[:-1]:
        owner = owner[name]
    owner[place[-1]] = value
    card = copy.deepcopy(case.card)
    if place[0] == "kind":
        card["certificate"][place[-1]] = value
    forged = replace(case, card=card, proof=put_together(header, tree))
    assert not forged.is_accepted()
    assert isinstance(answers_of_node([forged])[0], str)


@pytest.mark.skipif(NODE is None, reason="needs Node.js")
def test_whole_numbers_may_be_written_with_a_point(tmp_path):
    case = fitted_case(tmp_path, {"a": [0.0, 1.0] * 6}, [0, 1, 0, 1, 1, 0] * 2)
    header, tree = take_apart(case.proof)
    header["kind"]["max_points"] = float(header["kind"]["max_points"])
    written = replace(case, proof=put_together(header, tree))
    assert written.is_accepted()
    assert isinstance(answers_of_node([written])[0], dict)
