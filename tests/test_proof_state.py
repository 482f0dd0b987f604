"""A card says whether its bound is only stated, has a proof file, or was verified, and by whom."""

import hashlib
import json
from dataclasses import replace

import pytest

from cards import certificate, heart_card
from riskcard.card.card_html import render_page
from riskcard.card.drawing.svg import render_svg
from riskcard.card.scorecard import score_card_of
from riskcard.card.sentences import certificate_sentences
from riskcard.cli.main import main
from riskcard.errors import ParameterError
from riskcard.model.card import RiskCard
from riskcard.model.origin.proof_record import ProofRecord
from riskcard.proof_check.check_proof import open_proof
from riskcard.version import __version__
from test_proof_file import small_table

HASH = "0123456789abcdef" * 4
STATED = "As stated by riskcard, not verified: no proof file goes with this card."
NAMED = "Proof file card.proof, SHA-256 0123456789abcdef."


def card_with(proof, language="en", **changes):
    card = heart_card()
    stated = replace(card.certificate, bound=1.0, proof=proof, **changes)
    return replace(card, certificate=stated, labels=replace(card.labels, language=language))


@pytest.mark.parametrize(
    ("proof", "words"),
    [
        (None, STATED),
        (ProofRecord("card.proof", HASH), f"{NAMED} As stated by riskcard, not verified yet"),
        (ProofRecord("card.proof", HASH, "X 1"), f"{NAMED} Every bound in it was verified by X 1."),
        (ProofRecord("card.proof", HASH, "X 1", ("Rules.",)), "verified by X 1, which took pseudo"),
    ],
)
def test_the_state_is_on_the_back_of_a_card_and_not_on_its_front(proof, words):
    card = card_with(proof)
    shown = score_card_of(card)
    assert any(words in sentence for sentence in shown.details)
    assert not any("verified" in sentence for sentence in shown.front)
    beginning = words[:30]
    for drawn in (" ".join(card.to_text().split()), render_page(card), card.to_markdown()):
        assert beginning in drawn
    assert beginning in render_svg(card)


@pytest.mark.parametrize(
    ("language", "words"),
    [("de", "nicht überprüft"), ("fr", "non vérifié"), ("es", "sin verificar")],
)
def test_the_state_is_said_in_the_language_of_the_card(language, words):
    assert words in card_with(None, language).to_text().replace("\n", " ")


def test_nothing_is_said_about_the_proof_of_a_card_that_states_no_bound():
    found = " ".join(certificate_sentences(certificate(bound=0.0, status="heuristic")))
    assert "verified" not in found


def test_a_record_of_a_proof_is_read_back_and_wrong_ones_are_refused():
    card = card_with(ProofRecord("card.proof", HASH, "X 1", ("Rules.",)))
    assert RiskCard.from_json(card.to_json()) == card
    with pytest.raises(ParameterError, match="sha256 of the proof is 'abc'"):
        ProofRecord("card.proof", "abc")
    with pytest.raises(ParameterError, match="states no bound"):
        replace(card, certificate=certificate(bound=0.0, status="heuristic")).with_proof(
            ProofRecord("card.proof", HASH)
        )


# --- on the command line ---------------------------------------------------------------------------


@pytest.fixture
def made(tmp_path):
    """The arguments card, rows and proof of a card that was fitted with its proof."""
    X, y = small_table()
    X.assign(sick=y).to_csv(tmp_path / "data.csv", index=False)
    card, data, proof = (str(tmp_path / name) for name in ("card.json", "data.csv", "card.proof"))
    options = ["--target", "sick", "--max-terms", "2", "--lowest-loss", "--certify", "-q"]
    assert main(["fit", data, "-o", card, "--proof", proof, *options]) == 0
    return card, data, proof


def test_fit_stores_the_hash_of_the_file_that_it_wrote(made, capsys):
    card, _, proof = made
    with open(proof, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    with open(card) as file:
        stored = json.load(file)["certificate"]["proof"]
    assert stored == {"name": "card.proof", "sha256": digest, "checked_by": "", "given": []}
    capsys.readouterr()
    assert main(["show", card]) == 0
    out, err = capsys.readouterr()
    assert f"Proof file card.proof, SHA-256 {digest[:16]}." in " ".join(out.split())
    assert err == ""


def test_show_says_that_the_file_next_to_a_card_is_another_one(made, capsys):
    card, _, proof = made
    with open(proof, "ab") as file:
        file.write(b"x")
    assert main(["show", card]) == 0
    assert "is not the proof file that the card names" in capsys.readouterr().err


def test_verify_says_which_checker_looked_and_stores_it_on_demand(made, tmp_path, capsys):
    output = str(tmp_path / "verified.json")
    assert main(["verify", *made, "-o", output]) == 0
    out = capsys.readouterr().out
    assert f"Checked by check_proof.py (riskcard {__version__})" in out
    assert "it is the proof file that the card names." in out
    record = RiskCard.load(output).certificate.proof
    assert record.checked_by == f"check_proof.py (riskcard {__version__})"
    assert main(["verify", output, *made[1:]]) == 0
    assert "verified by check_proof.py" in " ".join(RiskCard.load(output).to_text().split())
    assert main(["verify", *made, "--sample", "2", "-o", output]) == 2
    assert "--output has no place with --sample" in capsys.readouterr().err


def test_verify_of_a_part_says_what_it_may_have_missed(made, capsys):
    with open(made[2], "rb") as file:
        closed = open_proof(file.read())[0]["closed"]
    assert closed > 2
    assert main(["verify", *made, "--sample", "2"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("No fault found in a part of the proof. The proof claims that no card")
    assert f"only about 2 of the bounds of {closed} closed nodes, chosen at random." in out
    assert out.count(f"a single one with {1 - 2 / closed:.3g}.") == 1
    assert main(["verify", *made, "--sample", str(closed)]) == 0
    assert capsys.readouterr().out.startswith("Accepted: ")


def test_verify_says_where_a_good_proof_is_not_the_file_that_the_card_names(made, capsys):
    card = RiskCard.load(made[0])
    card.with_proof(ProofRecord("other.proof", HASH)).save(made[0])
    assert main(["verify", *made]) == 0
    assert "not the proof file that the card names, other.proof" in capsys.readouterr().out
    assert main(["check", *made[:2], "--proof", made[2]]) == 0
    assert "not the proof file that the card names, other.proof" in capsys.readouterr().out


def test_check_names_the_table_where_the_table_is_at_fault(made, tmp_path, capsys):
    with open(made[1]) as file:
        lines = file.read().splitlines()
    other = tmp_path / "other.csv"
    other.write_text("\n".join(lines[:-1]) + "\n")
    assert main(["check", made[0], str(other)]) == 1
    out = capsys.readouterr().out
    assert "these are not the rows that it was learned from" in out
    assert "The card is not what it claims" not in out
    assert "made no search, because these are not the rows" in out
