"""Numbers for solvers of yes and no: squared errors bounded by a logistic loss.

A row of the weight ``w`` whose number is ``t`` has, where a card says ``s``, the loss
``w (s - t)**2 / 2``. Here numbers are measured in a unit in which they have the mean 0 and the variance
1, so that ``s`` and ``t`` are a few units at most.

No solver knows this loss, and none needs to. Let ``c`` be a small number, the *grain*, with
``c |t| < 2`` in every row, and let ``S = 4 w / c**2``. Give each row the weight ``S (1/2 + c t / 4)``
with the event and ``S (1/2 - c t / 4)`` without it. The log-loss of these two at the log-odds
``z = c s`` is

    S log(2 cosh(z / 2)) - (c t / 4) S z = S log(2 cosh(c s / 2)) - w t s.                      (1)

*Claim.* For every card, (1) summed over rows is at most its loss plus the constant
``S log(2) - w t**2 / 2`` summed over rows. So whatever is below (1) for every card is, less that
constant, below half the sum of squared errors of every card.

*Proof.* The log-loss of weights ``a`` with and ``b`` without the event is
``(a + b) log(1 + exp(z)) - a z = (a + b) log(2 cosh(z / 2)) + (b - a) z / 2``; with ``a + b = S`` and
``a - b = S c t / 2 = 2 w t / c`` this is (1). ``log cosh(x) <= x**2 / 2`` for every ``x``, because both
sides and their slopes are 0 at 0 and the second derivative of the left side, ``1 / cosh(x)**2``, is at
most 1. With ``x = c s / 2`` the first part of (1) is at most ``S log(2) + S c**2 s**2 / 8 = S log(2) + w
s**2 / 2``, and ``w s**2 / 2 - w t s = w (s - t)**2 / 2 - w t**2 / 2``. Both hold for each row and every
``s``, hence for every card. Cards of either problem are the same, with log-odds that are ``c`` times as
large: the scale and the offset are free, and the limit on steps is multiplied by ``c`` as well.

What is lost is small: ``x**2 / 2 - log cosh(x) <= x**4 / 12``, so that the losses differ by at most
``w c**2 s**4 / 48`` a row. It is part of the gap that is stated, because the loss of a card is computed
exactly and not by (1). A finer grain loses less to that, but more to the rounding of bounds, whose
margin is relative to ``S log(2)``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskcard.arrays import Floats
from riskcard.problem.other_losses import ROUNDING, YesOrNoForm
from riskcard.status import SQUARED_ERROR_TOLERANCE

#: The grain of a proof, and that of a search, whose tolerances are relative to (1); smaller ones where
#: numbers are far from their mean. With 0.1, 0.03, 0.01 and 0.005 finished proofs of scikit-learn's diabetes
#: table left 4e-4, 4e-5, 8e-6 and 6e-6 of the squared error (5 terms, 9 cuts per feature); below that the
#: margins of rounding, which are relative to (1), leave more.
GRAIN, SEARCH_GRAIN = 0.01, 0.1
#: ``c |t|`` is at most this.
MOST_EVEN = 1.9
#: Whether a normal number is above its median says 2 / pi of what the number says about its mean.
ROWS_PER_NUMBER = math.pi / 2
#: Errors below this part of the standard deviation are 0 up to rounding.
NO_ERROR = 1e-12


@dataclass(frozen=True, slots=True)
class NumberRows:
    """The number of each row, and its weight.

    Attributes
    ----------
    weights
        Positive.
    numbers
        With pseudo-observations, the mean of all that a row stands for. In a unit in which those of the
        training rows have the mean 0 and the variance 1.
    unit
        That unit in the unit of the user.
    """

    weights: Floats
    numbers: Floats
    unit: float = 1.0

    #: Largest relative gap of the squared error at which a card is called optimal. What finished proofs leave
    #: (GRAIN) is relative to all squares: where a card explains 90 % of them, ten times as much.
    tolerance: ClassVar[float] = SQUARED_ERROR_TOLERANCE

    @property
    def loss_unit(self) -> float:
        """Losses are squares of the user's unit."""
        return self.unit**2

    def form(self, is_rough: bool = False) -> YesOrNoForm:
        """The rows as (1) has them."""
        furthest = float(np.abs(self.numbers).max(initial=0.0))
        grain = min(SEARCH_GRAIN if is_rough else GRAIN, MOST_EVEN / max(furthest, 1e-300))
        whole = 4.0 / grain**2
        tilt = grain * self.numbers / 4.0
        return YesOrNoForm(
            with_event=self.weights * whole * (0.5 + tilt),
            without=self.weights * whole * (0.5 - tilt),
            unit=grain,
            shift=0.0,
            heaviness=whole,
        )

    def loss(self, linear: Floats) -> float:
        """Half the sum of squared errors, in the user's unit."""
        return float(self.weights @ (linear - self.numbers) ** 2) / 2 * self.loss_unit

    def best_scale(self, totals: Floats, most: float) -> tuple[float, float]:
        """The slope from 0 to ``most``, and the offset, of the line of least squares."""
        middle = float(self.weights @ totals) / float(self.weights.sum())
        spread = float(self.weights @ (totals - middle) ** 2)
        pull = float(self.weights @ ((totals - middle) * self.numbers))
        slope = min(max(pull / spread, 0.0), most) if spread > 0 else 0.0
        return slope, self.best_offset(slope * totals)

    def best_offset(self, scores: Floats) -> float:
        """The offset with the lowest loss: predictions are right on average."""
        return float(self.weights @ (self.numbers - scores)) / float(self.weights.sum())

    def bound(self, logistic: float) -> float:
        """A bound on half the sum of squared errors of every card, by the claim above; at least 0."""
        found, allowance = self._less_constant(logistic)
        return max(0.0, found - allowance) * self.loss_unit

    def logistic_of(self, loss: float) -> float:
        """The log-loss that no card with at most half a sum of squared errors is above, by the claim above."""
        own = loss / self.loss_unit
        less, allowance = self._less_constant(own)
        return 2 * own - less + 2 * allowance

    def _less_constant(self, logistic: float) -> tuple[float, float]:
        """A log-loss less the constant of the claim, and what that may be wrong by."""
        whole = float(self.form().heaviness * self.weights.sum()) * math.log(2.0)
        own = float(self.weights @ self.numbers**2) / 2
        return logistic - whole + own, ROUNDING * (abs(logistic) + whole + own)

    def loss_from(self, logistic: float, log_odds: Floats, weights: Floats) -> float:
        """Half the sum of squared errors; a row loses ``x**2 / 2 - log cosh(x)``, ``x`` being half its log-odds."""
        half = np.abs(log_odds) / 2
        small = half**4 / 12 - half**6 / 45  # to the last digits, where the difference has none
        exact = half**2 / 2 - (half + np.log1p(np.exp(-2 * half)) - math.log(2.0))
        lost = float(weights @ np.where(half < 0.02, small, exact))
        return (self._less_constant(logistic)[0] + lost) * self.loss_unit

    @property
    def rounding(self) -> float:
        """Half the sum of squared errors that are the rounding of numbers."""
        return NO_ERROR**2 * float(self.weights @ self.numbers**2) / 2 * self.loss_unit

    @property
    def size(self) -> float:
        """How many rows of equal weight would say as much."""
        weights = self.weights / self.weights.max()
        return float(weights.sum() ** 2 / np.sum(weights**2))

    @property
    def worth(self) -> float:
        """How many rows of yes or no, half of them yes, would say as much."""
        return ROWS_PER_NUMBER * self.size

    def with_pseudo(self, average: float, smooth: float, predictions: Floats) -> NumberRows:
        """The rows with shares of their weight at the mean, which is 0, and at other numbers.

        A row stands for the mean of its number and these; what they differ by is lost by every card.
        """
        whole = 1 + average + smooth
        numbers = (self.numbers + smooth * predictions) / whole
        return NumberRows(self.weights * whole, numbers, self.unit)

    def times(self, number: float) -> NumberRows:
        """The same rows where a weight of 1 is ``number``."""
        return NumberRows(self.weights * number, self.numbers, self.unit)
