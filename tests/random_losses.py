"""Tiny random problems of losses other than yes or no, and what may be wrong with their answers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from oracle.least_losses import least_loss
from random_problems import random_problem
from riskcard.outcomes.hazards import FollowUp
from riskcard.outcomes.incidence import subdistribution_rows
from riskcard.outcomes.levels import LevelRows
from riskcard.problem.merge_rows import merge_equal_rows
from riskcard.problem.numbers import NumberRows
from riskcard.problem.objective import log_odds_of, violations
from riskcard.problem.other_losses import OtherLoss, as_yes_or_no
from riskcard.problem.problem import Problem, Scale
from riskcard.problem.rates import RateRows
from riskcard.search.drivers.solve_other_losses import solve_other_loss
from riskcard.search.options import Options
from riskcard.status import OPTIMALITY_TOLERANCE, Status

SCALES = (
    Scale("calibrated", limit=math.log(1000)),
    Scale("calibrated", limit=0.8),
    Scale("calibrated"),
)


def random_rates(seed: int) -> tuple[Problem, RateRows]:
    """A tiny problem of times, or of counts, with and without weights."""
    rng = np.random.default_rng([seed, 1])
    problem = random_problem(seed, SCALES[seed % len(SCALES)])
    n_rows = problem.data.n_rows
    exposure, events = rng.exponential(size=n_rows), rng.integers(0, 2, n_rows).astype(float)
    if seed % 2:
        events = rng.poisson(exposure * np.exp(rng.normal(size=n_rows))).astype(float)
    events[0] += 1
    weights = problem.data.weights
    exposure, events = weights * exposure, weights * events
    return problem, RateRows(exposure * events.sum() / exposure.sum(), events)


def random_numbers(seed: int) -> tuple[Problem, NumberRows]:
    """A tiny problem of numbers: normal ones, with ties, or with one far from all others."""
    rng = np.random.default_rng([seed, 2])
    problem = random_problem(seed, SCALES[seed % len(SCALES)])
    weights, n_rows = problem.data.weights, problem.data.n_rows
    numbers = rng.normal(size=n_rows)
    if seed % 3 == 1:
        numbers = rng.integers(0, 4, n_rows).astype(float)
    if seed % 3 == 2:
        numbers[0] = 40.0
    numbers = numbers + (np.arange(n_rows) == 1) * 1e-3  # never all the same
    middle = np.average(numbers, weights=weights)
    spread = math.sqrt(np.average((numbers - middle) ** 2, weights=weights))
    return problem, NumberRows(weights, (numbers - middle) / spread, spread)


def random_incidence(seed: int) -> tuple[Problem, RateRows]:
    """A tiny problem of times with competing events: Fine and Gray's exposures."""
    rng = np.random.default_rng([seed, 3])
    problem = random_problem(seed, SCALES[seed % len(SCALES)])
    weights, n_rows = problem.data.weights, problem.data.n_rows
    code = rng.integers(0, 3, n_rows)
    code[0] = 1
    times = rng.integers(1, 9, n_rows).astype(float)
    rows = FollowUp(times, code == 1, None, code == 2)
    at_risk = subdistribution_rows(rows, weights)
    exposure = at_risk.exposure(at_risk.hazard(weights))
    return problem, RateRows(weights * exposure, weights * rows.is_event)


def random_levels(seed: int) -> tuple[Problem, RateRows]:
    """A tiny problem of two to four ordered levels."""
    rng = np.random.default_rng([seed, 4])
    problem = random_problem(seed, SCALES[seed % len(SCALES)])
    weights, n_rows = problem.data.weights, problem.data.n_rows
    n_levels = min(int(rng.integers(2, 5)), n_rows)
    codes = rng.integers(0, n_levels, n_rows)
    codes[:n_levels] = np.arange(n_levels)
    rows = LevelRows(tuple(range(n_levels)), codes)
    return problem, RateRows(weights * rows.exposure(weights), weights * (codes > 0))


def posed(problem: Problem, rows: OtherLoss, is_rough: bool = False) -> Problem:
    """The problem that a solver of yes and no gets."""
    form = rows.form(is_rough)
    data = merge_equal_rows(as_yes_or_no(problem.data, form))
    return form.pose(replace(problem, data=data))


def faults(problem: Problem, rows: OtherLoss, options: Options) -> list[str]:
    """What is wrong with the answer to a problem, by enumeration of all cards."""
    least, form = least_loss(problem, rows), rows.form()
    fine, rough = posed(problem, rows), posed(problem, rows, is_rough=True)
    result = solve_other_loss(fine, rough, rows, options)
    found = violations(result.solution, fine)
    linear = log_odds_of(result.solution, problem.data.codes) / form.unit
    loss = rows.loss(linear + rows.best_offset(linear))
    bound = rows.bound(result.bound) if result.bound > 0 else 0.0
    rounding = 1e-12 * form.floor * rows.loss_unit
    if bound > least * (1 + 1e-9) + 1e-12 * rows.loss_unit:
        found.append(f"bound {bound} above the least loss {least}")
    if loss < least * (1 - 1e-9) - 1e-12 * rows.loss_unit:
        found.append(f"loss {loss} below the least loss {least}")
    # what the inequality leaves out, and the margins of rounding
    inequality = loss - rows.bound(form.loss(linear + rows.best_offset(linear)))
    left = 1.1 * OPTIMALITY_TOLERANCE * loss + inequality + 30 * rounding
    if result.status is Status.OPTIMAL and loss - bound > left:
        found.append(f"loss {loss} and bound {bound} differ by more than {left}")
    return found
