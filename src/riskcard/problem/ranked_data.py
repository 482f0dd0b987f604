"""Rows as codes: what every solver works on."""

from dataclasses import dataclass, field

import numpy as np

from riskcard.arrays import Codes, Floats, Integers, Labels
from riskcard.problem.atoms import Atoms


@dataclass(frozen=True, slots=True)
class RankedData:
    """Rows as codes: condition ``c`` of column ``v`` holds for row ``i`` iff ``codes[v, i] <= c``.

    A numeric feature without missing values is one column: its conditions say "at or below cut c".
    Any other feature has one or more columns; its ``Atoms`` say how they are related.

    Attributes
    ----------
    codes
        Shape (columns, rows), int32, contiguous by column; in ``0 .. n_cuts[v]``.
    n_cuts
        Number of conditions of each column; a constant one has none.
    labels
        +1 for the event, -1 otherwise, int8.
    weights
        Positive row weights.
    feature_of
        The feature of each column, ascending; by default each column is a feature.
    atoms
        For each feature its atoms; None for plain numbers.
    first_columns
        The first column of each feature.
    """

    codes: Codes
    n_cuts: Integers
    labels: Labels
    weights: Floats
    feature_of: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    atoms: tuple[Atoms | None, ...] = ()
    first_columns: Integers = field(init=False)

    def __post_init__(self) -> None:
        if self.feature_of.size == 0:
            object.__setattr__(self, "feature_of", np.arange(self.codes.shape[0]))
        firsts = np.searchsorted(self.feature_of, np.arange(self.n_features))
        object.__setattr__(self, "first_columns", firsts)
        if not self.atoms:
            object.__setattr__(self, "atoms", (None,) * self.n_features)

    @property
    def n_columns(self) -> int:
        return int(self.codes.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.feature_of[-1]) + 1 if self.feature_of.size else 0

    @property
    def n_rows(self) -> int:
        return int(self.codes.shape[1])
