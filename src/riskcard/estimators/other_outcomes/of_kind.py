"""The estimator that learns cards of a kind of outcome."""

from __future__ import annotations

from typing import Any

from riskcard.model.card import RiskCard
from riskcard.model.outcome_kinds import Counts, Numbers, OrderedLevels, TimeToEvent


def estimator_of(card: RiskCard) -> Any:
    """The class that learns cards of the same kind of outcome."""
    if isinstance(card.kind, TimeToEvent):
        from riskcard.estimators.other_outcomes.survival import RiskScoreSurvival

        return RiskScoreSurvival
    if isinstance(card.kind, OrderedLevels):
        from riskcard.estimators.other_outcomes.ordinal import RiskScoreOrdinal

        return RiskScoreOrdinal
    if isinstance(card.kind, Counts | Numbers):
        from riskcard.estimators.other_outcomes.regressor import RiskScoreRegressor

        return RiskScoreRegressor
    from riskcard.estimators.classifier import RiskScoreClassifier

    return RiskScoreClassifier
