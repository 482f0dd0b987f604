"""Where the paper's b lives: one place for each row and feature, or one for each distinct value."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.paper.formulations.instance import Instance
from riskcard.paper.formulations.mip_model import Floats, Indices
from riskcard.problem.merge_rows import merge_equal_rows


@dataclass(frozen=True, slots=True)
class Places:
    """Places are numbered; each belongs to a feature and represents one of its values.

    Attributes
    ----------
    feature, value, code
        Of each place; the code is the rank of the value among the distinct ones of the feature.
    margin
        Half the way to the next smaller value: a threshold that leaves the place above it stays at
        least this far below the value. For the smallest value, half the way to the next larger one.
    of_row
        Place of each row and feature.
    labels, weights
        Of the rows.
    shape
        In which the places are laid out: rows by features, or one after the other.
    """

    feature: Indices
    value: Floats
    code: Indices
    margin: Floats
    of_row: Indices
    labels: NDArray[np.int8]
    weights: Floats
    shape: tuple[int, ...]

    @property
    def steps(self) -> tuple[Indices, Indices]:
        """Pairs of neighbouring places of one feature: those with the smaller value, the larger."""
        order = np.lexsort((self.code, self.feature))
        is_same = self.feature[order[1:]] == self.feature[order[:-1]]
        return order[:-1][is_same], order[1:][is_same]

    @property
    def is_first(self) -> NDArray[np.bool_]:
        """Whether the place has the smallest value of its feature, which no threshold is below."""
        first: NDArray[np.bool_] = self.code == 0
        return first

    def is_last(self, instance: Instance) -> NDArray[np.bool_]:
        """Whether the place has the largest value of its feature."""
        last: NDArray[np.bool_] = self.code == instance.problem.data.n_cuts[self.feature]
        return last


def places_by_row(instance: Instance) -> Places:
    """One place for each row and feature, as in the paper; place ``i * p + j``."""
    codes = instance.problem.data.codes.T.astype(np.int64)
    n_rows, n_features = codes.shape
    feature = np.tile(np.arange(n_features), n_rows)
    margins = [_margins(distinct_values(instance, j)) for j in range(n_features)]
    return Places(
        feature=feature,
        value=instance.x.ravel(),
        code=codes.ravel(),
        margin=np.stack([margins[j][codes[:, j]] for j in range(n_features)], axis=1).ravel(),
        of_row=np.arange(n_rows * n_features).reshape(n_rows, n_features),
        labels=instance.y,
        weights=instance.table.weights,
        shape=(n_rows, n_features),
    )


def places_by_value(instance: Instance) -> Places:
    """One place for each distinct value of each feature; rows equal in all of them are merged.

    Equal values are on the same side of every threshold, so that one b is enough for them; rows with
    the same codes and label have the same margin, so that one row of their total weight is enough.
    """
    data = merge_equal_rows(instance.problem.data, most_rows=None)
    values = [distinct_values(instance, j) for j in range(data.n_features)]
    sizes = np.array([v.size for v in values])
    starts = np.cumsum(sizes) - sizes
    return Places(
        feature=np.repeat(np.arange(data.n_features), sizes),
        value=np.concatenate(values),
        code=np.concatenate([np.arange(size) for size in sizes]),
        margin=np.concatenate([_margins(v) for v in values]),
        of_row=(data.codes.T + starts).astype(np.int64),
        labels=data.labels,
        weights=data.weights,
        shape=(int(sizes.sum()),),
    )


def distinct_values(instance: Instance, feature: int) -> Floats:
    """The different values of a feature, ascending."""
    return np.unique(instance.x[:, feature])


def _margins(distinct: Floats) -> Floats:
    if distinct.size == 1:
        return np.ones(1)
    gaps = np.diff(distinct) / 2
    return np.concatenate([gaps[:1], gaps])
