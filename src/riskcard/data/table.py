"""The checked input: features, two-valued labels, positive weights."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.columns import FeatureValues
from riskcard.data.features import Features, read_features, require_numbers
from riskcard.data.first_look.identifiers import LeftOut, find_identifiers
from riskcard.data.frames import column_names
from riskcard.data.levels import Levels
from riskcard.data.raw_columns import rows_in_words
from riskcard.data.target import (
    name_of_target,
    read_labels,
    read_target,
    read_weights,
    require_computable,
)
from riskcard.errors import DataError, ParameterError, warn


@dataclass(frozen=True, slots=True)
class MergedRows:
    """What is known of the rows of a larger table, where each row of a ``Table`` stands for many.

    Attributes
    ----------
    counts
        How many rows each row stands for.
    cuts
        For each feature the cuts between which its numbers were merged, ascending: no other cut is a
        candidate. None where every number was kept.
    all_conditions
        How many conditions the candidates were preselected from, before rows were merged; None where they
        were not.
    """

    counts: NDArray[np.int64]
    cuts: tuple[NDArray[np.float64] | None, ...]
    all_conditions: int | None = None


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
    left_out
        Columns of the user's table that are not features, and why.
    columns
        The names of all columns of the user's table, in order; by default those of the features.
    merged
        What each row stands for, where it stands for many, with their summed weight; None where each
        stands for itself.
    """

    values: NDArray[np.float64]
    names: tuple[str, ...]
    labels: NDArray[np.int8]
    weights: NDArray[np.float64]
    classes: tuple[Any, Any]
    levels: tuple[Levels | None, ...] = ()
    outcome: str | None = None
    left_out: tuple[LeftOut, ...] = ()
    columns: tuple[str, ...] = ()
    merged: MergedRows | None = None

    def __post_init__(self) -> None:
        if not self.levels:
            object.__setattr__(self, "levels", (None,) * len(self.names))
        if not self.columns:
            object.__setattr__(self, "columns", self.names)

    @property
    def features(self) -> dict[str, FeatureValues]:
        """The features by name."""
        return {
            name: FeatureValues(self.values[:, f], self.levels[f])
            for f, name in enumerate(self.names)
        }

    @property
    def n_rows(self) -> int:
        """How many rows there are, or how many these stand for."""
        return self.labels.size if self.merged is None else int(self.merged.counts.sum())

    @property
    def row_weights(self) -> NDArray[np.float64]:
        """The weight of each row, or the mean weight of those that it stands for."""
        return self.weights if self.merged is None else self.weights / self.merged.counts

    def count(self, chosen: NDArray[np.bool_]) -> int:
        """How many rows are among the chosen."""
        if self.merged is None:
            return int(np.count_nonzero(chosen))
        return int(self.merged.counts[chosen].sum())

    def count_by(
        self, places: NDArray[Any], chosen: Any = ..., least: int = 0
    ) -> NDArray[np.int64]:
        """How many of the chosen rows are at each place, of at least ``least`` places."""
        if self.merged is None:
            return np.bincount(places, minlength=least)
        # as floats, sums of whole numbers below 2**53 are exact
        return np.bincount(places, self.merged.counts[chosen], least).astype(np.int64)

    @property
    def weight_unit(self) -> float:
        """The unit in which solvers count: the order of magnitude of the weight of an average row.

        It is a power of 1,024, which changes no digit of a weight. So weights that count how often
        a row occurs, whose unit is 1, give the same card as repeated rows.
        """
        return math.ldexp(1.0, 10 * round(math.log2(self.mean_weight) / 10))

    @property
    def mean_weight(self) -> float:
        """The weight of an average row."""
        if self.merged is None:
            return float(self.weights.mean())
        return float(self.weights.sum()) / self.n_rows

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
    identifiers: Any = None,
    kept: Collection[str] = (),
    is_event: NDArray[np.bool_] | None = None,
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
    identifiers
        Names of columns to leave out; "auto" for those that look like identifiers, with a warning.
    kept
        Columns that are not identifiers, whatever they look like.
    is_event
        Which rows have an event, where that is known in another way than by two labels; then ``y`` is
        the name of the outcome, or None.

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
    outcome = name_of_target(y) if is_event is None else y
    y = read_target(y if is_event is None else is_event, n_rows)
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
    if is_event is None:
        labels, classes = read_labels(y, event)
    else:
        labels, classes = np.where(y, np.int8(1), np.int8(-1)), (False, True)
    known = features.values, features.names, labels, weights, classes, features.levels
    table = Table(*known, outcome)
    if identifiers is None:
        return table
    names_in = column_names(X)
    are_named = names is not None or (
        names_in is not None and all(isinstance(name, str) for name in names_in)
    )
    return _leave_out(table, _identifiers_of(table, identifiers, kept, are_named))


def _identifiers_of(
    table: Table, identifiers: Any, kept: Collection[str], are_named: bool
) -> tuple[LeftOut, ...]:
    """The columns to leave out, with a warning where nobody has named them."""
    if isinstance(identifiers, str) and identifiers != "auto":
        raise ParameterError(
            f"identifiers is {identifiers!r}. Use a list of names, 'auto', or None for none."
        )
    if not isinstance(identifiers, str):
        return tuple(LeftOut(name, "it was named as an identifier") for name in identifiers)
    features = {name: one for name, one in table.features.items() if name not in kept}
    found = find_identifiers(features, are_named)
    if len(found) == len(table.names):
        found = tuple(one for one in found if one.is_sure)
    if not found:
        return ()
    shown = "; ".join(f"{one.name!r}, since {one.reason}" for one in found)
    if len(found) == len(table.names):
        warn(
            f"Every feature looks like an identifier ({shown}), so any fit to it is chance. Give other "
            "features; identifiers=None says that they are no identifiers."
        )
        return ()
    warn(
        f"Left out as identifier{'s' if len(found) > 1 else ''}: {shown}. Any fit to such a column is "
        "chance. Leave it out yourself, or give the names of all identifiers with "
        "identifiers=[...], None for none."
    )
    return found


def _leave_out(table: Table, left_out: tuple[LeftOut, ...]) -> Table:
    """The table without some of its columns, which it still knows by name."""
    names = {one.name for one in left_out}
    unknown = sorted(names - set(table.names))
    if unknown:
        raise ParameterError(
            f"identifiers names {unknown[0]!r}, which is not a column of the table. Remove it."
        )
    if not names:
        return table
    kept = [f for f, name in enumerate(table.names) if name not in names]
    if not kept:
        raise ParameterError("identifiers names every column. Leave at least one to learn from.")
    return replace(
        table,
        values=table.values[:, kept],
        names=tuple(table.names[f] for f in kept),
        levels=tuple(table.levels[f] for f in kept),
        left_out=left_out,
        columns=table.names,
    )


def require_plain(table: Table) -> None:
    """Refuse missing values and categories, for methods that take only numbers."""
    require_numbers(Features(table.values, table.names, table.levels))
