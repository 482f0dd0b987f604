"""Looking for a card of the stated kind that refutes a certificate: every setting, every raw card."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from raw_cards import RawFeature, points_and_terms
from riskcard import (
    CardRules,
    FeatureRule,
    Regularization,
    RiskScoreClassifier,
    audit_card,
)

NAN = float("nan")
CODES = (-9.0, -8.0)
TOLERANCE = 1e-6
MAX_POINTS = 2


def random_setting(seed: int):
    """A tiny table, weights, and a classifier with some of all settings."""
    rng = np.random.default_rng(seed)
    values = [
        [(0.0, 1.0, 2.0), (0.0, 1.0, NAN), (0.0, 1.0, -9.0), (0.0, -9.0, -8.0, NAN)][kind]
        for kind in rng.integers(4, size=2)
    ]
    rows = [rng.integers(len(own), size=14) for own in values]
    for place, own in zip(rows, values, strict=True):
        place[: len(own)] = rng.permutation(len(own))
    X = np.column_stack([np.array(own)[at] for own, at in zip(values, rows, strict=True)])
    y = (rng.random(14) < np.where(rows[0] + rows[1] > 2, 0.8, 0.3)).astype(int)
    y[:2] = 0, 1
    weights = [np.ones(14), rng.integers(1, 4, 14) * 1.0, rng.lognormal(0, 2, 14) * 1e-7][seed % 3]
    model = RiskScoreClassifier(
        int(rng.integers(1, 4)),
        max_points=MAX_POINTS,
        scale=float(rng.choice([0.7, 1.0, 2.0])),
        certify=True,
        rules=CardRules(
            {name: FeatureRule(codes=CODES) for name in ("x0", "x1")},
            min_gain=[None, 0.3, 1.0][int(rng.integers(3))],
        ),
        regularization=[
            None,
            Regularization.only(pseudo_rows=4),
            Regularization.only(pseudo_rows=0.2),
        ][int(rng.integers(3))],
        class_weight=[None, "balanced", {0: 3.0, 1: 0.5}][int(rng.integers(3))],
        gap=float(rng.choice([0.0, 0.0, 0.2])),
    )
    features = [
        RawFeature(
            len(own),
            sum(value != value or value in CODES for value in own),
            False,
            tuple(at.tolist()),
            (-MAX_POINTS, MAX_POINTS),
        )
        for own, at in zip(values, rows, strict=True)
    ]
    return X, y, weights, model, features


def lowest_objective(features, y, weights, model) -> float:
    """The least of loss, pseudo-observations and charge over all cards, told by raw values."""
    factors = 1.0, 1.0
    if model.class_weight == "balanced":
        whole, events = weights.sum(), weights[y == 1].sum()
        factors = whole / 2 / (whole - events), whole / 2 / events
    elif model.class_weight is not None:
        factors = model.class_weight[0], model.class_weight[1]
    weights = weights * np.where(y == 1, factors[1], factors[0])
    number = 0.0 if model.regularization is None else model.regularization.pseudo_rows
    number = number * y.size if number < 1 else number
    rate = weights[y == 1].sum() / weights.sum()
    of_event = weights * ((y == 1) + number / y.size * rate)
    of_others = weights * ((y == 0) + number / y.size * (1 - rate))
    charge = (model.rules.min_gain or 0.0) * weights.mean()
    offers = [points_and_terms(feature, model.max_terms) for feature in features]
    best, center = np.inf, int(model.scale * np.log(of_event.sum() / of_others.sum()))
    for (one, n_one), (two, n_two) in itertools.product(*(offer.items() for offer in offers)):
        if n_one + n_two > model.max_terms:
            continue
        score = np.array(one)[list(features[0].rows)] + np.array(two)[list(features[1].rows)]
        bases = np.arange(center - int(score.max()) - 2, center + 3)
        log_odds = (bases[:, None] + score[None, :]) / model.scale
        losses = np.logaddexp(0, -log_odds) @ of_event + np.logaddexp(0, log_odds) @ of_others
        best = min(best, float(losses.min()) + charge * (n_one + n_two))
    return best


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_no_raw_card_of_the_kind_is_below_the_bound(block):
    for seed in range(30 * block, 30 * (block + 1)):
        X, y, weights, model, features = random_setting(seed)
        model.fit(X, y, sample_weight=weights)
        certificate = model.card_.certificate
        lowest = lowest_objective(features, y, weights, model)
        assert certificate.bound <= lowest * (1 + TOLERANCE), seed
        assert certificate.objective >= lowest * (1 - TOLERANCE), seed
        if model.status_ == "optimal":
            assert certificate.objective <= lowest * (1 + TOLERANCE), seed
        else:
            assert model.status_ == "gap_reached", seed
            assert model.gap_ <= model.gap, seed
        report = audit_card(model, X, y, weights)
        assert report.passed, (seed, str(report))


def extreme_setting(seed: int):
    """Up to twelve terms, and weights from 1e-12 to 1e12 or a class of next to no weight."""
    rng = np.random.default_rng(seed)
    n_rows, n_features = int(rng.integers(13, 31)), int(rng.integers(1, 5))
    X = rng.integers(0, rng.integers(2, 9, n_features), (n_rows, n_features)).astype(float)
    X[rng.random(X.shape) < 0.1] = NAN
    score = np.nan_to_num(X) @ rng.normal(size=n_features) + rng.choice([0, 2]) * rng.normal(
        size=n_rows
    )
    y = (score > np.median(score)).astype(int)
    y[:2] = 0, 1
    weights = [
        10.0 ** rng.uniform(-12, 12, n_rows),
        np.where(y == 1, 1.0, 10.0 ** rng.uniform(-12, 0)) * rng.lognormal(0, 1, n_rows),
        rng.integers(1, 4, n_rows) * 10.0 ** float(rng.integers(-12, 13)),
    ][seed % 3]
    model = RiskScoreClassifier(
        int(rng.choice([2, 8, 10, 12])),
        max_points=int(rng.choice([1, 3, 10])),
        scale=[1, "calibrated", "multiplier"][int(rng.integers(3))],
        certify=True,
        time_limit=0.1,
        rules=CardRules(min_gain=[None, 0.5][int(rng.integers(2))]),
        regularization=[None, Regularization.only(grid=3, pseudo_rows=5)][int(rng.integers(2))],
        gap=float(rng.choice([0.0, 0.3])),
    )
    return X, y, weights, model


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 12, 24])
def test_many_terms_and_extreme_weights_give_a_card_that_passes_its_audit(first):
    for seed in range(first, first + 12):
        X, y, weights, model = extreme_setting(seed)
        model.fit(X, y, sample_weight=weights)
        report = audit_card(model, X, y, weights)
        assert report.passed, (seed, str(report))
        if model.status_ == "gap_reached":
            assert model.gap_ <= model.gap, seed
