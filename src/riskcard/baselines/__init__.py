"""Older methods behind the same estimator interface, to compare with."""

from riskcard.baselines.lattice_cuts import LatticeCuttingPlaneClassifier
from riskcard.baselines.select_regress_round import SelectRegressRoundClassifier
from riskcard.baselines.unit_weights import UnitWeightsClassifier

__all__ = ["LatticeCuttingPlaneClassifier", "SelectRegressRoundClassifier", "UnitWeightsClassifier"]
