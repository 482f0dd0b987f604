"""What every classifier with a card does: read the rows, keep the result, predict."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from riskcard.data.features import read_values
from riskcard.data.frames import column_names, columns_in_order, rows_as_array
from riskcard.data.table import Table, make_table, require_plain
from riskcard.encoding.decode_solution import Layout, card_from_solution, raw_columns
from riskcard.encoding.encode_rules import apply_rules, close_conditions
from riskcard.encoding.pseudo_rows import add_prior_rows, loss_with_prior_rows
from riskcard.encoding.rank_columns import rank_column
from riskcard.encoding.rank_table import rank_table
from riskcard.encoding.write_certificate import certificate_of, training_facts_of
from riskcard.errors import DataError, ParameterError, RiskcardError
from riskcard.estimators.advice import hints_on
from riskcard.estimators.notebook import ShowsCard
from riskcard.model.card import RiskCard
from riskcard.problem.merge_rows import merge_equal_rows
from riskcard.problem.objective import violations
from riskcard.problem.problem import Problem
from riskcard.problem.ranked_data import RankedData
from riskcard.problem.result import SolveResult
from riskcard.rules.card_rules import CardRules
from riskcard.rules.describe_rules import describe_rules
from riskcard.rules.least_bins import LeastBins

#: The loss of the printed card may differ from the solver's by this much, relatively: rounding.
LOSS_ROUNDING = 1e-9

#: Candidate cuts of the grid "auto": one for so many rows, within these limits.
ROWS_PER_CUT, FEWEST_CUTS, MOST_CUTS = 80, 9, 99

#: What a classifier hands its problem to.
Solver = Callable[[Problem], SolveResult]


class CardClassifier(ShowsCard, ClassifierMixin, BaseEstimator, ABC):
    """A classifier whose model is one card; how the card is found is up to its subclass.

    A subclass has the parameters ``max_terms`` and ``grid`` and says what the problem is
    (``_make_problem``) and how it is solved (``_make_solver``, which also checks the parameters).
    """

    #: The relative gap at which a proof may stop; a parameter of the classifiers that prove.
    gap: float = 0.0
    grid: int | str | None
    #: Whether missing values and categories are welcome.
    takes_any_table: bool = False

    @abstractmethod
    def _make_problem(self, data: RankedData) -> Problem:
        """Which cards are allowed on these rows, rules apart."""

    @abstractmethod
    def _make_solver(self) -> Solver:
        """The method, from parameters that make sense."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Find the card.

        Parameters
        ----------
        X
            Rows by features: an array, or a pandas, polars or pyarrow table.
        y
            One label a row, with two different values.
        sample_weight
            One weight a row.
        """
        solver = self._make_solver()
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
            column_or_1d(y, warn=True)  # for its warning; the name of the column is still wanted
        weight = getattr(self, "class_weight", None)
        table = make_table(X, y, sample_weight, drop_zero_weights=True, class_weight=weight)
        validate_data(self, X, skip_check_array=True)
        if not self.takes_any_table:
            require_plain(table)
        layout = self._prepare(self._lay_out(table))
        problem = self._pose(layout)
        result = self._solve(solver, problem, layout)
        notes = (*result.notes, *_notes_on(layout), *hints_on(result, problem))
        self._keep(replace(result, notes=notes), problem, layout)
        self.classes_ = np.array(table.classes, dtype=_dtype_of_labels(y))
        return self

    def _lay_out(self, table: Table) -> Layout:
        """The table as the solver sees it."""
        rules, least = self._card_rules(), self._least_bins(table)
        counts_bins = least != LeastBins()
        grid, n_jobs = self._checked_grid(table.labels.size), self._n_threads()
        data, cut_grid = rank_table(table, grid, n_jobs, rules, counts_bins, rank_column)
        return Layout(table, data, cut_grid, rules, least)

    def _pose(self, layout: Layout) -> Problem:
        """What the solver is to do."""
        table, rules, least = layout.table, layout.rules, layout.least
        rows = merge_equal_rows(add_prior_rows(layout.data, layout.prior_rows))
        problem = self._make_problem(rows)
        _require_rows(layout.data.n_rows, problem)
        if rules != CardRules() or least != LeastBins():
            problem = apply_rules(problem, table.names, table.levels, rules, least)
        return close_conditions(problem, layout.closed) if layout.closed else problem

    def _solve(self, solver: Solver, problem: Problem, layout: Layout) -> SolveResult:
        """Hand the problem over; the layout is for those who know more than the problem."""
        return solver(problem)

    def _card_rules(self) -> CardRules:
        """The rules of the card; a parameter of the classifiers that know rules."""
        return CardRules()

    def _least_bins(self, table: Table) -> LeastBins:
        """How small a group of values may be."""
        return LeastBins()

    def _prepare(self, layout: Layout) -> Layout:
        """The layout with prior rows and a shortlist, in the classifiers that have them."""
        return layout

    def _rules_in_words(self, layout: Layout) -> list[str]:
        """What the card had to keep besides its size."""
        return describe_rules(layout.rules, layout.least)

    def _keep(self, result: SolveResult, problem: Problem, layout: Layout) -> None:
        """Go back to the user's units; what is stated is what the printed card gives on raw rows."""
        table = layout.table
        keeps_points = getattr(self, "max_changes", None) is not None
        card = card_from_solution(result.solution, layout, problem.scale, keeps_points=keeps_points)
        used = [feature.name for feature in card.features]
        totals = (
            card.total_points(raw_columns(table, used))
            if used
            else np.full(table.labels.size, card.base)
        )
        log_odds = card.log_odds_of_total(totals)
        loss = loss_with_prior_rows(log_odds, table.labels, table.weights, layout.prior_rows)
        wrong = violations(result.solution, problem)
        if not math.isclose(loss, result.loss, rel_tol=LOSS_ROUNDING):
            wrong.append(f"its loss is {loss!r}, not {result.loss!r} as the solver says")
        if wrong:
            raise RiskcardError(
                f"The solver's card is not right: {'; '.join(wrong)}. "
                "This is a mistake in riskcard: please report it with the data."
            )
        bound = min(result.bound, loss)
        certificate = replace(
            certificate_of(result, problem, layout.cut_grid),
            loss=loss,
            bound=bound,
            rules=tuple(self._rules_in_words(layout)),
            prior_rows=layout.prior_rows,
        )
        training = training_facts_of(table, totals, card.reachable_totals())
        self.result_ = result
        self.card_: RiskCard = replace(
            card, training=training, certificate=certificate, outcome=table.outcome
        )
        self.loss_ = loss
        self.lower_bound_ = bound
        self.gap_ = certificate.gap
        self.status_ = str(certificate.status)

    def total_points(self, X: Any) -> NDArray[np.int64]:
        """Total of every row, base included."""
        check_is_fitted(self)
        if column_names(X) is None:
            X = rows_as_array(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        if not self.takes_any_table:
            X, _ = read_values(X)  # refuses everything else, in columns that are not used as well
        return self.card_.total_points(self._used_columns(X))

    def _used_columns(self, X: Any) -> Any:
        """The columns on the card; by position where the rows have other names than in training."""
        used = [feature.name for feature in self.card_.features]
        names = column_names(X) or []
        if not used or all(name in names for name in used):
            return X
        return columns_in_order(X, self.card_.feature_names, used)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Log-odds of the event ``classes_[1]`` for every row."""
        total = self.total_points(X)
        return self.card_.log_odds_of_total(total)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of ``classes_[0]`` and ``classes_[1]`` for every row."""
        total = self.total_points(X)
        if total.size == 0:
            return np.empty((0, 2))
        lowest, highest = int(total.min()), int(total.max())
        if highest - lowest >= total.size:
            return self._risks_of(total)
        # few totals, many rows: each total is worked out once
        return self._risks_of(np.arange(lowest, highest + 1)).take(total - lowest, axis=0)

    def _risks_of(self, total: NDArray[np.int64]) -> NDArray[np.float64]:
        """Probabilities of both classes that belong to totals."""
        log_odds = self.card_.log_odds_of_total(total)
        # both by way of logarithms, so that the smaller one keeps its digits
        return np.exp(-np.logaddexp(0.0, np.column_stack([log_odds, -log_odds])))

    def predict(self, X: Any) -> NDArray[Any]:
        """The more probable class of every row."""
        is_event = self.decision_function(X) > 0
        return self.classes_[is_event.astype(np.int64)]

    def _n_threads(self) -> int:
        return 1

    def _seed(self) -> int:
        """A whole number from the parameter ``random_state``."""
        random_state: Any = self.random_state
        if is_whole(random_state) and random_state >= 0:
            return int(random_state)
        try:
            return int(check_random_state(random_state).randint(2**31 - 1))
        except ValueError:
            raise ParameterError(
                f"random_state is {random_state!r}. Use a whole number of at least 0, None or "
                "a numpy RandomState."
            ) from None

    def _checked_time_limit(self) -> float | None:
        """Seconds from the parameter ``time_limit``; None for no limit."""
        time_limit: Any = self.time_limit
        if time_limit is not None and not (is_number(time_limit) and time_limit >= 0):
            raise ParameterError(
                f"time_limit is {time_limit!r}. Use seconds, at least 0, or None for no limit."
            )
        return None if time_limit in (None, math.inf) else float(time_limit)

    def _checked_gap(self) -> float:
        if not (is_number(self.gap) and 0 <= self.gap <= 1):
            raise ParameterError(f"gap is {self.gap!r}. Use a number from 0 to 1, such as 0.01.")
        return float(self.gap)

    def _checked_grid(self, n_rows: int) -> int | None:
        if self.grid is None:
            return None
        if isinstance(self.grid, str) and self.grid == "auto":
            return min(max(n_rows // ROWS_PER_CUT, FEWEST_CUTS), MOST_CUTS)
        if isinstance(self.grid, str) or not is_whole(self.grid) or self.grid < 1:
            raise ParameterError(
                f"grid is {self.grid!r}. Use the number of candidate cuts a feature, at least 1, "
                "'auto' for a number that grows with the rows, or None for all."
            )
        return int(self.grid)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = self.takes_any_table
        tags.input_tags.categorical = self.takes_any_table
        tags.input_tags.string = self.takes_any_table
        return tags


def _require_rows(n_rows: int, problem: Problem) -> None:
    max_terms = problem.limits.max_terms
    if n_rows < max_terms:
        raise DataError(
            f"The table has {n_rows} rows, fewer than the {max_terms} terms allowed. "
            f"Use max_terms={n_rows} or less, or give more rows."
        )


def _notes_on(layout: Layout) -> list[str]:
    notes, cut_grid, names = [], layout.cut_grid, layout.table.names
    if not layout.data.n_cuts.any():
        notes.append("Every feature is constant, so the card gives all rows the same risk.")
    if layout.closed:
        notes.append("Conditions were chosen from a shortlist; others may give a smaller loss.")
    elif not cut_grid.is_full:
        notes.append("Cuts were chosen from a grid; a finer one may give a smaller loss.")
    if cut_grid.merged:
        listed = ", ".join(repr(names[f]) for f in cut_grid.merged)
        notes.append(
            f"Levels with alike event rates were merged before they were grouped, in {listed}; "
            "other groups of these levels were not looked at."
        )
    return notes


def _dtype_of_labels(y: Any) -> Any:
    """The dtype that scikit-learn's classifiers give to classes_."""
    dtype = np.asarray(y).dtype
    return None if dtype.kind in "US" else dtype


def is_number(value: Any) -> bool:
    """An int or a float, of Python or numpy; True and False are none."""
    is_real = isinstance(value, (int, float, np.integer, np.floating))
    return is_real and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """An int, of Python or numpy; True and False are none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
