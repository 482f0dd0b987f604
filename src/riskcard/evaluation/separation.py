"""How far apart goods and bads are, in the figures of credit: Gini, KS, CAP curve and lift."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from riskcard.evaluation.discrimination import roc_curve
from riskcard.evaluation.intervals import Interval
from riskcard.evaluation.linearisation import Cells, Rate
from riskcard.evaluation.measures import Floats
from riskcard.evaluation.outcomes import Outcomes

#: Parts of the rows in a table of lift.
_TENTHS = 10


@dataclass(frozen=True, slots=True)
class CapCurve:
    """The cumulative accuracy profile: how many events are among the riskiest rows.

    Attributes
    ----------
    rows
        Share of all rows, the riskiest first; from 0 to 1. Rows of equal risk come together.
    events
        Share of all events among them.
    accuracy_ratio
        The area between the curve and the diagonal, as a share of that of a perfect ranking. It is
        the Gini coefficient.
    """

    rows: Floats
    events: Floats
    accuracy_ratio: float


@dataclass(frozen=True, slots=True)
class LiftRow:
    """One tenth of the rows, the riskiest first.

    Rows of equal risk that lie in two tenths belong to each in proportion, so that the order of the
    rows does not matter.

    Attributes
    ----------
    tenth
        From 1, the riskiest.
    rate
        Share of its rows with the event.
    lift
        The rate as a multiple of that of all rows.
    captured
        Share of all events in this tenth and those before it.
    cumulative_lift
        The rate in this tenth and those before it, as a multiple of that of all rows.
    """

    tenth: int
    rate: float
    lift: float
    captured: float
    cumulative_lift: float


@dataclass(frozen=True, slots=True)
class KolmogorovSmirnov:
    """The largest distance between the distributions of the risk with and without the event.

    Attributes
    ----------
    distance
        The statistic.
    interval
        Its 95 % interval, for the shares on either side of ``risk`` (Newcombe's hybrid of two Wilson
        intervals, and under clusters the linear one); None where there is none. It treats the
        position as known. In simulations it contained the true distance 94 to 97 times in 100 for
        the dozen totals of a card, and 89 to 95 times for scores without ties, whose statistic is too
        high by a few hundredths in samples of 300 to 1,000 rows.
    risk
        Rows with at least this risk are on one side.
    events_above, others_above
        Shares of the rows with and without the event on that side.
    """

    distance: float
    interval: Interval | None
    risk: float
    events_above: float
    others_above: float


@dataclass(frozen=True, slots=True)
class Separation:
    """All of these together.

    Attributes
    ----------
    gini, gini_interval
        Twice the AUC minus 1, and its 95 % interval from that of the AUC; None where there is none.
    ks, cap, lift
        The parts, each described in its own class.
    """

    gini: float
    gini_interval: Interval | None
    ks: KolmogorovSmirnov
    cap: CapCurve
    lift: tuple[LiftRow, ...]


def separation_of(outcomes: Outcomes) -> Separation:
    """Compute everything.

    Examples
    --------
    >>> from riskcard.evaluation.outcomes import read_outcomes
    >>> found = separation_of(read_outcomes([0.1, 0.4, 0.4, 0.8], [0, 0, 1, 1]))
    >>> found.gini, found.ks.distance, found.cap.accuracy_ratio
    (0.75, 0.5, 0.75)
    """
    roc = roc_curve(outcomes)
    ends = roc.interval
    cap = cap_curve(outcomes)
    return Separation(
        gini=2 * roc.area - 1,
        gini_interval=None if ends is None else (2 * ends[0] - 1, 2 * ends[1] - 1),
        ks=kolmogorov_smirnov(outcomes),
        cap=cap,
        lift=lift_by_tenths(cap, outcomes.base_rate),
    )


def kolmogorov_smirnov(outcomes: Outcomes) -> KolmogorovSmirnov:
    """The statistic and where it is attained; of several such risks, the highest."""
    roc = roc_curve(outcomes)
    place = int(np.argmax(np.abs(roc.true_positive - roc.false_positive)))
    at = float(roc.thresholds[place])
    cells = Cells.of(outcomes, (outcomes.risks >= at).astype(np.intp), 2)
    above = np.array([False, False, True, True])
    events, others = (cells.rate(above, kind) for kind in (cells.is_event, ~cells.is_event))
    high, low = (events, others) if events.value >= others.value else (others, events)
    return KolmogorovSmirnov(
        distance=high.value - low.value,
        interval=_difference_interval(high, low),
        risk=at,
        events_above=events.value,
        others_above=others.value,
    )


def cap_curve(outcomes: Outcomes) -> CapCurve:
    """The curve from the riskiest rows to all of them."""
    tally = outcomes.tally()
    rows, events = (
        np.concatenate([[0.0], np.cumsum(kind[::-1]) / kind.sum()])
        for kind in (tally.totals, tally.events)
    )
    rows[-1] = events[-1] = 1.0  # rounding must not miss the corner
    area = float(np.diff(rows) @ (events[1:] + events[:-1])) / 2
    return CapCurve(rows, events, (area - 0.5) / (0.5 - outcomes.base_rate / 2))


def lift_by_tenths(cap: CapCurve, base_rate: float) -> tuple[LiftRow, ...]:
    """The curve read at every tenth of the rows.

    Parameters
    ----------
    cap
        The curve.
    base_rate
        Share of all rows with the event.
    """
    ends = np.arange(_TENTHS + 1) / _TENTHS
    captured = np.interp(ends, cap.rows, cap.events)
    lifts = (np.diff(captured) * _TENTHS).tolist()
    return tuple(
        LiftRow(place, base_rate * lift, lift, whole, whole / end)
        for place, lift, whole, end in zip(
            range(1, _TENTHS + 1), lifts, captured[1:].tolist(), ends[1:].tolist(), strict=True
        )
    )


def _difference_interval(high: Rate, low: Rate) -> Interval | None:
    """Newcombe's 95 % interval of the difference of two rates; under clusters the linear one."""
    if high.is_clustered:
        return (high.linearised() - low.linearised()).interval()
    upper, lower = high.interval(), low.interval()
    if upper is None or lower is None:
        return None
    difference = high.value - low.value
    return (
        difference - math.hypot(high.value - upper[0], lower[1] - low.value),
        difference + math.hypot(upper[1] - high.value, low.value - lower[0]),
    )
