"""What the baselines have in common: numbers only, a grid of cuts, a problem, a method."""

import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from riskcard.checks import is_number
from riskcard.encoding.decode_solution import Layout
from riskcard.encoding.rank_table import rank_table
from riskcard.errors import ParameterError
from riskcard.estimators.base import CardClassifier, notes_on, require_rows
from riskcard.estimators.fitted import Procedure, finish
from riskcard.estimators.recipe_values import plain_values
from riskcard.parameters import Kind, Parameter, parameters_of
from riskcard.problem.merge_rows import merge_equal_rows
from riskcard.problem.objective import loss_of
from riskcard.problem.problem import Problem, make_problem
from riskcard.problem.ranked_data import RankedData
from riskcard.problem.result import SolveResult
from riskcard.problem.solution import Solution
from riskcard.rules.card_rules import CardRules
from riskcard.rules.least_bins import LeastBins
from riskcard.status import Status

#: The words that name a way to select columns, and one to round coefficients.
SELECTIONS = ("lasso", "forward")
ROUNDINGS = ("nearest", "randomised", "sequential", "randomised_sequential")
SCHEMES = ("derandomised", "randomised")
#: The solvers of the lattice method.
LATTICE_SOLVERS = ("highs", "scip")

_OWN = (
    Parameter("baselines", "grid", Kind.WHOLE, 9, "Candidate cuts per feature.", none="all", least=1),
    Parameter("baselines", "selection", Kind.WORD, "lasso", "Choice of columns.", words=SELECTIONS),
    Parameter("baselines", "rounding", Kind.WORD, "nearest", "Way to round.", words=ROUNDINGS),
    Parameter("baselines", "n_draws", Kind.WHOLE, 20, "Draws of random roundings.", least=1),
    Parameter("baselines", "least_chi_square", Kind.NUMBER, 3.84, "The weakest association."),
    Parameter("baselines", "term_penalty", Kind.NUMBER, 0.0, "Added to the loss for each term."),
    Parameter("baselines", "scheme", Kind.WORD, "derandomised", "Way to round.", words=SCHEMES),
    Parameter("baselines", "event_weight", Kind.NUMBER, 1.0, "Cost of a missed event.", least=1e-6),
    Parameter("baselines", "max_false_positives", Kind.NUMBER, None, "Largest share.", none="no limit", most=1),
    Parameter("baselines", "reweightings", Kind.WHOLE, 2, "Reweightings of the steps."),
    Parameter("baselines", "least_efficiency", Kind.NUMBER, 0.99, "Share of the gain.", most=1),
    Parameter("baselines", "beam", Kind.WHOLE, 10, "Supports kept while growing.", least=1),
    Parameter("baselines", "swaps", Kind.WHOLE, 50, "Columns tried in place of each.", least=1),
    Parameter("baselines", "pool_size", Kind.WHOLE, 50, "Supports of the pool.", least=1),
    Parameter("baselines", "pool_tolerance", Kind.NUMBER, 0.05, "Loss above the best."),
    Parameter("baselines", "n_multipliers", Kind.WHOLE, 20, "Multipliers of each support.", least=1),
    Parameter("baselines", "solver", Kind.WORD, "highs", "Solver.", words=LATTICE_SOLVERS),
    Parameter("baselines", "node_limit", Kind.WHOLE, None, "Nodes of the tree.", none="no limit"),
)  # fmt: skip
#: What the parameters of the baselines may be; the problem checks the size of the card.
PARAMETERS = {one.name: one for one in (*_OWN, *parameters_of("work").values())}


class PlainCardClassifier(CardClassifier):
    """A baseline: its parameters make a problem on a grid of cuts, which its method solves."""

    max_terms: int
    max_points: int
    scale: float | str
    grid: int | None

    @abstractmethod
    def _solve(self, problem: Problem, names: Sequence[str]) -> SolveResult:
        """The card that the method finds, where features have these names; seconds are measured elsewhere."""

    def _check(self) -> None:
        """Refuse parameters that make no sense."""
        for name, value in self.get_params(deep=False).items():
            if name in PARAMETERS:
                PARAMETERS[name].checked(value)
            if name == "ridge" and not (is_number(value) and 0 < value < float("inf")):
                raise ParameterError(f"ridge is {value!r}. Use a positive number, such as 0.001.")

    def _make_problem(self, data: RankedData) -> Problem:
        """Which cards are allowed on these rows."""
        sizes = {"max_terms": self.max_terms, "max_points": self.max_points}
        return make_problem(data, **sizes, scale=self.scale)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._check()
        procedure = Procedure(type(self).__name__, plain_values(self.get_params(deep=False)))
        training = self._read(X, y, sample_weight, procedure)
        data, cut_grid = rank_table(training.table, self.grid)
        layout = Layout(training.table, data, cut_grid, CardRules(), LeastBins(), self.grid)
        problem = self._make_problem(merge_equal_rows(data))
        require_rows(layout, problem)
        start = time.perf_counter()
        result = self._solve(problem, training.table.names)
        seconds = time.perf_counter() - start
        result = replace(result, seconds=seconds, notes=(*result.notes, *notes_on(layout)))
        self._keep(finish(result, problem, layout, training), result, y)


def unproven(card: Solution, problem: Problem) -> SolveResult:
    """The result of a method that proves nothing."""
    return SolveResult(card, loss_of(card, problem), 0.0, Status.HEURISTIC)
