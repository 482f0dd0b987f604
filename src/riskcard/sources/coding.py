"""Rows as the number of their pattern, and how many rows of which weight each pattern has.

Each feature has a few codes: its bins between cuts or its levels, its special values, a missing value.
A pattern is a combination of codes, one of few enough that the counts of all of them are one array.
So counts of pieces add up in any order, and to the same whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.sources.rows import Rows


@dataclass(frozen=True, slots=True)
class FeatureCodes:
    """The codes of a feature: bins or levels, then codes of the user, then missing.

    Attributes
    ----------
    name
        The feature.
    cuts
        A number at or below a cut is below it; ascending. Of texts, empty.
    levels
        The different texts; None for numbers.
    specials
        Numbers that are codes.
    has_missing
        Some rows have no value.
    values
        One number for each bin, if it may be that no bin has another; None where bins surely have.
    has_others
        Texts that are not among the levels have a code too; without it they are an error.
    """

    name: str
    cuts: Floats
    levels: tuple[str, ...] | None = None
    specials: tuple[float, ...] = ()
    has_missing: bool = False
    values: Floats | None = None
    has_others: bool = False

    @property
    def n_bins(self) -> int:
        return self.cuts.size + 1 if self.levels is None else len(self.levels)

    @property
    def n_codes(self) -> int:
        return self.n_bins + len(self.specials) + self.has_others + self.has_missing

    def code(self, values: Floats, texts: tuple[str, ...] | None) -> Integers:
        """The code of each value; a text is its place among some texts."""
        is_missing = np.isnan(values) if self.has_missing else np.zeros(0, dtype=bool)
        if self.levels is None:
            codes = np.searchsorted(self.cuts, values, side="left")
            for place, special in enumerate(self.specials):
                codes[values == special] = self.n_bins + place
        else:
            known = {text: place for place, text in enumerate(self.levels)}
            if self.has_others:
                known = {text: known.get(text, self.n_bins) for text in texts or ()}
            places = np.array([*(known[text] for text in texts or ()), 0], dtype=np.int64)
            codes = places[np.where(np.isnan(values), -1, values).astype(np.int64)]
        if is_missing.any():
            codes[is_missing] = self.n_codes - 1
        return codes

    def has_no_others(self, values: Floats, codes: Integers) -> bool:
        """Whether each number is the one value of its bin."""
        if self.values is None:
            return False
        is_number = codes < self.n_bins
        return bool((values[is_number] == self.values[codes[is_number]]).all())


@dataclass(slots=True)
class Counts:
    """How many rows each pattern has; counts of further rows are added in place.

    Attributes
    ----------
    rows
        Shape (patterns, 2), without and with the event: the number of rows.
    weighed
        Their weight; None where every row weighs 1.
    have_no_others
        For each feature whether every number is the one value of its bin.
    """

    rows: Integers
    weighed: Integers | None
    have_no_others: Booleans

    @classmethod
    def of_no_rows(cls, features: Sequence[FeatureCodes], is_weighted: bool) -> Counts:
        """No rows yet."""
        shape = n_patterns(features), 2
        weighed = np.zeros(shape, dtype=np.int64) if is_weighted else None
        have_no_others = [feature.values is not None for feature in features]
        return cls(np.zeros(shape, dtype=np.int64), weighed, np.array(have_no_others, dtype=bool))

    @property
    def weights(self) -> Integers:
        """The weight of the rows of each pattern."""
        return self.rows if self.weighed is None else self.weighed

    def add(self, other: Counts) -> Counts:
        """These counts, with those of other rows."""
        self.rows += other.rows
        if self.weighed is not None:
            self.weighed += other.weights
        self.have_no_others &= other.have_no_others
        return self

    def add_rows(
        self, rows: Rows, features: Sequence[FeatureCodes], names: Sequence[str]
    ) -> Counts:
        """These counts, with those of some rows, which have features of these ``names``."""
        pattern = 2 * code_rows(rows, features, names, self.have_no_others) + rows.is_event
        # a piece has far fewer rows than there are patterns, so nothing is done for each pattern
        np.add.at(self.rows.ravel(), pattern, 1)
        if self.weighed is not None:
            np.add.at(self.weighed.ravel(), pattern, rows.weights)
        return self


class CodedRows:
    """Rows that are counted for several choices of features: the codes of a feature are computed once.

    Parameters
    ----------
    rows
        The rows.
    names
        The names of their features.
    """

    def __init__(self, rows: Rows, names: Sequence[str]) -> None:
        self._rows, self._place = rows, {name: f for f, name in enumerate(names)}
        self._known: dict[int, tuple[Integers, bool]] = {}

    def add_to(self, counts: Counts, features: Sequence[FeatureCodes]) -> None:
        """Add the rows to the counts of some features."""
        pattern = np.zeros(self._rows.is_event.size, dtype=np.int64)
        for own, feature in enumerate(features):
            codes, has_no_others = self._codes_of(feature)
            counts.have_no_others[own] &= has_no_others
            pattern *= feature.n_codes
            pattern += codes
        pattern *= 2
        pattern += self._rows.is_event
        np.add.at(counts.rows.ravel(), pattern, 1)
        if counts.weighed is not None:
            np.add.at(counts.weighed.ravel(), pattern, self._rows.weights)

    def _codes_of(self, feature: FeatureCodes) -> tuple[Integers, bool]:
        """The codes of a feature, and whether each number is the one value of its bin."""
        if id(feature) not in self._known:
            f = self._place[feature.name]
            codes = feature.code(self._rows.values[f], self._rows.texts.get(f))
            self._known[id(feature)] = codes, feature.has_no_others(self._rows.values[f], codes)
        return self._known[id(feature)]


def code_rows(
    rows: Rows,
    features: Sequence[FeatureCodes],
    names: Sequence[str],
    have_no_others: Booleans | None = None,
) -> Integers:
    """The pattern of each row; it is noted where a bin has another number than its own."""
    place = {name: f for f, name in enumerate(names)}
    pattern = np.zeros(rows.is_event.size, dtype=np.int64)
    for own, feature in enumerate(features):
        values, texts = rows.values[place[feature.name]], rows.texts.get(place[feature.name])
        codes = feature.code(values, texts)
        if have_no_others is not None and have_no_others[own]:
            have_no_others[own] = feature.has_no_others(values, codes)
        pattern *= feature.n_codes
        pattern += codes
    return pattern


def n_patterns(features: Sequence[FeatureCodes]) -> int:
    """How many patterns there could be."""
    product = 1
    for feature in features:
        product *= feature.n_codes
    return product


def codes_of_patterns(patterns: Integers, features: Sequence[FeatureCodes]) -> Integers:
    """The codes of each feature in some patterns, shape (features, patterns)."""
    codes = np.empty((len(features), patterns.size), dtype=np.int64)
    for f in range(len(features) - 1, -1, -1):
        patterns, codes[f] = np.divmod(patterns, features[f].n_codes)
    return codes
