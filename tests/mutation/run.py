"""The tests of a mutant, in a process of their own that imports the faulty source."""

from __future__ import annotations

import importlib.abc
import importlib.util
import math
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Job:
    """Tests to run on one faulty module.

    Attributes
    ----------
    module, source
        The module that is replaced and its faulty source; None to run the tests as they are.
    tests
        Arguments of pytest.
    is_compiled
        Kernels are compiled; otherwise they run as plain Python.
    seconds
        Processor time after which the mutant counts as killed: it made some loop endless.
    """

    module: str | None
    source: str
    tests: tuple[str, ...]
    is_compiled: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the tests ended: "passed", "failed" or "timed out"; the output; the processor time."""

    word: str
    output: str
    seconds: float


class _Replacement(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a text; its file stays what it is."""

    def __init__(self, module: str, source: str) -> None:
        self.module, self.source = module, source

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != self.module:
            return None
        file = ROOT / "src" / (name.replace(".", "/") + ".py")
        return importlib.util.spec_from_file_location(name, file, loader=self)

    def exec_module(self, module: Any) -> None:
        exec(compile(self.source, module.__spec__.origin, "exec"), module.__dict__)


def preload() -> None:
    """Import what all tests need and no mutant changes, once for all of the forked processes."""
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    for name in (
        "numba", "pandas", "polars", "pyarrow", "scipy.optimize", "scipy.stats", "sklearn.linear_model",
        "sklearn.metrics", "sklearn.pipeline", "sklearn.datasets", "hypothesis", "pytest",
    ):  # fmt: skip
        importlib.import_module(name)
    assert "riskcard" not in sys.modules


class Runner:
    """Runs jobs in forked processes, several at a time."""

    def __init__(self, n_jobs: int) -> None:
        self.n_jobs = n_jobs
        self._running: dict[int, tuple[Any, Path]] = {}

    def map(self, jobs: dict[Any, Job]) -> Any:
        """Yield the key and the outcome of every job as it ends."""
        waiting = list(jobs.items())
        self._folder = Path(tempfile.mkdtemp(prefix="riskcard-mutants-"))
        while waiting or self._running:
            while waiting and len(self._running) < self.n_jobs:
                self._start(*waiting.pop(0))
            yield from self._ended()
            time.sleep(0.02)
        shutil.rmtree(self._folder)

    def _start(self, key: Any, job: Job) -> None:
        output = self._folder / f"{len(list(self._folder.iterdir()))}.txt"
        output.touch()
        pid = os.fork()
        if pid == 0:
            _become(job, output)
        self._running[pid] = key, output

    def _ended(self) -> Any:
        for pid, (key, output) in list(self._running.items()):
            done, status, used = os.wait4(pid, os.WNOHANG)
            if not done:
                continue
            del self._running[pid]
            word = "passed" if status == 0 else "failed"
            if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
                word = "timed out"
            yield key, Outcome(word, output.read_text(), used.ru_utime + used.ru_stime)


def _become(job: Job, output: Path) -> None:
    """Run the tests of a job and end this process."""
    used = int(time.process_time())
    limit = used + math.ceil(job.seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    file = os.open(output, os.O_WRONLY)
    os.dup2(file, 1)
    os.dup2(file, 2)
    status = 3
    try:
        import numba
        import pytest

        numba.config.DISABLE_JIT = not job.is_compiled
        os.environ["NUMBA_DISABLE_JIT"] = str(int(not job.is_compiled))
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(output.with_suffix(".hypothesis"))
        os.chdir(ROOT)
        sys.path.insert(0, str(ROOT / "src"))
        if job.module is not None:
            sys.meta_path.insert(0, _Replacement(job.module, job.source))
        plain = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--hypothesis-seed=0")
        status = int(pytest.main([*plain, "--tb=line", "-W", "ignore", *job.tests]))
        sys.stdout.flush()
    finally:
        os._exit(status)
