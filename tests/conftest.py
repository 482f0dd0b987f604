"""Settings of all tests, and the tables that several of them use."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, settings
from sklearn.datasets import load_breast_cancer

# A first call compiles, and machines are busy: time is for benchmarks.
settings.register_profile("riskcard", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("riskcard")


@pytest.fixture(scope="module")
def cancer():
    """scikit-learn's breast cancer data as a frame."""
    return load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def small():
    """A little table of whole numbers with ties."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 6, (60, 3)).astype(float)
    y = (X[:, 0] + rng.normal(size=60) > X[:, 1]).astype(int)
    return X, y


@pytest.fixture(scope="module")
def mixed():
    """A pandas frame of numbers and texts with holes, an ordered category and booleans."""
    rng = np.random.default_rng(8)
    n_rows = 200
    shape = rng.choice(["round", "oval", "lobular", "irregular"], n_rows)
    age = rng.integers(30, 90, n_rows).astype(float)
    chance = 0.05 + 0.4 * np.isin(shape, ["lobular", "irregular"]) + 0.5 * (age > 60)
    y = (rng.random(n_rows) < chance).astype(int)
    age[rng.random(n_rows) < 0.1] = np.nan
    frame = pd.DataFrame(
        {
            "age": age,
            "shape": np.where(rng.random(n_rows) < 0.1, None, shape),
            "stage": pd.Categorical.from_codes(
                rng.integers(0, 3, n_rows), ["low", "mid", "high"], ordered=True
            ),
            "smoker": rng.random(n_rows) < 0.3,
        }
    )
    return frame, y
