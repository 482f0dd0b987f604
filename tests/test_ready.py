"""What a proof needs is compiled before its clock starts."""

from __future__ import annotations

from random_problems import random_problem
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
