"""Ctrl-C, and compiled code that is kept between two runs."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from pickle import UnpicklingError
from types import SimpleNamespace

import numpy as np
import pytest

from riskcard import RiskScoreClassifier
from riskcard.data.table import make_table
from riskcard.encoding.rank_table import rank_table
from riskcard.kernels import jit
from riskcard.kernels.proof import explore, nodes, slots
from riskcard.problem.problem import make_problem
from riskcard.search.heuristic import find_cards
from riskcard.search.interrupt import catch_interrupt
from riskcard.search.solve import Options, solve
from riskcard.status import Status


def hard_problem():
    """A problem whose proof takes far longer than a test."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 8))
    y = rng.random(300) < 1 / (1 + np.exp(-X[:, 0] - X[:, 1]))
    data, _ = rank_table(make_table(X, y.astype(int)))
    return make_problem(data, max_terms=5)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupted_proof_gives_its_card_and_a_valid_bound():
    def press(progress):
        if progress.nodes > 100:
            signal.raise_signal(signal.SIGINT)

    result = solve(hard_problem(), Options(certify=True, time_limit=None, progress=press))
    assert result.status == Status.INTERRUPTED
    assert 0 <= result.bound <= result.loss
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_during_a_search_is_a_keyboard_interrupt(monkeypatch, n_jobs):
    def press(*given):
        signal.raise_signal(signal.SIGINT)
        return round_support(*given)

    round_support = find_cards.round_support
    monkeypatch.setattr(find_cards, "round_support", press)
    X = np.arange(60.0).reshape(20, 3) % 7
    with pytest.raises(KeyboardInterrupt):
        RiskScoreClassifier(2, n_jobs=n_jobs).fit(X, np.arange(20) % 3 > 0)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(("is_pressed", "kind"), [(True, KeyboardInterrupt), (False, SystemError)])
def test_ctrl_c_within_a_kernel_is_a_keyboard_interrupt_whatever_it_becomes(is_pressed, kind):
    def work():
        with catch_interrupt():
            if is_pressed:
                signal.raise_signal(signal.SIGINT)
            raise SystemError("a kernel returned a result with an exception set")

    with pytest.raises(kind):
        work()


@pytest.mark.usefixtures("interruptible")
def test_who_catches_ctrl_c_within_another_sees_the_same():
    with catch_interrupt() as outer:
        with catch_interrupt() as inner:
            signal.raise_signal(signal.SIGINT)
        assert inner is outer
        assert outer.is_set()


@pytest.mark.usefixtures("interruptible")
def test_the_second_interrupt_is_an_ordinary_one():
    with catch_interrupt() as pressed:
        signal.raise_signal(signal.SIGINT)
        assert pressed.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_where_ctrl_c_is_ignored_it_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with catch_interrupt() as pressed:
            signal.raise_signal(signal.SIGINT)
            assert not pressed.is_set()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("error", [AttributeError, ModuleNotFoundError, UnpicklingError])
def test_a_list_of_kept_code_that_names_what_is_gone_is_removed(tmp_path, error):
    """After an upgrade: numba reads the list before it compares the source."""
    file = SimpleNamespace(_index_path=str(tmp_path / "kernel.nbi"))
    Path(file._index_path).write_bytes(b"of another version")
    with jit._kept_if_possible(file):
        raise error("Can't get attribute 'Patterns'")
    assert not Path(file._index_path).exists()


@pytest.mark.usefixtures("interruptible")
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


def test_a_change_of_any_kernel_changes_the_fingerprint(tmp_path):
    folder = Path(shutil.copytree(Path(jit.__file__).parent, tmp_path / "kernels"))
    seen = {jit.fingerprint_of(folder)}
    assert seen == {jit.FINGERPRINT}
    files = sorted(folder.rglob("*.py"))
    assert {path.parent.name for path in files} == {
        "kernels",
        "heuristic",
        "proof",
        "hull",
        "supports",
        "record",
    }
    for path in files:
        path.write_text(path.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
        seen.add(jit.fingerprint_of(folder))
    assert len(seen) == 1 + len(files)


#: In a process of its own: numba finds no folder that it may write to, as in a read-only container.
WITHOUT_CACHE = """
import numba.core.caching
numba.core.caching.CacheImpl._locator_classes = []
import warnings
warnings.simplefilter("always")
import numpy as np
from riskcard.kernels.jit import is_kept
from riskcard.kernels.scores import score_rows, tally_scores
keys = np.zeros(2, np.int32)
score_rows(
    np.zeros((1, 2), np.int32), np.zeros((3, 0), np.int64), 0, np.array([True, False]), keys
)
print(keys.tolist(), is_kept(score_rows), len(score_rows.signatures))
"""


def test_without_a_folder_for_compiled_code_one_sentence_says_so_and_all_works():
    environment = {**os.environ, "NUMBA_CACHE_LOCATOR_CLASSES": ""}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_CACHE],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[1, 0] True 1\n"
    assert done.stderr.count("No folder for compiled code can be written to") == 1


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
