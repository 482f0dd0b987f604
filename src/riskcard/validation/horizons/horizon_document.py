"""The words, tables and pictures of a judgement by horizons."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from riskcard.evaluation.intervals import Figure
from riskcard.evaluation.other_outcomes.by_time import Constancy
from riskcard.formatting.pages.document import Document, Section, ShownTable
from riskcard.formatting.percent import percent
from riskcard.validation.horizons.horizon_pictures import drawn_curves, drawn_horizon

if TYPE_CHECKING:
    from riskcard.validation.horizons.by_horizon import AtHorizon, GroupCurve, SurvivalValidation
    from riskcard.validation.horizons.compared import Compared

#: The thresholds whose net benefit is listed.
_LISTED = (0.05, 0.1, 0.2, 0.3, 0.5)
#: A test below this is remarked on.
_SMALL_P = 0.01


def validation_document(found: SurvivalValidation, pictures: bool = False) -> Document:
    """All of it; pictures need matplotlib."""
    lead = (
        f"Judged on {found.rows:,} rows, {found.events:,} of them with the event. Rows that the card was "
        "learned from make it look too good."
    )
    who, said = "Kaplan and Meier", [order_sentence(found.concordance)]
    if found.competing is not None:
        who = "Aalen and Johansen"
        said.append(
            f"A row where {found.competing} came first can never have the event: it counts as free of it ever after."
        )
    if found.is_weighted or found.clusters:
        said.append(units_sentence(found.is_weighted, found.clusters))
        said.append("Whether effects change with time is not tested on such rows.")
    order = Section("Who has the event first", said)
    sections = [order, *(horizon_section(one, found.time, pictures, who) for one in found.at)]
    sections.append(curve_section(found.curves, found.time, pictures, who))
    if found.constancy is not None:
        sections.append(constancy_section(found.constancy))
    sections += [_against_section(one, found.time) for one in found.against]
    return Document(f"Validation: {found.title}", lead, sections)


def units_sentence(is_weighted: bool, clusters: int) -> str:
    """What figures count, and what intervals allow for."""
    parts = []
    if is_weighted:
        parts.append("Rows have weights, which all figures but numbers of rows and events count.")
    if clusters:
        parts.append(f"Rows are in {clusters:,} groups that belong together.")
    return f"{' '.join(parts)} Intervals allow for it."


def _against_section(compared: Compared, time: str) -> Section:
    """The card against another card or score."""
    said = (
        f"Harrell's concordance index is {in_words(compared.concordance, '.3f')} for {compared.name}. That of the card is "
        f"higher by {in_words(compared.difference, '.3f')}; below 0, {compared.name} is better."
    )
    rows = [
        (f"{time} {one.horizon:g}", *(_shown(figure) for figure in (one.area, one.brier)))
        for one in compared.at
    ]
    header = ("By", "Area under the ROC curve", "Brier score (below 0: the card is better)")
    notes = ["Differences are those of the card less the other one, with paired 95 % intervals."]
    return Section(f"Against {compared.name}", [said], [ShownTable(header, rows)], notes)


def _shown(figure: Figure | None) -> str:
    if figure is None or math.isnan(figure.value):
        return "not known"
    return in_words(figure, "+.3f").replace("95 % interval ", "")


def order_sentence(concordance: Figure) -> str:
    """What the concordance index is."""
    return (
        f"Harrell's concordance index is {in_words(concordance, '.3f')}: the share of pairs in which the row "
        "with the earlier event has the higher hazard. 0.5 is chance."
    )


def horizon_section(
    at: AtHorizon, time: str, pictures: bool, who: str = "Kaplan and Meier"
) -> Section:
    """Calibration, ranking, Brier score and decisions by one horizon; ``who`` estimated what was observed."""
    if math.isnan(at.observed.value):
        return Section(
            f"By {time} {at.horizon:g}", ["No row was followed for so long, so nothing is known."]
        )
    shown = drawn_horizon(at, time, who) if pictures else ()
    tables = [_group_table(at, who), _benefit_table(at)]
    return Section(f"By {time} {at.horizon:g}", list(_sentences(at, who)), tables, pictures=shown)


def _sentences(at: AtHorizon, who: str) -> Iterator[str]:
    yield (
        f"The card expects the event in {percent(at.mean_risk)} of the rows by then; {who}'s "
        f"estimate is {share(at.observed)}. Observed divided by expected is {at.ratio:.2f}."
    )
    if at.brier is None or at.area is None:
        yield "There is no Brier score and no area under the ROC curve, because some rows entered late."
    else:
        share_words = "there is nothing to explain"
        if at.brier.of_average > 0:
            explained = f"{100 * at.brier.explained:.1f} %"
            share_words = f"{explained} is explained (index of prediction accuracy)"
        yield (
            f"The Brier score is {at.brier.value:.4f}, and {at.brier.of_average:.4f} with one risk for "
            f"all rows: {share_words}."
        )
        if not math.isnan(at.area.value):
            yield (
                f"The area under the ROC curve by then is {in_words(at.area, '.3f')}: rows with the event by "
                "then against rows still without it, rows lost before made up for by weights."
            )


def curve_section(
    curves: Sequence[GroupCurve], time: str, pictures: bool, who: str = "Kaplan and Meier"
) -> Section:
    """Groups of risk over time."""
    rows = [(_range(one.lowest, one.highest), f"{one.rows:,}", f"{one.events:,}") for one in curves]
    named = [(f"risk {_range(one.lowest, one.highest)}", one) for one in curves]
    shown = [drawn_curves(named, time, who)] if pictures else ()
    return Section(
        "Groups of risk over time",
        ["Rows in three parts of about equal size, by their risk at the last horizon."],
        [ShownTable(("Risk by the last horizon", "Rows", "Events"), rows)],
        pictures=shown,
    )


def constancy_section(found: Sequence[Constancy]) -> Section:
    """Whether effects stay the same over time."""
    if not found:
        return Section(
            "Do effects change with time?",
            ["The card tells these rows not apart, so this cannot be tested."],
        )
    rows = [
        (one.name, f"{one.slope:.2f}", f"{one.statistic:.2f}", _p_value(one.p_value))
        for one in found
    ]
    small = [one for one in found if one.p_value < _SMALL_P]
    grown = ", ".join(f"{one.name} ({'grows' if one.direction > 0 else 'wanes'})" for one in small)
    said = (
        f"The card takes hazards to be proportional. The rows speak against that (p < {_SMALL_P}) for: {grown}. "
        "Risks by early or late horizons may be off; look at the calibration there."
        if small
        else "The card takes hazards to be proportional. These rows show no clear sign (all p at least "
        f"{_SMALL_P}) that effects change with time, which does not prove that they do not."
    )
    return Section(
        "Do effects change with time?",
        [said],
        [ShownTable(("Effect", "Slope on these rows", "Chi-squared", "p"), rows)],
        [
            "Slope: the factor of what the card says that fits these rows best (Cox regression); 1 is right. The test "
            "is the score test of Grambsch and Therneau, against a change with the rank of the time."
        ],
    )


# --- tables and pictures ------------------------------------------------------------------------


def _group_table(at: AtHorizon, who: str) -> ShownTable:
    rows = [
        (
            _range(one.lowest, one.highest),
            f"{one.rows:,}",
            percent(one.mean_risk),
            share(one.observed),
        )
        for one in at.groups
    ]
    header = ("Risk", "Rows", "Mean risk", f"{who.replace(' and ', '-')} (95 % interval)")
    return ShownTable(header, rows, n_left=0)


def _benefit_table(at: AtHorizon) -> ShownTable:
    places = [int(np.argmin(np.abs(np.array(at.benefit.thresholds) - one))) for one in _LISTED]
    rows = [
        (
            percent(at.benefit.thresholds[place]),
            _hundred(at.benefit.net_benefit[place]),
            _hundred(at.benefit.act_on_all[place]),
        )
        for place in places
    ]
    return ShownTable(
        ("Threshold", "Net benefit of the risk", "of acting on all"),
        rows,
        n_left=0,
        caption="Net benefit, in true positives per 100 rows",
    )


# --- figures in words ---------------------------------------------------------------------------


def in_words(figure: Figure, form: str) -> str:
    """A figure with its interval."""
    if figure.interval is None:
        return f"{figure.value:{form}}"
    low, high = figure.interval
    return f"{figure.value:{form}} (95 % interval {low:{form}} to {high:{form}})"


def share(figure: Figure) -> str:
    """A share with its interval."""
    if math.isnan(figure.value):
        return "not known"
    if figure.interval is None:
        return f"{100 * figure.value:.1f} %"
    low, high = (100 * one for one in figure.interval)
    return f"{100 * figure.value:.1f} % ({low:.1f} to {high:.1f})"


def _range(low: float, high: float) -> str:
    first, last = percent(low), percent(high)
    return first if first == last else f"{first.removesuffix(' %')} to {last}"


def _hundred(value: float) -> str:
    # never a zero with a sign
    return "not known" if math.isnan(value) else f"{round(100 * value, 2) + 0.0:.2f}"


def _p_value(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
