"""The words, tables and pictures of a judgement of rates, numbers and levels."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from riskcard.evaluation.intervals import Figure
from riskcard.evaluation.other_outcomes.estimates import (
    AtLevel,
    EstimateGroup,
    LevelFigures,
    NumberFigures,
)
from riskcard.formatting.numbers import readable_amount
from riskcard.formatting.pages.document import Document, Section, ShownTable
from riskcard.formatting.percent import percent
from riskcard.validation.horizons.horizon_document import in_words, share, units_sentence
from riskcard.validation.horizons.horizon_pictures import drawn_calibration

if TYPE_CHECKING:
    from riskcard.evaluation.other_outcomes.counts import CountFigures
    from riskcard.validation.estimated.estimates import EstimateValidation

#: Above this, intervals of a Poisson count are said to be too narrow.
_MUCH_DISPERSION = 1.3


def estimate_document(found: EstimateValidation, pictures: bool = False) -> Document:
    """All of it; pictures need matplotlib."""
    lead = (
        f"Judged on {found.rows:,} rows. Rows that the card was learned from make it look too good."
    )
    if found.is_weighted or found.clusters:
        lead += f" {units_sentence(found.is_weighted, found.clusters)}"
    sections = list(estimate_sections(found.figures, found.unit, found.decimals, pictures))
    if found.against:
        sections.append(_against_section(found))
    return Document(f"Validation: {found.title}", lead, sections)


def _against_section(found: EstimateValidation) -> Section:
    """The card against other ones."""
    what = {LevelFigures: "log-loss", NumberFigures: "squared error"}
    loss = what.get(type(found.figures), "Poisson deviance")
    rows = [
        (
            one.name,
            f"{one.own:.4g}",
            f"{one.other:.4g}",
            in_words(one.difference, "+.3g").replace("95 % interval ", ""),
        )
        for one in found.against
    ]
    header = ("Other card", "The card", "The other one", "Difference (below 0: the card is better)")
    said = f"The mean {loss} per row on these rows; differences have paired 95 % intervals."
    return Section("Against other cards", [said], [ShownTable(header, rows)])


def estimate_sections(
    figures: CountFigures | NumberFigures | LevelFigures, unit: str, decimals: int, pictures: bool
) -> Iterator[Section]:
    """The sections on rates, numbers or levels.

    Parameters
    ----------
    figures
        Those of the kind of outcome.
    unit
        What a rate is per.
    decimals
        Of numbers.
    pictures
        Whether matplotlib is there.
    """
    if isinstance(figures, LevelFigures):
        yield Section("Are levels in the right order?", list(_level_sentences(figures)))
        yield from (_level_section(one, pictures) for one in figures.at)
    elif isinstance(figures, NumberFigures):
        yield from _number_sections(figures, decimals)
    else:
        yield from _count_sections(figures, unit)


# --- levels -------------------------------------------------------------------------------------


def _level_sentences(figures: LevelFigures) -> Iterator[str]:
    yield (
        f"The concordance index is {in_words(figures.concordance, '.3f')}: of pairs of rows of different levels, the "
        "share in which the row with the higher level has the higher total. 0.5 is chance."
    )
    less = "all rows have the same level"
    if figures.log_loss_of_shares > 0:
        less = f"{100 * (1 - figures.log_loss / figures.log_loss_of_shares):.1f} % less"
    yield (
        f"The mean log-loss is {figures.log_loss:.4f}, and {figures.log_loss_of_shares:.4f} with the shares of these "
        f"rows for every row: {less}."
    )


def _level_section(at: AtLevel, pictures: bool) -> Section:
    area = "There is no area under the ROC curve: all rows are on one side."
    if not math.isnan(at.area.value):
        area = (
            f"The area under the ROC curve is {in_words(at.area, '.3f')}: rows at this level or above against "
            "those below."
        )
    expected = (
        f"The card expects {percent(at.expected)} of the rows there; {share(at.observed)} are."
    )
    rows = [
        (
            _range(*map(percent, (one.lowest, one.highest))),
            f"{one.rows:,}",
            percent(one.expected),
            share(one.observed),
        )
        for one in at.groups
    ]
    header = ("Probability", "Rows", "Mean probability", "Observed (95 % interval)")
    shown: tuple[Any, ...] = ()
    if pictures:
        expected_shares, observed = (
            [one.expected for one in at.groups],
            [one.observed for one in at.groups],
        )
        shown = (
            drawn_calibration(expected_shares, observed, f"at {at.words}", what="probability"),
        )
    return Section(
        f"At {at.words}", [expected, area], [ShownTable(header, rows, n_left=0)], pictures=shown
    )


# --- numbers ------------------------------------------------------------------------------------


def _number_sections(figures: NumberFigures, decimals: int) -> Iterator[Section]:
    def number(value: float) -> str:
        return f"{value:,.{decimals}f}"

    yield Section(
        "How near are the numbers?",
        [
            f"The card explains {_hundred(figures.explained)} of the variance of these rows (R squared); "
            "below 0, their "
            "mean would be better.",
            f"Errors are {number(figures.root_mean_square)} as a root mean square, and "
            f"{number(figures.mean_absolute)} on average regardless of their sign.",
        ],
    )
    slope = "All rows have the same expected value, so there is no slope."
    if not math.isnan(figures.slope.value):
        slope = (
            f"The slope is {in_words(figures.slope, '.2f')}: 1 is right; below 1, expected values are too far "
            "apart."
        )
    observed = _with_interval(figures.observed, number)
    rows = [_group_cells(one, number) for one in figures.groups]
    header = ("Expected", "Rows", "Mean expected", "Mean observed (95 % interval)")
    yield Section(
        "Are they right on average?",
        [f"The card expects {number(figures.expected)} on average; the mean is {observed}.", slope],
        [ShownTable(header, rows, n_left=0)],
    )


def _group_cells(one: EstimateGroup, number: Any) -> tuple[str, ...]:
    ends = _range(number(one.lowest), number(one.highest))
    return ends, f"{one.rows:,}", number(one.expected), _with_interval(one.observed, number)


def _with_interval(figure: Figure, number: Any) -> str:
    if figure.interval is None:
        return str(number(figure.value))
    low, high = map(number, figure.interval)
    return f"{number(figure.value)} ({low} to {high})"


# --- counts -------------------------------------------------------------------------------------


def _count_sections(figures: CountFigures, unit: str) -> Iterator[Section]:
    yield Section(
        "How near are the rates?",
        [
            f"{_deviance_words(figures)} The deviance is {figures.deviance:.3f} per row.",
        ],
    )
    said = [
        f"There are {readable_amount(figures.events)} events, and the card expects "
        f"{readable_amount(figures.expected, 4)}: "
        f"observed divided by expected is {in_words(figures.ratio, '.2f')}.",
    ]
    if not math.isnan(figures.slope):
        said.append(
            f"The slope of the logarithms of rates is {figures.slope:.2f}: 1 is right; below 1, rates are too "
            "far apart."
        )
    if figures.dispersion > _MUCH_DISPERSION:
        said.append(
            f"Counts vary {figures.dispersion:.1f} times as much as those of a Poisson distribution "
            "(Pearson's chi-squared "
            "per row), so that the intervals are too narrow."
        )
    rows = [
        (
            _range(f"{one.lowest:.3g}", f"{one.highest:.3g}"),
            f"{one.rows:,}",
            readable_amount(one.events),
            readable_amount(one.expected, 4),
            in_words(one.ratio, ".2f").replace("95 % interval ", ""),
        )
        for one in figures.groups
    ]
    header = (
        f"Rate per {unit}",
        "Rows",
        "Events",
        "Expected",
        "Observed / expected (95 % interval)",
    )
    yield Section("Are they right on average?", said, [ShownTable(header, rows, n_left=0)])


def _deviance_words(figures: CountFigures) -> str:
    if math.isnan(figures.explained):
        return "The rate of all these rows is the same, so there is no deviance to explain."
    share = f"{100 * figures.explained:.1f} %"
    return (
        f"The card explains {share} of the Poisson deviance of these rows; below 0, one rate for all rows would "
        "be better."
    )


def _range(first: str, last: str) -> str:
    return first if first == last else f"{first.removesuffix(' %')} to {last}"


def _hundred(figure: Figure) -> str:
    if math.isnan(figure.value):
        return "nothing"
    if figure.interval is None:
        return f"{100 * figure.value:.1f} %"
    low, high = (100 * one for one in figure.interval)
    return f"{100 * figure.value:.1f} % (95 % interval {low:.1f} to {high:.1f})"
