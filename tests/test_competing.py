"""Competing events: Fine and Gray's weights, cumulative incidence, and cards of them."""

from __future__ import annotations

import numpy as np
import pytest

from random_losses import faults, random_incidence
from riskcard import RiskCard, RiskScoreSurvival, validate_survival
from riskcard.errors import DataError
from riskcard.outcomes.hazards import FollowUp, cumulative_hazard, exposure
from riskcard.outcomes.incidence import cumulative_incidence, subdistribution_rows
from riskcard.search.options import Options

BLOCK = 25


def draw(n_rows: int = 200, seed: int = 0, digits: int = 1):
    """A feature, times with ties, and codes: 0 censored, 1 the event, 2 a competing one."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_rows, 2)).round(1)
    first = rng.exponential(np.exp(-1.0 * (x[:, 0] > 0)))
    other, lost = rng.exponential(1.5, n_rows), rng.exponential(2.0, n_rows)
    time = np.minimum(np.minimum(first, other), lost)
    code = np.where(lost <= time, 0, np.where(first <= time, 1, 2))
    return x, np.column_stack([code, time.round(digits) + 10.0**-digits])


def follow_up(y: np.ndarray) -> FollowUp:
    return FollowUp(y[:, 1], y[:, 0] == 1, None, y[:, 0] == 2)


@pytest.mark.parametrize(
    "start",
    [0, *(pytest.param(start, marks=pytest.mark.slow) for start in range(BLOCK, 300, BLOCK))],
)
def test_the_certified_card_of_incidence_is_the_best_of_all(start):
    wrong = {}
    for seed in range(start, start + BLOCK):
        if found := faults(*random_incidence(seed), Options(certify=True)):
            wrong[seed] = found
    assert wrong == {}


@pytest.mark.parametrize("seed", range(8))
def test_weights_agree_with_the_definition_row_by_row(seed):
    _, y = draw(40, seed)
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.5, 2.0, 40)
    rows = follow_up(y)
    at_risk = subdistribution_rows(rows, weights)

    def unseen(moment):
        """The share not censored before a moment, by Kaplan and Meier."""
        share = 1.0
        for time in np.unique(rows.time[y[:, 0] == 0]):
            if time < moment:
                # at a time of both, rows with an event are no longer at risk of being censored
                there = (rows.time > time) | ((rows.time == time) & (y[:, 0] == 0))
                lost = (rows.time == time) & (y[:, 0] == 0)
                share *= 1 - weights[lost].sum() / weights[there].sum()
        return share

    times = np.unique(rows.time[rows.is_event])
    hazard, own = 0.0, np.zeros(40)
    values = []
    for time in times:
        there = np.array(
            [
                1.0 if one >= time else (unseen(time) / unseen(one) if is_competing else 0.0)
                for one, is_competing in zip(rows.time, rows.is_competing, strict=True)
            ]
        )
        step = weights[rows.is_event & (rows.time == time)].sum() / (weights * there).sum()
        hazard += step
        own += there * step
        values.append(hazard)
    found = at_risk.hazard(weights)
    assert found.values == pytest.approx(np.array(values))
    assert at_risk.exposure(found) == pytest.approx(own)
    assert float(weights @ at_risk.exposure(found)) == pytest.approx(weights[rows.is_event].sum())


def test_the_product_of_the_hazards_is_aalen_and_johansens_estimate():
    _, y = draw(300, 1)
    rows, weights = follow_up(y), np.ones(300)
    hazard = subdistribution_rows(rows, weights).hazard(weights)
    left = np.cumprod(1 - np.diff(hazard.values, prepend=0.0))
    assert 1 - left == pytest.approx(cumulative_incidence(rows, weights).values)


def test_without_competing_events_nothing_changes():
    X, y = draw(150, 2)
    y[y[:, 0] == 2, 0] = 0
    rows, weights = follow_up(y), np.ones(150)
    plain = FollowUp(rows.time, rows.is_event)
    own, usual = subdistribution_rows(rows, weights), cumulative_hazard(plain, weights)
    assert own.hazard(weights).values == pytest.approx(usual.values, rel=1e-12)
    assert own.exposure(own.hazard(weights)) == pytest.approx(exposure(plain, usual), rel=1e-12)
    card = RiskScoreSurvival(2, horizons=1, event_of_interest=1).fit(X, y).card_
    other = RiskScoreSurvival(2, horizons=1).fit(X, y).card_
    assert card.features == other.features
    assert card.kind.risk_by(1.0, 1.5) == pytest.approx(other.kind.risk_by(1.0, 1.5))


def test_the_hazard_ratio_of_one_step_maximises_the_likelihood_of_fine_and_gray():
    X, y = draw(400, 3, digits=3)
    holds = (X[:, 0] > 0).astype(float)
    model = RiskScoreSurvival(1, horizons=1, event_of_interest=1, regularization=None)
    card = model.fit(holds[:, None], y).card_
    slope = np.ptp(card.linear_of_total(np.array(sorted(card.reachable_totals()))))
    rows, weights = follow_up(y), np.ones(400)
    at_risk = subdistribution_rows(rows, weights)

    def partial(coefficient):
        """The partial likelihood: each event against the weighted rows at risk then."""
        linear = coefficient * holds
        # Breslow's baseline rises by events / (weighted sum of relative hazards at risk)
        steps = np.diff(at_risk.hazard(weights, np.exp(linear)).values, prepend=0.0)
        times, counts = np.unique(rows.time[rows.is_event], return_counts=True)
        assert times.size == steps.size
        return float(linear[rows.is_event].sum() + counts @ np.log(steps))

    at = np.linspace(0.5 * slope, 1.6 * slope, 400)
    best = at[np.argmax([partial(one) for one in at])]
    # the card holds the baseline fixed where Fine and Gray fit it as well: that shrinks the ratio a little
    assert slope == pytest.approx(best, rel=0.15)


def test_risks_are_near_the_observed_incidence_in_every_group():
    X, y = draw(3000, 4, digits=3)
    model = RiskScoreSurvival(1, horizons=[0.5, 1.0], event_of_interest=1, regularization=None)
    model.fit(X, y)
    for place, horizon in enumerate((0.5, 1.0)):
        risks = model.predict_risk(X)[:, place]
        for risk in np.unique(risks):
            group = follow_up(y[risks == risk])
            seen = cumulative_incidence(group, np.ones(group.time.size)).at(np.array([horizon]))[0]
            assert risk == pytest.approx(seen, abs=0.04)
    # censoring the competing events instead says too much
    naive = RiskScoreSurvival(1, horizons=1.0, regularization=None)
    naive.fit(X, np.column_stack([y[:, 0] == 1, y[:, 1]]))
    assert naive.predict_risk(X).mean() > model.predict_risk(X)[:, 1].mean() + 0.05


def test_a_card_says_that_other_events_compete_and_keeps_it(tmp_path):
    X, y = draw(150, 5)
    model = RiskScoreSurvival(2, horizons=1, event_of_interest=1, certify=True).fit(X, y)
    text = " ".join(str(model.card_).split())
    assert "where a competing event may come first and prevent it (cumulative incidence)" in text
    assert "hazard of the subdistribution" in text
    model.card_.save(tmp_path / "card.json")
    assert RiskCard.load(tmp_path / "card.json") == model.card_
    assert 0.5 < model.score(X, y) < 1
    assert "Aalen and Johansen" in " ".join(str(validate_survival(model.card_, X, y)).split())


def test_codes_that_cannot_be_are_refused():
    X, y = draw(50, 6)
    with pytest.raises(DataError, match="event_of_interest is 0"):
        RiskScoreSurvival(event_of_interest=0).fit(X, y)
    with pytest.raises(DataError, match="No row has the event"):
        RiskScoreSurvival(event_of_interest=7).fit(X, y)
    with pytest.raises(DataError, match="The event is 2 in"):
        RiskScoreSurvival().fit(X, y)
    with pytest.raises(DataError, match="entry times and competing events"):
        RiskScoreSurvival(event_of_interest=1).fit(X, y, entry=np.zeros(50))
