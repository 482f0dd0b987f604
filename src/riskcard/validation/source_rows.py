"""The rows of a source for a validation: alike rows once, with their count.

Two rows are alike for a card if each of their values is on the same line of the card, is as unusual (below
or above the values of training, or unknown), and if they have the same label and weight. One row stands for all of
them. Every figure is a function of such counts, so nothing is lost, and the database or the workers
give nothing but counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from riskcard.arrays import Integers
from riskcard.data.levels import Label
from riskcard.errors import DataError
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature, LevelPoints
from riskcard.sources.coding import FeatureCodes, codes_of_patterns
from riskcard.sources.rows import Kind, Wanted
from riskcard.sources.source import Source
from riskcard.validation.rows import GivenRows


@dataclass(frozen=True, slots=True)
class _Coded:
    """A feature of a card as codes, and a raw value for each of them."""

    codes: FeatureCodes
    values: tuple[Label | None, ...]


def rows_of_source(card: RiskCard, source: Source) -> GivenRows:
    """Count all rows of a source.

    Parameters
    ----------
    card
        The card that is judged.
    source
        Where its target and weights are known. It is read twice: the target, then what the card uses.
    """
    card.require_yes_or_no("Validation of a source")
    assert source.target is not None
    for one in card.features:
        source.require(one.name, "feature")
    kinds = {one.name: source.kinds[one.name] for one in card.features}
    coded = [_coded(source, one, kinds[one.name]) for one in card.features]
    wanted = Wanted(kinds, source.target, None, source.weights)
    event = _event_of(card, source, wanted)
    groups = source.group(replace(wanted, event=event), [one.codes for one in coded])
    codes = codes_of_patterns(groups.keys // 2, [one.codes for one in coded])
    columns = {}
    for feature, code, own in zip(card.features, coded, codes, strict=True):
        _require_points(source, feature, code, own, groups.rows)
        columns[feature.name] = _column(code, own)
    is_event = groups.keys % 2 == 1
    return GivenRows(
        for_card=columns if columns else np.zeros((is_event.size, 0)),
        labels=np.array(card.classes, dtype=object)[is_event.astype(int)],
        sample_weight=(groups.weights * groups.rows).astype(np.float64),
        counts=groups.rows,
    )


def _coded(source: Source, feature: CardFeature, kind: Kind) -> _Coded:
    """Codes that tell apart what a validation tells apart, each with a value that has this code."""
    name = feature.name
    if isinstance(feature, LevelPoints):
        return _coded_levels(feature, kind)
    if kind is Kind.TEXT:
        raise DataError(
            f"{source.name}: column {name!r} holds texts, but the card needs numbers. Turn it into numbers."
        )
    seen, cuts = feature.training_range, set(feature.cuts)
    if seen is not None:
        cuts |= {float(np.nextafter(seen.lowest, -np.inf)), float(seen.highest)}
    ends = np.array(sorted(cuts))
    last = float(np.nextafter(ends[-1], np.inf)) if ends.size else 0.0
    specials = tuple(code for code, _ in feature.codes)
    codes = FeatureCodes(name, ends, None, specials, has_missing=True)
    return _Coded(codes, (*ends.tolist(), last, *specials, None))


def _coded_levels(feature: LevelPoints, kind: Kind) -> _Coded:
    name, levels = feature.name, feature.levels
    if kind is Kind.TEXT:
        texts = tuple(level for level in levels if isinstance(level, str))
        other = "other"
        while other in texts:
            other += "*"
        codes = FeatureCodes(name, np.zeros(0), texts, (), has_missing=True, has_others=True)
        return _Coded(codes, (*texts, other, None))
    if kind is Kind.BOOLEAN:
        codes = FeatureCodes(name, np.array([0.5]), None, (), has_missing=True)
        return _Coded(codes, (False, True, None))
    numbers = tuple(float(level) for level in levels if not isinstance(level, str))
    codes = FeatureCodes(name, np.zeros(0), None, numbers, has_missing=True)
    return _Coded(codes, (max(numbers, default=0.0) + 1, *numbers, None))


def _column(one: _Coded, codes: Integers) -> Any:
    """A raw value for each code, as numbers where they are numbers."""
    if all(value is None or isinstance(value, float) for value in one.values):
        numbers = [np.nan if value is None else value for value in one.values]
        return np.array(numbers, dtype=np.float64)[codes]
    column = np.empty(len(one.values), dtype=object)
    column[:] = one.values
    return column[codes]


def _require_points(
    source: Source, feature: CardFeature, one: _Coded, codes: Integers, rows: Integers
) -> None:
    """Refuse missing and unknown values for which a card written by hand has no points."""
    if feature.usual is not None:
        return
    lacking = {}
    if feature.missing is None:
        lacking[one.codes.n_codes - 1] = "missing"
    if one.codes.has_others:
        lacking[one.codes.n_bins] = "a level that the card does not have"
    for code, what in lacking.items():
        if number := int(rows[codes == code].sum()):
            raise DataError(
                f"{source.name}: {feature.name!r} is {what} in {number:,} rows, and the card has no points for "
                "that. Leave these rows out."
            )


def _event_of(card: RiskCard, source: Source, wanted: Wanted) -> Any:
    """The label of the event as the source writes it; other labels than those of the card are refused."""
    labels = source.count_labels(wanted)
    if None in labels:
        raise DataError(
            f"{source.name}: the target {source.target!r} is missing in {int(labels[None][0]):,} rows. "
            "Leave these rows out, or give them a label."
        )
    for label in labels:
        if not any(_is_same(label, known) for known in card.classes):
            raise DataError(
                f"{source.name}: a label is {label!r}, but the card knows {card.classes[0]!r} and "
                f"{card.classes[1]!r}. Give the labels of the card."
            )
    found = [label for label in labels if _is_same(label, card.classes[1])]
    return found[0] if found else card.classes[1]


def _is_same(label: Any, known: Any) -> bool:
    """Whether a label is that of a card, which may have learned from a file of texts."""
    return bool(label == known) or str(label) == str(known)
