"""Searches for the whole points of a leaf, which end in time."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np

from riskcard.arrays import Floats
from riskcard.kernels.proof.leaf import FITS_LEFT, STOP
from riskcard.search.deadline import Deadline

#: Fits of a leaf before the clock is looked at, and of a leaf that is met after the end.
MANY_FITS, FEW_FITS = 2000, 50
#: Seconds between two looks at the clock.
LONGEST_WAIT = 0.2


def search_points(run: Callable[[Floats], float], known: float, deadline: Deadline) -> float:
    """Run a search for points until it ends or time is up; returns a bound on the cards of its leaf.

    Few leaves take long: those of many terms of which no bound says much. Their search begins again in another
    thread, so that this one can look at the clock.

    Parameters
    ----------
    run
        The search, given when to stop: see ``pace`` of `choose_leaf_points`.
    known
        A bound on the cards of the leaf, which holds in any case.
    deadline
        When to stop.
    """
    is_late = deadline.is_over()
    pace = np.array([FEW_FITS if is_late else MANY_FITS, 0.0])
    bound = run(pace)
    if pace[FITS_LEFT] < 0.0 and not is_late:
        pace = np.array([math.inf, 0.0])
        with ThreadPoolExecutor(1) as thread:
            search = thread.submit(run, pace)
            while wait([search], min(deadline.seconds_left, LONGEST_WAIT)).not_done:
                pace[STOP] = float(deadline.is_over())
            bound = search.result()
    return max(bound, known)
