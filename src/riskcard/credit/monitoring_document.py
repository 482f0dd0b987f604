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
    light_words,
)
from riskcard.evaluation.monitoring.drift import LARGE_CHANGE, SOME_CHANGE, Drift
from riskcard.formatting.figures import (
    amount,
    plain,
    share,
    share_with_interval,
    with_interval,
)
from riskcard.formatting.pages.document import Document, Section, ShownTable
from riskcard.formatting.pages.html import Verdict
from riskcard.formatting.speech import counted, in_figures, say, sentence_case
from riskcard.model.origin.row_role import RowRole

#: What is to be known about the new rows before any finding.
_ROLES = {
    RowRole.TRAINING: "monitor_role_training",
    RowRole.PARTLY: "monitor_role_partly",
    RowRole.RECALIBRATION: "monitor_role_recalibration",
}


def monitoring_document(found: Monitoring, pictures: bool = False) -> Document:
    """All of it; pictures need matplotlib."""
    sections = [_overview(found), _total(found, pictures), _features(found), _values(found)]
    if found.outcomes is not None:
        sections.append(_outcomes(found.outcomes, pictures))
    if found.same_outcome is not None:
        words = sentence_case(found.same_outcome.in_words)
        sections.append(Section(say("monitor_outcomes"), [say("monitor_left_out", words=words)]))
    parts = {
        "rows": counted(found.rows, "new_rows"),
        "reference": _reference(found),
        "role": say(_ROLES[found.role]) if found.role in _ROLES else "",
        "light": found.light_in_words,
    }
    if found.clusters is None:
        lead = say("monitor_lead", **parts)
    else:
        lead = say("monitor_lead_groups", groups=amount(found.clusters), **parts)
    return Document(say("monitor_title", title=found.title), lead, sections)


def _reference(found: Monitoring) -> str:
    """The rows that the new ones are compared with."""
    number = "" if found.reference_rows is None else f"{amount(found.reference_rows)} "
    if not found.drift.is_from_card:
        return say("monitor_reference", number=number)
    if found.points_rows is None:
        return say("monitor_reference_card", number=number)
    features = f"{amount(found.points_rows)} " if found.points_rows else ""
    return say("monitor_reference_recalibrated", number=number, features=features)


def _overview(found: Monitoring) -> Section:
    rows = [
        (one.subject, Verdict(str(one.light), light_words(one.light)), one.words)
        for one in found.findings
    ]
    return Section(
        say("monitor_overview"),
        (),
        [ShownTable(_said("subject", "verdict", "finding"), rows, n_left=3)],
        [_rules()],
    )


def _said(*names: str) -> list[str]:
    """Headings by their names."""
    return [say(f"monitor_{name}") for name in names]


def _rules() -> str:
    """When a finding asks for attention."""
    return say(
        "monitor_rules",
        some=_short(SOME_CHANGE),
        large=_short(LARGE_CHANGE),
        few=share(SOME_UNKNOWN, 0),
        many=share(MANY_UNKNOWN, 0),
        drop=_short(LARGE_DROP),
        low=_short(FAR_FROM_RIGHT[0]),
        high=_short(FAR_FROM_RIGHT[1]),
    )


def _short(number: float) -> str:
    return in_figures(f"{number:g}")


def _total(found: Monitoring, pictures: bool) -> Section:
    total = found.drift.total
    if total is None:
        return Section(say("credit_total"), [say("monitor_total_unknown")])
    return Section(
        say("credit_total"),
        [_index(total, "PSI")],
        [_bins(total)],
        _notes(total),
        _drawn(total) if pictures else (),
    )


def _features(found: Monitoring) -> Section:
    overview = ShownTable(
        (
            say("monitor_feature"),
            say("credit_reading"),
            "CSI",
            *_said("by_chance", "limit", "points_shift"),
        ),
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
        say("monitor_chance_note"),
        say("monitor_shift_note"),
        *(
            [say("monitor_adjusted")]
            if any(one.is_adjusted for one in found.drift.features)
            else []
        ),
    ]
    return Section(
        say("monitor_features"), (), [overview, *map(_bins, found.drift.features)], notes
    )


def _bins(drift: Drift) -> ShownTable:
    has_points = any(one.points is not None for one in drift.bins)
    header = [
        say("credit_bin"),
        *([say("credit_points")] if has_points else []),
        *_said("reference_share", "new_share", "change", "part"),
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
            say("monitor_not_known") if one.missing_before is None else share(one.missing_before),
            share(one.missing),
            "" if one.outside is None else share(one.outside),
            "" if one.unseen is None else share(one.unseen),
        )
        for one in found.drift.faults
    ]
    header = _said("feature", "missing_before", "missing", "outside", "unseen")
    return Section(
        say("monitor_values"),
        [say("monitor_values_lead")],
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
        (say("monitor_expected"), plain(calibration.expected, 1), ""),
        (say("monitor_observed"), plain(calibration.observed, 1), ""),
        (say("figure_ratio"), with_interval(calibration.ratio, calibration.ratio_interval), ""),
        (say("measure_slope"), with_interval(calibration.slope, calibration.slope_interval), ""),
    ]
    bands = ShownTable(
        [
            *(say(f"credit_{name}") for name in ("total", "rows", "events", "risk")),
            say("monitor_observed_rate"),
        ],
        [
            (
                band.words,
                amount(band.rows),
                amount(band.events),
                "" if band.expected is None else share(band.expected),
                share_with_interval(band.rate.value, band.rate.interval),
            )
            for band in outcomes.bands
        ],
        caption=say("monitor_by_total"),
    )
    return Section(
        say("monitor_outcomes"),
        [
            say(
                "monitor_events",
                rows=counted(outcomes.rows, "rows"),
                events=amount(outcomes.events),
            )
        ],
        [ShownTable((say("credit_figure"), *_said("new_rows", "reference_share")), figures), bands],
        [say("monitor_apparent")] if outcomes.is_apparent and before is not None else [],
        _drawn_bands(outcomes) if pictures else (),
    )


def _auc(gini: float) -> float:
    return (gini + 1) / 2


def _index(drift: Drift, name: str) -> str:
    return say(
        "monitor_index",
        name=name,
        index=plain(drift.index) + _mark(drift),
        reading=drift.in_words,
        by_chance=plain(drift.by_chance),
        limit=plain(drift.chance_limit),
        some=_short(SOME_CHANGE),
        large=_short(LARGE_CHANGE),
    )


def _notes(drift: Drift) -> list[str]:
    return [say("monitor_adjusted")] if drift.is_adjusted else []


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

    words = say("monitor_drift_shown")
    return (drawn(lambda ax: plot_drift(drift, ax), words, size=(7.0, 3.4)),)


def _drawn_bands(outcomes: OutcomesInUse) -> tuple[Any, ...]:
    from riskcard.plots.credit.score_bands import plot_bands
    from riskcard.plots.embedded import drawn

    words = say("credit_bands_shown")
    return (drawn(lambda ax: plot_bands(outcomes.bands, ax), words, size=(7.0, 3.8)),)
