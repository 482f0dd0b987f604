"""The one evaluator: every figure of every method is computed here, from its model and raw rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.model import Model

__all__ = [
    "GROUPS",
    "calibration_error",
    "calibration_error_by_chance",
    "describe",
    "judge",
    "recovery",
    "sum_of_losses",
]

Floats = NDArray[np.float64]

#: Groups of the calibration error.
GROUPS = 10
#: Risks that are given as probabilities are kept this far from 0 and 1.
LEAST_RISK = 1e-15
#: A found cut counts as a planted one when at most this part of the rows lies between them.
NEAR = 0.02


def judge(model: Model | None, risks: Sequence[float] | None, values: Floats, y: Any) -> dict:
    """Loss, AUC, Brier score, calibration slope and error on some rows.

    Parameters
    ----------
    model, risks
        The card; or, of a method that has none, its probabilities of the event in these rows.
    """
    if model is not None:
        log_odds = model.log_odds(values)
    else:
        clipped = np.clip(np.asarray(risks, dtype=float), LEAST_RISK, 1 - LEAST_RISK)
        log_odds = np.log(clipped) - np.log1p(-clipped)
    y = np.asarray(y)
    loss = sum_of_losses(log_odds, y)
    risks = np.exp(-np.logaddexp(0.0, -log_odds))
    return {
        "loss": loss,
        "mean_loss": loss / len(y),
        "auc": float(roc_auc_score(y, log_odds)),
        "brier": float(np.mean((risks - y) ** 2)),
        "slope": calibration_slope(log_odds, y),
        "calibration": calibration_error(risks, y),
        "chance": calibration_error_by_chance(risks),
    }


def describe(model: Model) -> dict:
    """How large a card is."""
    return {
        "terms": model.n_terms,
        "features": model.n_features,
        "jump": model.largest_jump,
    }


def sum_of_losses(log_odds: Floats, y: NDArray) -> float:
    """The sum of log-losses; exact for log-odds of any size."""
    return float(np.logaddexp(0.0, np.where(y == 1, -log_odds, log_odds)).sum())


def calibration_slope(log_odds: Floats, y: NDArray) -> float:
    """The slope of a logistic regression on the log-odds; NaN where these are all the same."""
    clipped = np.clip(log_odds, -30.0, 30.0)
    if np.ptp(clipped) < 1e-9:
        return float("nan")
    model = LogisticRegression(C=np.inf, max_iter=1000).fit(clipped[:, None], y)
    return float(model.coef_[0, 0])


def calibration_error(risks: Floats, y: NDArray) -> float:
    """Mean distance between mean risk and event rate, over ten groups of about equal size.

    Rows with equal risks are never divided, so that a card of few totals has fewer groups.
    """
    difference = np.bincount(_groups_of(risks), weights=risks - y, minlength=GROUPS)
    return float(np.abs(difference).sum() / len(y))


def calibration_error_by_chance(risks: Floats) -> float:
    """About what the calibration error of these rows would be on average if every risk were right.

    Then the events of a group differ from the sum of its risks with the variance ``V``, the sum of
    ``risk * (1 - risk)``, by ``sqrt(2 * V / pi)`` on average if the difference is normal.
    """
    variances = np.bincount(_groups_of(risks), weights=risks * (1 - risks), minlength=GROUPS)
    return float(np.sqrt(2 / np.pi * variances).sum() / len(risks))


def _groups_of(risks: Floats) -> NDArray[np.int64]:
    """The group of each row in the calibration error."""
    edges = np.unique(np.quantile(risks, np.arange(1, GROUPS) / GROUPS, method="lower"))
    return np.searchsorted(edges, risks, side="left")


def recovery(
    cuts: Sequence[tuple[int, float]], planted: Sequence[tuple[int, float]], values: Floats
) -> dict:
    """How much of what was planted a card has found.

    Returns
    -------
    dict
        ``features`` and ``cuts``: F1 scores, the harmonic mean of how much was found and how much
        of the found was planted. A found cut is right when hardly any row lies between it and a
        planted one; each planted cut is found once.
    """
    left, right = list(planted), 0
    for column, cut in cuts:
        near = [one for one in left if one[0] == column and _between(values, column, cut, one[1])]
        if near:
            left.remove(min(near, key=lambda one: abs(one[1] - cut)))
            right += 1
    found, true = {column for column, _ in cuts}, {column for column, _ in planted}
    return {
        "features": _f1(len(found & true), len(found), len(true)),
        "cuts": _f1(right, len(cuts), len(planted)),
    }


def _between(values: Floats, column: int, cut: float, other: float) -> bool:
    low, high = min(cut, other), max(cut, other)
    share = np.mean((values[:, column] > low) & (values[:, column] <= high))
    return bool(share <= NEAR)


def _f1(right: int, found: int, planted: int) -> float:
    return 2 * right / (found + planted) if found + planted else 1.0
