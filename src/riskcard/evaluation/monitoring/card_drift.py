"""How far the rows that a card meets have moved from its reference: the total and every feature."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.rows_to_score import as_numbers, take_columns
from riskcard.data.target import read_weights
from riskcard.errors import DataError
from riskcard.evaluation.measures import Floats
from riskcard.evaluation.monitoring.drift import (
    Drift,
    drift_between,
    equal_share_bands,
    rows_worth,
)
from riskcard.evaluation.outcomes import read_clusters
from riskcard.formatting.speech import say
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature

#: Bands of the total in which it is compared: ten, as is usual.
MOST_BANDS = 10


@dataclass(frozen=True, slots=True)
class InputFaults:
    """Values of one feature that are missing, or that training did not have.

    Attributes
    ----------
    name
        The feature.
    missing
        Share of the new rows without a value.
    missing_before
        The same in the reference; None where it is not known.
    outside
        Share of the new rows with a number beyond those of training; None for a category, and where
        the card does not know the range.
    unseen
        Share of the new rows with a level that training did not have; None for a number.
    """

    name: str
    missing: float
    missing_before: float | None
    outside: float | None
    unseen: float | None


@dataclass(frozen=True, slots=True)
class CardDrift:
    """How far the rows of a card have moved.

    Attributes
    ----------
    total
        Of the totals; None where the card does not store how many training rows had each, and no
        reference was given.
    features
        Of the lines of each feature on the card, with their points.
    faults
        Missing, unusual and unknown values, for each feature.
    is_from_card
        The reference is the counts of training rows that the card stores.
    """

    total: Drift | None
    features: tuple[Drift, ...]
    faults: tuple[InputFaults, ...]
    is_from_card: bool


@dataclass(frozen=True, slots=True)
class _Sample:
    """Rows as a card sees them."""

    columns: dict[str, NDArray[Any]]
    totals: NDArray[np.int64]
    weights: Floats
    clusters: NDArray[np.intp] | None
    counts: NDArray[np.int64] | None = None

    def worth(self, places: NDArray[np.intp]) -> float:
        """The number of independent rows that tell as much about the shares of bins."""
        return rows_worth(places, self.weights, self.clusters, self.counts)


def card_drift(
    card: RiskCard,
    X: Any,
    reference: Any = None,
    sample_weight: Any = None,
    reference_weight: Any = None,
    *,
    groups: Any = None,
    reference_groups: Any = None,
    counts: Any = None,
) -> CardDrift:
    """Compare rows with the reference rows of a card.

    Parameters
    ----------
    card
        A card.
    X, sample_weight
        The new rows and their weights.
    reference, reference_weight
        The rows that they are compared with, usually those of training; by default the counts that
        the card stores. A card that was learned with weights stores how many rows each line had, not
        their weights, so its features are compared by rows.
    groups, reference_groups
        One label per row: rows with the same one belong together, so that chance explains more. The
        counts in a card are taken for those of independent rows.
    counts
        How many rows of equal weight each of the new rows stands for; then ``sample_weight`` is the sum of their
        weights.

    Returns
    -------
    CardDrift
        The total in at most ten bands with about equal shares of the reference; each feature by the
        lines of the card, and values for which training had no line as bins of their own.
    """
    new = replace(_read(card, X, sample_weight, groups), counts=counts)
    if reference is None:
        _require_counts(card)
        known = card.training is not None and not card.training.is_weighted
        by_row = np.ones_like(new.weights) if counts is None else np.asarray(counts, np.float64)
        by_line = new.weights if known else by_row
        features = tuple(_feature_drift(card, one, None, new, by_line) for one in card.features)
        total = _total_drift_from_card(card, new)
        return CardDrift(total, features, _faults(card, None, new), True)
    old = _read(card, reference, reference_weight, reference_groups)
    features = tuple(_feature_drift(card, one, old, new, new.weights) for one in card.features)
    values, place = np.unique(old.totals, return_inverse=True)
    sums = np.bincount(place, old.weights).astype(np.float64)
    total = _total_drift(values, sums, new, old)
    return CardDrift(total, features, _faults(card, old, new), False)


def _read(card: RiskCard, rows: Any, sample_weight: Any, groups: Any) -> _Sample:
    used = [one.name for one in card.features]
    n_rows, columns = take_columns(rows, card.feature_names, used)
    weights = read_weights(sample_weight, n_rows)
    if not weights.any():
        raise DataError("There are no rows with a weight to compare. Give at least one.")
    totals = np.full(n_rows, card.base, dtype=np.int64)
    for feature in card.features:
        totals += feature.points_of(columns[feature.name])
    return _Sample(columns, totals, weights, read_clusters(groups, n_rows))


def _require_counts(card: RiskCard) -> None:
    lacking = [one.name for one in card.features if not one.rows]
    if lacking:
        raise DataError(
            f"The card does not store how many training rows the lines of {lacking[0]!r} had. "
            "Give the rows to compare with."
        )


# --- the total ----------------------------------------------------------------------------------


def _total_drift_from_card(card: RiskCard, new: _Sample) -> Drift | None:
    counts = card.training.totals if card.training is not None else ()
    if not counts:
        return None
    highs = np.array([one.high for one in counts])
    sums = np.array([one.weight for one in counts])
    # the sum of squares of all weights, from those of the bands
    squares = sum(one.weight**2 / one.effective_rows for one in counts)
    return _total_drift(highs, sums, new, float(sums.sum() ** 2 / squares))


def _total_drift(highs: NDArray[Any], sums: Floats, new: _Sample, old: _Sample | float) -> Drift:
    """The totals in bands; ``highs`` are the last totals of the narrowest bands that are known.

    The reference is some rows, or what is known of them: their effective number.
    """
    ends = equal_share_bands(sums, MOST_BANDS)
    begins = [0, *(end + 1 for end in ends[:-1])]
    expected = [float(sums[a : b + 1].sum()) for a, b in zip(begins, ends, strict=True)]
    limits = [int(highs[end]) for end in ends[:-1]]
    places = np.searchsorted(limits, new.totals, side="left")
    actual = np.bincount(places, new.weights, len(ends))
    if isinstance(old, _Sample):
        before = np.searchsorted(limits, old.totals, side="left")
        old = old.worth(before)
    sizes = old, new.worth(places)
    return drift_between(expected, actual, _band_words(limits), say("drift_total"), rows=sizes)


def _band_words(highs: list[int]) -> list[str]:
    """Bands as people read them, from the last total of each but the last, which has no end."""
    if not highs:
        return [say("drift_any_total")]
    inner = [
        str(high)
        if high == below + 1
        else say("validation_from_to", low=str(below + 1), high=str(high))
        for below, high in pairwise(highs)
    ]
    first = say("drift_up_to", high=str(highs[0]))
    return [first, *inner, say("validation_or_more", low=str(highs[-1] + 1))]


# --- features -----------------------------------------------------------------------------------


def _feature_drift(
    card: RiskCard, feature: CardFeature, old: _Sample | None, new: _Sample, weights: Floats
) -> Drift:
    lines = card.lines_of(feature)
    usual = next((line.points for line in lines if line.is_usual), 0)
    extra = [card.labels.say("missing"), say("drift_unknown_levels")]
    words = [*(line.label for line in lines), *extra]
    points = [*(line.points for line in lines), usual, usual]
    actual, new_size = _line_weights(feature, new, weights)
    if old is None:
        expected = np.array([*(line.rows or 0 for line in lines), 0, 0], dtype=np.float64)
        old_size = float(expected.sum())
    else:
        expected, old_size = _line_weights(feature, old, old.weights)
    return drift_between(
        expected,
        actual,
        words,
        card.labels.name(feature.name),
        rows=(old_size, new_size),
        points=points,
    )


def _line_weights(feature: CardFeature, rows: _Sample, weights: Floats) -> tuple[Floats, float]:
    """The weight of the rows of each line, then of missing and of unknown values; what rows are worth."""
    found, n_lines = feature.look_up(rows.columns[feature.name]), len(feature.lines())
    places = np.where(found.is_guessed_missing, n_lines, found.lines)
    places = np.where(found.is_unseen, n_lines + 1, places)
    sums: Floats = np.bincount(places, weights, n_lines + 2).astype(np.float64)
    return sums, rows_worth(places, weights, rows.clusters, rows.counts)


def _faults(card: RiskCard, old: _Sample | None, new: _Sample) -> tuple[InputFaults, ...]:
    found = []
    for feature in card.features:
        looked_up = feature.look_up(new.columns[feature.name])
        found.append(
            InputFaults(
                card.labels.name(feature.name),
                missing=_share(_is_missing(feature, new), new.weights),
                missing_before=_missing_before(feature, old),
                outside=_share_outside(feature, new),
                unseen=_share(looked_up.is_unseen, new.weights) if feature.levels else None,
            )
        )
    return tuple(found)


def _is_missing(feature: CardFeature, rows: _Sample) -> NDArray[np.bool_]:
    found = feature.look_up(rows.columns[feature.name])
    if feature.missing is None:
        return found.is_guessed_missing
    is_last: NDArray[np.bool_] = found.lines == len(feature.lines()) - 1
    return is_last


def _missing_before(feature: CardFeature, old: _Sample | None) -> float | None:
    if old is not None:
        return _share(_is_missing(feature, old), old.weights)
    if None in feature.too_few:
        return None  # they are counted in another line
    return 0.0 if feature.missing is None else feature.rows[-1] / (sum(feature.rows) or 1)


def _share_outside(feature: CardFeature, new: _Sample) -> float | None:
    seen = feature.training_range
    if feature.levels or seen is None:
        return None
    numbers = as_numbers(feature.name, new.columns[feature.name])
    is_code = np.isin(numbers, [code for code, _ in feature.codes])
    is_outside = (numbers < seen.lowest) | (numbers > seen.highest)
    return _share(is_outside & ~is_code, new.weights)


def _share(chosen: NDArray[np.bool_], weights: Floats) -> float:
    return float(weights[chosen].sum() / weights.sum())
