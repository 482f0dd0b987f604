"""Rows with times to an event for tests: proportional hazards, censored, with ties, some entering late."""

from __future__ import annotations

import numpy as np


def draw_rows(n_rows: int = 200, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, (event, time) and entry times; times are whole, so that many are tied."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)).round(1)
    hazard = np.exp(0.9 * (X[:, 0] > 0) - 0.6 * (X[:, 1] > 0.5))
    time = np.ceil(rng.exponential(1 / hazard) * 20)
    censored = np.ceil(rng.uniform(1, 50, n_rows))
    y = np.column_stack([time <= censored, np.minimum(time, censored)])
    entry = np.where(rng.random(n_rows) < 0.3, np.floor(y[:, 1] * rng.random(n_rows)), 0.0)
    return X, y, entry


def structured(y: np.ndarray) -> np.ndarray:
    """The same target as scikit-survival has it."""
    found = np.empty(len(y), dtype=[("died", bool), ("days", float)])
    found["died"], found["days"] = y[:, 0] > 0, y[:, 1]
    return found
