"""A card in use as a document: an overview, then total, features, values and outcomes."""

from __future__ import annotations

from typing import Any

from riskcard.credit.monitoring import (
    FAR_FROM_RIGHT,
    LARGE_DROP,
    MANY_UNKNOWN,
    SOME_UNKNOWN,
    Monitoring,
    OutcomesInUse,
)
from riskcard.evaluation.monitoring.drift import LARGE_CHANGE, SOME_CHANGE, Drift
from riskcard.formatting.figures import count, plain, share, share_with_interval, with_interval
from riskcard.formatting.pages.document import Document, Section, ShownTable
from riskcard.formatting.pages.html import Verdict
from riskcard.model.origin.row_role import RowRole

_RULES = (
    f"Watch or act: a stability index of {SOME_CHANGE:g} or {LARGE_CHANGE:g} that chance does not explain; "
    f"{share(SOME_UNKNOWN, 0)} or {share(MANY_UNKNOWN, 0)} of values that training did not have; a Gini whose "
    f"interval is below that of the reference, or which is also {LARGE_DROP:g} lower; expected / observed "
    f"events whose interval excludes 1, or which are also outside {FAR_FROM_RIGHT[0]:g} to "
    f"{FAR_FROM_RIGHT[1]:g}. Not judged: an index where even a large change would be within chance, and "
    "outcomes that leave everything open."
)
_CHANCE = (
    "By chance: about what the index is when nothing has changed, (bins - 1) x (1/n + 1/m). Limit: without a "
    "change it is above this in one sample of twenty."
)
_ADJUSTED = "* A bin is empty in one of the samples: half a row was added to every bin of both."
#: What is to be known about the new rows before any finding.
_ROLES = {
    RowRole.TRAINING: "The new rows are those that the card was learned from: nothing follows about its use. ",
    RowRole.PARTLY: "The new rows are those that the card was learned from and those that were held out: nothing "
    "follows about its use. ",
    RowRole.RECALIBRATION: "The new rows are those that the card was recalibrated on: its risks fit them by "
    "construction. ",
}


def monitoring_document(found: Monitoring, pictures: bool = False) -> Document:
    """All of it; pictures need matplotlib."""
    sections = [_overview(found), _total(found, pictures), _features(found), _values(found)]
    if found.outcomes is not None:
        sections.append(_outcomes(found.outcomes, pictures))
    if found.same_outcome is not None:
        words = found.same_outcome.in_words
        sections.append(
            Section("Outcomes", [f"{words[0].upper()}{words[1:]}. They are left out here."])
        )
    together = "" if found.clusters is None else f" in {found.clusters:,} groups"
    return Document(
        f"{found.title}: monitoring",
        f"{count(found.rows, 'new row')}{together} against {_reference(found)}. "
        f"{_ROLES.get(found.role, '')}Overall: {found.light_in_words}.",
        sections,
    )


def _reference(found: Monitoring) -> str:
    """The rows that the new ones are compared with."""
    number = "" if found.reference_rows is None else f"{found.reference_rows:,} "
    if not found.drift.is_from_card:
        return f"{number}reference rows"
    if found.points_rows is None:
        return f"{number}training rows, as counted in the card"
    features = f"{found.points_rows:,} " if found.points_rows else ""
    return f"{number}rows of the recalibration (total) and {features}training rows (features), as counted in the card"


def _overview(found: Monitoring) -> Section:
    rows = [(one.subject, Verdict(str(one.light)), one.words) for one in found.findings]
    return Section(
        "Overview",
        (),
        [ShownTable(("Subject", "Verdict", "Finding"), rows, n_left=3)],
        [_RULES],
    )


def _total(found: Monitoring, pictures: bool) -> Section:
    total = found.drift.total
    if total is None:
        return Section(
            "Total",
            [
                "The card does not store how many training rows had each total; a card with credit points "
                "does so only if it was scaled with its training rows. Give the reference rows to compare totals."
            ],
        )
    return Section(
        "Total",
        [_index(total, "PSI")],
        [_bins(total)],
        _notes(total),
        _drawn(total) if pictures else (),
    )


def _features(found: Monitoring) -> Section:
    overview = ShownTable(
        ("Feature", "Reading", "CSI", "By chance", "Limit", "Points shift"),
        [
            (
                one.name,
                one.in_words,
                plain(one.index) + _mark(one),
                plain(one.by_chance),
                plain(one.chance_limit),
                _signed(one.points_shift),
            )
            for one in found.drift.features
        ],
        n_left=2,
    )
    notes = [
        _CHANCE,
        "Points shift: by how much the mean points of the feature have changed.",
        *([_ADJUSTED] if any(one.is_adjusted for one in found.drift.features) else []),
    ]
    return Section("Features", (), [overview, *map(_bins, found.drift.features)], notes)


def _bins(drift: Drift) -> ShownTable:
    has_points = any(one.points is not None for one in drift.bins)
    header = [
        "Bin",
        *(["Points"] if has_points else []),
        "Reference",
        "New",
        "Change",
        "Part of index",
    ]
    rows = [
        [
            one.words,
            *([str(one.points)] if has_points else []),
            share(one.expected),
            share(one.actual),
            _signed(100 * (one.actual - one.expected), 1),
            plain(one.part),
        ]
        for one in drift.bins
    ]
    return ShownTable(header, rows, caption=drift.name)


def _values(found: Monitoring) -> Section:
    rows = [
        (
            one.name,
            "not known" if one.missing_before is None else share(one.missing_before),
            share(one.missing),
            "" if one.outside is None else share(one.outside),
            "" if one.unseen is None else share(one.unseen),
        )
        for one in found.drift.faults
    ]
    header = ("Feature", "Missing before", "Missing", "Outside the range", "Unknown levels")
    return Section(
        "Values",
        ["Shares of the rows. The range and the levels are those of training."],
        [ShownTable(header, rows)],
    )


def _outcomes(outcomes: OutcomesInUse, pictures: bool) -> Section:
    one, calibration = outcomes.separation, outcomes.calibration
    ends, before = one.gini_interval, outcomes.reference_gini
    figures = [
        (
            "AUC",
            with_interval(_auc(one.gini), None if ends is None else (_auc(ends[0]), _auc(ends[1]))),
            "" if before is None else plain(_auc(before)),
        ),
        ("Gini", with_interval(one.gini, ends), "" if before is None else plain(before)),
        ("KS", with_interval(one.ks.distance, one.ks.interval), ""),
        ("Expected events", plain(calibration.expected, 1), ""),
        ("Observed events", plain(calibration.observed, 1), ""),
        ("Expected / observed", with_interval(calibration.ratio, calibration.ratio_interval), ""),
        ("Calibration slope", with_interval(calibration.slope, calibration.slope_interval), ""),
    ]
    bands = ShownTable(
        ("Total", "Rows", "Events", "Risk", "Observed"),
        [
            (
                band.words,
                f"{band.rows:,}",
                f"{band.events:,}",
                "" if band.expected is None else share(band.expected),
                share_with_interval(band.rate.value, band.rate.interval),
            )
            for band in outcomes.bands
        ],
        caption="By total, the riskiest first",
    )
    apparent = "The reference is the training rows, on which a Gini is too high."
    return Section(
        "Outcomes",
        [f"{count(outcomes.rows, 'row')}, {outcomes.events:,} of them with the event."],
        [ShownTable(("Figure", "New rows", "Reference"), figures), bands],
        [apparent] if outcomes.is_apparent and before is not None else [],
        _drawn_bands(outcomes) if pictures else (),
    )


def _auc(gini: float) -> float:
    return (gini + 1) / 2


def _index(drift: Drift, name: str) -> str:
    return (
        f"{name} {plain(drift.index)}{_mark(drift)}: {drift.in_words}. Without a change it would be about "
        f"{plain(drift.by_chance)} on average, and above {plain(drift.chance_limit)} in one sample of twenty. "
        f"Usual reading: stable below {SOME_CHANGE:g}, a large change from {LARGE_CHANGE:g} on."
    )


def _notes(drift: Drift) -> list[str]:
    return [_ADJUSTED] if drift.is_adjusted else []


def _mark(drift: Drift) -> str:
    return "*" if drift.is_adjusted else ""


def _signed(number: float | None, digits: int = 2) -> str:
    if number is None:
        return ""
    text = plain(number, digits)
    return text if number <= 0 or float(f"{number:.{digits}f}") == 0 else f"+{text}"


def _drawn(drift: Drift) -> tuple[Any, ...]:
    from riskcard.plots.credit.drift import plot_drift
    from riskcard.plots.embedded import drawn

    words = "Shares of the reference and of the new rows in each band of the total"
    return (drawn(lambda ax: plot_drift(drift, ax), words, size=(7.0, 3.4)),)


def _drawn_bands(outcomes: OutcomesInUse) -> tuple[Any, ...]:
    from riskcard.plots.credit.score_bands import plot_bands
    from riskcard.plots.embedded import drawn

    words = "Risk on the card and observed rate in each score band, with the share of rows"
    return (drawn(lambda ax: plot_bands(outcomes.bands, ax), words, size=(7.0, 3.8)),)
