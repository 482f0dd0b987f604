"""How well risks separate rows with the event from others: the ROC curve, its area, an interval."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from riskcard.evaluation.intervals import Interval, normal_interval
from riskcard.evaluation.measures import Floats, Tally, area_under_curve
from riskcard.evaluation.outcomes import Outcomes, effective_rows


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
        95 % interval of the area (DeLong, on the scale of log-odds); None where there is none, as
        with an area of 1.
    """

    thresholds: Floats
    false_positive: Floats
    true_positive: Floats
    area: float
    interval: Interval | None


def roc_curve(outcomes: Outcomes) -> RocCurve:
    """Compute the curve of some rows.

    Examples
    --------
    >>> from riskcard.evaluation.outcomes import read_outcomes
    >>> roc_curve(read_outcomes([0.1, 0.4, 0.4, 0.8], [0, 0, 1, 1])).area
    0.875
    """
    tally = outcomes.tally()
    true_positive, false_positive = (
        np.concatenate([[0.0], np.cumsum(kind[::-1]) / kind.sum()])
        for kind in (tally.events, tally.others)
    )
    # rounding must not miss the corner
    true_positive[-1] = false_positive[-1] = 1.0
    area = area_under_curve(tally)
    return RocCurve(
        thresholds=np.concatenate([[np.inf], tally.values[::-1]]),
        false_positive=false_positive,
        true_positive=true_positive,
        area=area,
        interval=_delong_interval(outcomes, tally, area),
    )


def _delong_interval(outcomes: Outcomes, tally: Tally, area: float) -> Interval | None:
    """DeLong's variance: how far each row's share of correct pairs is from the area.

    With weights, a row moves the area by its share of the weight of its class times that distance.
    """
    variance = 0.0
    place = np.searchsorted(tally.values, outcomes.risks)
    events_above = 1 - _shares_below(tally.events)
    for kind, correct in (
        (outcomes.is_event, _shares_below(tally.others)),
        (~outcomes.is_event, events_above),
    ):
        weights = outcomes.weights[kind]
        rows = effective_rows(weights)
        if rows <= 1:
            return None
        moves = weights / weights.sum() * (correct[place[kind]] - area)
        variance += float(moves @ moves) * rows / (rows - 1)
    if not 0 < area < 1 or variance <= 0:
        return None
    error = np.sqrt(variance) / (area * (1 - area))
    low, high = (float(expit(end)) for end in normal_interval(float(logit(area)), error))
    return low, high


def _shares_below(weights: Floats) -> Floats:
    """For each value the share of the weight below it; half of what is at the value counts."""
    shares: Floats = (np.cumsum(weights) - weights / 2) / weights.sum()
    return shares
