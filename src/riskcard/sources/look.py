"""A first look at all rows: ranges, missing values, levels and a sample; looks at pieces add up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.sources.rows import Rows, Wanted
from riskcard.sources.sample import Sample, hash_rows, join

#: A column with more different texts is not a feature.
MOST_TEXTS = 50


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen of the rows.

    Attributes
    ----------
    lowest, highest
        Of the numbers of each feature, codes apart; infinities with the wrong sign without any.
    n_missing
        Rows in which each feature is missing.
    are_whole
        For each feature whether all its numbers are whole.
    texts
        From each feature of texts to the different ones, sorted; None where there are too many, and
        then the sample says nothing.
    sample
        Of the rows.
    """

    lowest: Floats
    highest: Floats
    n_missing: Integers
    are_whole: Booleans
    texts: Mapping[int, tuple[str, ...] | None]
    sample: Sample

    @property
    def too_many_texts(self) -> list[int]:
        """The features with too many different texts."""
        return [f for f, texts in self.texts.items() if texts is None]


def look_at(rows: Rows, wanted: Wanted, most_hash: int | None = None) -> Look:
    """Look at some rows.

    Parameters
    ----------
    most_hash
        Rows with a larger hash are known not to be in the sample; None to keep any.
    """
    n_features = len(rows.values)
    lowest, highest = np.full(n_features, np.inf), np.full(n_features, -np.inf)
    n_missing = np.zeros(n_features, dtype=np.int64)
    are_whole = np.ones(n_features, dtype=bool)
    for f, name in enumerate(wanted.features):
        numbers, codes = rows.values[f], wanted.codes.get(name, ())
        n_missing[f] = np.count_nonzero(np.isnan(numbers))
        if codes:
            numbers = numbers[~np.isin(numbers, codes)]
        if n_missing[f] < numbers.size:
            lowest[f], highest[f] = np.nanmin(numbers), np.nanmax(numbers)
            known = numbers[~np.isnan(numbers)] if n_missing[f] else numbers
            are_whole[f] = bool((known[:100] % 1 == 0).all() and (known % 1 == 0).all())
    hashes = hash_rows(rows)
    kept = np.arange(hashes.size) if most_hash is None else np.flatnonzero(hashes <= most_hash)
    values = np.column_stack([column[kept] for column in rows.values])
    counts = np.ones(kept.size, dtype=np.int64)
    sample = Sample(
        values,
        rows.is_event[kept],
        hashes[kept],
        counts,
        rows.weights[kept],
        kept.size == hashes.size,
    )
    look = Look(lowest, highest, n_missing, are_whole, dict(rows.texts), sample)
    return join_looks([look], wanted)


def join_looks(looks: Sequence[Look], wanted: Wanted) -> Look:
    """What was seen of all rows, from what was seen of some."""
    first = looks[0]
    texts: dict[int, tuple[str, ...] | None] = {}
    values = [look.sample.values.copy() for look in looks]
    for f in first.texts:
        lists = [look.texts[f] for look in looks]
        different = {text for own in lists if own is not None for text in own}
        is_known = None not in lists and len(different) <= MOST_TEXTS
        texts[f] = tuple(sorted(different)) if is_known else None
        for column, own in zip(values, lists, strict=True):
            column[:, f] = _moved(column[:, f], own, texts[f])
    samples = [replace(look.sample, values=own) for look, own in zip(looks, values, strict=True)]
    return Look(
        np.min([look.lowest for look in looks], axis=0),
        np.max([look.highest for look in looks], axis=0),
        np.sum([look.n_missing for look in looks], axis=0),
        np.all([look.are_whole for look in looks], axis=0),
        texts,
        join(samples, wanted.sample_rows),
    )


def _moved(places: Floats, old: tuple[str, ...] | None, new: tuple[str, ...] | None) -> Floats:
    """Places of texts among more texts; missing where there are too many."""
    if old is None or new is None or not old:
        return np.full(places.size, np.nan)
    found = np.append(np.searchsorted(np.array(new), np.array(old)), np.nan)
    moved: Floats = found[np.where(np.isnan(places), -1, places).astype(np.int64)]
    return moved
