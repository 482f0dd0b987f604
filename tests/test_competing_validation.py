"""Validations where events compete: against counting, resampling, and cards without such events."""

from __future__ import annotations

import numpy as np
import pytest

from riskcard import RiskScoreSurvival, validate_survival
from riskcard.evaluation.other_outcomes.by_time import area_by
from riskcard.evaluation.other_outcomes.survival import brier_score, risk_figure
from riskcard.outcomes.hazards import FollowUp


def drawn(n_rows=300, seed=0, lost=True):
    """Features, codes (0 lost, 1 event, 2 competing) and times, with ties."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 2)).round(1)
    own = rng.exponential(20 * np.exp(-X[:, 0]))
    other = rng.exponential(30, n_rows)
    end = rng.uniform(5, 60, n_rows) if lost else np.full(n_rows, 40.0)
    first = np.minimum(np.minimum(own, other), end)
    codes = np.where(first == own, 1, np.where(first == other, 2, 0))
    return X, codes, np.ceil(first)


def rows_of(codes, time):
    return FollowUp(time, codes == 1, None, codes == 2)


def test_where_nobody_is_lost_everything_is_counting():
    X, codes, time = drawn(lost=False)
    rows, horizon = rows_of(codes, time), 15.0
    has_event = (codes == 1) & (time <= horizon)
    assert risk_figure(rows, horizon).value == pytest.approx(has_event.mean())
    risks = 1 / (1 + np.exp(-X[:, 0]))
    found = brier_score(rows, risks, horizon)
    assert found.value == pytest.approx(np.mean((risks - has_event) ** 2))
    assert found.of_average == pytest.approx(np.var(has_event))
    above = risks[has_event][:, None] - risks[~has_event]
    pairs = np.where(np.abs(above) <= 1e-8, 0.5, above > 0)
    assert area_by(rows, risks, horizon).value == pytest.approx(pairs.mean())


def test_the_interval_is_that_of_resampling():
    _, codes, time = drawn(400, seed=3)
    rng, horizon = np.random.default_rng(1), 15.0
    found = risk_figure(rows_of(codes, time), horizon)
    values = []
    for _ in range(400):
        own = rng.integers(0, codes.size, codes.size)
        values.append(risk_figure(rows_of(codes[own], time[own]), horizon).value)
    width = (found.interval[1] - found.interval[0]) / (2 * 1.96)
    assert width == pytest.approx(np.std(values), rel=0.1)
    assert found.interval[0] < found.value < found.interval[1]


def test_without_competing_events_nothing_changes():
    X, codes, time = drawn()
    codes = np.minimum(codes, 1) * (codes < 2)
    plain, empty = FollowUp(time, codes == 1), rows_of(codes, time)
    for horizon in (5.0, 15.0, 30.0):
        one, other = risk_figure(plain, horizon), risk_figure(empty, horizon)
        assert one.value == pytest.approx(other.value)
        assert one.interval == pytest.approx(other.interval, rel=1e-6)
        assert brier_score(plain, X[:, 0], horizon).value == pytest.approx(
            brier_score(empty, X[:, 0], horizon).value
        )
        assert area_by(plain, X[:, 0], horizon).value == pytest.approx(
            area_by(empty, X[:, 0], horizon).value
        )


def test_a_card_that_is_right_looks_right_and_the_words_name_the_estimate():
    X, codes, time = drawn(3000, seed=5)
    y = np.column_stack([codes, time])
    model = RiskScoreSurvival(3, horizons=[10, 20], event_of_interest=1).fit(X[:2000], y[:2000])
    found = validate_survival(model, X[2000:], y[2000:])
    for at in found.at:
        low, high = at.observed.interval
        assert low < at.mean_risk < high
        assert 0.6 < at.area.value < 0.9
        assert at.brier.value < at.brier.of_average
    assert found.concordance.value == pytest.approx(model.score(X[2000:], y[2000:]))
    text = " ".join(str(found).split())
    assert "Aalen and Johansen's estimate is" in text
    assert "Kaplan" not in text
    assert "a competing event came first" in text
    assert "effects change" not in text
    # censored in place of competing, risks would be too high
    naive = FollowUp(time[2000:], codes[2000:] == 1)
    assert risk_figure(naive, 20).value > found.at[1].observed.value + 0.05
