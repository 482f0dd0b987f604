"""From a solver's answer to a finished card of hazards or rates: its exact loss, bound and baseline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from riskcard.arrays import Floats, Integers
from riskcard.data.columns import FeatureValues
from riskcard.encoding.decode_solution import Layout, card_from_solution
from riskcard.encoding.rare_values import with_ties
from riskcard.encoding.write_certificate import certificate_of, training_facts_of
from riskcard.estimators.fitted import Training, counted_features, recipe_of, require_right
from riskcard.model.card import RiskCard
from riskcard.model.outcome_kinds import OutcomeKind, TimeToEvent
from riskcard.problem.problem import Problem
from riskcard.problem.rates import RateRows
from riskcard.problem.result import SolveResult
from riskcard.status import Status, relative_gap

#: Largest relative gap of the deviance at which a card is called optimal. The tolerance of the solver is
#: relative to a loss that is larger by a constant.
DEVIANCE_TOLERANCE = 1e-4


class Finished(NamedTuple):
    """A card, and the solver's answer with the loss and the bound of the card."""

    card: RiskCard
    result: SolveResult


@dataclass(frozen=True, slots=True)
class RateOutcome:
    """What a card of rates or hazards is about, in addition to its rows.

    Attributes
    ----------
    kind_of
        From the relative rate of each row to what the card gives.
    log_unit
        The logarithm of the rate that the exposures make 1; 0 for hazards.
    columns
        What rows have in addition to features, such as times: for the hash of the rows.
    gap
        The relative gap that was asked for.
    """

    kind_of: Callable[[Floats], OutcomeKind]
    log_unit: float
    columns: Mapping[str, FeatureValues]
    gap: float


def finish_rates(
    result: SolveResult,
    problem: Problem,
    layout: Layout,
    training: Training,
    outcome: RateOutcome,
) -> Finished:
    """The card in the user's units; loss and bound are those of the Poisson deviance, see ``problem.rates``.

    Parameters
    ----------
    result, problem, layout
        The solver's answer, what was solved, and what its numbers mean.
    training
        The rows, and how they are learned from.
    outcome
        What the rows are about.
    """
    assert layout.rates is not None
    table = training.table  # in that of the layout rare values stand for others
    rates = layout.rates.times(table.weight_unit)
    card = with_ties(card_from_solution(result.solution, layout, problem.scale), layout.ties)
    used = [feature.name for feature in card.features]
    features, points = counted_features(card, table)
    totals = card.base + points.sum(axis=0)
    require_right(result, problem, _loss_of_solver(rates, card, totals))
    slope, offset = _best_scale(rates, card, totals, problem, result)
    log_rates = slope * totals + offset
    judged = _judged(result, rates, rates.loss(log_rates), outcome.gap)
    card = replace(card, multiplier=1 / slope, kind=outcome.kind_of(np.exp(log_rates)))
    card = replace(
        card,
        offset=offset + outcome.log_unit,
        # on a card of counts, lines would count rows with an event and not events
        features=features if isinstance(card.kind, TimeToEvent) else card.features,
        outcome=layout.table.outcome,
        training=training_facts_of(table, totals, card.reachable_totals()),
        certificate=certificate_of(judged, problem, layout, judged.loss),
        recipe=recipe_of(training, problem, layout, used, outcome.columns),
    )
    return Finished(card, judged)


def _best_scale(
    rates: RateRows, card: RiskCard, totals: Integers, problem: Problem, result: SolveResult
) -> tuple[float, float]:
    """Slope and offset with the lowest deviance for the points of a card, within the limit on terms.

    The solver's scale is that of its own loss, which is a little lower where rates are high.
    """
    # the solver's points may have a common divisor, which the multiplier of the card has taken up
    jump = max(map(abs, result.solution.jumps), default=0) * card.multiplier
    jump /= result.solution.multiplier
    numbers = totals.astype(np.float64)
    if jump == 0 or not np.ptp(numbers):
        return 1 / card.multiplier, rates.best_offset(numbers / card.multiplier)
    slope, offset = rates.best_scale(numbers, problem.scale.limit / jump)
    if rates.loss(slope * numbers + offset) >= rates.loss(
        numbers / card.multiplier + rates.best_offset(numbers / card.multiplier)
    ):
        return 1 / card.multiplier, rates.best_offset(numbers / card.multiplier)
    return slope, offset


def _loss_of_solver(rates: RateRows, card: RiskCard, totals: Integers) -> float:
    """The loss that the solver minimised, on raw rows: (1) of ``problem.rates``."""
    log_odds = card.linear_of_total(totals)
    losses = rates.factor * rates.exposure * np.logaddexp(0.0, log_odds) - rates.events * log_odds
    return float(losses.sum())


def _judged(result: SolveResult, rates: RateRows, loss: float, gap: float) -> SolveResult:
    """The answer with the deviance of the card, the bound on every card's, and what they allow to say."""
    bound = rates.bound(result.bound) if result.bound > 0 else 0.0
    objective = loss + result.min_gain * len(result.solution.terms)
    reached, status = relative_gap(objective, bound), result.status
    is_ended = status in (Status.OPTIMAL, Status.GAP_REACHED)
    if is_ended and reached <= DEVIANCE_TOLERANCE:
        status = Status.OPTIMAL
    elif is_ended:
        status = Status.GAP_REACHED if reached <= gap else Status.ROUNDING
    return replace(result, loss=loss, bound=bound, status=status, history=(), pool=None)
