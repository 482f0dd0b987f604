"""What a reader of a risk should know about its row: values that training did not have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.raw_columns import read_raw
from riskcard.data.rows_to_score import as_numbers, take_columns
from riskcard.formatting.numbers import format_number
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature
from riskcard.model.lines import show_level


def row_remarks(card: RiskCard, values: Any) -> list[str]:
    """For each row, what the card had to guess or had not seen; empty where there is nothing to say.

    Parameters
    ----------
    card
        The card.
    values
        Rows, as for ``RiskCard.total_points``.

    Examples
    --------
    >>> from riskcard import FeaturePoints, RiskCard
    >>> from riskcard.model.value_range import ValueRange
    >>> seen = ValueRange(18, 91, is_whole=True)
    >>> card = RiskCard([FeaturePoints("age", [60], [0, 3], usual=0, training_range=seen)])
    >>> row_remarks(card, {"age": [50, 97, None]})
    ['', 'age is 97, above 91, the highest in training', 'age is missing, as never in training']
    """
    n_rows, columns = take_columns(values, card.feature_names, [one.name for one in card.features])
    remarks: list[list[str]] = [[] for _ in range(n_rows)]
    for feature in card.features:
        column = columns[feature.name]
        found = feature.look_up(column)
        for row in np.flatnonzero(found.is_guessed_missing):
            remarks[row].append(f"{feature.name} is missing, as never in training")
        unseen = np.flatnonzero(found.is_unseen)
        levels = read_raw(column).as_array() if unseen.size else column
        for row in unseen:
            level = show_level(str(levels[row]))
            remarks[row].append(f"{feature.name} is {level}, which training did not have")
        if feature.training_range is not None:
            _add_outside(remarks, feature, as_numbers(feature.name, column))
    return ["; ".join(words) for words in remarks]


def _add_outside(
    remarks: list[list[str]], feature: CardFeature, numbers: NDArray[np.float64]
) -> None:
    """Remark on numbers beyond those of training; special codes do not count as numbers."""
    seen = feature.training_range
    assert seen is not None
    is_code = np.isin(numbers, [code for code, _ in feature.codes])
    for is_beyond, where, end in (
        (numbers < seen.lowest, f"below {format_number(seen.lowest)}", "lowest"),
        (numbers > seen.highest, f"above {format_number(seen.highest)}", "highest"),
    ):
        for row in np.flatnonzero(is_beyond & ~is_code):
            shown = format_number(numbers[row])
            remarks[row].append(f"{feature.name} is {shown}, {where}, the {end} in training")
