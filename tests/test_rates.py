"""Rates for solvers of yes and no: bounds hold for the Poisson loss of every card, and are tight."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from oracle.least_losses import least_loss
from random_losses import faults, posed, random_rates
from random_problems import random_problem
from riskcard.problem.objective import log_odds_of, loss_of, violations
from riskcard.problem.other_losses import as_yes_or_no
from riskcard.problem.rates import RateRows
from riskcard.search.drivers.solve_other_losses import solve_other_loss
from riskcard.search.options import Options
from riskcard.search.solve import solve
from riskcard.status import Status

BLOCK = 30


@pytest.mark.parametrize("start", range(0, 360, BLOCK))
def test_the_certified_card_of_rates_is_the_best_of_all(start):
    wrong = {}
    for seed in range(start, start + BLOCK):
        if found := faults(*random_rates(seed), Options(certify=True)):
            wrong[seed] = found
    assert wrong == {}


@pytest.mark.parametrize("seed", range(1000, 1030))
def test_a_proof_of_rates_that_was_cut_short_has_a_valid_bound(seed):
    for options in (
        Options(certify=True, time_limit=0.0),
        Options(certify=True, node_limit=1),
        Options(certify=True, gap=0.01),
    ):
        assert faults(*random_rates(seed), options) == []


@pytest.mark.parametrize("seed", range(60))
def test_the_loss_of_the_solver_is_at_most_the_poisson_loss_and_hardly_below_it(seed):
    rng = np.random.default_rng(seed)
    _, rates = random_rates(seed)
    for size in (0.1, 1.0, 5.0):
        log_rates = rng.normal(0, size, rates.events.size)
        expected = rates.exposure * np.exp(log_rates)
        poisson = float(np.sum(expected - rates.events * log_rates))
        log_odds = log_rates - rates.shift
        solver = float(
            np.sum(
                rates.factor * rates.exposure * np.log1p(np.exp(log_odds)) - rates.events * log_odds
            )
        )
        constant = rates.events.sum() * rates.shift
        room = float(np.sum(expected * np.exp(log_rates))) / (2 * rates.factor)
        rounding = 1e-12 * abs(solver)
        assert solver - constant <= poisson + rounding
        assert solver - constant >= poisson - room - rounding


def test_rows_for_the_solver_have_that_loss():
    problem, rates = random_rates(4)
    made = posed(problem, rates)
    card = solve(made).solution
    log_odds = log_odds_of(card, problem.data.codes)
    losses = rates.factor * rates.exposure * np.logaddexp(0, log_odds) - rates.events * log_odds
    assert loss_of(card, made) == pytest.approx(losses.sum(), rel=1e-12)


def test_the_factor_leaves_no_row_a_negative_weight():
    rates = RateRows(np.array([1e-9, 1.0, 0.0]), np.array([1.0, 0.0, 0.0]))
    problem = random_problem(0)
    data = replace(
        problem.data,
        codes=problem.data.codes[:, :3],
        labels=problem.data.labels[:3],
        weights=problem.data.weights[:3],
    )
    rows = as_yes_or_no(data, rates.form())
    assert rates.factor >= 2e9
    assert (rows.weights > 0).all()
    assert rows.weights.size == 3  # a row without exposure says nothing


def test_half_the_deviance_is_0_where_every_row_has_its_own_rate():
    rates = RateRows(np.array([1.0, 2.0, 3.0]), np.array([3.0, 1.0, 2.0]))
    own = np.log(rates.events / rates.exposure)
    assert rates.loss(own) == pytest.approx(0.0, abs=1e-14)
    assert rates.loss(own + 0.1) > 0
    scores = np.array([0.0, 1.0, 2.0])
    best = rates.best_offset(scores)
    assert np.sum(rates.exposure * np.exp(scores + best)) == pytest.approx(6.0)
    assert rates.loss(scores + best) < min(
        rates.loss(scores + best + step) for step in (-0.01, 0.01)
    )


@pytest.mark.parametrize("seed", range(40))
def test_the_best_scale_has_the_lowest_deviance_within_its_limit(seed):
    rng = np.random.default_rng(seed)
    _, rates = random_rates(seed)
    totals = rng.integers(-3, 8, rates.events.size).astype(float)
    most = float(rng.choice([0.05, 1.0, 5.0]))
    slope, offset = rates.best_scale(totals, most)
    assert 0 <= slope <= most
    least = rates.loss(slope * totals + offset)
    for other in np.clip([slope - 1e-3, slope + 1e-3, 0.0, most / 2, most], 0, most):
        assert rates.loss(other * totals + rates.best_offset(other * totals)) >= least - 1e-9


@pytest.mark.parametrize("start", range(0, 120, BLOCK))
def test_a_search_without_proof_nearly_always_finds_the_best_card(start):
    excess = []
    for seed in range(start, start + BLOCK):
        problem, rates = random_rates(seed)
        rough = posed(problem, rates, is_rough=True)
        result = solve_other_loss(posed(problem, rates), rough, rates, Options())
        assert violations(result.solution, problem) == []
        assert (result.status, result.bound) == (Status.HEURISTIC, 0.0)
        linear = log_odds_of(result.solution, problem.data.codes)
        loss = rates.loss(linear + rates.best_offset(linear))
        excess.append(loss / least_loss(problem, rates) - 1)
    assert np.mean(np.array(excess) < 1e-3) >= 0.9
    assert min(excess) > -1e-9
