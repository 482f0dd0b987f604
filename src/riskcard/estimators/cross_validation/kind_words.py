"""What the figures of fits that are repeated are called, for each kind of outcome."""

from __future__ import annotations

from dataclasses import dataclass

from riskcard.formatting.numbers import readable_amount
from riskcard.model.outcome_kinds import Counts, Numbers, OrderedLevels, OutcomeKind


@dataclass(frozen=True, slots=True)
class KindWords:
    """The names of the three figures of ``KindPerformance``, and what a card adds up.

    Attributes
    ----------
    ranking, deviance
        In a table.
    short_ranking, short_deviance
        At the head of a column.
    compared_by
        What sizes are compared by, at the beginning of a sentence.
    step, step_heading
        What points add up to, in a sentence and at the head of a column.
    """

    ranking: str
    deviance: str
    short_ranking: str
    short_deviance: str
    compared_by: str
    step: str
    step_heading: str
    slope: str = "calibration slope"

    @property
    def names(self) -> tuple[str, str, str]:
        """Of the three figures."""
        return self.ranking, self.deviance, self.slope


_RATES = "deviance per event", "Deviance", "Poisson deviance per event"
_HAZARD = "the logarithm of the hazard", "Log hazard"
TIMES = KindWords("concordance index", _RATES[0], "C-index", *_RATES[1:], *_HAZARD)
COUNTS = KindWords(
    "deviance explained",
    _RATES[0],
    "Explained",
    *_RATES[1:],
    "the logarithm of the rate",
    "Log rate",
)
LEVELS = KindWords(
    "concordance index", "log-loss, mean per row", "C-index", "Log-loss", "Mean log-loss", *_HAZARD
)
NUMBERS = KindWords(
    "variance explained (R squared)", "mean squared error", "R squared", "Squared error",
    "Mean squared error", "the expected value", "Expected",
)  # fmt: skip


def words_of(kind: OutcomeKind) -> KindWords:
    """The words for a kind of outcome."""
    if isinstance(kind, Numbers):
        return NUMBERS
    if isinstance(kind, OrderedLevels):
        return LEVELS
    return COUNTS if isinstance(kind, Counts) else TIMES


def shown_deviance(value: float, kind: OutcomeKind, decimals: int = 3) -> str:
    """A deviance as it is printed: squared errors have a unit, and so as many digits as tell them apart."""
    return readable_amount(value) if isinstance(kind, Numbers) else f"{value:.{decimals}f}"
