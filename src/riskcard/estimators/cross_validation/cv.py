"""The classifier that chooses the size of its card by cross-validation."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import LeaveOneGroupOut, check_cv
from sklearn.utils.validation import check_is_fitted, column_or_1d

from riskcard.checks import is_whole
from riskcard.data.frames import count_rows
from riskcard.data.table import Table, make_table
from riskcard.data.target import name_of_target, read_target, read_weights
from riskcard.errors import ParameterError, warn
from riskcard.estimators.base import CardClassifier, count_threads
from riskcard.estimators.classifier import RiskScoreClassifier
from riskcard.estimators.cross_validation.folds import ShuffledFolds, what_is_held_out
from riskcard.estimators.cross_validation.path import (
    FoldWork,
    Rows,
    Split,
    card_path,
    cross_validate,
    fit_size,
)
from riskcard.estimators.cross_validation.scorers import check_scoring, find_scorer, score_of_rows
from riskcard.estimators.cross_validation.size_choice import choose_size, results_of
from riskcard.estimators.learning import Request
from riskcard.extras import import_pandas
from riskcard.model.card import RiskCard
from riskcard.model.origin.recipe import Recipe
from riskcard.parameters import check_parameters
from riskcard.progress import WorkBar
from riskcard.search.warmup import tell_of_compilation

#: What a recipe says of a score that is a function.
OWN_SCORE = "its own score"
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


@dataclass(eq=False, repr=False)
class RiskScoreClassifierCV(CardClassifier):
    """A card whose number of terms is chosen by cross-validation.

    In every fold cards of 0, 1, 2, ... ``max_terms`` terms are fitted, each starting from the one
    before, and scored on the held-out rows. The size is picked from the mean scores, and a card of
    that size is fitted to all rows.

    Parameters
    ----------
    estimator
        A ``RiskScoreClassifier`` with all other parameters; its ``max_terms`` is not used. Counts,
        shares and gains of its rules are those of the rows of a fold. Its class weights count in
        the scores too, where the scorer takes weights. Only the last card, of all rows, is proven
        when it has ``certify=True``. None means ``RiskScoreClassifier()``.
    max_terms
        The largest size that is tried.
    cv
        The folds: their number, a splitter of scikit-learn, or pairs of positions (rows to fit,
        held-out rows). A number of folds is stratified and shuffled by the seed of the estimator.
    repeats
        How often the rows are divided into folds, where cv is a number.
    scoring
        The score of held-out rows, higher is better: the name of a scorer of scikit-learn, such
        as roc_auc, or a callable scorer(model, X, y). None means the accuracy.
    rule
        'one_se': the smallest size whose mean score is within one standard error of the best, where
        sizes are compared fold by fold. 'best': the size with the best mean score.
    n_jobs
        Number of folds fitted at the same time, in threads; -1 uses all processors. The last
        fit, to all rows, has the n_jobs of the estimator. None means one.
    verbose
        Show a bar on a terminal while folds are fitted.

    Attributes
    ----------
    n_terms_ : int
        The size that was picked. The card may have fewer terms, where more do not help.
    best_n_terms_ : int
        The size with the best mean score.
    cv_results_ : dict of ndarrays
        One entry per size: ``n_terms``, ``mean_test_score``, ``std_test_score``, ``se_test_score``
        (the standard error of its distance from the best size), ``rank_test_score``, ``mean_train_score``,
        ``mean_fit_time``, ``mean_n_features`` and ``mean_n_terms_used`` (of the cards fitted), ``is_chosen``,
        ``split0_test_score`` ... for each fold, and, whatever the score is, ``mean_test_auc``, ``test_log_loss``
        and ``test_slope`` (the calibration slope) of the held-out rows.
    best_estimator_ : RiskScoreClassifier
        The model of all rows.
    card_, loss_, lower_bound_, gap_, status_, result_
        Those of ``best_estimator_``.
    data_summary_, identifiers_
        As for ``RiskScoreClassifier``.
    scorer_ : callable
        What ``scoring`` means.
    n_splits_ : int
        Number of folds.
    classes_ : ndarray of shape (2,)
        The two labels, sorted.
    event_ : object
        The label of the event, as for ``RiskScoreClassifier``.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    With ``groups`` no group is divided between folds. The path ends sooner where a fold has fewer rows than terms,
    and begins with as many terms as there are features that must be used.

    The standard error is that of the mean distance from the best size: the standard deviation of
    the distances in the folds (with one less in the denominator) over the root of their number.
    Some folds are easier than others for all sizes, which cancels. Where rows are held out more than once, as in
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

    takes_any_table = True

    estimator: RiskScoreClassifier | None = None
    _: KW_ONLY
    max_terms: int = 10
    cv: Any = 5
    repeats: int = 2
    scoring: Any = "neg_log_loss"
    rule: str = "one_se"
    n_jobs: int | None = None
    verbose: bool = False

    @classmethod
    def from_recipe(cls, recipe: Recipe) -> RiskScoreClassifierCV:
        """The unfitted classifier that a card was learned with; ``fit`` needs the same groups.

        Its folds were a number or ``LeaveOneGroupOut``, and its score has a name.
        """
        further = dict(recipe.further)
        if further.get("cv") == LeaveOneGroupOut.__name__:
            further["cv"] = LeaveOneGroupOut()
        if recipe.method != cls.__name__ or isinstance(further["cv"], str):
            raise ParameterError(
                f"The size of the card was not chosen by {cls.__name__} with a number of folds, so "
                "its recipe does not suffice to choose it again."
            )
        if further["scoring"] == OWN_SCORE:
            raise ParameterError(
                "The size of the card was chosen by a score without a name, so its recipe does not "
                "suffice to choose it again."
            )
        return cls(RiskScoreClassifier.from_recipe(recipe), **further)

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None
    ) -> RiskScoreClassifierCV:
        """Choose a size and fit a card of that size to all rows.

        Parameters
        ----------
        X
            Rows by features, as for ``RiskScoreClassifier``.
        y
            One label per row, with two different values.
        sample_weight
            One weight per row, for the fits and for the scores (where the scorer takes weights).
        groups
            One value per row; rows of one group are held out together.
        """
        self._fit(X, y, sample_weight, groups)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        """Score every size in every fold, choose one, and fit it to all rows."""
        check_parameters(self, "size")
        count_threads(self.n_jobs)
        check_scoring(self.scoring)
        if is_whole(self.cv) and self.cv < 2:
            raise ParameterError(f"cv is {self.cv}. Use at least 2 folds.")
        final = self._make_estimator()
        rows, table = self._read_rows(X, y, sample_weight, final)
        classes = table.classes
        final.set_params(event=classes[1], identifiers=self.identifiers_ or None)
        splits = self._split(rows, groups, final.random_state)
        self._describe(X, table, None)
        self.scorer_ = find_scorer(self.scoring, sorted(classes))
        sizes = _sizes(final, self.max_terms, rows, splits)
        title = f"{parts_in_words(self.cv, len(splits))}, {sizes[0]} to {sizes[-1]} terms"
        n_fits = len(splits) * len(sizes)
        in_folds = clone(final).set_params(certify=False, verbose=False, n_jobs=None)
        tell_of_compilation(self.verbose)
        with WorkBar(title, n_fits, is_quiet=not self.verbose) as bar:
            work = FoldWork(in_folds, sizes, self.scorer_, bar.step)
            path = cross_validate(work, rows, splits, self.n_jobs)
        choice = choose_size(path, self.rule)
        self.cv_results_ = results_of(path, choice)
        self.n_terms_, self.best_n_terms_ = sizes[choice.chosen], sizes[choice.best]
        self.n_splits_ = len(splits)
        start = None
        for step in card_path(in_folds, rows, sizes[: choice.chosen]):
            start = step.model.card_ if step.size > 0 else None
        request = self._request(name_of_target(y), start)
        self.best_estimator_ = fit_size(final, rows, self.n_terms_, request).model
        for name in (
            "card_",
            "result_",
            "loss_",
            "lower_bound_",
            "gap_",
            "status_",
            "event_",
            "classes_",
        ):
            setattr(self, name, getattr(self.best_estimator_, name))
        if self.n_terms_ == 0:
            warn(
                f"No card of up to {sizes[-1]} terms was shown to predict better than the share of "
                "events alone, so the card has no terms. Give more rows or other features, or fit "
                "RiskScoreClassifier with a size of your own."
            )

    def _make_estimator(self) -> RiskScoreClassifier:
        """What is fitted at the end, with the rules of a file and one seed for all fits."""
        if self.estimator is None:
            return RiskScoreClassifier()
        if not isinstance(self.estimator, RiskScoreClassifier):
            raise ParameterError(f"estimator is {self.estimator!r}. Use a RiskScoreClassifier.")
        task = self.estimator._task(Request())
        rules = None if self.estimator.rules is None else task.rules
        made: RiskScoreClassifier = clone(self.estimator)
        made.set_params(random_state=task.options.random_state, rules=rules)
        return made

    def _read_rows(
        self, X: Any, y: Any, sample_weight: Any, estimator: RiskScoreClassifier
    ) -> tuple[Rows, Table]:
        """The rows, after all checks that a single fit would make."""
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        table = make_table(
            X,
            y,
            sample_weight,
            drop_zero_weights=True,
            event=estimator.event,
            identifiers=estimator.identifiers,
            kept=estimator._card_rules().wanted,
        )
        self._know_columns(X, table)
        n_rows = count_rows(X)
        labels = read_target(y, n_rows)
        if labels.dtype == object and not isinstance(labels[0], str):
            labels = np.array(labels.tolist())  # scorers do not know numbers that are objects
        weights = None if sample_weight is None else read_weights(sample_weight, n_rows)
        return Rows(X, labels, weights), table

    def _split(self, rows: Rows, groups: Any, seed: int) -> list[Split]:
        cv = ShuffledFolds(self.cv, self.repeats, seed) if is_whole(self.cv) else self.cv
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

    def _request(self, outcome: str | None, start: RiskCard | None) -> Request:
        """What the last fit is asked for: a start, how the size was chosen, and its title."""
        rule = "one-standard-error rule" if self.rule == "one_se" else "best mean score"
        scoring = self.scoring if isinstance(self.scoring, str) else OWN_SCORE
        smallest, largest = self.cv_results_["n_terms"][[0, -1]]
        how, folds = _how_it_was_chosen(self.cv, self.n_splits_)
        note = f"Size chosen {how}: {self.n_terms_} of {smallest} to {largest} terms, {scoring}, {rule}."
        further = {
            "max_terms": int(self.max_terms),
            "cv": folds,
            "repeats": int(self.repeats) if is_whole(self.cv) else 1,
            "scoring": scoring,
            "rule": self.rule,
        }
        return Request(type(self).__name__, further, start, False, notes=(note,), outcome=outcome)

    def results_frame(self) -> Any:
        """The path as a pandas frame, one line per size.

        Columns: ``terms``, ``mean_score`` on the held-out rows, ``standard_error`` of the distance
        from the best size, ``standard_deviation`` over the folds, ``train_score``, ``seconds`` (of a fit),
        ``features`` (used, on average) and ``chosen``.
        """
        check_is_fitted(self)
        pandas = import_pandas("use cv_results_, which has the same figures as arrays")
        columns = {title: self.cv_results_[name] for title, name in FRAME_COLUMNS.items()}
        return pandas.DataFrame(columns)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Score of the rows given, by ``scoring``; weights count where the scorer takes them."""
        check_is_fitted(self)
        return float(score_of_rows(self.scorer_, self, X, y, sample_weight))


def _positions(index: Any, rows: Rows) -> NDArray[np.intp]:
    """Positions of rows, which may be given as True and False."""
    array = np.asarray(index)
    if array.dtype == bool:
        array = np.flatnonzero(array)
    if array.size == 0 or array.min() < 0 or array.max() >= rows.y.size:
        raise ValueError(f"a fold does not consist of positions from 0 to {rows.y.size - 1}.")
    return array.astype(np.intp)


def parts_in_words(cv: Any, number: int) -> str:
    """What is held out in turn, and how many of it.

    Examples
    --------
    >>> parts_in_words(5, 10)
    '10 folds'
    """
    what = what_is_held_out(cv)
    return f"{number} parts of the later rows" if what == "later rows" else f"{number} {what}"


def _how_it_was_chosen(cv: Any, number: int) -> tuple[str, Any]:
    """How the size was chosen: in words, and what the recipe stores as its folds."""
    what = what_is_held_out(cv)
    if what == "later rows":
        judged = "judged by cards of the earlier ones"
        return f"on the later rows, {judged}", f"later rows in {number} parts, {judged}"
    if what == "folds":
        stored = int(cv) if is_whole(cv) else f"{number} folds, given one by one"
        return f"by cross-validation with {number} folds", stored
    held_out = f"by holding out each of {number} {what} once"
    if isinstance(cv, LeaveOneGroupOut):
        return held_out, LeaveOneGroupOut.__name__
    return held_out, f"{number} {what}, each held out once"


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
