"""Ridge regression: logistic, with a penalty on squares, whose strength leave-one-out losses choose."""

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Ridge:
    """A fitted regression.

    Attributes
    ----------
    coefficients
        The intercept, then one per column.
    left_out
        For each row the risk that the regression would give it, were it fitted without the row.
    """

    coefficients: Floats
    left_out: Floats

    def risks(self, columns: Floats) -> Floats:
        """The risks of rows."""
        return _risks(self.coefficients[0] + columns @ self.coefficients[1:])


def fit_ridge(columns: Floats, is_event: Floats, weights: Floats) -> Ridge:
    """The regression with the penalty whose leave-one-out loss is lowest.

    Leaving a row out changes its log-odds by about ``h * rest / (1 - h * curvature)`` with ``h`` its
    leverage in the last Newton step: one step from the solution, exact for squared errors. So all
    rows are left out for the price of one inverse.

    Parameters
    ----------
    columns
        Shape (rows, columns); centred.
    is_event
        1.0 or 0.0 for each row.
    weights
        Their sum is the number of rows that the penalty is weighed against.
    """
    design = np.column_stack([np.ones(is_event.size), columns])
    rate = float(np.average(is_event, weights=weights))
    at = np.zeros(design.shape[1])
    at[0] = np.log(rate / (1 - rate))
    best, lowest = None, np.inf
    for penalty in PENALTIES:
        at, inverse = _newton(design, is_event, weights, penalty, at)
        left_out = _leave_out(design, is_event, weights, at, inverse)
        loss = float(np.sum(weights * _log_losses(left_out, is_event)))
        if loss < lowest:
            best, lowest = Ridge(at, _risks(left_out)), loss
        elif loss > lowest * (1 + RISE):
            break
    assert best is not None  # the first penalty has a finite loss
    return best


def _newton(
    design: Floats, is_event: Floats, weights: Floats, penalty: float, start: Floats
) -> tuple[Floats, Floats]:
    """The minimum and the inverse of the curvature there."""
    penalties = np.full(start.size, penalty)
    penalties[0] = 0.0
    at, enough = start.copy(), SMALLEST_DECREASE * float(weights.sum())
    for _ in range(MOST_NEWTON_STEPS):
        risks = _risks(design @ at)
        slopes = design.T @ (weights * (is_event - risks)) - penalties * at
        inverse = _inverse(design, weights * risks * (1 - risks), penalties)
        step = inverse @ slopes
        longest = float(np.abs(design @ step).max())
        at += step * min(1.0, LONGEST_STEP / max(longest, 1e-300))
        if float(slopes @ step) <= enough:
            break
    return at, inverse


def _inverse(design: Floats, curvatures: Floats, penalties: Floats) -> Floats:
    curvature = design.T @ (curvatures[:, None] * design) + np.diag(penalties)
    # an intercept of rows that are all but certain has hardly any curvature of its own
    curvature[0, 0] += 1e-9
    return np.asarray(np.linalg.inv(curvature), dtype=np.float64)


def _leave_out(
    design: Floats, is_event: Floats, weights: Floats, at: Floats, inverse: Floats
) -> Floats:
    """The log-odds of each row without its own influence."""
    log_odds = design @ at
    risks = _risks(log_odds)
    leverages = np.einsum("ij,ij->i", design @ inverse, design)
    left = np.maximum(1 - leverages * weights * risks * (1 - risks), LEAST_LEFT)
    without: Floats = log_odds - leverages * weights * (is_event - risks) / left
    return without


def _risks(log_odds: Floats) -> Floats:
    return np.exp(-np.logaddexp(0.0, -log_odds))


def _log_losses(log_odds: Floats, is_event: Floats) -> Floats:
    return np.logaddexp(0.0, np.where(is_event > 0, -log_odds, log_odds))
