"""Compile the proof before its clock starts, and tell that something is compiled."""

from __future__ import annotations

import sys
from functools import cache

import numpy as np

from riskcard.kernels.jit import call_before_compiling
from riskcard.problem.problem import Limits, Problem, Scale
from riskcard.problem.ranked import RankedData
from riskcard.search.conditions import arrange_conditions
from riskcard.search.deadline import Deadline
from riskcard.search.hull_tree import HullTree
from riskcard.search.once import find_card
from riskcard.search.options import Options
from riskcard.search.tree import Stops, prove

__all__ = ["make_ready", "tell_of_compilation"]


@cache
def make_ready() -> None:
    """Compile what a proof needs by a tiny one, once in a process.

    Where nothing is compiled yet that takes longer than many a time limit, and would leave the proof
    nothing of it. Afterwards it is a matter of milliseconds.
    """
    for scale in (Scale("fixed", 1.0), Scale("calibrated")):
        problem = _tiny_problem(scale)
        prove(problem, find_card(problem, Options()), Stops())
        conditions = arrange_conditions(problem)
        if conditions is not None:
            HullTree(conditions).grow(1.0, float("inf"), Deadline())


@cache
def tell_of_compilation() -> None:
    """Say on a terminal why the first fit on a machine takes so long, once it is the first."""

    def tell() -> None:
        sys.stderr.write("Compiling the inner loops, once on this machine: about half a minute.\n")

    if sys.stderr is not None and sys.stderr.isatty():
        call_before_compiling(tell)


def _tiny_problem(scale: Scale) -> Problem:
    """Eight rows of two features, in which no term tells the classes apart."""
    codes = np.array([[0, 0, 1, 1, 2, 2, 0, 2], [0, 1, 0, 1, 0, 1, 1, 0]], dtype=np.int32)
    labels = np.array([-1, 1, -1, 1, 1, -1, -1, 1], dtype=np.int8)
    return Problem(
        data=RankedData(codes, np.array([2, 1]), labels, np.ones(8)),
        limits=Limits(2, 2, 2),
        scale=scale,
        jump_low=np.array([-2, -2]),
        jump_high=np.array([2, 2]),
    )
