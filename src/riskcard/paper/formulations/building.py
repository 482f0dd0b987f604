"""Putting a model together: blocks of variables, blocks of rows, the objective."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from riskcard.paper.formulations.mip_model import (
    Cardinality,
    Constraints,
    Floats,
    Indices,
    Kind,
    LinearObjective,
    LogLoss,
    Model,
    Products,
    Variables,
)

#: Parts of the rows of a block: (columns, coefficients), the columns of shape (rows,) or (rows, any
#: number) and the coefficients such that they can be broadcast to the same shape.
Terms = Sequence[tuple[Indices, ArrayLike]]


class ModelBuilder:
    """Collects the parts of a model.

    Examples
    --------
    >>> builder = ModelBuilder("two numbers")
    >>> a = builder.add("a", "integer", [0, 0], [3, 3])
    >>> builder.constrain("sum", [(a[None, :], 1.0)], [-np.inf], [4.0])
    >>> model = builder.minimise([(a, [-1.0, -2.0])])
    >>> model.constraints[0].matrix.toarray().tolist(), model.objective.coefficients.tolist()
    ([[1.0, 1.0]], [-1.0, -2.0])
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.n_variables = 0
        self._variables: list[Variables] = []
        self._rows: list[Constraints] = []
        self._cardinality: Cardinality | None = None

    def add(self, name: str, kind: Kind, lower: ArrayLike, upper: ArrayLike) -> Indices:
        """Add a block of variables; returns their indices in the shape of the bounds."""
        low, high = np.broadcast_arrays(
            np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
        )
        self._variables.append(Variables(name, kind, low.copy(), high.copy(), self.n_variables))
        indices = self.n_variables + np.arange(low.size, dtype=np.int64).reshape(low.shape)
        self.n_variables += low.size
        return indices

    def constrain(
        self, name: str, terms: Terms, lower: ArrayLike, upper: ArrayLike, is_paired: bool = False
    ) -> None:
        """Add a block of rows; a block without rows is left out."""
        n_rows = terms[0][0].shape[0]
        if n_rows > 0:
            low, high = _spread(lower, n_rows).copy(), _spread(upper, n_rows).copy()
            matrix = _matrix(terms, self.n_variables)
            self._rows.append(Constraints(name, matrix, low, high, is_paired))

    def constrain_between(
        self,
        name: str,
        terms: Terms,
        factor: Indices,
        low: tuple[ArrayLike, ArrayLike],
        high: tuple[ArrayLike, ArrayLike],
        is_paired: bool = False,
    ) -> None:
        """Add ``low[0] + low[1] * factor <= terms <= high[0] + high[1] * factor``, two rows each."""
        n = factor.size
        twice = [(np.repeat(columns, 2), np.repeat(_spread(c, n), 2)) for columns, c in terms]
        slopes = np.stack([_spread(low[1], n), _spread(high[1], n)], axis=1).ravel()
        infinite = np.full(n, np.inf)
        lower = np.stack([_spread(low[0], n), -infinite], axis=1).ravel()
        upper = np.stack([infinite, _spread(high[0], n)], axis=1).ravel()
        self.constrain(name, [*twice, (np.repeat(factor, 2), -slopes)], lower, upper, is_paired)

    def limit_nonzeros(self, name: str, members: Indices, most: int) -> None:
        """At most ``most`` of the variables differ from 0."""
        self._cardinality = Cardinality(name, members.ravel(), most)

    def minimise_log_loss(
        self,
        scores: Terms,
        labels: NDArray[np.int8],
        weights: Floats,
        products: Products | None = None,
    ) -> Model:
        """The finished model, with the log-loss of these scores, to each of which ``w0`` is added."""
        start = next(block.start for block in self._variables if block.name == "w0")
        base = np.full((labels.size, 1), start, dtype=np.int64)
        matrix = _matrix([(base, 1.0), *scores], self.n_variables)
        return self._finish(LogLoss(matrix, np.zeros(labels.size), labels, weights, products))

    def minimise(self, terms: Terms, constant: float = 0.0) -> Model:
        """The finished model, with a linear objective: the sum of the terms."""
        coefficients = np.zeros(self.n_variables)
        for columns, factors in terms:
            np.add.at(coefficients, columns, np.broadcast_to(np.asarray(factors), columns.shape))
        return self._finish(LinearObjective(coefficients, constant))

    def _finish(self, objective: LogLoss | LinearObjective) -> Model:
        constraints = tuple(rows.widened(self.n_variables) for rows in self._rows)
        return Model(self.name, tuple(self._variables), constraints, objective, self._cardinality)


def _spread(value: ArrayLike, n: int) -> Floats:
    return np.broadcast_to(np.asarray(value, dtype=np.float64), (n,))


def _matrix(terms: Terms, n_columns: int) -> sparse.csr_array:
    """Rows as a matrix, without the entries that are 0."""
    n_rows = terms[0][0].shape[0]
    places, columns, entries = [], [], []
    for found, coefficients in terms:
        rows = np.arange(n_rows).reshape((n_rows,) + (1,) * (found.ndim - 1))
        places.append(np.broadcast_to(rows, found.shape).ravel())
        columns.append(found.ravel())
        factors = np.asarray(coefficients, dtype=np.float64)
        entries.append(np.broadcast_to(factors, found.shape).ravel())
    triplets = (np.concatenate(entries), (np.concatenate(places), np.concatenate(columns)))
    matrix = sparse.coo_array(triplets, shape=(n_rows, n_columns)).tocsr()
    matrix.eliminate_zeros()
    return matrix
