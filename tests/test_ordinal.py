"""Ordered levels: exposures, hazards of levels, and cards of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.base import clone

from optional import find
from random_losses import faults, random_levels
from riskcard import RiskCard, RiskScoreOrdinal
from riskcard.calculator.calculator_page import render_calculator
from riskcard.errors import DataError, ParameterError
from riskcard.outcomes.levels import LevelRows, read_levels
from riskcard.search.options import Options

BLOCK = 25
NAMES = ["none", "mild", "severe"]


def draw(n_rows: int = 250, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)).round(1)
    latent = 1.2 * (X[:, 0] > 0) + 0.7 * (X[:, 1] > 0.5) - np.log(rng.exponential(size=n_rows))
    return X, np.digitize(latent, [0.7, 2.0])


@pytest.mark.parametrize(
    "start",
    [0, *(pytest.param(start, marks=pytest.mark.slow) for start in range(BLOCK, 300, BLOCK))],
)
def test_the_certified_card_of_levels_is_the_best_of_all(start):
    wrong = {}
    for seed in range(start, start + BLOCK):
        if found := faults(*random_levels(seed), Options(certify=True)):
            wrong[seed] = found
    assert wrong == {}


def likelihood(rows: LevelRows, weights, steps, linear) -> float:
    """The negative log-likelihood of the model, level by level."""
    total = 0.0
    for code, weight, ratio in zip(rows.codes, weights, np.exp(linear), strict=True):
        for level in range(len(rows.names) - 1, 0, -1):
            hazard = steps[level - 1] * ratio
            if code == level:
                total -= weight * math.log(-math.expm1(-hazard))
                break
            total += weight * hazard
    return total


def random_rows(seed: int):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, 30)
    codes[:4] = range(4)
    return LevelRows((0, 1, 2, 3), codes), rng.uniform(0.5, 2.0, 30), rng.normal(0, 0.7, 30)


@pytest.mark.parametrize("seed", range(10))
def test_the_steps_have_the_highest_likelihood_for_given_totals(seed):
    rows, weights, linear = random_rows(seed)
    steps = rows.steps(weights, np.exp(linear))
    least = likelihood(rows, weights, steps, linear)
    for level in range(3):
        for factor in (0.99, 1.01):
            other = steps.copy()
            other[level] *= factor
            assert likelihood(rows, weights, other, linear) > least


@pytest.mark.parametrize("seed", range(10))
def test_the_loss_agrees_with_the_likelihood_to_the_first_order_in_every_row(seed):
    rows, weights, _ = random_rows(seed)
    steps, exposure = rows.steps(weights), rows.exposure(weights)
    assert float(weights @ exposure) == pytest.approx(weights[rows.codes > 0].sum())
    small = 1e-5
    for row in range(30):
        one, unit = LevelRows(rows.names, rows.codes[row : row + 1]), np.ones(1)
        ends = [likelihood(one, unit, steps, np.array([z])) for z in (-small, small)]
        slope = exposure[row] - (rows.codes[row] > 0)
        assert (ends[1] - ends[0]) / (2 * small) == pytest.approx(slope, abs=1e-6)


def test_the_hazards_of_equal_rows_give_the_shares_of_the_levels():
    rows, weights, _ = random_rows(3)
    at_least = -np.expm1(-rows.hazards(weights))
    shares = [weights[rows.codes >= level].sum() / weights.sum() for level in (1, 2, 3)]
    assert at_least == pytest.approx(shares)


def test_higher_totals_mean_higher_levels_and_probabilities_add_up():
    X, y = draw()
    model = RiskScoreOrdinal(max_terms=3, certify=True).fit(X, y)
    assert model.status_ == "optimal"
    shares = model.predict_proba(X)
    assert shares.shape == (250, 3)
    assert shares.sum(axis=1) == pytest.approx(1.0)
    assert (shares >= 0).all()
    order = np.argsort(model(X))
    assert (np.diff(shares[order, 2]) >= -1e-12).all()
    assert shares.mean(axis=0) == pytest.approx(np.bincount(y) / 250, abs=0.03)
    assert (model.predict(X) == model.classes_[shares.argmax(axis=1)]).all()
    assert model.card_.level_probabilities(X) == pytest.approx(shares)


def test_the_score_is_the_share_of_pairs_in_the_right_order():
    X, y = draw(80, 1)
    model = RiskScoreOrdinal(max_terms=2).fit(X, y)
    linear = model(X)
    right = pairs = 0.0
    for i in range(80):
        for j in range(80):
            if y[i] > y[j]:
                pairs += 1
                right += 1.0 if linear[i] > linear[j] else 0.5 * (linear[i] == linear[j])
    assert model.score(X, y) == pytest.approx(right / pairs)


def test_two_levels_are_in_the_order_of_the_card_for_yes_and_no():
    X, y = draw(300, 2)
    model = RiskScoreOrdinal(max_terms=2).fit(X, (y > 0).astype(int))
    assert np.corrcoef(model.predict_proba(X)[:, 1], y > 0)[0, 1] > 0.3
    assert model.predict_proba(X)[:, 1].mean() == pytest.approx((y > 0).mean(), abs=0.02)


def test_the_card_is_the_same_after_a_round_trip_and_its_words_are_those_of_levels(tmp_path):
    X, y = draw()
    names = np.array(NAMES)[y]
    model = RiskScoreOrdinal(max_terms=2, levels=NAMES, certify=True).fit(X, names)
    card = model.card_
    card.save(tmp_path / "card.json")
    assert RiskCard.load(tmp_path / "card.json") == card
    text = " ".join(str(card).split())
    assert "Total mild or higher severe Rows" in text
    assert "The levels are none, mild, severe, from the lowest to the highest" in text
    assert (
        "no other card of this size and kind has a deviance that is lower by more than a millionth"
        in text
    )
    explained = str(card.explain(X[0]))
    share = card.kind.figures(card.linear_of_total(card.total_points(X[:1])))[0].texts()[0]
    assert f"{share} mild or higher" in " ".join(explained.split())
    page = render_calculator(card)
    assert '<label for="horizon">Level</label>' in page
    assert '"words": "mild or higher"' in page or '"words":"mild or higher"' in page
    with pytest.raises(ParameterError, match="gives probabilities of ordered levels"):
        card.risk(X)


def test_levels_are_read_from_numbers_categories_and_names():
    pandas = find("pandas")
    assert read_levels([3, 1, 2, 1], 4).codes.tolist() == [2, 0, 1, 0]
    ordered = pandas.Categorical(["b", "a", "b"], categories=["b", "a", "c"], ordered=True)
    found = read_levels(pandas.Series(ordered), 3)
    assert (found.names, found.codes.tolist()) == (("b", "a"), [0, 1, 0])
    assert read_levels(["x", "y"], 2, ["y", "x"]).codes.tolist() == [1, 0]


def test_levels_that_cannot_be_are_refused():
    X, y = draw(60)
    names = np.array(NAMES)[y]
    with pytest.raises(ParameterError, match="whose order is not known"):
        RiskScoreOrdinal().fit(X, names)
    with pytest.raises(DataError, match="which is none of the levels"):
        RiskScoreOrdinal(levels=["none", "mild"]).fit(X, names)
    with pytest.raises(DataError, match="No row has the level 'worst'"):
        RiskScoreOrdinal(levels=[*NAMES, "worst"]).fit(X, names)
    with pytest.raises(ParameterError, match="Give two levels or more"):
        RiskScoreOrdinal().fit(X, np.zeros(60))
    with pytest.raises(DataError, match="has 59 values"):
        read_levels(names[:59], 60, NAMES)
    missing = names.astype(object)
    missing[3] = None
    with pytest.raises(DataError, match="is missing in row 3"):
        RiskScoreOrdinal(levels=NAMES).fit(X, missing)


def test_it_can_be_cloned_and_weights_are_as_repeated_rows():
    X, y = draw(120)
    weights = np.random.default_rng(0).integers(1, 3, 120)
    model = clone(RiskScoreOrdinal(max_terms=2, regularization=None))
    weighted = model.fit(X, y, sample_weight=weights).card_
    repeated = clone(model).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)).card_
    assert [one.cuts for one in weighted.features] == [one.cuts for one in repeated.features]
    assert weighted.kind.hazards == pytest.approx(repeated.kind.hazards)
    assert weighted.certificate.loss == pytest.approx(repeated.certificate.loss)
