"""How well the bootstrap corrects for optimism: simulated tables, whose truth is known.

    python -m benchmarks.optimism

Each line is the mean over tables of what a card shows on its own rows, of the figures corrected by
``bootstrap_card``, and of the truth on many further rows. docs/choosing.md has the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple

import numpy as np

from riskcard import RiskScoreClassifier, bootstrap_card
from riskcard.evaluation.measures import measure

TABLES, RESAMPLES, FURTHER_ROWS = 8, 25, 20_000
FIGURES = ("AUC", "log-loss", "slope")
#: Rows, features, effects of the first of them in log-odds, terms of the card.
CASES = (
    (2000, 8, (1.0, 0.7, 0.5, 0.3), 6),
    (500, 8, (1.0, 0.7, 0.5, 0.3), 6),
    (200, 8, (1.0, 0.7), 3),
    (200, 10, (), 3),
)


def draw(rng: np.random.Generator, n_rows: int, n_features: int, effects: tuple[float, ...]):
    """Normal features, and an event whose log-odds are linear in the first of them."""
    X = rng.normal(size=(n_rows, n_features)).round(2)
    log_odds = X[:, : len(effects)] @ np.array(effects)
    return X, rng.random(n_rows) < 1 / (1 + np.exp(-log_odds))


def compare(
    n_rows: int, n_features: int, effects: tuple[float, ...], n_terms: int
) -> Iterator[tuple[tuple[float, ...], ...]]:
    """Apparent, corrected and true figures of each table."""
    for seed in range(TABLES):
        rng = np.random.default_rng(seed)
        X, y = draw(rng, n_rows, n_features, effects)
        further, labels = draw(rng, FURTHER_ROWS, n_features, effects)
        model = RiskScoreClassifier(n_terms, regularization=None)
        stability = bootstrap_card(
            model, X, y, n_bootstraps=RESAMPLES, random_state=seed, n_jobs=-1
        )
        log_odds = model.fit(X, y).decision_function(further)
        truth = measure(log_odds, labels, np.ones(FURTHER_ROWS))
        yield astuple(stability.apparent), astuple(stability.corrected), astuple(truth)


def main() -> None:
    print("| rows, features, terms | | on its own rows | corrected | truth |")
    print("|---|---|---|---|---|")
    for n_rows, n_features, effects, n_terms in CASES:
        figures = np.array(list(compare(n_rows, n_features, effects, n_terms)))
        figures[~np.isfinite(figures)] = np.nan
        means = np.nanmean(figures, axis=0)
        for place, name in enumerate(FIGURES):
            title = f"{n_rows:,}, {n_features} ({len(effects)} matter), {n_terms}"
            cells = " | ".join(f"{mean:.3f}" for mean in means[:, place])
            print(f"| {title if place == 0 else ''} | {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
