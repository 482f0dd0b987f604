"""What takes times and counts only refuses competing events, numbers and ordered levels in a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from riskcard import (
    ParameterError,
    RiskScoreOrdinal,
    RiskScoreRegressor,
    RiskScoreSurvival,
    bootstrap_card,
    choose_terms,
    make_report,
    recalibrate,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 2)).round(1)
CODES = np.column_stack([RNG.integers(0, 3, 120), RNG.integers(1, 9, 120)])
FITS = {
    "competing events": (RiskScoreSurvival(2, event_of_interest=1), CODES),
    "an expected value": (RiskScoreRegressor(2, loss="squared_error"), X[:, 0] + 0.5),
    "ordered levels": (RiskScoreOrdinal(2), np.digitize(X[:, 0], [-0.5, 0.5])),
}
OF_CARDS = {
    "Reports": make_report,
    "Recalibrations": recalibrate,
}


@pytest.fixture(scope="module")
def cards():
    return {words: model.fit(X, y).card_ for words, (model, y) in FITS.items()}


@pytest.mark.parametrize("words", FITS)
@pytest.mark.parametrize("what", OF_CARDS)
def test_judging_refuses_other_kinds(cards, words, what):
    if what == "Reports":
        pytest.importorskip("matplotlib")
    with pytest.raises(ParameterError, match=rf"{what} are for .* but this card gives .*{words}"):
        OF_CARDS[what](cards[words], X, FITS[words][1])


@pytest.mark.parametrize("words", FITS)
@pytest.mark.parametrize("repeat", [choose_terms, bootstrap_card])
def test_repeated_fits_refuse_other_kinds(words, repeat):
    model, y = FITS[words]
    with pytest.raises(ParameterError, match=r"event_of_interest|squared_error|RiskScoreSurvival"):
        repeat(model, X, y)
