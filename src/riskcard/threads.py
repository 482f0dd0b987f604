"""Threads: the same work on many items by several, and linear algebra by one."""

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from threadpoolctl import threadpool_limits

Item = TypeVar("Item")
Made = TypeVar("Made")


def map_on_threads(work: Callable[[Item], Made], items: Iterable[Item], n_jobs: int) -> list[Made]:
    """Results in the order of the items; with one job no thread is started."""
    if n_jobs == 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(n_jobs) as threads:
        return list(threads.map(work, items))


_lock = threading.Lock()
_inside: list[threadpool_limits] = []


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let numpy's linear algebra use one thread, until the last of those who asked for it is done.

    For small matrices its own threads only wait for each other: where the processors are busy, that
    took a hundred times as long. The number of threads is one for the whole process, so it is set
    back once, by whoever leaves last.
    """
    with _lock:
        limits = _inside[0] if _inside else threadpool_limits(limits=1, user_api="blas")
        _inside.append(limits)
    try:
        yield
    finally:
        with _lock:
            _inside.pop()
            if not _inside:
                limits.restore_original_limits()
