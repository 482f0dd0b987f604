"""From a card and rows to all facts of a validation: this card as it is, nothing refitted or corrected."""

from __future__ import annotations

import platform
import warnings
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import numpy as np

from riskcard.data.files.file_facts import FileFacts
from riskcard.data.rows_to_score import as_numbers, take_columns
from riskcard.errors import ParameterError, RiskcardWarning
from riskcard.evaluation.groups.fairness import fairness
from riskcard.evaluation.groups.random_effects import summarise_sites
from riskcard.evaluation.groups.subgroups import GroupFigures, figures_of
from riskcard.evaluation.monitoring.card_drift import CardDrift, card_drift
from riskcard.evaluation.monitoring.updating import choose_update
from riskcard.evaluation.outcomes import Outcomes
from riskcard.evaluation.smooth_calibration import smooth_calibration
from riskcard.evaluation.summary import evaluate
from riskcard.evaluation.thresholds import RiskGroup, risk_groups, threshold_table
from riskcard.formatting.figures import amount
from riskcard.formatting.speech import now_in_words, say
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature
from riskcard.model.totals import TotalCount, count_totals
from riskcard.validation.facts import (
    FairnessFacts,
    Origin,
    RowFacts,
    Rows,
    SiteFacts,
    SubgroupFacts,
    ValidationFacts,
    ValueFacts,
)
from riskcard.validation.named_groups import NamedGroups
from riskcard.validation.rivals import compare_rival
from riskcard.validation.rows import (
    GivenRows,
    JudgedRows,
    Rival,
    judged_rows,
    with_drawn_clusters,
)
from riskcard.version import __version__

#: A table of thresholds has at most this many lines; of a card with more totals, round ones are shown.
_MOST_THRESHOLDS = 40


@dataclass(frozen=True, slots=True)
class ValidationOptions:
    """What a validation is to hold.

    Attributes
    ----------
    risk_groups
        Risks where a new group begins.
    total_groups
        Totals where a new group begins; at most one of the two is given.
    flag_from
        Risks at which the error rates of groups are compared.
    n_bootstraps, random_state
        Resamples behind the intervals of ICI, E50 and E90, and their seed.
    files, shown_options
        What was read, and the options, for the end of the page.
    """

    risk_groups: tuple[float, ...] = ()
    total_groups: tuple[float, ...] = ()
    flag_from: tuple[float, ...] = ()
    n_bootstraps: int = 500
    random_state: int = 0
    files: tuple[FileFacts, ...] = ()
    shown_options: tuple[tuple[str, str], ...] = ()


def gather_facts(card: RiskCard, given: GivenRows, options: ValidationOptions) -> ValidationFacts:
    """Compute everything that a validation says; what is said in words is in the card's language."""
    _check(options, given)
    with card.labels.spoken():
        return _gathered(card, given, options)


def _gathered(card: RiskCard, given: GivenRows, options: ValidationOptions) -> ValidationFacts:
    given = with_drawn_clusters(card, given)
    with warnings.catch_warnings():
        # values that training did not have are counted, feature by feature
        warnings.simplefilter("ignore", RiskcardWarning)
        rows = judged_rows(card, given)
        values = _values_of(card, given, rows)
        drift = _drift_of(card, given, rows)
    outcomes = rows.outcomes
    found = evaluate(outcomes)
    return ValidationFacts(
        card=card,
        rows=_row_facts(given, rows),
        evaluation=found,
        smooth=smooth_calibration(outcomes, options.n_bootstraps, options.random_state),
        totals=_totals(card, rows),
        thresholds=_thresholds(card, rows),
        risk_groups=_risk_groups(rows, options),
        groups_are_totals=bool(options.total_groups),
        subgroups=tuple(_subgroups(rows, one) for one in given.by),
        fairness=tuple(_fairness(rows, one, options) for one in given.by if options.flag_from),
        sites=None if given.sites is None else _sites(rows, given.sites),
        rivals=tuple(
            compare_rival(
                outcomes, Rival(one.name, one.kind, one.values[rows.kept]), options.risk_groups
            )
            for one in given.rivals
        ),
        values=values,
        drift=drift,
        update=choose_update(outcomes),
        notes=tuple(_notes(card, rows, drift)),
        origin=Origin(
            made=now_in_words(),
            files=options.files,
            options=options.shown_options,
            versions=(
                ("riskcard", __version__),
                ("Python", platform.python_version()),
                *((name, version(name)) for name in ("numpy", "scipy")),
            ),
        ),
    )


def _check(options: ValidationOptions, given: GivenRows) -> None:
    if options.risk_groups and options.total_groups:
        raise ParameterError("Groups are either by risk or by total. Give one of the two.")
    if not all(0 < cut < 1 for cut in options.risk_groups):
        raise ParameterError(
            f"The risks where groups begin are {list(options.risk_groups)}. Give numbers between 0 and 1, "
            "such as 0.05 and 0.2."
        )
    if not all(0 < one < 1 for one in options.flag_from):
        raise ParameterError(
            f"The risks from which rows are flagged are {list(options.flag_from)}. Give numbers between 0 "
            "and 1, such as 0.2."
        )
    if options.flag_from and not given.by:
        raise ParameterError(
            "Error rates are compared between groups, but none are named. Name columns to judge by."
        )
    if options.n_bootstraps < 0:
        raise ParameterError(f"n_bootstraps is {options.n_bootstraps}. Use a number from 0.")


def _row_facts(given: GivenRows, rows: JudgedRows) -> RowFacts:
    outcomes = rows.outcomes
    return RowFacts(
        origin=rows.origin,
        is_weighted=bool((outcomes.row_weights != outcomes.row_weights[0]).any()),
        clusters=None if outcomes.clusters is None else np.unique(outcomes.clusters).size,
        groups_column=given.groups_column,
        sites_column="" if given.sites is None else given.sites.column,
        left_out=int((~rows.kept).sum()),
        is_scale_fitted=rows.is_scale_fitted,
    )


def _notes(card: RiskCard, rows: JudgedRows, drift: CardDrift | None) -> list[str]:
    found = []
    held_out = None if card.recipe is None else card.recipe.held_out
    if held_out is not None and rows.origin is not Rows.HELD_OUT:
        name = "validation_not_held_out_groups" if held_out.groups else "validation_not_held_out"
        name = name if held_out.amount else "validation_not_held_out_later"
        found.append(say(name, rows=amount(held_out.rows), column=repr(held_out.groups)))
    if rows.outcomes.counts is not None:
        found.append(say("validation_by_counts", rows=amount(rows.outcomes.count())))
        if _has_counts_of_training(card, rows):
            found.append(say("validation_same_counts"))
    if drift is None:
        found.append(say("validation_no_drift"))
    return found


def _has_counts_of_training(card: RiskCard, rows: JudgedRows) -> bool:
    """Whether every total, or band of totals, has as many rows and events as the card stores of training."""
    known = () if card.training is None else card.training.totals
    found = _totals(card, rows)
    return bool(known) and [(one.low, one.high, one.rows, one.events) for one in found] == [
        (one.low, one.high, one.rows, one.events) for one in known
    ]


# --- totals and groups --------------------------------------------------------------------------


def _totals(card: RiskCard, rows: JudgedRows) -> tuple[TotalCount, ...]:
    """Rows and events of each total or band, with intervals that allow for weights and clusters."""
    outcomes = rows.outcomes
    counted = count_totals(
        rows.totals,
        outcomes.is_event,
        outcomes.weights,
        card.reachable_totals(),
        outcomes.counts,
    )
    if len(counted) < 2:
        return counted
    groups = risk_groups(outcomes, [one.low for one in counted[1:]], rows.totals)
    return tuple(
        replace(one, interval=group.observed.interval)
        for one, group in zip(counted, groups, strict=True)
    )


def _thresholds(card: RiskCard, rows: JudgedRows) -> Any:
    """Every total that rows have but the one at which all are flagged; fewer where there are many."""
    totals = np.unique(rows.totals)
    safer = card.higher_is_safer
    inner = totals[:-1] if safer else totals[1:]
    if not inner.size:
        return ()
    if inner.size > _MOST_THRESHOLDS:
        places = np.linspace(0, inner.size - 1, _MOST_THRESHOLDS).round().astype(int)
        inner = inner[np.unique(places)]
    return threshold_table(rows.outcomes, rows.totals, inner, higher_is_riskier=not safer)


def _risk_groups(rows: JudgedRows, options: ValidationOptions) -> tuple[RiskGroup, ...]:
    if options.total_groups:
        return risk_groups(rows.outcomes, options.total_groups, rows.totals)
    return risk_groups(rows.outcomes, options.risk_groups) if options.risk_groups else ()


def _subgroups(rows: JudgedRows, groups: NamedGroups) -> SubgroupFacts:
    return SubgroupFacts(groups.column, _each(rows.outcomes, groups.take(rows.kept)))


def _fairness(rows: JudgedRows, groups: NamedGroups, options: ValidationOptions) -> FairnessFacts:
    judged = groups.take(rows.kept)
    if len(judged.names) < 2:
        raise ParameterError(
            f"All rows have the same value of {groups.column!r}, so there is nothing to compare. Name "
            "another column."
        )
    found = fairness(rows.outcomes, np.array(judged.names)[judged.places], options.flag_from)
    in_order = sorted(found.groups, key=lambda one: judged.names.index(one.figures.name))
    return FairnessFacts(groups.column, replace(found, groups=tuple(in_order)))


def _sites(rows: JudgedRows, sites: NamedGroups) -> SiteFacts:
    judged = sites.take(rows.kept)
    if len(judged.names) < 2:
        raise ParameterError(
            f"All rows have the same value of {sites.column!r}, so there is one site only. "
            "Name a column with several sites, or leave the sites out."
        )
    found = _each(rows.outcomes, judged)
    return SiteFacts(sites.column, found, summarise_sites(rows.outcomes, judged.places))


def _each(outcomes: Outcomes, groups: NamedGroups) -> tuple[GroupFigures, ...]:
    return tuple(
        figures_of(name, outcomes.take(np.flatnonzero(groups.places == place)))
        for place, name in enumerate(groups.names)
    )


# --- values -------------------------------------------------------------------------------------


def _values_of(card: RiskCard, given: GivenRows, rows: JudgedRows) -> tuple[ValueFacts, ...]:
    """Count the values that training did not have, for each feature that has some."""
    names = [one.name for one in card.features]
    _, columns = take_columns(given.for_card, card.feature_names, names)
    found = (_values(card, one, columns[one.name][rows.kept], rows) for one in card.features)
    return tuple(one for one in found if one.rows)


def _values(card: RiskCard, feature: CardFeature, column: Any, rows: JudgedRows) -> ValueFacts:
    found, seen, count = feature.look_up(column), feature.training_range, rows.outcomes.count
    below = above = 0
    if seen is not None:
        numbers = as_numbers(feature.name, column)
        is_code = np.isin(numbers, [code for code, _ in feature.codes])
        below = count(~is_code & (numbers < seen.lowest))
        above = count(~is_code & (numbers > seen.highest))
    return ValueFacts(
        feature=card.labels.name(feature.name),
        missing=count(found.is_guessed_missing),
        unseen=count(found.is_unseen),
        below=below,
        above=above,
        lowest=None if seen is None else seen.lowest,
        highest=None if seen is None else seen.highest,
    )


def _drift_of(card: RiskCard, given: GivenRows, rows: JudgedRows) -> CardDrift | None:
    if not card.features or not all(one.rows for one in card.features):
        return None
    names = [one.name for one in card.features]
    _, columns = take_columns(given.for_card, card.feature_names, names)
    judged = {name: column[rows.kept] for name, column in columns.items()}
    outcomes = rows.outcomes
    weights, clusters = outcomes.weights, outcomes.clusters
    if clusters is not None and np.unique(clusters).size < 2:
        clusters = None  # one cluster says nothing about chance
    return card_drift(card, judged, sample_weight=weights, groups=clusters, counts=outcomes.counts)
