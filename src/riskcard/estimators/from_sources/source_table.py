"""From a source to a table of merged rows that a fit can learn from as from any other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from riskcard.arrays import Floats, Integers
from riskcard.data.first_look.identifiers import LeftOut
from riskcard.data.levels import BOOLEAN, Levels
from riskcard.data.table import MergedRows, Table
from riskcard.sources.coding import Counts, FeatureCodes, codes_of_patterns
from riskcard.sources.look import Look
from riskcard.sources.rows import Kind, Wanted


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of the rows before they are merged.

    Attributes
    ----------
    wanted
        What is read of them.
    look
        Their ranges, levels and a sample.
    classes
        The labels: no event, event.
    left_out, columns
        Columns that are no features, and all columns but target and weights.
    n_rows
        All rows of a weight above 0.
    """

    wanted: Wanted
    look: Look
    classes: tuple[Any, Any]
    left_out: tuple[LeftOut, ...]
    columns: tuple[str, ...]
    n_rows: int

    def levels_of(self, f: int, kind: Kind) -> Levels | None:
        """The levels of a feature; None for numbers."""
        if kind is Kind.TEXT:
            return Levels(self.look.texts[f] or ())
        return BOOLEAN if kind is Kind.BOOLEAN else None

    def table_of(self, features: list[str], values: Floats, parts: _Parts) -> Table:
        """A table of merged rows with some of the features."""
        kinds = self.wanted.features
        levels = [self.levels_of(f, kind) for f, kind in enumerate(kinds.values())]
        of_name = dict(zip(kinds, levels, strict=True))
        return Table(
            values=values,
            names=tuple(features),
            labels=np.where(parts.is_event, np.int8(1), np.int8(-1)),
            weights=parts.weights.astype(np.float64),
            classes=self.classes,
            levels=tuple(of_name[name] for name in features),
            outcome=self.wanted.target,
            left_out=self.left_out,
            columns=self.columns,
            merged=parts.merged,
        )


@dataclass(frozen=True, slots=True)
class _Parts:
    is_event: Any
    weights: Integers
    merged: MergedRows


def table_of_sample(seen: Seen) -> Table:
    """The sample: different rows, each with its counts."""
    sample, names = seen.look.sample, list(seen.wanted.features)
    merged = MergedRows(sample.counts, (None,) * len(names))
    return seen.table_of(names, sample.values, _Parts(sample.is_event, sample.weights, merged))


def table_of_counts(
    seen: Seen, features: list[FeatureCodes], counts: Counts, n_all: int | None
) -> Table:
    """The patterns that occur, without and with the event; ``n_all`` conditions were preselected from, if any.

    A bin is represented by a number in it: where it has no other, by that; else by its upper end, the
    first and the last by the lowest and the highest number of all rows.
    """
    patterns, events = np.nonzero(counts.rows)
    codes = codes_of_patterns(patterns, features)
    place = {name: f for f, name in enumerate(seen.wanted.features)}
    columns, cuts = [], []
    for own, feature in enumerate(features):
        f, is_full = place[feature.name], bool(counts.have_no_others[own])
        columns.append(_numbers_of(feature, seen.look, f, is_full)[codes[own]])
        cuts.append(None if is_full or feature.levels is not None else feature.cuts)
    merged = MergedRows(counts.rows[patterns, events], tuple(cuts), n_all)
    parts = _Parts(events == 1, counts.weights[patterns, events], merged)
    return seen.table_of([feature.name for feature in features], np.column_stack(columns), parts)


def _numbers_of(feature: FeatureCodes, look: Look, f: int, is_full: bool) -> Floats:
    """What each code of a feature is represented by."""
    further = [*feature.specials, *([np.nan] if feature.has_missing else [])]
    if feature.levels is not None:
        bins = np.arange(len(feature.levels), dtype=np.float64)
    elif is_full and feature.values is not None:
        bins = feature.values
    else:
        bins = np.append(feature.cuts, look.highest[f])
        if not look.are_whole[f]:
            # not whole, so that the range of the feature says so
            is_whole = bins[:-1] % 1 == 0
            bins[:-1][is_whole] = np.nextafter(bins[:-1][is_whole], -np.inf)
        bins[0] = look.lowest[f]
    return np.concatenate([bins, further])


def codes_of(
    seen: Seen, cuts: Mapping[str, Floats], values: Mapping[str, Floats]
) -> list[FeatureCodes]:
    """The codes of features with these cuts; ``values`` are all that the sample has, where they are few."""
    found = []
    for f, (name, kind) in enumerate(seen.wanted.features.items()):
        if name not in cuts:
            continue
        has_missing = bool(seen.look.n_missing[f])
        levels = seen.look.texts[f] if kind is Kind.TEXT else None
        specials = tuple(sorted(set(seen.wanted.codes.get(name, ()))))
        codes = FeatureCodes(name, cuts[name], levels, specials, has_missing, values.get(name))
        found.append(codes)
    return found


def without_features(seen: Seen, left_out: tuple[LeftOut, ...]) -> Wanted:
    """What is read where some columns are no features."""
    names = {one.name for one in left_out}
    kept = {name: kind for name, kind in seen.wanted.features.items() if name not in names}
    return replace(seen.wanted, features=kept)
