"""Probit scores: a regression with the normal distribution as its link, rounded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_ndtr

from riskcard.baselines.select_regress_round import SelectRegressRoundClassifier
from riskcard.baselines.steps.columns import Columns, Floats


@dataclass(eq=False, repr=False)
class ProbitRoundClassifier(SelectRegressRoundClassifier):
    """Choose columns, fit a probit regression, round its coefficients.

    Parameters
    ----------
    max_terms, max_points, scale, grid, selection, rounding, rescale, refit, polish, ridge, n_draws, random_state
        As in ``SelectRegressRoundClassifier``; leave ``rescale`` and ``refit`` as they are, since a point
        of a probit is no unit of log-odds.

    Attributes
    ----------
    card_, loss_, lower_bound_, gap_, status_, result_, classes_, n_features_in_, feature_names_in_
        As in ``RiskScoreClassifier``; nothing is proven about the card.

    Notes
    -----
    The risk of a probit is ``Phi(x p + b)``, with Phi the normal distribution; it is the limit of Prentice's family
    ("A generalization of the probit and logit methods for dose response curves", Biometrics 32, 1976) for
    m1 = m2 to infinity, of which the logistic regression is m1 = m2 = 1. ``-log Phi`` is convex, so Newton's
    method and its kin find the optimum. Only the coefficients are those of the probit: the card has a
    logistic scale, fitted to its totals.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> len(ProbitRoundClassifier(max_terms=3).fit(X, y).card_.terms) <= 3
    True
    """

    def _fit_coefficients(self, columns: Columns) -> tuple[Floats, float]:
        return fit_probit(columns, self.ridge)


def fit_probit(columns: Columns, ridge: float) -> tuple[Floats, float]:
    """Coefficients and intercept that minimise ``-log Phi(y z)`` plus ``ridge / 2`` times the squares."""
    design = np.column_stack([columns.holds, np.ones(columns.labels.size)])
    penalty = np.append(np.full(columns.n_columns, ridge), 0.0)

    def objective(at: Floats) -> tuple[float, Floats]:
        margins = columns.labels * (design @ at)
        logs = log_ndtr(margins)
        # the normal density over the distribution, from logarithms so that far tails are right
        ratio = np.exp(-(margins**2) / 2 - np.log(2 * np.pi) / 2 - logs)
        value = -float(columns.weights @ logs) + float(penalty @ at**2) / 2
        slopes: Floats = penalty * at - design.T @ (columns.weights * columns.labels * ratio)
        return value, slopes

    start = np.zeros(design.shape[1])
    options = {"maxiter": 2000, "ftol": 1e-14, "gtol": 1e-8}
    found = minimize(objective, start, jac=True, method="L-BFGS-B", options=options).x
    return found[:-1], float(found[-1])
