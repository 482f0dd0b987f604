"""Small cards of integer points, learned from data and proven optimal."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from riskcard.version import __version__

if TYPE_CHECKING:
    from riskcard.audit.audit import audit_card
    from riskcard.errors import (
        DataError,
        FormatError,
        ParameterError,
        RiskcardError,
        RiskcardWarning,
        SolverMissing,
    )
    from riskcard.estimators.card_pool import CardPool, find_pool
    from riskcard.estimators.classifier import RiskScoreClassifier
    from riskcard.estimators.cv import RiskScoreClassifierCV
    from riskcard.estimators.improve import improve
    from riskcard.estimators.recalibrate import recalibrate
    from riskcard.estimators.regularization import Regularization
    from riskcard.export.credit import to_credit_points
    from riskcard.model.card import RiskCard
    from riskcard.model.feature_points import FeaturePoints, LevelPoints
    from riskcard.model.recipe import Recipe
    from riskcard.plots.calibration import plot_calibration
    from riskcard.plots.decision import plot_decision
    from riskcard.plots.parsimony import plot_parsimony
    from riskcard.plots.points import plot_all_points, plot_points
    from riskcard.plots.pool import plot_pool
    from riskcard.plots.progress import plot_progress
    from riskcard.plots.risk import plot_risk
    from riskcard.plots.roc import plot_roc
    from riskcard.report.report import make_report
    from riskcard.rules.card_rules import CardRules, FeatureGroup, FeatureRule
    from riskcard.stability.bootstrap import bootstrap_card

__all__ = [
    "CardPool",
    "CardRules",
    "DataError",
    "FeatureGroup",
    "FeaturePoints",
    "FeatureRule",
    "FormatError",
    "LevelPoints",
    "ParameterError",
    "Recipe",
    "Regularization",
    "RiskCard",
    "RiskScoreClassifier",
    "RiskScoreClassifierCV",
    "RiskcardError",
    "RiskcardWarning",
    "SolverMissing",
    "__version__",
    "audit_card",
    "bootstrap_card",
    "find_pool",
    "improve",
    "make_report",
    "plot_all_points",
    "plot_calibration",
    "plot_decision",
    "plot_parsimony",
    "plot_points",
    "plot_pool",
    "plot_progress",
    "plot_risk",
    "plot_roc",
    "recalibrate",
    "to_credit_points",
]

_HOMES = {
    "DataError": "riskcard.errors",
    "FormatError": "riskcard.errors",
    "ParameterError": "riskcard.errors",
    "RiskcardError": "riskcard.errors",
    "RiskcardWarning": "riskcard.errors",
    "SolverMissing": "riskcard.errors",
    "CardPool": "riskcard.estimators.card_pool",
    "CardRules": "riskcard.rules.card_rules",
    "FeatureGroup": "riskcard.rules.card_rules",
    "FeatureRule": "riskcard.rules.card_rules",
    "FeaturePoints": "riskcard.model.feature_points",
    "LevelPoints": "riskcard.model.feature_points",
    "Recipe": "riskcard.model.recipe",
    "Regularization": "riskcard.estimators.regularization",
    "RiskCard": "riskcard.model.card",
    "RiskScoreClassifier": "riskcard.estimators.classifier",
    "RiskScoreClassifierCV": "riskcard.estimators.cv",
    "audit_card": "riskcard.audit.audit",
    "bootstrap_card": "riskcard.stability.bootstrap",
    "find_pool": "riskcard.estimators.card_pool",
    "improve": "riskcard.estimators.improve",
    "make_report": "riskcard.report.report",
    "plot_all_points": "riskcard.plots.points",
    "plot_calibration": "riskcard.plots.calibration",
    "plot_decision": "riskcard.plots.decision",
    "plot_parsimony": "riskcard.plots.parsimony",
    "plot_points": "riskcard.plots.points",
    "plot_pool": "riskcard.plots.pool",
    "plot_progress": "riskcard.plots.progress",
    "plot_risk": "riskcard.plots.risk",
    "plot_roc": "riskcard.plots.roc",
    "recalibrate": "riskcard.estimators.recalibrate",
    "to_credit_points": "riskcard.export.credit",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for, so that the import itself stays fast."""
    if name not in _HOMES:
        raise AttributeError(f"module 'riskcard' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
