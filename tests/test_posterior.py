"""The posterior over a complete pool equals enumeration, and its bound on the rest holds."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from oracle.enumerate_cards import enumerate_cards
from riskcard import ParameterError, RiskScoreClassifier, find_pool
from riskcard.problem.problem import Problem
from riskcard.stability.posterior import read_posterior


def rows(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (24, 2)).astype(float)
    y = (X[:, 0] + rng.normal(0, 1.2, 24) > 1.5).astype(int)
    y[:2] = 0, 1
    return X, y


def classifier(**changes: object) -> RiskScoreClassifier:
    return RiskScoreClassifier(2, max_points=2, regularization=None, certify=True, **changes)


def best_of_choice(problem: Problem, choice: tuple[tuple[int, int], ...]) -> float:
    """The lowest loss of a card with exactly these conditions."""
    closed = [np.ones_like(one) for one in problem.restrictions.is_closed]
    for column, cut in choice:
        closed[column][cut] = False
    few = problem.without(closed)
    best = enumerate_cards(replace(few, limits=replace(few.limits, max_terms=max(1, len(choice)))))
    return best.loss if set(best.solution.conditions) == set(choice) else np.inf


@pytest.mark.parametrize("charge", [0.0, 0.7])
@pytest.mark.parametrize("seed", range(5))
def test_weights_and_the_bound_on_the_rest_equal_enumeration(seed, charge):
    X, y = rows(seed)
    pool = find_pool(classifier(), X, y, tolerance=0.08)
    assert pool.is_complete
    posterior = read_posterior(pool, X, y, term_charge=charge)
    problem = classifier().pose(X, y)[2]
    conditions = [
        (column, cut)
        for column, closed in enumerate(problem.restrictions.is_closed)
        for cut in np.flatnonzero(~closed).tolist()
    ]
    assert len(conditions) == problem.n_conditions
    weighed = {
        choice: np.exp(-best_of_choice(problem, choice) - charge * size)
        for size in (1, 2)
        for choice in itertools.combinations(conditions, size)
    }
    in_pool = np.exp(-np.array(pool.losses) - charge * np.array([len(c.terms) for c in pool.cards]))
    # every weight of the pool is one that enumeration gives
    for weight in in_pool:
        assert np.isclose(list(weighed.values()), weight, rtol=1e-6).any()
    assert posterior.weights == pytest.approx(in_pool / in_pool.sum(), rel=1e-9)
    base = y.mean()
    empty = np.exp(24 * (base * np.log(base) + (1 - base) * np.log(1 - base)))
    share = in_pool.sum() / (sum(weighed.values()) + empty)
    assert 0 < posterior.least_mass <= share * (1 + 1e-9)


def test_inclusion_cuts_and_risks_are_weighted_sums():
    X, y = rows(1)
    pool = find_pool(classifier(), X, y, tolerance=0.15)
    posterior = read_posterior(pool, X, y)
    assert len(pool) > 3
    for name, share in posterior.inclusion().items():
        has = [any(term.feature == name for term in card.terms) for card in pool.cards]
        assert share == pytest.approx(posterior.weights @ has)
        low, high = posterior.among_all(share)
        assert 0 <= low <= share <= high + 1e-12 <= 1 + 1e-9
        assert high - low == pytest.approx(1 - posterior.least_mass)
    risks = np.array([card.risk(X) for card in pool.cards])
    assert posterior.risk(X) == pytest.approx(posterior.weights @ risks)
    low, high = posterior.risk_interval(X, 0.8)
    for row in range(len(X)):
        below = posterior.weights[risks[:, row] < low[row] - 1e-12].sum()
        above = posterior.weights[risks[:, row] > high[row] + 1e-12].sum()
        assert below <= 0.1 + 1e-9
        assert above <= 0.1 + 1e-9
        assert {low[row], high[row]} <= set(risks[:, row])
    first, last = posterior.cuts("x0")
    cuts = [term.cut for card in pool.cards for term in card.terms if term.feature == "x0"]
    assert min(cuts) <= first <= last <= max(cuts)
    assert "x0" in str(posterior)
    printed = float(str(posterior).split("at least ")[1].split()[0])
    assert printed <= posterior.least_mass < printed + 1e-4
    nearly = replace(posterior, least_mass=0.99999)
    assert "at least 0.9999 of" in str(nearly)


def test_a_charge_moves_weight_to_short_cards_and_a_wider_pool_has_more_mass():
    X, y = rows(2)
    wide, narrow = (find_pool(classifier(), X, y, tolerance=t, size=500) for t in (0.6, 0.05))
    assert read_posterior(wide, X, y).least_mass > read_posterior(narrow, X, y).least_mass
    terms = np.array([len(card.terms) for card in wide.cards])
    assert set(terms) == {1, 2}
    plain, charged = (read_posterior(wide, X, y, term_charge=c).weights @ terms for c in (0.0, 2.0))
    assert charged < plain


def test_what_cannot_be_read_is_refused():
    X, y = rows(3)
    loose = find_pool(classifier().set_params(certify=False), X, y, tolerance=0.1)
    with pytest.raises(ParameterError, match="not proven complete"):
        read_posterior(loose, X, y)
    pool = find_pool(classifier(), X, y, tolerance=0.1)
    with pytest.raises(ParameterError, match="term_charge is -1"):
        read_posterior(pool, X, y, term_charge=-1)
    posterior = read_posterior(pool, X, y)
    with pytest.raises(ParameterError, match="No card of the pool has a cut of 'x7'"):
        posterior.cuts("x7")
    with pytest.raises(ParameterError, match="level is 2"):
        posterior.risk_interval(X, 2)


def test_the_rest_counts_conditions_that_a_proof_of_one_card_would_leave_out(monkeypatch):
    X, y = rows(0)
    pool = find_pool(RiskScoreClassifier(2, certify=True), X, y, tolerance=0.02)
    assert pool.is_complete
    least = read_posterior(pool, X, y).least_mass
    # a fit of the same estimator would now preselect conditions, as it does on wide tables
    monkeypatch.setattr("riskcard.search.shortlist.MOST_SETS", 1)
    monkeypatch.setattr("riskcard.search.shortlist.FEW_SETS", 1)
    assert read_posterior(pool, X, y).least_mass == least < 1
