"""What a proof by way of the log-loss could say at best about the probit loss and the hinge loss.

    python -m benchmarks.other_links

Let ``a f(c z) - k`` be at most the loss of a row at every ``z``, with ``f(m) = log(1 + exp(-m))``. Then ``a`` times
the lowest log-loss of all cards, less ``k`` per row, is a bound on the loss of every card, whatever ``c`` is, because
the scale of cards is free. The first table has the best such bound by the mean log-loss of the best card; the second
the mean losses of cards on scikit-learn's breast cancer data, each at the slope and the offset that suit it best.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_ndtr
from sklearn.datasets import load_breast_cancer

from riskcard import RiskScoreClassifier

Loss = Callable[[np.ndarray], np.ndarray]
LOG_LOSSES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
#: Margins at which the inequality is looked at: between the last ones, all of these losses are all but straight.
MARGINS = np.concatenate([[-1e6], np.linspace(-30.0, 30.0, 6001), [1e6]])


def logistic(margin: np.ndarray) -> np.ndarray:
    """The log-loss."""
    return np.logaddexp(0.0, -margin)


def probit(margin: np.ndarray) -> np.ndarray:
    """The negative logarithm of the normal distribution."""
    return -log_ndtr(margin)


def hinge(margin: np.ndarray) -> np.ndarray:
    """What is missing to a margin of 1."""
    return np.maximum(0.0, 1.0 - margin)


def least_constant(loss: Loss, factor: float) -> tuple[float, float]:
    """The least ``k`` for ``a = factor``, and the ``c`` that has it."""

    def needed(log_slope: float) -> float:
        return float(np.max(factor * logistic(np.exp(log_slope) * MARGINS) - loss(MARGINS)))

    slopes = np.linspace(-3.0, 3.0, 61)
    start = float(slopes[int(np.argmin([needed(one) for one in slopes]))])
    found = minimize_scalar(needed, bounds=(start - 0.1, start + 0.1), method="bounded")
    return float(found.fun), float(np.exp(found.x))


def best_bound(loss: Loss, log_loss: float) -> tuple[float, float, float]:
    """The largest bound per row where the best card has a mean log-loss, with its ``a`` and ``c``."""

    def lost(factor: float) -> float:
        return least_constant(loss, factor)[0] - factor * log_loss

    found = minimize_scalar(lost, bounds=(0.05, 1.5), method="bounded")
    return -float(found.fun), float(found.x), least_constant(loss, float(found.x))[1]


def table_lines() -> list[str]:
    """The table as Markdown."""
    lines = [
        "| mean log-loss of the best card | bound on the probit loss | bound on the hinge loss |",
        "|---|---|---|",
    ]
    for one in LOG_LOSSES:
        bounds = (best_bound(loss, one)[0] for loss in (probit, hinge))
        lines.append(f"| {one:g} | {' | '.join(f'{bound:.3f}' for bound in bounds)} |")
    return lines


def card_lines() -> list[str]:
    """Losses of cards as Markdown."""
    X, y = load_breast_cancer(return_X_y=True)
    lines = ["| terms | log-loss | probit loss | hinge loss |", "|---|---|---|---|"]
    for terms in (1, 2, 3):
        model = RiskScoreClassifier(terms, regularization=None).fit(X, y)
        log_odds = model.decision_function(X)
        cells = [f"{mean_loss(loss, log_odds, 2.0 * y - 1):.4f}" for loss in LOSSES]
        lines.append(f"| {terms} | {' | '.join(cells)} |")
    return lines


LOSSES = (logistic, probit, hinge)


def mean_loss(loss: Loss, log_odds: np.ndarray, sides: np.ndarray) -> float:
    """The lowest mean loss at any slope and offset."""

    def of(scale: np.ndarray) -> float:
        return float(np.mean(loss(sides * (scale[0] * log_odds + scale[1]))))

    options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 2000}
    starts = ([1.0, 0.0], [0.5, 0.0])
    return min(
        float(minimize(of, one, method="Nelder-Mead", options=options).fun) for one in starts
    )


def main() -> None:
    """Print both tables."""
    print("\n".join([*table_lines(), "", *card_lines()]))


if __name__ == "__main__":
    main()
