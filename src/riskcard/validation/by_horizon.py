"""A card for the time to an event on rows that it was not learned from: facts, text, a page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from riskcard.checks import finite_number
from riskcard.errors import DataError, ParameterError
from riskcard.evaluation.intervals import Figure
from riskcard.evaluation.survival import (
    BrierScore,
    brier_score,
    concordance_figure,
    risk_figure,
    risk_groups,
)
from riskcard.formatting.document import Document, Section, ShownTable
from riskcard.formatting.percent import percent
from riskcard.model.card import RiskCard
from riskcard.model.outcome_kinds import TimeToEvent
from riskcard.outcomes.hazards import FollowUp
from riskcard.outcomes.targets import read_survival

#: Groups of rows by risk in which risks and what came true are compared.
N_GROUPS = 5


@dataclass(frozen=True, slots=True)
class RiskGroup:
    """Rows of similar risk: how many, the mean risk by the horizon, and Kaplan and Meier's."""

    rows: int
    lowest: float
    highest: float
    mean_risk: float
    observed: Figure


@dataclass(frozen=True, slots=True)
class AtHorizon:
    """What is known at one horizon.

    Attributes
    ----------
    horizon
        The time.
    mean_risk, observed
        Of all rows: the mean risk that the card gives, and Kaplan and Meier's estimate.
    groups
        The same for rows of similar risk.
    brier
        None where rows entered late, for which its weights are not made.
    """

    horizon: float
    mean_risk: float
    observed: Figure
    groups: tuple[RiskGroup, ...]
    brier: BrierScore | None

    @property
    def ratio(self) -> float:
        """Observed divided by expected; 1 where the card is right on average."""
        return self.observed.value / self.mean_risk


@dataclass(frozen=True, slots=True)
class SurvivalValidation:
    """A card on other rows; ``print`` it.

    Attributes
    ----------
    title
        Of the card.
    rows, events
        Counts.
    time
        What the times are called.
    concordance
        Harrell's index, with its interval.
    at
        One entry per horizon.
    """

    title: str
    rows: int
    events: int
    time: str
    concordance: Figure
    at: tuple[AtHorizon, ...]

    def __str__(self) -> str:
        return self.document.to_text()

    def _repr_html_(self) -> str:
        return self.document.to_box()

    def to_html(self) -> str:
        """One page of HTML."""
        return self.document.to_page()

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain values, ready for JSON; None for what is not known."""
        plain: dict[str, Any] = _plain(asdict(self))
        return plain

    @property
    def document(self) -> Document:
        """The sentences and tables."""
        lead = (
            f"Judged on {self.rows:,} rows, {self.events:,} of them with the event. Rows that the card was "
            "learned from make it look too good."
        )
        order = Section(
            "Who has the event first",
            [
                f"Harrell's concordance index is {_words(self.concordance, '.3f')}: the share of pairs in "
                "which the row with the earlier event has the higher hazard. 0.5 is chance."
            ],
        )
        return Document(f"Validation: {self.title}", lead, [order, *map(self._section, self.at)])

    def _section(self, at: AtHorizon) -> Section:
        return Section(
            f"By {self.time} {at.horizon:g}", list(self._sentences(at)), [_group_table(at)]
        )

    def _sentences(self, at: AtHorizon) -> Iterator[str]:
        if math.isnan(at.observed.value):
            yield "No row was followed for so long, so nothing is known."
            return
        yield (
            f"The card expects the event in {percent(at.mean_risk)} of the rows by then; Kaplan and Meier's "
            f"estimate is {_share(at.observed)}. Observed divided by expected is {at.ratio:.2f}."
        )
        if at.brier is None:
            yield "There is no Brier score, because some rows entered late."
        else:
            yield (
                f"The Brier score is {at.brier.value:.4f}, and {at.brier.of_average:.4f} with one risk for "
                f"all rows: {100 * at.brier.explained:.1f} % is explained (index of prediction accuracy)."
            )


def validate_survival(
    card: Any, X: Any, y: Any, *, entry: Any = None, horizons: Any = None
) -> SurvivalValidation:
    """Judge a card for the time to an event on rows that it was not learned from.

    Parameters
    ----------
    card
        A card with horizons, or the fitted estimator.
    X
        Rows by features.
    y
        Events and times, as for ``RiskScoreSurvival.fit``.
    entry
        From when on each row was at risk; None for the start.
    horizons
        The times to judge at; None for those of the card.

    Examples
    --------
    >>> from riskcard import RiskScoreSurvival
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> time = rng.exponential(np.exp(-X[:, 0]))
    >>> y = np.column_stack([time < 2, np.minimum(time, 2)])
    >>> model = RiskScoreSurvival(max_terms=2, horizons=1).fit(X[:200], y[:200])
    >>> found = validate_survival(model, X[200:], y[200:])
    >>> 0.6 < found.concordance.value < 0.8, 0.7 < found.at[0].ratio < 1.4
    (True, True)
    """
    card = getattr(card, "card_", card)
    if not isinstance(card, RiskCard) or not isinstance(card.kind, TimeToEvent):
        raise ParameterError(
            "A validation by horizons needs a card for the time to an event. Use validate for outcomes "
            "of yes or no."
        )
    totals = card.total_points(X)
    rows = read_survival(y, totals.size, entry).rows
    given = card.kind.horizons if horizons is None else _several(horizons)
    for horizon in given:
        card.kind.require_known(horizon)
    if rows.time.size < 2:
        raise DataError("There is one row. Give at least 2.")
    relative = card.relative_of_total(totals)
    return SurvivalValidation(
        title=card.title,
        rows=rows.time.size,
        events=int(np.count_nonzero(rows.is_event)),
        time=card.kind.time,
        concordance=concordance_figure(rows, card.linear_of_total(totals)),
        at=tuple(_at(rows, card.kind.risk_by(one, relative), one) for one in given),
    )


def _several(horizons: Any) -> tuple[float, ...]:
    found = horizons if isinstance(horizons, Iterable) else [horizons]
    return tuple(finite_number("A horizon", one) for one in found)


def _at(rows: FollowUp, risks: Any, horizon: float) -> AtHorizon:
    groups = [
        RiskGroup(
            rows=int(np.count_nonzero(own)),
            lowest=float(risks[own].min()),
            highest=float(risks[own].max()),
            mean_risk=float(risks[own].mean()),
            observed=risk_figure(rows.take(own), horizon),
        )
        for own in risk_groups(risks, N_GROUPS)
    ]
    observed = risk_figure(rows, horizon)
    is_known = rows.entry is None and not math.isnan(observed.value)
    return AtHorizon(
        horizon=horizon,
        mean_risk=float(risks.mean()),
        observed=observed,
        groups=tuple(groups),
        brier=brier_score(rows, risks, horizon) if is_known else None,
    )


# --- words --------------------------------------------------------------------------------------


def _group_table(at: AtHorizon) -> ShownTable:
    rows = [
        (
            percent(one.lowest)
            if one.lowest == one.highest
            else f"{percent(one.lowest).removesuffix(' %')} to {percent(one.highest)}",
            f"{one.rows:,}",
            percent(one.mean_risk),
            _share(one.observed),
        )
        for one in at.groups
    ]
    header = ("Risk", "Rows", "Mean risk", "Kaplan-Meier (95 % interval)")
    return ShownTable(header, rows, n_left=0)


def _words(figure: Figure, form: str) -> str:
    if figure.interval is None:
        return f"{figure.value:{form}}"
    low, high = figure.interval
    return f"{figure.value:{form}} (95 % interval {low:{form}} to {high:{form}})"


def _share(figure: Figure) -> str:
    if math.isnan(figure.value):
        return "not known"
    if figure.interval is None:
        return f"{100 * figure.value:.1f} %"
    low, high = (100 * one for one in figure.interval)
    return f"{100 * figure.value:.1f} % ({low:.1f} to {high:.1f})"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and math.isnan(value) else value
