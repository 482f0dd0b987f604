"""What a total gives, one number after another: a risk, or risks by horizons, a relative hazard or a rate."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from riskcard.model.card import RiskCard
from riskcard.model.outcome_kinds import Counts, TimeToEvent


class Rule(enum.Enum):
    """How a number follows from the linear predictor, ``total / multiplier + offset``."""

    RISK = "risk"  # 1 / (1 + exp(-linear))
    EXPONENTIAL = "exponential"  # exp(linear)
    RISK_BY = "risk by"  # 1 - exp(-hazard * exp(linear))


@dataclass(frozen=True, slots=True)
class Answer:
    """One number that a total gives.

    Attributes
    ----------
    name
        Of a column, such as "risk", "risk_by_365", "relative_hazard" or "rate".
    rule
        How it follows from the linear predictor.
    hazard
        Of a risk by a horizon: the cumulative hazard until then of someone whose relative hazard is 1.
    words
        What it is, in words on one line.
    """

    name: str
    rule: Rule
    hazard: float = 0.0
    words: str = ""

    @property
    def is_share(self) -> bool:
        """Whether it is from 0 to 1."""
        return self.rule is not Rule.EXPONENTIAL


@dataclass(frozen=True, slots=True)
class Answers:
    """What a card gives for a total.

    Attributes
    ----------
    linear
        The name of the linear predictor: "log_odds", "log_hazard" or "log_rate".
    numbers
        What follows from it.
    """

    linear: str
    numbers: tuple[Answer, ...]


def answers_of(card: RiskCard) -> Answers:
    """What a card gives for a total, in the order in which exports have it.

    Examples
    --------
    >>> from riskcard import FeaturePoints
    >>> answers_of(RiskCard([FeaturePoints("age", [60], [0, 3])])).numbers[0].name
    'risk'
    """
    card.require_risks_or_rates("Exports")
    kind = card.kind
    if isinstance(kind, TimeToEvent):
        risks = [
            Answer(
                f"risk_by_{horizon:g}",
                Rule.RISK_BY,
                kind.baseline(horizon),
                f"risk by {_on_one_line(kind.horizon_words(horizon))}",
            )
            for horizon in kind.horizons
        ]
        hazard = Answer("relative_hazard", Rule.EXPONENTIAL, words="relative hazard")
        return Answers("log_hazard", (*risks, hazard))
    if isinstance(kind, Counts):
        words = f"rate per {_on_one_line(kind.unit)}"
        return Answers("log_rate", (Answer("rate", Rule.EXPONENTIAL, words=words),))
    return Answers("log_odds", (Answer("risk", Rule.RISK, words="risk"),))


def _on_one_line(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)
