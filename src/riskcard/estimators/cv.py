"""The classifier that chooses the size of its card by cross-validation."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedGroupKFold, check_cv
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from riskcard.data.frames import count_rows
from riskcard.data.table import make_table
from riskcard.data.target import name_of_target, read_target, read_weights, weigh_classes
from riskcard.errors import ParameterError, RiskcardWarning, SolverMissing
from riskcard.estimators.base import is_whole
from riskcard.estimators.classifier import RiskScoreClassifier
from riskcard.estimators.notebook import ShowsCard
from riskcard.estimators.path import FoldWork, Rows, Split, card_path, cross_validate
from riskcard.estimators.scoring import find_scorer, takes_weights
from riskcard.estimators.size_choice import RULES, choose_size, results_of
from riskcard.model.card import RiskCard
from riskcard.problem.result import SolveResult
from riskcard.progress import WorkBar
from riskcard.rules.card_rules import CardRules
from riskcard.search.warmup import tell_of_compilation

#: Parameters that every fit of the path shares with the last one.
SHARED = (
    "max_features",
    "max_cuts_per_feature",
    "max_points",
    "scale",
    "time_limit",
    "gap",
    "random_state",
    "grid",
    "rules",
    "min_bin_rows",
    "min_bin_events",
    "class_weight",
    "min_gain",
    "prior_rows",
    "shortlist",
    "round_cuts",
    "max_log_odds",
)
#: Parameters of the last fit alone.
LAST_ONLY = ("certify", "n_jobs", "verbose", "pool_tolerance", "pool_size")

#: The columns of ``results_frame``, and where ``cv_results_`` has them.
FRAME_COLUMNS = {
    "terms": "n_terms",
    "mean_score": "mean_test_score",
    "standard_error": "se_test_score",
    "standard_deviation": "std_test_score",
    "train_score": "mean_train_score",
    "seconds": "mean_fit_time",
    "features": "mean_n_features",
    "chosen": "is_chosen",
}


class RiskScoreClassifierCV(ShowsCard, ClassifierMixin, BaseEstimator):
    """A card whose number of terms is chosen by cross-validation.

    In every fold cards of 0, 1, 2, ... ``max_terms`` terms are fitted, each starting from the one
    before, and scored on the rows held out. The size is picked from the mean scores, and a card of
    that size is fitted to all rows.

    Parameters
    ----------
    max_terms
        The largest size. The path ends sooner where a fold has fewer rows.
    cv
        Number of folds, a splitter of scikit-learn, or an iterable of pairs of positions (rows to
        fit, rows held out). A number means stratified folds without shuffling; with ``groups`` no
        group is divided between folds.
    scoring
        What the rows held out are scored by: the name of one of scikit-learn's scorers, or a
        callable ``scorer(model, X, y)``; the higher, the better. None means the accuracy.
    rule
        "one_se": the smallest size whose mean score is at most one standard error below the best
        one. "best": the size with the best mean score.
    max_features, max_cuts_per_feature, max_points, scale, max_log_odds, grid
        As in ``RiskScoreClassifier``, for every card of the path.
    rules, min_bin_rows, min_bin_events, class_weight, min_gain, prior_rows, shortlist, round_cuts
        Likewise. The path begins with as many terms as there are features that must be used.
        Counts, shares and gains are those of the rows of a fold. Class weights count in the scores
        too (where the scorer takes weights).
    certify, gap, pool_tolerance, pool_size
        For the last card, that of all rows: prove a bound, keep a pool (``best_estimator_.pool_``).
    time_limit
        Seconds for each single fit; None for no limit.
    n_jobs
        Threads, one a fold; None is 1 and -1 all processors. The result does not depend on it.
    random_state
        Seed of the search, the same for every fit.
    verbose
        Show a bar on a terminal while folds are fitted, and the progress of the last proof.

    Attributes
    ----------
    n_terms_ : int
        The size that was picked. The card may have fewer terms, where more do not help.
    best_n_terms_ : int
        The size with the best mean score.
    threshold_ : float
        The least mean score that was good enough.
    cv_results_ : dict of ndarrays
        One entry a size: ``n_terms``, ``mean_test_score``, ``std_test_score``, ``se_test_score``
        (the standard error), ``rank_test_score``, ``mean_train_score``, ``mean_fit_time``,
        ``mean_n_features`` and ``mean_n_terms_used`` (of the cards fitted), ``is_chosen``, and
        ``split0_test_score`` ... for each fold.
    best_estimator_ : RiskScoreClassifier
        The model of all rows.
    card_, loss_, lower_bound_, gap_, status_, result_
        Those of ``best_estimator_``.
    scorer_ : callable
        What ``scoring`` means.
    n_splits_ : int
        Number of folds.
    classes_ : ndarray of shape (2,)
        The two labels; the event is ``classes_[1]``.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    The standard error of a mean is the standard deviation of the folds (with one less in the
    denominator) over the root of their number. Where rows are held out more than once, as in
    repeated cross-validation, the number is that of the folds which test every row once:
    repetition brings no new rows.

    Size 0 is the card without terms, which gives every row the share of events. When it is picked,
    no card was shown to predict better than that, and a warning says so.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from riskcard import RiskScoreClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = RiskScoreClassifierCV(max_terms=4, cv=3).fit(X, y)
    >>> model.n_terms_ <= model.best_n_terms_ <= 4
    True
    >>> len(model.card_.terms) <= model.n_terms_
    True
    """

    def __init__(
        self,
        max_terms: int = 10,
        *,
        cv: Any = 5,
        scoring: Any = "neg_log_loss",
        rule: str = "one_se",
        max_features: int | None = None,
        max_cuts_per_feature: int | None = None,
        max_points: int = 5,
        scale: float | str = "calibrated",
        certify: bool = False,
        time_limit: float | None = 60.0,
        gap: float = 0.0,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: bool = False,
        grid: int | None = None,
        rules: CardRules | str | Path | None = None,
        min_bin_rows: float = 0,
        min_bin_events: float = 0,
        class_weight: Any = None,
        min_gain: float = 0.0,
        prior_rows: float | str = 0,
        shortlist: int | str | None = None,
        round_cuts: float | None = None,
        pool_tolerance: float | None = None,
        pool_size: int = 100,
        max_log_odds: float | str | None = "auto",
    ) -> None:
        self.max_terms = max_terms
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
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
        self.rules = rules
        self.min_bin_rows = min_bin_rows
        self.min_bin_events = min_bin_events
        self.class_weight = class_weight
        self.min_gain = min_gain
        self.prior_rows = prior_rows
        self.shortlist = shortlist
        self.round_cuts = round_cuts
        self.pool_tolerance = pool_tolerance
        self.pool_size = pool_size
        self.max_log_odds = max_log_odds

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> RiskScoreClassifierCV:
        """Choose a size and fit a card of that size to all rows.

        Parameters
        ----------
        X
            Rows by features, as for ``RiskScoreClassifier``.
        y
            One label a row, with two different values.
        sample_weight
            One weight a row, for the fits and for the scores (where the scorer takes weights).
        groups
            One value a row; rows of one group are held out together.
        """
        estimator = self._make_estimator()
        rows, classes = self._read(X, y, sample_weight)
        splits = self._split(rows, groups)
        self.scorer_ = find_scorer(self.scoring, classes)
        sizes = _sizes(estimator, self.max_terms, rows, splits)
        title = f"{len(splits)} folds, {sizes[0]} to {sizes[-1]} terms"
        n_fits = len(splits) * len(sizes)
        if self.verbose:
            tell_of_compilation()
        with WorkBar(title, n_fits, is_quiet=not self.verbose) as bar:
            weighted = takes_weights(self.scorer_)
            work = FoldWork(estimator, sizes, self.scorer_, weighted, bar.step)
            path = cross_validate(work, rows, splits, self.n_jobs)
        choice = choose_size(path, self.rule)
        self.cv_results_ = results_of(path, choice)
        self.n_terms_, self.best_n_terms_ = sizes[choice.chosen], sizes[choice.best]
        self.threshold_ = choice.threshold
        self.n_splits_ = len(splits)
        self._refit(estimator, rows, sizes[: choice.chosen + 1])
        self.best_estimator_._name_outcome(name_of_target(y))
        self.classes_ = self.best_estimator_.classes_
        return self

    def _make_estimator(self) -> RiskScoreClassifier:
        """What is fitted in the folds; parameters of our own that make no sense are refused."""
        if not is_whole(self.max_terms) or self.max_terms < 1:
            raise ParameterError(
                f"max_terms is {self.max_terms!r}. Use a whole number of at least 1."
            )
        if self.rule not in RULES:
            raise ParameterError(f"rule is {self.rule!r}. Use {' or '.join(map(repr, RULES))}.")
        shared = {name: getattr(self, name) for name in SHARED}
        estimator = RiskScoreClassifier(n_jobs=self.n_jobs, **shared)
        estimator._n_threads()
        rules = None if self.rules is None else estimator._card_rules()
        estimator.set_params(n_jobs=1, random_state=estimator._seed(), rules=rules)
        return estimator

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[Rows, tuple[Any, Any]]:
        """The rows, after all checks that a single fit would make."""
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        table = make_table(X, y, sample_weight, drop_zero_weights=True)
        validate_data(self, X, skip_check_array=True)
        n_rows = count_rows(X)
        labels = read_target(y, n_rows)
        if labels.dtype == object and not isinstance(labels[0], str):
            labels = np.array(labels.tolist())  # scorers do not know numbers that are objects
        weights = score_weights = None
        if sample_weight is not None:
            weights = score_weights = read_weights(sample_weight, n_rows)
        if self.class_weight is not None:
            signs = np.where(labels == table.classes[1], np.int8(1), np.int8(-1))
            counts = read_weights(sample_weight, n_rows)
            score_weights = weigh_classes(counts, signs, table.classes, self.class_weight)
        return Rows(X, labels, weights, score_weights), table.classes

    def _split(self, rows: Rows, groups: Any) -> list[Split]:
        cv = self.cv
        if groups is not None and is_whole(cv):
            cv = StratifiedGroupKFold(cv)
        try:
            found = check_cv(cv, rows.y, classifier=True).split(rows.X, rows.y, groups)
            splits = [(_positions(fit, rows), _positions(test, rows)) for fit, test in found]
        except (TypeError, ValueError) as error:
            raise ParameterError(
                f"The rows cannot be divided by cv={self.cv!r}: {error} "
                "Use a number of folds, a splitter or pairs of positions."
            ) from error
        if not splits:
            raise ParameterError(f"cv is {self.cv!r} and gives no folds. Use at least two.")
        return splits

    def _refit(self, estimator: RiskScoreClassifier, rows: Rows, sizes: tuple[int, ...]) -> None:
        """The model of all rows: the path leads there, and only its end is proven."""
        start = None
        for step in card_path(estimator, rows, sizes[:-1]):
            start = step.model.card_ if step.size > 0 else None
        estimator.set_params(**{name: getattr(self, name) for name in LAST_ONLY})
        (last,) = card_path(estimator, rows, sizes[-1:], start)
        model = last.model
        if model.card_.certificate is not None:
            certificate = model.card_.certificate.with_note(self._how_chosen())
            model.card_ = replace(model.card_, certificate=certificate)
        self.best_estimator_ = model
        if self.n_terms_ == 0:
            warnings.warn(
                f"No card of up to {self.cv_results_['n_terms'][-1]} terms was shown to predict "
                "better than the share of events alone, so the card has no terms. Give more rows "
                "or other features, or fit RiskScoreClassifier with a size of your own.",
                RiskcardWarning,
                stacklevel=3,
            )

    def _how_chosen(self) -> str:
        rule = "one-standard-error rule" if self.rule == "one_se" else "best mean score"
        scoring = self.scoring if isinstance(self.scoring, str) else "its own score"
        smallest, largest = self.cv_results_["n_terms"][[0, -1]]
        return (
            f"Size chosen by cross-validation: {self.n_terms_} of {smallest} to {largest} terms, "
            f"{self.n_splits_} folds, {scoring}, {rule}."
        )

    def results_frame(self) -> Any:
        """The path as a pandas frame, one line a size.

        Columns: ``terms``, ``mean_score``, ``standard_error`` and ``standard_deviation`` of the
        rows held out, ``train_score``, ``seconds`` (of a fit), ``features`` (used, on average) and
        ``chosen``.
        """
        check_is_fitted(self)
        try:
            import pandas
        except ImportError:
            raise SolverMissing(
                "A frame needs pandas, which is not installed. Install it, or use cv_results_, "
                "which has the same figures as arrays."
            ) from None
        columns = {title: self.cv_results_[name] for title, name in FRAME_COLUMNS.items()}
        return pandas.DataFrame(columns)

    # --- the model of all rows -------------------------------------------------------------------

    @property
    def card_(self) -> RiskCard:
        """The card in the units of the data."""
        return self.best_estimator_.card_

    @property
    def loss_(self) -> float:
        """Sum of the log-losses of the card on all rows, prior rows included."""
        return self.best_estimator_.loss_

    @property
    def lower_bound_(self) -> float:
        """No card of the size picked has a smaller loss; 0 when nothing was proven."""
        return self.best_estimator_.lower_bound_

    @property
    def gap_(self) -> float:
        """Relative gap between loss and bound."""
        return self.best_estimator_.gap_

    @property
    def status_(self) -> str:
        """How the last fit ended."""
        return self.best_estimator_.status_

    @property
    def result_(self) -> SolveResult:
        """What the solver answered, in its own units."""
        return self.best_estimator_.result_

    def total_points(self, X: Any) -> NDArray[np.int64]:
        """Total of every row, base included."""
        check_is_fitted(self)
        return self.best_estimator_.total_points(X)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Log-odds of the event ``classes_[1]`` for every row."""
        check_is_fitted(self)
        return self.best_estimator_.decision_function(X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of ``classes_[0]`` and ``classes_[1]`` for every row."""
        check_is_fitted(self)
        return self.best_estimator_.predict_proba(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """The more probable class of every row."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Score of the rows given, by ``scoring``; weights count where the scorer takes them."""
        check_is_fitted(self)
        weighted = sample_weight is not None and takes_weights(self.scorer_)
        more = {"sample_weight": sample_weight} if weighted else {}
        return float(self.scorer_(self, X, y, **more))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        of_fits = RiskScoreClassifier().__sklearn_tags__()
        tags.classifier_tags = of_fits.classifier_tags
        tags.input_tags = of_fits.input_tags
        return tags


def _positions(index: Any, rows: Rows) -> NDArray[np.intp]:
    """Positions of rows, which may be told by True and False."""
    array = np.asarray(index)
    if array.dtype == bool:
        array = np.flatnonzero(array)
    if array.size == 0 or array.min() < 0 or array.max() >= rows.y.size:
        raise ValueError(f"a fold does not consist of positions from 0 to {rows.y.size - 1}.")
    return array.astype(np.intp)


def _sizes(
    estimator: RiskScoreClassifier, max_terms: int, rows: Rows, splits: list[Split]
) -> tuple[int, ...]:
    """From the empty card, or one term for each feature that must be used, up.

    No more terms than the smallest fold has rows that count.
    """
    counts = rows.weights > 0 if rows.weights is not None else np.ones(rows.y.size, dtype=bool)
    fewest = min(int(np.count_nonzero(counts[fit])) for fit, _ in splits)
    largest = min(max_terms, max(fewest, 1))
    rules = estimator._card_rules().features.values()
    required = sum(rule.use == "must" for rule in rules)
    return tuple(range(min(required, largest), largest + 1))
