"""The page of the calculator: whole, closed to the outside, with every name and word in its place."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from docs.pages import DOCS, run_page
from hypothesis import given, settings

from cards import heart_card, mass_card, risk_cards
from counted import ODD, counted, many_totals, odd_card
from html_reader import read_html
from riskcard.calculator.page_words import share_words
from riskcard.calculator.questions import questions_of
from riskcard.cli.main import main
from riskcard.cli.parser import make_parser
from riskcard.formatting.speech import PLACE
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.model.value_range import ValueRange
from riskcard.model.words.labels import Labels, words_of
from riskcard.model.words.labels_file import labels_from


def data_of(page: str) -> dict:
    return json.loads(read_html(page).scripts[0])


def hash_of(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_nothing_but_its_own_style_and_script_may_act_on_the_page():
    reader = read_html(counted().to_calculator())
    policy = next(
        attributes["content"]
        for tag, attributes in reader.elements
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    _, script = reader.scripts
    (style,) = reader.styles
    assert "default-src 'none'" in policy
    assert f"script-src '{hash_of(script)}'" in policy
    assert f"style-src '{hash_of(style)}'" in policy
    assert "unsafe" not in policy


def test_the_page_asks_for_nothing_from_elsewhere():
    page = counted().to_calculator()
    assert not re.search(r"\b(src|action|srcset|poster)=", page)
    assert re.findall(r'href="([^"]*)"', page) == ["data:,"]
    assert re.findall(r"https?://[^\s\"'<]*", page) == ["http://www.w3.org/2000/svg"]
    assert "@import" not in page
    assert "url(" not in page
    for way in ("fetch(", "XMLHttpRequest", "WebSocket", "sendBeacon", "import("):
        assert way not in page
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert way not in page


def test_names_and_levels_are_not_markup():
    page = counted(odd_card()).to_calculator()
    reader = read_html(page)
    assert len(reader.scripts) == 2
    assert [tag for tag, _ in reader.elements].count("script") == 2
    assert not any(
        name.startswith("on") for _, attributes in reader.elements for name in attributes
    )
    assert ODD in reader.texts
    data = json.loads(reader.scripts[0])
    assert data["questions"][0]["feature"] == ODD
    assert "</script>" in data["questions"][1]["labels"][1]


@settings(deadline=None)
@given(risk_cards())
def test_the_page_of_any_card_is_well_formed_and_has_its_points(card):
    data = data_of(card.to_calculator())
    assert (data["base"], data["multiplier"], data["offset"]) == (
        card.base,
        card.multiplier,
        card.offset,
    )
    for feature, question in zip(card.features, data["questions"], strict=True):
        codes = [points for _, points in getattr(feature, "codes", ())]
        missing = [] if feature.missing is None else [feature.missing]
        assert question["points"] == [*feature.points, *codes, *missing]
        assert question["cuts"] == list(getattr(feature, "cuts", ()))


def test_every_field_has_a_label_and_every_id_is_there_once():
    reader = read_html(counted(mass_card()).to_calculator())
    ids = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
    assert len(set(ids)) == len(ids)
    labelled = {attributes.get("for") for tag, attributes in reader.elements if tag == "label"}
    for tag, attributes in reader.elements:
        if tag == "select" or (tag == "input" and attributes["type"] == "text"):
            assert attributes["id"] in labelled
        for name in ("aria-describedby", "aria-labelledby", "for"):
            assert set((attributes.get(name) or "").split()) <= set(ids)


def test_what_is_asked_depends_on_the_feature():
    jobs = LevelPoints("job", [["b", "a", "f"], ["c", "d", "e", "g", "h"]], [0, 1])
    card = RiskCard(
        [
            FeaturePoints("age", [45], [0, 1], missing=1, codes=[(-9, 2)]),
            jobs,
            LevelPoints("palpable", [[False], [True]], [0, 1], missing=0),
            FeaturePoints("constant", [], [3]),
            LevelPoints("only", [["x", "y"]], [1]),
        ]
    )
    questions = questions_of(card)
    assert [one.kind for one in questions] == ["number", "list", "buttons", "none", "none"]
    assert [one.label for one in questions[0].choices] == ["−9", "missing"]
    assert [one.label for one in questions[0].rows] == ["≤ 45", "> 45", "−9", "missing"]
    assert [one.label for one in questions[1].choices] == list("abcdefgh")
    assert [one.label for one in questions[2].choices] == ["no", "yes", "missing"]
    assert [one.row for one in questions[2].choices] == [0, 1, 2]
    ordered = RiskCard([replace(jobs, is_ordered=True)])
    (question,) = questions_of(ordered)
    assert [one.label for one in question.choices] == list("bafcdegh")


def test_a_phone_offers_a_minus_sign_where_it_is_needed():
    page = RiskCard(
        [FeaturePoints("t", [-1], [0, 1]), FeaturePoints("u", [1], [0, 1])]
    ).to_calculator()
    assert re.findall('inputmode="([a-z]+)"', page) == ["text", "decimal"]


def test_many_totals_are_shown_in_bands_and_without_dots():
    page = counted(many_totals(8)).to_calculator()
    data = data_of(page)
    assert not data["has_all_totals"]
    assert data["totals"] == [-30, 225]
    assert page.count("data-low=") <= 30


# --- the words ----------------------------------------------------------------------------------


def german() -> Labels:
    return labels_from(
        {
            "language": "de",
            "title": "Risiko",
            "facts": ["Gelernt aus 500 Zeilen."],
            "caution": "Eine Schätzung.",
            "features": {
                "age": {"name": "Alter", "unit": "Jahre", "help": "bei Aufnahme", "lowest": 18},
                "shape": {"name": "Form", "levels": {"round": "rund"}},
            },
            "words": {
                "total": "Summe",
                "decimal": ",",
                "missing": "fehlt",
                "between": "{high} > {low}",
            },
        }
    )


def test_labels_replace_the_words_of_the_page():
    reader = read_html(counted().with_labels(german()).to_calculator())
    for text in ("Risiko", "Alter", "Jahre", "bei Aufnahme", "rund", "oval", "Summe", "fehlt"):
        assert text in reader.texts
    assert "Gelernt aus 500 Zeilen." in reader.texts
    assert "Eine Schätzung." in reader.texts
    assert "60 > 45" in reader.texts
    assert ("html", {"lang": "de", "dir": "ltr"}) in reader.elements
    assert "Total" not in reader.texts
    assert "7,6 %" in reader.texts


#: Words that only the card and its own sentences have.
CARD_WORDS = frozenset(
    [
        "risk_of",
        "fill_in",
        "details",
        "legend",
        "legend_interval",
        "higher_is_safer",
        "observed_means",
        "observed_by_weight",
        "interval_means",
        "interval_groups",
        "too_few",
        "learned",
        "recalibrated",
        "recalibrated_alone",
        "share_by_weight",
        "smooth",
        "shrunk",
        "real_rows",
        "extra_few",
        "extra_one",
        "extra_many",
        "thousands",
    ]
)


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_every_language_has_every_word_with_the_same_places(language):
    words, english = words_of(language), words_of("en")
    assert list(words) == list(english)
    for key, text in english.items():
        assert set(PLACE.findall(words[key])) == set(PLACE.findall(text)), key
    same = {key for key, text in words.items() if text == english[key] and len(text) > 12}
    assert same <= {"many_points", "announcement_value"}  # as in French, and in Spanish


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_card_and_calculator_speak_the_language_of_the_labels(language):
    card = replace(counted(), labels=Labels(language=language))
    card = replace(card, features=with_counts(card.features))
    words = words_of(language)
    english = {text for key, text in words_of("en").items() if text != words[key] and len(text) > 3}
    forms = (
        card.to_text(),
        card.to_html(),
        card.to_markdown(),
        card.to_svg(),
        card.to_calculator(),
    )
    for form in forms:
        assert words["events"] in form
        assert words["risk"] in form
    texts = read_html(card.to_calculator()).texts
    assert not english & set(texts)
    assert not english & set(read_html(card.to_html()).texts)


def with_counts(features):
    """The features with 3 training rows and 1 event on every line."""
    lines = [len(one.lines()) for one in features]
    return tuple(
        replace(one, rows=(3,) * n, events=(1,) * n) for one, n in zip(features, lines, strict=True)
    )


def test_every_word_is_used_and_comes_from_the_file():
    """With every word replaced by its name nothing English is left."""
    marked = {
        key: f"<{key}>" + "".join(re.findall(r"\{\w+\}", text))
        for key, text in words_of("en").items()
        if key not in ("decimal", "separator")
    }
    card = RiskCard(
        [
            FeaturePoints("ä", [1, 2, 3], [0, 1, 2, 3], missing=0, codes=[(-9, 1)]),
            FeaturePoints("ö", [], [0], missing=1),
            FeaturePoints("ü", [], [1], codes=[(-9, 2)]),
            FeaturePoints("å", [], [1]),
            FeaturePoints("ø", [0, 2], [1, 2, 3], training_range=ValueRange(0, 9, is_whole=True)),
            LevelPoints("é", [[False], [True]], [0, 1]),
            LevelPoints("è", [list("12345678"), ["9"]], [0, 1]),
        ],
        base=-1,
    )
    labels = Labels(title="", facts=(), words=marked)
    card = replace(counted(card), features=with_counts(card.features), labels=labels)
    reader = read_html(card.to_calculator())
    texts = [re.sub(r"<\w+>", "", text) for text in reader.texts]
    assert not re.search("[A-Za-z]{2}", " ".join(texts))
    drawn, script = "".join([*reader.texts, str(reader.elements)]), reader.scripts[1]
    # those of recalibrated cards take the place of others: test_recalibrate.py
    # and those of cards without risks, in test_calculator_kinds.py
    known = {key for key in words_of("en") if not key.endswith(("_recalibrated", "_value"))}
    for key in known - CARD_WORDS:
        is_in_script = f'"{key}"' in script or f"data.words.{key}" in script
        assert f"<{key}>" in drawn or is_in_script, f"{key} is never used"


def test_words_are_filled_in_once():
    labels = Labels()
    assert labels.say("between", low="{high}", high="2") == "> {high} to ≤ 2"
    assert share_words(labels, 0.5) == "50.0 %"
    assert share_words(labels, 1e-9) == "< 0.01 %"
    assert share_words(Labels(words={"decimal": ","}), 0.99999) == "> 99,99 %"


# --- the command --------------------------------------------------------------------------------


def test_the_command_writes_the_page(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    heart_card().save("card.json")
    assert main(["calculator", "card.json", "-o", "page.html"]) == 0
    assert capsys.readouterr().err == "Wrote page.html.\n"
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page == heart_card().to_calculator()
    (tmp_path / "german.toml").write_text('words = {risk = "Risiko"}', encoding="utf-8")
    assert main(["calculator", "card.json", "--labels", "german.toml", "-o", "de.html"]) == 0
    assert ">Risiko<" in (tmp_path / "de.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["show", "calculator", "labels"])
def test_every_option_is_in_the_docs(command):
    page = (Path(__file__).parents[1] / "docs/command_line.md").read_text(encoding="utf-8")
    section = page.split(f"\n## {command}\n")[1].split("\n## ")[0]
    actions = make_parser()._subparsers._group_actions[0].choices[command]._actions
    options = [option for action in actions for option in action.option_strings]
    missing = [option for option in options if f"`{option}" not in section]
    assert set(missing) <= {"-h", "--help"}


def test_the_example_of_the_docs_runs(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    assert list(run_page(DOCS / "calculator.md")) == []  # it shows no output
    assert "stechend" in Path("rechner.html").read_text(encoding="utf-8")
    row = {"age": 71, "pain": "tight", "pressure": 155, "smoker": True}  # as in the picture
    assert 0.5 < RiskCard.load("card.json").risk(row)[0] < 1
