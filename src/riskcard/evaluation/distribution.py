"""How the values of a feature are distributed: shares of the rows, with the points that they get."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.rows_to_score import as_numbers, take_columns
from riskcard.data.target import read_weights
from riskcard.formatting.speech import say
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature, LevelPoints
from riskcard.model.lines import LineKind
from riskcard.model.words.labels import Labels

Floats = NDArray[np.float64]

#: Bars of a histogram, and the quantiles between which it lies when tails are long.
_BARS, _LOW, _HIGH = 30, 0.01, 0.99
#: Tails are cut off when they make the range this many times as wide.
_LONG = 1.3
#: The phrases of lines whose numbers are shown as levels.
_ANSWERS = ("no", "yes")
#: With more levels, those of a group are shown together.
_MOST_LEVELS = 8


@dataclass(frozen=True, slots=True)
class Slot:
    """One value or several that are shown apart from a scale: a level, a code, "missing".

    Attributes
    ----------
    words
        What it is.
    points
        Its points.
    share
        Share of the rows, by weight; None when there are no rows.
    is_special
        It is no ordinary level but a code, "missing", or levels that training did not have.
    rate
        The share of training rows of its line on the card that had the event; None where it is not
        known.
    """

    words: str
    points: int
    share: float | None
    is_special: bool = False
    rate: float | None = None


@dataclass(frozen=True, slots=True)
class Distribution:
    """The values of one feature among some rows.

    Attributes
    ----------
    slots
        Levels, special codes and "missing".
    ends
        The range of numbers; (0, 0) for a category, and for a number that means no or yes.
    edges, shares
        Bars of numbers, and the share of the rows in each; no bars when there are no rows.
    has_rows
        There are rows, and so shares.
    """

    slots: tuple[Slot, ...]
    ends: tuple[float, float] = (0.0, 0.0)
    edges: tuple[float, ...] = ()
    shares: tuple[float, ...] = ()
    has_rows: bool = False

    @property
    def is_scale(self) -> bool:
        """The values lie on a scale of numbers."""
        return self.ends[0] < self.ends[1]

    @property
    def most(self) -> float:
        """The largest share."""
        return max([*self.shares, *(slot.share or 0.0 for slot in self.slots), 0.0])


def distributions_of(
    card: RiskCard, features: Sequence[CardFeature], X: Any = None, sample_weight: Any = None
) -> tuple[Distribution, ...]:
    """The values of some features of a card; without rows, what the card knows about them."""
    if X is None:
        return tuple(distribution_of(one, labels=card.labels) for one in features)
    n_rows, columns = take_columns(X, card.feature_names, [one.name for one in features])
    weights = read_weights(sample_weight, n_rows)
    for feature in features:
        feature.look_up(columns[feature.name])  # refuses what the card cannot score
    return tuple(distribution_of(one, columns[one.name], weights, card.labels) for one in features)


def distribution_of(
    feature: CardFeature, column: Any = None, weights: Any = None, labels: Labels | None = None
) -> Distribution:
    """How the values of a raw column are distributed; without one, only what the card knows.

    Parameters
    ----------
    feature
        The points of the feature.
    column
        Values of the rows, all of which the card can score.
    weights
        One per row.
    labels
        What levels are called.
    """
    slots = tuple(slots_of(feature, column, weights, labels))
    if feature.levels or any(line.phrase in _ANSWERS for line in feature.lines()):
        return Distribution(slots, has_rows=column is not None)
    numbers = np.empty(0) if column is None else as_numbers(feature.name, column)
    is_plain = ~(np.isnan(numbers) | np.isin(numbers, [code for code, _ in feature.codes]))
    ends = number_range(feature.cuts, numbers[is_plain])
    if column is None:
        return Distribution(slots, ends)
    edges, shares = number_bars(numbers[is_plain], weights[is_plain], ends, float(weights.sum()))
    return Distribution(slots, ends, tuple(edges.tolist()), tuple(shares.tolist()), True)


def number_range(cuts: tuple[float, ...], numbers: Floats) -> tuple[float, float]:
    """The range of values to draw: most of the rows, every cut, and a margin.

    Parameters
    ----------
    cuts
        All of them are inside the range.
    numbers
        Values of the rows, without missing ones and codes; there may be none.
    """
    ends = list(cuts)
    if numbers.size:
        low, high = np.quantile(numbers, [_LOW, _HIGH]).tolist()
        smallest, largest = float(numbers.min()), float(numbers.max())
        is_long = largest - smallest > _LONG * (high - low) > 0
        ends += [low, high] if is_long else [smallest, largest]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    width = high - low or abs(high) or 1.0
    # a bin beyond the outer cuts must be visible even without rows
    room = 0.15 * width
    left = low - room if cuts and low == cuts[0] else low
    right = high + room if cuts and high == cuts[-1] else high
    return (left, right) if left < right else (left - room, right + room)


def number_bars(
    numbers: Floats, weights: Floats, ends: tuple[float, float], total: float
) -> tuple[Floats, Floats]:
    """The edges of bars and the share of all rows in each; few whole numbers have a bar each.

    Parameters
    ----------
    numbers, weights
        Of the rows whose value is a number, but not a code.
    ends
        The range; values outside it are not shown.
    total
        The weight of all rows, including those with missing values.
    """
    different = np.unique(numbers)
    is_whole = different.size and bool((different == np.round(different)).all())
    if is_whole and ends[1] - ends[0] <= _BARS:
        edges = np.arange(np.floor(ends[0]) - 0.5, np.ceil(ends[1]) + 1.0)
    else:
        edges = np.linspace(*ends, _BARS + 1)
    shares = np.histogram(numbers, edges, weights=weights)[0] / total
    return edges, shares


def slots_of(
    feature: CardFeature, column: Any = None, weights: Any = None, labels: Labels | None = None
) -> list[Slot]:
    """Levels and codes in the order of the card, then unseen levels, then missing values.

    With many levels, each group is one slot. Values that the card does not know are listed only
    where the rows have some.
    """
    counted = feature.lines()
    rates = {value: line.rate for line in counted for value in line.values or (line.phrase,)}
    if isinstance(feature, LevelPoints) and len(feature.levels) <= _MOST_LEVELS:
        feature = _one_level_per_group(feature)
    labels = Labels() if labels is None else labels
    lines = labels.lines(feature)
    shares: list[float | None] = [None] * len(lines)
    unseen, missing = 0.0, 0.0
    if column is not None:
        found = feature.look_up(column)
        known = np.where(found.is_unseen | found.is_guessed_missing, 0.0, weights)
        shares = (np.bincount(found.lines, known, len(lines)) / weights.sum()).tolist()
        unseen = float(weights[found.is_unseen].sum() / weights.sum())
        missing = float(weights[found.is_guessed_missing].sum() / weights.sum())
    slots = [
        Slot(
            line.label,
            line.points,
            share,
            line.kind is LineKind.CODE,
            rates[line.values[0] if line.values else line.phrase],
        )
        for line, share in zip(lines, shares, strict=True)
        if line.values or line.phrase in _ANSWERS
    ]
    usual = next((line.points for line in lines if line.is_usual), 0)
    if unseen:
        slots.append(Slot(say("plot_unseen"), usual, unseen, True))
    if feature.missing is not None:
        worth = feature.missing, shares[-1], True, rates.get("missing")
        slots.append(Slot(labels.say("missing"), *worth))
    elif missing:
        slots.append(Slot(labels.say("missing"), usual, missing, True))
    return slots


def _one_level_per_group(feature: LevelPoints) -> LevelPoints:
    """The same points, so that each level has a line of its own."""
    lines = [line for line in feature.lines() if line.values]
    usual = feature.usual
    return replace(
        feature,
        groups=tuple((level,) for level in feature.levels),
        points=tuple(line.points for line in lines for _ in line.values),
        usual=None if usual is None else sum(len(line.values) for line in lines[:usual]),
        rows=(),
        events=(),
    )
