"""Which rows a report is about: those of training, others, or rows of which that cannot be told.

This decides what the page may say. On training rows the card is refitted in folds and resamples, and
figures on the rows themselves are called too good. On other rows the card is judged as it is: nothing
is refitted, and no figure is corrected. The hashes in the recipe decide; a loss never does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.audit.findings import AuditReport
from riskcard.data.columns import FeatureValues
from riskcard.data.features import Features
from riskcard.data.row_hash import hash_each_row
from riskcard.errors import DataError
from riskcard.formatting.figures import amount
from riskcard.formatting.speech import say, translated
from riskcard.model.card import RiskCard
from riskcard.model.origin.recipe import RowOrigin, hash_for_scale, matches

Mask = NDArray[np.bool_]
#: As many standard errors above the number of equal rows by chance, the rows are the same.
_FAR = 4.0


@dataclass(frozen=True, slots=True)
class RowMode:
    """What rows are to a card.

    Attributes
    ----------
    origin
        Whether the points of the card were learned from them.
    reason
        Why that cannot be told, in a sentence; empty where it can.
    is_scale_fitted
        The scale of the card was fitted to them later, in a recalibration.
    failures
        Sentences on what contradicts the card. Where there are any, the card is not judged.
    """

    origin: RowOrigin
    reason: str = ""
    is_scale_fitted: bool = False
    failures: tuple[str, ...] = ()

    @property
    def is_training(self) -> bool:
        """The points of the card were learned from these rows."""
        return self.origin is RowOrigin.TRAINING


def mode_of(
    card: RiskCard,
    features: Features,
    for_card: Any,
    is_event: Mask,
    weights: NDArray[np.float64] | None,
) -> RowMode:
    """Decide what rows are to a card.

    Parameters
    ----------
    card
        The card.
    features
        All candidate features.
    for_card
        The rows as the card scores them.
    is_event
        Which rows have the event.
    weights
        As they were given; None where there are none.
    """
    origin = matches(card, columns_of(features), is_event, weights)
    is_scale_fitted = False
    if card.recipe is not None and card.recipe.scale_rows:
        given = np.ones(is_event.size) if weights is None else weights
        is_scale_fitted = card.recipe.scale_rows == hash_for_scale(card, for_card, is_event, given)
    reason = _reason(card, weights) if origin is RowOrigin.UNKNOWN else ""
    return RowMode(origin, reason, is_scale_fitted)


def columns_of(features: Features) -> dict[str, FeatureValues]:
    """The features by name."""
    return {
        name: FeatureValues(features.values[:, place], features.levels[place])
        for place, name in enumerate(features.names)
    }


def _reason(card: RiskCard, weights: NDArray[np.float64] | None) -> str:
    if card.recipe is None:
        return say("mode_no_recipe")
    if card.recipe.is_weighted and weights is None:
        return say("mode_no_weights")
    return say("mode_other_columns")


def needs_audit(card: RiskCard, mode: RowMode, is_event: Mask) -> bool:
    """The rows are those of training, or may be, so that what the card claims can be recomputed."""
    facts = card.training
    if mode.origin is RowOrigin.OTHER or facts is None or card.certificate is None:
        return False
    if mode.origin is RowOrigin.TRAINING:
        return True
    return facts.rows == is_event.size and facts.events == int(is_event.sum())


def failures_of(card: RiskCard, mode: RowMode, audit: AuditReport | None) -> tuple[str, ...]:
    """What contradicts the card, on rows that are those of training or have the same counts."""
    if audit is None:
        return ()
    failed = [
        say("proof_check", name=translated(check.name), detail=translated(check.detail))
        for check in audit.failures
    ]
    certificate = card.certificate
    if mode.origin is not RowOrigin.UNKNOWN or certificate is None:
        return tuple(failed)
    if np.isclose(audit.loss, certificate.loss, rtol=1e-6):
        return ()
    losses = amount(audit.loss, ",.4f"), amount(certificate.loss, ",.4f")
    sentence = say("mode_other_loss", loss=losses[0], stated=losses[1])
    if card.recipe is not None and card.recipe.is_weighted:
        sentence += f" {say('mode_weights_hint')}"
    return (sentence,)


def require_new_rows(
    card: RiskCard, training: Features | None, is_event: Mask, test: Features, is_test_event: Mask
) -> str:
    """Refuse test rows that the card was learned from; a note on equal rows where they may be chance.

    Rows are equal if all candidate features and the outcome are. In a table of few different values
    that happens by chance; how often is seen from the training rows, which are compared with each
    other.

    Parameters
    ----------
    card
        The card.
    training, is_event
        The training rows; None where these are not at hand.
    test, is_test_event
        The test rows.
    """
    own = columns_of(test)
    if matches(card, own, is_test_event) is RowOrigin.TRAINING:
        raise DataError(
            "The test rows are the rows that the card was learned from. Give rows that it has not seen."
        )
    names = [] if training is None else [name for name in training.names if name in own]
    if training is None or not names:
        return ""
    known = _each(columns_of(training), names, is_event)
    new = _each(own, names, is_test_event)
    equal = int(np.isin(new, known).sum())
    _, copies = np.unique(known, return_counts=True)
    # a little more than was seen, as with rows that are few
    chance = (float(copies[copies > 1].sum()) + 3.0) / (known.size + 3.0)
    by_chance = new.size * chance
    if equal > by_chance + _FAR * np.sqrt(by_chance):
        raise DataError(
            f"{equal:,} of the {new.size:,} test rows are among the rows that the card was learned from: "
            "all features and the outcome are equal. Leave them out, or give rows that it has not seen."
        )
    return "" if equal == 0 else say("mode_equal_rows", equal=amount(equal), rows=amount(new.size))


def _each(columns: Mapping[str, FeatureValues], names: list[str], is_event: Mask) -> Any:
    return hash_each_row({name: columns[name] for name in names}, is_event)
