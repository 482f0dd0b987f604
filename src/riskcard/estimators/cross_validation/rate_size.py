"""How many terms a card of another outcome than yes or no should have: every size in every fold, and the choice."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np
from sklearn.base import clone

from riskcard.arrays import Floats
from riskcard.checks import is_whole
from riskcard.data.frames import count_rows
from riskcard.errors import ParameterError
from riskcard.estimators.cross_validation.division import Split, read_division
from riskcard.estimators.cross_validation.kind_rows import KindRows, divided
from riskcard.estimators.cross_validation.kind_words import shown_deviance, words_of
from riskcard.estimators.cross_validation.rows_of_kinds import read_kind_rows
from riskcard.estimators.cross_validation.size_choice import PathScores, choose_size
from riskcard.estimators.learning import Request
from riskcard.estimators.parallel import run_side_by_side
from riskcard.formatting.plain_text import text_table

#: The places of the figures of one size in one fold; three figures of ranks and calibration are between these.
DEVIANCE, FITTED, FEATURES, SECONDS = 0, 1, 5, 6


@dataclass(frozen=True, slots=True)
class SizeFigures:
    """One size on held-out rows: means over folds.

    Attributes
    ----------
    n_terms
        The size.
    deviance, standard_error
        What sizes are compared by, lower is better, and the standard error of its difference from the best
        size: the Poisson deviance per event given what the card expects; of levels the mean log-loss, of
        numbers the mean squared error.
    fitted
        The same on the rows that were fitted.
    ranking
        Harrell's concordance index; of counts the share of the deviance that is explained, of numbers that of
        the variance.
    brier
        The integrated Brier score; NaN where there is none.
    slope
        The calibration slope.
    n_features
        On the cards of this size.
    seconds
        Of a fit.
    """

    n_terms: int
    deviance: float
    standard_error: float
    fitted: float
    ranking: float
    brier: float
    slope: float
    n_features: float
    seconds: float


@dataclass(frozen=True, slots=True)
class TermsChoice:
    """The size that was chosen; ``print`` it.

    Attributes
    ----------
    model
        The estimator with that size, fitted to all rows.
    n_terms, best_n_terms
        The size that was chosen, and the one with the lowest mean deviance.
    sizes
        The figures of every size.
    n_splits
        How many parts were held out.
    rule
        "one_se" or "best".
    """

    model: Any
    n_terms: int
    best_n_terms: int
    sizes: tuple[SizeFigures, ...]
    n_splits: int
    rule: str

    def rows(self) -> list[dict[str, Any]]:
        """The figures as plain dicts, one per size."""
        return [
            {name: getattr(one, name) for name in SizeFigures.__dataclass_fields__}
            | {"is_chosen": one.n_terms == self.n_terms}
            for one in self.sizes
        ]

    def __str__(self) -> str:
        kind = self.model.card_.kind
        words = words_of(kind)
        has_brier = not any(np.isnan(one.brier) for one in self.sizes)
        header = ["Terms", words.short_deviance, "SE of diff.", "Fitted", words.short_ranking]
        header += ["Brier"] if has_brier else []
        lines = []
        for one in self.sizes:
            marks = {"chosen": self.n_terms, "best": self.best_n_terms}
            losses = one.deviance, one.standard_error, one.fitted
            line = [str(one.n_terms), *(shown_deviance(loss, kind, 4) for loss in losses)]
            line += [f"{one.ranking:.3f}"]
            line += [f"{one.brier:.4f}"] if has_brier else []
            line += [f"{one.slope:.2f}", f"{one.n_features:.1f}", f"{one.seconds:.2f}"]
            lines.append(
                [*line, ", ".join(word for word, size in marks.items() if size == one.n_terms)]
            )
        table = text_table([*header, "Slope", "Features", "Seconds", ""], lines, n_left=0)
        heading = (
            f"{words.compared_by} on the held-out rows of {self.n_splits} folds (lower is better)"
        )
        how = (
            f"the size with the lowest {words.compared_by.lower()}."
            if self.rule == "best"
            else "the smallest size at most one standard error (of the difference) above the best "
            f"({_terms(self.best_n_terms)})."
        )
        return "\n".join([heading, "", *table, "", f"Chosen: {_terms(self.n_terms)}, {how}"])


def _require_plan(max_terms: int, cv: int, repeats: int, rule: str) -> None:
    for name, value, least in (("max_terms", max_terms, 1), ("cv", cv, 2), ("repeats", repeats, 1)):
        if not is_whole(value) or value < least:
            raise ParameterError(f"{name} is {value!r}. Use a whole number of at least {least}.")
    if rule not in ("one_se", "best"):
        raise ParameterError(f"rule is {rule!r}. Use 'one_se' or 'best'.")


def choose_terms(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    max_terms: int = 10,
    cv: int = 5,
    repeats: int = 2,
    rule: str = "one_se",
    sample_weight: Any = None,
    groups: Any = None,
    sites: Any = None,
    time_split: Any = None,
    n_jobs: int | None = None,
    progress: Callable[[], None] | None = None,
    **further: Any,
) -> TermsChoice:
    """Choose the number of terms of a card of times, counts, numbers or levels by cross-validation.

    Every size from 1 to ``max_terms`` is fitted in every fold, and judged on the held-out rows: by the Poisson
    deviance given what the card expects of them (hazards with their baseline, or rates), by the log-loss of
    levels, or by the squared error of numbers.

    Parameters
    ----------
    estimator
        A ``RiskScoreSurvival``, ``RiskScoreRegressor`` or ``RiskScoreOrdinal``; it is cloned.
    X, y, sample_weight, **further
        As for its ``fit``: further are ``entry`` or ``exposure``.
    max_terms
        The largest size.
    cv, repeats
        Folds, and how often they are drawn.
    rule
        "one_se": the smallest size at most one standard error of the difference above the best. "best": the
        size with the lowest mean.
    groups
        One value per row; rows of one group are held out together.
    sites
        One value per row: each site is held out once, in place of folds.
    time_split
        One boolean per row: rows with True are judged by cards of the others.
    n_jobs
        Folds at a time, in threads.
    progress
        Called after every fold.

    Examples
    --------
    >>> from riskcard import RiskScoreRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> y = rng.poisson(np.exp(X[:, 0] > 0))
    >>> choose_terms(RiskScoreRegressor(), X, y, max_terms=2, cv=3, repeats=1).n_terms
    1
    """
    _require_plan(max_terms, cv, repeats, rule)
    rows = read_kind_rows(estimator, X, y, sample_weight, further)
    division = read_division(count_rows(X), groups, sites, time_split)
    splits = divided(rows, division, int(cv), int(repeats))
    sizes = range(1, max_terms + 1)
    base = clone(estimator).set_params(certify=False, verbose=False, n_jobs=None)

    def judge(split: Split, stop: Event) -> list[list[float]]:
        found = _judge_sizes(rows.take(split[0]), rows.take(split[1]), base, sizes, stop)
        if progress is not None:
            progress()
        return found

    figures = np.array(run_side_by_side(judge, splits, n_jobs))
    figures = figures[~np.isnan(figures[:, :, DEVIANCE]).any(axis=1)]  # no event was held out
    if not len(figures):
        raise ParameterError("No part that is held out has an event. Use fewer folds.")
    path = _path_of(figures, sizes, repeats if division.is_drawn else 1)
    choice = choose_size(path, rule)
    means = _means(figures)
    errors = path.standard_errors
    chosen, best = sizes[choice.chosen], sizes[choice.best]
    model = clone(estimator).set_params(max_terms=chosen)
    note = (
        f"Size chosen by the held-out {rows.words.short_deviance.lower()} of {len(splits)} parts: {chosen} of 1 to "
        f"{max_terms} terms, {'one-standard-error rule' if rule == 'one_se' else 'lowest mean'}."
    )
    model.fit_as(Request(type(model).__name__, notes=(note,)), X, y, sample_weight, **further)
    found = tuple(
        SizeFigures(size, means[place, 0], float(errors[place]), *means[place, 1:].tolist())
        for place, size in enumerate(sizes)
    )
    return TermsChoice(model, chosen, best, found, len(splits), rule)


def _judge_sizes(
    fitted: KindRows, held: KindRows, base: Any, sizes: range, stop: Event
) -> list[list[float]]:
    """The figures of every size in one fold, in the order of their places."""
    found = []
    for size in sizes:
        if stop.is_set():
            break
        begun = time.perf_counter()
        # a clone, since each thread needs an estimator of its own
        card = fitted.fit(clone(base).set_params(max_terms=size)).card_
        seconds = time.perf_counter() - begun
        own, other = held.measure(card), fitted.measure(card)
        ranks = own.ranking, held.brier(card), own.slope
        found.append([own.deviance, other.deviance, *ranks, len(card.features), seconds])
    return found


def _path_of(figures: Floats, sizes: range, passes: int) -> PathScores:
    """The figures of folds by sizes as the rule takes them."""
    return PathScores(
        sizes=np.array(sizes),
        test=-figures[:, :, DEVIANCE],
        train=-figures[:, :, FITTED],
        seconds=figures[:, :, SECONDS],
        features=figures[:, :, FEATURES],
        terms=figures[:, :, FEATURES],
        folds_a_pass=len(figures) / passes,
    )


def _means(figures: Floats) -> Floats:
    """Over folds, without those in which a figure is not known."""
    known = ~np.isnan(figures)
    sums = np.where(known, figures, 0.0).sum(axis=0)
    found: Floats = np.where(known.any(axis=0), sums / np.maximum(known.sum(axis=0), 1), np.nan)
    return found


def _terms(number: int) -> str:
    return f"{number} term{'' if number == 1 else 's'}"
