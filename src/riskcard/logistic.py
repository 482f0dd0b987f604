"""The log-loss of many rows, and its derivatives by the log-odds."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def log_loss(log_odds: Floats, labels: Floats | NDArray[np.int8], weights: Floats) -> float:
    """The objective: ``sum of weight * log(1 + exp(-label * log-odds))``, labels -1 and +1."""
    return float(np.sum(weights * np.logaddexp(0.0, -labels * log_odds)))


def residuals(log_odds: Floats, labels: Floats, weights: Floats) -> Floats:
    """Derivative of each row's loss by its log-odds, with the sign turned: where it should go."""
    return weights * labels * np.exp(-np.logaddexp(0.0, labels * log_odds))


def curvatures(log_odds: Floats, weights: Floats) -> Floats:
    """Second derivative of each row's loss by its log-odds."""
    small = np.exp(-np.abs(log_odds))
    found: Floats = weights * small / (1 + small) ** 2
    return found
