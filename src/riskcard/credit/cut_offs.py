"""Where to cut off: approval rate against bad rate, and who is swapped against an existing score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.errors import ParameterError
from riskcard.evaluation.intervals import Figure, rate_interval
from riskcard.evaluation.linearisation import Rate, effective_units, sum_by_unit
from riskcard.evaluation.measures import Floats
from riskcard.evaluation.monitoring.drift import equal_share_bands
from riskcard.evaluation.outcomes import Outcomes, effective_rows
from riskcard.evaluation.thresholds import Threshold, threshold_table

#: Lines of a table of cut-offs, unless a cut-off is asked for.
_MOST_CUT_OFFS = 20


@dataclass(frozen=True, slots=True)
class CutOff:
    """What happens if applicants on the safe side of a total are approved.

    Attributes
    ----------
    at
        The total of the riskiest applicants who are approved.
    approved
        Share of the rows approved.
    bad_rate
        Share with the event among those approved.
    expected
        Their mean risk by the card; None where nobody is approved.
    bads_refused, goods_refused
        Shares of all rows with and without the event that are refused.
    """

    at: int
    approved: Figure
    bad_rate: Figure
    expected: float | None
    bads_refused: Figure
    goods_refused: Figure


def cut_off_table(
    outcomes: Outcomes,
    totals: NDArray[np.int64],
    higher_is_safer: bool,
    at: Sequence[int] | None = None,
) -> tuple[CutOff, ...]:
    """Look at several cut-offs, the strictest first.

    Parameters
    ----------
    outcomes
        The rows with the card's risks.
    totals
        The total of each.
    higher_is_safer
        As on the card: applicants with at least the cut-off are approved, otherwise with at most.
    at
        Cut-offs; by default at most twenty totals with about equal shares of the rows between them.
    """
    chosen = _steps(outcomes, totals, higher_is_safer) if at is None else list(at)
    # a threshold flags those who are refused: one point beyond the cut-off
    step = -1 if higher_is_safer else 1
    thresholds = threshold_table(
        outcomes, totals, [one + step for one in chosen], higher_is_riskier=not higher_is_safer
    )
    found = [_cut_off(one, outcomes, totals, step) for one in thresholds]
    return tuple(sorted(found, key=lambda one: one.approved.value))


def _cut_off(one: Threshold, outcomes: Outcomes, totals: NDArray[np.int64], step: int) -> CutOff:
    at = round(one.at) - step
    is_approved = totals * -step >= at * -step
    weights = outcomes.weights[is_approved]
    return CutOff(
        at=at,
        approved=_rest(one.flagged),
        bad_rate=_rest(one.negative_value),
        expected=float(weights @ outcomes.risks[is_approved] / weights.sum())
        if weights.size
        else None,
        bads_refused=one.sensitivity,
        goods_refused=_rest(one.specificity),
    )


def _rest(share: Figure) -> Figure:
    """What a share leaves."""
    ends = share.interval
    return Figure(1 - share.value, None if ends is None else (1 - ends[1], 1 - ends[0]))


def _steps(outcomes: Outcomes, totals: NDArray[np.int64], higher_is_safer: bool) -> list[int]:
    values, place = np.unique(totals, return_inverse=True)
    weights = np.bincount(place, outcomes.weights)
    if higher_is_safer:
        values, weights = values[::-1], weights[::-1]
    return [int(values[end]) for end in equal_share_bands(weights, _MOST_CUT_OFFS)]


# --- swap set -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SwapCell:
    """Applicants whom the card and the existing score treat in one of four ways.

    Attributes
    ----------
    rows, events
        How many, by weight; fractions where rows that tie at a cut-off count in part.
    rate
        Share with the event; NaN without rows.
    """

    rows: float
    events: float
    rate: Figure


@dataclass(frozen=True, slots=True)
class SwapSet:
    """The card against an existing score at the same approval rate.

    Where rows tie at the cut-off, each counts as approved by the share that is needed, so that both
    approve the same share.

    Attributes
    ----------
    approval_rate
        Share of the rows that either approves.
    both, swapped_in, swapped_out, neither
        Approved by both; by the card only; by the existing score only; by none.
    card_bad_rate, existing_bad_rate
        Share with the event among those whom either approves.
    """

    approval_rate: float
    both: SwapCell
    swapped_in: SwapCell
    swapped_out: SwapCell
    neither: SwapCell
    card_bad_rate: Figure
    existing_bad_rate: Figure


def swap_set(outcomes: Outcomes, existing: Floats, approval_rate: float) -> SwapSet:
    """Compare whom two scores approve.

    Parameters
    ----------
    outcomes
        The rows with the card's risks.
    existing
        Another score of the same rows; higher is riskier.
    approval_rate
        Share of the rows that is approved.

    Examples
    --------
    >>> from riskcard.evaluation.outcomes import read_outcomes
    >>> rows = read_outcomes([0.1, 0.2, 0.3, 0.4], [0, 0, 1, 1])
    >>> found = swap_set(rows, np.array([1.0, 3.0, 2.0, 4.0]), 0.5)
    >>> found.swapped_in.rate.value, found.swapped_out.rate.value
    (0.0, 1.0)
    """
    if not 0 < approval_rate < 1:
        raise ParameterError(
            f"The approval rate is {approval_rate:g}. Use a share between 0 and 1, such as 0.7."
        )
    new, old = (
        approvals(one, outcomes.weights, approval_rate) for one in (outcomes.risks, existing)
    )
    return SwapSet(
        approval_rate,
        both=_cell(outcomes, new * old),
        swapped_in=_cell(outcomes, new * (1 - old)),
        swapped_out=_cell(outcomes, (1 - new) * old),
        neither=_cell(outcomes, (1 - new) * (1 - old)),
        card_bad_rate=_cell(outcomes, new).rate,
        existing_bad_rate=_cell(outcomes, old).rate,
    )


def approvals(riskier: Floats, weights: Floats, rate: float) -> Floats:
    """How far each row is approved, from 0 to 1, when the safest share of the rows is."""
    place = np.unique(riskier, return_inverse=True)[1]
    shares = np.bincount(place, weights) / weights.sum()
    before = np.cumsum(shares) - shares
    parts: Floats = np.clip((rate - before) / shares, 0.0, 1.0)[place]
    return parts


def _cell(outcomes: Outcomes, parts: Floats) -> SwapCell:
    weights = outcomes.weights * parts
    rows, events = float(weights.sum()), float(weights[outcomes.is_event].sum())
    if rows <= 0:
        return SwapCell(0.0, 0.0, Figure(float("nan"), None))
    rate = events / rows
    # rows that count in part are fewer rows, not as many rows of less weight
    known = effective_rows(outcomes.weights) * rows / float(outcomes.weights.sum())
    if outcomes.clusters is None:
        return SwapCell(rows, events, Figure(rate, rate_interval(rate, known)))
    moves = sum_by_unit(outcomes, weights * (outcomes.is_event - rate) / rows)
    clustered = Rate(rate, moves, effective_units(outcomes, weights), True, True)
    return SwapCell(rows, events, Figure(rate, clustered.interval(most_rows=known)))
