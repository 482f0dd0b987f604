"""How well risks separate rows with the event from others: the ROC curve, its area, an interval."""

from dataclasses import dataclass

import numpy as np

from riskcard.evaluation.intervals import Interval
from riskcard.evaluation.linearisation import (
    ONE_UNIT,
    Linearised,
    effective_units,
    sum_by_unit,
)
from riskcard.evaluation.measures import Floats, area_under_curve
from riskcard.evaluation.outcomes import Outcomes


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
    area = area_linearised(outcomes)
    return RocCurve(
        thresholds=np.concatenate([[np.inf], tally.values[::-1]]),
        false_positive=false_positive,
        true_positive=true_positive,
        area=area.value,
        interval=area.logit_interval(),
    )


def area_linearised(outcomes: Outcomes) -> Linearised:
    """The area with the influence of each row: how far its share of correct pairs is from the area.

    Without weights and clusters its variance is DeLong's, whose two parts have a correction for the
    number of rows each; with weights likewise for the effective number of rows.
    """
    tally = outcomes.tally()
    area = area_under_curve(tally)
    place = np.searchsorted(tally.values, outcomes.risks)
    moves, units = np.empty(place.size), []
    for kind, correct in (
        (outcomes.is_event, _shares_below(tally.others)),
        (~outcomes.is_event, 1 - _shares_below(tally.events)),
    ):
        weights = outcomes.weights * kind
        units.append(effective_units(outcomes, weights))
        if units[-1] <= ONE_UNIT:
            return Linearised(area, np.full(1, np.inf), 0.0)
        own = weights[kind] / weights.sum() * (correct[place[kind]] - area)
        moves[kind] = own * np.sqrt(units[-1] / (units[-1] - 1))
    degrees = np.inf if outcomes.is_plain else min(units) - 1
    return Linearised(area, sum_by_unit(outcomes, moves), float(degrees))


def _shares_below(weights: Floats) -> Floats:
    """For each value the share of the weight below it; half of what is at the value counts."""
    shares: Floats = (np.cumsum(weights) - weights / 2) / weights.sum()
    return shares
