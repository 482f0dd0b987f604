"""Rows with times, counts, numbers or levels: fitting some of them, and judging a card on others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.data.columns import FeatureValues
from riskcard.data.frames import count_rows
from riskcard.data.target import name_of_target, read_weights
from riskcard.errors import DataError, ParameterError
from riskcard.estimators.cross_validation.kind_rows import (
    LARGEST_SLOPE,
    KindPerformance,
    KindRows,
    Positions,
)
from riskcard.estimators.cross_validation.kind_words import COUNTS, LEVELS, NUMBERS, TIMES
from riskcard.estimators.other_outcomes.of_kind import estimator_of
from riskcard.estimators.other_outcomes.ordinal import RiskScoreOrdinal
from riskcard.estimators.other_outcomes.regressor import RiskScoreRegressor
from riskcard.estimators.other_outcomes.survival import RiskScoreSurvival
from riskcard.evaluation.other_outcomes.estimates import LEAST_SHARE
from riskcard.evaluation.other_outcomes.survival import concordance, integrated_brier
from riskcard.model.card import RiskCard
from riskcard.model.outcome_kinds import Numbers, OrderedLevels, TimeToEvent, event_code
from riskcard.outcomes.hazards import FollowUp, Steps
from riskcard.outcomes.incidence import subdistribution_rows
from riskcard.outcomes.levels import LevelRows, level_order, read_levels, upper_half
from riskcard.outcomes.targets import (
    above_middle,
    read_counts,
    read_exposure,
    read_squarable,
    read_survival,
)
from riskcard.problem.numbers import NumberRows
from riskcard.problem.rates import RateRows

#: Times at which Brier scores are averaged, between these quantiles of the times of events.
N_TIMES, FIRST, LAST = 15, 0.1, 0.9
#: What is wrong with rows that have no event.
NO_EVENT = "no row has an event"


@dataclass(frozen=True, slots=True)
class TimedRows(KindRows):
    """Rows with times.

    Attributes
    ----------
    follow_up
        Times and events.
    names
        What event and time are called.
    """

    words = TIMES

    follow_up: FollowUp
    names: tuple[str | None, str | None]

    @property
    def has_events(self) -> Booleans:
        """Which rows have the event."""
        return self.follow_up.is_event

    @property
    def strata(self) -> Integers:
        """Without any event, with it, or with a competing one."""
        competing = self.follow_up.is_competing
        return self.has_events + (0 if competing is None else 2 * competing.astype(np.int64))

    @property
    def columns(self) -> dict[str, FeatureValues]:
        """Times, and what else is known of them."""
        rows, found = self.follow_up, {"time": self.follow_up.time}
        if rows.is_competing is not None:
            found["competing"] = rows.is_competing.astype(np.float64)
        if rows.entry is not None:
            found["entry"] = rows.entry
        return {name: FeatureValues(one, None) for name, one in found.items()}

    def why_not(self, positions: Positions) -> str:
        """Without an event there is nothing to learn from."""
        return "" if self.has_events[positions].any() else NO_EVENT

    def _of(self, positions: Positions) -> Mapping[str, Any]:
        return {"follow_up": self.follow_up.take(positions)}

    def _target(self, estimator: Any) -> tuple[Any, Mapping[str, Any]]:
        rows, (event, time) = self.follow_up, self.names
        codes: Any = rows.is_event
        if rows.is_competing is not None:
            code = float(estimator.event_of_interest)
            codes = np.where(rows.is_event, code, np.where(rows.is_competing, 2 * code, 0.0))
        fields = [(event or "event", codes.dtype), (time or "time", np.float64)]
        y = np.empty(rows.time.size, dtype=fields)
        y[event or "event"], y[time or "time"] = codes, rows.time
        return y, {"entry": rows.entry}

    def measure(self, card: RiskCard) -> KindPerformance:
        """By Harrell's index and the Poisson deviance; NaN where no row has an event."""
        if not self.has_events.any():
            return KindPerformance(math.nan, math.nan, math.nan)
        linear, rates = self.linear(card), self.expected_rates(card, self.own_weights)
        rows = self.follow_up
        if rows.is_competing is not None:
            rows = rows.never_after_competing()
        ranking = concordance(rows, linear, self.own_weights)
        return _of_rates(ranking, rates, linear)

    def brier(self, card: RiskCard) -> float:
        """NaN with late entry and with too few times of events."""
        rows, kind = self.follow_up, card.kind
        assert isinstance(kind, TimeToEvent)
        if rows.entry is not None:
            return math.nan
        last = min(kind.last, float(rows.time.max()))
        times = rows.time[rows.is_event & (rows.time < last)]
        if times.size < 2:
            return math.nan
        grid = np.unique(np.quantile(times, np.linspace(FIRST, LAST, N_TIMES)))
        if grid.size < 2 or grid[0] <= 0:
            return math.nan
        relative = card.relative_of_total(card.total_points(self.X))
        return integrated_brier(rows, lambda time: kind.risk_by(time, relative), grid)

    def expected_rates(self, card: RiskCard, weights: Floats) -> RateRows:
        """Exposure by which a card expects ``exposure * exp(linear)`` events, and the events."""
        kind, rows = card.kind, self.follow_up
        assert isinstance(kind, TimeToEvent)
        baseline = Steps(np.array(kind.times), np.array(kind.hazards))
        if rows.is_competing is not None:
            exposed = subdistribution_rows(rows, weights).exposure(baseline)
        else:
            exposed = rows.exposure(baseline)
        # an event between two steps, or before the first, was expected with half of a usual step
        least = kind.hazards[-1] / len(kind.hazards) / 2
        exposed = np.where(rows.is_event, np.maximum(exposed, least), exposed)
        return RateRows(weights * exposed, weights * rows.is_event)


@dataclass(frozen=True, slots=True)
class CountedRows(KindRows):
    """Rows with counts.

    Attributes
    ----------
    counts, exposure
        Of each row.
    exposure_name
        What the rate is per unit of; None where every row counts as one.
    """

    words = COUNTS

    counts: Floats
    exposure: Floats
    exposure_name: str | None

    @property
    def has_events(self) -> Booleans:
        """Which rows have an event."""
        found: Booleans = self.counts > 0
        return found

    @property
    def columns(self) -> dict[str, FeatureValues]:
        """Counts and exposures."""
        columns = {"count": self.counts, "exposure": self.exposure}
        return {name: FeatureValues(one, None) for name, one in columns.items()}

    def why_not(self, positions: Positions) -> str:
        """Without an event there is nothing to learn from."""
        return "" if self.counts[positions].any() else NO_EVENT

    def _of(self, positions: Positions) -> Mapping[str, Any]:
        return {"counts": self.counts[positions], "exposure": self.exposure[positions]}

    def _target(self, estimator: Any) -> tuple[Any, Mapping[str, Any]]:
        if self.exposure_name is None:
            return self.counts, {}
        return self.counts, {"exposure": {self.exposure_name: self.exposure}}

    def measure(self, card: RiskCard) -> KindPerformance:
        """By the Poisson deviance; NaN where no row has an event."""
        if not self.has_events.any():
            return KindPerformance(math.nan, math.nan, math.nan)
        linear, rates = self.linear(card), self.expected_rates(card, self.own_weights)
        average = math.log(float(rates.events.sum()) / float(rates.exposure.sum()))
        whole = rates.loss(np.full(linear.size, average))
        ranking = 1 - rates.loss(linear) / whole if whole > rates.rounding else math.nan
        return _of_rates(ranking, rates, linear)

    def expected_rates(self, card: RiskCard, weights: Floats) -> RateRows:
        """Exposure by which a card expects ``exposure * exp(linear)`` events, and the events."""
        return RateRows(weights * self.exposure, weights * self.counts)


@dataclass(frozen=True, slots=True)
class NumberedRows(KindRows):
    """Rows with numbers.

    Attributes
    ----------
    numbers
        One per row.
    """

    words = NUMBERS

    numbers: Floats

    @property
    def has_events(self) -> Booleans:
        """Which rows are above the median."""
        return above_middle(self.numbers, self.own_weights)

    @property
    def columns(self) -> dict[str, FeatureValues]:
        """The numbers."""
        return {"number": FeatureValues(self.numbers, None)}

    def why_not(self, positions: Positions) -> str:
        """Numbers that are all the same say nothing."""
        return "" if np.ptp(self.numbers[positions]) > 0 else "every number is the same"

    def _of(self, positions: Positions) -> Mapping[str, Any]:
        return {"numbers": self.numbers[positions]}

    def _target(self, estimator: Any) -> tuple[Any, Mapping[str, Any]]:
        return self.numbers, {}

    def measure(self, card: RiskCard) -> KindPerformance:
        """By the squared error; the share that is explained is NaN where all numbers are the same."""
        linear, weights = self.linear(card), self.own_weights
        middle = float(np.average(self.numbers, weights=weights))
        error = float(np.average((self.numbers - linear) ** 2, weights=weights))
        whole = float(np.average((self.numbers - middle) ** 2, weights=weights))
        ranking = 1 - error / whole if np.ptp(self.numbers) > 0 else math.nan
        slope = NumberRows(weights, self.numbers).best_scale(linear, LARGEST_SLOPE)[0]
        return KindPerformance(ranking, error, slope)


@dataclass(frozen=True, slots=True)
class LevelledRows(KindRows):
    """Rows with ordered levels.

    Attributes
    ----------
    levels
        The level of each row.
    """

    words = LEVELS

    levels: LevelRows

    @property
    def has_events(self) -> Booleans:
        """Which rows are in the upper levels."""
        return upper_half(self.levels)

    @property
    def strata(self) -> Integers:
        """The levels."""
        return self.levels.codes

    @property
    def columns(self) -> dict[str, FeatureValues]:
        """The place of the level."""
        return {"level": FeatureValues(self.levels.codes.astype(np.float64), None)}

    def why_not(self, positions: Positions) -> str:
        """Every level needs a row."""
        empty = self.levels.take(positions).absent
        return f"no row has the level {empty[0]!r}" if empty else ""

    def _of(self, positions: Positions) -> Mapping[str, Any]:
        return {"levels": self.levels.take(positions)}

    def _target(self, estimator: Any) -> tuple[Any, Mapping[str, Any]]:
        # a level that no row has here is still one
        estimator.set_params(levels=list(self.levels.names))
        return np.array(self.levels.names, dtype=object)[self.levels.codes], {}

    def measure(self, card: RiskCard) -> KindPerformance:
        """By the index of concordance and the log-loss."""
        kind, codes = card.kind, self.levels.codes
        assert isinstance(kind, OrderedLevels)
        linear, weights = self.linear(card), self.own_weights
        own = kind.probabilities(linear)[np.arange(codes.size), codes]
        log_loss = -float(np.average(np.log(np.maximum(own, LEAST_SHARE)), weights=weights))
        time: Floats = (len(self.levels.names) - 1 - codes).astype(np.float64)
        ranking = concordance(FollowUp(time, codes > 0), linear, weights)
        slope = self.levels.best_slope(weights, linear, LARGEST_SLOPE)
        return KindPerformance(ranking, log_loss, slope)


def _of_rates(ranking: float, rates: RateRows, linear: Floats) -> KindPerformance:
    """The figures of events given what a card expects."""
    slope = rates.best_scale(linear, LARGEST_SLOPE)[0] if np.ptp(linear) > 0 else 0.0
    return KindPerformance(ranking, 2 * rates.loss(linear) / float(rates.events.sum()), slope)


# --- reading ------------------------------------------------------------------------------------


def read_kind_rows(
    estimator: Any, X: Any, y: Any, sample_weight: Any, further: Mapping[str, Any]
) -> KindRows:
    """Read rows as an estimator of times, counts, numbers or levels takes them.

    Parameters
    ----------
    estimator
        A ``RiskScoreSurvival``, ``RiskScoreRegressor`` or ``RiskScoreOrdinal``.
    X, y, sample_weight
        As for ``fit``.
    further
        ``entry`` or ``exposure``, as for ``fit``.
    """
    known = {RiskScoreSurvival: "entry", RiskScoreRegressor: "exposure", RiskScoreOrdinal: None}
    kind = next((one for one in known if isinstance(estimator, one)), None)
    if kind is None:
        raise ParameterError(
            f"The estimator is {estimator!r}. Give a RiskScoreSurvival, a RiskScoreRegressor or a RiskScoreOrdinal."
        )
    if unknown := [name for name in further if name != known[kind]]:
        takes = f"take {known[kind]} only" if known[kind] else "take nothing further"
        raise ParameterError(f"{unknown[0]} is given, but fits of {kind.__name__} {takes}.")
    n_rows = count_rows(X)
    weights = None if sample_weight is None else read_weights(sample_weight, n_rows)
    if weights is not None and (weights == 0).any():
        raise DataError("Some rows have the weight 0. Leave them out before a fit is repeated.")
    if kind is RiskScoreSurvival:
        target = read_survival(y, n_rows, further.get("entry"), estimator.event_of_interest)
        return TimedRows(X, weights, target.rows, (target.event_name, target.time_name))
    if kind is RiskScoreOrdinal:
        return LevelledRows(X, weights, read_levels(y, n_rows, estimator.levels))
    exposure = further.get("exposure")
    if estimator.loss == "squared_error":
        if exposure is not None:
            raise ParameterError(
                "exposure is for counts, but loss is 'squared_error'. Leave it out."
            )
        return NumberedRows(X, weights, read_squarable(y, n_rows))
    name = None if exposure is None else name_of_target(exposure) or "exposure"
    counts, exposed = read_counts(y, n_rows), read_exposure(exposure, n_rows)
    return CountedRows(X, weights, counts, exposed, name)


def read_rows_for(
    card: RiskCard, X: Any, y: Any, sample_weight: Any, further: Mapping[str, Any]
) -> KindRows:
    """Read rows for a card: in the order of its levels, and with its code of the event where others compete.

    Parameters
    ----------
    card
        A card of another outcome than yes or no.
    X, y, sample_weight, further
        As for ``read_kind_rows``.
    """
    return read_kind_rows(estimator_for(card, y), X, y, sample_weight, further)


def estimator_for(card: RiskCard, y: Any) -> Any:
    """An estimator that learns cards of the kind of a card: with its levels, horizons, loss and code of the event."""
    kind, estimator = card.kind, estimator_of(card)()
    if isinstance(kind, TimeToEvent):
        estimator.horizons = list(kind.horizons)
        if kind.competing is not None:
            estimator.event_of_interest = event_code(card.recipe)
            estimator.competing_words = kind.competing
    if isinstance(kind, OrderedLevels):
        order = None if card.recipe is None else card.recipe.parameters.get("levels")
        estimator.levels = level_order(y, kind.levels, order)
    if isinstance(kind, Numbers):
        estimator.loss = "squared_error"
    return estimator
