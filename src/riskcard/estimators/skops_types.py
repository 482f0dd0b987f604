"""The classes that a saved classifier consists of, for skops and MLflow, which ask whom to trust."""

#: By module; all of them hold plain values, and none runs code of the file that it is read from.
_CLASSES = {
    "baselines.faster_risk": ("FasterRiskClassifier", "FasterRiskResult"),
    "baselines.hinge": ("HingeResult", "HingeRoundClassifier"),
    "baselines.lattice_method.cuts": ("LatticeCuttingPlaneClassifier",),
    "baselines.mistakes": ("SlimClassifier", "SlimResult"),
    "baselines.probit": ("ProbitRoundClassifier",),
    "baselines.scale_sweep": ("ScaleSweepClassifier", "SweepResult", "SweepRow"),
    "baselines.select_regress_round": ("SelectRegressRoundClassifier",),
    "baselines.step_functions": ("FusedLassoClassifier", "IntervalCodedClassifier"),
    "baselines.unit_weights": ("UnitWeightsClassifier",),
    "data.first_look.data_summary": ("DataSummary",),
    "data.first_look.identifiers": ("LeftOut",),
    "data.first_look.leaks": ("Leak",),
    "data.first_look.repeats": ("Repeat",),
    "data.reading": ("Reading",),
    "estimators.classifier": ("RiskScoreClassifier",),
    "estimators.regularization": ("Regularization",),
    "model.card": ("RiskCard",),
    "model.feature_points": ("FeaturePoints", "LevelPoints"),
    "model.origin.certificate": ("Certificate", "ClassWeights", "TrainingFacts"),
    "model.origin.recipe": ("HeldOut", "Recipe"),
    "model.totals": ("TotalCount",),
    "model.value_range": ("ValueRange",),
    "model.words.labels": ("FeatureLabel", "Labels"),
    "problem.result": ("Pool", "SolveResult"),
    "problem.solution": ("Solution",),
    "rules.card_rules": ("CardRules", "FeatureGroup", "FeatureRule"),
    "status": ("Progress", "Status"),
}


def skops_types() -> list[str]:
    """The names of the classes of riskcard that a saved classifier may contain.

    Give them to ``skops.io.load(..., trusted=...)``, or to MLflow as ``skops_trusted_types``. Of a
    ``RiskScoreClassifierCV``, which holds a scorer of scikit-learn in addition, save
    ``best_estimator_``.

    Examples
    --------
    >>> "riskcard.model.card.RiskCard" in skops_types()
    True
    """
    return [f"riskcard.{module}.{name}" for module, names in _CLASSES.items() for name in names]
