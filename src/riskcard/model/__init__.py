"""The frozen card in the user's units: it scores, explains and exports itself without training."""

from riskcard.model.card import RiskCard
from riskcard.model.certificate import Certificate, TrainingFacts
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.model.lines import Line, LineKind

__all__ = [
    "Certificate",
    "FeaturePoints",
    "LevelPoints",
    "Line",
    "LineKind",
    "RiskCard",
    "TrainingFacts",
]
