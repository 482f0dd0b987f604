"""Which columns a card gets: the lasso's path, forward steps, or the strongest associations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from riskcard.baselines.columns import Columns, Floats, Integers
from riskcard.baselines.regression import curvatures, fit_logistic, log_loss, residuals

__all__ = ["associations", "score_statistics", "select_by_lasso", "select_forward"]

#: Each penalty of the path is this share of the one before, down to a share of the first.
PATH_STEP = 0.85
PATH_END = 1e-4
#: A column is as good as explained by others when less than this share of its variance is left.
LEAST_VARIANCE = 1e-9
#: The optimality conditions of the lasso hold when they are violated by less, relative to the penalty.
LASSO_TOLERANCE = 1e-4


# --- tests of one more column -------------------------------------------------------------------


def score_statistics(columns: Columns, log_odds: Floats, known: Floats) -> tuple[Floats, Floats]:
    """Rao's score test of every column added to a fitted model: statistic and gradient.

    The statistic estimates twice the fall of the loss. It is the square of the gradient by the
    column's coefficient, over the curvature that the ``known`` columns (shape (rows, known), a
    column of ones among them) leave. Columns that the known ones explain have statistic 0.
    """
    gradient = columns.holds.T @ residuals(log_odds, columns.labels, columns.weights)
    curvature = curvatures(log_odds, columns.weights)
    shared = columns.holds.T @ (curvature[:, None] * known)
    inverse = np.linalg.pinv(known.T @ (curvature[:, None] * known), hermitian=True)
    own = columns.holds.T @ curvature
    left = own - np.einsum("ck,kl,cl->c", shared, inverse, shared)
    is_new = left > LEAST_VARIANCE * own
    return np.where(is_new, gradient**2 / np.where(is_new, left, 1.0), 0.0), gradient


def associations(columns: Columns) -> tuple[Floats, Floats]:
    """Pearson's chi-square of each column with the event, and a number with its direction's sign.

    The score test against the base rate is Pearson's statistic of the two-by-two table.
    """
    return score_statistics(columns, _base_rate(columns), np.ones((columns.labels.size, 1)))


def _base_rate(columns: Columns) -> Floats:
    is_event = columns.labels > 0
    rate = np.log(columns.weights[is_event].sum()) - np.log(columns.weights[~is_event].sum())
    return np.full(columns.labels.size, rate)


# --- forward selection --------------------------------------------------------------------------


def select_forward(columns: Columns, count: int, ridge: float) -> Integers:
    """Add the column with the largest score statistic, fit again, and so on."""
    chosen: list[int] = []
    log_odds = _base_rate(columns)
    while len(chosen) < min(count, columns.n_columns):
        known = np.column_stack([columns.holds[:, chosen], np.ones(columns.labels.size)])
        statistics, _ = score_statistics(columns, log_odds, known)
        best = int(np.argmax(statistics))
        if statistics[best] <= 0 or best in chosen:
            break
        chosen.append(best)
        matrix = columns.holds[:, chosen]
        coefficients, intercept = fit_logistic(matrix, columns.labels, columns.weights, ridge)
        log_odds = matrix @ coefficients + intercept
    return np.array(sorted(chosen), dtype=np.int64)


# --- the lasso ----------------------------------------------------------------------------------


def select_by_lasso(columns: Columns, count: int) -> Integers:
    """The columns with the largest coefficients where the lasso's path first has enough of them.

    The path minimises the loss plus ``penalty`` times the sum of the absolute coefficients (the
    intercept is free), for penalties that fall from the one at which all coefficients are 0. It
    ends where ``count`` coefficients are not 0; of more than ``count``, the largest are taken.
    Columns are all 0 or 1 and are not standardised.
    """
    coefficients, intercept = np.zeros(columns.n_columns), float(_base_rate(columns)[0])
    if columns.n_columns == 0:
        return np.zeros(0, dtype=np.int64)
    _, gradient = associations(columns)
    largest = float(np.abs(gradient).max())
    penalty = PATH_STEP * largest
    while penalty > PATH_END * largest:
        coefficients, intercept = _fit_lasso(columns, penalty, coefficients, intercept)
        if np.count_nonzero(coefficients) >= count:
            break
        penalty *= PATH_STEP
    order = np.argsort(-np.abs(coefficients), kind="stable")[:count]
    return np.sort(order[coefficients[order] != 0])


def _fit_lasso(
    columns: Columns, penalty: float, coefficients: Floats, intercept: float
) -> tuple[Floats, float]:
    """Newton steps, each a small lasso on a quadratic model, from a nearby solution."""
    labels, weights = columns.labels, columns.weights
    log_odds = columns.holds @ coefficients + intercept
    for _ in range(50):
        rest = residuals(log_odds, labels, weights)
        gradient = -(columns.holds.T @ rest)
        is_active = (coefficients != 0) | (np.abs(gradient) > penalty * (1 + LASSO_TOLERANCE))
        active = np.flatnonzero(is_active)
        design = np.column_stack([columns.holds[:, active], np.ones(labels.size)])
        at = np.append(coefficients[active], intercept)
        slopes = np.append(gradient[active], -rest.sum())
        penalties = np.append(np.full(active.size, penalty), 0.0)
        if _violation(at, slopes, penalties) <= LASSO_TOLERANCE * penalty:
            break
        hessian = design.T @ (curvatures(log_odds, weights)[:, None] * design)
        step = _quadratic_lasso(hessian, slopes, at, penalties) - at
        size, before = 1.0, log_loss(log_odds, labels, weights) + penalties @ np.abs(at)
        while size > 1e-6:
            new = at + size * step
            if log_loss(design @ new, labels, weights) + penalties @ np.abs(new) <= before:
                break
            size /= 2
        coefficients = np.zeros_like(coefficients)
        coefficients[active], intercept = new[:-1], float(new[-1])
        log_odds = design @ new
    return coefficients, intercept


def _violation(at: Floats, slopes: Floats, penalties: Floats) -> float:
    """How far the optimality conditions of the lasso are from holding."""
    outside = np.maximum(np.abs(slopes) - penalties, 0.0)
    return float(np.where(at != 0, np.abs(slopes + penalties * np.sign(at)), outside).max())


def _quadratic_lasso(
    hessian: Floats, slopes: Floats, start: Floats, penalties: Floats
) -> NDArray[np.float64]:
    """Minimise the quadratic model plus the penalty by coordinate descent."""
    at, slopes = start.copy(), slopes.copy()
    tolerance = 0.1 * LASSO_TOLERANCE * max(float(penalties.max()), 1e-300)
    for _ in range(1000):
        for j in range(at.size):
            curvature = hessian[j, j] + 1e-12
            free = at[j] - slopes[j] / curvature
            new = np.sign(free) * max(abs(free) - penalties[j] / curvature, 0.0)
            if new != at[j]:
                slopes += hessian[j] * (new - at[j])
                at[j] = new
        if _violation(at, slopes, penalties) <= tolerance:
            break
    return at
