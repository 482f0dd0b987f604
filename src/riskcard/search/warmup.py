"""Compile the proof before its clock starts, and tell that something is compiled."""

from __future__ import annotations

import sys
from functools import cache
from typing import Literal

import numpy as np

from riskcard.kernels.jit import call_before_compiling
from riskcard.problem.problem import Limits, Problem, Scale
from riskcard.problem.ranked_data import RankedData
from riskcard.search.deadline import Deadline
from riskcard.search.empty_card import best_empty_card
from riskcard.search.options import Options
from riskcard.search.proof.conditions import arrange_conditions
from riskcard.search.proof.hull_tree import HullTree
from riskcard.search.proof.tree import Stops, prove
from riskcard.search.solve_plain import find_card
from riskcard.search.warmup_process import wait_for_compilation


@cache
def make_ready(kind: Literal["fixed", "multiplier", "calibrated"]) -> None:
    """Compile what a proof with a kind of scale needs by a tiny one, once in a process.

    Where nothing is compiled yet that takes longer than many a time limit, and would leave the proof
    nothing of it. Afterwards it is a matter of milliseconds.
    """
    find_card(_tiny_problem(Scale(kind)), Options())
    wait_for_compilation()
    compile_proof(kind)


def compile_proof(kind: Literal["fixed", "multiplier", "calibrated"]) -> None:
    """Compile the proof alone: from the empty card it has to look at everything."""
    problem = _tiny_problem(Scale(kind))
    prove(problem, best_empty_card(problem), Stops())
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
    """Eight rows of two features whose effects differ too much for one point and two.

    So real-valued points fit better than whole ones, and a proof with a free scale has to try these.
    """
    codes = np.array([[0, 0, 1, 1, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1, 1, 1]], dtype=np.int32)
    weights = np.array([90.0, 10.0, 80.0, 20.0, 10.0, 90.0, 5.0, 95.0])
    return Problem(
        data=RankedData(codes, np.array([1, 1]), np.tile([-1, 1], 4).astype(np.int8), weights),
        limits=Limits(2, 2, 2),
        scale=scale,
        jump_low=np.array([-2, -2]),
        jump_high=np.array([2, 2]),
    )
