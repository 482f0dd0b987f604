"""Hazards of rows with times: Nelson and Aalen's estimate, Breslow's baseline, Kaplan and Meier's curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.errors import DataError, ParameterError

#: Rows at risk that weigh less than this part of those seen later have lost most digits in the difference.
LEAST_AT_RISK = 1e-9


@dataclass(frozen=True, slots=True)
class FollowUp:
    """How long each row was followed, and whether with the event.

    Attributes
    ----------
    time
        When the row was last seen.
    is_event
        Whether it was with the event.
    entry
        From when on it was at risk, before ``time``; 0 for all where everyone was followed from the
        start. A row is at risk at a time ``t`` with ``entry < t <= time``, and from the start also at 0.
    is_competing
        Whether it was last seen with another event, after which the event cannot come; None where there
        is no such event.
    """

    time: Floats
    is_event: Booleans
    entry: Floats | None = None
    is_competing: Booleans | None = None

    def take(self, rows: Booleans | Integers) -> FollowUp:
        """Some of the rows, by a boolean each or by their positions."""
        entry = None if self.entry is None else self.entry[rows]
        competing = None if self.is_competing is None else self.is_competing[rows]
        return FollowUp(self.time[rows], self.is_event[rows], entry, competing)

    def hazard(self, weights: Floats, relative: Floats | None = None) -> Steps:
        """The cumulative hazard of a row whose relative hazard is 1, see ``cumulative_hazard``."""
        return cumulative_hazard(self, weights, relative)

    def exposure(self, hazard: Steps) -> Floats:
        """The cumulative hazard of each row over the time that it was at risk."""
        return exposure(self, hazard)

    def never_after_competing(self) -> FollowUp:
        """The rows where those with a competing event are followed for ever, without the event."""
        assert self.is_competing is not None
        later = 2 * float(self.time.max()) + 1
        return FollowUp(np.where(self.is_competing, later, self.time), self.is_event, self.entry)


@dataclass(frozen=True, slots=True)
class Steps:
    """A function of time that steps up (or down) at some times and is constant between them.

    Attributes
    ----------
    times
        Ascending.
    values
        From each of the times on.
    first
        Before all of them.
    """

    times: Floats
    values: Floats
    first: float = 0.0

    def at(self, time: Floats) -> Floats:
        """The values at some times, those at a step after it."""
        place = np.searchsorted(self.times, time, side="right")
        return np.concatenate([[self.first], self.values])[place]

    def before(self, time: Floats) -> Floats:
        """The values just before some times."""
        place = np.searchsorted(self.times, time, side="left")
        return np.concatenate([[self.first], self.values])[place]


def cumulative_hazard(rows: FollowUp, weights: Floats, relative: Floats | None = None) -> Steps:
    """The cumulative hazard of a row whose relative hazard is 1.

    At each time with events it rises by the weight of the events divided by the sum, over all rows at
    risk then, of weight times relative hazard. Without relative hazards this is Nelson and Aalen's
    estimate, with those of a model it is Breslow's.
    """
    at_risk_weight = weights if relative is None else weights * relative
    times = np.unique(rows.time[rows.is_event])
    events = np.zeros(times.size)
    np.add.at(events, np.searchsorted(times, rows.time[rows.is_event]), weights[rows.is_event])
    return Steps(times, np.cumsum(events / _at_risk(rows, at_risk_weight, times)))


def _at_risk(rows: FollowUp, weights: Floats, times: Floats) -> Floats:
    """The weight of the rows at risk at each of some times: seen until then, less those yet to enter.

    Sums are from the last time back, so that small weights at the end do not vanish next to large ones
    before them.
    """
    seen = weight_from(rows.time, weights, times)
    if rows.entry is None:
        return seen
    # everyone who is there from the start is at risk at 0 as well
    is_late = rows.entry > 0
    at_risk = seen - weight_from(rows.entry[is_late], weights[is_late], times)
    if (is_lost := at_risk < LEAST_AT_RISK * seen).any():
        raise DataError(
            f"At the time {times[is_lost][0]:g} the rows at risk weigh less than {LEAST_AT_RISK:g} of all that are "
            "seen later, too little to be told from nothing. Give weights that differ less."
        )
    return at_risk


def weight_from(moments: Floats, weights: Floats, times: Floats) -> Floats:
    """The weight of what happens at each of some times or later."""
    order = np.argsort(moments, kind="stable")
    later = np.concatenate([np.cumsum(weights[order][::-1])[::-1], [0.0]])
    return later[np.searchsorted(moments[order], times, side="left")]


def exposure(rows: FollowUp, hazard: Steps) -> Floats:
    """The cumulative hazard of each row over the time that it was at risk.

    By Nelson and Aalen's estimate of the same rows, weight times exposure adds up to the weight of the
    events: at each time the hazard is counted once for each row at risk.
    """
    until = hazard.at(rows.time)
    if rows.entry is None:
        return until
    return until - np.where(rows.entry > 0, hazard.at(rows.entry), 0.0)


def kaplan_meier(rows: FollowUp, weights: Floats) -> Steps:
    """The share of rows without the event by each time."""
    times = np.unique(rows.time[rows.is_event])
    events = np.zeros(times.size)
    np.add.at(events, np.searchsorted(times, rows.time[rows.is_event]), weights[rows.is_event])
    shares: Floats = 1.0 - events / _at_risk(rows, weights, times)
    left: Floats = np.cumprod(shares, dtype=np.float64)
    return Steps(times, left, first=1.0)


@dataclass(frozen=True, slots=True)
class StepFunction:
    """What one row has at every time, as scikit-survival's functions of that name: call it with times.

    Attributes
    ----------
    x, y
        The times of its steps, ascending, and its values from each of them on.
    first
        Its value before the first step.
    last
        The longest time that is known.
    """

    x: Floats
    y: Floats
    first: float
    last: float

    @property
    def domain(self) -> tuple[float, float]:
        """The times at which it is known."""
        return 0.0, self.last

    def __call__(self, time: Any) -> Any:
        """The value at a time, or at several."""
        times = np.asarray(time, dtype=np.float64)
        if (wrong := (times < 0) | (times > self.last)).any():
            raise ParameterError(
                f"The time is {times[wrong].flat[0]:g}. Use times from 0 to {self.last:g}, the longest "
                "time that a training row was followed."
            )
        values = Steps(self.x, self.y, self.first).at(times)
        return float(values) if times.ndim == 0 else values
