"""A card of another outcome than yes or no on new rows: its points stay, baseline and slope are refitted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import chi2
from scipy.stats import f as f_distribution

from riskcard.arrays import Floats
from riskcard.data.table import make_table
from riskcard.encoding.write_certificate import training_facts_of
from riskcard.errors import DataError, ParameterError, warn
from riskcard.estimators.cross_validation.kind_rows import LARGEST_SLOPE, KindRows
from riskcard.estimators.cross_validation.rows_of_kinds import (
    CountedRows,
    LevelledRows,
    NumberedRows,
    TimedRows,
    read_rows_for,
)
from riskcard.evaluation.monitoring.updating import FEW_ROWS, LEAST_ROWS, UPDATES
from riskcard.formatting.numbers import readable_amount
from riskcard.model.card import RiskCard
from riskcard.model.origin.certificate import TrainingFacts
from riskcard.model.origin.recipe import hash_for_scale
from riskcard.model.outcome_kinds import (
    Counts,
    Numbers,
    OrderedLevels,
    OutcomeKind,
    TimeToEvent,
    relative,
)
from riskcard.outcomes.incidence import subdistribution_rows
from riskcard.outcomes.levels import LevelRows
from riskcard.problem.numbers import NumberRows
from riskcard.problem.rates import RateRows

#: The level of the tests that choose an update.
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class KindUpdate:
    """What new rows say about the scale of a card whose outcome is not yes or no.

    Attributes
    ----------
    size
        How many events there are; of numbers rows, of levels rows above the lowest. With weights the effective
        number.
    observed, expected
        Events, and how many the card expects; of numbers means, of levels mean places above the lowest.
    slope
        The factor of what the card adds up that fits best; at least 0.
    p_value, p_slope
        Of the tests that nothing has changed, and that the slope is 1.
    said
        What was observed and expected, in a sentence.
    """

    size: float
    observed: float
    expected: float
    slope: float
    p_value: float
    p_slope: float
    said: str

    @property
    def choice(self) -> str:
        """The update that the rows support.

        "none", "offset" (the baseline, the rate, the hazards of levels or the mean) or "both" (the slope too).
        """
        if self.p_value >= LEVEL or self.size < LEAST_ROWS["offset"]:
            return "none"
        return "offset" if self.p_slope >= LEVEL or self.size < LEAST_ROWS["both"] else "both"

    @property
    def ratio(self) -> float:
        """Observed divided by expected."""
        return self.observed / self.expected

    def __str__(self) -> str:
        return (
            f"{self.said} The slope is {self.slope:.2f}. That nothing has changed has p = {self.p_value:.3g}, that the "
            f"slope is 1 has p = {self.p_slope:.3g}: the rows support the update {self.choice!r}."
        )


def choose_kind_update(card: RiskCard, rows: KindRows) -> KindUpdate:
    """The least update that rows support, by a closed test: nothing, the offset, or both.

    First whether offset and slope together differ from what the card says, then whether the slope does, each at
    the level of 5 %. Of times and counts these are likelihood-ratio tests of the events given what the card
    expects of each row, of levels of the hazards of all levels and the slope; of numbers Wald's tests of mean error
    and slope, whose variance allows errors to differ between rows.
    """
    if isinstance(rows, NumberedRows):
        return _test_numbers(card, rows)
    if isinstance(rows, LevelledRows):
        return _test_levels(card, rows)
    assert isinstance(rows, TimedRows | CountedRows)
    return _test_rates(card, rows)


def recalibrate_kind(
    card: RiskCard, X: Any, y: Any, sample_weight: Any, update: str, further: Mapping[str, Any]
) -> RiskCard:
    """The card with its baseline, and with "both" its slope, fitted to new rows; see ``recalibrate``."""
    if update not in (*UPDATES, "auto"):
        raise ParameterError(f"The update is {update!r}. Use 'auto', 'none', 'offset' or 'both'.")
    rows = read_rows_for(card, X, y, sample_weight, further)
    if why := rows.why_not(np.arange(rows.own_weights.size)):
        raise DataError(
            f"In these rows {why}, so that no scale can be fitted to them. Give others."
        )
    advised = choose_kind_update(card, rows)
    update = advised.choice if update == "auto" else update
    if update == "none":
        return card
    what = _NOUNS[type(rows)]
    if advised.size < LEAST_ROWS[update]:
        raise DataError(
            f"There are {advised.size:.3g} {what}: too few for the update {update!r} of a card, which takes at "
            f"least {LEAST_ROWS[update]}. Give more rows, or use the update 'none' or 'auto'."
        )
    new = _refitted(card, rows, is_slope_given=update == "offset")
    if card.recipe is not None:
        known = hash_for_scale(card, X, rows.has_events, rows.own_weights, rows.columns)
        new = replace(new, recipe=replace(card.recipe, scale_rows=known, digest=""))
    if advised.size < FEW_ROWS[update]:
        warn(
            f"There are {advised.size:.3g} {what}, which is few for this update: at least {FEW_ROWS[update]} are "
            "advisable. Use more rows, or judge the new card on others."
        )
    return new


#: What is counted for an update.
_NOUNS = {
    TimedRows: "events",
    CountedRows: "events",
    LevelledRows: "rows above the lowest level",
    NumberedRows: "rows",
}


# --- the tests ----------------------------------------------------------------------------------


def _test_rates(card: RiskCard, rows: TimedRows | CountedRows) -> KindUpdate:
    """By the likelihood ratio of events, given what the card expects of each row."""
    linear, weights = rows.linear(card), rows.own_weights
    rates = rows.expected_rates(card, weights * _worth(weights[rows.has_events]))
    events, expected = float(rates.events.sum()), float(rates.exposure @ np.exp(linear))
    slope, offset = _fitted(rates, linear)
    least = rates.loss(slope * linear + offset)
    moved = rates.loss(linear + rates.best_offset(linear))
    p_value = float(chi2.sf(max(0.0, 2 * (rates.loss(linear) - least)), 2))
    p_slope = float(chi2.sf(max(0.0, 2 * (moved - least)), 1))
    said = f"Observed divided by expected is {events / expected:.2f}."
    return KindUpdate(events, events, expected, slope, p_value, p_slope, said)


def _test_levels(card: RiskCard, rows: LevelledRows) -> KindUpdate:
    """By the likelihood ratio of levels: of all hazards and the slope, and of the slope at the best hazards."""
    kind, levels, linear = card.kind, rows.levels, rows.linear(card)
    assert isinstance(kind, OrderedLevels)
    weights = rows.own_weights * _worth(rows.own_weights)
    size = float(weights[levels.codes > 0].sum())
    observed = float(np.average(levels.codes, weights=weights))
    expected = float(np.average(kind.at_least(linear).sum(axis=1), weights=weights))
    said = f"Rows are {observed:.2f} levels above the lowest on average, and the card expects {expected:.2f}."
    slope = levels.best_slope(weights, linear, LARGEST_SLOPE) if np.ptp(linear) else 1.0

    def loss(factor: float) -> float:
        steps = levels.steps(weights, relative(factor * linear))
        return levels.loss(weights, factor * linear, steps)

    stated = levels.loss(weights, linear, -np.diff([*kind.hazards, 0.0]))
    least, moved = loss(slope), loss(1.0)
    free = len(kind.hazards) + bool(np.ptp(linear))
    p_value = float(chi2.sf(max(0.0, 2 * (stated - least)), free))
    p_slope = float(chi2.sf(max(0.0, 2 * (moved - least)), 1))
    return KindUpdate(size, observed, expected, slope, p_value, p_slope, said)


def _test_numbers(card: RiskCard, rows: NumberedRows) -> KindUpdate:
    """By Wald's tests of the mean error and of the slope of errors, with the sandwich variance."""
    linear, weights = rows.linear(card), rows.own_weights
    size, whole = float(weights.sum() ** 2 / np.sum(weights**2)), float(weights.sum())
    errors = rows.numbers - linear
    expected = float(np.average(linear, weights=weights))
    observed = float(np.average(rows.numbers, weights=weights))
    said = f"The mean is {readable_amount(observed)}, and the card expects {readable_amount(expected)}."
    columns, values = [np.ones(linear.size) / whole], [observed - expected]
    away = linear - expected
    if (spread := float(weights @ away**2)) > 0:
        columns.append(away / spread)
        values.append(float(weights @ (away * errors)) / spread)
    left = errors - values[0] - (values[1] * away if len(values) > 1 else 0.0)
    influences = np.array(columns) * (weights * left)
    degrees = size - len(values)

    def p_value(own: slice) -> float:
        if degrees <= 0:
            return 1.0
        away, moves = np.array(values)[own], influences[own]
        covariance = moves @ moves.T * size / degrees
        if np.linalg.matrix_rank(covariance) < away.size:
            return 1.0 if np.allclose(away, 0) else 0.0  # errors that are all the same
        statistic = float(away @ np.linalg.solve(covariance, away)) / away.size
        return float(f_distribution.sf(statistic, away.size, degrees))

    has_slope = len(values) > 1
    slope = max(0.0, 1 + values[1]) if has_slope else 1.0
    p_slope = p_value(slice(1, 2)) if has_slope else 1.0
    return KindUpdate(size, observed, expected, slope, p_value(slice(None)), p_slope, said)


def _worth(weights: Floats) -> float:
    """The factor of weights by which they add up to as many rows as they are worth."""
    return float(weights.sum() / np.sum(weights**2))


# --- the new card -------------------------------------------------------------------------------


class _Scale(NamedTuple):
    """How rows are scaled, and what the card then gives, by what it adds up for each row."""

    slope: float
    offset: float
    kind_of: Callable[[Floats], OutcomeKind]


def _refitted(card: RiskCard, rows: KindRows, *, is_slope_given: bool) -> RiskCard:
    """The card with another scale, and the kind that belongs to it."""
    linear = rows.linear(card)
    slope, offset, kind_of = _scale(card, rows, linear, is_slope_given)
    if slope <= 0:
        raise DataError(
            "The total of the card does not rise with the outcome of these rows, so no scale fits it. Check the rows, "
            "or fit a new card."
        )
    return replace(
        card,
        multiplier=card.multiplier / slope,
        offset=slope * card.offset + offset,
        kind=kind_of(slope * linear + offset),
        training=_facts(card, rows),
        certificate=None,
        recipe=None,
    )


def _scale(card: RiskCard, rows: KindRows, linear: Floats, is_slope_given: bool) -> _Scale:
    """Slope and offset with the lowest loss, or the offset alone."""
    weights, kind = rows.own_weights, card.kind
    if isinstance(rows, NumberedRows):
        mean = float(np.average(rows.numbers, weights=weights))
        deviation = math.sqrt(float(np.average((rows.numbers - mean) ** 2, weights=weights)))
        found = _fitted(NumberRows(weights, rows.numbers), linear, is_slope_given)
        return _Scale(*found, lambda _: Numbers(mean, deviation))
    if isinstance(rows, LevelledRows):
        levels = rows.levels
        slope = 1.0
        if not is_slope_given and np.ptp(linear):
            slope = levels.best_slope(weights, linear, LARGEST_SLOPE)
        # so that the average relative hazard is 1 over these rows, as it is after a fit
        rates = RateRows(weights * levels.exposure(weights), weights * (levels.codes > 0))
        return _Scale(
            slope,
            rates.best_offset(slope * linear),
            lambda own: _levels(card, levels, weights, own),
        )
    if isinstance(rows, CountedRows):
        assert isinstance(kind, Counts)
        name, rates = kind.exposure, rows.expected_rates(card, weights)
        counts = Counts(name, float(rates.events.sum()), float(rates.exposure.sum()))
        return _Scale(*_fitted(rates, linear, is_slope_given), lambda _: counts)
    assert isinstance(rows, TimedRows)
    follow_up = rows.follow_up
    at_risk: Any = follow_up
    if follow_up.is_competing is not None:
        at_risk = subdistribution_rows(follow_up, weights)
    # given Nelson and Aalen's hazard, so that the average relative hazard is 1 over these rows
    exposed = weights * at_risk.exposure(at_risk.hazard(weights))
    found = _fitted(RateRows(exposed, weights * follow_up.is_event), linear, is_slope_given)
    return _Scale(*found, lambda own: _timing(card, rows, at_risk.hazard(weights, relative(own))))


def _levels(card: RiskCard, levels: LevelRows, weights: Floats, linear: Floats) -> OrderedLevels:
    assert isinstance(card.kind, OrderedLevels)
    return OrderedLevels(
        card.kind.levels, tuple(levels.hazards(weights, relative(linear)).tolist())
    )


def _timing(card: RiskCard, rows: TimedRows, baseline: Any) -> TimeToEvent:
    kind = card.kind
    assert isinstance(kind, TimeToEvent)
    last = float(rows.follow_up.time.max())
    horizons = tuple(one for one in kind.horizons if one <= last)
    if not horizons:
        raise DataError(
            f"These rows were followed up to {last:g} only, and the first horizon of the card is "
            f"{kind.horizons[0]:g}. Give rows that were followed for longer."
        )
    if len(horizons) < len(kind.horizons):
        warn(
            f"These rows were followed up to {last:g}, so the new card has no risk by later horizons of the old one."
        )
    return replace(
        kind,
        horizons=horizons,
        times=tuple(baseline.times.tolist()),
        hazards=tuple(baseline.values.tolist()),
        last=last,
    )


def _facts(card: RiskCard, rows: KindRows) -> TrainingFacts:
    """The rows that the scale is from, and the number of those that the points are from."""
    weights = rows.own_weights
    table = make_table(np.zeros((weights.size, 1)), None, weights, is_event=rows.has_events)
    totals = np.asarray(card.total_points(rows.X))
    facts = training_facts_of(table, totals, card.reachable_totals())
    first = card.training
    if first is None:  # written by hand
        return replace(facts, points_rows=0, points_events=0)
    if first.points_rows is not None:
        return replace(facts, points_rows=first.points_rows, points_events=first.points_events)
    return replace(facts, points_rows=first.rows, points_events=first.events)


def _fitted(
    rates: RateRows | NumberRows, linear: Floats, is_slope_given: bool = False
) -> tuple[float, float]:
    """Slope and offset with the lowest loss."""
    if is_slope_given or not np.ptp(linear):
        return 1.0, rates.best_offset(linear)
    slope, offset = rates.best_scale(linear, LARGEST_SLOPE)
    return (0.0, offset) if math.isclose(slope, 0.0, abs_tol=1e-12) else (slope, offset)
