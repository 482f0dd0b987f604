"""How well hazards and risks by a horizon agree with the times of events."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from riskcard.arrays import Booleans, Floats
from riskcard.data.target import read_weights
from riskcard.evaluation.intervals import QUANTILE, Figure, quantile_of
from riskcard.evaluation.linearisation import Linearised, linearise
from riskcard.evaluation.other_outcomes.incidence_error import incidence_linearised
from riskcard.evaluation.other_outcomes.row_units import RowUnits
from riskcard.outcomes.hazards import FollowUp, Steps, kaplan_meier, weight_from
from riskcard.outcomes.incidence import cumulative_incidence

#: Pairs of rows that are compared at once.
PAIRS_AT_ONCE = 4_000_000
#: Predictions that differ by no more are equal.
TIED = 1e-8


def concordance(rows: FollowUp, predicted: Floats, sample_weight: Any = None) -> float:
    """Harrell's concordance index: in how many pairs the row with the earlier event has the higher hazard.

    Two rows are compared where one has the event while the other is at risk and without it; equal
    predictions count half. 0.5 where no pair can be compared.

    Examples
    --------
    >>> rows = FollowUp(np.array([1.0, 2.0, 3.0]), np.array([True, True, False]))
    >>> concordance(rows, np.array([3.0, 1.0, 2.0]))
    0.6666666666666666
    """
    weights = read_weights(sample_weight, predicted.size)
    agreeing, compared = _pairs(rows, predicted, weights)
    total = float(compared.sum())
    return float(agreeing.sum()) / total if total > 0 else 0.5


def concordance_figure(rows: FollowUp, predicted: Floats, units: RowUnits | None = None) -> Figure:
    """The same with its 95 % interval."""
    return within_shares(concordance_linearised(rows, predicted, units))


def concordance_linearised(
    rows: FollowUp, predicted: Floats, units: RowUnits | None = None
) -> Linearised:
    """The same with the influence of each row.

    The index is a ratio of two sums over pairs. A row's influence is what its own pairs, as either of both, agree
    more than the average.
    """
    units = units or RowUnits.equal(predicted.size)
    agreeing, compared = _pairs(rows, predicted, units.weights)
    total = float(compared.sum()) / 2
    if total == 0:
        return Linearised(0.5, np.full(1, np.inf), 0.0)
    value = float(agreeing.sum()) / 2 / total
    return linearise(units, value, (agreeing - value * compared) / total)


def within_shares(found: Linearised) -> Figure:
    """A figure whose interval ends at 0 and 1."""
    interval = found.interval()
    if interval is None:
        return Figure(found.value, None)
    return Figure(found.value, (max(interval[0], 0.0), min(interval[1], 1.0)))


def _pairs(rows: FollowUp, predicted: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """For each row the weight of the pairs that it is part of: those that agree, and all."""
    agreeing, compared = np.zeros(predicted.size), np.zeros(predicted.size)
    events = np.flatnonzero(rows.is_event)
    size = max(1, PAIRS_AT_ONCE // predicted.size)
    for start in range(0, events.size, size):
        own = events[start : start + size]
        time = rows.time[own, None]
        later = (rows.time > time) | ((rows.time == time) & ~rows.is_event)
        if rows.entry is not None:
            later &= (rows.entry < time) | (rows.entry == 0)
        above = predicted[own, None] - predicted
        agrees = later * np.where(np.abs(above) <= TIED, 0.5, above > 0)
        compared[own] += weights[own] * (later @ weights)
        agreeing[own] += weights[own] * (agrees @ weights)
        compared += weights * (weights[own] @ later)
        agreeing += weights * (weights[own] @ agrees)
    return agreeing, compared


# --- risks by a horizon -------------------------------------------------------------------------


def risk_figure(rows: FollowUp, horizon: float, units: RowUnits | None = None) -> Figure:
    """The share of rows with the event by a horizon, as Kaplan and Meier estimate it, or Aalen and Johansen.

    The latter is for rows with competing events. The 95 % interval is Greenwood's, or Marubini and Valsecchi's, on the
    scale of ``log(-log(survival))``, which stays within 0 and 1; with weights or clusters its variance is that of the
    influences of rows (``incidence_linearised``). None where no row, or every row, has had the event, or where nobody
    was followed so long.
    """
    if rows.time.size == 0 or float(rows.time.max()) < horizon:
        return Figure(math.nan, None)
    if units is not None and not units.is_plain:
        found = incidence_linearised(rows, horizon, units)
        if not 0 < found.value < 1 or not 0 < found.variance < math.inf:
            return Figure(found.value, None)
        return _with_reach(1 - found.value, found.variance, quantile_of(found.degrees))
    if rows.is_competing is not None:
        return _incidence_figure(rows, rows.is_competing, horizon)
    curve = kaplan_meier(rows, np.ones(rows.time.size))
    left = float(curve.at(np.array([horizon]))[0])
    if not 0 < left < 1:
        return Figure(1 - left, None)
    known = curve.times <= horizon
    shares = curve.values[known] / np.concatenate([[1.0], curve.values[known][:-1]])
    events = np.array(
        [np.count_nonzero(rows.is_event & (rows.time == t)) for t in curve.times[known]]
    )
    at_risk = events / (1 - shares)
    # Greenwood: d / (r (r - d)) at each time
    variance = float(np.sum(events / (at_risk * (at_risk - events)))) * left**2
    return _with_reach(left, variance)


def _with_reach(left: float, variance: float, quantile: float = QUANTILE) -> Figure:
    """1 less a share, whose variance is given, with its interval on the scale of ``log(-log(share))``."""
    error = math.sqrt(variance) / (left * abs(math.log(left)))
    reach = math.exp(quantile * error)
    return Figure(1 - left, (1 - left ** (1 / reach), 1 - left**reach))


def _incidence_figure(rows: FollowUp, is_competing: Booleans, horizon: float) -> Figure:
    """Aalen and Johansen's share with the event, with its interval."""
    weights = np.ones(rows.time.size)
    found = float(cumulative_incidence(rows, weights).at(np.array([horizon]))[0])
    if not 0 < found < 1:
        return Figure(found, None)
    times = np.unique(rows.time[(rows.is_event | is_competing) & (rows.time <= horizon)])
    at_risk = weight_from(rows.time, weights, times)
    own, any_event = (
        np.array([np.count_nonzero(which & (rows.time == t)) for t in times], dtype=np.float64)
        for which in (rows.is_event, rows.is_event | is_competing)
    )
    free = np.concatenate([[1.0], np.cumprod(1 - any_event / at_risk)[:-1]])
    to_come = found - np.cumsum(free * own / at_risk)  # the incidence from each time to the horizon
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.where(
            to_come > 0, to_come**2 * any_event / (at_risk * (at_risk - any_event)), 0.0
        )
    second = free**2 * (at_risk - own) * own / at_risk**3
    both = to_come * free * own / at_risk**2
    return _with_reach(1 - found, float(np.sum(np.nan_to_num(first) + second - 2 * both)))


def share_with_event(rows: FollowUp, weights: Floats | None = None) -> Steps:
    """The share of rows with the event by each time: 1 less Kaplan and Meier's curve, or Aalen and Johansen's."""
    weights = np.ones(rows.time.size) if weights is None else weights
    if rows.is_competing is not None:
        return cumulative_incidence(rows, weights)
    curve = kaplan_meier(rows, weights)
    return Steps(curve.times, 1 - curve.values)


@dataclass(frozen=True, slots=True)
class BrierScore:
    """The Brier score at a horizon, that of one risk for all, and the share that is explained.

    Attributes
    ----------
    value
        The mean squared distance between the risk and what came true by the horizon.
    of_average
        The same if every row had Kaplan and Meier's risk of all rows.
    """

    value: float
    of_average: float

    @property
    def explained(self) -> float:
        """The index of prediction accuracy: ``1 - value / of_average``."""
        return 1 - self.value / self.of_average if self.of_average > 0 else math.nan


def brier_score(
    rows: FollowUp, risks: Floats, horizon: float, weights: Floats | None = None
) -> BrierScore:
    """Graf's Brier score: rows that were lost before the horizon are made up for by weights.

    A row with the event by the horizon weighs ``1 / G(time)`` with ``G`` the share that is not yet censored
    just before that time, one that is still there after it ``1 / G(horizon)``; others are unknown. A row with a
    competing event by then weighs as much as one with the event, and is without it. Rows have to be followed from
    the start. Weights of rows are counted in addition.
    """
    own = np.ones(rows.time.size) if weights is None else weights
    average = float(share_with_event(rows, own).at(np.array([horizon]))[0])
    several = (risks, np.full(risks.size, average))
    return BrierScore(
        *(float(own @ squared_errors_by(rows, one, horizon, own) / own.sum()) for one in several)
    )


def squared_errors_by(rows: FollowUp, risks: Floats, horizon: float, weights: Floats) -> Floats:
    """The squared error of each row by a horizon, made up for those that were lost; see ``brier_score``."""
    uncensored = not_censored(rows, weights)
    is_case = rows.is_event & (rows.time <= horizon)
    is_control = rows.time > horizon
    factors = np.zeros(rows.time.size)
    is_known = is_case | competes_by(rows, horizon)
    factors[is_known] = 1 / uncensored.before(rows.time[is_known])
    if is_control.any():  # otherwise everyone may be lost by then
        factors[is_control] = 1 / float(uncensored.at(np.array([horizon]))[0])
    errors: Floats = factors * np.where(is_case, 1 - risks, risks) ** 2
    return errors


def competes_by(rows: FollowUp, horizon: float) -> Booleans:
    """Which rows have had a competing event by a horizon."""
    is_there: Booleans = rows.time <= horizon
    return is_there & rows.is_competing if rows.is_competing is not None else is_there & False


def not_censored(rows: FollowUp, weights: Floats | None = None) -> Steps:
    """The share of rows that is not censored by each time; events come before what is lost at the same time."""
    own = np.ones(rows.time.size) if weights is None else weights
    is_lost = ~rows.is_event if rows.is_competing is None else ~(rows.is_event | rows.is_competing)
    times = np.unique(rows.time[is_lost])
    lost = np.bincount(np.searchsorted(times, rows.time[is_lost]), own[is_lost], times.size)
    later = weight_from(rows.time, own, np.nextafter(times, np.inf))
    shares: Floats = np.cumprod(1 - lost / (lost + later), dtype=np.float64)
    return Steps(times, shares, first=1.0)


def integrated_brier(rows: FollowUp, risks_by: Callable[[float], Floats], times: Floats) -> float:
    """The Brier score averaged over time, by the trapezoids between some times.

    Parameters
    ----------
    rows
        Followed from the start.
    risks_by
        The risk of each row by a time.
    times
        At least two, ascending, the last of them before the longest follow-up.
    """
    scores = np.array([brier_score(rows, risks_by(float(one)), float(one)).value for one in times])
    return float(np.sum((scores[1:] + scores[:-1]) / 2 * np.diff(times)) / (times[-1] - times[0]))


def risk_groups(risks: Floats, most: int) -> list[Booleans]:
    """Rows in groups of ascending risk, of about the same size; equal risks stay together."""
    distinct, place, counts = np.unique(risks, return_inverse=True, return_counts=True)
    middle = (np.cumsum(counts) - counts / 2) / risks.size
    group = np.minimum((middle * most).astype(int), most - 1)[place]
    return [group == one for one in np.unique(group)] if distinct.size else []
