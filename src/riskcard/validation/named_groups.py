"""The values of a column as named groups of rows: levels, single numbers, or ranges between round cuts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.columns import FeatureValues, read_column
from riskcard.data.levels import Levels
from riskcard.errors import DataError, ParameterError
from riskcard.formatting.numbers import format_number
from riskcard.formatting.speech import in_figures, say
from riskcard.model.lines import show_level

#: Numbers with at most this many different values are groups of their own.
_MOST_VALUES = 6
#: A column has at most this many groups; the levels with the fewest rows are put together.
_MOST_GROUPS = 12
_MOST_SITES = 60
#: Where numbers are divided: a round cut between each of these pairs of quantiles, so that there are about
#: three parts of equal size.
_QUANTILES = ((0.25, 0.42), (0.58, 0.75))


@dataclass(frozen=True, slots=True)
class NamedGroups:
    """The groups that a column divides rows into.

    Attributes
    ----------
    column
        Its name.
    names
        What each group is called.
    places
        The index of each row's group.
    """

    column: str
    names: tuple[str, ...]
    places: NDArray[np.intp]

    def take(self, rows: NDArray[Any]) -> NamedGroups:
        """The same for some of the rows, without groups that have none."""
        kept, places = np.unique(self.places[rows], return_inverse=True)
        return NamedGroups(self.column, tuple(self.names[i] for i in kept), places.astype(np.intp))


def sites_of(name: str, column: Any) -> NamedGroups:
    """A group for each value of a column, numbers or not; up to sixty."""
    values, levels = _read(name, column)
    if levels is None:
        different = np.unique(values[~np.isnan(values)])
        levels = Levels(tuple(different.tolist()))
        places = np.searchsorted(different, values).astype(np.float64)
        values = np.where(np.isnan(values), np.nan, places)
    return groups_of(name, FeatureValues(values, levels), most=_MOST_SITES)


def groups_of(
    name: str, column: Any, cuts: Sequence[float] | None = None, most: int = _MOST_GROUPS
) -> NamedGroups:
    """Divide rows by a column.

    Parameters
    ----------
    name
        What the column is called.
    column
        One value per row: numbers, texts, booleans or categories, any of them missing.
    cuts
        Where numbers are divided; a number at the cut is below it. By default there are about three
        parts of equal size, and no cuts where there are at most six different numbers.
    most
        The most groups of levels.

    Examples
    --------
    >>> found = groups_of("age", [31, 64, None, 50], cuts=[50])
    >>> found.names, found.places.tolist()
    (('≤ 50', '> 50', 'missing'), [0, 1, 2, 0])
    """
    values, levels = _read(name, column)
    is_missing = np.isnan(values)
    if levels is not None:
        if cuts is not None:
            raise ParameterError(f"{name!r} is not a column of numbers, so it cannot have cuts.")
        names = [show_level(level) for level in levels.names]
        places = np.where(is_missing, 0, values).astype(np.intp)
        names, places = _largest(names, places, ~is_missing, most)
    else:
        names, places = _divide(name, values, is_missing, cuts)
    if is_missing.any():
        names = [*names, say("stored_missing")]
        places = np.where(is_missing, len(names) - 1, places)
    return NamedGroups(name, tuple(names), places).take(np.ones(values.size, dtype=bool))


def _read(name: str, column: Any) -> FeatureValues:
    try:
        return read_column(column, name)
    except DataError:  # such as texts among numbers: each text is a group
        return read_column([None if one is None else str(one) for one in column], name)


def _divide(
    name: str, values: NDArray[np.float64], is_missing: NDArray[np.bool_], cuts: Any
) -> tuple[list[str], NDArray[np.intp]]:
    """Numbers as single values, or as ranges."""
    known = values[~is_missing]
    different = np.unique(known)
    if cuts is None and different.size <= _MOST_VALUES:
        places = np.searchsorted(different, values)
        return [_number(one) for one in different], np.minimum(places, different.size - 1)
    ends = _cuts_of(known) if cuts is None else _checked(name, cuts)
    return _range_names(ends), np.searchsorted(ends, values, side="left").astype(np.intp)


def _range_names(ends: Sequence[float]) -> list[str]:
    if not ends:
        return [say("forest_all_rows")]
    inner = [
        say("validation_between", low=_number(low), high=_number(high))
        for low, high in pairwise(ends)
    ]
    return [f"≤ {_number(ends[0])}", *inner, f"> {_number(ends[-1])}"]


def _number(value: float) -> str:
    return in_figures(format_number(value))


def _cuts_of(known: NDArray[np.float64]) -> list[float]:
    """Round cuts that leave about a third of the rows on either side of them."""
    found = []
    for low, high in _QUANTILES:
        below, above = np.quantile(known, [low, high], method="inverted_cdf")
        found.append(_round_cut(float(below), float(above)))
    return [cut for cut in sorted(set(found)) if cut < known.max()]


def _round_cut(below: float, above: float) -> float:
    """The roundest number between two, a multiple of 5, 2 or 1 times a power of ten; near the middle."""
    middle = (below + above) / 2
    if not below < above:
        return below
    for power in range(math.floor(math.log10(above - below)) + 1, -20, -1):
        for times in (5, 2, 1):
            cut = float(f"{round(middle / (times * 10.0**power)) * times}e{power}")
            if below <= cut < above:
                return cut
    return below


def _checked(name: str, cuts: Sequence[float]) -> list[float]:
    ends = [float(cut) for cut in cuts]
    if not ends or not np.isfinite(ends).all() or sorted(set(ends)) != ends:
        raise ParameterError(f"The cuts of {name!r} are {cuts}. Give ascending numbers.")
    return ends


def _largest(
    names: list[str], places: NDArray[np.intp], is_known: NDArray[np.bool_], most: int
) -> tuple[list[str], NDArray[np.intp]]:
    """The groups with most rows, and all others as one."""
    if len(names) <= most:
        return names, places
    counts = np.bincount(places[is_known], minlength=len(names))
    kept = np.sort(np.argsort(-counts, kind="stable")[: most - 1])
    new_place = np.full(len(names), most - 1)
    new_place[kept] = np.arange(most - 1)
    others = say("validation_group_others", number=str(len(names) - kept.size))
    return [*(names[place] for place in kept), others], new_place[places]
