"""Cross-validation: the card refitted in every fold, and two other models on the same folds."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from riskcard.data.features import Features
from riskcard.data.frames import take_rows
from riskcard.estimators.cross_validation.division import Division, Positions, Split
from riskcard.evaluation.outcomes import Outcomes
from riskcard.evaluation.summary import evaluate
from riskcard.model.card import RiskCard
from riskcard.report.facts import MethodFacts, ValidationFacts
from riskcard.report.rivals import RIVALS, Rival

#: Positions of held-out rows, and their risks.
HeldOutRisks = tuple[Positions, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a report.

    Attributes
    ----------
    table
        All candidate features, as a classifier takes them.
    features
        The same as numbers, with indices for levels.
    is_event, weights
        Of each row.
    risks
        What the card gives each row.
    division
        Which rows stay together or apart in folds and resamples.
    """

    table: Any
    features: Features
    is_event: NDArray[np.bool_]
    weights: NDArray[np.float64]
    risks: NDArray[np.float64]
    division: Division

    @property
    def n_rows(self) -> int:
        return int(self.is_event.size)


def hold_out(
    rows: Table, splits: list[Split], estimator: Any, tell: Callable[[], None]
) -> tuple[ValidationFacts, float]:
    """Hold out every fold once, for the card and its rivals.

    Parameters
    ----------
    rows
        The rows.
    splits
        The folds.
    estimator
        The procedure behind the card; None when it is not known: the card is then not refitted.
    tell
        Called after every fit.

    Returns
    -------
    ValidationFacts
        The figures.
    float
        Seconds of one fit of the card: the median, since the first one may compile. 0 without fits.
    """
    seconds = 0.0
    if estimator is None:
        as_it_is = [(judged, rows.risks[judged]) for _, judged in splits]
        card = _method("This card", "As it is: it was not refitted.", as_it_is, rows)
    else:
        clock = [time.perf_counter()]

        def fit(table: Any, is_event: Any, weights: Any) -> Any:
            return clone(estimator).fit(table, is_event, sample_weight=weights)

        def tell_and_note() -> None:
            clock.append(time.perf_counter())
            tell()

        held_out, models = _hold_out_each(rows.table, rows, splits, fit, tell_and_note)
        seconds = float(np.median(np.diff(clock)))
        description = "Refitted in every fold, with the limits of this card."
        card = _method("Card", description, held_out, rows)
        card = replace(card, size=_size_of_cards([model.card_ for model in models]))
    others = [_rival_facts(rival, rows, splits, tell) for rival in RIVALS]
    return ValidationFacts(len(splits), (card, *others), estimator is not None), seconds


def _hold_out_each(
    table: Any, rows: Table, splits: list[Split], fit: Callable[..., Any], tell: Callable[[], None]
) -> tuple[list[HeldOutRisks], list[Any]]:
    """The risks of each fold from the model that has not seen it, and the models of all folds."""
    found, models = [], []
    for fitted, judged in splits:
        model = fit(take_rows(table, fitted), rows.is_event[fitted], rows.weights[fitted])
        found.append((judged, model.predict_proba(take_rows(table, judged))[:, 1]))
        models.append(model)
        tell()
    return found, models


def _size_of_cards(cards: list[RiskCard]) -> str:
    numbers = sorted({len(card.terms) for card in cards})
    words = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    return f"{words} term{'' if numbers == [1] else 's'}"


def _rival_facts(
    rival: Rival, rows: Table, splits: list[Split], tell: Callable[[], None]
) -> MethodFacts:
    fit = partial(rival.fit, rows.features.levels)
    # more threads are slower where other processes run too
    with threadpool_limits(limits=1):
        held_out, models = _hold_out_each(rows.features.values, rows, splits, fit, tell)
    facts = _method(rival.name, rival.describe(len(splits[-1][0])), held_out, rows)
    return replace(facts, size=rival.size(models[-1]))


def _method(name: str, description: str, held_out: list[HeldOutRisks], rows: Table) -> MethodFacts:
    each = [Outcomes(risks, rows.is_event[at], rows.weights[at]) for at, risks in held_out]
    folds = [evaluate(one) for one in each if one.is_event.any() and not one.is_event.all()]
    at = np.concatenate([rows for rows, _ in held_out])
    risks = np.concatenate([risks for _, risks in held_out])
    outcomes = Outcomes(risks, rows.is_event[at], rows.weights[at])
    return MethodFacts(
        name=name,
        description=description,
        evaluation=evaluate(outcomes),
        fold_areas=tuple(one.roc.area for one in folds),
        fold_losses=tuple(one.log_loss for one in folds),
    )
