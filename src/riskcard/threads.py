"""Threads: the same work on many items by several, and linear algebra by one."""

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Made = TypeVar("Made")


def map_on_threads(work: Callable[[Item], Made], items: Iterable[Item], n_jobs: int) -> list[Made]:
    """Results in the order of the items; with one job no thread is started."""
    if n_jobs == 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(n_jobs) as threads:
        return list(threads.map(work, items))


_lock = threading.Lock()
_limits: list[Any] = []  # once per thread that is inside


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let numpy's linear algebra use one thread, until the last of those who asked for it is done.

    For small matrices its own threads only wait for each other: where the processors are busy, that
    took a hundred times as long. The number of threads is one for the whole process, so it is set
    back once, by whoever leaves last.
    """
    with _lock:
        if not _limits:
            _let_anyone_set()
        _limits.append(_limits[0] if _limits else _libraries().limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            limits = _limits.pop()
            if not _limits:
                _let_anyone_set()
                limits.restore_original_limits()
                _let_anyone_set()


@cache
def _libraries() -> ThreadpoolController:
    """The libraries loaded so far, numpy's among them; finding them takes milliseconds each time."""
    return ThreadpoolController()


def _let_anyone_set() -> None:
    """Let this thread set the number, whichever set it last.

    From version 3.8 threadpoolctl ignores all threads but the first one that set a number, until that
    one gives it up. Without this the folds of a cross-validation on threads would have no limit.
    """
    for library in _libraries().lib_controllers:
        give_up = getattr(library, "clear_controlling_thread", None)
        if give_up is not None:
            give_up(force=True)
