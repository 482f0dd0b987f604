"""What each feature adds to the log-odds of a row: exact SHAP values, and importances.

A card is a sum over features. The (interventional) Shapley value of a feature is therefore what it adds
beyond its average, whatever the values of the other features are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.rows_to_score import as_numbers, take_columns
from riskcard.errors import DataError, ParameterError
from riskcard.extras import import_extra

if TYPE_CHECKING:
    from riskcard.model.card import RiskCard


def shap_values(card: RiskCard, values: Any, background: Any = None) -> NDArray[np.float64]:
    """SHAP values as ``RiskCard.shap_values`` returns them."""
    return (card.points_by_feature(values) - _average_points(card, background)) / card.multiplier


def shap_explanation(card: RiskCard, values: Any, background: Any = None) -> Any:
    """SHAP values as ``RiskCard.shap_explanation`` returns them."""
    shap = import_extra("shap", "An explanation for the plots of SHAP", "shap")
    found = shap_values(card, values, background)
    average = card.base + _average_points(card, background).sum()
    used = [feature.name for feature in card.features]
    columns = take_columns(values, card.feature_names, used)[1]
    shown = [
        columns[feature.name] if feature.levels else as_numbers(feature.name, columns[feature.name])
        for feature in card.features
    ]
    return shap.Explanation(
        values=found,
        base_values=np.full(found.shape[0], float(card.log_odds_of_total(average))),
        data=np.column_stack(shown) if shown else np.empty(found.shape),
        feature_names=[card.labels.name(name) for name in used],
        output_names=f"log-odds of {card.event}",
    )


def importances(card: RiskCard) -> dict[str, float]:
    """The mean distance of each feature's points from their average, on the training rows.

    The distances are divided by their sum, so that they are shares; all are 0 on a card without points.
    """
    average = _average_points(card)
    distances = [
        np.average(np.abs([line.points - mean for line in feature.lines()]), weights=feature.rows)
        for feature, mean in zip(card.features, average, strict=True)
    ]
    total = float(sum(distances)) or 1.0
    return {
        feature.name: float(distance) / total
        for feature, distance in zip(card.features, distances, strict=True)
    }


def _average_points(card: RiskCard, background: Any = None) -> NDArray[np.float64]:
    """The average points of each feature: on rows, or on the training rows."""
    if background is not None:
        points = card.points_by_feature(background)
        if points.shape[0] == 0:
            raise DataError("The background has no rows. Give at least one.")
        means: NDArray[np.float64] = points.mean(axis=0)
        return means
    if not all(feature.rows for feature in card.features):
        raise ParameterError(
            "The card does not know how many training rows each of its lines had, because it was "
            "written by hand. Give rows to compare with: background=X."
        )
    return np.array(
        [
            np.average([line.points for line in feature.lines()], weights=feature.rows)
            for feature in card.features
        ]
    )
