"""What a proof needs is compiled before its clock starts."""

from __future__ import annotations

import io

import pytest
from numba.core import event

from random_problems import random_problem
from riskcard import RiskScoreClassifier
from riskcard.estimators import classifier
from riskcard.search import once, pipeline, ready
from riskcard.search.options import Options


def test_compilation_comes_before_the_clock_of_a_proof(monkeypatch):
    order = []
    solve_once = pipeline.solve_once
    monkeypatch.setattr(pipeline, "make_ready", lambda: order.append("compiled"))
    monkeypatch.setattr(
        pipeline, "solve_once", lambda *given: order.append("clock starts") or solve_once(*given)
    )
    pipeline.solve(random_problem(1), Options(certify=True))
    assert order == ["compiled", "clock starts"]


def test_a_search_alone_does_not_wait_for_the_proof(monkeypatch):
    monkeypatch.setattr(pipeline, "make_ready", lambda: 1 / 0)
    pipeline.solve(random_problem(1), Options())


def test_everything_that_a_proof_calls_is_compiled_beforehand(monkeypatch):
    called = []
    prove = ready.prove
    monkeypatch.setattr(ready, "prove", lambda *given: called.append(given) or prove(*given))
    ready.make_ready.cache_clear()
    ready.make_ready()
    ready.make_ready()
    assert [given[0].scale.kind for given in called] == ["fixed", "calibrated"]
    assert once.prove is prove


class Terminal(io.StringIO):
    """A stream that may be a terminal."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_terminal_is_told_once_that_something_is_compiled(monkeypatch, is_terminal):
    stream = Terminal(is_terminal)
    monkeypatch.setattr("sys.stderr", stream)
    ready.tell_of_compilation.cache_clear()
    ready.tell_of_compilation()
    for _ in range(2):
        with event.trigger_event("numba:compile", data={}):
            pass
    assert stream.getvalue().count("Compiling the inner loops") == int(is_terminal)


def test_only_those_who_want_to_see_progress_are_told(monkeypatch):
    told = []
    monkeypatch.setattr(classifier, "tell_of_compilation", lambda: told.append(1))
    rows = [[0.0], [1.0], [1.0]], [0, 1, 0]
    RiskScoreClassifier(max_terms=1).fit(*rows)
    assert told == []
    RiskScoreClassifier(max_terms=1, verbose=True).fit(*rows)
    assert told == [1]
