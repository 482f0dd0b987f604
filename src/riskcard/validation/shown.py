"""Figures as text and page show them: digits, per cent, bands, flags."""

from __future__ import annotations

import math

from riskcard.card.sentences import training_words as training_sentence
from riskcard.evaluation.groups.subgroups import GroupFigures
from riskcard.evaluation.intervals import Figure, Interval
from riskcard.evaluation.thresholds import RiskGroup
from riskcard.formatting.figures import amount, percentage, plain
from riskcard.formatting.numbers import format_number, minus
from riskcard.formatting.speech import in_figures, say
from riskcard.validation.facts import ValidationFacts
from riskcard.validation.tables import headline_figures

#: Decimals of figures; three for all others.
FIGURE_DIGITS = {
    "Calibration in the large": 2,
    "Calibration slope": 2,
    "Expected / observed": 2,
}
#: What figures are called on a page, by their names in tables and JSON.
_CALLED = {
    "AUC": "figure_auc",
    "Log-loss": "figure_log_loss",
    "Brier score": "figure_brier",
    "Scaled Brier score": "figure_scaled_brier",
    "Calibration in the large": "figure_intercept",
    "Calibration slope": "figure_slope",
    "Expected / observed": "figure_ratio",
    "ICI": "figure_ici",
    "E50": "figure_e50",
    "E90": "figure_e90",
}


def called(name: str) -> str:
    """What a figure is called on a page."""
    return say(_CALLED[name])


def headlines(facts: ValidationFacts) -> list[tuple[str, str, str]]:
    """Name, value and interval of the figures about all rows."""
    lines = []
    for name, one in headline_figures(facts).items():
        digits = FIGURE_DIGITS.get(name, 3)
        interval = "" if one.interval is None else between(one.interval, digits)
        lines.append((called(name), plain(one.value, digits), interval))
    return lines


def between(interval: Interval, digits: int) -> str:
    """The ends of an interval."""
    low, high = (plain(end, digits) for end in interval)
    return say("validation_from_to", low=low, high=high)


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
    is_signed = "−" in low + high
    ends = between(figure.interval, digits) if is_signed else f"{low}–\u2060{high}"
    return f"{value} ({ends})"


def in_percent(figure: Figure, digits: int = 0) -> str:
    """The same in per cent, without the sign."""
    ends = figure.interval
    scaled = None if ends is None else (100 * ends[0], 100 * ends[1])
    return short(Figure(100 * figure.value, scaled), digits)


def band_words(group: RiskGroup, is_total: bool) -> str:
    """The limits of a risk group; its upper one belongs to the next group."""

    def shown(end: float) -> str:
        if is_total:
            return in_figures(minus(format_number(end)))
        return say("in_percent", number=in_figures(format_number(round(100 * end, 10))))

    if math.isinf(group.low):
        return say("validation_below", high=shown(group.high))
    if math.isinf(group.high):
        return say("validation_or_more", low=shown(group.low))
    return say("validation_to_below", low=shown(group.low), high=shown(group.high))


def group_words(group: GroupFigures) -> str:
    """The name of a group, with a mark where it is small."""
    return f"{group.name}{' *' if group.is_small else ''}"


# --- only on the page ---------------------------------------------------------------------------


def boxes(facts: ValidationFacts) -> list[tuple[str, str, str]]:
    """The figures that people look for first: what each is, its value and its interval."""
    wanted = ("AUC", "Expected / observed", "Calibration slope", "Scaled Brier score")
    lines = {name: (value, interval) for name, value, interval in headlines(facts)}
    return [(called(name), *lines[called(name)]) for name in wanted]


def training_words(facts: ValidationFacts) -> str:
    """The rows that the card is from, after a colon."""
    training = facts.card.training
    assert training is not None
    words = training_sentence(training, facts.card.labels)
    return words[0].lower() + words[1:]


def total_lines(facts: ValidationFacts) -> list[tuple[str, ...]]:
    """Total, risk, rows, events, and the observed rate with its interval."""
    return [
        (
            _range(minus(one.low), minus(one.high)),
            _range(
                *(percentage(float(facts.card.risk_of_total(end))) for end in (one.low, one.high))
            ),
            amount(one.rows),
            amount(one.events),
            in_percent(Figure(one.rate, one.interval), 1),
        )
        for one in facts.totals
    ]


def _range(low: str, high: str) -> str:
    return low if low == high else say("validation_from_to", low=low, high=high)


def total_limit(facts: ValidationFacts, at: float) -> str:
    """From which total on rows are flagged."""
    return f"{'≤' if facts.card.higher_is_safer else '≥'} {in_figures(minus(format_number(at)))}"


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
        in_figures(minus(f"{round(100 * one, digits) + 0.0:+.{digits}f}"))
        for one in (figure.value, *(figure.interval or ()))
    )
    return f"{value} ({_range(*ends)})" if ends else value
