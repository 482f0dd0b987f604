"""A report speaks the language of the card's labels: every sentence, every figure, every picture."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from cards import heart_card
from html_reader import read_html
from riskcard import CardRules, FeatureRule, RiskScoreClassifier, make_report
from riskcard.audit.audit import audit_card
from riskcard.card.sentences import rule_words
from riskcard.cli.main import main
from riskcard.fairness.group_limits import GroupLimits
from riskcard.formatting.figures import amount, share, with_interval
from riskcard.formatting.speech import (
    PLACE,
    counted,
    filled,
    say,
    sentences_of,
    speaking,
    translated,
)
from riskcard.model.words.labels import Labels, words_of
from riskcard.model.words.labels_file import labels_from, template_of

OTHERS = ["de", "fr", "es"]
SOURCE = Path(__file__).parents[1] / "src" / "riskcard"
#: Beginnings of names that code puts together.
PUT_TOGETHER = (
    "section_", "called_", "place_", "stopped_", "unfinished_", "note_", "origin_", "data_kind_",
    "proof_", "stored_", "stability_", "done_internal_", "done_limits_", "done_measures_", "discrimination_", "method_",
    "sentence_scale_", "intervals_", "update_rarer_", "validation_section_", "validation_mean_split_",
    "plot_observed_", "browser_", "bins_reading_", "bins_best", "bins_quantiles", "credit_", "monitor_",
)  # fmt: skip
#: What every language writes alike.
ALIKE = {
    "proof_check", "sentence_unfinished", "name_and_text", "plot_auc", "data_sentence_test", "date",
    "points_one", "points_many", "candidates_one", "candidates_many", "coefficients_many", "method_boosting",
    "proof_pseudo_rows", "drift_recalibration_share", "explain_item", "explain_condition", "bins_caption",
    "monitor_drift",
}  # fmt: skip


def in_language(card, language):
    return replace(card, labels=replace(card.labels, language=language))


def english_in(text: str, language: str) -> list[str]:
    """The names of the English sentences of which the longest piece between places stands in a text."""
    words, found = sentences_of(language), []
    for name, sentence in sentences_of("en").items():
        piece = max(PLACE.split(sentence)[::2], key=len)
        is_telling = len(piece) > 14 and " " in piece.strip() and piece not in words[name]
        if is_telling and piece in text:
            found.append(name)
    return found


# --- the files ----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_every_sentence_with_the_same_places(language):
    words, english = sentences_of(language), sentences_of("en")
    assert list(words) == list(english)
    for name, text in english.items():
        assert sorted(set(PLACE.findall(words[name]))) == sorted(set(PLACE.findall(text))), name
    same = {name for name, text in words.items() if text == english[name] and len(text) > 8}
    assert same <= ALIKE


def test_a_name_belongs_to_one_sentence():
    assert not set(sentences_of("en")) & set(words_of("en"))


def test_every_sentence_is_used_and_every_name_is_known():
    files = [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.j2")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    known = set(sentences_of("en"))
    used = set(re.findall(r"\b(?:say|entry|row)\(\s*[\"'](\w+)[\"']\s*[,)]", text))
    own = {name for name in used if name in known or "_" in name} - set(words_of("en"))
    assert own <= known
    written = set(re.findall(r"[\"'](\w+)[\"']", text))
    counts = {f"{noun}_{number}" for noun in written for number in ("one", "many")}
    unused = {name for name in known - written - counts if not name.startswith(PUT_TOGETHER)}
    assert not unused


@pytest.mark.parametrize("language", OTHERS)
def test_a_stored_sentence_is_recognised_with_whatever_it_is_filled(language):
    words, english = sentences_of(language), sentences_of("en")
    for name, text in english.items():
        if name.startswith("stored_"):
            parts = {place: f"'x{n}'" for n, place in enumerate(PLACE.findall(text))}
            with speaking(language):
                assert translated(filled(text, parts)) == filled(words[name], parts), name
    assert translated("at most 3 terms") == "at most 3 terms"


# --- figures ------------------------------------------------------------------------------------


def test_figures_have_the_signs_of_the_language():
    with speaking("de"):
        assert amount(1234567.5, ",.1f") == "1.234.567,5"
        assert with_interval(-0.5, (-1.25, 0.25), 2) == "−0,50 (−1,25\u00a0bis\u00a00,25)"
        assert share(0.125) == "12,5\u00a0%"
        assert (counted(1, "rows"), counted(2000, "rows")) == ("1 Zeile", "2.000 Zeilen")
        with speaking("fr"):
            assert amount(12345) == "12\u00a0345"
        assert amount(0.5, "g") == "0,5"
    assert with_interval(-0.5, (-1.25, 0.25), 2) == "−0.50 (−1.25\u00a0to\u00a00.25)"
    assert share(0.125) == "12.5 %"


def test_a_language_that_is_not_known_is_english():
    with speaking("nl"):
        assert say("section_card") == "The card"
    with speaking("de-AT"):
        assert say("section_card") == "Die Karte"


# --- the card -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ruled(mixed):
    """A card with a proof and with rules, on a table with missing values and categories."""
    frame, y = mixed
    age = FeatureRule(direction="rises", use="must", max_cuts=2)
    rules = CardRules({"age": age}, min_bin_rows=5)
    model = RiskScoreClassifier(3, rules=rules, certify=True, time_limit=20)
    return model.fit(frame, y)


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("form", ["to_text", "to_html", "to_markdown", "to_latex", "to_calculator"])
def test_front_and_back_of_a_card_are_in_the_language(ruled, language, form):
    shown = getattr(in_language(ruled.card_, language), form)()
    assert not english_in(shown, language)
    english = getattr(ruled.card_, form)()
    assert len(english_in(english, language)) > 5  # what is looked for would be seen


@pytest.mark.parametrize("language", OTHERS)
def test_rules_are_in_the_language(ruled, language):
    words = sentences_of(language)
    text = " ".join(in_language(ruled.card_, language).to_text().split())
    assert f"{words['stored_rule_must']}, {words['stored_rule_rises']}" in text
    assert filled(words["stored_rule_rows"], {"number": "5"}) in text


def test_limits_between_groups_and_changes_are_rules_in_the_language(ruled):
    rules = (
        *GroupLimits(flagged=0.1, threshold=0.5).in_words("sex"),
        "terms of an earlier card that may be changed: 2",
        "at most 1 of age, stage",
        "size: cuts at 1.5, 2.5",
    )
    certificate = replace(ruled.card_.certificate, rules=rules)
    assert rule_words(certificate) == "; ".join(rules)
    with speaking("de"):
        assert rule_words(certificate) == (
            "Anteil der Markierten (Risiko mindestens 0,5): Unterschied zwischen den Gruppen von 'sex' "
            "höchstens 0,1; Terme einer früheren Karte, die geändert werden dürfen: 2; "
            "höchstens 1 von age, stage; size: Schnitte bei 1,5; 2,5"
        )


def test_an_event_without_a_name_is_a_class_in_the_language():
    card = replace(heart_card(), outcome="", labels=Labels(language="de"))
    assert card.event.startswith("Klasse ")


# --- the report ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tables(mixed):
    """Training rows and test rows; these have a new level."""
    frame, y = mixed
    test = frame.iloc[:60].copy()
    test["age"] += 0.5
    test["shape"] = test["shape"].astype(object)
    test.iloc[0, test.columns.get_loc("shape")] = "zigzag"
    return frame, y, test, y[:60]


def report_in(language, model, tables, **options):
    pytest.importorskip("matplotlib")
    frame, y, test, events = tables
    model.card_ = in_language(model.card_, language)
    options = {"cv": 2, "repeats": 2, "n_bootstraps": 5, "test": (test, events)} | options
    try:
        return make_report(model, frame, y, **options)
    finally:
        model.card_ = in_language(model.card_, "en")


def shown_texts(page: str) -> list[str]:
    """What people read."""
    return [text for text in read_html(page).texts if text.strip()]


@pytest.mark.slow
@pytest.mark.parametrize("language", OTHERS)
def test_no_english_sentence_is_left_in_a_report(language, ruled, tables):
    page = report_in(language, ruled, tables).to_html()
    texts = shown_texts(page)
    words, english = sentences_of(language), sentences_of("en")
    own = {text for name, text in english.items() if words[name] != text and len(text) > 3}
    own -= {*words.values(), "scale", "calibrated"}  # the two are a parameter and its value
    assert f'<html lang="{language}">' in page
    assert sorted(own & {" ".join(text.split()) for text in texts}) == []
    assert not english_in(" ".join(" ".join(texts).split()), language)
    alternatives = re.findall(r'alt="([^"]*)"', page)
    assert alternatives
    assert not english_in(" ".join(alternatives), language)
    for name in ("card", "proof", "data", "price", "stability", "guidelines", "origin"):
        assert f"<h2>{words[f'section_{name}']}</h2>" in page
    assert re.search(r"\b0,\d{3}\b", page)


@pytest.mark.slow
def test_the_same_report_in_english_shows_what_is_looked_for(ruled, tables):
    page = report_in("en", ruled, tables).to_html()
    found = english_in(" ".join(" ".join(shown_texts(page)).split()), "de")
    assert len(found) > 90
    assert '<html lang="en">' in page
    assert 'lang="en">' not in page.replace('<html lang="en">', "")


@pytest.mark.slow
@pytest.mark.parametrize("language", OTHERS)
def test_all_that_an_audit_says_is_translated(language, ruled, tables):
    frame, y, _, _ = tables
    plain = RiskScoreClassifier(2, regularization=None, certify=True).fit(frame, y)
    changed = replace(plain.card_, base=plain.card_.base)
    audits = [
        audit_card(ruled, frame, y),
        audit_card(plain, frame, y),
        audit_card(plain.card_, frame.iloc[:-9], y[:-9]),
        audit_card(replace(changed, certificate=None), frame, y),
    ]
    with speaking(language):
        for check in [one for audit in audits for one in audit.checks]:
            assert translated(check.name) != check.name or language == "fr", check.name
            is_figure = not re.search(r"[a-z]{3}", check.detail)
            assert is_figure or translated(check.detail) != check.detail, check.detail


@pytest.mark.slow
def test_notes_and_guesses_are_in_the_language(ruled, tables):
    report = report_in("de", ruled, tables, cv=0, n_bootstraps=0)
    facts = report.facts
    assert facts.notes[-1] == sentences_of("de")["note_no_folds"]
    assert all("Trainingszeilen" in one for one in facts.test.guesses)
    assert "zigzag" in " ".join(facts.test.guesses) or not facts.test.guesses
    assert re.search(r"\d\d\. \w+ \d{4}, \d\d:\d\d Uhr UTC", facts.origin.made)


@pytest.mark.slow
def test_a_word_document_is_in_the_language(ruled, tables):
    docx = pytest.importorskip("docx")
    import io

    report = report_in("es", ruled, tables, cv=0, n_bootstraps=0)
    document = docx.Document(io.BytesIO(report.to_word()))
    text = "\n".join(one.text for one in document.paragraphs)
    assert sentences_of("es")["section_proof"] in text
    assert sentences_of("es")["proof_recomputed_how"] in text


def test_pictures_are_in_the_language():
    pytest.importorskip("matplotlib")
    from riskcard.plots.cards.points import plot_points
    from riskcard.plots.decision import plot_decision
    from riskcard.plots.risk import plot_risk
    from riskcard.plots.roc import plot_roc

    risks, y = [0.1, 0.4, 0.4, 0.8], [0, 0, 1, 1]
    with speaking("de"):
        axes = plot_roc(risks, y)
        legend = [text.get_text() for text in axes.get_legend().get_texts()]
        ticks = [text.get_text() for text in axes.get_xticklabels()]
        acts = [text.get_text() for text in plot_decision(risks, y).get_legend().get_texts()]
    card = in_language(heart_card(), "de")
    assert plot_risk(card).get_xlabel() == "Summe"
    assert plot_points(card).get_ylabel().startswith("Punkte")
    assert axes.get_xlabel() == sentences_of("de")["plot_false_positives"]
    assert legend == ["AUC 0,875 (0,228 bis 0,994)"]
    assert "0,2" in ticks
    assert acts == ["nach Risiko handeln", "bei allen handeln", "bei niemandem handeln"]


@pytest.mark.slow
def test_the_command_writes_a_report_in_a_language(tmp_path, ruled, tables):
    pytest.importorskip("matplotlib")
    frame, y, _, _ = tables
    rows = tmp_path / "rows.csv"
    frame.assign(ill=y).to_csv(rows, index=False)
    card, page = tmp_path / "card.json", tmp_path / "bericht.html"
    fitted = ["fit", str(rows), "--target", "ill", "-o", str(card), "--max-terms", "2", "--quiet"]
    assert main(fitted) == 0
    command = ["report", str(card), str(rows), "-o", str(page), "--language", "de", "--cv", "2"]
    assert main([*command, "--repeats", "1", "--n-bootstraps", "0", "--quiet"]) == 0
    text = page.read_text(encoding="utf-8")
    assert "<h2>Was bewiesen ist</h2>" in text
    assert re.search(r"<td[^>]*>Daten</td><td[^>]*>rows\.csv</td>", text)


# --- words of one's own -------------------------------------------------------------------------


@pytest.mark.slow
def test_own_words_replace_sentences_of_the_report(ruled, tables):
    words = {"section_card": "De kaart", "decimal": ",", "stored_name_loss": "verlies"}
    own = labels_from({"language": "nl", "words": words})
    card = replace(ruled.card_, labels=own)
    pytest.importorskip("matplotlib")
    page = make_report(card, tables[0], tables[1], cv=0, n_bootstraps=0).to_html()
    assert "<h2>De kaart</h2>" in page
    assert "<h2>What is proven</h2>" in page
    assert ">verlies: stated " in page
    assert re.search(r"<b>0,\d{3}</b>", page)


def test_a_template_with_words_has_those_of_the_report():
    text = template_of(in_language(heart_card(), "de"), with_words=True)
    assert '"section_card" = "Die Karte"' in text


def test_french_has_a_hard_space_before_every_double_sign():
    """A line never begins with a colon or a semicolon."""
    texts = [*sentences_of("fr").values(), *words_of("fr").values()]
    assert [text for text in texts if re.search(r"\S[ ]?(?<!\u00a0)[:;?!](?!\w)", text)] == []
