"""The same work on many items, by several threads."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


def map_on_threads(work: Callable[[Item], Made], items: Iterable[Item], n_jobs: int) -> list[Made]:
    """Results in the order of the items; with one job no thread is started."""
    if n_jobs == 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(n_jobs) as threads:
        return list(threads.map(work, items))
