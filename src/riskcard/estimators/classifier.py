"""The scikit-learn classifier: translate the input, solve, keep the card and what is proven."""

from __future__ import annotations

import math
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from riskcard.errors import DataError, ParameterError, RiskcardError
from riskcard.problem.certificate import certificate_of, training_facts_of
from riskcard.problem.merge import merge_equal_rows
from riskcard.problem.objective import sum_of_log_losses, violations
from riskcard.problem.problem import Problem, make_problem
from riskcard.problem.ranked import CutGrid, rank_table
from riskcard.problem.result import SolveResult
from riskcard.problem.riskcard import RiskCard, card_from_solution
from riskcard.problem.table import Table, make_table, read_values
from riskcard.progress import ProgressDisplay
from riskcard.search.pipeline import Options, solve

__all__ = ["RiskScoreClassifier"]

#: The loss of the printed card may differ from the solver's by this much, relatively: rounding.
LOSS_ROUNDING = 1e-9


class RiskScoreClassifier(ClassifierMixin, BaseEstimator):
    """A card of integer points for the risk of an event, with a proof of how good it is.

    Each term of the card gives points for a feature at or below a cut; the points add up to a
    total, and the total to a risk. The card has the smallest log-loss that the search finds;
    with ``certify=True`` a lower bound on the loss of *every* allowed card is proven.

    Parameters
    ----------
    max_terms
        At most this many terms (cuts) on the card.
    max_features
        At most this many features; None for no limit.
    max_cuts_per_feature
        At most this many cuts on one feature; None for no limit.
    max_points
        A term is worth at most this many points.
    scale
        From total to log-odds. "calibrated": a real multiplier and offset are fitted.
        "multiplier": a real multiplier is fitted, the base is an integer. A number: the
        multiplier is given, the base is an integer; 1 makes a point one unit of log-odds.
    certify
        Prove a bound after the search.
    time_limit
        Seconds for search and proof together; None for no limit. What is found and proven by then
        is kept, and ``status_`` says "time_limit".
    gap
        The proof stops when the relative gap between loss and bound is at most this.
    n_jobs
        Threads; None is 1 and -1 all processors. The card does not depend on it.
    random_state
        Seed of the search.
    verbose
        Show progress while the proof runs.
    grid
        Candidate cuts a feature, at quantiles of the rows; None for every gap between two
        neighbouring values. A bound holds for the cards of the grid only.

    Attributes
    ----------
    card_ : RiskCard
        The card in the units of the data; ``print`` it.
    loss_ : float
        Sum of the log-losses of the printed card on the training rows, times their weights.
    lower_bound_ : float
        No allowed card has a smaller loss; 0 when nothing was proven.
    gap_ : float
        ``(loss_ - lower_bound_) / loss_``.
    status_ : str
        "optimal", "gap_reached", "time_limit", "node_limit", "interrupted", "rounding" or
        "heuristic".
    result_ : SolveResult
        What the solver answered, in its own units.
    classes_ : ndarray of shape (2,)
        The two labels; the event is ``classes_[1]``.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    Rows of weight 0 are left out, as if they were not there; this is what scikit-learn's checks
    ask for. Negative weights are an error, and so is a table with no weight at all.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from riskcard import RiskScoreClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> classifier = RiskScoreClassifier(max_terms=2).fit(X, y)
    >>> len(classifier.card_.terms)
    2
    >>> bool(classifier.score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        max_terms: int = 5,
        max_features: int | None = None,
        max_cuts_per_feature: int | None = None,
        max_points: int = 5,
        scale: float | str = "calibrated",
        certify: bool = False,
        time_limit: float | None = 60.0,
        gap: float = 0.0,
        n_jobs: int | None = 1,
        random_state: Any = 0,
        verbose: bool = False,
        grid: int | None = None,
    ) -> None:
        self.max_terms = max_terms
        self.max_features = max_features
        self.max_cuts_per_feature = max_cuts_per_feature
        self.max_points = max_points
        self.scale = scale
        self.certify = certify
        self.time_limit = time_limit
        self.gap = gap
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.grid = grid

    @classmethod
    def paper(cls, k: int, **overrides: Any) -> RiskScoreClassifier:
        """The problem of Molero-Río and D'Ambrosio: k features, one cut each, scale 1, proven.

        Two weights from -5 to 5 on either side of a cut are one jump from -10 to 10.

        Examples
        --------
        >>> RiskScoreClassifier.paper(3, time_limit=10).max_points
        10
        """
        settings = {
            "max_terms": k,
            "max_features": k,
            "max_cuts_per_feature": 1,
            "max_points": 10,
            "scale": 1,
            "certify": True,
        }
        return cls(**(settings | overrides))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RiskScoreClassifier:
        """Find the card.

        Parameters
        ----------
        X
            Rows by features: an array, or a pandas or polars frame; numbers, none missing.
        y
            One label a row, with two different values.
        sample_weight
            One weight a row.
        """
        options = self._options()
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        table = make_table(X, y, sample_weight, drop_zero_weights=True)
        validate_data(self, X, skip_check_array=True)
        data, cut_grid = rank_table(table, self._checked_grid(), options.n_jobs)
        problem = make_problem(
            merge_equal_rows(data),
            max_terms=self.max_terms,
            max_features=self.max_features,
            max_cuts_per_feature=self.max_cuts_per_feature,
            max_points=self.max_points,
            scale=self.scale,
        )
        _require_rows(data.n_rows, problem)
        display = ProgressDisplay() if self.verbose else nullcontext()
        with display as progress:
            result = solve(problem, replace(options, progress=progress))
        notes = (*result.notes, *_notes_on(cut_grid))
        self._keep(replace(result, notes=notes), problem, table, cut_grid)
        self.classes_ = np.array(table.classes, dtype=_dtype_of_labels(y))
        return self

    def _keep(self, result: SolveResult, problem: Problem, table: Table, cut_grid: CutGrid) -> None:
        """Go back to the user's units; what is stated is what the printed card gives on raw rows."""
        card = card_from_solution(
            result.solution, cut_grid, table.names, table.classes, problem.scale
        )
        loss = sum_of_log_losses(card.log_odds(table.values), table.labels, table.weights)
        wrong = violations(result.solution, problem)
        if not math.isclose(loss, result.loss, rel_tol=LOSS_ROUNDING):
            wrong.append(f"its loss is {loss!r}, not {result.loss!r} as the solver says")
        if wrong:
            raise RiskcardError(
                f"The solver's card is not right: {'; '.join(wrong)}. "
                "This is a mistake in riskcard: please report it with the data."
            )
        bound = min(result.bound, loss)
        certificate = replace(certificate_of(result, problem, cut_grid), loss=loss, bound=bound)
        self.result_ = result
        self.card_: RiskCard = replace(
            card, training=training_facts_of(table), certificate=certificate
        )
        self.loss_ = loss
        self.lower_bound_ = bound
        self.gap_ = certificate.gap
        self.status_ = str(certificate.status)

    def total_points(self, X: Any) -> NDArray[np.int64]:
        """Total of every row, base included."""
        check_is_fitted(self)
        values, _ = read_values(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return self.card_.total_points(values)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Log-odds of the event ``classes_[1]`` for every row."""
        total = self.total_points(X)
        return self.card_.log_odds_of_total(total)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of ``classes_[0]`` and ``classes_[1]`` for every row."""
        log_odds = self.decision_function(X)
        # both by way of logarithms, so that the smaller one keeps its digits
        return np.exp(-np.logaddexp(0.0, np.column_stack([log_odds, -log_odds])))

    def predict(self, X: Any) -> NDArray[Any]:
        """The more probable class of every row."""
        is_event = self.decision_function(X) > 0
        return self.classes_[is_event.astype(np.int64)]

    def _options(self) -> Options:
        """How to solve, from parameters that make sense."""
        time_limit, gap = self.time_limit, self.gap
        if time_limit is not None and not (_is_number(time_limit) and time_limit >= 0):
            raise ParameterError(
                f"time_limit is {time_limit!r}. Use seconds, at least 0, or None for no limit."
            )
        if not (_is_number(gap) and 0 <= gap <= 1):
            raise ParameterError(f"gap is {gap!r}. Use a number from 0 to 1, such as 0.01.")
        return Options(
            certify=bool(self.certify),
            time_limit=None if time_limit in (None, math.inf) else float(time_limit),
            gap=float(gap),
            n_jobs=self._n_threads(),
            random_state=self._seed(),
        )

    def _n_threads(self) -> int:
        from joblib import effective_n_jobs  # type: ignore[import-untyped]

        if self.n_jobs is None:
            return 1
        if not _is_whole(self.n_jobs) or self.n_jobs == 0:
            raise ParameterError(
                f"n_jobs is {self.n_jobs!r}. Use a number of threads, or -1 for all processors."
            )
        return int(effective_n_jobs(self.n_jobs)) if self.n_jobs < 0 else int(self.n_jobs)

    def _seed(self) -> int:
        if _is_whole(self.random_state) and self.random_state >= 0:
            return int(self.random_state)
        try:
            return int(check_random_state(self.random_state).randint(2**31 - 1))
        except ValueError:
            raise ParameterError(
                f"random_state is {self.random_state!r}. Use a whole number of at least 0, None or "
                "a numpy RandomState."
            ) from None

    def _checked_grid(self) -> int | None:
        if self.grid is None:
            return None
        if not _is_whole(self.grid) or self.grid < 1:
            raise ParameterError(
                f"grid is {self.grid!r}. Use the number of candidate cuts a feature, at least 1, "
                "or None for all."
            )
        return int(self.grid)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _require_rows(n_rows: int, problem: Problem) -> None:
    max_terms = problem.limits.max_terms
    if n_rows < max_terms:
        raise DataError(
            f"The table has {n_rows} rows, fewer than the {max_terms} terms allowed. "
            f"Use max_terms={n_rows} or less, or give more rows."
        )


def _notes_on(cut_grid: CutGrid) -> list[str]:
    notes = []
    if not cut_grid.n_cuts.any():
        notes.append("Every feature is constant, so the card gives all rows the same risk.")
    if not cut_grid.is_full:
        notes.append("Cuts were chosen from a grid; a finer one may give a smaller loss.")
    return notes


def _dtype_of_labels(y: Any) -> Any:
    """The dtype that scikit-learn's classifiers give to classes_."""
    dtype = np.asarray(y).dtype
    return None if dtype.kind in "US" else dtype


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, (int, float, np.integer, np.floating))
    return is_number and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
