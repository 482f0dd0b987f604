"""Held-out rows, to judge a card once: drawn with a seed, recognised by a hash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.columns import FeatureValues
from riskcard.data.row_hash import hash_rows
from riskcard.errors import DataError, ParameterError
from riskcard.model.card import RiskCard
from riskcard.model.origin.recipe import HeldOut, RowOrigin, matches

Mask = NDArray[np.bool_]


def draw_held_out(is_event: Mask, amount: float, seed: int, groups: Any = None) -> Mask:
    """Which rows are held out: the same share of those with the event and of those without.

    Parameters
    ----------
    is_event
        Which rows have the event.
    amount
        A share of the rows below 1, or their number.
    seed
        Of the draw.
    groups
        One value per row; rows with the same one, such as the visits of a patient, are held out together
        or not at all. Shares are then those of groups with an event and of groups without one, as near
        as whole groups allow.

    Examples
    --------
    >>> draw_held_out(np.array([True, False] * 5), 0.4, seed=0).reshape(5, 2).sum(axis=0).tolist()
    [2, 2]
    >>> draw_held_out(np.array([True, False] * 3), 2, seed=0, groups=list("aabbcc")).tolist()
    [False, False, False, False, True, True]
    """
    share = amount if amount < 1 else amount / is_event.size
    if not 0 < share < 1:
        raise ParameterError(
            f"{amount:g} of {is_event.size:,} rows cannot be held out. Use a share such as 30%, or fewer "
            "rows than there are."
        )
    generator = np.random.default_rng(seed)
    if groups is not None:
        return _draw_groups(is_event, share, generator, groups)
    held_out = np.zeros(is_event.size, dtype=bool)
    for label in (True, False):
        rows = np.flatnonzero(is_event == label)
        number = round(share * rows.size)
        if not 0 < number < rows.size:
            raise DataError(
                f"Of {rows.size} rows {'with' if label else 'without'} the event, {number} would be held "
                "out, but both parts need some. Hold out another share, or give more rows."
            )
        held_out[generator.permutation(rows)[:number]] = True
    return held_out


def _draw_groups(is_event: Mask, share: float, generator: np.random.Generator, groups: Any) -> Mask:
    """Whole groups: about the same share of the rows of those with an event and of the others."""
    values = np.asarray(groups)
    if values.shape != is_event.shape:
        raise ParameterError(
            f"The groups have shape {values.shape}. Give one value for each of the {is_event.size:,} rows."
        )
    _, first, codes = np.unique(values.astype(str), return_index=True, return_inverse=True)
    codes = np.argsort(np.argsort(first))[codes]  # numbered as they come, whatever they are called
    rows, events = np.bincount(codes), np.bincount(codes, is_event)
    drawn = np.zeros(rows.size, dtype=bool)
    for kind in (events > 0, events == 0):
        order = generator.permutation(np.flatnonzero(kind))
        reached = np.concatenate([[0], np.cumsum(rows[order])])
        drawn[order[: int(np.argmin(np.abs(reached - share * reached[-1])))]] = True
    held_out: Mask = drawn[codes]
    for label in (True, False):
        number, whole = (int((is_event == label)[part].sum()) for part in (held_out, ...))
        if not 0 < number < whole:
            raise DataError(
                f"Of {whole} rows {'with' if label else 'without'} the event, {number} would be held out "
                f"with whole groups ({rows.size:,} of them), but both parts need some. Hold out another "
                "share, or use another seed."
            )
    return held_out


def with_held_out(
    card: RiskCard,
    features: Mapping[str, FeatureValues],
    is_event: Mask,
    weights: NDArray[np.float64] | None,
    drawn: tuple[float, int],
    groups: str = "",
) -> RiskCard:
    """The card that remembers which rows were held out.

    Parameters
    ----------
    card
        A fitted card.
    features, is_event, weights
        The held-out rows; without weights, each weighs 1.
    drawn
        The amount and the seed with which they were drawn.
    groups
        The column whose groups were drawn as a whole; empty where rows were drawn.
    """
    if card.recipe is None:
        return card
    held_out = HeldOut(
        rows=is_event.size,
        events=int(np.count_nonzero(is_event)),
        amount=drawn[0],
        seed=drawn[1],
        groups=groups,
        rows_used=_hash_of(card, features, is_event, weights),
    )
    return replace(card, recipe=replace(card.recipe, held_out=held_out, digest=""))


def find_held_out(
    card: RiskCard,
    features: Mapping[str, FeatureValues],
    is_event: Mask,
    weights: NDArray[np.float64] | None = None,
    groups: Any = None,
) -> Mask | None:
    """The held-out rows among some rows.

    They are found if the rows are all held-out rows and no others, or if they are the whole table from
    which they were drawn, in its order.

    Parameters
    ----------
    card
        A card that may remember held-out rows.
    features, is_event, weights
        The rows.
    groups
        The column that the recipe names, where groups were drawn as a whole; without it they cannot be
        found in the whole table.

    Returns
    -------
    array or None
        Which rows were held out; None where the card has no held-out rows, or these are other rows.
    """
    held_out = None if card.recipe is None else card.recipe.held_out
    if held_out is None or any(one.name not in features for one in card.features):
        return None
    if is_event.size == held_out.rows:
        same = _hash_of(card, features, is_event, weights) == held_out.rows_used
        return np.ones(is_event.size, dtype=bool) if same else None
    if not held_out.amount or (held_out.groups and groups is None):
        return None
    together = groups if held_out.groups else None
    try:
        drawn = draw_held_out(is_event, held_out.amount, held_out.seed, together)
    except (DataError, ParameterError):
        return None
    parts = [_take(features, part) for part in (drawn, ~drawn)]
    own = [None if weights is None else weights[part] for part in (drawn, ~drawn)]
    if _hash_of(card, parts[0], is_event[drawn], own[0]) != held_out.rows_used:
        return None
    is_rest = matches(card, parts[1], is_event[~drawn], own[1]) is not RowOrigin.OTHER
    return drawn if is_rest else None


def _hash_of(
    card: RiskCard,
    features: Mapping[str, FeatureValues],
    is_event: Mask,
    weights: NDArray[np.float64] | None,
) -> str:
    used = {one.name: features[one.name] for one in card.features}
    return hash_rows(used, is_event, np.ones(is_event.size) if weights is None else weights)


def _take(features: Mapping[str, FeatureValues], part: Mask) -> dict[str, FeatureValues]:
    return {name: FeatureValues(one.values[part], one.levels) for name, one in features.items()}
