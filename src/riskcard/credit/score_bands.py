"""Score bands: goods and bads in each band of the total, and how they add up from the riskiest on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.evaluation.intervals import Figure
from riskcard.evaluation.monitoring.drift import equal_share_bands
from riskcard.evaluation.outcomes import Outcomes
from riskcard.evaluation.thresholds import RiskGroup, risk_groups
from riskcard.formatting.speech import say

#: Bands of a card, unless they are given.
MOST_BANDS = 10


@dataclass(frozen=True, slots=True)
class ScoreBand:
    """Rows whose total is in one band.

    Attributes
    ----------
    words
        The band.
    rows, events
        Counts.
    share
        Share of all rows, by weight.
    expected
        Mean risk by the card; None without rows.
    rate
        Share of the rows with the event, by weight, with its 95 % interval.
    cumulative_rows, cumulative_goods, cumulative_bads
        Shares of all rows, of those without and of those with the event, in this band and all riskier
        ones.
    """

    words: str
    rows: int
    events: int
    share: float
    expected: float | None
    rate: Figure
    cumulative_rows: float
    cumulative_goods: float
    cumulative_bads: float

    @property
    def distance(self) -> float:
        """Cumulative bads less cumulative goods; the largest over all totals is the KS."""
        return self.cumulative_bads - self.cumulative_goods


def score_bands(
    outcomes: Outcomes,
    totals: NDArray[np.int64],
    higher_is_safer: bool,
    begins: Sequence[int] | None = None,
) -> tuple[ScoreBand, ...]:
    """Divide rows into bands of their total, the riskiest first.

    Parameters
    ----------
    outcomes
        The rows with the card's risks.
    totals
        The total of each.
    higher_is_safer
        As on the card.
    begins
        The totals with which a further band begins; by default such that there are at most ten bands
        with about equal shares of the rows.
    """
    cuts = _equal_begins(outcomes, totals) if begins is None else sorted(set(begins))
    # a cut below all totals gives one band
    groups = risk_groups(outcomes, cuts or [int(totals.min())], totals)
    groups = tuple(one for one in groups if one.rows or begins is not None)
    ordered = groups if higher_is_safer else groups[::-1]
    goods = [one.share.value * (1 - one.observed.value) if one.rows else 0.0 for one in ordered]
    bads = [one.share.value * one.observed.value if one.rows else 0.0 for one in ordered]
    sums = [np.cumsum(side) / sum(side) for side in (goods, bads)]
    rows = np.cumsum([one.share.value for one in ordered])
    return tuple(
        _band(one, float(rows[i]), float(sums[0][i]), float(sums[1][i]))
        for i, one in enumerate(ordered)
    )


def _band(group: RiskGroup, rows: float, goods: float, bads: float) -> ScoreBand:
    return ScoreBand(
        words=band_words(group.low, group.high),
        rows=group.rows,
        events=group.events,
        share=group.share.value,
        expected=None if math.isnan(group.expected) else group.expected,
        rate=group.observed,
        cumulative_rows=rows,
        cumulative_goods=goods,
        cumulative_bads=bads,
    )


def band_words(low: float, high: float) -> str:
    """A band of whole totals from ``low`` to below ``high``; either may be infinite."""
    if math.isinf(low) and math.isinf(high):
        return say("drift_any_total")
    if math.isinf(low):
        return say("drift_up_to", high=f"{high - 1:.0f}")
    if math.isinf(high):
        return say("validation_or_more", low=f"{low:.0f}")
    if high - low == 1:
        return f"{low:.0f}"
    return say("credit_band_range", low=f"{low:.0f}", high=f"{high - 1:.0f}")


def _equal_begins(outcomes: Outcomes, totals: NDArray[np.int64]) -> list[int]:
    values, place = np.unique(totals, return_inverse=True)
    ends = equal_share_bands(np.bincount(place, outcomes.weights), MOST_BANDS)
    return [int(values[end + 1]) for end in ends[:-1]]
