"""The page on probit and hinge shows what its benchmark prints, and the inequalities hold at every margin."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.other_links import (
    LOG_LOSSES,
    best_bound,
    hinge,
    least_constant,
    logistic,
    probit,
    table_lines,
)

PAGE = Path(__file__).parents[1] / "docs" / "decisions" / "other_links.md"
#: Between the margins at which the constant was looked for, and far beyond them.
MARGINS = np.concatenate([np.linspace(-30, 30, 49_999), np.linspace(-400, 400, 4_001)])


def test_the_page_has_the_bounds_that_are_printed():
    text = PAGE.read_text(encoding="utf-8")
    assert [line for line in table_lines() if line not in text] == []


@pytest.mark.parametrize("loss", [probit, hinge])
def test_a_multiple_of_the_log_loss_less_the_constant_is_below_the_loss(loss):
    for log_loss in LOG_LOSSES:
        bound, factor, slope = best_bound(loss, log_loss)
        constant, _ = least_constant(loss, factor)
        assert bound == pytest.approx(factor * log_loss - constant, abs=1e-6)
        above = factor * logistic(slope * MARGINS) - constant - loss(MARGINS)
        assert above.max() < 1e-4
        # and it is tight: with a smaller constant it would not be
        assert above.max() > -1e-6


def test_the_hinge_loss_is_near_a_log_loss_with_an_offset():
    for steepness in (1.0, 5.0, 50.0):
        near = logistic(steepness * (MARGINS - 1)) / steepness - np.log(2) / steepness
        assert (near <= hinge(MARGINS) + 1e-12).all()
        assert (hinge(MARGINS) - near).max() <= np.log(2) / steepness + 1e-12
