"""Refusals and remarks on a file in the languages of the page: what other rooms say in English is recognised."""

import gzip

import numpy as np
import pytest

from riskcard.data.cells.column_reading import Done
from riskcard.data.columns import FeatureValues, read_column
from riskcard.data.first_look.data_summary import summarize
from riskcard.data.first_look.identifiers import find_identifiers
from riskcard.errors import RiskcardError
from riskcard.formatting.speech import PLACE, filled, speaking, translated
from riskcard.studio.choices import Choices
from riskcard.studio.page_words import page_words
from riskcard.studio.server.view import shown_columns, state_of
from riskcard.studio.state.document import from_file, read_groups
from riskcard.studio.state.edits import edit_card
from riskcard.studio.state.pins import rules_of
from riskcard.studio.state.session import Session
from riskcard.studio.table.data import Source, without_options
from riskcard.studio.told import told, told_part
from studio_rows import referee_of, rows_of, write_table
from studio_session import NoFitter

OTHERS = ["de", "fr", "es"]
NAMES = [name for name in page_words("en") if name.startswith(("refused_", "read_"))]


def refusal(work, *given, **named) -> str:
    with pytest.raises(RiskcardError) as caught:
        work(*given, **named)
    return str(caught.value)


def require_told(text: str) -> None:
    """A text has words in every language, and they are not those of English."""
    for language in OTHERS:
        with speaking(language):
            said, is_english = told(text)
        assert not is_english, text
        assert said != text
        assert "--" not in said
    assert told("Nobody says this.") == ("Nobody says this.", False)
    with speaking("de"):
        assert told("Nobody says this.") == ("Nobody says this.", True)


@pytest.mark.parametrize("language", OTHERS)
def test_every_sentence_is_recognised_with_whatever_it_is_filled(language):
    english, own = page_words("en"), page_words(language)
    with speaking(language):
        for name in NAMES:
            parts = {place: f"'x{n}'" for n, place in enumerate(PLACE.findall(english[name]))}
            said = told(filled(english[name], parts))
            # some are heard in the longer words of the command line
            assert said in ((filled(own[name], parts), False), (filled(english[name], parts), True))


def test_numbers_and_examples_within_a_remark_are_in_the_language_too():
    with speaking("de"):
        assert told(
            "Missing values in 'a', 'b' and 3 more: 37,747 empty cells, 'NA' (1 cell)."
        ) == (
            "Fehlende Werte in 'a', 'b' und 3 weitere: 37.747 leere Zellen, 'NA' (1 Zelle).",
            False,
        )
        said, _ = told("Left out, as dates: 'a' (such as 2023-01-01), 'b, c'")
        assert said == "Weggelassen, da Daten: 'a' (etwa 2023-01-01), 'b, c'"
        assert told_part("0.995") == "0,995"


@pytest.mark.parametrize(
    "name",
    ["age at diagnosis", "pain and fever, 3 empty cells", 'it\'s at "rest"', "a: b (1 cell)"],
)
def test_names_within_a_remark_stay_as_they_are(name):
    name = repr(name)
    with speaking("de"):
        assert told(
            f"A cut of {name} at 50.5 is not between its neighbours. Remove one of them first."
        )[0] == (
            f"Ein Schnitt von {name} bei 50,5 liegt nicht zwischen seinen Nachbarn. "
            "Entfernen Sie zuerst einen davon."
        )
        assert told(f"Missing values in {name}, 'b' and 3 more: 2 empty cells.")[0] == (
            f"Fehlende Werte in {name}, 'b' und 3 weitere: 2 leere Zellen."
        )
        moved = translated(f"moving the cut of {name} at 1.5 to 2.5")
    assert moved == f"der Schnitt von {name} bei 1,5, verschoben zu 2,5,"


def test_cells_of_the_file_and_columns_with_a_problem_are_said_as_they_are():
    with speaking("de"):
        assert told("Left out, as dates: 'a' (such as 01.2020).")[0] == (
            "Weggelassen, da Daten: 'a' (etwa 01.2020)."
        )
        said, _ = told(
            "column 'a': '1.200' and the other numbers of the column can be read in two ways. The column is left out."
        )
    assert said.startswith("Spalte 'a': '1.200' und ")


def test_a_quote_without_its_pair_hides_no_sentence():
    with speaking("de"):
        said = told("'patient's x' is constant in the training rows. Choose another column.")
    assert said == (
        "'patient's x' ist in den Trainingszeilen konstant. Wählen Sie eine andere Spalte.",
        False,
    )


def test_a_users_own_words_are_said_in_english_too():
    text = "'x' is constant in the training rows. Choose another column."
    assert told(text, {"refused_constant": "{name}: always the same."}) == (
        "'x': always the same.",
        False,
    )


TWICE = {"target": "ill", "weights": "ill"}


@pytest.mark.parametrize(
    "choices",
    [
        TWICE,
        {"groups": "person", "later": ["day", ""]},
        {"max_terms": -3},
        {"seconds": 1e9},
        {"later": ["a=b", ""]},
        {"codes": {"age": ["old"]}},
    ],
    ids=str,
)
def test_refused_choices_are_said(choices):
    require_told(refusal(Choices.of, choices))


def test_what_the_page_calls_something_is_said_within_a_refusal():
    with speaking("de"):
        said, _ = told(refusal(Choices.of, TWICE))
    words = page_words("de")
    assert said == f"'ill' ist doppelt gewählt, als „{words['outcome_column']}“ und als „{words['weights_column']}“. " \
        "Wählen Sie eine andere Spalte."  # fmt: skip


@pytest.mark.parametrize("groups", [[0.3, 0.1], [0.1, 1.5], ["x"], [i / 20 for i in range(1, 12)]])
def test_refused_risk_groups_are_said(groups):
    require_told(refusal(read_groups, groups))


def test_risks_between_groups_are_refused_in_per_cent_as_they_were_typed():
    assert refusal(read_groups, [0.3, 0.1]).startswith("The risks between groups are 30 %, 10 %.")


@pytest.fixture(scope="module")
def referee():
    return referee_of(rows_of(), max_terms=2)


@pytest.mark.parametrize(
    "edit",
    [
        {"what": "points", "line": 0, "points": 5000},
        {"what": "cut", "place": 0, "cut": 1e12},
        {"what": "cut", "place": 1, "cut": -5.0},
        {"what": "add cut", "cut": 50.0},
    ],
    ids=str,
)
def test_refused_changes_are_said(referee, edit):
    card = edit_card(referee.best, {"what": "add cut", "feature": "age", "cut": 50.0}, referee)
    require_told(refusal(edit_card, card, {"feature": "age", **edit}, referee))


def test_refused_pins_are_said(referee):
    require_told(refusal(rules_of, {"dose": ("cuts",)}, None))
    edit = {"what": "points", "feature": "age", "line": 0, "points": 9}
    card = edit_card(referee.best, {"what": "add cut", "feature": "age"}, referee)
    card = edit_card(card, edit, referee)
    require_told(refusal(rules_of, {"age": ("points",)}, card))


@pytest.fixture
def session(tmp_path, monkeypatch):
    monkeypatch.setattr("riskcard.studio.state.fits.Fitter", NoFitter)
    opened = Session(language="de")
    opened.open_table(str(write_table(tmp_path / "rows.csv")), "rows.csv")
    yield opened
    opened.close()


def test_what_a_session_refuses_is_said(session, tmp_path):
    require_told(refusal(session.require, 0))
    require_told(refusal(session.set_labels, {"features": {"age": {"lowest": 9, "highest": 1}}}))
    saved = session.save()
    other = write_table(tmp_path / "other.csv", 50)
    later = Session()
    later.open_saved(saved)
    require_told(refusal(later.open_table, str(other), "other.csv"))
    later.close()
    for text in (
        "no",
        "{}",
        saved.replace('"entry"', '"x"').replace('"rows": 300', '"rows": 301'),
        saved.replace('"format_version": ', '"format_version": 9'),
    ):
        require_told(refusal(from_file, text))


@pytest.mark.parametrize(
    "later", [["age", "old"], ["kind", ""], ["age", "1000"], ["age", "0"]], ids=str
)  # fmt: skip
def test_refused_times_are_said(session, later):
    session.choose({"target": "ill", "event": "yes"})
    text = refusal(session.choose, {"later": later})
    require_told(text.replace(repr(session.source.path), repr(session.source.name)))


FILES = {
    "empty.csv": b"",
    "cells.csv": b"a,b\n1,2\n1,2,3\n",
    "header.csv": b"a,b\n",
    "names.csv": b"a,a\n1,2\n",
    "broken.xlsx": b"PK\x03\x04nothing",
    "broken.parquet": b"PAR1nothing",
    "none.csv": b"\0\0\0\0" * 50,
    "broken.sav": b"$FL2nothing",
    "quotes.csv": b'a,b\n1,2\n"1,2\n',
    "packed.csv.gz": gzip.compress(b"a,b\n1,2\n"),
    "old.xls": b"\xd0\xcf\x11\xe0" + bytes(100),
    "none.parquet": b"a,b\n1,2\n",
    "wrong.csv": "a,b\nä,ö\nü,é\n".encode() + b"\xe4,1\n",
}


@pytest.mark.parametrize("name", FILES)
def test_refused_files_are_said(tmp_path, name):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    if name.endswith("xlsx"):
        pytest.importorskip("openpyxl")
    (tmp_path / name).write_bytes(FILES[name])
    require_told(refusal(Source.open, str(tmp_path / name), name))


def test_every_note_on_a_column_is_said():
    for done in Done:
        if done not in (Done.ASKED, Done.AS_DAYS, Done.AS_YEARS):  # the page cannot ask for these
            require_told(without_options(done.sentence.format("'x' (1.234,5), 'y' and 3 more")))


def test_everything_that_is_read_from_a_messy_file_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr("riskcard.studio.state.fits.Fitter", NoFitter)
    lines = ["Export of the ward", "Nummer;Tag;Anteil;Betrag;Wert;Gewicht;Grenze;Ort;ill"]
    for i in range(60):
        odd, limit = "pending" if i == 7 else f"{i},5", "<0,5" if i == 9 else f"{i},25"
        place = "" if i % 9 == 0 else "NA" if i % 9 == 1 else "Köln" if i % 2 else "Bonn"
        lines.append(
            f"{1000 + i};2022-01-{1 + i % 28:02};{i} %;{i} €;{odd};{i} kg;{limit};{place};{'yes' if i % 3 else 'no'}"
        )
    (tmp_path / "messy.csv").write_bytes("\n".join(lines).encode("cp1252"))
    session = Session(language="de")
    try:
        session.open_table(str(tmp_path / "messy.csv"), "messy.csv")
        state = state_of(session)
        with session.document.read_labels().spoken():
            state, tiles = state_of(session), shown_columns(session)
        assert len(state["table"]["remarks"]) >= 7
        remarks = [
            *state["table"]["remarks"],
            *(one for tile in tiles for one in tile["remarks"] if "text" in one),
        ]
        assert not [one["text"] for one in remarks if one["is_english"]]
        session.choose({"target": "ill", "event": "yes"})
        with session.document.read_labels().spoken():
            read = state_of(session)["parts"]["read"]
        assert read
        assert not [one["text"] for one in read if one["is_english"]]
    finally:
        session.close()


def test_why_identifiers_are_left_out_is_said():
    numbers = {
        "patient_id": np.arange(300.0) * 7,
        "code_id": np.where(np.arange(300) == 3, 28.0, np.arange(300.0) * 7),
        "anything": np.arange(100_000.0, 100_300.0),
        "patient_nr": np.repeat(np.arange(100.0), 3),
    }
    columns = {name: FeatureValues(own, None) for name, own in numbers.items()}
    texts = [f"note {i}" for i in range(300)], [f"note {i % 180}" for i in range(300)]
    columns |= {f"text {i}": read_column(own, f"text {i}") for i, own in enumerate(texts)}
    reasons = {one.reason for one in find_identifiers(columns)}
    assert len(reasons) == len(columns), reasons
    for reason in reasons:
        require_told(reason)


def test_remarks_on_a_first_look_are_said():
    y = np.arange(40) < 6
    columns = {"leak": FeatureValues(y * 1.0 + np.arange(40) / 100, None)}
    for is_event in (y, ~y):
        summary = summarize(columns, is_event, (0, 1), outcome="y", max_terms=5)
        for line in summary.lines(str, "", "groups")[3:]:
            require_told(line.strip())
