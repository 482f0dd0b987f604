"""No card that claims what is false passes as proven, and every honest card passes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optional import pd
from riskcard import (
    CardRules,
    FeaturePoints,
    FeatureRule,
    RiskCard,
    RiskScoreClassifier,
    RiskScoreClassifierCV,
    audit_card,
    find_pool,
    improve,
)
from riskcard.audit.findings import Outcome
from riskcard.audit.rivals import MOST_PROVEN_TERMS
from riskcard.estimators.regularization import Regularization
from riskcard.model.totals import count_totals
from riskcard.search.proof.tree import MAX_PROVEN_TERMS

RNG = np.random.default_rng(3)
X = pd.DataFrame(RNG.integers(0, 8, (150, 3)).astype(float), columns=["age", "bmi", "dose"])
Y = (RNG.random(150) < 1 / (1 + np.exp(3.5 - X["age"] / 2 - X["bmi"] / 3))).to_numpy().astype(int)


@pytest.fixture(scope="module")
def honest():
    """A card of the search alone."""
    return RiskScoreClassifier(max_terms=2, regularization=None).fit(X, Y).card_


def outcomes(report):
    return {check.name: check.outcome for check in report.checks}


def lie(card, **claims):
    """The same card with other claims: sealed again, and without its recipe."""
    certificate = replace(card.certificate, **claims)
    for recipe in (replace(card.recipe, digest=""), None):
        yield replace(card, certificate=certificate, recipe=recipe)


def with_true_figures(card):
    """A card whose loss and counts are true on the rows."""
    log_odds, totals = card.log_odds(X), card.total_points(X)
    loss = float(np.logaddexp(0, np.where(Y == 1, -log_odds, log_odds)).sum())
    counts = count_totals(totals, Y == 1, np.ones(Y.size), card.reachable_totals())
    certificate = replace(card.certificate, loss=loss, bound=loss, status="optimal")
    training = replace(card.training, totals=counts)
    return replace(card, certificate=certificate, training=training, recipe=None)


def test_an_edited_card_has_lost_its_certificate(honest, tmp_path):
    edited = honest.to_json().replace('"heuristic"', '"optimal"')
    with pytest.warns(UserWarning, match="was changed after it was fitted"):
        card = RiskCard.from_json(edited)
    report = audit_card(card, X, Y)
    assert not report.passed
    assert outcomes(report)["certificate"] is Outcome.NOT_CHECKED


def test_a_card_of_the_search_alone_is_not_confirmed_as_proven(honest):
    sealed, bare = lie(honest, status="optimal", bound=honest.certificate.loss, nodes=123456)
    found = outcomes(audit_card(sealed, X, Y))
    assert found["status"] is Outcome.FAILED  # the recipe asks for no proof
    assert found["proof"] is not Outcome.PASSED
    report = audit_card(bare, X, Y)
    assert outcomes(report)["proof"] is not Outcome.PASSED
    assert report.summary.endswith("The card has no recipe, so nothing backs its bound.")
    assert not report.passed


def test_a_bound_that_was_never_proven_is_proven_again_or_not_at_all(honest):
    _, bare = lie(honest, status="optimal", bound=honest.certificate.loss)
    assert outcomes(audit_card(bare, X, Y))["proof"] is Outcome.NOT_CHECKED
    found = audit_card(bare, X, Y, prove=60.0)
    # the search had found the best card, so the claim happens to be true
    assert outcomes(found)["proof"] is Outcome.PASSED
    assert "was proven again by riskcard" in str(found)


def test_the_empty_card_is_not_the_best(honest):
    rate = Y.mean()
    empty = replace(honest, features=(), offset=math.log(rate / (1 - rate)), recipe=None)
    limits = replace(honest.certificate, max_terms=12, max_cuts_per_feature=12, max_points=1000)
    card = with_true_figures(replace(empty, certificate=limits))
    report = audit_card(card, X, Y)
    assert [check.name for check in report.failures] == ["proof"]
    assert "found another card of this kind with the loss" in str(report)


def test_a_sentence_in_rules_confirms_nothing(honest):
    worst = FeaturePoints("age", [3.0], [5, 0])
    absurd = with_true_figures(replace(honest, features=(worst,), multiplier=1.0, recipe=None))
    found = outcomes(audit_card(absurd, X, Y))
    assert found["neighbours"] is found["proof"] is Outcome.FAILED
    ruled = replace(absurd, certificate=replace(absurd.certificate, rules=("age: falls",)))
    found = outcomes(audit_card(ruled, X, Y))
    assert found["neighbours"] is found["proof"] is Outcome.NOT_CHECKED
    assert not audit_card(replace(ruled, recipe=replace(honest.recipe, digest="")), X, Y).passed
    sealed, _ = lie(honest, status="time_limit", bound=1.0, rules=("age: falls",))
    assert outcomes(audit_card(sealed, X, Y))["kind"] is Outcome.FAILED


@pytest.mark.parametrize("size", [{"max_terms": 30}, {"max_points": 10**6}, {"max_features": 3}])
def test_limits_that_the_recipe_does_not_give_are_found(honest, size):
    claims = {"status": "time_limit", "bound": honest.certificate.loss * 0.99} | size
    sealed, bare = lie(honest, **claims)
    is_too_large = "max_terms" in size
    name = "status" if is_too_large else "kind"
    assert outcomes(audit_card(sealed, X, Y))[name] is Outcome.FAILED
    found = outcomes(audit_card(bare, X, Y))
    assert found["proof"] is not Outcome.PASSED
    assert (found["status"] is Outcome.FAILED) == is_too_large


def test_the_audit_knows_up_to_how_many_terms_riskcard_proves():
    assert MOST_PROVEN_TERMS == MAX_PROVEN_TERMS


def test_gap_reached_needs_the_gap_that_was_asked_for(honest):
    asked = RiskScoreClassifier(max_terms=2, regularization=None, certify=True, gap=0.1).fit(X, Y)
    sealed, bare = lie(asked.card_, status="gap_reached", bound=honest.certificate.loss * 0.5)
    assert outcomes(audit_card(sealed, X, Y))["status"] is Outcome.FAILED
    assert outcomes(audit_card(bare, X, Y))["status"] is Outcome.NOT_CHECKED


def test_other_values_than_those_of_training_are_found(honest):
    moved = X.assign(age=X["age"] - 0.25)  # the same bins, but not the same rows
    report = audit_card(honest, moved, Y)
    assert outcomes(report)["values of the rows"] is Outcome.FAILED
    assert outcomes(report)["loss"] is Outcome.PASSED


def test_a_search_needs_all_columns_of_training(honest):
    sealed, _ = lie(honest, status="time_limit", bound=1.0)
    found = audit_card(sealed, X[[feature.name for feature in honest.features]], Y)
    assert "made no search, because columns of training are missing here" in str(found)


def test_an_audit_shows_itself_in_notebooks(honest):
    sealed, _ = lie(honest, status="optimal", bound=honest.certificate.loss)
    html = audit_card(sealed, X, Y)._repr_html_()
    assert "not checked" in html
    assert "The card is not what it claims." in html


# --- honest cards ---------------------------------------------------------------------------------


@st.composite
def problems(draw):
    """Small tables with weights, missing values and categories, and all sorts of settings."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows = draw(st.integers(20, 80))
    frame = pd.DataFrame(rng.integers(0, 6, (n_rows, 3)).astype(float), columns=["a", "b", "c"])
    if draw(st.booleans()):
        frame["a"] = frame["a"].where(rng.random(n_rows) > 0.2)
    if draw(st.booleans()):
        frame["d"] = rng.choice(["red", "green", "blue"], n_rows)
    score = frame["b"] + frame["c"] * draw(st.sampled_from([0.0, 0.5])) - 2.5
    y = (rng.random(n_rows) < 1 / (1 + np.exp(-score))).to_numpy().astype(int)
    y[:2] = 0, 1
    weights = None
    if draw(st.booleans()):
        weights = rng.integers(0, 4, n_rows) * draw(st.sampled_from([1.0, 1e-3, 1e6])) + 0.0
        weights[:2] = weights.max() or 1.0
    rules = CardRules(
        features={"b": FeatureRule(direction="rises")} if draw(st.booleans()) else {},
        min_gain=draw(st.sampled_from([None, 1.0])),
        min_bin_rows=draw(st.sampled_from([None, 2])),
        round_cuts=draw(st.sampled_from([None, 0.05])),
    )
    scale = draw(st.sampled_from(["calibrated", "multiplier", 1]))
    model = RiskScoreClassifier(
        draw(st.integers(1, 3)),
        max_features=draw(st.sampled_from([None, 2])),
        max_cuts_per_feature=draw(st.sampled_from([None, 1])),
        max_points=draw(st.sampled_from([2, 5])),
        scale=scale,
        max_log_odds="auto" if scale == 1 else draw(st.sampled_from(["auto", 2.0, None])),
        rules=draw(st.sampled_from([None, rules])),
        regularization=draw(
            st.sampled_from(
                [
                    None,
                    "auto",
                    Regularization.only(grid=3, pseudo_rows=0.1),
                    Regularization.only(smooth_rows=0.5, shortlist=6),
                ]
            )
        ),
        certify=draw(st.booleans()),
        gap=draw(st.sampled_from([0.0, 0.2])),
        class_weight=draw(st.sampled_from([None, "balanced", {0: 1.0, 1: 1e-4}])),
        time_limit=draw(st.sampled_from([20.0, 0.001])),
    )
    return model, frame, y, weights


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@settings(max_examples=150)
@given(problems())
def test_a_card_straight_from_fit_passes_whatever_the_settings(problem):
    model, frame, y, weights = problem
    model.fit(frame, y, sample_weight=weights)
    for subject in (model, model.card_, RiskCard.from_json(model.card_.to_json())):
        report = audit_card(subject, frame, y, weights)
        assert report.passed, f"{model}\n{report}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("certify", [False, True])
def test_cards_of_other_methods_pass(certify):
    model = RiskScoreClassifier(max_terms=2, certify=certify)
    pool = find_pool(model, X, Y, tolerance=0.05)
    for card in (pool[0], pool[len(pool.cards) - 1]):
        assert audit_card(card, X, Y).passed
    better = improve(pool[0], X, Y, estimator=model)
    report = audit_card(better, X, Y)
    assert report.passed, str(report)
    tuned = RiskScoreClassifierCV(model, max_terms=3, cv=2).fit(X, Y)
    report = audit_card(tuned, X, Y)
    assert report.passed, str(report)
