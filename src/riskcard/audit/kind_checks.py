"""The part of an audit about what only cards of other outcomes claim: follow-up, baseline, risks, rates, numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from riskcard.audit.findings import ROUNDING, Check, checked
from riskcard.audit.hand_loss import is_close, is_event, log_odds_of
from riskcard.audit.hand_rates import ROUNDING_OF_NUMBERS, hazards_by_hand, numbers_by_hand
from riskcard.audit.raw_outcome import Numbers
from riskcard.audit.raw_rows import Rows, totals_by_hand
from riskcard.model.card import RiskCard
from riskcard.model.outcome_kinds import Counts, OrderedLevels, OutcomeKind, TimeToEvent
from riskcard.model.outcome_kinds import Numbers as NumberKind

#: The names of these checks.
FOLLOW_UP, EXPOSURE, BASELINE, NUMBERS = "follow-up", "exposure", "baseline", "numbers"


def check_kind_of_rows(card: RiskCard, kind: OutcomeKind, rows: Rows) -> Iterator[Check]:
    """What the card says of the rows as a whole, in addition to their number, and its baseline."""
    assert rows.outcome is not None
    columns = rows.outcome.columns
    if isinstance(kind, Counts):
        events = math.fsum(rows.weights * columns["count"])
        exposed = math.fsum(rows.weights * columns["exposure"])
        passed = is_close(events, kind.events) and is_close(exposed, kind.exposed)
        here = f"{events:.10g} events in an exposure of {exposed:.10g}"
        detail = f"{here}; the card says {kind.events:.10g} in {kind.exposed:.10g}"
        yield checked(EXPOSURE, passed, detail)
        return
    if isinstance(kind, NumberKind):
        found = numbers_by_hand(columns["number"], rows.weights)
        passed = is_close(found.mean, kind.mean) and is_close(found.deviation, kind.deviation)
        here = f"mean {found.mean:.10g}, standard deviation {found.deviation:.10g}"
        detail = f"{here}; the card says {kind.mean:.10g} and {kind.deviation:.10g}"
        yield checked(NUMBERS, passed, detail)
        return
    if isinstance(kind, OrderedLevels):
        yield _check_levels(card, kind, rows)
        return
    last = float(columns["time"].max())
    detail = f"rows were followed up to {last:.10g}; the card says {kind.last:.10g}"
    yield checked(FOLLOW_UP, last == kind.last, detail)
    yield _check_baseline(card, kind, rows)


def _check_baseline(card: RiskCard, kind: TimeToEvent, rows: Rows) -> Check:
    """The baseline is Breslow's estimate, given the totals of these rows."""
    assert rows.outcome is not None
    relative = np.exp(log_odds_of(card, totals_by_hand(card, rows)))
    events = is_event(card, rows)
    moments, hazards = hazards_by_hand(rows.outcome, events, rows.weights, relative)
    if moments.tolist() != list(kind.times):
        detail = f"{len(kind.times)} times on the card, {moments.size} with events in the rows"
        return checked(BASELINE, False, f"{detail}, and they are not the same")
    stated = np.array(kind.hazards)
    farthest = float(np.max(np.abs(stated / hazards - 1), initial=0.0))
    whose = "" if kind.competing is None else " for the subdistribution"
    detail = f"{moments.size} steps of Breslow's estimate{whose}; they differ by at most {farthest:.3g} (relative)"
    return checked(BASELINE, farthest <= ROUNDING, detail)


def _check_levels(card: RiskCard, kind: OrderedLevels, rows: Rows) -> Check:
    """The hazards of the levels have the highest likelihood, given the totals of these rows.

    Where they have it, the derivative of the likelihood by the hazard ``D`` of a level is 0: its sum of ``r`` over
    rows that pass the level is that of ``r / (exp(D r) - 1)`` over rows that stop there.
    """
    assert rows.outcome is not None
    level = rows.outcome.columns["level"]
    ratio = np.exp(log_odds_of(card, totals_by_hand(card, rows)))
    steps = -np.diff([*kind.hazards, 0.0])
    farthest, passed_all = 0.0, True
    for one, (step, hazard) in enumerate(zip(steps.tolist(), kind.hazards, strict=True), start=1):
        stops, passes = level == one, level < one
        passed = math.fsum(rows.weights[passes] * ratio[passes])
        with np.errstate(over="ignore"):  # a card may claim anything
            stopped = math.fsum(rows.weights[stops] * ratio[stops] / np.expm1(step * ratio[stops]))
        off = abs(stopped / passed - 1) if passed > 0 else math.inf
        # a step is the difference of two hazards, which are rounded
        passed_all = passed_all and off <= ROUNDING + ROUNDING_OF_NUMBERS * hazard / step
        farthest = max(farthest, off)
    detail = (
        f"the likelihood of {len(kind.levels)} levels is steepest by {farthest:.3g} (relative), 0 where it is "
        "highest"
    )
    return checked(BASELINE, passed_all, detail)


def check_kind_table(card: RiskCard, kind: OutcomeKind, rows: Rows) -> Iterator[Check]:
    """The table from total to risks or to a rate is right, rises, and has every total that occurs."""
    table = list(card.reachable_totals())
    linear = {total: total / card.multiplier + card.offset for total in table}
    if isinstance(kind, NumberKind):
        columns = {"expected": (list(linear.values()), card.linear_of_total(table))}
    else:
        relative = [_exp(one) for one in linear.values()]
        columns = {"relative": (relative, card.relative_of_total(table))}
    if isinstance(kind, OrderedLevels):
        stated = kind.at_least(card.linear_of_total(table))
        for place, hazard in enumerate(kind.hazards):
            own = [1 - math.exp(-hazard * _exp(one)) for one in linear.values()]
            columns[kind.levels[place + 1]] = own, stated[:, place]
    if isinstance(kind, TimeToEvent):
        for horizon in kind.horizons:
            own = [_risk_by_hand(kind, horizon, one) for one in linear.values()]
            columns[kind.horizon_words(horizon)] = own, card.risk_by_of_total(table, horizon)
    wrong = [
        (name, total)
        for name, (by_hand, stated) in columns.items()
        for total, one, other in zip(table, by_hand, stated.tolist(), strict=True)
        if not (is_close(one, other) or abs(one - other) <= ROUNDING)
    ]
    rises = all(
        low <= high for _, stated in columns.values() for low, high in pairwise(stated.tolist())
    )
    plural = "columns" if len(columns) > 1 else "column"
    what = f"{len(table)} totals with {len(columns)} {plural}"
    what += f", {wrong[0][0]!r} of total {wrong[0][1]} is wrong" if wrong else ""
    yield checked("risk table", not wrong and rises, what)
    occurring = set(totals_by_hand(card, rows).tolist())
    absent = sorted(occurring - set(table))
    detail = f"{len(occurring)} occur in the rows"
    detail += f", {absent[0]} is not in the risk table" if absent else ""
    yield checked("totals", not absent, detail)


def _exp(linear: float) -> float:
    """The exponential, as far as there is a float for it: a card may claim anything."""
    return math.exp(min(linear, 700.0))


def _risk_by_hand(kind: TimeToEvent, horizon: float, linear: float) -> float:
    """1 less the chance to be without the event: the steps of the baseline up to the horizon count."""
    hazard = max(
        [0.0, *(one for time, one in zip(kind.times, kind.hazards, strict=True) if time <= horizon)]
    )
    return 1 - math.exp(-hazard * _exp(linear))


def check_predictions(card: RiskCard, kind: OutcomeKind, stated: Numbers, rows: Rows) -> Check:
    """``predict`` of the estimator is what the card gives: the log of the relative hazard, the rate or the number.

    Of levels it is ``predict_proba``.
    """
    linear = log_odds_of(card, totals_by_hand(card, rows))
    by_hand = np.exp(linear) if isinstance(kind, Counts) else linear
    if isinstance(kind, OrderedLevels):
        above = [np.ones(linear.size), *(1 - np.exp(-h * np.exp(linear)) for h in kind.hazards)]
        by_hand = np.column_stack([*above, np.zeros(linear.size)])
        by_hand = by_hand[:, :-1] - by_hand[:, 1:]
    largest = float(np.max(np.abs(stated - by_hand), initial=0.0))
    allowed = ROUNDING * max(1.0, float(np.abs(by_hand).max(initial=0.0)))
    return checked(
        "predictions", largest <= allowed, f"predict differs from the card by at most {largest:.3g}"
    )
