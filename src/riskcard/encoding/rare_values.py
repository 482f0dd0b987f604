"""Values with too few rows to be judged: before anything is learned, they stand for a typical one.

A missing value, a special code or a level is on one side of a condition or on the other at no cost,
so that a single row could decide what it is worth. Where it has fewer rows than ``least``, its rows
are learned from as if they had a typical value: the median of the numbers, or, of levels, the common
one whose event rate is nearest to that of all common ones. Rare levels that have enough rows together,
or that no common level stands next to, are one level. On the card the value then has the points of the value that
it stands for.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from riskcard.arrays import Booleans, Floats, Integers, Labels
from riskcard.data.levels import Label, Levels
from riskcard.data.table import Table
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature, FeaturePoints
from riskcard.rules.card_rules import CardRules

#: Rows that a value must have to be judged by itself, ...
USUAL_ROWS = 30
#: ... more where the event (or its absence) is rare: enough for this many of the rarer outcome, ...
RARER_OUTCOMES = 5.0
#: ... but at most the first share of the rows for that reason, and never more than the second.
SHARE_IF_RARE, LARGEST_SHARE = 0.01, 0.05


@dataclass(frozen=True, slots=True)
class Tie:
    """A value of a feature that stands for another; None and NaN are a missing one.

    ``is_pooled``: it is judged together with other rare levels, not for want of rows.
    """

    feature: str
    value: Label | None
    stands_for: Label
    is_pooled: bool = False


def fitting_line_rows(labels: Labels) -> int:
    """How many rows a value must have to be judged by itself.

    Examples
    --------
    >>> fitting_line_rows(np.repeat([1, -1], [500, 500]))
    30
    >>> fitting_line_rows(np.repeat([1, -1], [50, 50])), fitting_line_rows(np.repeat([1, -1], [90, 8910]))
    (5, 90)
    """
    return line_rows_for(labels.size, int(np.count_nonzero(labels > 0)))


def line_rows_for(n_rows: int, n_events: int) -> int:
    """The same, by the numbers of rows and of events."""
    rarer = max(1, min(n_events, n_rows - n_events)) / n_rows
    wanted = max(USUAL_ROWS, min(RARER_OUTCOMES / rarer, SHARE_IF_RARE * n_rows))
    return max(1, math.ceil(min(wanted, LARGEST_SHARE * n_rows)))


def tie_rare_values(table: Table, rules: CardRules, least: int) -> tuple[Table, tuple[Tie, ...]]:
    """The table to learn from, in which rare values stand for others, and which these are.

    Parameters
    ----------
    table
        The rows.
    rules
        Say which numbers are special codes.
    least
        Rows that a value must have to be judged by itself.
    """
    if least <= 1:
        return table, ()
    ties: list[Tie] = []
    changed: dict[int, Floats] = {}
    for f, name in enumerate(table.names):
        values, levels = table.values[:, f], table.levels[f]
        if levels is None or levels.is_ordered:
            pairs = _tie_numbers(values, table, rules.rule_of(name).codes, least)
        else:
            pairs = _tie_levels(values, table, least)
        if not pairs:
            continue
        own = values.copy()
        for value, other, is_pooled in pairs:
            own[np.isnan(values) if math.isnan(value) else values == value] = other
            known, stand = (
                (None if math.isnan(one) else one) if levels is None else _name_of(levels, one)
                for one in (value, other)
            )
            assert stand is not None
            ties.append(Tie(name, known, stand, is_pooled))
        changed[f] = own
    if not changed:
        return table, ()
    columns = [changed.get(f, table.values[:, f]) for f in range(len(table.names))]
    return replace(table, values=np.column_stack(columns)), tuple(ties)


def _name_of(levels: Levels, place: float) -> Label | None:
    """The name of a level; None for a missing one."""
    return None if math.isnan(place) else levels.names[int(place)]


_Pair = tuple[float, float, bool]


def _tie_numbers(values: Floats, table: Table, codes: Sequence[float], least: int) -> list[_Pair]:
    """Special values with few rows, each with the median of the numbers."""
    is_special = [np.isnan(values), *(values == code for code in codes)]
    rare = [
        value
        for value, here in zip((math.nan, *codes), is_special, strict=True)
        if 0 < table.count(here) < least
    ]
    is_number: Booleans = ~np.any(is_special, axis=0) if rare else np.zeros(0, dtype=bool)
    if not is_number.any():
        return []
    numbers, own = values[is_number], table.weights[is_number]
    order = np.argsort(numbers, kind="stable")
    middle = np.searchsorted(np.cumsum(own[order]), own.sum() / 2)
    median = float(numbers[order][min(int(middle), numbers.size - 1)])
    return [(float(value), median, False) for value in rare]


def _tie_levels(values: Floats, table: Table, least: int) -> list[_Pair]:
    """Levels with few rows, and missing values if they have few, each with another level."""
    is_missing = np.isnan(values)
    index: Integers = values[~is_missing].astype(np.int64)
    rows = table.count_by(index, ~is_missing)
    rare = np.flatnonzero((rows > 0) & (rows < least))
    common = np.flatnonzero(rows >= least)
    missing = [math.nan] if 0 < table.count(is_missing) < least else []
    if not (rare.size or (missing and common.size)):
        return []
    pairs: list[_Pair] = []
    if common.size == 0 or rows[rare].sum() >= least:  # together they can be judged
        first, *others = rare[np.argsort(-rows[rare], kind="stable")].tolist()
        pairs += [(float(level), float(first), True) for level in others]
        rare = rare[:0]
        if common.size == 0:  # all rare levels are one, and there is no other
            return pairs + [(value, float(first), False) for value in missing]
    typical = _typical_level(index, common, table.labels[~is_missing], table.weights[~is_missing])
    alone = [*rare.tolist(), *missing]
    return pairs + [(float(value), float(typical), False) for value in alone]


def _typical_level(index: Integers, common: Integers, labels: Labels, weights: Floats) -> int:
    """The common level whose event rate is nearest to that of all common ones."""
    whole = np.bincount(index, weights)[common]
    events = np.bincount(index, weights * (labels > 0))[common]
    distance = np.abs(events / whole - events.sum() / whole.sum())
    return int(common[np.argmin(distance)])


def with_ties(card: RiskCard, ties: Sequence[Tie]) -> RiskCard:
    """The card with points for the values that stood for others."""
    if not ties:
        return card
    features = []
    for feature in card.features:
        own = [tie for tie in ties if tie.feature == feature.name]
        features.append(_with_ties(feature, own) if own else feature)
    return replace(card, features=tuple(features))


def _with_ties(feature: CardFeature, ties: Sequence[Tie]) -> CardFeature:
    found = feature.look_up([tie.stands_for for tie in ties])
    points = dict(zip([tie.value for tie in ties], found.points.tolist(), strict=True))
    too_few = tuple(tie.value for tie in ties if not tie.is_pooled)
    missing = points.get(None, feature.missing)
    if isinstance(feature, FeaturePoints):
        tied = [(float(value), worth) for value, worth in points.items() if value is not None]
        codes = tuple(sorted([*feature.codes, *tied]))
        return replace(feature, missing=missing, codes=codes, too_few=too_few)
    groups = [list(group) for group in feature.groups]
    for tie, group in zip(ties, found.lines.tolist(), strict=True):
        if tie.value is not None and not feature.is_ordered:
            groups[group].append(tie.value)
    return replace(feature, groups=tuple(map(tuple, groups)), missing=missing, too_few=too_few)
