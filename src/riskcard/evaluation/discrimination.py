"""How well risks tell rows with the event from others: the ROC curve, its area, an interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.evaluation.outcomes import (
    Floats,
    Interval,
    Outcomes,
    count_by_value,
    effective_rows,
)

Mask = NDArray[np.bool_]

_QUANTILE = 1.959963984540054


@dataclass(frozen=True, slots=True)
class RocCurve:
    """Every threshold at once.

    Attributes
    ----------
    thresholds
        Descending; a row is called positive when its risk is at least this. The first is infinite.
    false_positive, true_positive
        Shares of the rows without and with the event that are called positive.
    area
        Area under the curve: the chance that a row with the event has a higher risk than one
        without; ties count half.
    interval
        95 % interval of the area (DeLong, on the scale of log-odds); None when it cannot be told,
        as with an area of 1.
    """

    thresholds: Floats
    false_positive: Floats
    true_positive: Floats
    area: float
    interval: Interval | None


def roc_curve(outcomes: Outcomes) -> RocCurve:
    """Draw the curve of some rows.

    Examples
    --------
    >>> from riskcard.evaluation.outcomes import read_outcomes
    >>> roc_curve(read_outcomes([0.1, 0.4, 0.4, 0.8], [0, 0, 1, 1])).area
    0.875
    """
    values, events, others = count_by_value(outcomes.risks, outcomes)
    true_positive, false_positive = (
        np.concatenate([[0.0], np.cumsum(some[::-1]) / some.sum()]) for some in (events, others)
    )
    # rounding must not leave the corner, nor the square
    true_positive[-1] = false_positive[-1] = 1.0
    rises = np.diff(false_positive) * (true_positive[1:] + true_positive[:-1]) / 2
    area = float(np.clip(rises.sum(), 0.0, 1.0))
    return RocCurve(
        thresholds=np.concatenate([[np.inf], values[::-1]]),
        false_positive=false_positive,
        true_positive=true_positive,
        area=area,
        interval=_delong_interval(outcomes, area),
    )


def _delong_interval(outcomes: Outcomes, area: float) -> Interval | None:
    """DeLong's variance from the placement of each row among those of the other class."""
    is_event = outcomes.is_event
    variance = 0.0
    for some, others in ((is_event, ~is_event), (~is_event, is_event)):
        rows = effective_rows(outcomes.weights[some])
        if rows <= 1:
            return None
        share_below = _shares_below(outcomes, some, others)
        placement = share_below if some is is_event else 1 - share_below
        weights = outcomes.weights[some] / outcomes.weights[some].sum()
        spread = float(weights @ (placement - area) ** 2) * rows / (rows - 1)
        variance += spread / rows
    if not 0 < area < 1 or variance <= 0:
        return None
    middle = np.log(area / (1 - area))
    reach = _QUANTILE * np.sqrt(variance) / (area * (1 - area))
    low, high = (float(1 / (1 + np.exp(-end))) for end in (middle - reach, middle + reach))
    return low, high


def _shares_below(outcomes: Outcomes, some: Mask, others: Mask) -> Floats:
    """For each row of the one kind the share of the other kind with a lower risk; ties half."""
    order = np.argsort(outcomes.risks[others], kind="stable")
    ranked = outcomes.risks[others][order]
    reached = np.concatenate([[0.0], np.cumsum(outcomes.weights[others][order])])
    risks = outcomes.risks[some]
    left = reached[np.searchsorted(ranked, risks, side="left")]
    right = reached[np.searchsorted(ranked, risks, side="right")]
    placements: NDArray[np.float64] = (left + right) / (2 * reached[-1])
    return placements
