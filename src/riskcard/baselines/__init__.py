"""Older methods behind the same estimator interface, to compare with."""

from riskcard.baselines.faster_risk import FasterRiskClassifier
from riskcard.baselines.hinge import HingeRoundClassifier
from riskcard.baselines.lattice_method.cuts import LatticeCuttingPlaneClassifier
from riskcard.baselines.mistakes import SlimClassifier
from riskcard.baselines.probit import ProbitRoundClassifier
from riskcard.baselines.scale_sweep import ScaleSweepClassifier
from riskcard.baselines.select_regress_round import SelectRegressRoundClassifier
from riskcard.baselines.step_functions import FusedLassoClassifier, IntervalCodedClassifier
from riskcard.baselines.unit_weights import UnitWeightsClassifier

__all__ = [
    "FasterRiskClassifier",
    "FusedLassoClassifier",
    "HingeRoundClassifier",
    "IntervalCodedClassifier",
    "LatticeCuttingPlaneClassifier",
    "ProbitRoundClassifier",
    "ScaleSweepClassifier",
    "SelectRegressRoundClassifier",
    "SlimClassifier",
    "UnitWeightsClassifier",
]
