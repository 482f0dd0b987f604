"""What rows are to a card: its points were learned from them, its scale was fitted to them, or neither."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riskcard.model.origin.recipe import RowOrigin, hash_for_scale, matches

if TYPE_CHECKING:
    from riskcard.data.columns import FeatureValues
    from riskcard.model.card import RiskCard


class RowRole(str, Enum):
    """What rows are to a card, as far as its hashes tell."""

    TRAINING = "training rows"
    PARTLY = "training rows and those held out of the fit"
    RECALIBRATION = "rows of the recalibration"
    OTHER = "neither"
    UNKNOWN = "cannot tell"

    def __str__(self) -> str:
        return self.value


def role_of_rows(
    card: RiskCard, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
) -> RowRole:
    """What rows are to a card.

    Parameters
    ----------
    card
        A card; without a recipe nothing can be told.
    X, y, sample_weight
        The rows as the card takes them, their labels and weights.
    groups
        One label per row; needed to find rows that were held out by groups.
    """
    from riskcard.data.frames import count_rows
    from riskcard.data.target import read_target, read_weights
    from riskcard.model.origin.held_out import find_held_out

    if card.recipe is None:
        return RowRole.UNKNOWN
    n_rows = count_rows(X)
    is_event = np.asarray(read_target(y, n_rows) == card.classes[1], dtype=bool)
    weights: NDArray[np.float64] = read_weights(sample_weight, n_rows)
    if card.recipe.scale_rows == hash_for_scale(card, X, is_event, weights):
        return RowRole.RECALIBRATION
    given, features = None if sample_weight is None else weights, features_of(card, X)
    held_out = find_held_out(card, features, is_event, given, groups)
    if held_out is not None:
        return RowRole.OTHER if held_out.all() else RowRole.PARTLY
    origin = matches(card, features, is_event, given)
    return {RowOrigin.TRAINING: RowRole.TRAINING, RowOrigin.OTHER: RowRole.OTHER}.get(
        origin, RowRole.UNKNOWN
    )


def features_of(card: RiskCard, X: Any) -> dict[str, FeatureValues]:
    """The columns of training in a table; those that cannot be read are left out."""
    from riskcard.data.columns import read_column
    from riskcard.data.frames import column_names, find_columns
    from riskcard.errors import DataError

    names = column_names(X)
    known = set(map(str, names)) if names is not None else set(card.feature_names)
    found = {}
    for name in card.feature_names:
        if name in known:
            try:
                column = find_columns(X, card.feature_names, [name])[name]
                found[name] = read_column(column, name)
            except DataError:  # the card may not need it
                continue
    return found
