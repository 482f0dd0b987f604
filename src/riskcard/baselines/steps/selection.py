"""Which columns a card gets: the lasso's path, forward steps, or the strongest associations."""

import numpy as np

from riskcard.baselines.steps.columns import Columns, Floats, Integers
from riskcard.baselines.steps.regression import fit_logistic
from riskcard.logistic import curvatures, residuals
from riskcard.search.lasso import Candidates, lasso_path

#: A column is as good as explained by others when less than this share of its variance is left.
LEAST_VARIANCE = 1e-9


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
    """Add the column with the largest score statistic, refit, and so on."""
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

    The path ends where ``count`` coefficients are not 0; of more than ``count``, the largest are
    taken. Columns are all 0 or 1 and are not standardised.
    """
    if columns.n_columns == 0:
        return np.zeros(0, dtype=np.int64)
    coefficients = np.zeros(columns.n_columns)
    for coefficients in lasso_path(as_candidates(columns)):
        if np.count_nonzero(coefficients) >= count:
            break
    order = np.argsort(-np.abs(coefficients), kind="stable")[:count]
    return np.sort(order[coefficients[order] != 0])


def as_candidates(columns: Columns) -> Candidates:
    """The columns as the lasso takes them, each with the same penalty."""
    anywhere = np.ones(columns.n_columns, dtype=bool)
    return Candidates(
        labels=columns.labels,
        weights=columns.weights,
        add_up=lambda numbers: columns.holds.T @ numbers,
        take=lambda chosen: columns.holds[:, chosen],
        factors=np.ones(columns.n_columns),
        may_fall=anywhere,
        may_rise=anywhere,
    )
