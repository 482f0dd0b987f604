"""The facts of a report on a card of another outcome than yes or no: its rows, and the fit repeated in folds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from riskcard.arrays import Floats
from riskcard.audit.audit import audit_card
from riskcard.audit.findings import AuditReport
from riskcard.audit.raw_outcome import RawOutcome, read_outcome
from riskcard.audit.rivals import TrainingRows, read_training_rows
from riskcard.data.features import Features
from riskcard.data.frames import count_rows
from riskcard.data.target import read_weights
from riskcard.errors import DataError, ParameterError, RiskcardError
from riskcard.estimators.cross_validation.division import Division, Split
from riskcard.estimators.cross_validation.kind_rows import KindPerformance, KindRows, divided
from riskcard.estimators.cross_validation.rows_of_kinds import (
    CountedRows,
    LevelledRows,
    NumberedRows,
    TimedRows,
    read_rows_for,
)
from riskcard.estimators.other_outcomes.of_kind import estimator_of
from riskcard.estimators.parallel import run_side_by_side
from riskcard.evaluation.intervals import Figure
from riskcard.evaluation.other_outcomes.by_time import Constancy
from riskcard.evaluation.other_outcomes.counts import CountFigures, count_figures
from riskcard.evaluation.other_outcomes.estimates import (
    LevelFigures,
    NumberFigures,
    level_figures,
    number_figures,
)
from riskcard.evaluation.other_outcomes.row_units import RowUnits
from riskcard.evaluation.other_outcomes.survival import concordance_figure
from riskcard.model.card import RiskCard
from riskcard.model.origin.recipe import RowOrigin, hash_for_scale
from riskcard.model.outcome_kinds import OrderedLevels, TimeToEvent
from riskcard.report.data_facts import describe_table
from riskcard.report.facts import DataFacts
from riskcard.stability.bootstrap import bootstrap_card
from riskcard.stability.result import CardStability
from riskcard.validation.estimated.estimates import N_GROUPS, words_of_levels
from riskcard.validation.horizons.by_horizon import (
    N_PLACES,
    AtHorizon,
    GroupCurve,
    Predictions,
    at_horizons,
    constancy_of_card,
    group_curves,
    predictions_of,
)


@dataclass(frozen=True, slots=True)
class Judged:
    """How a card, or the cards of folds, do on some rows.

    Attributes
    ----------
    performance
        Three figures; of folds their mean.
    concordance
        With its interval, of a single card of times; None otherwise.
    brier
        The integrated Brier score; NaN where there is none.
    at, curves
        By horizon, and over time; of held-out rows each by the card of its fold.
    figures
        Of counts, numbers and levels; None of times.
    """

    performance: KindPerformance
    concordance: Figure | None
    brier: float
    at: tuple[AtHorizon, ...]
    curves: tuple[GroupCurve, ...]
    figures: CountFigures | NumberFigures | LevelFigures | None = None


@dataclass(frozen=True, slots=True)
class KindFacts:
    """Everything that the report says.

    Attributes
    ----------
    card
        The card.
    origin, reason
        Whether the rows are those of training; why that cannot be told.
    data
        The rows.
    audit
        What was recomputed; None unless the rows are those of training.
    own, held_out
        The card on these rows; and on rows that were held out, by repeating its recipe.
    folds
        How many parts were held out in all.
    stability
        The bootstrap of the whole fit.
    constancy
        Whether effects change with time.
    notes
        What was not done, and why.
    """

    card: RiskCard
    origin: RowOrigin
    reason: str
    data: DataFacts
    audit: AuditReport | None
    own: Judged
    held_out: Judged | None
    folds: int
    stability: CardStability | None
    constancy: tuple[Constancy, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Repeats:
    """How often fits are repeated: folds, how often they are drawn, resamples, seconds in all, seed, threads."""

    cv: int
    repeats: int
    n_bootstraps: int
    time_limit: float | None
    random_state: int
    n_jobs: int | None


@dataclass(frozen=True, slots=True)
class GivenRows:
    """Rows as they were given: features, target, weights, and entry or exposure."""

    X: Any
    y: Any
    sample_weight: Any
    further: Mapping[str, Any]
    division: Division


def gather_kind_facts(
    card: RiskCard, given: GivenRows, repeats: Repeats, progress: Callable[[int], None]
) -> KindFacts:
    """Gather the facts: on training rows the fit is repeated, on others the card is judged as it is."""
    n_rows = count_rows(given.X)
    weights = None if given.sample_weight is None else read_weights(given.sample_weight, n_rows)
    outcome = read_outcome(card, given.y, n_rows, given.further)
    known = read_training_rows(card, given.X, outcome, weights)
    if isinstance(known, str):
        raise DataError(f"The rows cannot be used: {known}")
    rows = read_rows_for(card, known.table, given.y, given.sample_weight, given.further)
    notes: list[str] = []
    totals = card.total_points(given.X)
    is_training = known.origin is RowOrigin.TRAINING
    audit = None
    if is_training:
        audit = audit_card(card, given.X, given.y, given.sample_weight, **given.further)
    held_out, folds, stability = None, 0, None
    if is_training and (estimator := _estimator(card, notes)) is not None:
        repeats = _within_time(estimator, rows, repeats, notes)
        if repeats.cv > 1:
            held_out, folds = _held_out(estimator, rows, given.division, repeats, _horizons(card))
            progress(folds)
        if repeats.n_bootstraps > 0:
            division, done = (
                given.division,
                iter(range(folds + 1, folds + repeats.n_bootstraps + 9)),
            )
            stability = bootstrap_card(
                estimator, known.table, given.y, n_bootstraps=repeats.n_bootstraps,
                random_state=repeats.random_state, n_jobs=repeats.n_jobs,
                sample_weight=given.sample_weight, groups=division.groups,
                progress=lambda: progress(next(done)), **given.further,
            )  # fmt: skip
    if card.recipe is not None and card.recipe.scale_rows:
        notes.append(_scale_note(card, given, outcome, weights, is_training))
    constancy: tuple[Constancy, ...] = ()
    units = RowUnits(rows.own_weights, given.division.groups)
    is_tested = isinstance(rows, TimedRows) and rows.follow_up.is_competing is None
    if isinstance(rows, TimedRows) and is_tested and units.is_plain:
        constancy = constancy_of_card(card, given.X, rows.follow_up)
    elif is_tested:
        notes.append(
            "Rows have weights, or belong together: whether effects change with time is not tested."
        )
    return KindFacts(
        card=card,
        origin=known.origin,
        reason=known.why_not_training if known.origin is RowOrigin.UNKNOWN else "",
        data=_data_facts(card, known, rows),
        audit=audit,
        own=_judge_card(card, rows, totals, units),
        held_out=held_out,
        folds=folds,
        stability=stability,
        constancy=constancy,
        notes=tuple(notes),
    )


def _scale_note(
    card: RiskCard, given: GivenRows, outcome: RawOutcome, weights: Floats | None, is_training: bool
) -> str:
    """Where the scale of a recalibrated card is from."""
    assert card.recipe is not None
    is_event = np.asarray(outcome.labels == card.classes[1], dtype=bool)
    own = np.ones(is_event.size) if weights is None else weights
    if card.recipe.scale_rows == hash_for_scale(card, given.X, is_event, own, outcome.features):
        return "The scale of this card was fitted to these rows later, so its calibration on them is too good."
    if is_training:
        return (
            "The scale of this card was fitted to other rows later; held-out figures are those of the fit "
            "before that."
        )
    return "The scale of this card was fitted to other rows later."


def _estimator(card: RiskCard, notes: list[str]) -> Any:
    """The estimator of the recipe; None with a note where the fit cannot be repeated."""
    assert card.recipe is not None
    try:
        model = estimator_of(card).from_recipe(card.recipe)
    except (RiskcardError, TypeError) as error:
        notes.append(f"The fit was not repeated: {error}")
        return None
    if isinstance(card.kind, TimeToEvent):
        # a horizon beyond the follow-up of a resample would end it
        model.set_params(horizons=None)
    return model.set_params(certify=False, verbose=False, n_jobs=None)


def _within_time(estimator: Any, rows: KindRows, repeats: Repeats, notes: list[str]) -> Repeats:
    """Fewer repeats where the time limit is short, judged by one fit."""
    if repeats.time_limit is None:
        return repeats
    begun = time.perf_counter()
    rows.fit(estimator)
    seconds = max(time.perf_counter() - begun, 1e-3)
    possible = int(repeats.time_limit / seconds)
    n_repeats = max(1, min(repeats.repeats, possible // (2 * max(repeats.cv, 1))))
    left = max(possible - n_repeats * repeats.cv, 0)
    n_bootstraps = (
        repeats.n_bootstraps if left >= repeats.n_bootstraps else (left if left >= 10 else 0)
    )
    if n_repeats < repeats.repeats or n_bootstraps < repeats.n_bootstraps:
        notes.append(
            f"The time limit leaves {n_repeats} draws of the folds and {n_bootstraps} resamples (asked: "
            f"{repeats.repeats} and {repeats.n_bootstraps})."
        )
    return replace(repeats, repeats=n_repeats, n_bootstraps=n_bootstraps)


def _data_facts(card: RiskCard, known: TrainingRows, rows: KindRows) -> DataFacts:
    columns = known.table.features
    if not columns:
        raise ParameterError("The rows have none of the columns that the card was learned from.")
    values = np.column_stack([one.values for one in columns.values()])
    table = Features(values, tuple(columns), tuple(one.levels for one in columns.values()))
    weights = np.ones(len(values)) if rows.weights is None else rows.weights
    return describe_table(table, rows.has_events, weights, [one.name for one in card.features])


# --- judging ------------------------------------------------------------------------------------


def _judge_card(card: RiskCard, rows: KindRows, totals: Any, units: RowUnits) -> Judged:
    """A card on rows."""
    performance, brier = rows.measure(card), rows.brier(card)
    if not isinstance(rows, TimedRows):
        figures = _estimated(rows, [(card, rows)], units)
        return Judged(performance, None, brier, (), (), figures)
    assert isinstance(card.kind, TimeToEvent)
    said = predictions_of(card, totals, rows.follow_up, card.kind.horizons)
    ordered = rows.follow_up
    if ordered.is_competing is not None:
        ordered = ordered.never_after_competing()
    concordance = concordance_figure(ordered, card.linear_of_total(totals), units)
    at = at_horizons(rows.follow_up, said, units)
    curves = group_curves(rows.follow_up, said, units)
    return Judged(performance, concordance, brier, at, curves)


def _estimated(
    rows: KindRows, parts: list[tuple[RiskCard, KindRows]], units: RowUnits
) -> CountFigures | NumberFigures | LevelFigures:
    """The figures of counts, numbers or levels; each part of the rows is judged by a card of its own."""
    linear = np.concatenate([part.linear(card) for card, part in parts])
    if isinstance(rows, NumberedRows):
        return number_figures(linear, rows.numbers, N_GROUPS, units)
    if isinstance(rows, LevelledRows):
        kinds = [card.kind for card, _ in parts]
        at_least = np.concatenate(
            [
                kind.at_least(part.linear(card))
                for kind, (card, part) in zip(kinds, parts, strict=True)
                if isinstance(kind, OrderedLevels)
            ]
        )
        assert isinstance(kinds[0], OrderedLevels)
        words = words_of_levels(kinds[0])
        return level_figures(at_least, rows.levels.codes, words, N_GROUPS, units)
    assert isinstance(rows, CountedRows)
    return count_figures(linear, rows.counts, rows.exposure, N_GROUPS, units)


def _held_out(
    estimator: Any,
    rows: KindRows,
    division: Division,
    repeats: Repeats,
    horizons: tuple[float, ...],
) -> tuple[Judged | None, int]:
    """The fit repeated: each row judged by a card that has not seen it."""
    splits = divided(rows, division, repeats.cv, repeats.repeats, repeats.random_state)
    cards = run_side_by_side(
        lambda split, stop: rows.take(split[0]).fit(estimator).card_, splits, repeats.n_jobs
    )
    found, briers = [], []
    for (_, test), card in zip(splits, cards, strict=True):
        held = rows.take(test)
        found.append(held.measure(card))
        briers.append(held.brier(card))
    performance = _mean(found)
    judged = Judged(performance, None, float(np.mean(briers)), (), ())
    one_pass = list(zip(splits, cards, strict=True))
    one_pass = one_pass[: repeats.cv] if division.is_drawn else one_pass
    units = RowUnits(rows.own_weights, division.groups)
    return _with_each_row(judged, rows, one_pass, horizons, units), len(splits)


def _mean(found: list[KindPerformance]) -> KindPerformance:
    """Over parts, without those in which a figure is not known."""
    figures = np.array([(one.ranking, one.deviance, one.slope) for one in found])
    means = [own[~np.isnan(own)].mean() if not np.isnan(own).all() else np.nan for own in figures.T]
    return KindPerformance(*map(float, means))


def _with_each_row(
    judged: Judged,
    rows: KindRows,
    one_pass: list[tuple[Split, RiskCard]],
    horizons: tuple[float, ...],
    units: RowUnits,
) -> Judged:
    """With the figures in which each row is judged once; without them where some are not, or twice."""
    places = np.concatenate([test for (_, test), _ in one_pass])
    if places.size != np.unique(places).size:
        return judged
    units = units.take(places)
    own, parts = rows.take(places), [(card, rows.take(test)) for (_, test), card in one_pass]
    if not isinstance(own, TimedRows):
        return replace(judged, figures=_estimated(own, parts, units))
    kinds = [card.kind for card, _ in parts if isinstance(card.kind, TimeToEvent)]
    horizons = tuple(one for one in horizons if all(one <= kind.last for kind in kinds))
    if not horizons:
        return judged
    relative = [
        np.asarray(card.relative_of_total(card.total_points(part.X))) for card, part in parts
    ]
    said = _pooled(kinds, relative, horizons, own)
    at = at_horizons(own.follow_up, said, units)
    curves = group_curves(own.follow_up, said, units)
    return replace(judged, at=at, curves=curves)


def _horizons(card: RiskCard) -> tuple[float, ...]:
    return card.kind.horizons if isinstance(card.kind, TimeToEvent) else ()


def _pooled(
    kinds: list[TimeToEvent], relative: list[Floats], horizons: tuple[float, ...], own: TimedRows
) -> Predictions:
    """What the cards of folds say of the rows that each has not seen."""
    last = min([float(own.follow_up.time.max()), *(one.last for one in kinds)])
    grid = np.linspace(0.0, last, N_PLACES)
    parts = [
        Predictions.of(kind, one, horizons, grid) for kind, one in zip(kinds, relative, strict=True)
    ]
    risks = tuple(
        np.concatenate([one.risks[place] for one in parts]) for place in range(len(horizons))
    )
    return Predictions(horizons, risks, grid, np.concatenate([one.curves for one in parts]))
