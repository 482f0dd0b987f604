"""Rows with competing events, numbers and ordered levels for tests, and models for each of them."""

from __future__ import annotations

import numpy as np

from riskcard import RiskScoreOrdinal, RiskScoreRegressor, RiskScoreSurvival

KINDS = ("competing", "numbers", "levels")


def draw_kinds(n_rows: int = 200, seed: int = 0) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Features, and for each kind a target that follows two of them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)).round(1)
    score = 0.9 * (X[:, 0] > 0) - 0.6 * (X[:, 1] > 0.5)
    own, other = rng.exponential(25 * np.exp(-score)), rng.exponential(40, n_rows)
    lost = rng.uniform(1, 60, n_rows)
    time = np.ceil(np.minimum(np.minimum(own, other), lost))
    code = np.where(lost < np.minimum(own, other), 0, np.where(own <= other, 3, 7))
    return X, {
        "competing": np.column_stack([code, time]),
        "numbers": (100 + 50 * score + rng.normal(0, 30, n_rows)).round(1),
        "levels": np.digitize(score + rng.gumbel(size=n_rows), [-0.5, 0.8, 1.6]) + 9,
    }


def model_of(kind: str, max_terms: int = 2):
    """An unfitted estimator; the events of interest have the code 3."""
    if kind == "competing":
        return RiskScoreSurvival(max_terms, horizons=[10, 30], event_of_interest=3)
    if kind == "numbers":
        return RiskScoreRegressor(max_terms, loss="squared_error")
    return RiskScoreOrdinal(max_terms)
