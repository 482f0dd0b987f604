"""Squared errors for solvers of yes and no: bounds hold for every card, and are tight."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from oracle.least_losses import least_loss
from random_losses import faults, posed, random_numbers, random_rates
from riskcard import RiskScoreRegressor
from riskcard.problem.numbers import GRAIN, NumberRows
from riskcard.problem.objective import log_odds_of, violations
from riskcard.search.drivers.solve_other_losses import solve_other_loss
from riskcard.search.options import Options
from riskcard.status import Status

BLOCK = 25


@pytest.mark.parametrize(
    "start",
    [0, *(pytest.param(start, marks=pytest.mark.slow) for start in range(BLOCK, 350, BLOCK))],
)
def test_the_certified_card_of_numbers_is_the_best_of_all(start):
    wrong = {}
    for seed in range(start, start + BLOCK):
        if found := faults(*random_numbers(seed), Options(certify=True)):
            wrong[seed] = found
    assert wrong == {}


@pytest.mark.parametrize("seed", range(1000, 1020))
def test_a_proof_of_numbers_that_was_cut_short_has_a_valid_bound(seed):
    for options in (
        Options(certify=True, time_limit=0.0),
        Options(certify=True, node_limit=1),
        Options(certify=True, gap=0.01),
    ):
        assert faults(*random_numbers(seed), options) == []


@pytest.mark.parametrize("seed", range(60))
def test_the_loss_of_the_solver_is_at_most_the_squared_error_and_hardly_below_it(seed):
    rng = np.random.default_rng(seed)
    _, rows = random_numbers(seed)
    for is_rough in (False, True):
        form = rows.form(is_rough)
        constant = form.heaviness * math.log(2) * rows.weights.sum()
        constant -= float(rows.weights @ rows.numbers**2) / 2
        for size in (0.1, 1.0, 5.0):
            said = rng.normal(0, size, rows.numbers.size)
            squared = rows.loss(said) / rows.loss_unit
            solver = form.loss(said) - constant
            room = float(rows.weights @ said**4) * form.unit**2 / 48
            rounding = 1e-12 * constant
            assert solver <= squared + rounding
            assert solver >= squared - room - rounding
            assert form.loss(said) >= form.floor


def test_no_weight_is_negative_however_far_a_number_is():
    for furthest in (0.0, 1.0, 150.0, 1e6):
        form = NumberRows(np.ones(3), np.array([-1.0, 0.0, furthest])).form()
        assert (form.with_event > 0).all()
        assert (form.without > 0).all()
        assert form.unit <= GRAIN


@pytest.mark.parametrize("seed", range(30))
def test_the_best_scale_of_numbers_is_that_of_least_squares_within_its_limit(seed):
    rng = np.random.default_rng(seed)
    _, rows = random_numbers(seed)
    totals = rng.integers(-3, 8, rows.numbers.size).astype(float)
    most = float(rng.choice([0.05, 1.0, 5.0]))
    slope, offset = rows.best_scale(totals, most)
    assert 0 <= slope <= most
    least = rows.loss(slope * totals + offset)
    for other in np.clip([slope - 1e-3, slope + 1e-3, 0.0, most], 0, most):
        for shift in (-1e-3, 0.0, 1e-3):
            at = other * totals + rows.best_offset(other * totals) + shift
            assert rows.loss(at) >= least - 1e-9 * rows.loss_unit


def test_pseudo_observations_add_the_same_to_the_loss_of_every_card():
    rng = np.random.default_rng(3)
    _, rows = random_numbers(3)
    predictions = rng.normal(size=rows.numbers.size)
    with_pseudo = rows.with_pseudo(0.2, 0.7, predictions)

    def by_hand(said):
        squares = (said - rows.numbers) ** 2 + 0.2 * said**2 + 0.7 * (said - predictions) ** 2
        return float(rows.weights @ squares) / 2 * rows.loss_unit

    two = rng.normal(size=(2, rows.numbers.size))
    differences = [by_hand(said) - with_pseudo.loss(said) for said in two]
    assert differences[0] == pytest.approx(differences[1])


@pytest.mark.parametrize("start", range(0, 100, BLOCK))
def test_a_search_of_numbers_without_proof_nearly_always_finds_the_best_card(start):
    excess = []
    for seed in range(start, start + BLOCK):
        problem, rows = random_numbers(seed)
        fine, rough = posed(problem, rows), posed(problem, rows, is_rough=True)
        result = solve_other_loss(fine, rough, rows, Options())
        assert violations(result.solution, fine) == []
        assert (result.status, result.bound) == (Status.HEURISTIC, 0.0)
        scores = result.solution.multiplier * log_odds_of(result.solution, problem.data.codes)
        jump = max(map(abs, result.solution.jumps), default=0)
        slope, offset = rows.best_scale(scores, problem.scale.limit / max(jump, 1))
        loss, least = rows.loss(slope * scores + offset), least_loss(problem, rows)
        excess.append((loss - least) / (least + 1e-9 * rows.loss_unit))
    assert np.mean(np.array(excess) < 1e-3) >= 0.9
    assert min(excess) > -1e-6


@pytest.mark.parametrize("noise", [0.05, 1.0])
def test_progress_tells_the_loss_of_the_card_and_not_the_bound_on_it(capsys, noise):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 3)).round(1)
    y = 5000 * (2.0 * (X[:, 0] > 0) + (X[:, 1] > 0.5) + noise * rng.normal(size=300))
    model = RiskScoreRegressor(2, loss="squared_error", certify=True, verbose=True).fit(X, y)
    last = capsys.readouterr().err.splitlines()[-1]
    shown = float(re.search(r"best loss (\S+)", last).group(1))
    # the scale of the card was fitted once more, so that its loss is the lower one
    assert model.loss_ * (1 - 1e-9) <= shown <= model.loss_ * (1 + 1e-6)


@pytest.mark.parametrize("draw", [random_numbers, random_rates])
def test_the_loss_of_a_card_follows_from_its_log_loss(draw):
    for seed in range(30):
        _, rows = draw(seed)
        form = rows.form()
        rng = np.random.default_rng(seed)
        linear = rng.normal(size=form.without.size)
        whole = form.with_event + form.without
        found = rows.loss_from(form.loss(linear), form.log_odds(linear), whole)
        # what is taken off is large, and its last digits are lost
        noise = 1e-14 * abs(form.loss(linear)) * rows.loss_unit
        assert found == pytest.approx(rows.loss(linear), rel=1e-9, abs=noise)
