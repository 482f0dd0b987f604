"""Splits of rows that a recipe can describe: shuffled folds, sites, later rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import LeaveOneGroupOut, StratifiedGroupKFold, StratifiedKFold


@dataclass(frozen=True, slots=True)
class ShuffledFolds:
    """A splitter: shuffled folds with about the same share of events each, drawn again for every repeat.

    Attributes
    ----------
    n_folds, n_repeats
        How many folds the rows are divided into, and how often.
    random_state
        The seed of the first division; every repeat has the next one.
    """

    n_folds: int
    n_repeats: int = 1
    random_state: int = 0

    def split(
        self, X: Any, y: Any, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """The rows to fit and the held-out rows of every fold; groups are never divided."""
        kind = StratifiedKFold if groups is None else StratifiedGroupKFold
        rows = np.zeros((len(y), 1))
        for repeat in range(self.n_repeats):
            folds = kind(self.n_folds, shuffle=True, random_state=self.random_state + repeat)
            yield from folds.split(rows, y, groups)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of folds, those of all repeats together."""
        return self.n_folds * self.n_repeats


class LeaveOneSiteOut(LeaveOneGroupOut):  # type: ignore[misc]
    """A splitter: every site is held out once; the sites are given as groups."""


@dataclass(frozen=True)
class GivenSplits:
    """A splitter whose parts were worked out before, and what they are.

    Attributes
    ----------
    splits
        Pairs of positions: rows to fit, rows to judge.
    what
        "sites", or "later rows", which are judged by cards of the earlier ones, in parts.
    """

    splits: tuple[tuple[Any, Any], ...]
    what: str

    def split(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[tuple[Any, Any]]:
        """The pairs, whatever the rows."""
        return iter(self.splits)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Their number."""
        return len(self.splits)


def what_is_held_out(cv: Any) -> str:
    """What is held out in turn: "folds", "groups", "sites" or "later rows"."""
    if isinstance(cv, GivenSplits):
        return cv.what
    if isinstance(cv, LeaveOneGroupOut):
        return "sites" if isinstance(cv, LeaveOneSiteOut) else "groups"
    return "folds"
