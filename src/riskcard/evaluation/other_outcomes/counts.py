"""How well rates agree with counts: events observed against those expected, in groups of rate."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from riskcard.arrays import Floats
from riskcard.evaluation.intervals import Figure
from riskcard.evaluation.linearisation import linearise
from riskcard.evaluation.other_outcomes.row_units import RowUnits
from riskcard.evaluation.other_outcomes.survival import risk_groups

#: Newton steps of a regression, and the step at which it ends.
MOST_STEPS, SMALL_STEP = 60, 1e-10
#: What sums of a deviance may be wrong by, relative to the counts.
ROUNDING = 1e-13


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


def ratio_figure(counts: Floats, expected: Floats, units: RowUnits) -> Figure:
    """Events divided by expected ones: with an exact interval, or where rows have weights or clusters by influences."""
    weights = units.weights
    events, whole = float(weights @ counts), float(weights @ expected)
    if units.is_plain:
        return poisson_ratio(events / float(weights[0]), whole / float(weights[0]))
    ratio = events / whole
    found = linearise(units, ratio, weights * (counts - ratio * expected) / whole)
    return Figure(ratio, found.log_interval())


def rate_groups(
    rates: Floats, counts: Floats, exposure: Floats, most: int, units: RowUnits | None = None
) -> list[RateGroup]:
    """Rows in groups of ascending rate, of about the same size; equal rates stay together."""
    units, found = units or RowUnits.equal(rates.size), []
    for own in risk_groups(rates, most):
        weights, expects = units.weights[own], rates[own] * exposure[own]
        found.append(
            RateGroup(
                rows=int(np.count_nonzero(own)),
                lowest=float(rates[own].min()),
                highest=float(rates[own].max()),
                events=float(weights @ counts[own]),
                expected=float(weights @ expects),
                ratio=ratio_figure(counts[own], expects, units.take(own)),
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class CountFigures:
    """Rates against counts.

    Attributes
    ----------
    events, expected
        Of all rows.
    ratio
        Events divided by expected, with the exact interval of a Poisson count.
    explained
        The share of the Poisson deviance that the card explains, below 0 where one rate for all rows is better; NaN
        where the rate is the same in all rows.
    deviance
        Per row.
    dispersion
        Pearson's chi-squared per row; far above 1, intervals of a Poisson count are too narrow.
    slope
        The factor of the logarithms of rates that fits these rows best; 1 is right.
    groups
        Rows of similar rates.
    """

    events: float
    expected: float
    ratio: Figure
    explained: float
    deviance: float
    dispersion: float
    slope: float
    groups: tuple[RateGroup, ...]


def count_figures(
    linear: Floats, counts: Floats, exposure: Floats, most: int, units: RowUnits | None = None
) -> CountFigures:
    """The figures of some rows, by the logarithms of their rates, in at most so many groups."""
    units = units or RowUnits.equal(linear.size)
    weights, rates = units.weights, np.exp(linear)
    expected, events = rates * exposure, float(weights @ counts)
    average = events / float(weights @ exposure) * exposure
    deviance, of_average = (
        float(weights @ row_deviances(counts, one)) for one in (expected, average)
    )
    return CountFigures(
        events=events,
        expected=float(weights @ expected),
        ratio=ratio_figure(counts, expected, units),
        # less than that is the rounding of a rate that is the same in all rows
        explained=1 - deviance / of_average if of_average > ROUNDING * events else math.nan,
        deviance=deviance / float(weights.sum()),
        dispersion=float(np.average((counts - expected) ** 2 / expected, weights=weights)),
        slope=_slope(linear, counts, exposure, weights),
        groups=tuple(rate_groups(rates, counts, exposure, most, units)),
    )


def row_deviances(counts: Floats, expected: Floats) -> Floats:
    """The part of each row in the Poisson deviance."""
    happened = counts > 0
    ratio = np.where(happened, counts / expected, 1.0)
    found: Floats = 2 * (counts * np.log(ratio) + expected - counts)
    return found


def poisson_deviance(counts: Floats, expected: Floats) -> float:
    """The Poisson deviance of counts.

    Examples
    --------
    >>> poisson_deviance(np.array([1.0, 2.0]), np.array([1.0, 2.0]))
    0.0
    """
    return float(row_deviances(counts, expected).sum())


def _slope(linear: Floats, counts: Floats, exposure: Floats, weights: Floats) -> float:
    """The factor of the logarithms of rates with the lowest deviance, by Newton steps; NaN where there is none."""
    if not np.ptp(linear) > 0 or not counts.any():
        return math.nan
    columns = np.column_stack([np.ones(linear.size), linear - linear.mean()])
    counts, exposure = weights * counts, weights * exposure
    found = np.array([math.log(float(counts.sum()) / float(exposure.sum())), 0.0])
    for _ in range(MOST_STEPS):
        expected = exposure * np.exp(columns @ found)
        try:
            step = np.linalg.solve(columns.T * expected @ columns, columns.T @ (counts - expected))
        except np.linalg.LinAlgError:  # all that is expected is in rows of one rate by now
            return math.nan
        # never so far that an exponential leaves its range
        found = found + step * min(1.0, 2.0 / max(float(np.abs(columns @ step).max()), 1e-300))
        if float(np.abs(step).max()) < SMALL_STEP:
            return float(found[1])
    return math.nan  # such as where all events are in the rows of one rate
