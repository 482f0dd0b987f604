"""Proof files: their bounds against enumeration, and that every fault in them is refused."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from proof_cases import (
    closed_by_card,
    damaged_bytes,
    false_claims,
    faults,
    make_case,
    put_together,
    take_apart,
    with_claim,
)
from riskcard import (
    CardRules,
    FeatureGroup,
    FeatureRule,
    ParameterError,
    Regularization,
    RiskScoreClassifier,
    improve,
    write_proof,
)
from riskcard.cli.main import main
from riskcard.proof_check.check_proof import Chances, Refused, check, describe, loss_at, open_proof
from riskcard.proof_check.check_proof import __file__ as CHECKER
from riskcard.search.proof.entropy_table import entropy_table

SEEDS = range(12)


@pytest.fixture(scope="module")
def cases():
    return [case for seed in SEEDS if (case := make_case(seed)) is not None]


@pytest.fixture(scope="module")
def plain_case():
    """A calibrated card on numbers alone, without weights and rules."""
    model = RiskScoreClassifier(2, max_points=2, regularization=None, certify=True)
    return make_case(3, model)


def sentence_of(case):
    with pytest.raises(Refused) as refused:
        check(case.card, case.rows, case.proof)
    return str(refused.value)


# --- what is proven is true -----------------------------------------------------------------------


def test_files_are_accepted_and_no_card_is_below_their_bound(cases):
    for case in cases:
        verdict = check(case.card, case.rows, case.proof)
        assert verdict.bound == case.bound
        assert verdict.bound <= case.best * (1 + 1e-12)
        assert verdict.loss == pytest.approx(case.card["certificate"]["loss"], rel=1e-9)


def test_every_file_with_a_fault_is_refused(cases):
    for number, case in enumerate(cases):
        for name, faulty in faults(case, np.random.default_rng(number)):
            assert not faulty.is_accepted(), name


def test_a_bound_above_the_best_card_is_never_accepted(cases):
    for case in cases:
        assert not with_claim(case, case.best * (1 + 1e-9)).is_accepted()


def test_a_lower_bound_than_the_tree_proves_is_accepted(plain_case):
    lower = with_claim(plain_case, plain_case.bound * 0.99)
    lower.card["certificate"]["status"] = "gap_reached"
    assert lower.is_accepted()


def test_the_card_itself_closes_nothing_that_is_true_only_of_itself(cases):
    """Without what other cards may gain, its chances would close the root of every problem."""
    found = [one for case in cases if (one := closed_by_card(case)) is not None]
    assert len(found) >= 4
    refused = [sentence_of(one) for one in found if not one.is_accepted()]
    assert any("the node is not closed" in sentence for sentence in refused)


# --- each fault has its sentence -------------------------------------------------------------------


def test_damaged_bytes_are_told_by_the_hash(plain_case):
    for _, damaged in damaged_bytes(plain_case, np.random.default_rng(0)):
        assert "SHA-256" in sentence_of(damaged) or "does not begin with" in sentence_of(damaged)


def test_a_tree_with_a_byte_more_or_less_is_refused_where_it_ends(plain_case):
    header, tree = take_apart(plain_case.proof)
    longer = replace(plain_case, proof=put_together(header, tree + b"\0"))
    assert sentence_of(longer) == "1 bytes follow the end of the tree"
    shorter = replace(plain_case, proof=put_together(header, tree[:-1]))
    assert "record" in sentence_of(shorter)


def test_a_dropped_node_is_refused(plain_case):
    header, _ = take_apart(plain_case.proof)
    # the root alone, called closed
    header = header | {"records": 1, "closed": 1}
    forged = put_together(header, bytes([1, 0, 0, 0]))
    assert "the node is not closed" in sentence_of(replace(plain_case, proof=forged))


def test_a_node_that_has_cards_cannot_be_called_empty(plain_case):
    header, _ = take_apart(plain_case.proof)
    for rule in range(9):
        forged = put_together(header | {"records": 1, "closed": 0}, bytes([4, rule]))
        assert "but keeps it" in sentence_of(replace(plain_case, proof=forged))


def test_another_card_is_named(plain_case):
    card = copy.deepcopy(plain_case.card)
    card["offset"] += 0.125
    assert sentence_of(replace(plain_case, card=card)) == (
        "the proof is about another card: 'offset' differs"
    )


def test_other_rows_are_refused(plain_case):
    rows = copy.deepcopy(plain_case.rows)
    rows.is_event[0] = not rows.is_event[0]
    assert "the rows are not those of the proof" in sentence_of(replace(plain_case, rows=rows))


def test_a_card_without_a_certificate_is_refused(plain_case):
    card = plain_case.card | {"certificate": None}
    assert "no certificate" in sentence_of(replace(plain_case, card=card))


def test_a_cut_that_is_left_out_is_refused(plain_case):
    header, tree = take_apart(plain_case.proof)
    features = copy.deepcopy(header["features"])
    longest = max(features, key=lambda feature: len(feature["cuts"]))
    longest["cuts"].pop()
    forged = replace(plain_case, proof=put_together(header | {"features": features}, tree))
    assert "the rows are not those of the proof" in sentence_of(forged)


def test_pseudo_observations_that_the_card_does_not_have_are_refused(plain_case):
    header, tree = take_apart(plain_case.proof)
    weights = header["weights"] | {"extra": [[0], [0]]}
    forged = replace(plain_case, proof=put_together(header | {"weights": weights}, tree))
    assert not forged.is_accepted()


def digest_of(rows, features):
    """The hash of a merged table, worked out again; weights are 1."""
    import hashlib
    from bisect import bisect_left

    found = {}
    for i, is_event in enumerate(rows.is_event):
        codes = ()
        for feature in features:
            value = rows.values[feature["name"]][i]
            known = dict(map(tuple, feature["values"]))
            codes += tuple(known.get(value, [bisect_left(feature["cuts"], value)]))
        found.setdefault(codes, [0, 0])[not is_event] += 1
    lines = [f"{','.join(map(str, codes))}:{e},{o}\n" for codes, (e, o) in sorted(found.items())]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


@pytest.fixture
def number_case(tmp_path):
    """Two numbers without missing values."""
    return case_of(tmp_path, *fitted())


def test_values_that_are_given_other_codes_than_their_bins_are_refused(number_case):
    header, tree = take_apart(number_case.proof)
    assert digest_of(number_case.rows, header["features"]) == header["table"]
    features = copy.deepcopy(header["features"])
    features[0]["values"] = [[2.0, [0]]]  # 2 is no longer between 1 and 3
    header |= {"features": features, "table": digest_of(number_case.rows, features)}
    forged = replace(number_case, proof=put_together(header, tree))
    assert sentence_of(forged) == ("'a' has bins for its numbers, and other codes for one of them")


@pytest.mark.parametrize("name", ["max_terms", "max_features", "max_points"])
@pytest.mark.parametrize("number", [-1, 0, 1.5])
def test_kinds_without_cards_are_refused(number_case, name, number):
    header, tree = take_apart(number_case.proof)
    card = copy.deepcopy(number_case.card)
    header["kind"][name] = card["certificate"][name] = number
    forged = replace(number_case, card=card, proof=put_together(header, tree))
    assert not forged.is_accepted()


def test_rows_without_weight_do_not_count(number_case):
    rows = copy.deepcopy(number_case.rows)
    rows.weights = [1.0] * len(rows.is_event) + [0.0]
    rows.is_event.append(True)
    for column in rows.values.values():
        column.append(99.0)
    assert replace(number_case, rows=rows).is_accepted()


@pytest.mark.parametrize(
    "entry", ["bound", "kind", "weights", "features", "rules", "table", "card"]
)
def test_a_header_without_an_entry_or_with_nonsense_is_refused(plain_case, entry):
    header, tree = take_apart(plain_case.proof)
    without = {name: value for name, value in header.items() if name != entry}
    assert not replace(plain_case, proof=put_together(without, tree)).is_accepted()
    for nonsense in (None, "x", [], {}, -1, True, float("nan"), float("inf"), 1e308):
        forged = put_together(header | {entry: nonsense}, tree)
        assert not replace(plain_case, proof=forged).is_accepted(), nonsense


# --- the arithmetic --------------------------------------------------------------------------------


def test_the_table_of_writer_and_checker_is_the_same():
    chances, entropies = entropy_table()
    knots = Chances().knots
    for k in [*range(0, 65_537, 1009), 65_536]:
        assert knots[k] == (chances[k], entropies[k])


def test_chances_lie_below_the_entropy_and_near_the_logistic_curve():
    table = Chances()
    for whole in np.linspace(-32 * 2**32, 32 * 2**32, 1001).astype(int).tolist():
        z, (chance, entropy) = whole / 2**32, table[whole]
        p = chance / 2**61
        true = -sum(q * np.log(q) for q in (p, 1 - p) if q > 0)
        assert p == pytest.approx(1 / (1 + np.exp(-z)), abs=2e-12)
        assert 0 <= true - entropy / 2**61 <= 3e-8 * p * (1 - p) + 2e-12


def test_the_loss_of_a_margin_is_rounded_up():
    from fractions import Fraction

    for margin in (-40.0, -3.7, -1e-9, 0.0, 0.3, 5.0, 700.0):
        found = float(loss_at(Fraction(margin)))
        assert found == pytest.approx(np.logaddexp(0.0, -margin), rel=1e-13, abs=1e-26)


def test_a_sample_of_the_bounds_is_said_to_be_one(plain_case):
    verdict = check(plain_case.card, plain_case.rows, plain_case.proof, sample=1)
    assert 0 < verdict.checked_share < 1


# --- what can be written ---------------------------------------------------------------------------


def small_table(n_rows=40):
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"a": rng.integers(0, 5, n_rows), "b": rng.integers(0, 4, n_rows)}).astype(
        float
    )
    y = (X["a"] + rng.normal(0, 2, n_rows) > 2).astype(int)
    return X, y


def fitted(rules=None, **settings):
    X, y = small_table()
    settings = {"regularization": None, "certify": True} | settings
    return RiskScoreClassifier(2, rules=rules, **settings).fit(X, y), X, y


def case_of(folder, model, X, y):
    """The proof of a card as both checkers see it."""
    from proof_cases import Case
    from riskcard.model.card_json import card_to_json
    from riskcard.proof_check.check_proof import Rows

    write_proof(folder / "card.proof", model.card_, X, y)
    rows = Rows({column: X[column].tolist() for column in X}, (y == 1).tolist())
    proof = (folder / "card.proof").read_bytes()
    return Case(json.loads(card_to_json(model.card_)), rows, proof, model.loss_)


RULES = {
    "a feature that must be used": CardRules(features={"b": FeatureRule(use="must")}),
    "a budget": CardRules(
        features={"a": FeatureRule(cost=2.0), "b": FeatureRule(cost=1.5)}, budget=2.0
    ),
    "a group": CardRules(groups=(FeatureGroup(features=("a", "b"), at_most=1),)),
    "least rows of a bin": CardRules(min_bin_rows=8),
    "least events of a bin": CardRules(min_bin_rows=3, min_bin_events=2),
    "a direction": CardRules(features={"a": FeatureRule(direction="falls")}),
}


@pytest.mark.parametrize("name", RULES)
def test_proofs_with_rules_are_accepted_and_say_what_was_not_checked(tmp_path, name):
    model, X, y = fitted(RULES[name])
    case = case_of(tmp_path, model, X, y)
    verdict = check(case.card, case.rows, case.proof)
    assert any("was not checked" in sentence for sentence in verdict.sentences)
    without = copy.deepcopy(case.card)
    without["certificate"]["rules"] = []
    assert not replace(case, card=without).is_accepted()


def test_what_a_file_does_not_cover_is_refused_with_a_sentence(tmp_path):
    model, X, y = fitted()
    other = improve(model.card_, X, y, max_changes=1, estimator=model)
    with pytest.raises(ParameterError, match="do not cover cards of improve"):
        write_proof(tmp_path / "card.proof", other, X, y)
    assert not (tmp_path / "card.proof").exists()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("scale", ["calibrated", "multiplier", 1.0])
def test_charges_for_terms_are_proven_against_enumeration(seed, scale):
    rules = CardRules(min_gain=0.4)
    model = RiskScoreClassifier(
        2, max_points=2, scale=scale, rules=rules, regularization=None, certify=True
    )
    case = make_case(seed, model)
    verdict = check(case.card, case.rows, case.proof)
    assert verdict.bound <= case.best * (1 + 1e-12)
    assert verdict.gap < 1e-6
    assert "per term below" in next(describe(verdict))
    assert not with_claim(case, case.best * (1 + 1e-6)).is_accepted()


def test_a_card_that_does_not_pay_for_all_of_its_terms_is_refused(tmp_path):
    model, X, y = fitted(CardRules(min_gain=0.01))
    case = case_of(tmp_path, model, X, y)
    assert case.card["certificate"]["charged_terms"] == 2
    card = copy.deepcopy(case.card)
    card["certificate"]["charged_terms"] = 1
    told = sentence_of(replace(case, card=card))
    assert told == "the card needs 2 terms, and pays for 1"


def test_without_conditions_there_is_nothing_to_prove(tmp_path):
    X, y = pd.DataFrame({"a": np.ones(10)}), np.arange(10) % 2
    model = RiskScoreClassifier(2, regularization=None, certify=True).fit(X, y)
    with pytest.raises(ParameterError, match="nothing to prove"):
        write_proof(tmp_path / "card.proof", model.card_, X, y)


def test_a_card_without_a_bound_has_no_proof(tmp_path):
    model, X, y = fitted(certify=False)
    with pytest.raises(ParameterError, match="certify=True"):
        write_proof(tmp_path / "card.proof", model.card_, X, y)


def test_other_rows_than_those_of_the_card_have_no_proof(tmp_path):
    model, X, y = fitted()
    with pytest.raises(ParameterError, match="not the rows that the card was learned from"):
        write_proof(tmp_path / "card.proof", model.card_, X[1:], y[1:])


def test_a_proof_that_takes_too_long_is_not_written(tmp_path):
    model, X, y = fitted()
    with pytest.raises(ParameterError, match="not written within 0 seconds"):
        write_proof(tmp_path / "card.proof", model.card_, X, y, time_limit=0)
    assert not (tmp_path / "card.proof").exists()


def test_the_same_rows_give_the_same_file(tmp_path):
    model, X, y = fitted(regularization=Regularization(pseudo_rows=3.0))
    files = [tmp_path / name for name in ("one", "two")]
    for file in files:
        write_proof(file, model.card_, X, y)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_the_example_of_the_format_is_accepted():
    import re
    from pathlib import Path

    from riskcard.proof_check.check_proof import Rows

    page = (Path(__file__).parents[1] / "docs/proof_format.md").read_text(encoding="utf-8")
    header = json.loads(re.search(r"```json\n(.*?)```", page, re.DOTALL)[1])
    lines = re.search(r"```\nfever,ill\n(.*?)```", page, re.DOTALL)[1].split()
    tree = bytes.fromhex(re.search(r"```\n(01 [0-9a-f ]+)\n```", page)[1])
    X = pd.DataFrame({"fever": [float(line[0]) for line in lines]})
    y = [int(line[2]) for line in lines]
    model = RiskScoreClassifier(1, max_points=1, regularization=None, certify=True).fit(X, y)
    card = json.loads(model.card_.to_json())
    # the last digits of scale and bound depend on the machine
    for name in ("multiplier", "offset"):
        card[name] = header["card"][name]
    card["certificate"]["bound"] = header["bound"]
    rows = Rows({"fever": X["fever"].tolist()}, [label == 1 for label in y])
    assert check(card, rows, put_together(header, tree)).records == 1


# --- the command -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A table, a card and its proof, made on the command line."""
    folder = tmp_path_factory.mktemp("proof")
    X, y = small_table()
    X = X.assign(kind=np.where(X["b"] > 1, "old", "new"))
    X.loc[3, "a"] = np.nan
    X.assign(sick=y).to_csv(folder / "data.csv", index=False)
    paths = [str(folder / name) for name in ("data.csv", "card.json", "card.proof")]
    arguments = ["fit", paths[0], "--target", "sick", "-o", paths[1], "--max-terms", "2", "-q"]
    code = main([*arguments, "--lowest-loss", "--certify", "--proof", paths[2]])
    assert code == 0
    return folder


def test_verify_accepts_the_proof_that_fit_wrote(written, capsys):
    paths = [str(written / name) for name in ("card.json", "data.csv", "card.proof")]
    assert main(["verify", *paths]) == 0
    assert capsys.readouterr().out.startswith(
        "Accepted: no card of the stated kind has a loss below"
    )


def test_the_checker_runs_alone(written):
    import sys

    paths = [str(written / name) for name in ("card.json", "data.csv", "card.proof")]
    done = subprocess.run(
        [sys.executable, "-I", CHECKER, *paths], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout[:9]) == (0, "Accepted:")


def test_verify_refuses_an_edited_card(written, tmp_path, capsys):
    card = json.loads((written / "card.json").read_text())
    card["certificate"]["bound"] *= 1.01
    (tmp_path / "card.json").write_text(json.dumps(card))
    paths = [str(tmp_path / "card.json"), str(written / "data.csv"), str(written / "card.proof")]
    assert main(["verify", *paths]) == 1
    assert "Refused: the card has no certificate" in capsys.readouterr().out


def test_verify_refuses_other_rows(written, tmp_path, capsys):
    lines = (written / "data.csv").read_text().splitlines()
    (tmp_path / "data.csv").write_text("\n".join(lines[:-1]) + "\n")
    paths = [str(written / "card.json"), str(tmp_path / "data.csv"), str(written / "card.proof")]
    assert main(["verify", *paths]) == 1
    assert "the rows are not those of the proof" in capsys.readouterr().out


def test_verify_names_a_file_that_is_missing(written, capsys):
    assert (
        main(["verify", str(written / "card.json"), str(written / "data.csv"), "none.proof"]) == 2
    )
    assert "none.proof" in capsys.readouterr().err


def test_check_passes_the_bound_with_its_proof_and_not_without(written, tmp_path, capsys):
    paths = [str(written / "card.json"), str(written / "data.csv")]
    assert main(["check", *paths]) == 0
    assert "not checked  proof" in capsys.readouterr().out
    assert main(["check", *paths, "--proof", str(written / "card.proof")]) == 0
    assert "pass         proof file: the bound" in capsys.readouterr().out
    broken = tmp_path / "broken.proof"
    broken.write_bytes((written / "card.proof").read_bytes()[:-1])
    assert main(["check", *paths, "--proof", str(broken)]) == 1
    out = capsys.readouterr().out
    assert f"FAIL         proof file: {broken} was refused" in out
    assert "The proof file was refused; nothing else contradicts the card." in out


def test_proof_needs_certify(written, capsys):
    arguments = ["fit", str(written / "data.csv"), "--target", "sick", "--proof", "x.proof"]
    assert main(arguments) == 2
    assert "--proof has no effect without --certify" in capsys.readouterr().err


# --- the second checker ----------------------------------------------------------------------------

NODE = shutil.which("node")
#: Reads cases as JSON lines, and answers each with "accepted" or the sentence of the refusal.
SCRIPT = """
const checker = require(process.argv[1]);
const lines = require("fs").readFileSync(0, "utf-8").trim().split("\\n");
for (const line of lines) {
  const { card, rows, proof } = JSON.parse(line);
  try {
    const found = checker.check(card, rows, new Uint8Array(Buffer.from(proof, "base64")));
    console.log(JSON.stringify(found));
  } catch (error) {
    if (!(error instanceof checker.Refused)) throw error;
    console.log(JSON.stringify(error.message));
  }
}
"""


def answers_of_node(cases):
    from base64 import b64encode

    lines = []
    for case in cases:
        weights = case.rows.weights or None
        rows = {"values": case.rows.values, "isEvent": case.rows.is_event, "weights": weights}
        lines.append(
            json.dumps({"card": case.card, "rows": rows, "proof": b64encode(case.proof).decode()})
        )
    path = CHECKER.replace(".py", ".js")
    done = subprocess.run(
        [NODE, "-e", SCRIPT, path],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.skipif(NODE is None, reason="needs Node.js")
def test_the_second_checker_accepts_the_same_files(cases):
    for case, found in zip(cases, answers_of_node(cases), strict=True):
        assert isinstance(found, dict), found
        assert found["bound"] == case.bound
        assert found["loss"] == pytest.approx(case.card["certificate"]["loss"], rel=1e-9)


@pytest.mark.skipif(NODE is None, reason="needs Node.js")
def test_the_second_checker_refuses_every_file_with_a_fault(cases):
    faulty = [
        (name, one)
        for number, case in enumerate(cases)
        for name, one in faults(case, np.random.default_rng(number))
    ]
    answers = answers_of_node([one for _, one in faulty])
    for (name, _), found in zip(faulty, answers, strict=True):
        assert isinstance(found, str), name


def test_false_claims_are_made_of_cases_that_were_accepted(cases):
    """The faults above would be refused for nothing if their files were broken before."""
    name, false = next(false_claims(cases[0], np.random.default_rng(0)))
    header, tree = take_apart(false.proof)
    assert open_proof(put_together(header, tree))
    assert with_claim(false, cases[0].bound).is_accepted(), name


# --- the rule against every card of a node ---------------------------------------------------------


def bare_checker(rng, scale=2.0):
    """A checker of two columns of one feature each, and no file."""
    from riskcard.proof_check.check_proof import Body, Checker, Column, Table

    table = Table.__new__(Table)
    n_rows, sizes = 9, (4, 3)
    table.columns = [
        Column(f, (2, 3), size, rng.integers(0, size, n_rows).tolist())
        for f, size in enumerate(sizes)
    ]
    table.events, table.others = (rng.integers(0, 5, n_rows).tolist() for _ in range(2))
    table.events[0] = table.others[1] = 1
    table.unit = 1
    kind = {"max_terms": 3, "max_features": 2, "max_cuts_per_feature": 3, "max_points": 3}
    features = [{"most_terms": 3}, {"most_terms": 3}]
    header = {"kind": kind | {"scale": scale, "min_gain": 0.0}, "bound": 1.0, "features": features}
    header["pool"] = None
    return Checker(header, table, Body(b""))


def random_node(rng, checker):
    """Some slots, and a list of the sides that are left."""
    from riskcard.proof_check.check_proof import Node

    slots, excluded = [], 0
    for side in rng.permutation(4)[: int(rng.integers(0, 3))].tolist():
        n_cuts = checker.table.columns[side >> 1].n_codes - 1
        low, high = sorted(rng.integers(0, n_cuts, 2).tolist())
        slots.append((side, low, high, int(rng.integers(1, high - low + 2))))
        excluded |= 1 << side
    return Node(tuple(slots), int(rng.integers(0, 3)), excluded)


def cards_of(checker, node):
    """All sets of conditions of a node: exactly so many of each slot, at most so many of the list."""
    from itertools import chain, combinations, product

    choices = []
    for side, low, high, count in node.slots:
        choices.append(list(combinations([(side, cut) for cut in range(low, high + 1)], count)))
    free = [
        (side, cut)
        for side in checker.sides
        if not node.excluded >> side & 1
        for cut in range(checker.table.columns[side >> 1].n_codes - 1)
    ]
    choices.append(list(chain(*(combinations(free, k) for k in range(node.listed + 1)))))
    for parts in product(*choices):
        yield [*chain(*parts)]


def test_the_gains_of_a_node_are_below_those_of_each_of_its_cards():
    from itertools import product

    rng, n_tight = np.random.default_rng(0), 0
    for _ in range(60):
        checker = bare_checker(rng)
        node = random_node(rng, checker)
        slopes = rng.integers(-9, 10, len(checker.weights)).tolist()
        least = None
        for card in cards_of(checker, node):
            for steps in product((0, 1), repeat=len(card)):
                sizes = [
                    step * checker.reach[side] for step, (side, _) in zip(steps, card, strict=True)
                ]
                own = 0
                for (side, cut), size in zip(card, sizes, strict=True):
                    codes = checker.table.columns[side >> 1].codes
                    holds = [(code > cut) == bool(side & 1) for code in codes]
                    own += size * sum(r for r, is_on in zip(slopes, holds, strict=True) if is_on)
                for offset in (checker.lowest - sum(sizes), checker.highest):
                    value = own + offset * sum(slopes)
                    least = value if least is None else min(least, value)
        found = checker.gains(node, slopes)
        assert least is None or found <= least
        n_tight += found == least
    assert n_tight > 5


def test_a_node_is_closed_at_its_bound_and_not_above():
    from fractions import Fraction

    from riskcard.proof_check.check_proof import Body, Node

    checker, node = bare_checker(np.random.default_rng(1)), Node((), 1)
    model = bytes([1, 1, 0])  # half of the log-odds -1, no step
    z = [-(1 << 31)] * len(checker.weights)
    bound = checker.bound(z, lambda slopes: checker.gains(node, slopes))
    for cutoff, is_closed in ((bound, True), (bound + 1, False), (bound + Fraction(1, 2), False)):
        checker.cutoff, checker.body = cutoff, Body(model)
        if is_closed:
            checker.close(node)
            continue
        with pytest.raises(Refused, match="the node is not closed"):
            checker.close(node)


def test_a_leaf_is_closed_at_its_bound_and_not_above_and_tails_need_their_sign():
    from riskcard.proof_check.check_proof import ONE, Body, Leaf

    checker = bare_checker(np.random.default_rng(1))
    leaf = Leaf(checker, 0, [(1,), (0,)], [(3, 1), (1, 4)], [2])
    chance, entropy = checker.chances[1 << 31]
    slopes = [4 * chance - 3 * ONE, 5 * chance - 1 * ONE]
    bound = 9 * entropy << 32
    bound += min(7 * sum(slopes), 9 * sum(slopes)) + min(0, 5 * slopes[0])
    design, ends = [(1, 1), (1, 0)], [(7, 9), (0, 5)]
    for cutoff, tail, words in (
        (bound, 0, None),
        (bound, 1 if sum(slopes) > 0 else -1, None),
        (bound, -1 if sum(slopes) > 0 else 1, "wrong sign"),
        (bound + 1, 0, "do not close it"),
    ):
        leaf.cutoff, checker.body = cutoff, Body(bytes([1, 2, 0]))  # 1 unit of 1/2, and 0
        if words is None:
            leaf.close(design, ends, tail)
            continue
        with pytest.raises(Refused, match=words):
            leaf.close(design, ends, tail)


def test_a_card_below_the_bound_is_no_card_of_the_kind(number_case, monkeypatch):
    from fractions import Fraction

    from riskcard.proof_check import check_proof

    card = copy.deepcopy(number_case.card)
    lower = Fraction(card["certificate"]["bound"]) * Fraction(99, 100)
    card["certificate"]["loss"] = float(lower)
    monkeypatch.setattr(check_proof, "loss_of", lambda *_: lower)
    assert "no card of the stated kind" in sentence_of(replace(number_case, card=card))
