"""The pictures of credit show the figures that were computed."""

import numpy as np
import pytest

from riskcard import FeaturePoints, RiskCard, judge_credit, plot_bands, plot_cap, plot_ks
from riskcard.evaluation.outcomes import read_outcomes
from riskcard.evaluation.separation import separation_of

pytest.importorskip("matplotlib")

RISKS = np.array([0.1, 0.1, 0.3, 0.3, 0.3, 0.8, 0.8, 0.8])
LABELS = np.array([0, 0, 0, 1, 0, 1, 1, 0])


def test_the_cap_curve_is_drawn_for_every_model_with_its_ratio():
    found = separation_of(read_outcomes(RISKS, LABELS))
    ax = plot_cap({"card": RISKS, "other": 1 - RISKS}, LABELS)
    x, y = ax.lines[1].get_data()
    assert x.tolist() == found.cap.rows.tolist()
    assert y.tolist() == found.cap.events.tolist()
    words = [one.get_text() for one in ax.get_legend().get_texts()]
    assert words[0].startswith(f"card: accuracy ratio {found.gini:.3f}")
    assert words[1].startswith("other: accuracy ratio \u2212")


def test_the_ks_picture_marks_the_largest_distance():
    found = separation_of(read_outcomes(RISKS, LABELS)).ks
    ax = plot_ks(RISKS, LABELS)
    (x, _), (low, high) = ax.lines[2].get_data()
    assert x == pytest.approx(100 * found.risk)
    assert (high - low) / 100 == pytest.approx(found.distance)


def test_bands_are_drawn_with_rates_risks_and_shares():
    card = RiskCard([FeaturePoints("x", [1, 2], [0, 1, 3])], offset=-2.0)
    X = {"x": np.arange(60) % 4}
    y = (np.arange(60) * 7 % 10 < 3 + X["x"]).astype(int)
    bands = judge_credit(card, X, y).bands
    ax = plot_bands(bands)
    assert [one.get_text() for one in ax.get_xticklabels()] == [one.words for one in bands]
    risks = ax.lines[0].get_ydata()
    assert risks == pytest.approx([100 * one.expected for one in bands])
