"""Searches for the points of a leaf end when time is up, and their bound stays one."""

import math
import time
from itertools import product

import numpy as np
import pytest

from riskcard.kernels.proof.leaf import FITS_LEFT, STOP, LeafLimits, choose_leaf_points
from riskcard.kernels.proof.supports.points import choose_signed_points
from riskcard.search.deadline import Deadline
from riskcard.search.proof.leaf_points import FEW_FITS, MANY_FITS, search_points

OVER = Deadline(-math.inf)


class Search:
    """A search that takes a number of fits, or goes on until it is told to stop."""

    def __init__(self, fits: float) -> None:
        self.fits, self.begun = fits, list[float]()

    def __call__(self, pace: np.ndarray) -> float:
        self.begun.append(float(pace[FITS_LEFT]))
        if pace[FITS_LEFT] >= self.fits < math.inf:
            pace[FITS_LEFT] -= self.fits
            return 3.0
        while pace[FITS_LEFT] == math.inf and pace[STOP] == 0.0:
            time.sleep(0.001)
        pace[FITS_LEFT] = -1.0
        return -math.inf


@pytest.mark.parametrize(
    ("fits", "deadline", "bound", "begun"),
    [
        (10, Deadline(), 3.0, [MANY_FITS]),
        (1e9, Deadline(), 3.0, [MANY_FITS, math.inf]),
        (10, OVER, 3.0, [FEW_FITS]),
        (1e9, OVER, 2.0, [FEW_FITS]),
    ],
)
def test_a_search_that_takes_long_begins_again_while_there_is_time(fits, deadline, bound, begun):
    search = Search(fits)
    assert search_points(search, 2.0, deadline) == bound
    assert search.begun == begun


def test_a_search_without_end_is_told_to_stop():
    search = Search(math.inf)
    assert search_points(search, 2.0, Deadline.after(0.01)) == 2.0
    assert search.begun == [MANY_FITS, math.inf]


@pytest.mark.parametrize("is_integer_base", [False, True], ids=["calibrated", "multiplier"])
@pytest.mark.parametrize("is_signed", [False, True])
def test_whatever_the_number_of_fits_no_card_is_below_the_bound(is_integer_base, is_signed):
    holds = np.array(list(product([0.0, 1.0], repeat=3)))
    cells = np.random.default_rng(3).integers(1, 9, (2, 8)).astype(float)
    most = np.full(3, 3)
    ends = np.stack([-most if is_signed else 0 * most, most])
    steps = np.array([[-2.0 if is_signed else 0.0] * 3, [2.0] * 3])
    limits = LeafLimits(2.0, -6.0, 6.0)

    def search(fits):
        points, found = np.zeros(3, dtype=np.int64), np.array([1e9, 0.0, 0.0])
        pace = np.array([fits, 0.0])
        if is_signed:
            bound = choose_signed_points(
                holds, cells, ends, steps, limits, 1e9, is_integer_base, points, found, pace
            )
        else:
            bound = choose_leaf_points(
                holds, cells, ends, limits, 1e9, is_integer_base, points, found, pace
            )
        return bound, found[0], pace[FITS_LEFT]

    whole, best, left = search(1e9)
    assert whole == pytest.approx(best, rel=1e-8)
    needed = int(1e9 - left)
    for fits in (0, 1, needed // 2, needed - 1):
        bound, loss, left = search(fits)
        assert bound == -math.inf
        assert left < 0
        assert loss >= best
    assert search(needed)[:2] == (whole, best)
