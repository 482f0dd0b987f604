"""What every estimator with a card does: read the rows, keep the result, predict."""

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from riskcard.checks import is_whole
from riskcard.data.features import read_numbers
from riskcard.data.files.feature_table import FeatureTable
from riskcard.data.first_look.data_summary import summarize
from riskcard.data.first_look.repeats import find_repeats
from riskcard.data.frames import column_names, columns_in_order, rows_as_array
from riskcard.data.table import Table, make_table, require_plain
from riskcard.data.target import class_factors, weigh_classes
from riskcard.encoding.decode_solution import Layout
from riskcard.errors import DataError, ParameterError
from riskcard.estimators.fitted import Procedure, Training
from riskcard.estimators.views.notebook import ShowsCard
from riskcard.estimators.views.points_output import GivesPoints
from riskcard.model.card import RiskCard
from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult

#: Why a card has no terms, on the certificate.
CONSTANT = "Every feature is constant, so the card gives all rows the same risk."
NO_CONDITION = (
    "No cut or group of levels is left on these rows, so the card gives all rows the same risk."
)


class CardEstimator(ShowsCard, GivesPoints, BaseEstimator, ABC):
    """An estimator whose model is one card, whatever its outcome is."""

    #: The columns that are no features; a parameter of some estimators.
    identifiers: Any = None
    #: Whether missing values and categories are allowed.
    takes_any_table: bool = False

    def _know_columns(self, X: Any, table: Table) -> None:
        """Remember all columns, by whose places rows of an array are predicted."""
        names = column_names(X)
        if names and not isinstance(X, FeatureTable) and _are_texts(names):
            # what scikit-learn would find in a frame, in a tenth of its time; it does not know mappings
            self.feature_names_in_, self.n_features_in_ = np.array(names, dtype=object), len(names)
        elif isinstance(X, Mapping):
            self.n_features_in_ = len(X)
        else:
            validate_data(self, X, skip_check_array=True)
        self._columns_in = table.columns
        self.identifiers_ = [one.name for one in table.left_out]

    def _describe(
        self,
        X: Any,
        table: Table,
        max_terms: int | None,
        counts_events: bool = False,
        outcome_words: str | None = None,
    ) -> None:
        """Say what was read, unless it is from a file: the command that reads it has said so."""
        self.data_summary_ = summarize(
            table.features,
            table.labels > 0,
            table.classes,
            outcome=table.outcome,
            left_out=table.left_out,
            repeats=find_repeats(table.features),
            max_terms=max_terms,
            counts_events=counts_events,
            outcome_words=outcome_words,
        )
        if getattr(self, "verbose", False) and not isinstance(X, FeatureTable):
            sys.stderr.write(f"{self.data_summary_}\n")

    def total_points(self, X: Any) -> NDArray[np.int64]:
        """Total of every row, base included."""
        rows = self._rows_to_score(X)
        return self.card_.total_points(rows)

    def _rows_to_score(self, X: Any) -> Any:
        """Checked rows with the columns on the card."""
        check_is_fitted(self)
        names = column_names(X)
        if names is None:
            X = rows_as_array(X)
        is_known = names is not None and names == list(getattr(self, "feature_names_in_", ()))
        # scikit-learn does not know mappings; columns on the card that one lacks are named when they are read
        if not is_known and not isinstance(X, Mapping):
            validate_data(self, X, reset=False, skip_check_array=True)
        if not self.takes_any_table:
            X = read_numbers(X)  # which refuses anything else, in unused columns as well
        return self._used_columns(X)

    def _used_columns(self, X: Any) -> Any:
        """The columns on the card: by position if the model was fitted on other names, or on none."""
        used = [feature.name for feature in self.card_.features]
        names = column_names(X) or []
        if not used or all(name in names for name in used):
            return X
        return columns_in_order(X, self._columns_in, used)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # points are whole numbers
        tags.input_tags.allow_nan = self.takes_any_table
        tags.input_tags.categorical = self.takes_any_table
        tags.input_tags.string = self.takes_any_table
        return tags


class CardClassifier(ClassifierMixin, CardEstimator):
    """A classifier whose model is one card; how the card is found is up to its subclass."""

    #: The relative gap at which a proof may stop; a parameter of the classifiers that prove.
    gap: float = 0.0
    #: The weights of the classes; a parameter of some classifiers.
    class_weight: Any = None
    #: The label of the event; a parameter of some classifiers.
    event: Any = None

    @abstractmethod
    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Any:
        """Check the parameters, read the rows, find the card and keep it."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Find the card.

        Parameters
        ----------
        X
            Rows by features: an array, or a pandas, polars or pyarrow table.
        y
            One label per row, with two different values.
        sample_weight
            One weight per row.
        """
        self._fit(X, y, sample_weight)
        return self

    def _read(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        procedure: Procedure,
        kept: Collection[str] = (),
    ) -> Training:
        """The checked rows, and how they are learned from; ``kept`` are surely features."""
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
            column_or_1d(y, warn=True)  # for its warning; the name of the column is still wanted
        table = make_table(
            X,
            y,
            sample_weight,
            drop_zero_weights=True,
            event=self.event,
            identifiers=self.identifiers,
            kept=kept,
        )
        self._know_columns(X, table)
        if not self.takes_any_table:
            require_plain(table)
        given, labels = table.weights, table.labels
        factors = class_factors(given, labels, table.classes, self.class_weight)
        weights = weigh_classes(given, labels, factors)
        if "identifiers" in procedure.parameters:
            known = {"identifiers": self.identifiers_ or None}
            procedure = replace(procedure, parameters={**procedure.parameters, **known})
        return Training(replace(table, weights=weights), given, factors, procedure)

    def _keep(self, card: RiskCard, result: SolveResult, y: Any) -> None:
        """Make a finished card the model."""
        certificate = card.certificate
        assert certificate is not None
        self.card_ = card
        self.result_ = result
        self.loss_ = certificate.loss
        self.lower_bound_ = certificate.bound
        self.gap_ = certificate.gap
        self.status_ = str(certificate.status)
        self.event_ = card.classes[1]
        self.classes_ = np.array(sorted(card.classes), dtype=_dtype_of_labels(y))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Log-odds of ``classes_[1]`` for every row; above 0 that class is predicted.

        Those of the event are ``card_.log_odds(X)``. With class weights they are those of a table in
        which each class counts by its weight, which moves the decision; the risks that
        ``predict_proba`` gives are those of the rows as they are.
        """
        total = self.total_points(X)
        log_odds = self.card_.log_odds_of_total(total)
        weights = None if self.card_.certificate is None else self.card_.certificate.class_weights
        if weights is not None:
            log_odds += math.log(weights.event) - math.log(weights.no_event)
        return log_odds if self._is_event_last else -log_odds

    @property
    def _is_event_last(self) -> bool:
        """Whether the event is ``classes_[1]``: scikit-learn sorts the classes, whatever they mean."""
        return bool(self.classes_[1] == self.event_)

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
        log_odds = log_odds if self._is_event_last else -log_odds
        # both from logarithms, so that the smaller one keeps its digits
        return np.exp(-np.logaddexp(0.0, np.column_stack([log_odds, -log_odds])))

    def predict(self, X: Any) -> NDArray[Any]:
        """The more probable class of every row; with class weights, the one with more weight."""
        is_last = self.decision_function(X) > 0
        return self.classes_[is_last.astype(np.int64)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def seed_of(random_state: Any) -> int:
    """A whole number from the parameter ``random_state``."""
    if is_whole(random_state) and random_state >= 0:
        return int(random_state)
    try:
        return int(check_random_state(random_state).randint(2**31 - 1))
    except ValueError:
        raise ParameterError(
            f"random_state is {random_state!r}. Use a whole number of at least 0, None or "
            "a numpy RandomState."
        ) from None


def count_threads(n_jobs: Any) -> int:
    """A number of threads from the parameter ``n_jobs``."""
    from joblib import effective_n_jobs

    if n_jobs is None:
        return 1
    if not is_whole(n_jobs) or n_jobs == 0:
        raise ParameterError(
            f"n_jobs is {n_jobs!r}. Use a number of threads, -1 for all processors, or None for one."
        )
    return int(effective_n_jobs(n_jobs)) if n_jobs < 0 else int(n_jobs)


def require_rows(layout: Layout, problem: Problem) -> None:
    """Refuse a table that has fewer rows than a card may have terms."""
    n_rows, max_terms = layout.table.n_rows, problem.limits.max_terms
    if n_rows < max_terms:
        raise DataError(
            f"The table has {n_rows} rows, fewer than the {max_terms} terms allowed. "
            f"Use max_terms={n_rows} or less, or give more rows."
        )


def notes_on(layout: Layout) -> tuple[str, ...]:
    """What a reader should know about the candidates that a card was chosen from."""
    notes, cut_grid, names = [], layout.cut_grid, layout.table.names
    if not layout.data.n_cuts.any():
        values = layout.table.values
        is_constant = (values == values[0]) | (np.isnan(values) & np.isnan(values[0]))
        notes.append(CONSTANT if is_constant.all() and not layout.ties else NO_CONDITION)
    if cut_grid.merged:
        listed = ", ".join(repr(names[f]) for f in cut_grid.merged)
        notes.append(
            "Levels or special values with similar event rates were merged before they were grouped, "
            f"in {listed}; other groups of them were not tried."
        )
    return tuple(notes)


def _are_texts(names: Sequence[Any]) -> bool:
    return all(isinstance(name, str) for name in names)


def _dtype_of_labels(y: Any) -> Any:
    """The dtype that scikit-learn's classifiers give to classes_."""
    dtype = np.asarray(y).dtype
    return None if dtype.kind in "US" else dtype
