"""When work ends: at a moment, or when somebody asks for it."""

from __future__ import annotations

import math
import threading

import pytest

from riskcard.search import deadline as deadlines
from riskcard.search.deadline import Deadline


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
