"""The features of a file as a table that classifiers and cards take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.columns import FeatureValues
from riskcard.data.reading import Reading
from riskcard.data.reading_notes import ReadingNote


class FeatureTable:
    """Features with their names, which can be asked like a table of pyarrow.

    Parameters
    ----------
    features
        From name to values and levels.
    n_rows
        Number of rows.
    notes
        What was done to the file that they are from.
    reading
        How that file was read, for other files to be read in the same way.

    Examples
    --------
    >>> table = FeatureTable({"age": FeatureValues(np.array([61.0, 50.0]), None)}, 2)
    >>> table.take(np.array([1]))["age"].tolist()
    [50.0]
    """

    def __init__(
        self,
        features: Mapping[str, FeatureValues],
        n_rows: int,
        notes: Sequence[ReadingNote] = (),
        reading: Reading | None = None,
    ) -> None:
        self.features = dict(features)
        self.notes = tuple(notes)
        self.reading = reading or Reading()
        self.shape = (n_rows, len(self.features))

    @property
    def column_names(self) -> list[str]:
        return list(self.features)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, name: str) -> NDArray[Any]:
        """What a card scores: numbers, or levels by their names."""
        return self.features[name].by_name()

    def take(self, rows: NDArray[np.intp]) -> FeatureTable:
        """Some of the rows."""
        taken = {
            name: FeatureValues(values[rows], levels)
            for name, (values, levels) in self.features.items()
        }
        return FeatureTable(taken, len(rows), self.notes, self.reading)

    def only(self, names: Iterable[str]) -> FeatureTable:
        """Some of the features."""
        chosen = {name: self.features[name] for name in names}
        return FeatureTable(chosen, len(self), self.notes, self.reading)

    def with_note(self, note: ReadingNote) -> FeatureTable:
        """The same with one more note."""
        return FeatureTable(self.features, len(self), (*self.notes, note), self.reading)
