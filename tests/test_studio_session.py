"""A session of the studio: its log, its document, undo, and the recipe that gives the same card again."""

import json
import math
import shlex
from dataclasses import replace

import numpy as np
import pytest

from riskcard.cli.main import main
from riskcard.errors import DataError, FormatError, ParameterError
from riskcard.model.card import RiskCard
from riskcard.model.origin.recipe import digest_of
from riskcard.rules.card_rules import CardRules, FeatureGroup, FeatureRule
from riskcard.rules.write_rules import rules_to_toml
from riskcard.studio.choices import Choices, options_of
from riskcard.studio.fitting.exchange import read_training_file, write_training
from riskcard.studio.server.downloads import file_of
from riskcard.studio.server.groups_view import groups_view
from riskcard.studio.server.view import card_of, columns_of, compare_cards, state_of, work_of
from riskcard.studio.state.document import Proof, from_file
from riskcard.studio.state.fits import Work
from riskcard.studio.state.session import Conflict, Session
from riskcard.studio.state.signed_log import add_entry, first_break
from riskcard.studio.table.data import Source, divide
from studio_rows import write_table
from studio_session import NoFitter, wait

CHOICES = {"target": "ill", "event": "yes", "hold_out": 0.3, "max_terms": 2, "max_points": 3}


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """A session with a card and its proof; tests leave it as they find it."""
    folder = tmp_path_factory.mktemp("studio")
    session = Session()
    session.open_table(str(write_table(folder / "rows.csv")), "rows.csv")
    session.choose(CHOICES)
    session.fits.fit()
    wait(session)
    yield session
    session.close()


@pytest.fixture
def unfitted(tmp_path, monkeypatch):
    """A session without the process that fits."""
    monkeypatch.setattr("riskcard.studio.state.fits.Fitter", NoFitter)
    session = Session()
    session.open_table(str(write_table(tmp_path / "rows.csv")), "rows.csv")
    yield session
    session.close()


# --- choices are options -------------------------------------------------------------------------


def test_choices_are_the_options_of_the_command_line():
    choices = Choices.of(
        {
            **CHOICES,
            "dropped": ["-x", "a b"],
            "kept": ["id"],
            "missing": ["not yet", "-"],
            "seed": 4,
        }
    )
    options = options_of(choices.arguments("rows.csv"))
    assert (options.target, options.event, options.hold_out) == ("ill", "yes", 0.3)
    assert (options.drop, options.keep_features) == (["-x", "a b"], ["id"])
    assert options.missing == ["not yet", "-"]
    assert (options.max_terms, options.max_points, options.random_state) == (2, 3, 4)
    assert options.certify


def test_a_command_is_read_back_as_the_same_choices():
    choices = Choices.of({"target": "it's $HOME", "event": "`x`"})
    words = shlex.split(choices.command("-data.csv", None, "card.json"))
    options = options_of(words[1:])
    assert (options.data, options.target, options.event) == ("./-data.csv", "it's $HOME", "`x`")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"max_terms": 0}, "Terms at most: 0 does not fit"),
        ({"max_terms": 1000}, "from 1 to 20"),
        ({"max_terms": "5"}, "Terms at most: '5' does not fit"),
        ({"hold_out": 0.9}, "from 0 to 0.5"),
        ({"hold_out": None}, "Rows kept from the fit: None"),
        ({"seconds": 1e9}, "proof: 1e.09 does not fit. Use a number from 1 to 3600"),
        ({"dropped": "age"}, "list of names"),
        ({"target": 5}, "Column with the outcome: 5 is no name"),
        ({"codes": {"age": "-9"}}, "codes"),
        ({"codes": ["age"]}, "codes of each column"),
        ({"__class__": 1}, "no choice"),
        ({"later": "day"}, "no column with a moment"),
        ({"later": ["a=b", ""]}, "has a '=' in its name"),
        ({"weights": "age", "groups": "age"}, "'age' is chosen twice"),
        ({"groups": "person", "later": ["day", ""]}, "could be on both sides"),
    ],
    ids=str,
)
def test_choices_that_make_no_sense_are_refused(changes, words):
    with pytest.raises(ParameterError, match=words):
        Choices.of(changes)


def test_rules_are_read_back_from_their_file(tmp_path):
    rules = CardRules(
        {
            'a "b" \\ [c]': FeatureRule(direction="rises", points=(0, 2), fixed_cuts=[1e-7, 2.5]),
            "never\x7f": FeatureRule(use="never"),
        },
        groups=[FeatureGroup(["x", "y"], 1)],
        min_bin_rows=5,
    )
    (tmp_path / "rules.toml").write_text(rules_to_toml(rules), encoding="utf-8")
    assert CardRules.load(tmp_path / "rules.toml").to_dict() == rules.to_dict()


# --- the rows ------------------------------------------------------------------------------------


def test_held_out_rows_are_halved_and_shared_with_nobody(tmp_path):
    path = write_table(tmp_path / "rows.csv")
    division = divide(Source.open(str(path), "rows.csv"), Choices.of(CHOICES))
    parts = division.rows, division.check, division.sealed
    assert [part.is_event.size for part in parts] == [210, 44, 46]
    assert sum(int(part.is_event.sum()) for part in parts) == _events(path)
    held_out = division.training.held_out
    assert held_out.is_event.size == 90


def _events(path) -> int:
    return sum(line.endswith("yes") for line in path.read_text().splitlines())


def test_rows_arrive_at_the_process_as_they_were_read(tmp_path):
    path = write_table(tmp_path / "rows.csv")
    training = divide(Source.open(str(path), "rows.csv"), Choices.of(CHOICES)).training
    write_training(tmp_path / "rows.npz", training)
    again = read_training_file(tmp_path / "rows.npz")
    assert again.classes == training.classes == ("no", "yes")
    assert again.labels.tolist() == training.labels.tolist()
    assert list(again.table.features) == list(training.table.features)
    for name, one in training.table.features.items():
        assert np.array_equal(again.table.features[name].values, one.values, equal_nan=True)
        assert again.table.features[name].levels == one.levels


def test_tiles_tell_what_a_column_is_and_remark_on_it(tmp_path):
    lines = ["patient_id,age,leak,sex,ill"]
    lines += [f"P{i},{30 + i % 50},{i % 2},{'mf'[i % 3 > 0]},{i % 2}" for i in range(200)]
    (tmp_path / "rows.csv").write_text("\n".join(lines), encoding="utf-8")
    source = Source.open(str(tmp_path / "rows.csv"), "rows.csv")
    tiles = {
        one["name"]: one
        for one in divide(source, Choices.of({"target": "ill", "event": "1"})).tiles(source)
    }
    assert not tiles["patient_id"]["is_used"]
    assert tiles["patient_id"]["remarks"][0]["name"] == "remark_left_out"
    assert tiles["leak"]["remarks"] == [{"name": "remark_leak", "parts": {"area": "1.000"}}]
    assert (tiles["age"]["kind"], tiles["leak"]["kind"], tiles["sex"]["kind"]) == (
        "number",
        "yes_no",
        "category",
    )
    assert sum(tiles["age"]["counts"]) == 200
    assert sum(tiles["age"]["events"]) == sum(tiles["sex"]["events"]) == 100
    assert source.outcome("ill") == [{"value": "0", "rows": 100}, {"value": "1", "rows": 100}]


def test_a_column_that_cannot_be_read_is_left_out_and_said_to_be(tmp_path):
    lines = ["age,odd,ill", *(f"{i},{i if i != 7 else 'pending'},{i % 2}" for i in range(60))]
    (tmp_path / "rows.csv").write_text("\n".join(lines), encoding="utf-8")
    source = Source.open(str(tmp_path / "rows.csv"), "rows.csv")
    assert source.unread == ("odd",)
    assert any("left out" in remark for remark in source.remarks)


# --- what is decided -----------------------------------------------------------------------------


def test_every_step_can_be_undone_and_redone(unfitted):
    unfitted.choose({"target": "ill"})
    unfitted.choose({"event": "yes"})
    unfitted.set_groups([0.2])
    unfitted.set_labels({"features": {"age": {"name": "Age", "unit": "years"}}})
    documents = [*unfitted.history.past, unfitted.document]
    for document in reversed(documents[:-1]):
        unfitted.undo()
        assert unfitted.document is document
    assert unfitted.division is None
    for document in documents[1:]:
        unfitted.redo()
        assert unfitted.document is document
    assert unfitted.division is not None
    with pytest.raises(ParameterError, match="no step"):
        unfitted.redo()
    assert first_break(unfitted.log) is None


def test_a_refused_change_changes_nothing(unfitted):
    unfitted.choose({"target": "ill", "event": "yes"})
    before, version = unfitted.document, unfitted.version
    for work in (
        lambda: unfitted.choose({"event": "maybe"}),
        lambda: unfitted.choose({"target": "nothing"}),
        lambda: unfitted.set_groups([0.5, 0.2]),
        lambda: unfitted.set_labels({"nonsense": 1}),
        lambda: unfitted.set_pins({"nothing": ["use"]}),
        lambda: unfitted.edit({"what": "remove", "feature": "age"}),
        lambda: unfitted.sign("A", "B", "C"),
        lambda: unfitted.fits.fit(with_pins=True),
        unfitted.take_best,
        unfitted.open_test,
    ):
        with pytest.raises((ParameterError, DataError)):
            work()
        assert (unfitted.document, unfitted.version) == (before, version)


def test_a_page_that_shows_an_older_state_cannot_change_it(unfitted):
    unfitted.require(unfitted.version)
    with pytest.raises(Conflict, match="another tab"):
        unfitted.require(unfitted.version - 1)
    for nothing in (None, "1", unfitted.version + 1):
        with pytest.raises(Conflict):
            unfitted.require(nothing)


@pytest.mark.parametrize("is_same", [True, False], ids=["the same card", "another card"])
def test_a_change_in_the_moment_when_a_proof_ends_is_refused_only_if_the_card_is_another(
    fitted, unfitted, is_same
):
    unfitted.choose(CHOICES)
    unfitted.fits.work = Work("running", "pinned", origin=fitted.fits.work.origin)
    best = fitted.document.card
    first = best
    if not is_same:
        first = replace(best, features=best.features[:1], recipe=replace(best.recipe, digest=""))
    unfitted.fits._hear({"kind": "card", "card": first.to_json()})
    shown = unfitted.version
    unfitted.require(shown)
    with pytest.raises(Conflict):
        unfitted.require(shown - 1)
    unfitted.fits._hear({"kind": "proven", "card": best.to_json()})
    assert unfitted.fits.work.state == "done"
    assert unfitted.version > shown
    if is_same:
        unfitted.require(shown)
    else:
        with pytest.raises(Conflict, match="by a fit"):
            unfitted.require(shown)


@pytest.mark.slow
def test_a_bound_of_another_problem_is_not_taken_over(fitted):
    """While a proof goes on, an undo may lead back to a card of an earlier one."""
    fits, bound = fitted.fits, fitted.document.proof.card.certificate.bound
    before, moment = (
        fits.work,
        {"kind": "moment", "seconds": 1.0, "loss": 1e9, "bound": 1e9, "nodes": 7},
    )
    fits.work = Work(
        "running", "free", proof=Proof(before.card, before.proof.pseudo, before.origin.choices)
    )
    fits._hear(moment)
    assert state_of(fitted)["card"]["figures"]["bound"] == bound
    assert fits.work.moments == [[1.0, 1e9, 1e9, 7]]
    assert work_of(fitted)["bound"] is None
    fits.work = before
    assert work_of(fitted)["bound"] == bound  # which the price on the page follows


# --- the log -------------------------------------------------------------------------------------


def test_a_changed_log_is_noticed():
    log = ()
    for number in range(4):
        log = add_entry(log, "edited", {"number": number})
    assert first_break(log) is None
    assert first_break([*log[:1], *log[2:]]) == 1
    assert first_break([log[1], log[0], *log[2:]]) == 0
    assert first_break([*log[:2], {**log[2], "number": 9}, log[3]]) == 2
    assert first_break([*log, "text"]) == 4


# --- with a card ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_recipe_gives_the_same_card_again(fitted, tmp_path, monkeypatch):
    card = fitted.document.card
    write_table(tmp_path / "rows.csv")
    monkeypatch.chdir(tmp_path)
    words = shlex.split(state_of(fitted)["command"])
    assert main([*words[1:], "--quiet"]) == 0
    again = RiskCard.load(tmp_path / "card.json")
    assert (again.features, again.multiplier, again.offset) == (
        card.features,
        card.multiplier,
        card.offset,
    )
    assert again.certificate.loss == card.certificate.loss
    assert again.recipe.rows_all == card.recipe.rows_all
    assert again.recipe.held_out == card.recipe.held_out


@pytest.mark.slow
def test_pins_are_kept_with_a_new_proof_and_the_recipe_with_rules_gives_the_card(
    fitted, tmp_path, monkeypatch
):
    first = fitted.document.card.features[0].name
    fitted.set_pins({first: ["never"], "dose": ["use"]})
    fitted.fits.fit(with_pins=True)
    wait(fitted)
    card = fitted.document.card
    used = [one.name for one in card.features]
    assert "dose" in used
    assert first not in used
    assert card.certificate.rules
    state = state_of(fitted)
    # the price of the pins: against the best card without them
    assert state["card"]["figures"]["best"] == fitted.document.proof.card.certificate.loss
    assert state["card"]["figures"]["above_bound"] > 0
    write_table(tmp_path / "rows.csv")
    (tmp_path / "rules.toml").write_text(file_of(fitted, "rules").content.decode())
    monkeypatch.chdir(tmp_path)
    assert main([*shlex.split(state["command"])[1:], "--quiet"]) == 0
    assert RiskCard.load(tmp_path / "card.json").features == card.features
    while fitted.document.pins:
        fitted.undo()


@pytest.mark.slow
def test_codes_are_kept_apart_in_every_fit_and_in_the_recipe(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    income = np.where(rng.random(600) < 0.2, -9, rng.integers(10, 90, 600))
    ill = rng.random(600) < np.where(income < 0, 0.8, np.where(income < 40, 0.5, 0.1))
    lines = ["income,ill", *(f"{one},{int(event)}" for one, event in zip(income, ill, strict=True))]
    (tmp_path / "rows.csv").write_text("\n".join(lines), encoding="utf-8")
    session = Session()
    try:
        session.open_table(str(tmp_path / "rows.csv"), "rows.csv")
        session.choose({"target": "ill", "event": "1", "max_terms": 2, "seconds": 20})
        assert columns_of(session)["income"]["codes"] == [-9]
        session.choose({"codes": {"income": [-9]}})
        session.fits.fit()
        wait(session)
        card = session.document.card
        assert [code for code, _ in card.features[0].codes] == [-9]
        text, state = session.save(), state_of(session)
        session.open_saved(text)  # which works the pseudo-observations out again
        assert state_of(session)["card"] == state["card"]
        (tmp_path / "rules.toml").write_text(session.document.origin.rules, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        assert main([*shlex.split(state["command"])[1:], "--quiet"]) == 0
        assert RiskCard.load("card.json").features == card.features
    finally:
        session.close()


@pytest.mark.slow
def test_a_session_is_opened_again_as_it_was_saved(fitted, tmp_path):
    feature = fitted.document.card.features[0]
    fitted.edit({"what": "points", "feature": feature.name, "line": 0, "points": 1})
    fitted.set_labels({"features": {feature.name: {"name": "<b>Name</b>", "unit": "u"}}})
    text, before = fitted.save(), state_of(fitted)
    saved = from_file(text)
    other = Session()
    try:
        other.open_saved(text)
        assert state_of(other)["waiting"]["name"] == "rows.csv"
        changed = tmp_path / "other.csv"
        changed.write_text(write_table(tmp_path / "rows.csv").read_text() + "50,1,a,no\n")
        with pytest.raises(DataError, match="not the table that the session was saved with"):
            other.open_table(str(changed), "other.csv")
        other.open_table(str(tmp_path / "rows.csv"), "rows.csv")
        after = state_of(other)
    finally:
        other.close()
    for name in ("card", "best", "choices", "labels", "pins", "groups", "log", "command"):
        assert after[name] == before[name], name
    assert saved.document.card == fitted.document.card
    assert after["card"]["features"][0]["heading"] == "<b>Name</b> (u)"
    fitted.undo()
    fitted.undo()


@pytest.mark.slow
def test_a_broken_session_is_refused(fitted):
    content = json.loads(fitted.save())
    log = [{**content["log"][0], "name": "other.csv"}, *content["log"][1:]]
    broken = {
        "not valid JSON": "{",
        "not a session": "{}",
        "version": json.dumps({**content, "format_version": 99}),
        "log of the session was changed": json.dumps({**content, "log": log}),
        "incomplete": json.dumps({name: one for name, one in content.items() if name != "pins"}),
        "no choice": json.dumps({**content, "choices": {"x": 1}}),
    }
    for words, text in broken.items():
        with pytest.raises((FormatError, ParameterError), match=words):
            fitted.open_saved(text)
    assert fitted.document.card is not None


@pytest.mark.slow
def test_a_session_with_a_forged_proof_is_refused_and_nothing_is_lost(fitted):
    content = json.loads(fitted.save())
    content["best"]["certificate"]["loss"] /= 2
    content["best"]["certificate"]["bound"] /= 2
    before = fitted.document
    with (
        pytest.warns(match="do not agree"),
        pytest.raises(FormatError, match="no certificate that agrees"),
    ):
        fitted.open_saved(json.dumps(content))
    assert fitted.document is before


@pytest.mark.slow
def test_what_is_proven_is_said_in_the_language_of_the_session(fitted):
    fitted.set_labels({"language": "de"})
    try:
        state = state_of(fitted)
        assert state["card"]["proof"][0].startswith("Bewiesen")
        assert state["best"]["proof"] == state["card"]["proof"]
        assert state["card"]["title"].startswith("Risiko")
    finally:
        fitted.undo()


@pytest.mark.slow
def test_what_is_shown_of_two_cards_counts_all_rows(fitted):
    feature = fitted.document.card.features[0]
    other = fitted.edited({"what": "remove", "feature": feature.name})
    found = compare_cards(fitted, fitted.document.card, other)
    table = np.array(found["table"])
    assert table.sum() == 210
    assert found["apart"] == 210 - int(np.trace(table))
    groups = groups_view(fitted)
    assert groups["rows"] == "check"
    assert sum(one["rows"] for one in groups["groups"]) == 44
    assert groups["totals"][-1]["approved"] == 1
    json.dumps([found, groups, state_of(fitted), columns_of(fitted)], allow_nan=False)


@pytest.mark.slow
def test_sealed_rows_are_opened_once_and_then_rows_stay(fitted):
    fitted.open_test()
    entry = fitted.log[-1]
    assert (entry["what"], entry["rows"]) == ("test opened", 46)
    assert entry["card"] == digest_of(fitted.document.card)
    with pytest.raises(ParameterError, match="second look"):
        fitted.open_test()
    with pytest.raises(ParameterError, match="sealed rows were opened"):
        fitted.choose({"hold_out": 0.2})
    fitted.sign(" Ada ", "", "because")
    assert (fitted.log[-1]["name"], fitted.log[-1]["is_proven"]) == ("Ada", True)
    assert first_break(fitted.log) is None
    for kind in ("card", "page", "calculator", "recipe", "log", "session", "all", "python", "sql"):
        assert file_of(fitted, kind).content, kind


@pytest.mark.parametrize("cut", [1e308, -1e308])
def test_a_card_is_shown_or_a_cut_is_refused_however_fine_the_handle(fitted, cut):
    fitted.edit({"what": "add", "feature": "dose"})
    try:
        with pytest.raises(ParameterError, match="far from its values"):
            card_of(fitted, fitted.edited({"what": "add cut", "feature": "dose", "cut": cut}))
        far = fitted.edited({"what": "add cut", "feature": "dose", "cut": math.copysign(5000, cut)})
        shown = next(one for one in card_of(fitted, far)["features"] if one["name"] == "dose")
        assert shown["handle"]["low"] <= min(shown["cuts"])
        assert shown["handle"]["high"] >= max(shown["cuts"])
    finally:
        fitted.undo()


def test_the_candidates_of_the_proof_are_shown_with_the_price_of_every_card(fitted):
    certificate = fitted.document.proof.card.certificate
    assert certificate.shortlist is not None
    words = (
        f"at most {certificate.grid} candidate cuts per feature, "
        f"{certificate.shortlist} candidate conditions, preselected from {certificate.all_conditions}"
    )
    moved = fitted.edited({"what": "cut", "feature": "age", "place": 0, "cut": 58.5})
    for card in (fitted.document.card, moved):
        figures = card_of(fitted, card)["figures"]
        assert (figures["candidates"], figures["has_every_cut"]) == (words, False)
        assert not figures["is_larger"]


def test_a_card_with_more_terms_or_points_than_the_kind_is_called_larger(fitted):
    for edit in (
        {"what": "points", "feature": "age", "line": 0, "points": 50},
        {"what": "add", "feature": "dose"},
    ):
        assert card_of(fitted, fitted.edited(edit))["figures"]["is_larger"]
