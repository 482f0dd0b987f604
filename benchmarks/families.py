"""Synthetic tables whose truth is known: a planted card gives every row its risk or its label."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.model.feature_points import FeaturePoints
from riskcard.paper.synthetic_data import paper_data

__all__ = ["FAMILIES", "Family", "Planted"]

Floats = NDArray[np.float64]

#: Column, quantile of the cut, and log-odds that values up to the cut have more. No quantile is a
#: decile or a percentile: a method that looks at these only shall have no advantage.
TERMS = ((0, 0.273, 1.5), (0, 0.736, 1.0), (1, 0.517, -2.0), (2, 0.634, 1.5), (3, 0.185, -1.0))
COLUMNS = 10


@dataclass(frozen=True, slots=True)
class Planted:
    """Rows, labels, and the cuts behind them as (column, value)."""

    values: Floats
    y: NDArray[np.int64]
    cuts: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Family:
    """A way to make tables.

    Attributes
    ----------
    make
        From a number of rows and a seed.
    """

    name: str
    title: str
    make: Callable[[int, int], Planted]


def _paper(n_rows: int, seed: int) -> Planted:
    """The paper's rows; it has one seed, so that another one takes the rows that come later."""
    made = paper_data(n_rows * (seed + 1), 5)
    cuts = tuple(
        (column, feature.cuts[0])
        for column, feature in enumerate(made.card.features)
        if isinstance(feature, FeaturePoints)
    )
    return Planted(made.X[-n_rows:], made.y[-n_rows:], cuts)


def _planted(n_rows: int, seed: int) -> Planted:
    rng = np.random.default_rng([1, seed])
    return _label(rng.uniform(0, 100, (n_rows, COLUMNS)), rng)


def _correlated(n_rows: int, seed: int) -> Planted:
    """Each pair of columns has a correlation of 0.8."""
    rng = np.random.default_rng([2, seed])
    common = rng.standard_normal((n_rows, 1))
    own = rng.standard_normal((n_rows, COLUMNS))
    return _label(np.sqrt(0.8) * common + np.sqrt(0.2) * own, rng)


def _rare(n_rows: int, seed: int) -> Planted:
    """About one row in twenty has the event."""
    rng = np.random.default_rng([3, seed])
    return _label(rng.standard_normal((n_rows, COLUMNS)), rng, shift=-4.0)


def _ties(n_rows: int, seed: int) -> Planted:
    """Eight different values a column, such as marks from 1 to 8."""
    rng = np.random.default_rng([4, seed])
    return _label(rng.integers(1, 9, (n_rows, COLUMNS)).astype(float), rng)


def _separable(n_rows: int, seed: int) -> Planted:
    """No noise: the planted card decides."""
    rng = np.random.default_rng([5, seed])
    return _label(rng.uniform(0, 100, (n_rows, COLUMNS)), rng, is_noisy=False)


def _label(
    values: Floats, rng: np.random.Generator, shift: float = 0.0, is_noisy: bool = True
) -> Planted:
    """Labels from the planted card, whose log-odds are 0 at their middle unless shifted."""
    cuts = [float(np.quantile(values[:, column], q, method="lower")) for column, q, _ in TERMS]
    parts = zip(TERMS, cuts, strict=True)
    log_odds = sum(jump * (values[:, column] <= cut) for (column, _, jump), cut in parts)
    log_odds = np.asarray(log_odds) - np.median(log_odds) + shift
    y = rng.random(len(values)) < 1 / (1 + np.exp(-log_odds)) if is_noisy else log_odds > 0
    planted = tuple((column, cut) for (column, _, _), cut in zip(TERMS, cuts, strict=True))
    return Planted(values, y.astype(np.int64), planted)


#: Every family by its name.
FAMILIES = {
    family.name: family
    for family in (
        Family("paper", "the paper's", _paper),
        Family("planted", "planted cuts, noise", _planted),
        Family("correlated", "correlated features", _correlated),
        Family("rare", "rare outcome", _rare),
        Family("ties", "heavy ties", _ties),
        Family("separable", "separable", _separable),
    )
}
