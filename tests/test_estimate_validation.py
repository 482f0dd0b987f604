"""Validations of counts, numbers and levels: against scikit-learn, statsmodels, scipy and resampling."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import linregress, t
from sklearn.metrics import (
    d2_tweedie_score,
    log_loss,
    mean_absolute_error,
    mean_poisson_deviance,
    r2_score,
    roc_auc_score,
    root_mean_squared_error,
)

from optional import find
from riskcard import (
    ParameterError,
    RiskScoreClassifier,
    RiskScoreOrdinal,
    RiskScoreRegressor,
    validate_estimates,
)
from riskcard.evaluation.other_outcomes.estimates import number_figures

RNG = np.random.default_rng(4)
X = RNG.normal(size=(600, 3)).round(1)
NUMBERS = np.round(50 + 20 * X[:, 0] + 10 * (X[:, 1] > 0) + RNG.normal(size=600) * 15, 1)
EXPOSURE = RNG.uniform(0.5, 3, 600)
COUNTS = RNG.poisson(EXPOSURE * np.exp(0.5 * X[:, 0]))
LEVELS = np.array(["low", "middle", "high"], dtype=object)[
    np.digitize(X[:, 0] + RNG.logistic(size=600), [-1, 1])
]
HALF = slice(300), slice(300, None)


def judged(model, y, exposure=None):
    own = {} if exposure is None else {"exposure": exposure[HALF[0]]}
    other = {} if exposure is None else {"exposure": exposure[HALF[1]]}
    model.fit(X[HALF[0]], y[HALF[0]], **own)
    return model, validate_estimates(model, X[HALF[1]], y[HALF[1]], **other)


def test_figures_of_numbers_are_those_of_scikit_learn():
    model, found = judged(RiskScoreRegressor(4, loss="squared_error"), NUMBERS)
    expected, y = model.predict(X[HALF[1]]), NUMBERS[HALF[1]]
    figures = found.figures
    assert figures.explained.value == pytest.approx(r2_score(y, expected))
    assert figures.root_mean_square == pytest.approx(root_mean_squared_error(y, expected))
    assert figures.mean_absolute == pytest.approx(mean_absolute_error(y, expected))
    assert figures.slope.value == pytest.approx(linregress(expected, y).slope)
    for one in figures.groups:
        own = y[(expected >= one.lowest) & (expected <= one.highest)]
        assert one.rows == own.size
        assert one.observed.value == pytest.approx(own.mean())
        interval = t.interval(0.95, own.size - 1, own.mean(), own.std(ddof=1) / np.sqrt(own.size))
        assert one.observed.interval == pytest.approx(interval, rel=1e-4)
    assert sum(one.rows for one in figures.groups) == 300


def test_intervals_of_numbers_are_those_of_resampling():
    rng = np.random.default_rng(2)
    expected = rng.normal(size=300)
    numbers = expected + rng.normal(size=300) * (0.5 + np.abs(expected))
    found = number_figures(expected, numbers, 5)
    drawn = []
    for _ in range(500):
        own = rng.integers(0, 300, 300)
        one = number_figures(expected[own], numbers[own], 5)
        drawn.append((one.explained.value, one.slope.value))
    for figure, values in zip((found.explained, found.slope), np.array(drawn).T, strict=True):
        error = (figure.interval[1] - figure.interval[0]) / (2 * 1.96)
        assert error == pytest.approx(values.std(), rel=0.15)


def test_figures_of_counts_are_those_of_scikit_learn_and_statsmodels():
    model, found = judged(RiskScoreRegressor(4), COUNTS, EXPOSURE)
    rates, y, exposure = model.predict(X[HALF[1]]), COUNTS[HALF[1]], EXPOSURE[HALF[1]]
    figures = found.figures
    explained = d2_tweedie_score(y / exposure, rates, sample_weight=exposure, power=1)
    assert figures.explained == pytest.approx(explained)
    assert figures.deviance == pytest.approx(mean_poisson_deviance(y, rates * exposure))
    assert figures.ratio.value == pytest.approx(y.sum() / (rates @ exposure))
    pearson = (y - rates * exposure) ** 2 / (rates * exposure)
    assert figures.dispersion == pytest.approx(pearson.mean())
    api = find("statsmodels.api")
    columns = np.column_stack([np.ones(300), np.log(rates)])
    fitted = api.GLM(y, columns, family=api.families.Poisson(), exposure=exposure).fit()
    assert figures.slope == pytest.approx(fitted.params[1], rel=1e-4)


def test_figures_of_levels_are_those_of_scikit_learn():
    names = ["low", "middle", "high"]
    model, found = judged(RiskScoreOrdinal(4, levels=names), LEVELS)
    shares, y = model.predict_proba(X[HALF[1]]), LEVELS[HALF[1]]
    codes = np.array([names.index(one) for one in y])
    figures = found.figures
    assert figures.concordance.value == pytest.approx(model.score(X[HALF[1]], y))
    assert figures.log_loss == pytest.approx(log_loss(codes, shares))
    known = np.bincount(codes) / codes.size
    assert figures.log_loss_of_shares == pytest.approx(log_loss(codes, np.tile(known, (300, 1))))
    for level, one in enumerate(figures.at, start=1):
        above = shares[:, level:].sum(axis=1)
        assert one.area.value == pytest.approx(roc_auc_score(codes >= level, above))
        assert one.expected == pytest.approx(above.mean())
        assert one.observed.value == pytest.approx(np.mean(codes >= level))
    assert [one.words for one in figures.at] == ["middle or higher", "high"]


def test_pages_have_every_sentence_and_picture():
    pytest.importorskip("matplotlib")
    _, found = judged(RiskScoreOrdinal(3, levels=["low", "middle", "high"]), LEVELS)
    page = found.to_html()
    assert page.count("<figure") == 2
    assert "Calibration at middle or higher" in page
    assert "At middle or higher" in str(found)
    assert found.to_dict()["figures"]["at"][0]["words"] == "middle or higher"


def test_rows_that_are_all_alike_are_said_to_be():
    model = RiskScoreRegressor(1, loss="squared_error").fit(X, NUMBERS)
    card = replace(model.card_, features=(), certificate=None, recipe=None)
    text = " ".join(str(validate_estimates(card, X[:20], np.full(20, 3.0))).split())
    assert "explains nothing of the variance" in text
    assert "there is no slope" in text
    top = validate_estimates(
        RiskScoreOrdinal(1, levels=["low", "middle", "high"]).fit(X, LEVELS), X[:9], ["high"] * 9
    )
    assert "all rows are on one side" in str(top)


def test_what_does_not_fit_is_refused():
    model = RiskScoreClassifier(1).fit(X, NUMBERS > 50)
    with pytest.raises(ParameterError, match="needs a card of counts, numbers or ordered levels"):
        validate_estimates(model, X, NUMBERS > 50)
    numbers = RiskScoreRegressor(1, loss="squared_error").fit(X, NUMBERS)
    with pytest.raises(ParameterError, match="exposure is for cards of counts"):
        validate_estimates(numbers, X, NUMBERS, exposure=EXPOSURE)
