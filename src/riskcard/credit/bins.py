"""Bins of a column: those that fit the events best, or quantiles.

The bins have the form of a feature of a card without points, so that values are looked up and lines are
worded as on a card.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from riskcard.checks import finite_number, whole_number
from riskcard.data.columns import FeatureValues
from riskcard.data.levels import Label, Levels
from riskcard.errors import ParameterError
from riskcard.evaluation.measures import Floats
from riskcard.evaluation.outcomes import effective_rows
from riskcard.model.feature_points import CardFeature, FeaturePoints, LevelPoints
from riskcard.model.value_range import ValueRange

#: Quantile bins from which supervised ones are joined.
_FINE_BINS = 20
#: How bins can be made.
METHODS = ("supervised", "quantile")


@dataclass(frozen=True, slots=True)
class Binning:
    """How bins are made.

    Attributes
    ----------
    method
        "supervised": of all divisions of twenty fine quantile bins (of the levels of a category in the
        order of their event rates), the one with the lowest log-loss, where each further bin has to
        pay for itself by the Bayesian information criterion. "quantile": equal shares of the rows
        whatever happened in them, and a line for each level.
    max_bins
        The most bins of a number, and of a category where they are supervised.
    min_share
        The smallest share of the rows in a bin; missing values have a bin of their own.
    """

    method: str = "supervised"
    max_bins: int = 5
    min_share: float = 0.05

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ParameterError(
                f"method is {self.method!r}. Use {' or '.join(map(repr, METHODS))}."
            )
        whole_number("max_bins", self.max_bins, least=2)
        if not 0 <= finite_number("min_share", self.min_share) <= 0.5:
            raise ParameterError(f"min_share is {self.min_share:g}. Use a share from 0 to 0.5.")


def bins_of(
    name: str,
    column: FeatureValues,
    is_event: NDArray[np.bool_],
    weights: Floats,
    binning: Binning,
) -> CardFeature:
    """Divide a column into bins.

    Parameters
    ----------
    name
        The column.
    column
        Its values, and its levels where it is a category.
    is_event, weights
        Of each row.
    binning
        How.

    Examples
    --------
    >>> values = np.arange(200.0)
    >>> found = bins_of("age", FeatureValues(values, None), values > 119, np.ones(200), Binning())
    >>> found.cuts
    (119.0,)
    """
    known = ~np.isnan(column.values)
    missing = None if known.all() else 0
    values = column.values[known]
    unit = effective_rows(weights) / weights.sum()  # of weights, such that they say as much as rows
    own, events = unit * weights[known], is_event[known]
    least = binning.min_share * unit * weights.sum()
    if column.levels is not None:
        groups = _groups(values, column.levels, (events, own), least, binning)
        return LevelPoints(
            name, groups or (column.levels.names[:1],), (0,) * max(len(groups), 1), missing
        )
    cuts = _cuts(values, (events, own), least, binning) if values.size else ()
    seen = ValueRange.of(values)
    return FeaturePoints(name, cuts, (0,) * (len(cuts) + 1), missing, training_range=seen)


# --- numbers ------------------------------------------------------------------------------------


def _cuts(
    values: Floats, rows: tuple[NDArray[np.bool_], Floats], least: float, binning: Binning
) -> tuple[float, ...]:
    """The cuts; a bin goes up to its cut, which is a value of some row."""
    events, weights = rows
    is_supervised = binning.method == "supervised"
    ends = _quantiles(values, weights, _FINE_BINS if is_supervised else binning.max_bins)
    places = np.searchsorted(ends[:-1], values, side="left")
    sums = _sums(places, events, weights, ends.size)
    if is_supervised:
        last = best_division(sums, least, binning.max_bins)
    else:
        last = _large_enough(sums, least)
    return tuple(float(ends[place]) for place in last[:-1])


def _quantiles(values: Floats, weights: Floats, number: int) -> Floats:
    """The last values of bins with about equal shares of the weight; few values are bins each."""
    distinct, place = np.unique(values, return_inverse=True)
    if distinct.size <= number:
        return distinct
    shares = np.cumsum(np.bincount(place, weights)) / weights.sum()
    inner = np.searchsorted(shares, np.arange(1, number) / number - 1e-12)
    found: Floats = distinct[np.unique([*inner, distinct.size - 1])]
    return found


def _large_enough(sums: Floats, least: float) -> list[int]:
    """The last bin of each part, where neighbours are joined until all have enough weight."""
    ends, weight = [], 0.0
    for place, own in enumerate(sums.sum(axis=0)):
        weight += own
        if weight >= least:
            ends.append(place)
            weight = 0.0
    return [*ends[:-1], sums.shape[1] - 1] if ends else [sums.shape[1] - 1]


# --- categories ---------------------------------------------------------------------------------


def _groups(
    values: Floats,
    levels: Levels,
    rows: tuple[NDArray[np.bool_], Floats],
    least: float,
    binning: Binning,
) -> tuple[tuple[Label, ...], ...]:
    """The levels that occur, in groups."""
    sums = _sums(values.astype(int), *rows, len(levels.names))
    occurring = np.flatnonzero(sums.sum(axis=0) > 0)
    if binning.method == "supervised":
        order = occurring
        if not levels.is_ordered:
            rates = sums[0, occurring] / sums[:, occurring].sum(axis=0)
            order = occurring[np.argsort(rates, kind="stable")]
        last = best_division(sums[:, order], least, binning.max_bins)
        begins = [0, *(end + 1 for end in last[:-1])]
        parts = [order[a : b + 1] for a, b in zip(begins, last, strict=True)] if order.size else []
    else:
        is_rare = sums[:, occurring].sum(axis=0) < least
        parts = [np.array([one]) for one in occurring[~is_rare]]
        parts += [occurring[is_rare]] if is_rare.any() else []
    return tuple(tuple(levels.names[one] for one in sorted(part)) for part in parts)


# --- the best division --------------------------------------------------------------------------


def best_division(sums: Floats, least: float, max_bins: int) -> list[int]:
    """Join neighbouring atoms into the bins with the lowest log-loss and charge per bin.

    Each bin after the first is charged half the logarithm of the weight of all rows, which is the
    Bayesian information criterion.

    Parameters
    ----------
    sums
        Weights of the rows with (first row) and without the event in each atom.
    least
        The smallest weight of a bin.
    max_bins
        The most bins.

    Returns
    -------
    list of int
        The last atom of each bin; one bin where no division is allowed or worth its charge.
    """
    n_atoms = sums.shape[1]
    if n_atoms == 0:
        return []
    before = np.concatenate([np.zeros((2, 1)), np.cumsum(sums, axis=1)], axis=1)
    # of a bin from atom i up to before atom j
    events, others = (side[np.newaxis, :] - side[:, np.newaxis] for side in before)
    total = events + others
    with np.errstate(invalid="ignore", divide="ignore"):
        losses = xlogy(total, total) - xlogy(events, events) - xlogy(others, others)
    slack = 1e-9 * before.sum(axis=0)[-1]
    is_bin = (np.arange(n_atoms + 1)[np.newaxis, :] > np.arange(n_atoms + 1)[:, np.newaxis]) & (
        total >= least - slack
    )
    losses = np.where(is_bin, losses, np.inf)
    charge = 0.5 * math.log(max(float(sums.sum()), 2.0))
    best, origins = losses[0], []  # up to before each atom, with one bin
    found, lowest = [n_atoms - 1], float(losses[0, -1])
    for n_bins in range(2, max_bins + 1):
        ways = best[:, np.newaxis] + losses
        origins.append(np.argmin(ways, axis=0))
        best = ways.min(axis=0)
        if best[-1] + charge * (n_bins - 1) < lowest - slack:
            lowest = float(best[-1] + charge * (n_bins - 1))
            found = _way_back(origins, n_atoms)
    return found


def _way_back(origins: list[NDArray[np.intp]], n_atoms: int) -> list[int]:
    """The last atoms of the bins that led to the best division."""
    ends, end = [n_atoms], n_atoms
    for origin in reversed(origins):
        end = int(origin[end])
        ends.append(end)
    return [end - 1 for end in reversed(ends)]


def _sums(
    places: NDArray[np.intp], is_event: NDArray[np.bool_], weights: Floats, number: int
) -> Floats:
    """Weights of the rows with and without the event at each place."""
    return np.array([np.bincount(places, weights * kind, number) for kind in (is_event, ~is_event)])
