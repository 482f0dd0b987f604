"""From a card and rows to all facts of a report."""

import platform
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.audit.audit import audit_card
from riskcard.audit.findings import AuditReport
from riskcard.data.features import read_features
from riskcard.data.files.file_facts import FileFacts
from riskcard.data.frames import column_names
from riskcard.data.target import read_target, read_weights
from riskcard.errors import DataError, ParameterError, RiskcardWarning
from riskcard.estimators.cross_validation.division import Division
from riskcard.evaluation.development.instability import Instability, instability
from riskcard.evaluation.development.sample_size import SampleSize, r_squared_of_auc, sample_size
from riskcard.evaluation.distribution import distributions_of
from riskcard.evaluation.outcomes import Outcomes
from riskcard.evaluation.summary import evaluate
from riskcard.formatting.speech import now_in_words, say, translated
from riskcard.model.card import RiskCard
from riskcard.model.totals import count_totals
from riskcard.report.data_facts import describe_table
from riskcard.report.facts import Origin, ReportFacts, RowFacts, ValidationFacts
from riskcard.report.refits.cross_validation import FoldPlan, Table, hold_out
from riskcard.report.refits.procedure import Procedure
from riskcard.report.refits.resampling import FEWEST, Plan, resample
from riskcard.report.row_mode import (
    failures_of,
    mode_of,
    needs_audit,
    require_new_rows,
)
from riskcard.stability.result import CardStability
from riskcard.version import __version__

#: In addition to riskcard itself.
_PACKAGES = ("numpy", "numba", "scikit-learn", "matplotlib")
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
    cv, repeats
        Folds, 0 for none; and how often they are drawn at most.
    n_bootstraps
        Resamples; 0 for none.
    time_limit
        Seconds for all refits, in folds and resamples together; None for no limit.
    random_state
        Of folds and resamples.
    n_jobs
        Resamples at a time.
    remarks
        Sentences on the rows that the reader should know.
    edits
        What is said of a card file that was edited; the card is not judged then.
    files, shown_options
        What was read, and the names and values of options, for the list at the end of the page.
    """

    cv: int = 5
    repeats: int = 5
    n_bootstraps: int = 50
    time_limit: float | None = 60.0
    random_state: int = 0
    n_jobs: int | None = None
    remarks: tuple[str, ...] = ()
    edits: tuple[str, ...] = ()
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

    def note(self, sentence: str) -> None:
        if sentence:
            self.notes.append(sentence)


def gather_facts(
    card: RiskCard,
    rows: ReportRows,
    test: ReportRows | None,
    procedure: Procedure,
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
    procedure
        How the card was learned.
    options
        What to do.
    tell
        Called with the number of steps that are done; ``cv * 3 * repeats + n_bootstraps`` in all.
    """
    with card.labels.spoken():
        _check(options)
        work = _Work(options, tell, notes=list(map(translated, options.remarks)))
        on_rows, table = _evaluate(card, rows, "these rows")
        mode = mode_of(
            card, table.features, rows.for_card, table.is_event, _given_weights(rows, table)
        )
        audit = _audit(card, rows, table) if needs_audit(card, mode, table.is_event) else None
        mode = replace(
            mode, failures=(*map(translated, options.edits), *failures_of(card, mode, audit))
        )
        on_test = None
        if test is not None:
            on_test, others = _evaluate(card, test, "test rows")
            known = table.features if mode.is_training else None
            pairs = (known, table.is_event), (others.features, others.is_event)
            work.note(require_new_rows(card, *pairs[0], *pairs[1]))
        validation = stability = None
        if mode.is_training and not mode.failures:
            procedure = procedure.for_rows(card, rows.table)
            work.note(procedure.note)
            validation, seconds = _validate(table, procedure, work)
            stability = _resample(card, table, procedure, seconds, work)
        else:
            procedure = Procedure(None)
        return ReportFacts(
            card=card,
            mode=mode,
            audit=audit,
            distributions=distributions_of(card, card.features, rows.for_card, table.weights),
            rows=on_rows,
            test=on_test,
            validation=validation,
            stability=stability,
            instability=_instability(stability, table),
            sample_size=_sample_size(on_rows, validation) if mode.is_training else None,
            notes=tuple(work.notes),
            division=_what_is_held_out(rows.division),
            is_grouped=rows.division.groups is not None,
            origin=Origin(
                made=now_in_words(),
                files=options.files,
                options=options.shown_options,
                refit=procedure.settings,
                versions=_versions(),
                seconds=work.seconds,
            ),
        )


def _check(options: ReportOptions) -> None:
    if options.cv < 0 or options.cv == 1:
        raise ParameterError(f"cv is {options.cv}. Use at least 2 folds, or 0 for none.")
    if options.repeats < 1:
        raise ParameterError(f"repeats is {options.repeats}. Use a number from 1.")
    if options.n_bootstraps < 0:
        raise ParameterError(f"n_bootstraps is {options.n_bootstraps}. Use a number from 0.")
    if options.time_limit is not None and not options.time_limit >= 0:
        raise ParameterError(f"The time limit is {options.time_limit}. Use seconds, from 0.")


def _what_is_held_out(division: Division) -> str:
    if division.sites is not None:
        return "sites"
    if division.is_later is not None:
        return "later rows"
    return "folds" if division.groups is None else "groups"


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
    risks = card.risk_of_total(totals)
    on_card = [feature.name for feature in card.features]
    grid = None if card.recipe is None else card.recipe.resolved.get("grid")
    facts = RowFacts(
        name=name,
        data=describe_table(features, is_event, weights, on_card, grid),
        evaluation=evaluate(Outcomes(risks, is_event, weights, rows.division.groups)),
        totals=count_totals(totals, is_event, weights, card.reachable_totals()),
        guesses=tuple(translated(str(one.message)) for one in caught),
    )
    return facts, Table(rows.table, features, is_event, weights, risks, rows.division)


def _given_weights(rows: ReportRows, table: Table) -> NDArray[np.float64] | None:
    return None if rows.sample_weight is None else table.weights


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


def _audit(card: RiskCard, rows: ReportRows, table: Table) -> AuditReport:
    columns = rows.for_card
    if rows.for_card is not rows.table:  # with all that the card was learned from
        columns = {name: rows.table[name] for name in column_names(rows.table) or ()}
        columns.update(rows.for_card)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RiskcardWarning)
        labels = np.array(card.classes, dtype=object)[table.is_event.astype(int)]
        return audit_card(card, columns, labels, sample_weight=_given_weights(rows, table))


# --- refits -------------------------------------------------------------------------------------


def _validate(table: Table, procedure: Procedure, work: _Work) -> tuple[Any, float]:
    options = work.options
    if procedure.estimator is None:
        return None, 0.0
    if not options.cv:
        work.note(say("note_no_folds"))
        return None, 0.0
    n_passes = options.repeats if table.division.is_drawn else 1
    n_fits, done = 3 * options.cv * options.repeats, 0

    def tell() -> None:
        nonlocal done
        done += 1
        work.tell(1 if done <= n_fits else 0)

    limited = procedure.limited(_SHARE_OF_FOLDS / options.cv * work.left)
    plan = FoldPlan(options.cv, n_passes, options.random_state, _SHARE_OF_FOLDS * work.left)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, seconds = hold_out(table, limited, plan, tell)
    work.tell(max(0, n_fits - done))
    what = "row" if table.division.groups is None else "group"
    if found is None:
        work.note(say(f"note_single_{what}"))
        return None, 0.0
    if table.division.is_drawn and found.folds < options.cv:
        work.note(say(f"note_few_{what}s", number=str(found.folds)))
    if found.repeats < n_passes:
        name = "note_drawn_once" if found.repeats == 1 else "note_drawn"
        work.note(say(name, times=str(found.repeats), wanted=str(n_passes)))
    return found, seconds


def _resample(
    card: RiskCard, table: Table, procedure: Procedure, seconds: float, work: _Work
) -> Any:
    options = work.options
    if procedure.estimator is None or not options.n_bootstraps:
        return None
    plan = Plan(options.n_bootstraps, work.left, seconds, options.random_state, options.n_jobs)
    limited = procedure.limited(work.left / FEWEST)
    stability, notes = resample(card, table, limited, plan, work.tell)
    work.notes += notes
    return stability


def _instability(stability: CardStability | None, table: Table) -> Instability | None:
    """The risks of these rows by the cards of the resamples, next to those of the card."""
    if stability is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RiskcardWarning)
        others = [
            card.risk(table.table)
            if card.features
            else np.full(len(table.risks), card.risk_of_total(0))
            for card in stability.cards
        ]
    return instability(Outcomes(table.risks, table.is_event, table.weights), others)


def _sample_size(rows: RowFacts, validation: ValidationFacts | None) -> SampleSize | None:
    """Rows for as many parameters as there are candidate features, at the AUC of held-out rows.

    Held-out rows, or the card's own where none were held out. Cuts are chosen as well, so that the true
    number of parameters is larger; the number of features is the least that one can count.
    """
    judged = rows.evaluation if validation is None else validation.methods[0].evaluation
    if not 0.5 < judged.roc.area < 1:
        return None
    r_squared = r_squared_of_auc(judged.roc.area, judged.base_rate)
    return sample_size(max(1, len(rows.data.columns)), judged.base_rate, r_squared)


def _versions() -> tuple[tuple[str, str], ...]:
    found = [("riskcard", __version__), ("Python", platform.python_version())]
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):  # installed in another way
            found.append((name, version(name)))
    return (*found, (say("origin_system"), f"{platform.system()} {platform.machine()}"))
