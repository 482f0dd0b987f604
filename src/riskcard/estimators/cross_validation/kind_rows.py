"""Rows with times or counts for fits that are repeated: taking some, fitting them, judging a card on others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from riskcard.arrays import Floats
from riskcard.data.frames import count_rows, take_rows
from riskcard.data.target import name_of_target, read_weights
from riskcard.errors import DataError, ParameterError
from riskcard.estimators.other_outcomes.regressor import RiskScoreRegressor
from riskcard.estimators.other_outcomes.survival import RiskScoreSurvival
from riskcard.evaluation.other_outcomes.survival import concordance, integrated_brier
from riskcard.model.card import RiskCard
from riskcard.model.outcome_kinds import TimeToEvent
from riskcard.outcomes.hazards import FollowUp, Steps
from riskcard.outcomes.targets import read_counts, read_exposure, read_survival
from riskcard.problem.rates import RateRows

#: Times at which Brier scores are averaged, between these quantiles of the times of events.
N_TIMES, FIRST, LAST = 15, 0.1, 0.9
#: No calibration slope is larger.
LARGEST_SLOPE = 20.0

Positions = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class RatePerformance:
    """Three figures about the hazards or rates of some rows.

    Attributes
    ----------
    ranking
        Harrell's concordance index; for counts the share of the deviance that the card explains.
    deviance
        The Poisson deviance of the events per event, given what the card expects; lower is better.
    slope
        The factor of the logarithms of hazards or rates with the lowest deviance on these rows: 1 is right,
        below 1 they are too far apart. At least 0.
    """

    ranking: float
    deviance: float
    slope: float

    def __sub__(self, other: RatePerformance) -> RatePerformance:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return RatePerformance(*(left - right for left, right in pairs))


@dataclass(frozen=True, slots=True)
class KindRows:
    """A table with times or counts.

    Attributes
    ----------
    X
        Features.
    weights
        One per row; None where all weigh the same.
    follow_up
        Times and events; None for counts.
    counts, exposure
        Of each row; None for times.
    names
        What event and time, or counts, are called.
    exposure_name
        What the rate is per unit of; None where every row counts as one.
    """

    X: Any
    weights: Floats | None
    follow_up: FollowUp | None
    counts: Floats | None
    exposure: Floats | None
    names: tuple[str | None, str | None]
    exposure_name: str | None = None

    @property
    def has_events(self) -> NDArray[np.bool_]:
        """Which rows have an event."""
        if self.follow_up is not None:
            return self.follow_up.is_event
        assert self.counts is not None
        found: NDArray[np.bool_] = self.counts > 0
        return found

    def take(self, positions: Positions) -> KindRows:
        """Some of the rows, each as often as it is named."""
        weights, counts, exposure = (
            None if own is None else own[positions]
            for own in (self.weights, self.counts, self.exposure)
        )
        return replace(
            self,
            X=take_rows(self.X, positions),
            follow_up=None if self.follow_up is None else _take(self.follow_up, positions),
            weights=weights,
            counts=counts,
            exposure=exposure,
        )

    def fit(self, estimator: Any) -> Any:
        """A clone of the estimator, fitted to these rows."""
        further: dict[str, Any] = {"sample_weight": self.weights}
        y: Any
        if self.follow_up is not None:
            event, time = self.names
            y = np.empty(
                self.follow_up.time.size, dtype=[(event or "event", bool), (time or "time", float)]
            )
            y[event or "event"], y[time or "time"] = self.follow_up.is_event, self.follow_up.time
            further["entry"] = self.follow_up.entry
        else:
            y = self.counts
            further["exposure"] = None if self.exposure_name is None else self.exposure
        return clone(estimator).fit(self.X, y, **further)

    def measure(self, card: RiskCard) -> RatePerformance:
        """How well a card of other rows, or of these, does here; NaN where no row has an event."""
        if not self.has_events.any():
            return RatePerformance(math.nan, math.nan, math.nan)
        linear = np.asarray(card.linear_of_total(card.total_points(self.X)), dtype=np.float64)
        weights = np.ones(linear.size) if self.weights is None else self.weights
        rates = self.expected_rates(card, weights)
        loss, events = rates.loss(linear), float(rates.events.sum())
        slope = 0.0
        if np.ptp(linear) > 0:
            slope = rates.best_scale(linear, LARGEST_SLOPE)[0]
        if self.follow_up is not None:
            ranking = concordance(self.follow_up, linear, weights)
        else:
            average = math.log(events / float(rates.exposure.sum()))
            ranking = 1 - loss / rates.loss(np.full(linear.size, average))
        return RatePerformance(ranking, 2 * loss / events, slope)

    def brier(self, card: RiskCard) -> float:
        """The integrated Brier score of a card; NaN for counts, late entry and too few times of events."""
        rows = self.follow_up
        if rows is None or rows.entry is not None or not isinstance(card.kind, TimeToEvent):
            return math.nan
        last = min(card.kind.last, float(rows.time.max()))
        times = rows.time[rows.is_event & (rows.time < last)]
        if times.size < 2:
            return math.nan
        grid = np.unique(np.quantile(times, np.linspace(FIRST, LAST, N_TIMES)))
        if grid.size < 2 or grid[0] <= 0:
            return math.nan
        kind, relative = card.kind, card.relative_of_total(card.total_points(self.X))
        return integrated_brier(rows, lambda time: kind.risk_by(time, relative), grid)

    def expected_rates(self, card: RiskCard, weights: Floats) -> RateRows:
        """Exposure by which a card expects ``exposure * exp(linear)`` events, and the events."""
        if self.follow_up is None:
            assert self.counts is not None
            assert self.exposure is not None
            return RateRows(weights * self.exposure, weights * self.counts)
        kind = card.kind
        assert isinstance(kind, TimeToEvent)
        baseline = Steps(np.array(kind.times), np.array(kind.hazards))
        exposed = baseline.at(self.follow_up.time)
        if self.follow_up.entry is not None:
            late = self.follow_up.entry > 0
            exposed = exposed - np.where(late, baseline.at(self.follow_up.entry), 0.0)
        # an event between two steps, or before the first, was expected with half of a usual step
        least = kind.hazards[-1] / len(kind.hazards) / 2
        exposed = np.where(self.follow_up.is_event, np.maximum(exposed, least), exposed)
        return RateRows(weights * exposed, weights * self.follow_up.is_event)


def read_kind_rows(
    estimator: Any, X: Any, y: Any, sample_weight: Any, further: Mapping[str, Any]
) -> KindRows:
    """Read rows as an estimator of times or of counts takes them.

    Parameters
    ----------
    estimator
        A ``RiskScoreSurvival`` or a ``RiskScoreRegressor``.
    X, y, sample_weight
        As for ``fit``.
    further
        ``entry`` or ``exposure``, as for ``fit``.
    """
    if not isinstance(estimator, (RiskScoreSurvival, RiskScoreRegressor)):
        raise ParameterError(
            f"The estimator is {estimator!r}. Give a RiskScoreSurvival or a RiskScoreRegressor."
        )
    if getattr(estimator, "event_of_interest", None) is not None:
        raise ParameterError(
            "event_of_interest is set, but fits with competing events cannot be repeated yet. Leave it out, "
            "which counts these events as censored."
        )
    if getattr(estimator, "loss", "poisson") != "poisson":
        raise ParameterError(
            f"loss is {estimator.loss!r}, but fits are repeated for times and counts only. Use loss='poisson'."
        )
    is_timed = isinstance(estimator, RiskScoreSurvival)
    known = "entry" if is_timed else "exposure"
    if unknown := [name for name in further if name != known]:
        raise ParameterError(
            f"{unknown[0]} is given, but fits of {type(estimator).__name__} take {known} only."
        )
    n_rows = count_rows(X)
    weights = None if sample_weight is None else read_weights(sample_weight, n_rows)
    if weights is not None and (weights == 0).any():
        raise DataError("Some rows have the weight 0. Leave them out before a fit is repeated.")
    if is_timed:
        target = read_survival(y, n_rows, further.get("entry"))
        names = (target.event_name, target.time_name)
        return KindRows(X, weights, target.rows, None, None, names)
    exposure = further.get("exposure")
    name = None if exposure is None else name_of_target(exposure) or "exposure"
    counts = read_counts(y, n_rows)
    exposed = read_exposure(exposure, n_rows)
    return KindRows(X, weights, None, counts, exposed, (name_of_target(y), None), name)


def _take(rows: FollowUp, positions: Positions) -> FollowUp:
    entry = None if rows.entry is None else rows.entry[positions]
    return FollowUp(rows.time[positions], rows.is_event[positions], entry)
