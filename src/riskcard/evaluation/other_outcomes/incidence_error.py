"""How far each row moves the share of rows with the event by a time: Kaplan and Meier's, Aalen and Johansen's."""

from __future__ import annotations

import numpy as np

from riskcard.arrays import Floats
from riskcard.evaluation.linearisation import Linearised, linearise
from riskcard.evaluation.other_outcomes.row_units import RowUnits
from riskcard.outcomes.hazards import FollowUp, weight_from


def incidence_linearised(rows: FollowUp, horizon: float, units: RowUnits) -> Linearised:
    """The share of rows with the event by a horizon, and the influence of each row (or cluster).

    At each time ``k`` with an event of any kind let ``r`` be the weight at risk, ``d`` that of all events, ``e`` that
    of the event, and ``S`` the share without any event just before. The share with the event rises by ``S e / r``, and
    ``S`` is the product of the earlier ``1 - d / r``. The weight of a row moves the logarithm of such a factor by ``d /
    (r (r - d))`` while the row is at risk, less ``1 / (r - d)`` at its own event, and a rise by ``-S e / r**2`` while
    it is at risk, plus ``S / r`` at its event. The influence is the sum of these over time, times the weight. Without
    weights and clusters it is the infinitesimal jackknife.
    """
    weights = units.weights
    any_event = (
        rows.is_event | rows.is_competing if rows.is_competing is not None else rows.is_event
    )
    any_event = any_event & (rows.time <= horizon)
    own_event = rows.is_event & any_event
    times = np.unique(rows.time[any_event])
    at_risk = weight_from(rows.time, weights, times)
    late = np.zeros(rows.time.size) if rows.entry is None else rows.entry
    at_risk = at_risk - weight_from(late[late > 0], weights[late > 0], times)
    events, own = (
        np.bincount(np.searchsorted(times, rows.time[which]), weights[which], times.size)
        for which in (any_event, own_event)
    )
    left = at_risk - events
    is_left = left > 1e-12 * at_risk  # afterwards nobody is without an event, and nothing moves
    inverse = np.where(is_left, 1 / np.where(is_left, left, 1.0), 0.0)
    free = np.concatenate([[1.0], np.cumprod(np.where(is_left, left / at_risk, 0.0))[:-1]])
    rises = free * own / at_risk
    # sums up to each time, from before the first on
    factor = _sums(events * inverse / at_risk)
    risen = _sums(rises)
    mixed = _sums(rises * factor[:-1])
    fallen = _sums(rises / at_risk)
    until = np.searchsorted(times, rows.time, side="right")
    since = np.where(late > 0, np.searchsorted(times, late, side="right"), 0)
    place = np.maximum(until - 1, 0)
    last = np.where(any_event, inverse[place], 0.0) if times.size else np.zeros(rows.time.size)
    moves = mixed[until] - mixed[since] - factor[since] * (risen[until] - risen[since])
    moves += (risen[-1] - risen[until]) * (factor[until] - factor[since] - last)
    if times.size:
        moves += np.where(own_event, (free / at_risk)[place], 0.0)
    moves -= fallen[until] - fallen[since]
    return linearise(units, float(risen[-1]), weights * moves)


def _sums(values: Floats) -> Floats:
    return np.concatenate([[0.0], np.cumsum(values)])
