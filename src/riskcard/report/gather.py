"""From a card and rows to all facts of a report."""

import datetime
import platform
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from riskcard.audit.audit import audit_card
from riskcard.data.features import read_features
from riskcard.data.frames import column_names
from riskcard.data.target import read_target, read_weights
from riskcard.errors import DataError, ParameterError, RiskcardWarning
from riskcard.estimators.cross_validation.division import Division
from riskcard.evaluation.distribution import distributions_of
from riskcard.evaluation.outcomes import Outcomes
from riskcard.evaluation.summary import evaluate
from riskcard.model.card import RiskCard
from riskcard.model.totals import count_totals
from riskcard.report.data_facts import describe_table
from riskcard.report.facts import FileFacts, Origin, ReportFacts, RowFacts
from riskcard.report.resampling import FEWEST, Plan, resample
from riskcard.report.validation import Table, hold_out
from riskcard.version import __version__

#: In addition to riskcard itself.
_PACKAGES = ("numpy", "numba", "scikit-learn", "matplotlib")
#: Parameters of the refits that are listed even where they are the default.
_ALWAYS_SHOWN = ("max_terms", "max_points", "scale", "regularization")
#: Share of the time limit that the refits in the folds may take.
_SHARE_OF_FOLDS = 0.4


@dataclass(frozen=True, slots=True)
class ReportRows:
    """The rows that a report is about.

    Attributes
    ----------
    table
        All candidate features, as a classifier takes them.
    labels
        One per row, as the card writes them.
    sample_weight
        One per row, or None.
    for_card
        The same rows as the card takes them; by default the table.
    division
        Which rows stay together or apart in folds and resamples.
    """

    table: Any
    labels: Any
    sample_weight: Any = None
    for_card: Any = None
    division: Division = field(default_factory=Division)

    def __post_init__(self) -> None:
        if self.for_card is None:
            object.__setattr__(self, "for_card", self.table)


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What a report is to hold, and how long it may take.

    Attributes
    ----------
    cv
        Folds; 0 for none.
    n_bootstraps
        Resamples; 0 for none.
    time_limit
        Seconds for all refits, in folds and resamples together; None for no limit.
    random_state
        Of folds and resamples.
    n_jobs
        Resamples at a time.
    files, shown_options
        What was read, and the names and values of options, for the list at the end of the page.
    """

    cv: int = 5
    n_bootstraps: int = 50
    time_limit: float | None = 60.0
    random_state: int = 0
    n_jobs: int | None = None
    files: tuple[FileFacts, ...] = ()
    shown_options: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class _Work:
    """The clock, and the notes for the reader."""

    options: ReportOptions
    tell: Callable[[int], None]
    begun: float = field(default_factory=time.perf_counter)
    notes: list[str] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.begun

    @property
    def left(self) -> float:
        """Seconds left for refits; infinite without a limit."""
        limit = self.options.time_limit
        return float("inf") if limit is None else max(0.0, limit - self.seconds)


def gather_facts(
    card: RiskCard,
    rows: ReportRows,
    test: ReportRows | None,
    estimator: Any,
    options: ReportOptions,
    tell: Callable[[int], None],
) -> ReportFacts:
    """Compute everything that a report says.

    Parameters
    ----------
    card
        The card.
    rows
        Rows, in most cases those that it was learned from.
    test
        Other rows; or None.
    estimator
        The procedure behind the card, unfitted; None when it is not known, and then the card is not
        refitted.
    options
        What to do.
    tell
        Called with the number of steps that are done; ``cv * 3 + n_bootstraps`` in all.
    """
    _check(options)
    work = _Work(options, tell)
    estimator = _for_these_rows(estimator, card, rows.table)
    on_rows, table = _evaluate(card, rows, "these rows")
    on_test = None if test is None else _evaluate(card, test, "test rows")[0]
    report = _audit(card, rows, table)
    if estimator is None:
        work.notes.append(
            "How the card was learned is not known, so it could not be refitted: there are no "
            "cross-validated figures of its own and no resamples."
        )
    validation, seconds = _validate(table, estimator, work)
    stability = _resample(card, table, estimator, seconds, work)
    return ReportFacts(
        card=card,
        audit=report,
        is_training=_is_training(card, report.loss, table),
        distributions=distributions_of(card, card.features, rows.for_card, table.weights),
        rows=on_rows,
        test=on_test,
        validation=validation,
        stability=stability,
        notes=tuple(work.notes),
        origin=Origin(
            made=f"{datetime.datetime.now(datetime.timezone.utc):%d %B %Y, %H:%M} UTC",
            files=options.files,
            options=options.shown_options,
            refit=_settings(estimator),
            versions=_versions(),
            seconds=work.seconds,
        ),
    )


def _check(options: ReportOptions) -> None:
    if options.cv < 0 or options.cv == 1:
        raise ParameterError(f"cv is {options.cv}. Use at least 2 folds, or 0 for none.")
    if options.n_bootstraps < 0:
        raise ParameterError(f"n_bootstraps is {options.n_bootstraps}. Use a number from 0.")
    if options.time_limit is not None and not options.time_limit >= 0:
        raise ParameterError(f"The time limit is {options.time_limit}. Use seconds, from 0.")


# --- rows ---------------------------------------------------------------------------------------


def _evaluate(card: RiskCard, rows: ReportRows, name: str) -> tuple[RowFacts, Table]:
    """The card on rows, and the rows as they are learned from."""
    features = read_features(rows.table)
    n_rows = len(features.values)
    labels = read_target(rows.labels, n_rows)
    weights = read_weights(rows.sample_weight, n_rows)
    is_event = _events(card, labels, name)
    if not is_event.any() or is_event.all():
        which = card.classes[int(is_event.all())]
        raise DataError(
            f"The label of all {name} is {which!r}. A report needs rows with and without the event."
        )
    if not (weights > 0).all():
        raise DataError("Some rows have the weight 0. Leave them out.")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RiskcardWarning)
        totals = card.total_points(rows.for_card)
    outcomes = Outcomes(card.risk_of_total(totals), is_event, weights)
    on_card = [feature.name for feature in card.features]
    facts = RowFacts(
        name=name,
        data=describe_table(features, is_event, weights, on_card),
        evaluation=evaluate(outcomes),
        totals=count_totals(totals, is_event, weights, card.reachable_totals()),
        guesses=tuple(str(one.message) for one in caught),
    )
    table = Table(rows.table, features, is_event, weights, outcomes.risks, rows.division)
    return facts, table


def _events(card: RiskCard, labels: NDArray[Any], name: str) -> NDArray[np.bool_]:
    is_event = np.array(labels == card.classes[1], dtype=bool)
    unknown = ~(is_event | np.array(labels == card.classes[0], dtype=bool))
    if unknown.any():
        (label,) = labels[unknown][:1].tolist()
        raise DataError(
            f"A label among {name} is {label!r}, but the card knows {card.classes[0]!r} and "
            f"{card.classes[1]!r}. Give the labels of the card."
        )
    return is_event


def _audit(card: RiskCard, rows: ReportRows, table: Table) -> Any:
    columns = rows.for_card
    if rows.for_card is not rows.table:  # with all that the card was learned from
        columns = {name: rows.table[name] for name in column_names(rows.table) or ()}
        columns.update(rows.for_card)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RiskcardWarning)
        labels = np.array(card.classes, dtype=object)[table.is_event.astype(int)]
        return audit_card(card, columns, labels, sample_weight=table.weights)


def _is_training(card: RiskCard, loss: float, table: Table) -> bool:
    """As many rows and events as in training, and the loss that the card claims."""
    facts, certificate = card.training, card.certificate
    if facts is None or certificate is None:
        return False
    is_same = facts.rows == table.n_rows and facts.events == int(table.is_event.sum())
    return is_same and bool(np.isclose(loss, certificate.loss, rtol=1e-6))


# --- refits -------------------------------------------------------------------------------------


def _validate(table: Table, estimator: Any, work: _Work) -> tuple[Any, float]:
    if not work.options.cv:
        work.notes.append("There was no cross-validation, because none was requested.")
        return None, 0.0
    division = table.division
    splits = division.one_pass(table.is_event, work.options.cv, work.options.random_state)
    if division.is_drawn and len(splits) < work.options.cv:
        what = "row" if division.groups is None else "group"
        work.notes.append(
            f"One class has {len(splits)} {what}s, so there are only {len(splits)} folds."
            if splits
            else f"One class has a single {what}, so nothing could be held out."
        )
    if not splits:
        return None, 0.0
    limited = _limited(estimator, work, _SHARE_OF_FOLDS / len(splits))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return hold_out(table, splits, limited, lambda: work.tell(1))


def _resample(card: RiskCard, table: Table, estimator: Any, seconds: float, work: _Work) -> Any:
    options = work.options
    if estimator is None or not options.n_bootstraps:
        return None
    plan = Plan(options.n_bootstraps, work.left, seconds, options.random_state, options.n_jobs)
    limited = _limited(estimator, work, 1 / FEWEST)
    stability, notes = resample(card, table, limited, plan, work.tell)
    work.notes += notes
    return stability


def _for_these_rows(estimator: Any, card: RiskCard, table: Any) -> Any:
    """The same procedure for labels that are true or false, and for the features of the card."""
    if estimator is None:
        return None
    others = [name for name in column_names(table) or () if str(name) not in card.feature_names]
    known = {"event": None, "identifiers": [str(name) for name in others] or None}
    changes = {}
    for name in estimator.get_params():
        last = name.rpartition("__")[2]
        if last in known:
            changes[name] = known[last]
    return clone(estimator).set_params(**changes)


def _limited(estimator: Any, work: _Work, share: float) -> Any:
    """The same procedure with a share of the time that is left for each fit."""
    if estimator is None or work.left == float("inf"):
        return estimator
    limits = [name for name in estimator.get_params() if name.endswith("time_limit")]
    if not limits:
        return estimator
    own = estimator.get_params()[limits[0]]
    allowed = max(1.0, share * work.left)
    limit = allowed if own is None else min(own, allowed)
    return clone(estimator).set_params(**{limits[0]: limit})


def _settings(estimator: Any) -> tuple[tuple[str, str], ...]:
    if estimator is None:
        return ()
    defaults = type(estimator)().get_params(deep=False)
    shown = {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if name in _ALWAYS_SHOWN or value != defaults[name]
    }
    return tuple((name, str(value)) for name, value in shown.items() if name != "verbose")


def _versions() -> tuple[tuple[str, str], ...]:
    found = [("riskcard", __version__), ("Python", platform.python_version())]
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):  # installed in another way
            found.append((name, version(name)))
    return (*found, ("system", f"{platform.system()} {platform.machine()}"))
