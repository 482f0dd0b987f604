"""Competing events: Fine and Gray's rows at risk, and Aalen and Johansen's cumulative incidence.

A row with a competing event can never have the event. Fine and Gray (JASA 94, 1999) keep it at risk of the
*subdistribution* nevertheless, for as long as it would have been seen: after its time ``s`` it counts at a
time ``t`` with the weight ``G(t-) / G(s-)``, ``G`` being Kaplan and Meier's estimate of the share of rows
that are not yet censored. The risk by ``t`` is then ``1 - exp(-H(t))``, with ``H`` the cumulative hazard of
the subdistribution. Without competing events nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskcard.arrays import Floats
from riskcard.outcomes.hazards import FollowUp, Steps, cumulative_hazard, kaplan_meier, weight_from


@dataclass(frozen=True, slots=True)
class SubdistributionRows:
    """Rows with what is known of how long those with a competing event would have been seen.

    Attributes
    ----------
    rows
        The follow-up; no row enters late.
    unseen
        The share of rows that are not yet censored, as a function of time.
    """

    rows: FollowUp
    unseen: Steps

    @property
    def _inverse(self) -> Floats:
        """``1 / G(s-)`` of rows with a competing event, 0 of others."""
        competing = self.rows.is_competing
        assert competing is not None
        shares = self.unseen.before(self.rows.time)
        return np.where(competing, 1.0 / np.where(competing, shares, 1.0), 0.0)

    def hazard(self, weights: Floats, relative: Floats | None = None) -> Steps:
        """The cumulative hazard of the subdistribution of a row whose relative hazard is 1.

        At each time with events it rises by their weight divided by the weight of all rows at risk, as in
        ``outcomes.hazards.cumulative_hazard``.
        """
        rows, own = self.rows, weights if relative is None else weights * relative
        times = np.unique(rows.time[rows.is_event])
        events = np.zeros(times.size)
        np.add.at(events, np.searchsorted(times, rows.time[rows.is_event]), weights[rows.is_event])
        # a row counts in full until its time, and then as long as it would have been seen
        at_risk = weight_from(rows.time, own, times)
        after = own * self._inverse
        kept = self.unseen.before(times) * (after.sum() - weight_from(rows.time, after, times))
        return Steps(times, np.cumsum(events / (at_risk + np.maximum(kept, 0.0))))

    def exposure(self, hazard: Steps) -> Floats:
        """The cumulative hazard of each row over its time at risk, weights included.

        By the hazard of the same rows, weight times exposure adds up to the weight of the events.
        """
        steps = np.diff(hazard.values, prepend=hazard.first)
        kept = Steps(hazard.times, np.cumsum(self.unseen.before(hazard.times) * steps))
        later = float(kept.values[-1]) - kept.at(self.rows.time)
        return hazard.at(self.rows.time) + self._inverse * later


def subdistribution_rows(rows: FollowUp, weights: Floats) -> SubdistributionRows:
    """The rows at risk of the subdistribution.

    A row that is censored at the time of an event was still there, so events come before censoring.
    """
    assert rows.is_competing is not None
    is_censored = ~(rows.is_event | rows.is_competing)
    if not is_censored.any():
        return SubdistributionRows(rows, Steps(np.zeros(0), np.zeros(0), first=1.0))
    # at a time of both, those with an event are no longer at risk of being censored
    times = np.unique(rows.time)
    place = np.asarray(2 * np.searchsorted(times, rows.time) + is_censored, dtype=np.float64)
    by_place = kaplan_meier(FollowUp(place, is_censored), weights)
    at = times[(by_place.times // 2).astype(int)]
    return SubdistributionRows(rows, Steps(at, by_place.values, first=1.0))


def cumulative_incidence(rows: FollowUp, weights: Floats) -> Steps:
    """Aalen and Johansen's estimate of the share of rows with the event by each time.

    At each time with events it rises by the share that is still free of any event, times the weight of the
    events over that of the rows at risk.
    """
    competing = (
        np.zeros(rows.time.size, dtype=bool) if rows.is_competing is None else rows.is_competing
    )
    either = FollowUp(rows.time, rows.is_event | competing, rows.entry)
    free, hazard = kaplan_meier(either, weights), cumulative_hazard(rows, weights)
    rises = free.before(hazard.times) * np.diff(hazard.values, prepend=0.0)
    return Steps(hazard.times, np.cumsum(rises))
