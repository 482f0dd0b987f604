"""A card of times or of counts on new rows: its points stay, baseline and slope, or rate, are refitted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import chi2

from riskcard.arrays import Floats
from riskcard.data.columns import FeatureValues
from riskcard.data.table import make_table
from riskcard.encoding.write_certificate import training_facts_of
from riskcard.errors import DataError, ParameterError, warn
from riskcard.estimators.cross_validation.kind_rows import KindRows, read_kind_rows
from riskcard.estimators.other_outcomes.of_kind import estimator_of
from riskcard.evaluation.monitoring.updating import FEW_ROWS, LEAST_ROWS, UPDATES
from riskcard.model.card import RiskCard
from riskcard.model.origin.certificate import TrainingFacts
from riskcard.model.origin.recipe import hash_for_scale
from riskcard.model.outcome_kinds import Counts, OutcomeKind, TimeToEvent
from riskcard.outcomes.hazards import cumulative_hazard, exposure
from riskcard.problem.rates import RateRows

#: The level of the tests that choose an update, and the largest factor of the logarithms of hazards.
LEVEL, LARGEST_SLOPE = 0.05, 20.0


@dataclass(frozen=True, slots=True)
class RateUpdate:
    """What new rows say about the scale of a card of times or of counts.

    Attributes
    ----------
    choice
        "none", "offset" (the baseline or the rate) or "both" (the slope too).
    events
        How many there are; with weights the effective number.
    ratio
        Events divided by what the card expects.
    slope
        The factor of the logarithms of hazards or rates that fits best; at least 0.
    p_value, p_slope
        Of the likelihood-ratio tests that nothing has changed, and that the slope is 1.
    """

    choice: str
    events: float
    ratio: float
    slope: float
    p_value: float
    p_slope: float

    def __str__(self) -> str:
        return (
            f"Observed divided by expected is {self.ratio:.2f}, the slope {self.slope:.2f}. That nothing has changed "
            f"has p = {self.p_value:.3g}, that the slope is 1 has p = {self.p_slope:.3g}: the rows support the "
            f"update {self.choice!r}."
        )


def choose_rate_update(card: RiskCard, rows: KindRows) -> RateUpdate:
    """The least update that rows support, by a closed test: nothing, the offset, or both.

    First whether offset and slope together differ from what the card says, then whether the slope does: each by
    the likelihood ratio of the events given what the card expects of each row, at the level of 5 %.
    """
    linear = _linear(card, rows)
    weights = _weights(rows)
    # as many events as the weights are worth
    own = weights[rows.has_events]
    rates = rows.expected_rates(card, weights * float(own.sum() / np.sum(own**2)))
    events = float(rates.events.sum())
    ratio = events / float(rates.exposure @ np.exp(linear))
    slope, offset = _fitted(rates, linear)
    least = rates.loss(slope * linear + offset)
    moved = rates.loss(linear + rates.best_offset(linear))
    p_value = float(chi2.sf(max(0.0, 2 * (rates.loss(linear) - least)), 2))
    p_slope = float(chi2.sf(max(0.0, 2 * (moved - least)), 1))
    choice = "none" if p_value >= LEVEL else "offset" if p_slope >= LEVEL else "both"
    if events < LEAST_ROWS["both"] and choice == "both":
        choice = "offset"
    if events < LEAST_ROWS["offset"]:
        choice = "none"
    return RateUpdate(choice, events, ratio, slope, p_value, p_slope)


def recalibrate_rates(
    card: RiskCard, X: Any, y: Any, sample_weight: Any, update: str, further: Mapping[str, Any]
) -> RiskCard:
    """The card with its baseline (or rate), and with "both" its slope, fitted to new rows; see ``recalibrate``."""
    if update not in (*UPDATES, "auto"):
        raise ParameterError(f"The update is {update!r}. Use 'auto', 'none', 'offset' or 'both'.")
    rows = read_kind_rows(estimator_of(card)(), X, y, sample_weight, further)
    advised = choose_rate_update(card, rows)
    update = advised.choice if update == "auto" else update
    if update == "none":
        return card
    if advised.events < LEAST_ROWS[update]:
        raise DataError(
            f"There are {advised.events:.3g} events: too few for the update {update!r} of a card, which takes at "
            f"least {LEAST_ROWS[update]}. Give more rows, or use the update 'none' or 'auto'."
        )
    new = _refitted(card, rows, is_slope_given=update == "offset")
    if card.recipe is not None:
        known = hash_for_scale(card, X, rows.has_events, _weights(rows), _columns(rows))
        new = replace(new, recipe=replace(card.recipe, scale_rows=known, digest=""))
    if advised.events < FEW_ROWS[update]:
        warn(
            f"There are {advised.events:.3g} events, which is few for this update: at least {FEW_ROWS[update]} are "
            "advisable. Use more rows, or judge the new card on others."
        )
    return new


def _refitted(card: RiskCard, rows: KindRows, *, is_slope_given: bool) -> RiskCard:
    """The card with another scale, and the kind that belongs to it."""
    linear, weights = _linear(card, rows), _weights(rows)
    if rows.follow_up is None:
        assert rows.counts is not None
        assert rows.exposure is not None
        rates = RateRows(weights * rows.exposure, weights * rows.counts)
    else:
        # given Nelson and Aalen's hazard, so that the average relative hazard is 1 over these rows
        hazard = cumulative_hazard(rows.follow_up, weights)
        exposed = weights * exposure(rows.follow_up, hazard)
        rates = RateRows(exposed, weights * rows.follow_up.is_event)
    slope, offset = (1.0, rates.best_offset(linear)) if is_slope_given else _fitted(rates, linear)
    if slope <= 0:
        raise DataError(
            "The total of the card does not rise with the hazard or rate of these rows, so no scale fits it. Check "
            "the rows, or fit a new card."
        )
    fitted = slope * linear + offset
    return replace(
        card,
        multiplier=card.multiplier / slope,
        offset=slope * card.offset + offset,
        kind=_kind(card, rows, np.exp(fitted), rates),
        training=_facts(card, rows, weights),
        certificate=None,
        recipe=None,
    )


def _kind(card: RiskCard, rows: KindRows, relative: Floats, rates: RateRows) -> OutcomeKind:
    kind = card.kind
    if isinstance(kind, Counts):
        return Counts(kind.exposure, float(rates.events.sum()), float(rates.exposure.sum()))
    assert isinstance(kind, TimeToEvent)
    assert rows.follow_up is not None
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
    baseline = cumulative_hazard(rows.follow_up, _weights(rows), relative)
    times, hazards = tuple(baseline.times.tolist()), tuple(baseline.values.tolist())
    return TimeToEvent(kind.time, horizons, times, hazards, last)


def _facts(card: RiskCard, rows: KindRows, weights: Floats) -> TrainingFacts:
    """The rows that the scale is from, and the number of those that the points are from."""
    table = make_table(np.zeros((weights.size, 1)), None, weights, is_event=rows.has_events)
    totals = np.asarray(card.total_points(rows.X))
    facts = training_facts_of(table, totals, card.reachable_totals())
    first = card.training
    if first is None:  # written by hand
        return replace(facts, points_rows=0, points_events=0)
    if first.points_rows is not None:
        return replace(facts, points_rows=first.points_rows, points_events=first.points_events)
    return replace(facts, points_rows=first.rows, points_events=first.events)


def _fitted(rates: RateRows, linear: Floats) -> tuple[float, float]:
    """Slope and offset with the lowest deviance."""
    if not np.ptp(linear):
        return 1.0, rates.best_offset(linear)
    slope, offset = rates.best_scale(linear, LARGEST_SLOPE)
    return (0.0, offset) if math.isclose(slope, 0.0, abs_tol=1e-12) else (slope, offset)


def _linear(card: RiskCard, rows: KindRows) -> Floats:
    return np.asarray(card.linear_of_total(card.total_points(rows.X)), dtype=np.float64)


def _weights(rows: KindRows) -> Floats:
    return np.ones(rows.has_events.size) if rows.weights is None else rows.weights


def _columns(rows: KindRows) -> dict[str, FeatureValues]:
    """What rows have in addition to features, for their hash."""
    if rows.follow_up is None:
        assert rows.counts is not None
        assert rows.exposure is not None
        return {
            "count": FeatureValues(rows.counts, None),
            "exposure": FeatureValues(rows.exposure, None),
        }
    found = {"time": FeatureValues(rows.follow_up.time, None)}
    if rows.follow_up.entry is not None:
        found["entry"] = FeatureValues(rows.follow_up.entry, None)
    return found
