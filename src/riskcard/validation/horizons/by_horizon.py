"""A card for the time to an event on rows that it was not learned from: facts, text, a page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from riskcard.arrays import Floats
from riskcard.checks import finite_number
from riskcard.errors import DataError, ParameterError
from riskcard.evaluation.intervals import Figure
from riskcard.evaluation.other_outcomes.by_time import (
    BenefitBy,
    Constancy,
    area_by,
    benefit_by,
    constancy_of,
)
from riskcard.evaluation.other_outcomes.row_units import RowUnits, read_units
from riskcard.evaluation.other_outcomes.survival import (
    BrierScore,
    brier_score,
    concordance_figure,
    risk_figure,
    risk_groups,
    share_with_event,
)
from riskcard.formatting.pages.document import Document
from riskcard.formatting.plain_values import as_plain as plain_values
from riskcard.model.card import RiskCard
from riskcard.model.outcome_kinds import TimeToEvent, event_code
from riskcard.outcomes.hazards import FollowUp
from riskcard.outcomes.targets import read_survival
from riskcard.validation.horizons.compared import Compared, compare, read_rival

#: Groups of rows by risk in which risks and what came true are compared, and those that are drawn over time.
N_GROUPS, N_CURVES = 5, 3
#: Places of these curves.
N_PLACES = 80
#: Risks from which on one acts.
THRESHOLDS = np.arange(1, 100) / 100
#: What the whole card is called in the test of its effect over time.
WHOLE_CARD = "the card"


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
    brier, area, benefit
        Graf's score, the area under the ROC curve by the horizon, and the decision curve; the first two are None
        where rows entered late, for which their weights are not made.
    """

    horizon: float
    mean_risk: float
    observed: Figure
    groups: tuple[RiskGroup, ...]
    brier: BrierScore | None
    area: Figure | None
    benefit: BenefitBy

    @property
    def ratio(self) -> float:
        """Observed divided by expected; 1 where the card is right on average."""
        return self.observed.value / self.mean_risk


@dataclass(frozen=True, slots=True)
class GroupCurve:
    """Rows of similar risk over time.

    Attributes
    ----------
    rows, events
        Counts.
    lowest, highest
        Of the risks by the last horizon.
    times, observed, expected
        Some times, Kaplan and Meier's share with the event by each, and the mean risk of the card.
    """

    rows: int
    events: int
    lowest: float
    highest: float
    times: tuple[float, ...]
    observed: tuple[float, ...]
    expected: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Predictions:
    """What a card, or several cards of held-out folds, say of rows.

    Attributes
    ----------
    horizons, risks
        The horizons, and for each the risk of every row.
    grid, curves
        Times, and the risk of every row by each: shape (rows, times).
    """

    horizons: tuple[float, ...]
    risks: tuple[Floats, ...]
    grid: Floats
    curves: Floats

    @classmethod
    def of(
        cls, kind: TimeToEvent, relative: Floats, horizons: tuple[float, ...], grid: Floats
    ) -> Predictions:
        """By the baseline of a card, for relative hazards."""
        risks = tuple(kind.risk_by(one, relative) for one in horizons)
        baseline = np.array([kind.baseline(float(one)) for one in grid])
        return cls(horizons, risks, grid, -np.expm1(-np.outer(relative, baseline)))


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
    curves
        Groups of risk over time.
    constancy
        For the whole card and each feature, whether its effect stays the same over time; None where that is not
        tested: events compete, or rows have weights or belong together.
    competing
        What may come first, in words; None where nothing does.
    against
        Comparisons with other cards and scores.
    is_weighted
        Whether rows have weights.
    clusters
        How many groups of rows that belong together there are; 0 where rows are independent.
    """

    title: str
    rows: int
    events: int
    time: str
    concordance: Figure
    at: tuple[AtHorizon, ...]
    curves: tuple[GroupCurve, ...]
    constancy: tuple[Constancy, ...] | None
    competing: str | None = None
    against: tuple[Compared, ...] = ()
    is_weighted: bool = False
    clusters: int = 0

    def __str__(self) -> str:
        return self.document.to_text()

    def _repr_html_(self) -> str:
        return self.document.to_box()

    def to_html(self) -> str:
        """One page of HTML, with pictures where matplotlib is there."""
        from riskcard.validation.horizons.horizon_document import validation_document

        return validation_document(self, pictures=find_spec("matplotlib") is not None).to_page()

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain values, ready for JSON; None for what is not known."""
        plain: dict[str, Any] = plain_values(asdict(self))
        return plain

    @property
    def document(self) -> Document:
        """The sentences and tables."""
        from riskcard.validation.horizons.horizon_document import validation_document

        return validation_document(self)


def validate_survival(
    card: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    entry: Any = None,
    horizons: Any = None,
    groups: Any = None,
    against: Mapping[str, Any] | None = None,
) -> SurvivalValidation:
    """Judge a card for the time to an event on rows that it was not learned from.

    Parameters
    ----------
    card
        A card with horizons, or the fitted estimator.
    X
        Rows by features.
    y
        Events and times, as for ``RiskScoreSurvival.fit``; codes of events and times where events compete.
    sample_weight
        One positive weight per row.
    entry
        From when on each row was at risk; None for the start.
    horizons
        The times to judge at; None for those of the card.
    groups
        One label per row; rows with the same one belong together, such as the visits of a patient, and intervals
        allow for it.
    against
        What to compare with on the same rows, by name: other cards of times to the same event, or a number per row
        that is higher where the event is expected earlier.

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
    totals, has_codes = card.total_points(X), card.kind.competing is not None
    rows = read_survival(y, totals.size, entry, event_code(card.recipe) if has_codes else None).rows
    given = card.kind.horizons if horizons is None else _several(horizons)
    for horizon in given:
        card.kind.require_known(horizon)
    if rows.time.size < 2:
        raise DataError("There is one row. Give at least 2.")
    predictions = predictions_of(card, totals, rows, given)
    units = read_units(sample_weight, groups, totals.size)
    ordered = rows.never_after_competing() if has_codes else rows
    linear = np.asarray(card.linear_of_total(totals), dtype=np.float64)
    is_tested = not has_codes and units.is_plain
    return SurvivalValidation(
        title=card.title,
        rows=rows.time.size,
        events=int(np.count_nonzero(rows.is_event)),
        time=card.kind.time,
        concordance=concordance_figure(ordered, linear, units),
        at=at_horizons(rows, predictions, units),
        curves=group_curves(rows, predictions, units),
        constancy=constancy_of_card(card, X, rows) if is_tested else None,
        competing=card.kind.competing,
        against=tuple(
            compare(
                rows, units, (linear, predictions.risks), read_rival(name, one, X, given), given
            )
            for name, one in (against or {}).items()
        ),
        is_weighted=bool((units.weights != units.weights[0]).any()),
        clusters=0 if units.clusters is None else int(units.clusters.max()) + 1,
    )


def predictions_of(
    card: RiskCard, totals: Any, rows: FollowUp, horizons: tuple[float, ...]
) -> Predictions:
    """What a card says of rows with some totals, up to the longest time that is known."""
    assert isinstance(card.kind, TimeToEvent)
    last = min(card.kind.last, float(rows.time.max()))
    grid = np.linspace(0.0, last, N_PLACES)
    return Predictions.of(card.kind, card.relative_of_total(totals), horizons, grid)


def at_horizons(
    rows: FollowUp, predictions: Predictions, units: RowUnits | None = None
) -> tuple[AtHorizon, ...]:
    """The figures by each horizon."""
    units = units or RowUnits.equal(rows.time.size)
    pairs = zip(predictions.risks, predictions.horizons, strict=True)
    return tuple(_at(rows, risks, horizon, units) for risks, horizon in pairs)


def group_curves(
    rows: FollowUp, predictions: Predictions, units: RowUnits | None = None
) -> tuple[GroupCurve, ...]:
    """Groups of risk by the last horizon, over time."""
    weights = (units or RowUnits.equal(rows.time.size)).weights
    risks, found = predictions.risks[-1], []
    for own in risk_groups(risks, N_CURVES):
        curve = share_with_event(rows.take(own), weights[own])
        # beyond its last row nothing is known of a group
        until = predictions.grid <= rows.time[own].max()
        found.append(
            GroupCurve(
                rows=int(own.sum()),
                events=int(rows.is_event[own].sum()),
                lowest=float(risks[own].min()),
                highest=float(risks[own].max()),
                times=tuple(predictions.grid[until].tolist()),
                observed=tuple(curve.at(predictions.grid[until]).tolist()),
                expected=tuple(
                    np.average(
                        predictions.curves[own][:, until], axis=0, weights=weights[own]
                    ).tolist()
                ),
            )
        )
    return tuple(found)


def constancy_of_card(card: RiskCard, X: Any, rows: FollowUp) -> tuple[Constancy, ...]:
    """The test of the whole card, and of each feature next to the others."""
    points = card.points_by_feature(X) / card.multiplier
    names = [card.labels.heading(one.name) for one in card.features]
    whole = constancy_of(rows, points.sum(axis=1, keepdims=True), [WHOLE_CARD])
    each = constancy_of(rows, points, names) if len(names) > 1 else []
    return (*whole, *each)


def _several(horizons: Any) -> tuple[float, ...]:
    found = horizons if isinstance(horizons, Iterable) else [horizons]
    return tuple(finite_number("A horizon", one) for one in found)


def _at(rows: FollowUp, risks: Any, horizon: float, units: RowUnits) -> AtHorizon:
    weights = units.weights
    groups = [
        RiskGroup(
            rows=int(np.count_nonzero(own)),
            lowest=float(risks[own].min()),
            highest=float(risks[own].max()),
            mean_risk=float(np.average(risks[own], weights=weights[own])),
            observed=risk_figure(rows.take(own), horizon, units.take(own)),
        )
        for own in risk_groups(risks, N_GROUPS)
    ]
    observed = risk_figure(rows, horizon, units)
    is_known = rows.entry is None and not math.isnan(observed.value)
    return AtHorizon(
        horizon=horizon,
        mean_risk=float(np.average(risks, weights=weights)),
        observed=observed,
        groups=tuple(groups),
        brier=brier_score(rows, risks, horizon, weights) if is_known else None,
        area=area_by(rows, risks, horizon, units) if is_known else None,
        benefit=benefit_by(rows, risks, horizon, THRESHOLDS, weights),
    )
