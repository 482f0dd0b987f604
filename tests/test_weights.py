"""Only the ratios of weights matter: their unit changes neither cards nor what is proven."""

from __future__ import annotations

import numpy as np
import pytest

from riskcard import (
    CardRules,
    DataError,
    Regularization,
    RiskScoreClassifier,
    audit_card,
    find_pool,
)

FACTORS = (1000.0, 0.001, 1e-12, 1e12, 1e-300, 1e300)
NAN = float("nan")


def random_rows(seed: int, kind: str):
    """Numbers with missing values and noise, and weights that are equal, whole or real."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (60, 3)).astype(float)
    y = (X[:, 0] + X[:, 1] + rng.normal(0, 3, 60) > 5).astype(int)
    X[rng.random(60) < 0.1, 2] = NAN
    weights = {
        "equal": np.ones(60),
        "whole": rng.integers(1, 5, 60).astype(float),
        "real": rng.lognormal(0, 1, 60),
    }[kind]
    return X, y, weights


LOWEST_LOSS = {"regularization": None}
SETTINGS = {
    "search": LOWEST_LOSS,
    "proof": LOWEST_LOSS | {"certify": True},
    "given scale": LOWEST_LOSS | {"certify": True, "scale": 1},
    "automatic": {"certify": True},
    "pseudo rows": {"regularization": Regularization.only(pseudo_rows=12), "certify": True},
    "grid": {"regularization": Regularization.only(grid=3)},
    "charge": LOWEST_LOSS | {"rules": CardRules(min_gain=1.5), "certify": True},
    "round cuts": LOWEST_LOSS | {"rules": CardRules(round_cuts=0.05), "certify": True},
    "balanced": LOWEST_LOSS | {"class_weight": "balanced", "certify": True},
    "balanced pseudo rows": {
        "regularization": Regularization.only(pseudo_rows=12),
        "class_weight": "balanced",
    },
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_unit_of_the_weights_changes_neither_card_nor_status(setting):
    for seed, kind in enumerate(("equal", "whole", "real")):
        X, y, weights = random_rows(seed, kind)
        model = RiskScoreClassifier(2, **SETTINGS[setting])
        plain = model.fit(X, y, sample_weight=weights)
        card, status, loss, bound = plain.card_, plain.status_, plain.loss_, plain.lower_bound_
        for factor in FACTORS:
            model.fit(X, y, sample_weight=weights * factor)
            where = setting, kind, factor
            assert model.card_.features == card.features, where
            assert model.card_.multiplier == pytest.approx(card.multiplier, rel=1e-6), where
            assert model.status_ == status, where
            assert model.loss_ / factor == pytest.approx(loss, rel=1e-9), where
            assert model.lower_bound_ / factor == pytest.approx(bound, rel=1e-9), where
            report = audit_card(model, X, y, weights * factor)
            assert report.passed, (where, str(report))


@pytest.mark.parametrize("factor", FACTORS)
def test_a_pool_is_the_same_in_any_unit(factor):
    X, y, weights = random_rows(5, "whole")
    model = RiskScoreClassifier(1, certify=True, regularization=None)
    once = find_pool(model, X, y, tolerance=0.05, sample_weight=weights)
    other = find_pool(model, X, y, tolerance=0.05, sample_weight=weights * factor)
    assert [card.features for card in once] == [card.features for card in other]
    assert other.most_loss / factor == pytest.approx(once.most_loss, rel=1e-9)
    assert np.array(other.losses) / factor == pytest.approx(np.array(once.losses), rel=1e-9)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.full(6, 1e-309), r"adds up to 6e-309\. Multiply all weights"),
        (np.full(6, 1e305), r"adds up to 6e\+305\. Multiply all weights"),
        (np.array([1, 1, 1, 1, 1, 1e-70]), r"below 1e-60 of the total in row 5"),
    ],
)
def test_weights_that_numbers_cannot_hold_are_refused(weights, message):
    X, y = np.arange(6.0)[:, None], [0, 0, 1, 0, 1, 1]
    with pytest.raises(DataError, match=message):
        RiskScoreClassifier(2, certify=True).fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("light", [1e-6, 1e-12, 1e-24])
@pytest.mark.parametrize("setting", ["proof", "given scale", "pseudo rows", "balanced"])
def test_a_class_that_weighs_next_to_nothing_is_not_lost(light, setting):
    X, y, weights = random_rows(1, "real")
    weights = weights * np.where(y == 1, 1.0, light)
    model = RiskScoreClassifier(2, **SETTINGS[setting]).fit(X, y, sample_weight=weights)
    report = audit_card(model, X, y, weights)
    assert report.passed, str(report)
    assert model.status_ == "optimal"
