"""The page of a report checks its own proof in a real browser, and asks nothing of the network."""

import re

import pytest

from riskcard.cli.main import main
from riskcard.report import proof_on_page
from test_proof_file import small_table

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of a table, a card of it with a missing value and a category, and its proof."""
    folder = tmp_path_factory.mktemp("report")
    X, y = small_table(120)
    X = X.assign(kind=["old" if b > 1 else "new" for b in X["b"]])
    X.loc[3, "a"] = None
    X.assign(sick=y).to_csv(folder / "data.csv", index=False)
    X.iloc[1:].assign(sick=y).to_csv(folder / "other.csv", index=False)
    files = ["-o", str(folder / "card.json"), "--proof", str(folder / "card.proof")]
    options = ["--target", "sick", "--max-terms", "2", "--lowest-loss", "--certify", "-q"]
    assert main(["fit", str(folder / "data.csv"), *files, *options]) == 0
    (folder / "broken.proof").write_bytes(b"x" + (folder / "card.proof").read_bytes()[1:])
    return folder


@pytest.fixture
def check(browser, asked_for, made):
    """Opens the page, chooses files and gives the verdict; nothing may have gone wrong or been fetched."""
    support = pytest.importorskip("selenium.webdriver.support.ui")
    page = made / "report.html"

    def check_it(language: str = "en", **chosen: str) -> tuple[str, str, list[str]]:
        paths = [str(made / name) for name in ("card.json", "data.csv")]
        quick = ["--cv", "0", "--n-bootstraps", "0", "-q", "-o", str(page), "--language", language]
        assert main(["report", *paths, "--proof", str(made / "card.proof"), *quick]) == 0
        browser.get("about:blank")
        browser.get(page.as_uri())
        for name, file in chosen.items():
            browser.find_element("id", f"proof-{name}").send_keys(str(made / file))
        browser.find_element("id", "proof-start").click()
        verdict = browser.find_element("id", "proof-verdict")
        is_done = browser.find_element("id", "proof-start").is_enabled
        support.WebDriverWait(browser, 60).until(lambda _: is_done() and verdict.text)
        given = [one.text for one in browser.find_elements("css selector", "#proof-given li")]
        return verdict.get_attribute("data-kind"), verdict.text, given

    yield check_it
    asked = asked_for()
    assert all(url.startswith((page.as_uri(), "data:", "blob:")) for url in asked), asked


def test_the_rows_of_the_card_are_accepted(check):
    kind, words, _ = check(rows="data.csv")
    assert kind == "accepted"
    assert words.startswith("Accepted. No card of the stated kind has a loss below")
    assert "check_proof.js (riskcard" in words


def test_the_verdict_is_in_the_language_of_the_page(check):
    words = check("de", rows="data.csv")[1]
    assert re.match(r"Angenommen\. .* unter \d+,\d+; diese Karte hat \d+,\d+\.", words)


def test_other_rows_are_refused(check):
    kind, words, _ = check(rows="other.csv")
    assert kind == "refused"
    assert "the rows are not those of the proof" in words


def test_what_is_not_a_table_is_refused(check):
    kind, words, _ = check(rows="card.json")
    assert kind == "refused"
    assert "columns" in words or "cells" in words


def test_the_reader_is_asked_to_choose_a_file(check):
    assert check()[:2] == ("open", "Choose the file first.")


@pytest.mark.parametrize(
    ("file", "kind", "words"),
    [
        ("card.proof", "accepted", "Accepted."),
        ("broken.proof", "refused", "not the proof file of this report"),
    ],
)
def test_a_large_proof_is_chosen_and_must_be_the_right_one(check, monkeypatch, file, kind, words):
    monkeypatch.setattr(proof_on_page, "MOST_EMBEDDED", 10)
    found = check(rows="data.csv", file=file)
    assert found[0] == kind
    assert words in found[1]
