"""Cards of every size, one after another: on one table, and in every fold of a cross-validation."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from riskcard.data.frames import take_rows
from riskcard.errors import DataError
from riskcard.estimators.classifier import RiskScoreClassifier
from riskcard.estimators.parallel import run_side_by_side
from riskcard.estimators.size_choice import PathScores
from riskcard.model.card import RiskCard

#: Positions of the rows to fit and of those held out.
Split = tuple[NDArray[np.intp], NDArray[np.intp]]
#: A score from a fitted model, features, labels and, where it takes them, weights.
Scorer = Callable[..., float]

EMPTY_CARD = "The card has no terms: it gives every row the same risk, the share of events."


@dataclass(frozen=True, slots=True)
class Rows:
    """A table, its labels and, unless all rows count alike, its weights.

    Attributes
    ----------
    X, y
        Features and labels.
    weights
        For fits.
    score_weights
        For scores, with those of the classes.
    """

    X: Any
    y: NDArray[Any]
    weights: NDArray[np.float64] | None = None
    score_weights: NDArray[np.float64] | None = None

    def take(self, positions: NDArray[np.intp]) -> Rows:
        """Some of the rows."""
        weights, score_weights = (
            None if each is None else each[positions] for each in (self.weights, self.score_weights)
        )
        return Rows(take_rows(self.X, positions), self.y[positions], weights, score_weights)


@dataclass(frozen=True, slots=True)
class Step:
    """One size of a path: the fitted model and the seconds that it took."""

    size: int
    model: RiskScoreClassifier
    seconds: float


def card_path(
    estimator: RiskScoreClassifier,
    rows: Rows,
    sizes: Sequence[int],
    start: RiskCard | None = None,
) -> Iterator[Step]:
    """Fit one size after another; the card of each is a start for the next.

    Parameters
    ----------
    estimator
        All parameters but ``max_terms`` and ``start``.
    rows
        What to fit.
    sizes
        Numbers of terms, ascending. The empty card, of size 0, is made from the model of one term.
    start
        A start for the first size.
    """
    one_term: Step | None = None
    for size in sizes:
        if size == 0:
            one_term = _fit_size(estimator, rows, 1, None)
            yield _without_terms(one_term.model, rows)
        elif size == 1 and one_term is not None:
            start = one_term.model.card_
            yield one_term
        else:
            step = _fit_size(estimator, rows, size, start)
            start = step.model.card_
            yield step


def _fit_size(
    estimator: RiskScoreClassifier, rows: Rows, size: int, start: RiskCard | None
) -> Step:
    begun = time.perf_counter()
    model = clone(estimator).set_params(max_terms=size, start=start)
    model.fit(rows.X, rows.y, sample_weight=rows.weights)
    return Step(size, model, time.perf_counter() - begun)


def _without_terms(fitted: RiskScoreClassifier, rows: Rows) -> Step:
    """The same model with the best card that has no terms.

    It is what a table of one constant feature gives: no cut, so no terms.
    """
    shared = ("scale", "max_log_odds", "certify", "class_weight", "prior_rows")
    empty = RiskScoreClassifier(**{name: getattr(fitted, name) for name in shared})
    step = _fit_size(empty, Rows(np.zeros((rows.y.size, 1)), rows.y, rows.weights), 1, None)
    model = copy.copy(fitted)
    for name in ("result_", "loss_", "lower_bound_", "gap_", "status_"):
        setattr(model, name, getattr(step.model, name))
    for name in ("pool_", "_others"):  # of cards with a term
        model.__dict__.pop(name, None)
    card = step.model.card_
    if card.certificate is not None:
        certificate = replace(card.certificate, max_terms=0, notes=(EMPTY_CARD,))
        card = replace(card, certificate=certificate)
    model.card_ = replace(card, feature_names=fitted.card_.feature_names)
    return Step(0, model, step.seconds)


@dataclass(frozen=True, slots=True)
class FoldWork:
    """What is done in every fold.

    Attributes
    ----------
    estimator
        All parameters but the size.
    sizes
        Numbers of terms, ascending.
    scorer
        The score; the higher, the better.
    takes_weights
        The scorer is given the weights of the rows.
    tell
        Called after every fit, from the thread that made it.
    """

    estimator: RiskScoreClassifier
    sizes: tuple[int, ...]
    scorer: Scorer
    takes_weights: bool
    tell: Callable[[], None]


def cross_validate(
    work: FoldWork, rows: Rows, splits: Sequence[Split], n_jobs: int | None
) -> PathScores:
    """Fit and score every size in every fold, the folds side by side."""

    def score_fold(numbered: tuple[int, Split], stop: Event) -> list[tuple[float, ...]]:
        fold, split = numbered
        try:
            return _score_fold(work, rows, split, stop)
        except DataError as error:
            raise DataError(f"Fold {fold}: {error}") from error

    scores = run_side_by_side(score_fold, enumerate(splits), n_jobs)
    test, train, seconds, features, terms = np.moveaxis(np.array(scores), -1, 0)
    n_tested = sum(test_rows.size for _, test_rows in splits)
    passes = max(1.0, n_tested / rows.y.size)
    sizes = np.array(work.sizes, dtype=np.int64)
    return PathScores(sizes, test, train, seconds, features, terms, len(splits) / passes)


def _score_fold(work: FoldWork, rows: Rows, split: Split, stop: Event) -> list[tuple[float, ...]]:
    """Test score, train score, seconds, features and terms of every size in one fold."""
    fitted, held_out = rows.take(split[0]), rows.take(split[1])
    found: list[tuple[float, ...]] = []
    for step in card_path(work.estimator, fitted, work.sizes):
        test, train = (_score(work, step.model, part) for part in (held_out, fitted))
        card = step.model.card_
        found.append((test, train, step.seconds, len(card.features), len(card.terms)))
        work.tell()
        if stop.is_set():
            break
    return found


def _score(work: FoldWork, model: RiskScoreClassifier, rows: Rows) -> float:
    weighted = work.takes_weights and rows.score_weights is not None
    more = {"sample_weight": rows.score_weights} if weighted else {}
    score = work.scorer(model, rows.X, rows.y, **more)
    if not isinstance(score, (int, float, np.number)) or not np.isfinite(score):
        raise DataError(
            f"the score of {rows.y.size} rows is {score!r}, not a finite number. Use fewer folds, "
            "so that each has rows of both classes, or another scoring."
        )
    return float(score)
