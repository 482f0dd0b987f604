"""A report with a proof file: what it says about it, and what its page needs to check it again."""

import base64
import json
import re

import pytest

from riskcard.cli.main import main
from riskcard.report import proof_on_page
from test_proof_file import small_table

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of a table, a card and its proof."""
    folder = tmp_path_factory.mktemp("report")
    X, y = small_table(120)
    X.assign(sick=y).to_csv(folder / "data.csv", index=False)
    X.iloc[:50].assign(sick=y).to_csv(folder / "other.csv", index=False)
    options = ["--target", "sick", "--max-terms", "2", "--lowest-loss", "--certify", "-q"]
    files = ["-o", str(folder / "card.json"), "--proof", str(folder / "card.proof")]
    assert main(["fit", str(folder / "data.csv"), *files, *options]) == 0
    return folder


def report(folder, *options, rows="data.csv", proof="card.proof", output="report.html"):
    """The exit code, and the page without the no-break spaces of its numbers."""
    paths = [str(folder / name) for name in ("card.json", rows)]
    quick = ["--cv", "0", "--n-bootstraps", "0", "-q", "-o", str(folder / output)]
    code = main(["report", *paths, "--proof", str(folder / proof), *quick, *options])
    return code, (folder / output).read_text(encoding="utf-8") if code != 2 else ""


def data_of(page):
    found = re.search(r'<script type="application/json" id="proof-data">(.*?)</script>', page)
    return json.loads(found[1])


def test_the_page_has_the_second_checker_the_card_and_the_proof_but_no_rows(made):
    code, page = report(made)
    assert code == 0
    data = data_of(page)
    assert base64.b64decode(data["proof"]) == (made / "card.proof").read_bytes()
    assert data["card"] == json.loads((made / "card.json").read_text())
    assert "const ProofChecker" in data["checker"]
    assert (data["target"], data["weights"]) == ("sick", None)
    assert "went through the proof file card.proof with these rows and accepted it" in page
    assert f"SHA-256 {data['sha256'][:16]}." in page
    assert "proof file: the bound" in page
    assert "is the solver's claim" not in page
    assert not {"rows", "text", "values"} & data.keys()


def test_nothing_on_the_page_is_fetched_and_only_its_own_script_runs(made):
    page = report(made)[1]
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
    assert policy.startswith("default-src 'none'; ")
    assert "worker-src blob:" in policy
    assert policy.count("sha256-") == 1
    assert not re.search(r'(?:src|href)="(?!data:|#)', page)
    paths = [str(made / name) for name in ("card.json", "data.csv", "plain.html")]
    assert (
        main(["report", *paths[:2], "--cv", "0", "--n-bootstraps", "0", "-q", "-o", paths[2]]) == 0
    )
    plain = (made / "plain.html").read_text(encoding="utf-8")
    assert "script-src" not in plain
    assert "<script" not in plain
    assert "not verified yet: riskcard verify checks the file" in plain


def test_a_large_proof_is_chosen_by_the_reader(made, monkeypatch):
    monkeypatch.setattr(proof_on_page, "MOST_EMBEDDED", 10)
    page = report(made)[1]
    assert data_of(page)["proof"] is None
    assert 'id="proof-file"' in page
    assert "too much for a page" in page


def test_a_proof_that_is_refused_is_said_to_be_and_is_not_offered(made, capsys):
    (made / "broken.proof").write_bytes((made / "card.proof").read_bytes()[:-1])
    code, page = report(made, proof="broken.proof")
    assert code == 1
    assert "refused the proof file broken.proof" in page
    assert "proof-data" not in page
    assert "broken.proof was refused" in capsys.readouterr().err


def test_other_rows_do_not_refuse_a_proof_but_leave_it_unchecked(made):
    code, page = report(made, rows="other.csv")
    assert code == 0
    assert "card.proof was not checked, because these are not the rows" in page
    assert data_of(page)["proof"] is not None


def test_the_figures_have_the_state_of_the_proof_without_its_bytes(made):
    _, text = report(made, output="report.json")
    proof = json.loads(text)["proof"]
    assert proof["record"]["checked_by"].startswith("check_proof.py (riskcard")
    assert "content" not in proof


def test_a_word_document_does_not_offer_what_it_cannot_do(made):
    docx = pytest.importorskip("docx")
    paths = [str(made / name) for name in ("card.json", "data.csv", "card.proof", "report.docx")]
    quick = ["--cv", "0", "--n-bootstraps", "0", "-q"]
    assert main(["report", *paths[:2], "--proof", paths[2], *quick, "-o", paths[3]]) == 0
    text = "\n".join(one.text for one in docx.Document(paths[3]).paragraphs)
    assert "went through the proof file card.proof" in text
    assert "Check the proof" not in text
    assert "scripts" not in text


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", "Den Beweis auf dieser Seite prüfen"),
        ("fr", "Vérifier la preuve sur cette page"),
        ("es", "Comprobar la demostración en esta página"),
    ],
)
def test_the_page_offers_the_check_in_the_language_of_the_labels(made, language, words):
    (made / "labels.toml").write_text(f'language = "{language}"\n')
    page = report(made, "--labels", str(made / "labels.toml"))[1]
    assert words in page
    assert not re.search("Accepted|Refused", data_of(page)["words"]["accepted"])
