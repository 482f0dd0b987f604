"""A validation speaks the language of the card's labels: page, text, pictures, names of groups."""

import re
from dataclasses import replace

import pytest

from html_reader import read_html
from riskcard import validate
from riskcard.card.sentences import training_words
from riskcard.evaluation.calibration import Calibration
from riskcard.evaluation.monitoring.updating import ScaleUpdate
from riskcard.formatting.speech import PLACE, sentences_of, speaking
from riskcard.model.origin.certificate import TrainingFacts
from riskcard.model.words.labels import Labels
from riskcard.validation.facts import Rows
from riskcard.validation.named_groups import groups_of
from riskcard.validation.sentences import mean_sentence, origin_sentences
from riskcard.validation.update_words import p_words, update_advice, update_done
from validation_rows import small_card, validation_rows

OTHERS = ["de", "fr", "es"]


def english_in(text: str, language: str) -> list[str]:
    """The names of the English sentences of which the longest piece between places is in a text."""
    words, found = sentences_of(language), []
    for name, sentence in sentences_of("en").items():
        piece = max(PLACE.split(sentence)[::2], key=len)
        is_telling = len(piece) > 11 and " " in piece.strip() and piece not in words[name]
        if is_telling and piece in text:
            found.append(name)
    return found


def validated(language, **options):
    """A validation with everything on it: groups, sites, rivals, drift, values that training did not have."""
    columns, y = validation_rows(900, offset=0.5)
    columns["age"][:5] = [101.5, 10, 105, None, 19]
    columns["smoker"] = columns["smoker"].astype(object)
    columns["smoker"][7] = "pipe"
    columns["old_score"][3] = None
    columns["code"] = [f"c{number % 15}" for number in range(900)]
    card = small_card(labels=Labels(language=language))
    return validate(
        card, columns, y,
        by=["sex", "age", "code"], sites="site", total_groups=[2, 5], n_bootstraps=5, flag_from=[0.2],
        compare={"old risk": "old_risk", "old score": "old_score"}, groups="patient", **options,
    )  # fmt: skip


@pytest.fixture(scope="module", params=OTHERS)
def spoken(request):
    return request.param, validated(request.param)


@pytest.mark.slow
def test_no_english_is_left_on_the_page(spoken):
    pytest.importorskip("matplotlib")
    language, found = spoken
    page = found.to_html()
    words, english = sentences_of(language), sentences_of("en")
    texts = {" ".join(text.split()) for text in read_html(page).texts if text.strip()}
    own = {text for name, text in english.items() if words[name] != text and len(text) > 3}
    assert f'<html lang="{language}">' in page
    own -= {*(" ".join(text.split()) for text in words.values()), "site"}  # a column
    assert sorted(own & texts) == []
    assert not english_in(" ".join(texts), language)
    alternatives = " ".join(re.findall(r'alt="([^"]*)"', page))
    assert not english_in(alternatives, language)
    assert words["validation_picture_decision"] in alternatives
    for name in ("rows", "figures", "thresholds", "subgroups", "fairness", "sites", "rivals"):
        assert f"<h2>{words[f'validation_section_{name}']}</h2>" in page
    assert re.search(r"\b0,\d{3}\b", page)
    assert not re.search(r"\b0\.\d{3}\b", " ".join(texts))


def test_no_english_is_left_in_the_text(spoken):
    language, found = spoken
    text = " ".join(str(found).split())
    assert not english_in(text, language)
    assert not re.search(r"\b\d\.\d{3}\b", text)
    assert sentences_of(language)["drift_text"] in text


def test_the_same_validation_in_english_shows_what_is_looked_for():
    text = " ".join(str(validated("en")).split())
    assert len(english_in(text, "de")) > 25


def test_tables_and_json_keep_their_english_names_in_every_language(spoken):
    _, found = spoken
    english = validated("en")
    assert list(found.tables()) == list(english.tables())
    figures = [row["figure"] for row in found.tables()["figures"]]
    assert figures == [row["figure"] for row in english.tables()["figures"]]
    assert {row["reading"] for row in found.tables()["drift"]} <= {
        "stable", "some change", "large change",
    }  # fmt: skip


def test_groups_are_named_in_the_language():
    with speaking("de"):
        found = groups_of("age", [31.5, 64, None, 50, 55], cuts=[40.5, 60])
    assert found.names == ("≤ 40,5", "> 40,5 bis ≤ 60", "> 60", "fehlt")
    with speaking("fr"):
        names = groups_of("code", list("abcdefghijklmn")).names
    assert names[-1] == "3 autres"


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("origin", list(Rows))
def test_what_is_known_about_rows_is_said_in_the_language(spoken, language, origin):
    facts = spoken[1].facts
    facts = replace(facts, rows=replace(facts.rows, origin=origin, left_out=12))
    with speaking(language):
        words = " ".join(origin_sentences(facts))
    assert not english_in(words, language)


@pytest.mark.parametrize("language", OTHERS)
def test_advice_on_the_scale_is_in_the_language(language):
    figures = Calibration(0.7, (0.5, 0.9), 0.4, (0.1, 0.7), 100.0, 140.0, (0.5, 0.9))
    wrong_way = replace(figures, slope=-0.2)
    unclear = replace(figures, intercept_interval=(-0.1, 0.9), ratio_interval=(0.7, 1.2))
    updates = [
        ScaleUpdate("none", figures, 5, None, None),
        ScaleUpdate("none", figures, 15, 0.2, None),
        ScaleUpdate("none", figures, 500, 0.2, 0.3),
        ScaleUpdate("offset", unclear, 500, 0.02, 0.3),
        ScaleUpdate("offset", figures, 500, 0.02, None),
        ScaleUpdate("offset", figures, 500, 0.0002, 0.3),
        ScaleUpdate("both", figures, 500, 0.02, 0.003),
        ScaleUpdate("both", wrong_way, 500, 0.02, 0.003),
    ]
    with speaking(language):
        words = [update_advice(one) for one in updates]
        words += [update_done(updates[-1], done) for done in ("none", "offset", "both")]
        words += [mean_sentence(one) for one in (figures, unclear)]
    assert len(set(words)) == len(words)
    assert not english_in(" ".join(words), language)


def test_p_values_have_the_decimal_sign_of_the_language():
    with speaking("de"):
        assert (p_words(0.0002), p_words(0.25)) == ("P < 0,001", "P = 0,25")
    assert p_words(0.0002) == "P < 0.001"


def test_cards_are_feminine_where_the_language_says_so():
    training = TrainingFacts(rows=300, events=90, weight=300.0, event_weight=90.0)
    assert training_words(training, Labels(language="fr")).startswith("Établie")
    assert training_words(training, Labels(language="es")).startswith("Elaborada")
