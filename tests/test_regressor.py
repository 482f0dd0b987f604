"""Cards of rates: counts with exposure, proven, and never taken for risks."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import d2_tweedie_score, mean_poisson_deviance

from riskcard import DataError, ParameterError, RiskCard, RiskScoreRegressor


def draw_counts(n_rows: int = 200, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)).round(1)
    exposure = rng.uniform(0.5, 3.0, n_rows)
    rate = np.exp(0.5 + 0.8 * (X[:, 0] > 0) - 0.5 * (X[:, 1] > 0.3))
    return X, rng.poisson(exposure * rate), exposure


def test_loss_and_score_are_the_poisson_deviance_of_scikit_learn():
    X, y, exposure = draw_counts()
    model = RiskScoreRegressor(3, certify=True, regularization=None)
    model.fit(X, y, exposure=exposure)
    rates = model.predict(X)
    deviance = mean_poisson_deviance(y / exposure, rates, sample_weight=exposure)
    assert model.loss_ == pytest.approx(deviance * exposure.sum() / 2)
    explained = d2_tweedie_score(y / exposure, rates, sample_weight=exposure, power=1)
    assert model.score(X, y, exposure=exposure) == pytest.approx(explained)
    assert rates @ exposure == pytest.approx(y.sum())
    assert model.status_ == "optimal"


def test_a_unit_of_exposure_changes_rates_and_nothing_else():
    X, y, exposure = draw_counts()
    model = RiskScoreRegressor(3, certify=True)
    years = clone(model).fit(X, y, exposure=exposure)
    days = clone(model).fit(X, y, exposure=365 * exposure)
    assert years.card_.features == days.card_.features
    assert years.predict(X) == pytest.approx(365 * days.predict(X))
    assert years.loss_ == pytest.approx(days.loss_)


def test_counts_without_exposure_are_per_row_and_may_all_be_positive():
    X, y, _ = draw_counts()
    model = RiskScoreRegressor(2, certify=True).fit(X, y + 1)
    assert "per row" in model.card_.title
    assert model.predict(X).mean() == pytest.approx((y + 1).mean(), rel=0.05)


def test_the_card_says_rate_and_never_risk_or_odds():
    X, y, exposure = draw_counts()
    card = RiskScoreRegressor(2, certify=True).fit(X, y, exposure=exposure).card_
    text = str(card)
    assert text.startswith("Rate of events per unit of exposure\n")
    assert f"{y.sum():,} events in an exposure of" in text
    assert "odds" not in text
    assert "risk" not in text.lower()
    assert RiskCard.from_json(card.to_json()) == card
    assert "per unit of exposure" in str(card.explain({"x0": 1.0, "x1": 0.0, "x2": 0.0}))
    with pytest.raises(ParameterError, match="this card gives a rate per unit of exposure"):
        card.risk(X)
    with pytest.raises(ParameterError, match="not about the time to an event"):
        card.risk_by(X, 10)


def test_wrong_counts_and_exposures_are_refused():
    X, y, exposure = draw_counts(20)
    for target, match in (
        (np.where(np.arange(20) == 3, -1, y), "The target y is negative in row 3"),
        (0 * y, "Every count is 0"),
        ([[1, 2]] * 20, "The target y has the shape"),
        (["a"] * 20, "The target y is not a number"),
    ):
        with pytest.raises(DataError, match=match):
            RiskScoreRegressor(2).fit(X, target)
    with pytest.raises(DataError, match="The exposure is not positive in row 5"):
        RiskScoreRegressor(2).fit(X, y, exposure=np.where(np.arange(20) == 5, 0, exposure))
    with pytest.raises(ParameterError, match=r"loss is 'gamma'\. Use 'poisson'"):
        RiskScoreRegressor(2, loss="gamma").fit(X, y)
