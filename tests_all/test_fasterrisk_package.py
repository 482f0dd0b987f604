"""Our FasterRisk next to the package of its authors, on the same columns."""

import numpy as np
import pytest

from riskcard.baselines import FasterRiskClassifier


@pytest.mark.parametrize("seed", range(3))
def test_losses_of_both_are_about_the_same(seed):
    package, rng = pytest.importorskip("fasterrisk.fasterrisk"), np.random.default_rng(seed)
    X = (rng.random((400, 15)) < rng.uniform(0.2, 0.8, 15)).astype(float)
    y = (X @ rng.normal(0, 1.2, 15) + rng.logistic(size=400) > 0).astype(int)
    signs = np.where(y > 0, 1.0, -1.0)
    optimizer = package.RiskScoreOptimizer(X=X, y=signs, k=5)
    try:
        optimizer.optimize()
    except (
        AttributeError
    ) as error:  # version 0.1.10 calls a method that recent versions of numpy do not have
        pytest.skip(f"fasterrisk does not run with numpy {np.__version__}: {error}")
    multiplier, base, points = optimizer.get_models(model_index=0)
    theirs = float(np.logaddexp(0, -signs * (X @ points + base) / multiplier).sum())
    ours = FasterRiskClassifier(max_terms=5).fit(X, y)
    assert ours.loss_ <= theirs * 1.02
    assert theirs <= ours.loss_ * 1.02
