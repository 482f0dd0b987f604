"""What is said of a card at the end: who signed which card, what the log tells of edits, figures by a column."""

from dataclasses import replace

import numpy as np
import pytest

from riskcard.errors import ParameterError
from riskcard.estimators.classifier import RiskScoreClassifier
from riskcard.estimators.watched_fit import fit_watched
from riskcard.evaluation.groups.subgroups import subgroups
from riskcard.evaluation.outcomes import Outcomes
from riskcard.studio.server.downloads import file_of
from riskcard.studio.server.groups_view import groups_view
from riskcard.studio.server.view import state_of
from riskcard.studio.state.document import Origin, Proof
from riskcard.studio.state.session import Session
from studio_rows import write_table
from studio_session import NoFitter


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A session with weights and a card that was found without another process."""
    path = write_table(tmp_path_factory.mktemp("studio") / "rows.csv")
    lines = path.read_text(encoding="utf-8").splitlines()
    weighed = [f"{line},{'weight' if i == 0 else 1 + i % 3}" for i, line in enumerate(lines)]
    path.write_text("\n".join(weighed), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("riskcard.studio.state.fits.Fitter", NoFitter)
        session = Session()
    session.open_table(str(path), "rows.csv")
    session.choose({"target": "ill", "event": "yes", "hold_out": 0.3, "weights": "weight"})
    training = session.division.training
    model = RiskScoreClassifier(2, max_points=3, certify=True, identifiers=None)
    fit = fit_watched(model, training.table, training.labels, lambda moment: None, training.weights)
    choices = session.document.choices
    proof, origin = Proof(fit.card, fit.pseudo, choices), Origin(choices, None)
    session.step(replace(session.document, proof=proof, card=fit.card, origin=origin))
    yield session
    session.close()


@pytest.fixture
def session(whole):
    """The same; what a test adds is taken away."""
    before = whole.history.document, list(whole.history.past), whole.log
    yield whole
    whole.history.document, whole.history.past, whole.log = before
    whole.history.future = []


def numbers_of(card):
    return next(one for one in card.features if one.cuts)


def test_a_signature_is_of_the_card_that_was_signed_and_of_no_other(session):
    assert not state_of(session)["is_signed"]
    session.sign("Ada", "", "as the ward needs it")
    assert state_of(session)["is_signed"]
    feature = session.document.card.features[0]
    points = feature.points[0] + 1
    session.edit({"what": "points", "feature": feature.name, "line": 0, "points": points})
    assert not state_of(session)["is_signed"]
    session.undo()
    assert state_of(session)["is_signed"]


def test_the_log_tells_from_what_to_what_points_were_changed(session):
    card = session.document.card
    feature = card.features[0]
    label, before = card.lines_of(feature)[1].label, feature.points[1]
    edit = {"what": "points", "feature": feature.name, "line": 1, "points": before + 2}
    session.edit(edit)
    entry = session.log[-1]
    assert (entry["line"], entry["before"], entry["after"]) == (label, before, before + 2)
    assert entry["edit"] == edit


def test_the_log_tells_of_cuts_that_were_moved_added_and_removed(session):
    feature = numbers_of(session.document.card)
    old, name = feature.cuts[0], feature.name
    told = []
    for edit in (
        {"what": "cut", "place": 0, "cut": old + 1},
        {"what": "add cut", "cut": old + 3},
        {"what": "remove cut", "place": 0},
        {"what": "remove"},
    ):
        session.edit({"feature": name, **edit})
        told.append((session.log[-1].get("before"), session.log[-1].get("after")))
    assert told == [(old, old + 1), (None, old + 3), (old + 1, None), (None, None)]


def test_the_report_has_the_weights_and_the_groups_of_the_fit(session, monkeypatch):
    given = {}

    class Made:
        def to_html(self):
            return "report"

    def make_report(card, X, y, **options):
        given.update(options)
        return Made()

    monkeypatch.setattr("riskcard.report.report.make_report", make_report)
    assert file_of(session, "report").content == b"report"
    training = session.division.training
    assert np.array_equal(given["sample_weight"], training.weights)
    assert set(training.weights) == {1, 2, 3}
    assert given["groups"] is training.division.groups


def test_a_card_is_the_proven_one_until_it_is_changed_and_again_when_that_is_undone(session):
    assert state_of(session)["card"]["is_best"]
    feature = session.document.card.features[0]
    session.edit({"what": "remove", "feature": feature.name})
    assert not state_of(session)["card"]["is_best"]
    session.undo()
    assert state_of(session)["card"]["is_best"]


# --- figures by the values of a column -----------------------------------------------------------


def test_figures_by_levels_are_those_of_the_library(session):
    card, rows = session.document.card, session.division.check
    found = groups_view(session, "kind")["parts"]
    raw = {name: one.by_name() for name, one in rows.features.items()}
    outcomes = Outcomes(card.risk(raw), rows.is_event, rows.weights)
    known = subgroups(outcomes, raw["kind"])
    assert [one["name"]["level"] for one in found] == [one.name for one in known]
    for one, own in zip(found, known, strict=True):
        assert (one["rows"], one["events"]) == (own.rows, own.events)
        assert one["mean_risk"] == pytest.approx(own.mean_risk, rel=1e-12)
        assert one["base_rate"]["value"] == pytest.approx(own.base_rate.value, rel=1e-12)
        assert one["auc"]["value"] == pytest.approx(own.auc.value, rel=1e-12)


def test_numbers_are_divided_into_ranges_that_hold_every_row_once(session):
    rows = session.division.check
    values = rows.features["dose"].values
    found = groups_view(session, "dose")["parts"]
    assert sum(one["rows"] for one in found) == rows.number
    assert found[-1]["name"] is None
    assert found[-1]["rows"] == np.isnan(values).sum()
    for one in found[:-1]:
        low, high = one["name"]["low"], one["name"]["high"]
        assert one["rows"] == np.count_nonzero((values >= low) & (values <= high))
    assert len(found) == 5


def test_a_column_that_is_not_there_has_no_figures(session):
    with pytest.raises(ParameterError, match="no column 'weight' to divide"):
        groups_view(session, "weight")
    assert groups_view(session)["parts"] is None
