"""Instability of risks and sample size in a report: recomputed from the cards of the resamples."""

from __future__ import annotations

import numpy as np
import pytest

from riskcard import RiskScoreClassifier, make_report
from riskcard.evaluation.development.sample_size import r_squared_of_auc, sample_size

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def report():
    random = np.random.default_rng(2)
    X = random.integers(0, 10, (150, 3)).astype(float)
    y = random.random(150) < 1 / (1 + np.exp(-(X[:, 0] - 5) / 2))
    model = RiskScoreClassifier(2).fit(X, y)
    return X, make_report(model, X, y, cv=3, n_bootstraps=8, time_limit=None)


def test_risks_of_resampled_cards_are_compared_row_by_row(report):
    X, found = report
    cards = found.facts.stability.cards
    own = found.facts.card.risk(X)
    others = np.array([card.risk(X) for card in cards])
    errors = np.abs(others - own).mean(axis=0)
    assert found.facts.instability.mean_error == pytest.approx(errors.mean())
    assert found.facts.instability.largest_error == pytest.approx(errors.max())
    assert f"{100 * errors.mean():.1f} percentage points" in " ".join(found.to_html().split())


def test_the_sample_size_is_that_of_the_candidates_and_the_held_out_auc(report):
    _, found = report
    held_out = found.facts.validation.methods[0].evaluation
    share = held_out.base_rate
    wanted = sample_size(3, share, r_squared_of_auc(held_out.roc.area, share))
    assert found.facts.sample_size == wanted
    assert f"at least {wanted.rows:,} rows" in " ".join(found.to_html().split())
