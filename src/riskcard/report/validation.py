"""Cross-validation: the card refitted in every fold, and two other models on the same folds."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from riskcard.data.features import Features
from riskcard.data.frames import take_rows
from riskcard.evaluation.outcomes import Outcomes
from riskcard.evaluation.summary import evaluate
from riskcard.model.card import RiskCard
from riskcard.report.facts import MethodFacts, ValidationFacts
from riskcard.report.rivals import RIVALS, Rival

Positions = NDArray[np.intp]
Split = tuple[Positions, Positions]


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
    """

    table: Any
    features: Features
    is_event: NDArray[np.bool_]
    weights: NDArray[np.float64]
    risks: NDArray[np.float64]

    @property
    def n_rows(self) -> int:
        return int(self.is_event.size)


def split_rows(is_event: NDArray[np.bool_], folds: int, seed: int) -> list[Split]:
    """Shuffled folds with the same share of events each, at most one per row of the rarer class.

    No folds when a class has a single row.
    """
    fewest = int(min(is_event.sum(), (~is_event).sum()))
    if fewest < 2:
        return []
    splitter = StratifiedKFold(min(folds, fewest), shuffle=True, random_state=seed)
    return list(splitter.split(np.zeros((is_event.size, 1)), is_event))


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
        card = _method("This card", "As it is: it was not refitted.", rows.risks, rows, splits)
    else:
        clock = [time.perf_counter()]

        def fit(table: Any, is_event: Any, weights: Any) -> Any:
            return clone(estimator).fit(table, is_event, sample_weight=weights)

        def tell_and_note() -> None:
            clock.append(time.perf_counter())
            tell()

        risks, models = _held_out_risks(rows.table, rows, splits, fit, tell_and_note)
        seconds = float(np.median(np.diff(clock)))
        description = "Refitted in every fold, with the limits of this card."
        card = _method("Card", description, risks, rows, splits)
        card = replace(card, size=_size_of_cards([model.card_ for model in models]))
    others = [_rival_facts(rival, rows, splits, tell) for rival in RIVALS]
    return ValidationFacts(len(splits), (card, *others), estimator is not None), seconds


def _held_out_risks(
    table: Any, rows: Table, splits: list[Split], fit: Callable[..., Any], tell: Callable[[], None]
) -> tuple[NDArray[np.float64], list[Any]]:
    """The risk of each row from the model that has not seen it, and the models of all folds."""
    risks, models = np.empty(rows.n_rows), []
    for fitted, held_out in splits:
        model = fit(take_rows(table, fitted), rows.is_event[fitted], rows.weights[fitted])
        risks[held_out] = model.predict_proba(take_rows(table, held_out))[:, 1]
        models.append(model)
        tell()
    return risks, models


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
        risks, models = _held_out_risks(rows.features.values, rows, splits, fit, tell)
    facts = _method(rival.name, rival.describe(len(splits[-1][0])), risks, rows, splits)
    return replace(facts, size=rival.size(models[-1]))


def _method(
    name: str, description: str, risks: NDArray[np.float64], rows: Table, splits: list[Split]
) -> MethodFacts:
    outcomes = Outcomes(risks, rows.is_event, rows.weights)
    folds = [evaluate(outcomes.take(held_out)) for _, held_out in splits]
    return MethodFacts(
        name=name,
        description=description,
        evaluation=evaluate(outcomes),
        fold_areas=tuple(one.roc.area for one in folds),
        fold_losses=tuple(one.log_loss for one in folds),
    )
