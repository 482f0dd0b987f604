"""What a total gives, one number after another: a risk, risks by horizons, a rate, levels, an expected value."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from riskcard.model.card import RiskCard
from riskcard.model.outcome_kinds import Counts, Numbers, OrderedLevels, TimeToEvent


class Rule(enum.Enum):
    """How a number follows from the linear predictor, ``total / multiplier + offset``."""

    RISK = "risk"  # 1 / (1 + exp(-linear))
    EXPONENTIAL = "exponential"  # exp(linear)
    RISK_BY = "risk by"  # 1 - exp(-hazard * exp(linear))
    LINEAR = "linear"  # the linear predictor itself


@dataclass(frozen=True, slots=True)
class Answer:
    """One number that a total gives.

    Attributes
    ----------
    name
        Of a column, such as "risk", "risk_by_365", "relative_hazard", "rate", "at_least_severe" or "expected".
    rule
        How it follows from the linear predictor.
    hazard
        Of a risk by a horizon, or of a level: the cumulative hazard of someone whose relative hazard is 1.
    words
        What it is, in words on one line.
    key
        The horizon or the level, where there are several; empty for others.
    decimals
        How many are shown where it is not a share.
    """

    name: str
    rule: Rule
    hazard: float = 0.0
    words: str = ""
    key: str = ""
    decimals: int = 3

    @property
    def is_share(self) -> bool:
        """Whether it is from 0 to 1."""
        return self.rule in (Rule.RISK, Rule.RISK_BY)


@dataclass(frozen=True, slots=True)
class Answers:
    """What a card gives for a total.

    Attributes
    ----------
    linear
        The name of the linear predictor: "log_odds", "log_hazard", "log_rate", or "expected".
    numbers
        What follows from it; an expected value is the linear predictor itself.
    has_events
        Whether training rows have the event or not, so that rows with it are counted.
    """

    linear: str
    numbers: tuple[Answer, ...]
    has_events: bool = True

    @property
    def further(self) -> tuple[Answer, ...]:
        """The numbers that are not the linear predictor itself."""
        return tuple(one for one in self.numbers if one.rule is not Rule.LINEAR)

    @property
    def by_key(self) -> tuple[Answer, ...]:
        """Those of which there is one for each horizon or level."""
        return tuple(one for one in self.numbers if one.rule is Rule.RISK_BY)


def answers_of(card: RiskCard) -> Answers:
    """What a card gives for a total, in the order in which exports have it.

    Examples
    --------
    >>> from riskcard import FeaturePoints
    >>> answers_of(RiskCard([FeaturePoints("age", [60], [0, 3])])).numbers[0].name
    'risk'
    """
    kind = card.kind
    if isinstance(kind, TimeToEvent):
        risks = [
            Answer(
                f"risk_by_{horizon:g}",
                Rule.RISK_BY,
                kind.baseline(horizon),
                f"risk by {_on_one_line(kind.horizon_words(horizon))}",
                key=f"{horizon:g}",
            )
            for horizon in kind.horizons
        ]
        hazard = Answer("relative_hazard", Rule.EXPONENTIAL, words="relative hazard")
        return Answers("log_hazard", (*risks, hazard))
    if isinstance(kind, Counts):
        words = f"rate per {_on_one_line(kind.unit)}"
        return Answers(
            "log_rate", (Answer("rate", Rule.EXPONENTIAL, words=words),), has_events=False
        )
    if isinstance(kind, OrderedLevels):
        named = zip(kind.figures(0.0), kind.levels[1:], kind.hazards, strict=True)
        levels = [
            Answer(one.name, Rule.RISK_BY, hazard, _on_one_line(one.heading), key=level)
            for one, level, hazard in named
        ]
        return Answers("log_hazard", tuple(levels), has_events=False)
    if isinstance(kind, Numbers):
        (shown,) = kind.figures(0.0)
        expected = Answer(
            "expected", Rule.LINEAR, words="expected value", decimals=shown.decimals or 0
        )
        return Answers("expected", (expected,), has_events=False)
    return Answers("log_odds", (Answer("risk", Rule.RISK, words="risk"),))


def _on_one_line(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)
