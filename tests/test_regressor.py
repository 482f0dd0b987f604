"""Cards of rates: counts with exposure, proven, and never taken for risks."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import d2_tweedie_score, mean_poisson_deviance

from riskcard import CardRules, DataError, ParameterError, RiskCard, RiskScoreRegressor


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


# --- numbers ------------------------------------------------------------------------------------


def draw_numbers(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4))
    return X, 1000 + 80 * (X[:, 0] > 0) - 50 * (X[:, 1] > 0.5) + rng.normal(0, 40, n_rows)


def test_numbers_have_the_squared_error_of_the_card_and_a_bound_below_it():
    X, y = draw_numbers()
    model = RiskScoreRegressor(2, loss="squared_error", certify=True, regularization=None).fit(X, y)
    assert model.status_ == "optimal"
    errors = y - model.predict(X)
    assert model.loss_ == pytest.approx(float(errors @ errors) / 2)
    assert model.loss_ * (1 - 1e-4) <= model.lower_bound_ <= model.loss_
    assert model.score(X, y) == pytest.approx(1 - errors @ errors / np.sum((y - y.mean()) ** 2))
    assert model.predict(X).mean() == pytest.approx(y.mean())
    text = " ".join(str(model.card_).split())
    assert "half the sum of squared errors" in text
    assert "squared error that is lower by more than a ten-thousandth" in text
    assert model.card_.expected(X) == pytest.approx(model.predict(X))


@pytest.mark.parametrize(("factor", "shift"), [(1e-6, 0.0), (1e9, 0.0), (1.0, 1e5), (-1.0, 3.0)])
def test_the_card_does_not_depend_on_the_unit_of_numbers(factor, shift):
    X, y = draw_numbers()
    own = RiskScoreRegressor(3, loss="squared_error").fit(X, y)
    other = RiskScoreRegressor(3, loss="squared_error").fit(X, factor * y + shift)
    expected = factor * own.predict(X) + shift
    assert other.predict(X) == pytest.approx(expected, rel=1e-6, abs=1e-6 * abs(factor) * 100)


def test_a_limit_on_the_change_of_a_term_is_kept():
    X, y = draw_numbers()
    free = RiskScoreRegressor(2, loss="squared_error", regularization=None).fit(X, y)
    tight = RiskScoreRegressor(2, loss="squared_error", regularization=None, max_change=30.0).fit(
        X, y
    )
    steps = [np.ptp(one.points) / abs(tight.card_.multiplier) for one in tight.card_.features]
    assert max(steps) <= 30 * (1 + 1e-9)
    assert tight.loss_ > free.loss_
    assert "no term changes the value by more than 30," in " ".join(str(tight.card_).split())
    large = RiskScoreRegressor(2, loss="squared_error", max_change=12345.0).fit(X, 1000 * y)
    assert "no term changes the value by more than 12,345," in " ".join(str(large.card_).split())


def test_what_a_term_must_gain_is_in_the_unit_of_squares():
    X, y = draw_numbers()
    options = {"loss": "squared_error", "regularization": None, "certify": True}
    two = RiskScoreRegressor(2, **options).fit(X, y)
    one = RiskScoreRegressor(1, **options).fit(X, y)
    gain = one.loss_ - two.loss_
    for share, terms in ((0.9, 2), (1.1, 1)):
        model = RiskScoreRegressor(2, rules=CardRules(min_gain=share * gain), **options).fit(X, y)
        certificate = model.card_.certificate
        assert sum(len(feature.cuts) for feature in model.card_.features) == terms
        assert certificate.min_gain == pytest.approx(share * gain)
        assert certificate.bound <= certificate.objective


def test_numbers_and_counts_refuse_what_belongs_to_the_other():
    X, y = draw_numbers(60)
    for wrong, message in (
        ({"max_log_ratio": 1.0}, "It belongs to the loss 'poisson'"),
        ({"max_change": 1.0, "loss": "poisson"}, "It belongs to the loss 'squared_error'"),
    ):
        with pytest.raises(ParameterError, match=message):
            RiskScoreRegressor(**{"loss": "squared_error", **wrong}).fit(X, y)
    with pytest.raises(ParameterError, match="exposure is for counts"):
        RiskScoreRegressor(loss="squared_error").fit(X, y, exposure=np.ones(60))
    with pytest.raises(DataError, match="so there is nothing to learn from"):
        RiskScoreRegressor(loss="squared_error").fit(X, np.full(60, 7.0))
    card = RiskScoreRegressor(loss="squared_error").fit(X, y).card_
    with pytest.raises(ParameterError, match="it has no hazards or rates"):
        card.relative(X)
