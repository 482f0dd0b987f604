"""Losses worked out by hand: exposures and events from times, counts or levels, and numbers with their errors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from riskcard.audit.raw_outcome import Numbers, RawOutcome
from riskcard.model.card import RiskCard
from riskcard.model.outcome_kinds import Counts, OrderedLevels, TimeToEvent
from riskcard.model.outcome_kinds import Numbers as NumberKind

#: Comparisons of rows with times that are made at once.
COMPARED_AT_ONCE = 4_000_000
#: What sums, and numbers of which a difference is taken, may be wrong by: some units of their last digits.
ROUNDING_OF_SUMS, ROUNDING_OF_NUMBERS = 1e-13, 1e-15
#: Below this a series is exact to the last digits.
SMALL_RATIO = 1e-4


class HandLoss(Protocol):
    """Rows of another outcome than yes or no, and their loss row by row."""

    def loss(self, linear: Numbers) -> float:
        """The loss where a card gives ``total / multiplier + offset``."""

    def rounding(self, linear: Numbers) -> float:
        """What that loss may be wrong by, because numbers are rounded."""

    def with_pseudo_rows(self, average: float, smooth: float, expected: Numbers) -> Self:
        """The same with pseudo-observations, which are shares of the weight or exposure of each row.

        Parameters
        ----------
        average, smooth
            The shares with the average, and with the smooth prediction.
        expected
            The smooth rate of each row, or its smooth number in standard deviations from the mean.
        """


@dataclass(frozen=True, slots=True)
class HandRates:
    """Exposure and events of each row, times its weight.

    Attributes
    ----------
    exposure, events
        Of each row; the exposure is in a unit in which the average rate is 1.
    log_unit
        What a logarithm of a rate on the card is above that of the rate in this unit; 0 for hazards.
    """

    exposure: Numbers
    events: Numbers
    log_unit: float

    def with_pseudo_rows(self, average: float, smooth: float, expected: Numbers) -> HandRates:
        """The same with pseudo-observations; the average rate is 1."""
        return replace(
            self,
            exposure=self.exposure * (1 + average + smooth),
            events=self.events + self.exposure * (average + smooth * expected),
        )

    def loss(self, linear: Numbers) -> float:
        """Half the Poisson deviance at the logarithms of rates that a card gives: row by row."""
        expected = self.exposure * np.exp(linear - self.log_unit)
        happened = self.events > 0
        surplus = self.events[happened] * np.log(self.events[happened] / expected[happened])
        return math.fsum(expected) - math.fsum(self.events) + math.fsum(surplus)

    def rounding(self, linear: Numbers) -> float:
        """That of the sums of what is expected and of events, of which the deviance is a difference."""
        expected = self.exposure * np.exp(linear - self.log_unit)
        return ROUNDING_OF_SUMS * (math.fsum(expected) + math.fsum(self.events))


@dataclass(frozen=True, slots=True)
class HandNumbers:
    """The number of each row, and its weight.

    Attributes
    ----------
    numbers, weights
        Of each row; with pseudo-observations the mean of all that a row stands for, and what all weigh.
    mean, deviation
        Of the rows as they are.
    """

    numbers: Numbers
    weights: Numbers
    mean: float
    deviation: float

    def with_pseudo_rows(self, average: float, smooth: float, expected: Numbers) -> HandNumbers:
        """The same with pseudo-observations; what those of a row differ by is lost by every card."""
        whole = 1 + average + smooth
        smoothed = self.mean + self.deviation * expected
        numbers = (self.numbers + average * self.mean + smooth * smoothed) / whole
        return replace(self, numbers=numbers, weights=self.weights * whole)

    def loss(self, linear: Numbers) -> float:
        """Half the sum of squared errors: row by row."""
        return math.fsum(self.weights * (linear - self.numbers) ** 2) / 2

    def rounding(self, linear: Numbers) -> float:
        """Each error is a difference of numbers that may be much larger."""
        wrong = ROUNDING_OF_NUMBERS * (np.abs(self.numbers) + np.abs(linear))
        return math.fsum(self.weights * wrong * (2 * np.abs(linear - self.numbers) + wrong)) / 2


def loss_by_hand(
    card: RiskCard, outcome: RawOutcome, is_event: NDArray[np.bool_], weights: Numbers
) -> HandLoss:
    """Rows of another outcome than yes or no, for their loss."""
    if isinstance(card.kind, NumberKind):
        return numbers_by_hand(outcome.columns["number"], weights)
    if isinstance(card.kind, Counts):
        counts, exposed = outcome.columns["count"], outcome.columns["exposure"]
        n_events, whole = math.fsum(weights * counts), math.fsum(weights * exposed)
        exposure = weights * exposed * (n_events / whole)
        return HandRates(exposure, weights * counts, math.log(n_events) - math.log(whole))
    if isinstance(card.kind, OrderedLevels):
        level = outcome.columns["level"]
        exposure = _levels_passed(level, weights, len(card.kind.levels))
        return HandRates(weights * exposure, weights * (level > 0), 0.0)
    assert isinstance(card.kind, TimeToEvent)
    exposure = exposures_by_hand(outcome, is_event, weights)
    return HandRates(weights * exposure, weights * is_event, 0.0)


def numbers_by_hand(numbers: Numbers, weights: Numbers) -> HandNumbers:
    """Numbers with their mean and their standard deviation."""
    mean = math.fsum(weights * numbers) / math.fsum(weights)
    variance = math.fsum(weights * (numbers - mean) ** 2) / math.fsum(weights)
    return HandNumbers(numbers, weights, mean, math.sqrt(variance))


def _levels_passed(level: Numbers, weights: Numbers, n_levels: int) -> Numbers:
    """The cumulative hazard over the levels that each row passes, coming down from the highest.

    Among rows that are all alike a level stops the share ``1 - exp(-D)`` of those that come to it. Where a row
    stops, ``1 - D / (exp(D) - 1)`` counts, which is 1 less ``D`` times those that pass over those that stop.
    """
    exposure = np.zeros(level.size)
    for one in range(1, n_levels):
        stops, passes = math.fsum(weights[level == one]), math.fsum(weights[level < one])
        ratio = stops / passes
        step = math.log1p(ratio)
        exposure[level < one] += step
        # 1 - log(1 + q) / q, which loses its digits where q is small
        series = ratio / 2 - ratio**2 / 3 + ratio**3 / 4 - ratio**4 / 5
        exposure[level == one] += series if ratio < SMALL_RATIO else 1 - step / ratio
    return exposure


# --- times ------------------------------------------------------------------------------------------


def exposures_by_hand(
    outcome: RawOutcome, is_event: NDArray[np.bool_], weights: Numbers
) -> Numbers:
    """The cumulative hazard of each row over the time that it was at risk; every time is compared with every row."""
    moments, hazards = hazards_by_hand(outcome, is_event, weights)
    steps, exposure = np.diff(hazards, prepend=0.0), np.zeros(weights.size)
    for part, is_there in at_risk_by_hand(outcome, is_event, weights, moments):
        exposure += steps[part] @ is_there
    return exposure


def hazards_by_hand(
    outcome: RawOutcome,
    is_event: NDArray[np.bool_],
    weights: Numbers,
    relative: Numbers | float = 1.0,
) -> tuple[Numbers, Numbers]:
    """The times with events, and the cumulative hazard at each: of Nelson and Aalen, or Breslow's.

    Every time is compared with every row. At each the hazard rises by the weight of the rows that have the event
    then, divided by the weight, times the relative hazard, of those that are at risk.

    Parameters
    ----------
    outcome
        Times, and entries where rows came late.
    is_event, weights
        Of each row.
    relative
        The relative hazard of each row; 1 for Nelson and Aalen's.
    """
    time = outcome.columns["time"]
    moments, steps = np.unique(time[is_event]), []
    for part, is_there in at_risk_by_hand(outcome, is_event, weights, moments):
        has_event = (time == moments[part, None]) & is_event
        steps.append((has_event @ weights) / (is_there @ (weights * relative)))
    return moments, np.cumsum(np.concatenate(steps))


def at_risk_by_hand(
    outcome: RawOutcome, is_event: NDArray[np.bool_], weights: Numbers, moments: Numbers
) -> Iterator[tuple[slice, Numbers]]:
    """Some moments, and by how much each row is at risk at each of them: moments by rows.

    A row with a competing event stays at risk by the chance that it would still be seen (Fine and Gray).
    """
    time = outcome.columns["time"]
    entry = outcome.columns.get("entry", np.zeros(time.size))
    competing = outcome.columns.get("competing")
    size = max(1, COMPARED_AT_ONCE // time.size)
    for begin in range(0, moments.size, size):
        part = slice(begin, begin + size)
        moment = moments[part, None]
        is_there = ((time >= moment) & ((entry < moment) | (entry == 0))).astype(np.float64)
        if competing is not None:
            is_censored = ~is_event & (competing == 0)
            seen_then = seen_by_hand(time, is_censored, weights, moments[part])
            seen_last = seen_by_hand(time, is_censored, weights, time)
            kept = seen_then[:, None] / np.where(competing > 0, seen_last, 1.0)
            is_there += np.where((competing > 0) & (time < moment), kept, 0.0)
        yield part, is_there


def seen_by_hand(
    time: Numbers, is_censored: NDArray[np.bool_], weights: Numbers, moments: Numbers
) -> Numbers:
    """The share of rows not censored before each moment, by Kaplan and Meier; events come before censoring."""
    shares = np.ones(moments.size)
    for one in np.unique(time[is_censored]):
        lost = math.fsum(weights[is_censored & (time == one)])
        there = math.fsum(weights[(time > one) | (is_censored & (time == one))])
        shares[moments > one] *= 1 - lost / there
    return shares
