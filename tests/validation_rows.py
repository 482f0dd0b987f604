"""A card and rows for the tests of validations: other people, other rates, sites and patients."""

import numpy as np

from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.model.value_range import ValueRange

__all__ = ["small_card", "validation_rows"]


def small_card(**changes) -> RiskCard:
    """A card with counts of training rows on its lines."""
    fields = {
        "features": (
            FeaturePoints("age", (50.0, 65.0), (0, 2, 4), usual=1, rows=(300, 400, 300),
                          events=(30, 90, 130), training_range=ValueRange(20, 95, is_whole=True)),
            LevelPoints("smoker", (("no",), ("yes",)), (0, 3), usual=0, rows=(700, 300), events=(120, 130)),
        ),
        "multiplier": 2.5,
        "offset": -2.4,
        "classes": ("no", "yes"),
        "outcome": "stroke",
    }  # fmt: skip
    return RiskCard(**{**fields, **changes})


def validation_rows(n_rows=600, seed=0, offset=0.0, slope=1.0):
    """Columns and labels; the log-odds are ``offset + slope`` times those of the card."""
    rng = np.random.default_rng(seed)
    columns = {
        "age": rng.integers(20, 96, n_rows).astype(float),
        "smoker": rng.choice(["no", "yes"], n_rows, p=[0.6, 0.4]),
        "sex": rng.choice(["female", "male"], n_rows),
        "site": rng.choice(["north", "south", "west"], n_rows),
        "patient": rng.integers(0, n_rows // 3, n_rows),
    }
    log_odds = offset + slope * small_card().log_odds(columns)
    columns["old_risk"] = 1 / (1 + np.exp(-(0.6 * log_odds + rng.normal(0, 0.8, n_rows))))
    columns["old_score"] = np.round(columns["age"] / 10 + rng.normal(0, 2, n_rows))
    is_event = rng.random(n_rows) < 1 / (1 + np.exp(-log_odds))
    return columns, np.where(is_event, "yes", "no")
