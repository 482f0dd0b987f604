"""Risks given to rows, and what happened: the input of every figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.target import read_labels, read_target, read_weights
from riskcard.errors import DataError, ParameterError
from riskcard.evaluation.intervals import wilson_interval

Floats = NDArray[np.float64]
Interval = tuple[float, float]

#: Risks of exactly 0 and 1 are moved inwards by this much where their log-odds are needed.
_SMALLEST_RISK = 1e-15


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Some rows: the risk that each was given, whether it had the event, and its weight."""

    risks: Floats
    is_event: NDArray[np.bool_]
    weights: Floats

    @property
    def log_odds(self) -> Floats:
        """The risks as log-odds, which are finite."""
        inner = np.clip(self.risks, _SMALLEST_RISK, 1 - _SMALLEST_RISK)
        return np.log(inner) - np.log1p(-inner)

    @property
    def base_rate(self) -> float:
        """Share of the rows with the event, by weight."""
        return float(self.weights[self.is_event].sum() / self.weights.sum())

    def take(self, rows: NDArray[Any]) -> Outcomes:
        """Some of the rows."""
        return Outcomes(self.risks[rows], self.is_event[rows], self.weights[rows])


def read_outcomes(risks: Any, y: Any, sample_weight: Any = None, event: Any = None) -> Outcomes:
    """Check risks, labels and weights.

    Parameters
    ----------
    risks
        One a row, from 0 to 1; or what ``predict_proba`` gives, whose second column is taken.
    y
        One label a row, with two different values.
    sample_weight
        One weight a row; rows of weight 0 are left out.
    event
        The label of the event; by default the larger one.

    Examples
    --------
    >>> read_outcomes([0.1, 0.9], ["no", "yes"]).is_event.tolist()
    [False, True]
    """
    numbers = _read_risks(risks)
    labels = read_target(y, numbers.size)
    weights = read_weights(sample_weight, numbers.size)
    signs, classes = read_labels(labels)
    is_event = signs > 0
    if event is not None:
        if event not in classes:
            raise ParameterError(
                f"event is {event!r}, but the labels are {classes[0]!r} and {classes[1]!r}. "
                "Use one of them."
            )
        is_event = is_event if event == classes[1] else ~is_event
    kept = weights > 0
    if not is_event[kept].any() or is_event[kept].all():
        raise DataError("The rows with a weight have one class only. Give rows of both.")
    return Outcomes(numbers, is_event, weights).take(kept)


def _read_risks(risks: Any) -> Floats:
    array = np.asarray(risks)
    if array.ndim == 2 and array.shape[1] == 2:
        array = array[:, 1]
    if array.ndim != 1:
        raise DataError(
            f"The risks have shape {array.shape}. Give one risk a row, or what predict_proba gives."
        )
    try:
        numbers = array.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError("The risks are not numbers. Give one number from 0 to 1 a row.") from None
    is_bad = ~((numbers >= 0) & (numbers <= 1))
    if is_bad.any():
        row = int(np.flatnonzero(is_bad)[0])
        raise DataError(
            f"The risk of row {row} is {numbers[row]:g}. Give probabilities from 0 to 1, not totals "
            "or log-odds."
        )
    return numbers


def count_by_value(values: Floats, outcomes: Outcomes) -> tuple[Floats, Floats, Floats]:
    """The different values of rows, ascending, and the weights with and without the event at each."""
    different, place = np.unique(values, return_inverse=True)
    events, others = (
        np.bincount(place, outcomes.weights * some, different.size).astype(np.float64)
        for some in (outcomes.is_event, ~outcomes.is_event)
    )
    return different, events, others


def effective_rows(weights: Floats) -> float:
    """How many rows of equal weight would tell as much (Kish); the number of rows without weights."""
    squares = float(weights @ weights)
    return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0


def rate_interval(outcomes: Outcomes) -> Interval:
    """Wilson's 95 % interval for the rate of events; with weights, of as many effective rows."""
    rows = effective_rows(outcomes.weights)
    share = np.clip(outcomes.base_rate, 0.0, 1.0)
    return wilson_interval(float(share) * rows, rows)
