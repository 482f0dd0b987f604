"""Tables, fits and referees for the tests of the studio."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from riskcard.data.columns import FeatureValues, read_column
from riskcard.data.files.feature_table import FeatureTable
from riskcard.estimators.classifier import RiskScoreClassifier
from riskcard.estimators.watched_fit import WatchedFit, fit_watched
from riskcard.studio.table.pricing import Referee
from riskcard.studio.table.rows import Rows


def some_columns(n_rows: int = 300, seed: int = 5) -> tuple[dict[str, Any], np.ndarray]:
    """Two numbers, one with missing values, a whole number and a category; and who has the event."""
    rng = np.random.default_rng(seed)
    age, dose = rng.integers(30, 90, n_rows).astype(float), np.round(rng.normal(5, 2, n_rows), 2)
    kind = rng.choice(["a", "b", "c", "d"], n_rows)
    chance = 0.1 + 0.4 * (age > 62) + 0.3 * np.isin(kind, ["c", "d"])
    is_event = rng.random(n_rows) < chance
    dose[rng.random(n_rows) < 0.15] = np.nan
    return {"age": age, "dose": dose, "kind": kind}, is_event


def write_table(path: Path, n_rows: int = 300, target: str = "ill") -> Path:
    """The same as a CSV file with the outcome in yes and no."""
    columns, is_event = some_columns(n_rows)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*columns, target])
        for *values, event in zip(*columns.values(), is_event, strict=True):
            shown = ["" if value != value else value for value in values]
            writer.writerow([*shown, "yes" if event else "no"])
    return path


def rows_of(n_rows: int = 300) -> Rows:
    columns, is_event = some_columns(n_rows)
    features = {name: read_column(column, name) for name, column in columns.items()}
    return Rows(features, is_event, np.ones(n_rows))


def watched(rows: Rows, max_terms: int = 2, **options: Any) -> WatchedFit:
    """A fit with its proof."""
    model = RiskScoreClassifier(max_terms, max_points=3, certify=True, identifiers=None, **options)
    features = {name: FeatureValues(*one) for name, one in rows.features.items()}
    table = FeatureTable(features, rows.is_event.size)
    return fit_watched(model, table, rows.is_event, lambda moment: None)


def referee_of(rows: Rows, **options: Any) -> Referee:
    """A referee by the proof of a fit."""
    fit = watched(rows, **options)
    return Referee(rows, fit.pseudo, fit.card)
