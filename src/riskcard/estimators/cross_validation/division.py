"""Which rows are learned from and which are judged: folds, groups that stay together, sites, time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.raw_columns import is_missing, read_raw
from riskcard.errors import DataError, ParameterError
from riskcard.estimators.cross_validation.folds import (
    GivenSplits,
    LeaveOneSiteOut,
    ShuffledFolds,
)

Codes = NDArray[np.intp]
Positions = NDArray[np.intp]
Mask = NDArray[np.bool_]
#: Positions of the rows to fit and of the rows to judge.
Split = tuple[Positions, Positions]


@dataclass(frozen=True, slots=True)
class Division:
    """How rows are divided into those to learn from and those to judge.

    Attributes
    ----------
    groups
        A number per row; rows of one group, such as the visits of one patient, are never divided:
        they are held out together, and drawn together in a resample. None where rows are independent.
    sites
        A number per row; every site is held out once, and judged by a card of all others. None for
        folds.
    site_names
        What the sites are called, by their numbers.
    is_later
        Rows to judge, by a card of all others, such as those after a date; None for folds.
    """

    groups: Codes | None = None
    sites: Codes | None = None
    site_names: tuple[str, ...] = ()
    is_later: Mask | None = None

    @property
    def is_drawn(self) -> bool:
        """Folds are drawn by chance, so that drawing them again brings something new."""
        return self.sites is None and self.is_later is None

    def take(self, rows: NDArray[Any]) -> Division:
        """The division of some of the rows."""
        taken = (
            None if part is None else part[rows]
            for part in (self.groups, self.sites, self.is_later)
        )
        groups, sites, is_later = taken
        return Division(groups, sites, self.site_names, is_later)

    def one_pass(self, is_event: Mask, n_folds: int, seed: int) -> list[Split]:
        """Splits in which every row is judged at most once.

        Parameters
        ----------
        is_event
            Which rows have the event.
        n_folds
            Folds, where there are neither sites nor a time; at most as many as there are rows, or
            groups, of either class.
        seed
            Of the folds.

        Returns
        -------
        list
            Empty where one class has a single row, or is in a single group.
        """
        if self.is_later is not None:
            splits = [(np.flatnonzero(~self.is_later), np.flatnonzero(self.is_later))]
        elif self.sites is not None:
            splits = [
                (np.flatnonzero(self.sites != site), np.flatnonzero(self.sites == site))
                for site in np.unique(self.sites)
            ]
        else:
            fewest = min(self._count(is_event), self._count(~is_event))
            if fewest < 2:
                return []
            folds = ShuffledFolds(min(n_folds, fewest), 1, seed)
            splits = list(folds.split(None, is_event, self.groups))
        return [self._apart(*split) for split in splits]

    def folds_to_score(self, is_event: Mask, n_folds: int, seed: int) -> Any:
        """What ``RiskScoreClassifierCV`` takes as ``cv``, so that scores have a standard error.

        Later rows are judged by one card, but in parts. Sites that no group shares are left out one
        by one by a splitter, which a recipe can name.
        """
        if self.sites is not None and self.groups is None:
            return LeaveOneSiteOut()
        splits = self.one_pass(is_event, n_folds, seed)
        if self.is_later is None:
            return splits if self.sites is None else GivenSplits(tuple(splits), "sites")
        ((fitted, judged),) = splits
        parts = self.take(judged)._without_time().one_pass(is_event[judged], n_folds, seed)
        return GivenSplits(
            tuple((fitted, judged[part]) for _, part in parts) or tuple(splits), "later rows"
        )

    def _without_time(self) -> Division:
        return Division(self.groups)

    def _count(self, some: Mask) -> int:
        """Rows of one class, or groups that have such rows."""
        return int(some.sum()) if self.groups is None else np.unique(self.groups[some]).size

    def _apart(self, fitted: Positions, judged: Positions) -> Split:
        """The split without the rows to fit whose group is judged."""
        if self.groups is not None:
            fitted = fitted[~np.isin(self.groups[fitted], self.groups[judged])]
        return fitted, judged

    def draw(self, rng: np.random.Generator, among: Positions) -> Positions:
        """As many rows, or groups with all their rows, as there are among some rows; with replacement."""
        if self.groups is None:
            return among[rng.integers(among.size, size=among.size)]
        order = among[np.argsort(self.groups[among], kind="stable")]
        _, starts = np.unique(self.groups[order], return_index=True)
        parts = np.split(order, starts[1:])
        return np.concatenate([parts[part] for part in rng.integers(len(parts), size=len(parts))])


def read_division(
    n_rows: int, groups: Any = None, sites: Any = None, time_split: Any = None
) -> Division:
    """Check what says how rows are divided.

    Parameters
    ----------
    n_rows
        The number of rows.
    groups, sites
        One value per row, numbers or texts; None where there are none.
    time_split
        One boolean per row: whether it is judged; None where there is no such split.

    Examples
    --------
    >>> read_division(3, groups=["b", "a", "b"]).groups.tolist()
    [1, 0, 1]
    """
    if sites is not None and time_split is not None:
        raise ParameterError(
            "Rows are divided by sites or by time, not by both. Give one of the two."
        )
    codes: dict[str, Codes | None] = {"groups": None, "sites": None}
    names: tuple[str, ...] = ()
    for name, given in (("groups", groups), ("sites", sites)):
        if given is not None:
            levels, codes[name] = _codes_of(name, given, n_rows)
            names = tuple(map(str, levels)) if name == "sites" else names
    is_later = None
    if time_split is not None:
        is_later = np.asarray(time_split)
        if is_later.shape != (n_rows,) or is_later.dtype != bool:
            raise ParameterError(
                f"time_split must have one boolean for each of the {n_rows:,} rows: True where the row "
                "is judged, such as those after a date."
            )
        if is_later.all() or not is_later.any():
            where = "after" if is_later.all() else "before"
            raise DataError(
                f"All rows are {where} the time of the split. Choose another, so that there are rows "
                "on both sides."
            )
    return Division(codes["groups"], codes["sites"], names, is_later)


def _codes_of(name: str, given: Any, n_rows: int) -> tuple[NDArray[Any], Codes]:
    values = read_raw(given).as_array()
    if values.shape != (n_rows,):
        raise ParameterError(
            f"{name} has shape {values.shape}. Give one value for each of the {n_rows:,} rows."
        )
    missing = [row for row, value in enumerate(values.tolist()) if is_missing(value)]
    if missing:
        raise DataError(f"{name} is missing in row {missing[0]}. Give every row a value.")
    if values.dtype == object:  # such as texts and numbers
        values = values.astype(str)
    levels, codes = np.unique(values, return_inverse=True)
    if levels.size < 2:
        raise DataError(
            f"All rows have the same value in {name}. Give at least two different ones."
        )
    return levels, codes.astype(np.intp)
