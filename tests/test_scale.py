"""The best scale and offset of a tally of scores: as good as another solver's, wherever it starts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from riskcard.kernels.scale import CALIBRATED, fit_scale


def best_by_hand(tally: np.ndarray, lowest: int, most: float) -> float:
    """The least loss over slopes up to a bound and all offsets, by another solver."""
    scores = lowest + np.repeat(np.arange(tally.size // 2), 2)
    signs = np.tile([-1.0, 1.0], tally.size // 2)

    def loss(point):
        log_odds = point[0] * scores + point[1]
        slopes = -signs * tally / (1 + np.exp(signs * log_odds))
        value = float(tally @ np.logaddexp(0, -signs * log_odds))
        return value, np.array([slopes @ scores, slopes.sum()])

    found = [
        minimize(
            loss, [slope, 0.0], jac=True, method="L-BFGS-B", bounds=[(0, most), (None, None)],
            options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 1000},
        ).fun
        for slope in (0.0, most / 2, most)
    ]  # fmt: skip
    return min(found)


@pytest.mark.slow
@pytest.mark.parametrize("start", ["one", "at the bound", "just below it", "nothing"])
def test_the_fit_of_a_scale_is_not_held_up_by_its_bound(start):
    n_held = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n_scores = int(rng.integers(2, 7))
        lowest, largest = int(rng.integers(-6, 1)), int(rng.integers(1, 6))
        scores = np.arange(n_scores) - rng.uniform(0, n_scores)
        risks = 1 / (1 + np.exp(-rng.uniform(0, 3) * scores))
        rows = rng.integers(0, 40, n_scores) + (rng.random(n_scores) < 0.5)
        events = rng.binomial(rows, risks)
        events[0], rows[0] = events[0] + 1, rows[0] + 2  # both classes are there
        tally = np.stack([rows - events, events], axis=1).ravel().astype(float)
        limit = float(rng.choice([0.3, 1.0, 3.0, 1.0000001, 7.7, 30.0]))
        most = limit / largest
        first = {"one": 1.0, "at the bound": most, "just below it": np.nextafter(most, 0)}
        scale = np.array([first.get(start, 0.0), 0.0])
        loss = fit_scale(tally, lowest, largest, CALIBRATED, limit, scale, 1e-15 * tally.sum())
        assert loss == pytest.approx(best_by_hand(tally, lowest, most), rel=1e-7, abs=1e-7), seed
        n_held += scale[0] > 0.999 * most
    assert n_held > 30
