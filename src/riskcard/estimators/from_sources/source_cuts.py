"""Candidate cuts of a table that is not in memory: from its sample, or preselected."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from riskcard.arrays import Floats
from riskcard.encoding.decode_solution import Layout
from riskcard.errors import ParameterError
from riskcard.estimators.from_sources.source_table import Seen, codes_of
from riskcard.estimators.learning import Task
from riskcard.formatting.numbers import choose_cut
from riskcard.problem.problem import Problem
from riskcard.search.shortlist import conditions_for_proof, shortlist_from_some
from riskcard.search.solve import solve
from riskcard.sources.coding import FeatureCodes, n_patterns
from riskcard.sources.source import Source
from riskcard.sources.windows import Window

#: The most conditions of a lasso; more would hardly ever have few patterns.
MOST_PRESELECTED = 100
#: A shortlist that has too many patterns is tried again with this share of its conditions.
SHORTER = 0.8


def candidates_of(layout: Layout) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """The cuts of each feature as they would be printed; and its numbers, if each has a bin."""
    cuts, values = {}, {}
    for f, name in enumerate(layout.table.names):
        levels = layout.table.levels[f]
        if levels is not None and not levels.is_ordered:
            cuts[name] = np.zeros(0)
            continue
        gaps = layout.cut_grid.gaps[f]
        below, above = _ends(layout, f)
        cuts[name] = np.array([choose_cut(*ends) for ends in zip(below, above, strict=True)])
        numbers = _numbers(layout, f)
        if numbers.size == gaps.n_cuts + 1:
            values[name] = numbers
    return cuts, values


def all_numbers(
    source: Source, seen: Seen, boxes: Collection[tuple[str, tuple[float, float]]], most: int
) -> list[Floats]:
    """All numbers of some features above one number and up to another, the one before them first; none if too many.

    Before the least number of all there is minus infinity.
    """
    if not boxes:
        return []
    windows = [
        Window(
            codes_of(seen, {name: np.zeros(0)}, {})[0],
            (box,),
            is_by_number=True,
            at=box[0],
            others=(),
            most=2 * most,  # without and with the event
        )
        for name, box in boxes
    ]
    counted = source.count_windows(seen.wanted, windows)
    nothing = np.zeros(0)
    return [
        np.unique(np.append(one.numbers, one.below)) if one.is_complete else nothing
        for one in counted
    ]


def with_all_numbers(
    source: Source,
    seen: Seen,
    features: Sequence[FeatureCodes],
    lacking: Collection[str],
    most: int,
) -> list[FeatureCodes]:
    """Features with a bin for each number of all rows, where the sample did not have all of them."""
    asked = [one.name for one in features if one.name in lacking]
    names = list(seen.wanted.features)
    lows = [float(np.nextafter(seen.look.lowest[names.index(name)], -np.inf)) for name in asked]
    highs = [float(seen.look.highest[names.index(name)]) for name in asked]
    boxes = list(zip(asked, zip(lows, highs, strict=True), strict=True))
    found = dict(zip(asked, all_numbers(source, seen, boxes, most), strict=True))
    known = {name: numbers[1:] for name, numbers in found.items() if 2 < numbers.size <= most + 2}
    return [
        replace(
            one,
            cuts=np.array(
                [
                    choose_cut(*ends)
                    for ends in zip(known[one.name][:-1], known[one.name][1:], strict=True)
                ]
            ),
            values=known[one.name],
        )
        if one.name in known
        else one
        for one in features
    ]


def _ends(layout: Layout, f: int) -> tuple[Floats, Floats]:
    """Both ends of every gap of a feature."""
    gaps = layout.cut_grid.gaps[f]
    if gaps.kept is not None:
        return gaps.kept
    numbers = _numbers(layout, f)
    return numbers[:-1], numbers[1:]


def _numbers(layout: Layout, f: int) -> Floats:
    """The different numbers of a feature, codes apart."""
    values = layout.table.values[:, f]
    codes = layout.rules.rule_of(layout.table.names[f]).codes
    return np.unique(values[~np.isnan(values) & ~np.isin(values, list(codes))])


def preselect(
    seen: Seen, problem: Problem, layout: Layout, task: Task, most: int
) -> list[FeatureCodes]:
    """As many conditions of a lasso as have few enough patterns, with those of the best card of the sample."""
    options = replace(task.options, certify=False, progress=None)
    best = solve(problem, options).solution
    count = min(conditions_for_proof(problem.limits.max_terms), MOST_PRESELECTED)
    while True:
        chosen = [*best.conditions]
        if count:
            chosen += shortlist_from_some(problem, count)
        features = codes_of(seen, _cuts_of(chosen, layout), {})
        if n_patterns(features) <= most:
            return features
        if not count:
            raise ParameterError(
                f"The patterns of the {len(features)} features of one card are already too many for the "
                "memory. Give more memory, or allow fewer terms."
            )
        count = int(count * SHORTER)


def _cuts_of(chosen: list[tuple[int, int]], layout: Layout) -> dict[str, Floats]:
    """The cuts of some conditions by feature; none where a condition is a set of levels or codes."""
    places: dict[int, set[int]] = {}
    for column, cut in chosen:
        f = int(layout.data.feature_of[column])
        own, place = places.setdefault(f, set()), cut
        atoms = layout.data.atoms[f]
        if atoms is not None:
            place = int(atoms.thresholds[column - int(layout.data.first_columns[f])][cut])
        if place >= 0:
            own.add(place)
    cuts, _ = candidates_of(layout)
    names = layout.table.names
    return {names[f]: cuts[names[f]][sorted(own)] for f, own in sorted(places.items())}
