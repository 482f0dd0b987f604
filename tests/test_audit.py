"""The audit passes honest cards, and finds every kind of lie."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from riskcard import DataError, FeaturePoints, ParameterError, RiskCard, RiskScoreClassifier, audit
from riskcard.problem.certificate import Certificate, TrainingFacts

RNG = np.random.default_rng(5)
X = pd.DataFrame(RNG.integers(0, 10, (200, 3)).astype(float), columns=["age", "bmi", "dose"])
Y = (X["age"] + 0.5 * X["bmi"] + RNG.normal(scale=2, size=200) > 7).map({True: "ill", False: "fit"})
WEIGHTS = RNG.integers(1, 4, 200).astype(float)


def honest_card(scale="calibrated"):
    """A card of two features and three cuts with a certificate that is true on X, Y, WEIGHTS."""
    is_fixed = scale == 1
    card = RiskCard(
        features=(
            FeaturePoints("age", [3.0, 6.0], [0, 2, 5]),
            FeaturePoints("bmi", [4.5], [0, 1]),
        ),
        base=0 if scale == "calibrated" else -3,
        multiplier=1.0 if is_fixed else 1.5,
        offset=-2.0 if scale == "calibrated" else 0.0,
        feature_names=("age", "bmi", "dose"),
        classes=("fit", "ill"),
    )
    log_odds = card.log_odds(X)
    margin = np.where(Y == "ill", log_odds, -log_odds)
    is_ill = (Y == "ill").to_numpy()
    training = TrainingFacts(200, int(is_ill.sum()), WEIGHTS.sum(), WEIGHTS[is_ill].sum())
    certificate = Certificate(
        loss=float((WEIGHTS * np.logaddexp(0, -margin)).sum()),
        bound=1.0,
        status="time_limit",
        max_terms=3,
        max_features=2,
        max_cuts_per_feature=2,
        max_points=3,
        scale=scale,
    )
    return replace(card, training=training, certificate=certificate)


def failed(card, y=Y, weights=WEIGHTS, rows=X):
    return {check.name for check in audit(card, rows, y, weights).failures}


@pytest.mark.parametrize("scale", ["calibrated", "multiplier", 1])
def test_an_honest_card_passes(scale):
    report = audit(honest_card(scale), X, Y, WEIGHTS)
    assert report.passed, str(report)
    assert str(report).endswith("All checks passed.")
    assert report.loss == pytest.approx(honest_card(scale).certificate.loss, rel=1e-12)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"loss": 1.01}, {"loss", "gap"}),
        ({"max_terms": 2}, {"terms"}),
        ({"max_features": 1}, {"features"}),
        ({"max_cuts_per_feature": 1}, {"cuts on one feature"}),
        ({"max_points": 2}, {"points of one term"}),
        ({"status": "optimal"}, {"status"}),
        ({"scale": "multiplier"}, {"scale"}),
        ({"scale": 1.5}, {"scale"}),
        ({"bound": -1.0}, {"bound"}),
    ],
)
def test_a_tampered_certificate_is_found(change, names):
    card = honest_card()
    if "loss" in change:
        change = {"loss": card.certificate.loss * change["loss"]}
    assert failed(replace(card, certificate=replace(card.certificate, **change))) == names


def test_a_bound_above_the_loss_is_found():
    card = honest_card()
    too_high = replace(card.certificate, bound=card.certificate.loss * 1.001)
    assert {"bound", "neighbours"} <= failed(replace(card, certificate=too_high))


@pytest.mark.parametrize("scale", ["calibrated", "multiplier", 1])
def test_a_bound_that_a_neighbouring_card_refutes_is_found(scale):
    card = honest_card(scale)
    false = replace(card.certificate, bound=card.certificate.loss, status="optimal")
    assert failed(replace(card, certificate=false)) == {"neighbours"}


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"multiplier": 1.6}, {"loss", "gap"}),
        ({"offset": -1.9}, {"loss", "gap"}),
        ({"base": 1}, {"loss", "gap", "scale"}),
        ({"classes": ("ill", "fit")}, {"loss", "gap", "rows"}),
        ({"classes": ("fit", "sick")}, {"labels", "loss", "gap", "rows"}),
        ({"features": (FeaturePoints("bmi", [4.5], [0, 1]),)}, {"loss", "gap"}),
    ],
)
def test_a_tampered_card_is_found(change, names):
    assert failed(replace(honest_card(), **change)) == names


@pytest.mark.parametrize(
    ("features", "names"),
    [
        (FeaturePoints("age", [3.5, 6.0], [0, 2, 5]), set()),  # divides the rows in the same way
        (FeaturePoints("age", [2.9, 6.0], [0, 2, 5]), {"loss", "gap"}),
        (FeaturePoints("age", [3.0, 6.0], [0, 2, 6]), {"loss", "gap", "points of one term"}),
        (FeaturePoints("age", [3.0, 6.0], [0, 2, 2]), {"loss", "gap", "cuts"}),
        (FeaturePoints("age", [3.0, 60.0], [0, 2, 5]), {"loss", "gap", "cuts"}),
        (FeaturePoints("age", [3.0, 3.5], [0, 2, 5]), {"loss", "gap", "cuts"}),
        (FeaturePoints("dose", [3.0, 6.0], [0, 2, 5]), {"loss", "gap"}),
    ],
)
def test_a_tampered_feature_is_found(features, names):
    card = honest_card()
    assert failed(replace(card, features=(features, card.features[1]))) == names


@pytest.mark.parametrize("name", ["rows", "events", "weight", "event_weight"])
def test_tampered_training_facts_are_found(name):
    card = honest_card()
    facts = replace(card.training, **{name: getattr(card.training, name) + 1})
    assert failed(replace(card, training=facts)) == {"rows"}


def test_other_rows_labels_or_weights_are_found():
    card = honest_card()
    assert failed(card, weights=None) == {"rows", "loss", "gap"}
    assert failed(card, rows=X[:-1], y=Y[:-1], weights=WEIGHTS[:-1]) == {"rows", "loss", "gap"}
    assert failed(card, rows=X + 1) == {"loss", "gap"}
    assert "labels" in failed(card, y=Y.map({"ill": 1, "fit": 0}))


def test_a_term_beyond_the_limit_of_log_odds_is_found():
    card = honest_card("multiplier")
    assert "scale" in failed(replace(card, multiplier=0.05))


def test_a_wrong_risk_table_is_found(monkeypatch):
    honest = RiskCard.risk_table
    shifted = lambda card: tuple(row._replace(risk=row.risk + 1e-6) for row in honest(card))  # noqa: E731
    monkeypatch.setattr(RiskCard, "risk_table", shifted)
    assert failed(honest_card()) == {"risk table"}
    monkeypatch.setattr(RiskCard, "risk_table", lambda card: honest(card)[:-1])
    assert failed(honest_card()) == {"totals"}


def test_a_card_without_certificate_says_so():
    assert failed(replace(honest_card(), certificate=None)) == {"certificate"}


@pytest.fixture
def classifier():
    return RiskScoreClassifier(max_terms=3, gap=0.01).fit(X, Y, WEIGHTS)


def test_an_honest_classifier_passes(classifier):
    assert failed(classifier) == set()
    assert failed(classifier.card_) == set()


@pytest.mark.parametrize(
    ("name", "value", "names"),
    [
        ("loss_", 1.0, {"loss", "certificate"}),
        ("lower_bound_", 1.0, {"gap", "certificate"}),
        ("gap_", 0.5, {"gap"}),
        ("status_", "optimal", {"status", "certificate"}),
        ("status_", "gap_reached", {"status", "certificate"}),
        ("status_", "perfect", {"status", "certificate"}),
        ("classes_", np.array(["ill", "fit"]), {"classes"}),
    ],
)
def test_a_tampered_classifier_is_found(classifier, name, value, names):
    setattr(classifier, name, value)
    assert failed(classifier) == names


def test_predictions_that_are_not_the_cards_are_found(classifier, monkeypatch):
    wrong = lambda self, rows: np.full((len(rows), 2), 0.5)  # noqa: E731
    monkeypatch.setattr(RiskScoreClassifier, "predict_proba", wrong)
    assert failed(classifier) == {"predictions"}


def test_what_cannot_be_audited_is_refused(classifier):
    with pytest.raises(ParameterError, match="not SolveResult"):
        audit(classifier.result_, X, Y)
    with pytest.raises(ParameterError, match="not RiskScoreClassifier"):
        audit(RiskScoreClassifier(), X, Y)
    with pytest.raises(DataError, match="needs column 'age'"):
        audit(honest_card(), X.drop(columns="age"), Y)
    with pytest.raises(DataError, match="X has 200 rows and y has 199"):
        audit(honest_card(), X, Y[1:])
