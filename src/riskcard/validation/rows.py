"""The rows that a card is judged on: what is known about each, and which rows they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.columns import FeatureValues
from riskcard.data.target import read_target, read_weights
from riskcard.errors import DataError
from riskcard.evaluation.measures import Floats
from riskcard.evaluation.outcomes import Outcomes, read_clusters
from riskcard.model.card import RiskCard
from riskcard.model.origin.held_out import find_held_out
from riskcard.model.origin.recipe import RowOrigin, hash_for_scale, matches
from riskcard.validation.facts import Rows
from riskcard.validation.named_groups import NamedGroups

_ORIGINS = {
    RowOrigin.TRAINING: Rows.TRAINING,
    RowOrigin.OTHER: Rows.OTHER,
    RowOrigin.UNKNOWN: Rows.UNKNOWN,
}


@dataclass(frozen=True, slots=True)
class Rival:
    """What a card is compared with: a number for each row, NaN where there is none.

    Attributes
    ----------
    name, kind
        As in ``RivalFacts``.
    values
        Risks, or the values of a score.
    """

    name: str
    kind: str
    values: Floats


@dataclass(frozen=True, slots=True)
class GivenRows:
    """Rows as they come in.

    Attributes
    ----------
    for_card
        Rows as the card takes them.
    labels
        One per row, as the card writes them.
    sample_weight
        One per row, or None.
    counts
        How many alike rows each row stands for, ``sample_weight`` being the sum of their weights; None for one each.
    features
        All columns of training that are there, for the question which rows these are.
    clusters, sites
        One label per row, or None.
    groups_column
        What the clusters are called.
    drawn_groups
        The column whose groups were held out of the fit as a whole, by which the held-out rows are found
        and which are the clusters unless others are given; None where it is not there.
    by
        Columns that divide the rows into groups.
    rivals
        What the card is compared with.
    """

    for_card: Any
    labels: Any
    sample_weight: Any = None
    counts: NDArray[np.int64] | None = None
    features: Mapping[str, FeatureValues] = field(default_factory=dict)
    clusters: Any = None
    sites: NamedGroups | None = None
    groups_column: str = ""
    drawn_groups: Any = None
    by: tuple[NamedGroups, ...] = ()
    rivals: tuple[Rival, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgedRows:
    """The rows that are judged.

    Attributes
    ----------
    outcomes
        Risk, event, weight and cluster of each.
    totals
        What the card gives each.
    kept
        Which of the given rows they are.
    origin
        Which rows these are.
    is_scale_fitted
        The scale of the card was recalibrated on these rows.
    """

    outcomes: Outcomes
    totals: NDArray[np.int64]
    kept: NDArray[np.bool_]
    origin: Rows
    is_scale_fitted: bool = False


def with_drawn_clusters(card: RiskCard, given: GivenRows) -> GivenRows:
    """Rows that were held out together belong together, unless other clusters are given."""
    if given.clusters is not None or given.drawn_groups is None:
        return given
    return replace(given, clusters=given.drawn_groups, groups_column=column_of_draw(card))


def column_of_draw(card: RiskCard) -> str:
    """The column whose groups were held out of the fit as a whole; empty where there is none."""
    held_out = None if card.recipe is None else card.recipe.held_out
    return "" if held_out is None else held_out.groups


def judged_rows(card: RiskCard, given: GivenRows) -> JudgedRows:
    """Score rows, and take those that were held out of the fit where there are some among them."""
    totals = card.total_points(given.for_card)
    is_event = _events(card, read_target(given.labels, totals.size))
    weights = read_weights(given.sample_weight, totals.size)
    clusters = read_clusters(given.clusters, totals.size)
    kept, origin = _origin_of(card, given, is_event)
    kept = kept & (weights > 0)
    if not is_event[kept].any() or is_event[kept].all():
        which = card.classes[int(is_event[kept].any())]
        raise DataError(
            f"The label of all rows is {which!r}. A validation needs rows with and without the event."
        )
    whole = Outcomes(card.risk_of_total(totals), is_event, weights, clusters, given.counts)
    is_scale_fitted = False
    if card.recipe is not None and card.recipe.scale_rows:
        hashed = hash_for_scale(card, given.for_card, is_event, weights)
        is_scale_fitted = card.recipe.scale_rows == hashed
    return JudgedRows(whole.take(kept), totals[kept], kept, origin, is_scale_fitted)


def _origin_of(
    card: RiskCard, given: GivenRows, is_event: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], Rows]:
    everything = np.ones(is_event.size, dtype=bool)
    if given.counts is not None or not all(one.name in given.features for one in card.features):
        return everything, Rows.UNKNOWN
    weights = None
    if given.sample_weight is not None:
        weights = read_weights(given.sample_weight, is_event.size)
    held_out = find_held_out(card, given.features, is_event, weights, given.drawn_groups)
    if held_out is not None:
        return held_out, Rows.HELD_OUT
    return everything, _ORIGINS[matches(card, given.features, is_event, weights)]


def _events(card: RiskCard, labels: NDArray[Any]) -> NDArray[np.bool_]:
    is_event = np.array(labels == card.classes[1], dtype=bool)
    unknown = ~(is_event | np.array(labels == card.classes[0], dtype=bool))
    if unknown.any():
        (label,) = labels[unknown][:1].tolist()
        raise DataError(
            f"A label is {label!r}, but the card knows {card.classes[0]!r} and {card.classes[1]!r}. "
            "Give the labels of the card."
        )
    return is_event
