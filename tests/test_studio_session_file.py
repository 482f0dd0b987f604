"""The file of a session: what another studio or another session wrote there is never lost."""

import json

import pytest

from riskcard.studio.server.view import state_of
from riskcard.studio.state.session import Session
from studio_rows import write_table
from studio_session import NoFitter


@pytest.fixture
def begin(tmp_path, monkeypatch):
    """A function that begins a session with a table, saved to one file; all are closed at the end."""
    monkeypatch.setattr("riskcard.studio.state.fits.Fitter", NoFitter)
    write_table(tmp_path / "rows.csv")
    begun = []

    def make(opens_table: bool = True) -> Session:
        session = Session(str(tmp_path / "work.json"))
        begun.append(session)
        if opens_table:
            session.open_table(str(tmp_path / "rows.csv"), "rows.csv")
        return session

    yield make
    for session in begun:
        session.close()


def saved(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_every_change_is_saved_at_once(begin, tmp_path):
    session = begin()
    session.choose({"target": "ill"})
    assert saved(tmp_path / "work.json")["choices"]["target"] == "ill"
    assert state_of(session)["not_saved"] is None


def test_a_second_studio_with_the_same_file_writes_over_nothing_and_says_so(begin, tmp_path):
    first = begin()
    second = begin(opens_table=False)
    second.open_saved((tmp_path / "work.json").read_text(encoding="utf-8"))
    second.open_table(str(tmp_path / "rows.csv"), "rows.csv")
    second.choose({"max_terms": 7})
    first.choose({"max_terms": 4})
    assert (
        "changed by another program, such as a second studio"
        in state_of(first)["not_saved"]["text"]
    )
    assert saved(tmp_path / "work.json")["choices"]["max_terms"] == 7
    assert state_of(second)["not_saved"] is None
    assert first.document.choices.max_terms == 4  # it goes on, and can be saved elsewhere


def test_another_table_sets_the_session_before_it_apart(begin, tmp_path):
    session = begin()
    session.choose({"target": "ill"})
    before = (tmp_path / "work.json").read_bytes()
    session.open_table(str(write_table(tmp_path / "other.csv", 200)), "other.csv")
    assert saved(tmp_path / "work.json")["data"]["name"] == "other.csv"
    (apart,) = tmp_path.glob("work-*.json")
    assert apart.read_bytes() == before


def test_a_session_whose_table_is_not_at_hand_is_set_apart_when_it_is_given_up(begin, tmp_path):
    begin().choose({"target": "ill"})
    before = (tmp_path / "work.json").read_bytes()
    later = begin(opens_table=False)
    later.open_saved(before.decode())
    later.forget_waiting()
    later.open_table(str(write_table(tmp_path / "other.csv", 200)), "other.csv")
    (apart,) = tmp_path.glob("work-*.json")
    assert apart.read_bytes() == before


def test_a_file_that_cannot_be_written_is_named_and_work_goes_on(begin, tmp_path, monkeypatch):
    def refuse(path, text):
        raise OSError(28, "No space left on device")

    session = begin()
    monkeypatch.setattr("riskcard.studio.state.session_file.write_whole", refuse)
    session.choose({"max_terms": 3})
    assert "No space left" in state_of(session)["not_saved"]["text"]
    assert session.document.choices.max_terms == 3
    monkeypatch.undo()
    session.choose({"max_terms": 4})
    assert state_of(session)["not_saved"] is None
    assert saved(tmp_path / "work.json")["choices"]["max_terms"] == 4


@pytest.mark.parametrize("text", ["", "[]", '{"log": []}', '{"log": [{"hash": "../up"}]}', "{"])
def test_a_file_that_is_no_session_is_not_moved(begin, tmp_path, text):
    (tmp_path / "work.json").write_text(text, encoding="utf-8")
    begin()
    assert saved(tmp_path / "work.json")["data"]["name"] == "rows.csv"
    assert list(tmp_path.glob("work-*.json")) == []
