"""Cards and tables that say something twice, or in another spelling: both checkers must read them in one way."""

from __future__ import annotations

import copy
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from proof_cases import put_together, take_apart
from riskcard.proof_check.check_proof import describe_pool
from test_proof_file import answers_of_node, sentence_of
from test_proof_forgeries import (
    fitted_case,
    honest,  # noqa: F401  (a fixture)
    on_paper,  # noqa: F401
    refusals,
    run_both,
    two_columns,  # noqa: F401
    with_card,
    with_table,
)

NODE = shutil.which("node")


def both_accept(case):
    assert case.is_accepted(), sentence_of(case)
    if NODE is not None:
        (answer,) = answers_of_node([case])
        assert isinstance(answer, dict), answer


def with_certificate(case, **entries):
    card = copy.deepcopy(case.card)
    card["certificate"] |= entries
    return replace(case, card=card)


# --- a feature twice --------------------------------------------------------------------------------


def test_the_terms_of_a_feature_that_is_on_a_card_twice_are_not_hidden(honest):  # noqa: F811
    """The second entry, without terms, would be the only one that is counted."""
    (feature,) = honest.card["features"]
    more = feature | {"cuts": [-3.0, -2.0, -1.0], "points": [0, 1, 0, 0]}
    plain = feature | {"cuts": [], "points": [0], "usual": 0}
    twice = with_card(honest, features=[feature, more, plain])
    assert set(refusals(twice)) == {f"the card has the feature {feature['name']!r} twice"}


def test_a_feature_of_the_proof_is_there_once(honest):  # noqa: F811
    header, tree = take_apart(honest.proof)
    header["features"].append(copy.deepcopy(header["features"][0]))
    names = [feature["name"] for feature in header["features"]]
    card = honest.card | {"feature_names": names}
    proof = put_together(with_table(header, honest.rows), tree)
    told = refusals(replace(honest, card=card, proof=proof))
    assert set(told) == {f"the proof has the feature {names[0]!r} twice"}


# --- steps ------------------------------------------------------------------------------------------


def with_steps(case, times):
    """The card with a multiple of its points and of its multiplier: the same risks."""
    features = copy.deepcopy(case.card["features"])
    for feature in features:
        feature["points"] = [times * points for points in feature["points"]]
    return with_card(case, features=features, multiplier=times * case.card["multiplier"])


@pytest.mark.parametrize("disguise", ["values", "bins", "codes"])
def test_entries_that_no_row_needs_do_not_hide_points(honest, disguise):  # noqa: F811
    """A missing value that nobody has, bins in full, a special code that nobody has."""
    both_accept(honest)
    forged = with_steps(honest, 50)
    header, tree = take_apart(forged.proof)
    used = forged.card["features"][0]["name"]
    for feature in header["features"]:
        if disguise == "values" and feature["name"] == used:
            feature["values"] = [[None, [0]]]
        if disguise == "bins" and feature["name"] == used:
            feature["bins"] = [[code] for code in range(len(feature["cuts"]) + 1)]
    forged = replace(forged, proof=put_together(header, tree))
    if disguise == "codes":
        features = copy.deepcopy(forged.card["features"])
        features[0]["codes"] = [{"value": -77.0, "points": 0}]
        forged = with_card(forged, features=features)
    assert all("and its kind allows" in sentence for sentence in refusals(forged))


def test_steps_beside_missing_values_are_looked_at(tmp_path):
    values = [0.0, 1.0, None] * 8
    y = [0, 1, 1] * 7 + [1, 0, 0]
    case = fitted_case(tmp_path, {"a": values}, y, max_points=2)
    both_accept(case)
    feature = case.card["features"][0]
    assert feature["missing"] is not None
    more = feature | {"cuts": [0.5], "points": [0, 9], "missing": 9, "usual": 0}
    told = refusals(with_card(case, features=[more]))
    assert all("and its kind allows" in sentence for sentence in told)


def test_steps_beside_special_codes_are_accepted(tmp_path):
    """Two terms may be at one cut where a code is on either side."""
    from riskcard import CardRules, FeatureRule

    rng = np.random.default_rng(3)
    a = rng.choice([-9.0, 0.0, 1.0, 2.0], 60)
    y = ((a == 1) | (rng.random(60) < 0.3)).astype(int).tolist()
    rules = CardRules(features={"a": FeatureRule(codes=[-9])})
    case = fitted_case(tmp_path, {"a": a.tolist()}, y, rules=rules)
    both_accept(case)


# --- numbers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "weights", [{}, 0, False, "", [], {"no_event": "1.0", "event": 1.0}, {"no_event": 1.0}]
)
def test_class_weights_are_four_numbers_or_none(honest, weights):  # noqa: F811
    """With a given multiplier, empty ones would let a card have another scale than its kind."""
    told = refusals(with_certificate(honest, class_weights=weights))
    assert all("class weights" in sentence or "wrong kind" in sentence for sentence in told)


@pytest.mark.parametrize(
    "rule",
    [{"must_use": [False]}, {"groups": [[[0], None]]}, {"groups": [[[True], 1]]}, {"least": [1.0, "0"]}],
)  # fmt: skip
def test_features_of_rules_are_whole_numbers(honest, rule):  # noqa: F811
    """Python takes false for 0, and the second checker takes null for it."""
    header, tree = take_apart(honest.proof)
    card = with_certificate(honest, rules=["some rule"]).card
    proof = put_together(header | {"rules": header["rules"] | rule}, tree)
    told = refusals(replace(honest, card=card, proof=proof))
    assert set(told) == {"a rule of the header has something else than a whole number"}


def test_a_text_is_no_offset(honest):  # noqa: F811
    told = refusals(with_card(honest, offset=str(honest.card["offset"])))
    assert all("number" in sentence or "wrong kind" in sentence for sentence in told)


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("points", [True, 0]),
        ("points", [0.5, 1]),
        ("points", [0, 1, 2]),
        ("missing", True),
        ("usual", -1),
        ("usual", True),
        ("cuts", ["0.5"]),
        ("cuts", [True]),
        ("codes", [{"value": 5.0, "points": True}]),
        ("codes", [{"value": "5", "points": 1}]),
    ],
)
def test_the_points_of_a_card_are_whole_numbers(tmp_path, entry, value):
    case = fitted_case(tmp_path, {"a": [0.0, 1.0] * 6}, [0, 1, 0, 1, 1, 0] * 2)
    feature = case.card["features"][0] | {"cuts": [0.5]}
    both_accept(with_card(case, features=[feature]))
    refusals(with_card(case, features=[feature | {entry: value}]))


def test_cuts_of_a_card_ascend(tmp_path):
    """Programs that look for a value in cuts out of order find different bins."""
    case = fitted_case(tmp_path, {"a": [0.0, 1.0] * 6}, [0, 1, 0, 1, 1, 0] * 2)
    feature = case.card["features"][0]
    turned = feature | {"cuts": [7.0, 0.5], "points": [*feature["points"], 0]}
    assert all("ascending" in one for one in refusals(with_card(case, features=[turned])))


# --- pools with charges -----------------------------------------------------------------------------


def test_what_is_said_of_a_pool_names_the_charge_for_terms(tmp_path):
    """A card with a loss below the limit may be too dear for the pool."""
    from pool_cases import make_pool_case

    found = make_pool_case(0)
    header, _ = take_apart(found.case.proof)
    header["kind"]["min_gain"] = 0.25
    (first, *_) = describe_pool(header | {"pool": header["pool"] | {"choices": []}}, None, None)
    assert f"a loss plus 0.25 per term below {header['pool']['below']!r}" in first


# --- tables -----------------------------------------------------------------------------------------


@pytest.mark.skipif(NODE is None, reason="needs Node.js")
@pytest.mark.parametrize(
    ("change", "is_accepted"),
    [
        (lambda text: text.replace("\n", "\r\n"), True),
        (lambda text: "\ufeff" + text, True),
        (lambda text: text.replace("\n", "\n\n"), True),
        (lambda text: text.replace("1.0,", '"1.0",'), True),
        (lambda text: text.rstrip("\n"), True),
        (lambda text: text.replace("\n", "\r"), True),
        (lambda text: text.replace("1.0,", '1".0",', 1), False),
        (lambda text: text.replace("1.0,", '"1".0,', 1), False),
        (lambda text: text.replace("1.0,", '1.0",', 1), False),
        (lambda text: text.replace("1.0,", '"1.0,', 1), False),
        (lambda text: text + '""\n', False),
        (lambda text: text + " \n", False),
        (lambda text: text.replace("1.0,", "1,0,", 1), False),
        (lambda text: text.replace("1.0,", "1e400,"), True),
        (lambda text: text.replace("1.0,", "1.0\xa0,", 1), False),
        (lambda text: text.replace("b,a", "b ,a"), False),
    ],
)
def test_odd_tables_are_read_alike(on_paper, change, is_accepted):  # noqa: F811
    path = on_paper / "data.csv"
    text = pd.read_csv(path, dtype=str).to_csv(index=False, lineterminator="\n")
    path.write_bytes(change(text).encode())
    codes = {code for code, _ in run_both(on_paper)}
    if is_accepted is True and "1e400" in path.read_text():
        assert len(codes) == 1
    else:
        assert codes <= ({0} if is_accepted else {1, 2}), list(run_both(on_paper))


@pytest.mark.skipif(NODE is None, reason="needs Node.js")
def test_bytes_that_are_no_text_are_refused(on_paper):  # noqa: F811
    """A decoder that puts the same sign in place of every wrong byte would make different levels one."""
    path = on_paper / "data.csv"
    path.write_bytes(path.read_bytes().replace(b"b,a,ill\n", b"b,a,ill,n\n", 1))
    lines = path.read_bytes().split(b"\n")
    whole = b"\n".join([lines[0], *(line + b",\xc3\xa9" for line in lines[1:] if line)])
    path.write_bytes(whole)
    assert {code for code, _ in run_both(on_paper)} == {0}
    path.write_bytes(whole.replace(b"\xc3\xa9", b"\xe9", 1))
    assert 0 not in {code for code, _ in run_both(on_paper)}


@pytest.mark.skipif(NODE is None, reason="needs Node.js")
def test_a_header_begins_with_its_first_letter(honest):  # noqa: F811
    proof = honest.proof
    size = int.from_bytes(proof[17:21], "little")
    import hashlib

    content = proof[:17] + (size + 3).to_bytes(4, "little") + b"\xef\xbb\xbf" + proof[21:-32]
    forged = replace(honest, proof=content + hashlib.sha256(content).digest())
    assert set(refusals(forged)) == {"the header is not valid JSON"}


# --- numbers of the tree ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"\x80" * 6 + b"\x04", 2**44),
        (b"\x81" + b"\x80" * 5 + b"\x04", None),
        (b"\x80" * 7 + b"\x01", None),
        (b"\x85" + b"\x80" * 6 + b"\x00", 5),
        (b"\x85" + b"\x80" * 7 + b"\x00", None),
        (b"\x80", None),
    ],
)
def test_both_checkers_read_the_same_numbers_of_a_tree(honest, data, value):  # noqa: F811
    """As the number of a side that cannot be taken out of the list, which both name."""
    header, _ = take_apart(honest.proof)
    forged = replace(honest, proof=put_together(header | {"records": 1}, b"\x02" + data))
    told = refusals(forged)
    if value is None:
        assert not any("taken out" in sentence for sentence in told)
    else:
        assert all(f"side {value} cannot be taken out of the list" in one for one in told[:1])
        assert all("taken out" in one or "close" in one for one in told)


@pytest.mark.slow
@pytest.mark.skipif(NODE is None, reason="needs Node.js")
def test_entries_changed_at_random_are_judged_alike():
    """More of them: ``python tests/proof_entries.py``."""
    from proof_entries import differences, mutants

    found = [one for seed in (1, 3, 4) for one in mutants(seed, 25)]
    assert len(found) > 50
    assert any(is_false for _, _, is_false in found)
    assert list(differences(found)) == []
