"""Rates and hazards for solvers of yes and no: the Poisson loss bounded by a logistic one.

A row with the exposure ``e`` and ``d`` events has, at the logarithm ``z`` of its rate, the Poisson loss
``e exp(z) - d z``. Counts have it, with a time or an amount as exposure. Times to an event have it too,
with ``d`` the event (0 or 1) and ``e`` the cumulative hazard over the time at risk: ``z`` is then the
logarithm of a relative hazard, and the loss the negative log-likelihood of proportional hazards at a
baseline that is held fixed.

No solver knows this loss, and none needs to. Let ``K`` be a large number, the *factor*, with
``K e >= d`` in every row, and give each row the weight ``K e - d`` without the event and ``d`` with it.
The log-loss of these two at the log-odds ``z - log K`` is

    K e log(1 + exp(z - log K)) - d (z - log K).                                                (1)

*Claim.* For every card, (1) summed over rows is at most its Poisson loss plus ``log K`` times the
number of events. So whatever is below (1) for every card is, less that constant, below the Poisson
loss of every card.

*Proof.* ``log(1 + x) <= x`` for every ``x >= 0``. With ``x = exp(z - log K)`` the first part of (1) is
at most ``K e exp(z) / K = e exp(z)``; the second is ``-d z + d log K``. Both hold for each row and every
``z``, hence for every card. Cards of either problem are the same but for the constant ``log K`` in the
offset, which is free, and with the same limits on terms.

What is lost is small: ``x - log(1 + x) <= x**2 / 2``, so that the losses differ by at most
``e exp(2 z) / (2 K)`` a row, which is about events times relative rate divided by ``2 K``. It is part of
the gap that is stated, because the loss of a card is computed exactly and not by (1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskcard.arrays import Floats
from riskcard.problem.other_losses import ROUNDING, YesOrNoForm
from riskcard.status import OPTIMALITY_TOLERANCE

#: The least factor. A larger one brings (1) nearer to the Poisson loss, but solvers add up weights to 51
#: bits, of which a row with events then keeps fewer. From 2**20 to 2**22, 2**24 and 2**26 the gap of finished
#: proofs fell from 3.5e-6 of the deviance to 9.4e-7, 3.1e-7 and 1.4e-7 (800 rows with times, 4 terms; of
#: counts from 1.4e-5 to 2.8e-7); nodes stay the same.
LEAST_FACTOR = 2.0**26
#: The factor of a search without proof, whose tolerances and ridge are relative to the total weight.
SEARCH_FACTOR = 2.0**10
#: An event says as much about a rate as this many rows, half of them with the event, about log-odds.
ROWS_PER_EVENT = 4.0
#: A deviance below this part of the events is 0 up to the rounding of sums.
NO_DEVIANCE = 1e-13
#: Halvings of the interval of slopes: to the last digits.
HALVINGS = 60


@dataclass(frozen=True, slots=True)
class RateRows:
    """Exposure and events of each row, times its weight.

    Attributes
    ----------
    exposure
        Not negative, and positive where there are events. In a unit in which the average rate is 1.
    events
        Not negative; not whole where rows have weights or pseudo-observations.
    """

    exposure: Floats
    events: Floats

    @property
    def factor(self) -> float:
        """The factor: a power of two, and at least twice the largest rate of a row."""
        is_event = self.events > 0
        largest = float(np.max(self.events[is_event] / self.exposure[is_event]))
        return max(LEAST_FACTOR, 2.0 ** math.ceil(math.log2(2 * largest)))

    #: Largest relative gap of the deviance at which a card is called optimal.
    tolerance: ClassVar[float] = OPTIMALITY_TOLERANCE

    @property
    def loss_unit(self) -> float:
        """Events are counted in the same unit everywhere."""
        return 1.0

    def form(self, is_rough: bool = False) -> YesOrNoForm:
        """The rows as (1) has them; for a search with a smaller factor, and no weight below 0."""
        factor = SEARCH_FACTOR if is_rough else self.factor
        return YesOrNoForm(
            with_event=self.events,
            without=np.maximum(factor * self.exposure - self.events, 0.0),
            unit=1.0,
            shift=math.log(factor),
            heaviness=factor,
        )

    @property
    def shift(self) -> float:
        """What the logarithm of a rate is above the log-odds of the solver."""
        return math.log(self.factor)

    def loss_from(self, logistic: float, log_odds: Floats, weights: Floats) -> float:
        """Half the deviance; a row loses ``x - log(1 + x)``, ``x`` being its odds: see the claim."""
        odds = np.exp(log_odds)
        small = odds**2 / 2 - odds**3 / 3  # to the last digits, where the difference has none
        lost = float(weights @ np.where(odds < 1e-4, small, odds - np.log1p(odds)))
        return self._less_constant(logistic)[0] + lost

    def loss(self, log_rates: Floats) -> float:
        """Half the deviance: the Poisson loss above that of rows that each have their own rate.

        It is never negative, so that a relative gap has a meaning.
        """
        expected = self.exposure * np.exp(log_rates)
        is_event = self.events > 0
        own = self.events[is_event]
        surplus = own * np.log(own / expected[is_event])
        return max(0.0, float(np.sum(expected - self.events) + np.sum(surplus)))

    def best_scale(self, totals: Floats, most: float) -> tuple[float, float]:
        """The slope from 0 to ``most``, and the offset, with the lowest loss at ``slope * total + offset``.

        At the best offset of each slope the loss is convex in the slope, and its derivative is the events
        times the mean of the totals, weighted by what is expected, less the sum over events of totals.
        """
        whole, wanted = float(self.events.sum()), float(self.events @ totals)
        low, high = 0.0, most
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            relative = self.exposure * np.exp(middle * (totals - totals.max()))
            is_rising = whole * float(relative @ totals) > wanted * float(relative.sum())
            low, high = (low, middle) if is_rising else (middle, high)
        return low, self.best_offset(low * totals)

    def best_offset(self, scores: Floats) -> float:
        """The offset with the lowest loss: as many events are expected as there are."""
        highest = float(scores.max())
        relative = float(self.exposure @ np.exp(scores - highest))
        return math.log(float(self.events.sum())) - math.log(relative) - highest

    def bound(self, logistic: float) -> float:
        """A bound on half the deviance of every card from one on its logistic loss, by the claim above.

        The deviance counts from the Poisson loss of rows with their own rates, ``d - d log(d / e)``. At
        least 0, which every card's is.
        """
        found, allowance = self._less_constant(logistic)
        return max(0.0, found - allowance)

    def logistic_of(self, loss: float) -> float:
        """The log-loss that no card with at most half a deviance is above, by the claim above."""
        less, allowance = self._less_constant(loss)
        return 2 * loss - less + 2 * allowance

    def _less_constant(self, logistic: float) -> tuple[float, float]:
        """A log-loss less the constants of the claim and of the deviance, and what that may be wrong by."""
        is_event = self.events > 0
        own = self.events[is_event]
        floor = float(np.sum(own - own * np.log(own / self.exposure[is_event])))
        constant = float(own.sum()) * self.shift
        allowance = ROUNDING * (abs(logistic) + abs(constant) + abs(floor))
        return logistic - constant - floor, allowance

    @property
    def rounding(self) -> float:
        """What the deviance of exact predictions may come to by rounding."""
        return NO_DEVIANCE * float(self.events.sum())

    @property
    def size(self) -> float:
        """How many events of weight 1, of a row each, would say as much."""
        events = self.events / self.events.max()
        return float(events.sum() ** 2 / np.sum(events**2))

    @property
    def worth(self) -> float:
        """How many rows of yes or no, half of them yes, would say as much.

        The logarithm of a rate is known from ``d`` events with the variance ``1 / d``, log-odds from ``n``
        such rows with ``4 / n``. Unequal weights, and many events of one row, cost as in ``size``.
        """
        return ROWS_PER_EVENT * self.size

    def with_pseudo(self, average: float, smooth: float, predictions: Floats) -> RateRows:
        """The rows with shares of their exposure at the average rate, which is 1, and at other rates."""
        expected = average + smooth * predictions
        return RateRows(
            self.exposure * (1 + average + smooth), self.events + self.exposure * expected
        )

    def times(self, number: float) -> RateRows:
        """The same rows where a weight of 1 is ``number``."""
        return RateRows(self.exposure * number, self.events * number)
