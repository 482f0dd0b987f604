"""What search and proof need is compiled before their clock starts."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core import event

from random_problems import random_problem
from riskcard import RiskScoreClassifier
from riskcard.estimators import learning
from riskcard.kernels.jit import is_kept
from riskcard.kernels.proof.explore import explore
from riskcard.problem.problem import Scale
from riskcard.search import solve as pipeline
from riskcard.search import warmup
from riskcard.search.drivers import solve_plain
from riskcard.search.options import Options

KINDS = ("fixed", "multiplier", "calibrated")


def test_compilation_comes_before_the_clock(monkeypatch):
    order = []
    find_card = pipeline.find_card
    monkeypatch.setattr(pipeline, "make_ready", lambda *given: order.append("compiled"))
    monkeypatch.setattr(
        pipeline, "find_card", lambda *given: order.append("clock starts") or find_card(*given)
    )
    for certify in (True, False):
        pipeline.solve(random_problem(1), Options(certify=certify))
        assert order == ["compiled", "clock starts"]
        order.clear()


def test_a_search_alone_does_not_wait_for_the_proof(monkeypatch):
    monkeypatch.setattr(warmup, "compile_proof", lambda *given: 1 / 0)
    warmup.make_ready.cache_clear()
    pipeline.solve(random_problem(1), Options())
    warmup.make_ready.cache_clear()


@pytest.mark.parametrize(
    ("options", "is_by_supports"),
    [
        (Options(certify=True), True),
        (Options(certify=True, min_gain=1.0), False),
        (Options(certify=True, pool_tolerance=0.01), False),
    ],
    ids=["plain", "least gain", "pool"],
)
def test_only_the_proof_that_a_problem_gets_is_compiled(monkeypatch, options, is_by_supports):
    asked = []
    monkeypatch.setattr(pipeline, "make_ready", lambda *given: asked.append(given))
    problem = random_problem(1, Scale("calibrated"))
    assert solve_plain.suits_supports(problem)
    pipeline.solve(problem, options)
    assert asked == [("calibrated", True, is_by_supports)]


def test_a_search_that_its_limit_ended_says_so():
    problem = random_problem(1)
    assert pipeline.CUT_SHORT in pipeline.solve(problem, Options(time_limit=0.0)).notes
    assert pipeline.solve(problem, Options(time_limit=None)).notes == ()


def test_everything_that_a_proof_calls_is_compiled_beforehand(monkeypatch):
    called = []
    prove = warmup.prove
    monkeypatch.setattr(warmup, "prove", lambda *given: called.append(given) or prove(*given))
    warmup.make_ready.cache_clear()
    for kind in (*KINDS, *KINDS):
        warmup.make_ready(kind)
    assert [given[0].scale.kind for given in called] == list(KINDS)
    assert solve_plain.prove is prove


#: In a process of its own: the kernels that were compiled, or read from disk, by fits and not beforehand.
READY_LATER = """
import sys
import numpy as np
from numba.core.registry import CPUDispatcher
from random_problems import random_problem
from riskcard.data.table import make_table
from riskcard.encoding.rank_table import rank_table
from riskcard.problem.problem import Scale, make_problem
from riskcard.search.options import Options
from riskcard.search.solve import solve
from riskcard.search.warmup import make_ready

def ready():
    modules = [module for name, module in sys.modules.items() if name.startswith("riskcard.kernels.")]
    values = [value for module in modules for value in vars(module).values()]
    return {(one, str(types)) for one in values if isinstance(one, CPUDispatcher) for types in one.signatures}

kind, certify = sys.argv[1], sys.argv[2] == "proof"
problems = [random_problem(seed, Scale(kind)) for seed in range(12)]
rng = np.random.default_rng(0)
for n_rows, n_features in () if certify else ((9000, 3), (300, 40)):
    X = rng.normal(size=(n_rows, n_features)).round(2)
    X[rng.random(X.shape) < 0.05] = np.nan
    data, _ = rank_table(make_table(X, X[:, 0] + rng.normal(size=n_rows) > 0))
    problems.append(make_problem(data, 4, scale=1.0 if kind == "fixed" else kind))
make_ready(kind, certify)
before = ready()
for problem in problems:
    solve(problem, Options(certify=certify))
print(*sorted({one.py_func.__name__ for one, _ in ready() - before}))
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("work", ["search", "proof"])
def test_nothing_is_left_to_be_compiled_by_a_fit(kind, work):
    paths = [str(Path(__file__).parent), *filter(None, sys.path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-c", READY_LATER, kind, work]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


class Started:
    """A process that was started, as far as anybody asks."""

    def __init__(self, command, **streams):
        self.command, self.is_awaited = command, False

    def wait(self):
        self.is_awaited = True


@pytest.fixture
def started(monkeypatch):
    """The processes that were started to compile; nothing is compiled yet, and there are two processors."""
    found = []
    monkeypatch.setattr(warmup, "is_kept", lambda kernel: False)
    monkeypatch.setattr(warmup, "_count_processors", lambda: 2)
    monkeypatch.setattr(
        warmup.subprocess,
        "Popen",
        lambda *given, **more: found.append(Started(*given, **more)) or found[-1],
    )
    return found


def test_a_command_compiles_the_proof_during_the_search_and_waits_for_it(started, monkeypatch):
    warmup.start_compilation("calibrated")
    (process,) = started
    awaited = []
    monkeypatch.setattr(warmup, "prove", lambda *given: awaited.append(process.is_awaited))
    monkeypatch.setattr(warmup, "find_card", lambda *given: awaited.append(process.is_awaited))
    warmup.make_ready.cache_clear()
    warmup.make_ready("calibrated")
    warmup.make_ready.cache_clear()
    assert awaited == [False, True]


@pytest.mark.parametrize(
    ("where", "name", "value"),
    [
        (warmup, "is_kept", lambda kernel: True),
        (warmup, "_count_processors", lambda: 1),
        (sys, "frozen", True),
        (sys, "executable", ""),
    ],
    ids=["kept", "one processor", "no Python", "unknown Python"],
)
def test_no_process_is_started_where_that_would_not_help(started, monkeypatch, where, name, value):
    monkeypatch.setattr(where, name, value, raising=False)
    warmup.start_compilation("calibrated")
    assert started == []


def test_a_second_process_that_cannot_be_started_is_done_without(started, monkeypatch):
    def refuse(*given, **more):
        raise OSError

    monkeypatch.setattr(warmup.subprocess, "Popen", refuse)
    warmup.start_compilation("calibrated")
    warmup.wait_for_compilation()


@pytest.fixture
def second_process(monkeypatch):
    """Starts the second process as if nothing were compiled yet, and returns it when it is done."""
    monkeypatch.setattr(warmup, "is_kept", lambda kernel: False)
    monkeypatch.setattr(warmup, "_count_processors", lambda: 2)

    def run(kind):
        warmup.start_compilation(kind)
        (process,) = warmup._running
        warmup.wait_for_compilation()
        return process

    return run


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_second_process_compiles_what_the_proof_needs(kind, second_process):
    assert second_process(kind).returncode == 0
    assert is_kept(explore)


@pytest.mark.slow
@pytest.mark.parametrize("entry", ["", "."], ids=["empty entry", "relative entry"])
def test_no_file_of_the_current_folder_is_executed(entry, second_process, monkeypatch, tmp_path):
    for name in ("riskcard", "numba", "numpy", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(
            f"open({str(tmp_path / 'executed')!r}, 'a').write({name!r})"
        )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(sys, "path", [entry, str(tmp_path), *sys.path])
    assert second_process("calibrated").returncode == 0
    assert not (tmp_path / "executed").exists()


@pytest.mark.slow
def test_a_kernel_is_kept_once_it_was_compiled(tmp_path):
    code = (
        "import numpy as np; from riskcard.kernels.jit import is_kept\n"
        "from riskcard.kernels.scores import score_rows as kernel\n"
        "print(is_kept(kernel))\n"
        "codes, terms = np.zeros((1, 2), np.int32), np.zeros((3, 0), np.int64)\n"
        "kernel(codes, terms, 0, np.array([True, False]), np.zeros(2, np.int32))\n"
        "print(is_kept(kernel))"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]


class Terminal(io.StringIO):
    """A stream that may be a terminal."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


def compile_something() -> None:
    with event.trigger_event("numba:compile", data={}):
        pass


@pytest.mark.parametrize(
    ("is_terminal", "is_asked", "is_prompt", "is_told"),
    [
        (True, True, False, True),
        (True, False, False, False),
        (False, True, False, False),
        (False, False, True, True),  # a notebook
    ],
)
def test_people_who_wait_are_told_once_that_something_is_compiled(
    monkeypatch, is_terminal, is_asked, is_prompt, is_told
):
    compile_something()  # an earlier test in this process may have asked to be told and compiled nothing
    stream = Terminal(is_terminal)
    monkeypatch.setattr("sys.stderr", stream)
    if is_prompt:
        monkeypatch.setattr("sys.ps1", ">>> ", raising=False)
    warmup._tell_once.cache_clear()
    for _ in range(2):
        warmup.tell_of_compilation(is_asked)
    for _ in range(2):
        compile_something()
    assert stream.getvalue().count("Compiling the inner loops") == int(is_told)


def test_every_fit_says_whether_progress_is_wanted(monkeypatch):
    told = []
    monkeypatch.setattr(learning, "tell_of_compilation", told.append)
    rows = [[0.0], [1.0], [1.0]], [0, 1, 0]
    RiskScoreClassifier(max_terms=1).fit(*rows)
    RiskScoreClassifier(max_terms=1, verbose=True).fit(*rows)
    assert told == [False, True]
