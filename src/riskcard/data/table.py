"""The checked input: features, two-valued labels, positive weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.columns import FeatureValues, is_identifier
from riskcard.data.features import Features, read_features, require_numbers
from riskcard.data.levels import Levels
from riskcard.data.raw_columns import rows_in_words
from riskcard.data.target import (
    name_of_target,
    read_labels,
    read_target,
    read_weights,
    require_computable,
)
from riskcard.errors import DataError, warn


@dataclass(frozen=True, slots=True)
class Table:
    """A table that passed every check.

    Attributes
    ----------
    values
        Shape (rows, features), float64: numbers; for a categorical feature the index of its level;
        NaN where missing; never infinite.
    names
        One distinct name per feature.
    labels
        +1 where the row has the event ``classes[1]``, -1 where it has ``classes[0]``.
    weights
        Positive, finite.
    classes
        The user's two label values: no event, event.
    levels
        For each feature its levels, None for a numeric one; by default all are numeric.
    outcome
        The name of the target, None where it has none.
    """

    values: NDArray[np.float64]
    names: tuple[str, ...]
    labels: NDArray[np.int8]
    weights: NDArray[np.float64]
    classes: tuple[Any, Any]
    levels: tuple[Levels | None, ...] = ()
    outcome: str | None = None

    def __post_init__(self) -> None:
        if not self.levels:
            object.__setattr__(self, "levels", (None,) * len(self.names))

    @property
    def weight_unit(self) -> float:
        """The unit in which solvers count: the order of magnitude of the weight of an average row.

        It is a power of 1,024, which changes no digit of a weight. So weights that count how often
        a row occurs, whose unit is 1, give the same card as repeated rows.
        """
        return math.ldexp(1.0, 10 * round(math.log2(float(self.weights.mean())) / 10))

    def in_own_unit(self) -> Table:
        """The same table with weights of about 1, so that the card does not depend on their unit."""
        return replace(self, weights=self.weights / self.weight_unit)


def make_table(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    names: Sequence[str] | None = None,
    drop_zero_weights: bool = False,
    event: Any = None,
) -> Table:
    """Read and check the user's table.

    Parameters
    ----------
    X
        Rows by features, as for ``read_features``.
    y
        One label per row, with two different values.
    sample_weight
        One positive weight per row; None gives every row the weight 1.
    names
        Names of the features; by default those of the frame, or x0, x1, ... for an array.
    drop_zero_weights
        Leave out rows of weight 0 instead of refusing them.
    event
        As for ``read_labels``.

    Examples
    --------
    >>> table = make_table([[1.0, "a"], [2.0, "b"], [None, "b"]], ["no", "yes", "yes"])
    >>> table.names, table.labels.tolist(), table.classes
    (('x0', 'x1'), [-1, 1, 1], ('no', 'yes'))
    >>> table.values.tolist(), table.levels[1].names
    ([[1.0, 0.0], [2.0, 1.0], [nan, 1.0]], ('a', 'b'))
    """
    features = read_features(X, names)
    n_rows = len(features.values)
    if n_rows < 2:
        raise DataError(
            f"The table has {n_rows} sample{'' if n_rows == 1 else 's'}. "
            "Give at least 2 rows, one of each class."
        )
    outcome = name_of_target(y)
    y = read_target(y, n_rows)
    weights = read_weights(sample_weight, n_rows)
    is_zero = weights == 0
    if is_zero.any():
        if not drop_zero_weights or is_zero.all():
            raise DataError(
                f"sample_weight is zero in {rows_in_words(is_zero)}. "
                "Give every row a positive weight, or leave these rows out."
            )
        features, y, weights = features.take_rows(~is_zero), y[~is_zero], weights[~is_zero]
    require_computable(weights, "sample_weight")
    _warn_of_identifiers(features)
    labels, classes = read_labels(y, event)
    known = features.values, features.names, labels, weights, classes, features.levels
    return Table(*known, outcome)


def _warn_of_identifiers(features: Features) -> None:
    for f, name in enumerate(features.names):
        levels = features.levels[f]
        if levels is not None and is_identifier(FeatureValues(features.values[:, f], levels)):
            warn(
                f"Feature {name!r} has {len(levels.names)} levels in {len(features.values)} rows: "
                "most rows have a level of their own. Leave it out, as any fit to it is chance."
            )


def require_plain(table: Table) -> None:
    """Refuse missing values and categories, for methods that only know numbers."""
    require_numbers(Features(table.values, table.names, table.levels))
