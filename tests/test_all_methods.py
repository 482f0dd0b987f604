"""Every method that the paper names runs on one table, from the name on the page to the card."""

from __future__ import annotations

import importlib
import re

import numpy as np
import pandas as pd
import pytest

import riskcard.baselines
from riskcard import RiskCard, RiskScoreClassifier, audit_card, find_pool
from riskcard.price.price_card import price_card
from riskcard.scores import published
from riskcard.stability.posterior import read_posterior
from test_docs import ROOT


@pytest.fixture(scope="module")
def table() -> tuple[pd.DataFrame, pd.Series]:
    """Rows with the items of qSOFA and two further columns."""
    rng = np.random.default_rng(9)
    n = 300
    X = pd.DataFrame(
        {
            "respiratory_rate": rng.integers(12, 32, n),
            "altered_mentation": rng.integers(0, 2, n),
            "systolic_pressure": rng.integers(80, 140, n),
            "age": rng.integers(20, 90, n),
        }
    )
    score = published("qsofa").totals(X) + (X.age > 65)
    return X, pd.Series(
        (rng.random(n) < 1 / (1 + np.exp(3 - 1.5 * score))).astype(int), name="died"
    )


@pytest.mark.parametrize("name", riskcard.baselines.__all__)
def test_every_baseline_gives_a_card_of_the_common_table(table, name):
    settings = {"max_terms": 2, "grid": 4}
    if name == "LatticeCuttingPlaneClassifier":
        pytest.importorskip("highspy")
        settings["node_limit"] = 5
    if name == "SlimClassifier":
        settings["time_limit"] = 2
    model = getattr(riskcard.baselines, name)(**settings).fit(*table)
    assert audit_card(model, *table).passed
    rate = table[1].mean()
    nothing = -len(table[1]) * (rate * np.log(rate) + (1 - rate) * np.log(1 - rate))
    assert model.loss_ < nothing


def test_scores_prices_and_the_posterior_run_on_the_common_table(table):
    X, y = table
    card = published("qsofa").fit(X, y)
    assert isinstance(card, RiskCard)
    assert price_card(card, X, y).at_most >= 0
    pool = find_pool(RiskScoreClassifier(2, certify=True), X, y, tolerance=0.02)
    assert read_posterior(pool, X, y).inclusion()


def test_the_page_leads_to_every_baseline():
    page = (ROOT / "docs/paper_map.md").read_text(encoding="utf-8")
    section = page.split("## The methods that it names")[1].split("\n## ")[0]
    named = {
        name.rpartition(".")[2] for name in re.findall(r"`riskcard\.baselines\.(\w+)`", section)
    }
    assert named == set(riskcard.baselines.__all__)
    assert all(hasattr(importlib.import_module("riskcard.baselines"), name) for name in named)
