"""Figures as text and page show them: digits, per cent, bands, flags."""

from __future__ import annotations

import math

from riskcard.card.sentences import training_words as training_sentence
from riskcard.evaluation.groups.subgroups import GroupFigures
from riskcard.evaluation.intervals import Figure, Interval
from riskcard.evaluation.thresholds import RiskGroup
from riskcard.formatting.figures import plain
from riskcard.formatting.numbers import format_number, minus
from riskcard.formatting.percent import percent
from riskcard.validation.facts import ValidationFacts
from riskcard.validation.tables import headline_figures

#: Decimals of figures; three for all others.
FIGURE_DIGITS = {
    "Calibration in the large": 2,
    "Calibration slope": 2,
    "Expected / observed": 2,
}


def headlines(facts: ValidationFacts) -> list[tuple[str, str, str]]:
    """Name, value and interval of the figures about all rows."""
    lines = []
    for name, one in headline_figures(facts).items():
        digits = FIGURE_DIGITS.get(name, 3)
        interval = "" if one.interval is None else between(one.interval, digits)
        lines.append((name, plain(one.value, digits), interval))
    return lines


def between(interval: Interval, digits: int) -> str:
    """The ends of an interval."""
    low, high = (plain(end, digits) for end in interval)
    return f"{low} to {high}"


def figure_or_dash(number: float, digits: int) -> str:
    """A figure; a dash where there is none."""
    if math.isnan(number):
        return "–"
    return "∞" if math.isinf(number) else plain(number, digits)


def short(figure: Figure, digits: int) -> str:
    """A figure with its interval in brackets, as narrow as it can be."""
    value = figure_or_dash(figure.value, digits)
    if figure.interval is None:
        return value
    low, high = (plain(end, digits) for end in figure.interval)
    # a line ends before the brackets, and not within them
    ends = f"{low} to {high}" if "−" in low + high else f"{low}–\u2060{high}"
    return f"{value} ({ends})"


def in_percent(figure: Figure, digits: int = 0) -> str:
    """The same in per cent, without the sign."""
    ends = figure.interval
    scaled = None if ends is None else (100 * ends[0], 100 * ends[1])
    return short(Figure(100 * figure.value, scaled), digits)


def band_words(group: RiskGroup, is_total: bool) -> str:
    """The limits of a risk group; its upper one belongs to the next group."""

    def shown(end: float) -> str:
        return minus(format_number(end)) if is_total else f"{format_number(round(100 * end, 10))} %"

    if math.isinf(group.low):
        return f"below {shown(group.high)}"
    if math.isinf(group.high):
        return f"{shown(group.low)} or more"
    return f"{shown(group.low)} to below {shown(group.high)}"


def group_words(group: GroupFigures) -> str:
    """The name of a group, with a mark where it is small."""
    return f"{group.name}{' *' if group.is_small else ''}"


# --- only on the page ---------------------------------------------------------------------------


def boxes(facts: ValidationFacts) -> list[tuple[str, str, str]]:
    """The figures that people look for first: what each is, its value and its interval."""
    wanted = ("AUC", "Expected / observed", "Calibration slope", "Scaled Brier score")
    lines = {name: (value, interval) for name, value, interval in headlines(facts)}
    return [(name, *lines[name]) for name in wanted]


def training_words(facts: ValidationFacts) -> str:
    """The rows that the card is from, after a colon."""
    training = facts.card.training
    assert training is not None
    words = training_sentence(training)
    return words[0].lower() + words[1:]


def total_lines(facts: ValidationFacts) -> list[tuple[str, ...]]:
    """Total, risk, rows, events, and the observed rate with its interval."""
    return [
        (
            minus(one.low) if one.low == one.high else f"{minus(one.low)} to {minus(one.high)}",
            _risks(facts, one.low, one.high),
            f"{one.rows:,}",
            f"{one.events:,}",
            in_percent(Figure(one.rate, one.interval), 1),
        )
        for one in facts.totals
    ]


def _risks(facts: ValidationFacts, low: int, high: int) -> str:
    ends = [percent(float(facts.card.risk_of_total(total))) for total in (low, high)]
    return ends[0] if low == high else f"{ends[0]} to {ends[1]}"


def total_limit(facts: ValidationFacts, at: float) -> str:
    """From which total on rows are flagged."""
    return f"{'≤' if facts.card.higher_is_safer else '≥'} {minus(format_number(at))}"


def signed(number: float | None) -> str:
    """A change with its sign; a dash where there is none."""
    if number is None:
        return "–"
    return f"+{plain(number, 2)}" if number >= 0.005 else plain(number, 2)


def signed_points(figure: Figure, digits: int = 1) -> str:
    """A difference of shares in percentage points, with its sign and its interval.

    Examples
    --------
    >>> signed_points(Figure(0.031, (-0.012, 0.074)))
    '+3.1 (−1.2 to +7.4)'
    """
    if not math.isfinite(figure.value):
        return "–"
    value, *ends = (
        minus(f"{round(100 * one, digits) + 0.0:+.{digits}f}")
        for one in (figure.value, *(figure.interval or ()))
    )
    return f"{value} ({ends[0]} to {ends[1]})" if ends else value
