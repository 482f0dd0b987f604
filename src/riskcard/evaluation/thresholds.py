"""What a threshold does: error rates, predictive values and likelihood ratios; groups of rows by risk."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.errors import DataError, ParameterError
from riskcard.evaluation.intervals import Figure, Interval, difference
from riskcard.evaluation.linearisation import Cells, Rate, correlation_of
from riskcard.evaluation.measures import Floats
from riskcard.evaluation.outcomes import Outcomes

#: A table of more thresholds than this is made only for given thresholds.
_MOST_THRESHOLDS = 500


@dataclass(frozen=True, slots=True)
class Threshold:
    """What happens when rows are flagged at some total or risk and above.

    Attributes
    ----------
    at
        Rows with at least this value are flagged; at most, where more points are safer.
    rows, events
        The number of rows flagged, and of these with the event.
    flagged
        Share of all rows that is flagged.
    sensitivity, specificity
        Share flagged of the rows with the event; share not flagged of those without.
    positive_value, negative_value
        Predictive values: share with the event of the rows flagged; share without it of the others.
    positive_ratio, negative_ratio
        Likelihood ratios: the factor by which the odds of the event change once a row is known to be
        flagged, or known not to be.
    """

    at: float
    rows: int
    events: int
    flagged: Figure
    sensitivity: Figure
    specificity: Figure
    positive_value: Figure
    negative_value: Figure
    positive_ratio: Figure
    negative_ratio: Figure


@dataclass(frozen=True, slots=True)
class RiskGroup:
    """Rows between two values of the total or the risk.

    Attributes
    ----------
    low, high
        The group has ``low <= value < high``; infinite at the ends.
    rows, events
        The number of rows, and of rows with the event.
    share
        Share of all rows, by weight.
    expected
        Mean risk, by weight; NaN without rows.
    observed
        Share with the event, by weight.
    ratio
        Likelihood ratio: the factor by which the odds of the event change once a row is known to be in
        the group.
    """

    low: float
    high: float
    rows: int
    events: int
    share: Figure
    expected: float
    observed: Figure
    ratio: Figure


def threshold_table(
    outcomes: Outcomes, values: Any = None, at: Any = None, *, higher_is_riskier: bool = True
) -> tuple[Threshold, ...]:
    """Evaluate each threshold of a total, or of the risk.

    Parameters
    ----------
    outcomes
        The rows.
    values
        What is compared with the thresholds, such as the total of each row; by default the risks.
    at
        Thresholds; by default all values that occur, except the one at which all rows are flagged.
    higher_is_riskier
        Rows are flagged from the threshold upwards; otherwise downwards, as for credit points.

    Examples
    --------
    >>> from riskcard.evaluation.outcomes import read_outcomes
    >>> rows = read_outcomes([0.1, 0.6, 0.7, 0.8], [0, 0, 1, 1])
    >>> [(one.at, one.sensitivity.value) for one in threshold_table(rows, [1, 4, 4, 6])]
    [(4.0, 1.0), (6.0, 0.5)]
    """
    sign = 1.0 if higher_is_riskier else -1.0
    scores = sign * _read_values(outcomes, values)
    thresholds = np.unique(scores)[1:] if at is None else np.unique(sign * _read_cuts(at))
    if thresholds.size > _MOST_THRESHOLDS:
        raise ParameterError(
            f"There are {thresholds.size:,} different values. Choose at most {_MOST_THRESHOLDS} thresholds."
        )
    places = np.searchsorted(thresholds, scores, side="right")
    cells = Cells.of(outcomes, places, thresholds.size + 1)
    reached = np.arange(thresholds.size + 1).repeat(2)
    found = [
        _threshold(cells, reached > j, outcomes, places > j, sign * float(one))
        for j, one in enumerate(thresholds)
    ]
    return tuple(sorted(found, key=lambda one: one.at))


def _threshold(
    cells: Cells,
    flagged: NDArray[np.bool_],
    outcomes: Outcomes,
    is_flagged: NDArray[np.bool_],
    at: float,
) -> Threshold:
    event, everyone = cells.is_event, np.ones(flagged.size, dtype=bool)
    sensitivity, false_positive = cells.rate(flagged, event), cells.rate(flagged, ~event)
    missed, specificity = cells.rate(~flagged, event), cells.rate(~flagged, ~event)
    return Threshold(
        at=at + 0.0,  # never -0
        rows=outcomes.count(is_flagged),
        events=outcomes.count(is_flagged & outcomes.is_event),
        flagged=cells.rate(flagged, everyone).figure(),
        sensitivity=sensitivity.figure(),
        specificity=specificity.figure(),
        positive_value=cells.rate(event, flagged).figure(),
        negative_value=cells.rate(~event, ~flagged).figure(),
        positive_ratio=_ratio(sensitivity, false_positive),
        negative_ratio=_ratio(missed, specificity),
    )


def risk_groups(outcomes: Outcomes, cuts: Any, values: Any = None) -> tuple[RiskGroup, ...]:
    """Divide rows into groups by chosen values of the total, or of the risk.

    Parameters
    ----------
    outcomes
        The rows.
    cuts
        Where a new group begins; a value at the cut is in the upper group.
    values
        What is compared with the cuts, such as the total of each row; by default the risks.

    Examples
    --------
    >>> from riskcard.evaluation.outcomes import read_outcomes
    >>> rows = read_outcomes([0.1, 0.6, 0.7, 0.8], [0, 0, 1, 1])
    >>> [(one.rows, one.events) for one in risk_groups(rows, [0.7])]
    [(2, 0), (2, 2)]
    """
    scores, edges = _read_values(outcomes, values), np.unique(_read_cuts(cuts))
    places = np.searchsorted(edges, scores, side="right")
    cells = Cells.of(outcomes, places, edges.size + 1)
    ends = [-math.inf, *edges.tolist(), math.inf]
    return tuple(
        _group(cells, outcomes, places, number, (ends[number], ends[number + 1]))
        for number in range(edges.size + 1)
    )


def _group(
    cells: Cells, outcomes: Outcomes, places: Any, number: int, ends: tuple[float, float]
) -> RiskGroup:
    is_in, event = places == number, cells.is_event
    here = np.arange(event.size) // 2 == number
    weights = outcomes.weights[is_in]
    mean = weights @ outcomes.risks[is_in] / weights.sum() if weights.size else math.nan
    return RiskGroup(
        low=ends[0],
        high=ends[1],
        rows=outcomes.count(is_in),
        events=outcomes.count(is_in & outcomes.is_event),
        share=cells.rate(here, np.ones(event.size, dtype=bool)).figure(),
        expected=float(mean),
        observed=cells.rate(event, here).figure(),
        ratio=_ratio(cells.rate(here, event), cells.rate(here, ~event)),
    )


def _ratio(above: Rate, below: Rate) -> Figure:
    """A likelihood ratio, with an interval made of those of its two rates, in logarithms (MOVER).

    A rate of few rows is skewed, and Wilson's intervals know that; an interval that is symmetric in the
    logarithm of the ratio does not. Where the upper rate is 0, the interval ends at the largest ratio that the two
    intervals allow.
    """
    if not below.value > 0:
        return Figure(math.inf if above.value > 0 else math.nan, None)
    ratio, ends, others = above.value / below.value, above.interval(), below.interval()
    if ends is None or others is None or others[0] <= 0:
        return Figure(ratio, None)
    if ends[0] <= 0:
        return Figure(ratio, (0.0, ends[1] / others[0]))
    together = correlation_of(above.influence, below.influence)
    log_ratio = difference(_logarithm(above.value, ends), _logarithm(below.value, others), together)
    assert log_ratio.interval is not None
    return Figure(ratio, (math.exp(log_ratio.interval[0]), math.exp(log_ratio.interval[1])))


def _logarithm(value: float, ends: Interval) -> Figure:
    return Figure(math.log(value), (math.log(ends[0]), math.log(ends[1])))


def _read_values(outcomes: Outcomes, values: Any) -> Floats:
    if values is None:
        return outcomes.risks
    found = np.asarray(values, dtype=np.float64)
    if found.shape != outcomes.risks.shape:
        raise DataError(
            f"There are {outcomes.risks.size} rows, but the values have shape {found.shape}. "
            "Give one value per row."
        )
    if not np.isfinite(found).all():
        raise DataError("Some values to compare with the thresholds are missing or infinite.")
    return found


def _read_cuts(cuts: Any) -> Floats:
    found = np.asarray(cuts, dtype=np.float64)
    if found.ndim != 1 or not found.size or not np.isfinite(found).all():
        raise ParameterError("Thresholds and cuts are a list of at least one finite number.")
    return found
