"""Cards of other outcomes where figures are 0 or nearly so: exact predictions, tiny weights, events at time 0."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal, getcontext

import numpy as np
import pytest

from riskcard import (
    DataError,
    RiskScoreOrdinal,
    RiskScoreRegressor,
    RiskScoreSurvival,
    audit_card,
    validate_estimates,
)
from riskcard.outcomes.levels import _at_stop
from riskcard.status import Status
from test_audit_kinds import edited

X = np.repeat(np.arange(6.0), 5)[:, None]
HIGH = X[:, 0] > 2
EXACT = {
    "numbers": (RiskScoreRegressor(2, loss="squared_error"), 10.0 + 3 * HIGH + (X[:, 0] > 4)),
    "counts": (RiskScoreRegressor(1), 1.0 + HIGH),
    "times": (RiskScoreSurvival(1), np.column_stack([HIGH, np.where(HIGH, 5.0, 4.0)])),
}


def fitted(what, certify):
    model, y = EXACT[what]
    model.set_params(certify=certify, regularization=None)
    return model.fit(X, y), y


@pytest.mark.parametrize("certify", [True, False])
@pytest.mark.parametrize("what", EXACT)
def test_no_card_is_said_to_fit_better_than_exactly(what, certify):
    model, y = fitted(what, certify)
    assert (model.loss_, model.lower_bound_, model.gap_) == (0, 0, 0)
    assert model.status_ == ("optimal" if certify else "heuristic")
    text = " ".join(str(model.card_).split())
    assert "No other card can fit these rows better: the" in text
    assert "not known" not in text
    found = audit_card(model, X, y)
    assert found.passed, str(found)


def test_a_proof_without_a_bound_is_not_called_unfinished():
    card = fitted("numbers", True)[0].card_
    certificate = replace(card.certificate, loss=1.0, status=Status.ROUNDING)
    text = " ".join(str(edited(card, certificate=certificate)).split())
    assert "The proof was finished, but its tolerance leaves a gap; how much better" in text


@pytest.mark.parametrize("what", ["times", "counts", "levels", "numbers"])
def test_the_audit_has_the_tolerance_that_the_card_states(what):
    rng = np.random.default_rng(0)
    features, risk = rng.normal(size=(80, 2)).round(1), rng.random(80)
    model, y = {
        "times": (RiskScoreSurvival(1), np.column_stack([risk < 0.6, rng.integers(1, 9, 80)])),
        "counts": (RiskScoreRegressor(1), rng.poisson(2, 80)),
        "levels": (RiskScoreOrdinal(1), rng.integers(0, 3, 80)),
        "numbers": (RiskScoreRegressor(1, loss="squared_error"), risk),
    }[what]
    card = model.set_params(certify=True, regularization=None).fit(features, y).card_
    said, least = ("ten-thousandth", 1e-4) if what == "numbers" else ("millionth", 1e-6)
    assert f"more than a {said}" in " ".join(str(card).split())
    for gap, is_honest in ((0.5 * least, True), (2 * least, False)):
        # a lower bound holds as well, but does not allow the word
        certificate = replace(card.certificate, bound=card.certificate.loss * (1 - gap))
        found = audit_card(edited(card, certificate=certificate), features, y)
        status = next(one for one in found.checks if one.name == "status")
        assert status.holds == is_honest, str(status)


def test_the_exposure_where_a_row_stops_keeps_its_digits():
    getcontext().prec = 50
    steps = np.concatenate([np.logspace(-15, 1, 200), [0.00999, 0.01, 0.01001]])
    for step, found in zip(steps, _at_stop(steps), strict=True):
        exact = Decimal(float(step))
        assert found == pytest.approx(float(1 - exact / (exact.exp() - 1)), rel=1e-12)


def test_levels_with_tiny_weights_pass_the_audit():
    rng = np.random.default_rng(3)
    features, levels = rng.integers(0, 4, (40, 2)).astype(float), rng.integers(0, 3, 40)
    weights = np.where(levels == 2, 1e-6, np.where(levels == 1, 1.0, 1e6))
    model = RiskScoreOrdinal(2, certify=True, regularization=None)
    model.fit(features, levels, sample_weight=weights)
    found = audit_card(model, features, levels, weights)
    assert found.passed, str(found)


def test_the_horizon_is_positive_where_most_events_are_at_time_0():
    time = np.repeat([0.0, 3.0, 7.0], [20, 5, 5])
    features = np.arange(30.0)[:, None]
    early = RiskScoreSurvival(1).fit(features, np.column_stack([np.ones(30), time]))
    assert early.card_.kind.horizons == (3.0,)
    only = RiskScoreSurvival(1).fit(features, np.column_stack([time == 0, time]))
    assert only.card_.kind.horizons == (7.0,)


@pytest.mark.parametrize("unit", [1e13, 1.0, 1e-13])
def test_loss_and_bound_are_told_apart_in_any_unit(unit):
    rng = np.random.default_rng(1)
    features = rng.normal(size=(60, 2)).round(1)
    y = (features[:, 0] + rng.normal(size=60)) * unit
    model = RiskScoreRegressor(2, loss="squared_error", certify=True, regularization=None)
    text = " ".join(str(model.fit(features, y).card_).split())
    loss = float(text.split("half the sum of squared errors: ")[1].split()[0].rstrip("."))
    bound = float(text.split("No card of this kind can be below ")[1].split()[0])
    assert loss == pytest.approx(model.loss_, rel=1e-5)
    assert 0 < bound <= model.lower_bound_
    assert bound == pytest.approx(model.lower_bound_, rel=1e-5)


@pytest.mark.parametrize("unit", [1e160, 1e-160, 1e-300])
def test_numbers_whose_squares_no_computer_holds_are_refused(unit):
    features = np.arange(20.0)[:, None]
    model = RiskScoreRegressor(1, loss="squared_error")
    with pytest.raises(DataError, match=re.escape(f"from 0 to {19 * unit:g}, whose")):
        model.fit(features, features[:, 0] * unit)
    model.fit(features, features[:, 0])
    with pytest.raises(DataError, match="in another unit"):
        validate_estimates(model, features, features[:, 0] * unit)
