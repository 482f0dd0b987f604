"""Ridge regression: logistic, Poisson or linear, its penalty on squares chosen by leave-one-out losses."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from riskcard.arrays import Floats

#: Penalties that are tried, from strong to weak. A coefficient belongs to a column of variance 1 at
#: most, so that a penalty of 100 holds its effect on the log-odds to about a tenth.
PENALTIES = (1000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0)
#: The search for a weaker penalty ends when the loss has risen by this share.
RISE = 0.003
#: Newton steps of one penalty; the longest change of a log-odds in one of them; what ends them: the
#: decrease of the loss that the next one promises, per row.
MOST_NEWTON_STEPS, LONGEST_STEP, SMALLEST_DECREASE = 30, 4.0, 1e-10
#: A row keeps at least this share of its weight when its own influence is taken out.
LEAST_LEFT = 0.05
#: Rates beyond this are not told apart: no leave-one-out step may overflow.
LARGEST_LOG_RATE = 20.0


class Rows(Protocol):
    """What the regression has to know of its rows: all as functions of their linear predictors."""

    @property
    def start(self) -> float:
        """The intercept of the regression without columns."""

    @property
    def weight(self) -> float:
        """What the decrease of the loss is weighed against."""

    def means(self, linear: Floats) -> Floats:
        """What the regression expects of a unit of each row: its risk or its rate."""

    def residuals(self, linear: Floats, factors: Floats | float = 1.0) -> Floats:
        """The derivative of each row's loss, with the sign turned, times a factor."""

    def curvatures(self, linear: Floats, factors: Floats | float = 1.0) -> Floats:
        """The second derivative of each row's loss, times a factor."""

    def loss(self, linear: Floats) -> float:
        """The loss of all rows."""


@dataclass(frozen=True, slots=True)
class YesOrNo:
    """Rows of the logistic regression: 1.0 or 0.0 for each, and weights that add up to their number."""

    is_event: Floats
    weights: Floats

    @property
    def start(self) -> float:
        rate = float(np.average(self.is_event, weights=self.weights))
        return float(np.log(rate / (1 - rate)))

    @property
    def weight(self) -> float:
        return float(self.weights.sum())

    def means(self, linear: Floats) -> Floats:
        return _risks(linear)

    def residuals(self, linear: Floats, factors: Floats | float = 1.0) -> Floats:
        return factors * self.weights * (self.is_event - _risks(linear))

    def curvatures(self, linear: Floats, factors: Floats | float = 1.0) -> Floats:
        risks = _risks(linear)
        return factors * self.weights * risks * (1 - risks)

    def loss(self, linear: Floats) -> float:
        return float(np.sum(self.weights * _log_losses(linear, self.is_event)))


@dataclass(frozen=True, slots=True)
class Events:
    """Rows of the Poisson regression: the number of events and the exposure of each."""

    events: Floats
    exposure: Floats

    @property
    def start(self) -> float:
        return float(np.log(self.events.sum() / self.exposure.sum()))

    @property
    def weight(self) -> float:
        return float(self.events.sum())

    def means(self, linear: Floats) -> Floats:
        return np.exp(np.minimum(linear, LARGEST_LOG_RATE))

    def residuals(self, linear: Floats, factors: Floats | float = 1.0) -> Floats:
        return factors * (self.events - self.exposure * self.means(linear))

    def curvatures(self, linear: Floats, factors: Floats | float = 1.0) -> Floats:
        return factors * self.exposure * self.means(linear)

    def loss(self, linear: Floats) -> float:
        # half the deviance, which is not negative
        is_event = self.events > 0
        own = self.events[is_event]
        surplus = own * (np.log(own / self.exposure[is_event]) - linear[is_event])
        return float(np.sum(self.exposure * self.means(linear) - self.events) + np.sum(surplus))


@dataclass(frozen=True, slots=True)
class Numbers:
    """Rows of the linear regression: the number of each, and weights that add up to their number."""

    numbers: Floats
    weights: Floats

    @property
    def start(self) -> float:
        return float(np.average(self.numbers, weights=self.weights))

    @property
    def weight(self) -> float:
        return float(self.weights.sum())

    def means(self, linear: Floats) -> Floats:
        return linear

    def residuals(self, linear: Floats, factors: Floats | float = 1.0) -> Floats:
        return factors * self.weights * (self.numbers - linear)

    def curvatures(self, linear: Floats, factors: Floats | float = 1.0) -> Floats:
        return factors * self.weights * np.ones_like(linear)

    def loss(self, linear: Floats) -> float:
        return float(self.weights @ (self.numbers - linear) ** 2) / 2


@dataclass(frozen=True, slots=True)
class Ridge:
    """A fitted regression.

    Attributes
    ----------
    coefficients
        The intercept, then one per column.
    left_out
        For each row the risk or rate that the regression would give it, were it fitted without the row.
    rows
        What it was fitted to.
    """

    coefficients: Floats
    left_out: Floats
    rows: Rows

    def risks(self, columns: Floats) -> Floats:
        """The risks, or rates, of rows."""
        return self.rows.means(self.coefficients[0] + columns @ self.coefficients[1:])


def fit_ridge(columns: Floats, rows: Rows) -> Ridge:
    """The regression with the penalty whose leave-one-out loss is lowest.

    Leaving a row out changes its linear predictor by about ``h * rest / (1 - h * curvature)`` with
    ``h`` its leverage in the last Newton step: one step from the solution, exact for squared errors. So
    all rows are left out for the price of one inverse.

    Parameters
    ----------
    columns
        Shape (rows, columns); centred.
    rows
        What is explained by them.
    """
    design = np.column_stack([np.ones(columns.shape[0]), columns])
    at = np.zeros(design.shape[1])
    at[0] = rows.start
    best, lowest = None, np.inf
    for penalty in PENALTIES:
        at, inverse = _newton(design, rows, penalty, at)
        left_out = _leave_out(design, rows, at, inverse)
        loss = rows.loss(left_out)
        if loss < lowest:
            best, lowest = Ridge(at, rows.means(left_out), rows), loss
        elif loss > lowest * (1 + RISE):
            break
    assert best is not None  # the first penalty has a finite loss
    return best


def _newton(design: Floats, rows: Rows, penalty: float, start: Floats) -> tuple[Floats, Floats]:
    """The minimum and the inverse of the curvature there."""
    penalties = np.full(start.size, penalty)
    penalties[0] = 0.0
    at, enough = start.copy(), SMALLEST_DECREASE * rows.weight
    for _ in range(MOST_NEWTON_STEPS):
        linear = design @ at
        slopes = design.T @ rows.residuals(linear) - penalties * at
        curvature = _curvature(design, rows.curvatures(linear), penalties)
        step = np.linalg.solve(curvature, slopes)
        longest = float(np.abs(design @ step).max())
        at += step * min(1.0, LONGEST_STEP / max(longest, 1e-300))
        if float(slopes @ step) <= enough:
            break
    return at, np.asarray(np.linalg.inv(curvature), dtype=np.float64)


def _curvature(design: Floats, curvatures: Floats, penalties: Floats) -> Floats:
    # no curvature is negative; a product of a matrix with itself takes half as long as one of two
    halves = np.sqrt(curvatures)[:, None] * design
    curvature: Floats = halves.T @ halves + np.diag(penalties)
    # an intercept of rows that are all but certain has hardly any curvature of its own
    curvature[0, 0] += 1e-9
    return curvature


def _leave_out(design: Floats, rows: Rows, at: Floats, inverse: Floats) -> Floats:
    """The linear predictor of each row without its own influence."""
    linear = design @ at
    leverages = np.einsum("ij,ij->i", design @ inverse, design)
    left = np.maximum(1 - rows.curvatures(linear, leverages), LEAST_LEFT)
    without: Floats = linear - rows.residuals(linear, leverages) / left
    return without


def _risks(log_odds: Floats) -> Floats:
    return np.exp(-np.logaddexp(0.0, -log_odds))


def _log_losses(log_odds: Floats, is_event: Floats) -> Floats:
    return np.logaddexp(0.0, np.where(is_event > 0, -log_odds, log_odds))
