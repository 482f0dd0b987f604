"""Settings of all tests, and the tables that several of them use."""

import numpy as np
import pytest
from hypothesis import settings
from sklearn.datasets import load_breast_cancer

# A first call compiles, and machines are busy: time is for benchmarks.
settings.register_profile("riskcard", deadline=None)
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
