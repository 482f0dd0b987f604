"""Logistic regression on a few columns, with a small ridge so that separable data have an answer."""

import numpy as np

from riskcard.logistic import Floats, curvatures, log_loss, residuals

#: Newton stops when the decrement promises less than this share of the loss.
TOLERANCE = 1e-12
MOST_STEPS = 200


def fit_logistic(
    matrix: Floats, labels: Floats, weights: Floats, ridge: float
) -> tuple[Floats, float]:
    """Coefficients and intercept that minimise the loss plus ``ridge / 2`` times their squares.

    The intercept is not penalised. Newton's method with halved steps: the objective is strictly
    convex for ``ridge > 0``, so it converges from the base rate.

    Parameters
    ----------
    matrix
        Shape (rows, columns).
    labels
        +1 or -1.
    """
    design = np.column_stack([matrix, np.ones(len(matrix))])
    penalty = np.full(design.shape[1], ridge)
    penalty[-1] = 0.0
    at = np.zeros(design.shape[1])
    at[-1] = np.log(weights[labels > 0].sum()) - np.log(weights[labels < 0].sum())

    def objective(point: Floats) -> float:
        return log_loss(design @ point, labels, weights) + float(penalty @ point**2) / 2

    value = objective(at)
    for _ in range(MOST_STEPS):
        log_odds = design @ at
        gradient = penalty * at - design.T @ residuals(log_odds, labels, weights)
        hessian = design.T @ (curvatures(log_odds, weights)[:, None] * design) + np.diag(penalty)
        step = -np.linalg.lstsq(hessian, gradient, rcond=None)[0]
        promised = -float(gradient @ step)
        if promised <= TOLERANCE * value:
            break
        size, new = 1.0, objective(at + step)
        while new > value - 1e-4 * size * promised and size > 1e-10:
            size /= 2
            new = objective(at + size * step)
        if new >= value:
            break
        at, value = at + size * step, new
    return at[:-1], float(at[-1])
