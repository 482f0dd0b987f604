"""The words of the studio: the same texts in every language, all of them used, any of them replaceable."""

import json
import re
from importlib.resources import files

import pytest

from riskcard.errors import FormatError
from riskcard.estimators.card_pool import CardPool
from riskcard.formatting.speech import PLACE, speaking, translated
from riskcard.studio.page_words import NAMES_OF_LANGUAGES, load_own_words, page_words
from riskcard.studio.server.view import state_of
from riskcard.studio.state.session import Session
from studio_rows import rows_of, watched, write_table
from studio_session import NoFitter

SCRIPTS = {
    one.name: one.read_text("utf-8")
    for one in files("riskcard").joinpath("studio/page").iterdir()
    if one.name.endswith(".js")
}
#: The beginnings of names that the page or the server puts together.
MADE = (
    "screen_", "busy_", "auc_", "slope_", "expected_", "pin_", "kind_", "label_", "groups_on_", "file_", "log_",
    "edit_", "remark_", "size_", "columns_words", "is_", "seed", "refused_", "read_",
)  # fmt: skip


@pytest.mark.parametrize("language", NAMES_OF_LANGUAGES)
def test_every_language_has_the_same_texts_with_the_same_places(language):
    english, own = page_words("en"), page_words(language)
    assert list(own) == list(english)
    for name, text in own.items():
        assert text.strip(), name
        assert set(PLACE.findall(text)) == set(PLACE.findall(english[name])), name


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_what_is_said_is_translated(language):
    """Texts that are the same in English are names and words that both languages have."""
    same = [name for name, text in page_words(language).items() if text == page_words("en")[name]]
    assert len(same) < 35, same


def test_every_text_that_the_page_says_is_there_and_none_is_left_over():
    said = {name for text in SCRIPTS.values() for name in re.findall(r'say\("(\w+)"', text)}
    chosen = {
        name
        for text in SCRIPTS.values()
        for name in re.findall(r'"([a-z]+(?:_[a-z]+)+|[a-z]{3,})"', text)
    }
    words = set(page_words("en"))
    assert said <= words
    unused = {one for one in words - said - chosen if not one.startswith(MADE)}
    assert unused == set()


def test_own_texts_are_in_place_of_those_of_the_page(tmp_path):
    path = tmp_path / "words.json"
    path.write_text(json.dumps({"sign_role": "Department"}), encoding="utf-8")
    assert load_own_words(str(path)) == {"sign_role": "Department"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"sign_rolle": "x"}, "has 'sign_rolle', which the page does not say.*sign_role"),
        ({"rows": "{rowz} rows"}, "has the place {rowz}"),
        ({"rows": 5}, "texts by their names"),
        ([], "texts by their names"),
    ],
    ids=str,
)
def test_own_texts_that_fit_nowhere_are_refused(tmp_path, content, words):
    path = tmp_path / "words.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(FormatError, match=words):
        load_own_words(str(path))
    with pytest.raises(FormatError, match="is no file of words"):
        load_own_words(str(tmp_path / "nothing.json"))


def test_the_language_of_a_session_is_that_of_its_labels_and_lasts(tmp_path, monkeypatch):
    monkeypatch.setattr("riskcard.studio.state.fits.Fitter", NoFitter)
    session = Session(language="de")
    try:
        assert session.language == "de"
        session.open_table(str(write_table(tmp_path / "rows.csv")), "rows.csv")
        assert session.document.labels == {"language": "de"}
        session.set_labels({"language": "fr"})
        assert state_of(session)["language"] == "fr"
        session.undo()
        assert session.language == "de"
        session.set_labels(
            {"language": "pt"}
        )  # labels may be in a language that the page does not speak
        assert session.language == "en"
    finally:
        session.close()


@pytest.mark.parametrize("language", ["de", "fr", "es"])
@pytest.mark.parametrize(("is_complete", "n_found"), [(True, 1), (False, 3), (False, 1)])
def test_what_is_said_of_a_pool_is_in_the_language_that_is_spoken(language, is_complete, n_found):
    rows = rows_of(80)
    card = watched(rows).card
    summary = CardPool((card,), (card.certificate.loss,), 1234.56789, is_complete, n_found).summary
    with speaking(language):
        told = translated(summary)
    assert told != summary
    assert "234,567" in told
    assert "loss" not in told
