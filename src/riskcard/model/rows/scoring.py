"""The points and totals of rows: a fast path for plain floats, feature by feature for anything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.rows_to_score import take_columns
from riskcard.errors import warn
from riskcard.model.feature_points import CardFeature

if TYPE_CHECKING:
    from riskcard.model.card import RiskCard
    from riskcard.model.rows.lookup import LookUp

#: Rows per pass: few enough to stay in the processor's cache while all features are added up.
ROWS_AT_ONCE = 32_768
#: A value is compared with each of up to this many cuts; its bin among more is searched for.
MOST_COMPARED = 8


def total_points(card: RiskCard, values: Any) -> NDArray[np.int64]:
    """Base and points of each row; parameters and warnings as for ``RiskCard.total_points``."""
    used = [feature.name for feature in card.features]
    n_rows, columns = take_columns(values, card.feature_names, used)
    if used:
        plain = add_up_numbers(card.features, [columns[name] for name in used], card.base)
        if plain is not None:
            return plain
    total: NDArray[np.int64] = card.base + _look_up_all(card, n_rows, columns).sum(axis=0)
    return total


def points_by_feature(card: RiskCard, values: Any) -> NDArray[np.int64]:
    """Points of each row (first axis) from each feature of the card (second axis)."""
    used = [feature.name for feature in card.features]
    return _look_up_all(card, *take_columns(values, card.feature_names, used)).T


def _look_up_all(
    card: RiskCard, n_rows: int, columns: Mapping[str, NDArray[Any]]
) -> NDArray[np.int64]:
    """Points of each feature (first axis) for each row (second axis); warns of guesses."""
    points = np.empty((len(card.features), n_rows), dtype=np.int64)
    guesses = []
    for place, feature in enumerate(card.features):
        found = feature.look_up(columns[feature.name])
        points[place] = found.points
        guesses += _guess_words(feature.name, found)
    if guesses:
        _warn_of_guesses(guesses)
    return points


def add_up_numbers(
    features: Sequence[CardFeature], columns: Sequence[NDArray[Any]], base: int
) -> NDArray[np.int64] | None:
    """The total of every row; None where this fast path does not apply.

    Parameters
    ----------
    features
        The features of a card, at least one, none of them with levels or special codes.
    columns
        The raw column of each: floats, none of them infinite, and none missing where the card has
        no points for that.
    base
        Points that everyone has.
    """
    for feature, column in zip(features, columns, strict=True):
        if feature.levels or feature.codes or column.dtype != np.float64:
            return None
    lowest = base + sum(feature.points[0] for feature in features)
    total = np.full(columns[0].size, lowest, dtype=np.int64)
    for begin in range(0, total.size, ROWS_AT_ONCE):
        part = slice(begin, begin + ROWS_AT_ONCE)
        for feature, column in zip(features, columns, strict=True):
            values = np.ascontiguousarray(column[part])
            total[part] += _more_than_first(feature, values)
            with np.errstate(over="ignore", invalid="ignore"):
                is_plain = np.isfinite(values.sum())  # false, too, when large numbers overflow
            if not is_plain:
                is_missing = np.isnan(values)
                if (is_missing.any() and feature.missing is None) or np.isinf(values).any():
                    return None
                # NaN is above no cut, so it has the points of the first bin so far
                total[part][is_missing] += (feature.missing or 0) - feature.points[0]
    return total


def _more_than_first(feature: CardFeature, values: NDArray[np.float64]) -> NDArray[Any]:
    """By how much the points of each value exceed those of the first bin."""
    if len(feature.cuts) > MOST_COMPARED:
        points = np.array(feature.points, dtype=np.int64)
        bins = np.searchsorted(feature.cuts, values, side="left")
        bins[np.isnan(values)] = 0
        above: NDArray[np.int64] = (points - points[0])[bins]
        return above
    more: Any = 0
    for cut, (left, right) in zip(feature.cuts, pairwise(feature.points), strict=True):
        more = more + (values > cut).view(np.int8) * _worth(right - left, len(feature.cuts))
    return np.zeros(values.size, dtype=np.int64) if isinstance(more, int) else more


def _worth(jump: int, n_cuts: int) -> np.int8 | np.int64:
    """A jump in the shortest type that can hold the sum of that many jumps of its size."""
    return np.int8(jump) if abs(jump) * n_cuts <= 127 else np.int64(jump)


def _guess_words(name: str, found: LookUp) -> list[str]:
    """What the card has no points for in one feature, and in how many rows."""
    words = []
    if found.n_missing:
        words.append(f"is missing in {_rows(found.n_missing)}")
    if found.n_unseen:
        words.append(
            f"has unseen levels in {_rows(found.n_unseen)} (the first is {found.unseen!r})"
        )
    return [f"{name!r} {' and '.join(words)}"] if words else []


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number:,} rows"


def _warn_of_guesses(guesses: list[str]) -> None:
    warn(
        f"Feature {', feature '.join(guesses)}. Training had no such values: they get the points "
        "of the bin with most training rows."
    )
