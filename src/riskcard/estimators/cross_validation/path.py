"""Cards of every size, one after another: on one table, and in every fold of a cross-validation."""

from __future__ import annotations

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
from riskcard.estimators.cross_validation.scorers import score_of_rows
from riskcard.estimators.cross_validation.size_choice import HeldOutcomes, PathScores
from riskcard.estimators.learning import Request
from riskcard.estimators.parallel import run_side_by_side
from riskcard.evaluation.measures import Tally, area_under_curve

#: Positions of the rows to fit and of the held-out rows.
Split = tuple[NDArray[np.intp], NDArray[np.intp]]
#: A score from a fitted model, features, labels and, where it takes them, weights.
Scorer = Callable[..., float]


@dataclass(frozen=True, slots=True)
class Rows:
    """A table, its labels and, unless all rows weigh the same, its weights.

    Attributes
    ----------
    X, y
        Features and labels.
    weights
        For fits and scores.
    """

    X: Any
    y: NDArray[Any]
    weights: NDArray[np.float64] | None = None

    def take(self, positions: NDArray[np.intp]) -> Rows:
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[positions]
        return Rows(take_rows(self.X, positions), self.y[positions], weights)


@dataclass(frozen=True, slots=True)
class Step:
    """One size of a path: the fitted model and the seconds that it took."""

    size: int
    model: RiskScoreClassifier
    seconds: float


def card_path(estimator: RiskScoreClassifier, rows: Rows, sizes: Sequence[int]) -> Iterator[Step]:
    """Fit one size after another; the card of each is a start for the next.

    Parameters
    ----------
    estimator
        All parameters but ``max_terms``.
    rows
        What to fit.
    sizes
        Numbers of terms, ascending; 0 is the card without terms.
    """
    start = None
    for size in sizes:
        step = fit_size(estimator, rows, size, Request(start=start, keeps_start=False))
        start = step.model.card_ if size > 0 else None
        yield step


def fit_size(estimator: RiskScoreClassifier, rows: Rows, size: int, request: Request) -> Step:
    """Fit a card of one size.

    Parameters
    ----------
    estimator
        All parameters but ``max_terms``; it is cloned.
    rows
        What to fit.
    size
        Number of terms; 0 is the card without terms.
    request
        What is asked for in addition, such as a card to start from.
    """
    begun = time.perf_counter()
    model = clone(estimator).set_params(max_terms=max(size, 1))
    model._fit(rows.X, rows.y, rows.weights, replace(request, is_empty=size == 0))
    return Step(size, model, time.perf_counter() - begun)


#: Test score, train score, seconds, features, terms and AUC of one size in a fold; its outcomes.
_Scored = tuple[tuple[float, ...], HeldOutcomes]


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
        The score; higher is better.
    tell
        Called after every fit, from the thread that made it.
    """

    estimator: RiskScoreClassifier
    sizes: tuple[int, ...]
    scorer: Scorer
    tell: Callable[[], None]


def cross_validate(
    work: FoldWork, rows: Rows, splits: Sequence[Split], n_jobs: int | None
) -> PathScores:
    """Fit and score every size in every fold, the folds side by side."""

    def score_fold(numbered: tuple[int, Split], stop: Event) -> list[_Scored]:
        fold, split = numbered
        try:
            return _score_fold(work, rows, split, stop)
        except DataError as error:
            raise DataError(f"Fold {fold}: {error}") from error

    found = run_side_by_side(score_fold, enumerate(splits), n_jobs)
    scores = [[figures for figures, _ in fold] for fold in found]
    test, train, seconds, features, terms, areas = np.moveaxis(np.array(scores), -1, 0)
    held_out = [_joined([fold[place][1] for fold in found]) for place in range(len(work.sizes))]
    n_tested = sum(test_rows.size for _, test_rows in splits)
    passes = max(1.0, n_tested / rows.y.size)
    sizes = np.array(work.sizes, dtype=np.int64)
    folds_a_pass = len(splits) / passes
    return PathScores(
        sizes, test, train, seconds, features, terms, folds_a_pass, areas, tuple(held_out)
    )


def _score_fold(work: FoldWork, rows: Rows, split: Split, stop: Event) -> list[_Scored]:
    """Every size in one fold."""
    fitted, held_out = rows.take(split[0]), rows.take(split[1])
    found: list[_Scored] = []
    for step in card_path(work.estimator, fitted, work.sizes):
        test, train = (_score(work, step.model, part) for part in (held_out, fitted))
        card = step.model.card_
        outcomes = _outcomes_of(step.model, held_out)
        area = _area_of(outcomes)
        figures = (test, train, step.seconds, len(card.features), len(card.terms), area)
        found.append((figures, outcomes))
        work.tell()
        if stop.is_set():
            break
    return found


def _joined(parts: list[HeldOutcomes]) -> HeldOutcomes:
    """The held-out rows of all folds together."""
    log_odds, is_last, weights = zip(*parts, strict=True)
    return np.concatenate(log_odds), np.concatenate(is_last), np.concatenate(weights)


def _outcomes_of(model: RiskScoreClassifier, rows: Rows) -> HeldOutcomes:
    """Log-odds of the last class, which rows are of it, and their weights."""
    weights = np.ones(rows.y.size) if rows.weights is None else rows.weights
    is_last = np.asarray(rows.y == model.classes_[1], dtype=bool)
    return model.decision_function(rows.X), is_last, weights


def _area_of(outcomes: HeldOutcomes) -> float:
    """The area under the ROC curve; NaN where rows of one class have all the weight."""
    _, is_last, weights = outcomes
    if not (weights[is_last].sum() > 0 and weights[~is_last].sum() > 0):
        return float("nan")
    return area_under_curve(Tally.of(*outcomes))


def _score(work: FoldWork, model: RiskScoreClassifier, rows: Rows) -> float:
    score = score_of_rows(work.scorer, model, rows.X, rows.y, rows.weights)
    if not isinstance(score, (int, float, np.number)) or not np.isfinite(score):
        raise DataError(
            f"the score of {rows.y.size} rows is {score!r}, not a finite number. Use fewer folds, "
            "so that each has rows of both classes, or another scoring."
        )
    return float(score)
