"""The audit of cards of numbers, levels and competing events: honest ones pass, and every lie is found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from optional import find
from riskcard import RiskScoreOrdinal, RiskScoreRegressor, RiskScoreSurvival, audit_card
from riskcard.audit.hand_rates import seen_by_hand
from riskcard.model.outcome_kinds import Numbers, OrderedLevels
from survival_rows import draw_rows
from test_audit_kinds import edited, names

X, Y, _ = draw_rows(200)
WEIGHTS = np.arange(200) % 3 + 0.5
RNG = np.random.default_rng(8)
CODES = np.where(RNG.random(200) < 0.3, 2, Y[:, 0])
OUTCOMES = {
    "numbers": np.round(1000 + 300 * X[:, 0] + RNG.normal(size=200) * 200, 1),
    "levels": np.array(["mild", "moderate", "severe"], dtype=object)[
        np.digitize(X[:, 0] + RNG.logistic(size=200), [-1, 1])
    ],
    "digits": np.digitize(X[:, 1] + RNG.logistic(size=200), [-1, 0, 1]) * 2,
    "competing": np.column_stack([CODES, Y[:, 1]]),
    "codes": np.column_stack([np.array([0, -1, 7])[CODES.astype(int)], Y[:, 1]]),
}


def model_of(what, **options):
    options = {"max_terms": 3, "certify": True, **options}
    if what == "numbers":
        return RiskScoreRegressor(loss="squared_error", **options)
    if what in ("levels", "digits"):
        levels = ["mild", "moderate", "severe"] if what == "levels" else None
        return RiskScoreOrdinal(levels=levels, **options)
    event = 1 if what == "competing" else -1
    return RiskScoreSurvival(horizons=[10, 30], event_of_interest=event, **options)


@pytest.fixture(scope="module")
def fitted():
    return {what: model_of(what, regularization=None).fit(X, y) for what, y in OUTCOMES.items()}


@pytest.mark.parametrize("what", OUTCOMES)
@pytest.mark.parametrize("regularization", ["auto", None])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_honest_cards_pass(what, regularization, weights):
    y = OUTCOMES[what]
    model = model_of(what, regularization=regularization).fit(X, y, sample_weight=weights)
    found = audit_card(model, X, y, weights)
    assert found.passed, str(found)
    assert found.loss == pytest.approx(model.loss_, rel=1e-11)
    assert {"baseline", "numbers", "values of the rows"}.isdisjoint(names(found.not_checked))
    assert "no other card of this kind" in str(found) or "no card was below it" in str(found)
    assert "predictions" in names(found.checks)


@pytest.mark.parametrize("what", OUTCOMES)
def test_a_recipe_gives_the_estimator_again(fitted, what):
    card = fitted[what].card_
    again = type(fitted[what]).from_recipe(card.recipe).fit(X, OUTCOMES[what])
    assert again.card_.features == card.features
    assert again.card_.kind == card.kind


def lies_of(card):
    kind, certificate, first = card.kind, card.certificate, card.features[0]
    points = tuple(one + (place == 0) for place, one in enumerate(first.points))
    offset = card.offset + (1.0 if isinstance(kind, Numbers) else 0.01)
    found = {
        "offset": ("loss", {"offset": offset}),
        "points": ("loss", {"features": (replace(first, points=points), *card.features[1:])}),
        "loss": ("loss", {"certificate": replace(certificate, loss=certificate.loss * 0.999)}),
        "bound": ("bound", {"certificate": replace(certificate, bound=certificate.loss * 1.001)}),
        "gap": ("status", {"certificate": replace(certificate, bound=certificate.loss * 0.99)}),
        "rows": ("rows", {"training": replace(card.training, rows=201, weight=201.0)}),
        "multiplier": ("scale", {"multiplier": card.multiplier / 100}),
    }
    if isinstance(kind, Numbers):
        for name in ("mean", "deviation"):
            changed = {name: getattr(kind, name) * 1.0001}
            found[name] = ("numbers", {"kind": replace(kind, **changed)})
        return found
    for place in range(len(kind.hazards)):
        hazards = list(kind.hazards)
        hazards[place] *= 1 + 1e-6
        found[f"hazard {place}"] = ("baseline", {"kind": replace(kind, hazards=tuple(hazards))})
    if not isinstance(kind, OrderedLevels):
        found = {key: one for key, one in found.items() if not key.startswith("hazard 1")}
        found["last"] = ("follow-up", {"kind": replace(kind, last=kind.last + 1)})
    return found


@pytest.mark.parametrize("what", ["numbers", "levels", "competing"])
def test_every_lie_is_found(fitted, what):
    card = fitted[what].card_
    for lie, (check, changes) in lies_of(card).items():
        found = audit_card(edited(card, **changes), X, OUTCOMES[what])
        assert check in names(found.failures), (lie, str(found))


@pytest.mark.parametrize("what", OUTCOMES)
def test_a_bound_that_another_card_refutes_is_refuted(what):
    y = OUTCOMES[what]
    worse = model_of(what, regularization=None, max_terms=1).fit(X, y).card_
    certificate = replace(worse.certificate, max_terms=3, max_features=3, max_cuts_per_feature=3)
    recipe = replace(
        worse.recipe, digest="", parameters={**worse.recipe.parameters, "max_terms": 3}
    )
    found = audit_card(replace(worse, certificate=certificate, recipe=recipe), X, y)
    assert "proof" in names(found.failures), str(found)


def test_other_rows_are_told_from_those_of_training(fitted):
    for what, y in OUTCOMES.items():
        found = audit_card(fitted[what].card_, X, np.roll(y, 1, axis=0))
        assert not found.passed
        assert "values of the rows" in names(found.failures), what


def test_rows_above_the_median_are_not_called_events(fitted):
    found = str(audit_card(fitted["numbers"], X, OUTCOMES["numbers"]))
    assert "in the upper half" in found
    assert "events" not in found


def test_shares_not_yet_censored_are_those_of_scikit_survival():
    sksurv = find("sksurv.nonparametric")
    is_censored, time = CODES == 0, Y[:, 1]
    moments = np.unique(time)
    # at equal times events come first, which there is a time just after
    shifted = time + 1e-6 * is_censored
    known, shares = sksurv.kaplan_meier_estimator(is_censored, shifted)
    expected = [shares[known < one][-1] if (known < one).any() else 1.0 for one in moments]
    assert seen_by_hand(time, is_censored, np.ones(200), moments) == pytest.approx(expected)
