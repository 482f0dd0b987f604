"""The event of a target is named or known from its labels, never guessed from the alphabet."""

import itertools

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from riskcard import (
    ParameterError,
    RiskcardWarning,
    RiskScoreClassifier,
    RiskScoreClassifierCV,
    audit_card,
    bootstrap_card,
    recalibrate,
)
from riskcard.cli.main import main
from riskcard.data.first_look.event_words import _known_words, find_event
from riskcard.evaluation.outcomes import read_outcomes
from riskcard.model.card import RiskCard

AGE = np.tile([40.0, 50, 55, 60, 65, 70, 75, 80], 10)
#: Old people have the event, but for every fifth.
HAS_EVENT = (AGE > 60) ^ (np.arange(AGE.size) % 5 == 0)


@pytest.mark.parametrize(
    ("event", "other"),
    [
        ("ja", "nein"), ("oui", "non"), ("sí", "no"), ("yes", "no"), ("Y", "N"), ("True", "False"),
        ("died", "survived"), ("Dead", "Alive"), ("case", "control"), ("default", "paid"),
        ("bad", "good"), ("relapse", "remission"), ("positive", "negative"), ("event", "censored"),
        ("malignant", "benign"), ("churned", "retained"), ("relapse", "no relapse"),
        ("CHD", "No CHD"), ("diabetic", "non-diabetic"), ("not survived", "survived"),
        ("Rezidiv", "kein Rezidiv"), (1, 0), (1.0, 0.0), (1, -1), (100, 0), (True, False),
    ],
)  # fmt: skip
def test_usual_labels_say_which_is_the_event_in_either_order(event, other):
    assert find_event([event, other]) == 0
    assert find_event([other, event]) == 1


@pytest.mark.parametrize(
    "labels", [("A", "B"), ("male", "female"), (1, 2), (3, 7), (-1, 0), ("one", "two"), ("yes", 0)]
)
def test_other_labels_do_not(labels):
    assert find_event(labels) is None


def test_no_two_known_words_are_the_opposite_of_each_other_both_ways():
    pairs, _ = _known_words()
    for events, opposites in pairs:
        for event, other in itertools.product(events, opposites):
            assert find_event([event, other]) == 0, (event, other)


# --- Python -------------------------------------------------------------------------------------


def labels_of(event, other):
    return np.where(HAS_EVENT, event, other)


@pytest.mark.parametrize(("event", "other"), [("died", "survived"), ("yes", "no")])
def test_the_card_is_about_the_event_and_the_classes_are_in_order(event, other):
    X, y = AGE[:, None], labels_of(event, other)
    model = RiskScoreClassifier(1).fit(X, y)
    assert (model.event_, model.card_.classes) == (event, (other, event))
    assert model.classes_.tolist() == sorted([event, other])
    place = sorted([event, other]).index(event)
    np.testing.assert_allclose(model.predict_proba(X)[:, place], model.card_.risk(X))
    np.testing.assert_array_equal(
        model.predict(X), model.classes_[(model.decision_function(X) > 0).astype(int)]
    )
    assert model.score(X, y) == pytest.approx(0.8)
    assert audit_card(model, X, y).passed


def test_cards_of_either_event_mirror_each_other():
    X = AGE[:, None]
    one, other = (RiskScoreClassifier(1, event=event).fit(X, labels_of("A", "B")) for event in "AB")
    assert (one.card_.classes, other.card_.classes) == (("B", "A"), ("A", "B"))
    assert one.loss_ == pytest.approx(other.loss_)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X))
    np.testing.assert_allclose(one.card_.risk(X), 1 - other.card_.risk(X))


def test_unknown_labels_are_sorted_as_in_scikit_learn_with_a_warning():
    with pytest.warns(
        RiskcardWarning, match=r"'A' and 'B', which do not say .* 'B' is taken .* event='A'"
    ):
        model = RiskScoreClassifier(1).fit(AGE[:, None], labels_of("A", "B"))
    assert model.card_.classes == ("A", "B")


def test_an_event_that_no_row_has_is_refused():
    with pytest.raises(ParameterError, match="event is 'C', but the labels are 'A' and 'B'"):
        RiskScoreClassifier(1, event="C").fit(AGE[:, None], labels_of("A", "B"))


@pytest.mark.parametrize("scoring", ["neg_log_loss", "roc_auc"])
def test_sizes_are_chosen_alike_for_either_event(scoring):
    X, y = AGE[:, None], labels_of("died", "survived")
    models = [
        RiskScoreClassifierCV(RiskScoreClassifier(event=event), max_terms=2, cv=4, scoring=scoring)
        for event in (None, "died", "survived")
    ]
    paths = [model.fit(X, y).cv_results_["mean_test_score"] for model in models]
    np.testing.assert_allclose(paths[0], paths[1])
    np.testing.assert_allclose(paths[0], paths[2])
    assert [model.event_ for model in models] == ["died", "died", "survived"]


def test_resamples_and_figures_are_about_the_same_rows_for_either_event():
    X, y = AGE[:, None], labels_of("died", "survived")
    found = [
        bootstrap_card(RiskScoreClassifier(1, event=event), X, y, n_bootstraps=3)
        for event in ("died", "survived")
    ]
    assert found[0].apparent.auc == pytest.approx(found[1].apparent.auc)
    assert found[0].apparent.auc > 0.7
    card = RiskScoreClassifier(1, regularization=None).fit(X, y).card_
    outcomes = read_outcomes(card.risk(X), y)
    assert roc_auc_score(outcomes.is_event, outcomes.risks) > 0.7
    assert recalibrate(card, X, y).multiplier == pytest.approx(card.multiplier, rel=1e-4)


# --- the command line ---------------------------------------------------------------------------


def table_file(tmp_path, event, other):
    path = tmp_path / "table.csv"
    lines = [f"{age:g},{label}" for age, label in zip(AGE, labels_of(event, other), strict=True)]
    path.write_text("\n".join(["age,Rückfall", *lines]), encoding="utf-8")
    return str(path)


def test_a_word_that_is_known_is_the_event(tmp_path):
    data, card = table_file(tmp_path, "ja", "nein"), str(tmp_path / "card.json")
    assert main(["fit", data, "--target", "Rückfall", "-o", card, "-q"]) == 0
    assert RiskCard.load(card).classes == ("nein", "ja")


def test_unknown_words_are_asked_about_in_one_sentence(tmp_path, capsys):
    data = table_file(tmp_path, "B 1", "A")
    assert main(["fit", data, "--target", "Rückfall"]) == 2
    assert capsys.readouterr().err.endswith(
        ": The target 'Rückfall' has the values 'A' and 'B 1', which do not say which of them "
        "is the event. Give it with --event A or --event 'B 1'.\n"
    )
    assert main(["fit", data, "--target", "Rückfall", "--event", "B 1", "-q"]) == 0


def test_a_report_refits_for_the_event_of_the_card(tmp_path):
    pytest.importorskip("matplotlib")
    data, card = table_file(tmp_path, "A", "B"), str(tmp_path / "card.json")
    page = str(tmp_path / "report.html")
    assert main(["fit", data, "--target", "Rückfall", "--event", "A", "-o", card, "-q"]) == 0
    assert RiskCard.load(card).recipe.parameters["event"] == "A"
    options = ["--cv", "2", "--n-bootstraps", "0", "-q", "-o", page]
    assert main(["report", card, data, *options]) == 0
