"""Settings of all tests, and the tables that several of them use."""

import signal
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from sklearn.datasets import load_breast_cancer

from optional import pd

# A first call compiles, and machines are busy, so nothing depends on time. The examples are the same
# in every run, and none is stored: a test that passes here passes everywhere.
settings.register_profile(
    "riskcard",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("riskcard")


@pytest.fixture(autouse=True)
def _close_figures():
    """Close the figures of a test, which pyplot would keep until the process ends."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")


@pytest.fixture
def interruptible():
    """Let Ctrl-C interrupt, here and in processes started from here.

    A shell starts what runs in the background or under ``nohup`` with this signal ignored, and every
    process inherits that.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def cancer():
    """scikit-learn's breast cancer data as a frame."""
    pytest.importorskip("pandas")
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
    """A pandas frame of numbers and texts with missing values, an ordered category and booleans."""
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
