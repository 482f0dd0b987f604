"""How well rates agree with counts: events observed against those expected, in groups of rate."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from riskcard.arrays import Floats
from riskcard.evaluation.intervals import Figure
from riskcard.evaluation.other_outcomes.survival import risk_groups


@dataclass(frozen=True, slots=True)
class RateGroup:
    """Rows of similar rate.

    Attributes
    ----------
    rows
        Count.
    lowest, highest
        Of their rates.
    events, expected
        What happened, and what the card expects over their exposure.
    ratio
        Events divided by expected, with the exact interval of a Poisson count.
    """

    rows: int
    lowest: float
    highest: float
    events: float
    expected: float
    ratio: Figure


def poisson_ratio(events: float, expected: float) -> Figure:
    """Observed divided by expected, with Garwood's exact 95 % interval; NaN where nothing is expected.

    Examples
    --------
    >>> found = poisson_ratio(10, 8.0)
    >>> found.value, [round(end, 3) for end in found.interval]
    (1.25, [0.599, 2.299])
    """
    if expected <= 0:
        return Figure(math.nan, None)
    low = float(chi2.ppf(0.025, 2 * events)) / 2 if events > 0 else 0.0
    high = float(chi2.ppf(0.975, 2 * events + 2)) / 2
    return Figure(events / expected, (low / expected, high / expected))


def rate_groups(rates: Floats, counts: Floats, exposure: Floats, most: int) -> list[RateGroup]:
    """Rows in groups of ascending rate, of about the same size; equal rates stay together."""
    found = []
    for own in risk_groups(rates, most):
        events, expected = float(counts[own].sum()), float(rates[own] @ exposure[own])
        found.append(
            RateGroup(
                rows=int(np.count_nonzero(own)),
                lowest=float(rates[own].min()),
                highest=float(rates[own].max()),
                events=events,
                expected=expected,
                ratio=poisson_ratio(events, expected),
            )
        )
    return found
