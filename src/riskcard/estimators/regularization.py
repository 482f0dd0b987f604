"""What keeps a card from following chance: fewer cuts, pseudo-observations, a shortlist of conditions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from riskcard.encoding.decode_solution import Layout
from riskcard.encoding.encode_card import terms_of_card
from riskcard.encoding.pseudo_rows import FIRST, MOST_ROWS, explained_share, fitting_pseudo_rows
from riskcard.errors import ParameterError
from riskcard.model.card import RiskCard
from riskcard.parameters import check_parameters
from riskcard.problem.objective import log_odds_of
from riskcard.problem.problem import Problem
from riskcard.search.options import Options
from riskcard.search.shortlist import close_all_but, fitting_shortlist, shortlist
from riskcard.search.solve import solve

#: Candidate cuts of the grid "auto": one per this many rows, within these limits.
ROWS_PER_CUT, FEWEST_CUTS, MOST_CUTS = 80, 9, 99


@dataclass(frozen=True, slots=True)
class Regularization:
    """What keeps a card from following chance in few rows.

    A regularised card fits its training rows less well, and usually predicts better on new data.

    Attributes
    ----------
    grid
        Candidate cuts per feature, at quantiles of the rows. A bound holds for the cards of the
        grid only. "auto" means one cut per 80 rows, from 9 to 99; None means every gap between
        neighbouring values.
    pseudo_rows
        Pseudo-observations with the event rate of the table, spread over its rows, which shrink
        risks towards the average. A number below 1 is a share of the rows. Each weighs as much as
        an average row. Loss and bound count them. "auto" means more as a first card explains less
        of the variance e of the labels (4 * max_terms * (1 - e) / e), at most half of the rows, and
        none above 10,000 rows; None means none.
    shortlist
        Preselect this many conditions with a lasso; those of features that must be used and of a
        card to start from stay. A bound holds for the cards of the shortlist only. "auto" means
        max_terms + 2 and more as rows and explained variance grow, and all above 10,000 rows;
        None means all conditions.

    Examples
    --------
    >>> Regularization(grid=9, pseudo_rows=20)
    Regularization(grid=9, pseudo_rows=20, shortlist='auto')
    >>> Regularization.of(None)
    Regularization(grid=None, pseudo_rows=None, shortlist=None)
    """

    grid: int | str | None = "auto"
    pseudo_rows: float | str | None = "auto"
    shortlist: int | str | None = "auto"

    def __post_init__(self) -> None:
        for name, value in check_parameters(self, "regularization").items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, value: Any) -> Regularization:
        """Read the parameter ``regularization``: None, "auto" or a ``Regularization``."""
        if value is None:
            return cls(None, None, None)
        if isinstance(value, str) and value == "auto":
            return cls()
        if not isinstance(value, cls):
            raise ParameterError(
                f"regularization is {value!r}. Use a Regularization, 'auto', or None for none."
            )
        return value

    def cuts_for(self, n_rows: int) -> int | None:
        """The number of candidate cuts per feature; None for all."""
        if self.grid == "auto":
            return min(max(n_rows // ROWS_PER_CUT, FEWEST_CUTS), MOST_CUTS)
        return None if self.grid is None else int(self.grid)

    def apply(
        self,
        layout: Layout,
        pose: Callable[[Layout], Problem],
        max_terms: int,
        options: Options,
        start: RiskCard | None = None,
    ) -> Layout:
        """The layout with pseudo-observations and closed conditions.

        Parameters
        ----------
        layout
            The table as the solver sees it.
        pose
            From a layout to the problem.
        max_terms
            The size of the card.
        options
            How the first card is searched for, from which "auto" is worked out.
        start
            A card whose conditions stay on the shortlist.
        """
        is_automatic = "auto" in (self.pseudo_rows, self.shortlist)
        explained = _explained(layout, pose, options) if is_automatic else None
        length = self._length_of_shortlist(explained, max_terms, layout.table.labels.size)
        number = self._count_pseudo_rows(explained, max_terms, layout.table.labels.size)
        if length is not None:
            layout = _shorten(layout, pose(layout), length, start)
        return replace(layout, pseudo_rows=number)

    def _count_pseudo_rows(self, explained: float | None, max_terms: int, n_rows: int) -> float:
        if self.pseudo_rows == "auto":
            return 0.0 if explained is None else fitting_pseudo_rows(explained, max_terms, n_rows)
        number = float(self.pseudo_rows or 0.0)
        return number * n_rows if number < 1 else number

    def _length_of_shortlist(
        self, explained: float | None, max_terms: int, n_rows: int
    ) -> int | None:
        """How many conditions the card may choose from; None for all."""
        if self.shortlist == "auto":
            return None if explained is None else fitting_shortlist(explained, max_terms, n_rows)
        return None if self.shortlist is None else int(self.shortlist)


def _explained(layout: Layout, pose: Callable[[Layout], Problem], options: Options) -> float | None:
    """The variance that a first card explains; None in a table that needs no regularization."""
    table = layout.table
    if table.labels.size > MOST_ROWS:
        return None
    problem = pose(replace(layout, pseudo_rows=FIRST))
    solution = solve(problem, options).solution
    log_odds = log_odds_of(solution, layout.data.codes)
    return explained_share(log_odds, table.labels, table.weights)


def _shorten(layout: Layout, problem: Problem, length: int, start: RiskCard | None) -> Layout:
    """The layout with a shortlist of this length; unchanged where there are no more conditions."""
    chosen = shortlist(problem, length)
    if start is not None:
        chosen += [(column, cut) for column, cut, _ in terms_of_card(start, layout)]
    closed = close_all_but(problem, chosen)
    if not any(part.any() for part in closed):
        return layout
    return replace(layout, closed=tuple(closed))
