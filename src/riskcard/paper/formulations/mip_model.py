"""A model as data: blocks of variables, blocks of linear constraints, and what is minimised.

A form (one module each) builds a ``Model`` from an ``Instance``; a backend (one module each, in
``solvers/``) hands it to a solver. Neither knows the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
Kind = Literal["binary", "integer", "continuous"]


@dataclass(frozen=True, slots=True)
class Variables:
    """One block of variables, such as the paper's ``b`` (rows by features).

    Entry ``index`` of the block, counted in C order, is variable ``start + index`` of the model.
    Bounds may be infinite.
    """

    name: str
    kind: Kind
    lower: Floats
    upper: Floats
    start: int

    @property
    def shape(self) -> tuple[int, ...]:
        return self.lower.shape

    @property
    def size(self) -> int:
        return self.lower.size

    @property
    def span(self) -> slice:
        """Where the block is in a point of the model."""
        return slice(self.start, self.start + self.size)


@dataclass(frozen=True, slots=True)
class Constraints:
    """One block of linear constraints: ``lower <= matrix @ values <= upper``.

    With ``is_paired`` rows 2q and 2q + 1 are the two sides of one double inequality such as
    ``-5 alpha <= w <= 5 alpha``, which the paper counts once.
    """

    name: str
    matrix: sparse.csr_array
    lower: Floats
    upper: Floats
    is_paired: bool = False

    def widened(self, n_columns: int) -> Constraints:
        """The same rows for a model with more variables."""
        old, shape = self.matrix, (self.lower.size, n_columns)
        matrix = sparse.csr_array((old.data, old.indices, old.indptr), shape=shape)
        return replace(self, matrix=matrix)


@dataclass(frozen=True, slots=True)
class Cardinality:
    """At most ``most`` of the variables ``members`` differ from 0: no linear constraint says this.

    A backend that cannot state it must refuse the model; it must never leave it out.
    """

    name: str
    members: Indices
    most: int


@dataclass(frozen=True, slots=True)
class Products:
    """Bilinear parts of the scores: row ``rows[q]`` has ``factors[q] * values[left[q]] * values[right[q]]``."""

    rows: Indices
    factors: Floats
    left: Indices
    right: Indices


@dataclass(frozen=True, slots=True)
class LogLoss:
    """Minimise ``sum of weight * log(1 + exp(-label * score))``, one score per row.

    ``score = constant + matrix @ values + products``.
    """

    matrix: sparse.csr_array
    constant: Floats
    labels: NDArray[np.int8]
    weights: Floats
    products: Products | None = None


@dataclass(frozen=True, slots=True)
class LinearObjective:
    """Minimise ``coefficients @ values + constant``."""

    coefficients: Floats
    constant: float = 0.0


@dataclass(frozen=True, slots=True)
class Model:
    """What a solver is given."""

    name: str
    variables: tuple[Variables, ...]
    constraints: tuple[Constraints, ...]
    objective: LogLoss | LinearObjective
    cardinality: Cardinality | None = None

    @property
    def n_variables(self) -> int:
        return sum(block.size for block in self.variables)

    def has(self, name: str) -> bool:
        """Whether there is a block of variables of this name."""
        return any(block.name == name for block in self.variables)

    def block(self, name: str) -> Variables:
        """The block of variables of this name."""
        for block in self.variables:
            if block.name == name:
                return block
        raise KeyError(f"The model {self.name!r} has no variables {name!r}.")
