"""From a solver's answer to a finished card: back to the user's units, recounted, with its recipe."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.arrays import Integers
from riskcard.data.columns import FeatureValues
from riskcard.data.row_hash import hash_choices
from riskcard.data.table import Table
from riskcard.encoding.decode_solution import Layout, card_from_solution, raw_columns
from riskcard.encoding.fit_card_scale import CardScale, fit_card_scale
from riskcard.encoding.pseudo_rows import loss_with_pseudo_rows
from riskcard.encoding.rare_values import with_ties
from riskcard.encoding.risk_intervals import FREE, SHRUNK, risk_intervals
from riskcard.encoding.write_certificate import certificate_of, training_facts_of
from riskcard.errors import RiskcardError
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature
from riskcard.model.origin.certificate import ClassWeights
from riskcard.model.origin.recipe import Recipe
from riskcard.problem.objective import violations
from riskcard.problem.other_losses import OtherLoss
from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult

#: The loss of the printed card may differ from the solver's by this much, relatively: rounding.
LOSS_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Procedure:
    """What is done to get a card, for its recipe.

    Attributes
    ----------
    method
        The class or function that the user called.
    parameters
        Of the classifier, as plain JSON values.
    further
        Of the method itself, as plain JSON values.
    """

    method: str
    parameters: Mapping[str, Any]
    further: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Training:
    """The rows to learn from.

    Attributes
    ----------
    table
        Features, labels and weights, those of the classes included.
    given_weights
        The weights as the user gave them.
    class_factors
        The factors for rows without and with the event; None without class weights.
    procedure
        What is done with them.
    rates
        Exposure and events of the rows, where the outcome is a rate or a hazard; None for yes or no.
    """

    table: Table
    given_weights: NDArray[np.float64]
    class_factors: tuple[float, float] | None
    procedure: Procedure
    rates: OtherLoss | None = None

    @property
    def key(self) -> tuple[object, ...] | None:
        """All that a problem depends on, with a hash of the numbers, which may be changed in place later.

        None for rows that stand for many, or that have rates.
        """
        table = self.table
        if table.merged is not None or self.rates is not None:
            return None
        digest = hashlib.sha256()
        for numbers in (table.values, table.labels, table.weights):
            digest.update(repr(numbers.shape).encode())
            digest.update(np.ascontiguousarray(numbers).data)
        return (
            digest.digest(), table.names, table.levels, table.classes, table.outcome,
            self.class_factors,
        )  # fmt: skip


def finish(result: SolveResult, problem: Problem, layout: Layout, training: Training) -> RiskCard:
    """The card in the user's units; what is stated is what the printed card gives on raw rows.

    Parameters
    ----------
    result
        The solver's answer.
    problem
        What was solved.
    layout
        What its numbers mean.
    training
        The rows, and how they are learned from.
    """
    table = training.table  # in that of the layout rare values stand for others
    card = with_ties(card_from_solution(result.solution, layout, problem.scale), layout.ties)
    used = [feature.name for feature in card.features]
    features, points = counted_features(card, table)
    totals = card.base + points.sum(axis=0)
    log_odds = card.log_odds_of_total(totals)
    loss = loss_with_pseudo_rows(log_odds, table.labels, table.weights, layout.pseudo)
    require_right(result, problem, loss)
    certificate = certificate_of(result, problem, layout, loss)
    if training.class_factors is not None:
        weights = ClassWeights(*training.class_factors, card.multiplier, card.offset)
        certificate = replace(certificate, class_weights=weights)
        card = _without_class_weights(card, totals, result, problem, layout, training)
        table = replace(table, weights=training.given_weights)
    facts = training_facts_of(table, totals, card.reachable_totals())
    if used:
        is_shrunk = layout.pseudo.number > 0
        log_odds = card.log_odds_of_total(totals)
        if not is_shrunk and problem.scale.kind != "calibrated":
            log_odds = _on_fitted_scale(card, totals, table)
        rows = log_odds, totals, points, training.given_weights
        counts = None if table.merged is None else table.merged.counts
        ends = risk_intervals(facts.totals, *rows, SHRUNK if is_shrunk else FREE, counts)
        pairs = zip(facts.totals, ends, strict=True)
        facts = replace(facts, totals=tuple(replace(one, interval=own) for one, own in pairs))
    return replace(
        card,
        features=features,
        outcome=layout.table.outcome,
        training=facts,
        certificate=certificate,
        recipe=recipe_of(training, problem, layout, used),
    )


def _on_fitted_scale(card: RiskCard, totals: Integers, table: Table) -> NDArray[np.float64]:
    """Log-odds by the scale that fits the rows, not by one that was given: it is nearer the truth."""
    start = CardScale(1.0 / card.multiplier, card.offset)
    scale = fit_card_scale(totals, table.labels > 0, table.weights, start)
    return np.asarray(scale.slope * totals + scale.offset, dtype=np.float64)


def counted_features(card: RiskCard, table: Table) -> tuple[tuple[CardFeature, ...], Integers]:
    """The features with the rows and events of their lines, and the points of each feature and row."""
    is_event, features = table.labels > 0, []
    points = np.zeros((len(card.features), table.labels.size), dtype=np.int64)
    columns = raw_columns(table, [feature.name for feature in card.features])
    for place, feature in enumerate(card.features):
        found, n_lines = feature.look_up(columns[feature.name]), len(feature.line_points)
        points[place] = found.points
        rows, events = (
            tuple(table.count_by(found.lines[counted], counted, n_lines).tolist())
            for counted in (..., is_event)
        )
        features.append(replace(feature, rows=rows, events=events))
    return tuple(features), points


def _without_class_weights(
    card: RiskCard,
    totals: Integers,
    result: SolveResult,
    problem: Problem,
    layout: Layout,
    training: Training,
) -> RiskCard:
    """The same points with the scale of the rows as they are, shrunk as much as before.

    A multiplier that was given stays; then the offset alone takes up the class weights.
    """
    table = layout.table
    start = CardScale(1.0 / card.multiplier, card.offset)
    # the solver's points may have a common divisor, which the multiplier of the card has taken up
    jump = max(map(abs, result.solution.jumps), default=0) * card.multiplier
    jump /= result.solution.multiplier
    scale = fit_card_scale(
        totals,
        table.labels > 0,
        training.given_weights,
        start,
        most=problem.scale.limit / max(jump, 1.0),
        is_slope_given=problem.scale.kind == "fixed" or jump == 0,
        pseudo_share=layout.pseudo.average / table.n_rows,
    )
    return replace(card, multiplier=1.0 / scale.slope, offset=scale.offset)


def require_right(result: SolveResult, problem: Problem, loss: float) -> None:
    """Refuse a card that is not allowed, or has another loss than the solver says."""
    wrong = violations(result.solution, problem)
    if not math.isclose(loss, result.loss, rel_tol=LOSS_ROUNDING):
        wrong.append(f"its loss is {loss!r}, not {result.loss!r} as the solver says")
    if wrong:
        raise RiskcardError(
            f"The solver's card is not right: {'; '.join(wrong)}. "
            "This is a mistake in riskcard: please report it with the data."
        )


def recipe_of(
    training: Training,
    problem: Problem,
    layout: Layout,
    used: list[str],
    further_columns: Mapping[str, FeatureValues] | None = None,
) -> Recipe:
    """How the card was made, and hashes of its rows, of which times are ``further_columns``."""
    table, weights = training.table, training.given_weights
    more = dict(further_columns or {})
    choices = [[*used, *more], [*table.names, *more]]
    columns = {**table.features, **more}
    if table.merged is None:
        rows_used, rows_all = hash_choices(columns, choices, table.labels > 0, weights)
    else:
        rows_used = rows_all = ""  # the rows themselves were not all seen in one place
    ones = 1 if table.merged is None else table.merged.counts
    return Recipe(
        method=training.procedure.method,
        parameters=training.procedure.parameters,
        resolved={
            "max_log_odds": None if problem.scale.kind == "fixed" else problem.scale.limit,
            "min_bin_rows": layout.least.rows,
            "min_bin_events": layout.least.events,
            "grid": layout.grid,
            "pseudo_rows": layout.pseudo.average,
            "smooth_rows": layout.pseudo.smooth,
            "shortlist": layout.shortlist,
            "min_line_rows": layout.min_line_rows,
        },
        further=training.procedure.further,
        is_weighted=bool((weights != ones).any()),
        rows_used=rows_used,
        rows_all=rows_all,
    )
