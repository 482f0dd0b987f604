"""Judging cards of other outcomes on rows that say little: a few, all alike, or without a level."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

from riskcard import (
    DataError,
    RiskScoreOrdinal,
    RiskScoreRegressor,
    RiskScoreSurvival,
    audit_card,
    validate_estimates,
    validate_survival,
)

RNG = np.random.default_rng(7)
X = RNG.normal(size=(120, 2)).round(1)
TIME = np.ceil(RNG.exponential(np.exp(-X[:, 0])) * 20)
Y = np.column_stack([RNG.integers(0, 2, 120), TIME])


@pytest.fixture(scope="module")
def models():
    return {
        "times": RiskScoreSurvival(2, horizons=[5, 10]).fit(X, Y),
        "counts": RiskScoreRegressor(2).fit(X, RNG.poisson(np.exp(X[:, 0] / 2))),
        "numbers": RiskScoreRegressor(2, loss="squared_error").fit(X, X[:, 0] * 3 + X[:, 1]),
        "levels": RiskScoreOrdinal(2).fit(X, np.digitize(X[:, 0], [-0.5, 0.5])),
    }


def judged(models, what, rows, y):
    judge = validate_survival if what == "times" else validate_estimates
    found = judge(models[what], rows, y)
    text = " ".join(str(found).split())
    assert not re.search(r"\b(nan|inf)\b", text + str(found.to_html())), text
    return text


@pytest.mark.parametrize("n_rows", [2, 3, 8, 60])
def test_rows_that_are_all_alike_have_nothing_to_explain(models, n_rows):
    rows = X[:n_rows]
    times = np.column_stack([np.ones(n_rows), np.full(n_rows, 7.0)])
    said = {
        "times": (times, "0.0000 with one risk for all rows: there is nothing to explain"),
        "counts": (np.full(n_rows, 3), "so there is no deviance to explain"),
        "numbers": (np.full(n_rows, 0.1), "explains nothing of the variance"),
        "levels": (np.full(n_rows, 2), "all rows have the same level"),
    }
    for what, (y, words) in said.items():
        assert words in judged(models, what, rows, y)


def test_rates_without_a_slope_are_judged(models):
    # the only event is in the rows of the highest rate, so that no slope is steep enough
    place = int(models["counts"].predict(X).argmax())
    y = np.zeros(120)
    y[place] = 1
    for rows in (np.arange(120), np.array([place, int(models["counts"].predict(X).argmin())])):
        assert "observed divided by expected" in judged(models, "counts", X[rows], y[rows])


def test_a_score_of_counts_of_one_rate_is_that_of_r2_score(models):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert models["counts"].score(X[:20], np.full(20, 3)) == 0.0
        exact = np.repeat([0.0, 1.0], 10)[:, None]
        model = RiskScoreRegressor(1, regularization=None).fit(exact, 1 + exact[:, 0])
        assert model.score(exact[:5], np.ones(5)) == 1.0


def test_an_audit_refuses_rows_that_cannot_be_those_of_training(models):
    with pytest.raises(DataError, match="target y is 2 in every row, so that these are not"):
        audit_card(models["numbers"], X, np.full(120, 2.0))
    levels = np.digitize(X[:, 0], [-0.5, 0.5])
    for absent in range(3):
        kept = levels != absent
        with pytest.raises(DataError, match=f"No row has the level '{absent}' of the card"):
            audit_card(models["levels"], X[kept], levels[kept])
        with pytest.raises(DataError, match=f"No row has the level '{absent}' of the card"):
            audit_card(models["levels"], X, levels, kept.astype(float))


def test_where_everyone_is_lost_at_the_horizon_there_is_a_brier_score(models):
    times = np.column_stack([[1, 0, 0], [1.0, 5.0, 5.0]])
    assert "The Brier score is" in judged(models, "times", X[:3], times)
