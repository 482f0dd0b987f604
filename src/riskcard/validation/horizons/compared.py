"""A card for the time to an event against other cards and scores, on the same rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from riskcard.arrays import Floats
from riskcard.data.frames import count_rows
from riskcard.errors import DataError, ParameterError
from riskcard.evaluation.intervals import Figure
from riskcard.evaluation.linearisation import Linearised, linearise
from riskcard.evaluation.other_outcomes.by_time import area_linearised
from riskcard.evaluation.other_outcomes.row_units import RowUnits
from riskcard.evaluation.other_outcomes.survival import (
    concordance_linearised,
    squared_errors_by,
    within_shares,
)
from riskcard.model.card import RiskCard
from riskcard.model.outcome_kinds import TimeToEvent
from riskcard.outcomes.hazards import FollowUp
from riskcard.outcomes.targets import read_numbers_of


class Rival(NamedTuple):
    """Another card or score: its name, what it ranks rows by, and its risks by each horizon (a score has none)."""

    name: str
    linear: Floats
    risks: tuple[Floats, ...] | None


@dataclass(frozen=True, slots=True)
class ComparedAt:
    """By one horizon: the card less the other one, of areas under the ROC curve and of Brier scores.

    Attributes
    ----------
    horizon
        The time.
    area
        None where rows entered late.
    brier
        Below 0 where the card is better; None where rows entered late or the other one has no risks.
    """

    horizon: float
    area: Figure | None
    brier: Figure | None


@dataclass(frozen=True, slots=True)
class Compared:
    """The card against another one; differences have paired 95 % intervals.

    Attributes
    ----------
    name
        Of the other one.
    concordance
        Harrell's index of the other one.
    difference
        That of the card less that of the other one.
    at
        By horizon.
    """

    name: str
    concordance: Figure
    difference: Figure
    at: tuple[ComparedAt, ...]


def read_rival(name: str, given: Any, X: Any, horizons: tuple[float, ...]) -> Rival:
    """Another card with its risks for the rows, or one number per row."""
    if isinstance(given, Rival):
        return given
    card = getattr(given, "card_", given)
    if isinstance(card, RiskCard):
        if not isinstance(card.kind, TimeToEvent):
            raise ParameterError(
                f"{name!r} is no card for the time to an event. Compare with one that is, or with a number per row."
            )
        for horizon in horizons:
            card.kind.require_known(horizon)
        totals = card.total_points(X)
        relative = card.relative_of_total(totals)
        risks = tuple(card.kind.risk_by(one, relative) for one in horizons)
        return Rival(name, np.asarray(card.linear_of_total(totals), dtype=np.float64), risks)
    if given is None:
        raise DataError(f"{name!r} is None. Give a card, or one number per row.")
    return Rival(name, read_numbers_of(given, f"The score {name!r}", count_rows(X)), None)


def compare(
    rows: FollowUp,
    units: RowUnits,
    own: tuple[Floats, tuple[Floats, ...]],
    rival: Rival,
    horizons: tuple[float, ...],
) -> Compared:
    """Compare what a card ranks rows by, and its risks by each horizon, with those of another one."""
    linear, risks = own
    ordered = rows if rows.is_competing is None else rows.never_after_competing()
    mine, theirs = (concordance_linearised(ordered, one, units) for one in (linear, rival.linear))
    at = []
    for place, horizon in enumerate(horizons):
        area, brier = None, None
        if rows.entry is None and float(rows.time.max()) >= horizon:
            scores = (risks[place], rival.linear if rival.risks is None else rival.risks[place])
            one, other = (area_linearised(rows, score, horizon, units) for score in scores)
            area = (one - other).figure() if one.influence.size == other.influence.size else None
            if rival.risks is not None:
                brier = _brier(rows, units, (risks[place], rival.risks[place]), horizon).figure()
        at.append(ComparedAt(horizon, area, brier))
    return Compared(rival.name, within_shares(theirs), (mine - theirs).figure(), tuple(at))


def _brier(
    rows: FollowUp, units: RowUnits, risks: tuple[Floats, Floats], horizon: float
) -> Linearised:
    """The difference of two Brier scores; what makes up for lost rows is taken as known."""
    weights = units.weights
    one, other = (squared_errors_by(rows, own, horizon, weights) for own in risks)
    shares = weights / weights.sum()
    value = float(shares @ (one - other))
    return linearise(units, value, shares * (one - other - value))
