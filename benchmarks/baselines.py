"""The baselines beside RiskScoreClassifier: losses of five terms on scikit-learn's breast cancer data.

    python -m benchmarks.baselines [seconds]

Seconds are the time limit of the lattice method, 20 by default. It needs riskcard[highs,scip].
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

from sklearn.datasets import load_breast_cancer

from riskcard import Regularization, RiskScoreClassifier, audit_card
from riskcard.baselines import (
    LatticeCuttingPlaneClassifier,
    SelectRegressRoundClassifier,
    UnitWeightsClassifier,
)

TERMS = 5
ROUNDINGS = ("nearest", "randomised", "sequential", "randomised_sequential")


def methods(seconds: float) -> Iterator[tuple[str, str, Any]]:
    """A name, the scale, and the classifier of each line."""
    for scale in ("calibrated", 1):
        yield (
            "riskcard, every cut",
            str(scale),
            RiskScoreClassifier(TERMS, scale=scale, regularization=None),
        )
        yield (
            "riskcard, 9 quantiles",
            str(scale),
            RiskScoreClassifier(TERMS, scale=scale, regularization=Regularization.only(grid=9)),
        )
        for selection in ("forward", "lasso"):
            for rounding in ROUNDINGS:
                made = SelectRegressRoundClassifier(
                    TERMS,
                    scale=scale,
                    selection=selection,
                    rounding=rounding,
                    rescale=scale == "calibrated",
                    refit=scale == "calibrated",
                )
                yield f"{selection}, regress, {rounding}", str(scale), made
        yield "unit weights", str(scale), UnitWeightsClassifier(TERMS, scale=scale)
    for solver in ("highs", "scip"):
        made = LatticeCuttingPlaneClassifier(TERMS, solver=solver, time_limit=seconds)
        yield f"lattice cuts, {solver}", "1", made


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    RiskScoreClassifier(2).fit(X, y)  # compiles
    print("| method | scale | loss | bound | status | seconds |")
    print("|---|---|---|---|---|---|")
    for name, scale, classifier in methods(seconds):
        start = time.perf_counter()
        classifier.fit(X, y)
        spent = time.perf_counter() - start
        if not audit_card(classifier, X, y).passed:
            raise SystemExit(f"{name}: the audit failed")
        bound = f"{classifier.lower_bound_:.2f}" if classifier.lower_bound_ > 0 else ""
        figures = f"{classifier.loss_:.2f} | {bound} | {classifier.status_} | {spent:.2f}"
        print(f"| {name} | {scale} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
