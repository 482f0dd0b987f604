"""When work ends: at a moment, or when somebody asks for it."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest

from riskcard.data.table import make_table
from riskcard.encoding.rank_table import rank_table
from riskcard.problem.problem import make_problem
from riskcard.search import deadline as deadlines
from riskcard.search.deadline import Deadline, OutOfTime
from riskcard.search.options import Options
from riskcard.search.solve import solve
from riskcard.status import Status


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands at 100 until it is set."""
    now = [100.0]
    monkeypatch.setattr(deadlines.time, "perf_counter", lambda: now[0])
    return now


def test_without_a_limit_work_never_ends():
    deadline = Deadline.after(None)
    assert deadline.seconds_left == float("inf")
    assert not deadline.is_over()
    assert deadline.part(0.1).seconds_left == float("inf")


def test_work_ends_when_its_seconds_have_passed(clock):
    deadline = Deadline.after(10.0)
    clock[0] = 107.0
    assert (deadline.seconds_left, deadline.is_over()) == (3.0, False)
    clock[0] = 110.0
    assert (deadline.seconds_left, deadline.is_over()) == (0.0, True)
    clock[0] = 120.0
    assert (deadline.seconds_left, deadline.is_interrupted) == (0.0, False)


def test_no_seconds_are_over_at_once():
    assert Deadline.after(0.0).is_over()


def test_a_part_ends_earlier(clock):
    deadline = Deadline(110.0)
    clock[0] = 102.0
    early = deadline.part(0.25)
    assert early.seconds_left == 2.0
    clock[0] = 104.0
    assert early.is_over()
    assert not deadline.is_over()


@pytest.mark.parametrize("moment", [math.inf, 110.0], ids=["no limit", "limit"])
def test_an_interrupt_ends_all_parts(clock, moment):
    interrupt = threading.Event()
    deadline = Deadline(moment, interrupt)
    early = deadline.part(0.5)
    assert not deadline.is_over()
    interrupt.set()
    assert deadline.is_over()
    assert early.is_over()
    assert deadline.is_interrupted
    assert deadline.seconds_left == 0.0


def test_a_long_loop_ends_when_the_deadline_has_passed():
    over, never = Deadline(0.0), Deadline()
    assert list(never.watch(range(1000))) == list(range(1000))
    assert list(over.watch(range(5))) == list(range(5))
    with pytest.raises(OutOfTime):
        list(over.watch(range(1000)))
    assert next(over.watch([7], often=1)) == 7
    with pytest.raises(OutOfTime):
        list(over.watch([7, 8], often=1))


def test_a_wide_table_is_not_arranged_for_a_proof_that_has_no_time():
    X = np.random.default_rng(0).normal(size=(20, 600))
    data, _ = rank_table(make_table(X, np.arange(20) % 2))
    result = solve(make_problem(data, 2), Options(certify=True, time_limit=0.0))
    assert (result.status, result.bound, result.nodes) == (Status.TIME_LIMIT, 0.0, 0)
