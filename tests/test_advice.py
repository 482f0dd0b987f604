"""A proof that was cut short says what would prove more, and nothing else does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from riskcard import RiskScoreClassifier
from riskcard.data.table import make_table
from riskcard.encoding.rank_table import rank_table
from riskcard.estimators import learning
from riskcard.estimators.advice import hints_on
from riskcard.problem.problem import make_problem
from riskcard.problem.result import SolveResult
from riskcard.problem.solution import Solution
from riskcard.status import Status


def problem_with(**limits):
    X = np.arange(8.0)[:, None]
    data, _ = rank_table(make_table(X, [0, 1, 0, 0, 1, 0, 1, 1]))
    return make_problem(data, max_terms=2, **limits)


CUT_SHORT = SolveResult(
    Solution.of([(0, 3, -5), (0, 5, -2)], 0, 2.5, 0.0), 5.0, 3.0, Status.TIME_LIMIT
)


def test_a_large_gap_of_a_proof_that_was_cut_short_has_a_hint():
    (hint,) = hints_on(CUT_SHORT, problem_with())
    assert "change the log-odds by at most 2, and the bound allows 30" in hint
    assert "max_log_odds=3 " in hint
    (hint,) = hints_on(CUT_SHORT, problem_with(max_log_odds="auto"))
    assert "the bound allows 6.9" in hint
    steeper = replace(CUT_SHORT, solution=Solution.of([(0, 3, -5)], 0, 1.1, 0.0))
    assert hints_on(steeper, problem_with(max_log_odds="auto")) == []


def test_the_hint_names_a_limit_that_the_card_keeps():
    steep = replace(CUT_SHORT, solution=Solution.of([(0, 3, -5)], 0, 1.1, 0.0))
    (hint,) = hints_on(steep, problem_with())
    assert "by at most 4.5" in hint
    assert "max_log_odds=5 " in hint


@pytest.mark.parametrize(
    ("change", "limits"),
    [
        ({"status": Status.OPTIMAL}, {}),
        ({"status": Status.HEURISTIC}, {}),
        ({"bound": 4.9}, {}),
        ({"bound": 0.0}, {}),
        ({}, {"scale": 1.0}),
        ({}, {"max_log_odds": 3.0}),
        ({"solution": Solution.of([(0, 3, -5)], 0, 0.5, 0.0)}, {}),
    ],
    ids=["proven", "not proven", "small gap", "no bound", "given scale", "limited", "steep card"],
)
def test_there_is_no_hint_where_it_would_not_help(change, limits):
    assert hints_on(replace(CUT_SHORT, **change), problem_with(**limits)) == []


def test_hints_stand_in_the_certificate(monkeypatch):
    monkeypatch.setattr(learning, "hints_on", lambda result, problem: ["Try something else."])
    model = RiskScoreClassifier(max_terms=1, regularization=None)
    model.fit(np.arange(8.0)[:, None], [0, 1, 0, 0, 1, 0, 1, 1])
    assert model.card_.certificate.notes == ("Try something else.",)
    assert "Try something else." in str(model.card_)
