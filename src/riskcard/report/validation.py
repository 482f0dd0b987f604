"""Rows held out: the card learned again in every fold, and its rivals on the same folds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from riskcard.data.features import Features
from riskcard.data.frames import take_rows
from riskcard.errors import ParameterError
from riskcard.evaluation.outcomes import Outcomes
from riskcard.evaluation.summary import evaluate
from riskcard.model.card import RiskCard
from riskcard.report.facts import MethodFacts, ValidationFacts
from riskcard.report.rivals import RIVALS, Rival, one_thread

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


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What the folds gave, and the seconds of a fit of the card: the median, since the first one may compile."""

    facts: ValidationFacts
    seconds: float


def split_rows(is_event: NDArray[np.bool_], folds: int, seed: int) -> list[Split]:
    """Shuffled folds with the same share of events each; fewer when a class has fewer rows.

    No folds at all when a class has one row only.
    """
    if folds < 2:
        raise ParameterError(f"cv is {folds}. Use at least 2 folds, or 0 for none.")
    fewest = int(min(is_event.sum(), (~is_event).sum()))
    if fewest < 2:
        return []
    splitter = StratifiedKFold(min(folds, fewest), shuffle=True, random_state=seed)
    return list(splitter.split(np.zeros((is_event.size, 1)), is_event))


def hold_out(
    rows: Table,
    splits: list[Split],
    estimator: Any,
    tell: Callable[[], None],
) -> HeldOut:
    """Hold out every fold once, for the card and its rivals.

    Parameters
    ----------
    rows
        The rows.
    splits
        The folds.
    estimator
        The procedure behind the card; None when it is not known, and then the card is as it is.
    tell
        Called after every fit.
    """
    seconds = 0.0
    if estimator is None:
        first = _method(
            "This card", "As it is: it was not learned again.", rows.risks, rows, splits
        )
    else:
        clock = [time.perf_counter()]

        def tell_and_note() -> None:
            clock.append(time.perf_counter())
            tell()

        risks, cards = _risks_of_cards(rows, splits, estimator, tell_and_note)
        seconds = float(np.median(np.diff(clock)))
        first = _method("Card", "Learned again in every fold, with the limits of this card.", risks,
                        rows, splits)  # fmt: skip
        first = replace(first, size=_size_of_cards(cards))
    others = [_rival_facts(rival, rows, splits, tell) for rival in RIVALS]
    facts = ValidationFacts(len(splits), (first, *others), is_refitted=estimator is not None)
    return HeldOut(facts, seconds)


def _risks_of_cards(
    rows: Table, splits: list[Split], estimator: Any, tell: Callable[[], None]
) -> tuple[NDArray[np.float64], list[RiskCard]]:
    risks, cards = np.empty(rows.n_rows), []
    for fitted, held_out in splits:
        model = clone(estimator).fit(
            take_rows(rows.table, fitted), rows.is_event[fitted], sample_weight=rows.weights[fitted]
        )
        risks[held_out] = model.predict_proba(take_rows(rows.table, held_out))[:, 1]
        cards.append(model.card_)
        tell()
    return risks, cards


def _size_of_cards(cards: list[RiskCard]) -> str:
    numbers = sorted({len(card.terms) for card in cards})
    words = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    return f"{words} term{'' if numbers == [1] else 's'}"


def _rival_facts(
    rival: Rival, rows: Table, splits: list[Split], tell: Callable[[], None]
) -> MethodFacts:
    risks, values, levels = np.empty(rows.n_rows), rows.features.values, rows.features.levels
    model = None
    with one_thread():
        for fitted, held_out in splits:
            model = rival.fit(values[fitted], levels, rows.is_event[fitted], rows.weights[fitted])
            risks[held_out] = model.predict_proba(values[held_out])[:, 1]
            tell()
    n_fitted = len(splits[-1][0])
    facts = _method(rival.name, rival.describe(n_fitted), risks, rows, splits)
    return replace(facts, size=rival.size(model))


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
