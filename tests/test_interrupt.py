"""Ctrl-C, and the code that is kept compiled between two runs."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest

from riskcard import RiskScoreClassifier
from riskcard.data.table import make_table
from riskcard.encoding.rank_table import rank_table
from riskcard.kernels import jit
from riskcard.kernels.proof import explore, nodes, slots
from riskcard.problem.problem import make_problem
from riskcard.search.proof.interrupt import catch_interrupt
from riskcard.search.solve import Options, solve
from riskcard.status import Status


def hard_problem():
    """A problem whose proof takes far longer than a test."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 8))
    y = rng.random(300) < 1 / (1 + np.exp(-X[:, 0] - X[:, 1]))
    data, _ = rank_table(make_table(X, y.astype(int)))
    return make_problem(data, max_terms=5)


def test_an_interrupted_proof_gives_its_card_and_a_valid_bound():
    def press(progress):
        if progress.nodes > 100:
            signal.raise_signal(signal.SIGINT)

    result = solve(hard_problem(), Options(certify=True, time_limit=60.0, progress=press))
    assert result.status == Status.INTERRUPTED
    assert 0 <= result.bound <= result.loss
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_second_interrupt_is_an_ordinary_one():
    with catch_interrupt() as pressed:
        signal.raise_signal(signal.SIGINT)
        assert pressed.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_in_a_thread_the_handler_of_the_main_thread_is_left_alone():
    before = signal.getsignal(signal.SIGINT)
    seen = []

    def work():
        with catch_interrupt() as pressed:
            seen.append((pressed.is_set(), signal.getsignal(signal.SIGINT)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [(False, before)]


def test_kept_code_depends_on_the_source_of_all_kernels():
    for function in (explore.explore, nodes.make_child, slots.within_limits):
        assert function._cache._cache_file._source_stamp == jit.FINGERPRINT


def test_a_fit_in_a_thread_works():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    y = X[:, 0] + 0.5 * rng.standard_normal(60) > 0
    models = []
    thread = threading.Thread(
        target=lambda: models.append(RiskScoreClassifier(max_terms=2, certify=True).fit(X, y))
    )
    thread.start()
    thread.join()
    assert models[0].status_ == "optimal"
