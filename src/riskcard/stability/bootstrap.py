"""The bootstrap of a whole fit: the same procedure on many resamples of the rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from riskcard.checks import is_whole
from riskcard.data.frames import count_rows
from riskcard.data.target import read_target, read_weights, two_classes
from riskcard.errors import DataError, ParameterError
from riskcard.estimators.classifier import RiskScoreClassifier
from riskcard.estimators.cross_validation.cv import RiskScoreClassifierCV
from riskcard.estimators.cross_validation.division import Division, Split, read_division
from riskcard.estimators.cross_validation.kind_rows import KindRows
from riskcard.estimators.cross_validation.path import Rows
from riskcard.estimators.cross_validation.rows_of_kinds import read_kind_rows
from riskcard.estimators.other_outcomes.rate_estimator import RateEstimator
from riskcard.estimators.parallel import run_side_by_side
from riskcard.evaluation.measures import Performance, measure
from riskcard.model.card import RiskCard
from riskcard.parameters import parameters_of
from riskcard.stability.result import CardStability, Figures, Refits

Positions = NDArray[np.intp]


def bootstrap_card(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_bootstraps: int = 100,
    random_state: Any = 0,
    n_jobs: int | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    sites: Any = None,
    time_split: Any = None,
    progress: Callable[[], None] | None = None,
    **further: Any,
) -> CardStability:
    """Refit on resamples of the rows: how stable is the card, how optimistic are its figures?

    A resample has as many rows as the table, drawn with replacement. On each of them the *whole*
    procedure runs again: features, cuts, points and scale, and with ``RiskScoreClassifierCV`` the
    size too. Its card is measured on the resample and on the rows of the table; the mean difference
    is the optimism of figures that are measured on the training rows (Harrell's bootstrap).

    Parameters
    ----------
    estimator
        A classifier with a card: ``RiskScoreClassifier``, ``RiskScoreClassifierCV``, a baseline, or
        a pipeline that ends in one; or ``RiskScoreSurvival``, ``RiskScoreRegressor`` or ``RiskScoreOrdinal``. It
        is cloned, and fitted once to all rows as well.
    X, y
        The table and its labels, as for ``fit``.
    n_bootstraps
        Number of resamples.
    random_state
        Seed of the resamples. The result is the same whatever ``n_jobs`` is.
    n_jobs
        Threads; None is 1 and -1 all processors.
    sample_weight
        One weight per row, which the row keeps in every resample.
    groups
        One value per row, such as the patient; whole groups are drawn, and they are not divided
        between folds.
    sites
        One value per row, such as the hospital. In place of resamples, each site is left out once,
        and judged by a card of all others; ``n_bootstraps`` does not count.
    time_split
        One boolean per row. Rows with False are resampled and fitted; the cards are judged on the
        others, such as those after a date.
    progress
        Called after every refit.
    **further
        ``entry`` of times to an event, ``exposure`` of counts.

    Returns
    -------
    CardStability
        ``print`` it, or look at ``features``, ``corrected`` and ``cards``.

    Notes
    -----
    A resample in which only one class occurs, or without one of the ordered levels, is drawn again. Equal rows of a
    resample stay in one fold when the estimator is a ``RiskScoreClassifierCV`` whose ``cv`` is a number; otherwise a
    size would be scored on rows that it was fitted to.

    Examples
    --------
    >>> from riskcard import RiskScoreClassifier, bootstrap_card
    >>> X = [[value % 10, value % 3] for value in range(60)]
    >>> y = [value % 10 > 4 or value % 7 == 0 for value in range(60)]
    >>> stability = bootstrap_card(RiskScoreClassifier(1), X, y, n_bootstraps=5)
    >>> stability.features[0].name, stability.features[0].share
    ('x0', 1.0)
    """
    n_resamples = parameters_of("resamples")["n_bootstraps"].checked(n_bootstraps)
    seeds = _seed_of(random_state).spawn(n_resamples)
    division = read_division(count_rows(X), groups, sites, time_split)
    if isinstance(estimator, RateEstimator):
        kind_rows = read_kind_rows(estimator, X, y, sample_weight, further)
        work: _Work = _KindWork(
            estimator,
            Rows(X, kind_rows.has_events),
            kind_rows.has_events,
            kind_rows.own_weights,
            division,
            kind_rows,
        )
    elif further:
        raise ParameterError(
            f"{min(further)} is given, but fits for outcomes of yes or no have no use for it. Leave it out."
        )
    else:
        work = _make_work(estimator, X, y, sample_weight, division)
    first = work.fit(work.own)
    work = replace(work, estimator=_settled(work.estimator, first))
    card, apparent = _card_of(first), work.measure(first, work.own)

    def refit(numbered: tuple[int, Draw], stop: Event) -> Any:
        number, draw = numbered
        fitted, judged = draw()
        try:
            model = work.fit(fitted)
        except DataError as error:
            raise DataError(f"{work.noun.capitalize()} {number}: {error}") from error
        figures = work.measure(model, fitted), work.measure(model, judged)
        if progress is not None:
            progress()
        return _card_of(model), *figures

    found = run_side_by_side(refit, enumerate(work.draws(seeds)), n_jobs)
    cards, on_resamples, on_rows = zip(*found, strict=True)
    return CardStability(card, cards, apparent, on_resamples, on_rows, work.what)


#: Gives the positions of the rows to fit and of those to judge.
Draw = Callable[[], Split]


@dataclass(frozen=True, slots=True)
class _Work:
    """The procedure and the rows of the table."""

    estimator: Any
    rows: Rows
    is_event: NDArray[np.bool_]
    weights: NDArray[np.float64]
    division: Division

    @property
    def own(self) -> Positions:
        """The rows that the card itself is fitted to."""
        later = self.division.is_later
        return np.arange(self.is_event.size) if later is None else np.flatnonzero(~later)

    @property
    def judged(self) -> Positions:
        """The rows that the cards of resamples are judged on."""
        later = self.division.is_later
        return self.own if later is None else np.flatnonzero(later)

    @property
    def noun(self) -> str:
        """What is refitted, in a word."""
        return "resample" if self.division.sites is None else "site"

    @property
    def what(self) -> Refits:
        """What is refitted."""
        if self.division.sites is not None:
            return Refits.SITES
        if self.division.is_later is not None:
            return Refits.EARLIER_ROWS
        return Refits.ROWS if self.division.groups is None else Refits.GROUPS

    def draws(self, seeds: Sequence[Any]) -> list[Draw]:
        """One for each resample or site."""
        if self.division.sites is not None:
            splits = self.division.one_pass(self.is_event, 0, 0)
            return [partial(_as_it_is, split) for split in splits]
        return [partial(self._resample, seed) for seed in seeds]

    def _resample(self, seed: Any) -> Split:
        """Drawn with replacement; rows of both classes that have a weight are among them."""
        rng = np.random.default_rng(seed)
        while True:
            positions = self.division.draw(rng, self.own)
            drawn = self.is_event[positions][self.weights[positions] > 0]
            if drawn.any() and not drawn.all():
                return positions, self.judged

    def fit(self, positions: Positions) -> Any:
        """The procedure on some rows; copies of one row must not be divided between folds."""
        rows = self.rows.take(positions)
        more: dict[str, Any] = {}
        if rows.weights is not None:
            prefix = (
                f"{self.estimator.steps[-1][0]}__" if isinstance(self.estimator, Pipeline) else ""
            )
            more[f"{prefix}sample_weight"] = rows.weights
        is_sized = isinstance(self.estimator, RiskScoreClassifierCV) and is_whole(self.estimator.cv)
        groups = self.division.groups
        if is_sized and groups is not None:
            more["groups"] = groups[positions]
        elif is_sized and np.unique(positions).size < positions.size:
            more["groups"] = positions
        return clone(self.estimator).fit(rows.X, rows.y, **more)

    def measure(self, model: Any, positions: Positions) -> Figures:
        """The figures of some rows; there are none where they are all of one class."""
        is_event = self.is_event[positions]
        if is_event.all() or not is_event.any():
            return Performance(np.nan, np.nan, np.nan)
        log_odds = model.decision_function(self.rows.take(positions).X)
        return measure(log_odds, is_event, self.weights[positions])


@dataclass(frozen=True, slots=True)
class _KindWork(_Work):
    """The same for outcomes other than yes or no."""

    kind_rows: KindRows

    def _resample(self, seed: Any) -> Split:
        """Drawn with replacement, until something can be learned from the rows; all rows were enough."""
        if why := self.kind_rows.why_not(self.own):
            raise DataError(f"In the rows to learn from {why}. Give others.")
        rng = np.random.default_rng(seed)
        while True:
            positions = self.division.draw(rng, self.own)
            if not self.kind_rows.why_not(positions):
                return positions, self.judged

    def fit(self, positions: Positions) -> Any:
        """The procedure on some rows."""
        return self.kind_rows.take(positions).fit(self.estimator)

    def measure(self, model: Any, positions: Positions) -> Figures:
        """The figures of some rows; there are none where no row has an event."""
        return self.kind_rows.take(positions).measure(model.card_)


def _as_it_is(split: Split) -> Split:
    return split


def _make_work(estimator: Any, X: Any, y: Any, sample_weight: Any, division: Division) -> _Work:
    if not hasattr(estimator, "fit") or not hasattr(estimator, "decision_function"):
        raise ParameterError(
            f"The estimator is {estimator!r}. Give a classifier, such as RiskScoreClassifier()."
        )
    n_rows = count_rows(X)
    labels = read_target(y, n_rows)
    weights = read_weights(sample_weight, n_rows)
    rows = Rows(X, labels, None if sample_weight is None else weights)
    # scikit-learn's order: which of the two is the event changes none of the figures
    is_last = np.asarray(labels == two_classes(labels)[1], dtype=bool)
    return _Work(estimator, rows, is_last, weights, division)


def _settled(estimator: Any, first: Any) -> Any:
    """The same procedure with the identifiers of all rows: in a resample numbers are repeated."""
    last = first.steps[-1][1] if isinstance(first, Pipeline) else first
    if not hasattr(last, "identifiers_"):
        return estimator
    settled = clone(estimator)
    if isinstance(settled, RiskScoreClassifierCV) and settled.estimator is None:
        settled.set_params(estimator=RiskScoreClassifier())
    names = [name for name in settled.get_params() if name.rpartition("__")[2] == "identifiers"]
    return settled.set_params(**dict.fromkeys(names, last.identifiers_ or None))


def _card_of(model: Any) -> RiskCard:
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    card = getattr(last, "card_", None)
    if not isinstance(card, RiskCard):
        raise ParameterError(
            f"{type(last).__name__} has no card_. Give a classifier whose model is a card, or a "
            "pipeline that ends in one."
        )
    return card


def _seed_of(random_state: Any) -> np.random.SeedSequence:
    if random_state is None:
        return np.random.SeedSequence()
    if is_whole(random_state) and random_state >= 0:
        return np.random.SeedSequence(int(random_state))
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(int(random_state.randint(2**31 - 1)))
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(int(random_state.integers(2**31 - 1)))
    raise ParameterError(
        f"random_state is {random_state!r}. Use a whole number of at least 0, None or a generator "
        "of numpy."
    )
