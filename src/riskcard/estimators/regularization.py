"""What keeps a card from following chance: fewer cuts, pseudo-observations, a shortlist of conditions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from riskcard.data.table import Table
from riskcard.encoding.decode_solution import Layout
from riskcard.encoding.encode_card import terms_of_card
from riskcard.encoding.pseudo_rows import (
    PseudoRows,
    fitting_average_rows,
    fitting_smooth_rows,
)
from riskcard.encoding.rare_values import line_rows_for
from riskcard.errors import ParameterError
from riskcard.model.card import RiskCard
from riskcard.parameters import check_parameters
from riskcard.problem.numbers import NumberRows
from riskcard.problem.other_losses import OtherLoss
from riskcard.problem.problem import Problem
from riskcard.problem.rates import RateRows
from riskcard.search.shortlist import close_all_but, fitting_shortlist, shortlist
from riskcard.smoothing.smooth_risks import (
    SmoothRisks,
    choose_rows,
    smooth_numbers,
    smooth_rates,
    smooth_risks,
)

#: Candidate cuts of the grid "auto": one per this many rows, within these limits.
ROWS_PER_CUT, FEWEST_CUTS, MOST_CUTS = 80, 9, 99


@dataclass(frozen=True, slots=True, kw_only=True)
class Regularization:
    """What keeps a card from following chance in few rows.

    A regularised card fits its training rows less well, and usually predicts better on new data.

    Attributes
    ----------
    grid
        Candidate cuts per feature, at quantiles of the rows, in which both outcomes count the same.
        A bound holds for the cards of the grid only. "auto" means one cut per 80 rows that the table
        is worth, from 9 to 99; None means every gap between neighbouring values.
    pseudo_rows
        Pseudo-observations with the event rate of the table, spread over its rows, which shrink
        risks towards the average. A number below 1 is a share of the rows. Each weighs as much as
        an average row. Loss and bound count them. "auto" means more as less of the variance e of
        the labels can be explained (2 * max_terms * (1 - e) / e), at most half of what the rows are
        worth; None means none.
    smooth_rows
        Pseudo-observations with the risks of a smooth regression on all features, spread over the
        rows of the table, which pull the card towards this regression. A number below 1 is a share
        of the rows. Each weighs as much as an average row. Loss and bound count them. "auto" means
        about as many as rows in short tables, and at most 10,000: n / (1 + n / 10,000); None means
        none.
    shortlist
        Preselect this many conditions with a lasso; those of features that must be used and of a
        card to start from stay. A bound holds for the cards of the shortlist only. "auto" means
        max_terms + 2 and more as rows and explained variance grow, up to all; if that leaves more
        than ten billion sets of max_terms conditions, a proof is about those of the best card found
        among all and as many others as make ten million sets (67 for 5 terms, 31 for 8); None means
        all conditions.
    min_line_rows
        Rows that a missing value, a special code or a level must have to be judged by itself. With
        fewer it counts as a typical value: the median, or the common level whose event rate is
        nearest to the average; rare levels that have enough rows together count as one. "auto" means
        30, or more where the event is rare (5 of the rarer outcome, at most 1 % of the rows), and at
        most 5 % of the rows; None means 1.

    Notes
    -----
    What a table is *worth* is the number of rows of equal weight, half of them with the event, that
    would say as much. "auto" depends on that and on how much of the variance of the labels the
    regression explains in rows left out, and not on the unit of weights.

    Examples
    --------
    >>> Regularization(grid=9, pseudo_rows=20).shortlist
    'auto'
    >>> Regularization.only(grid=9)
    Regularization(grid=9, pseudo_rows=None, smooth_rows=None, shortlist=None, min_line_rows=None)
    """

    grid: int | str | None = "auto"
    pseudo_rows: float | str | None = "auto"
    smooth_rows: float | str | None = "auto"
    shortlist: int | str | None = "auto"
    min_line_rows: int | str | None = "auto"

    def __post_init__(self) -> None:
        for name, value in check_parameters(self, "regularization").items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, value: Any) -> Regularization:
        """Read the parameter ``regularization``: None, "auto" or a ``Regularization``."""
        if value is None:
            return cls.only()
        if isinstance(value, str) and value == "auto":
            return cls()
        if not isinstance(value, cls):
            raise ParameterError(
                f"regularization is {value!r}. Use a Regularization, 'auto', or None for none."
            )
        return value

    @classmethod
    def only(cls, **parts: Any) -> Regularization:
        """Nothing but the given parts."""
        return cls(**(dict.fromkeys(cls.__slots__) | parts))

    def cuts_for(self, table: Table, rows: OtherLoss | None = None) -> int | None:
        """The number of candidate cuts per feature; None for all."""
        if self.grid != "auto":
            return self.cuts_of(0.0)
        return self.cuts_of(worth_of(table) if rows is None else rows.worth)

    def cuts_of(self, worth: float) -> int | None:
        """The same for a table that is worth so many rows."""
        if self.grid != "auto":
            return None if self.grid is None else int(self.grid)
        return int(min(max(worth // ROWS_PER_CUT, FEWEST_CUTS), MOST_CUTS))

    def least_rows(self, table: Table) -> int:
        """Rows that a value must have to be judged by itself."""
        if self.min_line_rows == "auto":
            return line_rows_for(table.n_rows, table.count(table.labels > 0))
        return 1 if self.min_line_rows is None else int(self.min_line_rows)

    def apply(
        self,
        layout: Layout,
        table: Table,
        pose: Callable[[Layout], Problem],
        max_terms: int,
        start: RiskCard | None = None,
    ) -> Layout:
        """The layout with pseudo-observations and closed conditions.

        Parameters
        ----------
        layout
            The table as the solver sees it.
        table
            The rows themselves, in which no value stands for another.
        pose
            From a layout to the problem.
        max_terms
            The size of the card.
        start
            A card whose conditions stay on the shortlist.
        """
        needs_risks = "auto" in (self.pseudo_rows, self.shortlist) or self.smooth_rows is not None
        if layout.rates is not None:
            rows = layout.rates
            risks = _smooth_other(table, rows) if needs_risks else None
            layout, worth = self._with_rows(layout, rows, risks, max_terms), rows.worth
        else:
            risks = smooth_risks(table) if needs_risks else None
            layout = replace(layout, pseudo=self._pseudo_rows(table, risks, max_terms))
            worth = worth_of(table)
        length = self._length_of_shortlist(worth, risks, max_terms)
        return layout if length is None else _shorten(layout, pose(layout), length, start)

    def _pseudo_rows(self, table: Table, risks: SmoothRisks | None, max_terms: int) -> PseudoRows:
        n_rows = table.n_rows
        counts = None if table.merged is None else table.merged.counts
        average, smooth = (
            _as_number(given, n_rows) for given in (self.pseudo_rows, self.smooth_rows)
        )
        if self.pseudo_rows == "auto" and risks is not None:
            average = fitting_average_rows(risks.explained, max_terms, worth_of(table))
        if self.smooth_rows == "auto":
            smooth = fitting_smooth_rows(n_rows)
        if not average and not smooth:
            return PseudoRows()
        if risks is None:
            return PseudoRows(average, smooth, choose_rows(table), counts=counts)
        return PseudoRows(average, smooth, risks.rows, risks.risks if smooth else None, counts)

    def _with_rows(
        self, layout: Layout, rows: OtherLoss, risks: SmoothRisks | None, max_terms: int
    ) -> Layout:
        """The layout with pseudo-observations where the outcome is not yes or no: shares of each row.

        The average ones have the average rate or number, the smooth ones those of the regression. Their
        numbers are those shares of the rows. "auto" counts by events where it counts rows for yes or no,
        if the rows have some: events are what a rate is known by.
        """
        n_rows = layout.data.n_rows
        average, smooth = (
            _as_number(given, n_rows) / n_rows for given in (self.pseudo_rows, self.smooth_rows)
        )
        if self.pseudo_rows == "auto" and risks is not None:
            average = fitting_average_rows(risks.explained, max_terms, rows.size) / rows.size
        if self.smooth_rows == "auto":
            smooth = fitting_smooth_rows(rows.worth) / rows.worth
        predictions = np.zeros(n_rows) if risks is None else risks.risks
        pseudo = PseudoRows(average * n_rows, smooth * n_rows)
        with_pseudo = rows.with_pseudo(average, smooth, predictions)
        return replace(layout, rates=with_pseudo, pseudo=pseudo)

    def _length_of_shortlist(
        self, worth: float, risks: SmoothRisks | None, max_terms: int
    ) -> int | None:
        """How many conditions the card may choose from; None for all."""
        if self.shortlist == "auto":
            assert risks is not None  # by ``apply``
            return fitting_shortlist(risks.explained, max_terms, worth)
        return None if self.shortlist is None else int(self.shortlist)


def _as_number(given: float | str | None, n_rows: int) -> float:
    """A number of pseudo-observations as it was given; 0 for None, and for "auto" so far."""
    if given is None or isinstance(given, str):
        return 0.0
    return given * n_rows if given < 1 else float(given)


def worth_of(table: Table) -> float:
    """How many rows of equal weight, half of them with the event, would say as much as the table.

    A log-odds is known from ``n`` rows with events at the rate ``r`` about as well as from
    ``4 * r * (1 - r) * n`` rows of which half have the event; unequal weights cost
    ``sum(w) ** 2 / (n * sum(w ** 2))`` of them. The unit of the weights does not matter.
    """
    weights = table.weights / table.weights.max()
    rate = float(weights[table.labels > 0].sum() / weights.sum())
    each = weights if table.merged is None else weights / table.merged.counts
    return 4 * rate * (1 - rate) * float(weights.sum() ** 2 / np.sum(weights * each))


def _smooth_other(table: Table, rows: OtherLoss) -> SmoothRisks:
    """What the smooth regression says of rows whose outcome is not yes or no."""
    if isinstance(rows, RateRows):
        return smooth_rates(table, rows.events, rows.exposure)
    assert isinstance(rows, NumberRows)
    return smooth_numbers(table, rows.numbers, rows.weights)


def _shorten(layout: Layout, problem: Problem, length: int, start: RiskCard | None) -> Layout:
    """The layout with a shortlist of this length; unchanged where there are no more conditions."""
    chosen = shortlist(problem, length)
    if start is not None:
        chosen += [(column, cut) for column, cut, _ in terms_of_card(start, layout)]
    return keep_only(layout, problem, chosen)


def keep_only(layout: Layout, problem: Problem, chosen: list[tuple[int, int]]) -> Layout:
    """The layout with some conditions of its problem and those of features that must be used."""
    closed = close_all_but(problem, chosen)
    if not any(part.any() for part in closed):
        return layout
    # those that rules forbid are not counted among the ones that stay
    forbidden = zip(problem.restrictions.is_closed, problem.is_usable, strict=True)
    closed = [
        own | before if is_usable else np.ones_like(own)
        for own, (before, is_usable) in zip(closed, forbidden, strict=True)
    ]
    n_all = layout.all_conditions or problem.n_conditions
    return replace(layout, closed=tuple(closed), all_conditions=n_all)
