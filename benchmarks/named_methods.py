"""Every method that the paper names, on one table: loss, AUC, terms, processor time.

    python -m benchmarks.named_methods [seconds]

Seconds are the time limit of the two methods with a proof, 20 by default. The lattice method needs riskcard[highs].
"""

from __future__ import annotations

import sys
import time
from typing import Any

from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score

from riskcard import Regularization, RiskScoreClassifier
from riskcard.baselines import (
    FasterRiskClassifier,
    FusedLassoClassifier,
    HingeRoundClassifier,
    IntervalCodedClassifier,
    LatticeCuttingPlaneClassifier,
    ProbitRoundClassifier,
    ScaleSweepClassifier,
    SelectRegressRoundClassifier,
    SlimClassifier,
    UnitWeightsClassifier,
)

GRID = 5


def methods(seconds: float) -> dict[str, Any]:
    """A classifier for each name of the paper, and riskcard itself."""
    limits: dict[str, Any] = {"grid": GRID, "time_limit": seconds}
    return {
        "riskcard, search alone": RiskScoreClassifier(
            5, regularization=Regularization.only(grid=GRID)
        ),
        "unit weights (Burgess)": UnitWeightsClassifier(grid=GRID),
        "select, regress, round": SelectRegressRoundClassifier(grid=GRID, selection="forward"),
        "sweep over scales (Cole)": ScaleSweepClassifier(grid=GRID),
        "probit, rounded": ProbitRoundClassifier(grid=GRID, selection="forward"),
        "hinge, derandomised (Chevaleyre)": HingeRoundClassifier(grid=GRID),
        "hinge, weights -1, 0, 1": HingeRoundClassifier(grid=GRID, max_points=1),
        "interval-coded scoring": IntervalCodedClassifier(grid=GRID),
        "fused lasso": FusedLassoClassifier(grid=GRID),
        "FasterRisk": FasterRiskClassifier(grid=GRID),
        "SLIM, 0-1 loss": SlimClassifier(**limits),
        "RiskSLIM, lattice cuts, scale 1": LatticeCuttingPlaneClassifier(**limits),
    }


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    RiskScoreClassifier(2).fit(X, y)  # compiles
    print("| method | loss | AUC | mistakes | terms | seconds |")
    print("|---|---|---|---|---|---|")
    for name, model in methods(seconds).items():
        start = time.process_time()
        model.fit(X, y)
        spent = time.process_time() - start
        auc = roc_auc_score(y, model.predict_proba(X)[:, 1])
        wrong = int((model.predict(X) != y).sum())
        figures = (
            f"{model.loss_:.2f} | {auc:.3f} | {wrong} | {len(model.card_.terms)} | {spent:.2f}"
        )
        print(f"| {name} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
