"""What keeps a card from following its rows too closely: prior rows, and a shortlist of conditions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.encoding.decode_solution import Layout
from riskcard.encoding.encode_card import terms_of_card
from riskcard.encoding.pseudo_rows import (
    FIRST,
    MOST_ROWS,
    count_prior_rows,
    explained_share,
    fitting_prior_rows,
)
from riskcard.errors import ParameterError
from riskcard.estimators.base import is_whole
from riskcard.model.card import RiskCard
from riskcard.problem.objective import log_odds_of
from riskcard.problem.problem import Problem
from riskcard.search.options import Options
from riskcard.search.shortlist import close_all_but, fitting_shortlist, shortlist
from riskcard.search.solve import solve


@dataclass(frozen=True, slots=True)
class Restraint:
    """How much a card is held back, as the user gave it.

    Attributes
    ----------
    prior_rows, shortlist, max_terms, start
        The parameters of the classifier.
    options
        How the card is searched for that "auto" looks at.
    """

    prior_rows: Any
    shortlist: Any
    max_terms: int
    start: RiskCard | None
    options: Options

    def apply(self, layout: Layout, pose: Callable[[Layout], Problem]) -> Layout:
        """The layout with prior rows and closed conditions.

        Parameters
        ----------
        layout
            The table as the solver sees it.
        pose
            What the solver is to do with a layout.
        """
        explained = self._explained(layout, pose) if self._needs_first_card else None
        prior_rows = self._count_prior_rows(explained, layout.table.weights)
        length = self._length_of_shortlist(explained, layout.table.labels.size)
        if length is not None:
            layout = self._shorten(layout, pose(layout), length)
        return replace(layout, prior_rows=prior_rows)

    @property
    def _needs_first_card(self) -> bool:
        return _is_auto(self.prior_rows) or _is_auto(self.shortlist)

    def _explained(self, layout: Layout, pose: Callable[[Layout], Problem]) -> float | None:
        """What a first card explains; None in a table that is long enough without."""
        table = layout.table
        if table.labels.size > MOST_ROWS:
            return None
        problem = pose(replace(layout, prior_rows=FIRST))
        solution = solve(problem, self.options).solution
        log_odds = log_odds_of(solution, layout.data.codes)
        return explained_share(log_odds, table.labels, table.weights)

    def _count_prior_rows(self, explained: float | None, weights: NDArray[np.float64]) -> float:
        if not _is_auto(self.prior_rows):
            return count_prior_rows(self.prior_rows, weights)
        if explained is None:
            return 0.0
        return fitting_prior_rows(explained, self.max_terms, float(weights.sum()))

    def _length_of_shortlist(self, explained: float | None, n_rows: int) -> int | None:
        """How many conditions the card may choose from; None for all."""
        if _is_auto(self.shortlist):
            return (
                None if explained is None else fitting_shortlist(explained, self.max_terms, n_rows)
            )
        if self.shortlist is None:
            return None
        if not is_whole(self.shortlist) or self.shortlist < 1:
            raise ParameterError(
                f"shortlist is {self.shortlist!r}. Use the number of conditions to choose from, at least "
                "1, 'auto', or None for all."
            )
        return int(self.shortlist)

    def _shorten(self, layout: Layout, problem: Problem, length: int) -> Layout:
        """The layout with a shortlist of so many conditions; as it is when there are no more."""
        chosen = shortlist(problem, length)
        if self.start is not None:
            chosen += [(column, cut) for column, cut, _ in terms_of_card(self.start, layout)]
        closed = close_all_but(problem, chosen)
        if not any(part.any() for part in closed):
            return layout
        cut_grid = replace(layout.cut_grid, is_full=False)
        return replace(layout, closed=tuple(closed), cut_grid=cut_grid)


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"
