"""The paper's problem in the paper's letters: data, number of features, bounds on the weights."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.table import Table
from riskcard.encoding.rank_table import CutGrid, rank_table
from riskcard.errors import ParameterError
from riskcard.paper.formulations.mip_model import Floats, Indices
from riskcard.problem.problem import Limits, Problem, Scale

#: The paper's bound on every weight.
DEFAULT_WEIGHT = 5


@dataclass(frozen=True, slots=True)
class Instance:
    """At most ``k`` features, one threshold each, two integer weights in ``low .. high`` per feature.

    ``problem`` is the same thing as the library solves it: the jump of feature ``j`` lies in
    ``low[j] - high[j] .. high[j] - low[j]``, the base is a free integer, the scale is 1.

    With ``is_one_sided`` only values above the threshold have a weight, as in the original binary
    form, where a feature has its weight when it is 1; the jump then lies in ``-high .. -low``.
    """

    table: Table
    grid: CutGrid
    problem: Problem
    k: int
    low: Indices
    high: Indices
    is_one_sided: bool = False

    @property
    def x(self) -> Floats:
        """The values, rows by features."""
        return self.table.values

    @property
    def y(self) -> NDArray[np.int8]:
        """The labels, -1 or +1."""
        return self.table.labels

    @property
    def low_below(self) -> Indices:
        """The smallest weight at or below the threshold."""
        return np.zeros_like(self.low) if self.is_one_sided else self.low

    @property
    def high_below(self) -> Indices:
        """The largest weight at or below the threshold."""
        return np.zeros_like(self.high) if self.is_one_sided else self.high


def make_instance(
    table: Table,
    k: int | None = None,
    low: Indices | int = -DEFAULT_WEIGHT,
    high: Indices | int = DEFAULT_WEIGHT,
    is_one_sided: bool = False,
) -> Instance:
    """State the paper's problem for a table.

    Parameters
    ----------
    k
        At most this many features; None for all.
    low, high
        Smallest and largest weight, one for all features or one per feature; ``low <= 0 <= high``.
    is_one_sided
        Whether values at or below the threshold have no weight of their own: the problem of the
        original binary form.
    """
    n_features = table.values.shape[1]
    low_weights = _read_weights("low", low, table)
    high_weights = _read_weights("high", high, table)
    for name, weights, is_wrong in (
        ("low", low_weights, low_weights > 0),
        ("high", high_weights, high_weights < 0),
    ):
        if is_wrong.any():
            j = int(np.argmax(is_wrong))
            raise ParameterError(
                f"{name} is {weights[j]} for feature {table.names[j]!r}. A feature that is not "
                "used has weight 0, so that low <= 0 <= high is needed."
            )
    data, grid = rank_table(table)
    most = _read_k(k, n_features)
    if is_one_sided:
        jump_low, jump_high = -high_weights, -low_weights
    else:
        jump_low, jump_high = low_weights - high_weights, high_weights - low_weights
    problem = Problem(data, Limits(most, most, 1), Scale("fixed", 1.0), jump_low, jump_high)
    return Instance(table, grid, problem, most, low_weights, high_weights, bool(is_one_sided))


def _read_weights(name: str, value: Any, table: Table) -> Indices:
    """One integer per feature."""
    n_features = table.values.shape[1]
    given = np.asarray(value)
    is_number = given.dtype.kind in "iuf" and bool(np.isfinite(given).all())
    if not is_number or bool((given != np.round(given)).any()):
        raise ParameterError(f"{name} is {value!r}. Use a whole number, or one per feature.")
    if given.ndim > 0 and given.shape != (n_features,):
        raise ParameterError(
            f"{name} has shape {given.shape} and the table {n_features} features. "
            "Use one whole number for all features, or one per feature."
        )
    return np.broadcast_to(given.astype(np.int64), (n_features,)).copy()


def _read_k(k: object, n_features: int) -> int:
    if k is None:
        return n_features
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise ParameterError(f"k is {k!r}. Use a whole number of at least 1, or None for all.")
    return min(int(k), n_features)
