"""What the baselines have in common: numbers only, a grid of cuts, a problem, a method."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from riskcard.checks import is_whole
from riskcard.encoding.decode_solution import Layout
from riskcard.encoding.rank_columns import rank_column
from riskcard.encoding.rank_table import rank_table
from riskcard.errors import ParameterError
from riskcard.estimators.base import CardClassifier, notes_on, require_rows
from riskcard.estimators.fitted import Procedure, finish
from riskcard.estimators.recipe_values import plain_values
from riskcard.problem.merge_rows import merge_equal_rows
from riskcard.problem.problem import Problem
from riskcard.problem.ranked_data import RankedData
from riskcard.problem.result import SolveResult
from riskcard.rules.card_rules import CardRules
from riskcard.rules.least_bins import LeastBins

#: What a baseline hands its problem to.
Solver = Callable[[Problem], SolveResult]


class PlainCardClassifier(CardClassifier):
    """A baseline: its parameters make a problem on a grid of cuts, and a method that solves it."""

    grid: int | None

    @abstractmethod
    def _make_problem(self, data: RankedData) -> Problem:
        """Which cards are allowed on these rows."""

    @abstractmethod
    def _make_solver(self) -> Solver:
        """The method, from parameters that make sense."""

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        solver = self._make_solver()
        if self.grid is not None and (not is_whole(self.grid) or self.grid < 1):
            raise ParameterError(
                f"grid is {self.grid!r}. Use the number of candidate cuts per feature, at least 1, "
                "or None for all."
            )
        procedure = Procedure(type(self).__name__, plain_values(self.get_params(deep=False)))
        training = self._read(X, y, sample_weight, procedure)
        data, cut_grid = rank_table(training.table, self.grid, sort=rank_column)
        layout = Layout(training.table, data, cut_grid, CardRules(), LeastBins(), self.grid)
        problem = self._make_problem(merge_equal_rows(data))
        require_rows(layout, problem)
        result = solver(problem)
        result = replace(result, notes=(*result.notes, *notes_on(layout)))
        self._keep(finish(result, problem, layout, training), y)
