"""What the pseudo-observations of a card weigh at each row, worked out again from the rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.audit.hand_rates import HandLoss, HandNumbers, HandRates
from riskcard.data.columns import FeatureValues
from riskcard.data.table import Table
from riskcard.model.origin.certificate import Certificate
from riskcard.smoothing.smooth_risks import (
    MOST_ROWS,
    choose_rows,
    smooth_numbers,
    smooth_rates,
    smooth_risks,
)


@dataclass(frozen=True, slots=True)
class PseudoWeights:
    """For each row the weight of its pseudo-observations with the event, and without."""

    if_event: NDArray[np.float64]
    if_not: NDArray[np.float64]


def pseudo_weights(
    certificate: Certificate,
    is_event: NDArray[np.bool_],
    weights: NDArray[np.float64],
    features: Mapping[str, FeatureValues] | None,
) -> PseudoWeights | None:
    """The pseudo-observations that a certificate states; None where a column is missing for them.

    Their smooth risks are those of the same regression as in training: it is part of what is
    claimed, not of what is checked.

    Parameters
    ----------
    certificate
        What is audited.
    is_event, weights
        Of the rows; the weights include those of the classes.
    features
        All columns of training, in their order; None where one is missing.
    """
    if_event, if_not = np.zeros(weights.size), np.zeros(weights.size)
    average, smooth = certificate.pseudo_rows, certificate.smooth_rows
    rows, risks = np.arange(weights.size), np.zeros(weights.size)
    if smooth or weights.size > MOST_ROWS:
        if features is None or is_event.all() or not is_event.any():
            return None
        table = _table_of(features, is_event, weights)
        rows = choose_rows(table)
        risks = smooth_risks(table).risks if smooth else risks[rows]
    # each class by itself: 1 - rate would lose the digits of a small one
    events, others = math.fsum(weights[is_event]), math.fsum(weights[~is_event])
    whole = events + others
    # each weighs as much as an average row, and is spread over its rows by their weights
    spread = weights[rows] * (whole / weights.size / math.fsum(weights[rows]))
    if_event[rows] = spread * (average * (events / whole) + smooth * risks)
    if_not[rows] = spread * (average * (others / whole) + smooth * (1 - risks))
    return PseudoWeights(if_event, if_not)


def smooth_predictions(
    features: Mapping[str, FeatureValues],
    is_event: NDArray[np.bool_],
    weights: NDArray[np.float64],
    rows: HandLoss,
) -> NDArray[np.float64]:
    """The smooth relative rate, or number, of each row, from the same regression as in training.

    Parameters
    ----------
    features
        All columns of training, in their order.
    is_event, weights
        Of the rows.
    rows
        Their exposure and events, times the weights; or their numbers.
    """
    table = _table_of(features, is_event, weights)
    unit = table.weight_unit
    if isinstance(rows, HandNumbers):
        numbers = (rows.numbers - rows.mean) / rows.deviation
        return smooth_numbers(table, numbers, rows.weights / unit).risks
    assert isinstance(rows, HandRates)
    return smooth_rates(table, rows.events / unit, rows.exposure / unit).risks


def _table_of(
    features: Mapping[str, FeatureValues],
    is_event: NDArray[np.bool_],
    weights: NDArray[np.float64],
) -> Table:
    values = np.column_stack([one.values for one in features.values()])
    levels = tuple(one.levels for one in features.values())
    labels = np.where(is_event, np.int8(1), np.int8(-1))
    return Table(values, tuple(features), labels, weights, (0, 1), levels)
