"""From a solver's answer to a finished card of another kind than yes or no: exact loss, bound, baseline."""

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
from riskcard.model.outcome_kinds import OutcomeKind
from riskcard.problem.other_losses import OtherLoss, YesOrNoForm
from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult
from riskcard.status import Status, relative_gap


class Finished(NamedTuple):
    """A card, and the solver's answer with the loss and the bound of the card."""

    card: RiskCard
    result: SolveResult


@dataclass(frozen=True, slots=True)
class RateOutcome:
    """What a card of another kind than yes or no is about, in addition to its rows.

    Attributes
    ----------
    kind_of
        From the linear predictor of each row to what the card gives.
    middle
        What is added to linear predictors on the card: the logarithm of the rate that the exposures make
        1, or the mean of numbers; 0 for hazards.
    columns
        What rows have in addition to features, such as times: for the hash of the rows.
    gap
        The relative gap that was asked for.
    unit
        What linear predictors are multiplied by on the card: the unit of numbers; 1 for rates.
    """

    kind_of: Callable[[Floats], OutcomeKind]
    middle: float
    columns: Mapping[str, FeatureValues]
    gap: float
    unit: float = 1.0


def finish_rates(
    result: SolveResult,
    problem: Problem,
    layout: Layout,
    training: Training,
    outcome: RateOutcome,
) -> Finished:
    """The card in the user's units; loss and bound are those of its rows, see ``problem.other_losses``.

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
    form = rates.form()
    log_odds = card.linear_of_total(totals)
    require_right(result, problem, form.loss(log_odds / form.unit + form.shift))
    slope, offset = _best_scale(rates, form, card, totals, problem, result)
    linear = slope * totals + offset
    judged = _judged(result, rates, rates.loss(linear), outcome.gap)
    card = replace(card, multiplier=1 / (slope * outcome.unit), kind=outcome.kind_of(linear))
    limit = problem.scale.limit / form.unit
    problem = replace(problem, scale=replace(problem.scale, limit=limit))
    card = replace(
        card,
        offset=offset * outcome.unit + outcome.middle,
        # lines count rows with an event, which not every kind has
        features=features if card.kind is not None and card.kind.has_events else card.features,
        outcome=layout.table.outcome,
        training=training_facts_of(table, totals, card.reachable_totals()),
        certificate=certificate_of(judged, problem, layout, judged.loss),
        recipe=recipe_of(training, problem, layout, used, outcome.columns),
    )
    return Finished(card, judged)


def _best_scale(
    rates: OtherLoss,
    form: YesOrNoForm,
    card: RiskCard,
    totals: Integers,
    problem: Problem,
    result: SolveResult,
) -> tuple[float, float]:
    """Slope and offset with the lowest loss for the points of a card, within the limit on terms.

    The solver's scale is that of its own loss, which is a little lower where rates are high.
    """
    # the solver's points may have a common divisor, which the multiplier of the card has taken up
    jump = max(map(abs, result.solution.jumps), default=0) * card.multiplier
    jump /= result.solution.multiplier
    numbers = totals.astype(np.float64)
    known = 1 / (card.multiplier * form.unit)
    start = known, rates.best_offset(known * numbers)
    if jump == 0 or not np.ptp(numbers):
        return start
    slope, offset = rates.best_scale(numbers, problem.scale.limit / form.unit / jump)
    is_better = rates.loss(slope * numbers + offset) < rates.loss(start[0] * numbers + start[1])
    return (slope, offset) if slope > 0 and is_better else start


def _judged(result: SolveResult, rates: OtherLoss, loss: float, gap: float) -> SolveResult:
    """The answer with the loss of the card, the bound on every card's, and what they allow to say."""
    loss = 0.0 if loss <= rates.rounding else loss  # no card has a lower one
    bound = rates.bound(result.bound) if result.bound > 0 else 0.0
    min_gain = result.min_gain * rates.loss_unit
    objective = loss + min_gain * len(result.solution.terms)
    reached, status = relative_gap(objective, bound), result.status
    is_ended = status in (Status.OPTIMAL, Status.GAP_REACHED, Status.ROUNDING)
    if (is_ended or status is Status.CHOSEN) and reached <= rates.tolerance:
        status = Status.OPTIMAL
    elif is_ended:
        status = Status.GAP_REACHED if reached <= gap else Status.ROUNDING
    return replace(
        result, loss=loss, bound=bound, status=status, min_gain=min_gain, history=(), pool=None
    )
