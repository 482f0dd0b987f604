"""Changes of a card by hand: points, cuts, levels, whole features. Each gives a new card.

A changed card has neither certificate nor recipe: what was proven was proven about another card.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from riskcard.arrays import Floats, Integers
from riskcard.checks import finite_number, whole_number, whole_points
from riskcard.data.columns import FeatureValues
from riskcard.errors import ParameterError
from riskcard.formatting.numbers import choose_cut
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature, FeaturePoints, LevelPoints
from riskcard.model.lines import show_level
from riskcard.model.origin.certificate import TrainingFacts
from riskcard.model.totals import count_sums
from riskcard.model.value_range import ValueRange
from riskcard.studio.table.pricing import Referee
from riskcard.studio.table.rows import Rows

#: Points that can be given by hand: more than any fit gives.
MOST_POINTS = 1000
#: A cut can be this many times as large as the largest value of its column.
_FAR = 1000.0


def edit_card(card: RiskCard, edit: Mapping[str, Any], referee: Referee) -> RiskCard:
    """The card after one change, with the scale that fits best and counted again.

    Parameters
    ----------
    card
        The card.
    edit
        ``what``: "points", "cut", "add cut", "remove cut", "level", "add" or "remove"; the ``feature``; and
        what the change needs.
    referee
        The rows.
    """
    what, name = edit.get("what"), edit.get("feature")
    if not isinstance(name, str) or name not in referee.rows.features:
        raise ParameterError(f"There is no column {name!r} to learn from. Choose another.")
    known = {one.name: one for one in card.features}
    if what == "add":
        if name in known:
            raise ParameterError(f"{name!r} is on the card already. Change its lines instead.")
        changed = [*card.features, new_feature(name, referee.rows)]
    elif name not in known:
        raise ParameterError(f"{name!r} is not on the card. Add it first.")
    elif what == "remove":
        changed = [one for one in card.features if one.name != name]
    elif isinstance(what, str) and what in _CHANGES:
        own = _CHANGES[what](known[name], edit, referee.rows)
        new = [own if one.name == name else one for one in card.features]
        changed = [one for one in new if one is not None]
    else:
        raise ParameterError(
            f"There is no change {what!r}. Use one of {[*_CHANGES, 'add', 'remove']}."
        )
    return finished(replace(card, features=tuple(changed), certificate=None, recipe=None), referee)


def particulars(before: RiskCard, after: RiskCard, edit: Mapping[str, Any]) -> dict[str, Any]:
    """What a change did, for whoever reads the log: its line, and what was there before and after it."""
    old, new = (
        next((one for one in card.features if one.name == edit["feature"]), None)
        for card in (before, after)
    )
    if edit["what"] == "points" and old is not None and new is not None:
        line = edit["line"]
        label = before.lines_of(old)[line].label
        return {"line": label, "before": old.line_points[line], "after": new.line_points[line]}
    cuts = [set(one.cuts) if isinstance(one, FeaturePoints) else set() for one in (old, new)]
    gone, come = sorted(cuts[0] - cuts[1]), sorted(cuts[1] - cuts[0])
    found = {"before": gone, "after": come} if edit["what"] not in ("add", "remove") else {}
    return {name: own[0] for name, own in found.items() if own}


def finished(card: RiskCard, referee: Referee) -> RiskCard:
    """A card with its lines counted on the training rows, and with the scale that fits them best."""
    cells = referee.rows.cells_of(card)
    places = range(len(card.features))
    features = tuple(_counted(card.features[i], cells.lines[i], cells.counts) for i in places)
    card = replace(card, features=features, certificate=None, recipe=None, training=None)
    card = referee.with_scale(card)
    columns, rows = cells.columns, referee.rows
    counts = count_sums(cells.totals(card), columns, card.reachable_totals(), rows.unit)
    number, events, weight, event_weight, _ = (float(one.sum()) for one in columns)
    facts = TrainingFacts(
        int(number), int(events), weight, event_weight, counts, is_weighted=rows.is_weighted
    )
    return replace(card, training=facts)


def _counted(feature: CardFeature, lines: Integers, by_cell: Floats) -> CardFeature:
    """The feature with the rows and events of its lines, and its most common bin."""
    n_lines = len(feature.line_points)
    others, events = (np.bincount(lines, own, n_lines).astype(np.int64) for own in by_cell.T)
    counts = others + events
    usual = int(counts[: len(feature.points)].argmax())
    return replace(feature, usual=usual, rows=tuple(counts.tolist()), events=tuple(events.tolist()))


# --- the changes ---------------------------------------------------------------------------------


def _set_points(feature: CardFeature, edit: Mapping[str, Any], rows: Rows) -> CardFeature:
    """Give a line other points."""
    line = whole_number("line", edit.get("line"))
    points = whole_points("The points", edit.get("points"))
    if abs(points) > MOST_POINTS:
        raise ParameterError(f"{points} points are too many. Use at most {MOST_POINTS}.")
    if line >= len(feature.line_points):
        raise ParameterError(f"{feature.name!r} has no line {line}. Choose another.")
    if line < len(feature.points):
        own = (*feature.points[:line], points, *feature.points[line + 1 :])
        return replace(feature, points=own)
    code = line - len(feature.points)
    if isinstance(feature, FeaturePoints) and code < len(feature.codes):
        codes = list(feature.codes)
        codes[code] = (codes[code][0], points)
        return replace(feature, codes=tuple(codes))
    return replace(feature, missing=points)


def _set_cut(feature: CardFeature, edit: Mapping[str, Any], rows: Rows) -> CardFeature:
    """Move a cut, not beyond its neighbours."""
    place, cut = _place_of_cut(feature, edit), _cut_near(feature, edit.get("cut"), rows)
    cuts = list(feature.cuts)
    cuts[place] = cut
    if sorted(set(cuts)) != cuts:
        raise ParameterError(
            f"A cut of {feature.name!r} at {cut:g} is not between its neighbours. Remove one of them first."
        )
    return _numbers(feature, cuts=tuple(cuts))


def _add_cut(feature: CardFeature, edit: Mapping[str, Any], rows: Rows) -> CardFeature:
    """Divide a bin; both parts have its points until they are given others."""
    _require_numbers(feature)
    cut = edit.get("cut")
    cut = _middle_cut(feature, rows) if cut is None else _cut_near(feature, cut, rows)
    if cut in feature.cuts:
        raise ParameterError(
            f"{feature.name!r} has a cut at {cut:g} already. Choose another place."
        )
    cuts = sorted([*feature.cuts, cut])
    place = cuts.index(cut)
    points = (*feature.points[: place + 1], *feature.points[place:])
    return _numbers(feature, cuts=tuple(cuts), points=points, usual=None, rows=(), events=())


def _remove_cut(feature: CardFeature, edit: Mapping[str, Any], rows: Rows) -> CardFeature | None:
    """Join two bins, which then have the points of the one with more rows; None where none is left."""
    place = _place_of_cut(feature, edit)
    if len(feature.cuts) == 1 and feature.missing is None and not feature.codes:
        return None
    counts = feature.rows or (1,) * len(feature.points)
    loser = place if counts[place] < counts[place + 1] else place + 1
    points = tuple(worth for i, worth in enumerate(feature.points) if i != loser)
    cuts = tuple(cut for i, cut in enumerate(feature.cuts) if i != place)
    return _numbers(feature, cuts=cuts, points=points, usual=None, rows=(), events=())


def _move_level(feature: CardFeature, edit: Mapping[str, Any], rows: Rows) -> CardFeature:
    """Put a level into another group, or into one of its own."""
    if not isinstance(feature, LevelPoints) or feature.is_ordered:
        raise ParameterError(f"The levels of {feature.name!r} cannot be moved: they have an order.")
    shown, group = edit.get("level"), whole_number("group", edit.get("group"))
    found = [level for level in feature.levels if show_level(level) == shown]
    if not found or group > len(feature.groups):
        raise ParameterError(f"{feature.name!r} has no level {shown!r} or no group {group}.")
    groups = [[level for level in own if level != found[0]] for own in feature.groups]
    points = [*feature.points]
    if group == len(groups):
        groups.append([])
        home = next(i for i, own in enumerate(feature.groups) if found[0] in own)
        points.append(feature.points[home])
    groups[group].append(found[0])
    filled = [(tuple(own), worth) for own, worth in zip(groups, points, strict=True) if own]
    own_groups, own_points = zip(*filled, strict=True)
    return replace(feature, groups=own_groups, points=own_points, usual=None, rows=(), events=())


_CHANGES: dict[str, Callable[[CardFeature, Mapping[str, Any], Rows], CardFeature | None]] = {
    "points": _set_points,
    "cut": _set_cut,
    "add cut": _add_cut,
    "remove cut": _remove_cut,
    "level": _move_level,
}


def _require_numbers(feature: CardFeature) -> FeaturePoints:
    if not isinstance(feature, FeaturePoints):
        raise ParameterError(f"{feature.name!r} has levels, not cuts. Move its levels instead.")
    return feature


def _numbers(feature: CardFeature, **changes: Any) -> FeaturePoints:
    return replace(_require_numbers(feature), **changes)


def _cut_near(feature: CardFeature, value: Any, rows: Rows) -> float:
    """A cut that was given by hand; one far beyond all values is a slip."""
    cut, values = finite_number("The cut", value), rows.features[feature.name].values
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if abs(cut) > _FAR * max(abs(low), abs(high), high - low):
        raise ParameterError(
            f"A cut of {feature.name!r} at {cut:g} is far from its values, which go from {low:g} to "
            f"{high:g}. Use a cut near them."
        )
    return cut


def _place_of_cut(feature: CardFeature, edit: Mapping[str, Any]) -> int:
    place = whole_number("place", edit.get("place"))
    if place >= len(feature.cuts):
        raise ParameterError(f"{feature.name!r} has no cut {place}. Choose another.")
    return place


def _middle_cut(feature: CardFeature, rows: Rows) -> float:
    """A cut that divides the bin with the most rows about in the middle."""
    values = rows.features[feature.name].values
    codes = [code for code, _ in feature.codes]
    numbers = values[~np.isnan(values) & ~np.isin(values, codes)]
    bins = np.searchsorted(feature.cuts, numbers, side="left")
    for place in np.argsort(-np.bincount(bins, minlength=len(feature.points))):
        own = np.unique(numbers[bins == place])
        if own.size > 1:
            return _between(numbers[bins == place], own)
    raise ParameterError(f"{feature.name!r} has no bin with two different values to divide.")


def _between(numbers: Any, different: Any) -> float:
    """A round number near the median with rows on both sides."""
    place = int(np.searchsorted(different, np.median(numbers), side="left"))
    place = min(max(place, 0), different.size - 2)
    return float(choose_cut(different[place], different[place + 1]))


# --- a new feature -------------------------------------------------------------------------------


def new_feature(name: str, rows: Rows) -> CardFeature:
    """A feature to begin with: two bins or groups, and one point for the one with the higher event rate."""
    column = rows.features[name]
    is_missing = np.isnan(column.values)
    missing = 0 if is_missing.any() else None
    if is_missing.all():
        raise ParameterError(f"{name!r} has no values in the training rows. Choose another column.")
    if column.levels is not None:
        return _new_levels(name, column, rows, missing)
    numbers = column.values[~is_missing]
    different = np.unique(numbers)
    if different.size < 2:
        raise ParameterError(f"{name!r} is constant in the training rows. Choose another column.")
    cut = _between(numbers, different)
    is_above = column.values > cut
    rises = _rate(rows, is_above) >= _rate(rows, ~is_above & ~is_missing)
    points = (0, 1) if rises else (1, 0)
    return FeaturePoints(name, (cut,), points, missing, training_range=ValueRange.of(numbers))


def _new_levels(name: str, column: FeatureValues, rows: Rows, missing: int | None) -> LevelPoints:
    assert column.levels is not None
    codes, names = column.codes(), column.levels.names
    average = _rate(rows, np.ones(codes.size, dtype=bool))
    is_high = [_rate(rows, codes == place) > average for place in range(len(names))]
    sides = [
        tuple(n for n, high in zip(names, is_high, strict=True) if high is side)
        for side in (False, True)
    ]
    filled = [(group, worth) for worth, group in enumerate(sides) if group]
    if len(filled) < 2:
        raise ParameterError(
            f"{name!r} has one level only in the training rows. Choose another column."
        )
    groups, points = zip(*filled, strict=True)
    return LevelPoints(name, groups, points, missing)


def _rate(rows: Rows, kept: Any) -> float:
    number = int(np.count_nonzero(kept))
    return float(np.count_nonzero(rows.is_event & kept) / number) if number else 0.0
